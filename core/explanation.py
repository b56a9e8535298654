"""Why one query scored what it scored: its ranking and its ideal ranking, document by document."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.contributions import IdealRanking, hit_gains, hit_weights, ideal_ranking, judgment_gains
from core.grades import OneQuery, one_query
from core.ndcg import discounts, mean_weights
from core.policy import Cutoff, Policy
from core.ranking import condensed, ranking
from core.scores import STATES, QueryScores, rounded, settled


@dataclass(frozen=True)
class RankedDocument:
    """One document of a run's ranking.

    Parameters
    ----------
    document : str
    first_rank, last_rank : int
        The rank it holds. They differ where a tie is left open.
    grade : int or None
        None: unjudged, under the policy.
    gain, weight : float
        It adds their product to the DCG.
    score : float or None
        Retrieval score; the best one of a document listed several times. None: the run has none.
    tied : bool
        Whether another document has the same sort key.
    times : int
        How often the run lists the document.
    """

    document: str
    first_rank: int
    last_rank: int
    grade: int | None
    gain: float
    weight: float
    score: float | None
    tied: bool
    times: int

    @property
    def adds(self) -> float:
        """What the document adds to the DCG."""
        return self.gain * self.weight


@dataclass(frozen=True)
class IdealDocument:
    """One document of the ideal ranking.

    Parameters
    ----------
    document : str
    rank : int
        Its rank in the ideal ranking.
    grade : int
    gain, weight : float
        It adds their product to the IDCG.
    found : RankedDocument or None
        Where the run has it. None: the run did not return it.
    """

    document: str
    rank: int
    grade: int
    gain: float
    weight: float
    found: RankedDocument | None

    @property
    def adds(self) -> float:
        """What the document adds to the IDCG."""
        return self.gain * self.weight


@dataclass(frozen=True)
class Explanation:
    """One query's score, taken apart.

    Parameters
    ----------
    query_id : str
    policy : Policy
    state : str
        One of `core.scores.STATES`.
    ndcg : float or None
        None: the query is left out.
    dcg, idcg : float
        The sums of what the documents add.
    ranked : tuple of RankedDocument
        The whole ranking, best first, as the policy wants it.
    ideal : tuple of IdealDocument
        The ideal ranking, down to its depth.
    gainful : tuple of IdealDocument
        Every judged document that gains, in the order of an ideal ranking without scope or depth.
    removed : int
        Unjudged documents that condensing removed.
    """

    query_id: str
    policy: Policy
    state: str
    ndcg: float | None
    dcg: float
    idcg: float
    ranked: tuple[RankedDocument, ...]
    ideal: tuple[IdealDocument, ...]
    gainful: tuple[IdealDocument, ...]
    removed: int

    @property
    def counted(self) -> tuple[RankedDocument, ...]:
        """Documents on the ranks that count: down to the cutoff, ties across it included."""
        cutoff = self.policy.cutoff
        if cutoff == "all":
            return self.ranked
        return tuple(one for one in self.ranked if one.first_rank <= cutoff)

    @property
    def missed(self) -> tuple[IdealDocument, ...]:
        """Judged documents that gain and do not stand on the ranks that count, best first."""
        counted = {one.document for one in self.counted}
        return tuple(one for one in self.gainful if one.document not in counted)

    @cached_property
    def by_document(self) -> dict[str, RankedDocument]:
        """The ranking by document."""
        return {one.document: one for one in self.ranked}


def explanation(scores: QueryScores, query_id: str) -> Explanation:
    """Take the score of one query apart.

    Raises
    ------
    KeyError
        The judgments have no such query.
    """
    query = scores.judgments.index[query_id]
    ndcg = float(scores.ndcg[query])
    alone, policy = one_query(scores.graded, query), scores.policy
    union = None if scores.union is None else scores.union[scores.judgments.rows_of(query)]
    ranked, removed = _ranked(alone, policy)
    everything = replace(policy, ideal_scope="judged", ideal_depth="full")
    return Explanation(
        query_id=query_id,
        policy=policy,
        state=STATES[scores.state[query]],
        ndcg=None if np.isnan(ndcg) else ndcg,
        dcg=float(scores.dcg[query]),
        idcg=float(scores.idcg[query]),
        ranked=ranked,
        ideal=_documents(alone, ranked, _ideal(alone, len(ranked), policy, union)),
        gainful=tuple(
            one
            for one in _documents(alone, ranked, _ideal(alone, len(ranked), everything, None))
            if one.gain > 0
        ),
        removed=removed,
    )


def ndcg_over_cutoffs(
    scores: QueryScores, explained: Explanation, cutoffs: Sequence[int]
) -> tuple[float | None, ...]:
    """NDCG of one query at other cutoffs, all other rules unchanged.

    Returns
    -------
    tuple of float or None
        One value a cutoff. None: the ideal ranking gains nothing down to there.
    """
    query = scores.judgments.index[explained.query_id]
    alone = one_query(scores.graded, query)
    union = None if scores.union is None else scores.union[scores.judgments.rows_of(query)]
    gain = np.array([one.gain for one in explained.ranked], dtype=np.float64)
    above = np.array([one.first_rank - 1 for one in explained.ranked], dtype=np.int64)
    size = np.array([one.last_rank for one in explained.ranked], dtype=np.int64) - above

    def ndcg(cutoff: Cutoff) -> float | None:
        policy = replace(scores.policy, cutoff=cutoff)
        ideal = _ideal(alone, len(gain), policy, union)
        idcg = float((ideal.gain * ideal.weight).sum())
        if idcg <= 0:
            return None
        weights = discounts(len(gain), discount=policy.discount, cutoff=cutoff)
        dcg = (gain * mean_weights(weights, above, size)).sum()
        return float(rounded(dcg / idcg, policy))

    return tuple(ndcg(cutoff) for cutoff in cutoffs)


def _ranked(alone: OneQuery, policy: Policy) -> tuple[tuple[RankedDocument, ...], int]:
    """Rank every document the query returned, and count what condensing removed."""
    policy, graded = settled(policy), alone.graded
    full = ranking(graded, policy)
    final = condensed(full) if policy.unjudged == "condense" else full
    worth = judgment_gains(graded.judgments, policy)
    ties = ranking(graded, replace(policy, ties="expected"))
    tied = set(ties.hit[ties.size > 1].tolist())
    columns = zip(
        final.hit.tolist(),
        final.above.tolist(),
        final.size.tolist(),
        final.judged.tolist(),
        graded.grades[final.hit].tolist(),
        hit_gains(graded, final, worth).tolist(),
        hit_weights(final, policy).tolist(),
        strict=True,
    )
    ranked = tuple(
        RankedDocument(
            document=alone.documents[hit],
            first_rank=above + 1,
            last_rank=above + size,
            grade=grade if judged else None,
            gain=gain,
            weight=weight,
            score=None if alone.scores is None else float(alone.scores[hit]),
            tied=hit in tied,
            times=int(alone.times[hit]),
        )
        for hit, above, size, judged, grade, gain, weight in columns
    )
    return ranked, len(full.hit) - len(final.hit)


def _ideal(
    alone: OneQuery, length: int, policy: Policy, union: NDArray[np.bool_] | None
) -> IdealRanking:
    """Build the ideal ranking of the query; `union` marks its judgments in scope "any_run"."""
    worth = judgment_gains(alone.graded.judgments, policy)
    return ideal_ranking(alone.graded, np.array([length]), worth, policy, union=union)


def _documents(
    alone: OneQuery, ranked: Sequence[RankedDocument], ideal: IdealRanking
) -> tuple[IdealDocument, ...]:
    judgments = alone.graded.judgments
    found = {one.document: one for one in ranked}
    return tuple(
        IdealDocument(
            document=(document := judgments.documents[row]),
            rank=position + 1,
            grade=int(judgments.grades[row]),
            gain=gain,
            weight=weight,
            found=found.get(document),
        )
        for row, position, gain, weight in zip(
            ideal.row.tolist(),
            ideal.position.tolist(),
            ideal.gain.tolist(),
            ideal.weight.tolist(),
            strict=True,
        )
    )
