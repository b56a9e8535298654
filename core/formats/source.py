"""The bytes of one file: named, decompressed, checked to be text, read in ranges."""

import gzip
import io
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from core.errors import FileError

_GZIP = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"
_HEAD = 64 * 1024
_CHUNK = 1 << 20
_PART = 4 << 20
PARQUET = b"PAR1"
LARGEST = 8 << 30
"""Bytes that an archive may unpack to, unless told otherwise."""

_SAVE = "Save it as UTF-8 text."
_UNPACK = "Unpack it, or compress it as .gz."
_AS_CSV = "Unpack it, or save the sheet as CSV in UTF-8."
# How files begin that are none of ours, what they are and what to do.
_NOT_TEXT = {
    b"\xff\xfe\x00\x00": ("the file is UTF-32", _SAVE),
    b"\xff\xfe": ("the file is UTF-16", _SAVE),
    b"\xfe\xff": ("the file is UTF-16", _SAVE),
    b"PK\x03\x04": ("the file is a zip archive or a spreadsheet", _AS_CSV),
    b"PK\x05\x06": ("the file is an empty zip archive", _AS_CSV),
    b"\xd0\xcf\x11\xe0": ("the file is an old Excel or Word document", _AS_CSV),
    b"%PDF": ("the file is a PDF", _SAVE),
    b"\x28\xb5\x2f\xfd": ("the file is compressed with zstd", _UNPACK),
    b"\x04\x22\x4d\x18": ("the file is compressed with lz4", _UNPACK),
    b"BZh": ("the file is compressed with bzip2", _UNPACK),
    b"\xfd7zXZ": ("the file is compressed with xz", _UNPACK),
    b"7z\xbc\xaf": ("the file is a 7z archive", _UNPACK),
}
_WEB_PAGE = (b"<!doctype html", b"<html")


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
        return decoded_text(self.read(self.begin, self.end), self.name)

    def cut_at_lines(self, begin: int | None = None, size: int = _PART) -> list[tuple[int, int]]:
        """Cut the text into ranges of whole lines, about `size` bytes each.

        Parameters
        ----------
        begin : int, optional
            Where to begin, if not with the text.
        size : int
        """
        cuts = [self.begin if begin is None else begin]
        while (at := cuts[-1] + size) < self.end:
            while at < self.end and (found := self.read(at, at + _HEAD).find(b"\n")) < 0:
                at += _HEAD
            if at >= self.end:
                break
            cuts.append(at + found + 1)
        return [bounds for bounds in pairwise([*cuts, self.end]) if bounds[0] < bounds[1]]

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Read line by line: its number, counted from 1, and its bytes without the line feed."""
        number, rest = 0, [b""]
        for at in range(self.begin, self.end, _CHUNK):
            first, *others = self.read(at, min(at + _CHUNK, self.end)).split(b"\n")
            rest.append(first)
            for other in others:
                number += 1
                yield number, b"".join(rest)
                rest = [other]
        yield number + 1, b"".join(rest)

    def stream(self) -> BinaryIO:
        """Return the file itself, for readers that seek in it."""
        self._file.seek(0)
        return self._file

    def lines_before(self, position: int) -> int:
        """Count the lines that end before a position: only needed for a message."""
        marks = range(self.begin, position, _CHUNK)
        return sum(self.read(at, min(at + _CHUNK, position)).count(b"\n") for at in marks)


@contextmanager
def opened(file: Path | bytes, name: str, *, limit: int = LARGEST) -> Iterator[Source]:
    """Open a file, or bytes already in memory, as a `Source`.

    Gzip is recognised by content, whatever the name, and spooled decompressed.

    Parameters
    ----------
    file : Path or bytes
    name : str
        Name of the file, for messages.
    limit : int
        Bytes that an archive may unpack to; never more than half of what is free on the disk.

    Raises
    ------
    FileError
        The file cannot be opened, is empty, is not UTF-8 text (nor Parquet), or is a gzip archive
        that is damaged or unpacks to more than the limit.
    """
    try:
        raw = io.BytesIO(file) if isinstance(file, bytes) else file.open("rb")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(name, f"the file cannot be opened ({reason})", "Check its path.") from None
    if not raw.seekable():  # A pipe can be read once.
        with raw:
            raw = io.BytesIO(_bounded(raw, name, limit))
    with raw, _decompressed(raw, name, limit) as text:
        end = text.seek(0, io.SEEK_END)
        text.seek(0)
        head = text.read(_HEAD)
        _check_text(head, name)
        begin = len(UTF8_MARK) if head.startswith(UTF8_MARK) else 0
        if not head[begin:].strip() and end - begin <= _HEAD:
            raise FileError(name, "the file is empty", "Is this the right file?")
        yield Source(name, begin, end, text)


def decoded_text(data: bytes, name: str, first_line: int = 1) -> str:
    """Decode text that begins on some line.

    Raises
    ------
    FileError
        Not UTF-8, or a NUL byte, with the line.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise not_utf8(name, line, error) from None
    if "\0" in text:
        raise holds_nul(name, first_line + text.count("\n", 0, text.index("\0")))
    return text


def not_utf8(name: str, line: int, error: UnicodeDecodeError) -> FileError:
    """Build the error for a byte that cannot be UTF-8."""
    byte = error.object[error.start]
    return FileError(
        name,
        f"byte 0x{byte:02x} is not UTF-8",
        "Save the file as UTF-8 and load it again.",
        line=line,
    )


def holds_nul(name: str, line: int) -> FileError:
    """Build the error for a NUL byte, which text does not have."""
    return FileError(
        name,
        "a NUL byte, so this is not UTF-8 text (an archive, another binary file, or UTF-16?)",
        "Is this the right file? Text has to be saved as UTF-8.",
        line=line,
    )


@contextmanager
def _decompressed(raw: BinaryIO, name: str, limit: int) -> Iterator[BinaryIO]:
    head = raw.read(len(_GZIP))
    raw.seek(0)
    if head != _GZIP:
        yield raw
        return
    with tempfile.TemporaryFile() as spool:
        limit = min(limit, shutil.disk_usage(tempfile.gettempdir()).free // 2)
        size = 0
        try:
            with gzip.GzipFile(fileobj=raw) as packed:
                while chunk := packed.read(_CHUNK):
                    size += len(chunk)
                    if size > limit:
                        raise too_large(name, limit)
                    spool.write(chunk)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileError(
                name,
                f"the gzip archive is truncated or corrupt ({str(error).rstrip('.').lower()})",
                "Copy the file again.",
            ) from None
        spool.flush()
        yield spool


def _bounded(pipe: BinaryIO, name: str, limit: int) -> bytes:
    """Read a pipe to its end, or to the limit."""
    data = pipe.read(limit + 1)
    if len(data) > limit:
        raise too_large(name, limit)
    return data


def too_large(name: str, limit: int) -> FileError:
    """Build the error for a file that unpacks to more than can be taken."""
    return FileError(
        name,
        f"the file unpacks to more than {_size(limit)}, which is the limit",
        "Is this the right file? Split it, or unpack it first.",
    )


def has_ending(name: str, *endings: str) -> bool:
    """Whether a file's name has one of the endings, `.gz` aside.

    >>> has_ending("Run.CSV.gz", ".csv")
    True
    """
    return name.lower().removesuffix(".gz").endswith(endings)


def _size(count: int) -> str:
    for unit, factor in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"


def _check_text(head: bytes, name: str) -> None:
    if head.startswith(PARQUET):
        return
    for mark, (found, remedy) in _NOT_TEXT.items():
        if head.startswith(mark):
            raise FileError(name, f"{found}, not UTF-8 text", remedy)
    if head.lstrip()[:20].lower().startswith(_WEB_PAGE):
        raise FileError(name, "the file is a web page (HTML)", "Download the file itself.")
    if b"\x00" in head:
        raise holds_nul(name, head.count(b"\n", 0, head.index(b"\x00")) + 1)
