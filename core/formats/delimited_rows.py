"""What follows the header of CSV and TSV: read as columns where it is clean, or line by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from core.errors import FileError
from core.formats.columns import Columns
from core.formats.fields import (
    Line,
    arrow_table,
    finite_number,
    is_utf8_text,
    numbers,
    whole_grade,
    whole_rank,
)
from core.formats.quoting import may_be_quoted, quotes_fit, separated_rows, wrong_count
from core.formats.results import Results
from core.formats.rows import JudgmentRows
from core.formats.source import Source, decoded_text
from core.ids import Ids

_BLOCK = 4 << 20
_TYPES = {"score": pa.float64(), "rank": pa.int32(), "grade": pa.int32()}


@dataclass(frozen=True)
class Layout:
    """What a header tells.

    Parameters
    ----------
    delimiter : str
    names : sequence of str
        As the header has them.
    columns : Columns
    """

    delimiter: str
    names: Sequence[str]
    columns: Columns


@dataclass(frozen=True, eq=False)
class Rows:
    """Lines of a file that stand behind its header.

    Parameters
    ----------
    layout : Layout
    source : Source
    begin, end : int
        Where they lie.
    """

    layout: Layout
    source: Source
    begin: int
    end: int

    @cached_property
    def are_whole(self) -> bool:
        """Whether no field in quotes goes on in the next lines."""
        return not self._is_quoted or quotes_fit(self._data)

    def results(self) -> Results:
        """Read results.

        Raises
        ------
        FileError
            With the line of what is not a result.
        """
        results = self._results_fast()
        if results is None:
            results = self._results_slowly()
        if not self.layout.columns.smaller_is_better or results.scores is None:
            return results
        return replace(results, scores=0.0 - results.scores)

    def judgments(self) -> JudgmentRows:
        """Read judgments.

        Raises
        ------
        FileError
            With the line of what is not a judgment.
        """
        return self._judgments_fast() or self._judgments_slowly()

    @cached_property
    def _data(self) -> bytes:
        return self.source.read(self.begin, self.end)

    @property
    def _file(self) -> str:
        return self.source.name

    @property
    def _first_line(self) -> int:
        return self.source.lines_before(self.begin) + 1

    @cached_property
    def _is_quoted(self) -> bool:
        return may_be_quoted(self.layout.delimiter) and b'"' in self._data

    def _results_fast(self) -> Results | None:
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

    def _judgments_fast(self) -> JudgmentRows | None:
        """Read a clean body whose rows are lines; None: something is odd."""
        table = self._fast(skip_empty_lines=False)
        if table is None or len(table) != self._data.count(b"\n") + (self._data[-1:] != b"\n"):
            return None
        batches = table.combine_chunks().to_batches()
        if len(batches) != 1:
            return None
        return JudgmentRows.from_columns(batches[0], first_line=self._first_line)

    def _results_slowly(self) -> Results:
        """Read line by line, and name the line of what is odd."""
        at = self.layout.columns.at
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
                    finite_number(score, "score", self._file, line.number, has_header=True)
                )
            if "rank" in at:
                ranks.append(self._rank(line, is_needed="score" not in at))
        ids = {role: Ids.from_strings(values) for role, values in text.items()}
        return Results(
            ids["query"],
            ids["document"],
            np.array(scores, dtype=np.float64) if "score" in at else None,
            np.array(ranks, dtype=np.int32) if "rank" in at and None not in ranks else None,
            ids.get("system"),
        )

    def _judgments_slowly(self) -> JudgmentRows:
        """Read line by line, and name the line of what is odd."""
        at = self.layout.columns.at["grade"]
        return JudgmentRows.collected(
            (
                self._id(line, "query"),
                self._id(line, "document"),
                whole_grade(line.fields[at].strip(" \t"), self._file, line.number, has_header=True),
                line.number,
            )
            for line in self._rows()
        )

    def _rows(self) -> Iterator[Line]:
        text = decoded_text(self._data, self._file, self._first_line)
        for line in separated_rows(text, self.layout.delimiter, self._file, self._first_line):
            if len(line.fields) != len(self.layout.names):
                raise wrong_count(self._file, line, self.layout.names, self.layout.delimiter)
            yield line

    def _id(self, line: Line, role: str) -> str:
        if text := line.fields[self.layout.columns.at[role]]:
            return text
        name = self.layout.names[self.layout.columns.at[role]]
        raise FileError(
            self._file,
            f"an empty {role} in column '{name}'",
            f"Give every row a {role}, or remove the row.",
            line=line.number,
        )

    def _rank(self, line: Line, *, is_needed: bool) -> int | None:
        text = line.fields[self.layout.columns.at["rank"]].strip(" \t")
        if (rank := whole_rank(text)) is None and is_needed:
            raise FileError(
                self._file,
                f"rank '{text}' is not a whole number",
                "Give ranks from 1, or add a column of scores.",
                line=line.number,
            )
        return rank

    def _fast(self, *, skip_empty_lines: bool) -> pa.Table | None:
        """Read the columns by role, with numbers as such; None: something is odd."""
        if not (self._data and self._is_clean()):
            return None
        places = {number: role for role, number in self.layout.columns.at.items()}
        names = [places.get(number, f"-{number}") for number in range(len(self.layout.names))]
        wanted = {role: _TYPES.get(role, pa.string()) for role in self.layout.columns.at}
        table = arrow_table(
            self._data,
            names,
            wanted,
            delimiter=self.layout.delimiter,
            quoted=self._is_quoted,
            skip_empty_lines=skip_empty_lines,
            block_size=_BLOCK,
        )
        return table if table is not None and len(table) else None

    def _is_clean(self) -> bool:
        """Whether nothing is there that the column reader takes otherwise than RFC 4180 does."""
        data = self._data
        if data.startswith(b"\xef\xbb\xbf") or data.count(b"\r") != data.count(b"\r\n"):
            return False
        if any(mark in data for mark in (b"0x", b"0X")):
            return False
        return is_utf8_text(data) and self.are_whole
