"""One retriever's results, as it gave them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import isfinite
from numbers import Real

import numpy as np

from core.blocks import Block, RunBlock
from core.errors import RunError
from core.ids import Ids


@dataclass(frozen=True, eq=False)
class Run:
    """One retriever's rankings for all its queries.

    Parameters
    ----------
    name : str
        What the run is called on every page.
    blocks : sequence of Block
        The results; each query stands in exactly one block.
    source : str
        Name of the file, for messages.
    notices : tuple of str
        What loading ignored or guessed.
    format : str
        What the file's format is called. Empty: not read from a file.
    columns : mapping
        Columns that somebody named, by what they mean. Empty: the file's own names told.
    collapse : str
        The rule by which chunks were collapsed to documents. Empty: they were not.
    """

    name: str
    blocks: Sequence[Block]
    source: str
    notices: tuple[str, ...] = ()
    format: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
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
    def result_count(self) -> int:
        """Rows in the run, repeated documents included."""
        return sum(len(block) for block in self.blocks)

    @property
    def has_scores(self) -> bool:
        """Whether every result has a retrieval score."""
        return all(block.has_scores for block in self.blocks)

    @property
    def has_ranks(self) -> bool:
        """Whether every result has a rank."""
        return all(block.has_ranks for block in self.blocks)

    def named(self, name: str) -> "Run":
        """Return the same run under another name."""
        return replace(self, name=name)

    def block_of(self, query_id: str) -> RunBlock | None:
        """Return the results of one query as a block, or None where the run misses it."""
        for block in self.blocks:
            if query_id in block.query_ids:
                return block.loaded().selected(np.array([block.query_ids.index(query_id)]))
        return None
