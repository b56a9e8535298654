"""Widgets whose choice outlives their page: lists, texts, tables and charts that open a query.

A widget's state ends when its page changes. What a reader chose is kept beside it, under the plain
name that stands in the address.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from dashboard import charts
from dashboard.wording import say

_ROW_HEIGHT = 28


def kept(name: str, options: Sequence[str]) -> str:
    """The option that was chosen, or else the first."""
    chosen = str(st.session_state.get(name))
    return chosen if chosen in options else options[0]


def kept_list(
    name: str,
    label: str,
    options: Sequence[str],
    option_words: Callable[[str], str],
    *,
    width: int = 220,
) -> str:
    """A list to choose from, so many pixels wide; at first its first option."""
    st.session_state[f"{name}_choice"] = kept(name, options)
    st.selectbox(
        label,
        options,
        key=f"{name}_choice",
        format_func=option_words,
        on_change=_keep,
        args=(name,),
        width=width,
    )
    return kept(name, options)


def kept_buttons(
    name: str, label: str, options: Sequence[str], option_words: Callable[[str], str], hint: str
) -> str:
    """A row of buttons, one of them pressed; at first the first."""
    st.session_state[f"{name}_choice"] = kept(name, options)
    st.segmented_control(
        label,
        options,
        key=f"{name}_choice",
        format_func=option_words,
        required=True,
        help=hint,
        on_change=_keep,
        args=(name,),
    )
    return kept(name, options)


def kept_text(name: str, label: str, hint: str) -> str:
    """A text to type."""
    state = st.session_state
    state[f"{name}_choice"] = state.get(name, "")
    st.text_input(
        label, key=f"{name}_choice", placeholder=hint, on_change=_keep, args=(name,), width=200
    )
    return str(state.get(name, ""))


def download(
    label: str, content: Callable[[], bytes], file_name: str, mime: str, *, closed: bool
) -> None:
    """A button that writes a file when it is pressed.

    Parameters
    ----------
    label : str
    content : callable
        Makes the bytes, away from the session.
    file_name, mime : str
    closed : bool
        Whether no rule for unjudged documents is chosen: then nothing is written down.
    """
    st.download_button(
        label,
        content,
        file_name=file_name,
        mime=mime,
        on_click="ignore",
        disabled=closed,
        help=say("download.closed") if closed else None,
    )


def query_table(
    key: str,
    frame: pd.DataFrame | Styler,
    query_ids: Sequence[str],
    *,
    height: int,
    columns: Mapping[str, Any],
    label: str,
) -> None:
    """Show rows of queries; a click anywhere in a row opens its query.

    Parameters
    ----------
    key : str
    frame : DataFrame or Styler
        With a column `query`.
    query_ids : sequence of str
        The query of each row.
    height : int
        In pixels, at the most.
    columns : mapping
        The columns in their order, and how each is shown.
    label : str
        What the table holds, for screen readers.
    """

    # The selection reports a row number. It is turned into a query id at once, against the ids that
    # were displayed: after another sort the number would mean another query.
    def opened() -> None:
        if cells := st.session_state[key]["selection"]["cells"]:
            _open(query_ids[cells[0][0]])

    # The list marks the open query, however it was opened.
    query_id = st.session_state.get("query")
    cells = [(query_ids.index(query_id), "query")] if query_id in query_ids else []
    st.session_state[key] = {"selection": {"rows": [], "columns": [], "cells": cells}}
    st.dataframe(
        frame,
        key=key,
        on_select=opened,
        selection_mode="single-cell",
        hide_index=True,
        height=min(height, _ROW_HEIGHT * (len(query_ids) + 1) + 5),
        row_height=_ROW_HEIGHT,
        placeholder=say("table.mark.left_out"),
        column_config=dict(columns),
        column_order=list(columns),
        alt=label,
    )


def query_chart(name: str, frame: pd.DataFrame, spec: charts.Spec, *, wide: bool = True) -> None:
    """Show a chart of queries; a click on a mark opens its query."""
    # Another key for another query: a chart does not report a second click on the same mark.
    key = f"{name}_{st.session_state['query']}"

    def opened() -> None:
        if picked := st.session_state[key]["selection"].get("pick"):
            _open(picked[0]["query"])

    st.vega_lite_chart(
        frame,
        spec,
        key=key,
        on_select=opened,
        selection_mode="pick",
        width="stretch" if wide else "content",
    )


def changed(*names: str) -> bool:
    """Whether one of these choices was changed since this was last asked, and no query clicked."""
    state = st.session_state
    clicked = state.pop("query_clicked", False)
    return state.pop("choice_changed", None) in names and not clicked


def _keep(name: str) -> None:
    st.session_state[name] = st.session_state[f"{name}_choice"]
    st.session_state["choice_changed"] = name


def _open(query_id: str) -> None:
    st.session_state["query"] = query_id
    st.session_state["query_clicked"] = True
