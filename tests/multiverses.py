"""Multiverses whose values are given, for the tests of what is read off them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.grades import join
from core.judgments import Judgments
from core.multiverse import Multiverse
from core.presets import FIRST_RUN
from core.rule_sets import rule_sets
from core.runs import Run

NONE = float("nan")


def given_values(
    axes: dict[str, tuple[Any, ...]],
    values: Sequence[Sequence[float]],
    present: Sequence[float] | None = None,
) -> Multiverse:
    """A multiverse of systems "A", "B", … with these values, one row a rule set."""
    judgments = Judgments.from_dict({"q": {"a": 1}})
    of_systems = np.array(values, dtype=np.float64)
    names = [chr(ord("A") + at) for at in range(of_systems.shape[1])]
    return Multiverse(
        runs=tuple(join(Run.from_dict(name, {"q": ["a"]}), judgments) for name in names),
        rule_sets=rule_sets(FIRST_RUN, axes),
        values=of_systems,
        refused=np.isnan(of_systems),
        present_values=np.array(values[0] if present is None else present, dtype=np.float64),
    )


def given_differences(axes: dict[str, tuple[Any, ...]], differences: Sequence[float]) -> Multiverse:
    """A multiverse of two systems that differ by this much."""
    return given_values(axes, [(difference, 0.0) for difference in differences])
