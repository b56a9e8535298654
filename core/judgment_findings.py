"""What a load report says of the judgments: grades, and what no run returned."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.grades import GradedRun
from core.ids import distinct
from core.judgments import Judgments

UNUSUALLY_HIGH = 10
"""Grades above this are no mistake, but rare: an exponential gain makes them outweigh the rest."""


@dataclass(frozen=True)
class JudgmentFindings:
    """Facts about a set of judgments.

    Parameters
    ----------
    documents : int
        Distinct documents over all queries.
    grades : tuple of (int, int)
        Each grade in use and how many judgments give it, lowest grade first.
    without_positive : int
        Queries without a grade above 0, those without a judgment included.
    never_returned, never_returned_positive : int or None
        Judgments whose document no run returned for its query at any rank, and those of them with
        a grade above 0. None: no run is loaded.
    """

    documents: int
    grades: tuple[tuple[int, int], ...]
    without_positive: int
    never_returned: int | None
    never_returned_positive: int | None

    @property
    def judgments(self) -> int:
        """Judgments in all."""
        return sum(count for _, count in self.grades)

    @property
    def negative(self) -> int:
        """Judgments with a grade below 0."""
        return sum(count for grade, count in self.grades if grade < 0)

    @property
    def unusually_high(self) -> int:
        """Judgments with a grade above `UNUSUALLY_HIGH`."""
        return sum(count for grade, count in self.grades if grade > UNUSUALLY_HIGH)

    @property
    def single_grade(self) -> int | None:
        """The one grade that every judgment gives. None: there are several, or no judgment."""
        return self.grades[0][0] if len(self.grades) == 1 else None

    @property
    def never_returned_share(self) -> float | None:
        """Share of all judgments whose document no run returned. None: no run, or no judgment."""
        if self.never_returned is None or not self.judgments:
            return None
        return self.never_returned / self.judgments


@dataclass(frozen=True)
class Bar:
    """One bar of a histogram: queries with `low` to `high` relevant documents."""

    low: int
    high: int
    queries: int


def judgment_findings(judgments: Judgments, runs: Sequence[GradedRun] = ()) -> JudgmentFindings:
    """Look through the judgments, and for what the runs returned of them.

    Parameters
    ----------
    judgments : Judgments
    runs : sequence of GradedRun
        Runs joined to these judgments.

    Examples
    --------
    >>> judged = Judgments.from_dict({"q1": {"a": 2, "b": 0}, "q2": {"a": -1}})
    >>> found = judgment_findings(judged)
    >>> found.grades, found.documents, found.negative, found.without_positive
    (((-1, 1), (0, 1), (2, 1)), 2, 1, 1)
    """
    grades, counts = np.unique(judgments.grades, return_counts=True)
    missed = _never_returned(judgments, runs) if runs else None
    return JudgmentFindings(
        documents=distinct([judgments.documents.hashes()]),
        grades=tuple(zip(grades.tolist(), counts.tolist(), strict=True)),
        without_positive=int((~judgments.positive).sum()),
        never_returned=None if missed is None else int(missed.sum()),
        never_returned_positive=(
            None if missed is None else int((missed & (judgments.grades > 0)).sum())
        ),
    )


def _never_returned(judgments: Judgments, runs: Sequence[GradedRun]) -> NDArray[np.bool_]:
    missed = np.ones(len(judgments), dtype=bool)
    for graded in runs:
        missed[graded.hits.judgment[graded.judged]] = False
    return missed


def relevant_histogram(judgments: Judgments, *, bars: int = 20) -> tuple[Bar, ...]:
    """Count queries by their number of documents with a grade above 0.

    Parameters
    ----------
    judgments : Judgments
    bars : int
        At most this many bars beside that of 0; at least 1.

    Returns
    -------
    tuple of Bar
        The first is that of 0 and of 0 alone. All others are equally wide; one without a query is
        there, too.

    Examples
    --------
    >>> judged = Judgments.from_dict({"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 2, "b": 1}})
    >>> [(bar.low, bar.high, bar.queries) for bar in relevant_histogram(judged)]
    [(0, 0, 1), (1, 1, 1), (2, 2, 1)]
    """
    positive = judgments.query[judgments.grades > 0]
    relevant = np.bincount(positive, minlength=len(judgments.query_ids))
    most = int(relevant.max())
    width = -(-most // bars)
    none = Bar(0, 0, int((relevant == 0).sum()))
    if not most:
        return (none,)
    counts = np.bincount((relevant[relevant > 0] - 1) // width)
    return (
        none,
        *(Bar(1 + at * width, (at + 1) * width, n) for at, n in enumerate(counts.tolist())),
    )
