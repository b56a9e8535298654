"""TREC runs: query Q0 document rank score tag."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa

from core.errors import FileError, counted, shortened
from core.formats.column_names import RUN
from core.formats.fields import (
    HIGHEST_RANK,
    LOWEST_RANK,
    Line,
    LineCounts,
    fast_columns,
    finite_number,
    is_number,
    numbers,
    white_space_lines,
)
from core.formats.headers import first_line_of
from core.formats.parallel import in_order
from core.formats.results import Results, RunsInParts
from core.formats.source import Source
from core.formats.tags import are_systems, is_only_tag
from core.formats.trec import comment_notices, remedy_for
from core.ids import Ids
from core.runs import Run

_FIELDS = "query Q0 document rank score tag"
_COLUMNS = {
    "query": pa.string(),
    "q0": None,
    "document": pa.string(),
    "rank": pa.int32(),
    "score": pa.float64(),
    "tag": None,
}
_WHOLE = re.compile(r"[+-]?\d{1,300}", re.ASCII)


def is_run(head: bytes) -> bool:
    """Whether the first line is a result: its fourth field a whole number, its fifth a number.

    Where tabs separate fields, blanks belong to them.
    """
    line = first_line_of(head)
    fields = list(filter(None, line.split("\t" if "\t" in line else " ")))
    return len(fields) == 6 and bool(_WHOLE.fullmatch(fields[3])) and is_number(fields[4])


def read_runs(source: Source, name: str | None) -> tuple[Run, ...]:
    """Read a TREC run, part by part.

    A file whose tags name several systems gives a run for each: every tag then ranks its documents
    of a query from 0 or 1 on. Otherwise tags are taken for remarks, and the first names the run.

    Raises
    ------
    FileError
        With the first line that is not a result.
    """
    runs, told = RunsInParts(source.name), _Told()
    read = partial(_read, source)
    for part in in_order(read, source.cut_at_lines()):
        if len(part.results):
            runs.add(part.results)
        told.add(part)
    notices = told.notices(source.name)
    if told.several_tags:
        whole = Results.concatenated(
            [part.with_systems() for part in map(read, source.cut_at_lines()) if len(part.results)]
        )
        if are_systems(whole):
            systems = RunsInParts(source.name)
            systems.add(whole)
            return systems.runs(name, notices)
        count = len(whole.systems.numbered()[0]) if whole.systems else 0
        notices.append(f"{source.name}: {count:,} different tags; the first names the run.")
    return runs.runs(name or told.tag, notices)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some lines of a file.

    Parameters
    ----------
    results : Results
    tag : str
        The first tag.
    tags : Ids or None
        The tag of each row. None: all are equal.
    comments, wide : int
        Comment lines, and lines with more than six columns.
    first_wide : int or None
        The first of those.
    """

    results: Results
    tag: str
    tags: Ids | None = None
    comments: int = 0
    wide: int = 0
    first_wide: int | None = None

    def with_systems(self) -> Results:
        """Return the results with their tags as systems."""
        tags = self.tags
        if tags is None:
            tags = Ids.from_strings([self.tag]).take(np.zeros(len(self.results), dtype=np.int64))
        return replace(self.results, systems=tags)


@dataclass
class _Told:
    """What is said of a file, summed over its parts."""

    tag: str = ""
    several_tags: bool = False
    ranked: bool = True
    comments: int = 0
    wide: int = 0
    first_wide: int | None = None

    def add(self, part: _Part) -> None:
        self.comments += part.comments
        if not len(part.results):
            return
        self.several_tags |= part.tags is not None or self.tag not in ("", part.tag)
        self.tag = self.tag or part.tag
        self.ranked &= part.results.ranks is not None
        self.wide += part.wide
        self.first_wide = self.first_wide or part.first_wide

    def notices(self, file: str) -> list[str]:
        said = comment_notices(file, self.comments)
        if self.wide:
            said.append(
                f"{file}: {counted(self.wide, 'line')} with more than 6 columns, first line "
                f"{self.first_wide:,}; what follows the tag is ignored."
            )
        if not self.ranked:
            said.append(f"{file}: the rank column is not made of whole numbers; ignored.")
        return said


def _read(source: Source, cut: tuple[int, int]) -> _Part:
    begin, end = cut
    data = source.read(begin, end)
    columns = fast_columns(data, _COLUMNS, delimiter=None, skip_empty_lines=True)
    if columns is not None:
        queries, documents = (
            Ids.from_arrow(columns.column(name)) for name in ("query", "document")
        )
        scores, ranks = (numbers(columns.column(name)) for name in ("score", "rank"))
        if queries.length.all() and documents.length.all() and np.isfinite(scores).all():
            results = Results(queries, documents, scores, ranks)
            tag = _first_tag(data)
            is_only = is_only_tag(data, tag, len(results))
            return _Part(results, tag, None if is_only else _fast_tags(data))
    return _read_slowly(data, source, begin)


@dataclass
class _Rows:
    """Results collected line by line."""

    queries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


def _read_slowly(data: bytes, source: Source, begin: int) -> _Part:
    counts, rows = LineCounts(), _Rows()
    wide, first_wide = 0, None
    for line in white_space_lines(data, source.name, source.lines_before(begin), counts):
        if len(line.fields) < 6:
            raise _too_short(line, source.name)
        query, _, document, rank, score, tag = line.fields[:6]
        if len(line.fields) > 6:
            _check_tabs(line, source.name)
            wide, first_wide = wide + 1, first_wide or line.number
        rows.queries.append(query)
        rows.documents.append(document)
        if not is_number(score):
            _check_columns_between_tabs(line, source.name)
        rows.scores.append(finite_number(score, "score", source.name, line.number))
        rows.ranks.append(_rank(rank))
        rows.tags.append(tag)
    results = Results(
        Ids.from_strings(rows.queries),
        Ids.from_strings(rows.documents),
        np.array(rows.scores, dtype=np.float64),
        None if None in rows.ranks else np.array(rows.ranks, dtype=np.int32),
    )
    tags = Ids.from_strings(rows.tags) if len(set(rows.tags)) > 1 else None
    return _Part(results, next(iter(rows.tags), ""), tags, counts.comments, wide, first_wide)


def _rank(text: str) -> int | None:
    """Read a rank; None where it is not a whole number that a rank can be."""
    if not _WHOLE.fullmatch(text):
        return None
    return value if LOWEST_RANK <= (value := int(text)) <= HIGHEST_RANK else None


def _fast_tags(data: bytes) -> Ids | None:
    """Read the tags of a block that was read fast; None: all are equal."""
    columns = dict.fromkeys(_COLUMNS) | {"tag": pa.string()}
    batch = fast_columns(data, columns, delimiter=None, skip_empty_lines=True)
    assert batch is not None
    tags = Ids.from_arrow(batch.column("tag"))
    return tags if len(tags.changes()) > 1 else None


def _first_tag(data: bytes) -> str:
    data = data.lstrip(b"\r\n")
    end = data.find(b"\n")
    first = data[: end if end >= 0 else None].rstrip(b"\r")
    return re.split(rb"[ \t]", first)[5].decode()


def _check_tabs(line: Line, file: str) -> None:
    """Refuse a blank inside a field, where tabs separate the six: blanks separate fields, too."""
    told = line.text.split("\t")
    inner = next((field for field in told[:5] if " " in field.strip(" ")), None)
    if len(told) == 6 and inner is not None:
        raise FileError(
            file,
            f"a blank inside '{shortened(inner.strip(' '))}', and blanks separate fields, too",
            "Replace it, or give the file a header line that names the columns.",
            line=line.number,
        )


def _check_columns_between_tabs(line: Line, file: str) -> None:
    """Refuse fewer than six columns with tabs between, of which some hold blanks."""
    told = line.text.split("\t")
    if 1 < len(told) < 6:
        found = f"{len(told)} columns between tabs, expected 6 ({_FIELDS})"
        raise FileError(file, found, _by_number(told), line=line.number)


def _too_short(line: Line, file: str) -> FileError:
    found = f"{counted(len(line.fields), 'column')}, expected 6 ({_FIELDS})"
    remedy = remedy_for(line, RUN, {}, _by_number(line.fields))
    return FileError(file, found, remedy, line=line.number)


def _by_number(fields: Sequence[str]) -> str:
    """Say which columns these may be, so that somebody can give their numbers."""
    ranked = "document=2 rank=3 score=4"
    match len(fields):
        case 3:
            asks, columns = (
                "Is the third column a rank or a score?",
                "document=2 rank=3 (or score=3)",
            )
        case 4 if is_number(fields[2]) and is_number(fields[3]):
            asks, columns = "Is this a qrels file?" if _WHOLE.fullmatch(fields[3]) else "", ranked
        case 4 if _WHOLE.fullmatch(fields[3]):
            return "Is this a qrels file?"
        case 5 if is_number(fields[2]) and is_number(fields[3]):
            asks, columns = "Is the second column (Q0) missing?", ranked
        case 5:
            asks, columns = "Is the tag missing?", "document=3 rank=4 score=5"
        case _:
            return "Which column is a rank or a score? A run has one of them."
    said = f"Give the numbers of a run's columns: --run-column query=1 {columns}."
    return f"{asks} {said}".strip()
