"""Which column, or key, of a file of texts holds the id, the text and the title."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import FileError, listed, shortened
from core.formats.column_names import QUERIES, ROLES, SAYS_NOTHING, plain

_EXAMPLES = {
    "query": ("query_id, qid or id", "text, query or question"),
    "document": ("doc_id, docno or id", "text, contents or passage"),
}


@dataclass(frozen=True)
class TextColumns:
    """Which column holds what.

    Parameters
    ----------
    names : tuple of str
        Names of the columns, in order.
    id : int
    text, title : int or None
        None: there is no such column. There is one of the two.
    """

    names: tuple[str, ...]
    id: int
    text: int | None
    title: int | None

    @property
    def unused(self) -> list[str]:
        """Names of the columns that nobody reads."""
        used = (self.id, self.text, self.title)
        return [
            name
            for at, name in enumerate(self.names)
            if at not in used and plain(name) not in SAYS_NOTHING
        ]


def text_columns(
    names: Sequence[str], kind: str, file: str, *, line: int | None = None
) -> TextColumns:
    """Find the columns by their names.

    Parameters
    ----------
    names : sequence of str
    kind : str
        "queries" or "documents".
    file : str
    line : int, optional
        Where the names stand, for messages.

    Raises
    ------
    FileError
        No column for the id, none for a text or title, or two for one of them.
    """
    noun = noun_of(kind)
    found = {role: _column(names, kind, role, file, line) for role in ROLES[kind]}
    among = listed((name for name in names if name), shown=8) or "no names"
    ids, texts = _EXAMPLES[noun]
    if found["id"] is None:
        said = f"no column for the {noun} id among {among}, expected one such as {ids}"
        raise FileError(file, said, "Name it so.", line=line)
    if found["text"] is None and found["title"] is None:
        said = f"no column for the text of a {noun} among {among}, expected one such as {texts}"
        raise FileError(file, said, "Name it so.", line=line)
    return TextColumns(tuple(names), found["id"], found["text"], found["title"])


def noun_of(kind: str) -> str:
    """What texts of a kind belong to: a query or a document."""
    return "query" if kind == QUERIES else "document"


def _column(names: Sequence[str], kind: str, role: str, file: str, line: int | None) -> int | None:
    for words in ROLES[kind][role]:
        known = set(map(plain, words))
        found = [at for at, name in enumerate(names) if plain(name) in known]
        if len(found) > 1:
            first, second = (shortened(names[at]) for at in found[:2])
            what = f"the {noun_of(kind)} id" if role == "id" else f"the {role}"
            said = f"the columns '{first}' and '{second}' may both be {what}, expected one"
            raise FileError(file, said, "Rename or leave out the other one.", line=line)
        if found:
            return found[0]
    return None
