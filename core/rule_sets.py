"""Every combination of the options that are ticked for some fields of a policy."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.errors import PolicyError, counted
from core.policy import OPTIONS, Policy, option_text, unknown_field
from core.presets import FIRST_RUN
from core.sensitivity import CUTOFFS

MOST_RULE_SETS = 5_000
"""Combinations that are scored at most."""

FIELDS = tuple(field.name for field in fields(Policy))
"""Every field of a policy."""

Axes: TypeAlias = Mapping[str, tuple[Any, ...]]
"""Options by field."""

USUAL_AXES: Axes = {
    "cutoff": (5, 10, 20),
    "gain": ("linear", "exponential"),
    "discount": ("log2", "original"),
    "ideal_depth": ("cutoff", "full"),
    "ties": ("docid_descending", "docid_ascending", "expected"),
    "unjudged": ("zero", "condense"),
    "missing_query": ("zero", "leave_out"),
    "zero_idcg": ("zero", "leave_out"),
    "average": ("macro", "pooled"),
}
"""What tools differ in most, without the options that only ever refuse: 1,152 rule sets."""

Rows: TypeAlias = NDArray[np.int64]
"""Numbers of rule sets."""


@dataclass(frozen=True, eq=False)
class RuleSets:
    """Policies that differ in the fields of some axes: one for each combination of their options.

    Parameters
    ----------
    policy : Policy
        The present one, which gives every other field. It may be among them or not.
    axes : mapping of str to tuple
        The ticked options of each field.
    policies : tuple of Policy
        In the order of `itertools.product`: the options of the last axis change fastest.
    choice : ndarray of int, shape (rule sets, axes)
        Which option of each axis a policy has, counted from 0.
    """

    policy: Policy
    axes: Axes
    policies: tuple[Policy, ...]
    choice: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.policies)

    @property
    def present(self) -> int | None:
        """Number of the present policy; None where it is not among them."""
        places = []
        for field, options in self.axes.items():
            if (option := getattr(self.policy, field)) not in options:
                return None
            places.append(options.index(option))
        return int((self.choice == places).all(axis=1).argmax())

    def column(self, field: str) -> NDArray[np.int64]:
        """Which of a field's ticked options each rule set has, shape (rule sets,)."""
        return self.choice[:, list(self.axes).index(field)]

    def sorted_by(self, by: Sequence[str]) -> Rows:
        """Order the rule sets by some fields, the first of which changes most seldom."""
        columns = [self.column(field) for field in by if field in self.axes]
        return np.lexsort(columns[::-1]) if columns else np.arange(len(self))

    def grouped(self, rows: Rows, by: Collection[str]) -> list[Rows]:
        """Part rule sets into those that agree on some fields; by where each group begins."""
        group = np.zeros(len(rows), dtype=np.int64)
        for field, options in self.axes.items():
            if field in by:
                group = group * len(options) + self.column(field)[rows]
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order])) + 1
        parts = np.split(order, starts) if len(rows) else []
        return [rows[part] for part in sorted(parts, key=lambda part: part[0])]


def options_of(field: str) -> tuple[Any, ...]:
    """Options of a field that are usually tried; none of relevance_level, a matter of the grades.

    Raises
    ------
    PolicyError
        A policy has no such field.

    Examples
    --------
    >>> options_of("zero_idcg")
    ('zero', 'leave_out', 'one')
    """
    if field not in FIELDS:
        raise unknown_field(field)
    return CUTOFFS if field == "cutoff" else OPTIONS.get(field, ())


def parsed_axes(texts: Iterable[str]) -> Axes:
    """Read axes as they stand on a command line or in an address: FIELD or FIELD=OPTION/OPTION.

    A field alone stands for all its options.

    Raises
    ------
    PolicyError
        An unknown field, one given twice, one that takes any number and names no option, or an
        option that its field does not take.

    Examples
    --------
    >>> parsed_axes(["average", "cutoff=5/10"])
    {'average': ('macro', 'pooled'), 'cutoff': (5, 10)}
    """
    axes: dict[str, tuple[Any, ...]] = {}
    for text in texts:
        field, separator, options = text.partition("=")
        if field in axes:
            raise PolicyError(field, f"{text}: {field} is given twice. Give it once.")
        usual = options_of(field)
        if not separator and not usual:
            raise PolicyError(field, f"{text}: name its options, such as {field}=1/2.")
        given = (FIRST_RUN.with_option(field, option) for option in options.split("/"))
        axes[field] = tuple(getattr(one, field) for one in given) if separator else usual
    return axes


def rule_sets(policy: Policy, axes: Mapping[str, Iterable[Any]]) -> RuleSets:
    """Combine every option of every axis.

    Parameters
    ----------
    policy : Policy
        The present one. Its own options are taken up only where the axes name them.
    axes : mapping of str to iterable
        Options by field. Without an axis, the present policy is the only rule set.

    Raises
    ------
    PolicyError
        An axis that is no policy field, has no option, an option twice or one that its field does
        not take; or more than `MOST_RULE_SETS` combinations.
    """
    ticked = {field: tuple(options) for field, options in axes.items()}
    for field, options in ticked.items():
        _check(field, options)
    sizes = [len(options) for options in ticked.values()]
    if (count := prod(sizes)) > MOST_RULE_SETS:
        longest = max(ticked, key=lambda field: len(ticked[field]))
        raise PolicyError(
            longest,
            f"{' × '.join(map(str, sizes))} options make {count:,} rule sets, at most "
            f"{MOST_RULE_SETS:,} are possible. Tick fewer options, or fewer fields.",
        )
    policies = tuple(
        replace(policy, **dict(zip(ticked, options, strict=True)))
        for options in product(*ticked.values())
    )
    choice = np.array(list(np.ndindex(*sizes)), dtype=np.int64).reshape(count, len(sizes))
    return RuleSets(policy, ticked, policies, choice)


def listed_rule_sets(policies: Sequence[Policy]) -> RuleSets:
    """Take some different policies as they are, the first of them as the present one.

    The axes are the fields in which they differ, with the options that occur.
    """
    axes: dict[str, tuple[Any, ...]] = {}
    for field in FIELDS:
        options = tuple(dict.fromkeys(getattr(policy, field) for policy in policies))
        if len(options) > 1:
            axes[field] = options
    places = [
        [options.index(getattr(policy, field)) for field, options in axes.items()]
        for policy in policies
    ]
    choice = np.array(places, dtype=np.int64).reshape(len(policies), len(axes))
    return RuleSets(policies[0], axes, tuple(policies), choice)


def _check(field: str, options: tuple[Any, ...]) -> None:
    if field not in FIELDS:
        raise unknown_field(field)
    if not options:
        raise PolicyError(field, f"{field}: no option, expected at least one. Tick one.")
    for option in _repeated(options):
        times = counted(options.count(option), "time")
        raise PolicyError(
            field,
            f"{field}: option {option_text(option)!r} {times}, expected once. Tick it once.",
        )


def _repeated(options: tuple[Any, ...]) -> Iterator[Any]:
    return (option for option in options if options.count(option) > 1)
