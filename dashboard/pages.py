"""What all pages share: the loaded files, the scores, the guards and the provenance line."""

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from core.errors import EvaluationError
from core.policy import OPTIONS
from core.scores import Aggregate, QueryScores
from dashboard import loading, scoring, sentences, tables, wording
from dashboard.inputs import Selection, choose_unjudged, selection
from dashboard.loading import Workspace

_ADDRESS_KEYS = ("system", "query")


@dataclass(frozen=True, eq=False)
class Scored:
    """All runs, scored under the chosen policy.

    Parameters
    ----------
    workspace : Workspace
    selection : Selection
    outcomes : tuple of QueryScores or EvaluationError
        In the order of the runs.
    """

    workspace: Workspace
    selection: Selection
    outcomes: tuple[QueryScores | EvaluationError, ...]

    @cached_property
    def systems(self) -> dict[str, QueryScores]:
        """Scores by name of the run, without those the policy refuses."""
        return {one.name: one for one in self.outcomes if isinstance(one, QueryScores)}

    @cached_property
    def refused(self) -> dict[str, EvaluationError]:
        """Why the policy refuses a run, by its name."""
        named = zip(self.workspace.runs, self.outcomes, strict=True)
        return {run.run.name: one for run, one in named if isinstance(one, EvaluationError)}

    @cached_property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """Aggregates, best first; those without a value last."""
        found = [scoring.aggregated(scores) for scores in self.systems.values()]
        return tuple(sorted(found, key=lambda one: (one.ndcg is None, -(one.ndcg or 0.0))))

    @property
    def unjudged(self) -> float:
        """Unjudged documents in the top k, of all runs together."""
        return sum(one.unjudged_in_top for one in self.aggregates)

    @property
    def provisional(self) -> bool:
        """Whether the numbers depend on a rule for unjudged documents that nobody chose."""
        return not self.selection.unjudged_chosen and self.unjudged > 0

    @property
    def names(self) -> list[str]:
        """Names of all runs, in their order."""
        return [graded.run.name for graded in self.workspace.runs]


def scored() -> Scored:
    """Load and score; explain and stop where there is nothing to score."""
    workspace = loading.workspace()
    opening(workspace)
    if not workspace.runs:
        st.html(sentences.note(_what_is_absent(workspace)))
        st.stop()
    chosen = selection()
    return Scored(workspace, chosen, scoring.outcomes(workspace.runs, chosen.policy))


def opening(workspace: Workspace) -> None:
    """Say what is loaded, where it is the samples, and which files are not used."""
    for text in st.session_state.get("address_refused", ()):
        st.html(sentences.note(text))
    if workspace.files.origin == "sample":
        st.html(sentences.line(wording.SAMPLES))
    for rejected in workspace.rejected:
        st.html(sentences.note(rejected.reason, lead="Not used."))


def provenance(of: Scored, *, with_numbers: bool = False) -> None:
    """Show the rules and counts behind every number of the page.

    While no rule for unjudged documents is chosen, offer them; `with_numbers` says what each gives.
    """
    policy, judgments = of.selection.policy, of.workspace.judgments
    assert judgments is not None, "runs are joined to judgments"
    if policy.ideal_scope == "this_run":
        st.html(sentences.own_ideal_lists(list(of.systems.values())))
    st.html(sentences.provenance(policy, of.aggregates, judgments, provisional=of.provisional))
    if of.provisional:
        _choice(of, with_numbers=with_numbers)


def address() -> dict[str, str]:
    """Return what the pages want to keep in the address."""
    return {key: value for key in _ADDRESS_KEYS if (value := st.session_state.get(key))}


def _choice(of: Scored, *, with_numbers: bool) -> None:
    """Offer the rules for unjudged documents, one click each."""
    policy = of.selection.policy
    with st.container(key="unjudged_choice", gap="xsmall"):
        st.html(sentences.unjudged_choice(of.unjudged, policy))
        if with_numbers:
            effects = scoring.unjudged_effects(of.workspace.runs, policy)
            st.html(tables.unjudged_rules(of.names, effects))
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            for option in OPTIONS["unjudged"]:
                label = wording.option_label("unjudged", option).capitalize()
                st.button(label, key=f"choose_{option}", on_click=choose_unjudged, args=(option,))


def _what_is_absent(workspace: Workspace) -> str:
    if workspace.judgments is None:
        return wording.NO_JUDGMENTS
    return wording.NO_RUNS
