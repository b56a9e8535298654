"""Qrels of three columns without a header: query, document and grade."""

import re
from itertools import groupby

from core.errors import FileError, counted
from core.formats.fields import Line, LineCounts, is_number, white_space_lines, whole_grade
from core.formats.rows import JudgmentRows, judgments_from
from core.formats.source import Source
from core.judgments import Judgments

_BLANKS = re.compile("[ \t]+")
_ROWS_OF_RANKS = 3
_REMEDY = "If these are grades, say so: --qrels-format qrels3."


def has_three(head: bytes, name: str) -> bool:
    """Whether the first line that is no comment has three columns, the last of them a number."""
    del name
    for raw in head.split(b"\n"):
        line = raw.decode(errors="replace").strip(" \t\r")
        if line and not line.startswith("#"):
            fields = _BLANKS.split(line)
            return len(fields) == 3 and is_number(fields[2])
    return False


def read_qrels(
    source: Source, scale: tuple[int, int] | None, *, is_sure: bool = False
) -> Judgments:
    """Read query, document and grade, separated by blanks or tabs.

    Parameters
    ----------
    source, scale
        As for every format.
    is_sure : bool
        Whether somebody said that these are grades. Otherwise three numbers a line, and grades
        that count as ranks do, are refused.

    Raises
    ------
    FileError
        With the first line that is not a judgment, the lines of two that contradict, or a file
        that may as well be a run.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    file, counts = source.name, LineCounts()
    data = source.read(source.begin, source.end)
    lines = list(white_space_lines(data, file, 0, counts))
    rows = [_row(line, file) for line in lines]
    if not is_sure and lines:
        _check_certain(lines, rows, file)
    notices = []
    if counts.comments:
        skipped = counted(counts.comments, "comment line")
        notices.append(f"{file}: {skipped} skipped (a line that starts with #).")
    notices.append(f"{file}: 3 columns without a header, read as query, document and grade.")
    return judgments_from(JudgmentRows.collected(rows), file, scale, notices)


def _row(line: Line, file: str) -> tuple[str, str, int, int]:
    if len(line.fields) != 3:
        raise FileError(
            file,
            f"{counted(len(line.fields), 'column')}, expected 3 (query document grade)",
            "Give every line the same columns.",
            line=line.number,
        )
    query, document, grade = line.fields
    return query, document, whole_grade(grade, file, line.number), line.number


def _check_certain(lines: list[Line], rows: list[tuple[str, str, int, int]], file: str) -> None:
    """Refuse what may as well be a run: numbers alone, or grades that run like ranks."""
    if all(is_number(field) for line in lines for field in line.fields):
        found = "3 columns of numbers without a header, the last of them grades, scores or ranks"
        raise FileError(file, found, _REMEDY, line=lines[0].number)
    longest = 0
    for _, group in groupby(rows, key=lambda row: row[0]):
        grades = [grade for _, _, grade, _ in group]
        if grades not in (list(range(len(grades))), list(range(1, len(grades) + 1))):
            return
        longest = max(longest, len(grades))
    if longest >= _ROWS_OF_RANKS:
        raise FileError(
            file,
            "3 columns without a header, and the last one counts up in every query as ranks do",
            _REMEDY,
            line=lines[0].number,
        )
