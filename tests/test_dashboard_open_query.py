"""One query as tables: sums, rankings, what was missed, the ideal ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log2

import pytest
from dashboard_worlds import (
    K2,
    MINUS,
    Builders,
    World,
    assert_names_stay_names,
    attributes_of,
    graded,
    hints_of,
    names_and_roles,
)
from nasty_names import NASTY
from parsed_html import rows_of, text_of

from core.explanation import explanation
from core.formats.texts import Text
from core.policy import Policy
from core.presets import FIRST_RUN
from core.scores import score
from dashboard.open_query import Side, ideal_list, missed, one_ideal, ranked_list, sums

GRADES = {"A": 3, "B": 2, "C": 1, "D": 0}
NO_TEXTS: dict[str, Text] = {}

Ranking = Sequence[str] | Mapping[str, float]


def side(ranking: Ranking, policy: Policy = K2, judged: dict[str, int] = GRADES) -> Side:
    """A system on one query, with the judgments A=3, B=2, C=1, D=0 if no others are given."""
    (run,) = graded({"q": judged}, one={"q": ranking})
    return Side("one", "first", explanation(score(run, policy), "q"))


def other(ranking: Ranking, policy: Policy = K2) -> Side:
    return replace(side(ranking, policy), name="two", role="second")


def mine(of: World) -> Side:
    """It has the documents `x` and that of the name, for the query of that name."""
    return Side(of.name, "first", explanation(of.mine, of.name))


def rival(of: World) -> Side:
    return Side("rival", "second", explanation(of.rival, of.name))


BUILDERS: Builders = {
    "sums": lambda of: sums([mine(of), rival(of)]),
    "ranking": lambda of: ranked_list(mine(of), rival(of), of.texts),
    "ranking, alone": lambda of: ranked_list(mine(of), None, of.texts),
    "ranking of the other": lambda of: ranked_list(rival(of), mine(of), of.texts),
    "missed": lambda of: missed(rival(of), of.texts),
    "missed, by name": lambda of: missed(mine(of), of.texts),
    "ideal": lambda of: ideal_list([mine(of), rival(of)], of.texts),
}


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_a_name_comes_out_as_it_went_in(name):
    assert_names_stay_names(BUILDERS, name)


# The sum


def summed(of: Side) -> str:
    return text_of(sums([of]))


def test_a_score_is_written_out_as_its_sum():
    """B and C on the ranks that count: DCG 2 + 1/log2(3), IDCG 3 + 2/log2(3)."""
    assert summed(side(["B", "C"])) == (
        "one NDCG = DCG ÷ IDCG = 0.617 DCG = 2 × 1.000 + 1 × 0.631 = 2.631 "
        "IDCG = 3 × 1.000 + 2 × 0.631 = 4.262"
    )
    dcg, idcg = 2 + 1 / log2(3), 3 + 2 / log2(3)
    assert [f"{value:.3f}" for value in (dcg / idcg, dcg, idcg)] == ["0.617", "2.631", "4.262"]


def test_each_system_has_a_sum_in_its_colour():
    html = sums([side(["B"]), other(["A"])])
    assert names_and_roles(html) == [("one", "first"), ("two", "second")]
    assert text_of(html).count("NDCG = ") == 2


def test_a_long_sum_says_how_many_terms_are_left():
    grades = {f"d{number}": 1 for number in range(8)}
    text = summed(side(list(grades), FIRST_RUN, grades))
    assert text.count("+ 2 more") == 2


def test_what_adds_nothing_is_no_term():
    assert "DCG = 1 × 0.631 = 0.631" in summed(side(["x", "C"]))


def test_a_loss_is_written_with_a_true_minus_sign():
    """A grade of -1 on rank 1 and one of 1 on rank 2, which weighs 1/log2(3)."""
    policy = replace(K2, negative_grades="raw")
    text = summed(side(["S", "A"], policy, {"A": 1, "S": -1}))
    assert f"DCG = {MINUS}1 × 1.000 + 1 × 0.631 = {MINUS}0.369" in text
    assert "-" not in text


@pytest.mark.parametrize(
    ("rule", "result"),
    [
        ("zero", "0.000 (IDCG is 0, and zero-IDCG queries count as 0)"),
        ("one", "1.000 (IDCG is 0, and zero-IDCG queries count as 1)"),
        ("leave_out", "no value (left out: IDCG 0)"),
    ],
)
def test_a_query_without_an_ideal_says_which_rule_decided(rule, result):
    text = summed(side(["Z"], replace(K2, zero_idcg=rule), {"Z": 0}))
    assert text == f"one NDCG = DCG ÷ IDCG = {result} DCG = 0 = 0.000 IDCG = 0 = 0.000"


@pytest.mark.parametrize(
    ("rule", "result"),
    [("zero", "0.000 (missing, counts 0)"), ("leave_out", "no value (left out: missing)")],
)
def test_a_query_that_the_run_misses_says_so(rule, result):
    (run,) = graded({"q": GRADES, "p": GRADES}, one={"p": ["A"]})
    scores = score(run, replace(K2, missing_query=rule))
    text = summed(Side("one", "first", explanation(scores, "q")))
    assert text.startswith(f"one NDCG = DCG ÷ IDCG = {result} DCG = 0")


# Rankings


def test_ranking_of_a_query():
    html = ranked_list(side({"B": 12.3456, "x": -0.5, "C": -1.0}), None, NO_TEXTS)
    assert rows_of(html) == [
        ["rank", "grade, document", "score", "adds"],
        ["1", "2 B", "12.35", "2.000 2 × 1.000"],
        ["2", "? x", f"{MINUS}0.5", "0"],
        ["DCG", "", "2.000"],
    ]


def test_a_run_without_scores_shows_none():
    assert rows_of(ranked_list(side(["B"]), None, NO_TEXTS))[1][2] == "–"


def test_ranking_says_where_the_other_system_has_each_document():
    """Also below the cutoff; `↓` is lower there, `↑` higher."""
    policy = replace(K2, cutoff=4)
    html = ranked_list(
        side(["A", "B", "C", "x"], policy), other(["C", "B", "A", "y"], policy), NO_TEXTS
    )
    assert rows_of(html)[0] == ["rank", "grade, document", "score", "in two", "adds"]
    assert [row[3] for row in rows_of(html)[1:-1]] == ["3 ↓2", "2 =", "1 ↑2", "–"]
    below = ranked_list(side(["A"]), other(["x", "y", "A"]), NO_TEXTS)
    assert rows_of(below)[1][3] == "3 ↓2"


def test_bars_of_both_rankings_have_one_scale():
    """A adds 3 to the ideal ranking, so the 2 of B is two thirds, and C, on rank 2, adds 0.631."""
    html = ranked_list(side(["B", "C"]), other(["A"]), NO_TEXTS)
    assert attributes_of(html, "style") == ["width:67%", "width:21%"]
    assert [css for css in attributes_of(html, "class") if css.startswith("rd-adds rd-")] == [
        "rd-adds rd-first"
    ] * 2


def test_ranking_names_the_ranks_a_tie_may_take():
    policy = replace(FIRST_RUN, ties="expected")
    html = ranked_list(side({"A": 1.0, "B": 1.0}, policy, {"A": 1, "B": 0}), None, NO_TEXTS)
    assert [row[0] for row in rows_of(html)[1:-1]] == ["1–2", "1–2"]
    assert all(row[1].endswith("tied") for row in rows_of(html)[1:-1])


def test_ranking_marks_ties_whatever_the_rule_for_them():
    html = ranked_list(side({"A": 2.0, "B": 1.0, "C": 1.0}, FIRST_RUN), None, NO_TEXTS)
    assert [row[1] for row in rows_of(html)[1:-1]] == ["3 A", "1 Ctied", "2 Btied"]
    assert hints_of(html).count("same score as another document") == 2


def test_ranking_marks_a_document_that_is_listed_again():
    policy = replace(FIRST_RUN, duplicates="keep_first")
    html = ranked_list(side(["A", "B", "A", "C", "B", "A"], policy), None, NO_TEXTS)
    marked = ["3 Alisted 3 times", "2 Blisted 2 times", "1 C"]
    assert [row[1] for row in rows_of(html)[1:-1]] == marked


def test_ranking_that_is_empty_says_so():
    html = ranked_list(side([]), None, NO_TEXTS)
    assert rows_of(html)[1:] == [
        ["The run returned no document for this query."],
        ["DCG", "", "0.000"],
    ]


def test_a_long_ranking_says_how_many_documents_are_left():
    documents = [f"d{at}" for at in range(103)]
    html = ranked_list(side(documents, replace(K2, cutoff="all")), None, NO_TEXTS)
    assert len(rows_of(html)) == 1 + 100 + 1 + 1
    assert rows_of(html)[-2] == ["and 3 more"]


def test_documents_show_their_title_or_else_their_text():
    texts = {"B": Text("text of B", "title of B"), "C": Text("text of C")}
    html = ranked_list(side(["B", "C"]), None, texts)
    assert [row[1] for row in rows_of(html)[1:3]] == ["2 B title of B", "1 C text of C"]


@pytest.mark.parametrize(
    ("length", "shown"), [(240, "x" * 240), (241, "x" * 240 + "…")], ids=["whole", "cut"]
)
def test_long_texts_are_cut(length, shown):
    html = ranked_list(side(["B"]), None, {"B": Text("x" * length)})
    assert rows_of(html)[1][1] == f"2 B {shown}"


# Missed


def test_missed_documents_come_best_first_with_the_rank_they_have():
    html = missed(side(["D", "x", "C"]), {"A": Text("text of A")})
    assert rows_of(html) == [
        ["grade, document", "in one"],
        ["3 A text of A", "not retrieved"],
        ["2 B", "not retrieved"],
        ["1 C", "rank 3"],
    ]
    assert names_and_roles(html) == [("one", "first")]


def test_many_missed_documents_are_counted():
    grades = {f"d{at:02}": 1 for at in range(25)}
    rows = rows_of(missed(side(["x"], K2, grades), NO_TEXTS))
    assert len(rows) == 1 + 10 + 1
    assert rows[-1] == ["and 15 more"]


# The ideal ranking


def test_ideal_says_where_each_system_has_its_documents():
    html = ideal_list([side(["D", "C", "B"]), other(["B", "A"])], NO_TEXTS)
    assert rows_of(html) == [
        ["rank", "grade, document", "adds", "in one", "in two"],
        ["1", "3 A", "3.000", "not retrieved", "rank 2"],
        ["2", "2 B", "1.262", "rank 3 below the cutoff", "rank 1"],
        ["IDCG", "4.262", ""],
    ]
    assert names_and_roles(html) == [("one", "first"), ("two", "second")]


def test_ideal_of_whole_rankings_has_nothing_below_the_cutoff():
    html = ideal_list([side(["D", "C", "B"], replace(K2, cutoff="all"))], NO_TEXTS)
    assert [row[3] for row in rows_of(html)[1:-1]] == ["not retrieved", "rank 3", "rank 2"]


def test_ideal_leaves_out_what_gains_nothing():
    html = ideal_list([side(["A"], FIRST_RUN, {"A": 1, "Z": 0})], NO_TEXTS)
    assert [row[1] for row in rows_of(html)[1:-1]] == ["1 A"]


def test_ideal_that_gains_nothing_says_so():
    html = ideal_list([side(["Z"], K2, {"Z": 0})], NO_TEXTS)
    assert rows_of(html)[1] == ["No document of the ideal list gains anything, so IDCG is 0."]


def test_a_long_ideal_says_how_many_documents_are_left():
    grades = {f"d{at:03}": 1 for at in range(104)}
    rows = rows_of(ideal_list([side(["x"], replace(K2, cutoff="all"), grades)], NO_TEXTS))
    assert rows[-2] == ["and 4 more"]


def test_systems_share_their_ideal_unless_it_is_made_of_what_each_found():
    own = replace(K2, ideal_scope="this_run")
    assert one_ideal([side(["A", "B"]), other(["C"])])
    assert one_ideal([side(["A"])])
    assert not one_ideal([side(["A", "B"], own), other(["C"], own)])
    assert one_ideal([side(["A", "B"], own), other(["B", "A"], own)])


def test_documents_show_the_beginning_of_their_texts():
    texts = {"B": Text("word " * 4000), "C": Text("first\nsecond")}
    of = side(["B", "C"])
    for html in (ranked_list(of, None, texts), ideal_list([of], texts)):
        assert ("word " * 48) + "…" in text_of(html)
        assert len(text_of(html)) < 1000
    assert "first second" in text_of(ranked_list(of, None, texts))
