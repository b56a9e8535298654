"""What many rule sets say of two systems, worked out by hand."""

from itertools import product
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multiverses import NONE, given_differences, given_values

from core.multiverse import Multiverse
from core.verdicts import (
    Condition,
    Exceptions,
    Place,
    exceptions,
    field_effects,
    option_effect,
    pair,
)

ROUNDING = 1e-13
CUTOFFS = {"cutoff": (1, 2, 3, 4, 5, 6)}
# Last axis fastest: macro 1, 2, 3, then pooled 1, 2, 3.
AXES = {"average": ("macro", "pooled"), "cutoff": (1, 2, 3)}


def test_pair_counts_who_is_ahead() -> None:
    verdict = pair(given_differences(CUTOFFS, [0.1, -0.2, NONE, 0.3, ROUNDING, 0.4]), 0, 1)
    counts = (verdict.wins, verdict.losses, verdict.level, verdict.undecided)
    assert counts == (3, 1, 1, 1)
    assert verdict.decided.tolist() == [0, 1, 3, 4, 5]
    assert verdict.lowest == Place(-0.2, 1)
    assert verdict.median == Place(0.1, 0)
    assert verdict.highest == Place(0.4, 5)
    assert verdict.present == 0.1


def test_difference_is_first_less_second() -> None:
    multiverse = given_values({"cutoff": (1, 2)}, [(0.5, 0.25, 1), (0.5, 0.75, NONE)], (1, 0, 0.5))
    verdict = pair(multiverse, 2, 1)
    assert verdict.differences[0] == 0.75
    assert isnan(verdict.differences[1])
    assert (verdict.first, verdict.second, verdict.present) == (2, 1, 0.5)


def test_median_of_two_is_the_lower_one() -> None:
    verdict = pair(given_differences({"cutoff": (1, 2)}, [0.3, 0.1]), 0, 1)
    assert (verdict.lowest, verdict.median, verdict.highest) == ((0.1, 1), (0.1, 1), (0.3, 0))


def test_pair_that_nothing_decides() -> None:
    verdict = pair(given_differences({"cutoff": (1, 2)}, [NONE, NONE]), 0, 1)
    assert (verdict.lowest, verdict.median, verdict.highest) == (None, None, None)
    assert (verdict.wins, verdict.losses, verdict.level, verdict.undecided) == (0, 0, 0, 2)
    assert verdict.present is None


@given(st.lists(st.sampled_from([NONE, -0.5, 0.0, 0.25, 0.5]), min_size=6, max_size=6))
def test_other_way_round_says_the_opposite(differences: list[float]) -> None:
    multiverse = given_differences(CUTOFFS, differences)
    one, other = pair(multiverse, 0, 1), pair(multiverse, 1, 0)
    assert (one.wins, one.losses, one.level) == (other.losses, other.wins, other.level)
    assert one.wins + one.losses + one.level + one.undecided == 6
    np.testing.assert_array_equal(one.differences, -other.differences)
    mine, theirs = exceptions(multiverse, one), exceptions(multiverse, other)
    assert (mine is None) == (theirs is None)
    if mine is not None and theirs is not None:
        assert mine.rule_sets.tolist() == theirs.rule_sets.tolist()
        assert (mine.conditions, mine.meeting) == (theirs.conditions, theirs.meeting)


# Exceptions


def of(multiverse: Multiverse) -> Exceptions:
    found = exceptions(multiverse, pair(multiverse, 0, 1))
    assert found is not None
    return found


def test_exceptions_have_an_option_in_common_and_all_with_it_are_some() -> None:
    found = of(given_differences(AXES, [1, 1, -1, 1, 1, -1]))
    assert found.rule_sets.tolist() == [2, 5]
    assert found.conditions == (Condition("cutoff", (3,), 2),)
    assert (found.decided, found.meeting, found.sufficient) == (6, 2, True)


def test_fewest_meet_the_most_telling_condition() -> None:
    found = of(given_differences(AXES, [1, 1, -1, 1, 1, 1]))
    assert found.conditions == (Condition("cutoff", (3,), 2), Condition("average", ("macro",), 3))
    assert (found.meeting, found.sufficient) == (1, True)
    assert not any(map(found.explained_by, found.conditions))


def test_conditions_need_not_be_sufficient() -> None:
    found = of(given_differences(AXES, [1, -1, 1, 1, 1, -1]))
    assert found.conditions == (Condition("cutoff", (2, 3), 4),)
    assert (found.meeting, found.sufficient, found.explained_by(found.conditions[0])) == (
        4,
        False,
        False,
    )


def test_level_rule_sets_are_exceptions() -> None:
    found = of(given_differences(AXES, [1, 1, ROUNDING, 1, 1, -ROUNDING]))
    assert found.rule_sets.tolist() == [2, 5]
    assert found.explained_by(found.conditions[0])


def test_wins_of_the_first_are_exceptions_where_the_second_mostly_wins() -> None:
    found = of(given_differences(AXES, [-1, -1, 1, -1, -1, -1]))
    assert found.rule_sets.tolist() == [2]


def test_option_that_always_refuses_is_no_condition() -> None:
    """Cutoff 3 decides nothing; so that exceptions have 1 or 2 goes without saying."""
    found = of(given_differences(AXES, [1, 1, NONE, 1, -1, NONE]))
    assert found.rule_sets.tolist() == [4]
    assert found.conditions == (Condition("average", ("pooled",), 2), Condition("cutoff", (2,), 2))
    assert (found.decided, found.sufficient) == (4, True)


def test_exceptions_may_have_nothing_in_common() -> None:
    axes = {"average": ("macro", "pooled"), "gain": ("linear", "exponential"), "cutoff": (1, 2)}
    found = of(given_differences(axes, [-1, 1, 1, 1, 1, 1, 1, -1]))
    assert found.rule_sets.tolist() == [0, 7]
    assert (found.conditions, found.meeting, found.sufficient) == ((), 8, False)


def test_no_exceptions_where_one_always_wins() -> None:
    found = of(given_differences(AXES, [1] * 6))
    assert (len(found.rule_sets), found.conditions, found.decided) == (0, (), 6)


@pytest.mark.parametrize("differences", [[1, -1], [0, 0], [NONE, NONE], [NONE, 0]])
def test_without_a_majority_there_is_no_exception(differences: list[float]) -> None:
    multiverse = given_differences({"cutoff": (1, 2)}, differences)
    assert exceptions(multiverse, pair(multiverse, 0, 1)) is None


@given(st.lists(st.sampled_from([NONE, -1.0, 0.0, 1.0]), min_size=12, max_size=12))
def test_conditions_by_brute_force(differences: list[float]) -> None:
    axes = {"average": ("macro", "pooled"), "gain": ("linear", "exponential"), "cutoff": (1, 2, 3)}
    multiverse = given_differences(axes, differences)
    found = exceptions(multiverse, pair(multiverse, 0, 1))
    if found is None:
        assert sum(map(np.sign, np.nan_to_num(differences))) == 0
        return
    sets = [dict(zip(axes, options, strict=True)) for options in product(*axes.values())]
    majority = np.sign(np.nan_to_num(differences).sum())
    decided = [at for at, value in enumerate(differences) if not isnan(value)]
    odd = [at for at in decided if differences[at] != majority]
    assert found.rule_sets.tolist() == odd
    expected = {}
    for field, options in axes.items():
        having = tuple(one for one in options if any(sets[at][field] == one for at in odd))
        meeting = [at for at in decided if sets[at][field] in having]
        if odd and len(meeting) < len(decided):
            expected[field] = (having, len(meeting))
    assert {one.field: (one.options, one.meeting) for one in found.conditions} == expected
    meetings = [condition.meeting for condition in found.conditions]
    assert meetings == sorted(meetings)
    assert found.meeting == sum(
        all(sets[at][field] in having for field, (having, _) in expected.items()) for at in decided
    )


# What a field moves


def test_option_effect_counts_option_by_option() -> None:
    multiverse = given_differences(AXES, [0.1, 0.2, NONE, -0.1, 0.0, NONE])
    verdict = pair(multiverse, 0, 1)
    effect = option_effect(multiverse, "average", verdict)
    assert [(one.option, one.rule_sets) for one in effect.options] == [("macro", 3), ("pooled", 3)]
    assert [(one.wins, one.losses, one.level) for one in effect.options] == [(2, 0, 0), (0, 1, 1)]
    assert [one.median for one in effect.options] == pytest.approx([0.15, -0.05])
    # Means 0.15 and −0.05, 0.05 in all: between 4 × 0.1², in all 0.05² + 0.15² + 0.15² + 0.05².
    assert effect.explained == pytest.approx(0.04 / 0.05)
    assert option_effect(multiverse, "cutoff", verdict).options[2].median is None


@pytest.mark.parametrize(
    ("differences", "average", "cutoff"),
    [
        pytest.param([1, 1, 1, 2, 2, 2], 1, 0, id="one-field-alone"),
        pytest.param([1, 2, 3, 1, 2, 3], 0, 1, id="the-other"),
        # Between averages 6 × 0.5², between cutoffs 4 × 1²; together all there is.
        pytest.param([0, 1, 2, 1, 2, 3], 1.5 / 5.5, 4 / 5.5, id="both-add-up"),
        pytest.param([1] * 6, NONE, NONE, id="always-the-same"),
        pytest.param([1, 1 + 1e-13, 1, 1, 1, 1], NONE, NONE, id="the-same-but-for-rounding"),
        pytest.param([NONE] * 6, NONE, NONE, id="never-decided"),
    ],
)
def test_explained(differences: list[float], average: float, cutoff: float) -> None:
    multiverse = given_differences(AXES, differences)
    verdict = pair(multiverse, 0, 1)
    for field, expected in (("average", average), ("cutoff", cutoff)):
        explained = option_effect(multiverse, field, verdict).explained
        assert explained == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_field_that_explains_most_comes_first() -> None:
    multiverse = given_differences(AXES, [0, 1, 2, 1, 2, 3])
    effects = field_effects(multiverse, pair(multiverse, 0, 1))
    assert [effect.field for effect in effects] == ["cutoff", "average"]


@pytest.mark.parametrize(
    ("differences", "decides"),
    [
        ([0.1, 0.2, 0.3, -0.1, -0.2, -0.3], True),
        ([0.1, NONE, 0.3, -0.1, NONE, -0.3], True),
        ([0.1, 0.2, 0.3, -0.1, -0.2, ROUNDING], False),
        ([0.1, 0.2, -0.3, -0.1, -0.2, -0.3], False),
        ([0.1, 0.2, 0.3, 0.1, 0.2, 0.3], False),
        ([0.1, 0.2, 0.3, NONE, NONE, NONE], False),
        ([NONE] * 6, False),
    ],
)
def test_a_field_decides_where_each_option_has_its_own_winner(
    differences: list[float], decides: bool
) -> None:
    multiverse = given_differences(AXES, differences)
    assert option_effect(multiverse, "average", pair(multiverse, 0, 1)).decides is decides
