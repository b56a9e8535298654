"""Policy effects: what each single switch of the policy would change."""

import streamlit as st

from dashboard import effect_tables, markup, pages, scoring, sentences
from dashboard.wording import say, say_count, switch_label


def policy_effects() -> None:
    """Place the matrix of switches by systems, and that of pairs by switches."""
    of = pages.scored()
    pages.provenance(of)
    effects = scoring.effects(of.workspace.runs, of.selection.policy)
    moving = [one for one in effects if not one.changes_nothing]
    st.html(markup.title(say("effects.title"), say("effects.line")))
    st.html(effect_tables.switch_matrix(of.names, moving, of.best_first, of.pair))
    idle = [
        switch_label(one.switch.field, one.switch.option) for one in effects if one.changes_nothing
    ]
    if idle:
        st.html(sentences.line(say("effects.idle", switches="; ".join(idle))))
    if len(of.names) > 1:
        st.html(markup.title(say("pairs.title"), say("pairs.line")))
        if pairs := effect_tables.pair_matrix(of.names, moving, of.pair):
            st.html(pairs)
        steady = effect_tables.steady_pairs(of.names, moving)
        st.html(sentences.line(say_count("pairs.steady", steady) if pairs else say("pairs.none")))


policy_effects()
