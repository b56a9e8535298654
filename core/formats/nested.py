"""Objects within objects, as tools export them: `{"node": {"id_": …}}` as `{"node.id_": …}`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, TypeGuard

from core.errors import FileError, shortened
from core.formats.column_names import LIST, LIST_NAMES, ROLES, is_list_name, plain
from core.formats.column_search import is_distance
from core.formats.columns import Asked
from core.formats.places import Where

_DEEPEST = 8
_MOST = 4
# What a document may go by, besides names that end with "id".
_ID_NAMES = ("source", "url", "uri", "path", "filepath", "filename", "key")
# A search engine's hit: together, these two names stand for nothing else.
_HIT = {"_id", "_score"}
_HITS = "hits.hits"


def unfolded(one: Mapping[str, Any], where: Where) -> dict[str, Any]:
    """Give what stands in inner objects a name of its own, the keys with full stops between.

    Raises
    ------
    FileError
        A key is written like the way to another.
    """
    values: dict[str, Any] = {}
    for name, value in _leaves(one):
        if name in values:
            found = f"'{shortened(name)}' is a key, and the way to another"
            raise where.error(found, "Rename one of them.")
        values[name] = value
    return values


def _leaves(one: Mapping[str, Any], before: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, value in one.items():
        name = before + key
        is_folded = isinstance(value, dict) and bool(value) and depth < _DEEPEST
        if is_folded and not (is_list_name(name) and not holds_list(value)):
            yield from _leaves(value, f"{name}.", depth + 1)
        else:
            yield name, value


def holds_list(value: Mapping[str, Any]) -> bool:
    """Whether an object holds a list: it is no map of documents then."""
    return any(isinstance(one, list) for one in value.values())


def is_answer(value: object, asked: Asked) -> TypeGuard[dict[str, Any]]:
    """Whether an object is what was found for a query, with a list among its keys."""
    return isinstance(value, dict) and any(
        is_list_name(name) or name == asked.chosen.get(LIST)
        for name, inner in value.items()
        if isinstance(inner, list) or (isinstance(inner, dict) and holds_list(inner))
    )


def is_response(document: Mapping[str, Any]) -> bool:
    """Whether a document is what a search engine answered, to one query or to several."""
    hits, several = document.get("hits"), document.get("responses")
    if isinstance(several, list):
        return any(isinstance(one, dict) and is_response(one) for one in several)
    return isinstance(hits, dict) and isinstance(hits.get("hits"), list)


def as_hit(names: tuple[str, ...], asked: Asked) -> Asked:
    """Choose the document of a hit of Elasticsearch or OpenSearch, where none is named."""
    known = set(map(plain, chain(*ROLES[asked.kind]["document"])))
    if not _HIT.issubset(names) or any(plain(name) in known for name in names):
        return asked
    return replace(asked, chosen={"document": "_id", **asked.chosen})


def without_query(file: str) -> FileError:
    """Build the error for the answer of a search engine, which does not name the query."""
    return FileError(
        file,
        f"an answer with '{_HITS}' that does not name its query",
        'Write {"query_id": "q1", "hits": …} for each query, one a line, or one map of all '
        'answers, {"q1": {"hits": …}, …}.',
    )


def which(one: Mapping[str, Any], asked: Asked, where: Where, *roles: str) -> FileError | None:
    """Build the error that asks which inner key is meant; None where none may be.

    Parameters
    ----------
    one : mapping
        An object, unfolded.
    asked, where
        What it is to be read as, and where it stands.
    *roles : str
        What is needed: "list", "document", "score" or "grade". Those with a known name are not
        asked about.
    """
    words = {role: set(map(plain, chain(*names))) for role, names in ROLES[asked.kind].items()}
    words[LIST] = set(map(plain, chain(*LIST_NAMES)))
    known = {name for name in one if any(plain(name) in names for names in words.values())}
    if _HITS in one and not any(plain(name) in words["query"] for name in known):
        return where.placed(without_query(where.file))
    for role in roles:
        if role in asked.chosen or any(plain(name) in words[role] for name in known):
            continue
        others = ((name, value) for name, value in one.items() if name not in known)
        found = [name for name, value in others if _may_be(role, words[role], name, value)][:_MOST]
        if found:
            names = " or ".join(f"'{shortened(name)}'" for name in found)
            ways = (f"{asked.option} {role}={_sign(role, name)}{shortened(name)}" for name in found)
            return where.error(f"the {role} may be {names}", f"Say so: {', or '.join(ways)}.")
    return None


def _may_be(role: str, words: set[str], name: str, value: object) -> bool:
    *_, last = parts = list(map(plain, name.split(".")))
    if isinstance(value, bool):
        return False
    if role == LIST:
        return isinstance(value, list) and last in words
    if role == "document":
        is_named = last.endswith("id") or last in words or last in _ID_NAMES
        return isinstance(value, str | int) and is_named
    return isinstance(value, int | float) and any(
        part in words or is_distance(part) for part in parts
    )


def _sign(role: str, name: str) -> str:
    return "-" if role == "score" and is_distance(name.rpartition(".")[2]) else ""
