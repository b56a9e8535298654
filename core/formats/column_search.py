"""Looks the column, or key, up for each meaning, by what people call it or by what was asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.errors import FileError, NoSuchColumnError, listed
from core.formats.column_names import (
    DISTANCE,
    ENTRY_DOCUMENT,
    JUDGMENTS,
    LIST,
    LIST_NAMES,
    ROLES,
    SAYS_NOTHING,
    Names,
    plain,
)
from core.formats.columns import Asked, Columns

_EXAMPLES = {
    "query": "query_id, qid or topic",
    "document": "doc_id, docno or corpus-id",
    "grade": "relevance, grade or label",
    "score": "score or similarity",
    "rank": "rank or position",
    "system": "run, system or model",
    LIST: "results or retrieved_ids",
}


def resolved(
    names: Sequence[str],
    asked: Asked,
    file: str,
    *,
    line: int | None = None,
    place: str = "",
    nested: Sequence[bool] | None = None,
) -> Columns:
    """Find the column for each meaning.

    Parameters
    ----------
    names : sequence of str
        Names of the columns, in order.
    asked : Asked
        What the file is to be read as.
    file, line, place
        Where the names stand, for messages.
    nested : sequence of bool, optional
        Whether each column holds lists or objects; then the documents may stand in a list.

    Raises
    ------
    FileError
        No column for what is needed, or two for one meaning.
    """
    search = _Search(names, asked, file, line, place)
    nested = nested or [False] * len(names)
    flat = [number for number, is_list in enumerate(nested) if not is_list]
    lists = [number for number, is_list in enumerate(nested) if is_list]
    at = {}
    if lists and (found := search.list_column(lists)) is not None:
        at[LIST] = found
    for role, table in ROLES[asked.kind].items():
        if LIST in at and role in ("document", "rank", "grade"):
            continue
        beside = LIST in at and role == "score"
        among = lists if beside else flat
        if (found := search.column(role, table, among, must_exist=not beside)) is not None:
            at[role] = found
    for role in ("query",) if LIST in at else ("query", "document"):
        if role not in at:
            if role == "document" and asked.chosen.get(LIST):
                raise search.no_such(LIST)
            raise search.missing(role, lists=bool(lists))
    if LIST not in at:
        search.check_value(at)
    return Columns(at, search.is_smaller_better(), search.unused(at))


def entry_columns(names: Sequence[str], asked: Asked, file: str, **where: int | str) -> Columns:
    """Find what the keys of one object in a list of documents mean.

    Raises
    ------
    FileError
        No key for the document, or two for one meaning.
    """
    line, place = where.get("line"), str(where.get("place", ""))
    search = _Search(names, asked, file, line if isinstance(line, int) else None, place)
    tables: dict[str, Names] = {"document": ENTRY_DOCUMENT}
    tables |= {r: t for r, t in ROLES[asked.kind].items() if r in ("score", "rank", "grade")}
    at = {}
    for role, table in tables.items():
        if (found := search.column(role, table, range(len(names)))) is not None:
            at[role] = found
    if "document" not in at:
        raise search.missing("document")
    if asked.kind == JUDGMENTS and "grade" not in at:
        raise search.missing("grade")
    return Columns(at, search.is_smaller_better(), search.unused(at))


@cache
def is_distance(name: str) -> bool:
    """Whether a column of this name holds distances, of which less is better."""
    return plain(name) in map(plain, DISTANCE)


@dataclass(frozen=True)
class _Search:
    names: Sequence[str]
    asked: Asked
    file: str
    line: int | None
    place: str

    def column(
        self,
        role: str,
        table: Names,
        among: Iterable[int],
        *,
        must_exist: bool = True,
    ) -> int | None:
        """Return the place of the column for a meaning, or None."""
        if role in self.asked.chosen:
            return self._chosen(role, must_exist=must_exist)
        among = list(among)
        taken = {name for other, name in self.asked.chosen.items() if other != role}
        for words in table:
            known = set(map(plain, words))
            found = [
                at for at in among if plain(self.names[at]) in known and self.names[at] not in taken
            ]
            if len(found) > 1:
                raise self._two(role, found)
            if found:
                return found[0]
        return None

    def list_column(self, lists: Sequence[int]) -> int | None:
        """Return the place of the list, which may be named as the column of documents, or None."""
        documents = self.asked.chosen.get("document", "")
        named = [at for at in lists if documents and plain(self.names[at]) == plain(documents)]
        if named and LIST not in self.asked.chosen:
            return named[0]
        return self.column(LIST, LIST_NAMES, lists)

    def _chosen(self, role: str, *, must_exist: bool) -> int | None:
        name = self.asked.chosen[role]
        if not name:
            return None
        wanted = [name, name.removeprefix("-")] if role == "score" else [name]
        for text in wanted:
            found = [at for at, other in enumerate(self.names) if other == text]
            found = found or [at for at, one in enumerate(self.names) if plain(one) == plain(text)]
            if len(found) > 1:
                raise self._two(role, found)
            if found:
                return found[0]
        if not must_exist or role == LIST:
            return None
        raise self.no_such(role)

    def no_such(self, role: str) -> NoSuchColumnError:
        """Build the error for a column that somebody named."""
        name = self.asked.chosen[role]
        shown = name.removeprefix("-") if role == "score" else name
        return NoSuchColumnError(
            self.file,
            role,
            f"no column '{shown}' among {self._listed()}",
            f"Correct {self.asked.option} {role}={name}.",
            line=self.line,
            place=self.place,
        )

    def is_smaller_better(self) -> bool:
        """Whether the column of scores was named with a minus sign in front."""
        name = self.asked.chosen.get("score", "")
        return name.startswith("-") and name not in self.names

    def check_value(self, at: Mapping[str, int]) -> None:
        """Refuse judgments without grades, and a run without an order."""
        if self.asked.kind == JUDGMENTS:
            if "grade" not in at:
                raise self.missing("grade")
            return
        if "score" in at or "rank" in at:
            return
        far = list(filter(is_distance, self.names))
        if far:
            raise self._error(
                f"the only value is '{far[0]}', expected a score or a rank",
                f"If smaller is better, say so: {self.asked.option} score=-{far[0]}. "
                f"If larger is better: {self.asked.option} score={far[0]}.",
            )
        raise self._error(
            f"no column for a score or a rank among {self._listed()}, "
            "expected one such as score, similarity or rank",
            f"Add one, or say which it is: {self.asked.option} score=COLUMN "
            "(score=-COLUMN where smaller is better).",
        )

    def missing(self, role: str, *, lists: bool = False) -> FileError:
        """Build the error for a meaning that no column has."""
        also = f", {self.asked.option} {LIST}=COLUMN" if lists and role == "document" else ""
        article = "the" if role in ("query", "document") else "a"
        return self._error(
            f"no column for {article} {role} among {self._listed()}, "
            f"expected one such as {_EXAMPLES[role]}",
            f"Name it so, or say which it is: {self.asked.option} {role}=COLUMN{also}.",
        )

    def unused(self, at: Mapping[str, int]) -> tuple[str, ...]:
        """Names of the columns that nobody reads, but for those that say nothing."""
        used = set(at.values())
        return tuple(
            name
            for number, name in enumerate(self.names)
            if number not in used and plain(name) not in SAYS_NOTHING
        )

    def _two(self, role: str, found: Sequence[int]) -> FileError:
        first, second = (self.names[at] for at in found[:2])
        if first == second:
            return self._error(f"two columns are named '{first}'", "Rename one of them.")
        option = self.asked.option
        return self._error(
            f"the columns '{first}' and '{second}' may both be the {role}, expected one",
            f"Say which it is: {option} {role}={first}, or {option} {role}={second}.",
        )

    def _error(self, found: str, remedy: str) -> FileError:
        return FileError(self.file, found, remedy, line=self.line, place=self.place)

    def _listed(self) -> str:
        return listed((name for name in self.names if name), shown=8) or "no names"
