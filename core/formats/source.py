"""The bytes of one file: named, decompressed, checked to be text, read in ranges."""

import gzip
import io
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from core.errors import FileError

_GZIP = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
_HEAD = 64 * 1024
_CHUNK = 1 << 20

_NOT_TEXT = {
    b"\xff\xfe": "the file is UTF-16",
    b"\xfe\xff": "the file is UTF-16",
    b"PK\x03\x04": "the file is a zip archive or a spreadsheet",
    b"PAR1": "the file is Parquet",
    b"\x28\xb5\x2f\xfd": "the file is compressed with zstd",
    b"BZh": "the file is compressed with bzip2",
    b"\xfd7zXZ": "the file is compressed with xz",
}


@dataclass(frozen=True, eq=False)
class Source:
    """Text of one file, in bytes.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    begin, end : int
        Where the text lies; a byte order mark stands before `begin`.
    """

    name: str
    begin: int
    end: int
    _file: BinaryIO
    _lock: Lock = field(default_factory=Lock)

    def read(self, begin: int, end: int) -> bytes:
        """Read a range. Safe from several threads at once."""
        with self._lock:
            self._file.seek(begin)
            return self._file.read(min(end, self.end) - begin)

    def head(self) -> bytes:
        """Read the first 64 KiB."""
        return self.read(self.begin, self.begin + _HEAD)

    def text(self) -> str:
        """Decode the whole file."""
        raw = self.read(self.begin, self.end)
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise not_utf8(self.name, line, error) from None

    def lines_before(self, position: int) -> int:
        """Count the lines that end before a position: only needed for a message."""
        marks = range(self.begin, position, _CHUNK)
        return sum(self.read(at, min(at + _CHUNK, position)).count(b"\n") for at in marks)


@contextmanager
def opened(file: Path | bytes, name: str) -> Iterator[Source]:
    """Open a file, or bytes already in memory, as a `Source`.

    Gzip is recognised by content, whatever the name, and spooled decompressed.

    Raises
    ------
    FileError
        The file cannot be opened, is empty, is not UTF-8 text, or is a damaged gzip archive.
    """
    try:
        raw = io.BytesIO(file) if isinstance(file, bytes) else file.open("rb")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(name, f"the file cannot be opened ({reason})", "Check its path.") from None
    if not raw.seekable():  # A pipe can be read once.
        with raw:
            raw = io.BytesIO(raw.read())
    with raw, _decompressed(raw, name) as text:
        end = text.seek(0, io.SEEK_END)
        text.seek(0)
        head = text.read(_HEAD)
        _check_text(head, name)
        begin = len(_UTF8_MARK) if head.startswith(_UTF8_MARK) else 0
        if not head[begin:].strip() and end - begin <= _HEAD:
            raise FileError(name, "the file is empty", "Is this the right file?")
        yield Source(name, begin, end, text)


def not_utf8(name: str, line: int, error: UnicodeDecodeError) -> FileError:
    """Build the error for a byte that cannot be UTF-8."""
    byte = error.object[error.start]
    return FileError(
        name,
        f"byte 0x{byte:02x} is not UTF-8",
        "Save the file as UTF-8 and load it again.",
        line=line,
    )


@contextmanager
def _decompressed(raw: BinaryIO, name: str) -> Iterator[BinaryIO]:
    head = raw.read(len(_GZIP))
    raw.seek(0)
    if head != _GZIP:
        yield raw
        return
    with tempfile.TemporaryFile() as spool:
        try:
            with gzip.GzipFile(fileobj=raw) as packed:
                while chunk := packed.read(_CHUNK):
                    spool.write(chunk)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileError(
                name,
                f"the gzip archive is truncated or corrupt ({str(error).rstrip('.').lower()})",
                "Copy the file again.",
            ) from None
        spool.flush()
        yield spool


def _check_text(head: bytes, name: str) -> None:
    for mark, found in _NOT_TEXT.items():
        if head.startswith(mark):
            raise FileError(name, f"{found}, not UTF-8 text", "Save it as UTF-8 text.")
    if b"\x00" in head:
        line = head.count(b"\n", 0, head.index(b"\x00")) + 1
        raise FileError(
            name,
            "a NUL byte, so the file is not UTF-8 text (UTF-16 without a mark?)",
            "Save it as UTF-8 text.",
            line=line,
        )
