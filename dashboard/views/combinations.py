"""Combinations: what every combination of some rules says of a pair, and of all systems."""

import streamlit as st

from core.errors import PolicyError
from core.multiverse import Multiverse
from core.verdicts import PairVerdict, pair
from dashboard import combination_tables, markup, pages, pairing, rule_choice, scoring, sentences
from dashboard.inputs import use_policy
from dashboard.wording import say


def combinations() -> None:
    """Place the verdict over all rule sets, the specification curve, its ends, and the ranks."""
    of = pages.scored()
    verdict = st.empty()
    pages.provenance(of)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        pairing.controls(of.names, of.pair)
    policy, axes = of.selection.policy, rule_choice.axes()
    rule_choice.controls(policy, axes)
    try:
        found = scoring.combined(of.workspace.runs, policy, tuple(axes.items()))
    except PolicyError as error:
        st.html(sentences.note(str(error)))
        return
    if of.pair.second is None:
        st.html(sentences.note(say("combine.alone")))
    else:
        two = pair(found, *map(found.systems.index, (of.pair.first, of.pair.second)))
        verdict.html(sentences.verdict_block(combination_tables.verdict(found, two, of.pair)))
        _pair(of, found, two)
    st.html(markup.title(say("combine.ranks_title"), say("combine.ranks_line")))
    st.html(combination_tables.rank_table(found, of.best_first, of.refused, of.pair))
    if said := combination_tables.agreement(found):
        st.html(sentences.line(said))


def _pair(of: pages.Scored, found: Multiverse, two: PairVerdict) -> None:
    st.html(markup.title(say("combine.curve"), say("combine.curve_line")))
    st.html(combination_tables.specification_table(found, two, of.pair))
    if said := combination_tables.undecided(found, two):
        st.html(sentences.line(said))
    st.html(markup.title(say("combine.places"), say("combine.places_line")))
    st.html(combination_tables.places_table(found, two, of.pair))
    with st.container(horizontal=True, gap="small"):
        for label, place in (("highest", two.highest), ("lowest", two.lowest)):
            if place is not None:
                rules = found.policies[place.rule_set]
                st.button(say(f"combine.use.{label}"), on_click=use_policy, args=(rules,))


combinations()
