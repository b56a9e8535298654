"""Scores query by query: of all systems in one table, and of one pair side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.ndcg import Float
from core.scores import QueryScores

Mask = NDArray[np.bool_]
Order = NDArray[np.int64]

LOW = 0.25
"""Below it a query score counts as bad."""

FILTERS = (
    "all",
    "first_better",
    "second_better",
    "tied",
    "both_bad",
    "zero_idcg",
    "missing",
    "unjudged",
)
"""Which queries of a pair to keep; `PairTable.kept` says what each means."""

_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of several systems under one policy, side by side.

    Parameters
    ----------
    systems : tuple of QueryScores
        Scored with the same judgments under the same policy.
    """

    systems: tuple[QueryScores, ...]

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Every judged query, in the order of all arrays."""
        return self.systems[0].judgments.query_ids

    @cached_property
    def ndcg(self) -> Float:
        """Query scores, shape (queries, systems). NaN: left out."""
        return np.column_stack([one.ndcg for one in self.systems])

    @cached_property
    def unjudged(self) -> Float:
        """Unjudged documents in the top k, shape (queries, systems)."""
        return np.column_stack([one.unjudged_at_k for one in self.systems])

    @cached_property
    def zero_idcg(self) -> Mask:
        """Whether the ideal ranking gains nothing, shape (queries, systems)."""
        return np.column_stack([one.zero_idcg for one in self.systems])

    @cached_property
    def absent(self) -> Mask:
        """Whether the run misses the query or returned nothing for it, shape (queries, systems)."""
        return np.column_stack([one.graded.missing | one.graded.empty for one in self.systems])

    @cached_property
    def best(self) -> Float:
        """Highest score any system has, shape (queries,). NaN: every system leaves it out."""
        return np.fmax.reduce(self.ndcg, axis=1)

    @cached_property
    def spread(self) -> Float:
        """Highest less lowest score, shape (queries,). NaN: every system leaves the query out."""
        return self.best - np.fmin.reduce(self.ndcg, axis=1)

    def worst_for_all(self) -> Order:
        """Order queries by the best score any system has, lowest first."""
        return self.without_ideal_last(self.best, np.nansum(self.ndcg, axis=1))

    def widest_spread(self) -> Order:
        """Order queries by the spread of their scores, widest first."""
        return self.without_ideal_last(-self.spread)

    def worst_of(self, system: int) -> Order:
        """Order queries by the score of one system, lowest first; those it leaves out come last."""
        return self.without_ideal_last(self.ndcg[:, system])

    def without_ideal_last(self, *keys: Float) -> Order:
        """Order queries by keys, the first key first; those with IDCG 0 for all systems last.

        Their score is what a rule says and tells nothing of a ranking.
        """
        return np.lexsort((*reversed(keys), self.zero_idcg.all(axis=1)))


@dataclass(frozen=True, eq=False)
class PairTable:
    """Two systems, or one alone, query by query.

    Arrays have shape (queries,).

    Parameters
    ----------
    first : QueryScores
    second : QueryScores or None
        None: the first system is looked at alone.
    """

    first: QueryScores
    second: QueryScores | None = None

    @cached_property
    def table(self) -> ScoreTable:
        """The two as a table."""
        return ScoreTable((self.first, self.second) if self.second else (self.first,))

    @cached_property
    def difference(self) -> Float:
        """First less second; NaN where one of them has no score, or there is no second."""
        if self.second is None:
            return np.full(len(self.first.ndcg), np.nan)
        return self.first.ndcg - self.second.ndcg

    def kept(self, choice: str) -> Mask:
        """Mark the queries that a filter keeps.

        Parameters
        ----------
        choice : str
            One of `FILTERS`. "both_bad": every score of the query is below `LOW`, and its IDCG is
            not 0 for all. "zero_idcg", "missing" (or empty) and "unjudged" (documents in the top
            k): for at least one of the two.
        """
        table, difference = self.table, self.difference
        with np.errstate(invalid="ignore"):
            masks: dict[str, NDArray[np.bool_]] = {
                "all": np.ones(len(difference), dtype=bool),
                "first_better": difference > _EQUAL,
                "second_better": difference < -_EQUAL,
                "tied": np.abs(difference) <= _EQUAL,
                "both_bad": np.logical_and(table.best < LOW, ~table.zero_idcg.all(axis=1)),
                "zero_idcg": np.logical_or.reduce(table.zero_idcg, axis=1),
                "missing": np.logical_or.reduce(table.absent, axis=1),
                "unjudged": np.logical_or.reduce(table.unjudged > 0, axis=1),
            }
        return masks[choice]

    def largest_difference(self) -> Order:
        """Order queries by the size of the difference, largest first."""
        return np.argsort(-np.abs(self.difference), kind="stable")

    def worst(self) -> Order:
        """Order queries by the lower of the two scores, lowest first."""
        lower = np.fmin.reduce(self.table.ndcg, axis=1)
        return self.table.without_ideal_last(lower, self.table.best)


def histogram(scores: QueryScores, bins: int) -> list[int]:
    """Count the query scores in equal bins from 0 to 1; what lies beyond joins the outer bins.

    Queries without a score are not counted.
    """
    known = np.clip(scores.ndcg[scores.in_mean], 0, 1)
    return np.histogram(known, bins=bins, range=(0, 1))[0].tolist()


def matching(query_ids: Sequence[str], texts: Sequence[str], wanted: str) -> Mask:
    """Mark the queries whose id or text holds what is wanted, whatever its case.

    Without a wish, all of them.
    """
    low = wanted.casefold().strip()
    if not low:
        return np.ones(len(query_ids), dtype=bool)
    found = (
        low in query_id.casefold() or low in text.casefold()
        for query_id, text in zip(query_ids, texts, strict=True)
    )
    return np.fromiter(found, dtype=bool, count=len(query_ids))
