"""The boxes for uploads, and what becomes of what was put into them."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.formats import JUDGMENT_FORMATS, RUN_FORMATS
from dashboard import files, sentences
from dashboard.files import Limits, StoredFile
from dashboard.wording import say


def place() -> None:
    """Place a box for the judgments, one for runs and one for a folder, and what they take.

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
    st.html(sentences.line(say("data.upload.formats", **_formats())))
    counts = {"runs": f"{limit.runs:,}", "mb": f"{limit.upload_mb:,}"}
    st.html(sentences.line(say("data.upload.limits", **counts)))


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
    qrels, runs, folder = (
        _several(st.session_state[f"upload_{box}_{turn}"]) for box in ("qrels", "runs", "folder")
    )
    limit = files.limits()
    found = files.from_folder(_stored(folder, limit))
    judgments = [*_stored(qrels, limit), *found.qrels]
    taken = files.with_uploads(
        files.current_files(),
        judgments[0] if judgments else None,
        [*_stored(runs, limit), *found.runs],
        limit=limit,
    )
    notes = [*found.notes]
    for one in (*qrels, *runs, *folder):
        if not limit.allow(one.size):
            notes.append(say("data.note.too_large", name=one.name, limit=f"{limit.upload_mb:,}"))
    st.session_state["files"] = files.with_notes(taken, notes)
    st.session_state["upload_turn"] += 1


def _several(uploads: UploadedFile | Sequence[UploadedFile] | None) -> Sequence[UploadedFile]:
    if uploads is None:
        return ()
    return uploads if isinstance(uploads, Sequence) else (uploads,)


def _stored(uploads: Sequence[UploadedFile], limit: Limits) -> list[StoredFile]:
    """Keep the bytes of uploads that are small enough."""
    return [
        StoredFile.from_bytes(one.name, one.getvalue()) for one in uploads if limit.allow(one.size)
    ]
