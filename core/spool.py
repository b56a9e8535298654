"""Results on the disk instead of in memory: a large run is looked at a few times, block by block.

The file is temporary and has no name to find it by. It goes when the last block in it does.
"""

import tempfile
import weakref
from dataclasses import dataclass
from threading import Lock
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from core.blocks import Block, RunBlock
from core.ids import Ids

IN_MEMORY = 8 << 20
"""Bytes of a run that stay in memory unless told otherwise."""


class Spool:
    """Keeps blocks: the first in memory, and what goes beyond `most` on the disk.

    Safe from several threads at once.

    Parameters
    ----------
    most : int
        Bytes to keep in memory.
    """

    def __init__(self, most: int = IN_MEMORY) -> None:
        self._room = most
        self._file: IO[bytes] | None = None
        self._end = 0
        self._lock = Lock()

    def put(self, block: RunBlock) -> Block:
        """Keep a block. Where the disk has no room for it, it stays in memory."""
        block = block.packed()
        arrays = [block.documents.data, block.documents.length, block.scores, block.ranks]
        columns = [array for array in arrays if array is not None]
        size = sum(array.nbytes for array in columns)
        with self._lock:
            if size <= self._room:
                self._room -= size
                return block
            try:
                at = self._written(columns, size)
            except OSError:
                return block
        return _OnDisk(
            block.query_ids,
            block.starts,
            block.has_scores,
            block.has_ranks,
            self,
            at,
            tuple((array.dtype, len(array)) for array in columns),
        )

    def read(self, at: int, columns: "_Shapes") -> list[NDArray[Any]]:
        """Read arrays back."""
        assert self._file is not None
        with self._lock:
            self._file.seek(at)
            return [np.fromfile(self._file, dtype, count) for dtype, count in columns]

    def _written(self, columns: list[NDArray[Any]], size: int) -> int:
        if self._file is None:
            # numpy writes to the file below Python's buffer, which therefore must not be there.
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        at = self._file.seek(self._end)
        for array in columns:
            array.tofile(self._file)
        self._end += size
        return at


_Shapes = tuple[tuple[np.dtype[Any], int], ...]


@dataclass(frozen=True, eq=False)
class _OnDisk:
    """A block in a spool."""

    query_ids: tuple[str, ...]
    starts: NDArray[np.int64]
    has_scores: bool
    has_ranks: bool
    spool: Spool
    at: int
    columns: _Shapes

    def __len__(self) -> int:
        return int(self.starts[-1])

    def loaded(self) -> RunBlock:
        """Read the results back."""
        data, lengths, *numbers = self.spool.read(self.at, self.columns)
        return RunBlock(
            self.query_ids,
            self.starts,
            Ids.from_bytes(data, lengths),
            numbers.pop(0) if self.has_scores else None,
            numbers.pop(0) if self.has_ranks else None,
        )
