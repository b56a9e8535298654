"""Other tools, and core, asked for the same measures and answering in the same form.

A peer that pyproject.toml asks for on this platform must be there: without it, tests fail.
"""

import importlib
import io
import json
import os
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement

from core.grades import GradedRun, join
from core.judgments import Judgments
from core.policy import Cutoff, Policy
from core.runs import Run
from core.scores import aggregate, score

Judged = dict[str, dict[str, int]]  # query -> document -> grade
Results = dict[str, dict[str, float]]  # query -> document -> retrieval score
ByQuery = Mapping[str, float]

TOLERANCE = 1e-9
FIELDS = ("precision", "recall", "reciprocal_rank", "average_precision", "judged_at_k")

RANX = """
import json, sys
from ranx import Qrels, Run, evaluate

def answer(judged, results, measures, comparable):
    qrels, run = Qrels(judged), Run(results)
    try:
        evaluate(qrels, run, measures, make_comparable=comparable)
    except AssertionError as error:
        return str(error)
    return {name: [run.scores[name], run.mean_scores[name]] for name in measures}

json.dump([answer(*asked) for asked in json.load(sys.stdin)], sys.stdout)
"""


@dataclass(frozen=True)
class Values:
    """Each measure's values by query, left-out queries absent, and its mean over queries."""

    queries: dict[str, dict[str, float]]
    means: dict[str, float | None]


def assert_same(found: Values, expected: Values) -> None:
    """Every expected value and mean was found, and no other query has one."""
    for measure, by_query in expected.queries.items():
        values = pytest.approx(by_query, rel=0, abs=TOLERANCE)
        assert found.queries[measure] == values, measure
    for measure, mean in expected.means.items():
        assert found.means[measure] == pytest.approx(mean, rel=0, abs=TOLERANCE), measure


def peer(distribution: str, module: str) -> Any:
    """Import a peer; skip only where pyproject.toml does not ask for it on this platform."""
    if not is_asked_for(distribution):
        pytest.skip(f"pyproject.toml does not ask for {distribution} on this platform")
    return importlib.import_module(module)


def is_asked_for(distribution: str) -> bool:
    """Whether the markers in pyproject.toml let a test requirement in."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    wanted = tomllib.loads(text)["project"]["optional-dependencies"]["test"]
    requirement = next(r for r in map(Requirement, wanted) if r.name == distribution)
    return requirement.marker is None or requirement.marker.evaluate()


def random_case(seed: int, *, tied: bool) -> tuple[Judged, Results]:
    """Judgments and a run of some size: missing and extra queries, ties that float32 alone sees."""
    draw = np.random.default_rng(seed)
    pool = [f"Straße-{n}" if n % 7 == 0 else f"doc{n}" for n in range(400)]
    pool += [f"文書{n}" for n in range(100)]

    def some(low: int, high: int) -> list[str]:
        return draw.choice(pool, draw.integers(low, high), replace=False).tolist()

    def ranking() -> dict[str, float]:
        found = some(1, 300)
        values = draw.permutation(len(found)) / 4
        if tied:
            values = draw.normal(size=len(found)).round(1) + draw.choice([0, 1e-9], len(found))
        return dict(zip(found, values.tolist(), strict=True))

    def grades() -> dict[str, int]:
        judged = some(1, 200)
        values = draw.choice([-2, -1, 0, 0, 0, 1, 1, 2, 3], len(judged))
        return dict(zip(judged, values.tolist(), strict=True)) | {pool[0]: 0}

    return (
        {f"q{n}": grades() for n in range(60)},
        {f"q{n}": ranking() for n in range(8, 70)},
    )


def graded(judged: Judged, results: Results) -> GradedRun:
    """Join a run to judgments in core."""
    return join(Run.from_dict("run", results), Judgments.from_dict(judged))


def core_values(run: GradedRun, policy: Policy) -> Values:
    """Score in core: every measure, extra queries that count, the means of its aggregate."""
    found, names = score(run, policy), run.judgments.query_ids
    arrays = {"ndcg": found.ndcg, "dcg": found.dcg, "judged_at_k": found.judged_at_k}
    arrays |= {name: getattr(found.binary, name) for name in FIELDS[:-1]}
    means = aggregate(found)
    queries = {
        measure: {
            name: float(value)
            for name, value, kept in zip(names, values, found.in_mean, strict=True)
            if kept and not np.isnan(value)
        }
        for measure, values in arrays.items()
    }
    if policy.extra_query == "zero":
        queries["ndcg"] |= dict.fromkeys(run.extra, 0.0)
    return Values(queries, {name: getattr(means, name) for name in ("ndcg", *FIELDS)})


def pytrec_eval_values(
    judged: Judged,
    results: Results,
    *,
    cutoffs: Sequence[Cutoff],
    level: int = 1,
    judged_only: bool = False,
) -> dict[Cutoff, Values]:
    """Score with trec_eval 9.0.8 as pytrec_eval builds it in."""
    pytrec_eval = peer("pytrec-eval-terrier", "pytrec_eval")
    names = {cutoff: _trec_eval_names(cutoff) for cutoff in cutoffs}
    scored = pytrec_eval.RelevanceEvaluator(
        judged,
        {name for measures in names.values() for name in measures.values()},
        relevance_level=level,
        judged_docs_only_flag=judged_only,
    ).evaluate(results)

    def by_query(name: str) -> dict[str, float]:
        return {query: values[name] for query, values in scored.items()}

    def mean(name: str) -> float:
        return pytrec_eval.compute_aggregated_measure(name, list(by_query(name).values()))

    return {
        cutoff: Values(
            queries={measure: by_query(name) for measure, name in measures.items()},
            means={measure: mean(name) for measure, name in measures.items()},
        )
        for cutoff, measures in names.items()
    }


def _trec_eval_names(cutoff: Cutoff) -> dict[str, str]:
    at_cutoff = (
        {"ndcg": "ndcg", "precision": "set_P", "recall": "set_recall"}
        if cutoff == "all"
        else {
            "ndcg": f"ndcg_cut_{cutoff}",
            "precision": f"P_{cutoff}",
            "recall": f"recall_{cutoff}",
        }
    )
    return at_cutoff | {"reciprocal_rank": "recip_rank", "average_precision": "map"}


def ir_measures_values(
    judged: Judged, results: Results, *, cutoff: int, level: int = 1, judged_only: bool = False
) -> Values:
    """Score with ir_measures: every query of the judgments, those the run misses as 0."""
    from_ = peer("ir_measures", "ir_measures")
    rule = {"rel": level, "judged_only": judged_only}
    measures = {
        "ndcg": from_.nDCG(judged_only=judged_only) @ cutoff,
        "precision": from_.P(**rule) @ cutoff,
        "recall": from_.R(**rule) @ cutoff,
        "reciprocal_rank": from_.RR(**rule),
        "average_precision": from_.AP(**rule),
    }
    return _ir_measures_values(from_, measures, judged, results)


def ir_measures_judged(judged: Judged, results: Results, *, cutoff: int) -> Values:
    """Share of judged documents as ir_measures has it."""
    from_ = peer("ir_measures", "ir_measures")
    return _ir_measures_values(from_, {"judged_at_k": from_.Judged @ cutoff}, judged, results)


def _ir_measures_values(
    from_: Any, measures: dict[str, Any], judged: Judged, results: Results
) -> Values:
    means, metrics = from_.calc(list(measures.values()), judged, results)
    return Values(
        queries={
            name: {metric.query_id: metric.value for metric in metrics if metric.measure == measure}
            for name, measure in measures.items()
        },
        means={name: means[measure] for name, measure in measures.items()},
    )


def sklearn_values(
    grades: Mapping[str, Sequence[float]],
    scores: Mapping[str, Sequence[float]],
    *,
    cutoff: Cutoff,
    ignore_ties: bool = False,
) -> Values:
    """Score lists of candidates with scikit-learn; all queries have the same number of them."""
    metrics = peer("scikit-learn", "sklearn.metrics")
    rows = {"k": None if cutoff == "all" else cutoff, "ignore_ties": ignore_ties}

    def values(measure: Any) -> dict[str, float]:
        return {name: measure([grades[name]], [scores[name]], **rows) for name in grades}

    mean = metrics.ndcg_score(list(grades.values()), [scores[name] for name in grades], **rows)
    return Values(
        queries={"ndcg": values(metrics.ndcg_score), "dcg": values(metrics.dcg_score)},
        means={"ndcg": mean},
    )


@dataclass(frozen=True)
class RanxCase:
    """What ranx is asked: its measures by name, with or without `make_comparable`."""

    judged: Judged
    results: Results
    measures: Sequence[str]
    comparable: bool = True


def ranx_values(
    cases: Sequence[RanxCase], *, compiled: bool = False
) -> list[dict[str, Values] | str]:
    """Score with ranx, by the names of its measures; for a case it refuses, its message.

    Compiling its loops takes most of a minute and running them uncompiled no time, so numba's
    compiler is off, in a process of its own because numba decides at import. Starting that takes
    seconds, so it is asked many cases at once.
    """
    if not is_asked_for("ranx"):
        pytest.skip("pyproject.toml does not ask for ranx on this platform")
    asked = [[case.judged, case.results, case.measures, case.comparable] for case in cases]
    done = subprocess.run(
        [sys.executable, "-c", RANX],
        input=json.dumps(asked),
        env=os.environ | {"NUMBA_DISABLE_JIT": "0" if compiled else "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [
        answer
        if isinstance(answer, str)
        else {
            measure: Values({"ndcg": by_query}, {"ndcg": mean})
            for measure, (by_query, mean) in answer.items()
        }
        for answer in json.loads(done.stdout)
    ]


def trectools_values(
    judged: Judged, results: Results, *, cutoffs: Sequence[int], exponential: bool = False
) -> dict[int, Values]:
    """Score with trectools, from files: every query of the run.

    Its table has no value where nothing relevant was returned; its mean counts that as 0.
    """
    trectools = peer("trectools", "trectools")
    qrels = "".join(
        f"{query} 0 {document} {grade}\n"
        for query, grades in judged.items()
        for document, grade in grades.items()
    )
    run = "".join(
        f"{query} Q0 {document} {rank} {value!r} tag\n"
        for query, ranking in results.items()
        for rank, (document, value) in enumerate(ranking.items())
    )
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        tool = trectools.TrecEval(
            trectools.TrecRun(io.StringIO(run)), trectools.TrecQrel(io.StringIO(qrels))
        )

    def values(cutoff: int) -> Values:
        rules = {"depth": cutoff, "trec_eval": not exponential}
        table = tool.get_ndcg(per_query=True, **rules)[f"NDCG@{cutoff}"].dropna()
        by_query = dict.fromkeys(tool.run.topics(), 0.0) | table.to_dict()
        return Values({"ndcg": by_query}, {"ndcg": float(tool.get_ndcg(**rules))})

    return {cutoff: values(cutoff) for cutoff in cutoffs}
