"""Applies a policy to a graded run: one score a query, and their aggregate with every count."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.binary import BinaryScores, binary_scores
from core.contributions import (
    hit_gains,
    hit_weights,
    ideal_ranking,
    judgment_gains,
    returned_by_any,
)
from core.coverage import judged_at_k, unjudged_at_k
from core.errors import EvaluationError
from core.grades import GradedRun
from core.judgments import Judgments
from core.matching import UNJUDGED
from core.ndcg import Float, sums
from core.policy import Policy
from core.ranking import Ranking, condensed, ranking
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
    binary : BinaryScores
        Precision, recall, reciprocal rank, average precision.
    judged_at_k : ndarray of float
        NaN where the run returned nothing.
    unjudged_at_k : ndarray of float
        Unjudged documents in the top k, before condensing.
    union : ndarray of bool, shape (judgments,), or None
        Under ideal_scope "any_run": judged documents that at least one run returned.
    """

    graded: GradedRun
    policy: Policy
    ndcg: Float
    dcg: Float
    idcg: Float
    state: NDArray[np.int8]
    binary: BinaryScores
    judged_at_k: Float
    unjudged_at_k: Float
    union: NDArray[np.bool_] | None

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

    @property
    def in_mean(self) -> NDArray[np.bool_]:
        """Queries that have a score, shape (queries,)."""
        return ~np.isnan(self.ndcg)

    @cached_property
    def union_digest(self) -> str | None:
        """SHA-256 of the union that the ideal is made of: sorted JSON lines `[query, document]`."""
        if self.union is None:
            return None
        rows = np.flatnonzero(self.union)
        names, query = self.judgments.query_ids, self.judgments.query[rows].tolist()
        pairs = zip(query, self.judgments.documents.take(rows), strict=True)
        lines = sorted(
            json.dumps([names[at], document], ensure_ascii=False, separators=(",", ":")).encode()
            for at, document in pairs
        )
        return hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()


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
    refuse_facts(graded, policy)
    worth = judgment_gains(graded.judgments, policy)
    full = ranking(graded, policy)
    refuse_unjudged(graded, full, policy)
    final = condensed(full) if policy.unjudged == "condense" else full
    gain = hit_gains(graded, final, worth)
    if policy.ties == "refuse":
        refuse_ties(graded, final, gain, policy)
        return replace(
            score(graded, replace(policy, ties="docid_descending"), runs=runs), policy=policy
        )

    queries = len(graded.judgments.query_ids)
    dcg = sums(final.query, gain * hit_weights(final, policy), queries)
    union = returned_by_any([graded, *runs], policy) if policy.ideal_scope == "any_run" else None
    ideal = ideal_ranking(graded, final.length, worth, policy, union=union)
    idcg = sums(ideal.query, ideal.gain * ideal.weight, queries)
    gainful = np.bincount(graded.judgments.query[worth > 0], minlength=queries) > 0
    ndcg, state = _decided(graded, final, policy, dcg=dcg, idcg=idcg, gainful=gainful)
    return QueryScores(
        graded=graded,
        policy=policy,
        ndcg=ndcg,
        dcg=dcg,
        idcg=idcg,
        state=state,
        binary=_binary(graded, final, policy),
        judged_at_k=judged_at_k(full, cutoff=policy.cutoff),
        unjudged_at_k=unjudged_at_k(full, cutoff=policy.cutoff),
        union=union,
    )


def score_all(
    runs: Sequence[GradedRun], policy: Policy
) -> tuple[QueryScores | EvaluationError, ...]:
    """Score every run; where the policy refuses one, its error stands in its place."""

    def outcome(graded: GradedRun) -> QueryScores | EvaluationError:
        try:
            return score(graded, policy, runs=runs)
        except EvaluationError as error:
            return error

    return tuple(outcome(graded) for graded in runs)


def aggregate(scores: QueryScores) -> Aggregate:
    """Average the query scores, and count what stands behind the average."""
    graded, policy = scores.graded, scores.policy
    counted = scores.in_mean
    extra_zeros = len(graded.extra) if policy.extra_query == "zero" else 0
    in_mean = int(counted.sum()) + extra_zeros

    def mean(values: Float) -> float | None:
        return float(values[counted].sum()) / in_mean if in_mean else None

    idcg = float(scores.idcg[counted].sum())
    macro = mean(scores.ndcg)
    pooled = float(scores.dcg[counted].sum()) / idcg if idcg > 0 else None
    states = np.bincount(scores.state, minlength=len(STATES))
    covered = scores.judged_at_k[counted]
    covered = covered[~np.isnan(covered)]
    return Aggregate(
        name=scores.name,
        ndcg=macro if policy.average == "macro" else pooled,
        macro_mean=macro,
        pooled_ratio=pooled,
        no_value=_no_value(policy, macro, pooled),
        queries_in_mean=in_mean,
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
        precision=mean(scores.binary.precision),
        recall=mean(scores.binary.recall),
        reciprocal_rank=mean(scores.binary.reciprocal_rank),
        average_precision=mean(scores.binary.average_precision),
        policy=policy,
        fingerprint=graded.judgments.fingerprint,
        union_digest=scores.union_digest,
    )


def _no_value(policy: Policy, macro: float | None, pooled: float | None) -> str | None:
    if policy.average == "macro" and macro is None:
        return "every query is left out"
    if policy.average == "pooled" and pooled is None:
        return "the IDCG of the queries not left out sums to 0"
    return None


def _decided(
    graded: GradedRun,
    final: Ranking,
    policy: Policy,
    *,
    dcg: Float,
    idcg: Float,
    gainful: NDArray[np.bool_],
) -> tuple[Float, NDArray[np.int8]]:
    """Score and state of each query.

    `gainful` marks queries with a judged document that gains. A ranking without a document scores
    0 there, however the scope or the depth of the ideal turned out; elsewhere `zero_idcg` decides,
    except that a missing or empty query never scores 1.
    """
    has_ideal = idcg > 0
    ndcg = np.divide(dcg, idcg, out=np.zeros_like(dcg), where=has_ideal)
    # The mean over a tie may round to a little more than the ideal it equals.
    ndcg[(ndcg > 1) & (ndcg < 1 + _ROUNDING)] = 1.0
    no_documents = final.length == 0
    ndcg[no_documents] = 0.0
    undecided = np.where(no_documents, ~gainful, ~has_ideal)
    ndcg[undecided] = _ZERO_IDCG_SCORE[policy.zero_idcg]
    state = np.full(len(ndcg), _SCORED, dtype=np.int8)

    absent = graded.missing | graded.empty
    ndcg[absent & (ndcg == 1.0)] = 0.0
    state[graded.missing] = _MISSING
    state[graded.empty] = _EMPTY
    state[np.isnan(ndcg)] = _NO_IDEAL
    for queries, rule, code in (
        (graded.missing, policy.missing_query, _MISSING_OUT),
        (graded.empty, policy.empty_query, _EMPTY_OUT),
    ):
        if rule == "leave_out":
            state[queries] = code
            ndcg[queries] = np.nan
    return ndcg, state


def _binary(graded: GradedRun, final: Ranking, policy: Policy) -> BinaryScores:
    judgments = graded.judgments
    relevant = judgments.grades >= policy.relevance_level
    total = np.bincount(judgments.query[relevant], minlength=len(judgments.query_ids))
    judgment = graded.hits.judgment[final.hit]
    is_relevant = np.zeros(len(judgment), dtype=bool)
    known = judgment != UNJUDGED
    is_relevant[known] = relevant[judgment[known]]
    return binary_scores(final, is_relevant, total, cutoff=policy.cutoff)
