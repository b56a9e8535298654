"""Some rows of a table with typed columns: checked, and turned into ids and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import FileError
from core.formats.columns import Columns
from core.formats.fields import HIGHEST_RANK, LOWEST_RANK, RANKS_IGNORED, numbers
from core.formats.json_values import small_grade
from core.formats.limits import too_large
from core.formats.results import Results
from core.formats.rows import JudgmentRows
from core.ids import Ids

LARGEST = 2 << 30
"""Bytes that the text of a table may unpack to."""


@dataclass
class Told:
    """What is said of a table, and how much of it was unpacked, over all its parts."""

    notices: dict[str, None] = field(default_factory=dict)
    unpacked: int = 0


@dataclass(frozen=True, eq=False)
class TablePart:
    """Some rows of a table.

    Parameters
    ----------
    table : pyarrow.Table
    columns : Columns
    names : sequence of str
        Of all columns that `columns` counts.
    file : str
    first_row : int
        Number of the first row, counted from 1.
    told : Told
    """

    table: pa.Table
    columns: Columns
    names: Sequence[str]
    file: str
    first_row: int
    told: Told

    def results(self) -> Results:
        """Read results.

        Raises
        ------
        FileError
            With the first row that is not a result.
        """
        at = self.columns.at
        return Results(
            self._ids("query"),
            self._ids("document"),
            self._scores() if "score" in at else None,
            self._ranks() if "rank" in at else None,
            self._ids("system") if "system" in at else None,
        )

    def judgments(self) -> JudgmentRows:
        """Read judgments.

        Raises
        ------
        FileError
            With the first row that is not a judgment.
        """
        queries, documents = self._ids("query"), self._ids("document")
        column = self._numbers("grade")
        grades = np.array(
            [
                small_grade(value, self.file, f"row {row:,}")
                for row, value in enumerate(column.to_pylist(), self.first_row)
            ],
            dtype=np.int64,
        )
        rows = np.arange(self.first_row, self.first_row + len(grades))
        return JudgmentRows(queries, documents, grades, rows)

    def _column(self, role: str) -> pa.ChunkedArray:
        return self.table.column(self._name(role))

    def _name(self, role: str) -> str:
        return self.names[self.columns.at[role]]

    def _ids(self, role: str) -> Ids:
        column, name = self._column(role), self._name(role)
        kind = _plain(column.type)
        is_word = is_text(kind)
        if not (is_word or pa.types.is_integer(kind)):
            raise FileError(
                self.file,
                f"column '{name}' holds {kind}, expected text for the {role}",
                "Write ids as text.",
            )
        self._check_nulls(column, role)
        if not is_word:
            said = f"{self.file}: column '{name}' holds whole numbers, taken as text as written."
            self.told.notices[said] = None
        self.told.unpacked += _size(column)
        if self.told.unpacked > LARGEST:
            raise too_large(self.file, LARGEST)
        try:
            column = column.cast(kind).cast(pa.large_string()).cast(pa.string())
        except pa.ArrowInvalid:
            found = f"column '{name}' holds bytes that are not UTF-8"
            raise FileError(self.file, found, "Write ids as UTF-8 text.") from None
        ids = Ids.concatenated([Ids.from_arrow(part) for part in column.chunks])
        empty = np.flatnonzero(ids.length == 0)
        if len(empty):
            raise self._error(int(empty[0]), f"an empty {role} in column '{name}'", role)
        return ids

    def _scores(self) -> NDArray[np.float64]:
        column = self._numbers("score").cast(pa.float64(), safe=False)
        scores = np.concatenate([np.zeros(0), *(numbers(part) for part in column.chunks)])
        odd = np.flatnonzero(~np.isfinite(scores))
        if len(odd):
            row = int(odd[0])
            found = f"score {scores[row]} is not finite"
            raise FileError(self.file, found, "Give a finite score.", place=self._place(row))
        return 0.0 - scores if self.columns.smaller_is_better else scores

    def _ranks(self) -> NDArray[np.int32] | None:
        """Return the ranks; None where there are scores and not every rank can be one."""
        is_needed = "score" not in self.columns.at
        column = self._numbers("rank", may_lack=not is_needed).cast(pa.float64(), safe=False)
        ranks = np.concatenate(
            [np.zeros(0), *(numbers(part.fill_null(np.nan)) for part in column.chunks)]
        )
        odd = ~((ranks == np.floor(ranks)) & (ranks >= LOWEST_RANK) & (ranks <= HIGHEST_RANK))
        if not odd.any():
            return ranks.astype(np.int32)
        if not is_needed:
            self.told.notices[f"{self.file}: {RANKS_IGNORED}"] = None
            return None
        row = int(np.flatnonzero(odd)[0])
        found = f"rank {ranks[row]} is not a whole number"
        raise FileError(self.file, found, "Give ranks from 1.", place=self._place(row))

    def _numbers(self, role: str, *, may_lack: bool = False) -> pa.ChunkedArray:
        column = self._column(role)
        kind = _plain(column.type)
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if not (is_number or pa.types.is_decimal(kind)):
            raise FileError(
                self.file,
                f"column '{self._name(role)}' holds {kind}, expected numbers for the {role}",
                "Write numbers as numbers.",
            )
        if not may_lack:
            self._check_nulls(column, role)
        return column if is_number else column.cast(pa.float64(), safe=False)

    def _check_nulls(self, column: pa.ChunkedArray, role: str) -> None:
        if not column.null_count:
            return
        row = next(at for at, value in enumerate(column) if not value.is_valid)
        raise self._error(row, f"no {role} in column '{self._name(role)}' (null)", role)

    def _place(self, row: int) -> str:
        return f"row {self.first_row + row:,}"

    def _error(self, row: int, found: str, role: str) -> FileError:
        remedy = f"Give every row a {role}, or remove the row."
        return FileError(self.file, found, remedy, place=self._place(row))


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text, or bytes that may be text."""
    types = pa.types
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _size(column: pa.ChunkedArray) -> int:
    """Bytes of the text of a column, with every entry of a dictionary as often as it occurs."""
    from pyarrow import compute  # noqa: PLC0415

    total = 0
    for part in column.chunks:
        if pa.types.is_dictionary(part.type) and len(part.dictionary):
            if is_text(part.type.value_type):
                lengths = compute.binary_length(part.dictionary)
                total += compute.sum(lengths.take(part.indices).cast(pa.int64())).as_py() or 0
        else:
            total += part.nbytes
    return total
