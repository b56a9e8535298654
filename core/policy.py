"""The scoring policy: every choice that can move a number, as one frozen value."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

from core.errors import PolicyError, shortened

Cutoff: TypeAlias = int | Literal["all"]

OPTIONS: dict[str, tuple[str, ...]] = {
    "gain": ("linear", "exponential", "binary"),
    "discount": ("log2", "original"),
    "ideal_scope": ("judged", "any_run", "this_run"),
    "ideal_depth": ("cutoff", "full", "returned"),
    "order": ("score", "rank_column", "as_listed"),
    "ties": ("docid_descending", "docid_ascending", "as_listed", "expected", "refuse"),
    "score_precision": ("float64", "float32"),
    "duplicates": ("refuse", "keep_first"),
    "self_matches": ("keep", "remove"),
    "unjudged": ("zero", "condense", "refuse", "refuse_any"),
    "negative_grades": ("zero", "as_unjudged", "raw", "refuse"),
    "missing_query": ("zero", "leave_out", "refuse"),
    "empty_query": ("zero", "leave_out", "refuse"),
    "extra_query": ("ignore", "zero", "refuse"),
    "zero_idcg": ("zero", "leave_out", "one"),
    "average": ("macro", "pooled"),
    "rounding": ("none", "two_decimals"),
}
"""The named options of each field; `gain` also takes a table."""

_LARGEST_COUNT = 10**9
_LARGEST_GAIN = 1e300
_COUNT = re.compile(r"\d{1,10}", re.ASCII)
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TABLE = re.compile(rf"[+-]?\d{{1,10}}:{_NUMBER}(?:,[+-]?\d{{1,10}}:{_NUMBER})*", re.ASCII)
_TABLE_EXPECTED = "linear, exponential, binary, or a table such as 0:0,1:1,2:5"

_PHRASES: dict[str, dict[str, str]] = {
    "discount": {"log2": "discount log2(rank+1)", "original": "discount of 2002, base 2"},
    "ideal_depth": {
        "cutoff": "ideal cut at k",
        "full": "ideal uncut",
        "returned": "ideal cut at the list's length",
    },
    "order": {"score": "by score", "rank_column": "by rank column", "as_listed": "as listed"},
    "ties": {
        "docid_descending": "ties: document id descending",
        "docid_ascending": "ties: document id ascending",
        "as_listed": "ties: as listed",
        "expected": "ties: mean over orders",
        "refuse": "ties: refuse",
    },
    "negative_grades": {
        "zero": "negative grades: gain 0",
        "as_unjudged": "negative grades: as unjudged",
        "raw": "negative grades: raw",
        "refuse": "negative grades: refuse",
    },
}


@dataclass(frozen=True)
class GainTable:
    """Gain of each grade, given one by one.

    Parameters
    ----------
    entries : tuple of (int, float)
        Grade and gain, by ascending grade. Finite, never falling, gain 0 at grade 0.
    """

    entries: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        grades = [grade for grade, _ in self.entries]
        gains = [gain for _, gain in self.entries]
        if grades != sorted(set(grades)):
            raise _gain_error(self, "each grade once, in ascending order")
        if not all(abs(gain) <= _LARGEST_GAIN for gain in gains):
            raise _gain_error(self, f"finite gains, up to {_LARGEST_GAIN:g}")
        if dict(self.entries).get(0, 0) != 0:
            raise _gain_error(self, "gain 0 for grade 0")
        known = dict(self.entries) | {0: 0.0}
        if (ordered := [known[grade] for grade in sorted(known)]) != sorted(ordered):
            raise _gain_error(self, "gains that never fall as the grade rises")

    def __str__(self) -> str:
        return ",".join(f"{grade}:{_shortest(gain)}" for grade, gain in self.entries)

    @classmethod
    def parsed(cls, text: str) -> "GainTable":
        """Read `0:0,1:1,2:5`."""
        if not _TABLE.fullmatch(text):
            raise _gain_error(shortened(text), _TABLE_EXPECTED)
        return cls.from_pairs(part.split(":") for part in text.split(","))

    @classmethod
    def from_pairs(cls, pairs: Iterable[Sequence[object]]) -> "GainTable":
        """Read pairs of grade and gain, in any order, written as numbers or as text."""
        entries = list(pairs)
        text = ",".join(f"{grade}:{gain}" for grade, gain in entries)
        if not _TABLE.fullmatch(text):
            raise _gain_error(shortened(text), _TABLE_EXPECTED)
        return cls(tuple(sorted((int(str(grade)), float(str(gain))) for grade, gain in entries)))


Gain: TypeAlias = Literal["linear", "exponential", "binary"] | GainTable


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Every choice that changes a number. Nothing has a default: presets build policies.

    Parameters
    ----------
    cutoff : int or "all"
        k: ranks that count. A whole number of at least 1, or "all".
    gain : "linear", "exponential", "binary" or GainTable
        What a grade is worth: the grade, 2^grade - 1, 1 from `relevance_level` on, or a table.
    discount : str
        What a rank costs: "log2" divides by log2(rank + 1); "original" leaves ranks 1 and 2 whole,
        then divides by log2(rank) (Järvelin & Kekäläinen 2002, eq. 2, base 2).
    ideal_scope : str
        Documents the ideal ranking is made of: "judged", "any_run" (judged and returned by at
        least one run) or "this_run" (judged and returned by the run itself).
    ideal_depth : str
        Where the ideal ranking ends: "cutoff", "full" or "returned".
    order : str
        What orders a run: "score", "rank_column" or "as_listed".
    ties : str
        Order of equal keys; "expected" is the mean over all orders (McSherry & Najork 2008).
    score_precision : str
        "float32" rounds scores before they are compared, as trec_eval up to version 9 does.
    duplicates, self_matches, unjudged, negative_grades : str
        What happens to a document listed twice, to one whose id is the query's, to one without a
        judgment, and to a grade below 0.
    missing_query, empty_query, extra_query : str
        What happens to a judged query the run misses, to one it holds without a document, and to
        a query without judgments.
    zero_idcg : str
        Score of a query whose ideal ranking gains nothing.
    average : str
        "macro": mean over queries; "pooled": sum of DCG over sum of IDCG.
    rounding : str
        Whether the score of a query is rounded before the mean: "none" or "two_decimals", a half
        upwards. A pooled ratio is made of sums, and stays as it is.
    relevance_level : int
        Lowest grade that counts as relevant in precision, recall, reciprocal rank and average
        precision. NDCG knows it under binary gain alone.

    Raises
    ------
    PolicyError
        A value its field does not take.
    """

    cutoff: Cutoff
    gain: Gain
    discount: str
    ideal_scope: str
    ideal_depth: str
    order: str
    ties: str
    score_precision: str
    duplicates: str
    self_matches: str
    unjudged: str
    negative_grades: str
    missing_query: str
    empty_query: str
    extra_query: str
    zero_idcg: str
    average: str
    rounding: str
    relevance_level: int

    def __post_init__(self) -> None:
        if self.cutoff != "all" and not _is_count(self.cutoff):
            most = f" and at most {_LARGEST_COUNT:,}" if _is_huge(self.cutoff) else ""
            expected = f'a whole number of at least 1{most}, or "all"'
            raise PolicyError("cutoff", f"cutoff must be {expected}, not {self.cutoff!r}.")
        if not _is_count(level := self.relevance_level):
            raise PolicyError(
                "relevance_level",
                f"relevance_level must be a whole number of at least 1, not {level!r}.",
            )
        for name, options in OPTIONS.items():
            value = getattr(self, name)
            if name == "gain" and isinstance(value, GainTable):
                continue
            if value not in options:
                more = ", or a table such as 0:0,1:1,2:5" if name == "gain" else ""
                raise PolicyError(
                    name, f"{name} must be one of {', '.join(options)}{more}, not {value!r}."
                )

    @property
    def measure(self) -> str:
        """Name of the headline with the rules that most often differ.

        >>> from core.presets import STRICT
        >>> STRICT.measure
        'NDCG@10 (linear gain, ideal: all judged, unjudged: refused anywhere)'
        """
        rules = (self._gain_words, self._ideal_words, self._unjudged_words)
        return f"{self.short_measure} ({', '.join(rules)})"

    @property
    def short_measure(self) -> str:
        """Name of the headline alone: `NDCG@10`, or `pooled NDCG@10` under pooled averaging."""
        name = "NDCG" if self.cutoff == "all" else f"NDCG@{self.cutoff}"
        return name if self.average == "macro" else f"pooled {name}"

    @property
    def description(self) -> str:
        """Every choice of this policy, in one line."""
        phrases = [_PHRASES[name][getattr(self, name)] for name in _PHRASES]
        rest = (
            f"{self.score_precision} scores",
            f"duplicates: {_words(self.duplicates)}",
            f"self matches: {_words(self.self_matches)}",
            f"missing queries: {_words(self.missing_query)}",
            f"empty queries: {_words(self.empty_query)}",
            f"extra queries: {_words(self.extra_query)}",
            f"zero-IDCG: {_words(self.zero_idcg)}",
            "macro mean" if self.average == "macro" else "pooled ratio",
            "query scores " + ("unrounded" if self.rounding == "none" else "to 2 decimals"),
            f"relevant from grade {self.relevance_level}",
        )
        parts = [self._gain_words, self._ideal_words, self._unjudged_words, *phrases, *rest]
        return f"{self.short_measure}: {', '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values; `from_dict` reads them back."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if isinstance(self.gain, GainTable):
            values["gain"] = {str(grade): gain for grade, gain in self.gain.entries}
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Policy":
        """Read what `to_dict` wrote. Every field must be there, and no other."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise unknown_field(unknown[0])
        if absent := sorted(known - set(values)):
            raise PolicyError(absent[0], f"{absent[0]} is not stated. A policy states every field.")
        gain = values["gain"]
        if isinstance(gain, Mapping):
            gain = GainTable.from_pairs(gain.items())
        return cls(**{**values, "gain": gain})

    def with_option(self, field: str, text: str) -> "Policy":
        """Return this policy with one field changed, its value given as text."""
        return replace(self, **{field: parsed_option(field, text)})

    @property
    def _gain_words(self) -> str:
        return f"gain {self.gain}" if isinstance(self.gain, GainTable) else f"{self.gain} gain"

    @property
    def _ideal_words(self) -> str:
        scope = {
            "judged": "all judged",
            "any_run": "judged and returned by any run",
            "this_run": "only what this run returned",
        }
        return f"ideal: {scope[self.ideal_scope]}"

    @property
    def _unjudged_words(self) -> str:
        rule = {
            "zero": "zero",
            "condense": "removed (condensed list)",
            "refuse": "refused in the top k",
            "refuse_any": "refused anywhere",
        }
        return f"unjudged: {rule[self.unjudged]}"


def parsed_option(field: str, text: str) -> Any:
    """Read the text form of one field's value.

    >>> parsed_option("cutoff", "20")
    20
    >>> parsed_option("gain", "0:0,1:1,2:5")
    GainTable(entries=((0, 0.0), (1, 1.0), (2, 5.0)))
    """
    if field in ("cutoff", "relevance_level"):
        return int(text) if _COUNT.fullmatch(text) else shortened(text)
    if field == "gain" and ":" in text:
        return GainTable.parsed(text)
    if field not in OPTIONS:
        raise unknown_field(field)
    return text


def unknown_field(field: str) -> PolicyError:
    """Error for a field that policies do not have."""
    known = f"Fields: cutoff, {', '.join(OPTIONS)}, relevance_level."
    return PolicyError(field, f"{field} is not a policy field. {known}")


def option_text(value: object) -> str:
    """Write a field's value as the text that `parsed_option` reads."""
    return str(value)


def _shortest(gain: float) -> str:
    """Write a gain so that it reads back the same, without a needless decimal point."""
    short = f"{gain:g}"
    return short if float(short) == gain else repr(gain)


def _words(option: str) -> str:
    return option.replace("_", " ")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _LARGEST_COUNT


def _is_huge(value: object) -> bool:
    return str(value).isdigit() and len(str(value)) > len(str(_LARGEST_COUNT))


def _gain_error(table: object, expected: str) -> PolicyError:
    return PolicyError("gain", f"gain {str(table)!r}: expected {expected}.")
