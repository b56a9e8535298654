"""The judgments: which pairs are read, what the files must hold, how far two assessors agree."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from ranking import Run

POOL_DEPTH = 5
MAX_GRADE = 3
SECOND_PASS_SEED = 2025

Pair = tuple[str, str]  # (query id, document id)
Grades = dict[Pair, int]


class SampleError(ValueError):
    """The judgments do not fit the pool."""


def pool(runs: Iterable[Run]) -> list[Pair]:
    """Every pair that stands in the top POOL_DEPTH of at least one run, sorted."""
    return sorted(
        {
            (query, document)
            for run in runs
            for query, ranking in run.items()
            for document in list(ranking)[:POOL_DEPTH]
        }
    )


def second_pass_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """A random fifth of the pool, the same one every time, sorted."""
    return sorted(random.Random(SECOND_PASS_SEED).sample(pairs, round(len(pairs) / 5)))


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Query and document under a header, for an assessor who is to see no grade."""
    rows = [f"{query}\t{document}\n" for query, document in pairs]
    path.write_bytes("".join(["query-id\tcorpus-id\n", *rows]).encode())


def read_grades(path: Path) -> Grades:
    """Tab-separated lines under a header: query, document, grade, then anything."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    grades = {(row[0], row[1]): int(row[2]) for row in rows}
    if len(grades) < len(rows):
        raise SampleError(f"{path.name}: a pair is graded twice")
    return grades


def check(grades: Grades, expected: Iterable[Pair], name: str) -> None:
    """Refuse a judgment file that misses a pair, has one too many, or leaves the scale."""
    odd = sorted(set(expected) ^ set(grades))
    odd += [pair for pair, grade in grades.items() if not 0 <= grade <= MAX_GRADE]
    if odd:
        listed = ", ".join("/".join(pair) for pair in odd)
        raise SampleError(f"{name}: missing, not expected or outside 0..{MAX_GRADE}: {listed}")


def write_qrels(path: Path, grades: Grades) -> None:
    """BEIR's three columns under a header."""
    rows = [f"{query}\t{document}\t{grade}\n" for (query, document), grade in grades.items()]
    path.write_bytes("".join(["query-id\tcorpus-id\tscore\n", *rows]).encode())


def agreement(first: Grades, second: Grades) -> tuple[float, float]:
    """Share of equal grades, and Cohen's kappa with linear weights, on the second pass."""
    pairs = [(first[pair], grade) for pair, grade in second.items()]
    exact = sum(a == b for a, b in pairs) / len(pairs)
    observed = sum(abs(a - b) for a, b in pairs)
    by_chance = sum(abs(a - b) for a, _ in pairs for _, b in pairs) / len(pairs)
    return exact, 1 - observed / by_chance
