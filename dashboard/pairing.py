"""The two systems that are compared: A and B, the same on every page. B is the baseline."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dashboard.wording import say

ALONE = ""


@dataclass(frozen=True)
class Pair:
    """Names of the compared systems.

    Parameters
    ----------
    first : str
        A.
    second : str or None
        B, the baseline. None: there is no other system.
    """

    first: str
    second: str | None

    def names(self, *, alone: bool = False) -> list[str]:
        """The systems to look at: both, or A alone."""
        return [self.first] if alone or self.second is None else [self.first, self.second]

    def role(self, name: str) -> str:
        """The role that colours a system: "first", "second" or "other"."""
        return {self.first: "first", self.second: "second"}.get(name, "other")


def pair(best_first: Sequence[str]) -> Pair:
    """Return the pair that was chosen; at first the best two.

    It stays as it is when the order changes, so that a colour keeps its meaning.
    """
    state = st.session_state
    if state.get("system") not in best_first:
        free = [name for name in best_first if name != state.get("baseline")]
        state["system"] = (free or best_first)[0]
    first = str(state["system"])
    others = [name for name in best_first if name != first]
    if state.get("baseline") not in others:
        state["baseline"] = others[0] if others else None
    return Pair(first, state["baseline"])


def controls(names: Sequence[str], chosen: Pair, *, alone: bool = False) -> None:
    """Draw the two lists that choose the pair.

    Parameters
    ----------
    names : sequence of str
        The systems, in their order.
    chosen : Pair
    alone : bool
        Whether one system may be looked at without another.
    """
    state = st.session_state
    # A widget's state ends with its page; "system", "baseline" and "alone" stay.
    state["system_choice"] = chosen.first
    st.selectbox(say("pair.first"), names, key="system_choice", on_change=_first_chosen, width=230)
    if chosen.second is None:
        return
    others = [name for name in names if name != chosen.first]
    options = [ALONE, *others] if alone else others
    state["baseline_choice"] = ALONE if alone and is_alone() else chosen.second
    st.selectbox(
        say("pair.second"),
        options,
        key="baseline_choice",
        format_func=lambda name: name or say("pair.alone"),
        on_change=_second_chosen,
        width=230,
    )


def is_alone() -> bool:
    """Whether the reader wants to see one system alone, where a page can show that."""
    return bool(st.session_state.get("alone"))


def _first_chosen() -> None:
    """Take another A; where it was B, the two change places."""
    state = st.session_state
    if state["system_choice"] == state["baseline"]:
        state["baseline"] = state["system"]
    state["system"] = state["system_choice"]


def _second_chosen() -> None:
    state = st.session_state
    state["alone"] = "yes" if state["baseline_choice"] == ALONE else ""
    state["baseline"] = state["baseline_choice"] or state["baseline"]
