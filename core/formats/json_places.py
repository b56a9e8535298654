"""Where things stand in the text of JSON. A second, slow look, for messages alone."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

Path = tuple[str | int, ...]

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]+")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


@dataclass(frozen=True)
class Found:
    """A key or a value.

    Parameters
    ----------
    line : int
        Counted from 1.
    path : tuple
        Keys, and numbers of entries counted from 0, that lead to it.
    token : str
        How it begins, as written.
    is_key : bool
    """

    line: int
    path: Path
    token: str
    is_key: bool = False


def walked(text: str) -> Iterator[Found]:
    """Yield keys and values in the order of the text, which is JSON as far as one goes."""
    path: list[str | int | None] = []
    line, before = 1, 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        line += text.count("\n", before, match.start())
        before = match.start()
        if token in "}]":
            path.pop()
        elif token == ",":
            last = path[-1]
            path[-1] = last + 1 if isinstance(last, int) else None
        elif token != ":":
            # In an object, None stands for a key that is yet to come.
            is_key = bool(path) and path[-1] is None
            if is_key:
                path[-1] = json.loads(token)
            yield Found(line, tuple(one for one in path if one is not None), token, is_key)
            if token in "{[":
                path.append(None if token == "{" else 0)


def line_of(text: str, path: Path) -> int:
    """Return the line of the value that a path leads to, or of the innermost that holds it."""
    at = _past_space(text, 0)
    for step in path:
        if (inner := _inner(text, at, step)) is None:
            break
        at = inner
    return text.count("\n", 0, at) + 1


def _inner(text: str, at: int, step: str | int) -> int | None:
    """Return where a value begins in the object or list at a place; None where it is not there.

    The parser skips the values before it, which is much faster than a walk.
    """
    is_object = isinstance(step, str)
    if text[at] != ("{" if is_object else "["):
        return None
    at, number = _past_space(text, at + 1), 0
    while text[at] not in "}]":
        here: str | int = number
        if is_object:
            here, at = _DECODER.raw_decode(text, at)
            at = _past_space(text, _past_space(text, at) + 1)
        if here == step:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _past_space(text, at)
        at = _past_space(text, at + 1) if text[at] == "," else at
        number += 1
    return None


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def repeated_key(text: str) -> Found:
    """Find the first key that its object has already; there is one."""
    seen: dict[int, set[Path]] = {}
    for found in walked(text):
        depth = len(found.path)
        if found.is_key:
            if found.path in seen[depth]:
                break
            seen[depth].add(found.path)
        elif found.token == "{":
            seen[depth + 1] = set()
    return found


def long_number(text: str, digits: int) -> Found:
    """Find the first whole number of more than so many digits; there is one."""
    return next(
        found
        for found in walked(text)
        if len(whole := found.token.removeprefix("-")) > digits and whole.isdecimal()
    )
