"""The page of queries: two tables, two charts, the open query, and which click opens what."""

from dataclasses import replace
from typing import Any

import app_driver
import numpy as np
import pytest
from app_driver import (
    ORDER,
    address,
    app,
    button,
    charts,
    checked,
    choose,
    click_mark,
    click_row,
    frame,
    go_to,
    listed,
    marked,
    open_query,
    page_text,
    pick,
    press,
    sample_runs,
    sample_scores,
    table,
    with_own_files,
)

from core.presets import FIRST_RUN
from core.scores import aggregate

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)

TABLES = ("every_system", "pair_list")
ZERO = replace(FIRST_RUN, unjudged="zero")


def without_ideal() -> set[str]:
    scores = sample_scores(ZERO)["dense"]
    pairs = zip(scores.judgments.query_ids, scores.zero_idcg, strict=True)
    return {query for query, zero in pairs if zero}


# Orders, filters, finding


def test_the_table_of_all_systems_can_be_sorted():
    at = app("queries", unjudged="zero")
    scores = sample_scores(ZERO)
    ids = next(iter(scores.values())).judgments.query_ids
    values = np.array([one.ndcg for one in scores.values()])
    keys = {
        "spread": values.min(axis=0) - values.max(axis=0),
        "worst": values.max(axis=0),
        "0": values[0],
        "9": values[9],
    }
    words = {
        "worst": "worst for everyone",
        "spread": "widest spread",
        "0": "worst of bm25",
        "9": "worst of rerank",
    }
    last = without_ideal()
    for option, key in keys.items():
        pick(at, "sort", option)
        shown = listed(at, "every_system")
        assert set(shown[-len(last) :]) == last, "queries without an ideal tell nothing"
        of = dict(zip(ids, key, strict=True))
        ordered = [of[query] for query in shown[: -len(last)]]
        assert ordered == sorted(ordered)
        assert f"50 of 50 queries, {words[option]} first" in page_text(at)
        assert address(at)["sort"] == option


def test_the_list_of_the_pair_has_two_orders():
    at = app("queries", unjudged="zero")
    assert "largest difference first" in page_text(at)
    assert frame(at, "pair_list")["difference"].abs().is_monotonic_decreasing
    pick(at, ORDER, "worst")
    assert "lowest score first" in page_text(at)
    shown = frame(at, "pair_list").set_index("query").drop(list(without_ideal()))
    assert shown[["first", "second"]].min(axis=1).is_monotonic_increasing


@pytest.mark.parametrize(
    "option",
    ["first_better", "second_better", "tied", "both_bad", "zero_idcg", "missing", "unjudged"],
)
def test_each_filter_keeps_its_queries(option):
    at = app("queries", unjudged="zero", system="bm25", baseline="dense")
    every = frame(at, "pair_list").set_index("query")
    scores = sample_scores(ZERO)
    absent = {
        query
        for one in (scores["bm25"], scores["dense"])
        for query, away in zip(
            one.judgments.query_ids, one.graded.missing | one.graded.empty, strict=True
        )
        if away
    }
    zero = every.index.isin(list(without_ideal()))
    keeps: dict[str, Any] = {
        "first_better": every["difference"] > 1e-9,
        "second_better": every["difference"] < -1e-9,
        "tied": every["difference"].abs() < 1e-9,
        "both_bad": (every[["first", "second"]].max(axis=1) < 0.25) & ~zero,
        "zero_idcg": zero,
        "missing": every.index.isin(list(absent)),
        "unjudged": every["unjudged"] > 0,
    }
    wanted = set(every.index[keeps[option]])
    pick(at, "show", option)
    assert address(at)["show"] == option
    assert set(listed(at, "pair_list")) == wanted != set()
    assert f"{len(wanted)} of 50 queries listed" in page_text(at)
    assert len(listed(at, "every_system")) == 50, "the table of all systems has no filter"


def test_finding_narrows_both_tables_by_id_or_text():
    at = app("queries")
    pick(at, "find", "q1")
    for key in TABLES:
        assert set(listed(at, key)) == {f"q{number}" for number in range(10, 20)}
    assert "10 of 50 queries, worst for everyone first" in page_text(at)
    assert "10 of 50 queries listed" in page_text(at)
    pick(at, "find", " SHIFT ")
    for key in TABLES:
        assert listed(at, key)
        assert all("shift" in text.lower() for text in frame(at, key)["text"])


def test_a_text_that_nothing_has_says_so_and_leaves_the_query_open():
    at = app("queries", query="q10")
    pick(at, "find", "<b>nothing</b>")
    assert "No query matches “<b>nothing</b>”." in page_text(at)
    assert "No query is left." in page_text(at)
    assert list(at.dataframe) == []
    assert charts(at) == {}
    assert open_query(at)[0] == address(at)["query"] == "q10"
    pick(at, "find", "")
    assert "find" not in address(at)
    assert len(listed(at, "pair_list")) == 50


def test_only_the_first_hundred_queries_of_many_are_shown():
    """Their order is that of all queries, and what is found is looked for in all of them."""
    queries = [f"n{number:03}" for number in range(250)]
    qrels = "".join(f"{query} 0 a 1\n{query} 0 b 0\n" for query in queries).encode()
    rank = {query: 1 + 7 * at % 250 for at, query in enumerate(queries)}
    good = "".join(f"{query} Q0 a 1 1 good\n" for query in queries).encode()
    bad = "".join(
        f"{query} Q0 {'a' if rank[query] % 2 else 'b'} 1 1 bad\n" for query in queries
    ).encode()
    at = go_to(with_own_files({"good.run": good, "bad.run": bad}, qrels), "queries")
    assert len(listed(at, "every_system")) == 100
    assert "100 of 250 queries" in page_text(at)
    assert len(listed(at, "pair_list")) == 250
    pick(at, "find", "n249")
    assert listed(at, "every_system") == ["n249"]


# What is special about a score stands beside it


def test_marks_say_what_stands_behind_a_score():
    at = app("queries", unjudged="zero", system="bm25", baseline="dense")
    every = frame(at, "every_system").set_index("query")
    scores = list(sample_scores(ZERO).values())
    for column, one in enumerate(scores):
        for position, query in enumerate(one.judgments.query_ids):
            cell = str(every.loc[query, f"system_{column}"])
            absent = one.graded.missing[position] or one.graded.empty[position]
            unjudged = int(one.unjudged_at_k[position])
            assert ("IDCG 0" in cell) == bool(one.zero_idcg[position])
            assert ("no results" in cell) == bool(absent)
            assert (f"?{unjudged}" in cell) if unjudged else ("?" not in cell)
    states = frame(at, "pair_list").set_index("query")["state"]
    assert (states.str.contains("A missing, counts 0")).sum() == aggregate(scores[0]).missing == 2
    choose(at, "zero_idcg", "leave_out")
    every = frame(at, "every_system").set_index("query")
    assert all(
        str(every.loc[query, "system_0"]).startswith("left out") for query in without_ideal()
    )
    pair = frame(at, "pair_list").set_index("query")
    assert pair.loc[sorted(without_ideal()), "difference"].isna().all()


# Which query is open


def test_a_query_is_open_from_the_start_the_one_with_the_largest_difference():
    at = app("queries")
    assert open_query(at) == (listed(at, "pair_list")[0], ["dense", "dense-128"])
    for key in TABLES:
        assert marked(at, key) == open_query(at)[0]


def test_of_one_alone_the_worst_query_that_has_an_ideal_is_open():
    at = app("queries", alone="yes")
    assert open_query(at)[0] == listed(at, "pair_list")[0]
    assert open_query(at)[0] not in without_ideal()


@pytest.mark.parametrize("key", TABLES)
def test_a_click_in_either_table_opens_its_query_and_both_mark_it(key):
    at = app("queries")
    click_row(at, key, 13)
    query = listed(at, key)[13]
    assert open_query(at)[0] == query == address(at)["query"]
    assert [marked(at, key) for key in TABLES] == [query, query]
    assert checked(at.run()).session_state["query"] == query, "a rerun is no click"


@pytest.mark.parametrize(
    ("chart", "alone"), [("scatter", ""), ("differences", ""), ("query_bars", "yes")]
)
def test_a_click_on_a_mark_opens_its_query(chart, alone):
    at = app("queries", **({"alone": alone} if alone else {}))
    click_mark(at, chart, "q15")
    assert open_query(at)[0] == "q15"
    assert [marked(at, key) for key in TABLES] == ["q15", "q15"]


def test_charts_show_what_is_listed():
    at = app("queries")
    assert set(charts(at)) == {"scatter", "differences"}
    pick(at, "show", "first_better")
    assert set(charts(at)) == {"scatter", "differences"}


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("every_system", ("sort", "spread")),
        ("every_system", ("sort", "0")),
        ("every_system", ("find", "1")),
        ("pair_list", (ORDER, "worst")),
        ("pair_list", ("show", "second_better")),
        ("pair_list", ("find", "1")),
        ("pair_list", ("system", "bm25")),
        ("pair_list", ("baseline", "rerank")),
        ("pair_list", ("baseline", "")),
    ],
)
def test_a_click_opens_the_query_that_was_displayed(key, change):
    """A table reports a row number. Together with another order or filter it means the old one."""
    at = app("queries")
    before = listed(at, key)
    name, option = change
    widgets = {one.key: one for one in (*at.selectbox, *at.segmented_control, *at.text_input)}
    widgets[f"{name}_choice"].set_value(option)
    click_row(at, key, 10)
    after = listed(at, key)
    assert after[10:11] != [before[10]], "the same row is another query now, or none"
    assert open_query(at)[0] == before[10] == address(at)["query"]
    assert marked(at, key) == (before[10] if before[10] in after else None)
    if len(after) > 10:
        click_row(at, key, 10)
        assert open_query(at)[0] == after[10]


def test_a_click_opens_the_query_that_was_displayed_under_the_policy_of_before():
    at = app("queries")
    before = listed(at, "pair_list")
    app_driver.put(at, "cutoff", "3")
    click_row(at, "pair_list", 10)
    assert listed(at, "pair_list")[10] != before[10] == open_query(at)[0]


def test_another_filter_opens_the_first_query_that_it_leaves():
    """A list that opens further down would hide the one that was looked for."""
    at = app("queries")
    query = open_query(at)[0]
    won = frame(at, "pair_list")["difference"].tolist()[0] > 0
    pick(at, "show", "second_better" if won else "first_better")
    assert query not in listed(at, "pair_list")
    assert open_query(at)[0] == address(at)["query"] == listed(at, "pair_list")[0]
    assert f"1 of {len(listed(at, 'pair_list'))}" in page_text(at)
    assert button(at, "Previous").disabled


def test_an_open_query_that_the_list_does_not_have_stays_open():
    """As after a click in the table of all systems, which no filter narrows."""
    at = app("queries", show="second_better")
    outside = next(one for one in listed(at, "every_system") if one not in listed(at, "pair_list"))
    click_row(at, "every_system", listed(at, "every_system").index(outside))
    assert open_query(at)[0] == address(at)["query"] == outside
    assert marked(at, "pair_list") is None
    assert marked(at, "every_system") == outside
    assert "not in the list" in page_text(at)
    assert button(at, "Previous").disabled
    press(at, "Next")
    assert open_query(at)[0] == listed(at, "pair_list")[0]


def test_the_open_query_stays_with_other_systems_and_another_policy():
    at = app("queries")
    click_row(at, "every_system", 10)
    query = open_query(at)[0]
    pick(at, "system", "bm25")
    choose(at, "gain", "exponential")
    assert open_query(at) == (query, ["bm25", "dense-128"])
    go_to(go_to(at, "overview"), "queries")
    assert open_query(at)[0] == marked(at, "pair_list") == address(at)["query"] == query


def test_previous_and_next_walk_the_list():
    at = app("queries", **{"show": "unjudged", ORDER: "worst"})
    shown = listed(at, "pair_list")
    start = shown.index(open_query(at)[0])
    for label, step in (("Next", 1), ("Next", 2), ("Previous", 1)):
        press(at, label)
        assert open_query(at)[0] == marked(at, "pair_list") == shown[start + step]
        assert f"{start + step + 1} of {len(shown)}" in page_text(at)


@pytest.mark.parametrize(("row", "label"), [(0, "Previous"), (-1, "Next")])
def test_the_list_has_two_ends(row, label):
    at = app("queries", query=listed(app("queries"), "pair_list")[row])
    assert {one.label for one in at.button if one.disabled} >= {label}
    other = "Next" if label == "Previous" else "Previous"
    assert not button(at, other).disabled


def test_previous_and_next_have_keys():
    at = app("queries")
    shortcuts = {label: button(at, label).proto.shortcut for label in ("Previous", "Next")}
    assert {label: key.lower() for label, key in shortcuts.items()} == {
        "Previous": "p",
        "Next": "n",
    }


def test_the_address_opens_a_pair_and_a_query():
    at = app("queries", system="fusion", baseline="bm25", query="q06")
    assert open_query(at) == ("q06", ["fusion", "bm25"])


# The open query


def test_the_open_query_names_what_was_missed():
    at = app("queries", system="rerank", baseline="dense", query="q10", unjudged="zero")
    rerank = next(one for one in sample_runs() if one.run.name == "rerank")
    assert rerank.judgments.source == "qrels.tsv"
    (missed, *_) = table(at, "grade, document", "in rerank")
    assert missed[-1] == "not retrieved"
    assert "Judged documents that gain and do not stand in the top 10." in page_text(at)


def test_a_query_without_a_value_says_why():
    at = app("queries", unjudged="zero", zero_idcg="leave_out", query=min(without_ideal()))
    assert "no value (left out: IDCG 0)" in page_text(at)
    choose(at, "zero_idcg", "one")
    assert "1.000 (IDCG is 0, and zero-IDCG queries count as 1)" in page_text(at)


def test_ideal_lists_of_their_own_stand_apart():
    at = app("queries", unjudged="zero", ideal_scope="this_run", query="q10", system="rerank")
    assert "Not comparable between systems." in page_text(at)
    ideals = [body for body in app_driver.blocks(at) if "IDCG</td>" in body]
    assert len(ideals) == 2
