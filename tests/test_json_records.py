"""JSON documents of objects: a list of them, and a map of queries to lists of them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_back import ODD_IDS, Rows, judgments_of, message, rows_of

from core.formats import read_judgments, read_run, read_runs
from core.judgments import Judgments
from core.runs import Run

LIST, MAP = "JSON list of objects", "JSON {query: [object, …]}"
ids = st.one_of(st.sampled_from(ODD_IDS), st.text(min_size=1))
finite = st.floats(allow_nan=False, allow_infinity=False)


def written(document: object) -> bytes:
    return (document if isinstance(document, str) else json.dumps(document, indent=1)).encode()


def run_of(document: object, **how: Any) -> Run:
    return read_run(written(document), source="f.json", **how)


def qrels_of(document: object, **how: Any) -> Judgments:
    return read_judgments(written(document), name="f.json", **how)


@given(
    results=st.dictionaries(
        ids, st.lists(st.tuples(ids, finite), min_size=1, max_size=4), min_size=1
    )
)
def test_every_shape_comes_back(results: dict[str, list[tuple[str, float]]]) -> None:
    objects = {
        query: [{"id": document, "score": score} for document, score in listed]
        for query, listed in results.items()
    }
    rows = {
        query: [(document, score, None) for document, score in listed]
        for query, listed in results.items()
    }
    flat = [
        {"query_id": query, "doc_id": document, "score": score}
        for query, listed in results.items()
        for document, score in listed
    ]
    nested = [{"query_id": query, "results": listed} for query, listed in objects.items()]
    for document, title in ((objects, MAP), (flat, LIST), (nested, LIST)):
        run = run_of(document, format="json")
        assert rows_of(run) == rows
        assert (run.name, run.format, run.notices) == ("f", title, ())


# Shapes that people have

ONE: Rows = {"q": [("b", 2.0, None), ("a", 1.0, None)]}


@pytest.mark.parametrize(
    ("document", "rows"),
    [
        pytest.param(
            {"q": [{"doc_id": "b", "score": 2}, {"doc_id": "a", "score": 1}]}, ONE, id="map"
        ),
        pytest.param(
            {"q": [{"chunk-id": "b", "similarity": 2, "text": "…"}, {"id": "a", "score": 1}]},
            ONE,
            id="names-as-people-write-them",
        ),
        pytest.param(
            {"q": [{"query_id": "q", "id": "b", "score": 2}, {"qid": "q", "id": "a", "score": 1}]},
            ONE,
            id="objects-that-name-the-query-as-well",
        ),
        pytest.param(
            {"q": [{"id": "b", "score": 2}], "p": {"a": 1}, "r": []},
            {"q": [("b", 2.0, None)], "p": [("a", 1.0, None)], "r": []},
            id="a-map-and-an-empty-list-among-them",
        ),
        pytest.param(
            {"q": [{"id": "b", "rank": 1}, {"id": "a", "rank": 2}]},
            {"q": [("b", None, 1), ("a", None, 2)]},
            id="ranks",
        ),
        pytest.param(
            {"q": [{"id": "b"}, "a"]}, {"q": [("b", None, None), ("a", None, None)]}, id="as-listed"
        ),
        pytest.param(
            [{"qid": "q", "docno": "b", "score": 2}, {"qid": "q", "docno": "a", "score": 1}],
            ONE,
            id="list",
        ),
        pytest.param([{"qid": "q", "hits": {"b": 2, "a": 1}}], ONE, id="list-of-maps"),
        pytest.param([{"qid": "q", "ids": ["b", "a"], "scores": [2, 1]}], ONE, id="scores-beside"),
    ],
)
def test_shape_of_a_run(document: object, rows: Rows) -> None:
    assert rows_of(run_of(document)) == rows


@pytest.mark.parametrize(
    "document",
    [
        {"q": [{"id": "b", "relevance": 2}, {"id": "a", "relevance": 0}], "p": []},
        {"q": [{"docid": "b", "label": 2.0}, {"docid": "a", "grade": 0}], "p": {}},
        [{"qid": "q", "qrels": {"b": 2, "a": 0}}, {"qid": "p", "qrels": []}],
    ],
    ids=["map", "other-names", "list"],
)
def test_shape_of_judgments(document: object) -> None:
    assert judgments_of(qrels_of(document)) == {"q": {"b": 2, "a": 0}, "p": {}}


def test_a_list_may_name_several_systems() -> None:
    document = [
        {"run": run, "query_id": "q", "doc_id": "a", "score": score}
        for run, score in (("x", 1), ("y", 2))
    ]
    x, y = read_runs(written(document), source="f.json")
    assert (x.name, rows_of(x)) == ("x", {"q": [("a", 1.0, None)]})
    assert (y.name, rows_of(y)) == ("y", {"q": [("a", 2.0, None)]})


def test_columns_as_named() -> None:
    """A map of queries has no key for the query, so that none of that meaning is used."""
    columns = {"score": "-far", "query": "topic"}
    run = run_of({"q": [{"id": "b", "far": 1}]}, columns=columns)
    assert rows_of(run) == {"q": [("b", -1.0, None)]}
    assert run.columns == {"score": "-far"}
    assert run.notices == ("f.json: columns as named: score=-far.",)
    run = run_of([{"topic": "q", "id": "x", "doc_id": "b", "far": 1}], columns=columns)
    assert rows_of(run) == {"q": [("b", -1.0, None)]}
    assert run.columns == columns
    assert message(lambda: run_of({"q": {"b": 1}}, columns=columns)) == (
        "f.json: the columns of this format (JSON {query: {document: score}}) have no names, and "
        "--run-column score=-far names one. "
        "Leave out --run-column for it, or give the file a header line."
    )


def test_whole_numbers_are_ids() -> None:
    run = run_of({"q": [{"id": 7, "score": 1}]})
    assert rows_of(run) == {"q": [("7", 1.0, None)]}
    assert run.notices == ("f.json: 1 id was a whole number, taken as text as written.",)


# Bad input

BAD_RUNS = [
    ("score-text", {"q": [{"id": "b", "score": 1}, {"id": "a", "score": "x"}]},
     "f.json, line 7, query 'q', entry 2, document 'a': score \"x\" is not a number. "
     "Give a finite number."),
    ("score-null", [{"qid": "q", "results": [{"id": "a", "score": None}]}],
     "f.json, line 5, object 1, entry 1: score null is not a number. "
     "Give a finite score, or say --run-column score= to go by the order of the list."),
    ("score-nan", '{"q": [{"id": "b", "score": NaN}]}',
     "f.json, line 1, query 'q', entry 1, document 'b': score NaN is not finite. "
     "Give a finite number."),
    ("score-missing", {"q": [{"id": "b", "score": 1}], "p": [{"id": "a"}]},
     "f.json, line 9, query 'p', entry 1: no score, but other results have one. "
     "Give every result a score, or none."),
    ("key-twice", '{"q": [{"id": "b", "id": "c"}]}',
     "f.json, line 1, within 'q', entry 1: the key 'id' stands twice in one object. "
     "Keep one of the two."),
    ("query-twice", '{"q": [{"id": "b"}], "q": [{"id": "c"}]}',
     "f.json, line 1: the key 'q' stands twice in one object. Keep one of the two."),
    ("list-twice", [{"qid": "q", "ids": ["a"]}, {"qid": "q", "ids": ["b"]}],
     "f.json, line 8, object 2: query 'q' has a list in object 1, too. Keep one of the two."),
    ("lone-surrogate", '{"q": [{"id": "\\ud800"}]}',
     "f.json, line 1, query 'q', entry 1: the id '\\ud800' holds a lone surrogate, which is not a "
     "character. Write the file again with correct text."),
    ("lone-surrogate-in-a-query", '{"\\ud800": [{"id": "a"}]}',
     "f.json, line 1, query '\\ud800': the id '\\ud800' holds a lone surrogate, which is not a "
     "character. Write the file again with correct text."),
    ("empty-query", {"": [{"id": "a"}]},
     "f.json, line 2, query '': an empty id. Give every query and document an id."),
    ("no-document", {"q": [{"text": "b", "score": 1}]},
     "f.json, line 3, query 'q', entry 1: no column for the document among 'score', 'text', "
     "expected one "
     "such as doc_id, docno or corpus-id. "
     "Name it so, or say which it is: --run-column document=COLUMN."),
    ("list-in-a-list", {"q": [{"id": "b"}, ["c"]]},
     "f.json, line 6, query 'q', entry 2: expected a document, found [\"c\"]. "
     "Give ids, pairs [id, score], or objects with id and score, best first."),
    ("no-documents", {"q": [{"id": "b"}], "p": None},
     "f.json, line 7, query 'p': expected documents, found null. "
     "Give a list of objects with id and score."),
    ("list-under-a-name", {"results": [{"query_id": "q", "doc_id": "a", "score": 1}]},
     "f.json, line 3, query 'results', entry 1: the object is of query 'q'. "
     "Write the list of objects alone."),
    ("no-object", [{"qid": "q", "ids": []}, ["q", "d", 1]],
     'f.json, line 6, object 2: expected an object, found ["q", "d", 1]. '
     'Give objects: {"query_id": …, "doc_id": …, "score": …}.'),
    ("no-value", [{"qid": "q", "docid": "a"}],
     "f.json, line 2, object 1: no column for a score or a rank among 'docid', 'qid', expected "
     "one such "
     "as score, similarity or rank. Add one, or say which it is: --run-column score=COLUMN "
     "(score=-COLUMN where smaller is better)."),
]  # fmt: skip
BAD_QRELS = [
    ("no-grade", {"q": [{"id": "b", "grade": 1}, "c"]},
     "f.json, line 7, query 'q', entry 2: document 'c' has no grade, expected a whole number. "
     "Give each document its grade: {id: grade}."),
    ("fraction", {"q": [{"id": "b", "grade": 1.5}]},
     "f.json, line 3, query 'q', entry 1, document 'b': grade 1.5 is not a whole number. "
     "Grades are whole numbers; map fractions to whole grades first."),
    ("no-documents", {"q": [{"id": "b", "grade": 1}], "p": "b"},
     "f.json, line 8, query 'p': expected documents, found \"b\". "
     "Give a list of objects with id and grade."),
    ("contradiction-in-a-map", {"q": [{"id": "b", "grade": 2}, {"id": "b", "grade": 0}]},
     "f.json, entry 2: query 'q' judges document 'b' as grade 0, and as grade 2 in entry 1. "
     "Keep one of the two."),
    ("contradiction-in-a-list",
     [{"qid": "q", "docid": "b", "grade": 2}, {"qid": "q", "docid": "b", "grade": 0}],
     "f.json, object 2: query 'q' judges document 'b' as grade 0, and as grade 2 in object 1. "
     "Keep one of the two."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("document", "expected"), [pytest.param(*case, id=name) for name, *case in BAD_RUNS]
)
def test_bad_run(document: object, expected: str) -> None:
    assert message(lambda: run_of(document, format="json")) == expected


@pytest.mark.parametrize(
    ("document", "expected"), [pytest.param(*case, id=name) for name, *case in BAD_QRELS]
)
def test_bad_judgments(document: object, expected: str) -> None:
    assert message(lambda: qrels_of(document, format="json")) == expected


def test_an_empty_list_holds_nothing() -> None:
    assert message(lambda: run_of("[]", format="json")) == (
        "f.json: no results found. Is this the right file?"
    )
    assert message(lambda: qrels_of("[]", format="json")) == (
        "f.json: no judgments found. Is this the right file?"
    )
