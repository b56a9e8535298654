"""The rules that are combined: which options of which fields a reader ticks.

What is ticked stands in the address as on the command line: `gain=linear/exponential average=…`.
"""

from math import prod

import streamlit as st

from core.errors import PolicyError
from core.policy import Policy, option_text
from core.rule_sets import (
    FIELDS,
    MOST_RULE_SETS,
    USUAL_AXES,
    Axes,
    options_of,
    parsed_axes,
)
from dashboard import sentences
from dashboard.wording import field_label, option_label, say

_COLUMNS = 3
_USUAL = tuple(USUAL_AXES)
_OTHER = tuple(field for field in FIELDS if field not in USUAL_AXES)
_LEVELS = (1, 2, 3)


def axes() -> Axes:
    """The options that are ticked, by field; at first the usual ones."""
    text = str(st.session_state.get("vary") or "")
    try:
        return parsed_axes(text.split()) or USUAL_AXES
    except PolicyError as error:
        st.session_state["vary"] = ""
        st.html(sentences.note(say("address.refused", problem=error)))
        return USUAL_AXES


def controls(policy: Policy, chosen: Axes) -> None:
    """Draw the options of every field, behind one line that counts the rule sets."""
    count = prod(len(options) for options in chosen.values())
    label = say("combine.rules", n=f"{count:,}", fields=len(chosen))
    with st.expander(label, key="combine_rules", expanded=count > MOST_RULE_SETS):
        st.html(sentences.line(say("combine.rules_line", most=f"{MOST_RULE_SETS:,}")))
        _fields(_USUAL, policy, chosen)
        _fields(_OTHER, policy, chosen)
        st.button(
            say("combine.usual"), on_click=_forget, disabled=chosen == USUAL_AXES, type="tertiary"
        )


def _fields(names: tuple[str, ...], policy: Policy, chosen: Axes) -> None:
    columns = st.columns(_COLUMNS, gap="medium")
    for at, field in enumerate(names):
        with columns[at % _COLUMNS]:
            _field(field, policy, chosen)


def _field(field: str, policy: Policy, chosen: Axes) -> None:
    present = option_text(getattr(policy, field))
    ticked = [option_text(option) for option in chosen.get(field, ())]
    options = [option_text(option) for option in options_of(field) or _LEVELS]
    # An option of one's own, a cutoff or a table of gains, stands among the others.
    options += [option for option in dict.fromkeys([*ticked, present]) if option not in options]
    st.session_state[f"vary_{field}"] = ticked

    def label(option: str) -> str:
        words = option_label(field, option)
        return say("combine.now", option=words) if option == present else words

    st.pills(
        field_label(field),
        options,
        selection_mode="multi",
        key=f"vary_{field}",
        format_func=label,
        on_change=_keep,
    )


def _keep() -> None:
    """Write down what is ticked, in the order of the fields."""
    ticked = {field: st.session_state[f"vary_{field}"] for field in (*_USUAL, *_OTHER)}
    words = [f"{field}={'/'.join(options)}" for field, options in ticked.items() if options]
    st.session_state["vary"] = " ".join(words)


def _forget() -> None:
    st.session_state["vary"] = ""
