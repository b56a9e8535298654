"""Lists of documents in an object: ids, pairs of id and value, or objects with an id."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import FileError, listed, shortened
from core.formats.column_names import LIST, RUN, may_hold_texts, value_of
from core.formats.column_search import entry_columns, is_distance
from core.formats.columns import Asked, Columns
from core.formats.json_values import quoted, shown
from core.formats.nested import unfolded, which
from core.formats.places import Where


@dataclass
class ListReader:
    """Reads the lists of one file.

    Parameters
    ----------
    asked : Asked
        What the file is to be read as.
    text : callable
        Returns an id, given a value, what it is the id of, and its place.
    pairs : int
        How many pairs there were.
    unused : set of str
        Keys of entries that nobody reads.
    """

    asked: Asked
    text: Callable[[object, str, Where], str]
    pairs: int = 0
    unused: set[str] = field(default_factory=set)
    _columns: dict[tuple[bool, tuple[str, ...]], Columns | None] = field(default_factory=dict)

    def entries(
        self, record: Mapping[str, Any], columns: Columns, where: Where
    ) -> Iterator[tuple[str, object, object, Where]]:
        """Read the list of an object: document, score or grade, rank (None: it has none), place."""
        names = list(record)
        listed_name = names[columns.at[LIST]]
        value = record[listed_name]
        if isinstance(value, dict):
            for at, (document, number) in enumerate(value.items(), 1):
                here = where.entry(at, listed_name, document)
                if number is None:
                    raise null_value(self.asked, here)
                yield self.text(document, "document", here), number, None, here
            return
        beside = self._beside(record, columns, where)
        if beside is None and value and not isinstance(value[0], dict):
            self._check_nothing_else(names, listed_name, where)
        before: tuple[str, float] | None = None
        for at, one in enumerate(value):
            here = where.entry(at + 1, listed_name, at)
            if isinstance(one, dict):
                document, score, rank = self._entry(one, here)
                if score is None and rank is None:
                    distance = _distance(one)
                    self._check_distance(before, distance, here)
                    before = distance
                yield document, score, rank, here
                continue
            first = one[0] if isinstance(one, list) and one else one
            if isinstance(first, str) and self._may_be_text(listed_name):
                name, option = shortened(listed_name), self.asked.option
                raise here.error(
                    f"{quoted(name)} holds plain text, which may be ids or passages",
                    f"If these are ids, say so: {option} {LIST}={name}.",
                )
            if isinstance(one, list) and beside is None:
                pair = self._pair(one, here)
                self._check_order(before, pair, here)
                before = pair
                yield *pair, None, here
                continue
            if beside is None:
                distance = _distance(record, at)
                self._check_distance(before, distance, here)
                before = distance
            yield self.text(one, "document", here), beside[at] if beside else None, None, here

    def _pair(self, one: list[Any], where: Where) -> tuple[str, float]:
        """Return document and value of a pair; nothing else is a pair."""
        match one:
            case [str(), int() | float() as value] if not isinstance(value, bool):
                self.pairs += 1
                return self.text(one[0], "document", where), value
        raise where.error(f"expected a document, found {shown(one)}", self._shape)

    def _check_order(
        self, before: tuple[str, float] | None, here: tuple[str, float], where: Where
    ) -> None:
        """Refuse pairs that are not in the order of their numbers: these may be distances."""
        if before is None or not here[1] > before[1] or self.asked.kind != RUN:
            return
        raise where.error(
            f"the numbers of the pairs rise from {shown(before[1])} to {shown(here[1])}, "
            "expected the largest first",
            "If larger is better, sort them. If smaller is better, write "
            '{"id": …, "distance": …} for each pair and say so: '
            f"{self.asked.option} score=-distance.",
        )

    def _entry(
        self, one: dict[str, Any], where: Where, *, is_unfolded: bool = False
    ) -> tuple[str, object, object]:
        key = is_unfolded, tuple(one)
        if key not in self._columns:
            self._columns[key] = self._of_entry(one, where, is_unfolded=is_unfolded)
        columns = self._columns[key]
        if columns is None:
            return self._entry(unfolded(one, where), where, is_unfolded=True)
        values, role = list(one.values()), value_of(self.asked.kind)
        identity = values[columns.at["document"]]
        value = values[columns.at[role]] if role in columns.at else None
        if not is_unfolded and (type(identity) is dict or type(value) is dict):
            return self._entry(unfolded(one, where), where, is_unfolded=True)
        document = self.text(identity, "document", where)
        if value is None and role in columns.at:
            raise null_value(self.asked, where, may_lack=True)
        rank = values[columns.at["rank"]] if "rank" in columns.at else None
        return document, turned(value, columns.smaller_is_better), rank

    def _of_entry(self, one: dict[str, Any], where: Where, *, is_unfolded: bool) -> Columns | None:
        """Find what the keys of an entry mean; None: it is to be unfolded first."""
        for name in filter(None, one):
            where.check_text(name)
        role = value_of(self.asked.kind)
        try:
            columns = entry_columns(tuple(one), self.asked, where.file)
        except FileError as error:
            if not is_unfolded and any(isinstance(inner, dict) for inner in one.values()):
                return None
            asking = which(one, self.asked, where, "document", role) if is_unfolded else None
            raise asking or where.placed(error) from None
        if is_unfolded and (asking := which(one, self.asked, where, role)) is not None:
            raise asking
        self.unused.update(columns.unused)
        return columns

    def _beside(
        self, record: Mapping[str, Any], columns: Columns, where: Where
    ) -> list[object] | None:
        """Return the scores where they are a list of their own."""
        if "score" not in columns.at:
            return None
        name = list(record)[columns.at["score"]]
        values, documents = record[name], list(record.values())[columns.at[LIST]]
        if not isinstance(values, list) or len(values) != len(documents):
            has = f"{len(values)}" if isinstance(values, list) else shown(values)
            raise where.error(
                f"{quoted(name)} has {has}, expected {len(documents)}, one for each document",
                "Give one score a document.",
            )
        for value in values:
            if value is None:
                raise null_value(self.asked, where)
        return [turned(value, columns.smaller_is_better) for value in values]

    def _check_distance(
        self, before: tuple[str, float] | None, here: tuple[str, float] | None, where: Where
    ) -> None:
        """Refuse a list whose only numbers are distances, and that is not in their order.

        Lists are best first; one whose distances grow has the same order either way.
        """
        if before is None or here is None or here[1] >= before[1] or self.asked.kind != RUN:
            return
        name, option = shortened(here[0]), self.asked.option
        raise where.error(
            f"the list is not in the order of '{name}', which falls from {before[1]} to {here[1]}",
            f"If smaller is better, say so: {option} score=-{name}. "
            f"If larger is better: {option} score={name}.",
        )

    def _check_nothing_else(self, names: Sequence[str], listed_name: str, where: Where) -> None:
        """Refuse ids alone where somebody said which key holds the scores, or anything of them."""
        for role in ("score", "document", "rank", "grade"):
            name = shortened(self.asked.chosen.get(role, ""))
            if not name or name == listed_name:
                continue
            found = f"'{shortened(listed_name)}' lists ids, which have no '{name}'"
            if role == "score":
                found = f"no list '{name.removeprefix('-')}' beside the ids, among {listed(names)}"
            raise where.error(found, f"Correct {self.asked.option} {role}={name}.")

    @property
    def _shape(self) -> str:
        if self.asked.kind == RUN:
            return "Give ids, pairs [id, score], or objects with id and score, best first."
        return "Give pairs [id, grade], or objects with id and grade."

    def _may_be_text(self, name: str) -> bool:
        return LIST not in self.asked.chosen and may_hold_texts(name)


def _distance(told: Mapping[str, Any], at: int | None = None) -> tuple[str, float] | None:
    """Find a distance among the keys of an object, or among the lists beside the ids; its name."""
    for name, found in told.items():
        if not is_distance(name):
            continue
        value = found
        if at is not None:
            value = found[at] if isinstance(found, list) and at < len(found) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return name, value
    return None


def turned(value: object, is_distance: bool) -> object:
    """Turn a distance round, so that larger is better."""
    if is_distance and isinstance(value, int | float) and not isinstance(value, bool):
        return 0 - value
    return value


def null_value(asked: Asked, where: Where, *, may_lack: bool = False) -> FileError:
    """Build the error for null in place of a score or grade.

    Parameters
    ----------
    asked, where
        What the file is to be read as, and where null stands.
    may_lack : bool
        Whether the results have an order without scores.
    """
    remedy = "Give a whole number."
    if asked.kind == RUN:
        remedy = "Give a finite score."
        if may_lack:
            order = f"{asked.option} score= to go by the order of the list"
            remedy = f"Give a finite score, or say {order}."
    return where.error(f"{value_of(asked.kind)} null is not a number", remedy)
