"""What changes the loaded files without an upload: names, order, removal, scale."""

from collections.abc import Callable

import streamlit as st

from core.cli.options import grade_scale
from core.errors import EvaluationError
from dashboard import files, markup, reading_controls, sentences
from dashboard.files import Files
from dashboard.loading import Workspace
from dashboard.wording import say

_CHOSEN = ("system", "baseline")


def place(workspace: Workspace) -> None:
    """Place what renames, moves and removes a run, the declared scale, and the way back."""
    st.html(markup.title(say("data.change"), say("data.change.line")))
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        if workspace.files.runs:
            _run_controls(workspace)
        _scale_field(workspace)
        if not files.are_samples(workspace.files):
            st.button(say("data.back_to_samples"), on_click=_back_to_samples)
    reading_controls.place(workspace, st.session_state.get("change_run"))
    if problem := st.session_state.pop("data_problem", None):
        st.html(sentences.note(problem))


def _run_controls(workspace: Workspace) -> None:
    """Choose a run; rename, move or remove it. Names stand in no label: labels read markup."""
    runs = workspace.files.runs
    # Numbered: two files of one name are still two entries.
    names = {
        file.digest: say(
            "data.change.option", number=at, name=workspace.names.get(file.digest, file.called)
        )
        for at, file in enumerate(runs, 1)
    }
    if st.session_state.get("change_run") not in names:
        st.session_state["change_run"] = None
    digest = st.selectbox(
        say("data.change.run"),
        list(names),
        index=None,
        key="change_run",
        format_func=lambda one: names.get(one, ""),
        placeholder=say("data.change.placeholder"),
        width=240,
    )
    _name_field(workspace, digest)
    at = list(names).index(digest) if digest else None
    for key, by, end in (("up", -1, 0), ("down", 1, len(runs) - 1)):
        st.button(
            say(f"data.change.{key}"),
            key=f"run_{key}",
            disabled=at is None or at == end,
            on_click=_change_files,
            args=(files.moved, digest, by),
        )
    st.button(
        say("data.change.remove"),
        key="run_remove",
        disabled=at is None,
        on_click=_change_files,
        args=(files.without_run, digest),
    )


def _name_field(workspace: Workspace, digest: str | None) -> None:
    # A new field after each change: it begins with the name in use, whatever was typed.
    turn = st.session_state.setdefault("rename_turn", 0)
    file = next((one for one in workspace.files.runs if one.digest == digest), None)
    key = f"run_name_{digest}_{turn}"
    st.text_input(
        say("data.change.name"),
        value=workspace.names.get(file.digest, file.called) if file else "",
        key=key,
        max_chars=200,
        disabled=file is None,
        help=say("data.change.name_help"),
        on_change=_rename,
        args=(key, digest, dict(workspace.names)),
        width=200,
    )


def _rename(key: str, digest: str, names: dict[str, str]) -> None:
    name = st.session_state[key].strip()
    st.session_state["rename_turn"] += 1
    if name in (other for one, other in names.items() if one != digest):
        st.session_state["data_problem"] = say("data.change.taken", name=name)
        return
    _change_files(files.renamed, digest, name)
    for chosen in _CHOSEN:  # Who was compared stays compared.
        if name and st.session_state.get(chosen) == names.get(digest):
            st.session_state[chosen] = name


def _change_files(change: Callable[..., Files], digest: str, *how: object) -> None:
    st.session_state["files"] = change(files.current_files(), digest, *how)
    st.session_state["change_run"] = digest  # The run stays chosen, under whatever name it has now.


def _scale_field(workspace: Workspace) -> None:
    scale = workspace.files.scale
    key = f"scale_{workspace.files.origin}"
    st.text_input(
        say("data.scale"),
        value="" if scale is None else f"{scale[0]}..{scale[1]}",
        key=key,
        placeholder=say("data.scale.placeholder"),
        help=say("data.scale.help"),
        on_change=_declare_scale,
        args=(key,),
        width=180,
    )


def _declare_scale(key: str) -> None:
    text = st.session_state[key].strip()
    try:
        scale = grade_scale(text) if text else None
    except EvaluationError as error:
        st.session_state["data_problem"] = str(error)
        return
    st.session_state["files"] = files.with_scale(files.current_files(), scale)


def _back_to_samples() -> None:
    st.session_state["files"] = files.sample_files()
