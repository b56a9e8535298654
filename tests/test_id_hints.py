"""Ids that match only after trimming or case-folding: counted by hand."""

import pytest

from core.id_hints import NearMatches, id_hints, query_hints
from core.judgments import Judgments
from core.runs import Run


def documents(ours: list[str], judged: list[str]) -> NearMatches:
    run = Run.from_dict("run", {"q": ours})
    return id_hints(run.blocks, Judgments.from_dict({"q": dict.fromkeys(judged, 1)})).documents


@pytest.mark.parametrize(
    ("ours", "judged", "trimmed", "folded"),
    [
        pytest.param(["a"], ["a"], 0, 0, id="equal"),
        pytest.param(["a"], ["b"], 0, 0, id="different"),
        pytest.param(["a "], ["a"], 1, 0, id="white-space-in-the-run"),
        pytest.param(["a"], ["\ta"], 1, 0, id="white-space-in-the-judgments"),
        pytest.param(["\u00a0a"], ["a"], 1, 0, id="no-break-space"),
        pytest.param(["a b"], ["ab"], 0, 0, id="inner-white-space-is-part-of-an-id"),
        pytest.param(["A"], ["a"], 0, 1, id="case"),
        pytest.param(["STRASSE"], ["straße"], 0, 1, id="case-beyond-ascii"),
        pytest.param([" A"], ["a"], 0, 1, id="both"),
        pytest.param(["a", "A"], ["a"], 0, 0, id="matched-already"),
        pytest.param(["A", "A"], ["a"], 0, 1, id="repeats-count-once"),
        pytest.param(["a ", "B", "c"], ["a", "b", "c"], 1, 1, id="each-kind"),
    ],
)
def test_documents(ours: list[str], judged: list[str], trimmed: int, folded: int) -> None:
    found = documents(ours, judged)
    assert (found.trimmed, found.folded, found.total) == (trimmed, folded, trimmed + folded)


def test_three_examples_as_both_write_them() -> None:
    found = documents([f"D{n}" for n in range(5)], [f"d{n}" for n in range(5)])
    assert found.examples == (("D0", "d0"), ("D1", "d1"), ("D2", "d2"))
    assert found.folded == 5


def test_documents_are_compared_within_their_query() -> None:
    run = Run.from_dict("run", {"q1": ["A"], "q2": ["b"]})
    judgments = Judgments.from_dict({"q1": {"x": 1}, "q2": {"a": 1}})
    assert id_hints(run.blocks, judgments).documents.total == 0


def test_queries() -> None:
    run = Run.from_dict("run", {"Q1": ["a"], "q2": ["a"], "q3 ": [], "other": []})
    judgments = Judgments.from_dict({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}})
    found = id_hints(run.blocks, judgments)
    assert found.queries == NearMatches(1, 1, (("Q1", "q1"), ("q3 ", "q3")))
    assert query_hints(run.blocks, judgments) == found.queries
    assert (found.looked_at, found.results, found.in_part) == (1, 1, False)


def test_a_large_run_is_looked_at_in_part_and_says_so() -> None:
    """A query that is too large for what is left is passed over, a smaller one is not."""
    run = Run.from_dict("run", {"q1": ["A", "b"], "q2": ["A", "b", "c"], "q3": ["A"]})
    judgments = Judgments.from_dict({query: {"a": 1} for query in ("q1", "q2", "q3")})
    found = id_hints(run.blocks, judgments, rows=3)
    assert (found.looked_at, found.results, found.in_part) == (3, 6, True)
    assert found.documents.folded == 2


def test_a_run_without_results() -> None:
    found = id_hints((), Judgments.from_dict({"q": {"a": 1}}))
    assert (found.documents, found.looked_at, found.in_part) == (NearMatches(), 0, False)
