"""Policy effects: what each single switch of the policy would change."""

import streamlit as st

from dashboard import markup, pages, scoring, sentences, tables, wording


def policy_effects() -> None:
    """Place the matrix of switches by systems."""
    of = pages.scored()
    pages.provenance(of)
    effects = scoring.effects(of.workspace.runs, of.selection.policy)
    st.html(
        markup.title(
            "What one switch would change",
            "Change of each system's headline when one rule is changed and all others stay. "
            "Switches that change the order of the systems come first.",
        )
    )
    moving = [one for one in effects if not one.changes_nothing]
    st.html(tables.switch_matrix(of.names, moving, of.best_first))
    idle = [
        wording.switch_label(one.switch.field, one.switch.option)
        for one in effects
        if one.changes_nothing
    ]
    if idle:
        st.html(sentences.line(f"These change no value: {'; '.join(idle)}."))


policy_effects()
