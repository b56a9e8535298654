"""Charts for tidy frames. This module alone imports Altair, and it knows no Streamlit.

Each chart is a specification without data, built once: that takes longer than all else on a page.
"""

from functools import lru_cache
from typing import Any, Literal

import altair as alt

from dashboard.wording import say

Spec = dict[str, Any]

# Colours by role come from the theme's chart colours, so a change of theme needs no rerun.
FEW = 16
_LABEL_ROOM = 92
_ROWS = alt.NamedData("rows")
_HEIGHT, _PAIR_HEIGHT = 150, 240
ROLES = ["first", "second", "other", "ink", "faint", "flip"]


@lru_cache(maxsize=32)
def query_bars(measure: str, *, wide: bool) -> Spec:
    """Scores of one system's queries, lowest first; a click picks a query.

    Takes a frame with columns position, query, text, ndcg, height (ndcg, but never too low to be
    clicked) and role ("first", or "ink" for the open query).

    Parameters
    ----------
    measure : str
        Name of the value.
    wide : bool
        Whether the bars fill the width.
    """
    chart = (
        alt.Chart(_ROWS)
        .mark_bar()
        .encode(
            x=alt.X("position:O", axis=None, scale=alt.Scale(paddingInner=0.15)),
            y=alt.Y("height:Q", title=measure, axis=alt.Axis(tickCount=4, format=".1f")),
            color=_role("role"),
            tooltip=[
                alt.Tooltip("query:N"),
                alt.Tooltip("text:N"),
                alt.Tooltip("ndcg:Q", title=measure, format=".3f"),
            ],
        )
        .add_params(_picked())
        .properties(height=_HEIGHT)
        .configure_view(stroke=None)
    )
    return _spec(chart if wide else chart.properties(width=alt.Step(26)))


@lru_cache(maxsize=32)
def pair_scatter(first: str, second: str, limits: tuple[float, float]) -> Spec:
    """Query scores of A over those of B; a click picks a query.

    Takes a frame with columns query, text, first, second, difference, role (who is better:
    "first", "second" or "other") and open (whether the query is the open one).

    Parameters
    ----------
    first, second : str
        Titles of the axes.
    limits : tuple of float
        Ends of both axes.
    """
    scale = alt.Scale(domain=limits, nice=False, padding=4)
    axis = alt.Axis(tickCount=5, format=".1f", grid=True)
    x = alt.X("second:Q", title=f"{second} →", scale=scale, axis=axis)
    y = alt.Y("first:Q", title=f"{first} →", scale=scale, axis=axis)
    diagonal = (
        alt.Chart(alt.InlineData(values=[{"at": end, "role": "faint"} for end in limits]))
        .mark_line(strokeWidth=1)
        .encode(x="at:Q", y="at:Q", color=_role("role"))
    )
    rows = alt.Chart(_ROWS)
    points = (
        rows.mark_circle(size=36, opacity=0.75)
        .encode(
            x=x,
            y=y,
            color=_role("role"),
            tooltip=[
                alt.Tooltip("query:N"),
                alt.Tooltip("text:N"),
                alt.Tooltip("first:Q", title=say("column.first"), format=".3f"),
                alt.Tooltip("second:Q", title=say("column.second"), format=".3f"),
                alt.Tooltip("difference:Q", title=say("column.difference"), format="+.3f"),
            ],
        )
        .add_params(_picked())
    )
    ring = (
        rows.transform_filter("datum.open")
        .transform_calculate(role="'ink'")
        .mark_point(size=170, strokeWidth=2, filled=False)
        .encode(x=x, y=y, color=_role("role"))
    )
    layers = alt.layer(diagonal, ring, points)
    return _spec(layers.properties(height=_PAIR_HEIGHT).configure_view(stroke=None))


@lru_cache(maxsize=32)
def difference_bars(
    difference: str, first_better: str, second_better: str, limits: tuple[float, float]
) -> Spec:
    """Differences of a pair, query by query, largest first; a click picks a query.

    Takes a frame with columns position, query, text, difference, low, high (the ends of the bar,
    never too near to be clicked) and role (who is better, or "ink" for the open query).

    Parameters
    ----------
    difference : str
        Title of the axis.
    first_better, second_better : str
        What stands beside either end.
    limits : tuple of float
        Ends of the axis.
    """
    rows = alt.Chart(_ROWS)
    bars = (
        rows.mark_bar()
        .encode(
            x=alt.X("position:O", axis=None, scale=alt.Scale(paddingInner=0.1)),
            y=alt.Y(
                "low:Q",
                title=difference,
                scale=alt.Scale(domain=limits),
                axis=alt.Axis(tickCount=5, format="+.1f"),
            ),
            y2="high:Q",
            color=_role("role"),
            tooltip=[
                alt.Tooltip("query:N"),
                alt.Tooltip("text:N"),
                alt.Tooltip("difference:Q", title=difference, format="+.3f"),
            ],
        )
        .add_params(_picked())
    )
    layers = alt.layer(
        bars,
        _corner(first_better, "first", align="right", x="width", y=14),
        _corner(second_better, "second", align="left", x=6, y=_PAIR_HEIGHT - 10),
    )
    return _spec(layers.properties(height=_PAIR_HEIGHT).configure_view(stroke=None))


def _corner(
    text: str, role: str, *, align: Literal["left", "right"], x: object, y: int
) -> alt.Chart:
    """A label at a corner of the chart."""
    return (
        alt.Chart(alt.InlineData(values=[{"label": text, "role": role}]))
        .mark_text(align=align, fontWeight=600, limit=260)
        .encode(text="label:N", x=alt.value(x), y=alt.value(y), color=_role("role"))
    )


@lru_cache(maxsize=32)
def coverage_lines(depths: tuple[int, ...], cutoff: int | None) -> Spec:
    """judged@k over k, one line a system, named at its end.

    Takes a frame with columns k, system, share, role and label_at (height of the name; NaN but on
    the last row of a line).

    Parameters
    ----------
    depths : tuple of int
        Labels of the axis.
    cutoff : int or None
        Drawn as a rule.
    """
    x = alt.X(
        "k:Q",
        scale=alt.Scale(type="log", nice=False),
        title="k",
        axis=alt.Axis(values=list(depths), grid=False),
    )
    base = alt.Chart(_ROWS)
    lines = base.mark_line(strokeWidth=1.8).encode(
        x=x,
        y=alt.Y(
            "share:Q",
            title="judged@k",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%", tickCount=5),
        ),
        detail="system:N",
        color=_role("role"),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("k:Q"),
            alt.Tooltip("share:Q", title="judged@k", format=".1%"),
        ],
    )
    names = (
        base.transform_filter("isValid(datum.label_at)")
        .mark_text(align="left", dx=6, limit=_LABEL_ROOM - 10)
        .encode(x=x, y="label_at:Q", text="system:N", color=_role("role"))
    )
    layers: list[alt.Chart] = [lines, names]
    if cutoff is not None:
        rule = alt.Chart(alt.InlineData(values=[{"k": cutoff, "role": "faint"}]))
        layers.append(rule.mark_rule(strokeDash=[3, 3]).encode(x="k:Q", color=_role("role")))
    padding = {"right": _LABEL_ROOM, "left": 5, "top": 5, "bottom": 5}
    chart = alt.layer(*layers).properties(height=_PAIR_HEIGHT, padding=padding)
    return _spec(chart.configure_view(stroke=None))


@lru_cache(maxsize=8)
def relevant_bars(documents: str, queries: str) -> Spec:
    """Queries by their number of relevant documents.

    Takes a frame with columns documents (text, in order), queries, role and name (written above
    its bar).

    Parameters
    ----------
    documents, queries : str
        Titles of the axes.
    """
    base = alt.Chart(_ROWS).encode(
        x=alt.X(
            "documents:N",
            sort=None,
            title=documents,
            axis=alt.Axis(labelAngle=0, labelOverlap="greedy", grid=False),
        ),
        y=alt.Y("queries:Q", title=queries, axis=alt.Axis(tickCount=4, tickMinStep=1)),
        color=_role("role"),
    )
    bars = base.mark_bar().encode(
        tooltip=[
            alt.Tooltip("documents:N", title=documents),
            alt.Tooltip("queries:Q", title=queries),
        ]
    )
    names = base.mark_text(align="left", baseline="bottom", dx=-8, dy=-4).encode(text="name:N")
    chart = alt.layer(bars, names).properties(height=_PAIR_HEIGHT)
    return _spec(chart.configure_view(stroke=None))


def _role(field: str) -> alt.Color:
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=ROLES), legend=None)


def _picked() -> alt.Parameter:
    return alt.selection_point(name="pick", fields=["query"])


def _spec(chart: alt.Chart | alt.LayerChart) -> Spec:
    """A finished specification, to be shown with any frame that has its columns."""
    # Data sets that Altair lifts to the top hide the frame that comes later.
    with alt.data_transformers.enable("default", consolidate_datasets=False):
        spec: Spec = chart.to_dict()
    for layer in (spec, *spec.get("layer", ())):
        if layer.get("data") == _ROWS.to_dict():
            del layer["data"]
    return spec
