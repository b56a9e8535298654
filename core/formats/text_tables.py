"""CSV and TSV of texts: a header that names the columns, or an id and a text with a tab between.

Files of texts are long: they are read some lines at a time, never as a whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.errors import FileError, counted, shortened
from core.formats.column_names import known_names
from core.formats.fields import Line, is_number
from core.formats.headers import first_line_of, lines_before, split_line
from core.formats.quoting import QUOTES_ARE_TEXT, separated_rows, wrong_count
from core.formats.source import Source, decoded_text
from core.formats.text_columns import TextColumns, text_columns

_STRETCH = 1 << 20
_ID_AND_TEXT = TextColumns(("id", "text"), 0, 1, None)


@dataclass(frozen=True)
class TextTable:
    """A file of separated text.

    Parameters
    ----------
    source : Source
    kind : str
        "queries" or "documents".
    delimiter : str
    has_header : bool
        Whether the first line names the columns. Otherwise they are the id and the text.
    """

    source: Source
    kind: str
    delimiter: str
    has_header: bool

    @classmethod
    def of(cls, source: Source, kind: str) -> "TextTable":
        """Look at the first line.

        Raises
        ------
        FileError
            It does not tell what the columns are.
        """
        head = source.head()
        line = first_line_of(head)
        # Commas belong to the text where there are tabs.
        delimiter = max(
            "\t" if "\t" in line else ",;",
            key=lambda one: known_names(split_line(line, one), kind),
        )
        names = split_line(line, delimiter)
        known = known_names(names, kind)
        has_header = known > 1 or (known == 1 and not any(map(is_number, names)))
        if not has_header and line.count("\t") != 1:
            raise FileError(
                source.name,
                f"no header line that names the columns, found '{shortened(line, 60)}'",
                "Add one, such as id,title,text; without one, give an id, a tab and a text a line.",
                line=lines_before(head) + 1,
            )
        return cls(source, kind, delimiter, has_header)

    @property
    def title(self) -> str:
        """What the format is called on a page."""
        if not self.has_header:
            return "TSV, id and text"
        return "TSV with header" if self.delimiter == "\t" else "CSV with header"

    def columns(self) -> tuple[TextColumns, Iterator[Line], list[str]]:
        """Tell what the columns mean; return it with the rows, and what is said of them.

        What is said is complete once all rows were read.
        """
        file = self.source.name
        if not self.has_header:
            rows = _rows(self.source, self.delimiter, 0)
            notices = [f"{file}: no header line; the columns are taken as id and text."]
            return _ID_AND_TEXT, self._checked(rows, _ID_AND_TEXT.names, notices), notices
        head = self.source.head()
        before = lines_before(head)
        rows = _rows(self.source, self.delimiter, before)
        header = next(rows)
        names = tuple(name.strip() for name in header.fields)
        columns = text_columns(names, self.kind, file, line=header.number)
        skipped = sum(bool(line.strip(b" \t\r")) for line in head.split(b"\n")[:before])
        notices = []
        if skipped:
            notices = [f"{file}: {counted(skipped, 'line')} before the header skipped."]
        return columns, self._checked(rows, names, notices), notices

    def _checked(
        self, rows: Iterator[Line], names: Sequence[str], notices: list[str]
    ) -> Iterator[Line]:
        in_quotes = False
        for row in rows:
            if len(row.fields) != len(names):
                raise wrong_count(self.source.name, row, names, self.delimiter)
            in_quotes |= any(field.startswith('"') for field in row.fields)
            yield row
        if in_quotes and self.delimiter == "\t":
            notices.append(f"{self.source.name}: {QUOTES_ARE_TEXT}")


def _rows(source: Source, delimiter: str, before: int) -> Iterator[Line]:
    """Split a file into rows, some lines at a time, but for the lines before the header."""
    lines: list[bytes] = []
    first, size, quotes = before + 1, 0, 0
    for number, raw in source.lines():
        if number <= before:
            continue
        lines.append(raw)
        size += len(raw)
        quotes += raw.count(b'"') if delimiter != "\t" else 0
        if size >= _STRETCH and quotes % 2 == 0:  # A line end in quotes ends no row.
            yield from _split(lines, delimiter, source.name, first)
            lines, first, size = [], number + 1, 0
    yield from _split(lines, delimiter, source.name, first)


def _split(lines: Sequence[bytes], delimiter: str, file: str, first: int) -> Iterator[Line]:
    return separated_rows(decoded_text(b"\n".join(lines), file, first), delimiter, file, first)
