"""Results on their way from a file to runs: one run for each system that the file names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.blocks import Block, RunBlock, regrouped, sliced, tells_each_query_once, together
from core.errors import FileError, RunError, counted, listed
from core.ids import Ids
from core.regrouping import regrouped_in_parts
from core.runs import Run
from core.spool import Spool

_MOST_SYSTEMS = 200
_MOST_ROWS = 150_000


@dataclass(frozen=True, eq=False)
class Results:
    """Results as a file lists them.

    Parameters
    ----------
    queries, documents : Ids
        Query and document of each row.
    scores, ranks : ndarray or None
        As in `RunBlock`.
    systems : Ids or None
        What names the system of each row. None: one system.
    empty : sequence of (system, query)
        Queries without a result; the system is "" where there is one.
    """

    queries: Ids
    documents: Ids
    scores: NDArray[np.float64] | None
    ranks: NDArray[np.int32] | None
    systems: Ids | None = None
    empty: Sequence[tuple[str, str]] = ()

    def __len__(self) -> int:
        return len(self.documents)

    @classmethod
    def concatenated(cls, parts: Sequence["Results"]) -> "Results":
        """Put rows behind one another. What some parts lack, all lack then."""
        systems = [part.systems for part in parts if part.systems is not None]
        return cls(
            Ids.concatenated([part.queries for part in parts]),
            Ids.concatenated([part.documents for part in parts]),
            together([part.scores for part in parts]),
            together([part.ranks for part in parts]),
            Ids.concatenated(systems) if len(systems) == len(parts) else None,
        )

    def taken(self, rows: NDArray[np.integer] | slice) -> "Results":
        """Select rows, and no empty query."""
        return Results(
            self.queries.take(rows),
            self.documents.take(rows),
            None if self.scores is None else self.scores[rows],
            None if self.ranks is None else self.ranks[rows],
            None if self.systems is None else self.systems.take(rows),
        )


class RunsInParts:
    """Puts the runs of a file together from its parts, one after the other.

    Parameters
    ----------
    file : str
        Name of the file.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._runs: dict[str, _OneRun] = {}

    def add(self, part: Results) -> None:
        """Take the results that follow.

        Raises
        ------
        FileError
            More systems than anybody compares.
        """
        for system, results in _by_system(part):
            self._of(system).add(results)
        for system, query in part.empty:
            self._of(system).empty[query] = None
        if len(self._runs) > _MOST_SYSTEMS:
            raise FileError(
                self._file,
                f"at least {len(self._runs):,} different systems "
                f"({listed(self._runs, shown=3)}), expected at most {_MOST_SYSTEMS}",
                "Is it another column that names the system? Say which, or that none does: "
                "--run-column system=COLUMN, or system= for none.",
            )

    def runs(self, name: str | None, notices: Sequence[str] = ()) -> tuple[Run, ...]:
        """Return a run for each system, in the order of the file; those without a result come last.

        Parameters
        ----------
        name : str or None
            What to call the run; of several, it stands in front of the system's name.
        notices : sequence of str
            What loading ignored or guessed.

        Raises
        ------
        FileError
            No result and no query.
        """
        if not self._runs:
            raise FileError(self._file, "no results found", "Is this the right file?")
        if len(self._runs) > 1:
            said = f"{self._file}: {counted(len(self._runs), 'system')} in one file, "
            notices = [*notices, f"{said}read as a run each."]
        runs = []
        for system, run in sorted(self._runs.items(), key=lambda item: item[1].is_empty):
            called = system if name is None else f"{name} {system}"
            if name is not None and len(self._runs) == 1:
                called = name
            runs.append(Run(called, run.blocks(), self._file, tuple(notices)))
        return tuple(runs)

    def _of(self, system: str) -> "_OneRun":
        return self._runs.setdefault(system, _OneRun())


def only(runs: Sequence[Run]) -> Run:
    """Return the run of a file that holds one.

    Raises
    ------
    RunError
        The file holds several.
    """
    if len(runs) == 1:
        return runs[0]
    raise RunError(
        f"{runs[0].source}: {len(runs)} systems ({listed(run.name for run in runs)}), expected "
        "one. Read them all with read_runs."
    )


class _OneRun:
    """The results of one system. A query whose rows may go on in the next part waits for it."""

    def __init__(self) -> None:
        self.empty: dict[str, None] = {}
        self._spool = Spool()
        self._blocks: list[Block] = []
        self._waiting: list[RunBlock] = []

    @property
    def is_empty(self) -> bool:
        return not (self._blocks or self._waiting)

    def add(self, part: Results) -> None:
        block = RunBlock.from_rows(part.queries, part.documents, part.scores, part.ranks)
        last = len(block.query_ids) - 1
        goes_on = bool(self._waiting) and self._waiting[0].query_ids[0] == block.query_ids[0]
        if goes_on:
            self._waiting.append(block.between(0, 1))
            if last == 0:
                return
        self._put_waiting()
        self._put(block.between(int(goes_on), last))
        self._waiting = [block.between(last, last + 1)]

    def blocks(self) -> tuple[Block, ...]:
        """Return the blocks: each query once, ranks everywhere or nowhere."""
        self._put_waiting()
        blocks: Sequence[Block] = self._blocks
        if not tells_each_query_once(blocks):
            blocks = list(regrouped_in_parts(blocks, self._spool))
        if any(block.has_ranks != blocks[0].has_ranks for block in blocks):
            blocks = [self._spool.put(replace(block.loaded(), ranks=None)) for block in blocks]
        known = {query_id for block in blocks for query_id in block.query_ids}
        empty = [query_id for query_id in self.empty if query_id not in known]
        if empty or not blocks:
            like = blocks[0].loaded() if blocks else None
            blocks = [*blocks, _without_rows(empty, like)]
        return tuple(blocks)

    def _put_waiting(self) -> None:
        if self._waiting:
            for block in regrouped(self._waiting):
                self._put(block)
            self._waiting = []

    def _put(self, block: RunBlock) -> None:
        if len(block):
            self._blocks += map(self._spool.put, sliced(block, _MOST_ROWS))


def _by_system(part: Results) -> list[tuple[str, Results]]:
    if not len(part):
        return []
    if part.systems is None:
        return [("", part)]
    first, number = part.systems.numbered()
    if len(first) == 1:
        return [(part.systems[0], part)]
    order = np.argsort(number, kind="stable")
    cuts = np.searchsorted(number[order], np.arange(len(first) + 1)).tolist()
    return [
        (system, part.taken(order[begin:end]))
        for system, (begin, end) in zip(part.systems.take(first), pairwise(cuts), strict=True)
    ]


def _without_rows(query_ids: Sequence[str], like: RunBlock | None) -> RunBlock:
    """Build a block of queries without a result, with the same columns as another block."""
    return RunBlock(
        tuple(query_ids),
        np.zeros(len(query_ids) + 1, dtype=np.int64),
        Ids.from_strings([]),
        None if like is None or like.scores is None else like.scores[:0],
        None if like is None or like.ranks is None else like.ranks[:0],
    )
