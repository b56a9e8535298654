"""Uploads on the disk: copied there, gone with their last reader, and let go by Streamlit."""

import gc
import hashlib
import tempfile
from pathlib import Path

import app_driver
import pytest
from app_driver import QRELS, app, upload
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from dashboard import uploads
from dashboard.files import Files as SessionFiles
from dashboard.files import Reading, read_as, with_uploads

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)

RUN = b"q1 Q0 d1 1 1.0 tag\n" * 200_000


def uploaded(data: bytes, name: str = "my.run") -> UploadedFile:
    return UploadedFile(UploadedFileRec("id", name, "text/plain", data), FileURLs())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_upload_is_copied_to_the_disk(folder: Path) -> None:
    file = uploads.stored(uploaded(RUN))
    assert isinstance(file.content, Path)
    assert file.content.parent == folder
    assert file.content.read_bytes() == RUN
    assert (file.name, file.digest) == ("my.run", hashlib.sha256(RUN).hexdigest())


def test_upload_that_was_read_before_is_copied_whole() -> None:
    upload = uploaded(RUN)
    upload.read(1_000)
    assert uploads.stored(upload).digest == hashlib.sha256(RUN).hexdigest()


def test_copy_goes_with_the_last_file_that_refers_to_it(folder: Path) -> None:
    file = uploads.stored(uploaded(RUN))
    files = with_uploads(SessionFiles("uploaded", (), ()), None, [file])
    files = read_as(files, file.digest, Reading("trec"))
    del file
    gc.collect()
    assert [path.read_bytes() for path in folder.iterdir()] == [RUN]
    del files
    gc.collect()
    assert not [*folder.iterdir()]


def test_without_room_on_the_disk_an_upload_stays_in_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", full)
    file = uploads.stored(uploaded(RUN))
    assert (file.content, file.digest) == (RUN, hashlib.sha256(RUN).hexdigest())
    assert not [*folder.iterdir()]


def test_streamlit_lets_go_of_an_upload_that_was_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[str] = []
    monkeypatch.setattr(
        MemoryUploadedFileManager,
        "remove_file",
        lambda self, session_id, file_id: removed.append(file_id),
    )
    at = app("data")
    upload(at, qrels=("my.qrels", QRELS))
    stored = at.session_state["files"].qrels[-1]
    assert isinstance(stored.content, Path)
    assert len(removed) == 1
