"""Parquet with columns by name: one result a row, or one query a row with a list of documents."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from core.formats.column_names import LIST
from core.formats.column_search import resolved
from core.formats.columns import Asked, Columns
from core.formats.parquet_file import ParquetFile
from core.formats.places import Where
from core.formats.record_rows import judgments_of, runs_of
from core.formats.records import unused_notice
from core.formats.results import Results, RunsInParts
from core.formats.rows import JudgmentRows, judgments_from
from core.formats.source import PARQUET, Source
from core.formats.table_parts import TablePart, Told
from core.judgments import Judgments
from core.runs import Run


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
        runs, notices = runs_of(table.records(), asked, source.name)
        return runs.runs(name, notices)
    runs = RunsInParts(source.name)
    for part in table.results():
        runs.add(part)
    return runs.runs(name, table.notices())


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
    """The columns of a file that are wanted, read some rows at a time."""

    def __init__(self, source: Source, asked: Asked) -> None:
        self.file = source.name
        self.asked = asked
        self._parquet = ParquetFile(source)
        self.names: list[str] = self._parquet.schema.names
        nested = [pa.types.is_nested(kind) for kind in self._parquet.schema.types]
        self.columns: Columns = resolved(self.names, asked, self.file, nested=nested)
        self.is_nested = LIST in self.columns.at
        self._wanted = sorted(set(self.columns.at.values()))
        self._told = Told()

    def notices(self) -> list[str]:
        """Say what was taken for what, once it was read."""
        unused = unused_notice(self.file, self.columns.unused)
        return [*self.asked.notices(self.file), *self._told.notices, *unused]

    def records(self) -> Iterator[tuple[dict[str, Any], Where]]:
        """Yield rows as objects."""
        number = 0
        for table in self._parquet.tables(self._wanted):
            for record in table.to_pylist():
                number += 1
                yield record, Where(self.file, number, "row")

    def results(self) -> Iterator[Results]:
        """Yield the results."""
        for part in self._parts():
            yield part.results()

    def judgments(self) -> JudgmentRows:
        """Return the judgments."""
        return JudgmentRows.concatenated([part.judgments() for part in self._parts()])

    def _parts(self) -> Iterator[TablePart]:
        row = 1
        for table in self._parquet.tables(self._wanted):
            yield TablePart(table, self.columns, self.names, self.file, row, self._told)
            row += len(table)
