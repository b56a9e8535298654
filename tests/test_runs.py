"""Runs: results as given, and queries told in several places brought together."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks import Block, RunBlock, regrouped, tells_each_query_once
from core.errors import RunError
from core.ids import Ids, stretches
from core.regrouping import regrouped_in_parts
from core.runs import Run
from core.spool import Spool

Row = tuple[str, float | None, int | None]
Rows = dict[str, list[Row]]


def block_of(segments: list[tuple[str, list[Row]]], *, scored: bool, ranked: bool) -> RunBlock:
    """A block as a reader makes it: one entry a stretch, a query may come back."""
    rows = [row for _, listed in segments for row in listed]
    return RunBlock(
        query_ids=tuple(query for query, _ in segments),
        starts=np.cumsum([0, *(len(listed) for _, listed in segments)]),
        documents=Ids.from_strings(document for document, _, _ in rows),
        scores=np.array([score for _, score, _ in rows], dtype=np.float64) if scored else None,
        ranks=np.array([rank for _, _, rank in rows], dtype=np.int32) if ranked else None,
    )


def rows_of(blocks: Sequence[Block]) -> Rows:
    """Every query with its rows; each query stands in exactly one block."""
    rows: Rows = {}
    for block in (one.loaded() for one in blocks):
        documents = list(block.documents)
        none = [None] * len(documents)
        scores = none if block.scores is None else block.scores.tolist()
        ranks = none if block.ranks is None else block.ranks.tolist()
        listed = list(zip(documents, scores, ranks, strict=True))
        for query, (begin, end) in zip(
            block.query_ids, pairwise(block.starts.tolist()), strict=True
        ):
            assert query not in rows
            rows[query] = listed[begin:end]
    return rows


@st.composite
def told_in_places(
    draw: st.DrawFn,
) -> tuple[list[list[tuple[str, list[Row]]]], bool, bool]:
    """Blocks of stretches, with or without scores and ranks."""
    scored, ranked = draw(st.booleans()), draw(st.booleans())
    row = st.tuples(
        st.sampled_from(["a", "b", "é", "document-1"]),
        st.floats(-5, 5) if scored else st.none(),
        st.integers(0, 9) if ranked else st.none(),
    )
    stretch = st.tuples(st.sampled_from(["q1", "q2", "q3"]), st.lists(row, max_size=3))
    blocks = draw(st.lists(st.lists(stretch, max_size=4), min_size=1, max_size=4))
    return blocks, scored, ranked


@given(told_in_places(), st.sampled_from([0, 1, 2, 3, 9]))
def test_rows_of_a_query_come_together_in_listed_order(
    told: tuple[list[list[tuple[str, list[Row]]]], bool, bool], rows: int
) -> None:
    """At once, and in parts of about so many rows, all of which lie on the disk."""
    blocks, scored, ranked = told
    expected: Rows = {}
    for block in blocks:
        for query, listed in block:
            expected.setdefault(query, []).extend(listed)
    told_apart = [block_of(block, scored=scored, ranked=ranked) for block in blocks]
    whole: Sequence[Block] = regrouped(told_apart)
    if rows:
        whole = list(regrouped_in_parts(told_apart, Spool(most=0), rows=rows))
    assert tells_each_query_once(whole)
    assert rows_of(whole) == expected
    assert [one for block in whole for one in block.query_ids] == list(expected)


def test_whether_blocks_tell_each_query_once() -> None:
    one = block_of([("q1", [("a", 1.0, 1)])], scored=True, ranked=True)
    other = block_of([("q2", [("a", 1.0, 1)])], scored=True, ranked=True)
    assert tells_each_query_once([one, other])
    assert not tells_each_query_once([one, other, one])


@given(st.lists(st.tuples(st.sampled_from(["q1", "q2", "é", "query-10"]), st.integers(0, 9))))
def test_rows_with_a_query_each_come_together(rows: list[tuple[str, int]]) -> None:
    expected: Rows = {}
    for query, rank in rows:
        expected.setdefault(query, []).append((f"d{rank}", None, rank))
    block = RunBlock.from_rows(
        Ids.from_strings(query for query, _ in rows),
        Ids.from_strings(f"d{rank}" for _, rank in rows),
        None,
        np.array([rank for _, rank in rows], dtype=np.int32),
    )
    assert list(block.query_ids) == list(expected)
    assert rows_of([block]) == expected


def test_many_rows_are_cut_into_blocks_of_whole_queries() -> None:
    """Three queries told in turns, 150,000 rows in all."""
    queries = [f"q{number % 3}" for number in range(150_000)]
    block = RunBlock(
        query_ids=tuple(queries),
        starts=np.arange(150_001),
        documents=Ids.from_strings(f"d{number}" for number in range(150_000)),
        scores=np.arange(150_000, dtype=np.float64),
        ranks=None,
    )
    whole = regrouped([block])
    assert len(whole) > 1
    assert rows_of(whole) == {
        f"q{at}": [(f"d{number}", float(number), None) for number in range(at, 150_000, 3)]
        for at in range(3)
    }


@pytest.mark.parametrize(
    ("begin", "size", "expected"),
    [
        ([], [], []),
        ([5], [3], [5, 6, 7]),
        ([5, 0, 9], [2, 0, 1], [5, 6, 9]),
        ([3, 3], [2, 2], [3, 4, 3, 4]),
        ([9, 0], [0, 0], []),
    ],
)
def test_stretches_follow_one_another(
    begin: list[int], size: list[int], expected: list[int]
) -> None:
    found = stretches(np.array(begin, dtype=np.int64), np.array(size, dtype=np.int64))
    assert found.tolist() == expected


def test_run_with_scores() -> None:
    run = Run.from_dict("bm25", {"q1": {"a": 2, "b": 1.5}, "q2": {}, "q3": {"a": -1}})
    assert rows_of(run.blocks) == {
        "q1": [("a", 2.0, None), ("b", 1.5, None)],
        "q2": [],
        "q3": [("a", -1.0, None)],
    }
    assert (run.name, run.source) == ("bm25", "bm25")
    assert run.result_count == 3
    assert (run.has_scores, run.has_ranks) == (True, False)


def test_run_of_lists_keeps_repeats_and_has_no_scores() -> None:
    run = Run.from_dict("dense", {"q1": ["b", "a", "b"], "q2": []}, source="dense.json")
    assert rows_of(run.blocks) == {
        "q1": [("b", None, None), ("a", None, None), ("b", None, None)],
        "q2": [],
    }
    assert run.source == "dense.json"
    assert (run.has_scores, run.has_ranks) == (False, False)


def test_empty_queries_go_with_scores_and_with_lists() -> None:
    assert not Run.from_dict("r", {"q1": ["a"], "q2": {}}).has_scores
    assert Run.from_dict("r", {"q1": {"a": 1.0}, "q2": []}).has_scores


@pytest.mark.parametrize(
    ("results", "message"),
    [
        pytest.param(
            {"q1": {"a": 1.0}, "q2": ["a"]},
            "r.json: some queries have scores and some are plain lists. "
            "Give every query scores, or none.",
            id="partly-scored",
        ),
        pytest.param(
            {"q1": {"a": float("nan")}}, "r.json: score nan is not a finite number.", id="nan"
        ),
        pytest.param(
            {"q1": {"a": 1.0}, "q2": {"a": float("-inf")}},
            "r.json: score -inf is not a finite number.",
            id="infinite",
        ),
    ],
)
def test_run_that_cannot_be_ranked(
    results: dict[str, dict[str, float] | list[str]], message: str
) -> None:
    with pytest.raises(RunError) as error:
        Run.from_dict("r", results, source="r.json")
    assert str(error.value) == message


def test_one_query_is_found_as_a_block() -> None:
    run = Run.from_dict("r", {"q1": ["a", "b"], "q2": ["c"]})
    block = run.block_of("q2")
    assert block is not None
    assert rows_of((block,)) == {"q2": [("c", None, None)]}
    assert run.block_of("q3") is None


def test_run_under_another_name_is_the_same_run() -> None:
    run = Run.from_dict("r", {"q1": ["a"]}, source="r.json")
    other = run.named("baseline")
    assert (other.name, other.source, other.blocks) == ("baseline", "r.json", run.blocks)
    assert run.name == "r"


@pytest.mark.parametrize("results", [{"q": {7: 1.0}}, {"q": {"d": "1"}}, {"q": {"d": True}}])
def test_run_of_other_values_is_refused(results: dict[str, dict[str, float]]) -> None:
    with pytest.raises(RunError):
        Run.from_dict("r", results)
