"""Collapses the chunks of a run to their documents, where the judgments are of whole documents.

Somebody chooses this; it is never guessed. Of the chunks of one document the best-ranked one stands
for it, with its score and its rank.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.blocks import Block, RunBlock
from core.errors import RunError, counted, listed, shortened
from core.ids import Ids
from core.judgments import pair_keys
from core.matching import first_rows
from core.runs import Run
from core.spool import Spool

_EXAMPLES = 5


class DocumentOf(Protocol):
    """How the id of a chunk names its document."""

    @property
    def rule(self) -> str:
        """The rule in words, for a record: `id up to the last '#'`."""

    def documents(self, chunks: Ids) -> Ids:
        """Document of each chunk; an id that the rule does not cover stays as it is."""

    def covers(self, chunks: Ids) -> NDArray[np.bool_]:
        """Whether the rule says which document a chunk is of."""


@dataclass(frozen=True)
class UpToSeparator:
    """The document is the chunk's id up to the last separator in it.

    Parameters
    ----------
    separator : str
        One character or more. An id without it, or that begins with it, stays as it is.
    """

    separator: str

    def __post_init__(self) -> None:
        """Refuse a separator that separates nothing."""
        if not self.separator:
            raise RunError("The separator of chunks is empty. Give one character or more, as in #.")

    @property
    def rule(self) -> str:
        """The rule in words."""
        return f"id up to the last '{self.separator}'"

    def documents(self, chunks: Ids) -> Ids:
        """Document of each chunk."""
        found = _occurrences(chunks.data, self.separator.encode())
        if not len(found):
            return chunks
        # The last occurrence that ends within the id, if that one begins after the id does.
        width = len(self.separator.encode())
        start = chunks.start.astype(np.int64)
        last = np.searchsorted(found, start + chunks.length - width, side="right") - 1
        at = found[np.maximum(last, 0)]
        named = (last >= 0) & (at > start)
        length = np.where(named, at - start, chunks.length).astype(chunks.length.dtype)
        return Ids(chunks.data, chunks.start, length)

    def covers(self, chunks: Ids) -> NDArray[np.bool_]:
        """Whether the separator stands in an id, behind something."""
        return np.asarray(self.documents(chunks).length < chunks.length)


@dataclass(frozen=True)
class ByMapping:
    """The document is what a mapping says.

    Parameters
    ----------
    mapping : mapping of str to str
        Document by chunk. A chunk that it does not have stays as it is.
    source : str
        Name of the file, for the record.
    """

    mapping: Mapping[str, str]
    source: str

    @property
    def rule(self) -> str:
        """The rule in words."""
        return f"by the mapping {shortened(self.source)}"

    def documents(self, chunks: Ids) -> Ids:
        """Document of each chunk."""
        return Ids.from_strings(self.mapping.get(chunk, chunk) for chunk in chunks)

    def covers(self, chunks: Ids) -> NDArray[np.bool_]:
        """Whether the mapping has a chunk."""
        return np.array([chunk in self.mapping for chunk in chunks], dtype=bool)


def collapsed(run: Run, document_of: DocumentOf) -> Run:
    """Collapse the chunks of a run to their documents.

    Of several chunks of one document the best-ranked one is kept: the highest score, or else the
    best rank, or else the first listed; so is the first of equal ones.

    Parameters
    ----------
    run : Run
    document_of : DocumentOf

    Returns
    -------
    Run
        The same queries; a notice says how many results became how many, `collapse` by which rule.

    Examples
    --------
    >>> run = Run.from_dict("rag", {"q1": {"a#2": 0.9, "b#1": 0.8, "a#1": 0.7}})
    >>> found = collapsed(run, UpToSeparator("#"))
    >>> list(found.blocks[0].documents), found.blocks[0].scores.tolist()
    (['a', 'b'], [0.9, 0.8])
    """
    spool, blocks, left = Spool(), list[Block](), _Uncovered()
    for block in (one.loaded() for one in run.blocks):
        left.add(block.documents.take(~document_of.covers(block.documents)))
        blocks.append(spool.put(_collapsed(block, document_of)))
    after = sum(len(block) for block in blocks)
    notices = [
        *run.notices,
        f"{run.source}: {counted(run.result_count, 'result')} collapsed to "
        f"{counted(after, 'document')}, {document_of.rule}, the best-ranked chunk of each kept.",
    ]
    if left.count:
        ids = counted(left.count, "result has an id", "results have ids")
        shown = listed(left.examples, total=left.count)
        notices.append(f"{run.source}: {ids} that this rule does not cover, kept as is: {shown}.")
    return replace(run, blocks=tuple(blocks), notices=tuple(notices), collapse=document_of.rule)


@dataclass
class _Uncovered:
    """Ids that a rule does not cover."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, chunks: Ids) -> None:
        self.count += len(chunks)
        self.examples += chunks.take(slice(0, max(0, _EXAMPLES - len(self.examples))))


def _collapsed(block: RunBlock, document_of: DocumentOf) -> RunBlock:
    documents = document_of.documents(block.documents)
    local = np.repeat(np.arange(len(block.query_ids)), np.diff(block.starts))
    order = _best_first(block, local)
    ordered = documents.take(order)
    first = first_rows(local[order], ordered, pair_keys(local[order], ordered))
    rows = np.sort(order[first == np.arange(len(first))])
    return RunBlock(
        query_ids=block.query_ids,
        starts=np.searchsorted(local[rows], np.arange(len(block.query_ids) + 1)),
        documents=documents.take(rows),
        scores=None if block.scores is None else block.scores[rows],
        ranks=None if block.ranks is None else block.ranks[rows],
    )


def _best_first(block: RunBlock, local: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows ordered by query, best first; equal ones as listed."""
    if block.scores is not None:
        return np.lexsort((-block.scores, local))
    if block.ranks is not None:
        return np.lexsort((block.ranks, local))
    return np.arange(len(block))


def _occurrences(data: NDArray[np.uint8], wanted: bytes) -> NDArray[np.int64]:
    """Where some bytes stand in the data, ascending."""
    last = len(data) - len(wanted) + 1
    if last <= 0:
        return np.zeros(0, dtype=np.int64)
    same = np.ones(last, dtype=bool)
    for offset, byte in enumerate(wanted):
        same &= data[offset : offset + last] == byte
    return np.flatnonzero(same)
