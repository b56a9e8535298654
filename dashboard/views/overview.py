"""Overview: which system is ahead, by how much, under which rules."""

import streamlit as st

from core.comparison import compare
from dashboard import markup, pages, scoring, sentences, tables, wording


def overview() -> None:
    """Place the verdict, the rules, and one row a system."""
    of = pages.scored()
    if of.workspace.files.origin == "sample":
        st.html(sentences.walk())
    policy = of.selection.policy
    best = of.aggregates
    if best:
        with_value = [one for one in best if one.ndcg is not None]
        pair = [of.systems[one.name] for one in with_value[:2]]
        comparison = compare(*pair) if len(pair) > 1 else None
        effects = scoring.effects(of.workspace.runs, policy)
        st.html(sentences.verdict(best, comparison, effects, provisional=of.provisional))
    pages.provenance(of)
    st.html(tables.leaderboard(pages.standing(of)))
    st.html(sentences.line(f"{wording.NOT_TESTED} {wording.ANSWERS}"))
    if best:
        level = f"Relevant from grade {policy.relevance_level}; same rankings, same rules."
        st.html(markup.title("Other measures", level))
        st.html(tables.other_measures(best, policy))


overview()
