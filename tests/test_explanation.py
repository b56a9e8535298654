"""Why one query scored what it scored: every document, and sums that come out."""

from dataclasses import replace
from math import fsum, isclose, isnan, log2
from typing import Any

import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

from core.errors import EvaluationError
from core.explanation import Explanation, explanation
from core.grades import join
from core.judgments import Judgments
from core.policy import OPTIONS
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import STATES, QueryScores, score_all

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
