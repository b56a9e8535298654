"""Which runs the overview warns of."""

import pytest
from app_driver import go_to, notes, with_own_files

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
