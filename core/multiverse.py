"""Several runs under every combination of some policy fields: a multiverse of scores.

References
----------
S. Steegen, F. Tuerlinckx, A. Gelman and W. Vanpaemel: Increasing transparency through a multiverse
analysis. Perspectives on Psychological Science 11(5), 2016, doi:10.1177/1745691616658637.
U. Simonsohn, J. P. Simmons and L. D. Nelson: Specification curve analysis. Nature Human Behaviour
4, 2020, doi:10.1038/s41562-020-0912-z.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import EvaluationError
from core.grades import GradedRun
from core.ndcg import Float
from core.policy import Policy
from core.rule_sets import Axes, Rows, RuleSets, rule_sets
from core.scores import score
from core.sweep import Progress, sweep


@dataclass(frozen=True, eq=False)
class Multiverse:
    """Headlines of several systems under every combination of some options.

    Parameters
    ----------
    runs : tuple of GradedRun
    rule_sets : RuleSets
        The combinations.
    values : ndarray of float, shape (rule sets, systems)
        Headlines. NaN: no value, or refused.
    refused : ndarray of bool, shape (rule sets, systems)
        Whether the rule set refuses the system.
    present_values : ndarray of float, shape (systems,)
        Headlines under the present policy, be it among the rule sets or not. NaN as in `values`.
    """

    runs: tuple[GradedRun, ...]
    rule_sets: RuleSets
    values: Float
    refused: NDArray[np.bool_]
    present_values: Float

    def __len__(self) -> int:
        return len(self.rule_sets)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(graded.run.name for graded in self.runs)

    @property
    def policy(self) -> Policy:
        """The present policy."""
        return self.rule_sets.policy

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policy of each rule set."""
        return self.rule_sets.policies

    @property
    def axes(self) -> Axes:
        """The options of each field that were combined."""
        return self.rule_sets.axes

    @property
    def choice(self) -> Rows:
        """Which option of each axis a rule set has, shape (rule sets, axes)."""
        return self.rule_sets.choice

    @property
    def present(self) -> int | None:
        """Number of the present policy among the rule sets; None where it is not."""
        return self.rule_sets.present

    def refusal(self, rule_set: int, system: int) -> EvaluationError | None:
        """Why a rule set refuses a system; None where it does not."""
        if self.refused[rule_set, system]:
            try:
                score(self.runs[system], self.policies[rule_set], runs=self.runs)
            except EvaluationError as error:
                return error
        return None


def multiverse(
    runs: Sequence[GradedRun],
    policy: Policy,
    axes: Mapping[str, Iterable[Any]],
    *,
    progress: Progress | None = None,
) -> Multiverse:
    """Score all runs under every combination of options.

    Every value is that of `core.scores.score_all` and `headline` under the policy.

    Parameters
    ----------
    runs : sequence of GradedRun
        Joined to the same judgments.
    policy : Policy
        The present one, which gives every field that is no axis.
    axes : mapping of str to iterable
        Options by field, as in `core.rule_sets.rule_sets`.
    progress : callable, optional
        Called with steps done and steps in all, up to a hundred times; it may raise to cancel.

    Raises
    ------
    PolicyError
        Axes that cannot be combined, or too many combinations.
    """
    return under_rule_sets(runs, rule_sets(policy, axes), progress=progress)


def under_rule_sets(
    runs: Sequence[GradedRun], rules: RuleSets, *, progress: Progress | None = None
) -> Multiverse:
    """Score all runs under some rule sets, such as `core.rule_sets.listed_rule_sets` gives."""
    systems = tuple(runs)
    found = sweep(systems, rules, progress=progress)
    if rules.present is not None:
        present = found.values[rules.present]
    else:
        present = sweep(systems, rule_sets(rules.policy, {})).values[0]
    return Multiverse(systems, rules, found.values, found.refused, present)
