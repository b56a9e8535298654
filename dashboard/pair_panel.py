"""The compared pair, query by query: the list, and the charts beside it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core.per_query import FILTERS, LOW, PairTable, matching
from dashboard import charts, controls, pages, pairing, query_tables, sentences
from dashboard.wording import say

_HEIGHT = 300
_ORDERS = ("difference", "worst")
_ALONE = ("all", "both_bad", "zero_idcg", "missing", "unjudged")


def keep_open_query(of: pages.Scored) -> None:
    """Keep the open query; at first the one in the address, or else the first of the list."""
    names = _scored(of)
    if names and st.session_state.get("query") not in of.systems[names[0]].judgments.index:
        table = PairTable(*(of.systems[name] for name in names))
        order, _ = _order(table)
        st.session_state["query"] = table.first.judgments.query_ids[order[0]]


def choose(of: pages.Scored) -> list[str]:
    """Ask for the pair, and return the systems of it that the policy scores."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        pairing.controls(of.names, of.pair, alone=True)
        scored = _scored(of)
        if len(scored) > 1:
            controls.kept_list(
                "list_order", say("order.label"), _ORDERS, lambda option: say(f"order.{option}")
            )
    for name in _names(of):
        if name in of.refused:
            st.html(sentences.note(str(of.refused[name]), lead=say("refused.lead")))
    return scored


def place(of: pages.Scored, names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Place the filter, the list and the charts; return the queries that are listed."""
    table = PairTable(*(of.systems[name] for name in names))
    query_ids = table.first.judgments.query_ids
    kept = table.kept(_filter(of, paired=len(names) > 1))
    kept &= matching(query_ids, texts, st.session_state.get("find", ""))
    order, order_words = _order(table)
    found = order[kept[order]]
    st.html(
        sentences.paired(
            of.pair,
            of.comparison if len(names) > 1 else None,
            shown=len(found),
            judged=len(query_ids),
            order=order_words,
        )
    )
    listed = [query_ids[at] for at in found]
    if not listed:
        st.html(sentences.line(say("filter.nothing")))
        return listed
    frame = query_tables.pair_list(table, found, query_ids, texts)
    left, right = st.columns([6, 7], gap="medium")
    with left:
        columns = _columns(paired=len(names) > 1, text=125 if any(texts) else None)
        controls.query_table("pair_list", frame, listed, height=_HEIGHT, columns=columns)
    with right:
        if len(names) > 1:
            _pair_charts(of, frame)
        else:
            _score_chart(of, frame)
    return listed


def id_columns(*, text: int | None) -> dict[str, Any]:
    """How the id and the text of a query are shown in a list.

    The text is so many pixels wide, and hidden where no query has one.
    """
    column = st.column_config.TextColumn
    return {
        "query": column(say("column.query"), width=62 if text else 120, pinned=True),
        "text": column(say("column.text"), width=text) if text else None,
    }


def _names(of: pages.Scored) -> list[str]:
    return of.pair.names(alone=pairing.is_alone())


def _scored(of: pages.Scored) -> list[str]:
    """The systems to look at that the policy scores."""
    return [name for name in _names(of) if name in of.systems]


def _filter(of: pages.Scored, *, paired: bool) -> str:
    def words(option: str) -> str:
        alone = "_alone" if option == "both_bad" and not paired else ""
        return say(f"filter.{option}{alone}")

    hint = say("filter.help", low=LOW, place=sentences.top(of.selection.policy))
    options = FILTERS if paired else _ALONE
    return controls.kept_buttons("show", say("filter.label"), options, words, hint)


def _order(table: PairTable) -> tuple[NDArray[np.int64], str]:
    option = "worst" if table.second is None else controls.kept("list_order", _ORDERS)
    orders = {"worst": table.worst, "difference": table.largest_difference}
    return orders[option](), say(f"order.line.{option}")


def _columns(*, paired: bool, text: int | None) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    columns = {
        **id_columns(text=text),
        "first": number(say("column.first"), format="%.3f", width=50),
    }
    if paired:
        columns["second"] = number(say("column.second"), format="%.3f", width=50)
        columns["difference"] = number(say("column.difference"), format="%+.3f", width=60)
    columns["unjudged"] = number(say("column.unjudged"), format="%.3g", width=65)
    columns["state"] = st.column_config.TextColumn(say("column.state"), width=100)
    return columns


def _score_chart(of: pages.Scored, listed: pd.DataFrame) -> None:
    bars = query_tables.score_bars(listed, st.session_state["query"])
    wide = len(bars) > charts.FEW
    spec = charts.query_bars(of.selection.policy.short_measure, wide=wide)
    controls.query_chart("query_bars", bars, spec, wide=wide)


def _pair_charts(of: pages.Scored, listed: pd.DataFrame) -> None:
    marks = query_tables.pair_marks(listed, st.session_state["query"])
    comparison = of.comparison
    if comparison is None or not len(marks):
        return
    scatter, bars = st.columns(2, gap="small")
    with scatter:
        limits = query_tables.limits(marks[["first", "second"]], 0, 1)
        spec = charts.pair_scatter(comparison.system, comparison.baseline, limits)
        controls.query_chart("scatter", marks, spec)
    with bars:
        first = say("chart.better", system=comparison.system, n=f"{comparison.wins:,}")
        second = say("chart.better", system=comparison.baseline, n=f"{comparison.losses:,}")
        limits = query_tables.limits(marks[["difference"]], -1, 1)
        title = say("chart.difference", measure=of.selection.policy.short_measure)
        spec = charts.difference_bars(title, first, second, limits)
        controls.query_chart("differences", query_tables.with_open_in_ink(marks), spec)
    if len(marks) == query_tables.CHARTED:
        st.html(sentences.line(say("chart.sampled", drawn=f"{len(marks):,}")))
