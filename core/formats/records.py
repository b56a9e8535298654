"""Objects with named keys, as JSON lines and nested Parquet have them.

An object is one result, or one query with a list of documents: ids, or objects with an id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import FileError, counted, listed
from core.formats.column_names import LIST, is_list_name, value_of
from core.formats.column_search import resolved
from core.formats.columns import Asked, Columns
from core.formats.json_values import quoted, shown
from core.formats.nested import as_hit, holds_list, unfolded, which
from core.formats.places import Where
from core.formats.record_lists import ListReader

# Keys of an object, and whether each holds a list or object: 2, an object that holds a list.
_Shape = tuple[tuple[str, int], ...]
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
    _columns: dict[tuple[bool, _Shape], Columns | None] = field(default_factory=dict)
    _numbers: int = 0
    _unused: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.lists = ListReader(self.asked, self.text)

    def columns(
        self, record: Mapping[str, Any], where: Where, *, is_unfolded: bool = False
    ) -> tuple[Mapping[str, Any], Columns]:
        """Find what the keys of an object mean; return the object, unfolded if need be, as well."""
        shape = tuple(
            (key, isinstance(value, list | dict) and 1 + _is_folded(value))
            for key, value in record.items()
        )
        key = is_unfolded, shape
        if key not in self._columns:
            self._columns[key] = self._of_shape(record, shape, where, is_unfolded=is_unfolded)
        if (known := self._columns[key]) is None:
            return self.columns(unfolded(record, where), where, is_unfolded=True)
        return record, known

    def _of_shape(
        self,
        record: Mapping[str, Any],
        shape: _Shape,
        where: Where,
        *,
        is_unfolded: bool,
    ) -> Columns | None:
        """Find what keys mean; None: the object is to be unfolded first."""
        names = tuple(record)
        nested = [is_nested > 0 for _, is_nested in shape]
        for name in filter(None, names):
            where.check_text(name)
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
        where.check_text(value)
        return value

    def notices(self, file: str) -> list[str]:
        """Say what was taken for text, and which keys nobody reads."""
        said = self.asked.notices(file)
        if self._numbers:
            found = counted(self._numbers, "id")
            was = "was a whole number" if self._numbers == 1 else "were whole numbers"
            said.append(f"{file}: {found} {was}, taken as text as written.")
        if self.lists.pairs:
            found = counted(self.lists.pairs, "pair")
            said.append(f"{file}: {found} read as document and {value_of(self.asked.kind)}.")
        return [*said, *unused_notice(file, self._unused | self.lists.unused)]

    def _check_lists(self, record: Mapping[str, Any], where: Where) -> None:
        """Refuse null in place of a list, where there is no other."""
        if any(isinstance(value, list | dict) for value in record.values()):
            return
        for name, value in record.items():
            if value is None and (name == self.asked.chosen.get(LIST) or is_list_name(name)):
                found = f"{quoted(name)} is null, expected a list of documents"
                raise where.error(found, "Write an empty list, [], where nothing was returned.")


def _is_folded(value: list[Any] | dict[str, Any]) -> bool:
    return isinstance(value, dict) and holds_list(value)


def unused_notice(file: str, names: Sequence[str] | set[str]) -> list[str]:
    """Say which columns nobody reads."""
    if not names:
        return []
    return [f"{file}: {counted(len(names), 'column')} not used ({listed(names)})."]
