"""What every retriever hands on: scores cut to a ranking, rankings merged, runs written."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

DEPTH = 20
DECIMALS = 6  # scores are rounded before sorting, so that tiny float differences cannot reorder
RRF_K = 60

Scores = dict[str, float]  # document id -> retrieval score, best first once ranked
Run = dict[str, Scores]  # query id -> Scores


def ranked(scores: Mapping[str, float], depth: int = DEPTH) -> Scores:
    """The best documents with a score above 0; equal scores go by document id."""
    rounded = {document: round(score, DECIMALS) for document, score in scores.items()}
    found = [item for item in rounded.items() if item[1] > 0]
    return dict(sorted(found, key=lambda item: (-item[1], item[0]))[:depth])


def fused(rankings: Sequence[Scores]) -> Scores:
    """Reciprocal rank fusion: each ranking gives a document 1 / (k + rank) (Cormack et al. 2009).

    Two documents that swap places between the rankings tie exactly; the tie is kept.
    """
    totals: Scores = {}
    for ranking in rankings:
        for rank, document in enumerate(ranking, start=1):
            totals[document] = totals.get(document, 0.0) + 1 / (RRF_K + rank)
    return totals


def write_trec(path: Path, run: Run) -> None:
    """Six columns: query, Q0, document, rank, score, tag; the tag is the file's name.

    A query without a document leaves no line: such a file cannot say "nothing found".
    """
    lines = [
        f"{query} Q0 {document} {rank} {score:.{DECIMALS}f} {path.stem}\n"
        for query, ranking in run.items()
        for rank, (document, score) in enumerate(ranking.items(), start=1)
    ]
    path.write_bytes("".join(lines).encode())


def write_json(path: Path, run: Run) -> None:
    """{query: {document: score}}; a query without a document keeps its empty map."""
    path.write_bytes(_json(run))


def write_json_gz(path: Path, run: Run) -> None:
    """The same, gzipped without a file name or time."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
        packed.write(_json(run))


def _json(run: Run) -> bytes:
    return (json.dumps(run, indent=0) + "\n").encode()
