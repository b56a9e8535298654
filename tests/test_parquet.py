"""Parquet: columns by name, one result or one query a row."""

import gzip
import io
import random
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from read_back import ODD_IDS, Judged, judgments_of, message, rows_of

from core.errors import EvaluationError
from core.formats import read_judgments, read_run, read_runs
from core.formats.parquet_file import ParquetFile
from core.formats.source import opened
from core.judgments import Judgments
from core.runs import Run


def packed(columns: dict[str, Any] | pa.Table, **how: Any) -> bytes:
    out = io.BytesIO()
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    parquet.write_table(table, out, **how)
    return out.getvalue()


def run_of(data: bytes | dict[str, Any], **how: Any) -> Run:
    data = data if isinstance(data, bytes) else packed(data)
    return read_run(data, source="f.parquet", **how)


def qrels_of(data: bytes | dict[str, Any], **how: Any) -> Judgments:
    data = data if isinstance(data, bytes) else packed(data)
    return read_judgments(data, name="f.parquet", **how)


ids = st.one_of(
    st.sampled_from((*ODD_IDS, " ", "\t", "\n", "\0")),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=6),
)
finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gz"])
class TestComesBack:
    @given(
        rows=st.dictionaries(
            ids, st.lists(st.tuples(ids, finite), min_size=1, max_size=4), min_size=1, max_size=4
        ),
        page=st.integers(1, 8),
    )
    def test_run(
        self, rows: dict[str, list[tuple[str, float]]], page: int, is_packed: bool
    ) -> None:
        flat = [
            (query, document, score, at)
            for query, listed in rows.items()
            for at, (document, score) in enumerate(listed, 1)
        ]
        query, document, score, rank = (list(column) for column in zip(*flat, strict=True))
        data = packed(
            {"query_id": query, "doc_id": document, "score": score, "rank": rank},
            row_group_size=page,
        )
        run = run_of(gzip.compress(data, mtime=0) if is_packed else data)
        assert rows_of(run) == {
            query: [(document, score, at) for at, (document, score) in enumerate(listed, 1)]
            for query, listed in rows.items()
        }
        assert (run.name, run.notices, run.format) == ("f", (), "Parquet")

    @given(
        judged=st.dictionaries(
            ids,
            st.dictionaries(ids, st.integers(-3, 3), min_size=1, max_size=3),
            min_size=1,
            max_size=3,
        )
    )
    def test_judgments(self, judged: Judged, is_packed: bool) -> None:
        flat = [(query, d, grade) for query, of in judged.items() for d, grade in of.items()]
        query, document, grade = (list(column) for column in zip(*flat, strict=True))
        data = packed({"query-id": query, "corpus-id": document, "score": grade})
        found = qrels_of(gzip.compress(data, mtime=0) if is_packed else data)
        assert judgments_of(found) == judged


# Types that people have

TEXT = ["q", "q"]


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pa.array(["b", "a"]), id="string"),
        pytest.param(pa.array(["b", "a"], pa.large_string()), id="large"),
        pytest.param(pa.array(["b", "a"]).dictionary_encode(), id="dictionary"),
        pytest.param(pa.array([b"b", b"a"]), id="binary"),
        pytest.param(pa.chunked_array([["b"], ["a"]]), id="chunks"),
    ],
)
def test_text_of_every_type(column: Any) -> None:
    run = run_of({"qid": TEXT, "docid": column, "score": [2, 1]})
    assert rows_of(run) == {"q": [("b", 2.0, None), ("a", 1.0, None)]}
    assert run.notices == ()


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pa.array([2.0, 1.0]), id="float64"),
        pytest.param(pa.array([2.0, 1.0], pa.float32()), id="float32"),
        pytest.param(pa.array([2.0, 1.0], pa.float16()), id="float16"),
        pytest.param(pa.array([2, 1], pa.int8()), id="int8"),
        pytest.param(pa.array([2, 1], pa.uint64()), id="uint64"),
        pytest.param(pa.array([2, 1]).cast(pa.decimal128(30, 2)), id="decimal"),
    ],
)
def test_numbers_of_every_type(column: Any) -> None:
    run = run_of({"qid": TEXT, "docid": ["b", "a"], "score": column})
    assert rows_of(run) == {"q": [("b", 2.0, None), ("a", 1.0, None)]}
    found = qrels_of({"qid": TEXT, "docid": ["b", "a"], "label": column})
    assert judgments_of(found) == {"q": {"b": 2, "a": 1}}


def test_float32_keeps_its_value() -> None:
    column = pa.array([0.1], pa.float32())
    run = run_of({"qid": ["q"], "docid": ["a"], "score": column})
    assert rows_of(run) == {"q": [("a", 0.10000000149011612, None)]}


def test_whole_numbers_are_ids_as_they_are_written() -> None:
    run = run_of({"qid": [7, 7], "docid": [2**63 - 1, -5], "score": [2.0, 1.0]})
    assert rows_of(run) == {"7": [("9223372036854775807", 2.0, None), ("-5", 1.0, None)]}
    assert run.notices == (
        "f.parquet: column 'qid' holds whole numbers, taken as text as written.",
        "f.parquet: column 'docid' holds whole numbers, taken as text as written.",
    )


def test_ranks_alone_and_a_distance() -> None:
    run = run_of({"qid": TEXT, "docid": ["b", "a"], "rank": [2.0, 1.0]})
    assert rows_of(run) == {"q": [("b", None, 2), ("a", None, 1)]}
    far = {"qid": TEXT, "docid": ["b", "a"], "distance": [2, 0]}
    assert rows_of(run_of(far, columns={"score": "-distance"})) == {
        "q": [("b", -2.0, None), ("a", 0.0, None)]
    }


@pytest.mark.parametrize(
    "documents",
    [
        pytest.param([["b", "a"], []], id="ids"),
        pytest.param([[{"id": "b"}, {"id": "a"}], []], id="objects"),
    ],
)
def test_lists_of_documents(documents: list[Any]) -> None:
    kind = pa.list_(pa.struct({"id": pa.string()})) if documents[0][0] != "b" else None
    run = run_of({"qid": ["q", "p"], "results": pa.array(documents, kind)})
    assert rows_of(run) == {"q": [("b", None, None), ("a", None, None)], "p": []}


def test_lists_with_scores() -> None:
    documents = [[{"id": "b", "score": 2.0}, {"id": "a", "score": 1.0}]]
    run = run_of({"qid": ["q"], "results": documents})
    assert rows_of(run) == {"q": [("b", 2.0, None), ("a", 1.0, None)]}
    run = run_of({"qid": ["q"], "ids": [["b", "a"]], "scores": [[2.0, 1.0]]})
    assert rows_of(run) == {"q": [("b", 2.0, None), ("a", 1.0, None)]}


def test_ranks_that_are_none_are_ignored_beside_scores() -> None:
    run = run_of({"qid": TEXT, "docid": ["b", "a"], "score": [2, 1], "rank": [1, None]})
    assert rows_of(run) == {"q": [("b", 2.0, None), ("a", 1.0, None)]}
    assert run.notices == ("f.parquet: the ranks are not all whole numbers; ignored.",)


def test_columns_that_nobody_reads_are_named() -> None:
    run = run_of({"qid": ["q"], "docid": ["a"], "score": [1.0], "text": ["x"], "tags": [["y"]]})
    assert run.notices == ("f.parquet: 2 columns not used ('tags', 'text').",)


# Bad input

NAN, INF = float("nan"), float("inf")
BAD_RUNS = [
    ("no-order", {"qid": ["q"], "docid": ["a"]},
     "f.parquet: no column for a score or a rank among 'docid', 'qid', "
     "expected one such as score, similarity or rank. "
     "Add one, or say which it is: --run-column score=COLUMN "
     "(score=-COLUMN where smaller is better)."),
    ("nan", {"qid": TEXT, "docid": ["a", "b"], "score": [1.0, NAN]},
     "f.parquet, row 2: score nan is not finite. Give a finite score."),
    ("infinite", {"qid": TEXT, "docid": ["a", "b"], "score": [1.0, -INF]},
     "f.parquet, row 2: score -inf is not finite. Give a finite score."),
    ("null-score", {"qid": TEXT, "docid": ["a", "b"], "score": [1.0, None]},
     "f.parquet, row 2: no score in column 'score' (null). "
     "Give every row a score, or remove the row."),
    ("null-document", {"qid": TEXT, "docid": ["a", None], "score": [1.0, 2.0]},
     "f.parquet, row 2: no document in column 'docid' (null). "
     "Give every row a document, or remove the row."),
    ("empty-document", {"qid": TEXT, "docid": ["a", ""], "score": [1.0, 2.0]},
     "f.parquet, row 2: an empty document in column 'docid'. "
     "Give every row a document, or remove the row."),
    ("float-ids", {"qid": [1.0], "docid": ["a"], "score": [1.0]},
     "f.parquet: column 'qid' holds double, expected text for the query. Write ids as text."),
    ("text-score", {"qid": ["q"], "docid": ["a"], "score": ["1"]},
     "f.parquet: column 'score' holds string, expected numbers for the score. "
     "Write numbers as numbers."),
    ("true-score", {"qid": ["q"], "docid": ["a"], "score": [True]},
     "f.parquet: column 'score' holds bool, expected numbers for the score. "
     "Write numbers as numbers."),
    ("fractional-rank", {"qid": ["q"], "docid": ["a"], "rank": [1.5]},
     "f.parquet, row 1: rank 1.5 is not a whole number. Give ranks from 1."),
    ("no-utf-8", {"qid": ["q"], "docid": [b"\xe9"], "score": [1.0]},
     "f.parquet: column 'docid' holds bytes that are not UTF-8. Write ids as UTF-8 text."),
    ("no-rows", {"qid": pa.array([], pa.string()), "docid": pa.array([], pa.string()),
                 "score": pa.array([], pa.float64())},
     "f.parquet: no results found. Is this the right file?"),
    ("null-list", {"qid": ["q"], "results": pa.array([None], pa.list_(pa.string()))},
     "f.parquet, row 1: 'results' is null, expected a list of documents. "
     "Write an empty list, [], where nothing was returned."),
    ("no-columns", pa.table({}),
     "f.parquet: no column for the query among no names, "
     "expected one such as query_id, qid or topic. "
     "Name it so, or say which it is: --run-column query=COLUMN."),
]  # fmt: skip

BAD_QRELS = [
    ("fraction", {"qid": TEXT, "docid": ["a", "b"], "label": [1.0, 0.5]},
     "f.parquet, row 2: grade 0.5 is not a whole number. "
     "Grades are whole numbers; map fractions to whole grades first."),
    ("nan", {"qid": ["q"], "docid": ["a"], "label": [NAN]},
     "f.parquet, row 1: grade NaN is not finite. Give a whole number."),
    ("contradiction", {"qid": TEXT, "docid": ["a", "a"], "label": [1, 2]},
     "f.parquet, row 2: query 'q' judges document 'a' as grade 2, and as grade 1 in row 1. "
     "Keep one of the two."),
    ("huge", {"qid": ["q"], "docid": ["a"], "label": [2**40]},
     "f.parquet, row 1: grade 1099511627776 does not fit a 32-bit whole number. "
     "Grades are small whole numbers, such as 0 to 3."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "expected"), [pytest.param(data, text, id=name) for name, data, text in BAD_RUNS]
)
def test_bad_run(columns: dict[str, Any], expected: str) -> None:
    assert message(lambda: run_of(packed(columns))) == expected


@pytest.mark.parametrize(
    ("columns", "expected"), [pytest.param(data, text, id=name) for name, data, text in BAD_QRELS]
)
def test_bad_judgments(columns: dict[str, Any], expected: str) -> None:
    assert message(lambda: qrels_of(columns)) == expected


def test_few_bytes_that_stand_for_very_long_columns_are_refused() -> None:
    """100 kB, a hundred thousand times: 10 GB."""
    places = pa.array([0] * 100_000, pa.int32())
    column = pa.DictionaryArray.from_arrays(places, pa.array(["x" * 100_000]))
    data = packed({"qid": column, "docid": column, "score": [1.0] * len(places)})
    assert len(data) < 100_000
    assert message(lambda: run_of(data)) == (
        "f.parquet: the file unpacks to more than 2 GB, which is the limit. "
        "Is this the right file? Split it, or unpack it first."
    )


@pytest.mark.parametrize(
    "how",
    [
        {"use_dictionary": True},
        {"use_dictionary": True, "dictionary_pagesize_limit": 40},
        {"use_dictionary": False},
        {"use_dictionary": False, "column_encoding": {"docid": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False, "column_encoding": {"docid": "DELTA_LENGTH_BYTE_ARRAY"}},
    ],
    ids=["dictionary", "dictionary-too-large", "plain", "prefixes", "lengths"],
)
def test_text_in_every_encoding(how: dict[str, Any]) -> None:
    """In row groups that queries and repeated documents go across, one of them without text."""
    documents = [f"doc{'x' * (at % 7)}{at // 2}" for at in range(100)]
    columns = {"qid": [f"q{at // 9}" for at in range(100)], "docid": documents, "score": range(100)}
    (run,) = read_runs(packed(columns, row_group_size=13, **how), source="f.parquet")
    listed = [document for block in run.blocks for document in block.loaded().documents]
    assert listed == documents


@pytest.mark.parametrize(
    ("how", "size", "most"),
    [
        ({"dictionary_pagesize_limit": 1 << 30}, 1 << 20, 32),
        ({"use_dictionary": False, "column_encoding": {"docid": "DELTA_BYTE_ARRAY"}}, 9, 1024),
    ],
    ids=["dictionary", "prefixes"],
)
def test_rows_that_share_text_are_read_a_few_at_a_time(
    how: dict[str, Any], size: int, most: int
) -> None:
    columns = {"qid": ["q"] * 2000, "docid": ["x" * size] * 2000}
    with opened(packed(columns, **how), "f.parquet") as source:
        assert len(next(ParquetFile(source).tables([1]))) == most


GOOD = packed({"qid": ["q"] * 50, "docid": [f"d{at}" for at in range(50)], "score": range(50)})


@pytest.mark.parametrize("keep", [4, 12, 100, len(GOOD) - 1])
def test_a_file_cut_short_is_refused(keep: int) -> None:
    assert message(lambda: run_of(GOOD[:keep])) == (
        "f.parquet: the Parquet file is truncated or corrupt. Write it again."
    )


def test_damaged_files_end_in_errors_of_this_package() -> None:
    source = random.Random(5)
    for _ in range(300):
        data = bytearray(GOOD)
        for _ in range(source.randint(1, 4)):
            data[source.randrange(4, len(data))] = source.randrange(256)
        with suppress(EvaluationError):
            read_runs(bytes(data), source="f.parquet")
