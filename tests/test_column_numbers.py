"""Files without a header whose columns somebody gave by number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_back import judgments_of, message, rows_of

from core.formats import read_judgments, read_run, read_runs_of_one_of_several
from core.judgments import Judgments
from core.runs import Run

RANKED = {"query": "1", "document": "2", "rank": "3", "score": "4"}
GRADED = {"query": "1", "document": "2", "grade": "3"}


def run_of(text: str, columns: dict[str, str], name: str = "f.tsv", **how: str) -> Run:
    return read_run(text.encode(), source=name, columns=columns, **how)


def qrels_of(text: str, columns: dict[str, str], name: str = "f.tsv") -> Judgments:
    return read_judgments(text.encode(), name=name, columns=columns)


@pytest.mark.parametrize("delimiter", ["\t", ",", ";", " "])
@pytest.mark.parametrize("name", ["f.tsv", "f.csv", "f.run"])
def test_query_document_rank_and_score(delimiter: str, name: str) -> None:
    """As ColBERT writes them."""
    rows = ["q1 d1 1 0.5", "q1 d2 2 0.25", "q2 d1 1 7"]
    text = "".join(f"{row}\n".replace(" ", delimiter) for row in rows)
    run = run_of(text, RANKED, name)
    assert rows_of(run) == {"q1": [("d1", 0.5, 1), ("d2", 0.25, 2)], "q2": [("d1", 7.0, 1)]}
    assert (run.format, run.columns) == ("columns by number", RANKED)
    assert run.notices == (
        f"{name}: columns as named: query=1, document=2, rank=3, score=4.",
        f"{name}: no header line, columns go by their numbers.",
    )


def test_ranks_alone() -> None:
    """As in runs of MS MARCO; queries and documents are numbers."""
    run = run_of("1048585\t7187158\t1\n1048585\t7617404\t2\n", {**RANKED, "score": ""})
    assert rows_of(run) == {"1048585": [("7187158", None, 1), ("7617404", None, 2)]}


def test_smaller_scores_first() -> None:
    run = run_of("q,a,0.1\nq,b,0.4\n", {"query": "1", "document": "2", "score": "-3"}, "f.csv")
    assert rows_of(run) == {"q": [("a", -0.1, None), ("b", -0.4, None)]}


def test_columns_nobody_asked_for_are_named() -> None:
    run = run_of("q d 1 0.5 bm25\n", RANKED, "f.run")
    assert rows_of(run) == {"q": [("d", 0.5, 1)]}
    assert "f.run: 1 column not used ('5')." in run.notices


def test_grades() -> None:
    judgments = qrels_of("q1,d1,2\nq1,d2,0\n", GRADED, "f.csv")
    assert judgments_of(judgments) == {"q1": {"d1": 2, "d2": 0}}
    assert (judgments.format, judgments.columns) == ("columns by number", GRADED)
    assert judgments.notices[-1] == "f.csv: no header line, columns go by their numbers."


def test_three_numbers_that_need_to_be_asked_about_are_grades_now() -> None:
    assert judgments_of(qrels_of("7 8 1\n7 9 2\n", GRADED, "f.qrels")) == {"7": {"8": 1, "9": 2}}


def test_blanks_in_an_id_make_no_columns_of_trec() -> None:
    assert judgments_of(qrels_of("1\t2 2 2 2\t0\n", GRADED)) == {"1": {"2 2 2 2": 0}}
    assert judgments_of(qrels_of("7 2 3 4 5 6\n", GRADED)) == {"7": {"2": 3}}
    run = run_of("1\t2 2 2 2\t7\n", {"query": "1", "document": "2", "score": "3"})
    assert rows_of(run) == {"1": [("2 2 2 2", 7.0, None)]}


def test_lines_before_the_first_row_are_skipped_and_counted() -> None:
    run = run_of("# by hand\n\nq\td\t1\t0.5\n", RANKED)
    assert rows_of(run) == {"q": [("d", 0.5, 1)]}
    assert run.notices[-1] == "f.tsv: 1 line before the first row skipped."


@given(
    st.dictionaries(
        st.text("q1.", min_size=1), st.dictionaries(st.text("d2 ,-", min_size=1), st.integers(0, 9))
    )
)
def test_grades_come_back(judged: dict[str, dict[str, int]]) -> None:
    text = "".join(f"{q}\t{d}\t{g}\n" for q, grades in judged.items() for d, g in grades.items())
    told = {query: grades for query, grades in judged.items() if grades}
    first = [field.strip() for field in text.split("\n")[0].split("\t")]
    if told and first not in (["0", "1", "2"], ["1", "2", "3"]):
        assert judgments_of(qrels_of(text, GRADED)) == told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "q\td\t1\n",
            "f.tsv, line 1: 3 columns without a header, and --run-column asks for number 4. "
            "Count from 1: tabs, commas or semicolons separate columns, or single blanks.",
        ),
        (
            "q\td\t1\tx\n",
            "f.tsv, line 1: score 'x' is not a number. Give a finite score, with a decimal point.",
        ),
        (
            "q\td\t1\t2\nq\te\t2\n",
            "f.tsv, line 2: 3 columns, expected 4 ('1', '2', '3', '4'). "
            "Is the line cut short, or a separator missing?",
        ),
        (
            "q d 1 2\nq  e 2 1\n",
            "f.tsv, line 2: 5 columns, expected 4 ('1', '2', '3', '4'). Does a field hold a blank?",
        ),
        (
            "0,1,2,3\nq,d,1,2\n",
            "f.tsv, line 1: '0, 1, 2, 3' may be a row, or a header of numbers. "
            "Write names instead, or in a line above: query_id, doc_id, score (or rank).",
        ),
        (
            "qid\tdocno\trank\tscore\nq\td\t1\t2\n",
            "f.tsv, line 1: no column '1' among 'docno', 'qid', 'rank', 'score'. "
            "Correct --run-column query=1.",
        ),
        (
            "q Q0 d 1 0.5 bm25\n",
            "f.tsv: the columns of this format (TREC run, 6 columns) have no names, "
            "and --run-column query=1 names one. "
            "Leave out --run-column for it, or give the file a header line.",
        ),
    ],
)
def test_what_cannot_be_right(text: str, expected: str) -> None:
    assert message(lambda: run_of(text, RANKED)) == expected


def test_a_trec_run_beside_such_a_file_keeps_its_columns() -> None:
    data = b"q Q0 d 1 0.5 bm25\n"
    (run,), lacking = read_runs_of_one_of_several(data, source="f.run", columns=RANKED)
    assert rows_of(run) == {"q": [("d", 0.5, 1)]}
    assert set(lacking) == set(RANKED)
