"""The header line of CSV and TSV: whether a file has one, and what separates its names."""

import re
from collections.abc import Sequence

from core.errors import FileError
from core.formats.column_names import JUDGMENTS, RUN, known_names
from core.formats.fields import is_number
from core.formats.quoting import separated_rows
from core.formats.source import has_ending

_BLANKS = re.compile("[ \t]+")
_SEPARATOR = re.compile(rb"sep=[,;\t]\r?$")


def is_csv(head: bytes, name: str) -> bool:
    """Whether a file's first line is separated by commas or semicolons.

    Ids of TREC files may hold either. So the line names columns, or it is not the right number of
    words for TREC, or the file's name tells.
    """
    line = first_line_of(head)
    fields = split_line(line, delimiter_of(line, (",", ";")))
    if len(fields) < 2:
        return False
    words = _BLANKS.split(line.strip())
    return is_header(fields, words) or (
        len(fields) > 2 and (len(words) < 3 or has_ending(name, ".csv"))
    )


def is_tsv(head: bytes, name: str) -> bool:
    """Whether a file's first line is separated by tabs and holds no number, as headers do."""
    del name
    line = first_line_of(head)
    fields = line.split("\t")
    words = _BLANKS.split(line)
    if is_header(fields, words):
        return True
    return len(fields) > 1 and all(fields) and not any(map(is_number, [*fields, *words]))


def lines_before(head: bytes) -> int:
    """Count the lines that stand before the header: empty ones, comments, and Excel's `sep=;`."""
    count = 0
    for line in head.split(b"\n"):
        if line.strip(b" \t\r") and not line.startswith(b"#") and not _SEPARATOR.match(line):
            return count
        count += 1
    return count


def first_line_of(head: bytes) -> str:
    """Return the line where a header stands if there is one; bytes that are no text as marks."""
    lines = head.split(b"\n")
    line = next(iter(lines[lines_before(head) :]), b"")
    return line.rstrip(b"\r").decode(errors="replace")


def delimiter_of(line: str, among: Sequence[str]) -> str:
    """Choose what separates the most names that are known, or else the most fields."""

    def worth(delimiter: str) -> tuple[int, int]:
        fields = split_line(line, delimiter)
        return _known(fields), len(fields)

    return max(among, key=worth)


def split_line(line: str, delimiter: str) -> list[str]:
    """Split the line of a header; quotes that do not fit belong to its names."""
    try:
        return next(separated_rows(line, delimiter, "")).fields
    except (FileError, StopIteration):
        return line.split(delimiter)


def header_end(raw: bytes, begin: int, *, quoted: bool) -> int:
    """Find where the line ends that begins somewhere; a line feed in quotes ends none."""
    end, quotes = begin, 0
    while (line_end := raw.find(b"\n", end) + 1) > 0:
        quotes += raw.count(b'"', end, line_end)
        end = line_end
        if not quoted or quotes % 2 == 0:
            return end
    return len(raw)


def is_header(fields: Sequence[str], words: Sequence[str]) -> bool:
    """Whether fields name columns: two of them do, or one does where nothing is a number."""
    if any(map(is_number, fields)):
        return False
    known = _known(fields)
    return known > 1 or (known == 1 and not any(map(is_number, words)))


def _known(names: Sequence[str]) -> int:
    return max(known_names(names, kind) for kind in (JUDGMENTS, RUN))
