"""What one switch of the policy does to three small runs, worked out by hand."""

from collections.abc import Sequence
from dataclasses import fields, replace
from math import log2

import pytest
import strategies
from hypothesis import given

from core.comparison import Comparison
from core.errors import EvaluationError, PolicyRefusal
from core.grades import GradedRun, join
from core.intervals import Interval
from core.judgments import Judgments
from core.policy import OPTIONS, Policy
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import score_all
from core.sensitivity import (
    PAIR_EFFECTS,
    Switch,
    SwitchEffect,
    pairwise_comparisons,
    ranks,
    switch_effects,
    switches,
)

K1 = replace(FIRST_RUN, cutoff=1)
JUDGED = {"q": {"a": 2, "b": 1}}
# NDCG@1 is 2/2, 1/2 and 0; only the last run has an unjudged document, on rank 1.
RANKINGS = (["a"], ["b", "a"], ["x", "a", "b"])
IDEAL = 2 + 1 / log2(3)
UNCUT = (2 / IDEAL, (1 + 2 / log2(3)) / IDEAL, (2 / log2(3) + 1 / log2(4)) / IDEAL)

Ranks = tuple[int | None, ...]
NAMES = [field.name for field in fields(Policy)]


def graded(*rankings: list[str]) -> list[GradedRun]:
    judgments = Judgments.from_dict(JUDGED)
    runs = (Run.from_dict(f"run {at}", {"q": listed}) for at, listed in enumerate(rankings))
    return [join(run, judgments) for run in runs]


def effect(field: str, option: object, policy: Policy = K1) -> SwitchEffect:
    """The effect on the three runs, picked from those of every switch."""
    found = switch_effects(graded(*RANKINGS), policy)
    (one,) = (e for e in found if (e.switch.field, e.switch.option) == (field, option))
    return one


def made(
    before: Ranks = (1,), after: Ranks = (1,), changes: Sequence[float | None] = ()
) -> SwitchEffect:
    switch = Switch("discount", "original", replace(K1, discount="original"))
    refusals = (None,) * len(after)
    values = (None,) * len(after)
    return SwitchEffect(switch, values, tuple(changes), after, before, refusals, {}, {})


# Which switches there are


@given(strategies.policies())
def test_switches_are_every_other_cutoff_and_option_each_in_one_field(policy: Policy) -> None:
    named = [("cutoff", k) for k in (1, 5, 10, 20, 100, "all")]
    named += [(field, option) for field, options in OPTIONS.items() for option in options]
    expected = [(field, value) for field, value in named if value != getattr(policy, field)]
    found = switches(policy)
    assert [(switch.field, switch.option) for switch in found] == expected
    for switch in found:
        values = {name: getattr(policy, name) for name in NAMES} | {switch.field: switch.option}
        assert {name: getattr(switch.policy, name) for name in NAMES} == values


def test_only_the_switches_given_are_tried() -> None:
    tried = [switch for switch in switches(K1) if switch.field == "unjudged"]
    found = switch_effects(graded(*RANKINGS), K1, tried=tried)
    assert [one.switch for one in found] == tried
    assert len(switch_effects(graded(*RANKINGS), K1)) == len(switches(K1))


# What a switch does


@pytest.mark.parametrize(
    ("field", "option", "values", "after", "moves"),
    [
        pytest.param("gain", "exponential", (3 / 3, 1 / 3, 0), (1, 2, 3), False, id="same-order"),
        pytest.param("cutoff", "all", UNCUT, (2, 1, 3), True, id="first-two-change-places"),
        pytest.param("unjudged", "condense", (1, 1 / 2, 1), (1, 3, 1), True, id="last-joins-first"),
        pytest.param("ideal_scope", "this_run", (1, 1 / 2, 0), (1, 2, 3), False, id="same-values"),
        pytest.param("discount", "original", (1, 1 / 2, 0), (1, 2, 3), False, id="rank-1-alone"),
    ],
)
def test_switch_gives(
    field: str, option: object, values: tuple[float, float, float], after: Ranks, moves: bool
) -> None:
    one = effect(field, option)
    before = (2 / 2, 1 / 2, 0)
    changes = [value - old for value, old in zip(values, before, strict=True)]
    assert one.values == pytest.approx(values)
    assert one.changes == pytest.approx(tuple(changes))
    assert (one.ranks_before, one.ranks) == ((1, 2, 3), after)
    assert (one.changes_order, one.changes_nothing) == (moves, not any(changes))
    assert one.largest_change == pytest.approx(max(abs(change) for change in changes))
    assert one.refusals == (None, None, None)


def test_any_run_takes_the_ideal_of_all_runs_together() -> None:
    """The second run returns the better document, so the first still has 1/2 instead of 1/1."""
    tried = [switch for switch in switches(K1) if switch.field == "ideal_scope"]
    any_run, this_run = switch_effects(graded(["b"], ["a"]), K1, tried=tried)
    assert any_run.values == (1 / 2, 1)
    assert this_run.values == (1, 1)


# Refusals


def test_refused_system_has_no_value_and_no_rank() -> None:
    one = effect("unjudged", "refuse")
    assert one.values == (1, 1 / 2, None)
    assert one.changes == (0, 0, None)
    assert (one.ranks_before, one.ranks) == ((1, 2, None), (1, 2, None))
    assert one.refusals[:2] == (None, None)
    assert isinstance(one.refusals[2], PolicyRefusal)
    assert one.refusals[2].summary == "1 unjudged"
    assert (one.changes_nothing, one.changes_order, one.largest_change) == (False, False, 0)


def test_system_that_is_no_longer_refused_moves_nobody() -> None:
    """It comes in level with the first, but had no place before."""
    one = effect("unjudged", "condense", replace(K1, unjudged="refuse"))
    assert one.values == (1, 1 / 2, 1)
    assert one.changes == (0, 0, None)
    assert (one.ranks_before, one.ranks) == ((1, 2, None), (1, 2, None))
    assert (one.changes_nothing, one.changes_order) == (False, False)


def test_others_move_up_where_the_best_is_refused() -> None:
    """NDCG is 1, 1/2 and 0; refusing unjudged documents anywhere takes the first out."""
    tried = [switch for switch in switches(K1) if switch.option == "refuse_any"]
    (one,) = switch_effects(graded(["a", "x"], ["b"], []), K1, tried=tried)
    assert one.values == (None, 1 / 2, 0)
    assert (one.ranks_before, one.ranks) == ((None, 1, 2), (None, 1, 2))
    assert not one.changes_order


# Ranks and places


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([0.2, 0.9, 0.5], (3, 1, 2), id="largest-first"),
        pytest.param([0.5, 0.5, 0.1], (1, 1, 3), id="equal-share-the-better"),
        pytest.param([0.1 + 0.2, 0.3], (1, 1), id="equal-but-for-rounding"),
        pytest.param([None, 0.0, None], (None, 1, None), id="without-value"),
        pytest.param([], (), id="nobody"),
    ],
)
def test_ranks(values: list[float | None], expected: Ranks) -> None:
    assert ranks(values) == expected


@pytest.mark.parametrize(
    ("before", "after", "moves"),
    [
        pytest.param((1, 2), (2, 1), True, id="change-places"),
        pytest.param((1, 2), (1, 1), False, id="become-equal"),
        pytest.param((1, 1), (1, 2), False, id="come-apart"),
        pytest.param((1, 2, 3), (1, 3, 2), True, id="below-the-first"),
        pytest.param((1, None), (None, 1), False, id="never-both"),
        pytest.param((None, 1, 2), (1, 2, 3), False, id="only-a-newcomer"),
        pytest.param((1, None, 2), (2, None, 1), True, id="around-one-without-value"),
    ],
)
def test_order_changes_where_two_change_places(before: Ranks, after: Ranks, moves: bool) -> None:
    assert made(before, after).changes_order is moves


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        pytest.param((1, 2, 3), (1, 2, 3), 0, id="as-before"),
        pytest.param((1, 2, 3), (1, 3, 2), 1, id="neighbours"),
        pytest.param((1, 2, 3), (2, 3, 1), 2, id="last-becomes-first"),
        pytest.param((1, 2, 3), (3, 2, 1), 3, id="upside-down"),
        pytest.param((1, 1, 3), (2, 3, 1), 2, id="level-ones-have-no-places-to-change"),
        pytest.param((1, 2, 3), (2, 2, 1), 2, id="nor-have-those-that-become-level"),
        pytest.param((1, None, 2), (2, None, 1), 1, id="around-one-without-value"),
        pytest.param((), (), 0, id="nobody"),
    ],
)
def test_swapped_counts_pairs(before: Ranks, after: Ranks, pairs: int) -> None:
    assert made(before, after).swapped == pairs


@pytest.mark.parametrize(
    ("changes", "expected"),
    [((0.0, 1e-15), True), ((0.0, 1e-9), False), ((-1e-9, 0.0), False), ((0.0, None), False)],
)
def test_changes_nothing_where_every_value_stays(
    changes: tuple[float | None, ...], expected: bool
) -> None:
    assert made(changes=changes).changes_nothing is expected


# What it does to a pair

# Against a difference of 0.2: what leaves out 0, and what does not.
CLEAR = (0.2, Interval(0.1, 0.3))
OPEN = (0.2, Interval(-0.1, 0.5))
BEHIND = (-0.2, Interval(-0.3, -0.1))
OPEN_BEHIND = (-0.2, Interval(-0.5, 0.1))
LEVEL = (0.0, Interval(0.0, 0.0))
ALMOST_LEVEL = (-1e-15, Interval(-1e-15, -1e-15))
ONE_QUERY = (0.2, None)
ONE_QUERY_BEHIND = (-0.2, None)

Standing = tuple[float, Interval | None]


def between(standing: Standing) -> Comparison:
    difference, interval = standing
    counts = dict.fromkeys(("queries", "wins", "ties", "losses", "only_system", "only_baseline"), 0)
    return Comparison("dense", "bm25", difference, interval, **counts)


def on_pair(before: Standing | None, after: Standing | None) -> str | None:
    """The effect on the second and the third system, beside a first pair that is not asked for."""
    effect = replace(
        made(),
        before={(0, 1): between(CLEAR)} | ({(1, 2): between(before)} if before else {}),
        after={(0, 1): between(BEHIND)} | ({(1, 2): between(after)} if after else {}),
    )
    return effect.on_pair((1, 2))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(CLEAR, BEHIND, "order_flips", id="clear-to-clear"),
        pytest.param(OPEN, OPEN_BEHIND, "order_flips", id="open-to-open"),
        pytest.param(CLEAR, OPEN_BEHIND, "order_flips", id="stronger-than-not-separable"),
        pytest.param(OPEN_BEHIND, CLEAR, "order_flips", id="stronger-than-separates"),
        pytest.param(ONE_QUERY, ONE_QUERY_BEHIND, "order_flips", id="one-query-each"),
        pytest.param(CLEAR, OPEN, "not_separable", id="becomes-open"),
        pytest.param(CLEAR, LEVEL, "not_separable", id="becomes-level"),
        pytest.param(CLEAR, ALMOST_LEVEL, "not_separable", id="becomes-level-but-for-rounding"),
        pytest.param(BEHIND, ONE_QUERY_BEHIND, "not_separable", id="loses-its-interval"),
        pytest.param(OPEN, CLEAR, "separates", id="becomes-clear"),
        pytest.param(LEVEL, BEHIND, "separates", id="comes-apart"),
        pytest.param(ALMOST_LEVEL, CLEAR, "separates", id="comes-apart-but-for-rounding"),
        pytest.param(CLEAR, CLEAR, "unchanged", id="stays-clear"),
        pytest.param(OPEN, OPEN, "unchanged", id="stays-open"),
        pytest.param(LEVEL, OPEN, "unchanged", id="level-to-open"),
        pytest.param(OPEN, ALMOST_LEVEL, "unchanged", id="open-to-level"),
        pytest.param(None, CLEAR, None, id="not-scored-before"),
        pytest.param(CLEAR, None, None, id="not-scored-after"),
        pytest.param(None, None, None, id="never-scored"),
    ],
)
def test_on_pair(before: Standing | None, after: Standing | None, expected: str | None) -> None:
    assert on_pair(before, after) == expected
    assert expected is None or expected in PAIR_EFFECTS


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (CLEAR, BEHIND, "order_flips"),
        (CLEAR, OPEN, "not_separable"),
        (LEVEL, BEHIND, "separates"),
        (OPEN, LEVEL, "unchanged"),
    ],
)
def test_effect_on_a_pair_does_not_ask_which_comes_first(
    before: Standing, after: Standing, expected: str
) -> None:
    def mirrored(standing: Standing) -> Standing:
        difference, interval = standing
        return -difference, interval and Interval(-interval.high, -interval.low)

    assert on_pair(mirrored(before), mirrored(after)) == expected


# Every pair

TWO = {"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}


def of_two(*runs: dict[str, list[str]]) -> list[GradedRun]:
    judgments = Judgments.from_dict(TWO)
    return [join(Run.from_dict(f"run {at}", run), judgments) for at, run in enumerate(runs)]


def test_pairs_are_compared_by_position_first_less_second() -> None:
    best, half, nothing = ({"q1": listed, "q2": listed} for listed in (["a"], ["b"], []))
    found = pairwise_comparisons(score_all(of_two(best, half, nothing), K1))
    assert {pair: one.difference for pair, one in found.items()} == {
        (0, 1): 1 - 1 / 2,
        (0, 2): 1 - 0,
        (1, 2): 1 / 2 - 0,
    }
    assert [(one.system, one.baseline) for one in found.values()] == [
        ("run 0", "run 1"),
        ("run 0", "run 2"),
        ("run 1", "run 2"),
    ]


def test_refused_systems_are_in_no_pair() -> None:
    """The second has an unjudged document; the others keep their positions."""
    outcomes = score_all(
        of_two({"q1": ["a"]}, {"q1": ["x"]}, {"q1": ["b"]}), replace(K1, unjudged="refuse")
    )
    assert isinstance(outcomes[1], EvaluationError)
    found = pairwise_comparisons(outcomes)
    assert {pair: one.difference for pair, one in found.items()} == {(0, 2): (1 / 2 + 0) / 2}


def test_systems_without_a_query_in_common_are_no_pair() -> None:
    runs = of_two({"q1": ["a"]}, {"q2": ["a"]}, {"q1": ["b"], "q2": ["b"]})
    found = pairwise_comparisons(score_all(runs, replace(K1, missing_query="leave_out")))
    assert {pair: one.difference for pair, one in found.items()} == {(0, 2): 1 / 2, (1, 2): 1 / 2}


@pytest.mark.parametrize("runs", [0, 1])
def test_fewer_than_two_systems_are_no_pair(runs: int) -> None:
    assert pairwise_comparisons(score_all(of_two(*[{"q1": ["a"]}] * runs), K1)) == {}


def test_switch_says_what_it_does_to_each_pair() -> None:
    """At k = 1 the first is ahead on both queries by 1/2; condensed, the third joins it."""
    lists = (["a"], ["b"], ["x", "a"])
    runs = of_two(*({"q1": listed, "q2": listed} for listed in lists))
    tried = [switch for switch in switches(K1) if switch.field == "unjudged"]
    condense, refuse, _ = switch_effects(runs, K1, tried=tried)
    assert [condense.switch.option, refuse.switch.option] == ["condense", "refuse"]
    assert {pair: one.difference for pair, one in condense.before.items()} == {
        (0, 1): 1 / 2,
        (0, 2): 1,
        (1, 2): 1 / 2,
    }
    assert {pair: one.difference for pair, one in condense.after.items()} == {
        (0, 1): 1 / 2,
        (0, 2): 0,
        (1, 2): -1 / 2,
    }
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert [condense.on_pair(pair) for pair in pairs] == [
        "unchanged",
        "not_separable",
        "order_flips",
    ]
    assert [refuse.on_pair(pair) for pair in pairs] == ["unchanged", None, None]
