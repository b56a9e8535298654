"""Tags of TREC files: whether they name systems, or are remarks on single results."""

import numpy as np

from core.formats.results import Results


def are_systems(results: Results) -> bool:
    """Whether the tags of results tell systems apart, and are no remarks on single results.

    They do where some query has several, and every tag of a query has its own ranks from 0 or 1 on,
    none of them twice.
    """
    if results.systems is None or results.ranks is None:
        return False
    _, systems = results.systems.numbered()
    _, queries = results.queries.numbered()
    order = np.lexsort((results.ranks, systems, queries))
    query, system, rank = queries[order], systems[order], results.ranks[order]
    same_query = query[1:] == query[:-1]
    same = same_query & (system[1:] == system[:-1])
    first = rank[np.concatenate(([True], ~same))]
    return bool(
        (same_query & ~same).any()
        and np.isin(first, (0, 1)).all()
        and (rank[1:] != rank[:-1])[same].all()
    )


def is_only_tag(data: bytes, tag: str, rows: int) -> bool:
    """Whether every line ends with this tag, as far as a count of line ends tells."""
    end = b"\t" + tag.encode() if b"\t" in data else b" " + tag.encode()
    found = data.count(end + b"\n")
    if found < rows:  # Counting takes a while.
        found += data.count(end + b"\r\n")
    return found + data.endswith((end, end + b"\r")) == rows
