"""Joins a run to the judgments, once.

What scoring needs of a run is small: for each judged document that the run returned, where it
stands under each order a policy can ask for, and how many documents the run returned for each
query. That relation is `Hits`; every policy is arithmetic on it.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import NoSharedQueriesError, counted, listed
from core.ids import Ids
from core.judgments import Judgments, pair_keys
from core.runs import Run, RunBlock, stretches

UNJUDGED = -1
"""Row of the judgments for a hit without a judgment."""

_THREADS = 2
_SLOTS_PER_KEY = 8


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


@dataclass(frozen=True, eq=False)
class Hits:
    """The documents of a run that a policy looks at: one row a document, grouped by query.

    Parameters
    ----------
    query : ndarray of int, shape (hits,)
        Query index in the judgments, ascending.
    judgment : ndarray of int, shape (hits,)
        Row of the judgments, or `UNJUDGED`.
    is_self : ndarray of bool, shape (hits,)
        Whether the document id equals the query id.
    placements : mapping
        `Placement` by sort key: "listed" always; "float64" and "float32" if the run has scores;
        "rank" if it has ranks.
    """

    query: NDArray[np.int32]
    judgment: NDArray[np.int32]
    is_self: NDArray[np.bool_]
    placements: Mapping[str, Placement]


@dataclass(frozen=True, eq=False)
class GradedRun:
    """A run joined to the judgments: all that scoring needs, whatever the policy.

    Parameters
    ----------
    run : Run
    judgments : Judgments
    hits : Hits
        Judged documents the run returned, and any document whose id is its query's.
    retrieved : ndarray of int, shape (queries,)
        Distinct documents returned for each judged query.
    repeated : ndarray of int, shape (queries,)
        Rows that name a document their query already has.
    in_run : ndarray of bool, shape (queries,)
        Whether the run holds the query, be it without a document.
    extra : tuple of str
        Queries of the run that the judgments do not have.
    """

    run: Run
    judgments: Judgments
    hits: Hits
    retrieved: NDArray[np.int64]
    repeated: NDArray[np.int64]
    in_run: NDArray[np.bool_]
    extra: tuple[str, ...]

    @cached_property
    def grades(self) -> NDArray[np.int32]:
        """Grade of each hit, shape (hits,); 0 where unjudged, which `judged` tells apart."""
        if not len(self.judgments):
            return np.zeros(len(self.hits.judgment), dtype=np.int32)
        return np.where(self.judged, self.judgments.grades[self.hits.judgment], np.int32(0))

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Whether a hit has a judgment, shape (hits,)."""
        return self.hits.judgment != UNJUDGED

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Judged queries the run does not hold, shape (queries,)."""
        return ~self.in_run

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Judged queries the run holds without a document, shape (queries,)."""
        return self.in_run & (self.retrieved == 0)

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """What a reader has to know about this pairing, one sentence each."""
        where, judged = self.run.source, self.judgments.source
        notices = list(self.run.notices)
        if missing := self._query_ids(self.missing):
            notices.append(
                f"{where}: {counted(len(missing), 'judged query', 'judged queries')} without "
                f"results: {listed(missing)}."
            )
        if empty := self._query_ids(self.empty):
            notices.append(
                f"{where}: {counted(len(empty), 'query', 'queries')} with an empty ranking: "
                f"{listed(empty)}."
            )
        if self.extra:
            notices.append(
                f"{where}: {counted(len(self.extra), 'query', 'queries')} without judgments in "
                f"{judged}: {listed(self.extra)}."
            )
        if repeats := int(self.repeated.sum()):
            notices.append(
                f"{where}: {counted(repeats, 'result')} repeat a document of the same query; "
                "the rule for duplicates decides."
            )
        returned = int(self.retrieved.sum())
        if returned and not self.judged.any():
            notices.append(
                f"{where}: none of the retrieved documents is judged in {judged} "
                f"(0 of {returned:,}). Check that both files use the same document ids."
            )
        if not self.run.has_scores:
            order = "ranks" if self.run.has_ranks else "list order"
            notices.append(f"{where}: no retrieval scores; ordered by its {order}.")
        return tuple(notices)

    def _query_ids(self, mask: NDArray[np.bool_]) -> list[str]:
        return [self.judgments.query_ids[number] for number in np.flatnonzero(mask).tolist()]


def join(run: Run, judgments: Judgments) -> GradedRun:
    """Find the judged documents of a run, and where they stand under every order.

    Raises
    ------
    NoSharedQueriesError
        The run and the judgments have no query in common.
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        parts = list(pool.map(lambda block: _joined(block, judgments), run.blocks))
    in_run = np.zeros(len(judgments.query_ids), dtype=bool)
    retrieved = np.zeros(len(judgments.query_ids), dtype=np.int64)
    repeated = np.zeros(len(judgments.query_ids), dtype=np.int64)
    for part in parts:
        in_run[part.queries] = True
        retrieved[part.queries] = part.retrieved
        repeated[part.queries] = part.repeated
    extra = tuple(query_id for part in parts for query_id in part.extra)
    if not in_run.any():
        raise NoSharedQueriesError(run.source, judgments.source, extra, judgments.query_ids)
    return GradedRun(
        run=run,
        judgments=judgments,
        hits=_gathered([part.hits for part in parts]),
        retrieved=retrieved,
        repeated=repeated,
        in_run=in_run,
        extra=extra,
    )


def ranking_of(graded: GradedRun, query: int) -> tuple[GradedRun, Ids] | None:
    """Join one query with every document it returned, unjudged ones included.

    Returns
    -------
    (GradedRun, Ids) or None
        The query's own graded run, whose hits are all its distinct documents in listed order, and
        the ids of these documents. None where the run misses the query.
    """
    block = graded.run.block_of(graded.judgments.query_ids[query])
    if block is None:
        return None
    part = _joined(block, graded.judgments, every_document=True)
    alone = GradedRun(
        run=graded.run,
        judgments=graded.judgments,
        hits=part.hits,
        retrieved=graded.retrieved,
        repeated=graded.repeated,
        in_run=graded.in_run,
        extra=(),
    )
    return alone, block.documents.take(part.rows)


@dataclass(frozen=True, eq=False)
class _BlockJoin:
    """The join of one block: hits, and counts for each of its judged queries."""

    hits: Hits
    rows: NDArray[np.int64]
    queries: NDArray[np.int64]
    retrieved: NDArray[np.int64]
    repeated: NDArray[np.int64]
    extra: tuple[str, ...]


def _joined(block: RunBlock, judgments: Judgments, *, every_document: bool = False) -> _BlockJoin:
    number = np.array([judgments.index.get(name, -1) for name in block.query_ids], dtype=np.int64)
    extra = tuple(block.query_ids[at] for at in np.flatnonzero(number < 0).tolist())
    if extra:
        block = block.selected(np.flatnonzero(number >= 0))
        number = number[number >= 0]
    local = np.repeat(np.arange(len(number)), np.diff(block.starts))
    query = number[local]
    keys = pair_keys(query, block.documents)

    first = _first_rows(local, block.documents, keys)
    copies = np.flatnonzero(first != np.arange(len(first)))
    judgment = _judgment_rows(query, block.documents, keys, judgments, number)
    is_self = _self_rows(block, local, number, keys)

    wanted = np.ones(len(block), dtype=bool) if every_document else is_self | (judgment != UNJUDGED)
    wanted[copies] = False
    rows = np.flatnonzero(wanted)
    return _BlockJoin(
        hits=Hits(
            query=query[rows].astype(np.int32),
            judgment=judgment[rows].astype(np.int32),
            is_self=is_self[rows],
            placements=_placements(block, local, first, copies, rows),
        ),
        rows=rows,
        queries=number,
        retrieved=np.diff(block.starts) - np.bincount(local[copies], minlength=len(number)),
        repeated=np.bincount(local[copies], minlength=len(number)),
        extra=extra,
    )


def _first_rows(
    local: NDArray[np.int64], documents: Ids, keys: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """For each row, the first listed row of the same query and document: usually itself."""
    first = np.arange(len(keys))
    ordered = np.sort(keys)
    suspects = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(suspects):
        seen: dict[tuple[int, str], int] = {}
        for row in np.flatnonzero(np.isin(keys, suspects)).tolist():
            first[row] = seen.setdefault((int(local[row]), documents[row]), row)
    return first


def _judgment_rows(
    query: NDArray[np.int64],
    documents: Ids,
    keys: NDArray[np.uint64],
    judgments: Judgments,
    number: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Row of the judgments for each row of a block, or `UNJUDGED`."""
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


def _self_rows(
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


def _placements(
    block: RunBlock,
    local: NDArray[np.int64],
    first: NDArray[np.int64],
    copies: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> dict[str, Placement]:
    """Place the documents of `rows` under every sort key the block offers."""
    keys: dict[str, NDArray[np.floating]] = {}
    if block.scores is not None:
        keys["float64"] = block.scores
        with np.errstate(over="ignore"):
            rounded = block.scores.astype(np.float32)
        if _ties_differ(block.scores, rounded, local):
            keys["float32"] = rounded
    if block.ranks is not None:
        keys["rank"] = -block.ranks.astype(np.float64)
    lists = {name: _SortedList.made(key, local, first, copies) for name, key in keys.items()}
    placements = {name: made.placement(block.documents, rows) for name, made in lists.items()}
    if "float64" in placements:
        placements.setdefault("float32", placements["float64"])
    placements["listed"] = _as_listed(block, local, copies, rows)
    return placements


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
class _SortedList:
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
    ) -> "_SortedList":
        falls = (key[1:] <= key[:-1]) | (local[1:] != local[:-1])
        order = np.arange(len(key)) if falls.all() else np.lexsort((-key, local))
        if len(copies):
            order = order[_best_rows(order, first)]
        key, local = key[order], local[order]
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


def _gathered(parts: Sequence[Hits]) -> Hits:
    """Put the hits of all blocks together, ordered by query, listed order inside a query kept."""
    query = np.concatenate([part.query for part in parts])
    order = np.argsort(query, kind="stable")
    names = set.intersection(*(set(part.placements) for part in parts))

    def together(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate(arrays)[order]

    return Hits(
        query=query[order],
        judgment=together([part.judgment for part in parts]),
        is_self=together([part.is_self for part in parts]),
        placements={
            name: Placement(
                above=together([part.placements[name].above for part in parts]),
                size=together([part.placements[name].size for part in parts]),
                by_docid=together([part.placements[name].by_docid for part in parts]),
                by_list=together([part.placements[name].by_list for part in parts]),
            )
            for name in names
        },
    )
