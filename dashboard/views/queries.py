"""Queries: every query of every system, then the compared pair, then one query explained."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.explanation import explanation, ndcg_over_cutoffs
from core.per_query import ScoreTable, matching
from dashboard import (
    controls,
    curves,
    downloads,
    markup,
    open_query,
    pages,
    pair_panel,
    query_tables,
    sentences,
)
from dashboard.open_query import Side
from dashboard.wording import say, say_count

_ROWS, _HEIGHT = 100, 262
_HOW = tuple(f"query.how.{step}" for step in range(1, 6))


def queries() -> None:
    """Place the table of all systems, the list and charts of the pair, and the open query."""
    of = pages.scored()
    pages.provenance(of)
    texts = query_tables.labels(of.query_ids, of.workspace.queries)
    listed = pair_panel.listing(of, texts)
    if of.systems:
        table = ScoreTable(tuple(of.systems[name] for name in of.names if name in of.systems))
        _every_system(of, table, texts)
    alone = listed is not None and not listed.paired
    st.html(markup.title(say("pair.title_alone" if alone else "pair.title")))
    pair_panel.choose(of, paired=listed is not None and listed.paired)
    if listed is not None:
        pair_panel.place(of, listed, texts)
        _open(of, listed)


def _every_system(of: pages.Scored, table: ScoreTable, texts: Sequence[str]) -> None:
    """Show the first queries in an order; the CSV holds all of them."""
    st.html(markup.title(say("table.title")))
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        order, order_words = _table_order(table)
        wanted = controls.kept_text("find", say("table.find"), say("table.find_hint"))
        controls.download(
            say("table.csv"),
            lambda: downloads.query_scores_csv(table, texts),
            "query_scores.csv",
            "text/csv",
            closed=of.provisional,
        )
    found = order[matching(table.query_ids, texts, wanted)[order]][:_ROWS]
    if not len(found):
        st.html(sentences.line(say("table.nothing", wanted=wanted)))
        return
    counts = {"shown": f"{len(found):,}", "queries": f"{len(order):,}"}
    place = sentences.top(of.selection.policy)
    st.html(sentences.line(say("table.line", **counts, order=order_words, place=place)))
    columns = {
        f"system_{at}": st.column_config.TextColumn(scores.name, width=82)
        for at, scores in enumerate(table.systems)
    }
    controls.query_table(
        "every_system",
        query_tables.every_system(table, found, texts),
        [table.query_ids[at] for at in found],
        height=_HEIGHT,
        columns={**pair_panel.id_columns(text=160 if any(texts) else None), **columns},
        label=say("table.title"),
    )
    st.html(open_query.opened(table, str(st.session_state.get("query", ""))))


def _table_order(table: ScoreTable) -> tuple[NDArray[np.int64], str]:
    """Ask for an order: worst for everyone, widest spread, or worst of one system."""
    names = [scores.name for scores in table.systems]
    # Names come from files: a number tells a system from the two other orders.
    options = ["worst", "spread", *(str(at) for at in range(len(names)))]

    def words(option: str) -> str:
        if option.isdigit():
            return say("table.sort.system", system=names[int(option)])
        return say(f"table.sort.{option}")

    option = controls.kept_list("sort", say("table.sort"), options, words)
    if option.isdigit():
        return table.worst_of(int(option)), words(option)
    orders = {"worst": table.worst_for_all, "spread": table.widest_spread}
    return orders[option](), words(option)


def _open(of: pages.Scored, listed: pair_panel.Listing) -> None:
    """Show one query: the sums, the rankings side by side, what was missed, and the ideal."""
    query_id = str(st.session_state["query"])
    text = of.workspace.queries.get(query_id)
    sides = [
        Side(scores.name, of.pair.role(scores.name), explanation(scores, query_id))
        for scores in listed.table.table.systems
    ]
    _neighbours(query_id, listed.query_ids)
    st.html(sentences.query_title(query_id, text))
    if whole := sentences.whole_text(text):
        st.html(whole)
    st.html(open_query.sums(sides))
    st.html(sentences.steps(say("query.how"), [say(step) for step in _HOW]))
    for side in sides:
        if removed := side.explained.removed:
            st.html(sentences.line(say_count("query.removed", removed, system=side.name)))
    for column, side in zip(st.columns(len(sides), gap="medium"), sides, strict=True):
        with column:
            _ranking(of, side, next((one for one in sides if one is not side), None))
    left, right = st.columns(2, gap="medium")
    with left:
        st.html(markup.title(say("ideal.title"), say("ideal.line")))
        for together in [sides] if open_query.one_ideal(sides) else [[side] for side in sides]:
            st.html(open_query.ideal_list(together, of.workspace.documents))
    with right:
        _curves(of, sides)


def _ranking(of: pages.Scored, side: Side, other: Side | None) -> None:
    """Show the ranking of one system, and below it what it missed."""
    documents = of.workspace.documents
    st.html(open_query.ranked_list(side, other, documents))
    place = sentences.top(of.selection.policy)
    line = "missed.line" if side.explained.missed else "missed.none"
    st.html(markup.title(say("missed.title"), say(line, place=place)))
    if side.explained.missed:
        st.html(open_query.missed(side, documents))


def _curves(of: pages.Scored, sides: Sequence[Side]) -> None:
    cutoff = of.selection.policy.cutoff
    in_use = None if cutoff == "all" else cutoff
    drawn = curves.cutoffs(max(len(side.explained.ranked) for side in sides), in_use)
    values = {
        side.name: ndcg_over_cutoffs(of.systems[side.name], side.explained, drawn) for side in sides
    }
    st.html(markup.title(say("curve.title"), say("curve.line")))
    st.html(curves.curves(drawn, values, {side.name: side.role for side in sides}, in_use))


def _neighbours(query_id: str, listed: Sequence[str]) -> None:
    """Step through the list, by button or by key."""
    at = listed.index(query_id) if query_id in listed else None
    before, after = (-1, 0) if at is None else (at - 1, at + 1)

    def go(to: int) -> None:
        st.session_state["query"] = listed[to]

    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for label, to, key in (
            ("query.previous", before, "P"),
            ("query.next", after, "N"),
        ):
            disabled = not 0 <= to < len(listed)
            st.button(say(label), on_click=go, args=(to,), disabled=disabled, shortcut=key)
        place = {"at": f"{after:,}", "listed": f"{len(listed):,}"}
        words = say("query.elsewhere") if at is None else say("query.position", **place)
        st.html(sentences.line(words), width="content")


queries()
