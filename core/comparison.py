"""Two systems side by side: paired, query by query."""

from dataclasses import dataclass

import numpy as np

from core.errors import EvaluationError
from core.intervals import Interval, influences, mean_interval
from core.ndcg import Float
from core.scores import QueryScores

_EQUAL = 1e-12


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline, on the queries that have a score for both.

    Parameters
    ----------
    system, baseline : str
        Names of the two.
    difference : float or None
        System minus baseline: of the macro mean over these queries, or of their pooled ratio, as
        the policy says. Queries without judgments never enter. None: no query is common to both,
        or, pooled, the IDCG of the common queries sums to 0.
    interval : Interval or None
        Paired interval of the difference. None: no difference, or fewer than two common queries.
    queries : int
        Queries both have a score for.
    wins, ties, losses : int
        Queries on which the system scores higher, the same, or lower.
    only_system, only_baseline : int
        Queries that just one of the two has a score for; they are not compared.
    """

    system: str
    baseline: str
    difference: float | None
    interval: Interval | None
    queries: int
    wins: int
    ties: int
    losses: int
    only_system: int
    only_baseline: int

    @property
    def separates(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        return self.interval is not None and not self.interval.includes_zero

    @property
    def winner(self) -> str | None:
        """Name of the system ahead; None where they are level or share no query."""
        if self.difference is None or abs(self.difference) <= _EQUAL:
            return None
        return self.system if self.difference > 0 else self.baseline


def compare(system: QueryScores, baseline: QueryScores) -> Comparison:
    """Compare two systems under the policy and the judgments they were both scored with.

    Raises
    ------
    EvaluationError
        They were scored with different judgments or under different policies.
    """
    if not _comparable(system, baseline):
        raise EvaluationError(
            f"'{system.name}' and '{baseline.name}' were scored by different rules or judgments. "
            "Score both again under one policy."
        )
    both = system.in_mean & baseline.in_mean
    change = system.ndcg[both] - baseline.ndcg[both]
    paired = _paired_influences(system, baseline)
    return Comparison(
        system=system.name,
        baseline=baseline.name,
        difference=None if paired is None else float(paired.mean()),
        interval=mean_interval(paired),
        queries=int(both.sum()),
        wins=int((change > _EQUAL).sum()),
        ties=int((np.abs(change) <= _EQUAL).sum()),
        losses=int((change < -_EQUAL).sum()),
        only_system=int((system.in_mean & ~baseline.in_mean).sum()),
        only_baseline=int((baseline.in_mean & ~system.in_mean).sum()),
    )


def _comparable(system: QueryScores, baseline: QueryScores) -> bool:
    """Whether both have the same policy, judgments and ideal, query by query."""
    one, other = system.judgments, baseline.judgments
    same = one is other or (
        one.query_ids == other.query_ids and one.fingerprint == other.fingerprint
    )
    return same and system.policy == baseline.policy and _one_ideal(system, baseline)


def _one_ideal(system: QueryScores, baseline: QueryScores) -> bool:
    """Whether ideal_scope "any_run", where it applies, took the same documents for both."""
    if system.union is None or baseline.union is None:
        return system.union is baseline.union
    if system.judgments is baseline.judgments:
        return np.array_equal(system.union, baseline.union)
    return system.union_digest == baseline.union_digest


def _paired_influences(system: QueryScores, baseline: QueryScores) -> Float | None:
    """System minus baseline: one value a common query, whose mean is the difference."""
    both = system.in_mean & baseline.in_mean
    if not both.any():
        return None
    one, other = influences(system, both), influences(baseline, both)
    return None if one is None or other is None else one - other
