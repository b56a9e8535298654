"""Applies a policy to a graded run: one score a query, and their aggregate with every count."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.binary import BinaryScores, binary_scores
from core.contributions import (
    Union,
    hit_gains,
    judgment_gains,
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
from core.ranking import Ranking, final_ranking, ranking
from core.refusals import refuse_facts, refuse_ties, refuse_unjudged

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
    return _mean(scores, scores.ndcg) if scores.policy.average == "macro" else _pooled_ratio(scores)


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
    refuse_facts(graded, policy)
    worth = judgment_gains(graded.judgments, policy)
    refuse_unjudged(graded, ranking(graded, policy), policy)
    if policy.ties == "refuse":
        tied = final_ranking(graded, policy)
        refuse_ties(graded, tied, hit_gains(graded, tied, worth), policy)
    rules = settled(policy)
    final = final_ranking(graded, rules)
    dcg, idcg = query_dcg(graded, rules), query_idcg(graded, final.length, rules, united=united)
    ndcg, state = _decided(graded, final, policy, dcg=dcg, idcg=idcg, worth=worth)
    return QueryScores(
        graded=graded, policy=policy, ndcg=ndcg, dcg=dcg, idcg=idcg, state=state, united=united
    )


def _decided(
    graded: GradedRun,
    final: Ranking,
    policy: Policy,
    *,
    dcg: Float,
    idcg: Float,
    worth: Float,
) -> tuple[Float, NDArray[np.int8]]:
    """Score and state of each query.

    A ranking without a document scores 0 where a judged document gains, however the scope or the
    depth of the ideal turned out; elsewhere `zero_idcg` decides, except that a missing or empty
    query never scores 1. `worth` is the gain of each judgment.
    """
    has_ideal = idcg > 0
    ndcg = np.divide(dcg, idcg, out=np.zeros_like(dcg), where=has_ideal)
    # The mean over a tie may round to a little more than the ideal it equals.
    ndcg[(ndcg > 1) & (ndcg < 1 + _ROUNDING)] = 1.0
    no_documents = np.flatnonzero(final.length == 0)
    ndcg[no_documents] = 0.0
    undecided = ~has_ideal
    undecided[no_documents] = ~_gainful(graded.judgments, worth, no_documents)
    ndcg[undecided] = _ZERO_IDCG_SCORE[policy.zero_idcg]
    state = np.full(len(ndcg), _SCORED, dtype=np.int8)

    absent = graded.missing | graded.empty
    ndcg[absent & (ndcg == 1.0)] = 0.0
    state[graded.missing] = _MISSING
    state[graded.empty] = _EMPTY
    state[np.isnan(ndcg)] = _NO_IDEAL
    ndcg = rounded(ndcg, policy)
    for queries, rule, code in (
        (graded.missing, policy.missing_query, _MISSING_OUT),
        (graded.empty, policy.empty_query, _EMPTY_OUT),
    ):
        if rule == "leave_out":
            state[queries] = code
            ndcg[queries] = np.nan
    return ndcg, state


def _gainful(judgments: Judgments, worth: Float, queries: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether queries have a judged document that gains: if one does, the best grade does."""
    begin, end = judgments.starts[queries], judgments.starts[queries + 1]
    gainful = begin < end
    gainful[gainful] = worth[begin[gainful]] > 0
    return gainful


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
    extra = len(scores.graded.extra) if scores.policy.extra_query == "zero" else 0
    return int(scores.in_mean.sum()) + extra


def _mean(scores: QueryScores, values: Float) -> float | None:
    """Mean over the queries in the mean; an extra query that counts has the value 0."""
    queries = _queries_in_mean(scores)
    return float(values[scores.in_mean].sum()) / queries if queries else None


def _pooled_ratio(scores: QueryScores) -> float | None:
    idcg = float(scores.idcg[scores.in_mean].sum())
    return float(scores.dcg[scores.in_mean].sum()) / idcg if idcg > 0 else None


def _no_value(policy: Policy, macro: float | None, pooled: float | None) -> str | None:
    if policy.average == "macro" and macro is None:
        return "every query is left out"
    if policy.average == "pooled" and pooled is None:
        return "the IDCG of the queries not left out sums to 0"
    return None
