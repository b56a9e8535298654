"""Query scores as CSV: every value in full, and nothing that a spreadsheet would run."""

import csv
import io
from dataclasses import replace

import pytest
from dashboard_worlds import graded, valued, world
from nasty_names import NASTY

from core.per_query import ScoreTable
from core.presets import FIRST_RUN
from core.scores import QueryScores, score
from dashboard.downloads import plain_cell, query_scores_csv
from dashboard.query_tables import labels


def rows(*systems: QueryScores, texts: list[str] | None = None) -> list[dict[str, str]]:
    table = ScoreTable(systems)
    content = query_scores_csv(table, texts or [""] * len(table.query_ids))
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_one_row_a_system_and_query():
    found = rows(valued("one", [0.5, 0.25]), valued("two", [1.0, 0.0]), texts=["first", "second"])
    columns = "system", "query_id", "query", "ndcg"
    assert [[row[column] for column in columns] for row in found] == [
        ["one", "q0", "first", "0.5"],
        ["one", "q1", "second", "0.25"],
        ["two", "q0", "first", "1.0"],
        ["two", "q1", "second", "0.0"],
    ]


def test_columns():
    (row,) = rows(valued("one", [0.5]))
    assert list(row) == [
        "system",
        "query_id",
        "query",
        "ndcg",
        "dcg",
        "idcg",
        "precision",
        "recall",
        "reciprocal_rank",
        "average_precision",
        "judged_at_k",
        "unjudged_at_k",
        "zero_idcg",
        "state",
        "measure",
        "judgments",
    ]


def test_every_row_says_the_measure_and_the_judgments():
    """In other judgments or under another policy the same columns mean something else."""
    one = valued("one", [0.5, 0.25])
    for row in rows(one):
        assert row["measure"] == "NDCG@10 (linear gain, ideal: all judged, unjudged: zero)"
        assert row["judgments"] == one.judgments.fingerprint
        assert len(row["judgments"]) == 64


@pytest.mark.parametrize("value", [1 / 3, 0.1 + 0.2, 5e-324, 1 - 2**-53])
def test_numbers_are_written_in_full(value):
    (row,) = rows(valued("one", [value], idcg=7.0))
    assert float(row["ndcg"]) == value
    assert float(row["dcg"]) == value * 7.0


def test_negative_numbers_stay_numbers():
    (row,) = rows(valued("one", [-0.5]))
    assert row["ndcg"] == row["dcg"] == "-0.5"


def test_what_has_no_value_is_empty():
    (run,) = graded({"q1": {"a": 0}, "q2": {"a": 1}}, one={"q2": ["a"]})
    scores = score(run, replace(FIRST_RUN, zero_idcg="leave_out"))
    row, _ = rows(scores)
    assert (row["ndcg"], row["state"], row["zero_idcg"]) == ("", "left_out_zero_idcg", "True")


FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "=cmd|' /C calc'!A0", "-", "="]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert plain_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "q1", "1", "a=1", "1-2", "0.5", "bm25 + dense", "'=1", "é"])
def test_other_texts_stay_as_they_are(text):
    assert plain_cell(text) == text


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_a_file_is_a_formula_wherever_it_stands(text):
    (run,) = graded({text: {"a": 1}}, **{text: {text: ["a"]}})
    (row,) = rows(score(run, FIRST_RUN), texts=[text])
    assert (row["system"], row["query_id"], row["query"]) == (f"'{text}",) * 3
    assert not any(value.startswith(("=", "+", "-", "@", "\t", "\r")) for value in row.values())


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_names_stay_in_their_cells(name):
    of = world(name)
    texts = labels(of.mine.judgments.query_ids, of.texts)
    found = rows(of.mine, of.rival, texts=texts)
    assert len(found) == 4
    written = f"'{name}" if name == NASTY["formula cell"] else name
    # The harmless texts of the other rows: a rival, a query q2 without a text.
    assert {row["system"] for row in found} == {written, "rival"}
    assert {row["query_id"] for row in found} == {written, "q2"}
    assert {row["query"] for row in found} == {written, ""}


@pytest.mark.parametrize("text", ["a\rb", "a\nb", "a\r\nb", 'a"b', "a,b"])
def test_a_text_with_a_line_break_stays_one_cell(text):
    (row,) = rows(valued("one", [0.5]), texts=[text])
    assert row["query"] == text


def test_lines_end_as_the_format_has_it():
    """RFC 4180, section 2; only then does Python quote a carriage return inside a cell."""
    content = query_scores_csv(ScoreTable((valued("one", [0.5, 0.25]),)), ["", ""])
    lines = content.split(b"\r\n")
    assert (len(lines), lines[-1]) == (1 + 2 + 1, b"")


def test_texts_are_written_in_full():
    (row,) = rows(valued("one", [0.5]), texts=["a\nb, " * 5000])
    assert row["query"] == "a\nb, " * 5000
