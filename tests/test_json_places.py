"""Where things stand in JSON: against documents whose every line is known."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_back import message

from core.formats import read_judgments, read_run
from core.formats.json_places import Path, line_of, long_number, repeated_key, walked

texts = st.text(max_size=4) | st.sampled_from(['"', "\\", '\\"', "{", "[,]", ":", "\n"])
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)


def paths_of(document: Any, path: Path = ()) -> Iterator[Path]:
    """Every path of a document, in the order of its text."""
    yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from paths_of(value, (*path, key))
    if isinstance(document, list):
        for at, value in enumerate(document):
            yield from paths_of(value, (*path, at))


@given(document=documents, indent=st.sampled_from([None, 1]))
def test_every_path_is_walked_once(document: Any, indent: int | None) -> None:
    text = json.dumps(document, indent=indent)
    assert [found.path for found in walked(text) if not found.is_key] == list(paths_of(document))


@given(document=documents, indent=st.sampled_from([None, 1]))
def test_line_of_each_path(document: Any, indent: int | None) -> None:
    """The parser that skips finds what the walk finds; with an indent, nearly each on its line."""
    text = json.dumps(document, indent=indent)
    for found in walked(text):
        assert line_of(text, found.path) == found.line


def test_a_path_that_is_not_there_leads_to_what_holds_it() -> None:
    assert line_of('{\n"a":\n{"b": 1}}', ("a", "c", 0)) == 3


def test_the_first_repeated_key_is_found() -> None:
    found = repeated_key('{"a": {"x": 1},\n "b": {"x": 1},\n "c": [{"y": 1, "z": 2,\n "y": 3}]}')
    assert (found.line, found.path) == (4, ("c", 0, "y"))


def test_the_first_long_number_is_found() -> None:
    found = long_number('["12345", 123.45,\n -1234, {"a":\n -12345}]', 4)
    assert (found.line, found.path) == (3, (3, "a"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            '[\n{"qid": "q", "docid": "a", "score": 1},\n{"qid": "q", "docid": "b", "score": NaN}]',
            "f.json, line 3, object 2, query 'q', document 'b': score NaN is not finite. "
            "Give a finite number.",
            id="list-of-results",
        ),
        pytest.param(
            '[{"qid": "q", "hits": [{"id": "a",\n "score": 1},\n {"id": "b", "score": 1e999}]}]',
            "f.json, line 3, object 1, entry 2, query 'q', document 'b': score Infinity is not "
            "finite. Give a finite number, below 1.8e308.",
            id="list-in-a-list",
        ),
        pytest.param(
            '[{"qid": "q", "hits": {"a": 1,\n "b": null}}]',
            "f.json, line 2, object 1, entry 2: score null is not a number. Give a finite score.",
            id="map-in-a-list",
        ),
        pytest.param(
            '{"q": {"a": 1,\n "b": -Infinity}}',
            "f.json, line 2, query 'q', document 'b': score -Infinity is not finite. "
            "Give a finite number, below 1.8e308.",
            id="map",
        ),
        pytest.param(
            '[{"qid": "q",\n "docid": "a", "score": 1, "more": [{"x": 1,\n "x": 2}]}]',
            "f.json, line 3, within entry 1, 'more', entry 1: the key 'x' stands twice in one "
            "object. Keep one of the two.",
            id="key-twice",
        ),
    ],
)
def test_line_query_and_document_of_a_refusal(text: str, expected: str) -> None:
    assert message(lambda: read_run(text.encode(), source="f.json", format="json")) == expected


def test_not_a_number_is_no_matter_where_nobody_reads_it() -> None:
    text = '{"q": [{"id": "a", "score": 1, "seconds": NaN}]}'
    run = read_run(text.encode(), source="f.json")
    assert run.notices == ("f.json: 1 column not used ('seconds').",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            '"x"',
            "f.json: a JSON value, expected one object. Give {query: {document: grade}}.",
            id="value",
        ),
        pytest.param(
            '[{"qid": "q", "docid": "a", "grade": 1},\n3]',
            "f.json, line 2, object 2: expected an object, found 3. "
            'Give objects: {"query_id": …, "doc_id": …, "grade": …}.',
            id="list",
        ),
        pytest.param(
            '{"q": [{"id": "a", "grade": 1},\n{"id": "b", "grade": null}]}',
            "f.json, line 2, query 'q', entry 2: grade null is not a number. Give a whole number.",
            id="null",
        ),
        pytest.param(
            '{"q": [{"id": "a", "grade": 1},\n["b"]]}',
            "f.json, line 2, query 'q', entry 2: expected a document, found [\"b\"]. "
            "Give pairs [id, grade], or objects with id and grade.",
            id="list-in-a-list",
        ),
    ],
)
def test_judgments_have_grades(text: str, expected: str) -> None:
    found = message(lambda: read_judgments(text.encode(), name="f.json", format="json"))
    assert found == expected


def test_json_lines_of_judgments_have_grades() -> None:
    assert message(lambda: read_judgments(b"3", name="f.jsonl", format="jsonl")) == (
        "f.jsonl, line 1: expected an object, found 3. "
        'Write one object a line: {"query_id": …, "doc_id": …, "grade": …}.'
    )
