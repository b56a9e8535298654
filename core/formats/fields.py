"""Fields of text files: a fast column reader, and what the line-by-line readers share.

The fast reader serves clean text. It returns None for anything odd, and never guesses: the slow
reader then reads the same bytes line by line and names the line. Both give equal results.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from core.errors import FileError, shortened
from core.formats.source import UTF8_MARK, holds_nul, not_utf8

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# Python reads whole numbers of some thousand digits and no more; these are long enough.
_WHOLE = re.compile(r"([+-]?\d{1,300})(?:\.0*)?", re.ASCII)
_BLANKS = re.compile("[ \t]+")
# A header stands first, with comments before it at most; what names a column is no odd number.
_NAME = re.compile(r"(?!nan|[+-]?inf)[^\W\d][\w .-]*", re.IGNORECASE)
_HEADER_LINES = 3
LOWEST_RANK, HIGHEST_RANK = -(2**31), 2**31 - 1
RANKS_IGNORED = "the ranks are not all whole numbers; ignored."
_COMMENT = b"#"
_RETURN = b"\r"


def fast_columns(
    data: bytes,
    columns: Mapping[str, pa.DataType | None],
    *,
    delimiter: bytes | None,
    skip_empty_lines: bool,
) -> pa.RecordBatch | None:
    """Read clean separated text as columns.

    Clean is: UTF-8; one single blank, or one single tab, between fields, and none around them; the
    same number of fields on every line; no comment line; numbers in plain decimal notation.

    Parameters
    ----------
    data : bytes
        Whole lines.
    columns : mapping
        Every column of the file in order, with its type; None: not wanted.
    delimiter : bytes or None
        None: a tab where the text has one, or else a blank.
    skip_empty_lines : bool
        Skip them; otherwise an empty line is odd.

    Returns
    -------
    pyarrow.RecordBatch or None
        The wanted columns. None: something is odd.
    """
    if delimiter is None:
        delimiter = b"\t" if b"\t" in data else b" "
    if delimiter == b"\t" and b" " in data:
        return None
    if not (is_utf8_text(data) and _is_clean(data, delimiter)):
        return None
    table = arrow_table(
        data,
        list(columns),
        {name: kind for name, kind in columns.items() if kind is not None},
        delimiter=delimiter.decode(),
        quoted=False,
        skip_empty_lines=skip_empty_lines,
        block_size=len(data) + 1,
    )
    batches = [] if table is None else table.to_batches()
    return batches[0] if len(batches) == 1 else None


def arrow_table(
    data: bytes,
    names: Sequence[str],
    wanted: Mapping[str, pa.DataType],
    *,
    delimiter: str,
    quoted: bool,
    skip_empty_lines: bool,
    block_size: int,
) -> pa.Table | None:
    """Let Arrow read columns, text exactly as it stands: no value means null, none is guessed.

    Parameters
    ----------
    data : bytes
        Whole lines without a header, UTF-8.
    names : sequence of str
        Every column of the file, in order.
    wanted : mapping
        Columns to read, with their types.
    delimiter : str
    quoted : bool
        Whether fields may stand in quotes, as RFC 4180 has it.
    skip_empty_lines : bool
    block_size : int
        Bytes to read at a time; several blocks are read by several threads.

    Returns
    -------
    pyarrow.Table or None
        None: Arrow cannot read it so, or a value is missing.
    """
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(data),
            read_options=pa_csv.ReadOptions(
                column_names=list(names),
                use_threads=block_size <= len(data),
                block_size=block_size,
            ),
            parse_options=pa_csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quoted else False,
                double_quote=quoted,
                escape_char=False,
                newlines_in_values=quoted,
                ignore_empty_lines=skip_empty_lines,
            ),
            convert_options=pa_csv.ConvertOptions(
                include_columns=list(wanted),
                column_types=wanted,
                null_values=[],
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    return None if any(column.null_count for column in table.columns) else table


def is_utf8_text(data: bytes) -> bool:
    """Whether all of the text is UTF-8 without a NUL byte, columns that nobody reads included."""
    try:
        return b"\0" not in data and (data.isascii() or bool(data.decode()))
    except UnicodeDecodeError:
        return False


def _is_clean(data: bytes, delimiter: bytes) -> bool:
    """Whether no field is empty, no line is a comment and no number is in hexadecimal notation.

    The column reader would take all of these. A number such as 0x1 is found by how it begins, so
    an id that begins likewise is odd, too.
    """
    if data.startswith((_COMMENT, UTF8_MARK)) or data.endswith(delimiter):
        return False
    if not data.isascii() and b"\n" + UTF8_MARK in data:
        return False
    if _RETURN in data and (
        data.count(_RETURN) != data.count(_RETURN + b"\n") or delimiter + _RETURN in data
    ):
        return False
    if any(_holds(data, pair) for pair in (delimiter * 2, delimiter + b"\n", b"\n" + _COMMENT)):
        return False
    return not any(_holds(data, mark) and delimiter + mark in data for mark in (b"0x", b"0X"))


def _holds(data: bytes, pair: bytes) -> bool:
    """Whether two bytes stand in the data, one behind the other: `pair in data`, but faster."""
    word = np.frombuffer(pair, dtype=np.uint16)[0]
    words = (
        np.frombuffer(data, dtype=np.uint16, count=(len(data) - start) // 2, offset=start)
        for start in (0, 1)
        if len(data) > start + 1
    )
    return any(bool((stretch == word).any()) for stretch in words)


def numbers(column: pa.Array) -> NDArray[Any]:
    """View an Arrow number column without nulls as an array.

    Reads the buffer itself: `Array.to_numpy` would import pandas.
    """
    kind = column.type.to_pandas_dtype()
    values: NDArray[Any] = np.frombuffer(column.buffers()[1], dtype=kind)
    return values[column.offset : column.offset + len(column)]


@dataclass(frozen=True)
class Line:
    """One line of a file: its number, counted from 1, its fields, and maybe all of its text."""

    number: int
    fields: list[str]
    text: str = ""


@dataclass
class LineCounts:
    """What the line reader passed over."""

    comments: int = 0


def white_space_lines(
    data: bytes, file: str, lines_before: int, counts: LineCounts
) -> Iterator[Line]:
    """Split lines into fields on blanks and tabs; skip empty lines, count comment lines.

    Only a line feed ends a line, with or without a carriage return before it, and only blanks and
    tabs separate fields: every other character belongs to an id.

    Raises
    ------
    FileError
        A line that is not UTF-8, holds a carriage return in its middle or a NUL byte, or begins
        with a byte order mark.
    """
    for number, raw in enumerate(data.split(b"\n"), lines_before + 1):
        line = raw.removesuffix(b"\r")
        if line.startswith(_COMMENT):
            counts.comments += 1
            continue
        if line.startswith(UTF8_MARK):
            raise FileError(
                file,
                "a byte order mark before the first field, which no eye can see",
                "Remove it. Were files put behind one another?",
                line=number,
            )
        if stripped := line.strip(b" \t"):
            text = decoded(stripped, file, number)
            yield Line(number, _BLANKS.split(text), text)


def decoded(line: bytes, file: str, number: int) -> str:
    """Decode one line or field.

    Raises
    ------
    FileError
        Not UTF-8, or a carriage return or a NUL byte inside.
    """
    if b"\r" in line:
        raise FileError(
            file,
            "a carriage return inside the line",
            "End lines with a line feed (LF or CRLF).",
            line=number,
        )
    if b"\0" in line:
        raise holds_nul(file, number)
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(file, number, error) from None


def is_number(text: str) -> bool:
    """Whether a field is a decimal number, blanks aside."""
    return _NUMBER.fullmatch(text.strip(" \t")) is not None


def whole_rank(text: str) -> int | None:
    """Read a rank, also written as `2.0`; None where it is none that fits."""
    match = _WHOLE.fullmatch(text)
    if match is None or not LOWEST_RANK <= (rank := int(match.group(1))) <= HIGHEST_RANK:
        return None
    return rank


def finite_number(text: str, what: str, file: str, line: int, *, has_header: bool = False) -> float:
    """Read a decimal number. Where the header is known, the message does not ask for one.

    Raises
    ------
    FileError
        Not a number in plain or exponent notation, or not finite.
    """
    if not _NUMBER.fullmatch(text):
        if not text:
            remedy = f"Give every row a {what}, or remove the row."
            raise FileError(file, f"an empty {what}, expected a number", remedy, line=line)
        remedy = f"Give a finite {what}, with a decimal point."
        if what == "grade":
            remedy = "Grades are whole numbers, such as 0 to 3."
        if not has_header and line <= _HEADER_LINES and _NAME.fullmatch(text):
            remedy = f"Is this a header line? Remove it, or give a number as {what}."
        raise FileError(file, f"{what} '{shortened(text)}' is not a number", remedy, line=line)
    value = float(text)
    if not np.isfinite(value):
        raise FileError(
            file, f"{what} '{shortened(text)}' is not finite", f"Give a finite {what}.", line=line
        )
    return value


def whole_grade(text: str, file: str, line: int, *, has_header: bool = False) -> int:
    """Read a grade: a whole number, also written as `2.0`.

    Raises
    ------
    FileError
        Not a number, or a fraction.
    """
    if match := _WHOLE.fullmatch(text):
        return int(match.group(1))
    value = finite_number(text, "grade", file, line, has_header=has_header)
    if value.is_integer():
        return int(value)
    raise fractional_grade(text, file, line=line)


def fractional_grade(
    text: str, file: str, *, line: int | None = None, place: str = ""
) -> FileError:
    """Build the error for a grade that is not a whole number."""
    return FileError(
        file,
        f"grade {shortened(text)} is not a whole number",
        "Grades are whole numbers; map fractions to whole grades first.",
        line=line,
        place=place,
    )
