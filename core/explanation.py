"""Why one query scored what it scored: its ranking and its ideal ranking, document by document."""

from dataclasses import dataclass, replace

import numpy as np

from core.contributions import hit_gains, hit_weights, ideal_ranking, judgment_gains
from core.grades import ranking_of
from core.ranking import condensed, ranking
from core.scores import STATES, QueryScores


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
    tied : bool
        Whether another document has the same sort key.
    """

    document: str
    first_rank: int
    last_rank: int
    grade: int | None
    gain: float
    weight: float
    tied: bool

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
    removed : int
        Unjudged documents that condensing removed.
    """

    query_id: str
    state: str
    ndcg: float | None
    dcg: float
    idcg: float
    ranked: tuple[RankedDocument, ...]
    ideal: tuple[IdealDocument, ...]
    removed: int


def explanation(scores: QueryScores, query_id: str) -> Explanation:
    """Take the score of one query apart.

    Raises
    ------
    KeyError
        The judgments have no such query.
    """
    query = scores.judgments.index[query_id]
    ndcg = float(scores.ndcg[query])
    ranked, removed = _ranked(scores, query)
    return Explanation(
        query_id=query_id,
        state=STATES[scores.state[query]],
        ndcg=None if np.isnan(ndcg) else ndcg,
        dcg=float(scores.dcg[query]),
        idcg=float(scores.idcg[query]),
        ranked=ranked,
        ideal=_ideal(scores, query, ranked),
        removed=removed,
    )


def _ranked(scores: QueryScores, query: int) -> tuple[tuple[RankedDocument, ...], int]:
    """Rank every document the query returned, and count what condensing removed."""
    alone = ranking_of(scores.graded, query)
    if alone is None:
        return (), 0
    graded, documents = alone
    policy = scores.policy
    if policy.ties == "refuse":  # No tie that is left changes the DCG.
        policy = replace(policy, ties="docid_descending")
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
            document=documents[hit],
            first_rank=above + 1,
            last_rank=above + size,
            grade=grade if judged else None,
            gain=gain,
            weight=weight,
            tied=hit in tied,
        )
        for hit, above, size, judged, grade, gain, weight in columns
    )
    return ranked, len(full.hit) - len(final.hit)


def _ideal(
    scores: QueryScores, query: int, ranked: tuple[RankedDocument, ...]
) -> tuple[IdealDocument, ...]:
    graded, judgments = scores.graded, scores.judgments
    length = np.full(len(judgments.query_ids), len(ranked))
    worth = judgment_gains(judgments, scores.policy)
    ideal = ideal_ranking(graded, length, worth, scores.policy, union=scores.union)
    found = {one.document: one for one in ranked}
    mine = np.flatnonzero(ideal.query == query).tolist()
    return tuple(
        IdealDocument(
            document=(document := judgments.documents[int(ideal.row[at])]),
            rank=int(ideal.position[at]) + 1,
            grade=int(judgments.grades[ideal.row[at]]),
            gain=float(ideal.gain[at]),
            weight=float(ideal.weight[at]),
            found=found.get(document),
        )
        for at in mine
    )
