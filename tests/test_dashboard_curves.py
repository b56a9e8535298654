"""NDCG@k of one query over k, as lines in HTML."""

import re

import pytest
from dashboard_worlds import (
    Builders,
    assert_harmless,
    assert_names_stay_names,
    attributes_of,
    names_and_roles,
    texts_in,
)
from nasty_names import NASTY
from parsed_html import events, text_of

from dashboard import curves

ROLES = {"one": "first", "two": "second"}

BUILDERS: Builders = {
    "curves": lambda of: curves.curves(
        [1, 10], {of.name: [0.5, 1.0], "rival": [0.25, 0.5]}, {of.name: "first", "rival": "x"}, 10
    ),
    "a curve of one point": lambda of: curves.curves([1], {of.name: [0.5]}, {of.name: "first"}, 1),
}


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_a_name_comes_out_as_it_went_in(name):
    assert_names_stay_names(BUILDERS, name)


@pytest.mark.parametrize(
    ("deepest", "cutoff", "last", "among"),
    [
        pytest.param(0, None, 10, {1, 2, 3, 5}, id="an empty ranking"),
        pytest.param(3, 5, 10, {5}, id="short"),
        pytest.param(23, 10, 23, {20}, id="down to its end"),
        pytest.param(23, 22, 23, {22}, id="with the cutoff in use"),
        pytest.param(5, 60, 60, {50}, id="down to a cutoff below its end"),
        pytest.param(5000, None, 5000, {100, 1000}, id="long"),
    ],
)
def test_cutoffs_run_from_1_to_the_end_of_the_ranking(deepest, cutoff, last, among):
    found = curves.cutoffs(deepest, cutoff)
    assert found == sorted(set(found))
    assert (found[0], found[-1]) == (1, last)
    assert among <= set(found)
    assert len(found) < 40


def curve_points(html: str) -> list[list[tuple[float, float]]]:
    """Where each line runs: per cent from the left, and the value it stands for."""
    paths = [style for style in attributes_of(html, "style") if style.startswith("clip-path")]
    point = r"([\d.]+)% calc\(4px \+ \(100% - 8px\) \* ([\d.]+) - 1px\)"
    return [[(float(x), 1 - float(y)) for x, y in re.findall(point, path)] for path in paths]


def test_lines_run_over_a_logarithmic_k():
    html = curves.curves([1, 10, 100], {"one": [0.0, 0.5, 1.0]}, ROLES, None)
    assert_harmless(events(html))
    assert curve_points(html) == [[(0, 0), (50, 0.5), (100, 1)]]


def test_each_system_has_a_line_in_its_colour_named_at_its_end_with_its_last_value():
    html = curves.curves([1, 10], {"one": [0.0, 0.25], "two": [1.0, 0.75]}, ROLES, None)
    assert [css for css in attributes_of(html, "class") if css.startswith("rd-curve ")] == [
        "rd-curve rd-first",
        "rd-curve rd-second",
    ]
    assert re.findall(r"rd-slope-label rd-(\w+)\" style=\"top:([\d.]+)%", html) == [
        ("first", "75.0"),
        ("second", "25.0"),
    ]
    assert text_of(html).endswith("0.250 one0.750 two")
    assert names_and_roles(html) == [("one", ""), ("two", "")]


def test_names_that_end_at_one_height_move_apart():
    html = curves.curves([1, 10], {"one": [0.0, 0.5], "two": [1.0, 0.5]}, ROLES, None)
    low, high = sorted(float(top) for top in re.findall(r"rd-slope-label.*?top:([\d.]+)%", html))
    assert (low + high) / 2 == pytest.approx(50)
    assert high - low == pytest.approx(11)


def test_cutoffs_without_a_value_are_left_out():
    """The ideal ranking gains nothing down to there."""
    html = curves.curves([1, 10, 100], {"one": [None, 0.5, None]}, ROLES, None)
    assert curve_points(html) == [[(50, 0.5)]]
    assert "0.500 one" in text_of(html)


def test_a_system_without_any_value_has_no_line():
    html = curves.curves([1, 10], {"one": [None, None], "two": [0.5, 0.5]}, ROLES, None)
    assert names_and_roles(html) == [("two", "")]


@pytest.mark.parametrize("values", [{}, {"one": [None, None]}])
def test_nothing_to_draw_says_why(values):
    html = curves.curves([1, 10], values, ROLES, 10)
    assert text_of(html) == "IDCG is 0 at every cutoff, so there is nothing to draw."


def test_lines_stay_in_their_box_and_labels_say_the_true_value():
    """Negative gains, or an ideal cut short, take NDCG out of its range."""
    html = curves.curves([1, 10], {"one": [-0.5, 1.25]}, ROLES, None)
    assert curve_points(html) == [[(0, 0), (100, 1)]]
    assert "1.250 one" in text_of(html)


@pytest.mark.parametrize(("cutoff", "left"), [(1, "0.00"), (10, "50.00"), (100, "100.00")])
def test_the_cutoff_in_use_is_a_rule(cutoff, left):
    html = curves.curves([1, 10, 100], {"one": [0.0, 0.5, 1.0]}, ROLES, cutoff)
    assert re.findall(r'<u style="left:([\d.]+)%">', html) == [left]


def test_without_a_cutoff_there_is_no_rule():
    assert ("open", "u") not in events(curves.curves([1, 10], {"one": [0.5, 0.5]}, ROLES, None))


def test_the_axes_have_ticks_as_far_as_they_go():
    html = curves.curves([1, 10, 60], {"one": [0.5, 0.5, 0.5]}, ROLES, None)
    assert texts_in(html, "em") == ["0.0", "0.5", "1.0", "1", "2", "3", "5", "10", "20", "50"]
