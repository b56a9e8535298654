"""CSV and TSV with a header line; or without one, where somebody gave the numbers of columns."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import FileError, counted
from core.formats.column_names import JUDGMENTS, RUN, known_names
from core.formats.column_search import resolved
from core.formats.columns import Asked
from core.formats.delimited_rows import Layout, Rows
from core.formats.fields import RANKS_IGNORED, is_number
from core.formats.headers import (
    delimiter_of,
    first_line_of,
    header_end,
    is_header,
    lines_before,
    split_line,
)
from core.formats.parallel import in_order
from core.formats.quoting import QUOTES_ARE_TEXT, may_be_quoted, separated_rows
from core.formats.records import unused_notice
from core.formats.results import Results, RunsInParts
from core.formats.rows import judgments_from
from core.formats.source import Source, decoded_text
from core.judgments import Judgments
from core.runs import Run

_HEADER = 1 << 20
_NO_HEADER = {
    JUDGMENTS: "query_id, doc_id, relevance",
    RUN: "query_id, doc_id, score (or rank)",
}
_BY_NUMBER = {
    JUDGMENTS: "query=1 document=2 grade=3",
    RUN: "query=1 document=2 score=3 (or rank=3)",
}
_DELIMITERS = ("\t", ",", ";")


def read_runs(source: Source, name: str | None, asked: Asked) -> tuple[Run, ...]:
    """Read the runs of a file: one, or one for each system that a column names.

    Raises
    ------
    FileError
        With the line of what is not a result, or a header that does not tell what is what.
    """
    table = _Table.of(source, asked)
    try:
        runs, ranked = _runs(table, source.cut_at_lines(table.begin), in_parts=True)
    except _CutInQuotesError:
        runs, ranked = _runs(table, [(table.begin, source.end)], in_parts=False)
    notices = table.notices()
    if not ranked:
        notices.append(f"{source.name}: {RANKS_IGNORED}")
    return tuple(replace(run, **table.reading) for run in runs.runs(name, notices))


def read_judgments(source: Source, scale: tuple[int, int] | None, asked: Asked) -> Judgments:
    """Read judgments.

    Raises
    ------
    FileError
        With the line of what is not a judgment, or the lines of two that contradict.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    table = _Table.of(source, asked)
    judgments = judgments_from(table.rows().judgments(), source.name, scale, table.notices())
    return replace(judgments, **table.reading)


class _CutInQuotesError(Exception):
    """A field in quotes goes on in the next part of the file."""


def _runs(
    table: "_Table", cuts: Iterable[tuple[int, int]], *, in_parts: bool
) -> tuple[RunsInParts, bool]:
    """Read a file in parts, or as a whole; and say whether the ranks it has can be used."""

    def read(cut: tuple[int, int]) -> Results:
        rows = table.rows(*cut)
        if not rows.are_whole and in_parts:
            raise _CutInQuotesError
        return rows.results()

    runs, ranked = RunsInParts(table.source.name), True
    for part in in_order(read, cuts):
        runs.add(part)
        ranked &= part.ranks is not None
    return runs, ranked or "rank" not in table.layout.columns.at


@dataclass(frozen=True, eq=False)
class _Table:
    """A file with its header read.

    Parameters
    ----------
    source : Source
    asked : Asked
    layout : Layout
    begin : int
        Where the header ends, or the file begins that has none.
    passed_over : int
        Lines with something in them that stand before that.
    has_header : bool
        Whether a line names the columns; otherwise they are called by their numbers.
    """

    source: Source
    asked: Asked
    layout: Layout
    begin: int
    passed_over: int = 0
    has_header: bool = True

    @classmethod
    def of(cls, source: Source, asked: Asked) -> "_Table":
        raw = source.read(source.begin, source.begin + _HEADER)
        table = cls._from_start(source, asked, raw)
        if table.begin == source.begin + len(raw) < source.end:  # The header goes on and on.
            return cls._from_start(source, asked, source.read(source.begin, source.end))
        return table

    @classmethod
    def _from_start(cls, source: Source, asked: Asked, raw: bytes) -> "_Table":
        skipped, begin = lines_before(raw[: 64 << 10]), 0
        for _ in range(skipped):
            begin = raw.find(b"\n", begin) + 1 or len(raw)
        before = [line for line in raw[:begin].split(b"\n") if line.strip(b" \t\r")]
        delimiter = _delimiter(first_line_of(raw[begin : begin + (64 << 10)]), asked)
        end = header_end(raw, begin, quoted=may_be_quoted(delimiter))
        line = skipped + 1
        text = decoded_text(raw[begin:end], source.name, line)
        header = next(separated_rows(text, delimiter, source.name, line), None)
        names = [] if header is None else [name.strip() for name in header.fields]
        has_header = not asked.highest_number or is_header(names, names)
        if not has_header:
            _check_numbers(names, asked, source.name, line)
            end, names = begin, [str(number) for number, _ in enumerate(names, 1)]
        elif any(map(is_number, names)) and not (known_names(names, asked.kind) or asked.chosen):
            raise FileError(
                source.name,
                f"no header line that names the columns, found {_quoted_line(text)}",
                f"Add one, such as {_NO_HEADER[asked.kind]}, or give the numbers of the columns: "
                f"{asked.option} {_BY_NUMBER[asked.kind]}.",
                line=line,
            )
        columns = resolved(names, asked, source.name, line=line)
        layout = Layout(delimiter, names, columns)
        return cls(source, asked, layout, source.begin + end, len(before), has_header)

    @property
    def reading(self) -> dict[str, Any]:
        """How a file without a header was read; empty: there is a header."""
        if self.has_header:
            return {}
        return {"format": "columns by number", "columns": dict(self.asked.chosen)}

    def rows(self, begin: int | None = None, end: int | None = None) -> Rows:
        """Return some of the rows, or all."""
        begin = self.begin if begin is None else begin
        return Rows(self.layout, self.source, begin, self.source.end if end is None else end)

    def notices(self) -> list[str]:
        file = self.source.name
        said = [*self.asked.notices(file), *unused_notice(file, self.layout.columns.unused)]
        if not self.has_header:
            said.append(f"{file}: no header line, columns go by their numbers.")
        if self.passed_over:
            lines = counted(self.passed_over, "line")
            where = "header" if self.has_header else "first row"
            said.append(f"{file}: {lines} before the {where} skipped.")
        if not may_be_quoted(self.layout.delimiter) and self._has_quotes():
            said.append(f"{file}: {QUOTES_ARE_TEXT}")
        return said

    def _has_quotes(self) -> bool:
        quote_first = re.compile(rb'(?:^|\n|%s)"' % self.layout.delimiter.encode())
        return any(
            quote_first.search(self.source.read(*cut))
            for cut in self.source.cut_at_lines(self.begin)
        )


def _check_numbers(fields: Sequence[str], asked: Asked, file: str, line: int) -> None:
    """Refuse a first line that lacks columns which were asked for, or that counts its columns."""
    if asked.highest_number > len(fields):
        raise FileError(
            file,
            f"{counted(len(fields), 'column')} without a header, and "
            f"{asked.option} asks for number {asked.highest_number}",
            "Count from 1: tabs, commas or semicolons separate columns, or single blanks.",
            line=line,
        )
    if list(fields) in ([str(number + start) for number in range(len(fields))] for start in (0, 1)):
        raise FileError(
            file,
            f"'{', '.join(fields)}' may be a row, or a header of numbers",
            f"Write names instead, or in a line above: {_NO_HEADER[asked.kind]}.",
            line=line,
        )


def _delimiter(line: str, asked: Asked) -> str:
    """Choose what separates fields; blanks do only where there are no other columns to count."""
    for delimiter in (*_DELIMITERS, " ") if asked.highest_number else ():
        if len(split_line(line, delimiter)) >= asked.highest_number > 1:
            return delimiter
    return delimiter_of(line, _DELIMITERS)


def _quoted_line(text: str) -> str:
    line = text.strip("\r\n")
    return f"'{line if len(line) <= 60 else line[:59] + '…'}'"
