"""The compared pair, query by query: the list, and the charts beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Listing:
    """The queries of the pair, filtered and in their order.

    Parameters
    ----------
    table : PairTable
    queries : ndarray of int, shape (listed,)
    order : str
        The order in words.
    """

    table: PairTable
    queries: NDArray[np.int64]
    order: str

    @property
    def query_ids(self) -> list[str]:
        """The listed queries."""
        known = self.table.first.judgments.query_ids
        return [known[at] for at in self.queries]

    @property
    def paired(self) -> bool:
        """Whether there are two systems."""
        return self.table.second is not None


def listing(of: pages.Scored, texts: Sequence[str]) -> Listing | None:
    """List the queries of the pair as filter, order and search ask; None: no system is scored.

    The first of them is opened where none is open yet, and after another filter, order or search.
    """
    names = [name for name in _names(of) if name in of.systems]
    if not names:
        return None
    table = PairTable(*(of.systems[name] for name in names))
    kept = table.kept(controls.kept("show", FILTERS if table.second else _ALONE))
    kept &= matching(table.first.judgments.query_ids, texts, st.session_state.get("find", ""))
    option = controls.kept("list_order", _ORDERS) if table.second else "worst"
    orders = {"worst": table.worst, "difference": table.largest_difference}
    order = orders[option]()
    found = Listing(table, order[kept[order]], say(f"order.line.{option}"))
    if controls.changed("show", "find", "list_order") and found.query_ids:
        st.session_state["query"] = found.query_ids[0]
    elif st.session_state.get("query") is None:
        st.session_state["query"] = table.first.judgments.query_ids[order[0]]
    return found


def choose(of: pages.Scored, *, paired: bool) -> None:
    """Ask for the pair, and for the order of its list."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        pairing.controls(of.names, of.pair, alone=True)
        if paired:
            controls.kept_list(
                "list_order", say("order.label"), _ORDERS, lambda option: say(f"order.{option}")
            )
    for name in _names(of):
        if name in of.refused:
            st.html(sentences.note(str(of.refused[name]), lead=say("refused.lead")))


def place(of: pages.Scored, listed: Listing, texts: Sequence[str]) -> None:
    """Place the filter, the list and the charts."""
    _filter(of, paired=listed.paired)
    known = listed.table.first.judgments.query_ids
    st.html(
        sentences.paired(
            of.pair,
            of.comparison if listed.paired else None,
            shown=len(listed.queries),
            judged=len(known),
            order=listed.order,
        )
    )
    if not len(listed.queries):
        st.html(sentences.line(say("filter.nothing")))
        return
    frame = query_tables.pair_list(listed.table, listed.queries, known, texts)
    left, right = st.columns([6, 7], gap="medium")
    with left:
        columns = _columns(paired=listed.paired, text=125 if any(texts) else None)
        controls.query_table(
            "pair_list",
            frame,
            listed.query_ids,
            height=_HEIGHT,
            columns=columns,
            label=say("pair.title" if listed.paired else "pair.title_alone"),
        )
    with right:
        if listed.paired:
            _pair_charts(of, frame)
        else:
            _score_chart(of, frame)


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


def _filter(of: pages.Scored, *, paired: bool) -> None:
    def words(option: str) -> str:
        alone = "_alone" if option == "both_bad" and not paired else ""
        return say(f"filter.{option}{alone}")

    hint = say("filter.help", low=LOW, place=sentences.top(of.selection.policy))
    options = FILTERS if paired else _ALONE
    controls.kept_buttons("show", say("filter.label"), options, words, hint)


def _columns(*, paired: bool, text: int | None) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    ids = id_columns(text=text)
    columns = {
        "query": ids["query"],
        "first": number(say("column.first"), format="%.3f", width=50),
    }
    if paired:
        columns["second"] = number(say("column.second"), format="%.3f", width=50)
        columns["difference"] = number(say("column.difference"), format="%+.3f", width=60)
    columns["text"] = ids["text"]
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
        first = say("chart.better", role=say("column.first"), n=f"{comparison.wins:,}")
        second = say("chart.better", role=say("column.second"), n=f"{comparison.losses:,}")
        limits = query_tables.limits(marks[["difference"]], -1, 1)
        title = say("chart.difference", measure=of.selection.policy.short_measure)
        spec = charts.difference_bars(title, first, second, limits)
        controls.query_chart("differences", query_tables.with_open_in_ink(marks), spec)
    if len(marks) == query_tables.CHARTED:
        st.html(sentences.line(say("chart.sampled", drawn=f"{len(marks):,}")))
