"""Query scores as frames: of every system, and of the compared pair, for its list and charts."""

import re
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dashboard_worlds import graded, valued, world
from hypothesis import given
from hypothesis import strategies as st
from nasty_names import NASTY

from core.formats.texts import Text
from core.per_query import PairTable, ScoreTable
from core.policy import Policy
from core.presets import FIRST_RUN
from core.scores import QueryScores, score
from dashboard import query_tables
from dashboard.query_tables import CHARTED, limits, pair_marks, score_bars, with_open_in_ink

NAN = float("nan")


def everything(table: ScoreTable | PairTable) -> np.ndarray:
    systems = table.systems if isinstance(table, ScoreTable) else (table.first,)
    return np.arange(len(systems[0].ndcg))


def every_system(
    *systems: QueryScores, queries: list[int] | None = None, texts: list[str] | None = None
) -> pd.DataFrame:
    table = ScoreTable(systems)
    at = everything(table) if queries is None else np.array(queries)
    shown = texts or [""] * len(table.query_ids)
    frame: pd.DataFrame = vars(query_tables.every_system(table, at, shown))["data"]
    return frame


def pair_list(
    first: QueryScores, second: QueryScores | None = None, texts: list[str] | None = None
) -> pd.DataFrame:
    table = PairTable(first, second)
    query_ids = first.judgments.query_ids
    shown = texts or [""] * len(query_ids)
    return query_tables.pair_list(table, everything(table), query_ids, shown)


# Names


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_frames_hold_names_as_they_are_and_never_as_columns(name):
    of = world(name)
    texts = query_tables.labels(of.mine.judgments.query_ids, of.texts)
    wide = every_system(of.mine, of.rival, texts=texts)
    pair = pair_list(of.mine, of.rival, texts=texts)
    assert list(wide.columns) == ["query", "text", "system_0", "system_1"]
    for frame in (wide, pair, pair_marks(pair, name), score_bars(pair, name)):
        assert name not in frame.columns
        row = frame[frame["query"] == name]
        assert row["text"].tolist() == [name]


def test_frames_hold_the_beginning_of_long_texts():
    """A list of some thousand queries goes to the browser as a whole."""
    one = valued("one", [0.5])
    texts = ["word " * 4000]
    for frame in (every_system(one, texts=texts), pair_list(one, texts=texts)):
        assert frame["text"].tolist() == ["word " * 48 + "…"]


def test_labels_are_the_texts_there_are():
    texts = {"q2": Text("text", "title"), "q3": Text("text of q3")}
    assert query_tables.labels(["q1", "q2", "q3"], texts) == ["", "title", "text of q3"]


# Every query of every system

JUDGED = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}, "q4": {"a": 1}}


def scored(policy: Policy = FIRST_RUN) -> QueryScores:
    """Three unjudged above a relevant one; nothing to gain; missing; empty."""
    (one,) = graded(JUDGED, run={"q1": ["x", "y", "z", "a"], "q2": ["a"], "q4": []})
    return score(one, policy)


@pytest.mark.parametrize(
    ("policy", "cells"),
    [
        pytest.param(
            FIRST_RUN,  # the document stands on rank 4: 1 / log2(5)
            ["0.431 ?3", "0.000 IDCG 0", "0.000 no results", "0.000 no results"],
            id="counted",
        ),
        pytest.param(
            replace(FIRST_RUN, zero_idcg="leave_out", missing_query="leave_out"),
            ["0.431 ?3", "left out IDCG 0", "left out no results", "0.000 no results"],
            id="left out",
        ),
    ],
)
def test_scores_have_marks_for_what_is_special_about_them(policy, cells):
    assert every_system(scored(policy))["system_0"].tolist() == cells


def test_rows_follow_the_order_that_is_asked_for():
    frame = every_system(
        valued("one", [0.5, 0.25, 1.0]),
        valued("two", [0.0, 0.75, 0.125]),
        queries=[2, 0],
        texts=["first", "second", "third"],
    )
    assert frame.to_dict("list") == {
        "query": ["q2", "q0"],
        "text": ["third", "first"],
        "system_0": ["1.000", "0.500"],
        "system_1": ["0.125", "0.000"],
    }


def test_scores_are_shaded_darker_the_higher_they_are():
    """From clear to two fifths; what is left out, or beyond the range, stays inside that."""
    table = ScoreTable((valued("one", [0.0, 0.5, 1.0, NAN, -1.0, 2.0]),))
    html = query_tables.every_system(table, everything(table), [""] * 6).to_html()
    shades = {
        int(row): float(alpha)
        for rule, alpha in re.findall(r"([^{}]*) \{\s*background-color: rgba\([^)]*, (.*)\)", html)
        for row in re.findall(r"row(\d+)_col2", rule)
    }
    assert shades == {0: 0.0, 1: 0.2, 2: 0.4, 3: 0.0, 4: 0.0, 5: 0.4}
    assert not re.search(r"row\d+_col[01][^{}]*\{", html), "ids and texts have no shade"


# The compared pair


def test_list_of_a_pair():
    first, second = valued("one", [0.5, 0.25, NAN]), valued("two", [0.25, NAN, 1.0])
    frame = pair_list(first, second, texts=["first", "", ""])
    columns = ["query", "text", "first", "second", "difference", "unjudged", "state"]
    assert list(frame.columns) == columns
    assert frame["query"].tolist() == ["q0", "q1", "q2"]
    assert frame["text"].tolist() == ["first", "", ""]
    np.testing.assert_array_equal(frame["first"], [0.5, 0.25, NAN])
    np.testing.assert_array_equal(frame["second"], [0.25, NAN, 1.0])
    np.testing.assert_array_equal(frame["difference"], [0.25, NAN, NAN])


def test_list_of_one_system_has_nothing_to_compare():
    frame = pair_list(valued("one", [0.5]))
    assert list(frame.columns) == ["query", "text", "first", "unjudged", "state"]


def test_list_of_a_pair_adds_up_what_is_unjudged():
    one, two = graded(
        {"q1": {"a": 1}, "q2": {"a": 1}},
        one={"q1": ["x", "a"], "q2": ["a"]},
        two={"q1": ["x", "y"], "q2": ["a"]},
    )
    assert pair_list(score(one, FIRST_RUN))["unjudged"].tolist() == [1, 0]
    pair = pair_list(score(one, FIRST_RUN), score(two, FIRST_RUN))
    assert pair["unjudged"].tolist() == [3, 0]


@pytest.mark.parametrize(
    ("rules", "alone", "paired"),
    [
        pytest.param(
            {},
            ["", "IDCG 0", "missing, counts 0", "empty, counts 0"],
            ["", "IDCG 0", "A missing, counts 0", "A empty, counts 0; B missing, counts 0"],
            id="counted",
        ),
        pytest.param(
            {"zero_idcg": "leave_out", "missing_query": "leave_out", "empty_query": "leave_out"},
            ["", "left out: IDCG 0", "left out: missing", "left out: empty"],
            [
                "",
                "A left out: IDCG 0; B left out: IDCG 0",
                "A left out: missing",
                "A left out: empty; B left out: missing",
            ],
            id="left out",
        ),
    ],
)
def test_states_of_queries_are_told_in_words(rules, alone, paired):
    policy = replace(FIRST_RUN, **rules)
    (other,) = graded(JUDGED, other={"q1": ["a"], "q2": ["a"], "q3": ["a"]})
    first = scored(policy)
    assert pair_list(first)["state"].tolist() == alone
    second = score(replace(other, judgments=first.judgments), policy)
    assert pair_list(first, second)["state"].tolist() == paired


# Marks of charts


def test_bars_of_one_system_keep_the_order_of_the_list():
    listed = pair_list(valued("one", [0.5, NAN, 0.0, 1.0]), texts=["a", "b", "c", "d"])
    bars = score_bars(listed, "q2")
    assert bars.to_dict("list") == {
        "query": ["q0", "q2", "q3"],
        "text": ["a", "c", "d"],
        "ndcg": [0.5, 0.0, 1.0],
        "height": [0.5, 0.012, 1.0],  # a score of 0 keeps a bar that can be clicked
        "position": [0, 1, 2],
        "role": ["first", "ink", "first"],
    }


def marks_of(first: list[float], second: list[float], open_query: str = "") -> dict[Hashable, Any]:
    listed = pair_list(valued("one", first), valued("two", second))
    return pair_marks(listed, open_query).to_dict("list")


def test_marks_of_a_pair_have_the_largest_difference_first():
    """What one of the two has no score for is left out; rounding is no win."""
    marks = marks_of(
        [0.5, 0.25, NAN, 0.5, 0.5 + 1e-15, 0.505],
        [0.25, 0.75, 1.0, NAN, 0.5, 0.5],
        open_query="q1",
    )
    assert marks["query"] == ["q0", "q5", "q4", "q1"]
    assert marks["role"] == ["first", "first", "other", "second"]
    assert marks["position"] == [0, 1, 2, 3]
    assert marks["open"] == [False, False, False, True]
    assert marks["low"] == [0.0] * 4
    # A bar of hardly any height could not be clicked.
    assert marks["high"] == [0.25, 0.015, 0.015, -0.5]
    assert marks["difference"] == pytest.approx([0.25, 0.005, 0, -0.5])
    assert marks["first"] == pytest.approx([0.5, 0.505, 0.5, 0.25])
    assert marks["second"] == [0.25, 0.5, 0.5, 0.75]


def test_a_small_loss_is_drawn_downwards():
    assert marks_of([0.5], [0.505])["high"] == [-0.015]


def test_the_open_query_is_drawn_in_ink_where_that_is_wanted():
    marks = pair_marks(pair_list(valued("one", [0.5, 0.0]), valued("two", [0.0, 0.5])), "q1")
    assert with_open_in_ink(marks)["role"].tolist() == ["first", "ink"]
    assert marks["role"].tolist() == ["first", "second"], "the frame of the caller stays as it is"


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0.25, 0.5], (0.0, 1.0)),
        ([-0.5, 0.5], (-0.5, 1.0)),
        ([0.5, 1.25], (0.0, 1.25)),
        ([-2.0, 3.0], (-2.0, 3.0)),
    ],
)
def test_an_axis_moves_out_where_a_value_lies_beyond(values, ends):
    frame = pd.DataFrame({"first": values, "second": [0.5] * len(values)})
    assert limits(frame, 0, 1) == ends


def many(rows: int) -> pd.DataFrame:
    """So many queries, with falling differences; `first` tells them apart."""
    return pd.DataFrame(
        {
            "query": [f"q{at}" for at in range(rows)],
            "text": "",
            "first": np.linspace(1, 0, rows),
            "second": 0.0,
            "difference": np.linspace(1, 0, rows),
        }
    )


@given(rows=st.integers(CHARTED + 1, 4 * CHARTED), at=st.integers(0, 4 * CHARTED), data=st.data())
def test_a_chart_of_many_queries_draws_a_sample_with_both_ends_and_the_open_query(rows, at, data):
    listed = many(rows)
    near_ends = st.sampled_from([0, 1, 2, rows - 3, rows - 2, rows - 1])
    open_at = data.draw(near_ends | st.just(at % rows))
    for drawn in (pair_marks(listed, f"q{open_at}"), score_bars(listed, f"q{open_at}")):
        places = [int(query[1:]) for query in drawn["query"]]
        assert len(places) == len(set(places)) == CHARTED
        assert places == sorted(places)
        assert {0, open_at, rows - 1} <= set(places)
        # Even: no gap is wider than two steps of the sample.
        assert max(np.diff(places)) <= 2 * (rows - 1) / (CHARTED - 1) + 1
        assert drawn["position"].tolist() == list(range(CHARTED))


@pytest.mark.parametrize("rows", [1, CHARTED - 1, CHARTED])
def test_few_queries_are_all_drawn(rows):
    assert len(pair_marks(many(rows), "elsewhere")) == rows


def test_a_query_that_is_not_listed_is_open_nowhere():
    assert not pair_marks(many(2 * CHARTED), "elsewhere")["open"].any()
    assert set(score_bars(many(2 * CHARTED), "elsewhere")["role"]) == {"first"}
