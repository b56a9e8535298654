"""Whatever a file holds, only errors of this package leave the readers."""

import io
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core.errors import EvaluationError
from core.formats import JUDGMENT_FORMATS, NO_COLUMNS, RUN_FORMATS, read_judgments, read_runs
from core.formats.column_names import DOCUMENTS, QUERIES
from core.formats.texts import read_texts


def packed(columns: dict[str, object], **how: Any) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out, **how)
    return out.getvalue()


RUNS = {
    "trec": b"q1 Q0 a 1 2.5 t\nq1 Q0 b#1 2 -1e-3 t\nq2 Q0 \xc3\xa9 1 7 u\n",
    "csv": b'run,query_id,doc_id,rank,score\nx,q1,"a,""b""",1,2.5\ny,q2,\xc3\xa9,1,-1e3\n',
    "tsv": b"query_id\tdoc_id\tscore\nq1\ta\t2.5\nq2\t\xc3\xa9\t7\n",
    "json": b'{"q1": {"a": 2.5, "b": 1}, "q2": {"\\u00e9": 7}}\n',
    "jsonl": b'{"qid": "q1", "results": [{"id": "a", "score": 2.5}]}\n'
    b'{"qid": "q2", "results": [{"id": "\\u00e9", "score": 7}]}\n',
    "parquet": packed({"qid": ["q", "p"], "docid": ["a", "b"], "score": [2.0, 1.0]}),
}
QRELS = {
    "trec": b"q1 0 a 2\nq1 0 b#1 -1\nq2 0 \xc3\xa9 0\n",
    "qrels3": b"q1 a 2\nq1 b#1 0\nq2 \xc3\xa9 0\n",
    "beir": b"query-id\tcorpus-id\tscore\nq1\ta\t2\nq2\t\xc3\xa9\t0\n",
    "csv": b'query_id,doc_id,relevance\nq1,"a,""b""",2\nq2,\xc3\xa9,1.0\n',
    "tsv": b"qid\tdocno\tlabel\nq1\ta\t2\nq2\t\xc3\xa9\t0\n",
    "json": b'{"q1": {"a": 2, "b": 1}, "q2": {"\\u00e9": 0}}\n',
    "jsonl": b'{"qid": "q1", "docid": "a", "rel": 1}\n{"qid": "q2", "docid": "b", "rel": 0}\n',
    "parquet": packed({"qid": ["q", "p"], "docid": ["a", "b"], "label": [2, 0]}),
}
TEXTS = {
    "jsonl": b'{"_id": "q1", "text": "a"}\n{"_id": 7, "title": "\\u00e9", "text": null}\n',
    "csv": b'docid,text,title\nq1,"a,""b""",t\nq2,\xc3\xa9,"u\nv"\n',
    "tsv": b"doc_id\tcontents\nq1\ta\nq2\t\xc3\xa9\n",
    "two-columns": b"1\ta, b\n2\t\xc3\xa9\n",
    "parquet": packed({"id": ["q", "p"], "text": ["a", None], "year": [2, 0]}),
}
# The same formats in other shapes.
MORE = {
    "parquet-of-lists": packed(
        {"qid": ["q", "p"], "ids": [["a", "b"], []], "scores": [[2, 1], []]}
    ),
    "jsonl-of-results": b'{"run": "x", "qid": 1, "docid": "a", "rank": 1}\n'
    b'{"run": "y", "qid": 1, "docid": "a", "rank": 1}\n',
    "jsonl-of-maps": b'{"qid": "q", "hits": {"a": 1}}\n{"qid": "p", "hits": {}}\n',
    "json-list": b'[{"run": "x", "qid": 1, "docid": "a", "score": 1},\n'
    b'{"run": "y", "qid": 1, "docid": "a", "score": 2}]\n',
    "json-map-of-objects": b'{"q": [{"id": "a", "score": 1}],\n"p": [], "r": {"b": 2}}\n',
    "csv-of-ranks": b"sep=;\n# c\ntopic;docno;position\nq;a;1\nq;b;2\n",
    "jsonl-of-pairs": b'{"qid": "q", "hits": [["a", 0.9], ["b", 0.8]]}\n',
    "jsonl-of-nodes": b'{"qid": "q", "nodes": [{"node": {"id_": "a", "text": "t"}, "score": 1}]}\n',
    "json-of-answers": b'{"q": {"hits": {"total": 1, "hits": [{"_id": "a", "_score": 2.5}]}}}\n',
    "parquet-of-prefixes": packed(
        {"qid": ["q1", "q1", "q2"], "docid": ["doc1", "doc12", "doc2"], "rank": [1, 2, 1]},
        use_dictionary=False,
        column_encoding={"docid": "DELTA_BYTE_ARRAY"},
        row_group_size=2,
    ),
    "trec-of-two": b"q Q0 a 1 2 x\nq Q0 a 1 2 y\nq Q0 b 2 1 y\n",
}
BY_NUMBER = {
    "tabs": b"q1\ta\t2\nq1\tb\t1\nq2\t\xc3\xa9\t0\n",
    "commas": b'q1,"a,""b""",2\r\nq2,\xc3\xa9,1\r\n',
    "blanks": b"# by hand\nq1 a 2\nq2 b 1\n",
}
# What matters to some reader.
TOKENS = st.sampled_from(
    [b"\n", b"\r", b"\r\n", b"\t", b" ", b",", b";", b'"', b'""', b"{", b"}", b"[", b"]", b":",
     b"\\ud800", b"\\", b"\0", b"\xef\xbb\xbf", b"\xe9", b"#", b"nan", b"1e999", b"0x1", b"-", b"0",
     b"null", b"true", b"NaN", b"qid", b"score", b"rank", b"run", b"9" * 400, b"\x1f\x8b", b"PAR1"]
) | st.binary(max_size=3)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, good: bytes) -> bytes:
    """A good file with some places overwritten, cut out, doubled or with something put in."""
    data = good
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(data)))
        end = draw(st.integers(begin, min(begin + 8, len(data))))
        middle = draw(st.one_of(TOKENS, st.just(data[begin:end] * 2), st.just(b"")))
        data = data[:begin] + middle + data[end:]
    return data


def read_all(
    data: bytes,
    *,
    run_format: str | None = None,
    qrels_format: str | None = None,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> None:
    values = ("score", "grade") if columns else ("", "")
    of_run, of_qrels = ({**columns, value: "3"} if value else columns for value in values)
    with suppress(EvaluationError):
        for run in read_runs(data, source="f", format=run_format, columns=of_run):
            assert run.name
            for block in run.blocks:
                assert len(list(block.loaded().documents)) == len(block)
    with suppress(EvaluationError):
        assert read_judgments(data, name="f", format=qrels_format, columns=of_qrels).fingerprint
    for kind in (QUERIES, DOCUMENTS):
        with suppress(EvaluationError):
            assert read_texts(data, kind, name="f").total


def each_length(short: int, long: int) -> pytest.MarkDecorator:
    soak = pytest.param(long, marks=pytest.mark.soak, id="long")
    return pytest.mark.parametrize("examples", [pytest.param(short, id="short"), soak])


def try_all(files: st.SearchStrategy[bytes], examples: int, **how: Any) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(files)
    def check(data: bytes) -> None:
        read_all(data, **how)

    check()


@each_length(60, 100_000)
def test_any_bytes(examples: int) -> None:
    try_all(st.lists(TOKENS, max_size=20).map(b"".join) | st.binary(max_size=60), examples)


@each_length(20, 20_000)
@pytest.mark.parametrize("name", RUN_FORMATS)
def test_any_bytes_read_as_a_format(name: str, examples: int) -> None:
    tokens = st.lists(TOKENS, max_size=20).map(b"".join)
    try_all(tokens, examples, run_format=name, qrels_format=name)


@each_length(60, 50_000)
@pytest.mark.parametrize("name", RUNS | MORE)
def test_damaged_run(name: str, examples: int) -> None:
    try_all(damaged((RUNS | MORE)[name]), examples)


@each_length(60, 50_000)
@pytest.mark.parametrize("name", BY_NUMBER)
def test_damaged_columns_by_number(name: str, examples: int) -> None:
    try_all(damaged(BY_NUMBER[name]), examples, columns={"query": "1", "document": "2"})


@each_length(60, 50_000)
@pytest.mark.parametrize("name", JUDGMENT_FORMATS)
def test_damaged_judgments(name: str, examples: int) -> None:
    try_all(damaged(QRELS[name]), examples)


@each_length(60, 50_000)
@pytest.mark.parametrize("name", TEXTS)
def test_damaged_texts(name: str, examples: int) -> None:
    try_all(damaged(TEXTS[name]), examples)


@pytest.mark.parametrize("name", RUN_FORMATS)
def test_good_run_is_read(name: str) -> None:
    runs = read_runs(RUNS[name], source="f")
    assert RUN_FORMATS[name].title == runs[0].format
    assert sum(len(block.query_ids) for run in runs for block in run.blocks) == 2


@pytest.mark.parametrize("name", JUDGMENT_FORMATS)
def test_good_judgments_are_read(name: str) -> None:
    found = read_judgments(QRELS[name], name="f")
    assert JUDGMENT_FORMATS[name].title == found.format
    assert len(found.query_ids) == 2


@pytest.mark.parametrize("name", TEXTS)
def test_good_texts_are_read(name: str) -> None:
    assert read_texts(TEXTS[name], DOCUMENTS, name="f").total == 2
