"""Measures that only ask whether a document is relevant.

They share the ranking with NDCG, ties included: where a tie is left open, the value is the mean
over all orders of the tied documents (McSherry and Najork 2008, doi:10.1007/978-3-540-78646-7_38).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ids import stretches
from core.ndcg import Float, mean_weights, position_in_query, sums
from core.policy import Cutoff
from core.ranking import Ranking


@dataclass(frozen=True, eq=False)
class BinaryScores:
    """Precision, recall, reciprocal rank and average precision of each query.

    All arrays have shape (queries,), values between 0 and 1. A query without a ranking, or without
    a relevant document, has 0.
    """

    precision: Float
    recall: Float
    reciprocal_rank: Float
    average_precision: Float


def binary_scores(
    ranked: Ranking, relevant: NDArray[np.bool_], total: NDArray[np.int64], *, cutoff: Cutoff
) -> BinaryScores:
    """Score rankings by relevance alone.

    Parameters
    ----------
    ranked : Ranking
        As the policy wants it, condensed or not.
    relevant : ndarray of bool, shape (ranked,)
        Whether each ranked hit is relevant.
    total : ndarray of int, shape (queries,)
        Relevant documents in the judgments of each query.
    cutoff : int or "all"
        k of precision and recall. Precision divides by k even where fewer documents came back, as
        trec_eval does; under "all" it divides by the documents returned. Reciprocal rank and
        average precision look at the whole ranking.

    Returns
    -------
    BinaryScores
    """
    queries = len(total)
    rows = np.flatnonzero(relevant)
    query, above, size = ranked.query[rows], ranked.above[rows], ranked.size[rows]
    found = sums(query, share_within(above, size, cutoff), queries)
    depth = ranked.length if cutoff == "all" else np.full(queries, cutoff)
    ties = _tie_groups(query, above, size)
    return BinaryScores(
        precision=_ratio(found, depth),
        recall=_ratio(found, total),
        reciprocal_rank=_reciprocal_rank(ties, queries),
        average_precision=_ratio(_sum_of_precisions(ties, queries), total),
    )


def share_within(above: NDArray[np.integer], size: NDArray[np.integer], cutoff: Cutoff) -> Float:
    """Chance of each document to stand within the cutoff, shape (documents,)."""
    if cutoff == "all":
        return np.ones(len(above))
    return np.clip(cutoff - above, 0, size) / size


@dataclass(frozen=True, eq=False)
class _Ties:
    """Groups of tied documents that hold a relevant one; a group of one is no tie.

    Shape (groups,): the query, documents ranked before the group, its size, its relevant
    documents, and the relevant documents before it.
    """

    query: NDArray[np.integer]
    above: NDArray[np.integer]
    size: NDArray[np.integer]
    relevant: NDArray[np.int64]
    relevant_above: NDArray[np.int64]


def _tie_groups(
    query: NDArray[np.integer], above: NDArray[np.integer], size: NDArray[np.integer]
) -> _Ties:
    begins = np.ones(len(query), dtype=bool)
    begins[1:] = (query[1:] != query[:-1]) | (above[1:] != above[:-1])
    start = np.flatnonzero(begins)
    return _Ties(
        query=query[start],
        above=above[start],
        size=size[start],
        relevant=np.diff(np.append(start, len(query))),
        relevant_above=position_in_query(query)[start],
    )


def _reciprocal_rank(ties: _Ties, queries: int) -> Float:
    """Mean of 1 / rank of the first relevant document."""
    leading = np.flatnonzero(ties.relevant_above == 0)
    value = np.reciprocal(ties.above[leading] + 1.0)
    mixed = ties.relevant[leading] < ties.size[leading]
    groups = leading[mixed]
    value[mixed] = _first_relevant(ties.above[groups], ties.size[groups], ties.relevant[groups])
    return sums(ties.query[leading], value, queries)


def _first_relevant(
    above: NDArray[np.integer], size: NDArray[np.integer], relevant: NDArray[np.int64]
) -> Float:
    """Mean of 1 / rank of the first of `relevant` documents, shuffled among `size`.

    The first `before` of n documents are all not relevant with the chance
    C(n - before, relevant) / C(n, relevant), written with logarithms of factorials.
    """
    positions = size - relevant + 1
    group = np.repeat(np.arange(len(size)), positions)
    before = stretches(np.zeros_like(positions), positions)
    n, m = size[group], relevant[group]
    largest = int(size.max()) if len(size) else 0
    log = np.log(np.arange(1, largest + 1, dtype=np.longdouble))
    factorial = np.concatenate(([np.longdouble(0)], np.cumsum(log)))
    ratio = factorial[n - before] - factorial[n - before - m] - factorial[n] + factorial[n - m]
    here = np.exp(ratio).astype(np.float64) * m / (n - before)
    return sums(group, here / (above[group] + 1 + before), len(size))


def _sum_of_precisions(ties: _Ties, queries: int) -> Float:
    """Mean of the sum of precisions at each relevant document.

    In a tie, a relevant document at position i of the group has on average
    (i - 1)(relevant - 1)/(size - 1) relevant ones before it in the group.
    """
    if not len(ties.query):
        return np.zeros(queries)
    inverse = 1.0 / np.arange(1, int((ties.above + ties.size).max()) + 1)
    share = mean_weights(inverse, ties.above, ties.size)
    gap = 1.0 - (ties.above + 1) * share
    others = (ties.relevant - 1) / np.maximum(ties.size - 1, 1)
    value = ties.relevant * ((ties.relevant_above + 1) * share + others * gap)
    return sums(ties.query, value, queries)


def _ratio(part: Float, whole: NDArray[np.integer]) -> Float:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
