"""Two systems under many rule sets: how often which is ahead, by how much, and where it turns."""

from dataclasses import dataclass
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from core.multiverse import Multiverse
from core.ndcg import Float
from core.rule_sets import Rows
from core.sensitivity import EQUAL


class Place(NamedTuple):
    """A difference, and the number of a rule set that gives it."""

    difference: float
    rule_set: int


@dataclass(frozen=True, eq=False)
class PairVerdict:
    """What all rule sets say of two systems.

    Parameters
    ----------
    first, second : int
        Numbers of the systems.
    differences : ndarray of float, shape (rule sets,)
        Headline of the first less headline of the second: what each would report, over its own
        queries, and not the paired difference of `core.comparison`. NaN: undecided, as one of them
        has no value.
    present : float or None
        The difference under the present policy, be it among the rule sets or not. None: undecided.
    """

    first: int
    second: int
    differences: Float
    present: float | None

    @property
    def decided(self) -> Rows:
        """Rule sets under which both have a value."""
        return np.flatnonzero(~np.isnan(self.differences))

    @property
    def undecided(self) -> int:
        """Rule sets under which one has no value."""
        return len(self.differences) - len(self.decided)

    @property
    def wins(self) -> int:
        """Rule sets under which the first is ahead."""
        return int((self.differences > EQUAL).sum())

    @property
    def losses(self) -> int:
        """Rule sets under which the second is ahead."""
        return int((self.differences < -EQUAL).sum())

    @property
    def level(self) -> int:
        """Rule sets under which the two differ by no more than rounding."""
        return int((np.abs(self.differences) <= EQUAL).sum())

    @property
    def lowest(self) -> Place | None:
        """The smallest difference; of equal ones the first. None: all are undecided."""
        return self._place(0.0)

    @property
    def median(self) -> Place | None:
        """The difference in the middle, the lower one where there are two."""
        return self._place(0.5)

    @property
    def highest(self) -> Place | None:
        """The largest difference."""
        return self._place(1.0)

    def _place(self, share: float) -> Place | None:
        if not len(self.decided):
            return None
        order = np.argsort(self.differences, kind="stable")
        at = int(order[int(share * (len(self.decided) - 1))])
        return Place(float(self.differences[at]), at)


@dataclass(frozen=True)
class Condition:
    """Options of one field that all exceptions have.

    Parameters
    ----------
    field : str
    options : tuple
        The options, as ticked. At least one that decides elsewhere is not among them.
    meeting : int
        Decided rule sets that have one of these options, exceptions or not.
    """

    field: str
    options: tuple[Any, ...]
    meeting: int


@dataclass(frozen=True, eq=False)
class Exceptions:
    """Decided rule sets under which the system that mostly wins does not.

    Parameters
    ----------
    ahead, behind : int
        Numbers of the system that mostly wins, and of the other.
    rule_sets : ndarray of int
        Their numbers.
    decided : int
        Rule sets under which both systems have a value.
    conditions : tuple of Condition
        What all exceptions have in common, the most telling first: that which the fewest meet.
    meeting : int
        Decided rule sets that meet all conditions.
    """

    ahead: int
    behind: int
    rule_sets: Rows
    decided: int
    conditions: tuple[Condition, ...]
    meeting: int

    @property
    def wins(self) -> int:
        """Rule sets under which the system that mostly wins does."""
        return self.decided - len(self.rule_sets)

    @property
    def sufficient(self) -> bool:
        """Whether all decided rule sets that meet all conditions are exceptions."""
        return self.meeting == len(self.rule_sets)

    def explained_by(self, condition: Condition) -> bool:
        """Whether all decided rule sets that meet this condition alone are exceptions."""
        return condition.meeting == len(self.rule_sets)


@dataclass(frozen=True)
class OptionEffect:
    """What the rule sets with one option say of a pair.

    Parameters
    ----------
    option : object
    rule_sets, wins, losses, level : int
        Rule sets with the option, and those with the first ahead, behind and level; the others are
        undecided.
    median : float or None
        Median of the difference, the mean of two in the middle. None: all are undecided.
    """

    option: object
    rule_sets: int
    wins: int
    losses: int
    level: int
    median: float | None


@dataclass(frozen=True)
class FieldEffect:
    """How much a field moves the difference of a pair.

    Parameters
    ----------
    field : str
    options : tuple of OptionEffect
        In the order in which they are ticked.
    explained : float
        Eta squared, 0 to 1: share of the variance of the difference over the decided rule sets
        that lies between the means of the options. NaN: the difference is always the same, or
        never decided.

    References
    ----------
    R. A. Fisher: Statistical Methods for Research Workers, 1925, chapter 7 (correlation ratio).
    """

    field: str
    options: tuple[OptionEffect, ...]
    explained: float

    @property
    def decides(self) -> bool:
        """Whether each option always puts the same system ahead, and not all the same one."""
        decided = [one for one in self.options if one.wins + one.losses + one.level]
        first = [one.wins > 0 and not one.losses + one.level for one in decided]
        second = [one.losses > 0 and not one.wins + one.level for one in decided]
        return any(first) and any(second) and all(map(or_, first, second))


def pair(multiverse: Multiverse, first: int, second: int) -> PairVerdict:
    """Set one system against another, by their numbers."""
    before = multiverse.present_values
    present = float(before[first] - before[second])
    return PairVerdict(
        first=first,
        second=second,
        differences=multiverse.values[:, first] - multiverse.values[:, second],
        present=None if np.isnan(present) else present,
    )


def exceptions(multiverse: Multiverse, verdict: PairVerdict) -> Exceptions | None:
    """Find the rule sets that say otherwise than most, and what they have in common.

    None: neither system wins more often than the other. Undecided rule sets play no part: an
    option that always refuses tells nothing of the others.
    """
    if verdict.wins == verdict.losses:
        return None
    decided, pair = verdict.decided, (verdict.first, verdict.second)
    sign = 1 if verdict.wins > verdict.losses else -1
    ahead, behind = pair[::sign]
    rows = decided[sign * verdict.differences[decided] <= EQUAL]
    if not len(rows):
        return Exceptions(ahead, behind, rows, len(decided), (), len(decided))
    conditions = []
    meets_all = np.ones(len(decided), dtype=bool)
    for field, options in multiverse.axes.items():
        column = multiverse.rule_sets.column(field)
        shared = np.unique(column[rows])
        meets = np.isin(column[decided], shared)
        if not meets.all():
            having = tuple(options[at] for at in shared.tolist())
            conditions.append(Condition(field, having, int(meets.sum())))
            meets_all &= meets
    conditions.sort(key=lambda condition: condition.meeting)
    return Exceptions(ahead, behind, rows, len(decided), tuple(conditions), int(meets_all.sum()))


def field_effects(multiverse: Multiverse, verdict: PairVerdict) -> tuple[FieldEffect, ...]:
    """Effect of every axis, that which explains most first."""
    effects = [option_effect(multiverse, field, verdict) for field in multiverse.axes]
    return tuple(sorted(effects, key=lambda effect: -effect.explained))


def option_effect(multiverse: Multiverse, field: str, verdict: PairVerdict) -> FieldEffect:
    """Count and measure what each ticked option of a field says of a pair."""
    column = multiverse.rule_sets.column(field)
    parts = [verdict.differences[column == at] for at in range(len(multiverse.axes[field]))]
    effects = tuple(
        _option_effect(option, part)
        for option, part in zip(multiverse.axes[field], parts, strict=True)
    )
    return FieldEffect(field, effects, _eta_squared(parts))


def _option_effect(option: object, differences: Float) -> OptionEffect:
    known = differences[~np.isnan(differences)]
    return OptionEffect(
        option=option,
        rule_sets=len(differences),
        wins=int((known > EQUAL).sum()),
        losses=int((known < -EQUAL).sum()),
        level=int((np.abs(known) <= EQUAL).sum()),
        median=float(np.median(known)) if len(known) else None,
    )


def _eta_squared(parts: list[Float]) -> float:
    known = [part[~np.isnan(part)] for part in parts]
    every = np.concatenate(known)
    if not len(every) or np.ptp(every) <= EQUAL:
        return float("nan")
    between = sum(len(part) * (part.mean() - every.mean()) ** 2 for part in known if len(part))
    return float(between / ((every - every.mean()) ** 2).sum())
