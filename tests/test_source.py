"""Opening files: limits on what an archive unpacks to, and lines."""

import gzip
import io
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_back import message

from core.errors import FileError
from core.formats import limits, read_run, source
from core.formats.source import has_ending, opened

ROOT = Path(__file__).parent.parent


def bomb(megabytes: int) -> bytes:
    """An archive that unpacks to a thousand times its size."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as packed:
        for _ in range(megabytes):
            packed.write(b"q Q0 d 1 1 tag                 \n" * (1 << 15))
    return out.getvalue()


def first_line(data: bytes, limit: int) -> bytes:
    with opened(data, "f.run.gz", limit=limit) as text:
        return next(text.lines())[1]


def test_an_archive_over_the_limit_is_refused() -> None:
    data = bomb(3)
    assert len(data) < 30_000
    assert first_line(data, 3 << 20).startswith(b"q Q0 d")
    assert message(lambda: first_line(data, (3 << 20) - 1)) == (
        "f.run.gz: the file unpacks to more than 3 MB, which is the limit. "
        "Is this the right file? Split it, or unpack it first."
    )


def test_a_bomb_is_stopped_before_it_fills_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than half of what is free is taken."""

    class Usage:
        free = 2 << 20

    monkeypatch.setattr("shutil.disk_usage", lambda path: Usage)
    assert message(lambda: first_line(bomb(3), limits.LARGEST)) == (
        "f.run.gz: the file unpacks to more than 1 MB, which is the limit. "
        "Is this the right file? Split it, or unpack it first."
    )


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from Linux")
def test_a_bomb_takes_no_memory() -> None:
    """200 MB unpacked, in a process that must not grow by a quarter of that."""
    code = (
        "import sys, resource\n"
        "from core.formats.source import opened\n"
        "data = sys.stdin.buffer.read()\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    with opened(data, 'f', limit=190 << 20): pass\n"
        "except ValueError as error: print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=bomb(200),
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    said, grown = done.stdout.decode().splitlines()
    assert said.startswith("f: the file unpacks to more than 190 MB")
    assert int(grown) < 50_000, "kilobytes"


def test_a_pipe_over_the_limit_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(
        [sys.executable, "-c", f"open({str(pipe)!r}, 'wb').write(b'q 0 d 1\\n' * 100)"],
        stderr=subprocess.DEVNULL,
    )

    def read() -> bytes:
        with opened(pipe, "pipe", limit=500) as text:
            return text.head()

    assert message(read) == (
        "pipe: the file unpacks to more than 500 bytes, which is the limit. "
        "Is this the right file? Split it, or unpack it first."
    )
    writer.wait()


@given(
    st.lists(st.binary(max_size=5).filter(lambda part: b"\n" not in part), min_size=1, max_size=9),
    st.integers(1, 7),
)
def test_lines_are_those_of_the_text(parts: list[bytes], chunk: int) -> None:
    data = b"x" + b"\n".join(parts)
    if b"\0" in data or data.startswith((b"\x1f\x8b", b"BZh")):
        data = b"xyz"
    before = source._CHUNK
    source._CHUNK = chunk
    try:
        with opened(data, "f") as text:
            assert list(text.lines()) == list(enumerate(data.split(b"\n"), 1))
    finally:
        source._CHUNK = before


@pytest.mark.parametrize(
    ("name", "found"),
    [("a.csv", True), ("A.CSV.GZ", True), ("a.csv.zip", False), ("csv", False), ("a.tsv", False)],
)
def test_ending_of_a_name(name: str, found: bool) -> None:
    assert has_ending(name, ".csv") == found


LINES = b"".join(b"q%d Q0 d%d 1 0.5 bm25\n" % (number // 9, number) for number in range(40_000))


def unpacked(data: bytes) -> bytes:
    with opened(data, "f.gz") as text:
        return text.read(0, text.end)


def is_text(data: bytes) -> bool:
    return b"\0" not in data and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


@given(st.data())
def test_archives_are_unpacked_as_the_standard_library_does(data: st.DataObject) -> None:
    """Members behind one another, zeros that fill a block, and every kind of damage."""
    members = data.draw(st.lists(st.binary(max_size=40), min_size=1, max_size=3))
    filled = data.draw(st.integers(0, 3))
    archive = b"".join(gzip.compress(b"x" + one, mtime=0) + bytes(filled) for one in members)
    kind = data.draw(st.sampled_from(["good", "cut", "changed", "followed"]))
    at = data.draw(st.integers(2, len(archive) - 1))
    if kind == "cut":
        archive = archive[:at]
    elif kind == "changed":
        archive = archive[:at] + data.draw(st.binary(min_size=1, max_size=1)) + archive[at + 1 :]
    elif kind == "followed":
        archive += data.draw(st.binary(min_size=1, max_size=4))
    try:
        expected = gzip.decompress(archive)
    except (OSError, EOFError, zlib.error):
        assert "the gzip archive" in message(lambda: unpacked(archive))
        return
    try:
        assert unpacked(archive) == expected
    except FileError as error:  # zlib checks the headers of members, Python does not
        assert "header" in error.found or not is_text(expected)


@pytest.mark.parametrize(
    ("archive", "expected"),
    [
        (gzip.compress(LINES)[:-9], "f.gz: the gzip archive is truncated. Copy the file again."),
        (b"\x1f\x8b", "f.gz: the gzip archive is truncated. Copy the file again."),
        (
            gzip.compress(LINES)[:-8] + bytes(8),
            "f.gz: the gzip archive is corrupt (incorrect data check). Copy the file again.",
        ),
        (
            gzip.compress(LINES) + LINES[:300],
            "f.gz: something that is not gzip follows the gzip archive. "
            "Were files put behind one another? Compress all of them, or none.",
        ),
    ],
)
def test_a_damaged_archive_is_refused(archive: bytes, expected: str) -> None:
    assert message(lambda: read_run(archive, source="f.gz")) == expected


def test_damage_is_named_before_what_it_did_to_the_text() -> None:
    """A line is too short, too, in a part of the file that is read before the end is unpacked."""
    archive = gzip.compress(b"q Q0 d\n" + LINES * 40)
    assert message(lambda: read_run(archive, source="f.gz")).startswith("f.gz, line 1: 3 columns")
    assert message(lambda: read_run(archive[:-9], source="f.gz")) == (
        "f.gz: the gzip archive is truncated. Copy the file again."
    )


def test_an_archive_is_unpacked_only_as_far_as_somebody_reads() -> None:
    data = gzip.compress(LINES * 40)
    with opened(data, "f.gz") as text:
        text.head()
        assert text._bytes._size <= 2 << 20
        assert list(text.cut_at_lines())[-1][1] == len(LINES) * 40 == text.end
