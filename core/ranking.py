"""Turns the hits of a graded run into a ranking under a policy.

Order, repeated documents, self matches, ties and condensing are settled here, for every measure.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import PolicyRefusal
from core.grades import GradedRun
from core.memo import remembered
from core.placements import Placement
from core.policy import Cutoff, Policy

RANKING_FIELDS = ("order", "score_precision", "ties", "self_matches", "negative_grades")
"""Policy fields that settle a ranking, before condensing."""

_RANK_BITS = 32
_RANKINGS = 2


@dataclass(frozen=True, eq=False)
class Ranking:
    """Hits with the ranks they hold, ordered by query and rank.

    A hit stands on one of the ranks `above + 1` to `above + size`, with equal chance. Where the
    policy breaks ties, `size` is 1 and the rank is certain.

    Parameters
    ----------
    hit : ndarray of int, shape (ranked,)
        Row in the hits of the graded run.
    query, above, size : ndarray of int, shape (ranked,)
    judged : ndarray of bool, shape (ranked,)
        Whether the policy takes the document as judged.
    length : ndarray of int, shape (queries,)
        Documents in each query's ranking, those that are no hit included.
    """

    hit: NDArray[np.int64]
    query: NDArray[np.int32]
    above: NDArray[np.int32]
    size: NDArray[np.int32]
    judged: NDArray[np.bool_]
    length: NDArray[np.int64]


def sort_key(graded: GradedRun, policy: Policy) -> str:
    """Name the placement that orders this run under the policy.

    A run without scores is ordered by its ranks, or else as listed; its notices say so.
    """
    run = graded.run
    if policy.order == "rank_column":
        if not run.has_ranks:
            raise PolicyRefusal(
                run.source,
                field="order",
                option="rank_column",
                count=run.result_count,
                summary="no ranks",
                found="the run has no ranks that can be used",
                remedy="Order it by score or as listed.",
            )
        return "rank"
    if policy.order == "as_listed":
        return "listed"
    if run.has_scores:
        return policy.score_precision
    return "rank" if run.has_ranks else "listed"


@remembered(*RANKING_FIELDS, most=_RANKINGS)
def ranking(graded: GradedRun, policy: Policy) -> Ranking:
    """Rank the hits of a run: sort key, duplicates, self matches, ties. Not yet condensed.

    Duplicates are already down to one row under each key, as `keep_first` asks; whether they are
    refused is for `core.refusals`.
    """
    hits = graded.hits
    placement = hits.placements[sort_key(graded, policy)]
    above, size = _ranks(placement, policy.ties)
    judged = graded.judged
    if policy.negative_grades == "as_unjudged":
        judged = judged & (graded.grades >= 0)
    order = _by_rank(hits.query, above)
    ranked = Ranking(
        hit=order,
        query=hits.query[order],
        above=above[order],
        size=size[order],
        judged=judged[order],
        length=graded.retrieved,
    )
    return _without_self_matches(ranked, graded) if policy.self_matches == "remove" else ranked


@remembered(*RANKING_FIELDS, "unjudged", most=_RANKINGS)
def final_ranking(graded: GradedRun, policy: Policy) -> Ranking:
    """Rank the hits of a run, condensed where the policy condenses."""
    full = ranking(graded, policy)
    return condensed(full) if policy.unjudged == "condense" else full


def condensed(ranked: Ranking) -> Ranking:
    """Remove the unjudged documents and close the ranks."""
    kept = _selected(ranked, ranked.judged)
    length = np.bincount(kept.query, minlength=len(ranked.length))
    begins = np.ones(len(kept.query), dtype=bool)
    begins[1:] = (kept.query[1:] != kept.query[:-1]) | (kept.above[1:] != kept.above[:-1])
    tie_start = np.flatnonzero(begins)
    tie_size = np.diff(np.append(tie_start, len(kept.query)))
    query_start = (np.cumsum(length) - length)[kept.query[tie_start]]
    return replace(
        kept,
        above=np.repeat((tie_start - query_start).astype(np.int32), tie_size),
        size=np.repeat(tie_size.astype(np.int32), tie_size),
        length=length,
    )


def within(ranked: Ranking, cutoff: Cutoff) -> Ranking:
    """Keep the hits that can stand on the top k ranks; the lengths stay those of the rankings."""
    return ranked if cutoff == "all" else _selected(ranked, ranked.above < cutoff)


def _ranks(placement: Placement, ties: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Documents before each hit's tie and in it, after the tie rule."""
    above, size = placement.above, placement.size
    if ties in ("expected", "refuse"):
        return above, size
    if ties == "docid_descending":
        above = above + placement.by_docid
    elif ties == "docid_ascending":
        above = above + (size - 1 - placement.by_docid)
    else:
        above = above + placement.by_list
    return above, np.ones_like(size)


def _by_rank(query: NDArray[np.int32], above: NDArray[np.int32]) -> NDArray[np.int64]:
    """Order by query, then rank. Hits come in listed order, so little is out of place."""
    place = (query.astype(np.int64) << _RANK_BITS) | above
    return np.argsort(place, kind="stable")


def _without_self_matches(ranked: Ranking, graded: GradedRun) -> Ranking:
    """Remove documents whose id is the query's; those below move up."""
    is_self = graded.hits.is_self[ranked.hit]
    if not is_self.any():
        return ranked
    queries = len(ranked.length)
    at = np.full(queries, np.iinfo(np.int32).max, dtype=np.int32)
    at[ranked.query[is_self]] = ranked.above[is_self]
    removed = np.bincount(ranked.query[is_self], minlength=queries)
    lifted = replace(
        ranked,
        above=ranked.above - (ranked.above > at[ranked.query]),
        size=ranked.size - (ranked.above == at[ranked.query]),
        length=ranked.length - removed,
    )
    return _selected(lifted, ~is_self)


def _selected(ranked: Ranking, wanted: NDArray[np.bool_]) -> Ranking:
    rows = np.flatnonzero(wanted)
    if len(rows) == len(wanted):
        return ranked
    return replace(
        ranked,
        hit=ranked.hit[rows],
        query=ranked.query[rows],
        above=ranked.above[rows],
        size=ranked.size[rows],
        judged=ranked.judged[rows],
    )
