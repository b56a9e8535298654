"""Objects within objects, as frameworks and search engines export them."""

import json
from typing import Any

import pytest
from read_back import judgments_of, message, rows_of

from core.formats import read_judgments, read_run
from core.runs import Run

PASSAGE = {
    "page_content": "…",
    "metadata": {"id": "a", "source": "f.pdf", "page": 3},
    "score": 0.5,
}
NODE = {
    "node": {"id_": "a", "metadata": {"file_name": "f.pdf"}, "text": "…"},
    "score": 0.5,
    "class_name": "NodeWithScore",
}
DOCUMENT = {"id": "a", "content": "…", "meta": {"name": "f.pdf"}, "score": 0.5}
HIT = {"_index": "i", "_id": "a", "_score": 0.5, "_source": {"title": "…", "id": "x"}}
ANSWER = {
    "took": 3,
    "_shards": {"total": 1},
    "hits": {"total": {"value": 1}, "max_score": 0.5, "hits": [HIT]},
}
NO_ANSWER = {"took": 3, "hits": {"total": {"value": 0}, "max_score": None, "hits": []}}
ONE = {"q": [("a", 0.5, None)]}


def run_of(content: Any, name: str = "f.jsonl", **columns: str) -> Run:
    data = json.dumps(content, indent=1 if name == "f.json" else None).encode()
    return read_run(data, source=name, columns=columns)


@pytest.mark.parametrize(
    ("document", "name"),
    [
        pytest.param({"query_id": "q", "source_nodes": [NODE]}, "f.jsonl", id="nodes-a-line"),
        pytest.param({"query_id": "q", **NODE}, "f.jsonl", id="node-a-line"),
        pytest.param({"q": [NODE]}, "f.json", id="nodes-by-query"),
        pytest.param({"q": {"response": "…", "source_nodes": [NODE]}}, "f.json", id="response"),
        pytest.param({"query_id": "q", "documents": [DOCUMENT]}, "f.jsonl", id="documents"),
        pytest.param({"q": [DOCUMENT]}, "f.json", id="documents-by-query"),
        pytest.param({"query_id": "q", "hits": [HIT]}, "f.jsonl", id="hits-a-line"),
        pytest.param({"query_id": "q", **HIT}, "f.jsonl", id="hit-a-line"),
        pytest.param([{"query_id": "q", **HIT}], "f.json", id="list-of-hits"),
        pytest.param({"q": [HIT]}, "f.json", id="hits-by-query"),
        pytest.param({"q": ANSWER}, "f.json", id="answers-by-query"),
        pytest.param({"q": ANSWER["hits"]}, "f.json", id="answers-cut-down"),
        pytest.param({"query_id": "q", **ANSWER}, "f.jsonl", id="answer-a-line"),
        pytest.param([{"query_id": "q", **ANSWER}], "f.json", id="list-of-answers"),
    ],
)
def test_what_only_one_key_can_mean_is_read(document: Any, name: str) -> None:
    assert rows_of(run_of(document, name)) == ONE


def test_an_answer_without_hits_is_an_empty_list() -> None:
    assert rows_of(run_of({"q": ANSWER, "p": NO_ANSWER}, "f.json")) == {**ONE, "p": []}


def test_hits_in_another_order_have_no_score() -> None:
    """The remedy works: the list is read in its order."""
    hits = [{**HIT, "_score": None}, {**HIT, "_id": "b", "_score": None}]
    assert message(lambda: run_of({"query_id": "q", "hits": hits})) == (
        "f.jsonl, line 1: score null is not a number. "
        "Give a finite score, or say --run-column score= to go by the order of the list."
    )
    run = run_of({"query_id": "q", "hits": hits}, score="")
    assert rows_of(run) == {"q": [("a", None, None), ("b", None, None)]}


def test_keys_that_nobody_reads_are_named_with_the_way_to_them() -> None:
    assert run_of({"q": [NODE]}, "f.json").notices == (
        "f.json: 3 columns not used ('class_name', 'node.metadata.file_name', 'node.text').",
    )


@pytest.mark.parametrize(
    ("document", "name", "columns"),
    [
        pytest.param({"q": [PASSAGE]}, "f.json", {"document": "metadata.id"}, id="by-query"),
        pytest.param(
            {"query_id": "q", "results": [PASSAGE]},
            "f.jsonl",
            {"document": "metadata.id"},
            id="list-a-line",
        ),
        pytest.param(
            {"query_id": "q", **PASSAGE}, "f.jsonl", {"document": "metadata.id"}, id="one-a-line"
        ),
        pytest.param(
            {"topic": {"id": "q"}, "doc_id": "a", "score": 0.5},
            "f.jsonl",
            {"query": "topic.id"},
            id="query",
        ),
        pytest.param(
            {"query_id": "q", "results": [{"id": "a", "scores": {"dense": 0.5, "sparse": 2}}]},
            "f.jsonl",
            {"score": "scores.dense"},
            id="one-of-several-scores",
        ),
        pytest.param(
            {"query_id": "q", "results": [{"node": {"id_": "a", "distance": -0.5}}]},
            "f.jsonl",
            {"score": "-node.distance"},
            id="distance",
        ),
        pytest.param(
            {"query_id": "q", "response": ANSWER},
            "f.jsonl",
            {"list": "response.hits.hits"},
            id="list",
        ),
        pytest.param(
            {"q": {"top": [DOCUMENT]}}, "f.json", {"list": "top"}, id="list-of-a-map-of-objects"
        ),
    ],
)
def test_an_inner_key_may_be_named(document: Any, name: str, columns: dict[str, str]) -> None:
    run = run_of(document, name, **columns)
    assert rows_of(run) == ONE
    assert run.columns == columns


def test_objects_that_differ_within_are_read_each_by_their_own_keys() -> None:
    results = [
        {"node": {"id_": "b", "text": "…"}, "score": 2},
        {"node": {"text": "…", "id_": "a"}, "score": 1},
        {"id": "c", "score": 0.5},
    ]
    assert rows_of(run_of({"q": results}, "f.json")) == {
        "q": [("b", 2.0, None), ("a", 1.0, None), ("c", 0.5, None)]
    }


def test_a_map_of_documents_stays_one() -> None:
    """Its ids may hold full stops, and beside it objects may have to be unfolded."""
    document = {"query": {"id": "q"}, "results": {"a.b": 2, "c": 1}}
    assert rows_of(run_of(document, query="query.id")) == {
        "q": [("a.b", 2.0, None), ("c", 1.0, None)]
    }


def test_an_empty_object_has_nothing_to_unfold() -> None:
    data = b'{"qid": "q", "hits": {"a": 1}}\n{"qid": "p", "other": {}}\n'
    assert message(lambda: read_run(data, source="f.jsonl")) == (
        "f.jsonl, line 2: no column for the document among 'other', 'qid', expected one such as "
        "doc_id, docno or corpus-id. Name it so, or say which it is: --run-column document=COLUMN, "
        "--run-column list=COLUMN."
    )
    document = {"q": [{"node": {"id_": "a"}, "score": 1}, {"node": {}}]}
    assert message(lambda: run_of(document, "f.json")) == (
        "f.json, line 9, query 'q', entry 2: no column for the document among 'node', expected "
        "one such as doc_id, docno or corpus-id. "
        "Name it so, or say which it is: --run-column document=COLUMN."
    )


def test_judgments_may_be_nested() -> None:
    data = b'{"qid": "q", "judgments": [{"doc": {"id": "a"}, "label": 2}]}'
    assert judgments_of(read_judgments(data, name="f.jsonl")) == {"q": {"a": 2}}


ANSWER_ALONE = (
    "an answer with 'hits.hits' that does not name its query. "
    'Write {"query_id": "q1", "hits": …} for each query, one a line, or one map of all answers, '
    '{"q1": {"hits": …}, …}.'
)
BAD_RUNS = [
    ("document", {"query_id": "q", "results": [PASSAGE]}, "f.jsonl",
     "f.jsonl, line 1: the document may be 'metadata.id' or 'metadata.source'. Say so: "
     "--run-column document=metadata.id, or --run-column document=metadata.source."),
    ("document-of-a-map", {"q": [PASSAGE]}, "f.json",
     "f.json, line 3, query 'q', entry 1: the document may be 'metadata.id' or "
     "'metadata.source'. Say so: "
     "--run-column document=metadata.id, or --run-column document=metadata.source."),
    ("document-of-one-result", {"query_id": "q", **DOCUMENT}, "f.jsonl",
     "f.jsonl, line 1: the document may be 'id'. Say so: --run-column document=id."),
    ("document-in-an-object", {"qid": "q", "hits": [{"id": {"$oid": "a"}, "score": 1}]}, "f.jsonl",
     "f.jsonl, line 1: the document may be 'id.$oid'. Say so: --run-column document=id.$oid."),
    ("no-document", {"qid": "q", "hits": [{"doc": {"text": "a"}, "score": 1}]}, "f.jsonl",
     "f.jsonl, line 1: no column for the document among 'doc.text', 'score', expected one such "
     "as doc_id, docno or corpus-id. "
     "Name it so, or say which it is: --run-column document=COLUMN."),
    ("scores", {"qid": "q", "hits": [{"id": "a", "scores": {"x": 1, "y": 2}}]}, "f.jsonl",
     "f.jsonl, line 1: the score may be 'scores.x' or 'scores.y'. "
     "Say so: --run-column score=scores.x, or --run-column score=scores.y."),
    ("scores-of-one-result", {"qid": "q", "docid": "a", "score": {"x": 1}}, "f.jsonl",
     "f.jsonl, line 1: the score may be 'score.x'. Say so: --run-column score=score.x."),
    ("score-of-a-node", {"qid": "q", "hits": [{"node": {"id_": "a", "dist": 1}}]}, "f.jsonl",
     "f.jsonl, line 1: the score may be 'node.dist'. Say so: --run-column score=-node.dist."),
    ("list", {"query_id": "q", "response": ANSWER}, "f.jsonl",
     "f.jsonl, line 1: the list may be 'response.hits.hits'. "
     "Say so: --run-column list=response.hits.hits."),
    ("answer-alone", ANSWER, "f.json", f"f.json: {ANSWER_ALONE}"),
    ("answer-alone-on-a-line", ANSWER, "f.jsonl", f"f.jsonl, line 1: {ANSWER_ALONE}"),
    ("answers-alone", {"responses": [ANSWER]}, "f.json", f"f.json: {ANSWER_ALONE}"),
    ("answer-to-another-query", {"q": {"query_id": "p", "results": []}}, "f.json",
     "f.json, line 2, query 'q': the object is of query 'p'. "
     "Give every query the object of its own."),
    ("score-in-an-answer", {"q": {"hits": {"hits": [{**HIT, "_score": "1"}]}}}, "f.json",
     "f.json, line 5, query 'q', entry 1, document 'a': score \"1\" is not a number. "
     "Give a finite number."),
    ("key-like-a-way", {"qid": "q", "a": {"b": 1}, "a.b": 2}, "f.jsonl",
     "f.jsonl, line 1: 'a.b' is a key, and the way to another. Rename one of them."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("document", "name", "expected"), [pytest.param(*case, id=name) for name, *case in BAD_RUNS]
)
def test_bad_run(document: Any, name: str, expected: str) -> None:
    assert message(lambda: run_of(document, name)) == expected


def test_an_inner_key_that_is_not_there() -> None:
    assert message(lambda: run_of({"q": [PASSAGE]}, "f.json", document="metadata.doc")) == (
        "f.json, line 3, query 'q', entry 1: no column 'metadata.doc' among 'metadata.id', "
        "'metadata.page', 'metadata.source', 'page_content', 'score'. "
        "Correct --run-column document=metadata.doc."
    )
