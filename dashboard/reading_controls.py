"""How a file is to be read, where its content does not tell: its format, and what columns mean."""

import re
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from core.errors import EvaluationError
from core.formats import JUDGMENT_FORMATS, RUN_FORMATS
from core.formats.column_names import JUDGMENTS, RUN
from core.formats.columns import named_column
from dashboard import files, sentences
from dashboard.files import Reading, StoredFile
from dashboard.loading import Workspace
from dashboard.wording import say

_AS_RECOGNISED = ""
# Names of columns may hold blanks, and no comma where they are typed here.
_BETWEEN = re.compile(r",|\s+(?=[a-z]+=)")
_OPTION = re.compile(r"^--(?:run|qrels)-column\s+")


def place(workspace: Workspace, digest: str | None) -> None:
    """Place the choices for the newest judgments and for the run file that is chosen."""
    if workspace.files.origin == "sample":
        return
    run = next((file for file in workspace.files.runs if file.digest == digest), None)
    with st.expander(say("data.reading"), key="reading"):
        st.html(sentences.line(say("data.reading.line")))
        left, right = st.columns(2, gap="medium")
        with left:
            newest = workspace.files.qrels[-1] if workspace.files.qrels else None
            _choices(
                JUDGMENTS,
                newest,
                {key: one.title for key, one in JUDGMENT_FORMATS.items()},
            )
        with right:
            _choices(RUN, run, {key: one.title for key, one in RUN_FORMATS.items()})


def _choices(kind: str, file: StoredFile | None, titles: Mapping[str, str]) -> None:
    reading = file.reading if file else Reading()
    digest = file.digest if file else None
    options = [_AS_RECOGNISED, *titles]
    as_key, columns_key = (f"reading_{kind}_{what}_{digest}" for what in ("format", "columns"))
    st.selectbox(
        say(f"data.reading.{kind}"),
        options,
        index=options.index(reading.format or _AS_RECOGNISED),
        key=as_key,
        format_func=lambda one: titles.get(one, say("data.reading.as_recognised")),
        disabled=file is None,
        on_change=_read_as,
        args=(kind, digest, as_key, columns_key),
    )
    st.text_input(
        say("data.reading.columns"),
        value=", ".join("=".join(pair) for pair in reading.columns),
        key=columns_key,
        placeholder=say(f"data.reading.{kind}_placeholder"),
        help=say("data.reading.columns_help"),
        disabled=file is None,
        on_change=_read_as,
        args=(kind, digest, as_key, columns_key),
    )
    if kind == RUN:
        key = f"reading_{kind}_separator_{digest}"
        st.text_input(
            say("data.reading.separator"),
            value=reading.separator,
            key=key,
            placeholder=say("data.reading.separator_placeholder"),
            help=say("data.reading.separator_help"),
            disabled=file is None,
            on_change=_collapse,
            args=(file, key),
        )


def _collapse(file: StoredFile, key: str) -> None:
    reading = replace(file.reading, separator=st.session_state[key])
    st.session_state["files"] = files.read_as(files.current_files(), file.digest, reading)


def _read_as(kind: str, digest: str, as_key: str, columns_key: str) -> None:
    try:
        columns = _columns(st.session_state[columns_key], kind)
    except EvaluationError as error:
        st.session_state["data_problem"] = str(error).split(": ", 1)[1]
        return
    current = files.current_files()
    known = next(one for one in (*current.runs, *current.qrels) if one.digest == digest)
    chosen = st.session_state[as_key] or None
    reading = replace(known.reading, format=chosen, columns=columns)
    st.session_state["files"] = files.read_as(current, digest, reading)


def _columns(text: str, kind: str) -> tuple[tuple[str, str], ...]:
    """Read what columns mean: commas or blanks between, and as a message says it for the shell.

    Raises
    ------
    EvaluationError
        One of them names no column.
    """
    told = _BETWEEN.split(_OPTION.sub("", text.strip()))
    return tuple(named_column(one.strip(), kind) for one in told if one.strip())
