"""Findings in words: the verdict, the line of rules and counts, the notes."""

import re
from dataclasses import replace

import pytest
from dashboard_worlds import (
    MINUS,
    TWO_QUERIES,
    Builders,
    World,
    assert_names_stay_names,
    best_first,
    comparison,
    effect,
    graded,
    names_and_roles,
    texts_in,
)
from nasty_names import NASTY
from parsed_html import events, text_of

from core.comparison import Comparison, compare
from core.formats.texts import Text
from core.grades import GradedRun
from core.policy import Policy
from core.presets import FIRST_RUN
from core.scores import Aggregate, aggregate, score
from dashboard import sentences
from dashboard.pairing import Pair
from dashboard.wording import say

PAIR = Pair("new", "old")
T1 = 12.7062  # Student's quantile for 0.975 with two queries


def verdict(of: World, first: str, second: str) -> str:
    found = compare(of.scores[first], of.scores[second])
    best = [one for one in of.aggregates if one.name == first]
    return sentences.verdict_block(sentences.verdict(best, found, provisional=True))


def apart(of: World) -> Comparison:
    """The two with queries that only one has a score for, and no interval."""
    return replace(compare(of.mine, of.rival), interval=None, only_system=1)


BUILDERS: Builders = {
    "title of a query": lambda of: sentences.query_title(of.name, of.texts[of.name]),
    "whole text": lambda of: sentences.whole_text(Text(of.name, "title")),
    "line": lambda of: sentences.line(of.name),
    "note": lambda of: sentences.note(of.name, lead=of.name),
    "steps": lambda of: sentences.steps(of.name, [of.name]),
    "verdict, as first": lambda of: verdict(of, of.name, "rival"),
    "verdict, as second": lambda of: verdict(of, "rival", of.name),
    "verdict, in part": lambda of: "".join(
        sentences.verdict(of.aggregates, apart(of), provisional=False)
    ),
    "verdict, level": lambda of: "".join(
        sentences.verdict(of.aggregates, replace(apart(of), difference=0.0), provisional=False)
    ),
    "verdict, alone": lambda of: "".join(
        sentences.verdict(of.aggregates[:1], None, provisional=False)
    ),
    "verdict, best": lambda of: "".join(sentences.verdict(of.aggregates, None, provisional=False)),
    # The rival comes first, so that the other one is what differs.
    "provenance": lambda of: sentences.provenance(
        FIRST_RUN, of.aggregates[::-1], of.runs[0].judgments, provisional=True
    ),
    "own ideal": lambda of: sentences.own_ideal_lists(list(of.scores.values())),
    "pair": lambda of: sentences.paired(
        of.pair, compare(of.mine, of.rival), shown=1, judged=2, order=of.name
    ),
    "pair, turned": lambda of: sentences.paired(
        of.turned, compare(of.rival, of.mine), shown=1, judged=2, order=of.name
    ),
    "pair, alone": lambda of: sentences.paired(of.pair, None, shown=1, judged=2, order=of.name),
}


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_a_name_comes_out_as_it_went_in(name):
    assert_names_stay_names(BUILDERS, name, {"provenance": 24})


# The verdict


def verdict_of(runs: list[GradedRun], policy: Policy, *, provisional: bool = False) -> str:
    """The verdict on the best two."""
    scores = [score(one, policy, runs=runs) for one in runs]
    best = best_first(scores)
    named = {one.name: one for one in scores}
    found = compare(*(named[one.name] for one in best[:2])) if len(best) > 1 else None
    return " ".join(map(text_of, sentences.verdict(best, found, provisional=provisional)))


def one_aggregate(name: str = "new") -> Aggregate:
    (one,) = graded(TWO_QUERIES, **{name: {"q1": ["a"]}})
    return aggregate(score(one, FIRST_RUN))


def sentence(found: Comparison) -> str:
    (html,) = sentences.verdict([one_aggregate(found.system)], found, provisional=False)
    return text_of(html)


def test_verdict_of_a_lead():
    """The differences are 0 and 1: their mean and its standard error are both a half."""
    runs = graded(TWO_QUERIES, old={"q1": ["a"]}, new={"q1": ["a"], "q2": ["a"]})
    low, high = 0.5 - T1 / 2, 0.5 + T1 / 2
    assert verdict_of(runs, FIRST_RUN) == (
        f"new leads old by 0.500 NDCG@10 (A {MINUS} B +0.500, 95 % interval "
        f"[{MINUS}{-low:.3f}, +{high:.3f}], which includes 0): "
        "better on 1, tied on 1 and worse on 0 of 2 queries."
    )


def test_verdict_names_each_system_in_its_colour():
    (html,) = sentences.verdict([one_aggregate()], comparison(0.1), provisional=False)
    assert names_and_roles(html) == [("new", "first"), ("old", "second")]


def test_verdict_says_when_it_is_provisional():
    runs = graded(TWO_QUERIES, new={"q1": ["a"], "q2": ["a"]})
    assert verdict_of(runs, FIRST_RUN, provisional=True) == "Provisional: new has 1.000 NDCG@10."


def test_verdict_of_one_system():
    runs = graded(TWO_QUERIES, new={"q1": ["a"]})
    assert verdict_of(runs, FIRST_RUN) == "new has 0.500 NDCG@10."


def test_verdict_names_pooled_averages():
    runs = graded(TWO_QUERIES, new={"q1": ["a"]})
    assert verdict_of(runs, replace(FIRST_RUN, average="pooled")) == "new has 0.500 pooled NDCG@10."


def test_verdict_without_a_value():
    runs = graded({"q1": {"a": 0}}, new={"q1": ["a"]})
    assert verdict_of(runs, replace(FIRST_RUN, zero_idcg="leave_out")) == (
        "new has no NDCG@10: every query is left out."
    )


def test_verdict_of_level_systems():
    runs = graded(TWO_QUERIES, one={"q1": ["a"], "q2": []}, two={"q1": [], "q2": ["a"]})
    assert verdict_of(runs, FIRST_RUN) == (
        "one and two share the first place, with 0.500 NDCG@10. "
        "one and two are level in NDCG@10: better on 1, tied on 0 and worse on 1 of 2 queries."
    )


def test_verdict_of_systems_that_only_rounding_tells_apart():
    """The same three scores in another order: their mean difference is 2e-17 in floats."""
    first, second, third = ["a"], ["b"], ["a", "c", "b"]
    runs = graded(
        {q: {"a": 3, "b": 2, "c": 1} for q in ("q1", "q2", "q3")},
        one={"q1": first, "q2": second, "q3": third},
        two={"q1": second, "q2": third, "q3": first},
    )
    assert "are level in NDCG@10" in verdict_of(runs, FIRST_RUN)


COUNTS = "better on 4, tied on 3 and worse on 2 of 9 queries."
OUT, IN = "which leaves out 0)", "which includes 0)"


def interval(difference: str, ends: str) -> str:
    return f"(A {MINUS} B {difference}, 95 % interval [{ends}],"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        pytest.param(
            comparison(0.0126, 0.0021, 0.0231),
            f"new leads old by 0.013 NDCG@10 {interval('+0.013', '+0.002, +0.023')} {OUT}",
            id="ahead",
        ),
        pytest.param(
            comparison(0.0004, -0.1, 0.1008),
            "new leads old by less than 0.0005 NDCG@10 "
            f"{interval('≈ 0', f'{MINUS}0.100, +0.101')} {IN}",
            id="hardly ahead",
        ),
        pytest.param(
            comparison(-0.2, -0.3, -0.1),
            "new trails old by 0.200 NDCG@10 "
            f"{interval(f'{MINUS}0.200', f'{MINUS}0.300, {MINUS}0.100')} {OUT}",
            id="behind: the interval has the signs of the leaderboard",
        ),
        pytest.param(
            comparison(-0.2, -0.5, 0.1),
            "new trails old by 0.200 NDCG@10 "
            f"{interval(f'{MINUS}0.200', f'{MINUS}0.500, +0.100')} {IN}",
            id="behind, the interval includes 0",
        ),
        pytest.param(
            comparison(0.2),
            "new leads old by 0.200 NDCG@10 (one query has no interval)",
            id="one query",
        ),
        pytest.param(
            comparison(0.2, 0.1, 0.3, only_system=1),
            "On the queries both have a score for, new leads old by 0.200 NDCG@10 "
            f"{interval('+0.200', '+0.100, +0.300')} {OUT}",
            id="ahead on the common queries",
        ),
        pytest.param(
            comparison(-0.2, -0.3, -0.1, only_baseline=1),
            "On the queries both have a score for, new trails old by 0.200 NDCG@10 "
            f"{interval(f'{MINUS}0.200', f'{MINUS}0.300, {MINUS}0.100')} {OUT}",
            id="behind on the common queries",
        ),
    ],
)
def test_verdict_of_a_difference(found, words):
    assert sentence(found) == f"{words}: {COUNTS}"


def test_verdict_on_a_pair_without_the_best_system_names_the_best_first():
    best = [one_aggregate("best"), worse(one_aggregate("new")), worse(one_aggregate("old"))]
    first, second = sentences.verdict(best, comparison(0.1, 0.05, 0.15), provisional=False)
    assert text_of(first) == "best is first, with 0.500 NDCG@10."
    assert text_of(second).startswith("new leads old by 0.100 NDCG@10")


@pytest.mark.parametrize(
    "found", [None, comparison(None, queries=0)], ids=["refused", "no query in common"]
)
def test_verdict_without_a_comparison_names_the_best(found):
    best = [one_aggregate("new"), worse(one_aggregate("old"))]
    assert [text_of(one) for one in sentences.verdict(best, found, provisional=False)] == [
        "new is first, with 0.500 NDCG@10."
    ]


def worse(one: Aggregate) -> Aggregate:
    return replace(one, ndcg=(one.ndcg or 0) / 2)


def test_verdict_names_all_that_share_the_first_place():
    best = [one_aggregate(name) for name in ("a", "b", "c")]
    html, *_ = sentences.verdict([*best, worse(one_aggregate("d"))], None, provisional=False)
    assert text_of(html) == "a, b and c share the first place, with 0.500 NDCG@10."


def test_verdict_block_holds_its_sentences_in_order():
    html = sentences.verdict_block(["<b>one</b>", "two"])
    assert html == '<div class="rd-verdict"><b>one</b> two</div>'


def test_switches_that_reorder_are_counted_and_those_that_change_the_leader():
    tried = [
        effect((1, 2, 3), (1, 2, 3)),
        effect((1, 2, 3), (1, 3, 2)),
        effect((1, 2, 3), (2, 1, 3)),
        effect((1, 2, 3), (1, 1, 3)),
        effect((None, 1, 2), (None, 1, 2)),
    ]
    assert text_of(sentences.switches(tried)) == (
        "2 of 5 single policy switches change the order of the systems. "
        "1 changes the leader (Gain: 2^g − 1)."
    )


def test_no_switch_changes_anything():
    assert text_of(sentences.switches([effect((1, 2), (1, 2))])) == (
        "0 of 1 single policy switches change the order of the systems. None changes the leader."
    )


# The line of rules and counts


def test_provenance_carries_the_measure_the_counts_and_the_fingerprint():
    runs = graded({"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}}, new={"q1": ["a"], "q2": []})
    policy = replace(FIRST_RUN, zero_idcg="leave_out")
    judgments = runs[0].judgments
    best = [aggregate(score(one, policy)) for one in runs]
    text = text_of(sentences.provenance(policy, best, judgments, provisional=False))
    summary, rules = text.split("every rule")
    assert summary.split(" · ") == [
        "NDCG@10 (linear gain, ideal: all judged, unjudged: zero)",
        "macro mean",
        "3 judged queries",
        "in the mean 2",
        "zero-IDCG 1",
        "missing 1",
        "empty 1",
        "left out 1",
        f"judgments {judgments.fingerprint[:12]}",
        "",
    ]
    assert policy.description in rules
    assert judgments.fingerprint in rules


def test_provenance_gives_each_count_where_systems_differ():
    runs = graded(TWO_QUERIES, old={"q1": ["a"]}, new={"q1": ["a"], "q2": ["a"]})
    best = [aggregate(score(one, FIRST_RUN)) for one in runs]
    text = text_of(sentences.provenance(FIRST_RUN, best, runs[0].judgments, provisional=True))
    assert "missing (new 0, the other 1)" in text
    assert "in the mean 2 ·" in text
    assert "· provisional ·" in text


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({"a": 2, "b": 0, "c": 0}, "(a 2, the others 0)"),
        ({"a": 0, "b": 2, "c": 0}, "(b 2, the others 0)"),
        ({"a": 1, "b": 2, "c": 1, "d": 3}, "(b 2, d 3, the others 1)"),
        ({"a": 1, "b": 1234}, "(b 1,234, the other 1)"),
        ({"a": 1, "b": 2, "c": 3}, "(b 2, c 3, the other 1)"),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, "(b 2, c 3, d 4, the other 1)"),
        ({"a": 5, "b": 2, "c": 3, "d": 4, "e": 5, "f": 1}, "1 to 5"),
        ({"a": 7, "b": 7}, "7"),
        ({"a": 1, "b" * 40: 2}, f"({'b' * 11}…{'b' * 11} 2, the other 1)"),
    ],
)
def test_provenance_names_the_few_systems_that_differ_from_most(counts, text):
    (one,) = graded(TWO_QUERIES, new={"q1": ["a"]})
    plain = aggregate(score(one, FIRST_RUN))
    best = [replace(plain, name=name, missing=missing) for name, missing in counts.items()]
    line = text_of(sentences.provenance(FIRST_RUN, best, one.judgments, provisional=False))
    assert f" · missing {text} · " in line


def test_provenance_without_a_system_says_that_each_is_refused():
    (one,) = graded(TWO_QUERIES, new={"q1": ["a"]})
    text = text_of(sentences.provenance(FIRST_RUN, [], one.judgments, provisional=False))
    assert "· every system is refused ·" in text
    assert "missing" not in text.partition("every rule")[0]


def test_provenance_names_the_pooled_ratio():
    policy = replace(FIRST_RUN, average="pooled")
    (one,) = graded(TWO_QUERIES, new={"q1": ["a"]})
    best = [aggregate(score(one, policy))]
    text = text_of(sentences.provenance(policy, best, one.judgments, provisional=False))
    assert text.startswith("pooled NDCG@10 (")
    assert "· pooled ratio ·" in text


# Notes


def unjudged(count: float, policy: Policy = FIRST_RUN, **refused: int) -> str:
    return re.sub(" +", " ", text_of(sentences.unjudged_choice(count, policy, refused)))


def test_the_note_on_unjudged_documents_counts_them_and_whom_a_refusal_would_hit():
    assert unjudged(1234, refuse=2, refuse_any=1) == (
        "Provisional. 1,234 places in the top 10 hold a document that nobody judged, all systems "
        "together, and no rule for such documents was chosen: until you choose one they count as "
        "0. “Refuse in top k” refuses 2 systems. "
        "“Refuse anywhere” refuses 1 system. Choose what they are to be:"
    )


def test_the_note_says_nothing_of_a_rule_that_refuses_nobody():
    text = unjudged(2, refuse=0, refuse_any=0)
    assert text.endswith("they count as 0. Choose what they are to be:")


def test_the_note_on_whole_rankings_names_no_cutoff():
    text = unjudged(2, replace(FIRST_RUN, cutoff="all"))
    assert "2 places in the rankings hold" in text


def test_one_unjudged_document_is_singular():
    assert "1 place in the top 10 holds" in unjudged(1)


@pytest.mark.parametrize(
    ("count", "text"), [(1234567.0, "1,234,567"), (2.5, "2.5"), (1234.25, "1,234.2")]
)
def test_counts_of_unjudged_documents_are_written_in_full(count, text):
    assert f" {text} places in" in unjudged(count)


def test_own_ideal_lists_count_the_queries_they_empty():
    """A query without a positive judgment would have IDCG 0 anyway, and is not counted."""
    runs = graded(
        {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}},
        blind={"q1": ["z"], "q2": ["z"], "q3": ["a"]},
        seeing={"q1": ["a"], "q2": ["a"], "q3": ["a"]},
    )
    policy = replace(FIRST_RUN, ideal_scope="this_run")
    text = text_of(sentences.own_ideal_lists([score(one, policy) for one in runs]))
    assert text.startswith("Not comparable between systems.")
    assert text.endswith("the run found nothing: blind 2, seeing 0.")


def test_own_ideal_lists_of_no_system_name_none():
    assert not text_of(sentences.own_ideal_lists([])).endswith(": .")


def test_steps_stand_in_their_order_one_click_away():
    html = sentences.steps("How", ["first this", "then that"])
    assert texts_in(html, "li") == ["first this", "then that"]
    opened = [event[1] for event in events(html) if event[0] == "open"]
    assert opened == ["details", "summary", "span", "ol", "li", "li"]
    assert text_of(html).startswith("How")


# The compared pair


def paired(found: Comparison | None, pair: Pair = PAIR) -> str:
    html = sentences.paired(pair, found, shown=1234, judged=5678, order="worst first")
    return text_of(html)


def test_a_pair_comes_with_its_difference_and_its_interval():
    found = comparison(-0.1, -0.25, 0.05, queries=1234)
    assert paired(found) == (
        f"new {MINUS} old = {MINUS}0.100 [{MINUS}0.250, +0.050] over 1,234 queries · "
        "1,234 of 5,678 queries listed, worst first"
    )


@pytest.mark.parametrize(
    ("found", "pair"),
    [
        pytest.param(None, PAIR, id="one is refused, or looked at alone"),
        pytest.param(None, Pair("new", None), id="there is one system"),
        pytest.param(comparison(None), PAIR, id="no query in common"),
    ],
)
def test_without_a_difference_only_what_is_listed_is_said(found, pair):
    assert paired(found, pair) == "1,234 of 5,678 queries listed, worst first"


def test_the_difference_names_each_system_in_its_colour():
    html = sentences.paired(PAIR, comparison(0.1), shown=1, judged=1, order="")
    assert names_and_roles(html) == [("new", "first"), ("old", "second")]


# The open query

LONG = "word, <b> " * 2000


def test_title_of_a_query_without_a_text_is_its_id():
    assert text_of(sentences.query_title("q1", None)) == "query q1"
    assert text_of(sentences.query_title("q1", Text(""))) == "query q1"
    assert sentences.whole_text(None) == sentences.whole_text(Text("")) == ""


def test_a_short_text_is_the_title_and_stands_nowhere_else():
    assert text_of(sentences.query_title("q1", Text("a b"))) == "a bquery q1"
    assert sentences.whole_text(Text("a b")) == ""


def test_a_long_text_is_cut_in_the_title_and_one_click_away():
    title = text_of(sentences.query_title("i" * 20_000, Text(LONG)))
    assert title.startswith("word, <b> word")
    assert len(title) < 500
    assert text_of(sentences.whole_text(Text(LONG))) == say("query.whole") + LONG


def test_a_text_below_its_title_is_one_click_away():
    assert text_of(sentences.query_title("q1", Text("more", "T"))) == "Tquery q1"
    assert text_of(sentences.whole_text(Text("more", "T"))) == say("query.whole") + "more"
    assert sentences.whole_text(Text("", "T")) == ""
