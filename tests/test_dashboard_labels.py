"""Labels at the ends of lines: apart, in their order, inside, and moved as little as can be."""

from itertools import pairwise
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.labels import spread

TOP = 100.0
# Labels crowd where lines do: at an end, too.
height = st.floats(0, TOP) | st.floats(0, 5) | st.floats(TOP - 5, TOP)
heights = st.lists(height, min_size=1, max_size=10)
gaps = st.floats(0.5, 10)  # ten labels fit


def in_order(values: list[float]) -> list[int]:
    return sorted(range(len(values)), key=lambda at: values[at])


@given(heights=heights, gap=gaps)
def test_labels_keep_their_order(heights, gap):
    placed = spread(heights, gap)
    assert len(placed) == len(heights)
    assert all(placed[low] < placed[high] for low, high in pairwise(in_order(heights)))


@given(heights=heights, gap=gaps)
def test_labels_do_not_collide(heights, gap):
    placed = sorted(spread(heights, gap))
    assert all(high - low >= gap - 1e-9 for low, high in pairwise(placed))


@given(heights=heights, gap=gaps)
def test_labels_stay_inside(heights, gap):
    assert all(-1e-9 <= one <= TOP + 1e-9 for one in spread(heights, gap))


@given(steps=st.lists(st.floats(10.1, 15), max_size=5), start=st.floats(0, 25))
def test_labels_that_are_apart_stay_where_they_are(steps, start):
    apart = [start + sum(steps[:at]) for at in range(len(steps) + 1)]
    assert spread(apart, 10) == pytest.approx(apart)


@given(heights=heights, gap=gaps)
def test_labels_stand_as_near_as_can_be_to_where_they_want_to_be(heights, gap):
    """Least squares, by the formula of least upper and greatest lower means."""
    order = in_order(heights)
    wanted = [heights[at] - gap * place for place, at in enumerate(order)]
    room = TOP - gap * (len(order) - 1)

    def mean(low: int, high: int) -> float:
        return sum(wanted[low : high + 1]) / (high + 1 - low)

    places = range(len(order))
    for place, at in enumerate(order):
        best = max(min(mean(low, high) for high in places[place:]) for low in places[: place + 1])
        expected = min(max(best, 0.0), room) + gap * place
        assert isclose(spread(heights, gap)[at], expected, abs_tol=1e-9)


@given(heights=heights, gap=gaps, data=st.data())
def test_no_other_places_are_nearer(heights, gap, data):
    """By the sum of the squared distances, whatever other places are tried."""
    room = TOP - gap * (len(heights) - 1)
    count = len(heights)
    where = st.floats(0, room) | st.sampled_from([0.0, room])
    drawn = sorted(data.draw(st.lists(where, min_size=count, max_size=count)))
    # Some of the way from the answer to another arrangement: near ones are tried as well.
    part = data.draw(st.sampled_from([0.01, 0.1, 1.0]))
    placed = spread(heights, gap)
    other = list(placed)
    for place, at in enumerate(in_order(heights)):
        other[at] += part * (drawn[place] + gap * place - placed[at])

    def distance(places: list[float]) -> float:
        return sum((one - where) ** 2 for one, where in zip(heights, places, strict=True))

    assert distance(placed) <= distance(other) + 1e-6


@pytest.mark.parametrize(
    ("heights", "placed"),
    [
        pytest.param([50, 50], [45, 55], id="equal ones part by half the gap each"),
        pytest.param([50, 20], [50, 20], id="apart"),
        pytest.param([0, 0, 0], [0, 10, 20], id="at the top of the box"),
        pytest.param([100, 100], [90, 100], id="at its bottom"),
        pytest.param([5, 5], [0, 10], id="half the gap is just there"),
        pytest.param([3, 3], [0, 10], id="half the gap is not there"),
        pytest.param([52, 50, 20], [56, 46, 20], id="a block, and one apart"),
        pytest.param([40, 45, 50, 80], [35, 45, 55, 80], id="a block of three"),
        pytest.param([11, 22, 22], [25 / 3, 55 / 3, 85 / 3], id="a block that meets another"),
    ],
)
def test_labels_by_hand(heights, placed):
    assert spread(heights, 10) == pytest.approx(placed)


def test_labels_that_do_not_fit_keep_their_gaps_beyond_the_end():
    placed = spread([50.0] * 5, 30)
    assert placed == pytest.approx([0, 30, 60, 90, 120])


def test_another_height_of_the_box():
    assert spread([1.0, 1.0], 0.25, top=1.0) == pytest.approx([0.75, 1.0])


def test_no_label():
    assert spread([], 10) == []


def test_what_was_given_stays_as_it_is():
    heights = [50.0, 50.0, 20.0]
    spread(heights, 10)
    assert heights == [50.0, 50.0, 20.0]


@given(heights=heights)
def test_without_a_gap_nothing_moves(heights):
    assert spread(heights, 0) == pytest.approx(heights)
