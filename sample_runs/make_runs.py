"""Run ten retrievers over the ferry handbook, and write the sample runs.

    python make_runs.py [--into FOLDER] [--pairs FILE]

Reads `documents.jsonl`, `queries.jsonl`, `judgments.tsv` and, where there is one,
`second_pass.tsv` beside this file. Writes the runs and `qrels.tsv`, byte for byte the same every
time, and nothing is fetched. Needs the extra `samples`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from dense import DenseIndex, Encoder
from judging import (
    Grades,
    agreement,
    check,
    pool,
    read_grades,
    second_pass_pairs,
    write_pairs,
    write_qrels,
)
from lexical import Bm25, CharacterGrams, stems, words
from ranking import Run, Scores, fused, ranked, write_json, write_json_gz, write_trec

HERE = Path(__file__).resolve().parent
NARROW = (64, 128)  # of the 256 numbers a vector, in two cheaper indexes
COARSE, CANDIDATES = 24, 5  # numbers a vector, and documents, in the re-ranker's first stage
STOPPED_AFTER = 118  # documents: where one indexing job broke off, in the crew's last chapter
FUSIONS = {"fusion": ("bm25", "dense"), "fusion-of-3": ("bm25-stems", "char-ngrams", "dense")}
POOLED = ("bm25", "char-ngrams", "dense")


def read_jsonl(path: Path) -> list[dict[str, str]]:
    """One JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def make_runs(texts: dict[str, str], queries: dict[str, str]) -> dict[str, Run]:
    """Every run by its name."""
    encoder = Encoder()
    dense, coarse = DenseIndex(encoder, texts), DenseIndex(encoder, texts, COARSE)
    first_documents = dict(islice(texts.items(), STOPPED_AFTER))

    def reranked(query: str) -> Scores:
        return dense.scores(query, among=ranked(coarse.scores(query), CANDIDATES))

    def run(scores: Callable[[str], Scores]) -> Run:
        return {query: ranked(scores(text)) for query, text in queries.items()}

    runs = {
        "bm25": run(Bm25(texts, words).scores),
        "bm25-stems": run(Bm25(texts, stems).scores),
        "char-ngrams": run(CharacterGrams(texts).scores),
        "dense": run(dense.scores),
        "dense-stopped": run(DenseIndex(encoder, first_documents).scores),
        "rerank": run(reranked),
    }
    for width in NARROW:
        runs[f"dense-{width}"] = run(DenseIndex(encoder, texts, width).scores)
    for fusion, parts in FUSIONS.items():
        runs[fusion] = {
            query: ranked(fused([runs[part][query] for part in parts])) for query in queries
        }
    return runs


def write_runs(into: Path, runs: dict[str, Run]) -> None:
    """One file a run, in three formats on purpose."""
    for name, run in runs.items():
        match name:
            case "bm25-stems":
                write_json(into / f"{name}.json", run)
            case "char-ngrams":
                write_json_gz(into / f"{name}.json.gz", run)
            case _:
                write_trec(into / f"{name}.run", run)


def print_agreement(grades: Grades, path: Path) -> None:
    """Two assessors on the same fifth of the pairs, if the second has been here."""
    expected = second_pass_pairs(sorted(grades))
    if not path.exists():
        print(f"second pass: {len(expected)} pairs to judge, no {path.name} yet")
        return
    second = read_grades(path)
    check(second, expected, path.name)
    exact, kappa = agreement(grades, second)
    print(f"second pass on {len(second)}: {exact:.3f} equal, linear weighted kappa {kappa:.3f}")


def main() -> None:
    """Write the runs, then the judgments of their pool, and print what was written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--into", type=Path, default=HERE, help="folder to write (this one)")
    parser.add_argument("--pairs", type=Path, help="also write the pairs of the second pass here")
    arguments = parser.parse_args()

    texts = {d["id"]: f"{d['title']} {d['text']}" for d in read_jsonl(HERE / "documents.jsonl")}
    queries = {query["id"]: query["text"] for query in read_jsonl(HERE / "queries.jsonl")}
    runs = make_runs(texts, queries)
    arguments.into.mkdir(parents=True, exist_ok=True)
    write_runs(arguments.into, runs)

    pairs = pool(runs[name] for name in POOLED)
    if arguments.pairs:
        write_pairs(arguments.pairs, second_pass_pairs(pairs))
    grades = read_grades(HERE / "judgments.tsv")
    check(grades, pairs, "judgments.tsv")
    write_qrels(arguments.into / "qrels.tsv", grades)
    print(f"{len(runs)} runs, {len(texts)} documents, {len(queries)} queries, {len(grades)} grades")
    print_agreement(grades, HERE / "second_pass.tsv")


if __name__ == "__main__":
    main()
