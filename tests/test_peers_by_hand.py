"""Nine topics, each showing one convention: NDCG@10 by hand, in each tool, and in our presets."""

from dataclasses import replace
from math import log2

import pytest
from peers import (
    Judged,
    RanxCase,
    Results,
    Values,
    assert_same,
    core_values,
    graded,
    ir_measures_judged,
    ir_measures_values,
    pytrec_eval_values,
    random_case,
    ranx_values,
    sklearn_values,
)

from core.policy import Cutoff
from core.presets import TREC_EVAL_9, TREC_EVAL_9_C, TREC_EVAL_10_C

JUDGED: Judged = {
    "unjudged on top": {"tides": 3, "harbours": 2, "moons": 1, "weather": 0},
    "exact tie": {"first": 1, "second": 0},
    "float32 tie": {"first": 1, "second": 0},
    "only zeros": {"salt": 0, "sand": 0},
    "missing": {"ferry": 1},
    "short list": {f"part {n}": 1 for n in range(1, 13)},
    "negative": {"spam": -2, "map": 2, "chart": 1},
    "own page": {"own page": 1, "atlas": 2},
}
RESULTS: Results = {
    "unjudged on top": {"blog": 9.0, "harbours": 8.0, "tides": 7.0, "weather": 6.0},
    "exact tie": {"first": 4.5, "second": 4.5},
    "float32 tie": {"first": 12.0000001, "second": 12.0},
    "only zeros": {"salt": 2.0, "sand": 1.0},
    "short list": {"part 7": 2.0, "part 4": 1.0},
    "negative": {"spam": 3.0, "chart": 2.0, "map": 1.0},
    "own page": {"own page": 2.0, "atlas": 1.0},
    "extra": {"buoy": 1.0},
}

W2, W3 = 1 / log2(3), 1 / 2  # what ranks 2 and 3 weigh; rank 1 weighs 1
BEST_10, BEST_12 = (sum(1 / log2(rank + 1) for rank in range(1, k + 1)) for k in (10, 12))

TREC_EVAL_BY_HAND = {
    "unjudged on top": (2 * W2 + 3 * W3) / (3 + 2 * W2 + 1 * W3),
    "exact tie": W2,  # "second" comes before "first"
    "float32 tie": W2,  # the same: as float32 both scores are 12
    "only zeros": 0.0,
    "short list": (1 + W2) / BEST_10,
    "negative": (1 * W2 + 2 * W3) / (2 + 1 * W2),
    "own page": (1 + 2 * W2) / (2 + 1 * W2),
}
MISSING_AS_ZERO = {"missing": 0.0}
FLOAT64 = {"float32 tie": 1.0}
JUDGED_ONLY = {
    "unjudged on top": (2 + 3 * W2) / (3 + 2 * W2 + 1 * W3),
    "negative": (1 + 2 * W2) / (2 + 1 * W2),  # -J takes "spam" out as well
}
WITHOUT_SELF_MATCHES = {"own page": 2 / (2 + 1 * W2)}
EXPONENTIAL = {  # 2^grade − 1
    "unjudged on top": (3 * W2 + 7 * W3) / (7 + 3 * W2 + 1 * W3),
    "negative": (1 * W2 + 3 * W3) / (3 + 1 * W2),
    "own page": (1 + 3 * W2) / (3 + 1 * W2),
}
CANDIDATES_ONLY = {
    "unjudged on top": (2 * W2 + 3 * W3) / (3 + 2 * W2),
    "exact tie": (1 + W2) / 2,  # the mean of both orders
    "short list": 1.0,
}


def as_values(*by_hand: dict[str, float]) -> Values:
    """NDCG by topic, a later column over an earlier one, and its mean over the topics."""
    by_query = {query: value for column in by_hand for query, value in column.items()}
    return Values({"ndcg": by_query}, {"ndcg": sum(by_query.values()) / len(by_query)})


def test_trec_eval_9_leaves_the_missing_topic_out() -> None:
    expected = as_values(TREC_EVAL_BY_HAND)
    assert_same(core_values(graded(JUDGED, RESULTS), TREC_EVAL_9), expected)
    assert_same(pytrec_eval_values(JUDGED, RESULTS, cutoffs=[10])[10], expected)


def test_trec_eval_9_c_counts_the_missing_topic_as_zero() -> None:
    expected = as_values(TREC_EVAL_BY_HAND, MISSING_AS_ZERO)
    assert_same(core_values(graded(JUDGED, RESULTS), TREC_EVAL_9_C), expected)
    assert_same(ir_measures_values(JUDGED, RESULTS, cutoff=10), expected)


def test_trec_eval_10_c_sees_no_tie_where_float64_has_none() -> None:
    """No package builds version 10: ranx compares float64 too, but leaves the exact tie open."""
    expected = as_values(TREC_EVAL_BY_HAND, MISSING_AS_ZERO, FLOAT64)
    assert_same(core_values(graded(JUDGED, RESULTS), TREC_EVAL_10_C), expected)


def test_judged_only_removes_unjudged_and_negative_documents() -> None:
    condense = replace(TREC_EVAL_9, unjudged="condense", negative_grades="as_unjudged")
    expected = as_values(TREC_EVAL_BY_HAND, JUDGED_ONLY)
    assert_same(core_values(graded(JUDGED, RESULTS), condense), expected)
    peer = pytrec_eval_values(JUDGED, RESULTS, cutoffs=[10], judged_only=True)
    assert_same(peer[10], expected)

    condense_c = replace(condense, missing_query="zero")
    expected = as_values(TREC_EVAL_BY_HAND, JUDGED_ONLY, MISSING_AS_ZERO)
    assert_same(core_values(graded(JUDGED, RESULTS), condense_c), expected)
    assert_same(ir_measures_values(JUDGED, RESULTS, cutoff=10, judged_only=True), expected)


def test_uncut_ideal_of_the_measure_ndcg() -> None:
    expected = as_values(TREC_EVAL_BY_HAND, {"short list": (1 + W2) / BEST_12})
    for policy in (replace(TREC_EVAL_9, cutoff="all"), replace(TREC_EVAL_9, ideal_depth="full")):
        assert_same(core_values(graded(JUDGED, RESULTS), policy), expected)
    assert_same(pytrec_eval_values(JUDGED, RESULTS, cutoffs=["all"])["all"], expected)


def test_self_matches_removed_as_beir_does() -> None:
    """BEIR takes the document out of the run, then asks pytrec_eval; the ideal keeps it."""
    expected = as_values(TREC_EVAL_BY_HAND, WITHOUT_SELF_MATCHES)
    policy = replace(TREC_EVAL_9, self_matches="remove")
    assert_same(core_values(graded(JUDGED, RESULTS), policy), expected)
    results = RESULTS | {"own page": {"atlas": 1.0}}
    assert_same(pytrec_eval_values(JUDGED, results, cutoffs=[10])[10], expected)


@pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["plain", "compiled"]
)
def test_ranx_compares_float64_and_has_both_gains(compiled: bool) -> None:
    """Without ties, whose order ranx leaves open; its `make_comparable` is our `-c`.

    Random queries come along, because starting ranx takes seconds.
    """
    judged = {topic: grades for topic, grades in JUDGED.items() if topic != "exact tie"}
    by_hand = TREC_EVAL_BY_HAND | MISSING_AS_ZERO | FLOAT64
    del by_hand["exact tie"]
    exponential = replace(TREC_EVAL_10_C, gain="exponential")
    columns = {
        "ndcg": (TREC_EVAL_10_C, as_values(by_hand)),
        "ndcg_burges": (exponential, as_values(by_hand, EXPONENTIAL)),
    }
    for policy, expected in columns.values():
        assert_same(core_values(graded(judged, RESULTS), policy), expected)

    more_judged, more_results = random_case(3, tied=False)
    judged, results = more_judged | judged, more_results | RESULTS
    cutoffs: dict[str, Cutoff] = {"": "all", "@1": 1, "@10": 10, "@100": 100}
    names = [f"{name}{at}" for name in columns for at in cutoffs]
    (peer,) = ranx_values([RanxCase(judged, results, names)], compiled=compiled)
    assert not isinstance(peer, str)
    for name, (policy, expected) in columns.items():
        topics = {topic: peer[f"{name}@10"].queries["ndcg"][topic] for topic in by_hand}
        assert_same(as_values(topics), expected)
        for at, cutoff in cutoffs.items():
            found = core_values(graded(judged, results), replace(policy, cutoff=cutoff))
            assert_same(found, peer[f"{name}{at}"])


def test_scikit_learn_knows_the_candidates_only() -> None:
    """What the run did not return is missing from its ideal: the trap of `this_run`."""
    expected = as_values(TREC_EVAL_BY_HAND, FLOAT64, CANDIDATES_ONLY)
    policy = replace(
        TREC_EVAL_9, score_precision="float64", ties="expected", ideal_scope="this_run"
    )
    assert_same(core_values(graded(JUDGED, RESULTS), policy), expected)
    for topic, value in expected.queries["ndcg"].items():
        # Unjudged documents, and negative grades, which it refuses, go in as 0.
        grades = [max(JUDGED[topic].get(document, 0), 0) for document in RESULTS[topic]]
        scores = list(RESULTS[topic].values())
        assert_same(
            sklearn_values({topic: grades}, {topic: scores}, cutoff=10), as_values({topic: value})
        )


def test_judged_at_k_counts_negative_grades_and_the_documents_returned() -> None:
    """ir_measures gives the missing topic its default of 0, we give it no value."""
    expected = dict.fromkeys(TREC_EVAL_BY_HAND, 1.0) | {"unjudged on top": 3 / 4}
    found = core_values(graded(JUDGED, RESULTS), TREC_EVAL_9_C)
    assert_same(found, Values({"judged_at_k": expected}, {"judged_at_k": (6 + 3 / 4) / 7}))
    peer = ir_measures_judged(JUDGED, RESULTS, cutoff=10)
    assert_same(peer, Values({"judged_at_k": expected | {"missing": 0.0}}, {}))
