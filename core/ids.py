"""Many text ids as one array of bytes.

Documents are compared as UTF-8 bytes, millions at a time. Kept as bytes with a start and a length
for each id, they are hashed, compared and sorted by array operations on 8-byte words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Int = NDArray[np.integer]
Words = NDArray[np.uint64]

_WORD = 8
_SMALL_INDEX_BELOW = 1 << 30
_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93], dtype=np.uint64)
# Row b keeps the first b bytes of a little-endian word.
_FIRST_BYTES = np.array([(1 << (8 * b)) - 1 for b in range(_WORD + 1)], dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Ids:
    """A sequence of text ids, compared as bytes.

    Parameters
    ----------
    data : ndarray of uint8
        The bytes of the ids, and at least 8 more after the last.
    start, length : ndarray of int, shape (ids,)
        Where each id begins in `data`, and its number of bytes.
    """

    data: NDArray[np.uint8]
    start: Int
    length: Int

    @classmethod
    def from_strings(cls, values: Iterable[str]) -> "Ids":
        """Pack strings. A lone surrogate cannot be UTF-8 and raises `UnicodeEncodeError`."""
        encoded = [value.encode() for value in values]
        length = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return cls._packed(np.frombuffer(b"".join(encoded), dtype=np.uint8), length)

    @classmethod
    def from_arrow(cls, column: pa.Array) -> "Ids":
        """Copy the bytes of an Arrow string array without nulls.

        Reads the buffers themselves: `Array.to_numpy` would import pandas.
        """
        _, offsets_buffer, bytes_buffer = column.buffers()
        if len(column) == 0:
            return cls.from_strings([])
        offsets = np.frombuffer(offsets_buffer, dtype=np.int32)
        offsets = offsets[column.offset : column.offset + len(column) + 1]
        raw = np.frombuffer(bytes_buffer or b"", dtype=np.uint8)[offsets[0] : offsets[-1]]
        offsets = (offsets - offsets[0]).astype(_index_type(len(raw)), copy=False)
        return cls(_with_room(raw), offsets[:-1], np.diff(offsets))

    @classmethod
    def concatenated(cls, parts: Sequence["Ids"]) -> "Ids":
        """Join several sequences, in order, into one."""
        if len(parts) == 1:
            return parts[0]
        sizes = np.array([len(part.data) for part in parts], dtype=np.int64)
        shift = np.cumsum(sizes) - sizes
        index = _index_type(int(sizes.sum()))
        starts = [
            (part.start + offset).astype(index) for part, offset in zip(parts, shift, strict=True)
        ]
        return cls(
            np.concatenate([part.data for part in parts] or [np.zeros(_WORD, dtype=np.uint8)]),
            np.concatenate(starts or [np.zeros(0, dtype=index)]),
            np.concatenate([part.length for part in parts] or [np.zeros(0, dtype=index)]),
        )

    @classmethod
    def from_bytes(cls, data: NDArray[np.uint8], length: Int) -> "Ids":
        """Take ids whose bytes follow one another, with 8 zero bytes after the last."""
        index = _index_type(len(data))
        return cls(data, (np.cumsum(length) - length).astype(index), length.astype(index))

    @classmethod
    def _packed(cls, raw: NDArray[np.uint8], length: Int) -> "Ids":
        return cls.from_bytes(_with_room(raw), length)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> str:
        begin = int(self.start[row])
        return self.data[begin : begin + int(self.length[row])].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        own = self.packed()  # Of a few rows, `data` may hold millions.
        raw = own.data.tobytes()
        ends = own.start + own.length
        bounds = zip(own.start.tolist(), ends.tolist(), strict=True)
        if raw.isascii():  # A character is a byte: decoded once, the text is cut.
            text = raw.decode()
            yield from (text[begin:end] for begin, end in bounds)
        else:
            yield from (raw[begin:end].decode() for begin, end in bounds)

    def take(self, rows: Int | NDArray[np.bool_] | slice) -> "Ids":
        """Select rows; the bytes are shared, not copied."""
        return Ids(self.data, self.start[rows], self.length[rows])

    def packed(self) -> "Ids":
        """Return the same ids with bytes of their own that follow one another, as `from_bytes`."""
        if not len(self):
            return self._packed(np.zeros(0, dtype=np.uint8), self.length)
        begin, end = int(self.start[0]), int(self.start[-1]) + int(self.length[-1])
        if not (self.start[1:] == self.start[:-1] + self.length[:-1]).all():
            return self._packed(self.data[stretches(self.start, self.length)], self.length)
        if begin == 0 and len(self.data) == end + _WORD:
            return self
        return Ids(_with_room(self.data[begin:end]), self.start - begin, self.length)

    def hashes(self) -> Words:
        """Hash each id to 64 bits. Equal ids have equal hashes; the reverse must be checked."""
        value = self._word(0) * _ODD[0]
        value ^= self.length.astype(np.uint64) * _ODD[2]
        rows = np.flatnonzero(self.length > _WORD)
        number = 1
        while len(rows):
            longer = self.take(rows)
            value[rows] = scrambled(value[rows]) + longer._word(number) * _ODD[1]
            number += 1
            rows = rows[longer.length > number * _WORD]
        return scrambled(value)

    def equals(self, other: "Ids") -> NDArray[np.bool_]:
        """Compare row by row with a sequence of the same size."""
        same = self.length == other.length
        rows = np.flatnonzero(same)
        number = 0
        while len(rows):
            equal = self.take(rows)._word(number) == other.take(rows)._word(number)
            same[rows[~equal]] = False
            number += 1
            rows = rows[equal & (self.length[rows] > number * _WORD)]
        return same

    def changes(self) -> NDArray[np.int64]:
        """Rows that differ from the row before them; the first row does."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        word = self._word(0)
        changed = np.ones(len(self), dtype=bool)
        changed[1:] = (word[1:] != word[:-1]) | (self.length[1:] != self.length[:-1])
        rows = np.flatnonzero(~changed & (self.length > _WORD))
        changed[rows] = ~self.take(rows).equals(self.take(rows - 1))
        return np.flatnonzero(changed)

    def numbered(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number the distinct ids in the order of their first rows.

        Returns
        -------
        (ndarray of int, shape (distinct,), ndarray of int, shape (ids,))
            First row of each distinct id, and the number of each row's id.
        """
        begin = self.changes()
        told = self.take(begin)
        _, first, at = np.unique(told.hashes(), return_index=True, return_inverse=True)
        if not told.equals(told.take(first[at])).all():  # Two different ids share a hash.
            row_of: dict[str, int] = {}
            rows = np.array([row_of.setdefault(one, row) for row, one in enumerate(told)])
            first, at = np.unique(rows, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        return begin[first[order]], np.repeat(number[at], np.diff(begin, append=len(self)))

    def sort_keys(self) -> list[Words]:
        """Keys for `numpy.lexsort` that order by bytes, ascending; the most significant is last."""
        longest = int(self.length.max()) if len(self) else 0
        words = [self._word(number).byteswap() for number in range(-(-longest // _WORD))]
        # Zero padding makes "a" and "a\0" equal words; the shorter one comes first.
        return [self.length.astype(np.uint64), *reversed(words)]

    def _word(self, number: int) -> Words:
        """Read the bytes 8·number to 8·number + 7 of each id, little-endian, padded with zeros."""
        words = np.ndarray(
            (len(self.data) - _WORD + 1,), dtype="<u8", buffer=self.data, strides=(1,)
        )
        if number == 0:
            return words[self.start] & _FIRST_BYTES[np.minimum(self.length, _WORD)]
        offset = number * _WORD
        at = np.minimum(self.start + offset, len(words) - 1)
        kept: Words = words[at] & _FIRST_BYTES[np.clip(self.length - offset, 0, _WORD)]
        return kept


def stretches(begin: NDArray[np.integer], size: NDArray[np.integer]) -> NDArray[np.int64]:
    """Concatenate the ranges `begin[i], …, begin[i] + size[i] - 1`."""
    ends = np.cumsum(size)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - size - begin, size)


def scrambled(value: Words) -> Words:
    """Spread the bits of 64-bit words, so that similar words do not stay similar."""
    value = (value ^ (value >> np.uint64(32))) * _ODD[1]
    return value ^ (value >> np.uint64(29))


def distinct(hashes: Sequence[Words]) -> int:
    """Count the distinct hashes of all parts together."""
    if not any(map(len, hashes)):
        return 0
    # Sorting is many times faster than `numpy.unique`.
    ordered = np.sort(np.concatenate(hashes))
    return 1 + int((ordered[1:] != ordered[:-1]).sum())


def distinct_ids(parts: Iterable[Ids]) -> frozenset[str]:
    """Collect the distinct ids of all parts together."""
    found: set[str] = set()
    for part in parts:
        first, _ = part.numbered()
        found.update(part.take(first))
    return frozenset(found)


def _with_room(raw: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Copy bytes, with 8 zero bytes after the last, so that a whole word can be read anywhere."""
    data = np.empty(len(raw) + _WORD, dtype=np.uint8)
    data[: len(raw)] = raw
    data[len(raw) :] = 0
    return data


def _index_type(largest: int) -> type[np.int32] | type[np.int64]:
    return np.int32 if largest < _SMALL_INDEX_BELOW else np.int64
