"""The charts: their marks, fields and colours; what a file calls something is only ever data."""

import json
import math
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nasty_names import NASTY

from dashboard import charts

BAR_COLUMNS = ["position", "query", "text", "ndcg", "role"]
MEASURE = "NDCG@10"
FOLDER = Path(charts.__file__).parent


def bar_frame(name: str = "q1") -> pd.DataFrame:
    rows = [[0, name, name, 0.25, "first"], [1, "other", "", 1.0, "ink"]]
    return pd.DataFrame(rows, columns=BAR_COLUMNS)


def line_frame(name: str = "bm25") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "k": [1, 10, 1, 10],
            "system": [name, name, "other", "other"],
            "share": [1.0, 0.5, 1.0, 0.75],
            "role": ["other"] * 4,
            "label_at": [math.nan, 0.5, math.nan, 0.75],
        }
    )


@cache
def bars(name: str = "q1") -> dict[str, Any]:
    return charts.query_bars(bar_frame(name), MEASURE).to_dict()


@cache
def lines(name: str = "bm25", cutoff: int | None = 10) -> dict[str, Any]:
    return charts.coverage_lines(line_frame(name), cutoff).to_dict()


def layer(chart: dict[str, Any], mark: str) -> dict[str, Any]:
    found = [one for one in chart["layer"] if one["mark"]["type"] == mark]
    assert len(found) == 1
    return found[0]


def field_types(encoding: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        channel: (one["field"], one["type"])
        for channel, one in encoding.items()
        if isinstance(one, dict)
    }


def tooltip(encoding: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["field"], one["type"]) for one in encoding["tooltip"]]


def records(chart: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for rows in chart["datasets"].values() for row in rows]


def shape(chart: dict[str, Any]) -> str:
    """The chart without its data, whose name is a hash of it."""
    whole = {name: value for name, value in chart.items() if name != "datasets"}
    text = json.dumps(whole, sort_keys=True)
    for name in chart["datasets"]:
        text = text.replace(name, "data")
    return text


def test_query_bars_draw_a_bar_for_each_query():
    chart = bars()
    assert chart["mark"]["type"] == "bar"
    assert field_types(chart["encoding"]) == {
        "x": ("position", "ordinal"),
        "y": ("height", "quantitative"),
        "color": ("role", "nominal"),
    }
    assert tooltip(chart["encoding"]) == [
        ("query", "nominal"),
        ("text", "nominal"),
        ("ndcg", "quantitative"),
    ]
    assert [row["ndcg"] for row in records(chart)] == [0.25, 1.0]
    assert [row["height"] for row in records(chart)] == [0.25, 1.0]


def test_a_score_of_0_keeps_a_bar_that_can_be_clicked_and_says_0():
    frame = bar_frame().assign(ndcg=[0.0, 0.5])
    rows = records(charts.query_bars(frame, MEASURE).to_dict())
    assert [row["height"] for row in rows] == [0.012, 0.5]
    assert [row["ndcg"] for row in rows] == [0.0, 0.5]
    assert "height" not in frame, "the frame of the caller stays as it is"


@pytest.mark.parametrize(("bars", "width"), [(1, {"step": 26}), (16, {"step": 26}), (17, None)])
def test_few_bars_are_no_wider_than_a_bar_should_be(bars, width):
    rows = [[at, f"q{at}", "", 0.5, "first"] for at in range(bars)]
    chart = charts.query_bars(pd.DataFrame(rows, columns=BAR_COLUMNS), MEASURE).to_dict()
    assert chart.get("width") == width


def test_query_bars_name_the_measure_with_its_cutoff():
    encoding = bars()["encoding"]
    assert encoding["y"]["title"] == MEASURE
    assert encoding["tooltip"][2]["title"] == MEASURE


def test_clicking_a_bar_reports_the_query_and_not_its_place():
    """A place means another query after another sort."""
    (pick,) = bars()["params"]
    assert pick["name"] == "pick"
    assert pick["select"] == {"type": "point", "fields": ["query"]}


def test_coverage_lines_draw_a_line_and_a_name_for_each_system():
    chart = lines()
    line, names = layer(chart, "line")["encoding"], layer(chart, "text")["encoding"]
    assert field_types(line) == {
        "x": ("k", "quantitative"),
        "y": ("share", "quantitative"),
        "detail": ("system", "nominal"),
        "color": ("role", "nominal"),
    }
    assert tooltip(line) == [
        ("system", "nominal"),
        ("k", "quantitative"),
        ("share", "quantitative"),
    ]
    assert field_types(names) == {
        "x": ("k", "quantitative"),
        "y": ("label_at", "quantitative"),
        "text": ("system", "nominal"),
        "color": ("role", "nominal"),
    }


def test_coverage_lines_name_a_system_only_where_its_line_ends():
    assert layer(lines(), "text")["transform"] == [{"filter": "isValid(datum.label_at)"}]


def test_coverage_runs_from_none_to_all_over_a_logarithmic_depth():
    encoding = layer(lines(), "line")["encoding"]
    assert encoding["y"]["scale"]["domain"] == [0, 1]
    assert encoding["y"]["title"] == "judged@k"
    assert encoding["x"]["scale"]["type"] == "log"
    assert encoding["x"]["axis"]["values"] == [1, 10]


def test_coverage_marks_the_cutoff():
    chart = lines(cutoff=5)
    rule = layer(chart, "rule")
    assert field_types(rule["encoding"]) == {
        "x": ("k", "quantitative"),
        "color": ("role", "nominal"),
    }
    assert {"k": 5, "role": "faint"} in records(chart)


def test_coverage_without_a_cutoff_has_no_mark_for_it():
    assert [one["mark"]["type"] for one in lines(cutoff=None)["layer"]] == ["line", "text"]


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_names_from_files_stay_values(name):
    """Altair parses what stands where a field is expected; a name must never stand there."""
    assert shape(bars(name)) == shape(bars())
    assert shape(lines(name)) == shape(lines())
    assert records(bars(name))[0]["query"] == records(bars(name))[0]["text"] == name
    assert [row["system"] for row in records(lines(name)) if "system" in row][:2] == [name, name]


def test_colours_go_by_role_in_both_themes():
    """Colours that the theme holds change with it; those that Python chose would not."""
    config = tomllib.loads((FOLDER / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    for theme in ("light", "dark"):
        assert len(config["theme"][theme]["chartCategoricalColors"]) == len(charts.ROLES)
    parts = [bars(), *lines()["layer"]]
    for part in parts:
        color = part["encoding"]["color"]
        assert (color["field"], color["scale"], color["legend"]) == (
            "role",
            {"domain": charts.ROLES},
            None,
        )
    assert not any(f'"{word}": "#' in shape(bars()) + shape(lines()) for word in ("color", "fill"))


def test_tables_offer_no_file_for_other_programs():
    """In a spreadsheet a name such as =1+1 would be a formula."""
    config = tomllib.loads((FOLDER / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["client"]["disableDataExport"] is True


def test_only_the_charts_know_altair_and_they_know_no_streamlit():
    for path in sorted(FOLDER.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        assert ("import altair" in source) == (path.name == "charts.py"), path.name
    assert "import streamlit" not in (FOLDER / "charts.py").read_text(encoding="utf-8")


heights = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(heights=heights)
def test_spread_labels_keep_their_order_and_their_middle(heights):
    placed = charts.spread_labels(heights, 0.07)
    assert len(placed) == len(heights)
    assert math.isclose(sum(placed), sum(heights), abs_tol=1e-9)
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    assert all(placed[low] <= placed[high] + 1e-9 for low, high in pairwise(order))


@given(heights=heights)
def test_spread_labels_do_not_collide(heights):
    placed = sorted(charts.spread_labels(heights, 0.07))
    assert all(high - low >= 0.07 * 0.99 for low, high in pairwise(placed))


@given(steps=st.lists(st.floats(0.08, 0.5), max_size=6), start=st.floats(0, 1))
def test_spread_labels_leave_those_that_are_apart(steps, start):
    apart = [start + sum(steps[:at]) for at in range(len(steps) + 1)]
    assert charts.spread_labels(apart, 0.07) == apart


def test_spread_labels_do_not_change_what_they_are_given():
    given_heights = [0.5, 0.5]
    charts.spread_labels(given_heights, 0.1)
    assert given_heights == [0.5, 0.5]


def test_two_equal_labels_move_apart_by_half_the_gap_each():
    assert charts.spread_labels([0.5, 0.5], 0.1) == pytest.approx([0.45, 0.55])
