"""Queries: the worst ones of a system, and why each scored what it scored."""

import numpy as np
import pandas as pd
import streamlit as st

from core.explanation import explanation
from core.scores import QueryScores
from dashboard import charts, markup, pages, query_tables, sentences

_CHARTED = 600
_LIST_HEIGHT, _ROW_HEIGHT = 560, 28


def queries() -> None:
    """Place the list of queries on the left, and the open query on the right."""
    of = pages.scored()
    _report_unknown(of)
    name = _chosen_system(of.best_first)
    if name in of.refused:
        pages.provenance(of)
        st.html(sentences.note(str(of.refused[name]), lead="Refused."))
        return
    scores = of.systems[name]
    texts = of.workspace.queries
    frame = query_tables.worst_first(scores, texts)
    listed = frame["query"].tolist()
    has_ideal = frame.loc[~frame["zero_idcg"], "query"]
    _keep_open_query(listed, has_ideal.iloc[0] if len(has_ideal) else listed[0])
    pages.provenance(of)
    left, right = st.columns([3, 7], gap="medium")
    with left:
        _list(frame, listed, of.selection.policy.short_measure)
    with right:
        _bars(frame, of.selection.policy.short_measure)
        _open_query(scores, of, st.session_state["query"], listed)


def _report_unknown(of: pages.Scored) -> None:
    """Say so where the address asks for a system or a query that is not there."""
    judgments = of.workspace.judgments
    known = {"system": of.names, "query": judgments.index if judgments else ()}
    for what, names in known.items():
        asked = st.session_state.get(what)
        if asked and asked not in names:
            st.html(sentences.note(f"There is no {what} '{asked}' in the files that are loaded."))


def _chosen_system(names: list[str]) -> str:
    """Ask for a system; at first the one in the address, or else the best."""
    state = st.session_state
    if state.get("system") not in names:
        state["system"] = names[0]

    # A widget's state ends with its page; "system" stays.
    def chosen() -> None:
        state["system"] = state["system_choice"]

    state["system_choice"] = state["system"]
    st.selectbox("System", names, key="system_choice", on_change=chosen, width=260)
    return str(state["system"])


def _keep_open_query(listed: list[str], start: str) -> None:
    """Keep the open query; at first the one in the address, or else `start`."""
    if st.session_state.get("query") not in listed:
        st.session_state["query"] = start


def _list(frame: pd.DataFrame, listed: list[str], measure: str) -> None:
    # The selection reports a row number. It is turned into a query id at once, against the ids that
    # were displayed: after another sort the number would mean another query.
    def opened() -> None:
        cells = st.session_state["query_list"]["selection"]["cells"]
        if cells:
            st.session_state["query"] = listed[cells[0][0]]

    # The list marks the open query, however it was opened.
    at = listed.index(st.session_state["query"])
    selected = {"rows": [], "columns": [], "cells": [(at, "query")]}
    st.session_state["query_list"] = {"selection": selected}
    st.html(sentences.line("Lowest score first"))
    st.dataframe(
        frame.drop(columns="zero_idcg"),
        key="query_list",
        on_select=opened,
        selection_mode="single-cell",
        hide_index=True,
        height=min(_LIST_HEIGHT, _ROW_HEIGHT * (len(frame) + 1) + 5),
        row_height=_ROW_HEIGHT,
        placeholder="left out",
        column_config={
            "query": st.column_config.TextColumn("query", width=55),
            "text": st.column_config.TextColumn("text", width=130),
            "ndcg": st.column_config.NumberColumn(measure, format="%.3f", width=65),
            "state": st.column_config.TextColumn("state", width=60),
            "unjudged": st.column_config.NumberColumn("unjudged", format="%.3g", width=60),
        },
    )


def _bars(frame: pd.DataFrame, measure: str) -> None:
    """Draw the scores as bars, lowest first; of many queries an even sample and the open one."""
    open_query = st.session_state["query"]
    # Another key for another query: a chart does not report a second click on the same bar.
    key = f"query_bars_{open_query}"

    def opened() -> None:
        if picked := st.session_state[key]["selection"].get("pick"):
            st.session_state["query"] = picked[0]["query"]

    bars = frame.dropna(subset=["ndcg"]).reset_index(drop=True)
    if len(bars) > _CHARTED:
        sample = np.linspace(0, len(bars) - 1, _CHARTED).astype(int)
        bars = bars[bars.index.isin(sample) | (bars["query"] == open_query)]
    if not len(bars):
        return
    bars = bars.assign(
        position=np.arange(len(bars)),
        role=np.where(bars["query"] == open_query, "ink", "first"),
    )
    st.altair_chart(
        charts.query_bars(bars[["position", "query", "text", "ndcg", "role"]], measure),
        key=key,
        on_select=opened,
        selection_mode="pick",
        width="stretch" if len(bars) > charts.FEW else "content",
    )


def _open_query(scores: QueryScores, of: pages.Scored, query_id: str, listed: list[str]) -> None:
    """Show one query: its sum, its ranking and its ideal ranking."""
    explained = explanation(scores, query_id)
    policy, documents = scores.policy, of.workspace.documents
    text = of.workspace.queries.get(query_id)
    _neighbours(query_id, listed)
    st.html(markup.title(text.label if text else query_id, f"query {query_id}, {scores.name}"))
    st.html(query_tables.sum_of_one_query(explained, policy))
    if explained.removed:
        st.html(sentences.line(f"{explained.removed} unjudged documents removed from the ranking."))
    ranking, ideal = st.columns(2, gap="medium")
    with ranking:
        st.html(markup.title("Its ranking"))
        st.html(query_tables.ranked_list(explained, documents, policy))
    with ideal:
        st.html(markup.title("The ideal ranking"))
        st.html(query_tables.ideal_list(explained, documents, policy))


def _neighbours(query_id: str, listed: list[str]) -> None:
    at = listed.index(query_id)

    def go(to: int) -> None:
        st.session_state["query"] = listed[to]

    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button("Previous", on_click=go, args=(at - 1,), disabled=at == 0, type="tertiary")
        st.button(
            "Next", on_click=go, args=(at + 1,), disabled=at == len(listed) - 1, type="tertiary"
        )
        st.html(sentences.line(f"{at + 1} of {len(listed)}, lowest first"), width="content")


queries()
