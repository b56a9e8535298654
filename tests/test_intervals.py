"""Intervals against scipy, against closed forms, and against what they promise."""

from dataclasses import replace
from math import fsum, pi, sqrt, tan
from typing import Any

import numpy as np
import pytest
from scipy import stats

from core.comparison import compare
from core.grades import join
from core.intervals import LEVEL, Interval, headline_interval, influences, mean_interval
from core.judgments import Judgments
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import QueryScores, aggregate, score

NAN = float("nan")
# Student's quantile for 0.975 has a closed form for 1 and for 2 degrees of freedom.
T1 = tan(0.475 * pi)
T2 = 0.95 / sqrt(2 * 0.975 * 0.025)

sizes = pytest.mark.parametrize("queries", [2, 3, 10, 50, 1000])


def scores_of(
    ndcg: Any, *, dcg: Any = None, idcg: Any = None, extra: int = 0, **rules: Any
) -> QueryScores:
    """Scores with these values; of the run only the queries without judgments matter."""
    names = [f"q{at}" for at in range(len(ndcg))]
    others = [f"x{at}" for at in range(extra)]
    run = Run.from_dict("dense", {query: ["a"] for query in [*names, *others]})
    judgments = Judgments.from_dict({query: {"a": 1} for query in names})
    plain = score(join(run, judgments), replace(FIRST_RUN, **rules))
    values = np.asarray(ndcg, dtype=np.float64)
    return replace(
        plain,
        ndcg=values,
        dcg=values if dcg is None else np.asarray(dcg, dtype=np.float64),
        idcg=np.ones(len(values)) if idcg is None else np.asarray(idcg, dtype=np.float64),
    )


def pooled(dcg: Any, idcg: Any, **rules: Any) -> QueryScores:
    ndcg = np.asarray(dcg, dtype=np.float64) / np.asarray(idcg, dtype=np.float64)
    return scores_of(ndcg, dcg=dcg, idcg=idcg, average="pooled", **rules)


def ends(of: Interval | None) -> tuple[float, float]:
    assert of is not None
    return of.low, of.high


def by_scipy(values: Any) -> tuple[float, float]:
    found = stats.ttest_1samp(values, 0).confidence_interval(LEVEL)
    return float(found.low), float(found.high)


# One mean


@pytest.mark.parametrize(
    ("values", "mean", "half"),
    [
        pytest.param([0.0, 1.0], 0.5, T1 * 0.5, id="two"),
        pytest.param([0.2, 0.4, 0.6], 0.4, T2 * 0.2 / sqrt(3), id="three"),
        pytest.param([0.3, 0.3, 0.3, 0.3], 0.3, 0, id="all-the-same"),
        pytest.param([-1.0, 1.0], 0, T1, id="differences"),
    ],
)
def test_interval_of_a_mean(values: list[float], mean: float, half: float) -> None:
    assert ends(mean_interval(np.array(values))) == pytest.approx((mean - half, mean + half))


@sizes
def test_interval_of_a_mean_is_that_of_scipy(queries: int) -> None:
    values = np.random.default_rng(queries).random(queries)
    assert ends(mean_interval(values)) == pytest.approx(by_scipy(values), rel=1e-9)


@sizes
def test_interval_of_a_macro_mean_is_that_of_scipy(queries: int) -> None:
    """Queries that are left out do not enter."""
    values = np.random.default_rng(queries + 1).beta(0.5, 0.5, queries)
    found = headline_interval(scores_of([NAN, *values, NAN]))
    assert ends(found) == pytest.approx(by_scipy(values), rel=1e-9)


@sizes
def test_query_without_judgments_that_counts_as_zero_is_a_value(queries: int) -> None:
    values = np.random.default_rng(queries + 2).random(queries)
    found = scores_of(values, extra=3, extra_query="zero")
    low, high = ends(headline_interval(found))
    assert (low, high) == pytest.approx(by_scipy([*values, 0, 0, 0]), rel=1e-9)
    assert (low + high) / 2 == pytest.approx(aggregate(found).ndcg)
    ignored = headline_interval(scores_of(values, extra=3))
    assert ends(ignored) == pytest.approx(by_scipy(values), rel=1e-9)


def test_zero_for_one_query_without_judgments_makes_one_query_two() -> None:
    found = headline_interval(scores_of([1.0], extra=1, extra_query="zero"))
    assert ends(found) == pytest.approx((0.5 - T1 / 2, 0.5 + T1 / 2))


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param(scores_of([0.5]), id="one-query"),
        pytest.param(scores_of([NAN, 0.5, NAN]), id="one-not-left-out"),
        pytest.param(scores_of([NAN, NAN]), id="all-left-out"),
        pytest.param(scores_of([0.5], extra=1), id="extra-ignored"),
        pytest.param(pooled([0.5], [1]), id="pooled-one-query"),
        pytest.param(
            scores_of([0, 0], dcg=[0, 0], idcg=[0, 0], average="pooled"), id="pooled-nothing-gains"
        ),
        pytest.param(
            scores_of([0, 0, NAN], dcg=[0, 0, 1], idcg=[0, 0, 1], average="pooled"),
            id="pooled-what-gains-is-left-out",
        ),
    ],
)
def test_no_interval(scores: QueryScores) -> None:
    assert headline_interval(scores) is None


@pytest.mark.parametrize("values", [None, np.zeros(0), np.zeros(1)])
def test_fewer_than_two_values_have_no_interval(values: Any) -> None:
    assert mean_interval(values) is None


# The pooled ratio


def ratio_interval(dcg: list[float], idcg: list[float]) -> tuple[float, float]:
    """The delta method, variance of a ratio as in textbooks: terms of D, of I, and of both."""
    count = len(dcg)
    mean_d, mean_i = fsum(dcg) / count, fsum(idcg) / count
    ratio = mean_d / mean_i
    of_d = fsum((d - mean_d) ** 2 for d in dcg) / (count - 1)
    of_i = fsum((i - mean_i) ** 2 for i in idcg) / (count - 1)
    both = zip(dcg, idcg, strict=True)
    of_both = fsum((d - mean_d) * (i - mean_i) for d, i in both) / (count - 1)
    variance = (of_d - 2 * ratio * of_both + ratio**2 * of_i) / (mean_i**2 * count)
    half = float(stats.t.ppf(0.975, count - 1)) * sqrt(variance)
    return ratio - half, ratio + half


def drawn(seed: int, queries: int) -> tuple[list[float], list[float]]:
    """DCG and IDCG of queries of different weight."""
    random = np.random.default_rng(seed)
    idcg = random.lognormal(1, 0.5, queries)
    return (idcg * random.beta(2, 1, queries)).tolist(), idcg.tolist()


def test_interval_of_a_pooled_ratio_by_hand() -> None:
    """R = (1 + 3) / (1 + 7) = 1/2; the residuals are 1 - 1/2 and 3 - 7/2, the mean IDCG 4."""
    found = pooled([1, 3], [1, 7])
    assert influences(found, found.in_mean) == pytest.approx([1 / 2 + 1 / 8, 1 / 2 - 1 / 8])
    assert ends(headline_interval(found)) == pytest.approx((1 / 2 - T1 / 8, 1 / 2 + T1 / 8))


@sizes
def test_interval_of_a_pooled_ratio_is_that_of_the_delta_method(queries: int) -> None:
    """Queries without judgments have no IDCG; they do not enter, even counted as zero."""
    dcg, idcg = drawn(queries, queries)
    plain = headline_interval(pooled(dcg, idcg))
    assert ends(plain) == pytest.approx(ratio_interval(dcg, idcg), rel=1e-9)
    assert headline_interval(pooled(dcg, idcg, extra=2, extra_query="zero")) == plain


@sizes
def test_mean_of_the_influences_is_the_headline_over_these_queries(queries: int) -> None:
    dcg, idcg = drawn(queries + 1, queries)
    found = pooled(dcg, idcg)
    everything = influences(found, found.in_mean)
    assert everything is not None
    assert len(everything) == queries
    assert everything.mean() == pytest.approx(fsum(dcg) / fsum(idcg))
    assert everything.mean() == pytest.approx(aggregate(found).ndcg)
    some = np.arange(queries) % 2 == 0
    part = influences(found, some)
    assert part is not None
    assert part.mean() == pytest.approx(fsum(dcg[::2]) / fsum(idcg[::2]))


def test_influences_of_a_macro_mean_are_the_scores() -> None:
    found = scores_of([0.1, NAN, 0.7])
    assert influences(found, found.in_mean).tolist() == [0.1, 0.7]  # type: ignore[union-attr]


def test_equal_ideals_make_the_ratio_a_mean() -> None:
    values = np.random.default_rng(3).random(20)
    found = headline_interval(pooled(3 * values, np.full(20, 3.0)))
    assert ends(found) == pytest.approx(by_scipy(values), rel=1e-9)


# Zero


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        pytest.param(-0.1, 0.2, True, id="inside"),
        pytest.param(0.1, 0.2, False, id="above"),
        pytest.param(-0.2, -0.1, False, id="below"),
        pytest.param(0.0, 0.2, True, id="at-its-low-end"),
        pytest.param(-0.2, 0.0, True, id="at-its-high-end"),
        pytest.param(0.0, 0.0, True, id="nothing-but-zero"),
        pytest.param(1e-15, 1e-15, True, id="rounding-above"),
        pytest.param(-1e-15, -1e-15, True, id="rounding-below"),
        pytest.param(1e-9, 1e-9, False, id="small-but-more-than-rounding"),
        pytest.param(-1e-9, -1e-9, False, id="small-and-negative"),
    ],
)
def test_interval_includes_zero(low: float, high: float, expected: bool) -> None:
    assert Interval(low, high).includes_zero is expected


# What it promises

SAMPLES = 1500


@pytest.mark.parametrize(("average", "truth"), [("macro", 0.55), ("pooled", 0.4)])
def test_interval_of_a_headline_holds_the_true_value_in_95_of_100_samples(
    average: str, truth: float
) -> None:
    """IDCG is 1 or 4 alike often, the score on average 0.8 or 0.3 there.

    So the mean tends to (0.8 + 0.3) / 2, the ratio to (0.8 × 1 + 0.3 × 4) / (1 + 4).
    """
    random = np.random.default_rng(95)
    frame = scores_of(np.zeros(60), average=average)
    held = 0
    for _ in range(SAMPLES):
        large = random.random(60) < 0.5
        ndcg = np.where(large, random.beta(3, 7, 60), random.beta(8, 2, 60))
        idcg = np.where(large, 4.0, 1.0)
        low, high = ends(headline_interval(replace(frame, ndcg=ndcg, dcg=ndcg * idcg, idcg=idcg)))
        held += low <= truth <= high
    assert held / SAMPLES == pytest.approx(LEVEL, abs=0.02)


@pytest.mark.parametrize("average", ["macro", "pooled"])
def test_systems_that_are_equally_good_separate_in_5_of_100_samples(average: str) -> None:
    """Both find easy queries easy; without pairing the interval would never leave out 0."""
    random = np.random.default_rng(5)
    frame = scores_of(np.zeros(40), average=average)
    separated = 0
    for _ in range(SAMPLES):
        easy, idcg = random.random(40), random.lognormal(1, 0.5, 40)
        both = (np.clip(easy + random.normal(0, 0.05, 40), 0, 1) for _ in range(2))
        one, other = (replace(frame, ndcg=v, dcg=v * idcg, idcg=idcg) for v in both)
        separated += compare(one, other).separates
    assert separated / SAMPLES == pytest.approx(1 - LEVEL, abs=0.02)
