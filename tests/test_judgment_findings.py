"""What a load report says of the judgments, counted by hand."""

import pytest

from core.grades import join
from core.judgment_findings import Bar, judgment_findings, relevant_histogram
from core.judgments import Judgments
from core.runs import Run

JUDGED = {"q1": {"a": 2, "b": 0, "c": -1}, "q2": {"a": 0, "d": 11}, "q3": {}}


def test_counts() -> None:
    """Document a is judged for two queries and counts once."""
    found = judgment_findings(Judgments.from_dict(JUDGED))
    assert found.documents == 4
    assert found.grades == ((-1, 1), (0, 2), (2, 1), (11, 1))
    assert (found.judgments, found.negative, found.unusually_high) == (5, 1, 1)
    assert found.single_grade is None
    assert found.without_positive == 1
    assert (found.never_returned, found.never_returned_share) == (None, None)


def test_grade_10_is_usual_and_11_is_not() -> None:
    assert judgment_findings(Judgments.from_dict({"q": {"a": 10}})).unusually_high == 0


@pytest.mark.parametrize(
    ("judged", "expected"),
    [({"a": 1, "b": 1}, 1), ({"a": 0}, 0), ({"a": 0, "b": 1}, None), ({}, None)],
)
def test_one_grade_for_everything(judged: dict[str, int], expected: int | None) -> None:
    assert judgment_findings(Judgments.from_dict({"q": judged})).single_grade == expected


def test_documents_that_no_run_returned() -> None:
    """A document returned for another query is not returned for this one."""
    judgments = Judgments.from_dict(JUDGED)
    runs = [
        join(Run.from_dict("one", {"q1": ["b", "x"], "q2": ["c"]}), judgments),
        join(Run.from_dict("two", {"q1": ["c"], "q2": []}), judgments),
    ]
    found = judgment_findings(judgments, runs)
    assert found.never_returned == 3, "a of q1, a and d of q2"
    assert found.never_returned_positive == 2
    assert found.never_returned_share == 3 / 5


def test_nothing_is_judged() -> None:
    judgments = Judgments.from_dict({"q1": {}})
    found = judgment_findings(judgments, [join(Run.from_dict("one", {"q1": ["a"]}), judgments)])
    assert (found.documents, found.grades, found.without_positive) == (0, (), 1)
    assert (found.never_returned, found.never_returned_share) == (0, None)


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [
        pytest.param([0, 0], [Bar(0, 0, 2)], id="none"),
        pytest.param([1], [Bar(0, 0, 0), Bar(1, 1, 1)], id="0-is-always-there"),
        pytest.param([0, 3], [Bar(0, 0, 1), *(Bar(n, n, n == 3) for n in (1, 2, 3))], id="gaps"),
        pytest.param(
            [0, 1, 2, 3, 5],
            [Bar(0, 0, 1), Bar(1, 2, 2), Bar(3, 4, 1), Bar(5, 6, 1)],
            id="wider-bars-never-hold-0",
        ),
    ],
)
def test_histogram_of_relevant_documents(relevant: list[int], expected: list[Bar]) -> None:
    judged = {
        f"q{at}": {"z": 0, "n": -1} | {f"d{n}": 1 + n for n in range(count)}
        for at, count in enumerate(relevant)
    }
    assert list(relevant_histogram(Judgments.from_dict(judged), bars=4)) == expected
