"""Ranks under many rule sets, by hand, and Kendall's tau-b against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multiverses import NONE, given_values
from scipy.stats import kendalltau

from core import sensitivity
from core.rank_ranges import RankRange, kendall_tau, rank_ranges, ranks

AXES = {"cutoff": (1, 2, 3)}
values = st.sampled_from([NONE, 0.0, 0.25, 0.5, 0.5 + 1e-14, 1.0])


def tables(rule_sets: int = 3) -> st.SearchStrategy[list[list[float]]]:
    """Values of two to five systems under some rule sets."""
    return st.integers(2, 5).flatmap(
        lambda systems: st.lists(
            st.lists(values, min_size=systems, max_size=systems),
            min_size=rule_sets,
            max_size=rule_sets,
        )
    )


def test_ranks_by_hand() -> None:
    multiverse = given_values(AXES, [(0.5, 0.7, 0.1), (0.5, NONE, 0.5 + 1e-14), (NONE, NONE, NONE)])
    assert ranks(multiverse).tolist() == [[2, 1, 3], [1, 0, 1], [0, 0, 0]]


@given(tables())
def test_ranks_are_those_of_one_switch(table: list[list[float]]) -> None:
    found = ranks(given_values(AXES, table))
    for row, of_row in zip(table, found.tolist(), strict=True):
        known = [None if np.isnan(value) else value for value in row]
        assert of_row == [rank or 0 for rank in sensitivity.ranks(known)]


def test_rank_ranges_by_hand() -> None:
    multiverse = given_values(
        {"cutoff": (1, 2, 3, 4)},
        [(0.9, 0.5, NONE), (0.9, 0.9, NONE), (0.1, 0.5, NONE), (NONE, 0.5, NONE)],
    )
    assert rank_ranges(multiverse) == (
        RankRange("A", rule_sets=3, best=1, worst=2, median=1.0, share_first=2 / 3),
        RankRange("B", rule_sets=4, best=1, worst=2, median=1.0, share_first=3 / 4),
        RankRange("C", rule_sets=0, best=None, worst=None, median=None, share_first=None),
    )


@pytest.mark.parametrize(
    ("before", "after", "tau"),
    [
        pytest.param((3, 2, 1), (30, 20, 10), 1, id="same-order"),
        pytest.param((3, 2, 1), (1, 2, 3), -1, id="upside-down"),
        pytest.param((3, 2, 1), (3, 1, 2), 1 / 3, id="one-of-three-pairs"),
        # Two pairs agree; the third is level, 3 × 2 under the root.
        pytest.param((3, 2, 1), (2, 1, 1), 2 / np.sqrt(6), id="become-level"),
        pytest.param((3, 2, 1), (1, 1, 1), NONE, id="all-level"),
        pytest.param((1, 1, 1), (3, 2, 1), NONE, id="all-level-before"),
        pytest.param((3, NONE, 1), (3, 2, 1), 1, id="one-not-before"),
        pytest.param((3, NONE, 1), (NONE, 2, 1), NONE, id="just-one-in-common"),
        pytest.param((3, 2), (3, 3 - 1e-13), NONE, id="level-but-for-rounding"),
    ],
)
def test_tau_by_hand(before: tuple[float, ...], after: tuple[float, ...], tau: float) -> None:
    found = kendall_tau(given_values({"cutoff": (1,)}, [after], before))
    assert found.tolist() == [pytest.approx(tau, nan_ok=True)]


@pytest.mark.parametrize("systems", [0, 1])
def test_tau_needs_two_systems(systems: int) -> None:
    found = kendall_tau(given_values(AXES, [[0.5] * systems] * 3))
    assert np.isnan(found).tolist() == [True] * 3


@given(tables())
def test_tau_is_that_of_scipy(table: list[list[float]]) -> None:
    found = kendall_tau(given_values(AXES, table, table[0]))
    # SciPy takes what differs by rounding for different.
    plain = np.round(table, 6)
    for row, tau in zip(plain, found, strict=True):
        both = ~np.isnan(row) & ~np.isnan(plain[0])
        expected = kendalltau(row[both], plain[0][both]).statistic if both.sum() > 1 else NONE
        assert tau == pytest.approx(expected, nan_ok=True)
