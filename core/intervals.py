"""Intervals for a headline and for a paired difference of two headlines.

The queries are taken as a sample of those a system will meet. A macro mean gets Student's interval
for a mean; a pooled ratio is linearised first, which turns it into a mean as well. Both are exact
functions of the scores: no resampling, no seed.

References
----------
J. Urbano, H. Lima and A. Hanjalic: Statistical significance testing in information retrieval. SIGIR
2019, doi:10.1145/3331184.3331259 (Student's t keeps its error rate on per-query scores).
W. G. Cochran: Sampling techniques, 3rd edition, 1977, section 6.3 (variance of a ratio).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from core.ndcg import Float
from core.scores import QueryScores

LEVEL = 0.95
"""Share of such intervals that hold the true value."""

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Interval:
    """A range of values.

    Parameters
    ----------
    low, high : float
        Its ends. A difference of headlines may leave [-1, 1] by a little, a headline [0, 1].
    """

    low: float
    high: float

    @property
    def includes_zero(self) -> bool:
        """Whether 0 is one of its values, or no further away than rounding."""
        return self.low <= _ROUNDING and self.high >= -_ROUNDING


def headline_interval(scores: QueryScores) -> Interval | None:
    """Interval of the headline of one system.

    Returns
    -------
    Interval or None
        None: fewer than two queries have a score, or there is no headline.
    """
    values = influences(scores, scores.in_mean)
    policy = scores.policy
    if values is not None and (policy.average, policy.extra_query) == ("macro", "zero"):
        values = np.concatenate((values, np.zeros(len(scores.graded.extra))))
    return mean_interval(values)


def influences(scores: QueryScores, queries: NDArray[np.bool_]) -> Float | None:
    """One value a query whose mean is the headline over these queries.

    Under macro averaging the query scores themselves. Under pooled averaging R + (DCG - R IDCG)
    / mean(IDCG), where R is the pooled ratio: its variance is that of the ratio to first order.

    Parameters
    ----------
    scores : QueryScores
    queries : ndarray of bool, shape (queries,)
        Queries to take, each with a score.

    Returns
    -------
    ndarray of float, shape (queries taken,), or None
        None: the IDCG of these queries sums to 0.
    """
    if scores.policy.average == "macro":
        return scores.ndcg[queries]
    dcg, idcg = scores.dcg[queries], scores.idcg[queries]
    if idcg.sum() <= 0:
        return None
    ratio = dcg.sum() / idcg.sum()
    return ratio + (dcg - ratio * idcg) / idcg.mean()


def mean_interval(values: Float | None) -> Interval | None:
    """Student's interval for the mean of independent values; None for fewer than two.

    Examples
    --------
    >>> mean_interval(np.array([0.2, 0.4, 0.6]))
    Interval(low=-0.097, high=0.897)
    """
    if values is None or len(values) < 2:
        return None
    mean = float(values.mean())
    half = float(_quantile(len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    return Interval(mean - half, mean + half)


def _quantile(freedom: int) -> float:
    return float(stdtrit(freedom, (1 + LEVEL) / 2))
