"""JSON maps: {query: {document: score or grade}} and {query: [document, …]}."""

import json
from math import inf
from typing import Any, NoReturn

import numpy as np

from core.errors import FileError, shortened
from core.formats.fields import fractional_grade
from core.formats.source import Source
from core.judgments import HIGHEST_GRADE, LOWEST_GRADE, Judgments
from core.runs import Run


def is_object(head: bytes) -> bool:
    """Whether a file begins like a JSON object."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


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
                _check_score(score, file, _place(query_id, document))
        elif not isinstance(ranking, list):
            found = f"expected documents, found {_shown(ranking)}"
            remedy = "Give {document: score}, or a list of document ids, best first."
            raise FileError(file, found, remedy, place=_place(query_id))
        for document in ranking:
            _check_id(document, file, _place(query_id))
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
            found = f"expected {{document: grade}}, found {_shown(grades)}"
            raise FileError(file, found, "Give each document its grade.", place=_place(query_id))
        judged[query_id] = {
            document: _grade(grade, file, _place(query_id, document))
            for document, grade in grades.items()
        }
        for document in grades:
            _check_id(document, file, _place(query_id))
    return Judgments.from_dict(judged, scale=scale, source=file)


def _queries(source: Source) -> dict[str, Any]:
    """Parse the file: one object, no key twice in an object, no NaN and no lone surrogate."""

    def constant(text: str) -> NoReturn:
        raise FileError(source.name, f"{text} is not a finite number", "Give a finite number.")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys: dict[str, Any] = {}
        for key, value in pairs:
            if key in keys:
                raise FileError(
                    source.name,
                    f"the key {_quoted(key)} stands twice in one object",
                    "Keep one of the two.",
                )
            keys[key] = value
        return keys

    try:
        parsed = json.loads(source.text(), object_pairs_hook=unique, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise FileError(
            source.name,
            f"not valid JSON ({error.msg.lower()}, column {error.colno})",
            "Correct the file, or write it again with a JSON library.",
            line=error.lineno,
        ) from None
    except RecursionError:
        raise FileError(
            source.name, "JSON nested too deeply", "Give {query: {document: score}}."
        ) from None
    except FileError:
        raise
    except ValueError:
        found = "a whole number of more than 4,300 digits"
        raise FileError(source.name, found, "Give a finite number.") from None
    if not isinstance(parsed, dict):
        raise FileError(source.name, "expected one JSON object", "Give {query: {document: score}}.")
    for query_id in parsed:
        _check_id(query_id, source.name, "")
    return parsed


def _check_id(value: object, file: str, place: str) -> None:
    if not isinstance(value, str):
        remedy = 'Write ids as text, in quotes: "007".'
        raise FileError(file, f"{_shown(value)} is not a document id", remedy, place=place)
    if not value:
        raise FileError(file, "an empty id", "Give every query and document an id.", place=place)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise FileError(
            file,
            f"the id {_quoted(value)} holds a lone surrogate, which is not a character",
            "Write the file again with correct text.",
            place=place,
        ) from None


def _check_score(value: object, file: str, place: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FileError(
            file, f"score {_shown(value)} is not a number", "Give a finite number.", place=place
        )
    try:
        finite = np.isfinite(float(value))
    except OverflowError:
        finite = False
    if not finite:
        raise FileError(
            file, f"score {_shown(value)} is not finite", "Give a finite number.", place=place
        )


def _grade(value: object, file: str, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        found = f"grade {_shown(value)} is not a number"
        raise FileError(file, found, "Give a whole number.", place=place)
    if value in (inf, -inf):
        found = f"grade {_shown(value)} is not finite"
        raise FileError(file, found, "Give a whole number.", place=place)
    if value != value // 1:
        raise fractional_grade(str(value), file, place=place)
    if not LOWEST_GRADE <= value <= HIGHEST_GRADE:
        found = f"grade {_shown(value)} does not fit a 32-bit whole number"
        raise FileError(file, found, "Grades are small whole numbers, such as 0 to 3.", place=place)
    return int(value)


def _place(query_id: str, document: str | None = None) -> str:
    query = f"query {_quoted(query_id)}"
    return query if document is None else f"{query}, document {_quoted(document)}"


def _quoted(value: str) -> str:
    """Quote an id as it is; a lone surrogate, which nothing can print, as its code."""
    return f"'{shortened(value).encode(errors='backslashreplace').decode()}'"


def _shown(value: object) -> str:
    return shortened(json.dumps(value))
