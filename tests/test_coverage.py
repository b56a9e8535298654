"""How much is judged of what was returned, and returned of what is judged, counted by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.coverage import (
    judged_at_k,
    judged_by_depth,
    judged_share,
    pool_coverage,
    retrieved_at_k,
    unjudged_at_k,
)
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.policy import Cutoff
from core.presets import FIRST_RUN
from core.ranking import Ranking, ranking
from core.runs import Run

Results = dict[str, list[str] | dict[str, float]]

NAN = float("nan")
# q1 returns a judged, an unjudged, a judged (grade 0) and an unjudged document; q2 one unjudged.
JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "missing": {"a": 1}, "empty": {"a": 1}}
RUN: Results = {"q1": ["a", "x", "b", "y"], "q2": ["x"], "empty": [], "extra": ["a"]}


def graded(results: Results = RUN, judged: dict[str, dict[str, int]] = JUDGED) -> GradedRun:
    return join(Run.from_dict("bm25", results), Judgments.from_dict(judged))


def ranked(results: Results, judged: dict[str, int], **rules: Any) -> Ranking:
    """The ranking of a single query."""
    return ranking(graded(results, {"q": judged}), replace(FIRST_RUN, **rules))


@pytest.mark.parametrize(
    ("cutoff", "retrieved", "unjudged", "judged"),
    [
        pytest.param(1, [1, 1], [0, 1], [1 / 1, 0 / 1], id="k1"),
        pytest.param(2, [2, 1], [1, 1], [1 / 2, 0 / 1], id="k2"),
        pytest.param(3, [3, 1], [1, 1], [2 / 3, 0 / 1], id="grade-0-is-judged"),
        pytest.param(10, [4, 1], [2, 1], [2 / 4, 0 / 1], id="past-the-end-counts-what-is-there"),
        pytest.param("all", [4, 1], [2, 1], [2 / 4, 0 / 1], id="all"),
    ],
)
def test_top_of_each_query(
    cutoff: Cutoff, retrieved: list[int], unjudged: list[float], judged: list[float]
) -> None:
    """The missing and the empty query have no document, so no share."""
    of = ranking(graded(), FIRST_RUN)
    assert retrieved_at_k(of, cutoff).tolist() == [*retrieved, 0, 0]
    assert unjudged_at_k(of, cutoff=cutoff).tolist() == [*unjudged, 0, 0]
    found = judged_at_k(of, cutoff=cutoff)
    np.testing.assert_allclose(found, [*judged, NAN, NAN], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("cutoff", "unjudged"),
    [
        pytest.param(1, 2 / 3, id="two-of-three-may-be-first"),
        pytest.param(2, 2 * 2 / 3, id="two-of-three-places"),
        pytest.param(3, 2, id="the-whole-tie"),
        pytest.param(4, 2, id="past-it"),
    ],
)
def test_tie_across_rank_k_counts_the_mean_over_its_orders(cutoff: int, unjudged: float) -> None:
    tie: Results = {"q": {"a": 1.0, "x": 1.0, "y": 1.0, "b": 0.5}}
    of = ranked(tie, {"a": 1, "b": 1}, ties="expected")
    assert unjudged_at_k(of, cutoff=cutoff).tolist() == pytest.approx([unjudged])
    assert judged_at_k(of, cutoff=cutoff).tolist() == pytest.approx([1 - unjudged / cutoff])


def test_judged_tie_leaves_exactly_nothing_unjudged() -> None:
    """Thirds do not add up to 1, and a trace of it would be refused as unjudged."""
    listed = "abcdefg"
    of = ranked({"q": dict.fromkeys(listed, 1.0)}, dict.fromkeys(listed, 1), ties="expected")
    for cutoff in range(1, 8):
        assert unjudged_at_k(of, cutoff=cutoff).tolist() == [0]
        assert judged_at_k(of, cutoff=cutoff).tolist() == [1]


@pytest.mark.parametrize(
    ("results", "judged", "rules", "unjudged"),
    [
        pytest.param(["q", "a"], {"a": 1}, {"self_matches": "keep"}, 1, id="self-match-kept"),
        pytest.param(["q", "a"], {"a": 1}, {"self_matches": "remove"}, 0, id="self-match-removed"),
        pytest.param(["a"], {"a": -1}, {}, 0, id="negative-is-judged"),
        pytest.param(
            ["a"], {"a": -1}, {"negative_grades": "as_unjudged"}, 1, id="unless-it-is-not"
        ),
        pytest.param(
            ["x", "x"], {"a": 1}, {"duplicates": "keep_first"}, 1, id="repeat-counts-once"
        ),
    ],
)
def test_policy_decides_what_is_unjudged(
    results: list[str], judged: dict[str, int], rules: dict[str, Any], unjudged: int
) -> None:
    of = ranked({"q": results}, judged, **rules)
    assert unjudged_at_k(of, cutoff=2).tolist() == [unjudged]


def test_judged_by_depth_is_the_mean_over_queries_with_results() -> None:
    found = judged_by_depth(graded(), FIRST_RUN, [1, 2, 3, 10])
    expected = [(1 + 0) / 2, (1 / 2 + 0) / 2, (2 / 3 + 0) / 2, (2 / 4 + 0) / 2]
    assert list(found) == pytest.approx(expected)


def test_cutoff_of_the_policy_does_not_matter_for_depths() -> None:
    found = judged_by_depth(graded(), replace(FIRST_RUN, cutoff=1), [3])
    assert found == pytest.approx(((2 / 3 + 0) / 2,))


def test_no_results_at_all_have_no_depth() -> None:
    assert judged_by_depth(graded({"empty": []}), FIRST_RUN, [1, 10]) == (None, None)


@pytest.mark.parametrize(
    ("results", "judged", "expected"),
    [
        pytest.param(RUN, JUDGED, 2 / 5, id="a-and-b-of-q1"),
        pytest.param({"q1": ["x", "y", "b"]}, JUDGED, 1 / 5, id="grade-0-at-any-rank"),
        pytest.param({"q1": ["a", "a"]}, {"q1": {"a": 1, "b": 1}}, 1 / 2, id="repeat-counts-once"),
        pytest.param({"q1": ["x"]}, JUDGED, 0 / 5, id="none"),
        pytest.param({"q1": ["a"]}, {"q1": {"a": 1}}, 1 / 1, id="all"),
        pytest.param({"q1": ["q1"]}, {"q1": {"q1": 1, "a": 1}}, 1 / 2, id="judged-self-match"),
        pytest.param({"q1": ["a"]}, {"q1": {}}, None, id="nothing-judged"),
    ],
)
def test_pool_coverage(
    results: Results, judged: dict[str, dict[str, int]], expected: float | None
) -> None:
    assert pool_coverage(graded(results, judged)) == expected


def test_judged_share_of_all_that_was_returned() -> None:
    """2 of the 5 documents of judged queries; the extra query counts nowhere."""
    assert judged_share(graded()) == 2 / 5
    assert judged_share(graded({"q1": ["a", "a", "x"]})) == 1 / 2, "repeated documents count once"
    assert judged_share(graded({"q1": []})) is None
