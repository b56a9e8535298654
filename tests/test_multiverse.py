"""Every combination of options at once against each alone, and against the slow reference."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import reference
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import Result

from core import sweep
from core.errors import EvaluationError, PolicyError, PolicyRefusal
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.multiverse import Multiverse, multiverse
from core.policy import GainTable, Policy
from core.presets import FIRST_RUN
from core.rule_sets import options_of
from core.runs import Run
from core.scores import headline, headlines, score_all

Judged = dict[str, dict[str, int]]
Runs = list[dict[str, list[Result]]]

# Every field of a policy with every option that these tests know; a new field comes by itself.
ALL_OPTIONS: dict[str, tuple[Any, ...]] = {
    field.name: options_of(field.name) for field in fields(Policy)
} | {
    "cutoff": (1, 2, 3, 10, "all"),
    "gain": (*options_of("gain"), strategies.table()),
    "relevance_level": (1, 2),
}
FEW = 48


def graded(judged: Judged, runs: Runs) -> list[GradedRun]:
    judgments = strategies.core_judgments(judged)
    return [join(strategies.core_run(run, f"run {at}"), judgments) for at, run in enumerate(runs)]


@st.composite
def axes(draw: st.DrawFn, *with_all: str) -> dict[str, tuple[Any, ...]]:
    """Some options of some fields, all those of the fields named; not many combinations."""
    ticked: dict[str, tuple[Any, ...]] = {}
    others = draw(st.lists(st.sampled_from(sorted(ALL_OPTIONS)), max_size=5, unique=True))
    for field in [*with_all, *(other for other in others if other not in with_all)]:
        some = st.lists(st.sampled_from(ALL_OPTIONS[field]), min_size=1, max_size=3, unique=True)
        options = ALL_OPTIONS[field] if field in with_all else tuple(draw(some))
        if np.prod([len(options), *map(len, ticked.values())]) <= FEW:
            ticked[field] = options
    return dict(draw(st.permutations(list(ticked.items()))))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Judged, Runs, Policy]:
    judged = draw(strategies.judgment_sets())
    runs = draw(strategies.run_sets(judged))
    seldom_refuses = strategies.policies(
        order="score",
        ties="expected",
        duplicates="keep_first",
        unjudged="zero",
        negative_grades="zero",
        missing_query="zero",
        empty_query="zero",
        extra_query="zero",
    )
    return judged, runs, draw(st.one_of(seldom_refuses, strategies.policies()))


def check(found: Multiverse, alone: Sequence[GradedRun]) -> None:
    """The very same numbers and the same refusals as each policy gives by itself."""
    for at, policy in enumerate(found.policies):
        for system, outcome in enumerate(score_all(alone, policy)):
            refusal = found.refusal(at, system)
            refused = isinstance(outcome, EvaluationError)
            assert bool(found.refused[at, system]) == refused, (policy, system)
            if isinstance(outcome, EvaluationError):
                assert (type(refusal), str(refusal)) == (type(outcome), str(outcome))
                assert np.isnan(found.values[at, system])
            else:
                assert refusal is None
                check_value(found.values[at, system], headline(outcome))


def check_value(value: float, expected: float | None) -> None:
    assert (None if np.isnan(value) else value) == expected


@given(worlds(), axes())
def test_every_rule_set_scores_as_it_does_alone(
    world: tuple[Judged, Runs, Policy], ticked: Mapping[str, tuple[Any, ...]]
) -> None:
    judged, runs, policy = world
    check(multiverse(graded(judged, runs), policy, ticked), graded(judged, runs))


@pytest.mark.parametrize("field", ALL_OPTIONS)
@settings(max_examples=25)
@given(st.data())
def test_no_field_is_forgotten(field: str, data: st.DataObject) -> None:
    """All options of one field, among some of others."""
    judged, runs, policy = data.draw(worlds())
    ticked = data.draw(axes(field))
    check(multiverse(graded(judged, runs), policy, ticked), graded(judged, runs))


@given(worlds(), axes())
def test_parts_and_rows_at_a_time_change_nothing(
    world: tuple[Judged, Runs, Policy], ticked: Mapping[str, tuple[Any, ...]]
) -> None:
    judged, runs, policy = world
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "_HELD", 20)
        patch.setattr(sweep, "_AT_ONCE", 7)
        in_parts = multiverse(graded(judged, runs), policy, ticked)
    check(in_parts, graded(judged, runs))


@settings(max_examples=50)
@given(worlds(), axes())
def test_every_rule_set_scores_as_the_reference(
    world: tuple[Judged, Runs, Policy], ticked: Mapping[str, tuple[Any, ...]]
) -> None:
    judged, runs, present = world
    found = multiverse(graded(judged, runs), present, ticked)
    for at, policy in enumerate(found.policies):
        for system in range(len(runs)):
            plain = strategies.reference_policy(policy)
            try:
                expected = reference.evaluate(judged, runs, system, plain).ndcg
            except reference.Refused:
                assert isinstance(found.refusal(at, system), PolicyRefusal)
                continue
            wanted = np.nan if expected is None else expected
            assert not found.refused[at, system]
            assert found.values[at, system] == pytest.approx(wanted, abs=1e-9, nan_ok=True)


@given(worlds(), axes())
def test_present_values_do_not_need_a_place_among_the_rule_sets(
    world: tuple[Judged, Runs, Policy], ticked: Mapping[str, tuple[Any, ...]]
) -> None:
    judged, runs, policy = world
    found = multiverse(graded(judged, runs), policy, ticked)
    for value, outcome in zip(
        found.present_values, score_all(graded(judged, runs), policy), strict=True
    ):
        check_value(value, None if isinstance(outcome, EvaluationError) else headline(outcome))
    if found.present is not None:
        assert found.policies[found.present] == policy


@pytest.mark.parametrize("average", ["macro", "pooled"])
@pytest.mark.parametrize("queries", [7, 9, 130, 1000, 9001])
@pytest.mark.parametrize("rows", [1, 2, 300])
def test_rows_together_add_up_to_the_last_bit_as_each_alone(
    average: str, queries: int, rows: int
) -> None:
    """How many numbers are added in what order depends on their number alone."""
    random = np.random.default_rng(7)
    ndcg, dcg, idcg = random.random((3, rows, queries))
    ndcg[random.random(ndcg.shape) < 0.1] = np.nan
    graded, policy = two_runs()[0], replace(FIRST_RUN, average=average)
    together = headlines(graded, policy, ndcg=ndcg, dcg=dcg, idcg=idcg)
    for at, value in enumerate(together):
        alone = headlines(graded, policy, ndcg=ndcg[at], dcg=dcg[at], idcg=idcg[at])
        assert value == alone


# By hand

JUDGED = {"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}


def two_runs() -> list[GradedRun]:
    judgments = Judgments.from_dict(JUDGED)
    better = Run.from_dict("better", {"q1": ["a"]})
    both = Run.from_dict("both", {"q1": ["b"], "q2": ["x", "b"]})
    return [join(better, judgments), join(both, judgments)]


def two_by_two() -> Multiverse:
    ticked = {"missing_query": ("leave_out", "zero"), "unjudged": ("refuse", "condense")}
    return multiverse(two_runs(), replace(FIRST_RUN, cutoff=1), ticked)


def test_two_runs_by_hand() -> None:
    """The first misses a query; the second has an unjudged document, on rank 1 of that query."""
    found = two_by_two()
    assert found.systems == ("better", "both")
    assert found.values.tolist() == [
        [2 / 2, pytest.approx(np.nan, nan_ok=True)],
        [2 / 2, (1 / 2 + 1 / 2) / 2],
        [(2 / 2 + 0) / 2, pytest.approx(np.nan, nan_ok=True)],
        [(2 / 2 + 0) / 2, (1 / 2 + 1 / 2) / 2],
    ]
    assert found.refused.tolist() == [[False, True], [False, False]] * 2
    assert found.present_values.tolist() == [(2 / 2 + 0) / 2, (1 / 2 + 0) / 2]
    assert found.present is None
    assert (len(found), found.choice.shape) == (4, (4, 2))


def test_refusal_says_why() -> None:
    found = two_by_two()
    refusal = found.refusal(2, 1)
    assert isinstance(refusal, PolicyRefusal)
    assert (refusal.field, refusal.option, refusal.summary) == ("unjudged", "refuse", "1 unjudged")
    assert found.refusal(3, 1) is None


def test_grade_without_a_gain_refuses_everyone() -> None:
    ticked = {"gain": ("linear", GainTable.parsed("0:0,1:1")), "cutoff": (1, 2)}
    found = multiverse(two_runs(), FIRST_RUN, ticked)
    assert found.refused.tolist() == [[False, False]] * 2 + [[True, True]] * 2
    assert isinstance(found.refusal(3, 0), PolicyError)


def test_without_runs_there_are_no_values() -> None:
    found = multiverse([], FIRST_RUN, {"cutoff": (1, 2)})
    assert (found.systems, found.values.shape, found.present_values.shape) == ((), (2, 0), (0,))


# Progress

MANY = {"cutoff": tuple(range(1, 6)), "zero_idcg": ("zero", "one"), "gain": ("linear",)}


def test_progress_goes_up_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    ticked = {"cutoff": tuple(range(1, 33)), "zero_idcg": ("zero", "one")}
    multiverse(two_runs(), FIRST_RUN, ticked, progress=lambda *step: told.append(step))
    done, totals = zip(*told, strict=True)
    assert 20 <= len(told) <= 100
    assert list(done) == sorted(set(done))
    assert set(totals) == {done[-1]}


def test_progress_can_cancel() -> None:
    class Cancelled(Exception):  # noqa: N818
        pass

    def cancel(done: int, total: int) -> None:
        raise Cancelled

    runs = two_runs()
    with pytest.raises(Cancelled):
        multiverse(runs, FIRST_RUN, MANY, progress=cancel)
    check(multiverse(runs, FIRST_RUN, MANY), two_runs())
