"""Lists of pairs, `[["d1", 0.9], ["d2", 0.8]]`, in runs and judgments."""

import json
from typing import Any

import pytest
from read_back import judgments_of, message, rows_of

from core.formats import read_judgments, read_run
from core.runs import Run

TWO = {"q": [("b", 0.9, None), ("a", 0.8, None)]}
SHAPE = "Give ids, pairs [id, score], or objects with id and score, best first."


def run_of(content: Any, name: str = "f.json", **columns: str) -> Run:
    return read_run(json.dumps(content).encode(), source=name, columns=columns)


def test_map_of_pairs() -> None:
    run = run_of({"q": [["b", 0.9], ["a", 0.8]]})
    assert rows_of(run) == TWO
    assert run.format == "JSON {query: [[document, score], …]}"
    assert run.notices == ("f.json: 2 pairs read as document and score.",)


def test_pairs_on_lines() -> None:
    run = run_of({"qid": "q", "results": [["b", 0.9], ["a", 0.8]]}, "f.jsonl")
    assert rows_of(run) == TWO
    assert run.notices == ("f.jsonl: 2 pairs read as document and score.",)


def test_pairs_beside_objects_and_maps() -> None:
    run = run_of({"q": [["b", 0.9], {"id": "a", "score": 0.8}], "p": {"a": 1}, "r": []})
    assert rows_of(run) == {**TWO, "p": [("a", 1.0, None)], "r": []}
    assert run.format == "JSON {query: [object, …]}"


def test_pairs_of_judgments_stand_in_any_order() -> None:
    found = read_judgments(b'{"q": [["a", 0], ["b", 2]]}', name="f.json")
    assert judgments_of(found) == {"q": {"a": 0, "b": 2}}
    assert found.format == "JSON {query: [[document, grade], …]}"
    assert found.notices == ("f.json: 2 pairs read as document and grade.",)


def test_pairs_of_what_may_be_texts_are_asked_about() -> None:
    content = {"qid": "q", "passages": [["b", 0.9], ["a", 0.8]]}
    assert message(lambda: run_of(content, "f.jsonl")) == (
        "f.jsonl, line 1: 'passages' holds plain text, which may be ids or passages. "
        "If these are ids, say so: --run-column list=passages."
    )
    assert rows_of(run_of(content, "f.jsonl", list="passages")) == TWO


def test_rising_numbers_may_be_distances() -> None:
    """The remedy works: each pair written as an object, and the distance named."""
    assert message(lambda: run_of({"q": [["b", 0.1], ["a", 0.2]]})) == (
        "f.json, line 1, query 'q', entry 2: the numbers of the pairs rise from 0.1 to 0.2, "
        "expected the largest first. If larger is better, sort them. If smaller is better, write "
        '{"id": …, "distance": …} for each pair and say so: --run-column score=-distance.'
    )
    content = {"q": [{"id": "b", "distance": 0.1}, {"id": "a", "distance": 0.2}]}
    assert rows_of(run_of(content, score="-distance")) == {
        "q": [("b", -0.1, None), ("a", -0.2, None)]
    }


@pytest.mark.parametrize(
    "pair",
    [
        '[0.9, "a"]', "[7, 0.9]", '["a", 0.9, 1]', '["a"]', "[]", '["a", "0.9"]', '["a", true]',
        '["a", null]', '[["a", 0.9], ["b", 0.8]]', '[{"text": "a"}, 0.9]',
    ],
)  # fmt: skip
def test_what_is_no_pair(pair: str) -> None:
    content = {"q": [["b", 1.0], json.loads(pair)]}
    assert message(lambda: run_of(content)) == (
        f"f.json, line 1, query 'q', entry 2: expected a document, found {pair}. {SHAPE}"
    )


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ('["a", NaN]', "document 'a': score NaN is not finite. Give a finite number."),
        ('["a", 1e999]',
         "document 'a': score Infinity is not finite. Give a finite number, below 1.8e308."),
    ],
)  # fmt: skip
def test_a_score_that_is_not_finite(pair: str, expected: str) -> None:
    data = f'{{"q": [{pair}]}}'.encode()
    assert message(lambda: read_run(data, source="f.json")) == (
        f"f.json, line 1, query 'q', entry 1, {expected}"
    )
