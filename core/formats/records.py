"""Objects with named keys, as JSON lines and nested Parquet have them.

An object is one result, or one query with a list of documents: ids, or objects with an id.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import FileError, counted, listed
from core.formats.column_names import LIST, RUN, is_list_name, may_hold_texts, value_of
from core.formats.columns import Asked, Columns, entry_columns, is_distance, resolved
from core.formats.json_values import check_id, shown
from core.formats.nested import as_hit, holds_list, unfolded, which
from core.formats.places import Where

# An object that holds a list, among the keys of another.
_FOLDED = 2


@dataclass
class RecordReader:
    """Reads objects one by one.

    Parameters
    ----------
    asked : Asked
        What the file is to be read as.
    """

    asked: Asked
    _columns: dict[tuple[tuple[str, int], ...], Columns | None] = field(default_factory=dict)
    _entries: dict[tuple[str, ...], Columns | None] = field(default_factory=dict)
    _numbers: int = 0
    _unused: set[str] = field(default_factory=set)

    def columns(
        self, record: Mapping[str, Any], where: Where, *, is_unfolded: bool = False
    ) -> tuple[Mapping[str, Any], Columns]:
        """Find what the keys of an object mean; return the object, unfolded if need be, as well."""
        shape = tuple(
            (key, isinstance(value, list | dict) and 1 + _is_folded(value))
            for key, value in record.items()
        )
        if shape not in self._columns:
            self._columns[shape] = self._of_shape(record, shape, where, is_unfolded=is_unfolded)
        if (known := self._columns[shape]) is None:
            return self.columns(unfolded(record, where), where, is_unfolded=True)
        return record, known

    def _of_shape(
        self,
        record: Mapping[str, Any],
        shape: tuple[tuple[str, int], ...],
        where: Where,
        *,
        is_unfolded: bool,
    ) -> Columns | None:
        """Find what keys mean; None: the object is to be unfolded first."""
        names = tuple(record)
        nested = [is_nested > 0 for _, is_nested in shape]
        for name in filter(None, names):
            _check_text(name, where)
        self._check_lists(record, where)
        asked = as_hit(names, self.asked)
        try:
            known = resolved(names, asked, where.file, nested=nested)
        except FileError as error:
            if not is_unfolded and any(isinstance(one, dict) for one in record.values()):
                return None
            roles = LIST, "document", value_of(asked.kind)
            asking = which(record, asked, where, *roles) if is_unfolded else None
            raise asking or where.placed(error) from None
        if LIST in known.at and shape[known.at[LIST]][1] == _FOLDED and not is_unfolded:
            return None
        self._unused.update(known.unused)
        return known

    def text(self, value: object, what: str, where: Where) -> str:
        """Return an id; a whole number is an id as it is written, and counted."""
        if isinstance(value, str) and value.isascii() and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            self._numbers += 1
            return str(value)
        if not isinstance(value, str):
            found = f"{shown(value)} is not a {what} id"
            raise where.error(found, 'Write ids as text, in quotes: "007".')
        _check_text(value, where)
        return value

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
                    raise self._null(here)
                yield self.text(document, "document", here), number, None, here
            return
        beside = self._beside(record, columns, where)
        if beside is None and value and not isinstance(value[0], dict):
            self._check_score_there(names, where)
        before = None
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
            if isinstance(one, str) and self._may_be_text(listed_name):
                raise here.error(
                    f"'{listed_name}' holds plain text, which may be ids or passages",
                    f"If these are ids, say so: {self.asked.option} {LIST}={listed_name}.",
                )
            if isinstance(one, list):
                raise here.error(f"expected a document, found {shown(one)}", self._shape)
            if beside is None:
                distance = _distance(record, at)
                self._check_distance(before, distance, here)
                before = distance
            yield self.text(one, "document", here), beside[at] if beside else None, None, here

    def notices(self, file: str) -> list[str]:
        """Say what was taken for text, and which keys nobody reads."""
        said = self.asked.notices(file)
        if self._numbers:
            found = counted(self._numbers, "id")
            was = "was a whole number" if self._numbers == 1 else "were whole numbers"
            said.append(f"{file}: {found} {was}, taken as text as written.")
        return [*said, *unused_notice(file, self._unused)]

    def _entry(
        self, one: dict[str, Any], where: Where, *, is_unfolded: bool = False
    ) -> tuple[str, object, object]:
        keys = tuple(one)
        if keys not in self._entries:
            self._entries[keys] = self._of_entry(one, keys, where, is_unfolded=is_unfolded)
        columns = self._entries[keys]
        if columns is None:
            return self._entry(unfolded(one, where), where, is_unfolded=True)
        values, role = list(one.values()), value_of(self.asked.kind)
        identity = values[columns.at["document"]]
        value = values[columns.at[role]] if role in columns.at else None
        if not is_unfolded and (type(identity) is dict or type(value) is dict):
            return self._entry(unfolded(one, where), where, is_unfolded=True)
        document = self.text(identity, "document", where)
        if value is None and role in columns.at:
            raise self._null(where)
        rank = values[columns.at["rank"]] if "rank" in columns.at else None
        return document, turned(value, columns.smaller_is_better), rank

    def _of_entry(
        self, one: dict[str, Any], keys: tuple[str, ...], where: Where, *, is_unfolded: bool
    ) -> Columns | None:
        """Find what the keys of an entry mean; None: it is to be unfolded first."""
        for name in filter(None, keys):
            _check_text(name, where)
        role = value_of(self.asked.kind)
        try:
            columns = entry_columns(keys, self.asked, where.file)
        except FileError as error:
            if not is_unfolded and any(isinstance(inner, dict) for inner in one.values()):
                return None
            asking = which(one, self.asked, where, "document", role) if is_unfolded else None
            raise asking or where.placed(error) from None
        if is_unfolded and (asking := which(one, self.asked, where, role)) is not None:
            raise asking
        self._unused.update(columns.unused)
        return columns

    def _null(self, where: Where) -> FileError:
        remedy = "Give a finite score." if self.asked.kind == RUN else "Give a whole number."
        return where.error(f"{value_of(self.asked.kind)} null is not a number", remedy)

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
                f"'{name}' has {has}, expected {len(documents)}, one for each document",
                "Give one score a document.",
            )
        for value in values:
            if value is None:
                raise self._null(where)
        return [turned(value, columns.smaller_is_better) for value in values]

    def _check_distance(
        self, before: tuple[str, float] | None, here: tuple[str, float] | None, where: Where
    ) -> None:
        """Refuse a list whose only numbers are distances, and that is not in their order.

        Lists are best first; one whose distances grow has the same order either way.
        """
        if before is None or here is None or here[1] >= before[1] or self.asked.kind != RUN:
            return
        name, option = here[0], self.asked.option
        raise where.error(
            f"the list is not in the order of '{name}', which falls from {before[1]} to {here[1]}",
            f"If smaller is better, say so: {option} score=-{name}. "
            f"If larger is better: {option} score={name}.",
        )

    def _check_lists(self, record: Mapping[str, Any], where: Where) -> None:
        """Refuse null in place of a list, where there is no other."""
        if any(isinstance(value, list | dict) for value in record.values()):
            return
        for name, value in record.items():
            if value is None and (name == self.asked.chosen.get(LIST) or is_list_name(name)):
                found = f"'{name}' is null, expected a list of documents"
                raise where.error(found, "Write an empty list, [], where nothing was returned.")

    def _check_score_there(self, names: Sequence[str], where: Where) -> None:
        """Refuse ids without scores where somebody said which key holds the scores."""
        if name := self.asked.chosen.get("score"):
            found = f"no list '{name.removeprefix('-')}' beside the ids, among {listed(names)}"
            raise where.error(found, f"Correct {self.asked.option} score={name}.")

    @property
    def _shape(self) -> str:
        if self.asked.kind == RUN:
            return "Give a list of ids, or of objects with id and score, best first."
        return "Give a list of objects with id and grade."

    def _may_be_text(self, name: str) -> bool:
        return LIST not in self.asked.chosen and may_hold_texts(name)


def _check_text(text: str, where: Where) -> None:
    try:
        check_id(text, where.file)
    except FileError as error:
        raise where.placed(error) from None


def _is_folded(value: list[Any] | dict[str, Any]) -> bool:
    return isinstance(value, dict) and holds_list(value)


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


def unused_notice(file: str, names: Sequence[str] | set[str]) -> list[str]:
    """Say which columns nobody reads."""
    if not names:
        return []
    return [f"{file}: {counted(len(names), 'column')} not used ({listed(names)})."]
