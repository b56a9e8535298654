"""Where objects stand: on lines of text, in rows of a table, or within a JSON document."""

from dataclasses import dataclass

from core.errors import FileError
from core.formats.json_places import Path, line_of
from core.formats.json_values import check_id, entry, quoted
from core.formats.source import Source


# Not frozen: there is one for every result, and a frozen one takes three times as long to make.
@dataclass(eq=False)
class Where:
    """Where an object stands: on a line of a text file, or in a row of a table.

    Parameters
    ----------
    file : str
    number : int
        Counted from 1.
    unit : str
        What is counted: "line" or "row".
    """

    file: str
    number: int
    unit: str = "line"

    def error(self, found: str, remedy: str) -> FileError:
        """Build the error for what stands here."""
        return self.placed(FileError(self.file, found, remedy))

    def placed(
        self, error: FileError, query_id: str | None = None, document: str | None = None
    ) -> FileError:
        """Say in an error that it is about what stands here, and of which query and document."""
        names = []
        if query_id is not None:
            names.append(entry(query_id))
        if document is not None:
            names.append(f"document {quoted(document)}")
        places = self.places
        places += [name for name in names if name not in places]
        return error.put_at(self.line, ", ".join(places))

    def check_text(self, text: str) -> None:
        """Refuse text that is no id, or no name, as `check_id` does."""
        try:
            check_id(text, self.file)
        except FileError as error:
            raise self.placed(error) from None

    @property
    def line(self) -> int | None:
        """The line, which may take a second look at the file."""
        return self.number if self.unit == "line" else None

    @property
    def places(self) -> list[str]:
        """What tells the place besides the line, outermost first."""
        return [] if self.unit == "line" else [f"{self.unit} {self.number:,}"]

    @property
    def there(self) -> str:
        """The place, within a sentence about another."""
        return f"{'on' if self.unit == 'line' else 'in'} {self.unit} {self.number:,}"

    def entry(self, number: int, name: str, key: str | int) -> "Where":
        """Return the place of an entry in a list of this object; a line or row is enough."""
        del number, name, key
        return self


@dataclass(eq=False, kw_only=True)
class Within(Where):
    """Where an object stands in a JSON document.

    Parameters
    ----------
    file, number
        As for all places.
    unit : str
        What is counted: "object" of a list, or "entry" of a query's list.
    source : Source
        The document.
    path : tuple
        Keys, and numbers of entries counted from 0, that lead to it.
    at : int, optional
        Number of the entry, counted from 1, in the list of its query.
    is_bare : bool
        Whether the list of documents stands there alone, under no key of its own.
    """

    source: Source
    path: Path
    at: int | None = None
    is_bare: bool = False

    @property
    def line(self) -> int:
        """The line, by a second look at the file."""
        return line_of(self.source.text(), self.path)

    @property
    def places(self) -> list[str]:
        """The query, or else the object of a list, and the entry."""
        outer, *_ = self.path
        first = entry(outer) if isinstance(outer, str) else f"object {outer + 1:,}"
        return [first] if self.at is None else [first, f"entry {self.at:,}"]

    def entry(self, number: int, name: str, key: str | int) -> "Within":
        """Return the place of an entry in a list or map of this object.

        Parameters
        ----------
        number : int
            Counted from 1.
        name : str
            Key of the list; of an inner one, the keys that lead to it.
        key : str or int
            Key of the entry, or its number counted from 0.
        """
        own = number if self.unit == "entry" else self.number
        keys = () if self.is_bare else name.split(".")
        path = (*self.path, *keys, key)
        return Within(self.file, own, self.unit, source=self.source, path=path, at=number)
