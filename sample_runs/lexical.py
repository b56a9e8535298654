"""Retrieval by the letters on the page: BM25 over words or stems, TF-IDF over character n-grams."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping

from ranking import Scores
from snowballstemmer import EnglishStemmer  # type: ignore[import-untyped]

BM25_K1, BM25_B = 0.9, 0.4
GRAM_LENGTHS = (3, 4, 5)
STOP_TEXT = (  # the short English list that many search engines start with
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with"
)
STOP_WORDS = frozenset(STOP_TEXT.split())
STEMMER = EnglishStemmer()

Analyzer = Callable[[str], list[str]]


def words(text: str) -> list[str]:
    """Lower-case words and numbers in text order, without stop words."""
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]


def stems(text: str) -> list[str]:
    """The same words cut to their stem: the Snowball project's English stemmer, Porter 2."""
    return [str(STEMMER.stemWord(word)) for word in words(text)]


def character_grams(text: str) -> list[str]:
    """Pieces of 3 to 5 characters of each word; a space marks where the word begins and ends."""
    grams = []
    for word in words(text):
        padded = f" {word} "
        for length in GRAM_LENGTHS:
            grams += [padded[i : i + length] for i in range(len(padded) - length + 1)]
    return grams


class Bm25:
    """BM25 with the never-negative idf ln(1 + (N - df + 0.5) / (df + 0.5)).

    Parameters
    ----------
    texts : mapping
        Document id to text.
    analyzer : callable
        Cuts documents and queries into terms.
    """

    def __init__(self, texts: Mapping[str, str], analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.counts = {document: Counter(analyzer(text)) for document, text in texts.items()}
        self.lengths = {document: counts.total() for document, counts in self.counts.items()}
        self.mean_length = sum(self.lengths.values()) / len(texts)
        self.df = Counter(term for counts in self.counts.values() for term in counts)

    def scores(self, query: str) -> Scores:
        """The sum over query terms of idf times saturated, length-normalised frequency."""
        terms = self.analyzer(query)
        return {
            document: sum(self._weight(term, document) for term in terms)
            for document in self.counts
        }

    def _idf(self, term: str) -> float:
        return math.log(1 + (len(self.counts) - self.df[term] + 0.5) / (self.df[term] + 0.5))

    def _weight(self, term: str, document: str) -> float:
        count = self.counts[document][term]
        norm = BM25_K1 * (1 - BM25_B + BM25_B * self.lengths[document] / self.mean_length)
        return self._idf(term) * count * (BM25_K1 + 1) / (count + norm)


class CharacterGrams:
    """Cosine of TF-IDF vectors over character n-grams: blind to word limits, kind to typing."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        counts = {document: Counter(character_grams(text)) for document, text in texts.items()}
        self.size = len(texts)
        self.df = Counter(gram for grams in counts.values() for gram in grams)
        self.vectors = {document: self.vector(grams) for document, grams in counts.items()}

    def vector(self, counts: Mapping[str, int]) -> Scores:
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
