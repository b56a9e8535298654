"""Applies a policy to a graded run: one score a query, and their aggregate with every count."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.binary import BinaryScores, binary_scores
from core.contributions import (
    Union,
    gainful,
    query_dcg,
    query_idcg,
    returned_by_any,
)
from core.coverage import judged_at_k, unjudged_at_k
from core.errors import EvaluationError
from core.grades import GradedRun
from core.judgments import Judgments
from core.memo import remembered
from core.ndcg import Float
from core.policy import Policy
from core.ranking import final_ranking, ranking
from core.refusals import refuse

STATES = (
    "scored",
    "missing",
    "empty",
    "left_out_zero_idcg",
    "left_out_missing",
    "left_out_empty",
)
"""What became of a query. `missing` and `empty` count as 0; `left_out_…` have no score."""

_SCORED, _MISSING, _EMPTY, _NO_IDEAL, _MISSING_OUT, _EMPTY_OUT = range(len(STATES))
_ROUNDING = 1e-12
_ZERO_IDCG_SCORE = {"zero": 0.0, "leave_out": np.nan, "one": 1.0}


@dataclass(frozen=True, eq=False)
class QuerySums:
    """All that the scores of a run are made of, under one policy or, row by row, under several.

    Arrays have shape (…, queries).

    Parameters
    ----------
    dcg, idcg : ndarray of float
    no_documents : ndarray of bool
        Whether nothing is left of the query's ranking.
    gainful : ndarray of bool
        Whether a judged document of the query gains.
    """

    dcg: Float
    idcg: Float
    no_documents: NDArray[np.bool_]
    gainful: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class QueryScores:
    """Scores of one run under one policy, query by query.

    Arrays have shape (queries,), in the order of `judgments.query_ids`.

    Parameters
    ----------
    graded : GradedRun
        What was scored.
    policy : Policy
        The rules.
    ndcg : ndarray of float
        NaN: the query is left out; `state` says why.
    dcg, idcg : ndarray of float
        Numerator and denominator.
    state : ndarray of int
        Index into `STATES`.
    united : Union or None
        Under ideal_scope "any_run": judged documents that at least one run returned.
    """

    graded: GradedRun
    policy: Policy
    ndcg: Float
    dcg: Float
    idcg: Float
    state: NDArray[np.int8]
    united: Union | None

    @property
    def name(self) -> str:
        """Name of the run."""
        return self.graded.run.name

    @property
    def judgments(self) -> Judgments:
        """The judgments everything was scored against."""
        return self.graded.judgments

    @property
    def zero_idcg(self) -> NDArray[np.bool_]:
        """Queries whose ideal ranking gains nothing under this policy, shape (queries,)."""
        return self.idcg <= 0

    @cached_property
    def in_mean(self) -> NDArray[np.bool_]:
        """Queries that have a score, shape (queries,)."""
        return ~np.isnan(self.ndcg)

    @cached_property
    def binary(self) -> BinaryScores:
        """Precision, recall, reciprocal rank, average precision."""
        return _binary(self.graded, settled(self.policy))

    @cached_property
    def judged_at_k(self) -> Float:
        """Share of the top k that is judged, before condensing; NaN where nothing was returned."""
        full = ranking(self.graded, settled(self.policy))
        return judged_at_k(full, cutoff=self.policy.cutoff)

    @cached_property
    def unjudged_at_k(self) -> Float:
        """Unjudged documents in the top k, before condensing."""
        full = ranking(self.graded, settled(self.policy))
        return unjudged_at_k(full, cutoff=self.policy.cutoff)

    @property
    def union(self) -> NDArray[np.bool_] | None:
        """What `united` holds, shape (judgments,)."""
        return None if self.united is None else self.united.found

    @property
    def union_digest(self) -> str | None:
        """SHA-256 of what `united` holds."""
        return None if self.united is None else self.united.digest


@dataclass(frozen=True)
class Aggregate:
    """The headline of one run under one policy, with every count that belongs to it.

    Parameters
    ----------
    name : str
        Name of the run.
    ndcg : float or None
        The headline: `macro_mean` or `pooled_ratio`, as the policy says. None: `no_value` says why.
    macro_mean, pooled_ratio : float or None
        Mean of the query scores; sum of DCG over sum of IDCG of the queries not left out.
    no_value : str or None
        Why there is no headline.
    queries_in_mean, judged_queries : int
        Values in the macro mean, and queries of the judgments.
    zero_idcg : int
        Judged queries with IDCG 0 under this policy.
    no_positive : int
        Judged queries without a grade above 0: the same for every run and policy.
    missing, empty, extra : int
        Judged queries not in the run, in the run without a document, and queries of the run
        without judgments.
    left_out : dict
        Queries left out, by the policy field that did it.
    unjudged_in_top : float
        Unjudged documents in the top k, summed over judged queries.
    judged_at_k : float or None
        Mean over queries in the mean for which the run returned something.
    precision, recall, reciprocal_rank, average_precision : float or None
        Means over the queries in the mean.
    policy : Policy
    fingerprint : str
        Fingerprint of the judgments.
    union_digest : str or None
        Under ideal_scope "any_run": digest of the documents the ideal is made of.
    """

    name: str
    ndcg: float | None
    macro_mean: float | None
    pooled_ratio: float | None
    no_value: str | None
    queries_in_mean: int
    judged_queries: int
    zero_idcg: int
    no_positive: int
    missing: int
    empty: int
    extra: int
    left_out: dict[str, int]
    unjudged_in_top: float
    judged_at_k: float | None
    precision: float | None
    recall: float | None
    reciprocal_rank: float | None
    average_precision: float | None
    policy: Policy
    fingerprint: str
    union_digest: str | None

    @property
    def measure(self) -> str:
        """Name of the headline with its rules."""
        return self.policy.measure


def score(graded: GradedRun, policy: Policy, *, runs: Sequence[GradedRun] = ()) -> QueryScores:
    """Score a run, query by query.

    Parameters
    ----------
    graded : GradedRun
        The run to score.
    policy : Policy
    runs : sequence of GradedRun
        All runs of the comparison. Only ideal_scope "any_run" looks at them; the run itself always
        counts among them.

    Returns
    -------
    QueryScores

    Raises
    ------
    PolicyRefusal
        The policy refuses something in this run.
    PolicyError
        The gain cannot be computed for a grade.
    """
    united = returned_by_any([graded, *runs], policy) if policy.ideal_scope == "any_run" else None
    return _scored(graded, policy, united)


def score_all(
    runs: Sequence[GradedRun], policy: Policy
) -> tuple[QueryScores | EvaluationError, ...]:
    """Score every run; where the policy refuses one, its error stands in its place."""
    needs_union = policy.ideal_scope == "any_run" and len(runs) > 0
    united = returned_by_any(runs, policy) if needs_union else None

    def outcome(graded: GradedRun) -> QueryScores | EvaluationError:
        try:
            return _scored(graded, policy, united)
        except EvaluationError as error:
            return error

    return tuple(outcome(graded) for graded in runs)


def settled(policy: Policy) -> Policy:
    """Return the policy with an order for the ties that "refuse" lets pass: any will do."""
    return replace(policy, ties="docid_descending") if policy.ties == "refuse" else policy


def rounded(ndcg: Float, policy: Policy) -> Float:
    """Round scores of queries as the policy says: to two decimals, a half upwards, or not."""
    return np.floor(ndcg * 100 + 0.5) / 100 if policy.rounding == "two_decimals" else ndcg


def headline(scores: QueryScores) -> float | None:
    """Average the query scores as the policy says: `Aggregate.ndcg` without the rest."""
    averaged = headlines(
        scores.graded, scores.policy, ndcg=scores.ndcg, dcg=scores.dcg, idcg=scores.idcg
    )
    return _known(averaged)


def aggregate(scores: QueryScores) -> Aggregate:
    """Average the query scores, and count what stands behind the average."""
    graded, policy = scores.graded, scores.policy
    macro, pooled = _mean(scores, scores.ndcg), _pooled_ratio(scores)
    states = np.bincount(scores.state, minlength=len(STATES))
    covered = scores.judged_at_k[scores.in_mean]
    covered = covered[~np.isnan(covered)]
    return Aggregate(
        name=scores.name,
        ndcg=headline(scores),
        macro_mean=macro,
        pooled_ratio=pooled,
        no_value=_no_value(policy, macro, pooled),
        queries_in_mean=_queries_in_mean(scores),
        judged_queries=len(scores.ndcg),
        zero_idcg=int(scores.zero_idcg.sum()),
        no_positive=int((~graded.judgments.positive).sum()),
        missing=int(graded.missing.sum()),
        empty=int(graded.empty.sum()),
        extra=len(graded.extra),
        left_out={
            "missing_query": int(states[_MISSING_OUT]),
            "empty_query": int(states[_EMPTY_OUT]),
            "zero_idcg": int(states[_NO_IDEAL]),
        },
        unjudged_in_top=float(scores.unjudged_at_k.sum()),
        judged_at_k=float(covered.mean()) if len(covered) else None,
        precision=_mean(scores, scores.binary.precision),
        recall=_mean(scores, scores.binary.recall),
        reciprocal_rank=_mean(scores, scores.binary.reciprocal_rank),
        average_precision=_mean(scores, scores.binary.average_precision),
        policy=policy,
        fingerprint=graded.judgments.fingerprint,
        union_digest=scores.union_digest,
    )


def _scored(graded: GradedRun, policy: Policy, united: Union | None) -> QueryScores:
    """Refuse what the policy refuses, in its order, then score."""
    refuse(graded, policy)
    rules = settled(policy)
    length = final_ranking(graded, rules).length
    sums = QuerySums(
        dcg=query_dcg(graded, rules),
        idcg=query_idcg(graded, length, rules, united=united),
        no_documents=length == 0,
        gainful=gainful(graded.judgments, rules),
    )
    ndcg = query_ndcg(graded, sums, policy)
    return QueryScores(
        graded=graded,
        policy=policy,
        ndcg=ndcg,
        dcg=sums.dcg,
        idcg=sums.idcg,
        state=_states(graded, ndcg, policy),
        united=united,
    )


def query_ndcg(graded: GradedRun, sums: QuerySums, policy: Policy) -> Float:
    """Score of each query, shape (…, queries). NaN: left out.

    A ranking without a document scores 0 where a judged document gains, however the scope or the
    depth of the ideal turned out; elsewhere `zero_idcg` decides, except that a missing or empty
    query never scores 1.
    """
    has_ideal = sums.idcg > 0
    ndcg = np.divide(sums.dcg, sums.idcg, out=np.zeros_like(sums.dcg), where=has_ideal)
    # The mean over a tie may round to a little more than the ideal it equals.
    ndcg[(ndcg > 1) & (ndcg < 1 + _ROUNDING)] = 1.0
    ndcg[sums.no_documents] = 0.0
    undecided = ~np.where(sums.no_documents, sums.gainful, has_ideal)
    ndcg[undecided] = _ZERO_IDCG_SCORE[policy.zero_idcg]

    absent = graded.missing | graded.empty
    ndcg[absent & (ndcg == 1.0)] = 0.0
    if policy.missing_query == "leave_out":
        ndcg[..., graded.missing] = np.nan
    if policy.empty_query == "leave_out":
        ndcg[..., graded.empty] = np.nan
    return rounded(ndcg, policy)


def _states(graded: GradedRun, ndcg: Float, policy: Policy) -> NDArray[np.int8]:
    """What became of each query, as its score and the rule for queries without documents say."""
    state = np.full(len(ndcg), _SCORED, dtype=np.int8)
    state[graded.missing] = _MISSING
    state[graded.empty] = _EMPTY
    state[np.isnan(ndcg)] = _NO_IDEAL
    if policy.missing_query == "leave_out":
        state[graded.missing] = _MISSING_OUT
    if policy.empty_query == "leave_out":
        state[graded.empty] = _EMPTY_OUT
    return state


def headlines(graded: GradedRun, policy: Policy, *, ndcg: Float, dcg: Float, idcg: Float) -> Float:
    """Average arrays of shape (…, queries) as the policy says, shape (…). NaN: no value."""
    in_mean = ~np.isnan(ndcg)
    if policy.average == "macro":
        return _means(ndcg, in_mean, _counted_extra(graded, policy))
    return _pooled_ratios(dcg, idcg, in_mean)


@remembered("relevance_level", most=1)
def _relevant(judgments: Judgments, policy: Policy) -> NDArray[np.int64]:
    """Relevant documents of each query, shape (queries,)."""
    relevant = judgments.query[judgments.grades >= policy.relevance_level]
    return np.bincount(relevant, minlength=len(judgments.query_ids))


def _binary(graded: GradedRun, policy: Policy) -> BinaryScores:
    final = final_ranking(graded, policy)
    # No level is below 1, and an unjudged hit stands with grade 0.
    relevant = graded.grades[final.hit] >= policy.relevance_level
    total = _relevant(graded.judgments, policy)
    return binary_scores(final, relevant, total, cutoff=policy.cutoff)


def _queries_in_mean(scores: QueryScores) -> int:
    return int(scores.in_mean.sum()) + _counted_extra(scores.graded, scores.policy)


def _counted_extra(graded: GradedRun, policy: Policy) -> int:
    return len(graded.extra) if policy.extra_query == "zero" else 0


def _mean(scores: QueryScores, values: Float) -> float | None:
    """Mean over the queries in the mean; an extra query that counts has the value 0."""
    extra = _counted_extra(scores.graded, scores.policy)
    return _known(_means(values, scores.in_mean, extra))


def _pooled_ratio(scores: QueryScores) -> float | None:
    return _known(_pooled_ratios(scores.dcg, scores.idcg, scores.in_mean))


def _means(values: Float, in_mean: NDArray[np.bool_], extra: int) -> Float:
    return _ratios(_totals(values, in_mean), in_mean.sum(axis=-1) + extra)


def _pooled_ratios(dcg: Float, idcg: Float, in_mean: NDArray[np.bool_]) -> Float:
    return _ratios(_totals(dcg, in_mean), _totals(idcg, in_mean))


def _totals(values: Float, wanted: NDArray[np.bool_]) -> Float:
    """Add up along the last axis; each row comes to the same, alone or among others."""
    return np.where(wanted, values, 0.0).sum(axis=-1)


def _ratios(above: Float, below: NDArray[Any]) -> Float:
    """Divide; NaN where nothing stands below."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)


def _known(value: Float) -> float | None:
    return None if np.isnan(value) else float(value)


def _no_value(policy: Policy, macro: float | None, pooled: float | None) -> str | None:
    if policy.average == "macro" and macro is None:
        return "every query is left out"
    if policy.average == "pooled" and pooled is None:
        return "the IDCG of the queries not left out sums to 0"
    return None
