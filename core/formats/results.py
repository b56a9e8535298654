"""Results on their way from a file to runs: one run for each system that the file names."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError, RunError, listed
from core.formats.fields import query_segments
from core.ids import Ids
from core.runs import Run, RunBlock, regrouped, sliced

_MOST_SYSTEMS = 200


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

    def taken(self, rows: NDArray[np.integer] | slice) -> "Results":
        """Select rows, and no empty query."""
        return Results(
            self.queries.take(rows),
            self.documents.take(rows),
            None if self.scores is None else self.scores[rows],
            None if self.ranks is None else self.ranks[rows],
            None if self.systems is None else self.systems.take(rows),
        )


def runs_from(
    results: Results, file: str, name: str | None, notices: Sequence[str] = ()
) -> tuple[Run, ...]:
    """Build a run for each system, in the order of the file; systems without a result come last.

    Parameters
    ----------
    results : Results
    file : str
        Name of the file.
    name : str or None
        What to call the run; of several, it stands in front of the system's name.
    notices : sequence of str
        What loading ignored or guessed.

    Raises
    ------
    FileError
        No result and no query, or more systems than anybody compares.
    """
    if not len(results.documents) and not results.empty:
        raise FileError(file, "no results found", "Is this the right file?")
    if results.systems is None:
        return (_run(results, results.empty, file, name or "", notices),)
    systems, codes = numbered(results.systems, [system for system, _ in results.empty])
    if len(systems) > _MOST_SYSTEMS:
        raise FileError(
            file,
            f"{len(systems):,} different systems ({listed(systems, shown=3)}), "
            f"expected at most {_MOST_SYSTEMS}",
            "Is it another column that names the system? Say which, or that none does: "
            "--run-column system=COLUMN, or system= for none.",
        )
    if len(systems) > 1:
        notices = [*notices, f"{file}: {len(systems)} systems in one file, read as a run each."]
    order = np.argsort(codes, kind="stable")
    cuts = np.searchsorted(codes[order], np.arange(len(systems) + 1))
    runs = []
    for system, (begin, end) in zip(systems, pairwise(cuts.tolist()), strict=True):
        part = results if len(systems) == 1 else results.taken(order[begin:end])
        empty = [one for one in results.empty if one[0] == system]
        called = system if name is None else name if len(systems) == 1 else f"{name} {system}"
        runs.append(_run(part, empty, file, called, notices))
    return tuple(runs)


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


def numbered(rows: Ids, more: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """List distinct ids, those of the rows first; and number the id of each row."""
    names, starts = query_segments(rows)
    number = {name: at for at, name in enumerate(dict.fromkeys([*names, *more]))}
    codes = np.array([number[name] for name in names], dtype=np.int64)
    return list(number), np.repeat(codes, np.diff(starts))


def _run(
    results: Results,
    empty: Sequence[tuple[str, str]],
    file: str,
    name: str,
    notices: Sequence[str],
) -> Run:
    names, starts = query_segments(results.queries)
    more = [query for _, query in empty]
    block = RunBlock(
        (*names, *more),
        np.append(starts, [starts[-1]] * len(more)).astype(np.int64),
        results.documents,
        results.scores,
        results.ranks,
    )
    blocks = [small for whole in regrouped([block]) for small in sliced(whole)]
    return Run(name=name, blocks=tuple(blocks), source=file, notices=tuple(notices))
