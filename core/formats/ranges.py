"""The bytes of a file, in ranges: of a plain file, and of what is in a gzip archive.

An archive is unpacked onto the disk no further than somebody has asked for. So its first parts are
worked on while the rest is still packed.
"""

import io
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from threading import Lock
from typing import BinaryIO

from core.errors import FileError
from core.formats.limits import too_large

GZIP = b"\x1f\x8b"
"""How an archive begins."""

_CHUNK = 1 << 20
_FORMAT = zlib.MAX_WBITS | 16


class Ranges:
    """A plain file. Safe from several threads at once.

    Parameters
    ----------
    file : BinaryIO
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = file.seek(0, io.SEEK_END)
        self._moving = Lock()

    def reach(self, position: int) -> int:
        """Say how many bytes there are, once those up to a position are there."""
        return self._size

    def read(self, begin: int, end: int) -> bytes:
        """Read a range, as far as there is one."""
        end = min(end, self.reach(end))
        with self._moving:
            self._file.seek(begin)
            return self._file.read(max(end - begin, 0))

    def whole(self) -> BinaryIO:
        """Return all of it as a file, which is one reader's alone from then on."""
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class Unpacked(Ranges):
    """What is in an archive.

    Parameters
    ----------
    packed : BinaryIO
        The archive.
    name : str
        Name of the file, for messages.
    limit : int
        Bytes that it may unpack to; never more than half of what is free on the disk.
    """

    def __init__(self, packed: BinaryIO, name: str, limit: int) -> None:
        super().__init__(tempfile.TemporaryFile())  # noqa: SIM115 - `close` does
        packed.seek(0)
        self._pieces = _pieces(packed, name)
        self._name = name
        self._limit = min(limit, shutil.disk_usage(tempfile.gettempdir()).free // 2)
        self._is_whole = False
        self._unpacking = Lock()

    def reach(self, position: int) -> int:
        """Unpack up to a position, or to the end. Return how many bytes there are by then.

        Raises
        ------
        FileError
            The archive is damaged, or unpacks to more than the limit.
        """
        with self._unpacking:
            while self._size < position and not self._is_whole:
                self._unpack_more()
            return self._size

    def whole(self) -> BinaryIO:
        """Unpack the rest, and return all of it as a file."""
        self.reach(self._limit + 1)
        return super().whole()

    def _unpack_more(self) -> None:
        piece = next(self._pieces, b"")
        self._is_whole = not piece
        if self._size + len(piece) > self._limit:
            raise too_large(self._name, self._limit)
        with self._moving:
            self._file.seek(self._size)
            self._file.write(piece)
        self._size += len(piece)


def _pieces(packed: BinaryIO, name: str) -> Iterator[bytes]:
    """Unpack the members of an archive, one behind the other, at most a megabyte at a time.

    As in `gzip.GzipFile`, which works on small pieces and so often waits for other threads.
    """
    member, begun, data = zlib.decompressobj(_FORMAT), False, b""
    members = 0
    while data := data or packed.read(_CHUNK // 4):
        if not begun:
            data = data.lstrip(b"\0")  # Zeros fill an archive up to the end of a block.
            begun = bool(data)
        try:
            piece = member.decompress(data, _CHUNK)
        except zlib.error as error:
            raise _damaged(name, str(error), members) from None
        data = member.unconsumed_tail
        if member.eof:
            data, members = member.unused_data, members + 1
            member, begun = zlib.decompressobj(_FORMAT), False
        if piece:
            yield piece
    if begun:
        raise FileError(name, "the gzip archive is truncated", "Copy the file again.")


def _damaged(name: str, error: str, members: int) -> FileError:
    reason = error.rpartition(": ")[2]
    if members and reason == "incorrect header check":
        return FileError(
            name,
            "something that is not gzip follows the gzip archive",
            "Were files put behind one another? Compress all of them, or none.",
        )
    return FileError(name, f"the gzip archive is corrupt ({reason})", "Copy the file again.")
