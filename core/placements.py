"""Where documents stand in their query's list, under every order a policy can ask for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.blocks import RunBlock
from core.ids import Ids, stretches


@dataclass(frozen=True, eq=False)
class Placement:
    """Where hits stand in their query's list under one sort key, repeated documents removed.

    All arrays have shape (hits,).

    Parameters
    ----------
    above : ndarray of int
        Documents with a strictly better key.
    size : ndarray of int
        Documents with the same key, the hit included.
    by_docid : ndarray of int
        Of those, how many have a larger document id (as bytes).
    by_list : ndarray of int
        Of those, how many are listed earlier.
    """

    above: NDArray[np.int32]
    size: NDArray[np.int32]
    by_docid: NDArray[np.int32]
    by_list: NDArray[np.int32]


def placements(
    block: RunBlock,
    local: NDArray[np.int64],
    first: NDArray[np.int64],
    copies: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> dict[str, Placement]:
    """Place documents under every sort key the block offers.

    Parameters
    ----------
    block : RunBlock
    local : ndarray of int, shape (rows of the block,)
        Query of each row, counted within the block.
    first : ndarray of int, shape (rows of the block,)
        First listed row of the same query and document.
    copies : ndarray of int
        Rows that are not the first of their document.
    rows : ndarray of int, shape (hits,)
        First listed row of each document to place.

    Returns
    -------
    dict
        "listed" always; "float64" and "float32" where there are scores; "rank" where there are
        ranks.
    """
    keys: dict[str, NDArray[np.floating]] = {}
    if block.scores is not None:
        keys["float64"] = block.scores
        with np.errstate(over="ignore"):
            rounded = block.scores.astype(np.float32)
        if _ties_differ(block.scores, rounded, local):
            keys["float32"] = rounded
    if block.ranks is not None:
        keys["rank"] = -block.ranks.astype(np.float64)
    lists = {name: SortedList.made(key, local, first, copies) for name, key in keys.items()}
    found = {name: made.placement(block.documents, rows) for name, made in lists.items()}
    if "float64" in found:
        found.setdefault("float32", found["float64"])
    found["listed"] = _as_listed(block, local, copies, rows)
    return found


def _ties_differ(
    scores: NDArray[np.float64], rounded: NDArray[np.float32], local: NDArray[np.int64]
) -> bool:
    """Whether rounding can make two scores of one query equal that are not.

    In a list sorted by score it is enough to look at neighbours.
    """
    same_query = local[1:] == local[:-1]
    if (same_query & (scores[1:] > scores[:-1])).any():
        order = np.lexsort((-scores, local))
        scores, rounded = scores[order], rounded[order]
    merged = (rounded[1:] == rounded[:-1]) & (scores[1:] != scores[:-1])
    return bool((merged & same_query).any())


def _as_listed(
    block: RunBlock, local: NDArray[np.int64], copies: NDArray[np.int64], rows: NDArray[np.int64]
) -> Placement:
    is_copy = np.zeros(len(block) + 1, dtype=np.int64)
    is_copy[copies + 1] = 1
    before = np.arange(len(block) + 1) - np.cumsum(is_copy)
    above = before[rows] - before[block.starts[local[rows]]]
    none = np.zeros(len(rows), dtype=np.int32)
    return Placement(above.astype(np.int32), none + np.int32(1), none, none)


@dataclass(frozen=True, eq=False)
class SortedList:
    """The rows of a block, query after query, best key first, each document once.

    Equal keys keep their listed order. `tie_starts` are the positions where a new key begins,
    with the length of the list at the end.
    """

    order: NDArray[np.int64]
    local: NDArray[np.int64]
    tie_starts: NDArray[np.int64]
    query_starts: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def made(
        cls,
        key: NDArray[np.floating],
        local: NDArray[np.int64],
        first: NDArray[np.int64],
        copies: NDArray[np.int64],
    ) -> "SortedList":
        """Sort rows by query and key; of a repeated document the best row stays.

        Parameters are those of `placements`; `key` has one value a row, higher is better.
        """
        falls = (key[1:] <= key[:-1]) | (local[1:] != local[:-1])
        order = np.arange(len(key))
        if not falls.all():
            order = np.lexsort((-key, local))
            key, local = key[order], local[order]
        if len(copies):
            best = _best_rows(order, first)
            order, key, local = order[best], key[best], local[best]
        starts = np.ones(len(order) + 1, dtype=bool)
        if len(order):
            starts[1:-1] = (key[1:] != key[:-1]) | (local[1:] != local[:-1])
        queries = np.arange(int(local[-1]) + 1 if len(local) else 0)
        return cls(order, local, np.flatnonzero(starts), np.searchsorted(local, queries), first)

    def placement(self, documents: Ids, rows: NDArray[np.int64]) -> Placement:
        """Place the documents of `rows`, given by their first listed row."""
        position = np.empty(len(self.first), dtype=np.int64)
        position[self.first[self.order]] = np.arange(len(self.order))
        position = position[rows]
        tie = np.searchsorted(self.tie_starts, position, side="right") - 1
        begin = self.tie_starts[tie]
        size = self.tie_starts[tie + 1] - begin if len(tie) else begin
        by_docid = np.zeros(len(rows), dtype=np.int64)
        tied = np.flatnonzero(size > 1)
        if len(tied):
            by_docid[tied] = self._larger_ids(documents, tie[tied], position[tied])
        above = begin - self.query_starts[self.local[position]]
        parts = (above, size, by_docid, position - begin)
        return Placement(*(part.astype(np.int32) for part in parts))

    def _larger_ids(
        self, documents: Ids, tie: NDArray[np.int64], position: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """For positions inside ties, how many documents of the tie have a larger id."""
        ties = np.unique(tie)
        begin = self.tie_starts[ties]
        size = self.tie_starts[ties + 1] - begin
        members = stretches(begin, size)
        group = np.repeat(np.arange(len(ties)), size)
        ascending = np.lexsort((*documents.take(self.order[members]).sort_keys(), group))
        larger = np.empty(len(members), dtype=np.int64)
        ends = np.cumsum(size)
        larger[ascending] = ends[group] - 1 - np.arange(len(members))
        at = np.searchsorted(ties, tie)
        return larger[ends[at] - size[at] + position - begin[at]]


def _best_rows(order: NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark, in a sorted list, the first row of each document."""
    _, earliest = np.unique(first[order], return_index=True)
    best = np.zeros(len(order), dtype=bool)
    best[earliest] = True
    return best
