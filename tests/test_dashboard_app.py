"""The app as Streamlit runs it: every page, control, address and upload, without a browser."""

import json
import os
import re
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from nasty_names import NASTY
from parsed_html import rows_of, text_of
from streamlit.testing.v1 import AppTest

from core.errors import EvaluationError
from core.explanation import explanation
from core.formats import read_judgments, read_run
from core.grades import GradedRun, join
from core.policy import OPTIONS, GainTable, Policy
from core.presets import FIRST_RUN, PRESETS
from core.scores import QueryScores, aggregate, score, score_all
from core.sensitivity import CUTOFFS, Switch, SwitchEffect, switch_effects
from dashboard import files, wording

APP = Path(files.__file__).parent / "app.py"
SAMPLES = files.SAMPLES
PAGES = ("overview", "policy_effects", "queries", "data")
SCORED_PAGES = PAGES[:3]
TABLE = "0:0,1:1,2:3,3:7"
OPEN_QUERY = re.compile(r'<div class="rd-line">query (.*), (.*)</div>')
KNOWN_TAGS = {
    *("b", "details", "div", "em", "h2", "i", "li", "ol", "small", "span", "summary", "u"),
    *("table", "tbody", "td", "th", "thead", "tr"),
}

QRELS = b"q1 0 a 3\nq1 0 b 1\nq2 0 c 2\nq2 0 d 0\nq3 0 e 1\n"
ALPHA = b"q1 Q0 a 1 3 alpha\nq1 Q0 b 2 2 alpha\nq2 Q0 c 1 2 alpha\nq3 Q0 x 1 1 alpha\n"
BETA = b"q1 Q0 b 1 3 beta\nq1 Q0 a 2 2 beta\nq2 Q0 d 1 2 beta\nq2 Q0 c 2 1 beta\n"
# Means over three queries of 1, 1, 0 and of (1 + 3/log2(3)) / (3 + 1/log2(3)), 1/log2(3), 0.
ALPHA_NDCG, BETA_NDCG = "0.667", "0.476"


@pytest.fixture(autouse=True)
def bare_command_line(monkeypatch) -> None:
    """The app reads its own arguments, not those of pytest."""
    monkeypatch.setattr(sys, "argv", ["app.py"])


@pytest.fixture(autouse=True)
def no_components_of_others(monkeypatch) -> None:
    """For every new session AppTest looks through all installed packages, which takes longest."""
    scan = "streamlit.components.v2.manifest_scanner.scan_component_manifests"
    monkeypatch.setattr(scan, list, raising=False)


@pytest.fixture(scope="module")
def sample_runs() -> tuple[GradedRun, ...]:
    judgments = read_judgments(SAMPLES / "qrels.tsv", scale=(0, 3))
    paths = [SAMPLES / file.name for file in files.sample_files().runs]
    return tuple(join(read_run(path), judgments) for path in paths)


def app(page: str = "overview", /, **address: str) -> AppTest:
    """Open a page of the app at an address."""
    at = AppTest.from_file(APP, default_timeout=30)
    for name, value in address.items():
        at.query_params[name] = value
    return go_to(at, page)


def checked(at: AppTest) -> AppTest:
    assert [error.value for error in at.exception] == []
    return at


def go_to(at: AppTest, page: str) -> AppTest:
    return checked(at.switch_page(f"views/{page}.py").run())


def blocks(at: AppTest) -> list[str]:
    """Every piece of HTML on the page, but for the style sheet."""
    found = [element.proto.body for element in at.get("html")]
    return [body for body in found if not body.startswith("<style")]


def page_text(at: AppTest) -> str:
    return "\n".join(text_of(body) for body in blocks(at))


def notes(at: AppTest) -> list[str]:
    return [text_of(body) for body in blocks(at) if 'role="note"' in body]


def table(at: AppTest, *head: str) -> list[list[str]]:
    """Rows of the table that has these headings."""
    rows = with_head(at, *head)
    assert rows, f"no table with {head}"
    return rows[1:]


def with_head(at: AppTest, *head: str) -> list[list[str]]:
    """The table that has these headings, its head included; empty where there is none."""
    found = (rows for body in blocks(at) if (rows := rows_of(body)))
    return next((rows for rows in found if set(head) <= set(rows[0])), [])


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


def choose(at: AppTest, field: str, option: str) -> AppTest:
    """Use the control of a field."""
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


def upload(
    at: AppTest,
    *,
    qrels: tuple[str, bytes] | None = None,
    runs: dict[str, bytes] | None = None,
) -> AppTest:
    """Upload on the data page; the boxes are new ones after each upload."""
    turn = at.session_state["upload_turn"]
    if qrels:
        at.file_uploader(key=f"upload_qrels_{turn}").set_value((*qrels, "text/plain"))
    if runs:
        files = [(name, content, "text/plain") for name, content in runs.items()]
        at.file_uploader(key=f"upload_runs_{turn}").set_value(files)
    return checked(at.run())


def with_own_files(runs: dict[str, bytes] | None = None, qrels: bytes = QRELS) -> AppTest:
    """The data page after an upload of judgments and two runs."""
    at = app("data")
    return upload(
        at,
        qrels=("my.qrels", qrels),
        runs=runs or {"alpha.run": ALPHA, "beta.run": BETA},
    )


def run_with_selection(at: AppTest, key: str, selection: dict[str, Any]) -> AppTest:
    """Run while a table or chart reports a selection, for which AppTest has no method."""
    ids = [one.proto.id for one in (*at.dataframe, *at.get("vega_lite_chart"))]
    states = at._tree.get_widget_states()
    states.widgets.add(
        id=next(one for one in ids if f"-{key}" in one),
        string_value=json.dumps({"selection": selection}),
    )
    return checked(at._run(states))


def run_with_row(at: AppTest, row: int) -> AppTest:
    cells = {"rows": [], "columns": [], "cells": [[row, "text"]]}
    return run_with_selection(at, "query_list", cells)


def listed_queries(at: AppTest) -> list[str]:
    return at.dataframe[0].value["query"].tolist()


def marked_query(at: AppTest) -> str:
    """The query that the list marks."""
    ((row, column),) = at.session_state["query_list"]["selection"]["cells"]
    assert column == "query"
    return listed_queries(at)[row]


def press(at: AppTest, label: str) -> AppTest:
    (button,) = (button for button in at.button if button.label == label)
    return checked(button.click().run())


def open_query(at: AppTest) -> tuple[str, str]:
    """The query whose sum is shown, and the system."""
    (found,) = (found for body in blocks(at) if (found := OPEN_QUERY.search(body)))
    return found[1], found[2]


# Pages


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_the_sample_runs(page):
    at = app(page)
    assert page_text(at).startswith("Sample runs: ten retrievers")
    assert at.query_params.get("unjudged") is None


def test_overview_shows_what_core_computes(sample_runs):
    at = app()
    assert headlines(at) == core_headlines(sample_runs, FIRST_RUN)
    scores = {one.run.name: aggregate(score(one, FIRST_RUN)) for one in sample_runs}
    for row in table(at, "System", "macro mean"):
        of = scores[row[0]]
        values = (
            of.macro_mean,
            of.pooled_ratio,
            of.precision,
            of.recall,
            of.reciprocal_rank,
            of.average_precision,
        )
        counts = (of.queries_in_mean, sum(of.left_out.values()), of.empty)
        assert row[1:] == [*(f"{value:.3f}" for value in values), *map(str, counts)]


def test_policy_effects_shows_what_core_computes(sample_runs):
    at = app("policy_effects")
    head, *rows = with_head(at, "One switch", "order")
    names = [one.run.name for one in sample_runs]
    best_first = sorted(
        names, key=dict(zip(names, ndcg(sample_runs, FIRST_RUN), strict=True)).__getitem__
    )
    assert head[2:] == best_first[::-1]
    shown = {row[0]: row[1:] for row in rows}
    tried = [
        Switch(field, option, FIRST_RUN.with_option(field, option))
        for field, option in (
            ("gain", "exponential"),
            ("unjudged", "condense"),
            ("cutoff", "5"),
            ("zero_idcg", "leave_out"),
        )
    ]
    before = ndcg(sample_runs, FIRST_RUN)
    for effect in switch_effects(sample_runs, FIRST_RUN, tried=tried):
        switch = effect.switch
        after = ndcg(sample_runs, switch.policy)
        changes = [new - old for new, old in zip(after, before, strict=True)]
        order, *cells = shown[wording.switch_label(switch.field, switch.option)]
        assert order == ("changes" if effect.changes_order else "same")
        assert dict(zip(head[2:], cells, strict=True)) == {
            name: f"{written_change(change)}{written_move(effect, run)}"
            for run, (name, change) in enumerate(zip(names, changes, strict=True))
        }


def ndcg(runs: tuple[GradedRun, ...], rules: Policy) -> list[float]:
    return [aggregate(score(one, rules)).ndcg or 0.0 for one in runs]


def written_change(change: float) -> str:
    if abs(change) < 0.0005:
        return "0" if abs(change) < 1e-12 else "≈ 0"
    return f"{change:+.3f}".replace("-", "−")


def written_move(effect: SwitchEffect, run: int) -> str:
    """Where a run goes to when the order changes."""
    places = ["", "1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"]
    before, after = effect.ranks_before[run], effect.ranks[run]
    assert before is not None
    assert after is not None
    if before == after or not effect.changes_order:
        return ""
    return f" {'up' if after < before else 'down'} to {places[after]}"


def test_queries_shows_what_core_computes(sample_runs):
    at = app("queries", system="bm25", query="q01")
    scores = score(next(one for one in sample_runs if one.run.name == "bm25"), FIRST_RUN)
    frame = at.dataframe[0].value.set_index("query")["ndcg"]
    assert frame.to_dict() == dict(zip(scores.judgments.query_ids, scores.ndcg, strict=True))
    assert frame.is_monotonic_increasing
    assert open_query(at) == ("q01", "bm25")
    explained = explanation(scores, "q01")
    ranking, ideal = table(at, "rank", "adds"), table(at, "rank", "in the run")
    assert [row[0] for row in ranking] == [*map(str, range(1, 11)), "DCG"]
    assert ranking[-1][-1] == f"{explained.dcg:.3f}"
    assert ideal[-1][-1] == f"{explained.idcg:.3f}"


def test_data_lists_the_sample_files():
    at = app("data")
    assert {name: row[:3] for name, row in file_rows(at).items()} == {
        "qrels.tsv": ["judgments", "50", "498"],
        "bm25.run": ["bm25", "48", "827"],
        "bm25-stems.json": ["bm25-stems", "50", "875"],
        "char-ngrams.json.gz": ["char-ngrams", "50", "1,000"],
        "dense.run": ["dense", "50", "1,000"],
        "dense-128.run": ["dense-128", "50", "1,000"],
        "dense-64.run": ["dense-64", "50", "1,000"],
        "dense-stopped.run": ["dense-stopped", "50", "1,000"],
        "fusion.run": ["fusion", "50", "1,000"],
        "fusion-of-3.run": ["fusion-of-3", "50", "1,000"],
        "rerank.run": ["rerank", "50", "246"],
    }
    assert len(at.get("vega_lite_chart")) == 1


def core_headlines(runs: tuple[GradedRun, ...], rules: Policy) -> dict[str, str]:
    """What core says of each run, as the page should write it."""
    outcomes = score_all(runs, rules)
    return {graded.run.name: _headline(one) for graded, one in zip(runs, outcomes, strict=True)}


def _headline(outcome: QueryScores | EvaluationError) -> str:
    if isinstance(outcome, EvaluationError):
        return f"refuses: {getattr(outcome, 'summary', 'cannot be computed')}"
    ndcg = aggregate(outcome).ndcg
    return "no value" if ndcg is None else f"{ndcg:.3f}"


# The rule for unjudged documents, which nobody has chosen at first


@pytest.mark.parametrize("page", SCORED_PAGES)
def test_numbers_are_provisional_until_a_rule_is_chosen(page, sample_runs):
    at = app(page)
    (note,) = notes(at)
    found = sum(aggregate(score(one, FIRST_RUN)).unjudged_in_top for one in sample_runs)
    assert note.startswith(f"Provisional. {found:,.0f} unjudged documents stand in the top 10")
    assert found == 1945
    assert "· provisional ·" in page_text(at)


def test_the_overview_offers_the_number_under_each_rule(sample_runs):
    """That of the rule that counts at first is the headline; the others stand beside it."""
    head, *rows = with_head(app(), "System", "judged@10")
    assert head[2:6] == ["NDCG@10", "if: remove", "if: refuse in top k", "if: refuse anywhere"]
    rules = [
        core_headlines(sample_runs, replace(FIRST_RUN, unjudged=rule))
        for rule in OPTIONS["unjudged"]
    ]
    assert {row[1]: row[2:6] for row in rows} == {
        graded.run.name: [of[graded.run.name].partition(":")[0] for of in rules]
        for graded in sample_runs
    }


def test_a_chosen_rule_leaves_the_leaderboard_without_the_others():
    (head,) = (rows_of(body)[0] for body in blocks(app(unjudged="zero")) if "judged@10" in body)
    assert not [text for text in head if text.startswith("if:")]


@pytest.mark.parametrize("rule", OPTIONS["unjudged"])
def test_one_click_chooses_a_rule(rule, sample_runs):
    at = app()
    checked(at.button(key=f"choose_{rule}").click().run())
    assert headlines(at) == core_headlines(sample_runs, replace(FIRST_RUN, unjudged=rule))
    assert notes(at) == []
    assert "rovisional" not in page_text(at)
    assert at.selectbox(key="policy_unjudged").value == rule
    assert at.query_params["unjudged"] == rule


def test_reset_leaves_the_rule_open_again():
    at = app(unjudged="condense", cutoff="5")
    press(at, "Reset")
    assert at.selectbox(key="policy_unjudged").value == ""
    assert at.query_params == {}
    assert len(notes(at)) == 1


# Every control


@pytest.mark.parametrize("page", SCORED_PAGES)
def test_every_option_of_every_field_can_be_chosen(page, sample_runs):
    """On the overview, each headline is core's."""
    at = app(page)
    choices = [(field, option) for field, options in OPTIONS.items() for option in options]
    choices += [("cutoff", str(cutoff)) for cutoff in CUTOFFS]
    choices += [("relevance_level", "3"), ("gain", "table")]
    for field, option in choices:
        choose(at, field, option)
        if page == "overview":
            rules = FIRST_RUN.with_option(field, TABLE if option == "table" else option)
            assert headlines(at) == core_headlines(sample_runs, rules), (field, option)
        put(at, field, "" if field == "unjudged" else str(getattr(FIRST_RUN, field)))
    kept = checked(at.run()).query_params
    assert set(kept) <= {"system", "query"}


@pytest.mark.parametrize("page", PAGES)
def test_every_preset_can_be_chosen(page, sample_runs):
    at = app(page)
    for name in reversed(PRESETS):
        checked(at.selectbox(key="preset").set_value(name).run())
        assert at.selectbox(key="preset").value == name
        if page == "overview":
            assert headlines(at) == core_headlines(sample_runs, PRESETS[name].policy)


def test_changing_one_rule_of_a_preset_makes_it_custom():
    at = app()
    checked(at.selectbox(key="preset").set_value("trec_eval-9").run())
    choose(at, "average", "pooled")
    assert at.selectbox(key="preset").value == "custom"


def test_a_changed_rule_is_marked():
    at = choose(app(), "average", "pooled")
    assert at.segmented_control(key="policy_average").proto.label == "Average · *changed*"
    assert at.segmented_control(key="policy_gain").proto.label == "Gain"


@pytest.mark.parametrize("page", PAGES)
def test_a_run_without_ranks_is_refused_on_every_page(page, sample_runs):
    """It shows as a cell or a note; the other runs keep their numbers."""
    at = app("overview")
    choose(at, "order", "rank_column")
    go_to(at, page)
    if page == "overview":
        assert headlines(at)["char-ngrams"] == "refuses: no ranks"
        assert headlines(at)["fusion"] == "0.632"
        assert headlines(at) == core_headlines(sample_runs, replace(FIRST_RUN, order="rank_column"))


@pytest.mark.parametrize("page", ["overview", "policy_effects"])
def test_a_policy_that_refuses_every_run_shows_the_reasons(page, sample_runs):
    at = app(page, unjudged="refuse")
    assert "every system is refused" in page_text(at)
    for graded in sample_runs:
        found = aggregate(score(graded, FIRST_RUN)).unjudged_in_top
        colon = ":" if page == "overview" else ""
        assert f"refuses{colon} {found:.0f} unjudged" in page_text(at)


def test_a_chosen_system_that_the_policy_refuses_stays_and_shows_the_reason(sample_runs):
    at = app("queries", unjudged="refuse", system="fusion", query="q10")
    for graded in sample_runs:
        name = graded.run.name
        checked(at.selectbox(key="system_choice").set_value(name).run())
        refusal = score_all([graded], replace(FIRST_RUN, unjudged="refuse"))[0]
        assert notes(at) == [f"Refused. {refusal}"]
        assert at.query_params["system"] == at.selectbox(key="system_choice").value == name
    choose(at, "unjudged", "zero")
    assert open_query(at) == ("q10", name)


def test_gain_table_counts(sample_runs):
    at = with_gain_table(app(), "0:0,1:1,2:1,3:1")
    rules = replace(FIRST_RUN, gain=GainTable.parsed("0:0,1:1,2:1,3:1"))
    assert headlines(at) == core_headlines(sample_runs, rules)
    assert at.query_params["gain"] == "0:0,1:1,2:1,3:1"


def with_gain_table(at: AppTest, text: str) -> AppTest:
    choose(at, "gain", "table")
    return checked(at.text_input(key="gain_table_text").set_value(text).run())


def test_a_gain_table_outlives_other_pages_and_other_gains():
    """A widget's state ends when it is not drawn; what was typed does not."""
    at = with_gain_table(app(), "0:0,1:1,2:1,3:1")
    for page in PAGES:
        go_to(at, page)
        assert at.text_input(key="gain_table_text").value == "0:0,1:1,2:1,3:1"
        assert at.query_params["gain"] == "0:0,1:1,2:1,3:1"
    choose(at, "gain", "linear")
    assert "gain" not in at.query_params
    choose(at, "gain", "table")
    assert at.text_input(key="gain_table_text").value == "0:0,1:1,2:1,3:1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "gain '': expected linear, exponential, or a table such as 0:0,1:1,2:5."),
        ("x", "gain 'x': expected linear, exponential, or a table such as 0:0,1:1,2:5."),
        (
            "0:0,1:nan",
            "gain '0:0,1:nan': expected linear, exponential, or a table such as 0:0,1:1,2:5.",
        ),
        ("1:2,2:1", "gain '1:2,2:1': expected gains that never fall as the grade rises."),
        ("0:1", "gain '0:1': expected gain 0 for grade 0."),
        ("0:0,1:1e301", "gain '0:0,1:1e+301': expected finite gains, up to 1e+300."),
        (
            f"0:0,{NASTY['handler']}:1",
            f"gain '0:0,{NASTY['handler']}:1': "
            "expected linear, exponential, or a table such as 0:0,1:1,2:5.",
        ),
    ],
)
def test_a_gain_table_that_is_none_gets_a_message(text, message, sample_runs):
    at = with_gain_table(app(), text)
    assert notes(at) == [message]
    checked(at.text_input(key="gain_table_text").set_value(TABLE).run())
    assert message not in notes(at)
    assert len(headlines(at)) == len(sample_runs)


def test_a_gain_table_that_misses_a_grade_is_a_refusal():
    at = app(gain="0:0,1:1")
    assert len(headlines(at)) == 10
    assert set(headlines(at).values()) == {"refuses: cannot be computed"}


@pytest.mark.parametrize("typed", ["7", " 7 "])
def test_any_whole_number_can_be_typed_as_cutoff(typed, sample_runs):
    at = choose(app(), "cutoff", typed)
    assert headlines(at) == core_headlines(sample_runs, replace(FIRST_RUN, cutoff=7))
    assert at.query_params == {"cutoff": "7"}
    know_cutoff(at)
    go_to(at, "policy_effects")
    assert "NDCG@7" in page_text(at)


@pytest.mark.parametrize(
    ("typed", "quoted"),
    [
        ("abc", "'abc'"),
        ("0", "0"),
        ("-1", "'-1'"),
        ("2.5", "'2.5'"),
        ("\u0663", "'\u0663'"),
        (NASTY["handler"], f"'{NASTY['handler']}'"),
    ],
)
@pytest.mark.parametrize("page", ["overview", "queries"])
def test_a_cutoff_that_is_none_gets_a_message(typed, quoted, page):
    at = choose(app(page), "cutoff", typed)
    message = f'cutoff must be a whole number of at least 1, or "all", not {quoted}.'
    assert notes(at) == [message]
    choose(at, "cutoff", "5")
    assert message not in notes(at)
    assert "NDCG@5" in page_text(at)


@pytest.mark.parametrize("digits", [20, 5000])
def test_a_cutoff_beyond_all_bounds_is_no_traceback(digits):
    choose(app(), "cutoff", "9" * digits)


# The address


def test_the_address_sets_every_control():
    wanted = {field: options[-1] for field, options in OPTIONS.items()}
    wanted |= {"cutoff": "7", "relevance_level": "2", "gain": "exponential"}
    at = app(**wanted)
    assert policy(at) == wanted | {"relevance_level": 2}
    assert not [note for note in notes(at) if "address" in note]


def test_the_address_says_what_differs_from_the_first_policy():
    at = app()
    assert at.query_params == {}
    choose(at, "gain", "exponential")
    choose(at, "unjudged", "zero")
    choose(at, "cutoff", "all")
    assert at.query_params == {"gain": "exponential", "unjudged": "zero", "cutoff": "all"}
    choose(at, "gain", "linear")
    assert at.query_params == {"unjudged": "zero", "cutoff": "all"}


def test_an_address_that_was_written_opens_the_same_numbers():
    at = app()
    checked(at.selectbox(key="preset").set_value("trec_eval-9").run())
    choose(at, "zero_idcg", "leave_out")
    choose(at, "gain", "table")
    again = app(**at.query_params)
    assert policy(again) == policy(at)
    assert blocks(again) == blocks(at)
    assert again.query_params == at.query_params


def test_an_address_keeps_a_gain_table_to_the_last_digit():
    table_text = "0:0,1:0.3333333,2:0.6666667,3:1000001"
    at = with_gain_table(app(), table_text)
    assert GainTable.parsed(at.query_params["gain"]) == GainTable.parsed(table_text)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (
            "gain",
            "2^g",
            "gain must be one of linear, exponential, or a table such as 0:0,1:1,2:5, not '2^g'.",
        ),
        ("cutoff", "0", 'cutoff must be a whole number of at least 1, or "all", not 0.'),
        (
            "unjudged",
            "<b>",
            "unjudged must be one of zero, condense, refuse, refuse_any, not '<b>'.",
        ),
        (
            "relevance_level",
            "-1",
            "relevance_level must be a whole number of at least 1, not '-1'.",
        ),
        ("gain", "0:1", "gain '0:1': expected gain 0 for grade 0."),
    ],
)
def test_an_address_that_asks_the_impossible_gets_a_note(field, value, message):
    at = app(**{field: value, "average": "pooled"})
    assert f"The address: {message}" in notes(at)
    assert at.query_params == {"average": "pooled"}
    assert "pooled NDCG@10" in page_text(at)
    assert not [note for note in notes(checked(at.run())) if "address" in note], "said once"


def test_the_address_keeps_the_policy_and_the_query_over_all_pages():
    at = app("queries", average="pooled")
    run_with_row(at, 3)
    kept = {"average": "pooled", "system": "dense", "query": listed_queries(at)[3]}
    for page in PAGES:
        assert go_to(at, page).query_params == kept


# Queries


def test_a_query_is_open_from_the_start_and_it_has_an_ideal(sample_runs):
    """The worst of the leader, but for those that could not score anything."""
    at = app("queries")
    scores = score(next(one for one in sample_runs if one.run.name == "dense"), FIRST_RUN)
    without = {
        query
        for query, zero in zip(scores.judgments.query_ids, scores.zero_idcg, strict=True)
        if zero
    }
    assert listed_queries(at)[0] in without
    with_ideal = [query for query in listed_queries(at) if query not in without]
    assert open_query(at) == (with_ideal[0], "dense")
    assert marked_query(at) == with_ideal[0]


def test_a_click_in_the_list_opens_its_query():
    at = app("queries")
    run_with_row(at, 3)
    assert open_query(at)[0] == listed_queries(at)[3] == at.query_params["query"]


def test_a_click_on_a_bar_opens_its_query():
    at = app("queries")
    run_with_selection(at, "query_bars", {"pick": [{"query": "q15"}]})
    assert open_query(at)[0] == marked_query(at) == "q15"


def test_the_open_query_stays_when_another_system_sorts_the_list_anew():
    """The list reports a row number, which then means another query; the mark moves along."""
    at = app("queries")
    run_with_row(at, 10)
    query, before = open_query(at)[0], listed_queries(at)
    at.selectbox(key="system_choice").set_value("bm25")
    run_with_row(at, 10)
    assert open_query(at) == (query, "bm25")
    assert listed_queries(at)[10] != query == before[10]
    assert marked_query(at) == query
    choose(at, "gain", "exponential")
    assert open_query(at) == (query, "bm25")
    assert at.query_params["query"] == marked_query(at) == query


def test_previous_and_next_walk_the_list():
    at = app("queries")
    listed = listed_queries(at)
    start = listed.index(open_query(at)[0])
    for label, step in (("Next", 1), ("Next", 2), ("Previous", 1)):
        press(at, label)
        assert open_query(at)[0] == marked_query(at) == listed[start + step]


@pytest.mark.parametrize(("row", "label"), [(0, "Previous"), (-1, "Next")])
def test_the_list_has_two_ends(row, label):
    at = app("queries", query=listed_queries(app("queries"))[row])
    assert [button.label for button in at.button if button.disabled and button.label == label]


def test_the_address_opens_a_system_and_a_query():
    at = app("queries", system="fusion", query="q06")
    assert open_query(at) == ("q06", "fusion")


@pytest.mark.parametrize("page", ["overview", "policy_effects", "data"])
def test_other_pages_leave_the_query_in_the_address(page):
    """Opened or loaded anew there, the address still leads to the same query."""
    kept = {"system": "fusion", "query": "q06"}
    at = app(page, **kept)
    assert at.query_params == kept
    assert open_query(go_to(at, "queries")) == ("q06", "fusion")


def test_a_query_that_is_not_there_is_passed_over():
    at = app("queries", system="nobody", query="q99")
    assert open_query(at) == open_query(app("queries"))


# The walk on the sample runs


def test_the_walk_leads_where_it_says(sample_runs):
    """Each step is done as it is written; what it says then is so, in the app and in core."""
    at = app()
    steps = [(step, re.findall("“(.+?)”", step)) for step in wording.WALK]
    assert [step for step in wording.WALK if step not in page_text(at)] == []

    step, (button,) = steps[0]
    press(at, button)
    zero = replace(FIRST_RUN, unjudged="zero")
    assert headlines(at) == core_headlines(sample_runs, zero)
    *_, (name, value) = headlines(at).items()
    assert name == "rerank"
    assert f"rerank is last, with {value}." in step
    figures = [value]

    step, words = steps[1]
    for control, option in zip(words[::2], words[1::2], strict=True):
        choose_as_labelled(at, control, option)
    own_ideal = replace(zero, ideal_scope="this_run", zero_idcg="leave_out")
    assert headlines(at) == core_headlines(sample_runs, own_ideal)
    name, value = next(iter(headlines(at).items()))
    assert name == "rerank"
    assert f"rerank leads with {value}:" in step
    figures.append(value)

    step, (button, control, option) = steps[2]
    press(at, button)
    assert headlines(at) == core_headlines(sample_runs, FIRST_RUN)
    assert comes_before("char-ngrams", "dense-64", at)
    choose_as_labelled(at, control, option)
    condensed = replace(FIRST_RUN, unjudged="condense")
    assert headlines(at) == core_headlines(sample_runs, condensed)
    assert "dense-64 moves ahead of char-ngrams" in step
    assert comes_before("dense-64", "char-ngrams", at)
    go_to(at, "policy_effects")
    assert {row[0] for row in table(at, "One switch", "order") if row[1] == "changes"} == {
        wording.switch_label(effect.switch.field, effect.switch.option)
        for effect in switch_effects(sample_runs, condensed)
        if effect.changes_order
    }

    step, _ = steps[3]
    go_to(at, "queries")
    checked(at.selectbox(key="system_choice").set_value("rerank").run())
    run_with_row(at, listed_queries(at).index("q10"))
    assert open_query(at) == ("q10", "rerank")
    rerank = next(one for one in sample_runs if one.run.name == "rerank")
    value = query_ndcg(rerank, condensed, "q10")
    assert f"NDCG = DCG ÷ IDCG = {value}" in page_text(at)
    assert f"choose rerank and open q10, where it scores {value} although" in step
    assert query_ndcg(rerank, replace(condensed, ideal_scope="this_run"), "q10") == "1.000"
    assert table(at, "rank", "in the run")[0][-1] == "not retrieved"
    figures.append(value)

    assert re.findall(r"\d+\.\d+", " ".join(wording.WALK)) == figures


def choose_as_labelled(at: AppTest, control: str, option: str) -> None:
    """Set a control, both named by what one reads."""
    (field,) = (field for field, label in wording.FIELD_LABELS.items() if label == control)
    (value,) = (one for one in OPTIONS[field] if wording.option_label(field, one) == option)
    choose(at, field, value)


def comes_before(first: str, second: str, at: AppTest) -> bool:
    names = list(headlines(at))
    return names.index(first) < names.index(second)


def query_ndcg(graded: GradedRun, rules: Policy, query: str) -> str:
    return f"{explanation(score(graded, rules), query).ndcg:.3f}"


def test_the_walk_is_shown_on_the_sample_runs_only():
    assert wording.WALK_TITLE in page_text(app())
    at = go_to(with_own_files(), "overview")
    assert wording.WALK_TITLE not in page_text(at)
    assert not [step for step in wording.WALK if step in page_text(at)]
    press(go_to(at, "data"), "Back to the sample runs")
    assert wording.WALK_TITLE in page_text(go_to(at, "overview"))


# Files


def test_own_files_replace_the_samples_and_are_scored():
    at = with_own_files()
    assert {name: row[0] for name, row in file_rows(at).items()} == {
        "my.qrels": "judgments",
        "alpha.run": "alpha",
        "beta.run": "beta",
    }
    assert "Sample runs" not in page_text(at)
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}
    assert "alpha leads beta by 0.191 NDCG@10: better on 2, tied on 1" in page_text(at)


def test_a_bad_file_keeps_its_row_with_the_reason_and_the_good_ones_are_scored():
    at = with_own_files({"alpha.run": ALPHA, "bad.run": b"q1 Q0 a 1 high bad\n"})
    reason = "bad.run, line 1: "
    assert file_rows(at)["bad.run"][0] == "not used"
    assert file_rows(at)["bad.run"][-1].startswith(f"Not used. {reason}")
    assert notes(at) == [], "said once"
    for page in SCORED_PAGES:
        go_to(at, page)
        assert any(note.startswith(f"Not used. {reason}") for note in notes(at))
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"PK\x03\x04",
        b"\x1f\x8b broken",
        b"{",
        b'{"q1": 1}',
        b"q1 Q0 a\n",
        b"\x00" * 9,
    ],
    ids=["empty", "UTF-16", "zip", "gzip", "JSON", "JSON values", "columns", "NUL"],
)
def test_whatever_a_run_holds_is_no_traceback(content):
    at = with_own_files({"alpha.run": ALPHA, "odd.run": content})
    assert file_rows(at)["odd.run"][0] == "not used"
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG}


def test_bad_judgments_are_named_on_every_page():
    at = with_own_files(qrels=b"q1 0 a\n")
    assert file_rows(at)["my.qrels"][0] == "not used"
    for page in SCORED_PAGES:
        assert any(
            note.startswith("Not used. my.qrels, line 1: 3 columns")
            for note in notes(go_to(at, page))
        )


@pytest.mark.parametrize("page", PAGES)
def test_judgments_that_share_no_query_with_a_run(page):
    """The page of data has the reason beside the file, the others as a note."""
    at = go_to(with_own_files(qrels=b"other 0 a 1\n"), page)
    for name in ("alpha.run", "beta.run"):
        said = [file_rows(at)[name][-1]] if page == "data" else notes(at)
        start = f"Not used. {name}: no query in common with my.qrels"
        assert any(text.startswith(start) for text in said)
    if page != "data":
        assert notes(at)[-1] == wording.NO_USABLE_RUNS


def test_judgments_alone_ask_for_runs():
    at = upload(app("data"), qrels=("my.qrels", QRELS))
    assert list(file_rows(at)) == ["my.qrels"]
    assert notes(go_to(at, "overview")) == [wording.NO_RUNS]


def test_runs_alone_ask_for_judgments_and_wait_for_them():
    at = upload(app("data"), runs={"alpha.run": ALPHA, "bad.run": b"q1 Q0 a\n"})
    assert file_rows(at)["alpha.run"] == ["alpha", "3", "4", "", "", wording.WAITING]
    assert file_rows(at)["bad.run"][0] == "not used"
    for page in SCORED_PAGES:
        assert notes(go_to(at, page))[-1] == wording.NO_JUDGMENTS
    go_to(at, "data")
    upload(at, qrels=("my.qrels", QRELS))
    assert file_rows(at)["alpha.run"][-1] == ""
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG}


def test_more_runs_join_those_that_are_there():
    at = with_own_files({"alpha.run": ALPHA})
    upload(at, runs={"beta.run": BETA})
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}


def test_other_judgments_replace_the_old_ones():
    at = with_own_files()
    upload(at, qrels=("my.qrels", QRELS.replace(b"q3 0 e 1", b"q3 0 x 1")))
    assert headlines(go_to(at, "overview")) == {"alpha": "1.000", "beta": BETA_NDCG}


def test_bad_judgments_leave_the_good_ones_in_use():
    at = with_own_files()
    upload(at, qrels=("bad.qrels", b"q1 0 a\n"))
    rows = file_rows(at)
    assert rows["my.qrels"][0] == "judgments"
    assert rows["bad.qrels"][0] == "not used"
    assert rows["bad.qrels"][-1].startswith("Not used. bad.qrels, line 1: 3 columns")
    go_to(at, "overview")
    assert headlines(at) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}
    assert notes(at)[0].startswith("Not used. bad.qrels, line 1: 3 columns")
    go_to(at, "data")
    upload(at, qrels=("good.qrels", QRELS.replace(b"q3 0 e 1", b"q3 0 x 1")))
    assert "my.qrels" not in file_rows(at)
    assert "bad.qrels" not in file_rows(at)
    assert headlines(go_to(at, "overview")) == {"alpha": "1.000", "beta": BETA_NDCG}


def test_a_corrected_run_under_the_same_name_gets_a_number_of_its_own():
    """What is kept in memory is kept by content."""
    at = with_own_files({"alpha.run": ALPHA})
    corrected = ALPHA.replace(b"q3 Q0 x", b"q3 Q0 e")
    upload(at, runs={"alpha.run": corrected})
    assert sorted(headlines(go_to(at, "overview")).values()) == [ALPHA_NDCG, "1.000"]


def test_a_run_can_be_removed():
    at = with_own_files()
    remove(at, "alpha.run")
    assert list(file_rows(at)) == ["my.qrels", "beta.run"]
    assert headlines(go_to(at, "overview")) == {"beta": BETA_NDCG}


def remove(at: AppTest, name: str, *, number: int = 0) -> AppTest:
    """Choose a file from the list of runs to remove; several may have one name."""
    digests = [file.digest for file in at.session_state["files"].runs if file.name == name]
    return checked(at.selectbox(key="remove_run").set_value(digests[number]).run())


@pytest.mark.parametrize(("removed", "left"), [(0, "1.000"), (1, ALPHA_NDCG)])
def test_of_two_runs_with_one_file_name_the_chosen_one_is_removed(removed, left):
    at = with_own_files({"alpha.run": ALPHA})
    upload(at, runs={"alpha.run": ALPHA.replace(b"q3 Q0 x", b"q3 Q0 e")})
    remove(at, "alpha.run", number=removed)
    assert list(headlines(go_to(at, "overview")).values()) == [left]


@pytest.mark.parametrize("name", ["alpha.run", "copy.run"])
def test_a_file_that_is_there_already_is_not_dropped_without_a_word(name):
    at = with_own_files({"alpha.run": ALPHA})
    upload(at, runs={name: ALPHA, "beta.run": BETA})
    said = f"{name} is not added: it holds the same bytes as alpha.run."
    assert notes(at) == [said]
    assert list(file_rows(at)) == ["my.qrels", "alpha.run", "beta.run"]
    assert said in notes(go_to(at, "overview"))
    remove(go_to(at, "data"), "beta.run")
    assert notes(at) == [], "of the last upload only"


def test_two_copies_of_a_file_count_the_same_in_one_upload_and_in_two():
    at = with_own_files({"alpha.run": ALPHA})
    upload(at, runs={"copy.run": ALPHA})
    together = with_own_files({"alpha.run": ALPHA, "copy.run": ALPHA})
    assert len(file_rows(together)) == 2
    assert notes(together) == notes(at) != []
    assert headlines(go_to(together, "overview")) == headlines(go_to(at, "overview"))


def test_the_same_judgments_under_another_name_go_by_the_new_name():
    at = with_own_files()
    upload(at, qrels=("renamed.qrels", QRELS))
    assert next(iter(file_rows(at))) == "renamed.qrels"


def test_the_same_bad_judgments_under_another_name_are_reported_by_the_new_name():
    at = with_own_files(qrels=b"nonsense\n")
    upload(at, qrels=("renamed.qrels", b"nonsense\n"))
    assert file_rows(at)["renamed.qrels"][-1].startswith("Not used. renamed.qrels, line 1:")


def test_runs_with_one_tag_go_by_their_file_names():
    at = with_own_files({"one.run": ALPHA, "two.run": BETA.replace(b"beta", b"alpha")})
    assert headlines(go_to(at, "overview")) == {"one": ALPHA_NDCG, "two": BETA_NDCG}


def test_back_to_the_samples(sample_runs):
    at = with_own_files()
    press(at, "Back to the sample runs")
    assert next(iter(file_rows(at))) == "qrels.tsv"
    assert headlines(go_to(at, "overview")) == core_headlines(sample_runs, FIRST_RUN)


def test_a_declared_scale_is_kept_and_refuses_other_grades():
    at = with_own_files()
    assert "grades 0 to 3, as observed." in file_rows(at)["my.qrels"][-1]
    checked(at.text_input(key="scale_uploaded").set_value("0..3").run())
    assert "as observed" not in file_rows(at)["my.qrels"][-1]
    checked(at.text_input(key="scale_uploaded").set_value("0..2").run())
    with pytest.raises(EvaluationError, match=r"outside the declared scale 0\.\.2") as refused:
        read_judgments(QRELS, name="my.qrels", scale=(0, 2))
    assert file_rows(at)["my.qrels"][-1] == f"Not used. {refused.value}"
    checked(at.text_input(key="scale_uploaded").set_value("").run())
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}


@pytest.mark.parametrize("text", ["3", "3..0", "a..b", "0...3", "9" * 5000 + "..1"])
def test_a_scale_that_is_none_gets_a_note(text):
    at = with_own_files()
    checked(at.text_input(key="scale_uploaded").set_value(text).run())
    assert notes(at)[-1].startswith(f"'{text}' is not a scale of grades.")
    assert "my.qrels" in file_rows(at)


def test_systems_stay_comparable_after_many_other_judgments():
    """What is kept in memory is limited; judgments that were read again are still the same ones."""
    st.cache_resource.clear()
    at = with_own_files({"alpha.run": ALPHA})
    for highest in range(3, 20):
        checked(at.text_input(key="scale_uploaded").set_value(f"0..{highest}").run())
    checked(at.text_input(key="scale_uploaded").set_value("").run())
    upload(at, runs={"beta.run": BETA})
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}


def test_no_query_is_left():
    at = with_own_files(qrels=b"q1 0 a 0\nq2 0 c 0\n")
    go_to(at, "overview")
    choose(at, "zero_idcg", "leave_out")
    assert headlines(at) == {"alpha": "no value", "beta": "no value"}
    assert "alpha has NDCG@10 no value." in page_text(at)
    for page in PAGES:
        go_to(at, page)
    assert "no value (left out: IDCG 0)" in page_text(go_to(at, "queries"))


@pytest.mark.parametrize("page", PAGES)
def test_nasty_names_are_text_on_every_page(page):
    """Each run, query and document has a nasty name; no exception, and no tag of theirs."""
    judged = {name: {name: 1, "b": 0} for name in NASTY.values()}
    runs = {
        f"{number}.json": json.dumps({name: [name]}).encode()
        for number, name in enumerate(NASTY.values())
    }
    at = with_own_files(runs, json.dumps(judged).encode())
    go_to(at, page)
    tags = {tag for body in blocks(at) for tag in re.findall(r"<([a-z0-9]+)", body)}
    assert tags <= KNOWN_TAGS


def test_files_of_the_command_line_come_first(tmp_path, monkeypatch):
    (tmp_path / "my.qrels").write_bytes(QRELS)
    (tmp_path / "a=b.run").write_bytes(ALPHA)
    (tmp_path / "beta.run").write_bytes(BETA)
    arguments = ["--qrels", "my.qrels", "--run", "a=b.run", "second=beta.run", "--scale", "0..3"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    at = app()
    assert headlines(at) == {"alpha": ALPHA_NDCG, "second": BETA_NDCG}
    assert "as observed" not in file_rows(go_to(at, "data"))["my.qrels"][-1]


def test_one_file_under_two_names_of_the_command_line_is_not_dropped_without_a_word(
    tmp_path, monkeypatch
):
    (tmp_path / "my.qrels").write_bytes(QRELS)
    (tmp_path / "alpha.run").write_bytes(ALPHA)
    arguments = ["--qrels", "my.qrels", "--run", "one=alpha.run", "two=alpha.run"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    at = app()
    assert headlines(at) == {"one": ALPHA_NDCG}
    assert "two is not added: it holds the same bytes as one." in notes(at)


def test_files_of_the_command_line_that_are_gone_are_named(tmp_path, monkeypatch):
    arguments = ["--qrels", str(tmp_path / "my.qrels"), "--run", str(tmp_path / "a.run")]
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    at = app()
    assert len([note for note in notes(at) if "the file cannot be opened" in note]) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are always text")
@pytest.mark.parametrize("page", PAGES)
def test_a_file_name_that_is_not_text_is_no_traceback(page, tmp_path, monkeypatch):
    (tmp_path / "my.qrels").write_bytes(QRELS)
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.run"))
    odd.write_bytes(ALPHA)
    arguments = ["--qrels", str(tmp_path / "my.qrels"), "--run", str(odd)]
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    app(page)
