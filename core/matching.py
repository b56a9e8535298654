"""Finds equal documents: repeated in a run, in the judgments, and equal to the query's own id.

Millions of documents are compared by 64-bit hashes of query and document, and every pair of equal
hashes by its bytes. Should two different pairs share a hash, the text decides.
"""

import numpy as np
from numpy.typing import NDArray

from core.blocks import RunBlock
from core.ids import Ids, stretches
from core.judgments import Judgments, pair_keys

UNJUDGED = -1
"""Row of the judgments for a document without a judgment."""

_SLOTS_PER_KEY = 8


def first_rows(
    local: NDArray[np.int64], documents: Ids, keys: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """For each row, the first listed row of the same query and document: usually itself.

    Parameters
    ----------
    local : ndarray of int, shape (rows,)
        Query of each row, counted within the block.
    documents : Ids
    keys : ndarray of uint64, shape (rows,)
        Hash of query and document, as `pair_keys` makes it.

    Returns
    -------
    ndarray of int, shape (rows,)
    """
    first = np.arange(len(keys))
    ordered = np.sort(keys)
    suspects = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(suspects):
        seen: dict[tuple[int, str], int] = {}
        for row in np.flatnonzero(np.isin(keys, suspects)).tolist():
            first[row] = seen.setdefault((int(local[row]), documents[row]), row)
    return first


def judgment_rows(
    query: NDArray[np.int64],
    documents: Ids,
    keys: NDArray[np.uint64],
    judgments: Judgments,
    number: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Row of the judgments for each row of a block, or `UNJUDGED`.

    Parameters
    ----------
    query : ndarray of int, shape (rows,)
        Query of each row, as the judgments count them.
    documents : Ids
    keys : ndarray of uint64, shape (rows,)
    judgments : Judgments
    number : ndarray of int
        The queries of the block, as the judgments count them.

    Returns
    -------
    ndarray of int, shape (rows,)
    """
    begin = judgments.starts[number]
    candidates = stretches(begin, judgments.starts[number + 1] - begin)
    found = np.full(len(keys), UNJUDGED, dtype=np.int64)
    if not len(candidates) or not len(keys):
        return found
    at = equal_keys(judgments.keys[candidates], keys)
    if at is not None:
        rows = np.flatnonzero(at >= 0)
        judged = candidates[at[rows]]
        same = documents.take(rows).equals(judgments.documents.take(judged))
        if same.all() and (query[rows] == judgments.query[judged]).all():
            found[rows] = judged
            return found
    return _judgment_rows_by_text(query, documents, judgments, candidates)


def equal_keys(wanted: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.int32] | None:
    """For each key, the position of the equal key in `wanted`, or -1.

    Parameters
    ----------
    wanted : ndarray of uint64, shape (wanted,)
        Hashes: their bits are evenly spread.
    keys : ndarray of uint64, shape (keys,)

    Returns
    -------
    ndarray of int32, shape (keys,), or None
        None: two wanted keys are equal, or too many fall together to tell them apart here.

    Notes
    -----
    A table with some slots for each wanted key holds its position. Where two keys fall into one
    slot, one of them waits for the next round, in which other bits of the key choose the slot.
    """
    bits = int(len(wanted) * _SLOTS_PER_KEY).bit_length()
    mask = np.uint64((1 << bits) - 1)
    found = np.full(len(keys), -1, dtype=np.int32)
    waiting = np.arange(len(wanted), dtype=np.int32)
    for shift in range(0, 65 - bits, max(1, bits // 2)):
        slots = np.full(1 << bits, -1, dtype=np.int32)
        slot = (wanted[waiting] >> np.uint64(shift)) & mask
        slots[slot] = waiting
        at = slots[(keys >> np.uint64(shift)) & mask]
        rows = np.flatnonzero(at >= 0)
        rows = rows[wanted[at[rows]] == keys[rows]]
        found[rows] = at[rows]
        waiting = waiting[slots[slot] != waiting]
        if not len(waiting):
            return found
    return None


def _judgment_rows_by_text(
    query: NDArray[np.int64],
    documents: Ids,
    judgments: Judgments,
    candidates: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Do the same by comparing text: for the rare block in which two hashes collide."""
    row_of = {
        (int(judgments.query[row]), judgments.documents[row]): row for row in candidates.tolist()
    }
    pairs = zip(query.tolist(), documents, strict=True)
    return np.array([row_of.get(pair, UNJUDGED) for pair in pairs], dtype=np.int64)


def self_rows(
    block: RunBlock,
    local: NDArray[np.int64],
    number: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> NDArray[np.bool_]:
    """Which rows name a document whose id is the query's."""
    own = Ids.from_strings(block.query_ids)
    is_self = keys == pair_keys(number, own)[local]
    rows = np.flatnonzero(is_self)
    is_self[rows] = block.documents.take(rows).equals(own.take(local[rows]))
    return is_self


def scores_are_grades(block: RunBlock, judgments: Judgments) -> bool:
    """Whether the score of every document is its grade; all queries of the block are judged."""
    number = np.array([judgments.index[name] for name in block.query_ids], dtype=np.int64)
    query = np.repeat(number, np.diff(block.starts))
    keys = pair_keys(query, block.documents)
    rows = judgment_rows(query, block.documents, keys, judgments, number)
    if block.scores is None or (rows == UNJUDGED).any():
        return False
    return bool((block.scores == judgments.grades[rows]).all())
