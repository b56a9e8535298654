"""Brings the rows of a query together that a file lists in many places, few at a time in memory."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from core.blocks import Block, regrouped
from core.spool import Spool

_ROWS = 80_000


def regrouped_in_parts(
    blocks: Sequence[Block], spool: Spool, *, rows: int = _ROWS
) -> Iterator[Block]:
    """Do what `regrouped` does with blocks that are too many to be loaded together.

    Queries are dealt out to parts, in order. Each block is cut into the pieces that belong to a
    part, which wait on the disk until all pieces of the part can be put together.

    Parameters
    ----------
    blocks : sequence of Block
    spool : Spool
        Keeps the new blocks.
    rows : int
        Rows of a part, about.
    """
    order: dict[str, int] = {}
    for block in blocks:
        for query_id in block.query_ids:
            order.setdefault(query_id, len(order))
    parts = 1 + sum(map(len, blocks)) // rows
    waiting, pieces = Spool(most=0), defaultdict[int, list[Block]](list)
    for block in blocks:
        loaded = block.loaded()
        part = np.array([order[query_id] * parts // len(order) for query_id in block.query_ids])
        for number in np.unique(part).tolist():
            piece = loaded.selected(np.flatnonzero(part == number))
            pieces[number].append(waiting.put(piece))
    for number in sorted(pieces):
        for whole in regrouped(pieces.pop(number)):
            yield spool.put(whole)
