"""Texts of queries and documents: what is read, and what is refused in which words."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import FileError
from core.formats.column_names import DOCUMENTS, QUERIES
from core.formats.texts import Text, read_texts

LONG = "word, " * 3334


def texts(raw: bytes, kind: str = DOCUMENTS, name: str = "file") -> dict[str, Text]:
    return dict(read_texts(raw, kind, name=name).by_id)


def packed(columns: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()


# JSON lines


@pytest.mark.parametrize(
    ("line", "text", "label"),
    [
        pytest.param('{"id": "d", "text": "a b"}', Text("a b"), "a b", id="text"),
        pytest.param('{"id": "d", "title": "T"}', Text("", "T"), "T", id="title"),
        pytest.param(
            '{"id": "d", "text": "a", "title": "T"}', Text("a", "T"), "T", id="title-wins"
        ),
        pytest.param('{"id": "d", "text": "a", "title": ""}', Text("a"), "a", id="empty-title"),
        pytest.param('{"id": "d", "text": null}', Text(""), "", id="null"),
        pytest.param('{"id": "d", "text": 7}', Text("7"), "7", id="number"),
        pytest.param('{"id": "d", "text": "\\u00e9\\n"}', Text("é\n"), "é\n", id="escapes"),
    ],
)
def test_line_reads_as(line: str, text: Text, label: str) -> None:
    found = texts(line.encode())
    assert found == {"d": text}
    assert found["d"].label == label


def test_files_of_beir() -> None:
    queries = b'{"_id": "PLAIN-2", "text": "Do cats?", "metadata": {"url": "u"}}\n'
    corpus = b'{"_id": "MED-10", "title": "Cats", "text": "They do.", "metadata": {}}\n'
    assert texts(queries, QUERIES) == {"PLAIN-2": Text("Do cats?")}
    found = read_texts(corpus, DOCUMENTS, name="corpus.jsonl")
    assert found.by_id == {"MED-10": Text("They do.", "Cats")}
    assert (found.total, found.source, found.format) == (1, "corpus.jsonl", "JSON lines")
    assert found.notices == ("corpus.jsonl: 1 column not used ('metadata').",)


def test_files_of_ms_marco() -> None:
    """Two columns without a header; neither commas nor quotes separate anything."""
    raw = b'121352\tdefine, extreme, and "so"\n634083\t"what" is\n007\ttext, id\n'
    found = read_texts(raw, QUERIES, name="queries.tsv")
    assert found.by_id == {
        "121352": Text('define, extreme, and "so"'),
        "634083": Text('"what" is'),
        "007": Text("text, id"),
    }
    assert found.format == "TSV, id and text"
    assert found.notices == (
        "queries.tsv: no header line; the columns are taken as id and text.",
        "queries.tsv: quotes belong to the text, as in every tab-separated file here.",
    )


def test_whole_numbers_are_ids_as_written_and_counted() -> None:
    found = read_texts(b'{"id": 7, "text": "a"}\n{"id": "07", "text": "b"}', QUERIES, name="q")
    assert found.by_id == {"7": Text("a"), "07": Text("b")}
    assert found.notices == ("q: 1 id was a whole number, taken as text as written.",)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_only_a_line_feed_ends_a_line(mark: str) -> None:
    """These marks stand inside a text, though some readers break the line there."""
    assert texts(f'{{"id": "d", "text": "a{mark}b"}}\n'.encode()) == {"d": Text(f"a{mark}b")}
    assert texts(f"d\ta{mark}b\n".encode()) == {"d": Text(f"a{mark}b")}


# Every format

ROWS = [("007", "a, b", "T"), ("NA", 'she said "no"', ""), ("1e5", LONG, "x;y"), (" q ", "é", "")]
IN_QUOTES = [(one, text.replace('"', '""'), title) for one, text, title in ROWS]
KEYED = [json.dumps({"_id": a, "text": b, "title": c}) for a, b, c in ROWS]
SAME: dict[str, bytes] = {
    "jsonl": "\n".join(KEYED).encode(),
    "tsv": "\n".join(map("\t".join, [("Doc-ID", "Contents", "Title"), *ROWS])).encode(),
    "csv": "\n".join(["docid,text,title", *(f'{a},"{b}","{c}"' for a, b, c in IN_QUOTES)]).encode(),
    "semicolons": "\n".join(
        ["docno;body;title", *(f'{a};"{b}";"{c}"' for a, b, c in IN_QUOTES)]
    ).encode(),
    "parquet": packed(
        {name: [row[at] for row in ROWS] for at, name in enumerate(("pid", "passage", "title"))}
    ),
}


@pytest.mark.parametrize("raw", SAME.values(), ids=SAME)
def test_ids_and_texts_come_out_as_they_went_in(raw: bytes, tmp_path: Path) -> None:
    """Whatever the format, packed or not, from bytes and from a file."""
    expected = {one: Text(text, title) for one, text, title in ROWS}
    assert texts(raw) == expected
    assert texts(gzip.compress(raw)) == expected
    file = tmp_path / "docs"
    file.write_bytes(gzip.compress(raw))
    assert read_texts(file, DOCUMENTS).by_id == expected
    assert read_texts(file, DOCUMENTS).source == "docs"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda raw: raw + b"\n", id="last-line-feed"),
        pytest.param(lambda raw: raw.replace(b"\n", b"\r\n") + b"\r\n", id="crlf"),
        pytest.param(lambda raw: b"\xef\xbb\xbf" + raw, id="mark"),
        pytest.param(lambda raw: b"\n \n" + raw.replace(b"\n", b"\n\n") + b"\n", id="blank-lines"),
    ],
)
@pytest.mark.parametrize("name", ["jsonl", "tsv", "csv"])
def test_line_ends_and_marks_make_no_difference(name: str, change: Any) -> None:
    assert texts(change(SAME[name])) == texts(SAME[name])


def test_text_in_quotes_may_go_over_lines() -> None:
    assert texts(b'id,text\n1,"a\nb\r\nc"\n2,d\n') == {"1": Text("a\nb\r\nc"), "2": Text("d")}


@pytest.mark.parametrize("text", ["x", '"a""\n b"'], ids=["plain", "in quotes over lines"])
def test_long_file_is_the_same_read_in_stretches(text: str) -> None:
    """Lines are counted on; a stretch that is read at a time ends no row."""
    rows = [f"{number},{text},{'z' * 50}" for number in range(40_000)]
    raw = "\n".join(["id,text,title", *rows]).encode()
    assert len(raw) > 2 << 20
    found = texts(raw)
    assert list(found) == [str(number) for number in range(40_000)]
    assert {one.text for one in found.values()} == {"x" if text == "x" else 'a"\n b'}
    with pytest.raises(FileError) as error:
        texts(raw + b"\nlast")
    assert error.value.line == raw.count(b"\n") + 2


@pytest.mark.parametrize(
    "header",
    ["qid\tquery", "query-id\ttext", "_id\ttext", "Topic_ID\tquestion", "question id\tcontent"],
)
def test_names_that_people_use_for_queries(header: str) -> None:
    assert texts(f"{header}\n1\ta\n".encode(), QUERIES) == {"1": Text("a")}


@pytest.mark.parametrize(
    "header",
    ["docno\tbody", "corpus-id\ttext", "doc_id\tcontents", "chunk_id\tchunk", "id\tpage_content"],
)
def test_names_that_people_use_for_documents(header: str) -> None:
    assert texts(f"{header}\n1\ta\n".encode()) == {"1": Text("a")}


def test_parquet_of_numbered_ids() -> None:
    raw = packed({"id": [7, 8], "text": ["a", None], "year": [1, 2]})
    found = read_texts(raw, DOCUMENTS, name="d.parquet")
    assert found.by_id == {"7": Text("a"), "8": Text("")}
    assert found.notices == (
        "d.parquet: 2 ids were whole numbers, taken as text as written.",
        "d.parquet: 1 column not used ('year').",
    )


def test_lines_before_the_header_are_said() -> None:
    found = read_texts(b"sep=;\n# mine\n\nid;text\n1;a\n", DOCUMENTS, name="d.csv")
    assert found.by_id == {"1": Text("a")}
    assert found.notices == ("d.csv: 2 lines before the header skipped.",)


# Only what is wanted


def test_only_wanted_texts_are_kept_and_all_are_counted() -> None:
    found = read_texts(b"1\ta\n2\tb\n2\tother\n3\tc\n", DOCUMENTS, name="d", wanted={"1", "9"})
    assert (found.by_id, found.total) == ({"1": Text("a")}, 4)


# Repeats


@pytest.mark.parametrize(
    "raw",
    [b"1\ta\n2\tb\n1\ta\n", packed({"id": ["1", "2", "1"], "text": ["a", "b", "a"]})],
    ids=["lines", "rows"],
)
def test_same_text_twice_is_merged_and_counted(raw: bytes) -> None:
    found = read_texts(raw, DOCUMENTS, name="d")
    assert (found.by_id, found.total) == ({"1": Text("a"), "2": Text("b")}, 2)
    assert found.notices[-1] == "d: 1 repeated text merged."


# Refusals

HEADER = "Add one, such as id,title,text; without one, give an id, a tab and a text a line."
SHAPE = 'Write one object a line: {"id": "…", "text": "…"}.'
KEYS = "expected one such as doc_id, docno or id. Name it so."


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        pytest.param(
            b'{"id": "1", "text": ""}\n\n{',
            "d, line 3: not valid JSON (expecting property name enclosed in double quotes, "
            "column 2). Correct the file, or write it again with a JSON library.",
            id="no-json",
        ),
        pytest.param(
            b'{\n  "id": "1",\n',
            f"d, line 1: JSON that goes over several lines, expected an object on each. {SHAPE}",
            id="pretty-json",
        ),
        pytest.param(
            b'\n[{"id": "1"}]',
            f'd, line 2: expected an object, found [{{"id": "1"}}]. {SHAPE}',
            id="list",
        ),
        pytest.param(
            b'{"text": "a"}',
            f"d, line 1: no column for the document id among 'text', {KEYS}",
            id="no-id",
        ),
        pytest.param(
            b'{"id": "1", "text": "a"}\n{"id": "2", "year": 7}',
            "d, line 2: no column for the text of a document among 'id', 'year', expected one such "
            "as text, contents or passage. Name it so.",
            id="no-text-on-a-line",
        ),
        pytest.param(
            b'{"id": null, "text": "a"}',
            'd, line 1: null is not a document id. Write ids as text, in quotes: "007".',
            id="null-id",
        ),
        pytest.param(
            b'{"id": 1.0, "text": "a"}',
            'd, line 1: 1.0 is not a document id. Write ids as text, in quotes: "007".',
            id="fraction-as-id",
        ),
        pytest.param(
            b'{"id": "", "text": "a"}',
            "d, line 1: an empty id. Give every query and document an id.",
            id="empty-id",
        ),
        pytest.param(
            b'{"id": "1", "text": ["a", "b"]}',
            'd, line 1: the text ["a", "b"] is not text. Write it in quotes, as text.',
            id="list-as-text",
        ),
        pytest.param(
            b'{"id": "1", "text": "\\ud800"}',
            "d, line 1: half a character (a lone surrogate) in the text. "
            "Write the file again with correct text.",
            id="half-a-character",
        ),
        pytest.param(
            b'{"id": "1", "\\ud800": "a"}',
            "d, line 1: the id '\\ud800' holds a lone surrogate, which is not a character. "
            "Write the file again with correct text.",
            id="half-a-character-in-a-key",
        ),
        pytest.param(
            b'{"id": "1", "text": "a"}\n\n{"id": "1", "text": "b"}',
            "d, line 3: document '1' has another text on line 1. Keep one of the two.",
            id="two-texts",
        ),
        pytest.param(
            packed({"id": ["1", "1"], "text": ["a", "b"]}),
            "d, row 2: document '1' has another text in row 1. Keep one of the two.",
            id="two-texts-in-parquet",
        ),
        pytest.param(
            b'id,text,title\n1,a,"T"\n1,a,"U"\n',
            "d, line 3: document '1' has another text on line 2. Keep one of the two.",
            id="two-titles",
        ),
        pytest.param(
            b"id,text,body\n1,a,b\n",
            "d, line 1: the columns 'text' and 'body' may both be the text, expected one. "
            "Rename or leave out the other one.",
            id="two-columns-of-texts",
        ),
        pytest.param(
            b"pid\tdocid\ttext\n1\t2\ta\n",
            "d, line 1: the columns 'pid' and 'docid' may both be the document id, expected one. "
            "Rename or leave out the other one.",
            id="two-columns-of-ids",
        ),
        pytest.param(
            b"# c\ndocid,year\n1,2002\n",
            "d, line 2: no column for the text of a document among 'docid', 'year', expected one "
            "such as text, contents or passage. Name it so.",
            id="no-column-of-texts",
        ),
        pytest.param(
            b"1,a\n2,b\n",
            f"d, line 1: no header line that names the columns, found '1,a'. {HEADER}",
            id="csv-without-header",
        ),
        pytest.param(
            b"1\thttp\ta\n",
            f"d, line 1: no header line that names the columns, found '1\thttp\ta'. {HEADER}",
            id="three-columns-without-header",
        ),
        pytest.param(
            b"some words\n",
            f"d, line 1: no header line that names the columns, found 'some words'. {HEADER}",
            id="words",
        ),
        pytest.param(
            b"1\ta\n2\tb\tc\n",
            "d, line 2: 3 columns, expected 2 ('id', 'text'). Does a field hold a tab?",
            id="tab-in-a-text",
        ),
        pytest.param(
            b"id,text\n1,a, b\n",
            "d, line 2: 3 columns, expected 2 ('id', 'text'). "
            "Put a field that holds the separator in quotes.",
            id="comma-in-a-text",
        ),
        pytest.param(
            b'id,text\n1,"a\n2,b\n',
            'd, line 2: a quote that nothing closes: "a. '
            "Close it, or write a quote inside a field in quotes as two.",
            id="open-quote",
        ),
        pytest.param(
            b"1\ta\n\tb\n",
            "d, line 2: an empty id. Give every query and document an id.",
            id="empty-field-as-id",
        ),
        pytest.param(
            b"1\ta\n2\t\xe9\n",
            "d, line 2: byte 0xe9 is not UTF-8. Save the file as UTF-8 and load it again.",
            id="latin-1",
        ),
        pytest.param(b"id,text\n", "d: no texts found. Is this the right file?", id="header-only"),
        pytest.param(b"", "d: the file is empty. Is this the right file?", id="empty"),
        pytest.param(
            packed({"id": ["1"], "text": [["a"]]}),
            'd, row 1: the text ["a"] is not text. Write it in quotes, as text.',
            id="parquet-of-lists",
        ),
        pytest.param(
            packed({"key": ["1"], "text": ["a"]}),
            f"d: no column for the document id among 'key', 'text', {KEYS}",
            id="parquet-without-id",
        ),
    ],
)
def test_refused_with_the_first_line_concerned(raw: bytes, message: str) -> None:
    with pytest.raises(FileError) as error:
        texts(raw, name="d")
    assert str(error.value) == message
    assert error.value.file == "d"


def test_documents_are_no_queries() -> None:
    with pytest.raises(FileError) as error:
        texts(b"docid,text\n1,a\n", QUERIES, name="q")
    assert str(error.value) == (
        "q, line 1: no column for the query id among 'docid', 'text', "
        "expected one such as query_id, qid or id. Name it so."
    )


def test_long_id_is_cut_in_the_message() -> None:
    one = "a" * 40 + "b" * 60
    with pytest.raises(FileError) as error:
        texts(f"{one}\tx\n{one}\ty\n".encode())
    assert error.value.found == f"document '{'a' * 39}…{'b' * 39}' has another text on line 1"


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError) as error:
        read_texts(tmp_path / "none.jsonl", QUERIES)
    assert str(error.value) == (
        "none.jsonl: the file cannot be opened (no such file or directory). Check its path."
    )
