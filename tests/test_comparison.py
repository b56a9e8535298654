"""Two systems side by side: what is paired, how it is counted, what cannot be compared."""

from dataclasses import replace
from math import isclose, log2
from typing import Any

import pytest
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st

from core.comparison import Comparison, compare
from core.errors import EvaluationError
from core.grades import join
from core.judgments import Judgments
from core.policy import OPTIONS
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import QueryScores, aggregate, score

Judged = dict[str, dict[str, int]]
Rankings = dict[str, list[str]]

JUDGED = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"a": 1}, "q4": {"b": 1}}
SYSTEM: Rankings = {"q1": ["a", "b"], "q2": ["x", "a"], "q4": ["b"]}
BASELINE: Rankings = {"q1": ["b", "a"], "q2": ["a"], "q3": ["a"], "q4": ["b"]}
IDEAL = 2 + 1 / log2(3)
Q1 = 1 - (1 + 2 / log2(3)) / IDEAL  # won
Q2 = 1 / log2(3) - 1  # lost

accepting = st.fixed_dictionaries(
    {
        field: st.sampled_from([option for option in options if not option.startswith("refuse")])
        for field, options in OPTIONS.items()
        if any(option.startswith("refuse") for option in options)
    }
)


def scored(name: str, rankings: Rankings, judged: Judged = JUDGED, **rules: Any) -> QueryScores:
    graded = join(Run.from_dict(name, rankings), Judgments.from_dict(judged))
    return score(graded, replace(FIRST_RUN, **rules))


def compared(
    system: Rankings = SYSTEM, baseline: Rankings = BASELINE, judged: Judged = JUDGED, **rules: Any
) -> Comparison:
    names = {"dense": system, "bm25": baseline}
    return compare(*(scored(name, listed, judged, **rules) for name, listed in names.items()))


def counts(of: Comparison) -> tuple[int, int, int]:
    return of.wins, of.ties, of.losses


# By hand


def test_difference_is_system_minus_baseline() -> None:
    """The missing query counts as 0, so it is lost by 1."""
    found = compared()
    assert (found.system, found.baseline) == ("dense", "bm25")
    assert found.difference == pytest.approx((Q1 + Q2 + (0 - 1) + (1 - 1)) / 4)
    assert (found.queries, counts(found)) == (4, (1, 1, 2))
    assert (found.only_system, found.only_baseline) == (0, 0)


def test_only_queries_both_score_are_paired() -> None:
    found = compared(missing_query="leave_out")
    assert found.difference == pytest.approx((Q1 + Q2 + (1 - 1)) / 3)
    assert (found.queries, counts(found)) == (3, (1, 1, 1))
    assert (found.only_system, found.only_baseline) == (0, 1)


def test_no_query_in_common_has_no_difference() -> None:
    found = compared({"q1": ["a"], "q2": ["a"]}, {"q3": ["a"]}, missing_query="leave_out")
    assert (found.difference, found.queries, counts(found)) == (None, 0, (0, 0, 0))
    assert (found.only_system, found.only_baseline) == (2, 1)


def test_pooled_difference_is_that_of_the_ratios_over_paired_queries() -> None:
    found = compared(average="pooled", missing_query="leave_out")
    system, baseline = IDEAL + 1 / log2(3) + 1, (1 + 2 / log2(3)) + 1 + 1
    assert found.difference == pytest.approx((system - baseline) / (IDEAL + 1 + 1))
    assert counts(found) == (1, 1, 1)


def test_pooled_difference_takes_the_ideal_of_each() -> None:
    """The system found grade 2 on rank 2, the baseline grade 1 on rank 1; each has its own IDCG."""
    found = compared(
        {"q1": ["x", "a"], "q4": ["b"]},
        {"q1": ["b"], "q4": ["x", "b"]},
        {"q1": JUDGED["q1"], "q4": JUDGED["q4"]},
        average="pooled",
        ideal_scope="this_run",
    )
    system, baseline = (2 / log2(3) + 1) / (2 + 1), (1 + 1 / log2(3)) / (1 + 1)
    assert found.difference == pytest.approx(system - baseline)


@pytest.mark.parametrize(("average", "difference"), [("macro", 0), ("pooled", None)])
def test_nothing_to_gain(average: str, difference: float | None) -> None:
    """Every query scores 0, so the mean is 0; the ratio has no denominator."""
    one = {"q": ["a"]}
    found = compared(one, one, {"q": {"a": 0}}, average=average)
    assert (found.difference, found.queries, counts(found)) == (difference, 1, (0, 1, 0))


def test_rounding_is_a_tie() -> None:
    """A mean over tied orders adds up in another way than the order it equals."""
    plain = scored("plain", BASELINE)
    rounded = replace(plain, ndcg=plain.ndcg - 1e-15)
    assert counts(compare(plain, rounded)) == counts(compare(rounded, plain)) == (0, 4, 0)


# Laws


@given(st.data())
def test_a_against_b_is_minus_b_against_a(data: st.DataObject) -> None:
    judged = data.draw(strategies.judgment_sets())
    policy = data.draw(strategies.policies(**data.draw(accepting)))
    judgments = strategies.core_judgments(judged)
    drawn = [data.draw(strategies.run_sets(judged))[0] for _ in range(2)]
    runs = [
        join(strategies.core_run(run, name), judgments)
        for run, name in zip(drawn, "ab", strict=True)
    ]
    assume(policy.order != "rank_column" or all(one.run.has_ranks for one in runs))
    a, b = (score(one, policy, runs=runs) for one in runs)
    forth, back = compare(a, b), compare(b, a)
    assert forth == replace(
        back, system="a", baseline="b", difference=forth.difference,
        wins=back.losses, losses=back.wins,
        only_system=back.only_baseline, only_baseline=back.only_system,
    )  # fmt: skip
    assert (forth.difference is None) == (back.difference is None)
    assert (forth.difference or 0) == -(back.difference or 0)
    assert sum(counts(forth)) == forth.queries
    everything = forth.queries == len(judged) and policy.extra_query == "ignore"
    means = aggregate(a).ndcg, aggregate(b).ndcg
    if everything and forth.difference is not None and None not in means:
        assert isclose(forth.difference, means[0] - means[1], abs_tol=1e-9)  # type: ignore[operator]
    itself = compare(a, a)
    assert not itself.difference
    assert counts(itself) == (0, int(a.in_mean.sum()), 0)


# What cannot be compared

MESSAGE = (
    "'dense' and 'bm25' were scored by different rules or judgments. "
    "Score both again under one policy."
)


@pytest.mark.parametrize(
    ("judged", "rules"),
    [
        pytest.param(JUDGED, {"cutoff": 5}, id="another-cutoff"),
        pytest.param(JUDGED, {"relevance_level": 2}, id="a-field-that-does-not-touch-ndcg"),
        pytest.param({**JUDGED, "q4": {"b": 2}}, {}, id="another-grade"),
        pytest.param({**JUDGED, "q4": {"c": 1}}, {}, id="another-document"),
        pytest.param({**JUDGED, "q5": {}}, {}, id="one-query-more"),
        pytest.param(dict(reversed(JUDGED.items())), {}, id="queries-in-another-order"),
    ],
)
def test_other_rules_or_judgments_are_refused(judged: Judged, rules: dict[str, Any]) -> None:
    with pytest.raises(EvaluationError) as error:
        compare(scored("dense", SYSTEM), scored("bm25", BASELINE, judged, **rules))
    assert str(error.value) == MESSAGE


def test_same_judgments_read_twice_can_be_compared() -> None:
    again = {query: dict(reversed(grades.items())) for query, grades in JUDGED.items()}
    found = compare(scored("dense", SYSTEM), scored("bm25", SYSTEM, again))
    assert (found.difference, counts(found)) == (0, (0, 4, 0))
