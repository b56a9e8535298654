"""One retriever's results, as it gave them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from math import isfinite
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from core.errors import RunError
from core.ids import Ids


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

    def __len__(self) -> int:
        return len(self.documents)

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


@dataclass(frozen=True, eq=False)
class Run:
    """One retriever's rankings for all its queries.

    Parameters
    ----------
    name : str
        What the run is called on every page.
    blocks : sequence of RunBlock
        The results; each query stands in exactly one block.
    source : str
        Name of the file, for messages.
    notices : tuple of str
        What loading ignored or guessed.
    format : str
        What the file's format is called. Empty: not read from a file.
    collapse : str
        The rule by which chunks were collapsed to documents. Empty: they were not.
    """

    name: str
    blocks: Sequence[RunBlock]
    source: str
    notices: tuple[str, ...] = ()
    format: str = ""
    collapse: str = ""

    @classmethod
    def from_dict(
        cls,
        name: str,
        results: Mapping[str, Mapping[str, float] | Sequence[str]],
        *,
        source: str | None = None,
    ) -> "Run":
        """Build from `{query: {document: score}}` or `{query: [document, …]}`.

        Raises
        ------
        RunError
            Some queries have scores and some have none, a score is not a finite number, or an id
            is not text.
        """
        rankings = list(results.values())
        scored = {isinstance(ranking, Mapping) for ranking in rankings if len(ranking)}
        if scored == {True, False}:
            raise RunError(
                f"{source or name}: some queries have scores and some are plain lists. "
                "Give every query scores, or none."
            )
        sizes = np.array([len(ranking) for ranking in rankings], dtype=np.int64)
        scores = [
            score
            for ranking in rankings
            if isinstance(ranking, Mapping)
            for score in ranking.values()
        ]
        for score in scores:
            if isinstance(score, bool) or not isinstance(score, Real) or not isfinite(score):
                raise RunError(f"{source or name}: score {score!r} is not a finite number.")
        for text in chain(results, *rankings):
            if not isinstance(text, str):
                raise RunError(f"{source or name}: ids are text, not {text!r}.")
        block = RunBlock(
            query_ids=tuple(results),
            starts=np.concatenate(([0], np.cumsum(sizes))),
            documents=Ids.from_strings(doc for ranking in rankings for doc in ranking),
            scores=None if scored == {False} else np.array(scores, dtype=np.float64),
            ranks=None,
        )
        return cls(name=name, blocks=(block,), source=source or name)

    @property
    def query_count(self) -> int:
        """Queries in the run, those without a result included."""
        return sum(len(block.query_ids) for block in self.blocks)

    @property
    def result_count(self) -> int:
        """Rows in the run, repeated documents included."""
        return sum(len(block) for block in self.blocks)

    @property
    def has_scores(self) -> bool:
        """Whether every result has a retrieval score."""
        return all(block.scores is not None for block in self.blocks)

    @property
    def has_ranks(self) -> bool:
        """Whether every result has a rank."""
        return all(block.ranks is not None for block in self.blocks)

    def named(self, name: str) -> "Run":
        """Return the same run under another name."""
        return replace(self, name=name)

    def block_of(self, query_id: str) -> RunBlock | None:
        """Return the results of one query as a block, or None where the run misses it."""
        for block in self.blocks:
            if query_id in block.query_ids:
                return block.selected(np.array([block.query_ids.index(query_id)]))
        return None


def stretches(begin: NDArray[np.integer], size: NDArray[np.integer]) -> NDArray[np.int64]:
    """Concatenate the ranges `begin[i], …, begin[i] + size[i] - 1`."""
    ends = np.cumsum(size)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - size - begin, size)


def regrouped(blocks: Sequence[RunBlock]) -> tuple[RunBlock, ...]:
    """Bring the rows of each query together, where a file tells a query in several places.

    The listed order inside a query is kept. Blocks that already hold whole queries are returned
    as they are.
    """
    names = [query_id for block in blocks for query_id in block.query_ids]
    if len(set(names)) == len(names):
        return tuple(blocks)
    number = {query_id: at for at, query_id in enumerate(dict.fromkeys(names))}
    sizes = np.concatenate([np.diff(block.starts) for block in blocks])
    query = np.repeat([number[name] for name in names], sizes)
    order = np.argsort(query, kind="stable")
    scores = [block.scores for block in blocks if block.scores is not None]
    ranks = [block.ranks for block in blocks if block.ranks is not None]
    whole = RunBlock(
        query_ids=tuple(number),
        starts=np.searchsorted(query[order], np.arange(len(number) + 1)),
        documents=Ids.concatenated([block.documents for block in blocks]).take(order),
        scores=np.concatenate(scores)[order] if len(scores) == len(blocks) else None,
        ranks=np.concatenate(ranks)[order] if len(ranks) == len(blocks) else None,
    )
    return sliced(whole)


def sliced(block: RunBlock, rows: int = 50_000) -> tuple[RunBlock, ...]:
    """Cut a large block into blocks of whole queries, about `rows` rows each."""
    marks = np.arange(0, len(block) + rows, rows)
    cuts = np.unique(
        np.concatenate((np.searchsorted(block.starts[:-1], marks), [len(block.query_ids)]))
    )
    return tuple(block.selected(np.arange(low, high)) for low, high in pairwise(cuts.tolist()))
