"""Values of JSON: parsing that accepts no key twice, and checks of ids, scores and grades."""

import json
from math import inf, isfinite, isnan
from typing import Any

from core.errors import FileError, shortened
from core.formats.column_names import value_of
from core.formats.fields import fractional_grade
from core.formats.json_places import Found, Path, long_number, repeated_key
from core.judgments import HIGHEST_GRADE, LOWEST_GRADE


def map_shape(kind: str) -> str:
    """Write how a document of runs or judgments looks."""
    return f"{{query: {{document: {value_of(kind)}}}}}"


def object_shape(kind: str) -> str:
    """Write how an object of a run or of judgments looks."""
    return f'{{"query_id": …, "doc_id": …, "{value_of(kind)}": …}}'


def parsed(text: str, file: str, *, shape: str, line: int | None = None) -> Any:
    """Parse JSON, with no key twice in an object.

    Parameters
    ----------
    text, file : str
    shape : str
        What to write instead, for messages.
    line : int, optional
        The line that the text is; otherwise the text is the whole file.

    Raises
    ------
    FileError
        With the line of what is not JSON.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise FileError(
            file,
            f"not valid JSON ({error.msg.lower()}, column {error.colno})",
            "Correct the file, or write it again with a JSON library.",
            line=error.lineno if line is None else line,
        ) from None
    except RecursionError:
        raise FileError(file, "JSON nested too deeply", shape, line=line) from None
    except _RepeatedKeyError:
        # Of two in a file, the parser meets the one whose object ends first.
        twice = repeated_key(text)
        found = f"the key {quoted(str(twice.path[-1]))} stands twice in one object"
        raise _refused(file, found, "Keep one of the two.", twice, line) from None
    except ValueError:
        found = "a whole number of more than 4,300 digits"
        number = long_number(text, 4300)
        raise _refused(file, found, "Give a finite number.", number, line) from None


class _RepeatedKeyError(Exception):
    """A key that stands twice in one object."""


def _refused(file: str, found: str, remedy: str, at: Found, line: int | None) -> FileError:
    """Build the error for what JSON allows, and a file must not hold."""
    inside = at.path[:-1]
    place = f"within {place_of(inside)}" if inside else ""
    return FileError(file, found, remedy, line=at.line if line is None else line, place=place)


def place_of(path: Path) -> str:
    """Write keys and numbers of entries, outermost first."""
    return ", ".join(
        f"entry {step + 1:,}" if isinstance(step, int) else quoted(step) for step in path
    )


def _whole(digits: str) -> int | float:
    return -0.0 if digits == "-0" else int(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise _RepeatedKeyError
    return keys


# NaN and Infinity are no JSON, but many write them: they are refused where they are a value.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_whole)


def check_id(value: object, file: str, place: str = "", *, line: int | None = None) -> None:
    """Refuse what is not text, empty text, and half a character.

    Raises
    ------
    FileError
    """
    if not isinstance(value, str):
        remedy = 'Write ids as text, in quotes: "007".'
        found = f"{shown(value)} is not a document id"
        raise FileError(file, found, remedy, place=place, line=line)
    if not value:
        remedy = "Give every query and document an id."
        raise FileError(file, "an empty id", remedy, place=place, line=line)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise FileError(
            file,
            f"the id {quoted(value)} holds a lone surrogate, which is not a character",
            "Write the file again with correct text.",
            place=place,
            line=line,
        ) from None


def finite_score(value: object, file: str, place: str = "", *, line: int | None = None) -> float:
    """Return a finite number.

    Raises
    ------
    FileError
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        found = f"score {shown(value)} is not a number"
        raise FileError(file, found, "Give a finite number.", place=place, line=line)
    try:
        score = float(value)
    except OverflowError:
        score = inf
    if not isfinite(score):
        found = f"score {shown(value)} is not finite"
        # What is written as 1e999 is shown as Infinity.
        remedy = "Give a finite number." if isnan(score) else "Give a finite number, below 1.8e308."
        raise FileError(file, found, remedy, place=place, line=line)
    return score


def small_grade(value: object, file: str, place: str = "", *, line: int | None = None) -> int:
    """Return a whole grade that fits.

    Raises
    ------
    FileError
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        found = f"grade {shown(value)} is not a number"
        raise FileError(file, found, "Give a whole number.", place=place, line=line)
    if not (isinstance(value, int) or isfinite(value)):
        found = f"grade {shown(value)} is not finite"
        raise FileError(file, found, "Give a whole number.", place=place, line=line)
    if value != value // 1:
        raise fractional_grade(str(value), file, place=place, line=line)
    if not LOWEST_GRADE <= value <= HIGHEST_GRADE:
        found = f"grade {shown(value)} does not fit a 32-bit whole number"
        remedy = "Grades are small whole numbers, such as 0 to 3."
        raise FileError(file, found, remedy, place=place, line=line)
    return int(value)


def entry(query_id: str, document: str | None = None) -> str:
    """Name a query, or a document of a query, as a place in a file."""
    query = f"query {quoted(query_id)}"
    return query if document is None else f"{query}, document {quoted(document)}"


def quoted(value: str) -> str:
    """Quote an id as it is; a lone surrogate, which nothing can print, as its code."""
    return f"'{shortened(value).encode(errors='backslashreplace').decode()}'"


def shown(value: object) -> str:
    """Write a value as JSON does, shortened."""
    try:
        return shortened(json.dumps(value))
    except (TypeError, ValueError):
        return shortened(ascii(value))
