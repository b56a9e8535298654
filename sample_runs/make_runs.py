"""Run two retrievers and their fusion over the ferry handbook, and write the sample runs.

    python make_runs.py [--into FOLDER]

Reads `documents.jsonl`, `queries.jsonl`, `judgments.tsv` and `second_pass.tsv` beside this file.
Writes `bm25.run`, `char-ngrams.json.gz`, `fusion.run` and `qrels.tsv`, byte for byte the same
every time. Standard library only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEPTH = 20
POOL_DEPTH = 5
MAX_GRADE = 3
DECIMALS = 6  # scores are rounded before sorting, so that tiny float differences cannot reorder
BM25_K1, BM25_B = 0.9, 0.4
GRAM_LENGTHS = (3, 4, 5)
RRF_K = 60
SECOND_PASS_SEED = 2025
STOP_TEXT = (  # the short English list that many search engines start with
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with"
)
STOP_WORDS = frozenset(STOP_TEXT.split())

Scores = dict[str, float]  # document id -> retrieval score, best first once ranked
Run = dict[str, Scores]  # query id -> Scores
Grades = dict[tuple[str, str], int]  # (query id, document id) -> grade


class SampleError(ValueError):
    """The judgments do not fit the pool."""


def read_jsonl(path: Path) -> list[dict[str, str]]:
    """One JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def words(text: str) -> list[str]:
    """Lower-case words and numbers in text order, without stop words."""
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]


def character_grams(text: str) -> list[str]:
    """Pieces of 3 to 5 characters of each word; a space marks where the word begins and ends."""
    grams = []
    for word in words(text):
        padded = f" {word} "
        for length in GRAM_LENGTHS:
            grams += [padded[i : i + length] for i in range(len(padded) - length + 1)]
    return grams


def ranked(scores: Mapping[str, float]) -> Scores:
    """The best DEPTH documents with a score above 0; equal scores go by document id."""
    rounded = {document: round(score, DECIMALS) for document, score in scores.items()}
    found = [item for item in rounded.items() if item[1] > 0]
    return dict(sorted(found, key=lambda item: (-item[1], item[0]))[:DEPTH])


class Bm25:
    """BM25 over whole words, with the never-negative idf ln(1 + (N - df + 0.5) / (df + 0.5))."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.counts = {document: Counter(words(text)) for document, text in texts.items()}
        self.lengths = {document: counts.total() for document, counts in self.counts.items()}
        self.mean_length = sum(self.lengths.values()) / len(texts)
        self.df = Counter(word for counts in self.counts.values() for word in counts)

    def idf(self, word: str) -> float:
        """Rare words weigh more."""
        return math.log(1 + (len(self.counts) - self.df[word] + 0.5) / (self.df[word] + 0.5))

    def scores(self, query: str) -> Scores:
        """The sum over query words of idf times saturated, length-normalised frequency."""
        return {document: self._score(document, words(query)) for document in self.counts}

    def _score(self, document: str, query_words: Iterable[str]) -> float:
        norm = BM25_K1 * (1 - BM25_B + BM25_B * self.lengths[document] / self.mean_length)
        counts = self.counts[document]
        return sum(
            self.idf(word) * counts[word] * (BM25_K1 + 1) / (counts[word] + norm)
            for word in query_words
        )


class CharacterGrams:
    """Cosine of TF-IDF vectors over character n-grams: blind to word limits, kind to typing."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        counts = {document: Counter(character_grams(text)) for document, text in texts.items()}
        self.size = len(texts)
        self.df = Counter(gram for grams in counts.values() for gram in grams)
        self.vectors = {document: self.vector(grams) for document, grams in counts.items()}

    def vector(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Log frequency times smoothed idf, scaled to length 1; grams no document has are left."""
        weights = {
            gram: (1 + math.log(count)) * (1 + math.log((1 + self.size) / (1 + self.df[gram])))
            for gram, count in counts.items()
            if gram in self.df
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {gram: weight / length for gram, weight in weights.items()}

    def scores(self, query: str) -> Scores:
        """Cosine between the query and each document, between 0 and 1."""
        wanted = self.vector(Counter(character_grams(query)))
        return {
            document: sum(weight * vector.get(gram, 0.0) for gram, weight in wanted.items())
            for document, vector in self.vectors.items()
        }


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
    """Six columns: query, Q0, document, rank, score, tag; the tag is the file's name."""
    lines = [
        f"{query} Q0 {document} {rank} {score:.{DECIMALS}f} {path.stem}\n"
        for query, ranking in run.items()
        for rank, (document, score) in enumerate(ranking.items(), start=1)
    ]
    path.write_bytes("".join(lines).encode())


def write_json_gz(path: Path, run: Run) -> None:
    """{query: {document: score}}, gzipped without a file name or time."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
        packed.write((json.dumps(run, indent=0) + "\n").encode())


def read_grades(path: Path) -> Grades:
    """Tab-separated lines under a header: query, document, grade, then anything."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return {(row[0], row[1]): int(row[2]) for row in rows}


def pool(runs: Iterable[Run]) -> list[tuple[str, str]]:
    """Every pair that stands in the top POOL_DEPTH of at least one run, sorted."""
    return sorted(
        {
            (query, document)
            for run in runs
            for query, ranking in run.items()
            for document in list(ranking)[:POOL_DEPTH]
        }
    )


def second_pass_pairs(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """A random fifth of the pool, the same one every time."""
    return random.Random(SECOND_PASS_SEED).sample(pairs, round(len(pairs) / 5))


def check(grades: Grades, expected: Iterable[tuple[str, str]], name: str) -> None:
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


def main() -> None:
    """Write the runs, then the judgments of their pool, and print what was written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--into", type=Path, default=HERE, help="folder to write (this one)")
    into: Path = parser.parse_args().into

    texts = {d["id"]: f"{d['title']} {d['text']}" for d in read_jsonl(HERE / "documents.jsonl")}
    queries = {query["id"]: query["text"] for query in read_jsonl(HERE / "queries.jsonl")}
    word_index, gram_index = Bm25(texts), CharacterGrams(texts)
    bm25 = {query: ranked(word_index.scores(text)) for query, text in queries.items()}
    grams = {query: ranked(gram_index.scores(text)) for query, text in queries.items()}
    fusion = {query: ranked(fused([bm25[query], grams[query]])) for query in queries}
    write_trec(into / "bm25.run", bm25)
    write_json_gz(into / "char-ngrams.json.gz", grams)
    write_trec(into / "fusion.run", fusion)

    grades = read_grades(HERE / "judgments.tsv")
    check(grades, pool([bm25, grams]), "judgments.tsv")
    write_qrels(into / "qrels.tsv", grades)
    second = read_grades(HERE / "second_pass.tsv")
    check(second, second_pass_pairs(sorted(grades)), "second_pass.tsv")
    exact, kappa = agreement(grades, second)
    print(f"{len(texts)} documents, {len(queries)} queries, {len(grades)} judgments")
    print(f"second pass on {len(second)}: {exact:.3f} equal, linear weighted kappa {kappa:.3f}")


if __name__ == "__main__":
    main()
