"""Which runs the overview warns of."""

import pytest
from app_driver import PAGES, go_to, notes, with_own_files

from core.formats import read_run
from core.grades import join
from core.judgments import Judgments
from dashboard import reports

JUDGMENTS = Judgments.from_dict({"q1": {"docE": 1, "b": 0}, "q2": {"c": 1}})


def lines(*rows: tuple[str, str, int, float]) -> bytes:
    return "".join(f"{q} Q0 {d} {rank} {score} t\n" for q, d, rank, score in rows).encode()


FALLING = lines(("q1", "docE", 1, 2.0), ("q1", "b", 2, 1.0), ("q2", "c", 1, 1.0))


@pytest.mark.parametrize(
    ("content", "warned"),
    [
        pytest.param(FALLING, False, id="nothing odd"),
        pytest.param(lines(("q1", "docE", 1, 0.1), ("q1", "b", 2, 0.9)), True, id="scores rise"),
        pytest.param(lines(("q1", "docE", 1, 1.0), ("q1", "b", 2, 1.0)), True, id="all equal"),
        pytest.param(lines(("q1", "doce", 1, 2.0), ("q1", "b", 2, 1.0)), True, id="case of an id"),
        pytest.param(lines(("q1", "x", 1, 2.0), ("q1", "y", 2, 1.0)), True, id="none judged"),
    ],
)
def test_runs_whose_score_something_odd_may_decide_are_doubtful(content, warned):
    run = read_run(content, source="a.run", name="a")
    assert reports.doubtful(join(run, JUDGMENTS)) is warned


def test_the_overview_names_doubtful_runs():
    rising = lines(("q1", "a", 1, 0.1), ("q1", "b", 2, 0.9), ("q2", "c", 1, 0.5))
    falling = lines(("q1", "a", 1, 0.9), ("q1", "b", 2, 0.1), ("q2", "c", 1, 0.5))
    at = go_to(with_own_files({"good.run": falling, "odd.run": rising}), "overview")
    said = "1 run has notes under Data that may decide its score: 'odd'."
    assert [note for note in notes(at) if "under Data" in note] == [said]


OTHER = lines(("q1", "A", 1, 2.0), ("q1", "z", 2, 1.0), ("q2", "y", 1, 1.0))


@pytest.mark.parametrize("page", PAGES)
def test_a_run_without_a_judged_document_is_named_at_the_top_of_every_page(page):
    falling = lines(("q1", "a", 1, 0.9), ("q1", "b", 2, 0.1), ("q2", "c", 1, 0.5))
    at = go_to(with_own_files({"good.run": falling, "other.run": OTHER}), page)
    said = (
        "No judged document. None of the documents that 'other' returned is judged: its score says "
        "nothing about it. Check that run and judgments use the same document ids. other: 1 "
        "document id matches a judged one but for letter case (“A” here, “a” in the judgments), "
        "and counts as unjudged."
    )
    assert notes(at)[0] == said
    assert not [note for note in notes(at) if "under Data" in note], "it is named once"


def test_several_runs_without_a_judged_document_share_a_note():
    """The first one that has a hint lends it."""
    nothing = lines(("q1", "x", 1, 2.0), ("q1", "z", 2, 1.0))
    at = go_to(with_own_files({"none.run": nothing, "other.run": OTHER}), "overview")
    assert notes(at)[0].startswith(
        "No judged document. None of the documents that 'none', 'other' returned is judged: their "
        "scores say nothing about them. Check that runs and judgments use the same document ids. "
        "other: 1 document id matches"
    )


def test_a_run_that_returned_nothing_is_no_sign_of_other_ids():
    at = go_to(with_own_files({"empty.json": b'{"q1": []}'}), "overview")
    assert not [note for note in notes(at) if note.startswith("No judged document.")]


@pytest.mark.parametrize("page", PAGES)
def test_judgments_given_as_a_run_are_named_at_the_top_of_every_page(page):
    rows = b"qid,docid,score\nq1,a,3\nq1,b,1\nq2,c,2\nq2,d,0\nq3,e,1\n"
    falling = lines(("q1", "a", 1, 0.9), ("q1", "b", 2, 0.1), ("q2", "c", 1, 0.5))
    at = go_to(with_own_files({"good.run": falling, "grades.csv": rows}), page)
    assert notes(at)[0] == (
        "Judgments given as a run. Every score of 'grades' is the document's grade, and nothing "
        "but judged documents is in it: its NDCG says nothing of a retriever. "
        "Is this the right file?"
    )
