"""Drives the app as Streamlit runs it, without a browser, and reads what a page shows."""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from dashboard_worlds import names_and_roles
from parsed_html import rows_of, text_of
from streamlit.testing.v1 import AppTest

from core.errors import EvaluationError
from core.formats import read_judgments, read_run
from core.grades import GradedRun, join
from core.policy import Policy
from core.scores import QueryScores, aggregate, score, score_all
from dashboard import files, wording

APP = Path(files.__file__).parent / "app.py"
SAMPLES = files.SAMPLES
PAGES = ("overview", "policy_effects", "combinations", "tools", "queries", "data")
SCORED_PAGES = PAGES[:-1]
TABLE = "0:0,1:1,2:3,3:7"
# What the pages write into the address before anything is chosen, on the sample runs.
BEST_TWO = {"system": "dense", "baseline": "dense-128"}
# What the order of the pair's list is called in the address.
ORDER = "list_order"

QRELS = b"q1 0 a 3\nq1 0 b 1\nq2 0 c 2\nq2 0 d 0\nq3 0 e 1\n"
ALPHA = b"q1 Q0 a 1 3 alpha\nq1 Q0 b 2 2 alpha\nq2 Q0 c 1 2 alpha\nq3 Q0 x 1 1 alpha\n"
BETA = b"q1 Q0 b 1 3 beta\nq1 Q0 a 2 2 beta\nq2 Q0 d 1 2 beta\nq2 Q0 c 2 1 beta\n"
# Means over three queries of 1, 1, 0 and of (1 + 3/log2(3)) / (3 + 1/log2(3)), 1/log2(3), 0.
ALPHA_NDCG, BETA_NDCG = "0.667", "0.476"

# The title of the open query: its text and its id, or its id alone.
OPEN = re.compile(
    '<h2 class="rd-title">(.*)</h2><div class="rd-line">query (.*)</div>'
    '|<h2 class="rd-title">query (.*)</h2>$'
)


def start_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app reads its own arguments, not those of pytest; a fixture of every file of tests."""
    monkeypatch.setattr(sys, "argv", ["app.py"])
    # For every new session AppTest looks through all installed packages, which takes longest.
    scan = "streamlit.components.v2.manifest_scanner.scan_component_manifests"
    monkeypatch.setattr(scan, list, raising=False)


# What core says


@cache
def sample_runs() -> tuple[GradedRun, ...]:
    judgments = read_judgments(SAMPLES / "qrels.tsv", scale=(0, 3))
    paths = [SAMPLES / file.name for file in files.sample_files().runs]
    return tuple(join(read_run(path), judgments) for path in paths)


def sample_scores(rules: Policy) -> dict[str, QueryScores]:
    return {one.run.name: score(one, rules) for one in sample_runs()}


def core_headlines(rules: Policy) -> dict[str, str]:
    """What core says of each sample run, as the page should write it."""
    outcomes = score_all(sample_runs(), rules)
    return {one.run.name: _headline(of) for one, of in zip(sample_runs(), outcomes, strict=True)}


def _headline(outcome: QueryScores | EvaluationError) -> str:
    if isinstance(outcome, EvaluationError):
        return f"refuses: {getattr(outcome, 'summary', 'cannot be computed')}"
    ndcg = aggregate(outcome).ndcg
    return "no value" if ndcg is None else f"{ndcg:.3f}"


# Going about


def app(page: str = "overview", /, **address: str) -> AppTest:
    """Open a page of the app at an address."""
    at = AppTest.from_file(APP, default_timeout=30)
    for name, value in address.items():
        at.query_params[name] = value
    return go_to(at, page)


def checked(at: AppTest) -> AppTest:
    assert not at.exception, [error.message for error in at.exception]
    return at


def go_to(at: AppTest, page: str) -> AppTest:
    return checked(at.switch_page(f"views/{page}.py").run())


def press(at: AppTest, label: str) -> AppTest:
    return checked(button(at, label).click().run())


def button(at: AppTest, label: str) -> Any:
    (found,) = (one for one in at.button if one.label == label)
    return found


def pick(at: AppTest, name: str, option: str) -> AppTest:
    """Choose in a list or a row of buttons of the page itself, such as "system" or "show"."""
    key = f"{name}_choice"
    widgets = (*at.selectbox, *at.segmented_control, *at.text_input)
    (found,) = (one for one in widgets if one.key == key)
    return checked(found.set_value(option).run())


def choose(at: AppTest, field: str, option: str) -> AppTest:
    """Use the control of a field of the policy."""
    put(at, field, option)
    return checked(at.run())


def put(at: AppTest, field: str, option: str) -> None:
    """Set the control of a field without running."""
    key = f"policy_{field}"
    if field == "relevance_level":
        at.number_input(key=key).set_value(int(option))
    elif key in [box.key for box in at.selectbox]:
        at.selectbox(key=key).set_value(option)
    else:
        at.segmented_control(key=key).set_value(option)
    know_cutoff(at)


def know_cutoff(at: AppTest) -> None:
    """Add what was typed to the options: the browser would send it, AppTest sends options only."""
    box = at.selectbox(key="policy_cutoff")
    label = wording.option_label("cutoff", box.value)
    box.options += [label] if label not in box.options else []


def with_gain_table(at: AppTest, text: str) -> AppTest:
    choose(at, "gain", "table")
    return checked(at.text_input(key="gain_table_text").set_value(text).run())


def upload(
    at: AppTest,
    *,
    qrels: tuple[str, bytes] | None = None,
    runs: dict[str, bytes] | None = None,
    queries: tuple[str, bytes] | None = None,
    documents: tuple[str, bytes] | None = None,
) -> AppTest:
    """Upload on the data page; the boxes are new ones after each upload."""
    turn = at.session_state["upload_turn"]
    for box, one in (("qrels", qrels), ("queries", queries), ("documents", documents)):
        if one:
            at.file_uploader(key=f"upload_{box}_{turn}").set_value((*one, "text/plain"))
    if runs:
        several = [(name, content, "text/plain") for name, content in runs.items()]
        at.file_uploader(key=f"upload_runs_{turn}").set_value(several)
    return checked(at.run())


def with_own_files(runs: dict[str, bytes] | None = None, qrels: bytes = QRELS) -> AppTest:
    """The data page after an upload of judgments and two runs."""
    own = runs or {"alpha.run": ALPHA, "beta.run": BETA}
    return upload(app("data"), qrels=("my.qrels", qrels), runs=own)


def click_row(at: AppTest, key: str, row: int) -> AppTest:
    """Click into a row of a table, together with all that was set since the last run."""
    return _run_with_selection(at, key, {"rows": [], "columns": [], "cells": [[row, "text"]]})


def click_mark(at: AppTest, chart: str, query: str) -> AppTest:
    """Click on the mark of a query in a chart."""
    return _run_with_selection(at, chart, {"pick": [{"query": query}]})


def _run_with_selection(at: AppTest, key: str, selection: dict[str, Any]) -> AppTest:
    """Run while a table or chart reports a selection, for which AppTest has no method."""
    ids = [one.proto.id for one in (*at.dataframe, *at.get("vega_lite_chart"))]
    states = at._tree.get_widget_states()
    states.widgets.add(
        id=next(one for one in ids if f"-{key}" in one),
        string_value=json.dumps({"selection": selection}),
    )
    return checked(at._run(states))


# Reading


def blocks(at: AppTest) -> list[str]:
    """Every piece of HTML on the page and in the sidebar, but for the style sheet."""
    return _html(at)


def _html(part: Any) -> list[str]:
    found = [element.proto.body for element in part.get("html")]
    return [body for body in found if not body.startswith("<style")]


def page_text(at: AppTest) -> str:
    return "\n".join(text_of(body) for body in blocks(at))


def verdict(at: AppTest) -> str:
    (found,) = (body for body in blocks(at) if 'class="rd-verdict"' in body)
    return text_of(found)


def notes(at: AppTest) -> list[str]:
    """Notes of the page itself, not of the sidebar."""
    return [text_of(body) for body in _html(at.main) if 'role="note"' in body]


def sidebar_notes(at: AppTest) -> list[str]:
    return [text_of(body) for body in _html(at.sidebar) if 'role="note"' in body]


def sidebar_lines(at: AppTest) -> list[str]:
    """Quiet lines of the sidebar."""
    return [text_of(body) for body in _html(at.sidebar) if 'class="rd-line"' in body]


def table(at: AppTest, *head: str) -> list[list[str]]:
    """Rows of the table that has these headings."""
    rows = with_head(at, *head)
    assert rows, f"no table with {head}"
    return rows[1:]


def with_head(at: AppTest, *head: str) -> list[list[str]]:
    """The table that has these headings, its head included; empty where there is none."""
    found = (rows for body in blocks(at) if (rows := rows_of(body)))
    return next((rows for rows in found if set(head) <= set(rows[0])), [])


def roles(at: AppTest) -> dict[str, set[str]]:
    """The roles in which the names of systems stand on a page; "" where a name has no colour."""
    found: dict[str, set[str]] = {}
    for body in blocks(at):
        for name, role in names_and_roles(body):
            found.setdefault(name, set()).add(role)
    return found


def headlines(at: AppTest) -> dict[str, str]:
    """The headline of each system, or the reason why it has none."""
    if with_head(at, "System", "refused"):
        return dict(table(at, "System", "refused"))
    return {row[1]: row[2] for row in table(at, "System", "judged" + at_k(at))}


def at_k(at: AppTest) -> str:
    cutoff = at.session_state["policy_cutoff"].strip()
    return "" if cutoff == "all" else f"@{cutoff}"


def file_rows(at: AppTest) -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in table(at, "File", "notes")}


def policy(at: AppTest) -> dict[str, Any]:
    """What the controls say."""
    state = at.session_state
    return {field.name: state[f"policy_{field.name}"] for field in fields(Policy)}


def address(at: AppTest) -> dict[str, Any]:
    return dict(at.query_params)


def frame(at: AppTest, key: str) -> pd.DataFrame:
    """What one of the two tables of queries holds."""
    (found,) = (one for one in at.dataframe if f"-{key}" in one.proto.id)
    return found.value


def listed(at: AppTest, key: str) -> list[str]:
    """The queries of a table, in the order displayed."""
    return frame(at, key)["query"].tolist()


def marked(at: AppTest, key: str) -> str | None:
    """The query that a table marks."""
    cells: Sequence[Any] = at.session_state[key]["selection"]["cells"]
    if not cells:
        return None
    ((row, column),) = cells
    assert column == "query"
    return listed(at, key)[row]


def charts(at: AppTest) -> dict[str, dict[str, Any]]:
    """The specification of each chart, by its key as far as it does not name the open query."""
    found = at.get("vega_lite_chart")
    return {_key(one.proto.id): json.loads(one.proto.spec) for one in found}


def _key(element_id: str) -> str:
    return element_id.split("-", 2)[2].rpartition("_")[0] if "_" in element_id else element_id


def open_query(at: AppTest) -> tuple[str, list[str]]:
    """The query that is open, and the systems whose sums are shown."""
    titles = (OPEN.search(body) for body in blocks(at))
    (found,) = (title for title in titles if title)
    query = unescape(found[2] or found[3])
    (sums,) = (body for body in blocks(at) if "rd-sum-line" in body)
    return query, [name for name, _ in names_and_roles(sums)]


def downloads(at: AppTest) -> dict[str, Any]:
    """Buttons that write a file, by label."""
    return {one.proto.label: one.proto for one in at.get("download_button")}
