"""Parquet with columns by name: one result a row, or one query a row with a list of documents."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import FileError
from core.formats.column_names import LIST
from core.formats.columns import Asked, Columns, resolved
from core.formats.fields import HIGHEST_RANK, LOWEST_RANK, RANKS_IGNORED, numbers, query_segments
from core.formats.json_values import small_grade
from core.formats.record_rows import judgments_of, results_of
from core.formats.records import Where, unused_notice
from core.formats.results import Results, runs_from
from core.formats.rows import JudgmentRows, judgments_from
from core.formats.source import PARQUET, Source, too_large
from core.ids import Ids
from core.judgments import Judgments
from core.runs import Run

_ROWS = 1 << 10
_PLACE = 4
_LARGEST = 2 << 30
"""Bytes that the wanted columns may unpack to: they stand in memory."""


def is_parquet(head: bytes, name: str) -> bool:
    """Whether a file begins like Parquet."""
    del name
    return head.startswith(PARQUET)


def read_runs(source: Source, name: str | None, asked: Asked) -> tuple[Run, ...]:
    """Read the runs of a file.

    Raises
    ------
    FileError
        With the first row that is not a result, or columns that do not tell what is what.
    """
    table = _Table(source, asked)
    if table.is_nested:
        results, notices = results_of(table.records(), asked, source.name)
    else:
        results, notices = table.results(), table.notices()
    return runs_from(results, source.name, name, notices)


def read_judgments(source: Source, scale: tuple[int, int] | None, asked: Asked) -> Judgments:
    """Read judgments.

    Raises
    ------
    FileError
        With the first row that is not a judgment, or the rows of two that contradict.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    table = _Table(source, asked)
    if table.is_nested:
        rows, notices = judgments_of(table.records(), asked, source.name)
    else:
        rows, notices = table.judgments(), table.notices()
    return judgments_from(rows, source.name, scale, notices, unit="row")


class _Table:
    """The columns of a file that are wanted."""

    def __init__(self, source: Source, asked: Asked) -> None:
        self.file = source.name
        self.asked = asked
        schema, read = opened(source)
        self.names: list[str] = schema.names
        nested = [pa.types.is_nested(kind) for kind in schema.types]
        self.columns: Columns = resolved(self.names, asked, self.file, nested=nested)
        self.is_nested = LIST in self.columns.at
        self.wanted = sorted(set(self.columns.at.values()))
        wanted = [self.names[at] for at in self.wanted]
        self.table: pa.Table = read(wanted, is_nested=self.is_nested)
        self._said: list[str] = []

    def notices(self) -> list[str]:
        """Say what was taken for what, once it was read."""
        unused = unused_notice(self.file, self.columns.unused)
        return [*self.asked.notices(self.file), *self._said, *unused]

    def records(self) -> Iterator[tuple[dict[str, Any], Where]]:
        """Yield rows as objects."""
        number = 0
        for batch in self.table.to_batches(max_chunksize=_ROWS):
            for record in batch.to_pylist():
                number += 1
                yield record, Where(self.file, number, is_row=True)

    def results(self) -> Results:
        at = self.columns.at
        return Results(
            self._ids("query"),
            self._ids("document"),
            self._scores() if "score" in at else None,
            self._ranks() if "rank" in at else None,
            self._ids("system") if "system" in at else None,
        )

    def judgments(self) -> JudgmentRows:
        queries, documents = self._ids("query"), self._ids("document")
        column = self._numbers("grade")
        grades = np.array(
            [
                small_grade(value, self.file, f"row {row:,}")
                for row, value in enumerate(column.to_pylist(), 1)
            ],
            dtype=np.int64,
        )
        names, starts = query_segments(queries)
        return JudgmentRows(tuple(names), starts, documents, grades, np.arange(1, len(grades) + 1))

    def _column(self, role: str) -> pa.ChunkedArray:
        return self.table.column(self.wanted.index(self.columns.at[role]))

    def _name(self, role: str) -> str:
        return self.names[self.columns.at[role]]

    def _ids(self, role: str) -> Ids:
        column, name = self._column(role), self._name(role)
        kind = _plain(column.type)
        is_text = _is_text(kind)
        if not (is_text or pa.types.is_integer(kind)):
            raise FileError(
                self.file,
                f"column '{name}' holds {kind}, expected text for the {role}",
                "Write ids as text.",
            )
        self._check_nulls(column, role)
        if not is_text:
            self._said.append(
                f"{self.file}: column '{name}' holds whole numbers, taken as text as written."
            )
        if _size(column) > _LARGEST:
            raise too_large(self.file, _LARGEST)
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
            raise FileError(self.file, found, "Give a finite score.", place=f"row {row + 1:,}")
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
            self._said.append(f"{self.file}: {RANKS_IGNORED}")
            return None
        row = int(np.flatnonzero(odd)[0])
        found = f"rank {ranks[row]} is not a whole number"
        raise FileError(self.file, found, "Give ranks from 1.", place=f"row {row + 1:,}")

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

    def _error(self, row: int, found: str, role: str) -> FileError:
        remedy = f"Give every row a {role}, or remove the row."
        return FileError(self.file, found, remedy, place=f"row {row + 1:,}")


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
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
            if _is_text(part.type.value_type):
                lengths = compute.binary_length(part.dictionary)
                total += compute.sum(lengths.take(part.indices).cast(pa.int64())).as_py() or 0
        else:
            total += part.nbytes
    return total


def opened(source: Source) -> tuple[pa.Schema, Any]:
    """Open a file: its schema, and a function that reads some of its columns.

    Text is read as a dictionary with places in it: a few bytes may stand for very long columns.
    Arrow's own threads read no stream of Python's: one that is still at it when the program ends
    aborts the program.
    """
    from pyarrow import parquet  # noqa: PLC0415 - takes long, and few files need it

    damaged = FileError(source.name, "the Parquet file is truncated or corrupt", "Write it again.")
    failures = (pa.ArrowException, OSError, OverflowError, UnicodeDecodeError, MemoryError)
    try:
        schema = parquet.ParquetFile(source.stream(), pre_buffer=False).schema_arrow
        texts = [field.name for field in schema if _is_text(field.type)]
        file = parquet.ParquetFile(source.stream(), read_dictionary=texts, pre_buffer=False)
    except failures:
        raise damaged from None

    def read(names: Sequence[str], *, is_nested: bool) -> pa.Table:
        try:
            if file.metadata.num_rows * len(names) * _PLACE > _LARGEST:
                raise too_large(source.name, _LARGEST)
            parts = _batches(file, names) if is_nested else _row_groups(file, names)
            tables, size = [], 0
            for table in parts:
                size += table.nbytes
                if size > _LARGEST:
                    raise too_large(source.name, _LARGEST)
                tables.append(table)
            if not tables:
                return schema.empty_table().select(list(names))
            whole = pa.concat_tables(tables).select(list(names))
            whole.validate(full=True)
        except FileError:
            raise
        except failures:
            raise damaged from None
        return whole

    return schema, read


def _row_groups(file: Any, names: Sequence[str]) -> Iterator[pa.Table]:
    for number in range(file.num_row_groups):
        yield file.read_row_group(number, columns=list(names), use_threads=False)


def _batches(file: Any, names: Sequence[str]) -> Iterator[pa.Table]:
    """Read rows with lists a few at a time: their text is no dictionary."""
    for batch in file.iter_batches(batch_size=_ROWS, columns=list(names), use_threads=False):
        yield pa.Table.from_batches([batch])
