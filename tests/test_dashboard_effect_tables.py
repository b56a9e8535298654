"""What policy switches would change: for every system, for every pair, and as slopes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from dashboard_worlds import (
    MINUS,
    Builders,
    World,
    assert_names_stay_names,
    attributes_of,
    comparison,
    effect,
    hints_of,
    names_and_roles,
    refusal,
    texts_in,
)
from nasty_names import NASTY
from parsed_html import events, rows_of, text_of

from core.comparison import Comparison
from core.errors import EvaluationError
from core.sensitivity import SwitchEffect
from dashboard.effect_tables import (
    by_effect,
    pair_matrix,
    slope_panels,
    steady_pairs,
    switch_matrix,
)
from dashboard.pairing import Pair

NAMES = ["one", "two"]
PAIR = Pair("one", "two")


def flipping(of: World) -> list[SwitchEffect]:
    """The effects of a world, with a switch that turns its pair round and one that blurs it."""
    names = {"system": of.name, "baseline": "rival"}
    before = {(0, 1): comparison(0.2, 0.1, 0.3, **names)}
    turned = {(0, 1): comparison(-0.2, -0.3, -0.1, **names)}
    blurred = {(0, 1): comparison(0.1, -0.1, 0.3, **names)}
    return [
        effect((1, 2), (2, 1), ("gain", "exponential"), before=before, after=turned),
        effect((1, 2), (1, 2), ("ties", "expected"), before=before, after=blurred),
    ]


BUILDERS: Builders = {
    "switches": lambda of: switch_matrix(list(of.scores), of.effects, list(of.scores), of.pair),
    "switches, turned": lambda of: switch_matrix(
        list(of.scores), of.effects, list(of.scores)[::-1], of.turned
    ),
    "pairs": lambda of: pair_matrix(list(of.scores), flipping(of), of.pair),
    "pairs, turned": lambda of: pair_matrix(list(of.scores), flipping(of), of.turned),
    "slopes": lambda of: slope_panels(list(of.scores), of.effects, of.pair),
    "slopes, turned": lambda of: slope_panels(list(of.scores), flipping(of), of.turned),
}


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_a_name_comes_out_as_it_went_in(name):
    assert_names_stay_names(BUILDERS, name)


# Switches by systems


def matrix(*effects: SwitchEffect) -> list[list[str]]:
    return rows_of(switch_matrix(NAMES, effects, NAMES, PAIR))


SMALL = effect((1, 2), (1, 2), ("gain", "exponential"), changes=(0.01, 0.0))
LARGE = effect((1, 2), (1, 2), ("discount", "original"), changes=(-0.5, 0.0))
FLIP = effect((1, 2), (2, 1), ("ties", "expected"), changes=(0.0, 0.001))


def test_switch_matrix_puts_changes_of_order_first_then_large_changes():
    head, *rows = matrix(SMALL, LARGE, FLIP)
    assert head == ["One switch", "order", "one", "two"]
    assert rows == [
        [
            "Tied scores: mean over all orders",
            "1 pair changes",
            "0 down to 2nd",
            "+0.001 up to 1st",
        ],
        ["Discount: original", "same", f"{MINUS}0.500", "0"],
        ["Gain: 2^g − 1", "same", "+0.010", "0"],
    ]


def test_more_changed_pairs_come_before_a_larger_change():
    two = effect((1, 2, 3), (2, 3, 1), changes=(0.1, 0.1, 0.1))
    one = effect((1, 2, 3), (1, 3, 2), changes=(0.9, 0.9, 0.9))
    assert by_effect([one, two]) == [two, one]


def test_switches_with_equal_effect_keep_their_order():
    first, second = SMALL, replace(SMALL, switch=LARGE.switch)
    assert by_effect([first, second]) == [first, second]
    assert by_effect([second, first]) == [second, first]


def test_switch_matrix_has_its_columns_best_first_and_in_the_colours_of_the_pair():
    html = switch_matrix(["one", "two", "three"], [], ["three", "one", "two"], PAIR)
    assert names_and_roles(html) == [("three", "other"), ("one", "first"), ("two", "second")]


def test_values_go_with_the_systems_they_belong_to():
    shown = effect((1, 2), (1, 2), changes=(0.25, -0.125), values=(0.75, 0.5))
    html = switch_matrix(NAMES, [shown], ["two", "one"], PAIR)
    assert rows_of(html)[1][2:] == [f"{MINUS}0.125", "+0.250"]
    assert hints_of(html)[2:] == ["0.500 after the switch", "0.750 after the switch"]


def test_switch_matrix_shows_refusals_and_absent_values_in_words():
    shown = effect(
        (None, None),
        (None, None),
        values=(None, None),
        changes=(None, None),
        refusals=(EvaluationError("whole message"), None),
    )
    assert matrix(shown)[1][1:] == ["–", "refuses cannot be computed", "no value"]


@pytest.mark.parametrize(
    ("rank", "words"),
    [
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (10, "10th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (22, "22nd"),
        (33, "33rd"),
        (101, "101st"),
        (111, "111th"),
        (112, "112th"),
    ],
)
def test_ranks_are_written_as_they_are_spoken(rank, words):
    shown = effect((1, 2), (rank, 1), changes=(0.25, 0.25))
    assert matrix(shown)[1][2] == f"+0.250 down to {words}"


def test_a_rank_that_others_leave_is_no_move_while_the_order_stays():
    """The second is refused, so the third becomes second: nobody overtook anybody."""
    shown = effect((1, 3), (1, 2), changes=(0.1, 0.1))
    assert matrix(shown)[1][1:] == ["same", "+0.100", "+0.100"]


# Pairs by switches

AHEAD = (0.2, 0.1, 0.3)  # a difference and the ends of its interval
BEHIND = (-0.2, -0.3, -0.1)
UNSURE = (0.1, -0.1, 0.3)
SLIGHTLY_BEHIND = (-0.05, -0.2, 0.1)

Difference = tuple[float, float, float]
Pairs = dict[tuple[int, int], Difference]


def compared(pairs: Pairs) -> dict[tuple[int, int], Comparison]:
    return {positions: comparison(*difference) for positions, difference in pairs.items()}


def on_pairs(
    before: Pairs, after: Pairs, switch: tuple[str, object] = ("gain", "exponential"), **more: Any
) -> SwitchEffect:
    return effect((1, 2), (1, 2), switch, before=compared(before), after=compared(after), **more)


def pairs_of(
    *effects: SwitchEffect, names: Sequence[str] = NAMES, pair: Pair = PAIR
) -> list[list[str]]:
    return rows_of(pair_matrix(names, effects, pair))


@pytest.mark.parametrize(
    ("before", "after", "now", "words", "css"),
    [
        pytest.param(AHEAD, BEHIND, "separable", "order flips", "rd-flip", id="flips"),
        pytest.param(
            UNSURE, SLIGHTLY_BEHIND, "not separable", "order flips", "rd-flip", id="flips, unsure"
        ),
        pytest.param(AHEAD, UNSURE, "separable", "not separable", "rd-faded", id="blurs"),
        pytest.param(UNSURE, AHEAD, "not separable", "separates", "rd-sharp", id="sharpens"),
    ],
)
def test_pair_matrix_says_in_words_what_a_switch_does(before, after, now, words, css):
    shown = on_pairs({(0, 1): before}, {(0, 1): after})
    assert pairs_of(shown) == [
        ["Pair", "difference", "now", "Gain: 2^g − 1"],
        ["one over two", f"+{before[0]:.3f}", now, words],
    ]
    html = pair_matrix(NAMES, [shown], PAIR)
    assert f"rd-left {css}" in attributes_of(html, "class")
    after_words = f"{after[0]:+.3f}".replace("-", MINUS)
    assert hints_of(html)[-1] == f"{after_words} after the switch"


def test_pair_matrix_puts_the_leader_of_a_pair_first_and_all_its_signs_go_with_it():
    """Two is ahead of one by 0.2, and after the switch by 0.1, which is not separable."""
    shown = on_pairs({(0, 1): BEHIND}, {(0, 1): (-0.1, -0.3, 0.1)})
    html = pair_matrix(NAMES, [shown], PAIR)
    assert rows_of(html)[1] == ["two over one", "+0.200", "separable", "not separable"]
    assert names_and_roles(html) == [("two", "second"), ("one", "first")]
    assert hints_of(html)[-1] == "+0.100 after the switch"


def test_pair_matrix_leaves_out_what_stays():
    stays = on_pairs({(0, 1): AHEAD}, {(0, 1): AHEAD}, ("ties", "expected"))
    flips = on_pairs({(0, 1): AHEAD}, {(0, 1): BEHIND})
    assert pairs_of(stays) == []
    assert pair_matrix(NAMES, [stays], PAIR) == pair_matrix(NAMES, [], PAIR) == ""
    assert pairs_of(stays, flips)[0][3:] == ["Gain: 2^g − 1"]


THREE = ["one", "two", "three"]
OF_THREE: Pairs = {(0, 1): AHEAD, (0, 2): AHEAD, (1, 2): AHEAD}
# The first switch turns the last two round, the second what the pair (0, 2) concludes as well.
ONCE = on_pairs(OF_THREE, {**OF_THREE, (1, 2): BEHIND}, ("gain", "exponential"))
TWICE = on_pairs(OF_THREE, {**OF_THREE, (1, 2): UNSURE, (0, 2): UNSURE}, ("discount", "original"))


def test_pair_matrix_has_a_dot_where_a_switch_does_nothing():
    rows = pairs_of(ONCE, TWICE, names=THREE, pair=Pair("one", "two"))
    assert rows == [
        ["Pair", "difference", "now", "Gain: 2^g − 1", "Discount: original"],
        ["two over three", "+0.200", "separable", "order flips", "not separable"],
        ["one over three", "+0.200", "separable", "·", "not separable"],
    ]


@pytest.mark.parametrize("pair", [Pair("one", "three"), Pair("three", "one")])
def test_pair_matrix_has_the_compared_pair_first(pair):
    rows = pairs_of(ONCE, TWICE, names=THREE, pair=pair)
    assert [row[0] for row in rows[1:]] == ["one over three", "two over three"]


def test_pair_matrix_says_where_a_switch_refuses_one_of_a_pair():
    partly = on_pairs(OF_THREE, {(1, 2): BEHIND}, ("ties", "refuse"))
    rows = pairs_of(TWICE, partly, names=THREE, pair=Pair("one", "three"))
    assert rows[0][3:] == ["Discount: original", "Tied scores: refuse"]
    assert rows[1][0] == "one over three"
    assert rows[1][3:] == ["not separable", "refused"]


def test_steady_pairs_are_those_that_no_switch_changes():
    assert steady_pairs(THREE, [ONCE]) == 2
    assert steady_pairs(THREE, [ONCE, TWICE]) == 1
    assert steady_pairs(THREE, [on_pairs(OF_THREE, OF_THREE)]) == 3


def test_a_pair_that_is_not_compared_now_concludes_nothing_that_could_survive():
    """The present policy refuses the third system."""
    known: Pairs = {(0, 1): AHEAD}
    assert steady_pairs(THREE, [on_pairs(known, known)]) == 1


# Slopes


def panels(html: str) -> list[str]:
    return html.split('<figure class="rd-slope">')[1:]


def captions(html: str) -> list[tuple[str, str]]:
    """What each panel is called, and what stands below that."""
    return [
        (texts_in(panel, "b")[0], texts_in(panel, "br")[0] if texts_in(panel, "br") else "")
        for panel in panels(html)
    ]


def test_slopes_show_each_field_once_at_its_strongest_switch():
    changes = {"changes": (0.1, 0.1)}
    effects = [
        effect((1, 2), (1, 2), ("gain", "exponential"), **changes),
        effect((1, 2), (1, 2), ("ties", "docid_ascending"), changes=(0.3, 0.1)),
        effect((1, 2), (2, 1), ("ties", "expected"), **changes),
        effect((1, 2), (1, 2), ("unjudged", "condense"), changes=(-0.2, 0.1)),
    ]
    assert captions(slope_panels(NAMES, effects, PAIR)) == [
        ("Tied scores: mean over all orders", "1 pair changes order"),
        ("Unjudged documents: remove", "same order"),
        ("Gain: 2^g − 1", "same order"),
    ]


def test_slopes_show_no_more_than_four_rules():
    fields = [("cutoff", 1), ("gain", "x"), ("ties", "y"), ("order", "z"), ("average", "pooled")]
    effects = [effect((1, 2), (1, 2), field) for field in fields]
    assert len(panels(slope_panels(NAMES, effects, PAIR))) == 4


def test_slopes_leave_out_switches_without_a_value_for_everyone():
    refusing = effect(
        (1, 2), (1, None), changes=(0.1, None), values=(1.0, None), refusals=(None, refusal())
    )
    absent = effect((1, 2), (1, None), ("ties", "expected"), changes=(0.1, None))
    whole = effect((1, 2), (1, 2), ("gain", "linear"))
    html = slope_panels(NAMES, [refusing, absent, whole], PAIR)
    assert captions(html) == [("Gain: g", "same order")]


def test_slopes_leave_out_a_system_that_the_present_policy_refuses():
    """Under no switch it has a change; the others keep their slopes."""
    first = effect((1, None), (1, None), changes=(0.1, None))
    html = slope_panels(NAMES, [first], PAIR)
    assert len(panels(html)) == 1
    assert NAMES[0] in html
    assert NAMES[1] not in html


def ends(panel: str) -> list[tuple[str, str]]:
    """Heights of both ends of each line, in per cent from the top."""
    found = re.findall(r'class="rd-slope-end [^"]*" style="top:([\d.]+)%;left:(0|100%)"', panel)
    assert [side for _, side in found] == ["0", "100%"] * (len(found) // 2)
    heights = [height for height, _ in found]
    return list(zip(heights[::2], heights[1::2], strict=True))


def test_all_slopes_have_one_scale():
    """From 0.2, the lowest value anywhere, to 1.0, the highest."""
    effects = [
        effect((1, 2), (1, 2), ("gain", "exponential"), values=(0.8, 0.2), changes=(0.2, -0.2)),
        effect((1, 2), (1, 2), ("ties", "expected"), values=(1.0, 0.4), changes=(0.4, 0.0)),
    ]
    strongest, weaker = panels(slope_panels(NAMES, effects, PAIR))
    # 0.6 to 1.0 and 0.4 to 0.4; 0.6 to 0.8 and 0.4 to 0.2.
    assert ends(strongest) == [("50.0", "0.0"), ("75.0", "75.0")]
    assert ends(weaker) == [("50.0", "25.0"), ("75.0", "100.0")]


def test_slopes_of_equal_values_have_a_height():
    shown = effect((1, 1), (1, 1), values=(0.5, 0.5), changes=(0.0, 0.0))
    (panel,) = panels(slope_panels(NAMES, [shown], PAIR))
    assert ends(panel) == [("100.0", "100.0")] * 2


def test_slopes_label_each_line_with_its_value_after_the_switch():
    shown = effect((1, 2), (2, 1), values=(0.25, 0.75), changes=(-0.25, 0.5))
    html = slope_panels(NAMES, [shown], PAIR)
    assert text_of(html).endswith("0.250 one0.750 two")
    assert names_and_roles(html) == [("one", ""), ("two", "")]


def labels(html: str) -> list[str]:
    """The classes of the labels, which say role and move, from the back to the front."""
    return [css for css in attributes_of(html, "class") if css.startswith("rd-slope-label")]


def test_slopes_are_thick_where_a_rank_changes_and_the_pair_lies_on_top():
    shown = effect((1, 2, 3, 4), (1, 2, 4, 3), changes=(0.1,) * 4)
    html = slope_panels(["A", "b", "c", "B"], [shown], Pair("A", "B"))
    assert labels(html) == [
        "rd-slope-label rd-other",
        "rd-slope-label rd-other rd-moves",
        "rd-slope-label rd-first",
        "rd-slope-label rd-second rd-moves",
    ]


def test_labels_of_slopes_do_not_collide():
    """17 pixels each, in a panel as high as it must be for that."""
    count = 20
    shown = effect(range(1, count + 1), range(1, count + 1), values=(0.5,) * count)
    html = slope_panels([f"s{at}" for at in range(count)], [shown], PAIR)
    height = int(re.findall(r'rd-slope-box" style="height:(\d+)px', html)[0])
    tops = sorted(
        float(top) for top in re.findall(r'rd-slope-label [^"]*" style="top:([\d.]+)%', html)
    )
    assert len(tops) == count
    gaps = [(high - low) * height / 100 for low, high in pairwise(tops)]
    assert min(gaps) >= 17 - 0.5
    assert 0 <= tops[0] <= tops[-1] <= 100


def test_no_switch_leaves_no_panel():
    html = slope_panels(NAMES, [], PAIR)
    assert events(html) == [
        ("open", "div"),
        ("attribute", "class", "rd-slopes"),
        ("close", "div"),
    ]
