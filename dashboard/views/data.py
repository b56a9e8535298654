"""Data: what was loaded, the upload of own files, and how much is judged."""

import streamlit as st

from core.errors import EvaluationError
from core.judgments import Judgments
from dashboard import (
    charts,
    file_tables,
    loading,
    markup,
    pages,
    reports,
    run_controls,
    sentences,
    upload_boxes,
)
from dashboard.wording import say

_DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def data() -> None:
    """Place the uploads, the load report, what changes the runs, and the coverage."""
    workspace = loading.workspace()
    pages.opening(workspace, with_rejected=False)
    upload_boxes.place()
    st.html(markup.title(say("data.files")))
    st.html(file_tables.files(workspace))
    run_controls.place(workspace)
    left, right = st.columns(2, gap="medium")
    with left:
        if workspace.runs:
            _coverage(pages.under_policy(workspace))
    with right:
        if workspace.judgments is not None:
            _relevant(workspace.judgments)


def _coverage(of: pages.Scored) -> None:
    st.html(markup.title(say("data.coverage"), say("data.coverage.line")))
    policy, runs = of.selection.policy, of.workspace.runs
    deepest = max(int(graded.retrieved.max()) for graded in runs)
    depths = tuple(k for k in _DEPTHS if k <= max(deepest, 1))
    shares = {}
    for graded in runs:
        found = reports.judged_by_depth(graded, policy, depths)
        if isinstance(found, EvaluationError):
            st.html(sentences.line(str(found)))
        else:
            shares[graded.run.name] = found
    frame = file_tables.coverage_frame(depths, shares, of.pair)
    if len(frame):
        cutoff = policy.cutoff if policy.cutoff != "all" and policy.cutoff <= depths[-1] else None
        st.vega_lite_chart(frame, charts.coverage_lines(depths, cutoff), key="coverage")


def _relevant(judgments: Judgments) -> None:
    st.html(markup.title(say("data.relevant"), say("data.relevant.line")))
    frame = file_tables.relevant_frame(reports.relevant_histogram(judgments))
    spec = charts.relevant_bars(say("data.relevant.x"), say("data.relevant.y"))
    st.vega_lite_chart(frame, spec, key="relevant")


data()
