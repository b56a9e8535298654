"""What a policy refuses, in which words, and what it lets pass."""

from dataclasses import replace
from typing import Any

import pytest

from core.errors import PolicyError, PolicyRefusal
from core.grades import join
from core.judgments import Judgments
from core.policy import GainTable
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import QueryScores, score, score_all

JUDGED = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}
Results = dict[str, dict[str, float] | list[str]]


def scored(results: Results, judged: dict[str, dict[str, int]], **rules: Any) -> QueryScores:
    run = Run.from_dict("bm25", results, source="bm25.json")
    return score(join(run, Judgments.from_dict(judged)), replace(FIRST_RUN, **rules))


@pytest.mark.parametrize(
    ("results", "judged", "rules", "count", "summary", "message"),
    [
        pytest.param(
            {"q1": ["a", "b", "a", "b"], "q2": ["a", "a"]}, JUDGED, {"duplicates": "refuse"},
            3, "3 repeated",
            "bm25.json: 3 repeated documents in queries 'q1', 'q2'; the policy refuses this "
            "(duplicates=refuse). Keep the first of each, or correct the run.",
            id="duplicates",
        ),
        pytest.param(
            {"q1": ["a"]}, JUDGED, {"missing_query": "refuse"},
            1, "1 missing",
            "bm25.json: 1 judged query without results: 'q2'; the policy refuses this "
            "(missing_query=refuse). Count them as 0, or leave them out.",
            id="missing-query",
        ),
        pytest.param(
            {"q1": [], "q2": []}, JUDGED, {"empty_query": "refuse"},
            2, "2 empty",
            "bm25.json: 2 empty rankings: 'q1', 'q2'; the policy refuses this "
            "(empty_query=refuse). Count them as 0, or leave them out.",
            id="empty-query",
        ),
        pytest.param(
            {"q1": ["a"], "q2": ["a"], "x2": [], "x1": ["a"]}, JUDGED, {"extra_query": "refuse"},
            2, "2 extra",
            "bm25.json: 2 queries without judgments: 'x1', 'x2'; the policy refuses this "
            "(extra_query=refuse). Ignore them, or count them as 0.",
            id="extra-query",
        ),
        pytest.param(
            {"q1": ["a"]}, {"q1": {"a": -1, "b": -2}}, {"negative_grades": "refuse"},
            2, "2 negative grades",
            "judgments: 2 negative grades in query 'q1'; the policy refuses this "
            "(negative_grades=refuse). Give them gain 0, or take them as unjudged.",
            id="negative-grades",
        ),
        pytest.param(
            {"q1": ["a", "x", "y"], "q2": ["z", "a"]}, JUDGED, {"unjudged": "refuse", "cutoff": 2},
            2, "2 unjudged",
            "bm25.json: 2 unjudged documents in the top 2 of 2 queries, first query 'q1' with "
            "document 'x'; the policy refuses this (unjudged=refuse). Count unjudged documents as "
            "gain 0, or condense the list, or judge them.",
            id="unjudged-in-the-top-k",
        ),
        pytest.param(
            {"q1": ["a", "b", "x", "y"], "q2": ["a"]}, JUDGED,
            {"unjudged": "refuse_any", "cutoff": 2},
            2, "2 unjudged",
            "bm25.json: 2 unjudged documents anywhere in the ranking of 1 query, first query 'q1' "
            "with document 'x'; the policy refuses this (unjudged=refuse_any). Count unjudged "
            "documents as gain 0, or condense the list, or judge them.",
            id="unjudged-anywhere",
        ),
        pytest.param(
            {"q1": {"x": 1.0, "y": 2.0}}, JUDGED,
            {"unjudged": "refuse", "cutoff": 1},
            1, "1 unjudged",
            "bm25.json: 1 unjudged document in the top 1 of 1 query, first query 'q1' with "
            "document 'y'; the policy refuses this (unjudged=refuse). Count unjudged documents as "
            "gain 0, or condense the list, or judge them.",
            id="unjudged-names-the-best-ranked",
        ),
        pytest.param(
            {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0, "x": 1.0, "y": 1.0}}, JUDGED,
            {"ties": "refuse"},
            2, "2 ties",
            "bm25.json: 2 ties whose order changes a DCG in queries 'q1', 'q2'; the policy refuses "
            "this (ties=refuse). Choose an order for ties, or the mean over all orders.",
            id="ties",
        ),
        pytest.param(
            {"q1": ["a"]}, JUDGED, {"order": "rank_column"},
            1, "no ranks",
            "bm25.json: the run has no ranks that can be used; the policy refuses this "
            "(order=rank_column). Order it by score or as listed.",
            id="no-rank-column",
        ),
    ],
)  # fmt: skip
def test_policy_refuses(
    results: Results,
    judged: dict[str, dict[str, int]],
    rules: dict[str, Any],
    count: int,
    summary: str,
    message: str,
) -> None:
    with pytest.raises(PolicyRefusal) as refusal:
        scored(results, judged, **rules)
    assert str(refusal.value) == message
    assert (refusal.value.count, refusal.value.summary) == (count, summary)
    field = next(name for name in rules if name != "cutoff")
    assert (refusal.value.field, refusal.value.option) == (field, rules[field])
    assert refusal.value.run == "bm25.json"


@pytest.mark.parametrize(
    ("results", "rules"),
    [
        pytest.param({"q1": {"b": 1.0, "x": 1.0}}, {"ties": "refuse"}, id="tie-of-equal-gains"),
        pytest.param(
            {"q1": {"a": 2.0, "b": 1.0, "x": 1.0}}, {"ties": "refuse"}, id="tie-that-gains-nothing"
        ),
        pytest.param(
            {"q1": {"x": 3.0, "a": 1.0, "b": 1.0}},
            {"ties": "refuse", "cutoff": 1},
            id="tie-below-the-cutoff",
        ),
        pytest.param(
            {"q1": {"a": 1.0, "b": 1.0}},
            {"ties": "refuse", "discount": "original"},
            id="tie-over-ranks-of-equal-weight",
        ),
        pytest.param(
            {"q1": {"a": 1.0, "x": 1.0}},
            {"ties": "refuse", "unjudged": "condense"},
            id="tie-that-condensing-dissolves",
        ),
        pytest.param(
            {"q1": ["a", "b", "x"]}, {"unjudged": "refuse", "cutoff": 2}, id="unjudged-below-k"
        ),
        pytest.param(
            {"q1": ["a", "q1"]},
            {"unjudged": "refuse_any", "self_matches": "remove"},
            id="unjudged-self-match-that-is-removed",
        ),
        pytest.param({"q1": ["a"], "x": ["a", "a"]}, {}, id="repeat-in-a-query-nobody-judged"),
    ],
)
def test_policy_lets_pass(results: Results, rules: dict[str, Any]) -> None:
    assert scored(results, {"q1": {"a": 2, "b": 0}}, **rules).state.tolist() == [0]


def test_refusal_of_one_run_leaves_the_others_their_scores() -> None:
    judgments = Judgments.from_dict({"q": {"a": 1}})
    good, bad = (
        join(Run.from_dict(name, {"q": ranking}), judgments)
        for name, ranking in (("good", ["a"]), ("bad", ["a", "a"]))
    )
    first, second = score_all([good, bad], FIRST_RUN)
    assert isinstance(first, QueryScores)
    assert first.ndcg.tolist() == [1.0]
    assert isinstance(second, PolicyRefusal)
    assert second.run == "bad"


@pytest.mark.parametrize(
    ("gain", "grades", "message"),
    [
        pytest.param(
            "exponential", {"a": 1001},
            "gain exponential: 2^1001 is too large to add up; grades up to 1000 are possible. "
            "Use linear gain or a table.",
            id="exponential",
        ),
        pytest.param(
            GainTable(((1, 1.0),)), {"a": 3, "b": 2, "c": 1, "d": 0},
            "gain '1:1': no entry for grade 2, 3. "
            "A table lists every grade that occurs in the judgments.",
            id="table",
        ),
    ],
)  # fmt: skip
def test_gain_that_cannot_be_computed(gain: object, grades: dict[str, int], message: str) -> None:
    with pytest.raises(PolicyError) as error:
        scored({"q": ["a"]}, {"q": grades}, gain=gain)
    assert str(error.value) == message
    assert error.value.field == "gain"


def test_highest_grade_of_exponential_gain_is_finite() -> None:
    found = scored({"q": ["a"]}, {"q": {"a": 1000}}, gain="exponential")
    assert found.dcg.tolist() == [2.0**1000 - 1]
