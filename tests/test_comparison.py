"""Two systems side by side: what is paired, how it is counted, what cannot be compared."""

import hashlib
from dataclasses import replace
from math import isclose, log2, pi, tan
from typing import Any

import numpy as np
import pytest
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from core.comparison import Comparison, compare
from core.errors import EvaluationError
from core.grades import join
from core.intervals import Interval
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


# The interval, and who is ahead

T1 = tan(0.475 * pi)  # Student's quantile for 0.975 with two queries
NAN = float("nan")


def valued(name: str, ndcg: Any, *, idcg: Any = None, **rules: Any) -> QueryScores:
    """Scores with these values, whatever the ranking."""
    values = np.asarray(ndcg, dtype=np.float64)
    queries = [f"q{at}" for at in range(len(values))]
    judged = {query: {"a": 1} for query in queries}
    plain = scored(name, {query: ["a"] for query in queries}, judged, **rules)
    ideal = np.ones(len(values)) if idcg is None else np.asarray(idcg, dtype=np.float64)
    return replace(plain, ndcg=values, dcg=values * ideal, idcg=ideal)


def of_values(system: Any, baseline: Any, **rules: Any) -> Comparison:
    return compare(valued("dense", system, **rules), valued("bm25", baseline, **rules))


def ends(of: Interval | None) -> tuple[float, float]:
    assert of is not None
    return of.low, of.high


def test_interval_of_two_queries() -> None:
    """Differences 0.5 and 0.1: the mean is 0.3, the standard error half their distance."""
    found = of_values([0.9, 0.4], [0.4, 0.3])
    assert ends(found.interval) == pytest.approx((0.3 - T1 * 0.2, 0.3 + T1 * 0.2))
    assert (found.separates, found.winner) == (False, "dense")


@pytest.mark.parametrize("queries", [3, 10, 50, 300])
def test_interval_is_that_of_a_paired_t_test(queries: int) -> None:
    """Only queries that both score are paired."""
    random = np.random.default_rng(queries)
    system, baseline = random.random(queries), random.random(queries)
    found = of_values([*system, NAN, 0.5, NAN], [*baseline, 0.5, NAN, NAN])
    expected = stats.ttest_rel(system, baseline)
    low, high = expected.confidence_interval(0.95)
    assert ends(found.interval) == pytest.approx((low, high), rel=1e-9, abs=1e-12)
    assert found.separates == (expected.pvalue < 0.05)
    assert (found.queries, found.only_system, found.only_baseline) == (queries, 1, 1)


@pytest.mark.parametrize(("shift", "separates"), [(0.05, True), (-0.05, True), (0.0, False)])
def test_interval_leaves_out_zero_where_the_t_test_rejects(shift: float, separates: bool) -> None:
    random = np.random.default_rng(11)
    baseline = random.uniform(0.2, 0.7, 50)
    system = baseline + shift + random.normal(0, 0.05, 50)
    assert (stats.ttest_rel(system, baseline).pvalue < 0.05) == separates
    assert of_values(system, baseline).separates is separates


@pytest.mark.parametrize("queries", [2, 10, 100])
def test_pooled_interval_is_that_of_the_delta_method(queries: int) -> None:
    """Each ratio linearised with its own IDCG, query by query, and one taken from the other."""
    random = np.random.default_rng(queries)
    values, ideals = random.random((2, queries)), random.lognormal(1, 0.5, (2, queries))
    system, baseline = (
        valued(name, ndcg, idcg=idcg, average="pooled")
        for name, ndcg, idcg in zip(("dense", "bm25"), values, ideals, strict=True)
    )
    residuals, ratios = [0.0] * queries, []
    for sign, ndcg, idcg in zip((1, -1), values.tolist(), ideals.tolist(), strict=True):
        ratio = sum(v * i for v, i in zip(ndcg, idcg, strict=True)) / sum(idcg)
        ratios.append(ratio)
        for at in range(queries):
            residuals[at] += sign * (ndcg[at] - ratio) * idcg[at] / (sum(idcg) / queries)
    variance = sum(one**2 for one in residuals) / (queries - 1)
    half = float(stats.t.ppf(0.975, queries - 1)) * (variance / queries) ** 0.5
    difference = ratios[0] - ratios[1]
    found = compare(system, baseline)
    assert found.difference == pytest.approx(difference)
    assert ends(found.interval) == pytest.approx((difference - half, difference + half))


@pytest.mark.parametrize("average", ["macro", "pooled"])
@pytest.mark.parametrize(
    ("by", "separates", "winner"),
    [
        pytest.param(0.0, False, None, id="identical"),
        pytest.param(1e-15, False, None, id="rounding"),
        pytest.param(-1e-15, False, None, id="rounding-behind"),
        pytest.param(0.125, True, "dense", id="ahead-on-every-query"),
        pytest.param(-0.125, True, "bm25", id="behind-on-every-query"),
    ],
)
def test_same_difference_on_every_query(
    average: str, by: float, separates: bool, winner: str | None
) -> None:
    """The interval is no wider than rounding; it separates where the difference is more."""
    baseline = np.array([0.2, 0.4, 0.6])
    found = of_values(baseline + by, baseline, average=average)
    assert ends(found.interval) == pytest.approx((by, by), abs=1e-12)
    assert (found.separates, found.winner) == (separates, winner)


@pytest.mark.parametrize(
    ("system", "baseline", "difference", "winner"),
    [
        pytest.param([0.9], [0.4], 0.5, "dense", id="one-query"),
        pytest.param([0.9, NAN, 0.2], [0.4, 0.1, NAN], 0.5, "dense", id="one-in-common"),
        pytest.param([0.9, NAN], [NAN, 0.1], None, None, id="none-in-common"),
    ],
)
def test_fewer_than_two_queries_have_no_interval_and_separate_nothing(
    system: list[float], baseline: list[float], difference: float | None, winner: str | None
) -> None:
    found = of_values(system, baseline)
    assert found.difference == (None if difference is None else pytest.approx(difference))
    assert (found.interval, found.separates, found.winner) == (None, False, winner)


def test_pooled_ratio_without_ideal_has_no_interval_and_no_winner() -> None:
    found = of_values([0, 0], [0, 0], idcg=[0, 0], average="pooled")
    assert (found.difference, found.interval) == (None, None)
    assert (found.queries, found.separates, found.winner) == (2, False, None)


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
        back, system="a", baseline="b", difference=forth.difference, interval=forth.interval,
        wins=back.losses, losses=back.wins,
        only_system=back.only_baseline, only_baseline=back.only_system,
    )  # fmt: skip
    assert (forth.difference is None) == (back.difference is None)
    assert (forth.difference or 0) == -(back.difference or 0)
    assert forth.interval == (back.interval and Interval(-back.interval.high, -back.interval.low))
    assert (forth.interval is None) == (forth.difference is None or forth.queries < 2)
    assert (forth.separates, forth.winner) == (back.separates, back.winner)
    assert sum(counts(forth)) == forth.queries
    everything = forth.queries == len(judged) and policy.extra_query == "ignore"
    means = aggregate(a).ndcg, aggregate(b).ndcg
    if everything and forth.difference is not None and None not in means:
        assert isclose(forth.difference, means[0] - means[1], abs_tol=1e-9)  # type: ignore[operator]
    itself = compare(a, a)
    assert not itself.difference
    assert itself.interval in (None, Interval(0, 0))
    assert (itself.separates, itself.winner) == (False, None)
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


def ideal_of_all(*rankings: Rankings, judged: Judged = JUDGED) -> QueryScores:
    """The first run, with an ideal from what all of these runs returned."""
    judgments = Judgments.from_dict(judged)
    runs = [join(Run.from_dict(f"run {at}", one), judgments) for at, one in enumerate(rankings)]
    return score(runs[0], replace(FIRST_RUN, ideal_scope="any_run"), runs=runs)


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([SYSTEM, BASELINE], id="the-same-runs"),
        pytest.param([BASELINE], id="other-runs-that-returned-the-same"),
    ],
)
def test_ideals_of_the_same_documents_can_be_compared(others: list[Rankings]) -> None:
    """Together they returned every judged document, so the values are those of all judged."""
    found = compare(ideal_of_all(SYSTEM, BASELINE), ideal_of_all(BASELINE, *others))
    assert found.difference == pytest.approx((Q1 + Q2 + (0 - 1) + (1 - 1)) / 4)


def test_ideals_of_the_same_documents_in_another_order_can_be_compared() -> None:
    """Read twice, the rows that the ideal is made of stand elsewhere."""
    judged, again = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"c": 1, "b": 1, "a": 1}}
    system = ideal_of_all({"q": ["x", "a"]}, {"q": ["b"]}, judged=judged)
    baseline = ideal_of_all({"q": ["b"]}, {"q": ["a"]}, judged=again)
    ideal = 1 + 1 / log2(3)
    assert compare(system, baseline).difference == pytest.approx((1 / log2(3) - 1) / ideal)


@pytest.mark.parametrize(
    "again",
    [
        pytest.param({"q": {"a": 1, "b": 1}}, id="other-rows"),
        pytest.param({"q": {"b": 1, "a": 1}}, id="the-same-rows-of-judgments-in-another-order"),
    ],
)
def test_ideals_of_other_documents_are_refused(again: Judged) -> None:
    system = ideal_of_all({"q": ["a"]}, judged={"q": {"a": 1, "b": 1}})
    baseline = ideal_of_all({"q": ["b"]}, judged=again)
    with pytest.raises(EvaluationError) as error:
        compare(system, baseline)
    assert str(error.value) == (
        "'run 0' and 'run 0' were scored by different rules or judgments. "
        "Score both again under one policy."
    )


def test_ideals_of_other_documents_are_refused_with_one_set_of_judgments() -> None:
    """One was scored without the other, so that its ideal is made of less."""
    judgments = Judgments.from_dict(JUDGED)
    runs = [
        join(Run.from_dict(name, one), judgments)
        for name, one in {"dense": SYSTEM, "bm25": BASELINE}.items()
    ]
    policy = replace(FIRST_RUN, ideal_scope="any_run")
    both = [score(one, policy, runs=runs) for one in runs]
    assert compare(*both).queries == len(JUDGED)
    with pytest.raises(EvaluationError) as error:
        compare(score(runs[0], policy), both[1])
    assert str(error.value) == MESSAGE


def test_digest_of_an_ideal_covers_sorted_json_lines() -> None:
    judged = {"q2": {"b": 1, 'say "a"': 1}, "q1": {"a": 1, "unseen": 1}}
    one = join(Run.from_dict("one", {"q2": ["b"]}), Judgments.from_dict(judged))
    other = join(Run.from_dict("other", {"q1": ["a"], "q2": ['say "a"']}), one.judgments)
    found = score(one, replace(FIRST_RUN, ideal_scope="any_run"), runs=[other])
    lines = b'["q1","a"]\n["q2","b"]\n["q2","say \\"a\\""]\n'
    assert found.union_digest == hashlib.sha256(lines).hexdigest()
