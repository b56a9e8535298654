"""How much of what a run returned is judged, and how much of what is judged it returned."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.binary import share_within
from core.grades import GradedRun
from core.ndcg import Float, sums
from core.policy import Cutoff, Policy
from core.ranking import Ranking, ranking, within

_ROUNDING = 1e-9


def retrieved_at_k(ranked: Ranking, cutoff: Cutoff) -> NDArray[np.int64]:
    """Documents on the top k ranks: k, or fewer where the ranking is shorter, shape (queries,)."""
    return ranked.length if cutoff == "all" else np.minimum(ranked.length, cutoff)


def unjudged_at_k(ranked: Ranking, *, cutoff: Cutoff) -> Float:
    """Count the unjudged documents on the top k ranks.

    Parameters
    ----------
    ranked : Ranking
        Not condensed: a condensed list has none by construction.
    cutoff : int or "all"

    Returns
    -------
    ndarray of float, shape (queries,)
        Whole numbers, except where a tie across rank k is left open: then the mean over its orders.
    """
    top = within(ranked, cutoff)
    share = share_within(top.above, top.size, cutoff) * top.judged
    unjudged = retrieved_at_k(top, cutoff) - sums(top.query, share, len(top.length))
    return np.where(unjudged < _ROUNDING, 0.0, unjudged)


def judged_at_k(ranked: Ranking, *, cutoff: Cutoff) -> Float:
    """Share of each query's top ranks that has a judgment.

    Counts against the documents retrieved, so a run that returns three documents is not marked
    down at cutoff 10; ir_measures does the same (`Judged@k`).

    Parameters
    ----------
    ranked : Ranking
        Not condensed.
    cutoff : int or "all"

    Returns
    -------
    ndarray of float, shape (queries,)
        Between 0 and 1. NaN where the run returned nothing.
    """
    retrieved = retrieved_at_k(ranked, cutoff).astype(np.float64)
    retrieved[retrieved == 0] = np.nan
    return 1.0 - unjudged_at_k(ranked, cutoff=cutoff) / retrieved


def judged_by_depth(
    graded: GradedRun, policy: Policy, depths: Sequence[int]
) -> tuple[float | None, ...]:
    """Mean judged@k at several depths, over the judged queries the run has results for.

    Parameters
    ----------
    graded : GradedRun
    policy : Policy
        Decides the order; its cutoff does not matter here.
    depths : sequence of int
        Values of k.

    Returns
    -------
    tuple of float or None
        One value a depth. None: the run has no results for any judged query.
    """
    ranked = ranking(graded, policy)
    has_results = ranked.length > 0
    if not has_results.any():
        return (None,) * len(depths)
    return tuple(float(judged_at_k(ranked, cutoff=depth)[has_results].mean()) for depth in depths)


def pool_coverage(graded: GradedRun) -> float | None:
    """Share of all judged documents that the run returned, at any rank. None: nothing is judged."""
    judged = len(graded.judgments)
    return int(graded.judged.sum()) / judged if judged else None


def judged_share(graded: GradedRun) -> float | None:
    """Share of the documents the run returned for judged queries, at any rank, that are judged.

    Repeated documents count once. None: it returned none.
    """
    returned = int(graded.retrieved.sum())
    return int(graded.judged.sum()) / returned if returned else None
