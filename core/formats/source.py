"""The text of one file: named, decompressed, checked to be text, read in ranges."""

import io
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.errors import FileError
from core.formats.limits import LARGEST, too_large
from core.formats.other_kinds import other_kind
from core.formats.ranges import GZIP, Ranges, Unpacked

UTF8_MARK = b"\xef\xbb\xbf"
_HEAD = 64 * 1024
_CHUNK = 1 << 20
_PART = 4 << 20
PARQUET = b"PAR1"


@dataclass(frozen=True, eq=False)
class Source:
    """Text of one file, in bytes.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    begin : int
        Where the text begins, behind a byte order mark.
    """

    name: str
    begin: int
    _bytes: Ranges

    @property
    def end(self) -> int:
        """Where the text ends. Of an archive it is known once all of it is unpacked."""
        return self._bytes.reach(sys.maxsize)

    def read(self, begin: int, end: int) -> bytes:
        """Read a range, as far as there is text. Safe from several threads at once."""
        return self._bytes.read(begin, end)

    def head(self) -> bytes:
        """Read the first 64 KiB."""
        return self.read(self.begin, self.begin + _HEAD)

    def text(self) -> str:
        """Decode the whole file."""
        return decoded_text(self.read(self.begin, self.end), self.name)

    def cut_at_lines(
        self, begin: int | None = None, size: int = _PART
    ) -> Iterator[tuple[int, int]]:
        """Cut the text into ranges of whole lines, about `size` bytes each.

        Parameters
        ----------
        begin : int, optional
            Where to begin, if not with the text.
        size : int
        """
        begin = self.begin if begin is None else begin
        while (end := self._line_end(begin + size)) is not None:
            yield begin, end
            begin = end
        if begin < self.end:
            yield begin, self.end

    def _line_end(self, at: int) -> int | None:
        """Find where the line at a position ends; None: there is no line feed any more."""
        while data := self.read(at, at + _HEAD):
            if (found := data.find(b"\n")) >= 0:
                return at + found + 1
            at += len(data)
        return None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Read line by line: its number, counted from 1, and its bytes without the line feed."""
        number, at, rest = 0, self.begin, [b""]
        while data := self.read(at, at + _CHUNK):
            at += len(data)
            first, *others = data.split(b"\n")
            rest.append(first)
            for other in others:
                number += 1
                yield number, b"".join(rest)
                rest = [other]
        yield number + 1, b"".join(rest)

    def stream(self) -> BinaryIO:
        """Return the file itself, for readers that seek in it."""
        return self._bytes.whole()

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
    with raw, closing(_ranges(raw, name, limit)) as data:
        head = data.read(0, _HEAD)
        _check_text(head, name)
        begin = len(UTF8_MARK) if head.startswith(UTF8_MARK) else 0
        if not head[begin:].strip() and data.reach(_HEAD + 1) <= _HEAD:
            raise FileError(name, "the file is empty", "Is this the right file?")
        try:
            yield Source(name, begin, data)
        except FileError:
            data.reach(sys.maxsize)  # Should the archive be damaged, that explains the rest.
            raise
        data.reach(sys.maxsize)


def _ranges(raw: BinaryIO, name: str, limit: int) -> Ranges:
    head = raw.read(len(GZIP))
    return Unpacked(raw, name, limit) if head == GZIP else Ranges(raw)


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


def _bounded(pipe: BinaryIO, name: str, limit: int) -> bytes:
    """Read a pipe to its end, or to the limit."""
    data = pipe.read(limit + 1)
    if len(data) > limit:
        raise too_large(name, limit)
    return data


def has_ending(name: str, *endings: str) -> bool:
    """Whether a file's name has one of the endings, `.gz` aside.

    >>> has_ending("Run.CSV.gz", ".csv")
    True
    """
    return name.lower().removesuffix(".gz").endswith(endings)


def _check_text(head: bytes, name: str) -> None:
    if head.startswith(PARQUET):
        return
    if kind := other_kind(head):
        raise FileError(name, *kind)
    if b"\x00" in head:
        raise holds_nul(name, head.count(b"\n", 0, head.index(b"\x00")) + 1)
