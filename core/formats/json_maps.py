"""JSON maps, {query: {document: score or grade}} and {query: [document, …]}, or objects."""

import re
from typing import Any

from core.errors import FileError
from core.formats.columns import Asked
from core.formats.json_records import records_in
from core.formats.json_values import (
    MAP_SHAPE,
    check_id,
    entry,
    finite_score,
    parsed,
    quoted,
    shown,
    small_grade,
)
from core.formats.source import Source
from core.judgments import Judgments
from core.runs import Run

OF_SCORES = "JSON {query: {document: score}}"
OF_GRADES = "JSON {query: {document: grade}}"
_BEGINS = re.compile(rb"\s*(?:\{|\[\s*[\[{\"])")


def is_object(head: bytes, name: str = "") -> bool:
    """Whether a file begins like JSON: a map, or a list."""
    del name
    return _BEGINS.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def read_runs(source: Source, name: str | None, asked: Asked) -> tuple[Run, ...]:
    """Read `{query: {document: score}}`, `{query: [document, …]}`, or objects as JSON lines.

    Raises
    ------
    FileError
        With the line of what is not JSON, or the query and document of a value that is no score.
    RunError
        Some queries have scores and some are plain lists.
    """
    file = source.name
    document = parsed(source.text(), file)
    if records := records_in(document, asked, file):
        return records.runs(name)
    asked.require_none(file, OF_SCORES)
    return (_run(_object(document, file, MAP_SHAPE), file, name),)


def _run(results: dict[str, Any], file: str, name: str | None) -> Run:
    if not results:
        raise FileError(file, "no results found", "Is this the right file?")
    for query_id, ranking in results.items():
        if isinstance(ranking, dict):
            for document, score in ranking.items():
                finite_score(score, file, entry(query_id, document))
        elif not isinstance(ranking, list):
            found = f"expected documents, found {shown(ranking)}"
            remedy = "Give {document: score}, or a list of document ids, best first."
            raise FileError(file, found, remedy, place=entry(query_id))
        for document in ranking:
            check_id(document, file, entry(query_id))
    return Run.from_dict(name or "", results, source=file)


def read_judgments(source: Source, scale: tuple[int, int] | None, asked: Asked) -> Judgments:
    """Read `{query: {document: grade}}`, or objects as JSON lines have them.

    Raises
    ------
    FileError
        With the line of what is not JSON, or the query and document of a value that is no grade.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    file = source.name
    content = parsed(source.text(), file)
    if records := records_in(content, asked, file):
        return records.judgments(scale)
    asked.require_none(file, OF_GRADES)
    judged: dict[str, dict[str, int]] = {}
    for query_id, grades in _object(content, file, MAP_SHAPE).items():
        if not isinstance(grades, dict):
            found = f"expected {{document: grade}}, found {shown(grades)}"
            raise FileError(file, found, "Give each document its grade.", place=entry(query_id))
        judged[query_id] = {
            document: small_grade(grade, file, entry(query_id, document))
            for document, grade in grades.items()
        }
        for document in grades:
            check_id(document, file, entry(query_id))
    return Judgments.from_dict(judged, scale=scale, source=file)


def read_chunk_map(source: Source) -> dict[str, str]:
    """Read `{chunk: document}`.

    Raises
    ------
    FileError
        With the line of what is not JSON, or the chunk whose document is no id.
    """
    content = parsed(source.text(), source.name)
    chunks = _object(content, source.name, "Give {chunk: document}.")
    for chunk, document in chunks.items():
        check_id(document, source.name, f"chunk {quoted(chunk)}")
    return chunks


def _object(content: Any, file: str, remedy: str) -> dict[str, Any]:
    """Return the content of a file: one object whose keys are ids."""
    if not isinstance(content, dict):
        found = f"a JSON {'list' if isinstance(content, list) else 'value'}, expected one object"
        raise FileError(file, found, remedy)
    for key in content:
        check_id(key, file)
    return content
