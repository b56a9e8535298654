"""JSON documents that hold objects: a list of them, or `{query: [object, …]}`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.formats.column_names import LIST, ROLES, RUN, plain, value_of
from core.formats.columns import Asked
from core.formats.json_values import object_shape, quoted, shown
from core.formats.nested import is_answer, is_response, without_query
from core.formats.places import Where, Within
from core.formats.record_rows import judgments_of, runs_of
from core.formats.rows import judgments_from
from core.formats.source import Source
from core.judgments import Judgments
from core.runs import Run

_QUERY_IDS = set(map(plain, ROLES[RUN]["query"][0]))
_OF_A_MAP = ("query", "system", LIST)


@dataclass(frozen=True)
class JsonRecords:
    """The objects of a document, as JSON lines would have them.

    Parameters
    ----------
    each : iterator of (dict, Where)
        Objects, and where they stand.
    asked : Asked
        What they are to be read as; of columns, only those that such a document may have.
    file, format : str
        Name of the file, and what its shape is called.
    unit : str
        What the numbers of places count.
    """

    each: Iterator[tuple[dict[str, Any], Where]]
    asked: Asked
    file: str
    format: str
    unit: str

    def runs(self, name: str | None) -> tuple[Run, ...]:
        """Read the runs."""
        runs, notices = runs_of(self.each, self.asked, self.file)
        return tuple(
            replace(run, format=self.format, columns=dict(self.asked.chosen))
            for run in runs.runs(name, notices)
        )

    def judgments(self, scale: tuple[int, int] | None) -> Judgments:
        """Read the judgments."""
        rows, notices = judgments_of(self.each, self.asked, self.file)
        found = judgments_from(rows, self.file, scale, notices, unit=self.unit)
        return replace(found, format=self.format, columns=dict(self.asked.chosen))


def records_in(document: Any, asked: Asked, source: Source) -> JsonRecords | None:
    """Return the objects that a document lists; None where it is a map without any."""
    file = source.name
    if isinstance(document, list):
        each = _listed(document, asked, source)
        return JsonRecords(each, asked, file, "JSON list of objects", "object")
    if not isinstance(document, dict):
        return None
    if is_response(document):
        raise without_query(file)
    # Every query has an answer, or none has: a look at the first one is enough.
    has_answers = is_answer(next(iter(document.values()), None), asked)
    inner = dict if has_answers else _listed_in(document)
    if inner is None:
        return None
    of_a_map = ("query",) if has_answers else _OF_A_MAP
    chosen = {role: name for role, name in asked.chosen.items() if role not in of_a_map}
    asked = replace(asked, chosen=chosen)
    each = _mapped(document, asked, source)
    one = "object" if inner is dict else f"[document, {value_of(asked.kind)}]"
    return JsonRecords(each, asked, file, f"JSON {{query: [{one}, …]}}", "entry")


def _listed_in(document: dict[str, Any]) -> type | None:
    """Return whether lists of a map hold objects, or else pairs; None where they hold neither."""
    lists = (value for value in document.values() if isinstance(value, list))
    inner = {type(one) for listed in lists for one in listed}
    return next((kind for kind in (dict, list) if kind in inner), None)


def _listed(
    document: list[Any], asked: Asked, source: Source
) -> Iterator[tuple[dict[str, Any], Where]]:
    for number, one in enumerate(document, 1):
        where = Within(source.name, number, "object", source=source, path=(number - 1,))
        if not isinstance(one, dict):
            remedy = f"Give objects: {object_shape(asked.kind)}."
            raise where.error(f"expected an object, found {shown(one)}", remedy)
        yield one, where


def _mapped(
    document: dict[str, Any], asked: Asked, source: Source
) -> Iterator[tuple[dict[str, Any], Where]]:
    """Yield an object a query, with its list or map of documents."""
    for query_id, documents in document.items():
        where = Within(source.name, 0, "entry", source=source, path=(query_id,))
        if not isinstance(documents, list | dict):
            found = f"expected documents, found {shown(documents)}"
            raise where.error(found, f"Give a list of objects with id and {value_of(asked.kind)}.")
        if is_answer(documents, asked):
            if (own := _other_query(documents, query_id)) is not None:
                found = f"the object is of query {own}"
                raise where.error(found, "Give every query the object of its own.")
            told = {key: value for key, value in documents.items() if not _is_query_id(key)}
            yield {"query_id": query_id, **told}, where
            continue
        where.is_bare = True
        for number, one in enumerate(documents, 1):
            if isinstance(one, dict) and (own := _other_query(one, query_id)) is not None:
                here = where.entry(number, "", number - 1)
                raise here.error(
                    f"the object is of query {own}", "Write the list of objects alone."
                )
        yield {"query_id": query_id, "results": documents}, where


@lru_cache(1024)
def _is_query_id(name: str) -> bool:
    return plain(name) in _QUERY_IDS


def _other_query(one: dict[str, Any], query_id: str) -> str | None:
    """Return the query that an object names, where it is another: its list is no query's then."""
    for name, value in one.items():
        if _is_query_id(name) and str(value) != query_id:
            return quoted(value) if isinstance(value, str) else shown(value)
    return None
