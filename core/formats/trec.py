"""TREC runs (query Q0 document rank score tag) and qrels (query iteration document grade)."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import FileError, counted
from core.formats.column_names import JUDGMENTS, RUN, known_names
from core.formats.fields import (
    HIGHEST_RANK,
    LOWEST_RANK,
    Line,
    LineCounts,
    fast_columns,
    finite_number,
    numbers,
    query_segments,
    white_space_lines,
    whole_grade,
)
from core.formats.results import runs_from
from core.formats.rows import JudgmentRows, judgments_from
from core.formats.source import Source
from core.formats.tags import are_systems, is_only_tag, with_tags
from core.ids import Ids, distinct
from core.judgments import Judgments
from core.runs import Run, RunBlock, regrouped

_RUN_FIELDS = "query Q0 document rank score tag"
_RUN_COLUMNS = {
    "query": pa.string(),
    "q0": None,
    "document": pa.string(),
    "rank": pa.int32(),
    "score": pa.float64(),
    "tag": None,
}
_QRELS_FIELDS = "query iteration document grade"
_QRELS_COLUMNS = {
    "query": pa.string(),
    "iteration": None,
    "document": pa.string(),
    "grade": pa.int32(),
}
_WHOLE = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_IS_HEADER = "Is this a header line? Then separate the columns by tabs or commas."
_BLOCK = 4 << 20
_WINDOW = 64 << 10
_THREADS = 2


def read_runs(source: Source, name: str | None) -> tuple[Run, ...]:
    """Read a TREC run, block by block.

    A file whose tags name several systems gives a run for each: every tag then ranks its documents
    of a query from 0 or 1 on. Otherwise tags are taken for remarks, and the first names the run.

    Raises
    ------
    FileError
        With the first line that is not a result.
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        parts = list(pool.map(lambda cut: _read_block(source, *cut), _query_cuts(source)))
    filled = [part for part in parts if len(part.block)]
    if not filled:
        raise FileError(source.name, "no results found", "Is this the right file?")
    ranked = all(part.block.ranks is not None for part in filled)
    blocks = [part.block if ranked else _without_ranks(part.block) for part in filled]
    notices = _run_notices(source, parts, ranked=ranked)
    if len({part.tag for part in filled}) > 1 or any(part.tags is not None for part in filled):
        tags = _tags(filled)
        results = with_tags(blocks, tags)
        count = distinct([tags.hashes()])
        if ranked and are_systems(results):
            return runs_from(results, source.name, name, notices)
        said = f"{source.name}: {count} different tags; the first names the run."
        notices = (*notices, said)
    run = Run(
        name=name or filled[0].tag,
        blocks=regrouped(blocks),
        source=source.name,
        notices=notices,
    )
    return (run,)


def read_qrels(source: Source, scale: tuple[int, int] | None) -> Judgments:
    """Read TREC qrels.

    Raises
    ------
    FileError
        With the first line that is not a judgment, or the lines of two that contradict.
    JudgmentsError
        A grade outside the declared scale.
    """
    data = source.read(source.begin, source.end)
    rows = _fast_qrels(data)
    if rows is None:
        counts = LineCounts()
        lines = white_space_lines(data, source.name, 0, counts)
        rows = JudgmentRows.collected(_qrels_row(line, source.name) for line in lines)
        return judgments_from(rows, source.name, scale, _comment_notices(source, counts.comments))
    return judgments_from(rows, source.name, scale)


@dataclass(frozen=True, eq=False)
class _BlockRead:
    block: RunBlock
    tag: str = ""
    tags: Ids | None = None
    comments: int = 0
    wide: int = 0
    first_wide: int | None = None


@dataclass
class _Rows:
    """Results collected line by line."""

    queries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


def _read_block(source: Source, begin: int, end: int) -> _BlockRead:
    data = source.read(begin, end)
    columns = fast_columns(data, _RUN_COLUMNS, delimiter=None, skip_empty_lines=True)
    if columns is not None:
        queries, documents = (
            Ids.from_arrow(columns.column(name)) for name in ("query", "document")
        )
        scores = numbers(columns.column("score"))
        if queries.length.all() and documents.length.all() and np.isfinite(scores).all():
            block = _block(queries, documents, scores, numbers(columns.column("rank")))
            tag = _first_tag(data)
            if is_only_tag(data, tag, len(block)):
                return _BlockRead(block, tag)
            if (tags := _fast_tags(data)) is not None:
                return _BlockRead(block, tag, tags)
    return _read_block_slowly(data, source, begin)


def _read_block_slowly(data: bytes, source: Source, begin: int) -> _BlockRead:
    counts = LineCounts()
    rows = _Rows()
    tag, wide, first_wide = "", 0, None
    for line in white_space_lines(data, source.name, source.lines_before(begin), counts):
        if len(line.fields) < 6:
            raise _too_short_for_run(line, source.name)
        query, _, document, rank, score, line_tag = line.fields[:6]
        tag = tag or line_tag
        rows.tags.append(line_tag)
        if len(line.fields) > 6:
            wide, first_wide = wide + 1, first_wide or line.number
        rows.queries.append(query)
        rows.documents.append(document)
        rows.scores.append(finite_number(score, "score", source.name, line.number))
        rows.ranks.append(_rank(rank))
    ranks = None if None in rows.ranks else np.array(rows.ranks, dtype=np.int32)
    block = _block(
        Ids.from_strings(rows.queries),
        Ids.from_strings(rows.documents),
        np.array(rows.scores, dtype=np.float64),
        ranks,
    )
    tags = Ids.from_strings(rows.tags) if len(set(rows.tags)) > 1 else None
    return _BlockRead(block, tag, tags, counts.comments, wide, first_wide)


def _block(
    queries: Ids,
    documents: Ids,
    scores: NDArray[np.float64],
    ranks: NDArray[np.int32] | None,
) -> RunBlock:
    """Build a block from rows; a query told in several places is brought together later."""
    names, starts = query_segments(queries)
    return RunBlock(tuple(names), starts, documents, scores, ranks)


def _without_ranks(block: RunBlock) -> RunBlock:
    return replace(block, ranks=None)


def _rank(text: str) -> int | None:
    """Read a rank; None where it is not a whole number that a rank can be."""
    if not _WHOLE.fullmatch(text):
        return None
    return value if LOWEST_RANK <= (value := int(text)) <= HIGHEST_RANK else None


def _fast_tags(data: bytes) -> Ids | None:
    """Read the tags of a block that was read fast; None: all are equal."""
    columns = dict.fromkeys(_RUN_COLUMNS) | {"tag": pa.string()}
    batch = fast_columns(data, columns, delimiter=None, skip_empty_lines=True)
    assert batch is not None
    tags = Ids.from_arrow(batch.column("tag"))
    return tags if len(tags.changes()) > 1 else None


def _tags(parts: Sequence[_BlockRead]) -> Ids:
    """Return the tag of each row."""
    return Ids.concatenated(
        [
            Ids.from_strings([part.tag]).take(np.zeros(len(part.block), dtype=np.int64))
            if part.tags is None
            else part.tags
            for part in parts
        ]
    )


def _first_tag(data: bytes) -> str:
    data = data.lstrip(b"\r\n")
    end = data.find(b"\n")
    first = data[: end if end >= 0 else None].rstrip(b"\r")
    return re.split(rb"[ \t]", first)[5].decode()


def _run_notices(source: Source, parts: list[_BlockRead], *, ranked: bool) -> tuple[str, ...]:
    notices = _comment_notices(source, sum(part.comments for part in parts))
    if wide := sum(part.wide for part in parts):
        first = next(part.first_wide for part in parts if part.first_wide)
        notices.append(
            f"{source.name}: {counted(wide, 'line')} with more than 6 columns, first line "
            f"{first:,}; what follows the tag is ignored."
        )
    if not ranked:
        notices.append(f"{source.name}: the rank column is not made of whole numbers; ignored.")
    return tuple(notices)


def _comment_notices(source: Source, comments: int) -> list[str]:
    if not comments:
        return []
    return [
        f"{source.name}: {counted(comments, 'comment line')} skipped (a line that starts with #)."
    ]


def _too_short_for_run(line: Line, file: str) -> FileError:
    count = len(line.fields)
    found = f"{counted(count, 'column')}, expected 6 ({_RUN_FIELDS})"
    if count > 1 and known_names(line.fields, RUN) > 1:
        return FileError(file, found, _IS_HEADER, line=line.number)
    remedy = {
        1: _one_column(line),
        3: "Three columns without a header: is the third one a rank or a score? "
        "Say so in a header line, query_id doc_id score (or rank), with tabs between.",
        4: "Is this a qrels file?",
        5: "Is the tag missing?",
    }.get(count, "Is this a TREC run?")
    return FileError(file, found, remedy, line=line.number)


def _fast_qrels(data: bytes) -> JudgmentRows | None:
    columns = fast_columns(data, _QRELS_COLUMNS, delimiter=None, skip_empty_lines=False)
    return None if columns is None else JudgmentRows.from_columns(columns, first_line=1)


def _qrels_row(line: Line, file: str) -> tuple[str, str, int, int]:
    if len(line.fields) != 4:
        raise _not_qrels(line, file)
    query, _, document, grade = line.fields
    return query, document, whole_grade(grade, file, line.number), line.number


def _not_qrels(line: Line, file: str) -> FileError:
    count = len(line.fields)
    found = f"{counted(count, 'column')}, expected 4 ({_QRELS_FIELDS})"
    if count > 1 and known_names(line.fields, JUDGMENTS) > 1:
        return FileError(file, found, _IS_HEADER, line=line.number)
    remedy = {
        1: _one_column(line),
        3: "Is the second column missing? Give every line the same columns.",
        6: "Is this a run?",
    }.get(count, "Are these qrels?")
    return FileError(file, found, remedy, line=line.number)


def _one_column(line: Line) -> str:
    if "|" in line.fields[0]:
        return "Separate the columns by tabs or commas, with a header line that names them."
    if "," in line.fields[0]:
        return "Comma-separated files need a header line that names the columns."
    return "Are the columns separated by blanks or tabs?"


def _query_cuts(source: Source) -> list[tuple[int, int]]:
    """Cut a file into ranges of about 4 MiB, where one line's query differs from the last one's."""
    cuts = [source.begin]
    while cuts[-1] + _BLOCK < source.end:
        cut = _next_query(source, cuts[-1] + _BLOCK)
        if cut is None:
            break
        cuts.append(cut)
    return list(pairwise([*cuts, source.end]))


def _next_query(source: Source, position: int) -> int | None:
    """Find the first line after a position whose query differs from the line before it."""
    window = _WINDOW
    while True:
        data = source.read(position, position + window)
        at = data.find(b"\n") + 1
        previous: list[bytes] | None = None
        while at and (end := data.find(b"\n", at)) >= 0:
            query = data[at:end].split(None, 1)[:1]
            if previous is not None and query != previous:
                return position + at
            previous, at = query, end + 1
        if position + window >= source.end:
            return None
        window *= 4
