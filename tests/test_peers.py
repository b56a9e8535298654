"""Core against other tools, on random judgments and runs."""

from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from peers import (
    Judged,
    Results,
    Values,
    assert_same,
    core_values,
    graded,
    ir_measures_judged,
    ir_measures_values,
    pytrec_eval_values,
    random_case,
    sklearn_values,
)
from strategies import EXTRA_QUERIES, GRADES, QUERIES, SCORES, documents

from core.policy import Cutoff, Gain, Policy
from core.presets import FIRST_RUN, TREC_EVAL_9, TREC_EVAL_9_C

# As float32, 1e-46 is 0 and the last two are infinite.
scores = st.sampled_from((*SCORES, 0.1, 1e-46, 1e39, 2e39)) | st.floats(-2, 2, width=16)
distinct_scores = st.lists(st.integers(-50, 50), min_size=8, max_size=8, unique=True)

# trec_eval's files cannot hold an empty query; pytrec_eval's dicts can, and it counts as 0.
PYTREC_EVAL = replace(TREC_EVAL_9, empty_query="zero")


@st.composite
def cases(draw: st.DrawFn, *, tied: bool, judgments: int, results: int) -> tuple[Judged, Results]:
    """Judgments and a run that share a query, with at least so many judgments and results a query.

    No query has negative grades only: there pytrec_eval may never return.
    """
    judged_documents = st.dictionaries(documents, st.sampled_from(GRADES), min_size=judgments)
    judged_documents = judged_documents.filter(lambda grades: max(grades.values(), default=0) >= 0)
    judged = draw(st.dictionaries(st.sampled_from(QUERIES), judged_documents, min_size=1))
    shared = draw(st.lists(st.sampled_from(sorted(judged)), min_size=1, unique=True))
    extra = draw(st.lists(st.sampled_from(EXTRA_QUERIES), unique=True))
    return judged, {query: draw(_rankings(tied, results)) for query in [*shared, *extra]}


@st.composite
def _rankings(draw: st.DrawFn, tied: bool, results: int) -> dict[str, float]:
    if tied:
        return draw(st.dictionaries(documents, scores, min_size=results))
    listed = draw(st.lists(documents, min_size=results, unique=True))
    return dict(zip(listed, map(float, draw(distinct_scores)), strict=False))


def as_trec_eval(policy: Policy, cutoff: Cutoff, *, level: int, judged_only: bool) -> Policy:
    """The policy with trec_eval's options -l and -J."""
    if judged_only:
        policy = replace(policy, unjudged="condense", negative_grades="as_unjudged")
    return replace(policy, cutoff=cutoff, relevance_level=level)


def check_pytrec_eval(
    judged: Judged, results: Results, cutoffs: tuple[Cutoff, ...], *, level: int, judged_only: bool
) -> None:
    found = graded(judged, results)
    expected = pytrec_eval_values(
        judged, results, cutoffs=cutoffs, level=level, judged_only=judged_only
    )
    for cutoff in cutoffs:
        policy = as_trec_eval(PYTREC_EVAL, cutoff, level=level, judged_only=judged_only)
        assert_same(core_values(found, policy), expected[cutoff])


options = pytest.mark.parametrize("judged_only", [False, True], ids=["all", "judged only"])
levels = pytest.mark.parametrize("level", [1, 2])


@options
@levels
@given(cases(tied=True, judgments=1, results=0))
def test_trec_eval_9_gives_what_pytrec_eval_gives(
    level: int, judged_only: bool, case: tuple[Judged, Results]
) -> None:
    check_pytrec_eval(*case, (1, 2, 3, 10, "all"), level=level, judged_only=judged_only)


@options
@levels
def test_trec_eval_9_gives_what_pytrec_eval_gives_on_long_lists(
    level: int, judged_only: bool
) -> None:
    cutoffs: tuple[Cutoff, ...] = (1, 5, 10, 100, 1000, "all")
    check_pytrec_eval(*random_case(level, tied=True), cutoffs, level=level, judged_only=judged_only)


@options
@levels
@given(case=cases(tied=True, judgments=0, results=0), cutoff=st.sampled_from([1, 2, 3, 10]))
def test_trec_eval_9_c_gives_what_ir_measures_gives(
    level: int, judged_only: bool, case: tuple[Judged, Results], cutoff: int
) -> None:
    """Queries that the run misses, and queries without a judgment, count as 0 in both."""
    policy = as_trec_eval(TREC_EVAL_9_C, cutoff, level=level, judged_only=judged_only)
    expected = ir_measures_values(*case, cutoff=cutoff, level=level, judged_only=judged_only)
    assert_same(core_values(graded(*case), policy), expected)


@given(case=cases(tied=False, judgments=0, results=1), cutoff=st.sampled_from([1, 2, 3, 10]))
def test_judged_at_k_is_that_of_ir_measures(case: tuple[Judged, Results], cutoff: int) -> None:
    """Without ties: ir_measures puts tied documents in ascending order for this measure alone.

    Queries with results only: without any we have no value, ir_measures its default of 0. Its own
    mean counts that 0, so here the mean is taken again.
    """
    judged, results = case
    by_query = ir_measures_judged(judged, results, cutoff=cutoff).queries["judged_at_k"]
    by_query = {query: value for query, value in by_query.items() if query in results}
    expected = Values({"judged_at_k": by_query}, {"judged_at_k": fmean(by_query.values())})
    found = core_values(graded(judged, results), replace(TREC_EVAL_9_C, cutoff=cutoff))
    assert_same(found, expected)


@st.composite
def candidates(draw: st.DrawFn, *, tied: bool) -> tuple[Judged, Results]:
    """Lists of two to seven documents, all judged, as long for every query."""
    size = draw(st.integers(2, 7))
    values = scores if tied else st.integers(-50, 50).map(float)

    def column(elements: st.SearchStrategy[Any], *, unique: bool = False) -> dict[str, Any]:
        listed = draw(st.lists(elements, min_size=size, max_size=size, unique=unique))
        return {f"d{n}": value for n, value in enumerate(listed)}

    queries = [f"q{n}" for n in range(draw(st.integers(1, 4)))]
    return (
        {query: column(st.integers(0, 4)) for query in queries},
        {query: column(values, unique=not tied) for query in queries},
    )


@pytest.mark.parametrize("gain", ["linear", "exponential"])
@pytest.mark.parametrize("tied", [True, False], ids=["ties averaged", "no ties"])
@given(data=st.data(), cutoff=st.sampled_from([1, 2, 3, 5, 10, "all"]))
def test_expected_ties_are_those_of_scikit_learn(
    gain: Gain, tied: bool, data: st.DataObject, cutoff: Cutoff
) -> None:
    """scikit-learn has linear gain only: 2^grade − 1 goes in as the grade."""
    judged, results = data.draw(candidates(tied=tied))
    worth = {
        query: [2**grade - 1 if gain == "exponential" else grade for grade in grades.values()]
        for query, grades in judged.items()
    }
    listed = {query: list(ranking.values()) for query, ranking in results.items()}
    expected = sklearn_values(worth, listed, cutoff=cutoff, ignore_ties=not tied)
    policy = replace(FIRST_RUN, ties="expected", gain=gain, cutoff=cutoff)
    assert_same(core_values(graded(judged, results), policy), expected)
