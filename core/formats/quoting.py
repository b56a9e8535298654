"""Rows of separated text: commas or semicolons with quotes as in RFC 4180, or tabs without."""

import re
from collections.abc import Iterator, Sequence

from core.errors import FileError, counted, listed, shortened
from core.formats.fields import Line

QUOTES_ARE_TEXT = "quotes belong to the text, as in every tab-separated file here."
_AFTER_QUOTES = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')
# A field in quotes, where one may stand.
_QUOTED = re.compile(rb'(?:(?<=[,;\n])|\A)"[^"]*+(?:""[^"]*+)*+"(?=[,;\r\n]|\Z)')


def separated_rows(text: str, delimiter: str, file: str, first_line: int = 1) -> Iterator[Line]:
    """Split text into rows and fields; skip empty lines.

    Only a line feed ends a row, with or without a carriage return before it. Quotes count between
    commas or semicolons: a field in quotes may hold delimiters, line ends and, doubled, quotes.

    Parameters
    ----------
    text, delimiter, file : str
    first_line : int
        Line on which the text begins.

    Raises
    ------
    FileError
        A carriage return inside a line, or quotes that do not fit.
    """
    if not may_be_quoted(delimiter) or '"' not in text:
        yield from _plain_rows(text, delimiter, file, first_line)
        return
    field = re.compile(
        rf'(?:"([^"]*+(?:""[^"]*+)*+)"|([^"{delimiter}\r\n][^{delimiter}\r\n]*+|))'
        rf"({delimiter}|\r?\n|\r?\Z)"
    )
    at, line, begun = 0, first_line, first_line
    fields: list[str] = []
    while at <= len(text):
        match = field.match(text, at)
        if match is None:
            raise _misquoted(text, at, file, line + text.count("\n", at, _problem(text, at)))
        quoted, bare, end = match.groups()
        fields.append(bare if quoted is None else quoted.replace('""', '"'))
        line += match.group().count("\n")
        at = match.end()
        if end == delimiter:
            continue
        if not (len(fields) == 1 and not fields[0].strip(" \t")):
            yield Line(begun, fields)
        fields, begun = [], line
        if end in ("", "\r"):
            return


def may_be_quoted(delimiter: str) -> bool:
    """Whether fields between these separators may stand in quotes."""
    return delimiter in (",", ";")


def quotes_fit(data: bytes) -> bool:
    """Whether every quote belongs to a field that is in quotes as a whole."""
    return b'"' not in _QUOTED.sub(b"", data)


def wrong_count(file: str, line: Line, names: Sequence[str], delimiter: str) -> FileError:
    """Build the error for a row with more or fewer fields than the header has names."""
    remedy = "Is the line cut short, or a separator missing?"
    if len(line.fields) > len(names):
        remedy = "Put a field that holds the separator in quotes."
        if not may_be_quoted(delimiter):
            remedy = f"Does a field hold a {'tab' if delimiter == chr(9) else 'blank'}?"
    expected = f"{len(names)} ({listed(names, shown=8)})"
    found = f"{counted(len(line.fields), 'column')}, expected {expected}"
    return FileError(file, found, remedy, line=line.number)


def _plain_rows(text: str, delimiter: str, file: str, first_line: int) -> Iterator[Line]:
    for number, raw in enumerate(text.split("\n"), first_line):
        line = raw.removesuffix("\r")
        if "\r" in line:
            raise _carriage_return(file, number)
        if line.strip(" \t"):
            yield Line(number, line.split(delimiter))


def _problem(text: str, at: int) -> int:
    """Where a field stops being one."""
    match = _AFTER_QUOTES.match(text, at)
    return at if match is None else match.end()


def _misquoted(text: str, at: int, file: str, line: int) -> FileError:
    match = _AFTER_QUOTES.match(text, at)
    if match is None and text.startswith('"', at):
        start = shortened(text[at : at + 60].split("\n", 1)[0].rstrip("\r"), 30)
        return FileError(
            file,
            f"a quote that nothing closes: {start}",
            "Close it, or write a quote inside a field in quotes as two.",
            line=line,
        )
    if match is not None and not text.startswith("\r", match.end()):
        behind = text[match.end() : match.end() + 20].split("\n", 1)[0]
        return FileError(
            file,
            f"'{behind}' behind a closing quote, expected the end of the field",
            "Write a quote inside a field in quotes as two.",
            line=line,
        )
    return _carriage_return(file, line)


def _carriage_return(file: str, line: int) -> FileError:
    return FileError(
        file,
        "a carriage return inside the line",
        "End lines with a line feed (LF or CRLF).",
        line=line,
    )
