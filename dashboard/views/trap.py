"""The trap: why NDCG 1 does not mean that the best documents were found, in four steps.

Always on the sample runs and under rules of its own: neither the sidebar nor other files change it.
"""

from dataclasses import replace

import streamlit as st

from core.explanation import Explanation, explanation
from core.policy import Policy
from core.scores import QueryScores
from core.sensitivity import SwitchEffect
from dashboard import (
    effect_tables,
    files,
    loading,
    markup,
    open_query,
    scoring,
    sentences,
    trap,
)
from dashboard.inputs import use_policy
from dashboard.loading import Workspace
from dashboard.open_query import Side
from dashboard.pairing import Pair
from dashboard.trap import OWN, QUERY, SHARED, SYSTEM, Averages
from dashboard.wording import say


def the_trap() -> None:
    """Place what the page is about, its rules, and the four steps."""
    samples = loading.load(files.sample_files())
    judgments = samples.judgments
    assert judgments is not None, "the sample runs come with their judgments"
    shared = explanation(_scores(samples, SHARED)[SYSTEM], QUERY)
    own = explanation(_scores(samples, OWN)[SYSTEM], QUERY)
    st.html(sentences.verdict_block([trap.moral(shared, own)]))
    aggregates = list(_averages(samples, SHARED).by_name.values())
    st.html(sentences.line(say("trap.line")))
    st.html(sentences.provenance(SHARED, aggregates, judgments, provisional=False))
    _one_query(samples, shared, own)
    _overtaking(samples)
    _left_out(samples)
    _pooled(samples)
    st.html(sentences.line(say("trap.end")))


def _one_query(samples: Workspace, shared: Explanation, own: Explanation) -> None:
    st.html(markup.title(say("trap.title.query")))
    st.html(trap.one_query(shared, own, samples.queries[QUERY].label))
    texts, side = samples.documents, Side(SYSTEM, "first", shared)
    left, right = st.columns(2, gap="medium")
    with left:
        _list("trap.ranking", open_query.ranked_list(side, None, texts))
    with right:
        _list("trap.shared_ideal", open_query.ideal_list([side], texts))
        _list("trap.own_ideal", open_query.ideal_list([Side(SYSTEM, "first", own)], texts))


def _list(label: str, documents: str) -> None:
    st.html(sentences.line(say(label)))
    st.html(documents)


def _overtaking(samples: Workspace) -> None:
    st.html(markup.title(say("trap.title.overtake")))
    effect = _effect(samples, SHARED, OWN)
    st.html(trap.overtaking(_averages(samples, SHARED), _averages(samples, OWN), effect))
    _slopes(samples, effect)
    _use(OWN)


def _left_out(samples: Workspace) -> None:
    st.html(markup.title(say("trap.title.left_out")))
    shared, own = (replace(rules, zero_idcg="leave_out") for rules in (SHARED, OWN))
    before = _averages(samples, OWN)
    st.html(trap.left_out(_averages(samples, shared), _averages(samples, own), before))
    _slopes(samples, _effect(samples, SHARED, shared), _effect(samples, OWN, own))
    _use(own)


def _pooled(samples: Workspace) -> None:
    st.html(markup.title(say("trap.title.pooled")))
    shared, own = (replace(rules, average="pooled") for rules in (SHARED, OWN))
    effect = _effect(samples, SHARED, shared)
    weights = _scores(samples, shared)[SYSTEM]
    averages = _averages(samples, shared), _averages(samples, own)
    st.html(trap.pooled(*averages, effect, weights))
    _slopes(samples, effect, _effect(samples, OWN, own))
    _use(own)


def _slopes(samples: Workspace, *effects: SwitchEffect) -> None:
    pair = Pair(SYSTEM, _averages(samples, SHARED).leader)
    names = [graded.run.name for graded in samples.runs]
    st.html(effect_tables.slopes(names, trap.captions(*effects), pair))


def _use(rules: Policy) -> None:
    """Offer the rules of a step, where every page is scored under them."""
    label = say("trap.use", rules=trap.rules_label(rules))
    if st.button(label, on_click=use_policy, args=(rules,)):
        st.switch_page("views/overview.py")


def _scores(samples: Workspace, rules: Policy) -> dict[str, QueryScores]:
    found = scoring.outcomes(samples.runs, rules)
    return {one.name: one for one in found if isinstance(one, QueryScores)}


def _averages(samples: Workspace, rules: Policy) -> Averages:
    scores = _scores(samples, rules)
    return Averages({name: scoring.aggregated(one) for name, one in scores.items()})


def _effect(samples: Workspace, start: Policy, end: Policy) -> SwitchEffect:
    return scoring.switched(samples.runs, start, trap.switch(start, end))


the_trap()
