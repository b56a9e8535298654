"""Ids of a run and of the judgments that would be the same but for white space or letter case.

Ids are compared as they are, so such a document counts as unjudged. A load report says how many
there are; nothing is repaired.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.blocks import Block
from core.judgments import Judgments

ROWS = 200_000
"""Results that are looked at: a slip of this kind runs through a whole file."""

_EXAMPLES = 3


@dataclass(frozen=True)
class NearMatches:
    """Ids that match only after a change.

    Parameters
    ----------
    trimmed : int
        Ids of the run that match once white space round both is removed.
    folded : int
        Further ids that match once letter case is set aside, too.
    examples : tuple of (str, str)
        Up to three of them, as the run and as the judgments write them.
    """

    trimmed: int = 0
    folded: int = 0
    examples: tuple[tuple[str, str], ...] = ()

    @property
    def total(self) -> int:
        """Ids that match only after a change."""
        return self.trimmed + self.folded


@dataclass(frozen=True)
class IdHints:
    """Near matches between a run and the judgments.

    Parameters
    ----------
    queries : NearMatches
    documents : NearMatches
        Of the queries both have, query by query.
    looked_at, results : int
        Results of these queries whose documents were compared, and all there are: large runs are
        looked at in part.
    """

    queries: NearMatches
    documents: NearMatches
    looked_at: int
    results: int

    @property
    def in_part(self) -> bool:
        """Whether documents were left unlooked at."""
        return self.looked_at < self.results


@dataclass
class _Found:
    trimmed: int = 0
    folded: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)

    def add(self, ours: Iterable[str], judged: Iterable[str]) -> None:
        """Compare the ids of one set, the run's with the judgments'."""
        mine, theirs = dict.fromkeys(ours), dict.fromkeys(judged)
        missed = [one for one in theirs if one not in mine]
        by_trimmed = {one.strip(): one for one in missed}
        by_folded = {one.strip().casefold(): one for one in missed}
        for one in mine:
            if one in theirs:
                continue
            if (match := by_trimmed.get(one.strip())) is not None:
                self.trimmed += 1
            elif (match := by_folded.get(one.strip().casefold())) is not None:
                self.folded += 1
            else:
                continue
            if len(self.examples) < _EXAMPLES:
                self.examples.append((one, match))

    def frozen(self) -> NearMatches:
        return NearMatches(self.trimmed, self.folded, tuple(self.examples))


def id_hints(blocks: Sequence[Block], judgments: Judgments, *, rows: int = ROWS) -> IdHints:
    """Find ids that match only after trimming or case-folding.

    Parameters
    ----------
    blocks : sequence of Block
        The results, `Run.blocks`.
    judgments : Judgments
    rows : int
        Results to look at, at most; queries are looked at whole, and one too large is passed over.

    Examples
    --------
    >>> from core.runs import Run
    >>> run = Run.from_dict("bm25", {"q1": ["doc1 ", "DOC2"]})
    >>> found = id_hints(run.blocks, Judgments.from_dict({"q1": {"doc1": 1, "doc2": 0}}))
    >>> found.documents.trimmed, found.documents.folded, found.documents.examples[1]
    (1, 1, ('DOC2', 'doc2'))
    """
    documents = _Found()
    looked_at = results = 0
    for block in blocks:
        loaded, bounds = None, block.starts.tolist()
        for at, query_id in enumerate(block.query_ids):
            number = judgments.index.get(query_id)
            if number is None:
                continue
            begin, end = bounds[at], bounds[at + 1]
            results += end - begin
            if looked_at + end - begin > rows:
                continue
            looked_at += end - begin
            judged = judgments.rows_of(number)
            if loaded is None:
                loaded = block.loaded()
            documents.add(
                (loaded.documents[row] for row in range(begin, end)),
                (judgments.documents[row] for row in range(judged.start, judged.stop)),
            )
    return IdHints(query_hints(blocks, judgments), documents.frozen(), looked_at, results)


def query_hints(blocks: Sequence[Block], judgments: Judgments) -> NearMatches:
    """Compare the queries alone, which a run and judgments without a common query have, too."""
    found = _Found()
    found.add((one for block in blocks for one in block.query_ids), judgments.query_ids)
    return found.frozen()
