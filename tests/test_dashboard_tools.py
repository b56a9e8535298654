"""The page of tools: the number of each, why two of them differ, and who reported which."""

from dataclasses import replace

import app_driver
import pytest
from app_driver import (
    address,
    app,
    blocks,
    checked,
    choose,
    notes,
    page_text,
    pick,
    policy,
    press,
    sample_runs,
    table,
    verdict,
)
from parsed_html import rows_of
from streamlit.testing.v1 import AppTest

from core.errors import EvaluationError
from core.policy import Policy
from core.presets import FIRST_RUN, PRESETS
from core.scores import headline, score, score_all
from dashboard.wording import say

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)

TOOLS = [preset for preset in PRESETS.values() if not preset.open_fields]
MINUS = "−"


def numbers(rules: Policy) -> dict[str, float | EvaluationError | None]:
    outcomes = score_all(sample_runs(), rules)
    return {
        graded.run.name: one if isinstance(one, EvaluationError) else headline(one)
        for graded, one in zip(sample_runs(), outcomes, strict=True)
    }


def value(rules: Policy, system: str) -> float:
    (graded,) = (one for one in sample_runs() if one.run.name == system)
    return headline(score(graded, rules)) or 0.0


def written(number: float | EvaluationError | None, digits: int) -> str:
    if isinstance(number, EvaluationError):
        return f"refuses {getattr(number, 'summary', '')}".strip()
    return "no value" if number is None else f"{number:.{digits}f}"


def signed(number: float) -> str:
    text = f"{number:+.4f}".replace("-", MINUS)
    if float(f"{number:.4f}") == 0:
        return "0" if abs(number) < 1e-12 else "≈ 0"
    return text


def walk_rows(at: AppTest) -> dict[str, dict[str, str]]:
    """What stands in each row of the walk, by system."""
    head, *rows = app_driver.with_head(at, "Step", "dense", "bm25")
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


@pytest.mark.parametrize("cutoff", ["10", "5"])
def test_every_tool_has_the_number_of_its_rules(cutoff: str):
    at = app("tools", unjudged="zero", cutoff=cutoff)
    head, *rows = app_driver.with_head(at, "Preset", "checked")
    names = head[1:-1]
    shown = {row[0].split(" ")[0]: row[1:] for row in rows}
    assert len(rows) == len(TOOLS) + 1
    for preset in TOOLS:
        rules = preset.policy
        if rules.cutoff != "all":
            rules = replace(rules, cutoff=int(cutoff))
        expected = numbers(rules)
        digits = preset.digits or 4
        *cells, how = shown[preset.name]
        assert dict(zip(names, cells, strict=True)) == {
            name: written(number, digits) for name, number in expected.items()
        }
        assert how == say(f"tools.check.{preset.checked}")


def test_the_first_sentence_counts_whom_the_tools_put_first():
    said = verdict(app("tools", unjudged="zero"))
    leaders = []
    of_dense = []
    for preset in TOOLS:
        of = {n: v for n, v in numbers(preset.policy).items() if isinstance(v, float)}
        if of:
            leaders.append(max(of, key=lambda name: of[name]))
            of_dense.append(of["dense"])
    assert said.startswith(f"{len(of_dense)} tools and settings give dense between")
    assert f"between {min(of_dense):.4f} and {max(of_dense):.4f}." in said
    assert f"{leaders.count('dense')} put dense first." in said
    assert f"{leaders.count('rerank')} put rerank first." in said
    assert f"{len(TOOLS) - len(leaders)} refuses every system." in said


def test_the_walk_goes_from_one_number_to_the_other():
    at = app("tools", unjudged="zero", **{"from": "gdeval-1.3", "to": "trec_eval-9-c"})
    rows = walk_rows(at)
    start, end = (PRESETS[name].policy for name in ("gdeval-1.3", "trec_eval-9-c"))
    for system in ("dense", "bm25", "bm25-stems"):
        before, after = value(start, system), value(end, system)
        assert rows["gdeval-1.3"][system] == f"{before:.4f}"
        assert rows["trec_eval-9-c"][system] == f"{after:.4f}"
        assert rows[say("walk_from.all")][system] == signed(after - before)
    linear = replace(start, gain="linear")
    (gain,) = (cells for name, cells in rows.items() if name.startswith(say("field.gain")))
    assert gain["dense"].split()[0] == signed(value(linear, "dense") - value(start, "dense"))
    # Shares add up to the whole difference, whatever the order of the steps.
    steps = [cells["bm25"] for name, cells in rows.items() if "→" in name]
    shares = [float(cell.split()[-1].replace(MINUS, "-")) for cell in steps]
    assert sum(shares) == pytest.approx(value(end, "bm25") - value(start, "bm25"), abs=3e-4)


def moved(at: AppTest, system: str) -> dict[str, str]:
    """The queries that each step moves."""
    tables = [rows for body in blocks(at) if (rows := rows_of(body))]
    (found,) = (rows for rows in tables if rows[0] == ["Step", system])
    return dict(found[1:])


def test_the_walk_names_the_queries_that_a_step_moves():
    ends = {"from": "trec_eval-10-c", "to": "trec_eval-9"}
    rows = moved(app("tools", unjudged="zero", system="bm25", **ends), "bm25")
    left_out = rows[f"{say('field.missing_query')} as 0 → leave out"]
    assert left_out == "2 queries: q23 0.000 → left out; q24 0.000 → left out"
    assert rows[f"{say('field.empty_query')} as 0 → leave out"] == "none"


def test_steps_that_change_nothing_are_named_apart():
    at = app("tools", unjudged="zero", to="sklearn-candidates")
    assert f"These steps change no value: {say('field.extra_query')}: as 0" in page_text(at)
    assert not any(name.startswith(say("field.extra_query")) for name in walk_rows(at))


def test_a_policy_that_refuses_is_a_cell_that_says_so():
    at = app("tools", unjudged="zero", to="strict")
    assert walk_rows(at)["strict"]["rerank"] == "refuses 174 unjudged"
    assert walk_rows(at)[say("walk_from.all")]["rerank"] == "no value"


def test_two_names_of_the_same_rules_need_no_step():
    at = app("tools", unjudged="zero", **{"from": "ir_measures", "to": "trec_eval-9-c"})
    assert any(say("walk_from.same") in note for note in notes(at))


def reported(at: AppTest, text: str) -> AppTest:
    (box,) = (one for one in at.text_input if one.key == "reported_choice")
    return checked(box.set_value(text).run())


def test_a_reported_number_leads_to_the_rules_that_give_it():
    rules = replace(PRESETS["trec_eval-9-c"].policy, gain="exponential")
    number = f"{value(rules, 'rerank'):.4f}"
    at = reported(app("tools", unjudged="zero", system="rerank"), number)
    (box,) = (one for one in at.selectbox if one.key == "to_choice")
    assert box.options[0].startswith(f"rerank {number}")
    for option in box.options:
        system, shown = option.split(":")[0].split(" ")
        assert f"{float(shown):.4f}" == number or abs(float(shown) - float(number)) < 5.1e-5
        assert system in {one.run.name for one in sample_runs()}
    end = walk_rows(at)[box.options[0]]
    assert end["rerank"] == number
    assert address(at)["reported"] == number


def test_a_number_that_nothing_gives_is_said_to_have_no_rules():
    at = reported(app("tools", unjudged="zero"), "0.000123")
    assert say("walk_from.no_match", reported="0.000123") in notes(at)
    assert "sklearn-candidates" in walk_rows(at)


@pytest.mark.parametrize("text", ["much", "1,2,3", "145 %", "<b>"])
def test_what_is_no_number_is_named(text: str):
    at = reported(app("tools", unjudged="zero"), text)
    assert any(text in note and "0.3742" in note for note in notes(at))
    assert "sklearn-candidates" in walk_rows(at)


def test_one_click_uses_the_rules_at_the_end_of_the_walk():
    at = app("tools", unjudged="zero", to="gdeval-1.3")
    at = press(at, say("walk_from.use", rules="gdeval-1.3"))
    assert {policy(at)["gain"], policy(at)["zero_idcg"]} == {"exponential", "leave_out"}
    assert at.session_state["preset"] == "gdeval-1.3"


def test_the_ends_of_the_walk_stand_in_the_address():
    at = pick(pick(app("tools", unjudged="zero"), "from", "beir"), "to", "mteb")
    assert address(at)["from"] == "beir"
    assert address(at)["to"] == "mteb"


def test_the_walk_starts_at_the_present_rules():
    at = choose(app("tools", unjudged="zero"), "gain", "exponential")
    rules = replace(FIRST_RUN, gain="exponential")
    assert walk_rows(at)[say("tools.present")]["dense"] == f"{value(rules, 'dense'):.4f}"


def test_each_preset_says_where_its_rules_come_from():
    shown = {row[0]: row for row in table(app("tools"), "Preset", "source")}
    for preset in TOOLS:
        assert shown[preset.name][1:4] == [preset.tool, preset.version, preset.source]
        assert shown[preset.name][-1] == preset.note
