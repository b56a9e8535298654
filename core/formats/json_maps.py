"""JSON maps: {query: {document: score or grade}} and {query: [document, …]}."""

import re
from typing import Any

from core.errors import FileError
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

_BEGINS = re.compile(rb"\s*(?:\{|\[\s*[\[{\"])")


def is_object(head: bytes, name: str = "") -> bool:
    """Whether a file begins like JSON; a list is recognised, and refused when it is read."""
    del name
    return _BEGINS.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def read_run(source: Source, name: str | None) -> Run:
    """Read `{query: {document: score}}` or `{query: [document, …]}`.

    Raises
    ------
    FileError
        With the line of what is not JSON, or the query and document of a value that is no score.
    RunError
        Some queries have scores and some are plain lists.
    """
    file = source.name
    results = _queries(source)
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


def read_judgments(source: Source, scale: tuple[int, int] | None) -> Judgments:
    """Read `{query: {document: grade}}`.

    Raises
    ------
    FileError
        With the line of what is not JSON, or the query and document of a value that is no grade.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    file = source.name
    judged: dict[str, dict[str, int]] = {}
    for query_id, grades in _queries(source).items():
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
    chunks = _object(source, "Give {chunk: document}.")
    for chunk, document in chunks.items():
        check_id(document, source.name, f"chunk {quoted(chunk)}")
    return chunks


def _queries(source: Source) -> dict[str, Any]:
    """Parse the file: one object with a query a key."""
    remedy = f"{MAP_SHAPE} Objects for single results belong on a line each (JSONL)."
    return _object(source, remedy)


def _object(source: Source, remedy: str) -> dict[str, Any]:
    """Parse the file: one object whose keys are ids."""
    entries = parsed(source.text(), source.name)
    if not isinstance(entries, dict):
        found = f"a JSON {'list' if isinstance(entries, list) else 'value'}, expected one object"
        raise FileError(source.name, found, remedy)
    for key in entries:
        check_id(key, source.name)
    return entries
