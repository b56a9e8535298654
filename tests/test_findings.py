"""What a load report says of a run: tables by hand, and a slow second count in loops."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import Result
from strategies import core_run, judgment_sets, run_sets

from core.findings import Pair, RankFindings, RunFindings, ScoreSteps, run_findings
from core.runs import Run

Lines = Sequence[tuple[str, float | None, int | None]]


def found(run: Mapping[str, Lines]) -> RunFindings:
    """Findings of a run given as (document, score, rank)."""
    results = {
        query: [Result(document, score, rank) for document, score, rank in lines]
        for query, lines in run.items()
    }
    return run_findings(core_run(results).blocks)


def of(results: Mapping[str, Mapping[str, float] | Sequence[str]]) -> RunFindings:
    return run_findings(Run.from_dict("run", results).blocks)


@pytest.mark.parametrize(
    ("lines", "direction", "along"),
    [
        pytest.param([("a", 3, 1), ("b", 2, 2), ("c", 1, 3)], "falls", "rank", id="falls"),
        pytest.param([("a", 1, 1), ("b", 2, 2), ("c", 3, 3)], "rises", "rank", id="distance"),
        pytest.param([("c", 1, 3), ("b", 2, 2), ("a", 3, 1)], "falls", "rank", id="any-line-order"),
        pytest.param([("a", 1, 1), ("b", 1, 2)], "equal", "rank", id="all-equal"),
        pytest.param([("a", 2, 1), ("b", 1, 2), ("c", 2, 3)], "mixed", "rank", id="half-and-half"),
        pytest.param([("a", 1, 1)], "no neighbours", "list", id="one-result"),
        pytest.param([], "no neighbours", "list", id="no-result"),
        pytest.param([("a", None, 1), ("b", None, 2)], "no scores", "rank", id="no-scores"),
        pytest.param([("a", 2, None), ("b", 1, None)], "falls", "list", id="no-ranks"),
        pytest.param([("a", 2, 0), ("b", 1, 0)], "falls", "list", id="one-rank-for-all"),
        pytest.param([("a", 2, 1), ("b", 3, 1), ("c", 1, 2)], "falls", "rank", id="rank-repeated"),
    ],
)
def test_direction_of_scores(lines: Lines, direction: str, along: str) -> None:
    """Along the rank column; as listed where that tells no two results apart."""
    assert (found({"q": lines}).direction, found({"q": lines}).along) == (direction, along)


@pytest.mark.parametrize(
    ("rising", "falling", "direction"),
    [(1, 9, "falls"), (2, 9, "mixed"), (9, 1, "rises"), (9, 2, "mixed"), (5, 5, "mixed")],
)
def test_nine_in_ten_neighbours_make_a_direction(rising: int, falling: int, direction: str) -> None:
    run = {f"r{at}": {"a": 1.0, "b": 2.0} for at in range(rising)}
    run |= {f"f{at}": {"a": 2.0, "b": 1.0} for at in range(falling)}
    assert of(run).direction == direction


def test_counts() -> None:
    """Documents are counted over all queries, results and repeats within each."""
    run = found({"q1": [("a", 3, 1), ("b", 2, 2), ("a", 1, 3)], "q2": [("a", 1, 1)], "q3": []})
    assert (run.queries, run.results, run.documents, run.repeated) == (3, 4, 2, 1)
    assert run.first_repeated == ("q1", "a")


def test_a_run_without_anything() -> None:
    assert run_findings(()) == RunFindings(
        queries=0,
        results=0,
        documents=0,
        repeated=0,
        first_repeated=None,
        along="list",
        steps=None,
        ranks=None,
        neighbours=None,
        tied=None,
        first_tie=None,
    )
    empty = of({"q1": [], "q2": []})
    assert (empty.queries, empty.documents, empty.tied_share) == (2, 0, None)


def test_rank_column_against_score() -> None:
    """q1 rises from b to c; q2, listed backwards, falls; a pair of two queries is none."""
    run = found(
        {
            "q1": [("a", 3, 1), ("b", 1, 2), ("c", 2, 3)],
            "q2": [("e", 8, 2), ("d", 9, 1)],
            "q3": [("f", 7, 1), ("g", 7, 2)],
        }
    )
    assert run.steps == ScoreSteps(falls=2, rises=1, level=1, first_rise=Pair("q1", "b", "c"))


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        pytest.param([1, 2, 3], RankFindings(1, 0, 0), id="whole"),
        pytest.param([0, 1, 2], RankFindings(0, 0, 0), id="from-0"),
        pytest.param([3, 1, 2], RankFindings(1, 0, 0), id="in-any-line-order"),
        pytest.param([1, 2, 4], RankFindings(1, 1, 0), id="gap"),
        pytest.param([1, 1, 3], RankFindings(1, 1, 1), id="repeated"),
        pytest.param([-(2**31), 2**31 - 1, 0], RankFindings(-(2**31), 2, 0), id="far-apart"),
    ],
)
def test_rank_column(ranks: list[int], expected: RankFindings) -> None:
    """Ranks of a second query begin anew."""
    lines = [(name, 1.0, rank) for name, rank in zip("abc", ranks, strict=True)]
    assert found({"q1": lines, "q2": [("a", 1.0, ranks[0])]}).ranks == expected


@pytest.mark.parametrize(
    ("results", "tied", "neighbours", "example"),
    [
        pytest.param({"a": 2.0, "b": 1.0}, 0, 1, None, id="none"),
        pytest.param({"a": 1.0, "b": 1.0, "c": 1.0}, 2, 2, ("a", "b"), id="all"),
        pytest.param({"a": 1.0, "b": 2.0, "c": 1.0}, 1, 2, ("a", "c"), id="not-side-by-side"),
        pytest.param({"a": 1.0}, 0, 0, None, id="one-result"),
    ],
)
def test_ties(
    results: dict[str, float], tied: int, neighbours: int, example: tuple[str, str] | None
) -> None:
    run = of({"q": results})
    assert (run.tied, run.neighbours) == (tied, neighbours)
    assert run.tied_share == (tied / neighbours if neighbours else None)
    assert run.first_tie == (example and Pair("q", *example))


def test_a_repeated_document_is_not_tied_with_itself() -> None:
    run = found({"q": [("a", 1, 1), ("b", 1, 2), ("a", 1, 3)]})
    assert (run.tied, run.neighbours, run.first_tie) == (1, 1, Pair("q", "a", "b"))


def test_no_scores_have_no_ties() -> None:
    run = of({"q": ["a", "b"]})
    assert (run.steps, run.tied, run.neighbours, run.tied_share) == (None, None, None, None)
    assert run.ranks is None


def test_examples_come_from_the_first_query_that_has_one() -> None:
    run = found({f"q{at}": [("a", 2, 1), ("b", 1, 2)] for at in range(5)} | {"q5": [("a", 1, 1)]})
    later = {f"q{at}": [("a", 1, 1), ("a", 1, 2), ("b", 2, 3), ("c", 2, 4)] for at in (6, 7)}
    both = found({"q0": [("a", 2, 1), ("b", 1, 2)]} | later)
    assert (run.first_repeated, run.first_tie) == (None, None)
    assert both.first_repeated == ("q6", "a")
    assert both.first_tie == Pair("q6", "b", "c")
    assert both.steps is not None
    assert both.steps.first_rise == Pair("q6", "a", "b")


@given(st.data())
def test_loops_count_the_same(data: st.DataObject) -> None:
    judged = data.draw(judgment_sets())
    for run in data.draw(run_sets(judged)):
        counted = run_findings(core_run(run).blocks)
        lines = [line for results in run.values() for line in results]
        assert counted.results == len(lines)
        assert counted.documents == len({line.document for line in lines})
        per_query = [len({line.document for line in results}) for results in run.values()]
        assert counted.repeated == len(lines) - sum(per_query)
        if any(line.score is None for line in lines):
            assert (counted.steps, counted.tied) == (None, None)
        elif lines:
            assert (counted.tied, counted.neighbours) == _ties(run)
            assert counted.steps is not None
            along, steps = _steps(run)
            assert counted.along == along
            assert replace(counted.steps, first_rise=None) == steps


def _ties(run: dict[str, list[Result]]) -> tuple[int, int]:
    tied = neighbours = 0
    for results in run.values():
        best: dict[str, float] = {}
        for line in results:
            assert line.score is not None
            best[line.document] = max(line.score, best.get(line.document, line.score))
        pairs = list(pairwise(sorted(best.values())))
        neighbours += len(pairs)
        tied += sum(one == other for one, other in pairs)
    return tied, neighbours


def _steps(run: dict[str, list[Result]]) -> tuple[str, ScoreSteps]:
    pairs = []
    for results in run.values():
        ordered = sorted(results, key=lambda line: line.rank or 0)
        pairs += [(one, other) for one, other in pairwise(ordered)]
    by_rank = [(one, other) for one, other in pairs if one.rank != other.rank]
    compared = [
        (one.score, other.score)
        for one, other in by_rank or pairs
        if one.score is not None and other.score is not None
    ]
    falls = sum(other < one for one, other in compared)
    rises = sum(other > one for one, other in compared)
    steps = ScoreSteps(falls, rises, len(compared) - falls - rises)
    return ("rank" if by_rank else "list"), steps
