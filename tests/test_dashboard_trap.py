"""The page of the trap: its numbers are those of core, and its story holds on the sample runs."""

import re
from dataclasses import replace
from math import log2

import app_driver
import pytest
from app_driver import (
    address,
    app,
    blocks,
    core_headlines,
    go_to,
    headlines,
    press,
    sample_runs,
    verdict,
    with_own_files,
)
from parsed_html import rows_of, text_of
from streamlit.testing.v1 import AppTest

from core.policy import Policy
from core.presets import FIRST_RUN
from core.scores import Aggregate, aggregate, score

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)

SHARED = replace(FIRST_RUN, unjudged="zero")
OWN = replace(SHARED, ideal_scope="this_run")
IDEALS = pytest.mark.parametrize("ideal", [SHARED, OWN], ids=["judged", "this_run"])


def averages(rules: Policy) -> dict[str, Aggregate]:
    return {one.run.name: aggregate(score(one, rules)) for one in sample_runs()}


def of(name: str, rules: Policy) -> str:
    return f"{averages(rules)[name].ndcg:.3f}"


def order(rules: Policy) -> list[str]:
    """Names of the systems, best first."""
    found = averages(rules)
    return sorted(found, key=lambda name: -(found[name].ndcg or 0.0))


def told(at: AppTest) -> list[str]:
    """What each step says."""
    return [text_of(body) for body in blocks(at) if 'class="rd-told"' in body]


def main_text(at: AppTest) -> str:
    """The page without the sidebar."""
    return "\n".join(text_of(one.proto.body) for one in at.main.get("html"))


def panels(at: AppTest) -> dict[str, dict[str, str]]:
    """Values at the right ends of the slopes, by caption and system."""
    found = {}
    for figure in re.findall("<figure.*?</figure>", "".join(blocks(at))):
        caption = re.findall("<figcaption><b>(.*?)</b>", figure)[0]
        labels = re.findall('class="rd-slope-label.*?>([0-9.]+) <span.*?>(.*?)</span>', figure)
        found[caption] = {name: value for value, name in labels}
    return found


def test_one_ranking_is_divided_by_two_ideals():
    at = app("trap")
    low = 1 / (3 + 1 / log2(3))
    assert verdict(at).startswith(f"NDCG@10 {low:.3f} or 1.000: the same ranking")
    said = told(at)[0]
    assert "of the 2 documents that gain, rerank has 1 in the top 10" in said
    assert f"IDCG {3 + 1 / log2(3):.3f}, NDCG is {low:.3f}" in said
    assert "IDCG 1.000, it is 1.000" in said
    ideals = [rows for body in blocks(at) if (rows := rows_of(body)) and rows[-1][0] == "IDCG"]
    assert [rows[-1][1] for rows in ideals] == [f"{3 + 1 / log2(3):.3f}", "1.000"]
    assert "not retrieved" in ideals[0][1]
    assert "rank 1" in ideals[0][2]
    assert "rank 1" in ideals[1][1]


def test_a_worse_retriever_overtakes():
    said = told(app("trap"))[1]
    assert f"rerank goes from {of('rerank', SHARED)} to {of('rerank', OWN)}" in said
    before, after = order(SHARED), order(OWN)
    assert before[-1] == "rerank"
    passed = [name for name in before[:-1] if after.index(name) > after.index("rerank")]
    assert passed
    assert f"and passes {', '.join(passed)}. No ranking changed." in said


def test_queries_without_an_ideal_leave_the_mean():
    said = told(app("trap"))[2]
    own, shared = (replace(rules, zero_idcg="leave_out") for rules in (OWN, SHARED))
    rerank = averages(own)["rerank"]
    assert f"rerank has IDCG 0 on {rerank.zero_idcg} queries" in said
    assert f"leave it {of('rerank', OWN)}" in said
    assert f"the other {rerank.queries_in_mean} is {of('rerank', own)}, and first is rerank" in said
    assert order(own)[0] == "rerank"
    assert f"the same {averages(shared)['rerank'].zero_idcg} queries" in said
    assert f"rerank has {of('rerank', shared)}, rank 10 of 10" in said
    assert order(shared)[-1] == "rerank"
    assert order(shared) == order(SHARED)


def test_a_ratio_of_sums_is_not_the_mean_of_ratios():
    said = told(app("trap"))[3]
    own, shared = (replace(rules, average="pooled") for rules in (OWN, SHARED))
    idcg = score(sample_runs()[0], SHARED).idcg
    times = max(idcg) / min(value for value in idcg if value > 0)
    assert f"up to {times:.1f} times as much" in said
    macro, pooled = order(SHARED), order(shared)
    assert macro.index("dense-128") < macro.index("dense-stopped")
    assert pooled.index("dense-stopped") < pooled.index("dense-128")
    assert f"dense-stopped passes dense-128; rerank has {of('rerank', shared)}" in said
    assert f"it has {of('rerank', own)}, and first is {order(own)[0]}: the 24 queries" in said


@IDEALS
@pytest.mark.parametrize(
    ("field", "option", "label"),
    [
        ("zero_idcg", "leave_out", "Zero-IDCG queries: leave out"),
        ("average", "pooled", "Average: pooled ratio"),
    ],
)
def test_slopes_end_where_core_says(ideal: Policy, field: str, option: str, label: str):
    rules = ideal.with_option(field, option)
    scope = "judged" if ideal is SHARED else "this run"
    shown = panels(app("trap"))[f"{label} (Ideal list: {scope})"]
    assert shown == {name: of(name, rules) for name in averages(rules)}


def test_neither_the_sidebar_nor_own_files_change_it():
    at_first = main_text(app("trap"))
    rules = {"cutoff": "3", "gain": "exponential", "unjudged": "condense", "average": "pooled"}
    assert main_text(app("trap", **rules)) == at_first
    assert main_text(go_to(with_own_files(), "trap")) == at_first


@pytest.mark.parametrize(
    ("label", "rules"),
    [
        ("Ideal list: this run", OWN),
        (
            "Ideal list: this run; Zero-IDCG queries: leave out",
            replace(OWN, zero_idcg="leave_out"),
        ),
        ("Ideal list: this run; Average: pooled ratio", replace(OWN, average="pooled")),
    ],
)
def test_the_rules_of_a_step_open_the_overview(label: str, rules: Policy):
    at = press(app("trap"), f"Open the overview under: {label}")
    assert headlines(at) == core_headlines(rules)
    assert address(at)["unjudged"] == "zero"
    assert address(at)["ideal_scope"] == "this_run"
