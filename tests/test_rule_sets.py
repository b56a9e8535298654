"""Combinations of options: which there are, in what order, and which are refused."""

from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from core.errors import PolicyError
from core.policy import OPTIONS, GainTable, Policy
from core.presets import FIRST_RUN
from core.rule_sets import MOST_RULE_SETS, RuleSets, options_of, rule_sets

TABLE = GainTable.parsed("0:0,1:1,2:5")
AXES = {"cutoff": (5, "all"), "gain": ("linear", TABLE, "exponential")}


def made() -> RuleSets:
    return rule_sets(FIRST_RUN, AXES)


def test_last_axis_changes_fastest() -> None:
    expected = [(k, gain) for k in (5, "all") for gain in ("linear", TABLE, "exponential")]
    assert [(policy.cutoff, policy.gain) for policy in made().policies] == expected
    assert made().choice.tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert made().column("gain").tolist() == [0, 1, 2, 0, 1, 2]
    assert len(made()) == 6


def test_other_fields_are_those_of_the_present_policy() -> None:
    for policy in made().policies:
        assert replace(policy, cutoff=10, gain="linear") == FIRST_RUN


def test_without_axes_there_is_the_present_policy_alone() -> None:
    found = rule_sets(FIRST_RUN, {})
    assert (found.policies, found.choice.shape, found.present) == ((FIRST_RUN,), (1, 0), 0)


@pytest.mark.parametrize(
    ("rules", "present"),
    [
        pytest.param({"cutoff": "all", "gain": TABLE}, 4, id="among-them"),
        pytest.param({"cutoff": 5, "gain": "linear"}, 0, id="first"),
        pytest.param({"cutoff": 10, "gain": "linear"}, None, id="not-ticked"),
        pytest.param({"cutoff": 5, "gain": "linear", "average": "pooled"}, 0, id="elsewhere"),
    ],
)
def test_present_policy_is_found(rules: dict[str, Any], present: int | None) -> None:
    assert rule_sets(replace(FIRST_RUN, **rules), AXES).present == present


def test_options_may_come_as_any_iterable() -> None:
    found = rule_sets(FIRST_RUN, {"cutoff": iter([1, 2])})
    assert found.axes == {"cutoff": (1, 2)}


def test_usual_options_are_all_named_ones_and_some_cutoffs() -> None:
    assert options_of("cutoff") == (1, 5, 10, 20, 100, "all")
    assert options_of("relevance_level") == ()
    assert {field: options_of(field) for field in OPTIONS} == OPTIONS
    assert [options_of(field.name) for field in fields(Policy)]  # None is unknown.


@pytest.mark.parametrize(
    ("axes", "field", "message"),
    [
        pytest.param(
            {"gain": []},
            "gain",
            "gain: no option, expected at least one. Tick one.",
            id="no-option",
        ),
        pytest.param(
            {"cutoff": (5, 10, 5, 5)},
            "cutoff",
            "cutoff: option '5' 3 times, expected once. Tick it once.",
            id="option-twice",
        ),
        pytest.param(
            {"cutoff": (5, 0)},
            "cutoff",
            'cutoff must be a whole number of at least 1, or "all", not 0.',
            id="no-such-option",
        ),
        pytest.param(
            {"cutoff": range(1, 102), "relevance_level": range(1, 51)},
            "cutoff",
            "101 × 50 options make 5,050 rule sets, at most 5,000 are possible. "
            "Tick fewer options, or fewer fields.",
            id="too-many",
        ),
    ],
)
def test_refused_with(axes: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(PolicyError) as error:
        rule_sets(FIRST_RUN, axes)
    assert (error.value.field, str(error.value)) == (field, message)


def test_as_many_as_possible_are_possible() -> None:
    found = rule_sets(FIRST_RUN, {"cutoff": range(1, MOST_RULE_SETS + 1)})
    assert len(found) == MOST_RULE_SETS


def test_unknown_fields_are_refused_with_those_there_are() -> None:
    with pytest.raises(PolicyError, match=r"^depth is not a policy field\. Fields: cutoff, gain, "):
        rule_sets(FIRST_RUN, {"depth": (1,)})
    with pytest.raises(PolicyError, match=r"^depth is not a policy field\. Fields: cutoff, gain, "):
        options_of("depth")


# Parts of them


def test_groups_agree_on_the_fields_and_begin_in_the_order_given() -> None:
    axes = {"average": ("macro", "pooled"), "cutoff": (1, 2), "gain": ("linear", "exponential")}
    found = rule_sets(FIRST_RUN, axes)
    rows = np.array([7, 0, 1, 2, 5])
    groups = found.grouped(rows, ("gain", "average", "ties"))
    assert [group.tolist() for group in groups] == [[7, 5], [0, 2], [1]]
    assert [group.tolist() for group in found.grouped(rows, ("ties",))] == [rows.tolist()]
    assert found.grouped(rows[:0], ("gain",)) == []


def test_sorted_by_fields_the_first_changes_most_seldom() -> None:
    axes = {"average": ("macro", "pooled"), "cutoff": (1, 2), "gain": ("linear", "exponential")}
    found = rule_sets(FIRST_RUN, axes)
    order = found.sorted_by(("ties", "gain", "average"))
    keys = [(found.policies[at].gain, found.policies[at].average) for at in order]
    expected = product(("linear", "exponential"), ("macro", "pooled"), range(2))
    assert keys == [(gain, average) for gain, average, _ in expected]
    assert found.sorted_by(()).tolist() == list(range(8))
