"""The worked example of the scoring contract, row by row, against core and the reference."""

from collections.abc import Callable
from dataclasses import replace
from math import isnan, log2
from typing import NamedTuple

import pytest
import reference
import strategies

from core.errors import JudgmentsError, PolicyError, PolicyRefusal
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.policy import Cutoff, Policy
from core.presets import STRICT
from core.runs import Run
from core.scores import aggregate, score

JUDGED = {"A": 3, "B": 2, "C": 1, "D": 0}
IDEAL_2 = 3 + 2 / log2(3)
ALL_JUDGED_IDEAL = 3 + 2 / log2(3) + 1 / log2(4) + 0 / log2(5)


class Values(NamedTuple):
    """What one query scored; `ndcg` is None where it is left out."""

    dcg: float
    idcg: float
    ndcg: float | None


class Averages(NamedTuple):
    """The two averages of a run."""

    macro_mean: float | None
    pooled_ratio: float | None


Judged = dict[str, dict[str, int]]
Rankings = dict[str, list[str]]
ByQuery = Callable[[Judged, Rankings, Policy], dict[str, Values]]
OnAverage = Callable[[Judged, Rankings, Policy], Averages]


def joined(judged: Judged, rankings: Rankings) -> GradedRun:
    return join(Run.from_dict("run", rankings), Judgments.from_dict(judged))


def core_values(judged: Judged, rankings: Rankings, policy: Policy) -> dict[str, Values]:
    scores = score(joined(judged, rankings), policy)
    rows = zip(scores.dcg.tolist(), scores.idcg.tolist(), scores.ndcg.tolist(), strict=True)
    values = [Values(dcg, idcg, None if isnan(ndcg) else ndcg) for dcg, idcg, ndcg in rows]
    return dict(zip(scores.judgments.query_ids, values, strict=True))


def core_averages(judged: Judged, rankings: Rankings, policy: Policy) -> Averages:
    result = aggregate(score(joined(judged, rankings), policy))
    return Averages(result.macro_mean, result.pooled_ratio)


def outcome(judged: Judged, rankings: Rankings, policy: Policy) -> reference.Outcome:
    run = {query: [reference.Result(doc) for doc in listed] for query, listed in rankings.items()}
    return reference.evaluate(judged, [run], 0, strategies.reference_policy(policy))


def reference_values(judged: Judged, rankings: Rankings, policy: Policy) -> dict[str, Values]:
    queries = outcome(judged, rankings, policy).queries
    return {query: Values(one.dcg, one.idcg, one.ndcg) for query, one in queries.items()}


def reference_averages(judged: Judged, rankings: Rankings, policy: Policy) -> Averages:
    result = outcome(judged, rankings, policy)
    return Averages(result.macro_mean, result.pooled_ratio)


both = pytest.mark.parametrize(
    "values_of", [core_values, reference_values], ids=["core", "reference"]
)
both_averages = pytest.mark.parametrize(
    "averages_of", [core_averages, reference_averages], ids=["core", "reference"]
)


def strictly(cutoff: Cutoff, **changes: str) -> Policy:
    return replace(STRICT, cutoff=cutoff, **changes)  # type: ignore[arg-type]


def near(expected: float) -> object:
    return pytest.approx(expected, rel=0, abs=1e-12)


@both
@pytest.mark.parametrize(
    ("ranking", "cutoff", "dcg", "idcg", "ndcg", "printed"),
    [
        pytest.param(
            ["B", "C"], 2, 2 + 1 / log2(3), IDEAL_2, (2 + 1 / log2(3)) / IDEAL_2, "0.617320",
            id="the-best-document-was-missed",
        ),
        pytest.param(["A", "B"], 2, IDEAL_2, IDEAL_2, 1, "1.000000", id="the-two-best-in-order"),
        pytest.param(["B"], 1, 2, 3, 2 / 3, "0.666667", id="second-best-alone"),
        pytest.param(
            ["B"], 2, 2, IDEAL_2, 2 / IDEAL_2, "0.469279",
            id="a-missing-position-adds-nothing-and-the-ideal-does-not-shrink",
        ),
        pytest.param([], 2, 0, IDEAL_2, 0, "0.000000", id="returned-nothing"),
        pytest.param(["D"], 2, 0, IDEAL_2, 0, "0.000000", id="only-a-judged-non-relevant-one"),
        pytest.param(
            ["C", "B"], 2, 1 + 2 / log2(3), IDEAL_2, (1 + 2 / log2(3)) / IDEAL_2, "0.530721",
            id="the-worse-one-first",
        ),
    ],
)  # fmt: skip
def test_row_of_the_worked_example(
    values_of: ByQuery,
    ranking: list[str],
    cutoff: int,
    dcg: float,
    idcg: float,
    ndcg: float,
    printed: str,
) -> None:
    found = values_of({"q": JUDGED}, {"q": ranking}, strictly(cutoff))["q"]
    assert found == near(Values(dcg, idcg, ndcg))  # type: ignore[arg-type]
    assert f"{found.ndcg:.6f}" == printed


@both
def test_ideal_of_what_this_run_returned_says_1_though_nothing_more_was_found(
    values_of: ByQuery,
) -> None:
    policy = strictly(2, ideal_scope="this_run")
    found = values_of({"q": JUDGED}, {"q": ["B", "C"]}, policy)["q"]
    assert found == near(Values(2 + 1 / log2(3), 2 + 1 / log2(3), 1))  # type: ignore[arg-type]
    assert f"{found.dcg:.6f}" == "2.630930"


@both
def test_the_better_document_first_scores_more(values_of: ByQuery) -> None:
    right, wrong = (
        values_of({"q": JUDGED}, {"q": ranking}, strictly(2))["q"].ndcg
        for ranking in (["B", "C"], ["C", "B"])
    )
    assert right is not None
    assert wrong is not None
    assert wrong < right


@both
@pytest.mark.parametrize(("rule", "ndcg"), [("zero", 0), ("leave_out", None), ("one", 1)])
def test_zero_idcg_rule_decides_where_nothing_gains(
    values_of: ByQuery, rule: str, ndcg: float | None
) -> None:
    found = values_of({"q": {"Z": 0}}, {"q": ["Z"]}, strictly(1, zero_idcg=rule))["q"]
    assert found == Values(0, 0, ndcg)


@both
@pytest.mark.parametrize(
    ("cutoff", "idcg"),
    [
        pytest.param(1, 3, id="the-best-alone"),
        pytest.param(3, 3 + 2 / log2(3) + 1 / log2(4), id="all-that-gain"),
        pytest.param(4, ALL_JUDGED_IDEAL, id="just-the-judged-set"),
        pytest.param(100, ALL_JUDGED_IDEAL, id="far-beyond-the-judged-set"),
        pytest.param("all", ALL_JUDGED_IDEAL, id="no-cutoff"),
    ],
)
def test_ideal_uses_what_there_is_up_to_k(values_of: ByQuery, cutoff: Cutoff, idcg: float) -> None:
    found = values_of({"q": JUDGED}, {"q": ["A", "B", "C", "D"]}, strictly(cutoff))["q"]
    assert found == near(Values(idcg, idcg, 1))  # type: ignore[arg-type]


@both_averages
@pytest.mark.parametrize(
    ("rule", "mean"),
    [
        pytest.param("zero", (1 + 0) / 2, id="score-0"),
        pytest.param("leave_out", 1 / 1, id="leave-out"),
        pytest.param("one", (1 + 1) / 2, id="score-1"),
    ],
)
def test_zero_idcg_query_in_the_mean(averages_of: OnAverage, rule: str, mean: float) -> None:
    judged = {"good": {"A": 3}, "none": {"Z": 0}}
    found = averages_of(judged, {"good": ["A"], "none": ["Z"]}, strictly(1, zero_idcg=rule))
    assert found.macro_mean == mean


@both_averages
def test_macro_mean_and_pooled_ratio_differ(averages_of: OnAverage) -> None:
    judged = {"heavy": {"A": 3}, "light": {"C": 1, "D": 0}}
    found = averages_of(judged, {"heavy": ["A"], "light": ["D"]}, strictly(1))
    assert found == Averages(macro_mean=(3 / 3 + 0 / 1) / 2, pooled_ratio=(3 + 0) / (3 + 1))


@pytest.mark.parametrize(
    ("average", "headline", "name"),
    [("macro", (3 / 3 + 0 / 1) / 2, "NDCG@1"), ("pooled", (3 + 0) / (3 + 1), "pooled NDCG@1")],
)
def test_headline_follows_the_policy_and_says_which_average_it_is(
    average: str, headline: float, name: str
) -> None:
    judged = {"heavy": {"A": 3}, "light": {"C": 1, "D": 0}}
    graded = joined(judged, {"heavy": ["A"], "light": ["D"]})
    result = aggregate(score(graded, strictly(1, average=average)))
    assert result.ndcg == headline
    assert (result.macro_mean, result.pooled_ratio) == (1 / 2, 3 / 4)
    assert result.measure == (
        f"{name} (linear gain, ideal: all judged, unjudged: refused anywhere)"
    )


@pytest.mark.parametrize(
    ("judged", "ranking", "field", "message"),
    [
        pytest.param(
            JUDGED, ["A", "B", "A"], "duplicates",
            "run: 1 repeated document in query 'q'; the policy refuses this (duplicates=refuse). "
            "Keep the first of each, or correct the run.",
            id="a-document-twice",
        ),
        pytest.param(
            JUDGED, ["A", "B", "C", "X"], "unjudged",
            "run: 1 unjudged document anywhere in the ranking of 1 query, first query 'q' with "
            "document 'X'; the policy refuses this (unjudged=refuse_any). Count unjudged documents "
            "as gain 0, or condense the list, or judge them.",
            id="an-unjudged-document-below-the-cutoff",
        ),
        pytest.param(
            {**JUDGED, "N": -1}, ["A", "B"], "negative_grades",
            "judgments: 1 negative grade in query 'q'; the policy refuses this "
            "(negative_grades=refuse). "
            "Give them gain 0, or take them as unjudged.",
            id="a-negative-grade-that-was-not-even-returned",
        ),
    ],
)  # fmt: skip
def test_strict_refuses(
    judged: dict[str, int], ranking: list[str], field: str, message: str
) -> None:
    with pytest.raises(PolicyRefusal) as refusal:
        core_values({"q": judged}, {"q": ranking}, strictly(2))
    assert str(refusal.value) == message
    assert (refusal.value.field, refusal.value.count) == (field, 1)
    with pytest.raises(reference.Refused) as refused:
        reference_values({"q": judged}, {"q": ranking}, strictly(2))
    assert refused.value.field == field


def test_grade_outside_the_declared_scale_is_refused() -> None:
    with pytest.raises(JudgmentsError) as error:
        Judgments.from_dict({"q": {"A": 5, "B": 4, "C": 3}}, scale=(0, 3), source="qrels.tsv")
    assert str(error.value) == (
        "qrels.tsv: grades outside the declared scale 0..3: 4, 5. "
        "Correct the grades or declare another scale."
    )


@pytest.mark.parametrize("cutoff", [0, -1, 2.5, True, False, 10.0, "10", None])
def test_cutoff_that_is_no_whole_number_of_at_least_1_is_refused(cutoff: object) -> None:
    with pytest.raises(PolicyError) as error:
        strictly(cutoff)  # type: ignore[arg-type]
    assert str(error.value) == (
        f'cutoff must be a whole number of at least 1, or "all", not {cutoff!r}.'
    )
    assert error.value.field == "cutoff"


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param({"B": 0.9, "C": 0.8}, id="between-0-and-1"),
        pytest.param({"B": 3.0, "C": 1.0}, id="look-like-grades"),
        pytest.param({"B": -1.0, "C": -1000.0}, id="negative"),
        pytest.param({"C": 1e-300, "B": 1e300}, id="huge-and-listed-the-other-way-round"),
    ],
)
def test_retrieval_scores_give_an_order_and_never_relevance(scores: dict[str, float]) -> None:
    graded = join(Run.from_dict("run", {"q": scores}), Judgments.from_dict({"q": JUDGED}))
    found = score(graded, strictly(2))
    assert found.dcg.tolist() == [near(2 + 1 / log2(3))]
    assert found.idcg.tolist() == [near(IDEAL_2)]
