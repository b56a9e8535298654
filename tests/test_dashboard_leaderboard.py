"""One row a system: headline, interval, difference to the baseline, counts, refusals."""

import re
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest
from dashboard_worlds import (
    K2,
    MINUS,
    TWO_QUERIES,
    Builders,
    World,
    assert_names_stay_names,
    attributes_of,
    graded,
    hints_of,
    names_and_roles,
    refusal,
    standing,
    texts_in,
    valued,
)
from nasty_names import NASTY
from parsed_html import rows_of
from scipy import stats

from core.errors import EvaluationError
from core.grades import GradedRun
from core.policy import Policy
from core.presets import FIRST_RUN
from core.scores import QueryScores, aggregate, score, score_all
from dashboard.leaderboard import Standing, leaderboard, other_measures, refusal_cell
from dashboard.pairing import Pair

NAN = float("nan")
REFUSING = replace(FIRST_RUN, unjudged="refuse", missing_query="refuse")


def of_world(of: World, policy: Policy = FIRST_RUN, **how: Any) -> str:
    return leaderboard(standing(of.runs, policy, **how))


BUILDERS: Builders = {
    "as first": of_world,
    "as baseline": lambda of: of_world(of, pair=("rival", of.name)),
    "other rules": lambda of: of_world(of, chosen=False),
    "refused": lambda of: of_world(of, replace(FIRST_RUN, unjudged="refuse")),
    "all refused": lambda of: of_world(of, REFUSING),
    "refusal in a narrow cell": lambda of: refusal_cell(refusal(of.name)),
    "other measures": lambda of: other_measures(of.aggregates, FIRST_RUN, of.pair),
}


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_a_name_comes_out_as_it_went_in(name):
    assert_names_stay_names(BUILDERS, name)


# Ends of an interval, by another way than the one under test


def ends(values: list[float]) -> tuple[float, float]:
    found = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    return float(found.low), float(found.high)


def written(low: float, high: float) -> str:
    return "[" + ", ".join(f"{end:+.3f}".replace("-", MINUS) for end in (low, high)) + "]"


def plain(value: float) -> str:
    return f"{value:.3f}".replace("-", MINUS)


def rows(runs: list[GradedRun], policy: Policy, **how: Any) -> list[list[str]]:
    return rows_of(leaderboard(standing(runs, policy, **how)))


def of_scores(*systems: QueryScores, baseline: str, first: str | None = None) -> str:
    """A leaderboard of scores that were written down, in the order they are given."""
    return leaderboard(
        Standing(
            policy=FIRST_RUN,
            aggregates=[aggregate(one) for one in systems],
            scores={one.name: one for one in systems},
            refused={},
            pair=Pair(first or systems[0].name, baseline),
            rules={},
        )
    )


def column(html: str, heading: str) -> list[str]:
    head, *rows = rows_of(html)
    (at,) = (at for at, text in enumerate(head) if text.startswith(heading))
    return [row[at] for row in rows]


def test_leaderboard():
    runs = graded(
        {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}},
        old={"q1": ["a", "x"], "q3": ["a"]},
        new={"q1": ["a"], "q2": ["a"], "q3": ["a"]},
    )
    head, *found = rows(runs, FIRST_RUN, pair=("new", "old"))
    assert head[1:3] == ["System", "NDCG@10"]
    assert head[4:] == [
        "difference to old",
        "better / tied / worse",
        "per query, 0 to 1",
        "judged@10",
        "unjudged",
        "zero-IDCG",
        "missing",
    ]
    # Query by query the difference is 0, 1 and 0.
    difference = f"+0.333 {written(*ends([0, 1, 0]))}"
    assert found == [
        ["1", "new", "0.667", "", difference, "1 / 2 / 0", "", "100 %", "0", "1", "0"],
        ["2", "old", "0.333", "", "baseline", "", "", "75 %", "1", "1", "1"],
    ]


# Intervals and differences

OLD = [0.2, 0.4, 0.6, 0.5]
CHANGES = [0.10, 0.12, 0.08, 0.10]


def test_headlines_have_the_interval_of_a_t_test_as_a_hint():
    html = of_scores(valued("new", OLD), baseline="new")
    low, high = ends(OLD)
    assert f"95 % interval {plain(low)} to {plain(high)}" in hints_of(html)


def test_one_query_has_no_interval():
    html = of_scores(valued("new", [0.5]), valued("old", [0.25]), baseline="old")
    assert not any(hint.startswith("95 % interval") for hint in hints_of(html))
    assert column(html, "difference") == ["+0.250 ", "baseline"]


def test_differences_have_the_interval_of_a_paired_t_test():
    new = [one + change for one, change in zip(OLD, CHANGES, strict=True)]
    html = of_scores(valued("new", new), valued("old", OLD), baseline="old")
    expected = stats.ttest_rel(new, OLD).confidence_interval(0.95)
    assert column(html, "difference") == [
        f"+0.100 {written(expected.low, expected.high)}",
        "baseline",
    ]
    # By hand: the changes leave their mean by 0, 0.02, -0.02 and 0.
    half = 3.1824 * sqrt(2 * 0.02**2 / 3) / sqrt(4)
    assert (expected.low, expected.high) == pytest.approx((0.1 - half, 0.1 + half), abs=1e-5)


@pytest.mark.parametrize(
    ("changes", "heavy"),
    [
        pytest.param(CHANGES, True, id="ahead on every query"),
        pytest.param([-one for one in CHANGES], True, id="behind on every query"),
        pytest.param([0.1, -0.1, 0.3, 0.0], False, id="now ahead and now behind"),
    ],
)
def test_differences_are_bold_where_their_interval_leaves_out_0(changes, heavy):
    assert (stats.ttest_1samp(changes, 0).pvalue < 0.05) == heavy
    new = valued("new", [one + change for one, change in zip(OLD, changes, strict=True)])
    html = of_scores(new, valued("old", OLD), baseline="old")
    bold = [text for text in texts_in(html, "b") if text]
    assert bold == ([plain_signed(sum(changes) / 4)] if heavy else [])


def plain_signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", MINUS)


def test_differences_are_to_the_second_of_the_pair():
    systems = [valued(name, [at / 8]) for name, at in (("a", 6), ("b", 4), ("c", 2))]
    html = of_scores(*systems, baseline="b")
    assert [text.split(" ")[0] for text in column(html, "difference")] == [
        "+0.250",
        "baseline",
        f"{MINUS}0.250",
    ]
    assert rows_of(html)[0][4] == "difference to b"


def test_differences_of_one_system_are_to_itself():
    html = leaderboard(standing(graded(TWO_QUERIES, new={"q1": ["a"]}), FIRST_RUN))
    assert column(html, "difference to new") == ["baseline"]


def test_a_refused_baseline_leaves_no_difference():
    runs = graded(TWO_QUERIES, old={"q1": ["x", "a"]}, new={"q1": ["a"], "q2": ["a"]})
    policy = replace(FIRST_RUN, unjudged="refuse")
    html = leaderboard(standing(runs, policy, pair=("new", "old")))
    assert column(html, "System") == ["new", "old"]
    assert rows_of(html)[1][4:6] == ["baseline refused", ""]


def test_differences_on_other_queries_say_on_how_many():
    systems = {
        "old": [0.25, NAN, 0.5],
        "both miss one": [0.5, 0.75, NAN],
        "it has more": [0.25, 0.5, 0.5],
        "it has less": [0.5, NAN, NAN],
        "the same": [0.25, NAN, 0.5],
    }
    html = of_scores(*(valued(name, of) for name, of in systems.items()), baseline="old")
    assert column(html, "difference") == [
        "baseline",
        "+0.250  on 1",
        f"0 {written(0, 0)} on 2",
        "+0.250  on 1",
        f"0 {written(0, 0)}",
    ]


def test_no_query_in_common_has_no_difference():
    html = of_scores(valued("new", [0.5, NAN]), valued("old", [NAN, 0.5]), baseline="old")
    assert column(html, "difference")[0].split() == ["on", "0"]
    assert column(html, "better") == ["0 / 0 / 0", ""]


def test_the_compared_systems_have_their_colours_everywhere():
    systems = [valued(name, [0.5, 0.25]) for name in ("one", "two", "three")]
    html = of_scores(*systems, baseline="three", first="two")
    roles = [("one", "other"), ("two", "first"), ("three", "second")]
    assert names_and_roles(html) == [("three", "second"), *roles]
    classes = attributes_of(html, "class")
    assert [css for css in classes if css.startswith("rd-bins")] == [
        f"rd-bins rd-{role}" for _, role in roles
    ]
    assert [css for css in classes if css.startswith("rd-axis rd-")] == [
        f"rd-axis rd-{role}" for _, role in roles
    ]


def test_queries_by_score_stand_in_20_bins():
    html = of_scores(valued("new", [0.0, 0.05, 0.07, 1.0, NAN]), baseline="new")
    hints = [hint for hint in hints_of(html) if re.match(r"\d\.\d\d to ", hint)]
    assert len(hints) == 20
    assert [hint for hint in hints if not hint.endswith(" 0 queries")] == [
        "0.00 to 0.05: 1 query",
        "0.05 to 0.10: 2 queries",
        "0.95 to 1.00: 1 query",
    ]


# Refusals and rules that are not chosen


def test_leaderboard_keeps_a_refused_system_with_the_reason():
    runs = graded(TWO_QUERIES, old={"q1": ["x", "a"]}, new={"q1": ["a"], "q2": ["a"]})
    *_, last = rows(runs, replace(FIRST_RUN, unjudged="refuse"))
    assert last == ["", "old", "refuses: 1 unjudged"]


def test_leaderboard_of_refused_systems_only_is_their_reasons():
    runs = graded(TWO_QUERIES, old={"q1": ["x", "a"]}, new={"q1": ["x"]})
    refuse = replace(FIRST_RUN, unjudged="refuse")
    html = leaderboard(standing(runs, refuse))
    assert rows_of(html) == [
        ["System", "refused"],
        ["old", "refuses: 1 unjudged"],
        ["new", "refuses: 1 unjudged"],
    ]
    assert {str(error) for error in score_all(runs, refuse)} <= set(hints_of(html))


def test_leaderboard_shows_the_headline_with_unjudged_documents_removed_until_a_rule_is_chosen():
    runs = graded({"q1": {"a": 1}}, some={"q1": ["x", "a"]}, all={"q1": ["a"]})
    head, *found = rows(runs, FIRST_RUN, chosen=False)
    assert head[1:4] == ["System", "NDCG@10", "if unjudged: remove"]
    assert sum(text.startswith("if ") for text in head) == 1
    # 1 / log2(3), and 1 once the unjudged document above it is gone.
    assert [row[1:4] for row in found] == [["all", "1.000", "1.000"], ["some", "0.631", "1.000"]]


def test_a_rule_that_refuses_a_system_says_so_in_its_cell():
    one = valued("new", [0.5])
    error = EvaluationError("whole message")
    html = leaderboard(
        Standing(
            policy=FIRST_RUN,
            aggregates=[aggregate(one)],
            scores={"new": one},
            refused={},
            pair=Pair("new", None),
            rules={"condense": {"new": error}},
        )
    )
    assert column(html, "if unjudged: remove") == ["refuses"]
    assert "whole message" in hints_of(html)


def test_leaderboard_shows_no_other_rule_where_each_document_is_judged():
    runs = graded({"q1": {"a": 1}}, new={"q1": ["a"]})
    assert rows(runs, FIRST_RUN, chosen=False) == rows(runs, FIRST_RUN)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(refusal("2 tied"), "refuses 2 tied", id="a policy's refusal"),
        pytest.param(EvaluationError("?"), "refuses cannot be computed", id="another error"),
    ],
)
def test_a_refusal_in_a_narrow_cell_has_its_message_as_a_hint(error, text):
    html = f"<table><tr>{refusal_cell(error)}</tr></table>"
    assert rows_of(html) == [[text]]
    assert hints_of(html) == [str(error)]


# Values, places, axis


def test_leaderboard_without_a_value():
    runs = graded({"q1": {"a": 0}}, new={"q1": ["a"]}, old={"q1": ["a"]})
    html = leaderboard(standing(runs, replace(FIRST_RUN, zero_idcg="leave_out")))
    assert [row[:3] for row in rows_of(html)[1:]] == [
        ["", "new", "no value"],
        ["", "old", "no value"],
    ]


def test_leaderboard_gives_level_systems_one_rank():
    """As the ranks of `core.sensitivity` do, and the verdict that calls them level."""
    runs = graded(TWO_QUERIES, one={"q1": ["a"]}, two={"q2": ["a"]}, bad={"q1": []})
    _, *found = rows(runs, FIRST_RUN)
    assert [row[0] for row in found] == ["1", "1", "3"]


def test_leaderboard_of_whole_rankings_names_no_cutoff():
    runs = graded(TWO_QUERIES, new={"q1": ["a"]})
    html = leaderboard(standing(runs, replace(FIRST_RUN, cutoff="all")))
    assert rows_of(html)[0][2] == "NDCG"
    assert "judged" in rows_of(html)[0]
    assert "top all" not in html


def test_the_axis_of_scores_goes_no_further_than_scores_can():
    """An interval may; the axis cuts it off."""
    runs = graded(TWO_QUERIES, bad={"q1": ["x"]}, new={"q1": ["a"]})
    axis = rows(runs, FIRST_RUN)[0][3]
    assert axis.startswith("0.00")
    assert axis.endswith("1.00")


def test_the_axis_holds_every_value_and_every_interval():
    random = np.random.default_rng(3)
    for centre in (0.3, 0.5, 0.7):
        values = (centre + random.normal(0, 0.05, 30)).tolist()
        axis = rows_of(of_scores(valued("new", values), baseline="new"))[0][3]
        ticks = [float(axis[at : at + 4]) for at in range(0, len(axis), 4)]
        low, high = ends(values)
        assert ticks[0] <= low < high <= ticks[-1]
        assert ticks[-1] - ticks[0] < 0.2


def test_counts_of_unjudged_documents_are_written_in_full():
    scores = valued("new", [0.5])
    many = replace(aggregate(scores), unjudged_in_top=1234567.0)
    of = Standing(FIRST_RUN, [many], {"new": scores}, {}, Pair("new", None), {})
    assert column(leaderboard(of), "unjudged") == ["1,234,567"]


# Other measures


def test_other_measures_stand_under_their_own_names():
    runs = graded({"q1": {"a": 3, "b": 1}}, new={"q1": ["x", "a"]})
    best = [aggregate(score(runs[0], K2))]
    head, row = rows_of(other_measures(best, K2, Pair("new", None)))
    assert head == [
        "System",
        "macro mean",
        "pooled ratio",
        "precision@2",
        "recall@2",
        "reciprocal rank",
        "average precision",
        "in the mean",
        "left out",
        "empty",
    ]
    # DCG 3/log2(3) = 1.893, IDCG 3 + 1/log2(3) = 3.631.
    assert row == ["new", "0.521", "0.521", "0.500", "0.500", "0.500", "0.250", "1", "0", "0"]


def test_other_measures_keep_the_colours_of_the_pair():
    systems = [aggregate(valued(name, [0.5])) for name in ("one", "two", "three")]
    html = other_measures(systems, FIRST_RUN, Pair("three", "one"))
    assert names_and_roles(html) == [("one", "second"), ("two", "other"), ("three", "first")]
