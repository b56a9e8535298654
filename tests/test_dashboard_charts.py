"""The charts: their marks, fields and colours; what a file calls something is only ever data."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from dashboard_worlds import valued
from nasty_names import NASTY

from core.judgment_findings import Bar
from core.per_query import PairTable
from dashboard import charts, file_tables, query_tables
from dashboard.charts import Spec
from dashboard.pairing import Pair

MEASURE = "NDCG@10"
UNIT = (0.0, 1.0)
FOLDER = Path(charts.__file__).parent


def bars(measure: str = MEASURE, *, wide: bool = True) -> Spec:
    return charts.query_bars(measure, wide=wide)


def scatter(first: str = "one", second: str = "two", limits: tuple[float, float] = UNIT) -> Spec:
    return charts.pair_scatter(first, second, limits)


def differences(
    title: str = "difference",
    first: str = "one better on 3",
    second: str = "two better on 2",
    limits: tuple[float, float] = (-1.0, 1.0),
) -> Spec:
    return charts.difference_bars(title, first, second, limits)


def lines(depths: tuple[int, ...] = (1, 10), cutoff: int | None = 10) -> Spec:
    return charts.coverage_lines(depths, cutoff)


def relevant(documents: str = "relevant documents", queries: str = "queries") -> Spec:
    return charts.relevant_bars(documents, queries)


OF_QUERIES: dict[str, Callable[[], Spec]] = {
    "bars": bars,
    "scatter": scatter,
    "differences": differences,
}
KEPT = (
    charts.query_bars,
    charts.pair_scatter,
    charts.difference_bars,
    charts.coverage_lines,
    charts.relevant_bars,
)
SPECS: dict[str, Callable[[], Spec]] = {**OF_QUERIES, "lines": lines, "relevant": relevant}


def layer(chart: Spec, mark: str) -> Spec:
    found = [one for one in chart["layer"] if one["mark"]["type"] == mark]
    assert len(found) == 1
    return found[0]


def layers(chart: Spec) -> list[Spec]:
    return chart.get("layer", [chart])


def field_types(encoding: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        channel: (one["field"], one["type"])
        for channel, one in encoding.items()
        if isinstance(one, dict) and "type" in one
    }


def tooltip(encoding: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["field"], one.get("title", one["field"])) for one in encoding["tooltip"]]


def everywhere(node: Any) -> Iterator[dict[str, Any]]:
    """Every object in a specification."""
    if isinstance(node, dict):
        yield node
    for one in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from everywhere(one)


# Scores of one system


def test_query_bars_draw_a_bar_for_each_query():
    chart = bars()
    assert chart["mark"]["type"] == "bar"
    assert field_types(chart["encoding"]) == {
        "x": ("position", "ordinal"),
        "y": ("height", "quantitative"),
        "color": ("role", "nominal"),
    }
    assert tooltip(chart["encoding"]) == [("query", "query"), ("text", "text"), ("ndcg", MEASURE)]


def test_query_bars_name_the_measure_with_its_cutoff():
    assert bars()["encoding"]["y"]["title"] == MEASURE


def test_few_bars_are_no_wider_than_a_bar_should_be():
    assert bars(wide=False)["width"] == {"step": 26}
    assert bars(wide=True).get("width") != {"step": 26}


# A pair


def test_scatter_has_a_point_for_each_query_a_diagonal_and_a_ring():
    chart = scatter()
    assert [one["mark"]["type"] for one in chart["layer"]] == ["line", "point", "circle"]
    places = {"x": ("second", "quantitative"), "y": ("first", "quantitative")}
    for mark in ("circle", "point"):
        found = field_types(layer(chart, mark)["encoding"])
        assert found == {**places, "color": ("role", "nominal")}
    assert tooltip(layer(chart, "circle")["encoding"]) == [
        ("query", "query"),
        ("text", "text"),
        ("first", "A"),
        ("second", "B"),
        ("difference", "A − B"),
    ]


def test_the_diagonal_runs_from_end_to_end():
    line = layer(scatter(limits=(-0.5, 1.25)), "line")
    assert line["data"]["values"] == [
        {"at": -0.5, "role": "faint"},
        {"at": 1.25, "role": "faint"},
    ]
    assert field_types(line["encoding"])["x"] == field_types(line["encoding"])["y"]


def test_both_axes_of_the_scatter_have_one_scale_and_the_names():
    encoding = layer(scatter(limits=(-0.5, 1.25)), "circle")["encoding"]
    assert encoding["x"]["scale"] == encoding["y"]["scale"]
    assert encoding["x"]["scale"]["domain"] == [-0.5, 1.25]
    assert (encoding["y"]["title"], encoding["x"]["title"]) == ("one →", "two →")


def test_the_ring_is_in_ink_and_only_about_the_open_query():
    ring = layer(scatter(), "point")
    assert ring["transform"] == [
        {"filter": "datum.open"},
        {"calculate": "'ink'", "as": "role"},
    ]
    assert ring["mark"]["filled"] is False


def test_differences_are_bars_between_their_two_ends():
    chart = differences(limits=(-1.0, 1.5))
    encoding = layer(chart, "bar")["encoding"]
    assert field_types(encoding) == {
        "x": ("position", "ordinal"),
        "y": ("low", "quantitative"),
        "color": ("role", "nominal"),
    }
    assert encoding["y2"]["field"] == "high"
    assert encoding["y"]["scale"]["domain"] == [-1.0, 1.5]
    assert encoding["y"]["title"] == "difference"
    assert tooltip(encoding) == [
        ("query", "query"),
        ("text", "text"),
        ("difference", "difference"),
    ]


def test_either_end_says_who_is_better_in_the_colour_of_that_system():
    corners = [one for one in differences()["layer"] if one["mark"]["type"] == "text"]
    assert [one["data"]["values"] for one in corners] == [
        [{"label": "one better on 3", "role": "first"}],
        [{"label": "two better on 2", "role": "second"}],
    ]
    # The largest differences stand left, above 0: what is left free is above right, below left.
    assert [(one["mark"]["align"], one["encoding"]["x"]["value"]) for one in corners] == [
        ("right", "width"),
        ("left", 6),
    ]
    top, bottom = (one["encoding"]["y"]["value"] for one in corners)
    assert top < bottom < differences()["height"]


# What all have in common


@pytest.mark.parametrize("build", SPECS.values(), ids=SPECS)
def test_a_specification_holds_no_data_that_would_hide_the_frame(build):
    chart = build()
    assert "data" not in chart
    assert "datasets" not in chart
    for one in layers(chart):
        if data := one.get("data"):
            assert list(data) == ["values"], "written inside, as the diagonal is"
            assert len(data["values"]) <= 2


def frames() -> dict[str, pd.DataFrame]:
    """For each chart a frame as the app makes it."""
    table = PairTable(valued("one", [0.5, 0.25, 0.5]), valued("two", [0.25, 0.5, 0.5]))
    query_ids = table.first.judgments.query_ids
    listed = query_tables.pair_list(table, table.largest_difference(), query_ids, [""] * 3)
    marks = query_tables.pair_marks(listed, "q0")
    shares: dict[str, list[float | None]] = {
        "one": [1.0, 0.5],
        "two": [1.0, 0.25],
        "three": [0.5, None],
    }
    counts = [Bar(0, 0, 3), Bar(1, 1, 2), Bar(2, 5, 1)]
    return {
        "bars": query_tables.score_bars(listed, "q0"),
        "scatter": marks,
        "differences": query_tables.with_open_in_ink(marks),
        "lines": file_tables.coverage_frame((1, 10), shares, Pair("one", "two")),
        "relevant": file_tables.relevant_frame(counts),
    }


@pytest.mark.parametrize("name", SPECS)
def test_a_specification_reads_columns_that_its_frame_has(name):
    frame = frames()[name]
    for one in layers(SPECS[name]()):
        columns = set(one["data"]["values"][0]) if "data" in one else set(frame.columns)
        read = {node["field"] for node in everywhere(one) if "field" in node}
        assert read
        assert read <= columns
        picked = {name for param in one.get("params", []) for name in param["select"]["fields"]}
        assert picked <= columns


def test_every_role_of_a_mark_has_a_colour():
    """A role outside the domain would get the colour of another one."""
    found = {name: set(frame["role"]) for name, frame in frames().items()}
    assert found == {
        "bars": {"first", "ink"},
        "scatter": {"first", "second", "other"},
        "differences": {"ink", "second", "other"},
        "lines": {"first", "second", "other"},
        "relevant": {"other", "flip"},
    }
    assert set.union(*found.values()) < set(charts.ROLES)


@pytest.mark.parametrize("build", OF_QUERIES.values(), ids=OF_QUERIES)
def test_clicking_a_mark_reports_the_query_and_not_its_place(build):
    """A place means another query after another sort."""
    params = [param for node in everywhere(build()) for param in node.get("params", [])]
    assert [(one["name"], one["select"]) for one in params] == [
        ("pick", {"type": "point", "fields": ["query"]})
    ]


@pytest.mark.parametrize("build", SPECS.values(), ids=SPECS)
def test_equal_arguments_give_equal_specifications(build):
    """Streamlit takes a chart that differs for another one, and its selection is gone."""
    before = json.dumps(build(), sort_keys=True)
    for kept in KEPT:
        kept.cache_clear()
    assert json.dumps(build(), sort_keys=True) == before


def test_specifications_can_be_kept_as_they_are():
    """They come from memory, so nobody may change them; Streamlit gets what is plain JSON."""
    for build in SPECS.values():
        chart = build()
        assert build() is chart
        assert json.loads(json.dumps(chart)) == chart


TEXTS = {"title", "label"}


def replaced(node: Any, name: str) -> Any:
    """The same with PLAIN in the place of a name, but only where nothing parses a text.

    Views get the name of a hash of what they show.
    """
    if isinstance(node, list):
        return [replaced(one, name) for one in node]
    if isinstance(node, dict):
        return {
            key: one.replace(name, "PLAIN")
            if key in TEXTS and isinstance(one, str)
            else replaced(one, name)
            for key, one in node.items()
        }
    return re.sub("view_[0-9a-f]+", "view", node) if isinstance(node, str) else node


CALLED: dict[str, Callable[[str], Spec]] = {
    "measure": bars,
    "A": lambda name: scatter(name, "rival"),
    "B": lambda name: scatter("rival", name),
    "title": lambda name: differences(name, "", ""),
    "corners": lambda name: differences("", name, name),
}


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_names_from_files_stay_values(name):
    """Altair parses what stands where a field is expected; a name must never stand there."""
    for build in CALLED.values():
        plain = build("PLAIN")
        assert "PLAIN" in json.dumps(plain)
        assert replaced(build(name), name) == replaced(plain, name)


def test_colours_go_by_role_in_both_themes():
    """Colours that the theme holds change with it; those that Python chose would not."""
    config = tomllib.loads((FOLDER / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    for theme in ("light", "dark"):
        assert len(config["theme"][theme]["chartCategoricalColors"]) == len(charts.ROLES)
    parts = [one for build in SPECS.values() for one in layers(build())]
    for part in parts:
        color = part["encoding"]["color"]
        assert (color["field"], color["scale"], color["legend"]) == (
            "role",
            {"domain": charts.ROLES},
            None,
        )
        assert not {"color", "fill", "stroke"} & set(part["mark"])


# judged@k over k, and relevant documents


def test_coverage_lines_draw_a_line_and_a_name_for_each_system():
    line, names = layer(lines(), "line")["encoding"], layer(lines(), "text")["encoding"]
    assert field_types(line) == {
        "x": ("k", "quantitative"),
        "y": ("share", "quantitative"),
        "detail": ("system", "nominal"),
        "color": ("role", "nominal"),
    }
    assert tooltip(line) == [("system", "system"), ("k", "k"), ("share", "judged@k")]
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
    rule = layer(lines(cutoff=5), "rule")
    assert field_types(rule["encoding"]) == {
        "x": ("k", "quantitative"),
        "color": ("role", "nominal"),
    }
    assert rule["data"]["values"] == [{"k": 5, "role": "faint"}]


def test_coverage_without_a_cutoff_has_no_mark_for_it():
    assert [one["mark"]["type"] for one in lines(cutoff=None)["layer"]] == ["line", "text"]


def test_relevant_documents_are_bars_in_the_order_of_the_frame_with_a_name_above():
    bar, name = layer(relevant(), "bar")["encoding"], layer(relevant(), "text")["encoding"]
    places = {
        "x": ("documents", "nominal"),
        "y": ("queries", "quantitative"),
        "color": ("role", "nominal"),
    }
    assert field_types(bar) == places
    assert field_types(name) == {**places, "text": ("name", "nominal")}
    assert bar["x"]["sort"] is None
    assert (bar["x"]["title"], bar["y"]["title"]) == ("relevant documents", "queries")
    assert tooltip(bar) == [("documents", "relevant documents"), ("queries", "queries")]


# The folder


def test_tables_offer_no_file_for_other_programs():
    """In a spreadsheet a name such as =1+1 would be a formula."""
    config = tomllib.loads((FOLDER / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["client"]["disableDataExport"] is True


def test_only_the_charts_know_altair_and_they_know_no_streamlit():
    for path in sorted(FOLDER.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        assert ("import altair" in source) == (path.name == "charts.py"), path.name
    assert "import streamlit" not in (FOLDER / "charts.py").read_text(encoding="utf-8")
