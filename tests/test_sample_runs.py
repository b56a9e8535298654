"""The sample runs: made again byte for byte, and showing what their README says."""

import gzip
import subprocess
import sys
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

from core.formats import read_judgments, read_run, stem
from core.grades import GradedRun, join
from core.policy import Policy
from core.presets import TREC_EVAL_10_C
from core.scores import QueryScores, aggregate, score
from dashboard.files import sample_files

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_runs"
RUNS = sorted(path for ending in ("*.run", "*.json", "*.gz") for path in SAMPLES.glob(ending))
OWN_IDEAL = replace(TREC_EVAL_10_C, ideal_scope="this_run")
CONDENSED = replace(TREC_EVAL_10_C, unjudged="condense")
COLUMNS = (TREC_EVAL_10_C, CONDENSED, OWN_IDEAL)


@cache
def graded() -> dict[str, GradedRun]:
    judgments = read_judgments(SAMPLES / "qrels.tsv", scale=(0, 3))
    return {stem(path.name): join(read_run(path), judgments) for path in RUNS}


@cache
def scores(name: str, policy: Policy) -> QueryScores:
    return score(graded()[name], policy)


def mean(name: str, policy: Policy) -> float:
    value = aggregate(scores(name, policy)).ndcg
    assert value is not None
    return value


def difference(one: str, other: str, policy: Policy) -> float:
    return mean(one, policy) - mean(other, policy)


def category(name: str) -> np.ndarray:
    """Which queries have a category, in the order of the judgments."""
    import json

    lines = (SAMPLES / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    of_query = {entry["id"]: entry["category"] for entry in map(json.loads, lines)}
    queries = graded()["dense"].judgments.query_ids
    return np.array([of_query[query] == name for query in queries])


# Made again


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample runs, made again in a folder of their own."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    wanted = [Requirement(line) for line in extras["samples"]]
    if not all(one.marker is None or one.marker.evaluate() for one in wanted):
        pytest.skip("wordllama has no wheel for this Python; pyproject.toml leaves it out")
    folder = tmp_path_factory.mktemp("sample_runs")
    script = [sys.executable, str(SAMPLES / "make_runs.py"), "--into", str(folder)]
    subprocess.run(script, capture_output=True, check=True)
    return folder


def test_script_writes_every_run_and_the_judgments(rebuilt: Path) -> None:
    written = sorted(path.name for path in rebuilt.iterdir())
    assert written == sorted([*(path.name for path in RUNS), "qrels.tsv"])


@pytest.mark.parametrize("path", [*RUNS, SAMPLES / "qrels.tsv"], ids=lambda path: path.name)
def test_sample_file_is_rebuilt_byte_for_byte(path: Path, rebuilt: Path) -> None:
    """Another zlib may pack the same bytes differently, so these are compared unpacked."""
    again, committed = (rebuilt / path.name).read_bytes(), path.read_bytes()
    if path.suffix == ".gz":
        again, committed = gzip.decompress(again), gzip.decompress(committed)
    assert again == committed


def test_app_opens_on_every_sample_run() -> None:
    assert sorted(file.name for file in sample_files().runs) == [path.name for path in RUNS]


# What the README of the folder says


def table() -> dict[str, list[str]]:
    """Rows of the README's table of systems, by system."""
    lines = (SAMPLES / "README.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in rows if row[0] in graded() and len(row) == 7}


def test_readme_has_every_system() -> None:
    assert sorted(table()) == sorted(graded())


@pytest.mark.parametrize("name", sorted(stem(path.name) for path in RUNS))
def test_system_scores_as_the_readme_says(name: str) -> None:
    left_out = aggregate(scores(name, replace(OWN_IDEAL, zero_idcg="leave_out")))
    plain = aggregate(scores(name, TREC_EVAL_10_C))
    assert table()[name][:4] == [
        *(f"{mean(name, policy):.4f}" for policy in COLUMNS),
        f"{left_out.ndcg:.4f} (of {left_out.queries_in_mean})",
    ]
    assert table()[name][4] == f"{plain.judged_at_k:.3f}"
    assert table()[name][5] == f"{plain.unjudged_in_top:.0f}"


# What the sample runs have to show


def test_six_queries_have_nothing_to_find() -> None:
    judgments = graded()["dense"].judgments
    empty = [judgments.query_ids[at] for at in np.flatnonzero(~judgments.positive)]
    assert empty == ["q07", "q09", "q19", "q34", "q48", "q49"]


def test_the_reranker_is_perfect_by_its_own_list_and_poor_by_the_judgments() -> None:
    own = scores("rerank", replace(OWN_IDEAL, zero_idcg="leave_out"))
    assert int((own.ndcg == 1).sum()) == 22
    assert aggregate(own).ndcg == pytest.approx(0.9797, abs=5e-5)
    assert mean("rerank", TREC_EVAL_10_C) == pytest.approx(0.3812, abs=5e-5)
    query = own.judgments.index["q10"]
    assert own.ndcg[query] == 1
    assert scores("rerank", TREC_EVAL_10_C).ndcg[query] == pytest.approx(
        1 / (3 + 0.6309297535714575)
    )


def test_the_unjudged_rule_turns_an_order_round() -> None:
    assert difference("char-ngrams", "dense-64", TREC_EVAL_10_C) == pytest.approx(0.0174, abs=5e-5)
    assert difference("char-ngrams", "dense-64", CONDENSED) == pytest.approx(-0.0059, abs=5e-5)


def test_two_fusions_stay_undecided() -> None:
    """A two-sided sign-flip test finds nothing, and wins and losses are mixed."""
    change = scores("fusion", TREC_EVAL_10_C).ndcg - scores("fusion-of-3", TREC_EVAL_10_C).ndcg
    assert ((change > 0).sum(), (change < 0).sum()) == (16, 12)
    signs = np.random.default_rng(7).choice([-1.0, 1.0], (20_000, len(change)))
    p = (np.abs((signs * change).mean(1)) >= abs(change.mean()) - 1e-12).mean()
    assert p > 0.9


def test_a_flat_mean_hides_the_crew() -> None:
    stopped, narrow = (scores(name, TREC_EVAL_10_C).ndcg for name in ("dense-stopped", "dense-128"))
    assert abs(stopped.mean() - narrow.mean()) < 0.002
    crew = category("crew")
    assert int(crew.sum()) == 7
    assert stopped[crew].mean() == pytest.approx(0.357, abs=5e-4)
    assert narrow[crew].mean() == pytest.approx(0.672, abs=5e-4)


def test_runs_have_the_oddities_of_real_ones() -> None:
    """One misses two queries, one returns nothing for one, and scores tie."""
    bm25, stems, fusion = (graded()[name] for name in ("bm25", "bm25-stems", "fusion"))
    assert int(bm25.missing.sum()) == 2
    assert int(stems.empty.sum()) == 1
    assert bool((fusion.hits.placements["float64"].size > 1).any())


def test_second_assessor_agrees_as_the_readme_says() -> None:
    def grades(name: str) -> dict[tuple[str, str], int]:
        lines = (SAMPLES / name).read_text(encoding="utf-8").splitlines()[1:]
        rows = [line.split("\t") for line in lines]
        return {(query, document): int(grade) for query, document, grade, _ in rows}

    first, second = grades("judgments.tsv"), grades("second_pass.tsv")
    assert len(second) == 100
    apart = [abs(first[pair] - grade) for pair, grade in second.items()]
    assert (apart.count(0), apart.count(1)) == (98, 2)
