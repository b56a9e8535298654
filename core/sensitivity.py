"""The same comparison under other rules: what each single switch of the policy would change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from core.comparison import Comparison, compare
from core.errors import EvaluationError
from core.grades import GradedRun
from core.policy import OPTIONS, Cutoff, Policy
from core.scores import QueryScores, headline, score_all

CUTOFFS: tuple[Cutoff, ...] = (1, 5, 10, 20, 100, "all")
"""Cutoffs that are tried."""

PAIR_EFFECTS = ("order_flips", "not_separable", "separates", "unchanged")
"""What a switch does to what is concluded of a pair, the strongest first."""

EQUAL = 1e-12
"""Values that differ by no more are level."""

Pair = tuple[int, int]


@dataclass(frozen=True)
class Switch:
    """One field of a policy set to another option."""

    field: str
    option: object
    policy: Policy


@dataclass(frozen=True)
class SwitchEffect:
    """What one switch does to every system.

    Tuples follow the order of the runs.

    Parameters
    ----------
    switch : Switch
    values : tuple of float or None
        The headline of each system. None: no value, or refused.
    changes : tuple of float or None
        Value minus the value before the switch.
    ranks, ranks_before : tuple of int or None
        Rank of each system among those with a value before and after, 1 is best, equal values
        share a rank. None: no value before or after.
    refusals : tuple of EvaluationError or None
        Why a system has no value, where the policy refuses it.
    before, after : mapping of pair to Comparison
        The first system of a pair less the second, for pairs that are scored.
    """

    switch: Switch
    values: tuple[float | None, ...]
    changes: tuple[float | None, ...]
    ranks: tuple[int | None, ...]
    ranks_before: tuple[int | None, ...]
    refusals: tuple[EvaluationError | None, ...]
    before: Mapping[Pair, Comparison]
    after: Mapping[Pair, Comparison]

    @property
    def changes_nothing(self) -> bool:
        """Whether every system keeps its value."""
        unchanged = (change is not None and abs(change) <= EQUAL for change in self.changes)
        return not any(self.refusals) and all(unchanged)

    @property
    def changes_order(self) -> bool:
        """Whether two systems with a value before and after change places."""
        return self.swapped > 0

    @property
    def swapped(self) -> int:
        """Pairs of systems, with a value before and after, that change places."""
        moves = [
            (before, after)
            for before, after in zip(self.ranks_before, self.ranks, strict=True)
            if before is not None and after is not None
        ]
        return sum(a[0] < b[0] and a[1] > b[1] for a in moves for b in moves)

    @property
    def changes_leader(self) -> bool:
        """Whether none of the systems that led before the switch leads after it."""
        before = {at for at, rank in enumerate(self.ranks_before) if rank == 1}
        after = {at for at, rank in enumerate(self.ranks) if rank == 1}
        return bool(before) and not before & after

    @property
    def largest_change(self) -> float:
        """Largest absolute change of a system's value."""
        return max((abs(change) for change in self.changes if change is not None), default=0.0)

    def on_pair(self, pair: Pair) -> str | None:
        """What the switch does to a pair: one of `PAIR_EFFECTS`.

        The order flips where the difference changes its sign. A pair is separable where the
        interval of its difference leaves out 0. None: not scored before or after.
        """
        before, after = self.before.get(pair), self.after.get(pair)
        if before is None or after is None:
            return None
        if before.winner and after.winner and before.winner != after.winner:
            return "order_flips"
        if before.separates != after.separates:
            return "separates" if after.separates else "not_separable"
        return "unchanged"


def switches(policy: Policy) -> tuple[Switch, ...]:
    """List every policy that differs in one field: each named option, and some cutoffs."""
    found = [
        Switch("cutoff", cutoff, replace(policy, cutoff=cutoff))
        for cutoff in CUTOFFS
        if cutoff != policy.cutoff
    ]
    for field, options in OPTIONS.items():
        found += [
            Switch(field, option, policy.with_option(field, option))
            for option in options
            if option != getattr(policy, field)
        ]
    return tuple(found)


def switch_effects(
    runs: Sequence[GradedRun], policy: Policy, *, tried: Sequence[Switch] | None = None
) -> tuple[SwitchEffect, ...]:
    """Score all runs under each switch.

    Parameters
    ----------
    runs : sequence of GradedRun
    policy : Policy
        The policy before the switch.
    tried : sequence of Switch, optional
        The switches; every single one if not given.
    """
    outcomes_before = score_all(runs, policy)
    before, pairs_before = _headlines(outcomes_before), pairwise_comparisons(outcomes_before)
    effects = []
    for switch in switches(policy) if tried is None else tried:
        outcomes = score_all(runs, switch.policy)
        values = _headlines(outcomes)
        both = [None not in pair for pair in zip(before, values, strict=True)]
        effects.append(
            SwitchEffect(
                switch=switch,
                values=values,
                changes=tuple(
                    _change(one, other) for one, other in zip(values, before, strict=True)
                ),
                ranks=ranks([v if known else None for v, known in zip(values, both, strict=True)]),
                ranks_before=ranks(
                    [v if known else None for v, known in zip(before, both, strict=True)]
                ),
                refusals=tuple(o if isinstance(o, EvaluationError) else None for o in outcomes),
                before=pairs_before,
                after=pairwise_comparisons(outcomes),
            )
        )
    return tuple(effects)


def pairwise_comparisons(
    outcomes: Sequence[QueryScores | EvaluationError],
) -> dict[Pair, Comparison]:
    """Compare every pair of systems that are scored and share a query, by position."""
    scored = [(at, one) for at, one in enumerate(outcomes) if isinstance(one, QueryScores)]
    compared = {
        (first, second): compare(one, other)
        for (first, one), (second, other) in combinations(scored, 2)
    }
    return {pair: one for pair, one in compared.items() if one.difference is not None}


def ranks(values: Sequence[float | None]) -> tuple[int | None, ...]:
    """Rank values, largest first; equal ones share the better rank, None has none.

    >>> ranks([0.5, None, 0.7, 0.5])
    (2, None, 1, 2)
    """
    known = [value for value in values if value is not None]
    return tuple(
        None if value is None else 1 + sum(other > value + EQUAL for other in known)
        for value in values
    )


def _headlines(outcomes: Sequence[QueryScores | EvaluationError]) -> tuple[float | None, ...]:
    return tuple(
        None if isinstance(outcome, EvaluationError) else headline(outcome) for outcome in outcomes
    )


def _change(after: float | None, before: float | None) -> float | None:
    return None if after is None or before is None else after - before
