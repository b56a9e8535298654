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

from core.blocks import Block, RunBlock
from core.errors import NoSharedQueriesError, counted, listed, shortened
from core.findings import RunFindings, run_findings
from core.id_hints import IdHints, id_hints, query_hints, query_sentence
from core.ids import Ids
from core.judgments import Judgments, pair_keys
from core.matching import UNJUDGED, first_rows, judgment_rows, scores_are_grades, self_rows
from core.placements import Placement, placements
from core.runs import Run

_THREADS = 2
_FIRST_ROWS = 200_000


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
    first_repeated : tuple of str or None
        Query and document of the first of the repeated rows. None: there is none.
    """

    run: Run
    judgments: Judgments
    hits: Hits
    retrieved: NDArray[np.int64]
    repeated: NDArray[np.int64]
    in_run: NDArray[np.bool_]
    extra: tuple[str, ...]
    first_repeated: tuple[str, str] | None = None

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
        """What a reader has to know about this pairing, one sentence each.

        Ids that nearly match, `id_hints`, are left to the caller: finding them takes a while.
        """
        where = self.run.source
        notices = [*self.run.notices, *self.gaps]
        if self.first_repeated:
            found = counted(int(self.repeated.sum()), "result repeats", "results repeat")
            query, document = self.first_repeated
            notices.append(
                f"{where}: {found} a document of the same query, first '{shortened(document)}' in "
                f"query '{shortened(query)}'; the rule for repeated documents decides "
                "(--set duplicates=keep_first or duplicates=refuse)."
            )
        notices += filter(None, (self.mismatch, self.copy))
        if not self.run.has_scores:
            order = "ranks" if self.run.has_ranks else "list order"
            notices.append(f"{where}: no retrieval scores; ordered by its {order}.")
        return tuple(notices)

    @cached_property
    def mismatch(self) -> str:
        """The notice that documents were returned and none of them is judged; empty if one is."""
        returned = int(self.retrieved.sum())
        if not returned or self.judged.any():
            return ""
        return (
            f"{self.run.source}: none of the retrieved documents is judged in "
            f"{self.judgments.source} (0 of {returned:,}). "
            "Check that both files use the same document ids."
        )

    @cached_property
    def copy(self) -> str:
        """The notice that the run is the judgments themselves; empty if it is a run of its own."""
        judged = int(self.judged.sum())
        in_queries = int(np.diff(self.judgments.starts)[self.in_run].sum())
        # Two results at least: a single one may well score what it is worth.
        if self.extra or not 1 < judged == in_queries == self.run.result_count:
            return ""
        if not all(scores_are_grades(block.loaded(), self.judgments) for block in self.run.blocks):
            return ""
        return (
            f"{self.run.source}: every score is the document's grade in {self.judgments.source}, "
            "and nothing but judged documents is in it. So these are the judgments, and no results "
            "of a retriever. Is this the right file?"
        )

    @cached_property
    def gaps(self) -> tuple[str, ...]:
        """Notices of queries that are missing, empty or not judged."""
        where = self.run.source
        notices = []
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
                f"{self.judgments.source}: {listed(self.extra)}."
            )
        return tuple(notices)

    @cached_property
    def id_hints(self) -> IdHints:
        """Ids of the run that nearly match those of the judgments."""
        return id_hints(self.run.blocks, self.judgments)

    @cached_property
    def first_findings(self) -> RunFindings:
        """What stands in the first results: what a score means is the same in the whole file."""
        first: list[Block] = []
        for block in self.run.blocks:
            if first and sum(map(len, first)) + len(block) > _FIRST_ROWS:
                break
            first.append(block)
        return run_findings(first)

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
        parts = list(pool.map(lambda block: _joined(block.loaded(), judgments), run.blocks))
    in_run = np.zeros(len(judgments.query_ids), dtype=bool)
    retrieved = np.zeros(len(judgments.query_ids), dtype=np.int64)
    repeated = np.zeros(len(judgments.query_ids), dtype=np.int64)
    for part in parts:
        in_run[part.queries] = True
        retrieved[part.queries] = part.retrieved
        repeated[part.queries] = part.repeated
    extra = tuple(query_id for part in parts for query_id in part.extra)
    if not in_run.any():
        hint = query_sentence(query_hints(extra, judgments), judgments.source)
        raise NoSharedQueriesError(
            run.source, judgments.source, extra, judgments.query_ids, hint=hint
        )
    return GradedRun(
        run=run,
        judgments=judgments,
        hits=_gathered([part.hits for part in parts]),
        retrieved=retrieved,
        repeated=repeated,
        in_run=in_run,
        extra=extra,
        first_repeated=next((part.first_repeated for part in parts if part.first_repeated), None),
    )


@dataclass(frozen=True, eq=False)
class OneQuery:
    """One query of a run, joined with every document it returned.

    Parameters
    ----------
    graded : GradedRun
        The query alone, against its own judgments; its hits are all its distinct documents in
        listed order.
    documents : Ids
        Document of each hit.
    scores : ndarray of float, shape (hits,), or None
        Best retrieval score that the run gives each document. None: it gives none.
    times : ndarray of int, shape (hits,)
        How often the run lists each document.
    """

    graded: GradedRun
    documents: Ids
    scores: NDArray[np.float64] | None
    times: NDArray[np.int64]


def one_query(graded: GradedRun, query: int) -> OneQuery:
    """Join one query with every document it returned, unjudged ones included.

    A query that the run misses has no documents.
    """
    judgments = graded.judgments.of_query(query)
    found = graded.run.block_of(judgments.query_ids[0])
    block = (
        graded.run.blocks[0].loaded().selected(np.zeros(0, dtype=np.int64))
        if found is None
        else found
    )
    part = _joined(block, judgments, every_document=True)
    local = np.zeros(len(block), dtype=np.int64)
    first = first_rows(local, block.documents, pair_keys(local, block.documents))
    best = None
    if block.scores is not None:
        best = np.full(len(block), -np.inf)
        np.maximum.at(best, first, block.scores)
        best = best[part.rows]
    alone = GradedRun(
        run=graded.run,
        judgments=judgments,
        hits=part.hits,
        retrieved=np.array([len(part.rows)]),
        repeated=np.array([len(block) - len(part.rows)]),
        in_run=np.array([found is not None]),
        extra=(),
    )
    times = np.bincount(first, minlength=len(block))[part.rows]
    return OneQuery(alone, block.documents.take(part.rows), best, times)


@dataclass(frozen=True, eq=False)
class _BlockJoin:
    """The join of one block: hits, and counts for each of its judged queries."""

    hits: Hits
    rows: NDArray[np.int64]
    queries: NDArray[np.int64]
    retrieved: NDArray[np.int64]
    repeated: NDArray[np.int64]
    first_repeated: tuple[str, str] | None
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

    first = first_rows(local, block.documents, keys)
    copies = np.flatnonzero(first != np.arange(len(first)))
    judgment = judgment_rows(query, block.documents, keys, judgments, number)
    is_self = self_rows(block, local, number, keys)

    wanted = np.ones(len(block), dtype=bool) if every_document else is_self | (judgment != UNJUDGED)
    wanted[copies] = False
    rows = np.flatnonzero(wanted)
    return _BlockJoin(
        hits=Hits(
            query=query[rows].astype(np.int32),
            judgment=judgment[rows].astype(np.int32),
            is_self=is_self[rows],
            placements=placements(block, local, first, copies, rows),
        ),
        rows=rows,
        queries=number,
        retrieved=np.diff(block.starts) - np.bincount(local[copies], minlength=len(number)),
        repeated=np.bincount(local[copies], minlength=len(number)),
        first_repeated=(block.query_ids[int(local[copies[0]])], block.documents[int(copies[0])])
        if len(copies)
        else None,
        extra=extra,
    )


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
