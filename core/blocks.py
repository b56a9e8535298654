"""The results of a run in blocks of whole queries, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.ids import Ids, stretches

N = TypeVar("N", bound=np.generic)


class Block(Protocol):
    """What is known of a block wherever its results lie: in memory or on the disk."""

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Distinct queries; one may have no result."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the results of each query begin, and where the last ones end."""

    @property
    def has_scores(self) -> bool:
        """Whether its results have scores."""

    @property
    def has_ranks(self) -> bool:
        """Whether its results have ranks."""

    def __len__(self) -> int:
        """Count the results."""

    def loaded(self) -> "RunBlock":
        """Return the results themselves."""


@dataclass(frozen=True, eq=False)
class RunBlock:
    """The results of some queries, each whole and in listed order.

    Parameters
    ----------
    query_ids : tuple of str
        Distinct queries; one may have no result.
    starts : ndarray of int, shape (queries + 1,)
        Rows of query i are `starts[i]` to `starts[i + 1]`.
    documents : Ids
        Document of each row.
    scores : ndarray of float64, shape (rows,), or None
        Retrieval score of each row, higher is better, finite. None: the run has no scores.
    ranks : ndarray of int, shape (rows,), or None
        Rank of each row as written, lower is better. None: the run has no ranks.
    """

    query_ids: tuple[str, ...]
    starts: NDArray[np.int64]
    documents: Ids
    scores: NDArray[np.float64] | None
    ranks: NDArray[np.int32] | None

    @classmethod
    def from_rows(
        cls,
        queries: Ids,
        documents: Ids,
        scores: NDArray[np.float64] | None,
        ranks: NDArray[np.int32] | None,
    ) -> "RunBlock":
        """Build a block from rows with a query each; those of one query come together."""
        first, number = queries.numbered()
        query_ids = tuple(queries.take(first))
        number = number.astype(_number_type(len(query_ids)), copy=False)
        return _grouped(query_ids, number, documents, scores, ranks)

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def has_scores(self) -> bool:
        """Whether its results have scores."""
        return self.scores is not None

    @property
    def has_ranks(self) -> bool:
        """Whether its results have ranks."""
        return self.ranks is not None

    def loaded(self) -> "RunBlock":
        """Return the block itself, which lies in memory."""
        return self

    def packed(self) -> "RunBlock":
        """Return the same block with the text of its own documents alone."""
        return replace(self, documents=self.documents.packed())

    def between(self, low: int, high: int) -> "RunBlock":
        """Keep only the queries `low` to `high - 1`; the bytes of ids are shared, not copied."""
        begin, end = int(self.starts[low]), int(self.starts[high])
        return RunBlock(
            query_ids=self.query_ids[low:high],
            starts=self.starts[low : high + 1] - begin,
            documents=self.documents.take(slice(begin, end)),
            scores=None if self.scores is None else self.scores[begin:end],
            ranks=None if self.ranks is None else self.ranks[begin:end],
        )

    def selected(self, queries: NDArray[np.integer]) -> "RunBlock":
        """Keep only some of the queries, given by their index."""
        begin, size = self.starts[queries], np.diff(self.starts)[queries]
        rows = stretches(begin, size)
        return RunBlock(
            query_ids=tuple(self.query_ids[query] for query in queries.tolist()),
            starts=np.concatenate(([0], np.cumsum(size))),
            documents=self.documents.take(rows),
            scores=None if self.scores is None else self.scores[rows],
            ranks=None if self.ranks is None else self.ranks[rows],
        )


def together(parts: Sequence[NDArray[N] | None]) -> NDArray[N] | None:
    """Put columns behind one another; None where a part has no such column."""
    columns = [part for part in parts if part is not None]
    return np.concatenate(columns) if len(columns) == len(parts) else None


def tells_each_query_once(blocks: Sequence[Block]) -> bool:
    """Whether no query stands in two blocks."""
    names = [query_id for block in blocks for query_id in block.query_ids]
    return len(set(names)) == len(names)


def regrouped(blocks: Sequence[Block]) -> tuple[RunBlock, ...]:
    """Bring the rows of each query together, where they stand in several blocks.

    Queries keep the order of their first rows, and rows the order inside a query.
    """
    loaded = [block.loaded() for block in blocks]
    names = [query_id for block in blocks for query_id in block.query_ids]
    number = {query_id: at for at, query_id in enumerate(dict.fromkeys(names))}
    query = np.repeat(
        np.array([number[name] for name in names], dtype=_number_type(len(number))),
        np.concatenate([np.diff(block.starts) for block in loaded]),
    )
    whole = _grouped(
        tuple(number),
        query,
        Ids.concatenated([block.documents for block in loaded]),
        together([block.scores for block in loaded]),
        together([block.ranks for block in loaded]),
    )
    return sliced(whole)


def sliced(block: RunBlock, rows: int = 50_000) -> tuple[RunBlock, ...]:
    """Cut a large block into blocks of whole queries, about `rows` rows each."""
    if len(block) <= rows:
        return (block,)
    marks = np.arange(0, len(block) + rows, rows)
    cuts = np.unique(
        np.concatenate((np.searchsorted(block.starts[:-1], marks), [len(block.query_ids)]))
    )
    return tuple(block.between(low, high) for low, high in pairwise(cuts.tolist()))


def _grouped(
    query_ids: tuple[str, ...],
    query: NDArray[np.integer],
    documents: Ids,
    scores: NDArray[np.float64] | None,
    ranks: NDArray[np.int32] | None,
) -> RunBlock:
    """Build a block from rows, given the number of each row's query."""
    if (query[1:] < query[:-1]).any():
        order = np.argsort(query, kind="stable")
        query, documents = query[order], documents.take(order)
        scores = None if scores is None else scores[order]
        ranks = None if ranks is None else ranks[order]
    starts = np.searchsorted(query, np.arange(len(query_ids) + 1))
    return RunBlock(query_ids, starts, documents, scores, ranks)


def _number_type(count: int) -> type[np.uint16] | type[np.int64]:
    """Choose a type for numbers below a count: numpy sorts short ones many times faster."""
    return np.uint16 if count <= np.iinfo(np.uint16).max else np.int64
