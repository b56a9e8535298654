"""TREC qrels (query iteration document grade), and what is said of TREC files of both kinds."""

from collections.abc import Mapping

import pyarrow as pa

from core.errors import FileError, counted
from core.formats.column_names import JUDGMENTS, known_names
from core.formats.fields import Line, LineCounts, fast_columns, white_space_lines, whole_grade
from core.formats.rows import JudgmentRows, judgments_from
from core.formats.source import Source
from core.judgments import Judgments

_FIELDS = "query iteration document grade"
_COLUMNS = {
    "query": pa.string(),
    "iteration": None,
    "document": pa.string(),
    "grade": pa.int32(),
}


def read_qrels(source: Source, scale: tuple[int, int] | None) -> Judgments:
    """Read TREC qrels.

    Raises
    ------
    FileError
        With the first line that is not a judgment, or the lines of two that contradict.
    JudgmentsError
        A grade outside the declared scale.
    """
    data = source.read(source.begin, source.end)
    rows = _fast_qrels(data)
    if rows is None:
        counts = LineCounts()
        lines = white_space_lines(data, source.name, 0, counts)
        rows = JudgmentRows.collected(_qrels_row(line, source.name) for line in lines)
        return judgments_from(
            rows, source.name, scale, comment_notices(source.name, counts.comments)
        )
    return judgments_from(rows, source.name, scale)


def comment_notices(file: str, comments: int) -> list[str]:
    """Say how many comment lines were skipped."""
    if not comments:
        return []
    return [f"{file}: {counted(comments, 'comment line')} skipped (a line that starts with #)."]


def remedy_for(line: Line, kind: str, by_columns: Mapping[int, str], otherwise: str) -> str:
    """Say what to do about a line with the wrong number of columns.

    Parameters
    ----------
    line : Line
    kind : str
        Of file: `JUDGMENTS` or `RUN`.
    by_columns : mapping
        What to do by the number of columns, where the line itself does not tell.
    otherwise : str
    """
    if len(line.fields) == 1:
        return _one_column(line.fields[0])
    if known_names(line.fields, kind) > 1:
        return "Is this a header line? Then separate the columns by tabs or commas."
    return by_columns.get(len(line.fields), otherwise)


def _fast_qrels(data: bytes) -> JudgmentRows | None:
    columns = fast_columns(data, _COLUMNS, delimiter=None, skip_empty_lines=False)
    return None if columns is None else JudgmentRows.from_columns(columns, first_line=1)


def _qrels_row(line: Line, file: str) -> tuple[str, str, int, int]:
    if len(line.fields) != 4:
        raise _not_qrels(line, file)
    query, _, document, grade = line.fields
    return query, document, whole_grade(grade, file, line.number), line.number


def _not_qrels(line: Line, file: str) -> FileError:
    found = f"{counted(len(line.fields), 'column')}, expected 4 ({_FIELDS})"
    remedies = {
        3: "Is the second column missing? Give every line the same columns.",
        6: "Is this a run?",
    }
    remedy = remedy_for(line, JUDGMENTS, remedies, "Are these qrels?")
    return FileError(file, found, remedy, line=line.number)


def _one_column(text: str) -> str:
    if "|" in text:
        return "Separate the columns by tabs or commas, with a header line that names them."
    if "," in text:
        return "Comma-separated files need a header line that names the columns."
    return "Are the columns separated by blanks or tabs?"
