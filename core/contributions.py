"""What each document adds: to the DCG of a ranking, and to the DCG of the ideal ranking."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias
from weakref import WeakValueDictionary, ref

import numpy as np
from numpy.typing import NDArray

from core.grades import GradedRun
from core.ids import stretches
from core.judgments import Judgments
from core.memo import remembered
from core.ndcg import Float, discounts, gains, mean_weights, sums
from core.policy import Policy
from core.ranking import RANKING_FIELDS, Ranking, final_ranking, within

GAIN_FIELDS = ("gain", "relevance_level")
"""Policy fields that settle what a grade is worth."""

DCG_FIELDS = (*RANKING_FIELDS, *GAIN_FIELDS, "unjudged", "discount", "cutoff")
"""Policy fields that settle the DCG of a run."""

IDCG_FIELDS = (
    *GAIN_FIELDS,
    *("ideal_scope", "ideal_depth", "self_matches", "negative_grades", "discount", "cutoff"),
)
"""Policy fields that settle an IDCG, besides the lengths of the run's rankings."""

# Results to remember: enough of one value a query for a policy's single switches, and few of one
# value a judgment.
_VECTORS = 16
_ARRAYS = 2


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


@dataclass(frozen=True, eq=False)
class Union:
    """Judged documents that at least one run of a comparison returned: scope "any_run".

    Parameters
    ----------
    judgments : Judgments
    found : ndarray of bool, shape (judgments,)
        Which of them were returned.
    """

    judgments: Judgments
    found: NDArray[np.bool_]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the documents: sorted JSON lines `[query, document]`."""
        rows = np.flatnonzero(self.found)
        quoted = json.JSONEncoder(ensure_ascii=False).encode
        query_ids = [quoted(query_id) for query_id in self.judgments.query_ids]
        query, documents = self.judgments.query[rows].tolist(), self.judgments.documents.take(rows)
        pairs = zip(query, documents, strict=True)
        lines = sorted(f"[{query_ids[at]},{quoted(name)}]\n".encode() for at, name in pairs)
        return hashlib.sha256(b"".join(lines)).hexdigest()


@remembered(*GAIN_FIELDS, "negative_grades", most=_ARRAYS)
def judgment_gains(judgments: Judgments, policy: Policy) -> Float:
    """Gain of each judgment under the policy, shape (judgments,).

    A negative grade gains 0 unless the policy takes it raw.
    """
    grades = judgments.grades
    if policy.negative_grades != "raw":
        grades = np.maximum(grades, 0)
    return gains(grades, policy.gain, relevant_from=policy.relevance_level)


@remembered(*GAIN_FIELDS, "negative_grades", most=_ARRAYS)
def gainful(judgments: Judgments, policy: Policy) -> NDArray[np.bool_]:
    """Whether a query has a judged document that gains, shape (queries,).

    If one does, the best grade does.
    """
    begin, end = judgments.starts[:-1], judgments.starts[1:]
    found = begin < end
    found[found] = judgment_gains(judgments, policy)[begin[found]] > 0
    return found


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


@remembered(*DCG_FIELDS, most=_VECTORS)
def query_dcg(graded: GradedRun, policy: Policy) -> Float:
    """DCG of each query of a run, shape (queries,)."""
    # Hits below the cutoff weigh nothing, and are most of them.
    top = within(final_ranking(graded, policy), policy.cutoff)
    gain = hit_gains(graded, top, judgment_gains(graded.judgments, policy))
    return sums(top.query, gain * hit_weights(top, policy), len(top.length))


@remembered("self_matches", most=_ARRAYS)
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


def returned_by_any(runs: Sequence[GradedRun], policy: Policy) -> Union:
    """Unite what each of the runs returned; there is at least one.

    As long as someone holds it, the same runs get the same object, with all it remembers.
    """
    key = (policy.self_matches, *map(ref, runs))
    if (united := _UNIONS.get(key)) is None:
        found = np.logical_or.reduce([returned(graded, policy) for graded in runs])
        united = _UNIONS[key] = Union(runs[0].judgments, found)
    return united


_UNIONS: WeakValueDictionary[tuple[object, ...], Union] = WeakValueDictionary()


Source: TypeAlias = Judgments | Union | GradedRun
"""Whose judged documents an ideal ranking is made of, by `ideal_scope`."""


def ideal_ranking(
    graded: GradedRun,
    length: NDArray[np.int64],
    worth: Float,
    policy: Policy,
    *,
    union: NDArray[np.bool_] | None,
) -> IdealRanking:
    """Build the ideal ranking of every query.

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
    united = None if union is None else Union(graded.judgments, union)
    return _ideal(_source(graded, policy, united), length, worth, policy)


def query_idcg(
    graded: GradedRun, length: NDArray[np.int64], policy: Policy, *, united: Union | None
) -> Float:
    """IDCG of each query, shape (queries,).

    Parameters
    ----------
    graded, length, policy
        As in `ideal_ranking`.
    united : Union or None
        The scope of "any_run".
    """
    source = _source(graded, policy, united)
    if policy.ideal_depth != "returned":
        return _shared_idcg(source, policy)
    worth = judgment_gains(graded.judgments, policy)
    return _summed(_ideal(source, length, worth, policy), len(length))


@remembered(
    *GAIN_FIELDS,
    *("self_matches", "negative_grades", "ideal_depth", "cutoff", "discount"),
    most=_VECTORS,
)
def _shared_idcg(source: Source, policy: Policy) -> Float:
    """IDCG of each query, the same for every run: the ideal does not end where a list ends."""
    judgments = _judgments(source)
    worth = judgment_gains(judgments, policy)
    return _summed(_ideal(source, None, worth, policy), len(judgments.query_ids))


def _summed(ideal: IdealRanking, queries: int) -> Float:
    return sums(ideal.query, ideal.gain * ideal.weight, queries)


def _ideal(
    source: Source, length: NDArray[np.int64] | None, worth: Float, policy: Policy
) -> IdealRanking:
    """Rank each query's documents in scope, down to the depth; `length` may be None otherwise.

    Judgments are ordered by grade, best first, and gain never falls as the grade rises, so what a
    scope leaves of a query's rows is its ideal ranking.
    """
    scope = _scope(source, policy)
    begin, depth = scope.starts[:-1], np.diff(scope.starts)
    if policy.ideal_depth != "full" and policy.cutoff != "all":
        depth = np.minimum(depth, policy.cutoff)
    if policy.ideal_depth == "returned" and length is not None:
        depth = np.minimum(depth, length)
    place = stretches(begin, depth)
    query = np.repeat(np.arange(len(depth)), depth)
    row, position = scope.row[place], place - begin[query]
    weights = discounts(int(depth.max(initial=0)), discount=policy.discount, cutoff="all")
    return IdealRanking(row, query, position, worth[row], weights[position])


@dataclass(frozen=True, eq=False)
class _Scope:
    """The documents that ideal rankings are made of.

    `row` holds rows of the judgments, ascending; those of query i are `row[starts[i]]` to
    `row[starts[i + 1] - 1]`.
    """

    row: NDArray[np.int64]
    starts: NDArray[np.int64]


@remembered("self_matches", "negative_grades", most=_ARRAYS)
def _scope(source: Source, policy: Policy) -> _Scope:
    judgments = _judgments(source)
    in_scope = np.ones(len(judgments), dtype=bool)
    if isinstance(source, GradedRun):
        in_scope = returned(source, policy)
    elif isinstance(source, Union):
        in_scope = source.found
    if policy.negative_grades == "as_unjudged":
        in_scope = in_scope & (judgments.grades >= 0)
    row = np.flatnonzero(in_scope)
    return _Scope(row, np.searchsorted(row, judgments.starts))


def _source(graded: GradedRun, policy: Policy, united: Union | None) -> Source:
    if policy.ideal_scope == "this_run":
        return graded
    return graded.judgments if united is None else united


def _judgments(source: Source) -> Judgments:
    return source if isinstance(source, Judgments) else source.judgments
