"""Data: what was loaded, the upload of own files, and how much is judged."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.cli import grade_scale
from core.coverage import judged_by_depth
from core.errors import EvaluationError
from core.grades import GradedRun
from core.policy import Policy
from dashboard import charts, files, loading, markup, pages, sentences, tables
from dashboard.files import StoredFile
from dashboard.inputs import selection
from dashboard.loading import Workspace

_DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_LABEL_GAP = 0.07


def data() -> None:
    """Place the uploads, the load report and the coverage."""
    workspace = loading.workspace()
    pages.opening(workspace, with_rejected=False)
    _uploads()
    _report(workspace)
    if workspace.runs:
        _coverage(workspace.runs, selection().policy)


def _uploads() -> None:
    # The boxes are emptied after each upload: what is loaded stands in the report below them, and
    # would be lost with the box when the page changes.
    turn = st.session_state.setdefault("upload_turn", 0)
    qrels_key, runs_key = f"upload_qrels_{turn}", f"upload_runs_{turn}"

    def taken() -> None:
        if st.session_state["upload_turn"] != turn:
            return  # Both boxes changed at once, and the other one's call took both.
        qrels, runs = st.session_state[qrels_key], st.session_state[runs_key]
        st.session_state["files"] = files.with_uploads(
            files.current_files(), _stored(qrels) if qrels else None, [_stored(r) for r in runs]
        )
        st.session_state["upload_turn"] += 1

    left, right = st.columns(2, gap="medium")
    with left:
        st.file_uploader(
            "Judgments: one qrels file. Replacing it changes every number.",
            key=qrels_key,
            on_change=taken,
        )
    with right:
        st.file_uploader(
            "Runs: one file a system, several at once",
            key=runs_key,
            accept_multiple_files=True,
            on_change=taken,
        )
    st.html(
        sentences.line(
            "Judgments: TREC qrels, BEIR TSV with header, or JSON {query: {document: grade}}. "
            "Runs: TREC, or JSON {query: {document: score}} or {query: [document, …]}. "
            "Each also as .gz. Nothing leaves this machine. Uploads last until this page is "
            "reloaded; files named to “retrievers app” stay."
        )
    )


def _stored(upload: st.runtime.uploaded_file_manager.UploadedFile) -> StoredFile:
    return StoredFile.from_bytes(upload.name, upload.getvalue())


def _report(workspace: Workspace) -> None:
    st.html(markup.title("Files"))
    st.html(tables.files(workspace))
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        _scale_field(workspace)
        runs = enumerate(workspace.files.runs, 1)
        # Numbered: two files of one name are still two entries.
        names = {file.digest: f"{number}. {file.name}" for number, file in runs}
        if names:
            st.selectbox(
                "Remove a run",
                list(names),
                index=None,
                key="remove_run",
                format_func=lambda digest: names.get(digest, ""),
                placeholder="choose a file",
                on_change=_remove_chosen_run,
                width=260,
            )
        if workspace.files.origin != "sample":
            st.button("Back to the sample runs", on_click=_back_to_samples)


def _scale_field(workspace: Workspace) -> None:
    scale = workspace.files.scale
    st.text_input(
        "Declared scale of grades",
        value="" if scale is None else f"{scale[0]}..{scale[1]}",
        key=f"scale_{workspace.files.origin}",
        placeholder="as observed",
        help="Lowest and highest grade, such as 0..3. A grade outside it is refused.",
        on_change=_declare_scale,
        args=(f"scale_{workspace.files.origin}",),
        width=180,
    )
    if problem := st.session_state.pop("scale_problem", None):
        st.html(sentences.note(problem))


def _declare_scale(key: str) -> None:
    text = st.session_state[key].strip()
    try:
        scale = grade_scale(text) if text else None
    except EvaluationError as error:
        st.session_state["scale_problem"] = str(error)
        return
    st.session_state["files"] = files.with_scale(files.current_files(), scale)


def _remove_chosen_run() -> None:
    digest = st.session_state["remove_run"]
    if digest is not None:
        st.session_state["files"] = files.without_run(files.current_files(), digest)
        st.session_state["remove_run"] = None


def _back_to_samples() -> None:
    st.session_state["files"] = files.sample_files()


def _coverage(runs: Sequence[GradedRun], policy: Policy) -> None:
    st.html(
        markup.title(
            "Coverage by depth",
            "Share of the returned documents that have a judgment, down to each k. Where it is "
            "low, the rule for unjudged documents decides much.",
        )
    )
    deepest = max(int(graded.retrieved.max()) for graded in runs)
    depths = [k for k in _DEPTHS if k <= max(deepest, 1)]
    shares = {}
    for graded in runs:
        try:
            shares[graded.run.name] = judged_by_depth(graded, policy, depths)
        except EvaluationError as error:
            st.html(sentences.line(str(error)))
    rows = [
        {"k": k, "system": name, "share": share, "role": "other"}
        for name, values in shares.items()
        for k, share in zip(depths, values, strict=True)
        if share is not None
    ]
    if not rows:
        return
    frame = pd.DataFrame(rows)
    last = frame.groupby("system", sort=False)["k"].transform("max") == frame["k"]
    heights = charts.spread_labels(frame.loc[last, "share"].tolist(), _LABEL_GAP)
    frame.loc[last, "label_at"] = heights
    cutoff = policy.cutoff if policy.cutoff != "all" and policy.cutoff <= depths[-1] else None
    st.altair_chart(charts.coverage_lines(frame, cutoff), key="coverage")


data()
