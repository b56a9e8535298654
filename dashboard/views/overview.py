"""Overview: which system is ahead, by how much, how sure that is, and under which rules."""

import streamlit as st

from dashboard import (
    controls,
    downloads,
    effect_tables,
    leaderboard,
    markup,
    pages,
    pairing,
    scoring,
    sentences,
)
from dashboard.wording import say

_WALK = ("walk.1", "walk.2", "walk.3", "walk.4")


def overview() -> None:
    """Place the verdict, the rules, one row a system, and the switches that matter most."""
    of = pages.scored()
    if of.workspace.files.origin == "sample":
        st.html(sentences.steps(say("walk.title"), [say(step) for step in _WALK]))
    policy, best = of.selection.policy, of.aggregates
    verdict = st.empty()
    answer = []
    if best:
        answer = sentences.verdict(best, of.comparison, provisional=of.provisional)
        verdict.html(sentences.verdict_block(answer))
    pages.provenance(of)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        pairing.controls(of.names, of.pair)
        if best:
            controls.download(
                say("overview.record"),
                lambda: downloads.record_json(list(of.systems.values())),
                "evaluation.json",
                "application/json",
                closed=of.provisional,
            )
    st.html(leaderboard.leaderboard(pages.standing(of)))
    st.html(sentences.line(say("overview.caution")))
    if not best:
        return
    # Every switch is tried only after the systems stand there to be read.
    effects = scoring.effects(of.workspace.runs, policy)
    verdict.html(sentences.verdict_block([*answer, sentences.switches(effects)]))
    st.html(markup.title(say("slopes.title"), say("slopes.line")))
    st.html(effect_tables.slope_panels(of.names, effects, of.pair))
    level = say("measures.line", level=policy.relevance_level)
    st.html(markup.title(say("measures.title"), level))
    st.html(leaderboard.other_measures(best, policy, of.pair))


overview()
