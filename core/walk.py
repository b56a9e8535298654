"""Why two policies give different numbers: from one to the other, a field at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import factorial
from typing import Any

import numpy as np

from core.errors import EvaluationError
from core.grades import GradedRun
from core.multiverse import multiverse
from core.ndcg import Float
from core.policy import Policy
from core.rule_sets import FIELDS
from core.scores import QueryScores, headline, score_all
from core.sensitivity import EQUAL

MOST_SHARED = 8
"""Fields for which shares are computed: all 2^8 policies between the two are scored."""


@dataclass(frozen=True)
class Move:
    """A query whose score changes. None: it has none."""

    query_id: str
    before: float | None
    after: float | None

    @property
    def size(self) -> float:
        """Absolute change; infinite where the query enters the mean or leaves it."""
        if self.before is None or self.after is None:
            return float("inf")
        return abs(self.after - self.before)


@dataclass(frozen=True)
class SystemStep:
    """What a step does to one system.

    Parameters
    ----------
    value, change : float or None
        The headline after the step, and what the step added to it. None: no value, or refused.
    refusal : EvaluationError or None
        Why the policy after the step refuses the system.
    moves : tuple of Move or None
        Queries whose score changes, the largest change first. None: refused before or after.
    share : float or None
        Shapley value of the field: the mean of what it adds, over all orders in which the fields
        may change. The shares of all fields add up to the whole difference. None: a policy
        between the two gives the system no value, or too many fields differ.
    """

    value: float | None
    change: float | None
    refusal: EvaluationError | None
    moves: tuple[Move, ...] | None
    share: float | None


@dataclass(frozen=True)
class Step:
    """One field that takes the option of the policy aimed at.

    Parameters
    ----------
    field : str
    before, after : object
        Its options.
    policy : Policy
        The policy after the step.
    systems : tuple of SystemStep
        In the order of the runs.
    """

    field: str
    before: object
    after: object
    policy: Policy
    systems: tuple[SystemStep, ...]


@dataclass(frozen=True)
class Walk:
    """The way from one policy to another.

    Parameters
    ----------
    start, end : Policy
    names : tuple of str
        The systems.
    before, after : tuple of float or None
        Headline of each system under the two policies.
    refused_before, refused_after : tuple of EvaluationError or None
        Why a policy refuses a system.
    steps : tuple of Step
        One for each field that differs.
    """

    start: Policy
    end: Policy
    names: tuple[str, ...]
    before: tuple[float | None, ...]
    after: tuple[float | None, ...]
    refused_before: tuple[EvaluationError | None, ...]
    refused_after: tuple[EvaluationError | None, ...]
    steps: tuple[Step, ...]

    def change(self, system: int) -> float | None:
        """The whole difference of one system; None where a policy gives it no value."""
        return _less(self.after[system], self.before[system])


def differing_fields(start: Policy, end: Policy) -> tuple[str, ...]:
    """Fields in which two policies differ, in the order in which `walk` changes them.

    First those that leave an option which refuses, last those that come to one, so that as few
    policies on the way refuse as can be; apart from that in the order of the policy's fields.
    """
    differing = [field for field in FIELDS if getattr(start, field) != getattr(end, field)]
    return tuple(
        sorted(
            differing,
            key=lambda field: _refuses(getattr(end, field)) - _refuses(getattr(start, field)),
        )
    )


def walk(runs: Sequence[GradedRun], start: Policy, end: Policy) -> Walk:
    """Change one policy into another, field by field, and score all runs after each.

    Parameters
    ----------
    runs : sequence of GradedRun
    start, end : Policy

    Returns
    -------
    Walk
        What a single step adds depends on the order of the steps, which `differing_fields`
        states; the shares do not.

    References
    ----------
    L. S. Shapley: A value for n-person games. Contributions to the Theory of Games II, 1953,
    doi:10.1515/9781400881970-018.
    """
    fields = differing_fields(start, end)
    policies = [start]
    for field in fields:
        policies.append(replace(policies[-1], **{field: getattr(end, field)}))
    outcomes = [score_all(runs, policy) for policy in policies]
    shares = _shares(runs, start, end, fields)
    steps = tuple(
        Step(
            field=field,
            before=getattr(start, field),
            after=getattr(end, field),
            policy=policy,
            systems=tuple(
                _system_step(one, other, share)
                for one, other, share in zip(old, new, of_field, strict=True)
            ),
        )
        for field, policy, (old, new), of_field in zip(
            fields, policies[1:], pairwise(outcomes), shares, strict=True
        )
    )
    return Walk(
        start=start,
        end=end,
        names=tuple(graded.run.name for graded in runs),
        before=tuple(map(_value, outcomes[0])),
        after=tuple(map(_value, outcomes[-1])),
        refused_before=tuple(map(_refusal, outcomes[0])),
        refused_after=tuple(map(_refusal, outcomes[-1])),
        steps=steps,
    )


Outcome = QueryScores | EvaluationError


def _system_step(before: Outcome, after: Outcome, share: float) -> SystemStep:
    value = _value(after)
    return SystemStep(
        value=value,
        change=_less(value, _value(before)),
        refusal=_refusal(after),
        moves=_moves(before, after),
        share=None if np.isnan(share) else float(share),
    )


def _moves(before: Outcome, after: Outcome) -> tuple[Move, ...] | None:
    if isinstance(before, EvaluationError) or isinstance(after, EvaluationError):
        return None
    entered = before.in_mean != after.in_mean
    rescored = np.abs(after.ndcg - before.ndcg) > EQUAL
    moves = [
        Move(
            query_id=after.judgments.query_ids[at],
            before=float(before.ndcg[at]) if before.in_mean[at] else None,
            after=float(after.ndcg[at]) if after.in_mean[at] else None,
        )
        for at in np.flatnonzero(entered | rescored).tolist()
    ]
    return tuple(sorted(moves, key=lambda move: -move.size))


def _shares(runs: Sequence[GradedRun], start: Policy, end: Policy, fields: Sequence[str]) -> Float:
    """Shapley value of each field for each system, shape (fields, systems); NaN: none."""
    count = len(fields)
    shares = np.full((count, len(runs)), np.nan)
    if count > MOST_SHARED or not count:
        return shares
    axes = {field: (getattr(start, field), getattr(end, field)) for field in fields}
    found = multiverse(runs, start, axes)
    # One axis of length 2 a field: 0 is its option at the start, 1 that at the end.
    values = found.values.reshape(*(2,) * count, len(runs))
    changed = found.choice.sum(axis=1).reshape((2,) * count)
    for at in range(count):
        added = np.take(values, 1, axis=at) - np.take(values, 0, axis=at)
        before = np.take(changed, 0, axis=at)
        shares[at] = (
            (_order_shares(count)[before][..., np.newaxis] * added)
            .reshape(-1, len(runs))
            .sum(axis=0)
        )
    return shares


def _order_shares(count: int) -> Float:
    """Share of all orders in which exactly certain m fields come before one, by m."""
    return np.array(
        [factorial(m) * factorial(count - m - 1) / factorial(count) for m in range(count)]
    )


def _refuses(option: Any) -> bool:
    return str(option).startswith("refuse")


def _value(outcome: Outcome) -> float | None:
    return None if isinstance(outcome, EvaluationError) else headline(outcome)


def _refusal(outcome: Outcome) -> EvaluationError | None:
    return outcome if isinstance(outcome, EvaluationError) else None


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
