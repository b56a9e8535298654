"""Texts of queries and documents: what is read, and what is refused in which words."""

import gzip
from pathlib import Path

import pytest

from core.errors import FileError
from core.formats.texts import Text, read_texts

NOT_AN_OBJECT = 'not a JSON object with an id in quotes. Write one {"id": …, "text": …} a line.'


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
        pytest.param('{"id": "d", "year": 2002}', Text(""), "", id="neither"),
        pytest.param('{"id": "d", "text": 7}', Text("7"), "7", id="number"),
        pytest.param('{"id": "d", "text": "\\u00e9\\n"}', Text("é\n"), "é\n", id="escapes"),
    ],
)
def test_line_reads_as(line: str, text: Text, label: str) -> None:
    found = read_texts(line.encode(), "docs.jsonl")
    assert found == {"d": text}
    assert found["d"].label == label


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b'{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}\n', id="plain"),
        pytest.param(b'{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}', id="no-last-line-feed"),
        pytest.param(
            b'\n{"id": "1", "text": "a"}\n \n{"id": "2", "text": "b"}\n\n', id="blank-lines"
        ),
        pytest.param(b'{"id": "1", "text": "a"}\r\n{"id": "2", "text": "b"}\r\n', id="crlf"),
        pytest.param(b'\xef\xbb\xbf{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}', id="mark"),
        pytest.param(
            gzip.compress(b'{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}'), id="gzip"
        ),
    ],
)
def test_same_texts_from_bytes_and_from_a_file(raw: bytes, tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_bytes(raw)
    assert read_texts(raw, "docs.jsonl") == {"1": Text("a"), "2": Text("b")}
    assert read_texts(file, "docs.jsonl") == {"1": Text("a"), "2": Text("b")}


def test_ids_are_kept_as_written() -> None:
    ids = ["007", "7", " 7", "NA", "é", ""]
    lines = "\n".join(f'{{"id": "{identity}"}}' for identity in ids)
    assert list(read_texts(lines.encode(), "docs.jsonl")) == ids


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_only_a_line_feed_ends_a_line(mark: str) -> None:
    """JSON lets these marks stand inside a text, though some readers break the line there."""
    raw = f'{{"id": "d", "text": "a{mark}b"}}\n'.encode()
    assert read_texts(raw, "docs.jsonl") == {"d": Text(f"a{mark}b")}


GOOD = b'{"id": "1"}\n'


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        pytest.param(GOOD + b"\n{", f"docs.jsonl, line 3: {NOT_AN_OBJECT}", id="no-json"),
        pytest.param(b"d\ta b\n", f"docs.jsonl, line 1: {NOT_AN_OBJECT}", id="tab-separated"),
        pytest.param(b'[{"id": "1"}]', f"docs.jsonl, line 1: {NOT_AN_OBJECT}", id="list"),
        pytest.param(b'{"text": "a"}', f"docs.jsonl, line 1: {NOT_AN_OBJECT}", id="no-id"),
        pytest.param(b'{"_id": "1"}', f"docs.jsonl, line 1: {NOT_AN_OBJECT}", id="another-id"),
        pytest.param(GOOD + b'{"id": 7}', f"docs.jsonl, line 2: {NOT_AN_OBJECT}", id="number"),
        pytest.param(b'{"id": null}', f"docs.jsonl, line 1: {NOT_AN_OBJECT}", id="null"),
        pytest.param(
            b'{"id": "1"} {"id": "2"}', f"docs.jsonl, line 1: {NOT_AN_OBJECT}", id="two-on-one-line"
        ),
        pytest.param(b"[" * 200_000, f"docs.jsonl, line 1: {NOT_AN_OBJECT}", id="nested-too-deep"),
        pytest.param(
            GOOD + b'{"id": "2"}\n' + GOOD,
            "docs.jsonl, line 3: the id '1' stands on an earlier line, too. Keep one of the two.",
            id="twice",
        ),
        pytest.param(
            GOOD + b'{"id": "\xe9"}',
            "docs.jsonl, line 2: byte 0xe9 is not UTF-8. Save the file as UTF-8 and load it again.",
            id="latin-1",
        ),
        pytest.param(b"", "docs.jsonl: the file is empty. Is this the right file?", id="empty"),
    ],
)
def test_refused_with_the_first_line_concerned(raw: bytes, message: str) -> None:
    with pytest.raises(FileError) as error:
        read_texts(raw, "docs.jsonl")
    assert str(error.value) == message
    assert error.value.file == "docs.jsonl"


def test_long_id_is_cut_in_the_message() -> None:
    line = b'{"id": "' + b"a" * 40 + b"b" * 60 + b'"}\n'
    with pytest.raises(FileError) as error:
        read_texts(line * 2, "docs.jsonl")
    assert error.value.found == f"the id '{'a' * 39}…{'b' * 39}' stands on an earlier line, too"


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError) as error:
        read_texts(tmp_path / "none.jsonl", "none.jsonl")
    assert str(error.value) == (
        "none.jsonl: the file cannot be opened (no such file or directory). Check its path."
    )
