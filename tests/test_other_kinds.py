"""Files that are none of ours are refused by name, whatever they are called."""

import gzip
import io
import pickle
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, orc, parquet
from read_back import message

from core.formats import read_judgments, read_run

LINE = b"q1 Q0 d1 1 22.5 t\n"
TABLE = pa.table({"qid": ["q1"], "docid": ["d1"], "score": [1.0]})
TO_PARQUET = "Save the table as Parquet or CSV."


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        member = tarfile.TarInfo("a.run")
        member.size = len(LINE)
        packed.addfile(member, io.BytesIO(LINE))
    return out.getvalue()


def zip_of(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name in names:
            packed.writestr(name, "x")
    return out.getvalue()


def stream() -> bytes:
    out = io.BytesIO()
    with ipc.new_stream(out, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return out.getvalue()


def written(write: object, *values: object) -> bytes:
    out = io.BytesIO()
    write(*values, out)  # type: ignore[operator]
    return out.getvalue()


def numpy_array() -> bytes:
    out = io.BytesIO()
    np.save(out, np.zeros((2, 3)))
    return out.getvalue()


def said_of(data: bytes) -> str:
    said = message(lambda: read_run(data, source="f"))
    assert message(lambda: read_judgments(data, name="f")) == said
    return said


@pytest.mark.parametrize(
    ("data", "kind", "remedy"),
    [
        pytest.param(
            tar(),
            "a tar archive",
            "Unpack it, and give the one file in it that holds the data.",
            id="tar",
        ),
        pytest.param(
            gzip.compress(tar()),
            "a tar archive",
            "Unpack it, and give the one file in it that holds the data.",
            id="tar-gz",
        ),
        pytest.param(
            zip_of("[Content_Types].xml", "xl/workbook.xml"),
            "an Excel or Word document",
            "Save the sheet as CSV in UTF-8.",
            id="xlsx",
        ),
        pytest.param(zip_of("a.npy"), "NumPy arrays (.npz)", TO_PARQUET, id="npz"),
        pytest.param(
            zip_of("a.run"),
            "a zip archive or a spreadsheet",
            "Unpack it, or save the sheet as CSV in UTF-8.",
            id="zip",
        ),
        pytest.param(
            gzip.compress(gzip.compress(LINE)),
            "compressed with gzip twice",
            "Unpack it once.",
            id="gzip-twice",
        ),
        pytest.param(
            written(feather.write_feather, TABLE), "an Arrow or Feather file", TO_PARQUET, id="ipc"
        ),
        pytest.param(stream(), "an Arrow stream", TO_PARQUET, id="arrow-stream"),
        pytest.param(b"FEA1\0\0\0\0", "a Feather file", TO_PARQUET, id="feather-1"),
        pytest.param(written(orc.write_table, TABLE), "an ORC file", TO_PARQUET, id="orc"),
        pytest.param(b"Obj\x01\x04\x14avro.codec", "an Avro file", TO_PARQUET, id="avro"),
        pytest.param(b"\x89HDF\r\n\x1a\n\0", "an HDF5 file", TO_PARQUET, id="hdf5"),
        pytest.param(numpy_array(), "a NumPy array (.npy)", TO_PARQUET, id="npy"),
        pytest.param(
            pickle.dumps({"q1": {"d1": 1.0}}),
            "a Python pickle",
            "Write its content as JSON or CSV from the program that made it.",
            id="pickle",
        ),
        pytest.param(
            b"7z\xbc\xaf'\x1c", "a 7z archive", "Unpack it, or compress it as .gz.", id="7z"
        ),
        pytest.param(
            b"Rar!\x1a\x07\x01\0", "a RAR archive", "Unpack it, or compress it as .gz.", id="rar"
        ),
        pytest.param(
            b"{\\rtf1\\ansi q1}", "a Word document (RTF)", "Save it as UTF-8 text.", id="rtf"
        ),
    ],
)
def test_a_file_of_another_kind_is_refused_by_name(data: bytes, kind: str, remedy: str) -> None:
    assert said_of(data) == f"f: the file is {kind}, not UTF-8 text. {remedy}"


def test_a_database_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "runs.tsv"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE results (query TEXT)")
    database.close()
    assert said_of(file.read_bytes()) == (
        "f: the file is an SQLite database, not UTF-8 text. Export the table as CSV or Parquet."
    )


WEB_PAGE = "f: the file is a web page (HTML). Download the file itself."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"<!DOCTYPE html>\n<html><title>Sign in</title>", WEB_PAGE),
        (b"\n<!-- x -->\n<head>\n<title>Sign in</title>", WEB_PAGE),
        (b'<?xml version="1.0"?>\n<html xmlns="x">', WEB_PAGE),
        (
            b'<?xml version="1.0"?>\n<topics/>',
            "f: the file is XML. Save the data as CSV, JSON or in TREC's format.",
        ),
    ],
)
def test_pages_and_xml_are_refused_by_name(text: bytes, expected: str) -> None:
    assert said_of(text) == expected


@pytest.mark.parametrize("query", ["ORC1", "FEA1", "ustar", "Obj"])
def test_ids_may_begin_like_other_files(query: str) -> None:
    run = read_run(f"{query} Q0 d1 1 2 t\n".encode(), source="f")
    assert run.blocks[0].query_ids == (query,)


def test_text_that_is_called_parquet() -> None:
    text = b"qid,docid,score\nq1,d1,22.5\n"
    assert message(lambda: read_run(text, source="f.csv", format="parquet")) == (
        "f.csv: the file is not Parquet, it is text that begins 'qid,docid,score'. "
        "Choose another format, or none: the content tells."
    )


def test_parquet_that_is_called_text() -> None:
    data = written(parquet.write_table, TABLE)
    assert message(lambda: read_run(data, source="f.csv", format="csv")) == (
        "f.csv: the file is Parquet. Choose another format, or none: the content tells."
    )
