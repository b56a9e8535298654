"""Everything that is written as HTML: escaping, numbers, sentences, tables and words."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nasty_names import NASTY
from parsed_html import events, rows_of, text_of

from core.comparison import Comparison, compare
from core.errors import EvaluationError, shortened
from core.explanation import explanation
from core.formats.texts import Text
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.policy import OPTIONS, GainTable, Policy
from core.presets import FIRST_RUN, STRICT
from core.runs import Run
from core.scores import STATES, Aggregate, QueryScores, aggregate, score, score_all
from core.sensitivity import Switch, SwitchEffect, switch_effects
from dashboard import markup, pages, query_tables, sentences, tables, wording
from dashboard.files import Files, StoredFile
from dashboard.inputs import Selection
from dashboard.loading import Rejected, Workspace

MINUS = "−"
PLAIN = "PLAIN"
K2 = replace(FIRST_RUN, cutoff=2)


@dataclass(frozen=True)
class World:
    """Two runs in which nearly everything has one and the same name."""

    name: str
    runs: tuple[GradedRun, ...]
    scores: dict[str, QueryScores]
    aggregates: tuple[Aggregate, ...]
    effects: tuple[SwitchEffect, ...]

    @property
    def mine(self) -> QueryScores:
        return self.scores[self.name]

    @property
    def fingerprint(self) -> str:
        return self.runs[0].judgments.fingerprint

    @property
    def texts(self) -> dict[str, Text]:
        return {self.name: Text(text=self.name, title=self.name)}


@cache
def world(name: str) -> World:
    """The run of that name misses nothing; its rival misses the query of that name."""
    judgments = Judgments.from_dict({name: {name: 2, "b": 1}, "q2": {"c": 1}}, source=name)
    mine = Run.from_dict(name, {name: ["x", name], "q2": ["c"]}, source=name)
    rival = Run.from_dict("rival", {"q2": ["c"]}, source=name)
    runs = tuple(join(run, judgments) for run in (mine, rival))
    scores = [score(graded, FIRST_RUN, runs=runs) for graded in runs]
    return World(
        name=name,
        runs=runs,
        scores={one.name: one for one in scores},
        aggregates=tuple(aggregate(one) for one in scores),
        effects=switch_effects(runs, FIRST_RUN),
    )


def standing(runs: Iterable[GradedRun], policy: Policy, *, chosen: bool = True) -> tables.Standing:
    """What the overview shows of some runs; `chosen` says whether of unjudged documents, too."""
    runs = tuple(runs)
    workspace = Workspace(Files("uploaded", (), ()), runs[0].judgments, runs, (), ())
    return pages.standing(
        pages.Scored(workspace, Selection(policy, chosen), score_all(runs, policy))
    )


def refusing(of: World) -> tables.Standing:
    return standing(of.runs, replace(FIRST_RUN, unjudged="refuse", missing_query="refuse"))


def load_report(of: World) -> str:
    file = StoredFile.from_bytes(of.name, b"")
    workspace = Workspace(
        Files("uploaded", (file,), (file, file)),
        of.runs[0].judgments,
        of.runs,
        tuple(graded.run for graded in of.runs),
        (Rejected(file, f"{of.name}: no query in common"),),
    )
    return tables.files(workspace)


def own_ideal(of: World) -> str:
    return sentences.own_ideal_lists(list(of.scores.values()))


def verdict(of: World, first: str, second: str) -> str:
    comparison = compare(of.scores[first], of.scores[second])
    return sentences.verdict(of.aggregates, comparison, of.effects, provisional=True)


def provenance(of: World) -> str:
    """The rival comes first, so that the other one is what differs."""
    judgments = of.runs[0].judgments
    return sentences.provenance(FIRST_RUN, of.aggregates[::-1], judgments, provisional=True)


BUILDERS: dict[str, Callable[[World], str]] = {
    "title": lambda of: markup.title(of.name, of.name),
    "name": lambda of: markup.name(of.name),
    "hint": lambda of: markup.cell("", hint=of.name) + markup.heading("", hint=of.name),
    "line": lambda of: sentences.line(of.name),
    "note": lambda of: sentences.note(of.name, lead=of.name),
    "verdict, as leader": lambda of: verdict(of, of.name, "rival"),
    "verdict, as second": lambda of: verdict(of, "rival", of.name),
    "verdict, alone": lambda of: sentences.verdict(of.aggregates, None, (), provisional=False),
    "provenance": provenance,
    "own ideal": own_ideal,
    "leaderboard": lambda of: tables.leaderboard(standing(of.runs, FIRST_RUN)),
    "leaderboard, rules": lambda of: tables.leaderboard(standing(of.runs, FIRST_RUN, chosen=False)),
    "leaderboard, refused": lambda of: tables.leaderboard(refusing(of)),
    "other measures": lambda of: tables.other_measures(of.aggregates, FIRST_RUN),
    "switch matrix": lambda of: tables.switch_matrix(list(of.scores), of.effects, list(of.scores)),
    "load report": load_report,
    "sum": lambda of: query_tables.sum_of_one_query(explanation(of.mine, of.name), FIRST_RUN),
    "ranking": lambda of: query_tables.ranked_list(
        explanation(of.mine, of.name), of.texts, FIRST_RUN
    ),
    "ideal": lambda of: query_tables.ideal_list(explanation(of.mine, of.name), of.texts, FIRST_RUN),
}
NAMELESS = {"sum"}
SHORTENING = {"provenance": 24}


def renamed(text: str, name: str, plain: World, nasty: World) -> str:
    """Put one name in the place of the other; the fingerprints differ with the names."""
    before, after = plain.fingerprint, nasty.fingerprint
    return text.replace(PLAIN, name).replace(before, after).replace(before[:12], after[:12])


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_a_name_comes_out_as_it_went_in(name):
    """With any name a browser reads what it reads with a plain one, but for the name itself."""
    plain, nasty = world(PLAIN), world(name)
    for builder, build in BUILDERS.items():
        written = shortened(name, SHORTENING.get(builder, len(name)))
        expected = [
            tuple(renamed(part, written, plain, nasty) for part in event)
            for event in events(build(plain))
        ]
        assert events(build(nasty)) == expected, builder


@pytest.mark.parametrize("builder", BUILDERS)
def test_every_builder_shows_the_name(builder):
    """Without this the test above could pass on builders that never see it."""
    shown = any(
        PLAIN in part for event in events(BUILDERS[builder](world(PLAIN))) for part in event
    )
    assert shown == (builder not in NAMELESS)


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_the_list_of_queries_holds_names_as_they_are(name):
    of = world(name)
    frame = query_tables.worst_first(of.mine, of.texts)
    assert list(frame.columns) == ["query", "text", "ndcg", "state", "unjudged", "zero_idcg"]
    row = frame[frame["query"] == name]
    assert row["text"].tolist() == [name]


def test_escaping_covers_both_kinds_of_quotes():
    assert (
        markup.escaped("<a href=\"x\" id='y'>&")
        == "&lt;a href=&quot;x&quot; id=&#x27;y&#x27;&gt;&amp;"
    )


# Numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500"),
        (-0.25, f"{MINUS}0.250"),
        (0.0, "0.000"),
        (1.0, "1.000"),
        (0.12345, "0.123"),
        (0.1236, "0.124"),
        (0.9996, "1.000"),
        (12.5, "12.500"),
        (np.float64(0.5), "0.500"),
        (None, "no value"),
    ],
)
def test_numbers(value, text):
    assert markup.number(value) == text


@pytest.mark.parametrize("value", [-0.0, -0.0004])
def test_a_number_that_rounds_to_nothing_has_no_sign(value):
    assert markup.number(value) == "0.000"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "+0.250"),
        (-0.25, f"{MINUS}0.250"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e-17, "0"),
        (0.0004, "≈ 0"),
        (-0.0004, "≈ 0"),
        (0.0006, "+0.001"),
        (-0.0006, f"{MINUS}0.001"),
        (None, ""),
    ],
)
def test_signed_differences(value, text):
    assert markup.signed(value) == text


@given(value=st.floats(-1000, 1000), digits=st.integers(1, 6))
def test_written_numbers_read_back_within_half_of_their_last_digit(value, digits):
    for text in (markup.number(value, digits), markup.signed(value, digits)):
        assert "-" not in text
        read = float(text.removeprefix("≈ ").replace(MINUS, "-"))
        assert abs(read - value) <= 0.5000001 * 10**-digits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 %"),
        (0.004, "0.4 %"),
        (0.005, "0.5 %"),
        (0.006, "1 %"),
        (0.5, "50 %"),
        (0.624, "62 %"),
        (0.994, "99 %"),
        (0.995, "99.5 %"),
        (0.999, "99.9 %"),
        (1.0, "100 %"),
        (None, "no value"),
    ],
)
def test_percentages(value, text):
    assert markup.percent(value) == text
    assert text_of(markup.share(value)) == text


@given(total=st.integers(1, 10_000), data=st.data())
def test_only_all_is_100_per_cent_and_only_nothing_is_0(total, data):
    some = data.draw(st.integers(0, total))
    text = markup.percent(some / total)
    assert (text == "100 %") == (some == total)
    assert (text == "0 %") == (some == 0)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (7.0, "7"), (2.5, "2.5"), (1234567.0, "1,234,567"), (1234.25, "1,234.2")],
)
def test_counts(value, text):
    assert markup.count(value) == text


def test_an_axis_has_true_minus_signs():
    ticks = [-0.5, 0.0, 0.5]
    assert text_of(markup.axis(ticks, markup.Scale(-0.5, 0.5))) == f"{MINUS}0.500.000.50"


def test_a_scale_maps_its_ends_to_the_ends_of_the_axis():
    scale = markup.Scale(0.5, 0.75)
    assert [scale(0.5), scale(0.625), scale(0.75)] == [0, 50, 100]


def test_bins_name_their_range_and_count():
    html = markup.bins([0, 4, 2, 0])
    hints = [event[2] for event in events(html) if event[:2] == ("attribute", "title")]
    assert hints == [
        "0.00 to 0.25: 0 queries",
        "0.25 to 0.50: 4 queries",
        "0.50 to 0.75: 2 queries",
        "0.75 to 1.00: 0 queries",
    ]
    assert re.findall(r"height:(\d+)px", html) == ["1", "20", "10", "1"]


def test_bins_of_nothing():
    assert re.findall(r"height:(\d+)px", markup.bins([0, 0])) == ["1", "1"]


@pytest.mark.parametrize(
    ("grade", "text", "hint"),
    [
        (3, "3", "grade 3"),
        (0, "0", "grade 0"),
        (-2, f"{MINUS}2", f"grade {MINUS}2"),
        (12, "12", "grade 12"),
        (None, "?", "unjudged"),
    ],
)
def test_grade_chips(grade, text, hint):
    html = markup.grade_chip(grade)
    assert text_of(html) == text
    assert ("attribute", "title", hint) in events(html)


def test_a_negative_addition_draws_no_bar():
    html = markup.adds(-1.0, 2.0)
    assert "width:0%" in html
    assert text_of(html) == f"{MINUS}1.000"


# Sentences


def graded(judged: dict[str, dict[str, int]], **runs: dict[str, list[str]]) -> list[GradedRun]:
    judgments = Judgments.from_dict(judged)
    return [join(Run.from_dict(name, results), judgments) for name, results in runs.items()]


def best_first(scores: Iterable[QueryScores]) -> list[Aggregate]:
    return sorted(map(aggregate, scores), key=lambda one: (one.ndcg is None, -(one.ndcg or 0)))


def verdict_of(runs: list[GradedRun], policy: Policy, *, provisional: bool = False) -> str:
    """The verdict as the overview asks for it."""
    scores = [score(one, policy, runs=runs) for one in runs]
    best = best_first(scores)
    named = {one.name: one for one in scores}
    comparison = compare(*(named[one.name] for one in best[:2])) if len(best) > 1 else None
    return text_of(sentences.verdict(best, comparison, (), provisional=provisional))


TWO_QUERIES = {"q1": {"a": 1}, "q2": {"a": 1}}
NO_SWITCH = "0 of 0 single policy switches change the order of the systems; 0 change the leader."


def test_verdict_of_a_lead():
    runs = graded(TWO_QUERIES, old={"q1": ["a"]}, new={"q1": ["a"], "q2": ["a"]})
    assert verdict_of(runs, FIRST_RUN) == (
        "new leads old by 0.500 NDCG@10: better on 1, tied on 1 and worse on 0 of 2 queries. "
        + NO_SWITCH
    )


def test_verdict_says_when_it_is_provisional():
    runs = graded(TWO_QUERIES, new={"q1": ["a"], "q2": ["a"]})
    assert verdict_of(runs, FIRST_RUN, provisional=True) == "Provisional: new has NDCG@10 1.000."


def test_verdict_of_one_system():
    runs = graded(TWO_QUERIES, new={"q1": ["a"]})
    assert verdict_of(runs, FIRST_RUN) == "new has NDCG@10 0.500."


def test_verdict_names_pooled_averages():
    runs = graded(TWO_QUERIES, new={"q1": ["a"]})
    assert verdict_of(runs, replace(FIRST_RUN, average="pooled")) == "new has pooled NDCG@10 0.500."


def test_verdict_without_a_value():
    runs = graded({"q1": {"a": 0}}, new={"q1": ["a"]})
    assert verdict_of(runs, replace(FIRST_RUN, zero_idcg="leave_out")) == (
        "new has NDCG@10 no value."
    )


def test_verdict_of_level_systems():
    runs = graded(TWO_QUERIES, one={"q1": ["a"], "q2": []}, two={"q1": [], "q2": ["a"]})
    assert "are level in NDCG@10: better on 1, tied on 0 and worse on 1 of 2 queries." in (
        verdict_of(runs, FIRST_RUN)
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


def comparison(difference: float) -> Comparison:
    return Comparison("new", "old", difference, 9, 4, 3, 2, 0, 0)


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (0.0126, "new leads old by 0.013 NDCG@10"),
        (0.0004, "new leads old by less than 0.0005 NDCG@10"),
        (-0.2, "new trails old by 0.200 NDCG@10"),
    ],
)
def test_verdict_of_a_difference(difference, words):
    (one,) = graded(TWO_QUERIES, new={"q1": ["a"]})
    best = [aggregate(score(one, FIRST_RUN))]
    html = sentences.verdict(best, comparison(difference), (), provisional=False)
    assert text_of(html).startswith(f"{words}: better on 4, tied on 3 and worse on 2 of 9 queries.")


def effect(before: tuple[int | None, ...], after: tuple[int | None, ...]) -> SwitchEffect:
    values = tuple(None if rank is None else 1 / rank for rank in after)
    return SwitchEffect(
        switch=Switch("gain", "exponential", FIRST_RUN),
        values=values,
        changes=(0.1,) * len(after),
        ranks=after,
        ranks_before=before,
        refusals=(None,) * len(after),
    )


def test_verdict_counts_the_switches_that_reorder_and_those_that_change_the_leader():
    (one,) = graded(TWO_QUERIES, new={"q1": ["a"]})
    tried = [
        effect((1, 2, 3), (1, 2, 3)),
        effect((1, 2, 3), (1, 3, 2)),
        effect((1, 2, 3), (2, 1, 3)),
        effect((1, 2, 3), (1, 1, 3)),
        effect((1, 2, 3), (None, 1, 2)),
    ]
    best = [aggregate(score(one, FIRST_RUN))]
    html = sentences.verdict(best, comparison(0.1), tried, provisional=False)
    assert text_of(html).endswith(
        "2 of 5 single policy switches change the order of the systems; 1 changes the leader."
    )


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
        ({"a": 7, "b": 7}, "7"),
        ({"a": 1, "b" * 40: 2}, f"({'b' * 11}…{'b' * 11} 2, the other 1)"),
    ],
)
def test_provenance_names_only_systems_that_differ_from_most(counts, text):
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
    text = text_of(
        sentences.provenance(
            policy, [aggregate(score(one, policy))], one.judgments, provisional=False
        )
    )
    assert text.startswith("pooled NDCG@10 (")
    assert "· pooled ratio ·" in text


def test_the_note_on_unjudged_documents_counts_them():
    text = text_of(sentences.unjudged_choice(1234, FIRST_RUN))
    assert text.startswith("Provisional. 1,234 unjudged documents stand in the top 10, and no rule")
    everywhere = text_of(sentences.unjudged_choice(2, replace(FIRST_RUN, cutoff="all")))
    assert "2 unjudged documents stand in the rankings," in everywhere


def test_one_unjudged_document_is_singular():
    text = text_of(sentences.unjudged_choice(1, FIRST_RUN))
    assert "1 unjudged document stands in the top 10" in text


def test_counts_of_unjudged_documents_are_written_in_full():
    (one,) = graded(TWO_QUERIES, new={"q1": ["a"]})
    assert "1,234,567 unjudged" in text_of(sentences.unjudged_choice(1234567.0, FIRST_RUN))
    scores = score(one, FIRST_RUN)
    many = replace(aggregate(scores), unjudged_in_top=1234567.0)
    of = tables.Standing(FIRST_RUN, [many], {"new": scores}, {}, {})
    head, row = rows_of(tables.leaderboard(of))
    assert row[head.index("unjudged")] == "1,234,567"


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


def test_the_walk_holds_every_step_in_order():
    html = sentences.walk()
    assert text_of(html) == wording.WALK_TITLE + "".join(wording.WALK)
    assert [event[1] for event in events(html) if event[0] == "open"].count("li") == len(
        wording.WALK
    )


# Tables


def leaderboard(runs: list[GradedRun], policy: Policy, *, chosen: bool = True) -> list[list[str]]:
    return rows_of(tables.leaderboard(standing(runs, policy, chosen=chosen)))


def test_leaderboard():
    runs = graded(
        {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}},
        old={"q1": ["a", "x"], "q3": ["a"]},
        new={"q1": ["a"], "q2": ["a"], "q3": ["a"]},
    )
    head, *rows = leaderboard(runs, FIRST_RUN)
    assert head[1:3] == ["System", "NDCG@10"]
    assert head[4:] == [
        "to the leader",
        "better / tied / worse",
        "per query, 0 to 1",
        "judged@10",
        "unjudged",
        "zero-IDCG",
        "missing",
    ]
    assert rows == [
        ["1", "new", "0.667", "", "leader", "", "", "100 %", "0", "1", "0"],
        ["2", "old", "0.333", "", f"{MINUS}0.333", "0 / 2 / 1", "", "75 %", "1", "1", "1"],
    ]


def test_leaderboard_keeps_a_refused_system_with_the_reason():
    runs = graded(TWO_QUERIES, old={"q1": ["x", "a"]}, new={"q1": ["a"], "q2": ["a"]})
    *_, last = leaderboard(runs, replace(FIRST_RUN, unjudged="refuse"))
    assert last == ["", "old", "refuses: 1 unjudged"]


def test_leaderboard_of_refused_systems_only_is_their_reasons():
    runs = graded(TWO_QUERIES, old={"q1": ["x", "a"]}, new={"q1": ["x"]})
    refuse = replace(FIRST_RUN, unjudged="refuse")
    assert leaderboard(runs, refuse) == [
        ["System", "refused"],
        ["old", "refuses: 1 unjudged"],
        ["new", "refuses: 1 unjudged"],
    ]
    hints = hints_of(tables.leaderboard(standing(runs, refuse)))
    assert {str(error) for error in score_all(runs, refuse)} <= set(hints)


def hints_of(html: str) -> list[str]:
    return [event[2] for event in events(html) if event[:2] == ("attribute", "title")]


def test_leaderboard_shows_the_headline_under_each_rule_until_one_is_chosen():
    runs = graded({"q1": {"a": 1}}, some={"q1": ["x", "a"]}, all={"q1": ["a"]})
    head, *rows = leaderboard(runs, FIRST_RUN, chosen=False)
    assert head[1:6] == [
        "System",
        "NDCG@10",
        "if: remove",
        "if: refuse in top k",
        "if: refuse anywhere",
    ]
    assert [row[1:6] for row in rows] == [
        ["all", "1.000", "1.000", "1.000", "1.000"],
        ["some", "0.631", "1.000", "refuses", "refuses"],
    ]
    (some, *_) = runs
    refusals = (score_all([some], replace(FIRST_RUN, unjudged=r)) for r in ("refuse", "refuse_any"))
    hints = hints_of(tables.leaderboard(standing(runs, FIRST_RUN, chosen=False)))
    assert {str(error) for (error,) in refusals} <= set(hints)


def test_leaderboard_shows_no_other_rule_where_each_document_is_judged():
    runs = graded({"q1": {"a": 1}}, new={"q1": ["a"]})
    assert leaderboard(runs, FIRST_RUN, chosen=False) == leaderboard(runs, FIRST_RUN)


def test_leaderboard_without_a_value():
    runs = graded({"q1": {"a": 0}}, new={"q1": ["a"]}, old={"q1": ["a"]})
    _, *rows = leaderboard(runs, replace(FIRST_RUN, zero_idcg="leave_out"))
    assert [row[:3] for row in rows] == [["", "new", "no value"], ["", "old", "no value"]]


def test_leaderboard_gives_level_systems_one_rank():
    """As the ranks of `core.sensitivity` do, and the verdict that calls them level."""
    runs = graded(TWO_QUERIES, one={"q1": ["a"]}, two={"q2": ["a"]}, bad={"q1": []})
    _, *rows = leaderboard(runs, FIRST_RUN)
    assert [row[0] for row in rows] == ["1", "1", "3"]


def test_leaderboard_of_whole_rankings_names_no_cutoff():
    runs = graded(TWO_QUERIES, new={"q1": ["a"]})
    html = tables.leaderboard(standing(runs, replace(FIRST_RUN, cutoff="all")))
    assert rows_of(html)[0][2] == "NDCG"
    assert "judged" in rows_of(html)[0]
    assert "top all" not in html


def test_the_axis_of_scores_goes_no_further_than_scores_can():
    runs = graded(TWO_QUERIES, bad={"q1": ["x"]}, new={"q1": ["a"], "q2": ["a"]})
    axis = leaderboard(runs, FIRST_RUN)[0][3]
    assert axis.startswith("0.00")
    assert axis.endswith("1.00")


def test_other_measures_stand_under_their_own_names():
    runs = graded({"q1": {"a": 3, "b": 1}}, new={"q1": ["x", "a"]})
    best = [aggregate(score(runs[0], K2))]
    head, row = rows_of(tables.other_measures(best, K2))
    assert head == [
        "System",
        "macro mean",
        "pooled ratio",
        "precision@2",
        "recall@2",
        "reciprocal rank",
        "average precision",
        "in the mean",
        "left out",
        "empty",
    ]
    # DCG 3/log2(3) = 1.893, IDCG 3 + 1/log2(3) = 3.631.
    assert row == ["new", "0.521", "0.521", "0.500", "0.500", "0.500", "0.250", "1", "0", "0"]


def matrix(*effects: SwitchEffect) -> list[list[str]]:
    return rows_of(tables.switch_matrix(["one", "two"], effects, ["one", "two"]))


def test_switch_matrix_puts_changes_of_order_first_then_large_changes():
    small = replace(effect((1, 2), (1, 2)), changes=(0.01, 0.0), switch=Switch("gain", "g", STRICT))
    large = replace(small, changes=(-0.5, 0.0), switch=Switch("discount", "original", STRICT))
    flip = replace(
        effect((1, 2), (2, 1)), changes=(0.0, 0.001), switch=Switch("ties", "expected", STRICT)
    )
    head, *rows = matrix(small, large, flip)
    assert head == ["One switch", "order", "one", "two"]
    assert rows == [
        ["Tied scores: mean over all orders", "changes", "0 down to 2nd", "+0.001 up to 1st"],
        ["Discount: original", "same", f"{MINUS}0.500", "0"],
        ["Gain: g", "same", "+0.010", "0"],
    ]


def test_switch_matrix_shows_refusals_and_absent_values_in_words():
    refusal = EvaluationError("whole message")
    shown = replace(
        effect((1, 2), (None, None)),
        values=(None, None),
        changes=(None, None),
        refusals=(refusal, None),
    )
    assert matrix(shown)[1][2:] == ["refuses cannot be computed", "no value"]


def test_tables_scroll_in_their_own_box_and_can_be_reached_by_keyboard():
    attributes = events(markup.table([markup.heading("a")], []))[:4]
    assert attributes == [
        ("open", "div"),
        ("attribute", "class", "rd-scroll"),
        ("attribute", "tabindex", "0"),
        ("open", "table"),
    ]


# One query: judgments A=3, B=2, C=1, D=0 and the ranking B, C at k = 2.


def worked(run: list[str], policy: Policy = K2, **judged: int) -> QueryScores:
    grades = judged or {"A": 3, "B": 2, "C": 1, "D": 0}
    (one,) = graded({"q": grades}, run={"q": run})
    return score(one, policy)


def test_a_score_is_written_out_as_its_sum():
    text = text_of(query_tables.sum_of_one_query(explanation(worked(["B", "C"]), "q"), K2))
    assert text == (
        "DCG = 2 × 1.000 + 1 × 0.631 = 2.631 · IDCG = 3 × 1.000 + 2 × 0.631 = 4.262 · "
        "NDCG = DCG ÷ IDCG = 0.617"
    )


def test_a_long_sum_says_how_many_terms_are_left():
    grades = {f"d{number}": 1 for number in range(8)}
    scores = worked(list(grades), FIRST_RUN, **grades)
    text = text_of(query_tables.sum_of_one_query(explanation(scores, "q"), FIRST_RUN))
    assert text.count("+ 2 more") == 2


@pytest.mark.parametrize(
    ("rule", "result"),
    [
        ("zero", "0.000 (IDCG is 0, and zero-IDCG queries count as 0)"),
        ("one", "1.000 (IDCG is 0, and zero-IDCG queries count as 1)"),
        ("leave_out", "no value (left out: IDCG 0)"),
    ],
)
def test_a_query_without_an_ideal_says_which_rule_decided(rule, result):
    policy = replace(K2, zero_idcg=rule)
    text = text_of(
        query_tables.sum_of_one_query(explanation(worked(["Z"], policy, Z=0), "q"), policy)
    )
    assert text.endswith(f"DCG = 0 = 0.000 · IDCG = 0 = 0.000 · NDCG = DCG ÷ IDCG = {result}")


def test_ranking_of_a_query():
    html = query_tables.ranked_list(explanation(worked(["B", "x", "C"]), "q"), {}, K2)
    assert rows_of(html) == [
        ["rank", "grade, document", "adds"],
        ["1", "2 B", "2.000 2 × 1.000"],
        ["2", "? x", "0"],
        ["DCG", "2.000"],
    ]


def test_ranking_names_the_ranks_a_tie_may_take():
    policy = replace(FIRST_RUN, ties="expected")
    judgments = Judgments.from_dict({"q": {"A": 1, "B": 0}})
    run = join(Run.from_dict("run", {"q": {"A": 1.0, "B": 1.0}}), judgments)
    html = query_tables.ranked_list(explanation(score(run, policy), "q"), {}, policy)
    assert [row[0] for row in rows_of(html)[1:-1]] == ["1–2", "1–2"]
    assert all(row[1].endswith("tied") for row in rows_of(html)[1:-1])


def test_ranking_that_is_empty_says_so():
    html = query_tables.ranked_list(explanation(worked([]), "q"), {}, K2)
    assert rows_of(html)[1] == ["The run returned no document for this query."]


def test_ideal_says_where_the_run_has_each_document():
    html = query_tables.ideal_list(explanation(worked(["D", "C", "B"]), "q"), {}, K2)
    assert rows_of(html) == [
        ["rank", "grade, document", "adds", "in the run"],
        ["1", "3 A", "3.000 3 × 1.000", "not retrieved"],
        ["2", "2 B", "1.262 2 × 0.631", "rank 3 below the cutoff"],
        ["IDCG", "4.262"],
    ]


def test_ideal_that_gains_nothing_says_so():
    html = query_tables.ideal_list(explanation(worked(["Z"], Z=0), "q"), {}, K2)
    assert rows_of(html)[1] == ["No document of the ideal list gains anything, so IDCG is 0."]


def test_documents_show_their_title_or_else_their_text():
    texts = {"B": Text("text of B", "title of B"), "C": Text("text of C")}
    html = query_tables.ranked_list(explanation(worked(["B", "C"]), "q"), texts, K2)
    assert [row[1] for row in rows_of(html)[1:3]] == ["2 B title of B", "1 C text of C"]


def test_list_of_queries_has_the_worst_first_and_those_left_out_last():
    (one,) = graded(
        {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}, "q4": {"a": 1}},
        run={"q1": ["a"], "q2": ["a"], "q4": ["x", "a"]},
    )
    scores = score(one, replace(FIRST_RUN, zero_idcg="leave_out"))
    frame = query_tables.worst_first(scores, {"q1": Text("first")})
    assert frame["query"].tolist() == ["q3", "q4", "q1", "q2"]
    assert frame["ndcg"].round(3).tolist()[:3] == [0.0, 0.631, 1.0]
    assert np.isnan(frame["ndcg"].iloc[3])
    assert frame["state"].tolist() == ["missing, counts 0", "", "", "left out: IDCG 0"]
    assert frame["text"].tolist() == ["", "", "first", ""]
    assert frame["unjudged"].tolist() == [0, 1, 0, 0]


# Words


def policy_fields() -> list[str]:
    return [field.name for field in fields(Policy)]


def test_every_policy_field_has_a_label_and_a_help_text():
    assert set(wording.FIELD_LABELS) == set(wording.FIELD_HELP) == set(policy_fields())
    assert len(set(wording.FIELD_LABELS.values())) == len(wording.FIELD_LABELS)
    assert all(text.endswith(".") for text in wording.FIELD_HELP.values())


@pytest.mark.parametrize("field", OPTIONS)
def test_every_option_has_a_label_of_its_own(field):
    """The app tells the options of a control apart by their labels."""
    options = [*OPTIONS[field], *(["table"] if field == "gain" else [])]
    assert set(options) == set(wording.OPTION_LABELS[field])
    labels = [wording.option_label(field, option) for option in options]
    assert len(set(labels)) == len(labels)
    assert all("_" not in label for label in labels)


def test_other_options_label_themselves():
    assert wording.option_label("cutoff", 20) == "20"
    assert wording.option_label("cutoff", "all") == "whole ranking"
    assert wording.option_label("gain", GainTable.parsed("0:0,1:1,2:5")) == "table 0:0,1:1,2:5"
    assert wording.switch_label("unjudged", "condense") == "Unjudged documents: remove"


def test_every_state_of_a_query_has_words():
    assert list(wording.STATES) == list(STATES)
