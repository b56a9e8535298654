"""The ways in which an id may have changed before it came into a file: one line for each.

Nothing is repaired by them. They say of ids that do not match why they may be the same.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ulp

Matches = dict[str, list[str]]
"""For ids of the run the judged ids that each may be, in the order of the judgments."""

_NUMERAL = re.compile(r"\d+(?:\.\d*)?(?:e[+-]?\d{1,2})?", re.ASCII)
_SIGN = re.compile(r"[\W_]")
_NAMED_NUMBER = re.compile(r"\D+(\d+)", re.ASCII)
_EXACT = 2**53
"""The first whole number that another one becomes in a float."""
_SPREADSHEET = 15
"""Digits of a number that spreadsheets keep."""
_LONGEST = 40
"""Digits of the longest number that is looked at."""
_FEWEST_DIGITS = 3
"""What spreadsheets show of a long number, at the least: 1.23E+17."""
_TERRIER = 20
"""Characters of an id that Terrier keeps unless it is told otherwise."""


@dataclass(frozen=True)
class Kind:
    """One explanation of ids that are not equal.

    Parameters
    ----------
    name : str
    words : str
        What such ids differ in.
    matches : callable
        Finds among ids of the run and of the judgments those that differ in this, at most.
    chance : bool
        Whether different documents may be told apart by just this, as sections 1.1 and 1.10 are.
    """

    name: str
    words: str
    matches: Callable[[Iterable[str], Sequence[str]], Matches]
    chance: bool = False


def alike(form: Callable[[str], str]) -> Callable[[Iterable[str], Sequence[str]], Matches]:
    """Match ids that are the same in some form."""

    def matches(ours: Iterable[str], judged: Sequence[str]) -> Matches:
        by_form: Matches = {}
        for one in judged:
            by_form.setdefault(form(one), []).append(one)
        return {one: found for one in ours if (found := by_form.get(form(one)))}

    return matches


def partly(
    parts: Callable[[str], list[str]],
) -> Callable[[Iterable[str], Sequence[str]], Matches]:
    """Match ids of which one is a part of the other."""

    def matches(ours: Iterable[str], judged: Sequence[str]) -> Matches:
        whole, shortest = frozenset(judged), min(map(len, judged))
        by_part: Matches = {}
        for one in judged:
            for part in dict.fromkeys(parts(one)):
                by_part.setdefault(part, []).append(one)
        found = {}
        for one in ours:
            within = parts(one) if len(one) > shortest else []
            if one in by_part or not whole.isdisjoint(within):
                found[one] = [*by_part.get(one, ()), *(part for part in within if part in whole)]
        return found

    return matches


def normalised(text: str) -> str:
    """Write an id in one of its Unicode forms, without white space round it.

    NFKC rather than NFC: it joins letters with their accents as NFC does, and turns full-width
    letters, ligatures and no-break spaces into plain ones, which converters do as well. It would be
    too much for ids that are to be equal; here somebody looks at what it finds. What nobody can
    see, such as a zero-width space, is left out.
    """
    if text.isascii():
        return text.strip()
    plain = unicodedata.normalize("NFKC", text)
    if not plain.isprintable():
        plain = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    return plain.strip()


def folded(text: str) -> str:
    """Set letter case aside, too."""
    return normalised(text).casefold()


def as_number(text: str) -> str:
    """Write a number without its exponent and the zeros that mean nothing; all else as it is.

    >>> as_number("2506.00500"), as_number("007"), as_number("123.0"), as_number("1E5")
    ('2506.005', '7', '123', '100000')
    """
    text = text.strip().casefold() if text.isascii() else folded(text)
    if not text[:1].isdigit():
        return text
    if text.isdecimal() and text.isascii():
        return text.lstrip("0") or "0"
    if not _NUMERAL.fullmatch(text):
        return text
    whole, _, rest = (format(Decimal(text), "f") if "e" in text else text).partition(".")
    return f"{whole.lstrip('0') or '0'}.{rest}".rstrip("0").rstrip(".")


def rounded(ours: Iterable[str], judged: Sequence[str]) -> Matches:
    """Match long whole numbers of which one may be what a float or a spreadsheet left of the other.

    >>> rounded(["1.23457e+17"], ["123456789012345678", "123456999012345678"])
    {'1.23457e+17': ['123456789012345678', '123456999012345678']}
    """
    if not (theirs := _long_numbers(judged)) or not (mine := _long_numbers(ours)):
        return {}
    found: dict[str, dict[str, None]] = {}
    for one, another in [*_near(mine, theirs), *((b, a) for a, b in _near(theirs, mine))]:
        found.setdefault(one, {})[another] = None
    return {one: list(partners) for one, partners in found.items()}


def _long_numbers(ids: Iterable[str]) -> list[tuple[int, str]]:
    """Whole numbers that a float cannot hold, ascending, each with its id."""
    long = []
    for one in ids:
        if one[:1].isdigit() and (len(one) > _SPREADSHEET or "e" in one or "E" in one):
            plain = one if one.isdecimal() else as_number(one)
            if plain.isdecimal() and plain.isascii() and len(plain) <= _LONGEST:
                long.append((int(plain), one))
    return sorted(number for number in long if number[0] >= _EXACT)


def _near(
    rounded: Sequence[tuple[int, str]], whole: Sequence[tuple[int, str]]
) -> Iterable[tuple[str, str]]:
    """Pair every number that looks rounded with those that it may have been."""
    values = [value for value, _ in whole]
    for value, one in rounded:
        if value % 10 and int(float(value)) != value:
            continue
        digits = len(str(value))
        significant = len(str(value).rstrip("0"))
        # How far off it may be: half of its last digit; the distance of floats, of which it may be
        # one in short; a spreadsheet cuts what follows the 15th digit.
        reach = max(10 ** (digits - max(significant, _FEWEST_DIGITS)) // 2, int(ulp(float(value))))
        if significant <= _SPREADSHEET:
            reach = max(reach, 10 ** (digits - _SPREADSHEET))
        low, high = bisect_left(values, value - reach), bisect_right(values, value + reach)
        yield from ((one, whole[at][1]) for at in range(low, high) if values[at] != value)


def beginnings(text: str) -> list[str]:
    """What is left where the end was cut off at a sign, or at the 20th character.

    >>> beginnings("t1.2")
    ['t1']
    """
    found = [text[: sign.start()] for sign in _SIGN.finditer(text, 1)]
    return [*found, text[:_TERRIER]] if len(text) > _TERRIER else found


def endings(text: str) -> list[str]:
    """What is left where the beginning was cut off at a sign, or all letters before a number.

    >>> endings("q7"), endings("doc/a.txt")
    (['7'], ['a.txt', 'txt'])
    """
    found = [text[sign.end() :] for sign in _SIGN.finditer(text, 0, len(text) - 1)]
    numbered = _NAMED_NUMBER.fullmatch(text)
    return [*found, numbered[1]] if numbered else found


SPELLINGS = (
    Kind("trimmed", "white space around", alike(str.strip)),
    Kind("normalised", "Unicode form", alike(normalised)),
    Kind("folded", "letter case", alike(folded)),
    Kind("number", "zeros or exponent of a number", alike(as_number), chance=True),
)
"""The same text or number in other words. Each finds what the one before finds, and more."""

ROUNDED = Kind("rounded", "digits lost by rounding", rounded, chance=True)

PARTS = (
    Kind("suffix", "a suffix", partly(beginnings)),
    Kind("prefix", "a prefix", partly(endings)),
)
"""Asked only where no id at all matches: elsewhere, an id that begins as another is another."""

KINDS = (*SPELLINGS, ROUNDED, *PARTS)
"""An id counts under the first that explains it."""
