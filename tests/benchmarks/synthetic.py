"""Synthetic runs and judgments for timing: fixed seeds, written as TREC files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

DOCUMENTS = 8_800_000
_BLANKS = pa_csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")


@dataclass(frozen=True)
class Collection:
    """Files of one synthetic collection."""

    qrels: Path
    runs: tuple[Path, ...]


def collection(
    folder: Path, *, queries: int, depth: int, judged: int, runs: int, seed: int
) -> Collection:
    """Write a collection: `judged` judgments a query, of which about 60 % are retrieved.

    Scores fall with the rank; every run ties more of them than the one before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    query = random.permutation(np.arange(1, 40 * queries, 40))
    pool = random.integers(0, DOCUMENTS, (queries, depth + judged))
    qrels = folder / "qrels.txt"
    _write_qrels(qrels, query, pool, judged, depth, random)
    files = []
    for number in range(runs):
        files.append(folder / f"run{number}.trec")
        _write_run(files[-1], query, pool, depth, number, random)
    return Collection(qrels, tuple(files))


def _write_qrels(
    file: Path,
    query: np.ndarray,
    pool: np.ndarray,
    judged: int,
    depth: int,
    random: np.random.Generator,
) -> None:
    first = depth - int(0.6 * judged) - (judged == 1)
    documents = pool[:, first : first + judged]
    grades = random.choice(4, documents.shape, p=[0.55, 0.25, 0.13, 0.07])
    if judged == 1:
        grades[:] = 1
    rows, keep = _distinct(query, documents)
    table = {"query": rows, "iteration": np.zeros_like(rows), "document": documents.ravel()[keep]}
    pa_csv.write_csv(pa.table(table | {"grade": grades.ravel()[keep]}), file, _BLANKS)


def _write_run(
    file: Path,
    query: np.ndarray,
    pool: np.ndarray,
    depth: int,
    number: int,
    random: np.random.Generator,
) -> None:
    documents = np.take_along_axis(
        pool[:, :depth], random.random((len(query), depth)).argsort(1), 1
    )
    scores = -np.sort(-random.gumbel(10, 2, documents.shape), axis=1).round(max(1, 5 - number))
    rows, keep = _distinct(query, documents)
    columns = {
        "query": rows,
        "q0": pa.array(["Q0"] * len(rows)),
        "document": documents.ravel()[keep],
        "rank": np.tile(np.arange(1, depth + 1), len(query))[keep],
        "score": scores.ravel()[keep],
        "tag": pa.array([f"system{number}"] * len(rows)),
    }
    pa_csv.write_csv(pa.table(columns), file, _BLANKS)


def _distinct(query: np.ndarray, documents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Query of each row, and which rows to keep so that no query repeats a document."""
    number = np.repeat(np.arange(len(query)), documents.shape[1])
    _, first = np.unique(number * DOCUMENTS + documents.ravel(), return_index=True)
    keep = np.sort(first)
    return query[number[keep]], keep
