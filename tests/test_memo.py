"""What is remembered of a run never changes a score, and goes with the run."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Result

from core.contributions import judgment_gains, query_dcg, returned_by_any
from core.errors import EvaluationError
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.memo import remembered
from core.policy import Policy
from core.presets import FIRST_RUN
from core.ranking import final_ranking, ranking
from core.runs import Run
from core.scores import QueryScores, aggregate, score, score_all
from core.sensitivity import switches


class Owner:
    """Something to remember results on; counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0


@remembered("cutoff", "gain", most=2)
def zeros(owner: Owner, policy: Policy) -> NDArray[np.float64]:
    """As many zeros as the cutoff says."""
    owner.asked += 1
    return np.zeros(int(policy.cutoff))


def at(cutoff: int) -> Policy:
    return replace(FIRST_RUN, cutoff=cutoff)


def graded_runs(
    judged: dict[str, dict[str, int]], runs: list[dict[str, list[Result]]]
) -> list[GradedRun]:
    judgments = strategies.core_judgments(judged)
    return [join(strategies.core_run(run), judgments) for run in runs]


def test_policies_that_agree_on_the_fields_share_a_result() -> None:
    owner = Owner()
    assert zeros(owner, at(3)) is zeros(owner, replace(at(3), average="pooled"))
    assert owner.asked == 1


def test_every_field_and_every_owner_has_its_own_result() -> None:
    owner, other = Owner(), Owner()
    assert zeros(owner, at(3)) is not zeros(owner, replace(at(3), gain="exponential"))
    assert zeros(owner, at(3)) is not zeros(other, at(3))
    assert (owner.asked, other.asked) == (2, 1)


def test_result_not_asked_for_longest_goes_first() -> None:
    owner = Owner()
    for cutoff in (1, 2, 1, 3, 1):  # 3 takes the place of 2
        assert len(zeros(owner, at(cutoff))) == cutoff
    assert owner.asked == 3
    zeros(owner, at(2))
    assert owner.asked == 4


def test_a_field_that_is_not_named_is_not_shown() -> None:
    """So none can be forgotten: the result would be right for one of its values only."""

    @remembered("cutoff", most=1)
    def averages(owner: Owner, policy: Policy) -> str:
        return policy.average

    with pytest.raises(AttributeError, match="average"):
        averages(Owner(), FIRST_RUN)


def test_an_error_is_not_remembered() -> None:
    table = strategies.table()
    judgments = Judgments.from_dict({"q": {"d": 7}})
    policy = replace(FIRST_RUN, gain=table)
    for _ in range(2):
        with pytest.raises(EvaluationError, match="no entry for grade 7"):
            judgment_gains(judgments, policy)


def test_what_is_remembered_cannot_be_written_to() -> None:
    graded = graded_runs({"q1": {"a": 1}}, [{"q1": []}])[0]
    arrays: list[NDArray[np.generic]] = [
        judgment_gains(graded.judgments, FIRST_RUN),
        ranking(graded, FIRST_RUN).above,
        score(graded, FIRST_RUN).dcg,
        score(graded, FIRST_RUN).idcg,
    ]
    assert not any(array.flags.writeable for array in arrays)


def test_scores_of_a_run_that_is_gone_are_gone() -> None:
    """Nothing outside the run holds it, nor does it hold itself."""
    run = Run.from_dict("bm25", {"q": {"d": 2.0, "e": 1.0}})
    judgments = Judgments.from_dict({"q": {"d": 1}})
    graded = [join(run, judgments), join(run, judgments)]
    gc.disable()
    try:
        for switch in switches(FIRST_RUN):
            for one in score_all(graded, switch.policy):
                if isinstance(one, QueryScores):
                    aggregate(one)
                del one
        owners = [weakref.ref(owner) for owner in (*graded, judgments)]
        del graded, judgments
        assert [owner() for owner in owners] == [None] * 3
    finally:
        gc.enable()


def test_same_runs_share_their_union_while_it_is_held() -> None:
    graded = graded_runs({"q1": {"a": 1, "b": 1}}, [{"q1": []}, {"q1": []}])
    policy = replace(FIRST_RUN, ideal_scope="any_run")
    held = returned_by_any(graded, policy)
    assert returned_by_any(graded, replace(policy, cutoff=1)) is held
    assert returned_by_any(graded, replace(policy, self_matches="remove")) is not held
    assert returned_by_any(graded[:1], policy) is not held
    gone = weakref.ref(held)
    del held
    assert gone() is None


def test_switch_that_no_document_feels_is_not_computed_again() -> None:
    graded = graded_runs({"q1": {"a": 1}}, [{"q1": []}])[0]
    other = replace(FIRST_RUN, zero_idcg="one", average="pooled", missing_query="leave_out")
    assert query_dcg(graded, FIRST_RUN) is query_dcg(graded, other)
    assert final_ranking(graded, FIRST_RUN) is ranking(graded, other)


@given(st.data())
def test_scores_do_not_depend_on_what_was_scored_before(data: st.DataObject) -> None:
    """A policy and some of its switches on the same runs, against each on runs joined anew."""
    judged = data.draw(strategies.judgment_sets())
    runs = data.draw(strategies.run_sets(judged))
    start = data.draw(seldom_refusing())
    switched = st.sampled_from(switches(start)).map(lambda switch: switch.policy)
    shared = graded_runs(judged, runs)
    for policy in [start, *data.draw(st.lists(switched, max_size=6, unique=True)), start]:
        fresh = graded_runs(judged, runs)
        for found, graded in zip(score_all(shared, policy), fresh, strict=True):
            assert_same(found, outcome(graded, policy, fresh))


def seldom_refusing() -> st.SearchStrategy[Policy]:
    rules = {"duplicates": "keep_first", "extra_query": "ignore"}
    return st.builds(
        lambda policy, unjudged: replace(policy, **rules, unjudged=unjudged),
        strategies.policies(
            order="score", missing_query="zero", empty_query="zero", negative_grades="zero"
        ),
        st.sampled_from(["zero", "condense"]),
    )


def outcome(
    graded: GradedRun, policy: Policy, runs: list[GradedRun]
) -> QueryScores | EvaluationError:
    try:
        return score(graded, policy, runs=runs)
    except EvaluationError as error:
        return error


def assert_same(
    found: QueryScores | EvaluationError, expected: QueryScores | EvaluationError
) -> None:
    """Every value to the last bit, or the same error."""
    if isinstance(expected, EvaluationError) or isinstance(found, EvaluationError):
        assert (type(found), str(found)) == (type(expected), str(expected))
        return
    for name in ("ndcg", "dcg", "idcg", "state", "judged_at_k", "unjudged_at_k"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    for name, values in vars(expected.binary).items():
        np.testing.assert_array_equal(getattr(found.binary, name), values, name)
    assert aggregate(found) == aggregate(expected)
