"""The specification curve of two systems, worked out by hand and from its definition."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multiverses import NONE, given_differences

from core.specification_curve import MOST_SLOTS, SpecificationCurve, specification_curve
from core.verdicts import pair

# Last axis fastest: macro 5, 10, 20, then pooled. The present policy is macro, 10.
AXES = {"average": ("macro", "pooled"), "cutoff": (5, 10, 20)}
PRESENT = 1


def curve(differences: list[float], most: int = MOST_SLOTS) -> SpecificationCurve:
    multiverse = given_differences(AXES, differences)
    return specification_curve(multiverse, pair(multiverse, 0, 1), most=most)


def slots(found: SpecificationCurve) -> list[list[int]]:
    return [rows.tolist() for rows in found.rule_sets]


def test_a_slot_for_each_rule_set_lowest_first() -> None:
    found = curve([0.1, -0.2, NONE, 0.3, 0.1, 0.0])
    assert slots(found) == [[1], [5], [0], [4], [3]]
    assert found.lowest.tolist() == found.highest.tolist() == [-0.2, 0.0, 0.1, 0.1, 0.3]
    assert found.shares["average"].tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 1, 1]]
    assert found.shares["cutoff"].tolist() == [[0, 0, 1, 0, 1], [1, 0, 0, 1, 0], [0, 1, 0, 0, 0]]


def test_slots_that_hold_several_rule_sets() -> None:
    found = curve([0.6, 0.1, 0.4, 0.2, 0.5, 0.3], most=2)
    assert slots(found) == [[1, 3, 5], [2, 4, 0]]
    assert found.lowest.tolist() == [0.1, 0.4]
    assert found.highest.tolist() == [0.3, 0.6]
    assert found.shares["average"].tolist() == [[1 / 3, 2 / 3], [2 / 3, 1 / 3]]


def test_present_policy_has_its_slot() -> None:
    found = curve([0.6, 0.3, 0.4, 0.2, 0.5, 0.1])
    assert found.present == 2
    assert slots(found)[2] == [PRESENT]


def test_undecided_present_policy_has_none() -> None:
    differences = [0.1] * 6
    differences[PRESENT] = NONE
    assert curve(differences).present is None


def test_present_policy_that_is_not_among_the_rule_sets_has_none() -> None:
    multiverse = given_differences({"cutoff": (1, 2)}, [0.1, 0.2])
    assert multiverse.present is None
    assert specification_curve(multiverse, pair(multiverse, 0, 1)).present is None


def test_nothing_decided_gives_no_slot() -> None:
    found = curve([NONE] * 6)
    assert found.rule_sets == ()
    assert len(found.lowest) == len(found.highest) == 0
    assert found.shares["cutoff"].shape == (3, 0)
    assert found.present is None


@given(
    st.lists(st.sampled_from([NONE, -0.5, 0.0, 0.25, 0.5]), min_size=6, max_size=6),
    st.integers(1, 7),
)
def test_every_decided_rule_set_stands_once_and_in_order(
    differences: list[float], most: int
) -> None:
    found = curve(differences, most)
    listed = [row for rows in slots(found) for row in rows]
    assert sorted(listed) == [at for at, value in enumerate(differences) if not isnan(value)]
    in_order = [differences[row] for row in listed]
    assert in_order == sorted(in_order)
    sizes = [len(rows) for rows in found.rule_sets]
    assert len(sizes) == min(most, len(listed))
    assert not sizes or max(sizes) - min(sizes) <= 1
    for share in found.shares.values():
        assert share.sum(axis=0) == pytest.approx(np.ones(len(sizes)))
