"""Each preset against what its tool printed: the kept outputs in `golden/tools`."""

import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import PolicyRefusal
from core.formats import read_judgments, read_run
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.policy import Policy
from core.presets import CHECKS, PRESETS, preset
from core.runs import Run
from core.scores import QueryScores, aggregate, score

FOLDER = Path(__file__).parent / "golden" / "tools"
ALL_DIGITS = 1e-9
# Where the tool was given less than the whole fixture, or its own input had an end.
WITHOUT_QUERIES = {
    "trec_eval-10-filtered": {"104", "112"},
    "mteb-filtered": {"105"},
    "ranx-strict-filtered": {"104", "105", "112"},
    "lightgbm-filtered": {"105", "108"},
    "xgboost-filtered": {"105", "108"},
    "xgboost-minus-filtered": {"108"},
    "sklearn-candidates": {"108"},
    "mlflow": {"112"},  # both lists are empty: 1 there, as the preset's note says
}
CUT_BEFORE = {"haystack", "llama_index"}
NO_PRESET = {"quepid-server-ndcg", "quepid-server-ndcg-cut"}
REFUSED_BY = {
    "trec_eval-10": "missing_query",
    "mteb": "extra_query",
    "ranx-strict": "missing_query",
    "lightgbm": "negative_grades",
    "xgboost": "negative_grades",
}

outputs = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.json"))
    if path.stem not in NO_PRESET
}
answered = [name for name, output in outputs.items() if output["mean"] is not None]


def fixture(without: Collection[str] = ()) -> GradedRun:
    """The fixture without some queries, in judgments and run."""
    qrels = [line.split() for line in (FOLDER / "qrels.txt").read_text().splitlines()]
    judged: dict[str, dict[str, int]] = {}
    for query, _, document, grade in qrels:
        if query not in without:
            judged.setdefault(query, {})[document] = int(grade)
    results: dict[str, dict[str, float]] = {}
    for line in (FOLDER / "run.txt").read_text().splitlines():
        query, _, document, _, value, _ = line.split()
        if query not in without:
            results.setdefault(query, {})[document] = float(value)
    return join(Run.from_dict("R", results), Judgments.from_dict(judged))


def preset_of(name: str) -> str:
    return name.removesuffix("-filtered")


def rules(name: str) -> Policy:
    """The preset's policy, cut at 10 where the tool has no cutoff and was given ten documents."""
    policy = preset(preset_of(name)).policy
    return replace(policy, cutoff=10) if name in CUT_BEFORE else policy


def by_query(scores: QueryScores) -> dict[str, float]:
    """Scores of the queries in the mean, an extra one that counts included."""
    names = scores.judgments.query_ids
    found = {
        name: float(value)
        for name, value, kept in zip(names, scores.ndcg, scores.in_mean, strict=True)
        if kept
    }
    if scores.policy.extra_query == "zero":
        found |= dict.fromkeys(scores.graded.extra, 0.0)
    return found


def tolerance(output: dict[str, Any]) -> float:
    digits = output["printed_digits"]
    return ALL_DIGITS if digits in (None, 2) else 0.5 * 10.0**-digits + ALL_DIGITS


@pytest.mark.parametrize("name", answered)
def test_every_query_and_the_mean_are_those_of_the_tool(name: str) -> None:
    output, without = outputs[name], WITHOUT_QUERIES.get(name, set())
    scores = score(fixture(without), rules(name))
    expected = {
        query: value
        for query, value in output["queries"].items()
        if query not in without and value is not None
    }
    found = by_query(scores)
    # Some tools count a query in their mean and print no value for it: that is 0 in all of them.
    silent = {query: value for query, value in found.items() if query not in expected}
    assert set(silent.values()) <= {0.0}
    found = {query: value for query, value in found.items() if query in expected}
    assert found == pytest.approx(expected, rel=0, abs=tolerance(output))
    if not without & set(output["queries"]):
        mean = aggregate(scores).macro_mean
        assert mean == pytest.approx(output["mean"], rel=0, abs=tolerance(output))


@pytest.mark.parametrize(("name", "field"), REFUSED_BY.items())
def test_a_preset_refuses_what_its_tool_refuses(name: str, field: str) -> None:
    assert outputs[name]["refuses"]
    with pytest.raises(PolicyRefusal) as refusal:
        score(fixture(), preset(name).policy)
    assert refusal.value.field == field


def test_every_tool_that_was_run_once_has_its_output_kept() -> None:
    kept = {preset_of(name) for name in answered}
    assert {one.name for one in PRESETS.values() if one.checked == "once"} <= kept
    assert set(outputs) == set(answered) | set(REFUSED_BY)


def test_the_fixture_is_read_as_the_files_say() -> None:
    """The fixture above goes by hand; the readers give the same."""
    judgments = read_judgments(FOLDER / "qrels.txt")
    policy = preset("trec_eval-9").policy
    read = score(join(read_run(FOLDER / "run.txt"), judgments), policy)
    assert by_query(read) == by_query(score(fixture(), policy))


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_what_it_is(name: str) -> None:
    one = preset(name)
    assert one.checked in CHECKS
    assert bool(one.version) == (one.checked != "own")
    written = json.loads(json.dumps(one.to_dict()))
    assert Policy.from_dict(written["fields"]) == one.policy
