"""Tidy frames to charts. This module alone imports Altair, and it knows no Streamlit."""

from itertools import pairwise

import altair as alt
import pandas as pd

# Colours by role come from the theme's chart colours, so a change of theme needs no rerun.
FEW = 16
_LOWEST_BAR = 0.012
ROLES = ["first", "second", "other", "ink", "faint", "flip"]


def query_bars(frame: pd.DataFrame, measure: str) -> alt.Chart:
    """Scores of one system's queries, lowest first; a click picks a query.

    Parameters
    ----------
    frame : DataFrame
        Columns position, query, text, ndcg, role ("first" or "ink" for the open query).
    measure : str
        Name of the value.
    """
    pick = alt.selection_point(name="pick", fields=["query"])
    # A score of 0 keeps a bar just high enough to be seen and clicked.
    drawn = frame.assign(height=frame["ndcg"].clip(lower=_LOWEST_BAR))
    chart = (
        alt.Chart(drawn)
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
        .add_params(pick)
        .properties(height=150)
        .configure_view(stroke=None)
    )
    return chart if len(frame) > FEW else chart.properties(width=alt.Step(26))


def coverage_lines(frame: pd.DataFrame, cutoff: int | None) -> alt.LayerChart:
    """judged@k over k, one line a system, named at its end.

    Parameters
    ----------
    frame : DataFrame
        Columns k, system, share, label_at (height of the name; NaN but on the last row of a line).
    cutoff : int or None
        Drawn as a rule.
    """
    x = alt.X(
        "k:Q",
        scale=alt.Scale(type="log", nice=False),
        title="k",
        axis=alt.Axis(values=sorted(frame["k"].unique().tolist()), grid=False),
    )
    base = alt.Chart(frame)
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
        .mark_text(align="left", dx=6, limit=140)
        .encode(x=x, y="label_at:Q", text="system:N", color=_role("role"))
    )
    layers: list[alt.Chart] = [lines, names]
    if cutoff is not None:
        rule = alt.Chart(pd.DataFrame({"k": [cutoff], "role": ["faint"]}))
        layers.insert(0, rule.mark_rule(strokeDash=[3, 3]).encode(x="k:Q", color=_role("role")))
    return (
        alt.layer(*layers)
        .properties(height=240, padding={"right": 130, "left": 5, "top": 5, "bottom": 5})
        .configure_view(stroke=None)
    )


def spread_labels(heights: list[float], gap: float) -> list[float]:
    """Move label heights apart, keeping their order, so that names do not collide."""
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    placed = list(heights)
    for _ in range(20 * len(heights)):
        for low, high in pairwise(order):
            if (overlap := gap - (placed[high] - placed[low])) > 0:
                placed[low] -= overlap / 2
                placed[high] += overlap / 2
    return placed


def _role(field: str) -> alt.Color:
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=ROLES), legend=None)
