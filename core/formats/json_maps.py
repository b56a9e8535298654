"""JSON maps, {query: {document: score or grade}} and {query: [document, …]}, or objects."""

import re
from collections.abc import Callable
from typing import Any, TypeGuard, TypeVar

from core.errors import FileError
from core.formats.column_names import JUDGMENTS, RUN
from core.formats.columns import Asked
from core.formats.json_records import records_in
from core.formats.json_values import (
    check_id,
    finite_score,
    map_shape,
    parsed,
    shown,
    small_grade,
)
from core.formats.places import Within
from core.formats.source import Source
from core.judgments import Judgments
from core.runs import Run

T = TypeVar("T")

OF_SCORES = f"JSON {map_shape(RUN)}"
OF_GRADES = f"JSON {map_shape(JUDGMENTS)}"
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
    content = parsed(source.text(), source.name, shape=f"Give {map_shape(asked.kind)}.")
    if records := records_in(content, asked, source):
        return records.runs(name)
    asked.require_none(source.name, OF_SCORES)
    return (_run(_object(content, source, f"Give {map_shape(asked.kind)}."), source, name),)


def _run(results: dict[str, Any], source: Source, name: str | None) -> Run:
    if not results:
        raise FileError(source.name, "no results found", "Is this the right file?")
    for query_id, ranking in results.items():
        if isinstance(ranking, dict):
            for document, score in ranking.items():
                _checked(finite_score, score, source, query_id, document)
                _checked(check_id, document, source, query_id, document)
        elif isinstance(ranking, list):
            for at, document in enumerate(ranking):
                _checked(check_id, document, source, query_id, at)
        else:
            found = f"expected documents, found {shown(ranking)}"
            remedy = "Give {document: score}, or a list of document ids, best first."
            raise _where(source, query_id).error(found, remedy)
    return Run.from_dict(name or "", results, source=source.name)


def read_judgments(source: Source, scale: tuple[int, int] | None, asked: Asked) -> Judgments:
    """Read `{query: {document: grade}}`, or objects as JSON lines have them.

    Raises
    ------
    FileError
        With the line of what is not JSON, or the query and document of a value that is no grade.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    content = parsed(source.text(), source.name, shape=f"Give {map_shape(asked.kind)}.")
    if records := records_in(content, asked, source):
        return records.judgments(scale)
    asked.require_none(source.name, OF_GRADES)
    judged: dict[str, dict[str, int]] = {}
    for query_id, grades in _object(content, source, f"Give {map_shape(asked.kind)}.").items():
        if not isinstance(grades, dict):
            found = f"expected {{document: grade}}, found {shown(grades)}"
            raise _where(source, query_id).error(found, "Give each document its grade.")
        judged[query_id] = {
            document: _checked(small_grade, grade, source, query_id, document)
            for document, grade in grades.items()
        }
        for document in grades:
            _checked(check_id, document, source, query_id, document)
    return Judgments.from_dict(judged, scale=scale, source=source.name)


def _object(content: Any, source: Source, remedy: str) -> dict[str, Any]:
    """Return the content of a file: one object whose keys are ids."""
    if not isinstance(content, dict):
        found = f"a JSON {'list' if isinstance(content, list) else 'value'}, expected one object"
        raise FileError(source.name, found, remedy)
    for key in content:
        _checked(check_id, key, source, key)
    return content


def _checked(
    check: Callable[[object, str], T], value: object, source: Source, *path: str | int
) -> T:
    """Check a value; where it is refused, the error names its line, query and document."""
    try:
        return check(value, source.name)
    except FileError as error:
        raise _where(source, *path).placed(error, *filter(_is_text, path)) from None


def _where(source: Source, *path: str | int) -> Within:
    return Within(source.name, 0, "entry", source=source, path=path)


def _is_text(step: str | int) -> TypeGuard[str]:
    return isinstance(step, str)
