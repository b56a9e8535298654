"""Files that name the document of each chunk: JSON {chunk: document}, or two columns."""

from typing import Any

from core.errors import FileError, counted, shortened
from core.formats.headers import delimiter_of, first_line_of
from core.formats.json_maps import is_object
from core.formats.json_values import check_id, parsed, quoted
from core.formats.quoting import separated_rows
from core.formats.source import Source

_SHAPE = "Give {chunk: document} as JSON, or a chunk and its document a line with a tab between."


def read_chunk_map(source: Source) -> dict[str, str]:
    """Read which document each chunk is of.

    A header line needs no care: it names the document of a chunk that no run has.

    Raises
    ------
    FileError
        With the line of what is not JSON or not two columns, the chunk whose document is no id, or
        the line of a second document of one chunk.
    """
    if is_object(source.head()):
        return _of_json(parsed(source.text(), source.name, shape=_SHAPE), source.name)
    return _of_columns(source)


def _of_json(content: Any, file: str) -> dict[str, str]:
    if not isinstance(content, dict):
        raise FileError(file, "a JSON list, expected one object", _SHAPE)
    for chunk, document in content.items():
        check_id(chunk, file, f"chunk {quoted(chunk)}")
        check_id(document, file, f"chunk {quoted(chunk)}")
    return content


def _of_columns(source: Source) -> dict[str, str]:
    delimiter = delimiter_of(first_line_of(source.head()), ("\t", ",", ";"))
    documents: dict[str, str] = {}
    for line in separated_rows(source.text(), delimiter, source.name):
        if len(line.fields) != 2 or not all(line.fields):
            found = f"{counted(len(line.fields), 'column')}, expected 2 (chunk document)"
            if len(line.fields) == 2:
                found = "an empty id"
            raise FileError(source.name, found, _SHAPE, line=line.number)
        chunk, document = line.fields
        if (earlier := documents.setdefault(chunk, document)) != document:
            raise FileError(
                source.name,
                f"chunk '{shortened(chunk)}' is of document '{shortened(document)}', "
                f"and of '{shortened(earlier)}' further up",
                "Keep one of the two.",
                line=line.number,
            )
    return documents
