"""How long all combinations of some options take, against scoring each by itself.

Every figure starts from runs that are joined and of which nothing is remembered.
"""

from dataclasses import replace

import numpy as np
from timing import timed

from core.errors import EvaluationError
from core.grades import GradedRun
from core.multiverse import Multiverse, multiverse
from core.ndcg import Float
from core.policy import Policy
from core.presets import FIRST_RUN
from core.rule_sets import options_of
from core.scores import headline, score_all

FEW_RANKINGS = {
    "cutoff": (5, 10, 20, 100),
    "gain": ("linear", "exponential"),
    "discount": ("log2", "original"),
    "ideal_scope": ("judged", "any_run", "this_run"),
    "unjudged": ("zero", "condense"),
    "ties": ("docid_descending", "expected"),
    "missing_query": ("zero", "leave_out"),
    "zero_idcg": ("zero", "leave_out"),
    "average": ("macro", "pooled"),
}
MANY_RANKINGS = {
    field: options_of(field)
    for field in ("order", "ties", "score_precision", "self_matches", "unjudged")
} | {"cutoff": (5, 10, 20, 100)}
AXES = {"few rankings": FEW_RANKINGS, "many rankings, half of it refused": MANY_RANKINGS}


def report(runs: list[GradedRun]) -> None:
    """Time every set of axes, print one line each."""
    for name, axes in AXES.items():
        together, found = timed(
            lambda anew, axes=axes: multiverse(anew, FIRST_RUN, axes),  # type: ignore[misc]
            lambda: joined_anew(runs),
            5,
        )
        apart, values = timed(
            lambda anew, found=found: one_by_one(anew, found),  # type: ignore[misc]
            lambda: joined_anew(runs),
            1,
        )
        differing = (found.values != values) & ~(np.isnan(found.values) & np.isnan(values))
        print(
            f"{len(found):,} rule sets, {name}, {len(runs)} systems: {min(together):.2f} s; "
            f"one by one {min(apart):.2f} s; {int(differing.sum())} values differ"
        )


def one_by_one(runs: list[GradedRun], found: Multiverse) -> Float:
    """Headlines of every system under every rule set, scored in the order of the rule sets."""
    return np.array([_headlines(runs, policy) for policy in found.policies])


def joined_anew(runs: list[GradedRun]) -> list[GradedRun]:
    """Return the runs as they were when they were joined."""
    judgments = replace(runs[0].judgments)
    return [replace(graded, judgments=judgments) for graded in runs]


def _headlines(runs: list[GradedRun], policy: Policy) -> list[float]:
    outcomes = score_all(runs, policy)
    values = (None if isinstance(one, EvaluationError) else headline(one) for one in outcomes)
    return [np.nan if value is None else value for value in values]
