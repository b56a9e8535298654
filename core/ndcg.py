"""Gain, discount, DCG and IDCG as array functions.

References
----------
K. Järvelin and J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. ACM TOIS 20(4),
2002, doi:10.1145/582415.582418. DCG with discount 1/log2(rank + 1) and exponential gain:
C. Burges et al.: Learning to rank using gradient descent. ICML 2005, doi:10.1145/1102351.1102363.
"""

import numpy as np
from numpy.typing import NDArray

from core.errors import PolicyError, listed_numbers
from core.policy import Cutoff, Gain, GainTable

Float = NDArray[np.float64]
Int = NDArray[np.integer]

_HIGHEST_EXPONENT = 1000


def gains(grades: Int, gain: Gain, *, relevant_from: int = 1) -> Float:
    """What each grade is worth.

    Parameters
    ----------
    grades : ndarray of int
        Any shape.
    gain : "linear", "exponential", "binary" or GainTable
    relevant_from : int
        Lowest grade that gains 1 under binary gain.

    Returns
    -------
    ndarray of float, same shape
        The grade itself, 2^grade - 1, 0 or 1, or the table's entry.

    Raises
    ------
    PolicyError
        A grade the table does not list, or one too high for 2^grade - 1.

    Examples
    --------
    >>> gains(np.array([0, 1, 3]), "exponential")
    array([0., 1., 7.])
    """
    if gain == "linear":
        return grades.astype(np.float64)
    if gain == "exponential":
        if grades.size and (highest := int(grades.max())) > _HIGHEST_EXPONENT:
            raise PolicyError(
                "gain",
                f"gain exponential: 2^{highest} is too large to add up; grades up to "
                f"{_HIGHEST_EXPONENT} are possible. Use linear gain or a table.",
            )
        return np.ldexp(1.0, grades) - 1.0
    if gain == "binary":
        return (grades >= relevant_from).astype(np.float64)
    return _table_gains(grades, gain)


def _table_gains(grades: Int, table: GainTable) -> Float:
    entries = sorted({0: 0.0, **dict(table.entries)}.items())
    known = np.array([grade for grade, _ in entries], dtype=np.int64)
    worth = np.array([gain for _, gain in entries], dtype=np.float64)
    at = np.minimum(np.searchsorted(known, grades), len(known) - 1)
    unlisted = np.unique(grades[known[at] != grades])
    if len(unlisted):
        raise PolicyError(
            "gain",
            f"gain {str(table)!r}: no entry for grade {listed_numbers(unlisted.tolist())}. "
            "A table lists every grade that occurs in the judgments.",
        )
    return worth[at]


def discounts(ranks: int, *, discount: str, cutoff: Cutoff) -> Float:
    """Weight of each rank, best first.

    Parameters
    ----------
    ranks : int
        How many ranks.
    discount : "log2" or "original"
        1/log2(rank + 1), or 1 for ranks 1 and 2 and then 1/log2(rank).
    cutoff : int or "all"
        Ranks beyond it weigh 0.

    Returns
    -------
    ndarray of float, shape (ranks,)

    Examples
    --------
    >>> discounts(4, discount="original", cutoff=3)
    array([1.        , 1.        , 0.63092975, 0.        ])
    """
    rank = np.arange(1, ranks + 1, dtype=np.float64)
    weight = 1.0 / np.log2(rank + 1.0 if discount == "log2" else np.maximum(rank, 2.0))
    if cutoff != "all":
        weight[cutoff:] = 0.0
    return weight


def mean_weights(weights: Float, above: Int, size: Int) -> Float:
    """Mean weight of a document that stands anywhere in its tie with equal chance.

    McSherry and Najork 2008, section 3: the expected DCG of a ranking with ties is the gain of
    each document times the mean discount of the ranks its tie covers.

    Parameters
    ----------
    weights : ndarray of float, shape (ranks,)
        Weight of each rank, best first; at least `above + size` of them.
    above, size : ndarray of int, shape (documents,)
        Documents ranked before the tie, and documents in it. A size of 1 is no tie.

    Returns
    -------
    ndarray of float, shape (documents,)

    References
    ----------
    F. McSherry and M. Najork: Computing information retrieval performance measures efficiently in
    the presence of tied scores. ECIR 2008, doi:10.1007/978-3-540-78646-7_38.
    """
    tied = size > 1
    if not tied.any():
        return weights[above]
    mean = weights[np.where(tied, 0, above)]
    total = np.concatenate(([0.0], np.cumsum(weights)))
    low, high = above[tied], above[tied] + size[tied]
    mean[tied] = (total[high] - total[low]) / size[tied]
    return mean


def sums(query: Int, values: Float, queries: int) -> Float:
    """Sum values by query, in the order given.

    Parameters
    ----------
    query : ndarray of int, shape (rows,)
    values : ndarray of float, shape (rows,)
    queries : int
        How many queries there are.

    Returns
    -------
    ndarray of float, shape (queries,)
        0 for a query without a row.
    """
    # An empty bincount forgets its weights and comes back as whole numbers.
    return np.bincount(query, weights=values, minlength=queries).astype(np.float64)


def position_in_query(query: Int) -> NDArray[np.int64]:
    """Position of each row among the rows of its query, from 0; rows are grouped by query.

    Examples
    --------
    >>> position_in_query(np.array([0, 0, 2, 2, 2]))
    array([0, 1, 0, 1, 2])
    """
    if not len(query):
        return np.zeros(0, dtype=np.int64)
    begins = np.concatenate(([True], query[1:] != query[:-1]))
    start = np.flatnonzero(begins)
    return np.arange(len(query)) - np.repeat(start, np.diff(np.append(start, len(query))))
