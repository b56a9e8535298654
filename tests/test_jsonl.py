"""JSON lines: one result a line, or one query a line with a list of documents."""

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_back import ODD_IDS, Judged, Rows, judgments_of, message, rows_of

from core.formats import read_judgments, read_run
from core.judgments import Judgments
from core.runs import Run


def lines(*objects: object, is_ascii: bool = True) -> bytes:
    return "".join(json.dumps(one, ensure_ascii=is_ascii) + "\n" for one in objects).encode()


def run_of(data: bytes | str, name: str = "f.jsonl", **how: Any) -> Run:
    return read_run(data.encode() if isinstance(data, str) else data, source=name, **how)


def qrels_of(data: bytes | str, name: str = "f.jsonl", **how: Any) -> Judgments:
    return read_judgments(data.encode() if isinstance(data, str) else data, name=name, **how)


ids = st.one_of(st.sampled_from((*ODD_IDS, " ", "\t", "\n", "\r")), st.text(min_size=1))
finite = st.floats(allow_nan=False, allow_infinity=False)
whole = st.integers(-(10**18), 10**18)


# Write, then read


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gz"])
class TestComesBack:
    @given(
        rows=st.dictionaries(
            ids, st.lists(st.tuples(ids, finite | whole), min_size=1, max_size=4), min_size=1
        ),
        is_ascii=st.booleans(),
    )
    def test_results(
        self, rows: dict[str, list[tuple[str, float]]], is_ascii: bool, is_packed: bool
    ) -> None:
        data = lines(
            *(
                {"query_id": query, "doc_id": document, "score": score, "rank": at}
                for query, listed in rows.items()
                for at, (document, score) in enumerate(listed, 1)
            ),
            is_ascii=is_ascii,
        )
        run = run_of(gzip.compress(data, mtime=0) if is_packed else data)
        assert rows_of(run) == {
            query: [(document, float(score), at) for at, (document, score) in enumerate(listed, 1)]
            for query, listed in rows.items()
        }

    @given(lists=st.dictionaries(ids, st.lists(ids), min_size=1), is_ascii=st.booleans())
    def test_lists(self, lists: dict[str, list[str]], is_ascii: bool, is_packed: bool) -> None:
        data = lines(
            *({"question_id": query, "retrieved_ids": of} for query, of in lists.items()),
            is_ascii=is_ascii,
        )
        run = run_of(gzip.compress(data, mtime=0) if is_packed else data)
        assert rows_of(run) == {
            query: [(document, None, None) for document in of] for query, of in lists.items()
        }
        assert run.notices == ()

    @given(
        judged=st.dictionaries(ids, st.dictionaries(ids, st.integers(-3, 3)), min_size=1),
        is_map=st.booleans(),
    )
    def test_judgments(self, judged: Judged, is_map: bool, is_packed: bool) -> None:
        def documents(grades: dict[str, int]) -> object:
            return grades if is_map else [{"id": d, "grade": g} for d, g in grades.items()]

        data = lines(*({"qid": query, "judgments": documents(of)} for query, of in judged.items()))
        found = qrels_of(gzip.compress(data, mtime=0) if is_packed else data)
        assert judgments_of(found) == judged


# Shapes that people have

ONE: Rows = {"q": [("b", 2.0, None), ("a", 1.0, None)]}


@pytest.mark.parametrize(
    ("objects", "rows"),
    [
        pytest.param(
            [{"qid": "q", "docno": "b", "score": 2}, {"qid": "q", "docno": "a", "score": 1}],
            ONE,
            id="a-result-a-line",
        ),
        pytest.param(
            [{"qid": "q", "results": [{"id": "b", "score": 2}, {"id": "a", "score": 1.0}]}],
            ONE,
            id="objects",
        ),
        pytest.param(
            [
                {
                    "question": "q",
                    "answer": "yes",
                    "score": 0.9,
                    "contexts": [
                        {"chunk_id": "b", "score": 2, "text": "…", "metadata": {"page": 1}},
                        {"chunk_id": "a", "score": 1, "text": "…", "metadata": {}},
                    ],
                }
            ],
            ONE,
            id="rag-export",
        ),
        pytest.param([{"query_id": "q", "hits": {"b": 2, "a": 1}}], ONE, id="map"),
        pytest.param(
            [{"query_id": "q", "ids": ["b", "a"], "scores": [2, 1]}], ONE, id="scores-beside"
        ),
        pytest.param(
            [
                {
                    "query_id": "q",
                    "results": [{"doc_id": "b", "rank": 1}, {"doc_id": "a", "rank": 2}],
                }
            ],
            {"q": [("b", None, 1), ("a", None, 2)]},
            id="ranks",
        ),
        pytest.param(
            [{"query_id": "q", "results": [{"doc_id": "b", "distance": 1}, {"doc_id": "a"}]}],
            {"q": [("b", None, None), ("a", None, None)]},
            id="as-listed",
        ),
        pytest.param(
            [{"query_id": "q", "retrieved": []}, {"query_id": "p", "retrieved": ["a"]}],
            {"p": [("a", None, None)], "q": []},
            id="an-empty-list",
        ),
    ],
)
def test_shape_of_a_run(objects: list[object], rows: Rows) -> None:
    assert rows_of(run_of(lines(*objects))) == rows


def test_what_is_not_used_is_named() -> None:
    data = lines({"question": "q", "answer": "x", "retrieved_ids": ["a"], "contexts": ["text"]})
    run = run_of(data)
    assert rows_of(run) == {"q": [("a", None, None)]}
    assert run.notices == ("f.jsonl: 2 columns not used ('answer', 'contexts').",)


def test_ranks_that_are_none_are_ignored_beside_scores() -> None:
    one = {"qid": "q", "docid": "b", "score": 2, "rank": "first"}
    run = run_of(lines(one, {"qid": "q", "docid": "a", "score": 1, "rank": 2}))
    assert rows_of(run) == ONE
    assert run.notices == ("f.jsonl: the ranks are not all whole numbers; ignored.",)


def test_a_distance_in_a_list_is_not_used_and_named() -> None:
    run = run_of(lines({"qid": "q", "results": [{"id": "a", "distance": 2, "text": "x"}]}))
    assert rows_of(run) == {"q": [("a", None, None)]}
    assert run.notices == ("f.jsonl: 2 columns not used ('distance', 'text').",)


def test_a_list_whose_distances_grow_is_read_as_listed() -> None:
    near = [{"id": "a", "distance": 0.1}, {"id": "b", "distance": 0.1}, {"id": "c", "distance": 2}]
    expected: Rows = {"q": [("a", None, None), ("b", None, None), ("c", None, None)]}
    assert rows_of(run_of(lines({"qid": "q", "results": near}))) == expected
    beside = {"qid": "q", "ids": ["a", "b", "c"], "distances": [0.1, 0.1, 2]}
    assert rows_of(run_of(lines(beside))) == expected


@pytest.mark.parametrize(
    ("record", "name"),
    [
        pytest.param(
            {
                "qid": "q",
                "results": [{"id": "a", "distance": 0.8}, {"id": "b", "distance": 0.1}],
            },
            "distance",
            id="objects",
        ),
        pytest.param(
            {"qid": "q", "ids": ["a", "b"], "distances": [0.8, 0.1]},
            "distances",
            id="beside",
        ),
    ],
)
def test_a_list_against_its_distances_is_asked_about(record: object, name: str) -> None:
    said = message(lambda: run_of(lines(record)))
    assert said.startswith("f.jsonl, line 1")
    assert said.endswith(
        f"the list is not in the order of '{name}', which falls from 0.8 to 0.1. "
        f"If smaller is better, say so: --run-column score=-{name}. "
        f"If larger is better: --run-column score={name}."
    )
    found = rows_of(run_of(lines(record), columns={"score": f"-{name}"}))
    assert found == {"q": [("a", -0.8, None), ("b", -0.1, None)]}


def test_whole_numbers_are_ids_as_they_are_written() -> None:
    run = run_of('{"qid": 7, "docid": 123456789012345678901, "score": 1}\n')
    assert rows_of(run) == {"7": [("123456789012345678901", 1.0, None)]}
    assert run.notices == ("f.jsonl: 2 ids were whole numbers, taken as text as written.",)


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([{"qid": "q", "docid": "a", "distance": 2}], id="a-result-a-line"),
        pytest.param([{"qid": "q", "results": [{"id": "a", "distance": 2}]}], id="objects"),
        pytest.param([{"qid": "q", "ids": ["a"], "distance": [2]}], id="beside"),
    ],
)
def test_a_distance_is_turned_round_where_somebody_says_so(objects: list[object]) -> None:
    run = run_of(lines(*objects), columns={"score": "-distance"})
    assert rows_of(run) == {"q": [("a", -2.0, None)]}
    assert run.notices == ("f.jsonl: columns as named: score=-distance.",)


@pytest.mark.parametrize(
    "rewritten",
    [
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.removesuffix(b"\n"),
        lambda text: b"\n \n" + text.replace(b"\n", b"\n\n\t\n"),
    ],
    ids=["byte-order-mark", "crlf", "no-last-newline", "empty-lines"],
)
def test_reads_the_same(rewritten: Any) -> None:
    data = lines({"qid": "q", "docid": "b", "score": 2}, {"qid": "q", "docid": "a", "score": 1})
    assert rows_of(run_of(rewritten(data))) == ONE


@pytest.mark.parametrize(
    ("data", "name", "title"),
    [
        ('{"qid": "q", "ids": ["a"]}\n', "f", "JSON lines"),
        ('{"ids": ["a"], "qid": "q"}', "f.json", "JSON lines"),
        ('{"q": ["a"]}\n', "f", "JSON {query: {document: score}}"),
        ('{"q": ["a"],\n "p": ["b"]}\n', "f", "JSON {query: {document: score}}"),
        ('{"qid": "q", "text": "' + "x" * 70_000 + '", "ids": ["a"]}\n', "f", "JSON lines"),
        ('{"ids": ["a", "' + "x" * 70_000 + '"], "qid": "q"}\n', "f.jsonl.gz", "JSON lines"),
    ],
)
def test_recognised(data: str, name: str, title: str) -> None:
    assert run_of(data, name).format == title


# Bad input

GOOD = '{"qid": "q", "docid": "a", "score": 1}\n'
BAD_RUNS = [
    ("not-json", f"{GOOD}qid\n",
     "f.jsonl, line 2: not valid JSON (expecting value, column 1). "
     "Correct the file, or write it again with a JSON library."),
    ("no-object", f'{GOOD}["q", "d", 1]\n',
     'f.jsonl, line 2: expected an object, found ["q", "d", 1]. '
     'Write one object a line: {"query_id": …, "doc_id": …, "score": …}.'),
    ("key-twice", f'{GOOD}{{"qid": "q", "qid": "q", "docid": "a", "score": 1}}\n',
     "f.jsonl, line 2: the key 'qid' stands twice in one object. Keep one of the two."),
    ("key-twice-inside", '{"qid": "q", "results": [{"id": "a", "id": "b"}]}\n',
     "f.jsonl, line 1, within 'results', entry 1: the key 'id' stands twice in one object. "
     "Keep one of the two."),
    ("lone-surrogate", '{"qid": "q", "docid": "\\ud800", "score": 1}\n',
     "f.jsonl, line 1: the id '\\ud800' holds a lone surrogate, which is not a character. "
     "Write the file again with correct text."),
    ("lone-surrogate-in-a-key", '{"qid": "q", "\\ud800": "a", "score": 1}\n',
     "f.jsonl, line 1: the id '\\ud800' holds a lone surrogate, which is not a character. "
     "Write the file again with correct text."),
    ("nan", f'{GOOD}{{"qid": "q", "docid": "a", "score": NaN}}\n',
     "f.jsonl, line 2, query 'q', document 'a': score NaN is not finite. Give a finite number."),
    ("too-large", '{"qid": "q", "docid": "a", "score": 1e999}\n',
     "f.jsonl, line 1, query 'q', document 'a': score Infinity is not finite. "
     "Give a finite number, below 1.8e308."),
    ("score-in-quotes", '{"qid": "q", "docid": "a", "score": "1"}\n',
     "f.jsonl, line 1, query 'q', document 'a': score \"1\" is not a number. "
     "Give a finite number."),
    ("score-null", '{"qid": "q", "docid": "a", "score": null}\n',
     "f.jsonl, line 1: score null is not a number. Give a finite score."),
    ("id-float", '{"qid": "q", "docid": 1.0, "score": 1}\n',
     'f.jsonl, line 1: 1.0 is not a document id. Write ids as text, in quotes: "007".'),
    ("id-minus-zero", '{"qid": "q", "docid": -0, "score": 1}\n',
     'f.jsonl, line 1: -0.0 is not a document id. Write ids as text, in quotes: "007".'),
    ("id-true", '{"qid": true, "docid": "a", "score": 1}\n',
     'f.jsonl, line 1: true is not a query id. Write ids as text, in quotes: "007".'),
    ("id-null", '{"qid": null, "docid": "a", "score": 1}\n',
     'f.jsonl, line 1: null is not a query id. Write ids as text, in quotes: "007".'),
    ("id-empty", '{"qid": "q", "docid": "", "score": 1}\n',
     "f.jsonl, line 1: an empty id. Give every query and document an id."),
    ("distance", '{"qid": "q", "docid": "a", "distance": 1}\n',
     "f.jsonl, line 1: the only value is 'distance', expected a score or a rank. "
     "If smaller is better, say so: --run-column score=-distance. "
     "If larger is better: --run-column score=distance."),
    ("some-scores", f'{GOOD}{{"qid": "q", "docid": "b", "rank": 2}}\n',
     "f.jsonl, line 2: no score, but other results have one. Give every result a score, or none."),
    ("a-list-and-a-result", f'{{"qid": "p", "ids": ["a"]}}\n{GOOD}',
     "f.jsonl, line 1: no score, but other results have one. Give every result a score, or none."),
    ("some-systems", f'{GOOD}{{"qid": "q", "docid": "b", "score": 2, "run": "x"}}\n',
     "f.jsonl, line 2: some results name their system and some do not. "
     "Name it everywhere, or nowhere."),
    ("two-lists-of-a-query", '{"qid": "q", "ids": ["a"]}\n{"qid": "q", "ids": ["b"]}\n',
     "f.jsonl, line 2: query 'q' has a list on line 1, too. Keep one of the two."),
    ("texts-or-ids", '{"question": "q", "contexts": ["some text", "more"]}\n',
     "f.jsonl, line 1: 'contexts' holds plain text, which may be ids or passages. "
     "If these are ids, say so: --run-column list=contexts."),
    ("pairs-the-wrong-way-round", '{"qid": "q", "results": [[1.0, "a"]]}\n',
     'f.jsonl, line 1: expected a document, found [1.0, "a"]. '
     "Give ids, pairs [id, score], or objects with id and score, best first."),
    ("no-id-in-an-object", '{"qid": "q", "results": [{"text": "x", "score": 1}]}\n',
     "f.jsonl, line 1: no column for the document among 'score', 'text', "
     "expected one such as doc_id, docno or corpus-id. "
     "Name it so, or say which it is: --run-column document=COLUMN."),
    ("two-lists", '{"qid": "q", "retrieved_ids": ["a"], "doc_ids": ["b"]}\n',
     "f.jsonl, line 1: the columns 'retrieved_ids' and 'doc_ids' may both be the list, "
     "expected one. Say which it is: --run-column list=retrieved_ids, "
     "or --run-column list=doc_ids."),
    ("null-for-a-list", '{"qid": "p", "ids": ["a"]}\n{"qid": "q", "ids": null}\n',
     "f.jsonl, line 2: 'ids' is null, expected a list of documents. "
     "Write an empty list, [], where nothing was returned."),
    ("fewer-scores", '{"qid": "q", "ids": ["a", "b"], "scores": [1]}\n',
     "f.jsonl, line 1: 'scores' has 1, expected 2, one for each document. "
     "Give one score a document."),
    ("fractional-rank", '{"qid": "q", "docid": "a", "rank": 1.5}\n',
     "f.jsonl, line 1: rank 1.5 is not a whole number. Give ranks from 1."),
    ("a-list-without-a-known-name", '{"qid": "q", "top": ["a"]}\n',
     "f.jsonl, line 1: no column for the document among 'qid', 'top', "
     "expected one such as doc_id, docno or corpus-id. Name it so, or say which it is: "
     "--run-column document=COLUMN, --run-column list=COLUMN."),
    ("nested", '{"qid": "q", "ids": ' + "[" * 100_000 + "\n",
     "f.jsonl, line 1: JSON nested too deeply. "
     'Write one object a line: {"query_id": …, "doc_id": …, "score": …}.'),
    ("digits", f'{{"qid": "q", "docid": "a", "score": {"1" * 5000}}}\n',
     "f.jsonl, line 1: a whole number of more than 4,300 digits. Give a finite number."),
    ("carriage-returns-alone", '{"qid": "q", "ids": ["a"]}\r{"qid": "p", "ids": ["a"]}\r',
     "f.jsonl, line 1: a carriage return inside the line. "
     "End lines with a line feed (LF or CRLF)."),
]  # fmt: skip

BAD_QRELS = [
    ("fraction", '{"qid": "q", "docid": "a", "rel": 1.5}\n',
     "f.jsonl, line 1, query 'q', document 'a': grade 1.5 is not a whole number. "
     "Grades are whole numbers; map fractions to whole grades first."),
    ("no-grade", '{"qid": "q", "docid": "a"}\n',
     "f.jsonl, line 1: no column for a grade among 'docid', 'qid', "
     "expected one such as relevance, grade or label. "
     "Name it so, or say which it is: --qrels-column grade=COLUMN."),
    ("ids-alone", '{"qid": "q", "doc_ids": ["a"]}\n',
     "f.jsonl, line 1: document 'a' has no grade, expected a whole number. "
     "Give each document its grade: {id: grade}."),
    ("contradiction",
     '{"qid": "q", "docid": "a", "rel": 1}\n\n{"qid": "q", "docid": "a", "rel": 2}',
     "f.jsonl, line 3: query 'q' judges document 'a' as grade 2, and as grade 1 on line 1. "
     "Keep one of the two."),
    ("grade-null", '{"qid": "q", "docid": "a", "rel": null}\n',
     "f.jsonl, line 1: document 'a' has no grade, expected a whole number. "
     "Give each document its grade: {id: grade}."),
]  # fmt: skip


def cases(table: list[tuple[str, str, str]]) -> list[object]:
    return [pytest.param(text, expected, id=name) for name, text, expected in table]


@pytest.mark.parametrize(("text", "expected"), cases(BAD_RUNS))
def test_bad_run(text: str, expected: str) -> None:
    assert message(lambda: run_of(text)) == expected


@pytest.mark.parametrize(("text", "expected"), cases(BAD_QRELS))
def test_bad_judgments(text: str, expected: str) -> None:
    assert message(lambda: qrels_of(text)) == expected


def test_a_list_may_be_named_as_the_column_of_documents() -> None:
    data = lines({"qid": "q", "mine": ["a", "b"]})
    assert rows_of(run_of(data, columns={"document": "mine"})) == {
        "q": [("a", None, None), ("b", None, None)]
    }


def test_windows_1252_is_refused_with_its_line() -> None:
    data = (GOOD + GOOD.replace("a", "é")).encode("cp1252")
    assert message(lambda: run_of(data)) == (
        "f.jsonl, line 2: byte 0xe9 is not UTF-8. Save the file as UTF-8 and load it again."
    )


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"list": "docs"}, "no column 'docs' among 'ids', 'qid'"),
        ({"score": "-far"}, "no list 'far' beside the ids, among 'ids', 'qid'"),
        ({"document": "docid"}, "'ids' lists ids, which have no 'docid'"),
        ({"rank": "place"}, "'ids' lists ids, which have no 'place'"),
    ],
)
def test_what_is_asked_of_ids_must_be_there(columns: dict[str, str], found: str) -> None:
    ((role, name),) = columns.items()
    data = lines({"qid": "q", "ids": ["a"]})
    assert message(lambda: run_of(data, columns=columns)) == (
        f"f.jsonl, line 1: {found}. Correct --run-column {role}={name}."
    )


def test_a_list_of_texts_is_ids_where_somebody_says_so() -> None:
    data = lines({"question": "q", "contexts": ["some text"]})
    assert rows_of(run_of(data, columns={"list": "contexts"})) == {"q": [("some text", None, None)]}
