"""BEIR qrels: a header line, then query-id, corpus-id and score separated by tabs."""

import pyarrow as pa

from core.errors import FileError, counted
from core.formats.fields import decoded, fast_columns, whole_grade
from core.formats.rows import JudgmentRows, judgments_from
from core.formats.source import Source
from core.judgments import Judgments

HEADER = b"query-id\tcorpus-id\tscore"

_COLUMNS = {"query": pa.string(), "document": pa.string(), "grade": pa.int32()}


def has_header(head: bytes) -> bool:
    """Whether a file begins with the BEIR header line."""
    return _first_line(head).lower() == HEADER


def read_qrels(source: Source, scale: tuple[int, int] | None) -> Judgments:
    """Read BEIR qrels. Fields are separated by tabs alone, so ids may hold blanks.

    Raises
    ------
    FileError
        With the first line that is not a judgment, or the lines of two that contradict.
    JudgmentsError
        A grade outside the declared scale.
    """
    data = source.read(source.begin, source.end)
    if not has_header(data):
        found = "no header line, expected query-id, corpus-id and score, separated by tabs"
        raise FileError(
            source.name, found, "Add the header line, or choose another format.", line=1
        )
    body = data.split(b"\n", 1)[1] if b"\n" in data else b""
    rows = _rows_fast(body) or _rows_slowly(body, source.name)
    return judgments_from(rows, source.name, scale)


def _rows_fast(body: bytes) -> JudgmentRows | None:
    columns = fast_columns(body, _COLUMNS, delimiter=b"\t", skip_empty_lines=False)
    return None if columns is None else JudgmentRows.from_columns(columns, first_line=2)


def _rows_slowly(body: bytes, file: str) -> JudgmentRows:
    rows = []
    for number, raw in enumerate(body.split(b"\n"), 2):
        line = raw.removesuffix(b"\r")
        if not line.strip(b" \t"):
            continue
        fields = [decoded(part, file, number) for part in line.split(b"\t")]
        if len(fields) != 3 or not (fields[0] and fields[1]):
            found = "an empty id" if len(fields) == 3 else counted(len(fields), "column")
            raise FileError(
                file,
                f"{found}, expected 3 columns (query-id, corpus-id, score)",
                "Separate the columns by one tab each, and leave none empty.",
                line=number,
            )
        query, document, grade = fields
        rows.append((query, document, whole_grade(grade.strip(), file, number), number))
    return JudgmentRows.collected(rows)


def _first_line(data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r")
