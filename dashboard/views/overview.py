"""Overview: which system is ahead, by how much, how sure that is, and under which rules."""

from collections.abc import Sequence

import streamlit as st

from core.errors import listed
from core.sensitivity import SwitchEffect
from dashboard import (
    controls,
    downloads,
    effect_tables,
    leaderboard,
    markup,
    pages,
    pairing,
    reports,
    scoring,
    sentences,
)
from dashboard.wording import say, say_count


def overview() -> None:
    """Place the verdict, the rules, one row a system, and the switches that matter most."""
    st.html(sentences.line(say("page.question")))
    of = pages.scored()
    verdict = st.empty()
    answer = _answer(of)
    verdict.html(answer)
    pages.provenance(of)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        pairing.controls(of.names, of.pair)
        if of.systems:
            controls.download(
                say("overview.record"),
                lambda: downloads.record_json(list(of.systems.values())),
                "evaluation.json",
                "application/json",
                closed=of.provisional,
            )
    st.html(leaderboard.leaderboard(pages.standing(of)))
    notes = st.empty()
    st.html(sentences.line(say("overview.caution")))
    if of.systems:
        # Every switch is tried only after the systems stand there to be read.
        effects = scoring.effects(of.workspace.runs, of.selection.policy)
        if len(of.systems) > 1:
            verdict.html(answer + sentences.verdict_block([sentences.switches(effects)]))
        _below(of, effects)
    # Runs without a judged document are named at the top.
    met = [one for one in of.workspace.runs if not one.mismatch]
    if doubtful := [one.run.name for one in met if reports.doubtful(one)]:
        names = listed(doubtful)
        notes.html(sentences.note(say_count("overview.notes", len(doubtful), systems=names)))


def _answer(of: pages.Scored) -> str:
    """The verdict; where every system is refused, the first reason."""
    if of.systems:
        answer = sentences.verdict(of.aggregates, of.comparison, provisional=of.provisional)
        return sentences.verdict_block(answer)
    reason = str(next(iter(of.refused.values())))
    return sentences.note(reason, lead=say("overview.refused"))


def _below(of: pages.Scored, effects: Sequence[SwitchEffect]) -> None:
    """Place what comes after the systems: the strongest switches, and the other measures."""
    policy = of.selection.policy
    st.html(markup.title(say("slopes.title"), say("slopes.line")))
    st.html(effect_tables.slope_panels(of.names, effects, of.pair))
    level = say("measures.line", level=policy.relevance_level)
    st.html(markup.title(say("measures.title"), level))
    st.html(leaderboard.other_measures(of.aggregates, policy, of.pair))


overview()
