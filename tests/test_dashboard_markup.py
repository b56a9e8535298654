"""Small pieces of HTML: escaping, numbers, and what is drawn with elements alone."""

import re

import numpy as np
import pytest
from dashboard_worlds import (
    MINUS,
    Builders,
    assert_harmless,
    assert_names_stay_names,
    attributes_of,
    hints_of,
    texts_in,
)
from hypothesis import given
from hypothesis import strategies as st
from nasty_names import NASTY
from parsed_html import events, rows_of, text_of

from core.intervals import Interval
from dashboard import markup
from dashboard.markup import Line, Scale

UNIT = Scale(0.0, 1.0)

BUILDERS: Builders = {
    "title": lambda of: markup.title(of.name, of.name),
    "name": lambda of: markup.name(of.name, "first"),
    "hint": lambda of: markup.cell("", hint=of.name) + markup.heading("", hint=of.name),
    "label of a table": lambda of: markup.table([], [], label=of.name),
    "phrase": lambda of: markup.phrase(
        "pairs.over", first=markup.name(of.name), second=markup.escaped(of.name)
    ),
    "phrase with a count": lambda of: markup.phrase_count(
        "verdict.order", 2, switches=markup.escaped(of.name)
    ),
    "slopes": lambda of: markup.slopes(
        of.name, of.name, [Line(0, 50, 40, "0.500", of.name, "first", moves=True)], 150
    ),
}


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_a_name_comes_out_as_it_went_in(name):
    assert_names_stay_names(BUILDERS, name)


def test_escaping_covers_both_kinds_of_quotes():
    assert (
        markup.escaped("<a href=\"x\" id='y'>&")
        == "&lt;a href=&quot;x&quot; id=&#x27;y&#x27;&gt;&amp;"
    )


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 pair changes order"), (0, "0 pairs change order"), (1234, "1,234 pairs change order")],
)
def test_a_phrase_agrees_with_its_count_which_stands_out(count, words):
    html = markup.phrase_count("slopes.change", count)
    assert text_of(html) == words
    assert texts_in(html, "b") == [f"{count:,}"]


def test_a_phrase_takes_pieces_of_html():
    html = markup.phrase("pairs.over", first=markup.bold("one"), second="two")
    assert html == "<b>one</b> over two"


# Numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500"),
        (-0.25, f"{MINUS}0.250"),
        (0.0, "0.000"),
        (1.0, "1.000"),
        (0.12345, "0.123"),
        (0.1236, "0.124"),
        (0.9996, "1.000"),
        (12.5, "12.500"),
        (np.float64(0.5), "0.500"),
        (None, "no value"),
    ],
)
def test_numbers(value, text):
    assert markup.number(value) == text


@pytest.mark.parametrize("value", [-0.0, -0.0004])
def test_a_number_that_rounds_to_nothing_has_no_sign(value):
    assert markup.number(value) == "0.000"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "+0.250"),
        (-0.25, f"{MINUS}0.250"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e-17, "0"),
        (0.0004, "≈ 0"),
        (-0.0004, "≈ 0"),
        (0.0006, "+0.001"),
        (-0.0006, f"{MINUS}0.001"),
        (None, ""),
    ],
)
def test_signed_differences(value, text):
    assert markup.signed(value) == text


@given(value=st.floats(-1000, 1000), digits=st.integers(1, 6))
def test_written_numbers_read_back_within_half_of_their_last_digit(value, digits):
    for text in (markup.number(value, digits), markup.signed(value, digits)):
        assert "-" not in text
        read = float(text.removeprefix("≈ ").replace(MINUS, "-"))
        assert abs(read - value) <= 0.5000001 * 10**-digits


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(0.01, 0.25), "[+0.010, +0.250]"),
        (Interval(-0.25, 0.5), f"[{MINUS}0.250, +0.500]"),
        (Interval(-0.75, -0.5), f"[{MINUS}0.750, {MINUS}0.500]"),
        (None, ""),
    ],
)
def test_bounds_of_a_difference(interval, text):
    assert markup.bounds(interval) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 %"),
        (0.004, "0.4 %"),
        (0.005, "0.5 %"),
        (0.006, "1 %"),
        (0.5, "50 %"),
        (0.624, "62 %"),
        (0.994, "99 %"),
        (0.995, "99.5 %"),
        (0.999, "99.9 %"),
        (1.0, "100 %"),
        (None, "no value"),
    ],
)
def test_percentages(value, text):
    assert markup.percent(value) == text
    assert text_of(markup.share(value)) == text


@given(total=st.integers(1, 10_000), data=st.data())
def test_only_all_is_100_per_cent_and_only_nothing_is_0(total, data):
    some = data.draw(st.integers(0, total))
    text = markup.percent(some / total)
    assert (text == "100 %") == (some == total)
    assert (text == "0 %") == (some == 0)


# Drawings


def test_an_axis_has_true_minus_signs():
    ticks = [-0.5, 0.0, 0.5]
    assert text_of(markup.axis(ticks, Scale(-0.5, 0.5))) == f"{MINUS}0.500.000.50"


def test_a_scale_maps_its_ends_to_the_ends_of_the_axis():
    scale = Scale(0.5, 0.75)
    assert [scale(0.5), scale(0.625), scale(0.75)] == [0, 50, 100]


def test_a_dot_stands_on_the_ticks_of_its_axis_with_its_interval():
    html = markup.dot(0.5, Interval(0.25, 0.75), [0.0, 1.0], UNIT, "first")
    assert attributes_of(html, "class") == ["rd-axis rd-first"]
    opened = [event[1] for event in events(html) if event[0] == "open"]
    styles = dict(zip(opened[1:], attributes_of(html, "style"), strict=True))
    assert styles == {"u": "left:100.00%", "s": "left:25.00%;width:50.00%", "b": "left:50.00%"}
    assert opened == ["div", "u", "u", "s", "b"]


def test_an_interval_goes_no_further_than_its_axis():
    html = markup.dot(0.5, Interval(-3.0, 1.5), [], UNIT)
    assert "left:0.00%;width:100.00%" in attributes_of(html, "style")


def test_a_dot_without_an_interval_has_no_line():
    assert ("open", "s") not in events(markup.dot(0.5, None, [0.0, 1.0], UNIT))


def test_bins_name_their_range_and_count():
    html = markup.bins([0, 4, 2, 1])
    assert hints_of(html) == [
        "0.00 to 0.25: 0 queries",
        "0.25 to 0.50: 4 queries",
        "0.50 to 0.75: 2 queries",
        "0.75 to 1.00: 1 query",
    ]
    assert re.findall(r"height:(\d+)px", html) == ["1", "20", "10", "5"]


def test_bins_of_nothing():
    assert re.findall(r"height:(\d+)px", markup.bins([0, 0])) == ["1", "1"]


@pytest.mark.parametrize("role", ["first", "second", "other"])
def test_bins_and_bars_have_the_colour_of_their_role(role):
    assert attributes_of(markup.bins([1], role), "class") == [f"rd-bins rd-{role}"]
    assert attributes_of(markup.adds(1.0, 2.0, role), "class") == [f"rd-adds rd-{role}"]


@pytest.mark.parametrize(
    ("grade", "text", "hint"),
    [
        (3, "3", "grade 3"),
        (0, "0", "grade 0"),
        (-2, f"{MINUS}2", f"grade {MINUS}2"),
        (12, "12", "grade 12"),
        (None, "?", "unjudged"),
    ],
)
def test_grade_chips(grade, text, hint):
    html = markup.grade_chip(grade)
    assert text_of(html) == text
    assert hints_of(html) == [hint]


@pytest.mark.parametrize(
    ("value", "highest", "width", "text"),
    [
        pytest.param(0.5, 2.0, "25%", "0.500", id="a quarter"),
        pytest.param(2.0, 2.0, "100%", "2.000", id="the highest"),
        pytest.param(-1.0, 2.0, "0%", f"{MINUS}1.000", id="negative draws no bar"),
        pytest.param(0.0, 0.0, "0%", "0.000", id="nothing adds anything"),
    ],
)
def test_a_bar_for_what_a_document_adds(value, highest, width, text):
    html = markup.adds(value, highest)
    assert attributes_of(html, "style") == [f"width:{width}"]
    assert text_of(html) == text


def test_slopes_draw_a_line_two_ends_and_a_label_for_each_system():
    lines = [
        Line(10, 90, 85, "0.100", "one", "first", moves=True),
        Line(20, 20, 20, "0.800", "two", "other", moves=False),
    ]
    html = markup.slopes("Gain: 2^g − 1", "1 pair changes order", lines, 170)
    assert_harmless(events(html))
    assert text_of(html) == "Gain: 2^g − 11 pair changes order0.100 one0.800 two"
    classes = attributes_of(html, "class")
    assert classes.count("rd-slope-line rd-first rd-moves") == 1
    assert classes.count("rd-slope-line rd-other") == 1
    assert classes.count("rd-slope-label rd-first rd-moves") == 1
    styles = attributes_of(html, "style")
    assert styles[0] == "height:170px"
    assert "--from:0.100;--to:0.900" in styles
    assert {"top:10.0%;left:0", "top:90.0%;left:100%", "top:85.0%"} <= set(styles)


def test_a_curve_is_a_band_along_its_points():
    """There and back, so that the path is closed; the bottom of the box is 0."""
    html = markup.curve([(0.0, 0.0), (50.0, 100.0), (100.0, 25.0)], "second")
    assert attributes_of(html, "class") == ["rd-curve rd-second"]
    (style,) = attributes_of(html, "style")
    points = re.findall(r"([\d.]+)% calc\(4px \+ \(100% - 8px\) \* ([\d.]+) ([+-]) 1px\)", style)
    there = [("0.00", "1.0000", "-"), ("50.00", "0.0000", "-"), ("100.00", "0.7500", "-")]
    assert points == [*there, *((x, y, "+") for x, y, _ in reversed(there))]


# Tables


def test_tables_scroll_in_their_own_box_and_can_be_reached_by_keyboard():
    found = events(markup.table([markup.heading("a")], [], label="Systems", dense=True))
    assert found[:8] == [
        ("open", "div"),
        ("attribute", "class", "rd-scroll"),
        ("attribute", "tabindex", "0"),
        ("attribute", "role", "region"),
        ("attribute", "aria-label", "Systems"),
        ("open", "table"),
        ("attribute", "class", "rd-dense"),
        ("open", "thead"),
    ]


def test_a_heading_without_content_names_no_column():
    html = markup.table([markup.heading(""), markup.heading("a")], [])
    assert rows_of(html) == [["", "a"]]
    assert [event[1] for event in events(html) if event[0] == "open" and event[1][0] == "t"] == [
        "table",
        "thead",
        "tr",
        "td",
        "th",
        "tbody",
    ]


def test_a_cell_takes_classes_a_hint_and_a_span():
    html = markup.row([markup.cell("a", "x", "y", hint="why", span=2), markup.cell("b")], "rd-sum")
    assert events(html) == [
        ("open", "tr"),
        ("attribute", "class", "rd-sum"),
        ("open", "td"),
        ("attribute", "class", "x y"),
        ("attribute", "title", "why"),
        ("attribute", "colspan", "2"),
        ("text", "a"),
        ("close", "td"),
        ("open", "td"),
        ("text", "b"),
        ("close", "td"),
        ("close", "tr"),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("a\xa0 b", "a\xa0 b"),
        ("one\r\n  two\n\nthree", "one two three"),
        ("a" * 240, "a" * 240),
        ("a" * 241, "a" * 240 + "…"),
        ("a" * 20_000, "a" * 240 + "…"),
        ("a" + "\n" * 20_000 + "b", "a …"),
    ],
    ids=["none", "as it is", "lines", "just", "too long", "far too long", "line ends"],
)
def test_excerpt_is_one_short_line(text, shown):
    assert markup.excerpt(text) == shown
