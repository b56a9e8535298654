"""Which rules give a number that somebody reported: presets, and presets with one field changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import EvaluationError, shortened
from core.grades import GradedRun
from core.ndcg import Float
from core.policy import Cutoff, Policy
from core.presets import PRESETS, Preset
from core.rule_sets import listed_rule_sets
from core.sensitivity import EQUAL, Switch, switches
from core.sweep import Progress, sweep

_NUMBER = re.compile(r"([+-]?\d{0,9})(?:[.,](\d{1,15}))?\s*(%?)", re.ASCII)
_EXPECTED = "Give it as it was printed: 0.3742, or 37.4 %."
# A half may have been rounded either way, and a sum may end a little below it.
_ROUNDING = 1e-9


class ReportedNumberError(EvaluationError):
    """A text that is no number a tool could have printed."""


@dataclass(frozen=True)
class Reported:
    """A number as it was printed.

    Parameters
    ----------
    value : float
        Between 0 and 1 where it is an NDCG; a percentage is divided by 100.
    half_unit : float
        Half of its last digit: values no further away are printed like this.
    """

    value: float
    half_unit: float

    @classmethod
    def parsed(cls, text: str) -> "Reported":
        """Read `0.3742`, `37.42` (more than 1 is a percentage) or `37.4 %`.

        Raises
        ------
        ReportedNumberError
            The text is no such number.
        """
        found = _NUMBER.fullmatch(text.strip())
        if not found or not (found[1].strip("+-") or found[2]):
            raise ReportedNumberError(f"'{shortened(text)}' is not a number. {_EXPECTED}")
        value = float(f"{found[1] or '0'}.{found[2] or '0'}")
        scale = 100.0 if found[3] or abs(value) > 1 else 1.0
        if abs(value / scale) > 1:
            raise ReportedNumberError(f"'{shortened(text)}' is above 1 and 100 %. {_EXPECTED}")
        return cls(value / scale, 0.5 * 10.0 ** -len(found[2] or "") / scale)

    def fits(self, value: float) -> bool:
        """Whether a value is printed like this."""
        return abs(value - self.value) <= self.half_unit + _ROUNDING


@dataclass(frozen=True)
class Match:
    """Rules under which a system has the reported number.

    Parameters
    ----------
    system : str
    value : float
        All its digits.
    preset : Preset
        The rules, at the cutoff that was asked for.
    switch : Switch or None
        The one field that differs from the preset's. None: the preset as it is.
    policy : Policy
    """

    system: str
    value: float
    preset: Preset
    switch: Switch | None
    policy: Policy


def matches(
    runs: Sequence[GradedRun],
    reported: Reported,
    *,
    cutoff: Cutoff,
    progress: Progress | None = None,
) -> tuple[Match, ...]:
    """Find presets, and single switches of them, that give some system the reported number.

    Parameters
    ----------
    runs : sequence of GradedRun
    reported : Reported
    cutoff : int or "all"
        k of every preset that has a cutoff.
    progress : callable, optional
        As `core.sweep.sweep` takes it.

    Returns
    -------
    tuple of Match
        Presets as they are before those with a switch; a switch that leaves the preset's own number
        as it is does not count. Of rules that several presets lead to, the first preset is named.
    """
    rows: dict[Policy, int] = {}
    tried: list[tuple[Preset, Switch | None]] = []
    origin: list[int] = []
    for preset, switch, policy in _candidates(cutoff):
        if policy not in rows:
            rows[policy] = len(rows)
            tried.append((preset, switch))
            origin.append(rows[preset.at(cutoff)])
    policies = tuple(rows)
    values = sweep(tuple(runs), listed_rule_sets(policies), progress=progress).values
    near = np.abs(values - reported.value) <= reported.half_unit + _ROUNDING
    near &= _differs(values, origin)
    return tuple(
        Match(runs[system].run.name, float(values[row, system]), *tried[row], policies[row])
        for row, system in np.argwhere(near).tolist()
    )


def _differs(values: Float, origin: Sequence[int]) -> NDArray[np.bool_]:
    """Whether rules are a preset's own, or give another value than those they were switched from.

    A switch that changes nothing explains nothing.
    """
    own = np.array(origin) == np.arange(len(origin))
    same = np.abs(values - values[origin]) <= EQUAL
    return own[:, np.newaxis] | ~same


def _candidates(cutoff: Cutoff) -> Iterator[tuple[Preset, Switch | None, Policy]]:
    presets = [(preset, preset.at(cutoff)) for preset in PRESETS.values() if not preset.open_fields]
    for preset, policy in presets:
        yield preset, None, policy
    for preset, policy in presets:
        for switch in switches(policy):
            yield preset, switch, switch.policy
