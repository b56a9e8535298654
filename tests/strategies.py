"""Hypothesis strategies for judgments, runs and policies, and the way from them to core."""

from dataclasses import fields

import numpy as np
from hypothesis import strategies as st
from reference import Result

from core.blocks import RunBlock
from core.ids import Ids
from core.judgments import Judgments
from core.policy import OPTIONS, GainTable, Policy
from core.runs import Run

QUERIES = ("q1", "q2", "q3", "a")
EXTRA_QUERIES = ("x1", "x2")
# One id equals a query id; two share their first eight bytes; one is not ASCII.
DOCUMENTS = ("a", "b", "B", "document-1", "document-2", "é", "")
SCORES = (-1.0, 0.0, 0.90000002, 0.90000003, 1.0, 16777216.0, 16777217.0)
GRADES = (-2, -1, 0, 1, 2, 3)
TABLE = {-2: -1.5, -1: 0.0, 0: 0.0, 1: 0.5, 2: 0.5, 3: 4.0}

documents = st.sampled_from([document for document in DOCUMENTS if document])


@st.composite
def judgment_sets(draw: st.DrawFn, grades: tuple[int, ...] = GRADES) -> dict[str, dict[str, int]]:
    """Judgments for one to four queries, some without a judgment."""
    queries = draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True))
    judged = st.dictionaries(documents, st.sampled_from(grades), max_size=6)
    return {query: draw(judged) for query in queries}


@st.composite
def run_sets(
    draw: st.DrawFn, judged: dict[str, dict[str, int]], *, repeats: bool = True
) -> list[dict[str, list[Result]]]:
    """One to three runs that share at least one query with the judgments."""
    return [draw(_runs(judged, repeats=repeats)) for _ in range(draw(st.integers(1, 3)))]


@st.composite
def _runs(
    draw: st.DrawFn, judged: dict[str, dict[str, int]], *, repeats: bool
) -> dict[str, list[Result]]:
    has_scores, has_ranks = draw(st.sampled_from([(1, 1), (1, 0), (0, 1), (0, 0)]))
    shared = draw(st.lists(st.sampled_from(sorted(judged)), min_size=1, unique=True))
    extra = draw(st.lists(st.sampled_from(EXTRA_QUERIES), max_size=1))

    def result() -> st.SearchStrategy[Result]:
        return st.builds(
            Result,
            document=documents,
            score=st.sampled_from(SCORES) if has_scores else st.none(),
            rank=st.integers(0, 3) if has_ranks else st.none(),
        )

    unique_by = None if repeats else (lambda line: line.document)
    results = st.lists(result(), max_size=5, unique_by=unique_by)
    return {query: draw(results) for query in draw(st.permutations([*shared, *extra]))}


@st.composite
def policies(draw: st.DrawFn, /, **fixed: object) -> Policy:
    """Any policy; fields given by keyword keep their value."""
    values: dict[str, object] = {name: draw(st.sampled_from(o)) for name, o in OPTIONS.items()}
    values["gain"] = draw(st.sampled_from(["linear", "exponential", "binary", table()]))
    values["cutoff"] = draw(st.sampled_from([1, 2, 3, 10, "all"]))
    values["relevance_level"] = draw(st.sampled_from([1, 2]))
    return Policy(**(values | fixed))  # type: ignore[arg-type]


def table() -> GainTable:
    """The gain table of these tests."""
    return GainTable(tuple(sorted(TABLE.items())))


def reference_policy(policy: Policy) -> dict[str, object]:
    """The same policy as the reference takes it."""
    values = {field.name: getattr(policy, field.name) for field in fields(policy)}
    return values | ({"gain": TABLE} if isinstance(policy.gain, GainTable) else {})


def core_judgments(judged: dict[str, dict[str, int]]) -> Judgments:
    """The same judgments for core."""
    return Judgments.from_dict(judged)


def core_run(run: dict[str, list[Result]], name: str = "run") -> Run:
    """The same run for core, two queries a block."""
    queries = list(run)
    lines = [line for results in run.values() for line in results]
    scored = not lines or lines[0].score is not None
    ranked = not lines or lines[0].rank is not None
    pairs = [queries[at : at + 2] for at in range(0, len(queries), 2)]
    blocks = [_block({query: run[query] for query in pair}, scored, ranked) for pair in pairs]
    return Run(name=name, blocks=tuple(blocks), source=name)


def _block(results: dict[str, list[Result]], scored: bool, ranked: bool) -> RunBlock:
    lines = [line for listed in results.values() for line in listed]
    return RunBlock(
        query_ids=tuple(results),
        starts=np.cumsum([0, *(len(listed) for listed in results.values())]),
        documents=Ids.from_strings(line.document for line in lines),
        scores=np.array([line.score for line in lines], dtype=np.float64) if scored else None,
        ranks=np.array([line.rank for line in lines], dtype=np.int32) if ranked else None,
    )
