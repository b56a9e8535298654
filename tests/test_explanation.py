"""Why one query scored what it scored: every document, and sums that come out."""

from dataclasses import replace
from math import fsum, isclose, isnan, log2
from typing import Any

import numpy as np
import pytest
import reference
import strategies
from hypothesis import given
from hypothesis import strategies as st
from reference import Result

from core.errors import EvaluationError
from core.explanation import (
    Explanation,
    IdealDocument,
    RankedDocument,
    explanation,
    ndcg_over_cutoffs,
)
from core.grades import join
from core.judgments import Judgments
from core.policy import OPTIONS, Cutoff, GainTable
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import STATES, QueryScores, score, score_all

JUDGED = {"q": {"a": 3, "b": 2, "c": 1, "d": 0}, "missing": {"a": 1}, "empty": {"a": 1}}
Listed = list[str] | dict[str, float]

# Options that refuse would turn most examples away; only those of ties may be drawn.
accepting = st.fixed_dictionaries(
    {
        field: st.sampled_from([option for option in options if not option.startswith("refuse")])
        for field, options in OPTIONS.items()
        if field not in ("gain", "ties")
    }
)


def explained(listed: Listed, query: str = "q", **rules: Any) -> Explanation:
    run = Run.from_dict("bm25", {"q": listed, "empty": []})
    rules = {"cutoff": 3} | rules
    graded = join(run, Judgments.from_dict(JUDGED))
    (found,) = score_all([graded], replace(FIRST_RUN, **rules))
    assert isinstance(found, QueryScores)
    return explanation(found, query)


def places(of: Explanation) -> list[tuple[str, int, int, int | None, bool]]:
    """Document, ranks, grade and tie mark of the ranking."""
    return [(d.document, d.first_rank, d.last_rank, d.grade, d.tied) for d in of.ranked]


# Sums


@given(st.data())
def test_documents_add_up_to_the_dcg_and_the_idcg(data: st.DataObject) -> None:
    judged = data.draw(strategies.judgment_sets())
    policy = data.draw(strategies.policies(**data.draw(accepting)))
    judgments = strategies.core_judgments(judged)
    drawn = data.draw(strategies.run_sets(judged))
    runs = [join(strategies.core_run(run), judgments) for run in drawn]
    cutoff = float("inf") if policy.cutoff == "all" else policy.cutoff
    for results, scores in zip(drawn, score_all(runs, policy), strict=True):
        if isinstance(scores, EvaluationError):
            continue
        for number, query in enumerate(judged):
            found = explanation(scores, query)
            dcg = fsum(one.adds for one in found.ranked if one.first_rank <= cutoff)
            assert isclose(dcg, scores.dcg[number], rel_tol=1e-12, abs_tol=1e-12)
            assert not any(one.adds for one in found.ranked if one.first_rank > cutoff)
            idcg = fsum(one.adds for one in found.ideal)
            assert isclose(idcg, scores.idcg[number], rel_tol=1e-12, abs_tol=1e-12)
            assert (found.dcg, found.idcg) == (scores.dcg[number], scores.idcg[number])
            assert found.ndcg == (None if isnan(v := scores.ndcg[number]) else v)
            assert found.state == STATES[scores.state[number]]
            documents = {line.document for line in results.get(query, [])}
            documents -= {query} if policy.self_matches == "remove" else set()
            assert len(found.ranked) + found.removed == len(documents)
            assert {one.document for one in found.ranked} <= documents
            ranked = {one.document: one for one in found.ranked}
            for rank, one in enumerate(found.ideal, 1):
                assert (one.rank, one.found) == (rank, ranked.get(one.document))
                assert one.grade == judged[query][one.document]


# By hand


def test_ranking_is_listed_to_its_end_and_adds_nothing_past_the_cutoff() -> None:
    found = explained(["b", "x", "c", "a"])
    assert places(found) == [
        ("b", 1, 1, 2, False),
        ("x", 2, 2, None, False),
        ("c", 3, 3, 1, False),
        ("a", 4, 4, 3, False),
    ]
    assert [one.gain for one in found.ranked] == [2, 0, 1, 3]
    assert [one.adds for one in found.ranked] == pytest.approx([2, 0, 1 / log2(4), 0])
    assert found.dcg == pytest.approx(2 + 1 / log2(4))
    assert (found.query_id, found.state, found.removed) == ("q", "scored", 0)


def test_ideal_says_where_the_run_has_each_document() -> None:
    found = explained(["b", "x", "c"])
    rows = [(one.document, one.rank, one.grade) for one in found.ideal]
    assert rows == [("a", 1, 3), ("b", 2, 2), ("c", 3, 1)]
    assert [one.adds for one in found.ideal] == pytest.approx([3, 2 / log2(3), 1 / log2(4)])
    b, _, c = found.ranked
    assert [one.found for one in found.ideal] == [None, b, c]
    assert found.ndcg == pytest.approx((2 + 1 / 2) / (3 + 2 / log2(3) + 1 / 2))


def test_unjudged_has_no_grade_and_a_judged_0_has_one() -> None:
    assert [one.grade for one in explained(["d", "x"]).ranked] == [0, None]


def test_condensing_closes_the_ranks_and_counts_what_it_removed() -> None:
    found = explained(["x", "b", "y", "a"], unjudged="condense")
    assert places(found) == [("b", 1, 1, 2, False), ("a", 2, 2, 3, False)]
    assert found.dcg == pytest.approx(2 + 3 / log2(3))
    assert found.removed == 2


def test_ideal_cut_at_the_length_counts_what_condensing_left() -> None:
    found = explained(["x", "b", "y", "a"], unjudged="condense", ideal_depth="returned")
    assert [one.document for one in found.ideal] == ["a", "b"]
    assert found.idcg == pytest.approx(3 + 2 / log2(3))


TIED = {"b": 1.0, "x": 1.0, "a": 0.5}


@pytest.mark.parametrize(
    ("rules", "expected", "dcg"),
    [
        pytest.param(
            {}, [("x", 1, 1, None, True), ("b", 2, 2, 2, True), ("a", 3, 3, 3, False)],
            2 / log2(3) + 3 / log2(4), id="broken-but-marked",
        ),
        pytest.param(
            {"ties": "expected"},
            [("b", 1, 2, 2, True), ("x", 1, 2, None, True), ("a", 3, 3, 3, False)],
            2 * (1 + 1 / log2(3)) / 2 + 3 / log2(4), id="left-open",
        ),
        pytest.param(
            {"ties": "expected", "unjudged": "condense"},
            [("b", 1, 1, 2, True), ("a", 2, 2, 3, False)],
            2 + 3 / log2(3), id="the-other-one-was-removed",
        ),
        pytest.param(
            {"ties": "expected", "order": "as_listed"},
            [("b", 1, 1, 2, False), ("x", 2, 2, None, False), ("a", 3, 3, 3, False)],
            2 + 3 / log2(4), id="no-ties-in-a-list",
        ),
    ],
)  # fmt: skip
def test_ties(rules: dict[str, Any], expected: list[Any], dcg: float) -> None:
    found = explained(TIED, **rules)
    assert places(found) == expected
    assert found.dcg == pytest.approx(dcg)


def test_tie_that_changes_nothing_is_not_refused_but_marked() -> None:
    found = explained({"x": 1.0, "y": 1.0}, ties="refuse")
    assert places(found) == [("y", 1, 1, None, True), ("x", 2, 2, None, True)]


@pytest.mark.parametrize(
    ("query", "rules", "state", "ndcg"),
    [
        ("missing", {}, "missing", 0),
        ("empty", {}, "empty", 0),
        ("missing", {"missing_query": "leave_out"}, "left_out_missing", None),
        ("empty", {"empty_query": "leave_out"}, "left_out_empty", None),
    ],
)
def test_query_without_results(
    query: str, rules: dict[str, Any], state: str, ndcg: float | None
) -> None:
    """Its ideal ranking is there all the same, with nothing found."""
    found = explained(["a"], query, **rules)
    assert (found.state, found.ndcg, found.ranked, found.dcg) == (state, ndcg, (), 0)
    assert [(one.document, one.adds, one.found) for one in found.ideal] == [("a", 1, None)]


def test_query_without_judgments_is_unknown() -> None:
    with pytest.raises(KeyError):
        explained(["a"], "other")


# Retrieval scores, and documents listed several times


def listing(*lines: Result, **rules: Any) -> Explanation:
    """The query's results line by line, as a dict cannot give them."""
    rules = {"cutoff": 3, "duplicates": "keep_first", **rules}
    graded = join(strategies.core_run({"q": list(lines)}), Judgments.from_dict(JUDGED))
    return explanation(score(graded, replace(FIRST_RUN, **rules)), "q")


def scores_and_times(of: Explanation) -> list[tuple[str, float | None, int]]:
    return [(one.document, one.score, one.times) for one in of.ranked]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param({}, [("b", 0.9, 3), ("x", 0.7, 1), ("a", 0.5, 2)], id="by-score"),
        pytest.param(
            {"order": "as_listed"}, [("a", 0.5, 2), ("b", 0.9, 3), ("x", 0.7, 1)], id="as-listed"
        ),
        pytest.param({"unjudged": "condense"}, [("b", 0.9, 3), ("a", 0.5, 2)], id="condensed"),
        pytest.param({"cutoff": 1}, [("b", 0.9, 3), ("x", 0.7, 1), ("a", 0.5, 2)], id="cut"),
    ],
)
def test_document_has_its_best_score_and_says_how_often_it_is_listed(
    rules: dict[str, Any], expected: list[tuple[str, float, int]]
) -> None:
    lines = [("a", 0.5), ("b", 0.2), ("x", 0.7), ("b", 0.9), ("a", -3.0), ("b", 0.9)]
    found = listing(*(Result(document, value) for document, value in lines), **rules)
    assert scores_and_times(found) == expected


def test_run_without_scores_has_none_and_counts_all_the_same() -> None:
    assert scores_and_times(explained(["b", "a"])) == [("b", None, 1), ("a", None, 1)]
    repeated = listing(Result("b"), Result("a"), Result("b"))
    assert scores_and_times(repeated) == [("b", None, 2), ("a", None, 1)]
    ranked = listing(Result("b", rank=2), Result("a", rank=1), Result("b", rank=3))
    assert scores_and_times(ranked) == [("a", None, 1), ("b", None, 2)]


@given(st.data())
def test_every_document_has_its_best_score_and_its_count(data: st.DataObject) -> None:
    judged = data.draw(strategies.judgment_sets())
    policy = data.draw(strategies.policies(**data.draw(accepting)))
    run = data.draw(strategies.run_sets(judged))[0]
    graded = join(strategies.core_run(run), strategies.core_judgments(judged))
    (scores,) = score_all([graded], policy)
    if isinstance(scores, EvaluationError):
        return
    for query in judged:
        lines = run.get(query, [])
        found = explanation(scores, query)
        assert found.by_document == {one.document: one for one in found.ranked}
        for one in found.ranked:
            values = [line.score for line in lines if line.document == one.document]
            known = [value for value in values if value is not None]
            assert (one.score, one.times) == (max(known, default=None), len(values))


# What counts, what gains, what was missed


def documents(of: tuple[IdealDocument, ...] | tuple[RankedDocument, ...]) -> list[str]:
    return [one.document for one in of]


@pytest.mark.parametrize(
    ("listed", "rules", "counted", "missed"),
    [
        pytest.param("bxyc", {}, "bxy", {"a": None, "c": 4}, id="below-the-cutoff"),
        pytest.param("bxyc", {"cutoff": "all"}, "bxyc", {"a": None}, id="no-cutoff"),
        pytest.param("cba", {}, "cba", {}, id="nothing-missed"),
        pytest.param("xyzd", {}, "xyz", dict.fromkeys("abc"), id="grade-0-is-never-missed"),
        pytest.param("", {}, "", dict.fromkeys("abc"), id="nothing-retrieved"),
        pytest.param(
            "bxyc", {"ideal_scope": "this_run"}, "bxy", {"a": None, "c": 4},
            id="scope-of-this-run-hides-nothing",
        ),
        pytest.param(
            "bc", {"ideal_depth": "returned", "cutoff": 1}, "b", {"a": None, "c": 2},
            id="nor-does-a-short-ideal",
        ),
        pytest.param(
            "xyzac", {"unjudged": "condense", "cutoff": 1}, "a", {"b": None, "c": 2},
            id="condensing-lifts-over-the-cutoff",
        ),
        pytest.param(
            {"a": 2.0, "b": 1.0, "c": 1.0, "x": 0.5}, {"cutoff": 2}, "ac", {"b": 3},
            id="a-broken-tie-across-the-cutoff",
        ),
        pytest.param(
            {"a": 2.0, "b": 1.0, "c": 1.0, "x": 0.5}, {"cutoff": 2, "ties": "expected"}, "abc", {},
            id="an-open-tie-across-the-cutoff-counts",
        ),
        pytest.param(
            "x", {"gain": GainTable(((0, 0), (1, 0), (2, 1), (3, 5)))}, "x", dict.fromkeys("ab"),
            id="a-grade-that-gains-nothing",
        ),
    ],
)  # fmt: skip
def test_missed(
    listed: str | dict[str, float],
    rules: dict[str, Any],
    counted: str,
    missed: dict[str, int | None],
) -> None:
    """Missed documents come best first, with their rank where the run has them at all."""
    found = explained(list(listed) if isinstance(listed, str) else listed, **rules)
    assert "".join(documents(found.counted)) == counted
    ranks = [(one.document, one.found and one.found.first_rank) for one in found.missed]
    assert ranks == list(missed.items())


def test_gainful_is_every_document_that_gains_and_where_the_run_has_it() -> None:
    """Also those the ideal leaves out: here it is cut at 1 and made of this run alone."""
    found = explained(["c", "x", "b"], cutoff=1, ideal_scope="this_run")
    assert documents(found.ideal) == ["b"]
    rows = [(one.document, one.rank, one.grade, one.gain) for one in found.gainful]
    assert rows == [("a", 1, 3, 3), ("b", 2, 2, 2), ("c", 3, 1, 1)]
    c, _, b = found.ranked
    assert [one.found for one in found.gainful] == [None, b, c]
    assert found.by_document["b"] is b


def test_query_the_run_misses_has_missed_everything() -> None:
    found = explained(["a"], "missing", missing_query="leave_out")
    assert (found.counted, documents(found.missed), found.by_document) == ((), ["a"], {})


@given(st.data())
def test_what_gains_is_counted_or_missed(data: st.DataObject) -> None:
    judged = data.draw(strategies.judgment_sets())
    policy = data.draw(strategies.policies(**data.draw(accepting)))
    rules = strategies.reference_policy(policy)
    graded = join(
        strategies.core_run(data.draw(strategies.run_sets(judged))[0]),
        strategies.core_judgments(judged),
    )
    (scores,) = score_all([graded], policy)
    if isinstance(scores, EvaluationError):
        return
    for query, grades in judged.items():
        found = explanation(scores, query)
        gains = {document: reference.gain(grade, rules) for document, grade in grades.items()}
        expected = {document: gain for document, gain in gains.items() if gain > 0}
        assert {one.document: one.gain for one in found.gainful} == expected
        order = [one.grade for one in found.gainful]
        assert order == sorted(order, reverse=True)
        ends = [one.first_rank for one in found.ranked if one.document in expected]
        counted = sum(policy.cutoff == "all" or rank <= policy.cutoff for rank in ends)
        assert len(found.missed) == len(expected) - counted
        assert found.missed == tuple(
            one for one in found.gainful if one.document not in documents(found.counted)
        )


# Other cutoffs


def over_cutoffs(listed: Listed, *cutoffs: int, query: str = "q", **rules: Any) -> list[Any]:
    graded = join(Run.from_dict("bm25", {"q": listed, "empty": []}), Judgments.from_dict(JUDGED))
    scores = score(graded, replace(FIRST_RUN, **rules))
    return list(ndcg_over_cutoffs(scores, explanation(scores, query), cutoffs))


SECOND, THIRD = 1 / log2(3), 1 / log2(4)


@pytest.mark.parametrize(
    ("listed", "rules", "expected"),
    [
        pytest.param(
            ["b", "x", "a"], {},
            [2 / 3, 2 / (3 + 2 * SECOND), (2 + 3 * THIRD) / (3 + 2 * SECOND + THIRD)], id="cut",
        ),
        pytest.param(
            ["b", "x", "a"], {"unjudged": "condense"},
            [2 / 3, (2 + 3 * SECOND) / (3 + 2 * SECOND),
             (2 + 3 * SECOND) / (3 + 2 * SECOND + THIRD)], id="condensed",
        ),
        pytest.param(
            ["b", "x", "a"], {"ideal_depth": "full"},
            [v / (3 + 2 * SECOND + THIRD) for v in (2, 2, 2 + 3 * THIRD)], id="ideal-uncut",
        ),
        pytest.param(
            {"a": 1.0, "x": 1.0}, {"ties": "expected"},
            [3 / 2 / 3, 3 * (1 + SECOND) / 2 / (3 + 2 * SECOND),
             3 * (1 + SECOND) / 2 / (3 + 2 * SECOND + THIRD)], id="open-tie",
        ),
        pytest.param(["b"], {"ideal_scope": "this_run"}, [1, 1, 1], id="this-run"),
        pytest.param(["x"], {"ideal_scope": "this_run"}, [None] * 3, id="no-ideal"),
        pytest.param([], {}, [0, 0, 0], id="nothing-retrieved"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("cutoff", [1, 10, "all"])
def test_ndcg_over_cutoffs(
    listed: Listed, rules: dict[str, Any], expected: list[float | None], cutoff: Cutoff
) -> None:
    """The policy's own cutoff does not matter."""
    found = over_cutoffs(listed, 1, 2, 3, cutoff=cutoff, **rules)
    assert found == [None if value is None else pytest.approx(value) for value in expected]


def test_cutoffs_may_come_in_any_order_and_none_at_all() -> None:
    assert over_cutoffs(["b"], 100, 1) == [over_cutoffs(["b"], 100)[0], 2 / 3]
    assert over_cutoffs(["b"]) == []
    assert over_cutoffs(["a"], 1, 5, query="missing") == [0, 0]


cutoffs = st.lists(st.sampled_from([1, 2, 3, 4, 5, 7, 1000]), min_size=1, max_size=4)


@given(st.data(), cutoffs)
def test_ndcg_over_cutoffs_is_that_of_scoring_again(data: st.DataObject, tried: list[int]) -> None:
    """Where the policy scores the query at that cutoff; refusals depend on the cutoff."""
    judged = data.draw(strategies.judgment_sets())
    policy = data.draw(strategies.policies(**data.draw(accepting)))
    judgments = strategies.core_judgments(judged)
    drawn = data.draw(strategies.run_sets(judged))
    runs = [join(strategies.core_run(run), judgments) for run in drawn]
    for graded, scores in zip(runs, score_all(runs, policy), strict=True):
        if isinstance(scores, EvaluationError):
            continue
        values = [ndcg_over_cutoffs(scores, explanation(scores, query), tried) for query in judged]
        for at, cutoff in enumerate(tried):
            try:
                again = score(graded, replace(policy, cutoff=cutoff), runs=runs)
            except EvaluationError:
                continue
            for number, found in enumerate(row[at] for row in values):
                if again.idcg[number] <= 0:
                    assert found is None
                elif STATES[again.state[number]] == "scored":
                    assert found is not None
                    assert isclose(found, again.ndcg[number], rel_tol=1e-9, abs_tol=1e-12)


def test_cutoffs_are_those_of_the_reference() -> None:
    """A query with a tie, a repeat and a negative grade, at every cutoff by loops."""
    judged = {"q": {"a": 3, "b": 2, "c": -1, "d": 1}}
    lines = [("x", 0.9), ("b", 0.8), ("c", 0.8), ("b", 0.1), ("a", 0.8), ("d", 0.2)]
    run = {"q": [Result(document, value) for document, value in lines]}
    graded = join(strategies.core_run(run), Judgments.from_dict(judged))
    for ties in ("expected", "docid_ascending", "docid_descending"):
        policy = replace(FIRST_RUN, ties=ties, duplicates="keep_first", negative_grades="raw")
        scores = score(graded, policy)
        found = ndcg_over_cutoffs(scores, explanation(scores, "q"), range(1, 8))
        expected = [
            reference.evaluate(
                judged, [run], 0, strategies.reference_policy(replace(policy, cutoff=cutoff))
            ).ndcg
            for cutoff in range(1, 8)
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12)  # type: ignore[arg-type]
