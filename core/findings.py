"""What a load report says of one run: counts, repeats, ties, and how scores run along the ranks.

Facts about the file as it is, under no policy. Millions of results are read as arrays; text is
made of the examples alone.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.blocks import Block, RunBlock
from core.ids import distinct
from core.judgments import mixed_keys
from core.matching import first_rows
from core.placements import SortedList

Direction = Literal["no scores", "no neighbours", "equal", "falls", "rises", "mixed"]

_THREADS = 2
# A few lines out of order do not turn a run round; half of them say that nothing was in order.
_CLEAR = 0.9
_OFTEN = 0.1


@dataclass(frozen=True)
class Pair:
    """Two results of one query that follow each other."""

    query_id: str
    upper: str
    lower: str


@dataclass(frozen=True)
class ScoreSteps:
    """How scores go from one result of a query to the next.

    Parameters
    ----------
    falls, rises, level : int
        Neighbours of which the later one scores lower, higher, and the same.
    first_rise : Pair or None
        The first of those that rise.
    """

    falls: int = 0
    rises: int = 0
    level: int = 0
    first_rise: Pair | None = None

    def __add__(self, later: "ScoreSteps") -> "ScoreSteps":
        return ScoreSteps(
            self.falls + later.falls,
            self.rises + later.rises,
            self.level + later.level,
            self.first_rise or later.first_rise,
        )

    @property
    def pairs(self) -> int:
        """Neighbours that were compared."""
        return self.falls + self.rises + self.level


@dataclass(frozen=True)
class RankFindings:
    """What stands in the rank column.

    Parameters
    ----------
    lowest : int
        Best rank of the run: 1 in most files, 0 in some.
    gaps : int
        Neighbours, ordered by rank, with at least one rank left out between them.
    repeated : int
        Neighbours with the same rank.
    """

    lowest: int
    gaps: int
    repeated: int


@dataclass(frozen=True)
class RunFindings:
    """Facts about one run as its file gives it.

    Parameters
    ----------
    queries, results : int
        Queries, those without a result included; and results, repeated documents included.
    documents : int
        Distinct documents over all queries, told apart by 64-bit hashes: with 7 million of them
        the odds that this count is one too low are one in a million.
    repeated : int
        Results that name a document their query already has.
    first_repeated : tuple of str or None
        Query and document of the first of them. None: there is none.
    along : "rank" or "list"
        The order in which `steps` compares neighbours: by the rank column, where it tells any two
        results of a query apart, or else as listed.
    steps : ScoreSteps or None
        Neighbours with the same rank are passed over if `along` is "rank". None: no scores.
    ranks : RankFindings or None
        None: no results, or the run has no ranks.
    neighbours, tied : int or None
        Neighbours in the ranking by score, each document once, and those of equal score. None: no
        scores.
    first_tie : Pair or None
        The first of those of equal score.
    """

    queries: int
    results: int
    documents: int
    repeated: int
    first_repeated: tuple[str, str] | None
    along: Literal["rank", "list"]
    steps: ScoreSteps | None
    ranks: RankFindings | None
    neighbours: int | None
    tied: int | None
    first_tie: Pair | None

    @property
    def tied_share(self) -> float | None:
        """Share of neighbours of equal score. None: no neighbours to compare."""
        return self.tied / self.neighbours if self.neighbours and self.tied is not None else None

    @property
    def often_tied(self) -> bool:
        """Whether a tenth of all neighbours or more are of equal score."""
        return (self.tied_share or 0.0) >= _OFTEN

    @property
    def direction(self) -> Direction:
        """How scores run from the first result of a query to its last.

        "falls" and "rises" are said of nine in ten neighbours that differ; "rises" looks like a
        distance, of which less is better.
        """
        if self.steps is None:
            return "no scores"
        if not self.steps.pairs:
            return "no neighbours"
        differ = self.steps.falls + self.steps.rises
        if not differ:
            return "equal"
        if self.steps.falls >= _CLEAR * differ:
            return "falls"
        return "rises" if self.steps.rises >= _CLEAR * differ else "mixed"


def run_findings(blocks: Sequence[Block]) -> RunFindings:
    """Look through the results of a run.

    Parameters
    ----------
    blocks : sequence of Block
        The results, `Run.blocks`: neither the name nor the judgments matter.

    Examples
    --------
    >>> from core.runs import Run
    >>> run = Run.from_dict("distances", {"q1": {"a": 0.1, "b": 0.4, "c": 0.4}})
    >>> found = run_findings(run.blocks)
    >>> found.direction, found.tied, found.neighbours
    ('rises', 1, 2)
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        parts = list(pool.map(lambda block: _of_block(block.loaded()), blocks))
    scored = bool(blocks) and all(block.has_scores for block in blocks)
    ranked = bool(blocks) and all(block.has_ranks for block in blocks)
    by_rank = sum((part.by_rank for part in parts), ScoreSteps())
    by_list = sum((part.at_one_rank for part in parts), ScoreSteps())
    told_apart = ranked and any(part.ranks_differ for part in parts)
    return RunFindings(
        queries=sum(len(block.query_ids) for block in blocks),
        results=sum(len(block) for block in blocks),
        documents=distinct([part.hashes for part in parts]),
        repeated=sum(part.repeated for part in parts),
        first_repeated=next((part.first_repeated for part in parts if part.first_repeated), None),
        along="rank" if told_apart else "list",
        steps=(by_rank if told_apart else by_list) if scored else None,
        ranks=_together([part.ranks for part in parts if part.ranks]) if ranked else None,
        neighbours=sum(part.neighbours for part in parts) if scored else None,
        tied=sum(part.tied for part in parts) if scored else None,
        first_tie=next((part.first_tie for part in parts if part.first_tie), None)
        if scored
        else None,
    )


@dataclass(frozen=True, eq=False)
class _BlockFindings:
    """The same for one block; `at_one_rank` is of neighbours that the ranks do not tell apart."""

    hashes: NDArray[np.uint64]
    repeated: int
    first_repeated: tuple[str, str] | None
    by_rank: ScoreSteps
    at_one_rank: ScoreSteps
    ranks: RankFindings | None
    ranks_differ: bool
    neighbours: int
    tied: int
    first_tie: Pair | None


def _of_block(block: RunBlock) -> _BlockFindings:
    local = np.repeat(np.arange(len(block.query_ids)), np.diff(block.starts))
    hashes = block.documents.hashes()
    first = first_rows(local, block.documents, mixed_keys(local, hashes))
    copies = np.flatnonzero(first != np.arange(len(first)))
    order = _by_rank(block, local)
    same_query = local[1:] == local[:-1]
    rank_steps = _rank_steps(block, order)
    neighbours, tied, first_tie = _ties(block, local, first, copies)
    return _BlockFindings(
        hashes=hashes,
        repeated=len(copies),
        first_repeated=_example(block, local, int(copies[0])) if len(copies) else None,
        by_rank=_score_steps(block, local, order, same_query & (rank_steps != 0)),
        at_one_rank=_score_steps(block, local, order, same_query & (rank_steps == 0)),
        ranks=_rank_findings(block, rank_steps[same_query]),
        ranks_differ=bool(rank_steps[same_query].any()),
        neighbours=neighbours,
        tied=tied,
        first_tie=first_tie,
    )


def _by_rank(block: RunBlock, local: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Rows ordered by query and rank, equal ranks as listed; None where they stand so already."""
    if block.ranks is None:
        return None
    sorted_already = (block.ranks[1:] >= block.ranks[:-1]) | (local[1:] != local[:-1])
    return None if sorted_already.all() else np.lexsort((block.ranks, local))


def _rank_steps(block: RunBlock, order: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Ranks from each row to the next in that order; 0 throughout where there are no ranks."""
    if block.ranks is None:
        return np.zeros(max(len(block) - 1, 0), dtype=np.int64)
    ranks = (block.ranks if order is None else block.ranks[order]).astype(np.int64)
    return ranks[1:] - ranks[:-1]


def _rank_findings(block: RunBlock, steps: NDArray[np.int64]) -> RankFindings | None:
    if block.ranks is None or not len(block):
        return None
    return RankFindings(
        lowest=int(block.ranks.min()),
        gaps=int((steps > 1).sum()),
        repeated=int((steps == 0).sum()),
    )


def _together(parts: Sequence[RankFindings]) -> RankFindings | None:
    if not parts:
        return None
    return RankFindings(
        lowest=min(part.lowest for part in parts),
        gaps=sum(part.gaps for part in parts),
        repeated=sum(part.repeated for part in parts),
    )


def _score_steps(
    block: RunBlock,
    local: NDArray[np.int64],
    order: NDArray[np.int64] | None,
    compared: NDArray[np.bool_],
) -> ScoreSteps:
    """Compare the scores of neighbours, as far as `compared` says, shape (rows - 1,)."""
    if block.scores is None or not compared.any():
        return ScoreSteps()
    scores = block.scores if order is None else block.scores[order]
    rises = np.flatnonzero((scores[1:] > scores[:-1]) & compared)
    level = int(((scores[1:] == scores[:-1]) & compared).sum())
    return ScoreSteps(
        falls=int(compared.sum()) - level - len(rises),
        rises=len(rises),
        level=level,
        first_rise=_pair(block, local, order, int(rises[0])) if len(rises) else None,
    )


def _ties(
    block: RunBlock,
    local: NDArray[np.int64],
    first: NDArray[np.int64],
    copies: NDArray[np.int64],
) -> tuple[int, int, Pair | None]:
    """Neighbours in the ranking by score, those of equal score, and the first of them."""
    if block.scores is None or not len(block):
        return 0, 0, None
    ranked = SortedList.made(block.scores, local, first, copies)
    sizes = np.diff(ranked.tie_starts)
    tied = np.flatnonzero(sizes > 1)
    example = None
    if len(tied):
        example = _pair(block, local, ranked.order, int(ranked.tie_starts[tied[0]]))
    neighbours = len(ranked.order) - int((np.diff(block.starts) > 0).sum())
    return neighbours, len(ranked.order) - len(sizes), example


def _pair(
    block: RunBlock, local: NDArray[np.int64], order: NDArray[np.int64] | None, at: int
) -> Pair:
    upper, lower = (at, at + 1) if order is None else order[at : at + 2].tolist()
    query_id, document = _example(block, local, upper)
    return Pair(query_id, document, block.documents[lower])


def _example(block: RunBlock, local: NDArray[np.int64], row: int) -> tuple[str, str]:
    return block.query_ids[int(local[row])], block.documents[row]
