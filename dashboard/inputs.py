"""The sidebar: widgets to a policy, and the address to widgets and back."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import streamlit as st

from core.errors import PolicyError
from core.policy import OPTIONS, GainTable, Policy, option_text
from core.presets import FIRST_RUN, PRESETS
from dashboard import sentences
from dashboard.wording import field_help, field_label, option_label, say

CUTOFFS = ("1", "3", "5", "10", "20", "50", "100", "1000", "all")
MAIN_FIELDS = ("gain", "ideal_scope", "unjudged", "zero_idcg", "missing_query", "ties", "average")
MORE_FIELDS = tuple(name for name in OPTIONS if name not in MAIN_FIELDS)
PAGE_STATE = (
    "system",
    "baseline",
    "alone",
    "query",
    "show",
    "list_order",
    "sort",
    "find",
    "vary",
    "from",
    "to",
    "reported",
)
CUSTOM = "custom"
UNCHOSEN = ""

_FIELDS = tuple(field.name for field in fields(Policy))
_TABLE_START = "0:0,1:1,2:3,3:7"
_LONG = ("ties", "negative_grades", "unjudged")
_TYPED: dict[str, Callable[[str], Any]] = {
    "cutoff": lambda text: FIRST_RUN.with_option("cutoff", text).cutoff,
    "gain_table": GainTable.parsed,
}
_KEPT_AT_FIRST = {"cutoff": str(FIRST_RUN.cutoff), "gain_table": _TABLE_START}


@dataclass(frozen=True)
class Selection:
    """What the sidebar says.

    Parameters
    ----------
    policy : Policy
        With unjudged documents at 0 as long as no rule for them is chosen.
    unjudged_chosen : bool
        Whether the reader chose a rule for unjudged documents.
    """

    policy: Policy
    unjudged_chosen: bool


def start() -> None:
    """Fill the widgets once a session: from the address, or else with the first-run policy."""
    if "policy_cutoff" in st.session_state:
        return
    refused = []
    st.session_state["policy_gain_table"] = _TABLE_START
    use_policy(FIRST_RUN, unjudged_chosen=False)
    for name in _FIELDS:
        text = st.query_params.get(name)
        if text is None:
            continue
        try:
            policy = FIRST_RUN.with_option(name, text)
        except PolicyError as error:
            refused.append(say("address.refused", problem=error))
            continue
        _set(name, getattr(policy, name))
    st.session_state["address_refused"] = refused
    asked = {name: st.query_params[name] for name in PAGE_STATE if name in st.query_params}
    for name, text in asked.items():
        st.session_state[name] = text
    st.session_state["address_asked"] = asked


def sidebar() -> Selection:
    """Draw the policy controls and read them."""
    with st.sidebar:
        _presets()
        st.selectbox(
            _label("cutoff"),
            CUTOFFS,
            key="policy_cutoff",
            accept_new_options=True,
            format_func=lambda option: option_label("cutoff", option),
            help=field_help("cutoff"),
        )
        _problem("cutoff")
        for name in MAIN_FIELDS:
            _control(name)
        with st.expander(say("sidebar.all_rules"), key="all_rules"):
            for name in MORE_FIELDS:
                _control(name)
            st.number_input(
                _label("relevance_level"),
                min_value=1,
                step=1,
                key="policy_relevance_level",
                help=field_help("relevance_level"),
            )
    return selection()


def selection() -> Selection:
    """Read the policy from the widgets' state.

    A text that its field does not take leaves the last one in use, as `_problem` tells the reader.
    """
    state = st.session_state
    values = {name: state[f"policy_{name}"] for name in OPTIONS}
    if values["gain"] == "table":
        values["gain"] = _usable("gain_table")
    chosen = values["unjudged"] != UNCHOSEN
    if not chosen:
        values["unjudged"] = "zero"
    level = int(state["policy_relevance_level"])
    return Selection(Policy(cutoff=_usable("cutoff"), relevance_level=level, **values), chosen)


def _usable(field: str) -> Any:
    """Parse a typed text, or else the last one that could be used."""
    state = st.session_state
    kept = f"kept_{field}"
    try:
        value = _TYPED[field](str(state[f"policy_{field}"]).strip())
    except PolicyError:
        return _TYPED[field](state.get(kept, _KEPT_AT_FIRST[field]))
    state[kept] = option_text(value)
    return value


def _problem(field: str) -> None:
    """Say below a typed field what is wrong with its text, and what is used instead."""
    if error := _error(field):
        kept = st.session_state.get(f"kept_{field}", _KEPT_AT_FIRST[field])
        st.html(sentences.note(say("sidebar.kept", problem=error, kept=kept)))


def _error(field: str) -> PolicyError | None:
    """What is wrong with a typed text."""
    try:
        _TYPED[field](str(st.session_state[f"policy_{field}"]).strip())
    except PolicyError as error:
        return error
    return None


def choose_unjudged(option: str) -> None:
    """Choose the rule for unjudged documents: the one click of the provisional note."""
    st.session_state["policy_unjudged"] = option


def write_address(chosen: Selection, page_state: dict[str, str]) -> None:
    """Put everything that differs from the first-run policy into the address."""
    policy = chosen.policy
    wanted = {
        name: option_text(getattr(policy, name))
        for name in _FIELDS
        if getattr(policy, name) != getattr(FIRST_RUN, name)
    }
    if chosen.unjudged_chosen:
        wanted["unjudged"] = policy.unjudged
    wanted |= page_state
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _presets() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        names = list(PRESETS)
        current = _current_preset()
        st.session_state["preset"] = current
        st.selectbox(
            say("sidebar.preset"),
            names if current != CUSTOM else [CUSTOM, *names],
            key="preset",
            on_change=_apply_preset,
            format_func=lambda name: say("sidebar.custom") if name == CUSTOM else name,
            help=say("sidebar.preset_help"),
        )
        st.button(
            say("sidebar.reset"),
            on_click=use_policy,
            args=(FIRST_RUN,),
            kwargs={"unjudged_chosen": False},
            disabled=current == "first-run" and not _error("cutoff"),
            type="tertiary",
        )
    preset = PRESETS.get(current)
    if preset is not None and preset.checked != "own":
        st.html(sentences.of_tool(preset))


def _current_preset() -> str:
    """Name the preset whose rules are in use: of several, the one that was chosen, or the first."""
    chosen = selection()
    names = [
        preset.name
        for preset in PRESETS.values()
        if preset.policy == chosen.policy
        and ("unjudged" in preset.open_fields) != chosen.unjudged_chosen
    ]
    last = st.session_state.get("preset")
    return last if last in names else next(iter(names), CUSTOM)


def _apply_preset() -> None:
    preset = PRESETS.get(st.session_state["preset"])
    if preset is not None:
        use_policy(preset.policy, unjudged_chosen="unjudged" not in preset.open_fields)


def use_policy(policy: Policy, *, unjudged_chosen: bool = True) -> None:
    """Set every control to a policy."""
    for name in _FIELDS:
        _set(name, getattr(policy, name))
    if not unjudged_chosen:
        st.session_state["policy_unjudged"] = UNCHOSEN


def _set(name: str, value: object) -> None:
    if isinstance(value, GainTable):
        st.session_state["policy_gain"] = "table"
        st.session_state["policy_gain_table"] = option_text(value)
    else:
        st.session_state[f"policy_{name}"] = option_text(value) if name == "cutoff" else value


def _control(name: str) -> None:
    """One field: buttons where the options fit in a row, else a list."""
    options = list(OPTIONS[name])
    if name == "gain":
        options.append("table")
    if name == "unjudged":
        options.insert(0, UNCHOSEN)

    def label(option: str) -> str:
        return option_label(name, option)

    key, help_text = f"policy_{name}", field_help(name)
    if name in _LONG:
        st.selectbox(_label(name), options, key=key, format_func=label, help=help_text)
    else:
        st.segmented_control(
            _label(name),
            options,
            key=key,
            format_func=label,
            help=help_text,
            required=True,
            width="stretch",
        )
    if name == "gain" and st.session_state[key] == "table":
        # A widget's state ends when it is not drawn; the table stays.
        st.session_state["gain_table_text"] = st.session_state["policy_gain_table"]
        st.text_input(say("sidebar.gain_table"), key="gain_table_text", on_change=_keep_table)
        _problem("gain_table")


def _keep_table() -> None:
    st.session_state["policy_gain_table"] = st.session_state["gain_table_text"]


def _label(name: str) -> str:
    """The field's label, marked where a policy of one's own differs from the first-run policy."""
    label = field_label(name)
    if st.session_state["preset"] != CUSTOM:
        return label
    start_value = UNCHOSEN if name == "unjudged" else option_text(getattr(FIRST_RUN, name))
    changed = str(st.session_state[f"policy_{name}"]).strip() != start_value
    return say("sidebar.changed", label=label) if changed else label
