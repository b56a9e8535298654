"""CSV and TSV with a header line that names the columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.errors import FileError, counted
from core.formats.column_names import JUDGMENTS, RUN, known_names
from core.formats.columns import Asked, Columns, resolved
from core.formats.fields import (
    RANKS_IGNORED,
    Line,
    arrow_table,
    finite_number,
    is_number,
    is_utf8,
    numbers,
    whole_grade,
    whole_rank,
)
from core.formats.headers import delimiter_of, first_line_of, header_end, lines_before
from core.formats.quoting import QUOTES_ARE_TEXT, quotes_fit, separated_rows, wrong_count
from core.formats.records import unused_notice
from core.formats.results import Results, runs_from
from core.formats.rows import JudgmentRows, judgments_from
from core.formats.source import Source, decoded_text
from core.ids import Ids
from core.judgments import Judgments
from core.runs import Run

_BLOCK = 4 << 20
_TYPES = {"score": pa.float64(), "rank": pa.int32(), "grade": pa.int32()}
_NO_HEADER = {
    JUDGMENTS: "query_id, doc_id, relevance",
    RUN: "query_id, doc_id, score (or rank)",
}


def read_runs(source: Source, name: str | None, asked: Asked) -> tuple[Run, ...]:
    """Read the runs of a file: one, or one for each system that a column names.

    Raises
    ------
    FileError
        With the line of what is not a result, or a header that does not tell what is what.
    """
    table = _Table.of(source, asked)
    notices = table.notices()
    if (results := table.results_fast()) is None:
        results = table.results_slowly(notices)
    if table.columns.smaller_is_better and results.scores is not None:
        results = Results(
            results.queries,
            results.documents,
            0.0 - results.scores,
            results.ranks,
            results.systems,
        )
    return runs_from(results, source.name, name, notices)


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
    rows = table.judgments_fast() or table.judgments_slowly()
    return judgments_from(rows, source.name, scale, table.notices())


@dataclass(frozen=True, eq=False)
class _Table:
    """A file with its header read.

    Parameters
    ----------
    file : str
    asked : Asked
    delimiter : str
    names : sequence of str
        As the header has them.
    columns : Columns
    data : bytes
        What follows the header.
    first_line : int
        The line where that begins.
    passed_over : int
        Lines with something in them that stand before the header.
    """

    file: str
    asked: Asked
    delimiter: str
    names: Sequence[str]
    columns: Columns
    data: bytes
    first_line: int
    passed_over: int = 0

    @classmethod
    def of(cls, source: Source, asked: Asked) -> "_Table":
        raw = source.read(source.begin, source.end)
        skipped, begin = lines_before(raw[: 64 << 10]), 0
        for _ in range(skipped):
            begin = raw.find(b"\n", begin) + 1 or len(raw)
        before = [line for line in raw[:begin].split(b"\n") if line.strip(b" \t\r")]
        delimiter = delimiter_of(first_line_of(raw[begin : begin + (64 << 10)]), ("\t", ",", ";"))
        end = header_end(raw, begin, quoted=delimiter != "\t")
        text = decoded_text(raw[begin:end], source.name, skipped + 1)
        line = skipped + 1
        header = next(separated_rows(text, delimiter, source.name, line), None)
        names = [] if header is None else [name.strip() for name in header.fields]
        is_data = any(map(is_number, names)) and not known_names(names, asked.kind)
        if is_data and not asked.chosen:
            raise FileError(
                source.name,
                f"no header line that names the columns, found {_quoted_line(text)}",
                f"Add one, such as {_NO_HEADER[asked.kind]}.",
                line=line,
            )
        columns = resolved(names, asked, source.name, line=line)
        lines = raw.count(b"\n", begin, end)
        return cls(
            source.name,
            asked,
            delimiter,
            names,
            columns,
            raw[end:],
            line + max(lines, 1),
            len(before),
        )

    def notices(self) -> list[str]:
        said = [
            *self.asked.notices(self.file),
            *unused_notice(self.file, self.columns.unused),
        ]
        if self.passed_over:
            lines = counted(self.passed_over, "line")
            said.append(f"{self.file}: {lines} before the header skipped.")
        if self.delimiter == "\t" and re.search(rb'(?:^|\t|\n)"', self.data):
            said.append(f"{self.file}: {QUOTES_ARE_TEXT}")
        return said

    def results_fast(self) -> Results | None:
        """Read a clean body; None: something is odd."""
        table = self._fast(skip_empty_lines=True)
        if table is None:
            return None
        text = {
            role: Ids.concatenated([Ids.from_arrow(part) for part in table.column(role).chunks])
            for role in ("query", "document", "system")
            if role in table.column_names
        }
        if not all(ids.length.all() for ids in text.values()):
            return None
        scores, ranks = (
            np.concatenate([numbers(part) for part in table.column(role).chunks])
            if role in table.column_names
            else None
            for role in ("score", "rank")
        )
        if scores is not None and not np.isfinite(scores).all():
            return None
        return Results(text["query"], text["document"], scores, ranks, text.get("system"))

    def judgments_fast(self) -> JudgmentRows | None:
        """Read a clean body whose rows are lines; None: something is odd."""
        table = self._fast(skip_empty_lines=False)
        if table is None or len(table) != self.data.count(b"\n") + (self.data[-1:] != b"\n"):
            return None
        batches = table.combine_chunks().to_batches()
        if len(batches) != 1:
            return None
        return JudgmentRows.from_columns(batches[0], first_line=self.first_line)

    def results_slowly(self, notices: list[str]) -> Results:
        """Read line by line, and name the line of what is odd."""
        at = self.columns.at
        text: dict[str, list[str]] = {"query": [], "document": []}
        if "system" in at:
            text["system"] = []
        scores: list[float] = []
        ranks: list[int | None] = []
        for line in self._rows():
            for role, values in text.items():
                values.append(self._id(line, role))
            if "score" in at:
                score = line.fields[at["score"]].strip(" \t")
                scores.append(
                    finite_number(score, "score", self.file, line.number, has_header=True)
                )
            if "rank" in at:
                ranks.append(self._rank(line, is_needed="score" not in at))
        if None in ranks:
            notices.append(f"{self.file}: {RANKS_IGNORED}")
        ids = {role: Ids.from_strings(values) for role, values in text.items()}
        return Results(
            ids["query"],
            ids["document"],
            np.array(scores, dtype=np.float64) if "score" in at else None,
            np.array(ranks, dtype=np.int32) if "rank" in at and None not in ranks else None,
            ids.get("system"),
        )

    def judgments_slowly(self) -> JudgmentRows:
        """Read line by line, and name the line of what is odd."""
        at = self.columns.at["grade"]
        return JudgmentRows.collected(
            (
                self._id(line, "query"),
                self._id(line, "document"),
                whole_grade(line.fields[at].strip(" \t"), self.file, line.number, has_header=True),
                line.number,
            )
            for line in self._rows()
        )

    def _rows(self) -> Iterator[Line]:
        text = decoded_text(self.data, self.file, self.first_line)
        for line in separated_rows(text, self.delimiter, self.file, self.first_line):
            if len(line.fields) != len(self.names):
                raise wrong_count(self.file, line, self.names, self.delimiter)
            yield line

    def _id(self, line: Line, role: str) -> str:
        if text := line.fields[self.columns.at[role]]:
            return text
        name = self.names[self.columns.at[role]]
        raise FileError(
            self.file,
            f"an empty {role} in column '{name}'",
            f"Give every row a {role}, or remove the row.",
            line=line.number,
        )

    def _rank(self, line: Line, *, is_needed: bool) -> int | None:
        text = line.fields[self.columns.at["rank"]].strip(" \t")
        if (rank := whole_rank(text)) is None and is_needed:
            raise FileError(
                self.file,
                f"rank '{text}' is not a whole number",
                "Give ranks from 1, or add a column of scores.",
                line=line.number,
            )
        return rank

    def _fast(self, *, skip_empty_lines: bool) -> pa.Table | None:
        """Read the columns by role, with numbers as such; None: something is odd."""
        quoted = self.delimiter != "\t" and b'"' in self.data
        if not (self.data and self._is_clean(quoted=quoted)):
            return None
        places = {number: role for role, number in self.columns.at.items()}
        names = [places.get(number, f"-{number}") for number in range(len(self.names))]
        wanted = {role: _TYPES.get(role, pa.string()) for role in self.columns.at}
        table = arrow_table(
            self.data,
            names,
            wanted,
            delimiter=self.delimiter,
            quoted=quoted,
            skip_empty_lines=skip_empty_lines,
            block_size=_BLOCK,
        )
        return table if table is not None and len(table) else None

    def _is_clean(self, *, quoted: bool) -> bool:
        """Whether nothing is there that the column reader takes otherwise than RFC 4180 does."""
        data = self.data
        if data.startswith(b"\xef\xbb\xbf") or data.count(b"\r") != data.count(b"\r\n"):
            return False
        if any(mark in data for mark in (b"0x", b"0X")):
            return False
        return is_utf8(data) and (not quoted or quotes_fit(data))


def _quoted_line(text: str) -> str:
    line = text.strip("\r\n")
    return f"'{line if len(line) <= 60 else line[:59] + '…'}'"
