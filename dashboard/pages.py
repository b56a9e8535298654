"""What all pages share: the loaded files, the scores, the guards and the provenance line."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from core.comparison import Comparison, compare
from core.errors import EvaluationError, listed
from core.grades import GradedRun
from core.policy import OPTIONS
from core.scores import Aggregate, QueryScores
from dashboard import file_findings, loading, pairing, reports, scoring, sentences
from dashboard.inputs import PAGE_STATE, Selection, choose_unjudged, selection
from dashboard.leaderboard import Standing
from dashboard.loading import Workspace
from dashboard.pairing import Pair
from dashboard.wording import option_label, say, say_count

_WALK = tuple(f"walk.{step}" for step in range(1, 6))


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
    def best_first(self) -> list[str]:
        """Names of all runs, best first, those the policy refuses last."""
        return [*(one.name for one in self.aggregates), *self.refused]

    @cached_property
    def pair(self) -> Pair:
        """The systems that are compared."""
        return pairing.pair(self.best_first)

    @cached_property
    def comparison(self) -> Comparison | None:
        """A less B; None where there is one system, or the policy refuses one of the two."""
        first, second = self.systems.get(self.pair.first), self.systems.get(self.pair.second or "")
        return None if first is None or second is None else compare(first, second)

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Every judged query."""
        judgments = self.workspace.judgments
        return () if judgments is None else judgments.query_ids

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
    _forget_unknown(workspace)
    if not workspace.runs:
        st.html(sentences.note(_what_is_absent(workspace)))
        st.stop()
    return under_policy(workspace)


def under_policy(workspace: Workspace) -> Scored:
    """Score all runs under the chosen policy."""
    chosen = selection()
    return Scored(workspace, chosen, scoring.outcomes(workspace.runs, chosen.policy))


def opening(workspace: Workspace, *, with_rejected: bool = True) -> None:
    """Say what is loaded, where it is the samples, and which files are not used."""
    for text in st.session_state.pop("address_refused", ()):
        st.html(sentences.note(text))
    if workspace.files.origin == "sample":
        st.html(sentences.line(say("samples.notice")))
        st.html(sentences.steps(say("walk.title"), [say(step) for step in _WALK]))
    for text in workspace.files.notes:
        st.html(sentences.note(text))
    if with_rejected:
        for rejected in workspace.rejected:
            st.html(sentences.note(rejected.reason, lead=say("not_used")))
    if copies := [graded.run.name for graded in workspace.runs if graded.copy]:
        said = say_count("copies", len(copies), systems=listed(copies))
        st.html(sentences.note(said, lead=say("copies.lead")))
    _none_judged([graded for graded in workspace.runs if graded.mismatch])


def _none_judged(runs: Sequence[GradedRun]) -> None:
    """Name the runs without a judged document, and what may explain the first that has a hint."""
    if not runs:
        return
    said = [say_count("none_judged", len(runs), systems=listed(one.run.name for one in runs))]
    for graded in runs:
        near = reports.near_matches(tuple(graded.run.blocks), graded.judgments).documents
        if hint := file_findings.near_documents(near):
            said.append(say("none_judged.hint", system=graded.run.name, hint=hint))
            break
    st.html(sentences.note(" ".join(said), lead=say("none_judged.lead")))


def _forget_unknown(workspace: Workspace) -> None:
    """Forget a system or a query that is not there; say so where the address asked for it."""
    if workspace.judgments is None:
        return
    state = st.session_state
    asked = state.pop("address_asked", {})
    systems = [graded.run.name for graded in workspace.runs]
    known = {"system": systems, "baseline": systems, "query": workspace.judgments.index}
    for what, names in known.items():
        if state.get(what) is not None and state[what] not in names:
            if state[what] == asked.get(what):
                words = {"what": say(f"address.{what}"), "asked": state[what]}
                st.html(sentences.note(say("address.unknown", **words)))
            del state[what]


def provenance(of: Scored) -> None:
    """Show the rules and counts behind every number of the page, always in view.

    While no rule for unjudged documents is chosen, offer them, one click each.
    """
    policy, judgments = of.selection.policy, of.workspace.judgments
    assert judgments is not None, "runs are joined to judgments"
    if policy.ideal_scope == "this_run":
        st.html(sentences.own_ideal_lists(list(of.systems.values())))
    with st.container(key="provenance"):
        st.html(sentences.provenance(policy, of.aggregates, judgments, provisional=of.provisional))
    if of.provisional:
        _unjudged_choice(of)


def _unjudged_choice(of: Scored) -> None:
    runs, policy = of.workspace.runs, of.selection.policy
    refused = {
        str(effect.switch.option): sum(refusal is not None for refusal in effect.refusals)
        for effect in scoring.unjudged_effects(runs, policy)
    }
    rules = {rule: refused[rule] for rule in ("refuse", "refuse_any")}
    with st.container(key="unjudged_choice", gap="xsmall"):
        st.html(sentences.unjudged_choice(of.unjudged, policy, rules))
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            for option in OPTIONS["unjudged"]:
                label = option_label("unjudged", option).capitalize()
                key = f"choose_{option}"
                st.button(label, key=key, on_click=choose_unjudged, args=(option,))


def standing(of: Scored) -> Standing:
    """Collect what the leaderboard shows.

    While no rule for unjudged documents is chosen, it shows the headline with them removed, too;
    a rule that refuses changes no value.
    """
    rules: dict[str, dict[str, float | EvaluationError | None]] = {}
    if of.provisional:
        for effect in scoring.unjudged_effects(of.workspace.runs, of.selection.policy):
            if effect.switch.option == "condense":
                values = zip(of.names, effect.refusals, effect.values, strict=True)
                rules["condense"] = {name: refusal or value for name, refusal, value in values}
    return Standing(of.selection.policy, of.aggregates, of.systems, of.refused, of.pair, rules)


def address() -> dict[str, str]:
    """Return what the pages want to keep in the address."""
    return {key: str(value) for key in PAGE_STATE if (value := st.session_state.get(key))}


def _what_is_absent(workspace: Workspace) -> str:
    if workspace.judgments is None:
        return say("no_judgments")
    return say("no_usable_runs" if workspace.files.runs else "no_runs")
