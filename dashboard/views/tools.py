"""Tools: what each tool would report of these runs, and why two numbers differ."""

from collections.abc import Mapping

import streamlit as st

from core.number_search import Match, Reported, ReportedNumberError
from core.policy import Policy
from dashboard import controls, markup, pages, pairing, scoring, sentences, tool_tables, walk_tables
from dashboard.inputs import use_policy
from dashboard.wording import say, say_count, switch_label

_PRESENT = "present"
_AIM = "sklearn-candidates"
_NARROW, _WIDE = 220, 420


def tools() -> None:
    """Place the numbers of all tools, the walk from one to another, and the sources."""
    of = pages.scored()
    verdict = st.empty()
    pages.provenance(of)
    policy = of.selection.policy
    found = scoring.listed(of.workspace.runs, tool_tables.policies(policy))
    verdict.html(sentences.verdict_block(tool_tables.spread(found, of.pair)))
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        pairing.controls(of.names, of.pair)
    st.html(markup.title(say("tools.title"), say("tools.line")))
    st.html(tool_tables.tool_table(found, of.best_first, of.pair))
    with st.expander(say("tools.sources"), key="tool_sources"):
        st.html(tool_tables.sources())
    st.html(markup.title(say("walk_from.title"), say("walk_from.line")))
    _walk(of)


def _walk(of: pages.Scored) -> None:
    policy = of.selection.policy
    rules = {_PRESENT: policy} | {one.name: one.at(policy.cutoff) for one in tool_tables.tools()}
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        start = controls.kept_list("from", say("walk_from.from"), list(rules), _label)
        place = st.container(width="content")
        hint = say("walk_from.reported_hint")
        reported = controls.kept_text("reported", say("walk_from.reported"), hint).strip()
    aims = {_AIM: rules[_AIM]} | rules
    found = _searched(of, reported) if reported else {}
    with place:
        width = _WIDE if found else _NARROW
        end = controls.kept_list(
            "to", say("walk_from.to"), list(found or aims), _label, width=width
        )
    _steps(of, (start, rules[start]), (end, (found or aims)[end]))


def _searched(of: pages.Scored, text: str) -> Mapping[str, Policy]:
    """The rules that give a reported number, by what is said of them; those of A come first."""
    try:
        reported = Reported.parsed(text)
    except ReportedNumberError as error:
        st.html(sentences.note(str(error)))
        return {}
    found = scoring.searched(of.workspace.runs, reported, of.selection.policy.cutoff)
    if not found:
        st.html(sentences.note(say("walk_from.no_match", reported=text)))
    else:
        st.html(sentences.line(say_count("walk_from.matches", len(found), reported=text)))
    first = sorted(found, key=lambda match: match.system != of.pair.first)
    return {_match_label(match): match.policy for match in first}


def _match_label(match: Match) -> str:
    rules = match.preset.name
    if match.switch is not None:
        switch = switch_label(match.switch.field, match.switch.option)
        rules = say("walk_from.with", preset=rules, switch=switch)
    return say("walk_from.match", system=match.system, value=f"{match.value:.5f}", rules=rules)


def _steps(of: pages.Scored, start: tuple[str, Policy], end: tuple[str, Policy]) -> None:
    walk = scoring.walked(of.workspace.runs, start[1], end[1])
    if not walk.steps:
        st.html(sentences.note(say("walk_from.same")))
        return
    labels = (_label(start[0]), _label(end[0]))
    st.html(walk_tables.walk_table(walk, labels, of.best_first, of.pair))
    for said in walk_tables.remarks(walk):
        st.html(sentences.line(said))
    use = say("walk_from.use", rules=labels[1])
    st.button(use, on_click=use_policy, args=(end[1],), disabled=end[1] == of.selection.policy)
    st.html(markup.title(say("walk_from.moved"), say("walk_from.moved_line")))
    st.html(walk_tables.moves_table(walk, of.pair.first))


def _label(rules: str) -> str:
    return say("tools.present") if rules == _PRESENT else rules


tools()
