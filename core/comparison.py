"""Two systems side by side: paired, query by query."""

from dataclasses import dataclass

import numpy as np

from core.errors import EvaluationError
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
        the policy says. Queries without judgments never enter. None: no query is common to both.
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
    queries: int
    wins: int
    ties: int
    losses: int
    only_system: int
    only_baseline: int


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
    return Comparison(
        system=system.name,
        baseline=baseline.name,
        difference=_difference(system, baseline),
        queries=int(both.sum()),
        wins=int((change > _EQUAL).sum()),
        ties=int((np.abs(change) <= _EQUAL).sum()),
        losses=int((change < -_EQUAL).sum()),
        only_system=int((system.in_mean & ~baseline.in_mean).sum()),
        only_baseline=int((baseline.in_mean & ~system.in_mean).sum()),
    )


def _comparable(system: QueryScores, baseline: QueryScores) -> bool:
    """Whether both have the same policy and the same judgments, query by query."""
    one, other = system.judgments, baseline.judgments
    same = one is other or (
        one.query_ids == other.query_ids and one.fingerprint == other.fingerprint
    )
    one_ideal = system.union_digest == baseline.union_digest
    return same and one_ideal and system.policy == baseline.policy


def _difference(system: QueryScores, baseline: QueryScores) -> float | None:
    both = system.in_mean & baseline.in_mean
    if not both.any():
        return None
    if system.policy.average == "macro":
        return float((system.ndcg[both] - baseline.ndcg[both]).mean())
    ratios = [(one.dcg[both].sum(), one.idcg[both].sum()) for one in (system, baseline)]
    if any(idcg <= 0 for _, idcg in ratios):
        return None
    (dcg, idcg), (base_dcg, base_idcg) = ratios
    return float(dcg / idcg - base_dcg / base_idcg)
