"""Texts of queries and documents. They only enrich what is shown, and change no number."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import FileError, counted, shortened
from core.formats import jsonl, parquet
from core.formats.columns import Asked
from core.formats.json_values import check_id, shown
from core.formats.parquet_file import ParquetFile
from core.formats.places import Where
from core.formats.records import RecordReader, unused_notice
from core.formats.source import Source, opened
from core.formats.text_columns import TextColumns, noun_of, text_columns
from core.formats.text_tables import TextTable

_SHAPE = 'Write one object a line: {"id": "…", "text": "…"}.'


@dataclass(frozen=True)
class Text:
    """What a query or a document says.

    Parameters
    ----------
    text, title : str
        Empty where the file has none.
    """

    text: str
    title: str = ""

    @property
    def label(self) -> str:
        """The title, or else the text."""
        return self.title or self.text


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of one file.

    Parameters
    ----------
    by_id : mapping
        Those that were wanted.
    total : int
        All that the file has.
    source : str
        Name of the file.
    format : str
        What the file's format is called.
    notices : tuple of str
        What loading merged, ignored or guessed.
    """

    by_id: Mapping[str, Text]
    total: int
    source: str
    format: str
    notices: tuple[str, ...] = ()


def read_texts(
    file: Path | bytes,
    kind: str,
    *,
    name: str | None = None,
    wanted: Collection[str] | None = None,
) -> Texts:
    """Read texts by id: JSON lines, CSV or TSV with a header, TSV of id and text, or Parquet.

    Parameters
    ----------
    file : Path or bytes
        A path, or the content of an uploaded file.
    kind : str
        "queries" or "documents".
    name : str, optional
        Name for messages; the path's own if not given.
    wanted : collection of str, optional
        Ids whose texts are kept, of a corpus that is larger than memory; a set, for speed. Only
        these are checked for repeats. All of them if not given.

    Raises
    ------
    FileError
        The file, the line, what was found there and what to do.
    """
    if name is None:
        name = file.name if isinstance(file, Path) else kind
    with opened(file, name) as source:
        found = _recognised(source, kind)
        gathered = _Gathered(kind, wanted)
        for entry in found.entries:
            gathered.add(*entry)
    if not gathered.total:
        raise FileError(name, "no texts found", "Is this the right file?")
    notices = [*found.notices, *gathered.notices(name), *unused_notice(name, found.unused)]
    return Texts(gathered.by_id, gathered.total, name, found.format, tuple(notices))


# Where something stands, its id, its text and its title, as the file gives them.
_Entry = tuple[Where, object, object, object]


@dataclass(frozen=True)
class _Found:
    """A file whose format is known: what it holds, and what is said of it once that is read."""

    format: str
    entries: Iterator[_Entry]
    notices: list[str]
    unused: set[str]


def _recognised(source: Source, kind: str) -> _Found:
    head = source.head()
    if parquet.is_parquet(head, source.name):
        return _of_parquet(source, kind)
    if head.lstrip().startswith((b"{", b"[")):
        unused: set[str] = set()
        return _Found("JSON lines", _of_lines(source, kind, unused), [], unused)
    table = TextTable.of(source, kind)
    columns, rows, notices = table.columns()
    entries = ((Where(source.name, row.number), *_values(columns, row.fields)) for row in rows)
    return _Found(table.title, entries, notices, set(columns.unused))


def _of_lines(source: Source, kind: str, unused: set[str]) -> Iterator[_Entry]:
    number, first = next((number, line) for number, line in source.lines() if line.strip())
    if first.strip() in (b"{", b"["):
        found = "JSON that goes over several lines, expected an object on each"
        raise FileError(source.name, found, _SHAPE, line=number)
    by_keys: dict[tuple[str, ...], TextColumns] = {}
    for record, where in jsonl.records(source, _SHAPE):
        keys = tuple(record)
        if (columns := by_keys.get(keys)) is None:
            for key in filter(None, keys):
                check_id(key, source.name, line=where.number)
            columns = text_columns(keys, kind, source.name, line=where.number)
            by_keys[keys] = columns
            unused.update(columns.unused)
        yield where, *_values(columns, list(record.values()))


def _of_parquet(source: Source, kind: str) -> _Found:
    file = ParquetFile(source)
    columns = text_columns(file.schema.names, kind, source.name)
    wanted = [at for at in (columns.id, columns.text, columns.title) if at is not None]

    def entries() -> Iterator[_Entry]:
        number = 0
        for table in file.tables(wanted):
            for values in zip(*(column.to_pylist() for column in table.columns), strict=True):
                number += 1
                fields = dict(zip(wanted, values, strict=True))
                yield Where(source.name, number, "row"), *_values(columns, fields)

    return _Found("Parquet", entries(), [], set(columns.unused))


def _values(columns: TextColumns, fields: Any) -> tuple[object, object, object]:
    """Pick the id, the text and the title; None where there is no such column."""
    text, title = columns.text, columns.title
    return (
        fields[columns.id],
        None if text is None else fields[text],
        None if title is None else fields[title],
    )


class _Gathered:
    """Texts by id, each id once.

    Parameters
    ----------
    kind : str
        "queries" or "documents".
    wanted : collection of str or None
        As in `read_texts`.
    """

    def __init__(self, kind: str, wanted: Collection[str] | None) -> None:
        self.by_id: dict[str, Text] = {}
        self.total = 0
        self._what = noun_of(kind)
        self._wanted = wanted
        self._ids = RecordReader(Asked(kind, {}))
        self._places: dict[str, int] = {}
        self._merged = 0

    def add(self, where: Where, identity: object, text: object, title: object) -> None:
        """Check one text, and keep it where it is wanted."""
        one = self._ids.text(identity, self._what, where)
        if self._wanted is not None and one not in self._wanted:
            self.total += 1
            return
        new = Text(_told(text, "text", where), _told(title, "title", where))
        if (known := self.by_id.get(one)) is None:
            self.total += 1
            self.by_id[one] = new
            self._places[one] = where.number
        elif known == new:
            self._merged += 1
        else:
            first = replace(where, number=self._places[one])
            found = f"{self._what} '{shortened(one)}' has another text {first.there}"
            raise where.error(found, "Keep one of the two.")

    def notices(self, file: str) -> list[str]:
        """Say what was taken for text, and what was merged."""
        said = self._ids.notices(file)
        if self._merged:
            said.append(f"{file}: {counted(self._merged, 'repeated text')} merged.")
        return said


def _told(value: object, what: str, where: Where) -> str:
    """Return a text as it stands; a whole number as it is written, nothing as an empty text."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise where.error(f"the {what} {shown(value)} is not text", "Write it in quotes, as text.")
    try:
        value.encode()
    except UnicodeEncodeError:
        found = f"half a character (a lone surrogate) in the {what}"
        raise where.error(found, "Write the file again with correct text.") from None
    return value
