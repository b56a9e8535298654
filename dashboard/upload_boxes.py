"""The boxes for uploads, and what becomes of what was put into them."""

from collections.abc import Sequence
from itertools import chain
from typing import Literal

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.cli.options import TEXT_KINDS
from core.formats import JUDGMENT_FORMATS, RUN_FORMATS
from dashboard import files, folders, sentences, uploads
from dashboard.files import Limits
from dashboard.wording import say

_BOXES = ("qrels", "runs", "folder", *TEXT_KINDS)


def place() -> None:
    """Place boxes for the judgments, for runs, for a folder and for texts, and what they take.

    The boxes are emptied after each upload: what is loaded stands in the load report, and would be
    lost with the box when the page changes.
    """
    turn = st.session_state.setdefault("upload_turn", 0)
    limit = files.limits()
    left, right = st.columns(2, gap="medium")
    with left:
        _box("qrels", turn, limit, several=False)
        st.html(sentences.line(say("data.upload.warning")))
    with right:
        _box("runs", turn, limit, several=True)
        with st.expander(say("data.upload.folder_title")):
            _box("folder", turn, limit, several="directory")
    with st.expander(say("data.upload.texts_title")):
        _texts(turn, limit)
    st.html(sentences.line(say("data.upload.formats", **_formats())))
    counts = {"runs": f"{limit.runs:,}", "mb": f"{limit.upload_mb:,}"}
    st.html(sentences.line(say("data.upload.limits", **counts)))


def _texts(turn: int, limit: Limits) -> None:
    """Place a box for the texts of queries and one for those of documents."""
    loaded = files.current_files().texts
    for column, kind in zip(st.columns(2, gap="medium"), TEXT_KINDS, strict=True):
        with column:
            _box(kind, turn, limit, several=False)
            st.button(
                say(f"data.texts.remove.{kind}"),
                key=f"remove_{kind}",
                disabled=not loaded.get(kind),
                on_click=_remove_texts,
                args=(kind,),
            )
    st.html(sentences.line(say("data.upload.texts_formats")))


def _remove_texts(kind: str) -> None:
    st.session_state["files"] = files.without_texts(files.current_files(), kind)


def _formats() -> dict[str, str]:
    return {
        "judgments": ", ".join(kind.title for kind in JUDGMENT_FORMATS.values()),
        "runs": ", ".join(kind.title for kind in RUN_FORMATS.values()),
    }


def _box(name: str, turn: int, limit: Limits, *, several: bool | Literal["directory"]) -> None:
    st.file_uploader(
        say(f"data.upload.{name}"),
        key=f"upload_{name}_{turn}",
        accept_multiple_files=several,
        max_upload_size=limit.upload_mb,
        on_change=_take,
        args=(turn,),
    )


def _take(turn: int) -> None:
    """Take what lies in the boxes, once: boxes that change together have a call each."""
    if st.session_state["upload_turn"] != turn:
        return
    boxes = {box: _several(st.session_state[f"upload_{box}_{turn}"]) for box in _BOXES}
    limit = files.limits()
    stored = {
        box: [uploads.stored(one) for one in several if limit.allow(one.size)]
        for box, several in boxes.items()
    }
    found = folders.from_folder(stored["folder"])
    judgments = [*stored["qrels"], *found.qrels]
    taken = files.with_uploads(
        files.current_files(),
        judgments[0] if judgments else None,
        [*stored["runs"], *found.runs],
        texts={**found.texts, **{kind: stored[kind][0] for kind in TEXT_KINDS if stored[kind]}},
        limit=limit,
    )
    uploads.let_go([*chain.from_iterable(boxes.values())])
    notes = [*found.notes]
    for one in chain.from_iterable(boxes.values()):
        if not limit.allow(one.size):
            notes.append(say("data.note.too_large", name=one.name, limit=f"{limit.upload_mb:,}"))
    st.session_state["files"] = files.with_notes(taken, notes)
    st.session_state["upload_turn"] += 1


def _several(box: UploadedFile | Sequence[UploadedFile] | None) -> Sequence[UploadedFile]:
    if box is None:
        return ()
    return box if isinstance(box, Sequence) else (box,)
