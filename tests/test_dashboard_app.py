"""The app as Streamlit runs it: pages, the rule for unjudged documents, the walk, its settings."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import app_driver
import pytest
from app_driver import (
    APP,
    BEST_TWO,
    PAGES,
    SCORED_PAGES,
    address,
    app,
    at_k,
    blocks,
    checked,
    choose,
    core_headlines,
    downloads,
    frame,
    go_to,
    headlines,
    listed,
    notes,
    open_query,
    page_text,
    pick,
    press,
    sample_runs,
    sample_scores,
    table,
    verdict,
    with_head,
    with_own_files,
)
from nasty_names import NASTY
from parsed_html import rows_of
from streamlit.testing.v1 import AppTest

from core.comparison import compare
from core.explanation import explanation
from core.grades import GradedRun
from core.policy import OPTIONS, Policy
from core.presets import FIRST_RUN
from core.scores import aggregate, score
from core.sensitivity import Switch, SwitchEffect, switch_effects
from dashboard import files, wording
from dashboard.wording import say

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)

DASHBOARD = APP.parent
MODULES = sorted(DASHBOARD.rglob("*.py"))
WALK = [say(f"walk.{step}") for step in range(1, 6)]
KNOWN_TAGS = {
    *("b", "br", "details", "div", "em", "figcaption", "figure", "h2", "i", "li", "ol", "s"),
    *("small", "span", "summary", "table", "tbody", "td", "th", "thead", "tr", "u"),
}


# What core computes


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_the_sample_runs(page):
    at = app(page)
    assert say("samples.notice") in page_text(at)
    assert at.query_params.get("unjudged") is None


def test_overview_shows_what_core_computes():
    at = app()
    assert headlines(at) == core_headlines(FIRST_RUN)
    scores = {name: aggregate(one) for name, one in sample_scores(FIRST_RUN).items()}
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


def test_the_verdict_has_the_difference_of_the_pair_with_its_interval():
    scores = sample_scores(FIRST_RUN)
    found = compare(scores["dense"], scores["dense-128"])
    assert found.interval is not None
    ends = f"[{found.interval.low:+.3f}, {found.interval.high:+.3f}]".replace("-", "−")
    tried = switch_effects(sample_runs(), FIRST_RUN)
    reorder = sum(effect.changes_order for effect in tried)
    said = verdict(app())
    assert said.startswith(
        f"Provisional: dense leads dense-128 by {found.difference:.3f} NDCG@10 "
        f"(A − B {found.difference:+.3f}, 95 % interval {ends}, which includes 0): "
        f"better on {found.wins}, tied on {found.ties} and worse on {found.losses} of 50 queries."
    )
    assert f"{reorder} of {len(tried)} single policy switches change the order" in said


def test_policy_effects_shows_what_core_computes():
    at = app("policy_effects")
    head, *rows = with_head(at, "One switch", "order")
    before = ndcg(FIRST_RUN)
    names = list(before)
    assert head[2:] == sorted(names, key=lambda name: -before[name])
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
    for effect in switch_effects(sample_runs(), FIRST_RUN, tried=tried):
        switch = effect.switch
        after = ndcg(switch.policy)
        order, *cells = shown[wording.switch_label(switch.field, switch.option)]
        assert order == order_words(before, after)
        assert dict(zip(head[2:], cells, strict=True)) == {
            name: f"{written_change(after[name] - before[name])}{written_move(effect, run)}"
            for run, name in enumerate(names)
        }


def ndcg(rules: Policy) -> dict[str, float]:
    return {name: aggregate(one).ndcg or 0.0 for name, one in sample_scores(rules).items()}


def order_words(before: dict[str, float], after: dict[str, float]) -> str:
    """How many pairs change places."""
    names = list(before)
    swapped = sum(
        (before[one] - before[other]) * (after[one] - after[other]) < 0
        for at, one in enumerate(names)
        for other in names[at + 1 :]
    )
    return f"{swapped} pair{'s change' if swapped > 1 else ' changes'}" if swapped else "same"


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


def test_pairs_are_tried_under_every_switch():
    """What a switch does to the conclusion of a pair; the compared pair stands first."""
    at = app("policy_effects")
    head, *rows = with_head(at, "Pair", "now")
    assert head[:3] == ["Pair", "difference", "now"]
    assert rows[0][:3] == ["dense over dense-128", "+0.043", "not separable"]
    condense = head.index("Unjudged documents: remove")
    shown = {row[0]: row[condense] for row in rows}
    before, after = ndcg(FIRST_RUN), ndcg(replace(FIRST_RUN, unjudged="condense"))
    assert before["char-ngrams"] > before["dense-64"]
    assert after["char-ngrams"] < after["dense-64"]
    assert shown["char-ngrams over dense-64"] == "order flips"
    steady = 45 - len(rows)
    assert f"The conclusions of {steady} pairs survive every switch." in page_text(at)


def test_queries_shows_what_core_computes():
    at = app("queries", system="bm25", baseline="fusion", query="q01", unjudged="zero")
    rules = replace(FIRST_RUN, unjudged="zero")
    scores = sample_scores(rules)
    pair = frame(at, "pair_list").set_index("query")
    for column, name in (("first", "bm25"), ("second", "fusion")):
        values = dict(zip(scores[name].judgments.query_ids, scores[name].ndcg, strict=True))
        assert pair[column].to_dict() == values
    assert pair["difference"].to_dict() == (pair["first"] - pair["second"]).to_dict()
    assert pair["difference"].abs().is_monotonic_decreasing
    every = frame(at, "every_system").set_index("query")
    for at_column, one in enumerate(scores.values()):
        for query, cell in every[f"system_{at_column}"].items():
            shown = str(cell).split()[0]
            assert shown == f"{one.ndcg[one.judgments.index[str(query)]]:.3f}"
    assert open_query(at) == ("q01", ["bm25", "fusion"])
    for name, other in (("bm25", "fusion"), ("fusion", "bm25")):
        explained = explanation(scores[name], "q01")
        ranking = table(at, "rank", "adds", "score", f"in {other}")
        assert [row[0] for row in ranking] == [*map(str, range(1, 11)), "DCG"]
        assert ranking[-1][-1] == f"{explained.dcg:.3f}"
        ideal = table(at, "rank", "adds", "in bm25", "in fusion")
        assert ideal[-1][1] == f"{explained.idcg:.3f}"


# The rule for unjudged documents, which nobody has chosen at first


@pytest.mark.parametrize("page", SCORED_PAGES)
def test_numbers_are_provisional_until_a_rule_is_chosen(page):
    at = app(page)
    (note,) = notes(at)
    found = sum(aggregate(one).unjudged_in_top for one in sample_scores(FIRST_RUN).values())
    assert note.startswith(f"Provisional. {found:,.0f} places in the top 10 hold a document that")
    assert found == 1945
    for rule, name in (("refuse", "Refuse in top k"), ("refuse_any", "Refuse anywhere")):
        refused = core_headlines(replace(FIRST_RUN, unjudged=rule)).values()
        count = sum(one.startswith("refuses") for one in refused)
        assert f"“{name}” refuses {count} systems." in note
    assert "· provisional ·" in page_text(at)


def test_the_overview_offers_the_number_with_unjudged_documents_removed():
    """That of the rule that counts at first is the headline; one column stands beside it."""
    head, *rows = with_head(app(), "System", "judged@10")
    assert [text for text in head if text.startswith("if ")] == ["if unjudged: remove"]
    removed = core_headlines(replace(FIRST_RUN, unjudged="condense"))
    assert {row[1]: row[head.index("if unjudged: remove")] for row in rows} == removed


def test_a_chosen_rule_leaves_the_leaderboard_without_the_others():
    (head,) = (rows_of(body)[0] for body in blocks(app(unjudged="zero")) if "judged@10" in body)
    assert not [text for text in head if text.startswith("if ")]


@pytest.mark.parametrize("rule", OPTIONS["unjudged"])
def test_one_click_chooses_a_rule(rule):
    at = app()
    checked(at.button(key=f"choose_{rule}").click().run())
    assert headlines(at) == core_headlines(replace(FIRST_RUN, unjudged=rule))
    said = [note.startswith(say("overview.refused")) for note in notes(at)]
    assert said == ([True] if rule.startswith("refuse") else [])
    assert "rovisional" not in page_text(at)
    assert at.selectbox(key="policy_unjudged").value == rule
    assert at.query_params["unjudged"] == rule


def test_reset_leaves_the_rule_open_again():
    at = app(unjudged="condense", cutoff="5")
    press(at, "Reset")
    assert at.selectbox(key="policy_unjudged").value == ""
    assert address(at) == BEST_TWO
    assert len(notes(at)) == 1


@pytest.mark.parametrize(
    ("page", "label"), [("overview", "Record as JSON"), ("queries", "All as CSV")]
)
def test_nothing_is_written_down_until_a_rule_is_chosen(page, label):
    at = app(page)
    (button,) = downloads(at).values()
    assert (button.label, button.disabled, button.help) == (label, True, say("download.closed"))
    choose(at, "unjudged", "zero")
    (button,) = downloads(at).values()
    assert (button.label, button.disabled, button.help) == (label, False, "")


def test_files_without_unjudged_documents_need_no_rule():
    at = with_own_files(qrels=b"q1 0 a 3\nq1 0 b 1\nq2 0 c 2\nq2 0 d 0\nq3 0 x 0\n")
    for page in SCORED_PAGES:
        go_to(at, page)
        assert notes(at) == []
        assert not any(button.disabled for button in downloads(at).values())


@pytest.mark.parametrize("page", ["policy_effects", "data"])
def test_other_pages_write_nothing_down(page):
    assert downloads(app(page)) == {}


# The walk on the sample runs


def test_the_walk_leads_where_it_says():
    """Each step is done as it is written; what it says then is so, in the app and in core."""
    at = app()
    steps = [(step, re.findall("“(.+?)”", step)) for step in WALK]
    assert [step for step in WALK if step not in page_text(at)] == []

    step, (button,) = steps[0]
    press(at, button)
    zero = replace(FIRST_RUN, unjudged="zero")
    assert headlines(at) == core_headlines(zero)
    *_, (name, value) = headlines(at).items()
    assert name == "rerank"
    assert f"rerank is last, with {value}." in step
    figures = [value]

    step, words = steps[1]
    for control, option in zip(words[::2], words[1::2], strict=True):
        choose_as_labelled(at, control, option)
    own_ideal = replace(zero, ideal_scope="this_run", zero_idcg="leave_out")
    assert headlines(at) == core_headlines(own_ideal)
    name, value = next(iter(headlines(at).items()))
    assert name == "rerank"
    assert f"rerank leads with {value}:" in step
    figures.append(value)

    step, (button, control, option) = steps[2]
    press(at, button)
    assert headlines(at) == core_headlines(FIRST_RUN)
    assert comes_before("char-ngrams", "dense-64", at)
    choose_as_labelled(at, control, option)
    condensed = replace(FIRST_RUN, unjudged="condense")
    assert headlines(at) == core_headlines(condensed)
    assert "dense-64 moves ahead of char-ngrams" in step
    assert comes_before("dense-64", "char-ngrams", at)
    go_to(at, "policy_effects")
    assert {row[0] for row in table(at, "One switch", "order") if "change" in row[1]} == {
        wording.switch_label(effect.switch.field, effect.switch.option)
        for effect in switch_effects(sample_runs(), condensed)
        if effect.changes_order
    }

    step, _ = steps[3]
    go_to(at, "queries")
    pick(at, "system", "rerank")
    app_driver.click_row(at, "pair_list", listed(at, "pair_list").index("q10"))
    assert open_query(at)[0] == "q10"
    assert open_query(at)[1][0] == "rerank"
    rerank = next(one for one in sample_runs() if one.run.name == "rerank")
    value = query_ndcg(rerank, condensed, "q10")
    assert f"rerank NDCG = DCG ÷ IDCG = {value}" in page_text(at)
    assert f"choose rerank as A and open q10, where it scores {value} although" in step
    assert query_ndcg(rerank, replace(condensed, ideal_scope="this_run"), "q10") == "1.000"
    head, first, *_ = with_head(at, "rank", "adds", "in rerank", "in dense-128")
    assert first[head.index("in rerank")] == "not retrieved"
    figures.append(value)

    assert re.findall(r"\d+\.\d+", " ".join(WALK)) == figures


def choose_as_labelled(at: AppTest, control: str, option: str) -> None:
    """Set a control, both named by what one reads."""
    (field,) = (field for field in OPTIONS if wording.field_label(field) == control)
    (value,) = (one for one in OPTIONS[field] if wording.option_label(field, one) == option)
    choose(at, field, value)


def comes_before(first: str, second: str, at: AppTest) -> bool:
    names = list(headlines(at))
    return names.index(first) < names.index(second)


def query_ndcg(graded: GradedRun, rules: Policy, query: str) -> str:
    return f"{explanation(score(graded, rules), query).ndcg:.3f}"


def test_the_walk_is_shown_on_the_sample_runs_only():
    title = say("walk.title")
    assert title in page_text(app())
    at = go_to(with_own_files(), "overview")
    assert title not in page_text(at)
    assert not [step for step in WALK if step in page_text(at)]
    press(go_to(at, "data"), "Back to the sample runs")
    assert title in page_text(go_to(at, "overview"))


# Names from files


def nasty_files() -> AppTest:
    """The data page on files in which each run, query and document has a nasty name."""
    judged = {name: {name: 1, "b": 0} for name in NASTY.values()}
    runs = {
        f"{number}.json": json.dumps({name: [name]}).encode()
        for number, name in enumerate(NASTY.values())
    }
    return with_own_files(runs, json.dumps(judged).encode())


@pytest.mark.parametrize("page", PAGES)
def test_nasty_names_are_text_on_every_page(page):
    """No exception, and no tag of theirs."""
    at = go_to(nasty_files(), page)
    assert_only_known_tags(at)


def assert_only_known_tags(at: AppTest) -> None:
    tags = {tag for body in blocks(at) for tag in re.findall(r"<([a-z0-9]+)", body)}
    assert tags <= KNOWN_TAGS


def renamed_by_hand(names: list[str]) -> AppTest:
    """The data page on runs whose names are these, as the command line would give them."""
    at = with_own_files()
    uploaded: files.Files = at.session_state["files"]
    runs = tuple(
        replace(file, run_name=name) for file, name in zip(uploaded.runs, names, strict=True)
    )
    at.session_state["files"] = replace(uploaded, runs=runs)
    return checked(at.run())


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_the_tables_and_charts_of_queries_keep_names_as_values(name):
    """Columns have fixed names: Altair and data frames would read more into these."""
    at = go_to(renamed_by_hand([name, "other"]), "queries")
    assert_only_known_tags(at)
    for key in ("every_system", "pair_list"):
        assert name not in frame(at, key).columns
    config = json.loads(at.dataframe[0].proto.columns)
    assert config["system_0"]["label"] == name
    assert_fixed_columns(at)
    pick(at, "system", name)
    pick(at, "baseline", "other")
    assert open_query(at)[1] == [name, "other"]
    pick(at, "sort", "0")
    assert_only_known_tags(at)
    pick(at, "baseline", "")
    assert open_query(at)[1] == [name]
    assert_fixed_columns(at)


def assert_fixed_columns(at: AppTest) -> None:
    drawn = app_driver.charts(at)
    assert drawn
    columns = {"query", "text", "first", "second", "difference", "position", "low", "high"}
    columns |= {"role", "ndcg", "height", "at", "label"}
    for spec in drawn.values():
        assert set(fields_of(spec)) <= columns


def fields_of(spec: object) -> Iterator[str]:
    """Every column that a specification reads."""
    if isinstance(spec, dict):
        if isinstance(spec.get("field"), str):
            yield spec["field"]
        for value in spec.values():
            yield from fields_of(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from fields_of(value)


# Settings, and what the code must never do


def calls() -> Iterator[tuple[Path, ast.Call]]:
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield path, node


def test_what_is_kept_is_kept_by_digest():
    """Streamlit hashes a sample of a large array, and a corrected file would keep its old score.

    So the keys of its caches are texts and numbers; data has an underscore and is not hashed.
    """
    kept = 0
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            if not any("cache_" in ast.unparse(one) for one in node.decorator_list):
                continue
            kept += 1
            for one in node.args.args + node.args.kwonlyargs:
                if not one.arg.startswith("_"):
                    assert one.annotation is not None
                    assert ast.unparse(one.annotation) in {
                        "str",
                        "int",
                        "tuple[int, int] | None",
                    }, f"{path.name}: {node.name}({one.arg})"
    assert kept >= 2


def test_the_app_itself_writes_the_address():
    """What Streamlit would write is the words of an option, which change with the language."""
    assert not [path.name for path, call in calls() if any(k.arg == "bind" for k in call.keywords)]


def test_no_colour_is_chosen_in_python():
    """A change of theme paints anew and runs nothing: such a colour would be that of before."""
    for path in MODULES:
        code = path.read_text(encoding="utf-8")
        assert "st.context" not in code, path.name
        assert re.findall(r"#[0-9a-fA-F]{6}\b", code) == [], path.name
    css = (DASHBOARD / "style.css").read_text(encoding="utf-8")
    plain = re.sub(r"light-dark\([^()]*\)", "", css)
    assert re.findall(r"#[0-9a-fA-F]{3,6}\b|\brgba?\(", plain) == []


def test_the_settings_keep_the_app_to_this_machine():
    settings = tomllib.loads((DASHBOARD / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["address"] == "localhost"
    assert settings["server"]["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["client"]["showErrorLinks"] is False
    assert settings["client"]["showErrorDetails"] == "type"
    off = {"enableCORS", "enableXsrfProtection", "enableStaticServing"} & set(settings["server"])
    assert off == set(), "guards that are on by default"


def test_a_cutoff_is_written_as_the_measure_is_called():
    at = app(cutoff="all")
    assert at_k(at) == ""
    assert with_head(at, "System", "judged", "NDCG")
