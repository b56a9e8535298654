"""Core against the slow reference, on random judgments, runs and policies."""

import math

import numpy as np
import pytest
import reference
import strategies
from hypothesis import given
from hypothesis import strategies as st

from core.errors import PolicyRefusal
from core.grades import GradedRun, join
from core.ids import Ids
from core.judgments import pair_keys
from core.policy import Policy
from core.scores import STATES, QueryScores, aggregate, headline, score

TOLERANCE = 1e-9


def close(found: float | None, expected: float | None) -> bool:
    """Equal within tolerance; None and NaN mean no value."""
    if expected is None:
        return found is None or math.isnan(found)
    return found is not None and math.isclose(found, expected, rel_tol=0, abs_tol=TOLERANCE)


def check_queries(found: QueryScores, expected: reference.Outcome) -> None:
    """Compare every value of every judged query."""
    for number, query_id in enumerate(found.judgments.query_ids):
        want = expected.queries[query_id]
        binary = found.binary
        got = {
            "ndcg": found.ndcg[number],
            "dcg": found.dcg[number],
            "idcg": found.idcg[number],
            "precision": binary.precision[number],
            "recall": binary.recall[number],
            "reciprocal_rank": binary.reciprocal_rank[number],
            "average_precision": binary.average_precision[number],
            "judged_at_k": found.judged_at_k[number],
        }
        for name, value in got.items():
            assert close(float(value), getattr(want, name)), (query_id, name, value, want)
        assert STATES[found.state[number]] == want.state
        assert bool(found.zero_idcg[number]) == want.zero_idcg


def check_aggregate(found: QueryScores, expected: reference.Outcome) -> None:
    """Compare the averages and every count."""
    got = aggregate(found)
    for name in ("ndcg", "macro_mean", "pooled_ratio", "unjudged_in_top"):
        assert close(getattr(got, name), getattr(expected, name)), name
    for name in ("queries_in_mean", "judged_queries", "zero_idcg", "no_positive", "missing"):
        assert getattr(got, name) == getattr(expected, name), name
    assert (got.empty, got.extra, got.left_out) == (
        expected.empty,
        expected.extra,
        expected.left_out,
    )
    assert (got.ndcg is None) == (got.no_value is not None)
    assert got.ndcg == headline(found)


def compare(
    judged: dict[str, dict[str, int]], runs: list[dict[str, list[reference.Result]]], policy: Policy
) -> None:
    """Score the first run both ways: the same refusal, or the same values."""
    graded = [join(strategies.core_run(run), strategies.core_judgments(judged)) for run in runs]
    try:
        expected = reference.evaluate(judged, runs, 0, strategies.reference_policy(policy))
    except reference.Refused:
        with pytest.raises(PolicyRefusal):
            score(graded[0], policy, runs=graded)
        return
    found = score(graded[0], policy, runs=graded)
    check_queries(found, expected)
    check_aggregate(found, expected)


@given(st.data())
def test_any_policy_scores_as_the_reference(data: st.DataObject) -> None:
    judged = data.draw(strategies.judgment_sets())
    runs = data.draw(strategies.run_sets(judged))
    compare(judged, runs, data.draw(strategies.policies()))


@given(st.data())
def test_policies_that_seldom_refuse_score_as_the_reference(data: st.DataObject) -> None:
    """Most random policies refuse; these get to the arithmetic."""
    judged = data.draw(strategies.judgment_sets())
    runs = data.draw(strategies.run_sets(judged))
    policy = data.draw(
        strategies.policies(
            order=data.draw(st.sampled_from(["score", "as_listed"])),
            ties=data.draw(st.sampled_from(["docid_descending", "docid_ascending", "expected"])),
            duplicates="keep_first",
            unjudged=data.draw(st.sampled_from(["zero", "condense"])),
            negative_grades=data.draw(st.sampled_from(["zero", "as_unjudged", "raw"])),
            missing_query=data.draw(st.sampled_from(["zero", "leave_out"])),
            empty_query=data.draw(st.sampled_from(["zero", "leave_out"])),
            extra_query=data.draw(st.sampled_from(["ignore", "zero"])),
        )
    )
    compare(judged, runs, policy)


@given(st.data())
def test_colliding_hashes_change_nothing(data: st.DataObject) -> None:
    """With hashes cut to two bits nearly every pair of documents collides."""
    judged = data.draw(strategies.judgment_sets())
    run = data.draw(strategies.run_sets(judged))[0]
    with pytest.MonkeyPatch.context() as patch:
        for module in ("core.judgments", "core.grades", "core.matching"):
            patch.setattr(f"{module}.pair_keys", few_bits)
        collided = join(strategies.core_run(run), strategies.core_judgments(judged))
    plain = join(strategies.core_run(run), strategies.core_judgments(judged))
    assert_same_hits(collided, plain)


def few_bits(query: np.ndarray, documents: Ids) -> np.ndarray:
    """Pair keys with four values."""
    return pair_keys(query, documents) & np.uint64(3)


def assert_same_hits(one: GradedRun, other: GradedRun) -> None:
    """Every array of the relation is the same."""
    assert one.hits.query.tolist() == other.hits.query.tolist()
    assert one.hits.judgment.tolist() == other.hits.judgment.tolist()
    assert one.hits.is_self.tolist() == other.hits.is_self.tolist()
    assert one.retrieved.tolist() == other.retrieved.tolist()
    assert one.repeated.tolist() == other.repeated.tolist()
    for name, placement in one.hits.placements.items():
        twin = other.hits.placements[name]
        for part in ("above", "size", "by_docid", "by_list"):
            assert getattr(placement, part).tolist() == getattr(twin, part).tolist(), (name, part)
