"""JSON lines: one result a line, or one query a line with a list of documents."""

import json
from collections.abc import Iterator
from typing import Any

from core.errors import FileError
from core.formats.column_names import RUN, known_names
from core.formats.columns import Asked
from core.formats.fields import decoded
from core.formats.json_values import object_shape, parsed, shown
from core.formats.places import Where
from core.formats.record_rows import judgments_of, runs_of
from core.formats.rows import judgments_from
from core.formats.source import Source, has_ending
from core.judgments import Judgments
from core.runs import Run


def is_lines(head: bytes, name: str) -> bool:
    """Whether a file begins with an object on a line of its own that is not a map of queries.

    The maps hold objects or lists alone; a line names its query, which is text or a number. Of a
    first line that is longer than what is looked at, the file's name tells.
    """
    text = head.lstrip()
    if not text.startswith(b"{"):
        return False
    if has_ending(name, ".jsonl", ".ndjson"):
        return True
    line, end, _ = text.partition(b"\n")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return not end and _begins_with_scalar(line)
    if not isinstance(first, dict):
        return False
    scalars = [key for key, value in first.items() if not isinstance(value, dict | list)]
    return bool(scalars) and (len(first) > 1 or known_names(scalars, RUN) > 0)


def read_runs(source: Source, name: str | None, asked: Asked) -> tuple[Run, ...]:
    """Read the runs of a file.

    Raises
    ------
    FileError
        With the first line that is not a result, or a list of results.
    """
    runs, notices = runs_of(_records(source, asked), asked, source.name)
    return runs.runs(name, notices)


def read_judgments(source: Source, scale: tuple[int, int] | None, asked: Asked) -> Judgments:
    """Read judgments.

    Raises
    ------
    FileError
        With the first line that is not a judgment, or the lines of two that contradict.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    rows, notices = judgments_of(_records(source, asked), asked, source.name)
    return judgments_from(rows, source.name, scale, notices)


def records(source: Source, shape: str) -> Iterator[tuple[dict[str, Any], Where]]:
    """Yield the object of each line, and its place; `shape` is what to write instead.

    Raises
    ------
    FileError
        With the first line that is no object.
    """
    for number, raw in source.lines():
        if not raw.strip(b" \t\r"):
            continue
        text = decoded(raw.removesuffix(b"\r"), source.name, number)
        record = parsed(text, source.name, line=number, shape=shape)
        if not isinstance(record, dict):
            found = f"expected an object, found {shown(record)}"
            raise FileError(source.name, found, shape, line=number)
        yield record, Where(source.name, number)


def _records(source: Source, asked: Asked) -> Iterator[tuple[dict[str, Any], Where]]:
    return records(source, f"Write one object a line: {object_shape(asked.kind)}.")


def _begins_with_scalar(line: bytes) -> bool:
    """Whether the first value of an object that goes on and on is text or a number."""
    text = line.decode(errors="replace")
    try:
        _, end = json.JSONDecoder().raw_decode(text, text.index('"'))
    except ValueError:
        return False
    value = text[end:].lstrip().removeprefix(":").lstrip()
    return bool(value) and value[0] not in "{["
