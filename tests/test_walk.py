"""From one policy to another: steps, queries that move, and shares that know no order."""

from dataclasses import replace
from itertools import permutations
from statistics import fmean

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    core_judgments,
    core_run,
    judgment_sets,
    policies,
    reference_policy,
    run_sets,
)

from core.grades import join
from core.judgments import Judgments
from core.policy import Policy
from core.presets import FIRST_RUN, STRICT, TREC_EVAL_9, preset
from core.runs import Run
from core.scores import headline, score
from core.walk import MOST_SHARED, Walk, differing_fields, walk

JUDGED = {"q1": {"a": 3, "b": 1}, "q2": {"a": 1}, "q3": {"c": 2}, "q4": {"d": 0}}
GRADED = [
    join(Run.from_dict(name, results), Judgments.from_dict(JUDGED))
    for name, results in {
        "full": {"q1": {"b": 2, "a": 1}, "q2": {"x": 2, "a": 1}, "q3": {"c": 1}, "q4": {"d": 1}},
        "partial": {"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "x": 1}},
    }.items()
]


def test_one_field_after_the_other_in_the_order_of_the_policy() -> None:
    end = replace(FIRST_RUN, gain="exponential", zero_idcg="leave_out", missing_query="leave_out")
    found = walk(GRADED, FIRST_RUN, end)
    assert [step.field for step in found.steps] == ["gain", "missing_query", "zero_idcg"]
    assert [(step.before, step.after) for step in found.steps] == [
        ("linear", "exponential"),
        ("zero", "leave_out"),
        ("zero", "leave_out"),
    ]
    assert found.steps[-1].policy == end
    assert found.names == ("full", "partial")


def test_refusals_are_lifted_first_and_come_last() -> None:
    lifted = differing_fields(STRICT, replace(FIRST_RUN, gain="exponential"))
    assert lifted == ("ties", "unjudged", "negative_grades", "extra_query", "gain")
    assert differing_fields(replace(FIRST_RUN, gain="exponential"), STRICT) == (
        *("gain", "ties", "unjudged", "negative_grades", "extra_query"),
    )


def test_steps_by_hand() -> None:
    """Leaving missing queries out lifts the run that misses two: (1 + 1)/4 to (1 + 1)/2."""
    end = replace(FIRST_RUN, missing_query="leave_out", zero_idcg="leave_out")
    found = walk(GRADED, FIRST_RUN, end)
    assert found.before[1] == pytest.approx(0.5)
    missing, zero_idcg = found.steps
    assert missing.systems[1].change == pytest.approx(0.5)
    assert missing.systems[1].value == pytest.approx(1.0)
    moved = [(move.query_id, move.before, move.after) for move in missing.systems[1].moves or ()]
    assert moved == [("q3", 0.0, None), ("q4", 0.0, None)]
    assert zero_idcg.systems[1].moves == ()
    # Alone, zero-IDCG adds 2/3 − 1/2; after missing queries are out, nothing.
    assert zero_idcg.systems[1].share == pytest.approx((2 / 3 - 1 / 2) / 2)
    assert missing.systems[1].share == pytest.approx((1 / 2 + (1 - 2 / 3)) / 2)


def test_a_policy_that_refuses_is_a_step_without_a_value() -> None:
    end = replace(FIRST_RUN, missing_query="refuse")
    found = walk(GRADED, FIRST_RUN, end)
    full, partial = found.steps[0].systems
    assert full.change == 0.0
    assert (partial.value, partial.change, partial.moves, partial.share) == (None,) * 4
    assert "missing_query" in str(partial.refusal)
    assert found.change(1) is None
    assert found.refused_after[1] is not None


def test_equal_policies_have_no_step() -> None:
    found = walk(GRADED, FIRST_RUN, FIRST_RUN)
    assert found.steps == ()
    assert found.change(0) == 0.0


def test_too_many_fields_have_no_share() -> None:
    end = replace(
        TREC_EVAL_9,
        gain="exponential",
        discount="original",
        ideal_depth="full",
        self_matches="remove",
        zero_idcg="leave_out",
        average="pooled",
    )
    found = walk(GRADED, FIRST_RUN, end)
    assert len(found.steps) == MOST_SHARED + 1
    assert {system.share for step in found.steps for system in step.systems} == {None}
    assert found.change(0) == pytest.approx(changes(found, 0))


def changes(found: Walk, system: int) -> float:
    return sum(step.systems[system].change or 0.0 for step in found.steps)


@pytest.mark.parametrize("name", ["trec_eval-9", "gdeval-1.3", "haystack", "mlflow", "opensearch"])
def test_steps_and_shares_add_up_to_the_difference(name: str) -> None:
    found = walk(GRADED, FIRST_RUN, preset(name).policy)
    for system in range(2):
        whole = found.change(system)
        assert changes(found, system) == pytest.approx(whole, abs=1e-12)
        shares = [step.systems[system].share or 0.0 for step in found.steps]
        assert sum(shares) == pytest.approx(whole, abs=1e-12)


def mean_over_orders(system: int, start: Policy, end: Policy, field: str) -> float:
    """What a field adds, over all orders of the fields that differ: the definition."""

    def value(policy: Policy) -> float:
        found = headline(score(GRADED[system], policy, runs=GRADED))
        assert found is not None
        return found

    added = []
    for order in permutations(differing_fields(start, end)):
        policy = start
        for name in order:
            after = replace(policy, **{name: getattr(end, name)})
            if name == field:
                added.append(value(after) - value(policy))
            policy = after
    return fmean(added)


def test_shares_are_the_mean_over_all_orders() -> None:
    end = replace(
        FIRST_RUN, gain="exponential", missing_query="leave_out", zero_idcg="one", average="pooled"
    )
    found = walk(GRADED, FIRST_RUN, end)
    for step in found.steps:
        for system in range(2):
            expected = mean_over_orders(system, FIRST_RUN, end, step.field)
            assert step.systems[system].share == pytest.approx(expected, abs=1e-12)


@given(st.data())
def test_values_are_those_of_the_reference(data: st.DataObject) -> None:
    judged = data.draw(judgment_sets())
    runs = data.draw(run_sets(judged, repeats=False))
    start, end = data.draw(policies()), data.draw(policies())
    same = {field: getattr(start, field) for field in differing_fields(start, end)[5:]}
    end = replace(end, **same)
    judgments = core_judgments(judged)
    graded = [join(core_run(run, f"run {at}"), judgments) for at, run in enumerate(runs)]
    found = walk(graded, start, end)

    def expected(at: int, policy: Policy) -> float | None:
        try:
            return reference.evaluate(judged, runs, at, reference_policy(policy)).ndcg
        except reference.Refused:
            return None

    for at in range(len(runs)):
        assert found.before[at] == pytest.approx(expected(at, start), abs=1e-9)
        for step in found.steps:
            wanted = expected(at, step.policy)
            assert step.systems[at].value == pytest.approx(wanted, abs=1e-9)
