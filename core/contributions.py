"""What each document adds: to the DCG of a ranking, and to the DCG of the ideal ranking."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.grades import GradedRun
from core.judgments import Judgments
from core.ndcg import Float, discounts, gains, mean_weights, position_in_query
from core.policy import Policy
from core.ranking import Ranking


@dataclass(frozen=True, eq=False)
class IdealRanking:
    """The best order of the documents in scope, down to its depth, grouped by query.

    All arrays have shape (ideal documents,).

    Parameters
    ----------
    row : ndarray of int
        Row of the judgments.
    query, position : ndarray of int
        Query, and position in its ideal ranking from 0.
    gain, weight : ndarray of float
        What the document is worth, and what its rank weighs; it adds their product.
    """

    row: NDArray[np.int64]
    query: NDArray[np.int64]
    position: NDArray[np.int64]
    gain: Float
    weight: Float


def judgment_gains(judgments: Judgments, policy: Policy) -> Float:
    """Gain of each judgment under the policy, shape (judgments,).

    A negative grade gains 0 unless the policy takes it raw.
    """
    grades = judgments.grades.astype(np.int64)
    if policy.negative_grades != "raw":
        grades = np.maximum(grades, 0)
    return gains(grades, policy.gain)


def hit_gains(graded: GradedRun, ranked: Ranking, worth: Float) -> Float:
    """Gain of each ranked hit, shape (ranked,); 0 where the policy takes it as unjudged."""
    if not len(worth):
        return np.zeros(len(ranked.hit))
    return np.where(ranked.judged, worth[graded.hits.judgment[ranked.hit]], 0.0)


def hit_weights(ranked: Ranking, policy: Policy) -> Float:
    """Weight of the rank of each ranked hit, shape (ranked,); the mean over an open tie."""
    deepest = int((ranked.above + ranked.size).max()) if len(ranked.hit) else 0
    weights = discounts(deepest, discount=policy.discount, cutoff=policy.cutoff)
    return mean_weights(weights, ranked.above, ranked.size)


def returned(graded: GradedRun, policy: Policy) -> NDArray[np.bool_]:
    """Judgments whose document stands in the run's ranking, at any depth, shape (judgments,).

    Self matches count as the policy says; condensing does not matter, for it removes no judged
    document.
    """
    kept = graded.judged
    if policy.self_matches == "remove":
        kept = kept & ~graded.hits.is_self
    found = np.zeros(len(graded.judgments), dtype=bool)
    found[graded.hits.judgment[kept]] = True
    return found


def returned_by_any(runs: Sequence[GradedRun], policy: Policy) -> NDArray[np.bool_]:
    """Judgments whose document at least one run returned, shape (judgments,)."""
    return np.logical_or.reduce([returned(graded, policy) for graded in runs])


def ideal_ranking(
    graded: GradedRun,
    length: NDArray[np.int64],
    worth: Float,
    policy: Policy,
    *,
    union: NDArray[np.bool_] | None,
) -> IdealRanking:
    """Build the ideal ranking of every query.

    Judgments are ordered by grade, best first, and gain never falls as the grade rises, so what a
    scope leaves of a query's rows is its ideal ranking.

    Parameters
    ----------
    graded : GradedRun
    length : ndarray of int, shape (queries,)
        Documents in the run's ranking after all removals; ideal_depth "returned" cuts there.
    worth : ndarray of float, shape (judgments,)
        Gain of each judgment.
    policy : Policy
    union : ndarray of bool, shape (judgments,), or None
        The scope of "any_run".
    """
    judgments = graded.judgments
    in_scope = np.ones(len(judgments), dtype=bool)
    if policy.ideal_scope == "this_run":
        in_scope = returned(graded, policy)
    elif union is not None:
        in_scope = union
    if policy.negative_grades == "as_unjudged":
        in_scope = in_scope & (judgments.grades >= 0)
    row = np.flatnonzero(in_scope)
    query = judgments.query[row]
    position = position_in_query(query)
    within = position < _depth(length, len(judgments), policy)[query]
    row, query, position = row[within], query[within], position[within]
    deepest = int(position.max()) + 1 if len(position) else 0
    weights = discounts(deepest, discount=policy.discount, cutoff="all")
    return IdealRanking(row, query, position, worth[row], weights[position])


def _depth(length: NDArray[np.int64], judged: int, policy: Policy) -> NDArray[np.int64]:
    """Documents in each query's ideal ranking, at the most."""
    depth = np.full(len(length), judged)
    if policy.ideal_depth != "full" and policy.cutoff != "all":
        depth = np.minimum(depth, policy.cutoff)
    if policy.ideal_depth == "returned":
        depth = np.minimum(depth, length)
    return depth
