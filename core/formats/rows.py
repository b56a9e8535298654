"""Rows of judgments on their way from a file, each with its line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import FileError
from core.formats.fields import numbers, query_segments
from core.ids import Ids
from core.judgments import HIGHEST_GRADE, LOWEST_GRADE, ConflictingRows, Judgments


@dataclass(frozen=True, eq=False)
class JudgmentRows:
    """Judgments as a file lists them.

    Parameters
    ----------
    queries : tuple of str
        Query of each stretch of rows; one may come back later.
    starts : ndarray of int, shape (stretches + 1,)
        Where each stretch begins.
    documents : Ids
        Document of each row.
    grades, lines : ndarray of int, shape (rows,)
        Grade of each row, and the line it stands on.
    """

    queries: tuple[str, ...]
    starts: NDArray[np.int64]
    documents: Ids
    grades: NDArray[np.int64]
    lines: NDArray[np.int64]

    @classmethod
    def from_columns(cls, columns: pa.RecordBatch, *, first_line: int) -> "JudgmentRows | None":
        """Take the columns query, document and grade; None where an id is empty."""
        queries, documents = (
            Ids.from_arrow(columns.column(name)) for name in ("query", "document")
        )
        if not (queries.length.all() and documents.length.all()):
            return None
        names, starts = query_segments(queries)
        grades = numbers(columns.column("grade")).astype(np.int64)
        lines = np.arange(first_line, first_line + len(grades))
        return cls(tuple(names), starts, documents, grades, lines)

    @classmethod
    def collected(
        cls, rows: Iterable[tuple[str, str, int, int]], empty: Sequence[str] = ()
    ) -> "JudgmentRows":
        """Collect rows of query, document, grade and line, and queries without a judgment."""
        queries, documents, grades, lines = [list(c) for c in zip(*rows, strict=True)] or [[]] * 4
        names, starts = query_segments(Ids.from_strings(queries))
        return cls(
            (*names, *empty),
            np.append(starts, np.full(len(empty), starts[-1], dtype=starts.dtype)),
            Ids.from_strings(documents),
            np.array([_bounded(grade) for grade in grades], dtype=np.int64),
            np.array(lines, dtype=np.int64),
        )


def judgments_from(
    rows: JudgmentRows,
    file: str,
    scale: tuple[int, int] | None,
    notices: Sequence[str] = (),
    *,
    unit: str = "line",
) -> Judgments:
    """Build judgments; a contradiction becomes an error that names both lines.

    Parameters
    ----------
    rows, file, scale, notices
        As in `Judgments.from_rows`.
    unit : str
        What `rows.lines` counts: lines of a text, or rows of a table.

    Raises
    ------
    FileError
        A grade that does not fit, or two judgments that contradict.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    too_large = np.flatnonzero((rows.grades < LOWEST_GRADE) | (rows.grades > HIGHEST_GRADE))
    if len(too_large):
        raise FileError(
            file,
            "the grade does not fit a 32-bit whole number",
            "Grades are small whole numbers, such as 0 to 3.",
            **_where(int(rows.lines[too_large[0]]), unit),
        )
    number = {query_id: at for at, query_id in enumerate(dict.fromkeys(rows.queries))}
    stretch = np.array([number[query_id] for query_id in rows.queries], dtype=np.int64)
    try:
        return Judgments.from_rows(
            tuple(number),
            np.repeat(stretch, np.diff(rows.starts)),
            rows.documents,
            rows.grades,
            scale=scale,
            source=file,
            notices=notices,
        )
    except ConflictingRows as conflict:
        first, second = (int(rows.lines[row]) for row in conflict.rows)
        raise FileError(
            file,
            f"query '{conflict.query_id}' judges document '{conflict.document}' as grade "
            f"{conflict.grades[1]}, and as grade {conflict.grades[0]} "
            f"{'on' if unit == 'line' else 'in'} {unit} {first:,}",
            "Keep one of the two.",
            **_where(second, unit),
        ) from None


def _where(number: int, unit: str) -> dict[str, Any]:
    return {"line": number} if unit == "line" else {"place": f"{unit} {number:,}"}


def _bounded(grade: int) -> int:
    """Clip a huge whole number to one that is still refused, but fits an array."""
    return max(min(grade, HIGHEST_GRADE + 1), LOWEST_GRADE - 1)
