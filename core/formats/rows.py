"""Rows of judgments on their way from a file, each with its line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import FileError, shortened
from core.formats.fields import numbers
from core.ids import Ids
from core.judgments import HIGHEST_GRADE, LOWEST_GRADE, ConflictingRows, Judgments


@dataclass(frozen=True, eq=False)
class JudgmentRows:
    """Judgments as a file lists them.

    Parameters
    ----------
    queries, documents : Ids
        Query and document of each row.
    grades, lines : ndarray of int, shape (rows,)
        Grade of each row, and the line it stands on.
    empty : sequence of str
        Queries without a judgment.
    """

    queries: Ids
    documents: Ids
    grades: NDArray[np.int64]
    lines: NDArray[np.int64]
    empty: Sequence[str] = ()

    @classmethod
    def from_columns(cls, columns: pa.RecordBatch, *, first_line: int) -> "JudgmentRows | None":
        """Take the columns query, document and grade; None where an id is empty."""
        queries, documents = (
            Ids.from_arrow(columns.column(name)) for name in ("query", "document")
        )
        if not (queries.length.all() and documents.length.all()):
            return None
        grades = numbers(columns.column("grade")).astype(np.int64)
        return cls(queries, documents, grades, np.arange(first_line, first_line + len(grades)))

    @classmethod
    def collected(
        cls, rows: Iterable[tuple[str, str, int, int]], empty: Sequence[str] = ()
    ) -> "JudgmentRows":
        """Collect rows of query, document, grade and line, and queries without a judgment."""
        queries, documents, grades, lines = [list(c) for c in zip(*rows, strict=True)] or [[]] * 4
        return cls(
            Ids.from_strings(queries),
            Ids.from_strings(documents),
            np.array([_bounded(grade) for grade in grades], dtype=np.int64),
            np.array(lines, dtype=np.int64),
            empty,
        )

    @classmethod
    def concatenated(cls, parts: Sequence["JudgmentRows"]) -> "JudgmentRows":
        """Put rows behind one another."""
        return cls(
            Ids.concatenated([part.queries for part in parts]),
            Ids.concatenated([part.documents for part in parts]),
            np.concatenate([part.grades for part in parts]),
            np.concatenate([part.lines for part in parts]),
            [query_id for part in parts for query_id in part.empty],
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
    named, query = rows.queries.numbered()
    try:
        return Judgments.from_rows(
            tuple(dict.fromkeys([*rows.queries.take(named), *rows.empty])),
            query,
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
            f"query '{shortened(conflict.query_id)}' judges document "
            f"'{shortened(conflict.document)}' as grade "
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
