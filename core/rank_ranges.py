"""Ranks of systems under many rule sets: from where to where, and how like those of the present."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from core.multiverse import Multiverse
from core.ndcg import Float
from core.sensitivity import EQUAL


@dataclass(frozen=True)
class RankRange:
    """Ranks of one system, over the rule sets that give it a value.

    Parameters
    ----------
    name : str
    rule_sets : int
        Rule sets that give it a value.
    best, worst : int or None
    median : float or None
        The mean of two ranks in the middle. None: no rule set gives it a value.
    share_first : float or None
        Share of these rule sets that put it first, alone or level with others.
    """

    name: str
    rule_sets: int
    best: int | None
    worst: int | None
    median: float | None
    share_first: float | None


def ranks(multiverse: Multiverse) -> NDArray[np.int64]:
    """Rank the systems under every rule set.

    Returns
    -------
    ndarray of int, shape (rule sets, systems)
        1 is best; systems that are level share the better rank. 0: no value, no rank.
    """
    values = multiverse.values
    ranked = np.ones(values.shape, dtype=np.int64)
    for system in range(values.shape[1]):
        ranked += values[:, [system]] > values + EQUAL
    ranked[np.isnan(values)] = 0
    return ranked


def rank_ranges(multiverse: Multiverse) -> tuple[RankRange, ...]:
    """Sum up the ranks of each system."""
    return tuple(
        _range(name, column[column > 0])
        for name, column in zip(multiverse.systems, ranks(multiverse).T, strict=True)
    )


def _range(name: str, ranked: NDArray[np.int64]) -> RankRange:
    if not len(ranked):
        return RankRange(name, 0, None, None, None, None)
    return RankRange(
        name=name,
        rule_sets=len(ranked),
        best=int(ranked.min()),
        worst=int(ranked.max()),
        median=float(np.median(ranked)),
        share_first=float((ranked == 1).mean()),
    )


def kendall_tau(multiverse: Multiverse) -> Float:
    """Agreement of each rule set's order of the systems with that of the present policy.

    Kendall's tau-b, over the systems that have a value under both.

    Returns
    -------
    ndarray of float, shape (rule sets,)
        From −1, the order upside down, to 1, the same order. NaN: fewer than two systems have both
        values, or one of the two policies has them all level.

    References
    ----------
    M. G. Kendall: The treatment of ties in ranking problems. Biometrika 33(3), 1945,
    doi:10.1093/biomet/33.3.239.
    """
    values, before = multiverse.values, multiverse.present_values
    agreement, here, there = np.zeros((3, len(values)))
    for one, other in combinations(range(len(before)), 2):
        old = _sign(before[one] - before[other])
        new = _sign(values[:, one] - values[:, other])
        both = ~np.isnan(old * new)
        agreement[both] += (old * new)[both]
        here[both] += np.abs(new)[both]
        there[both] += np.abs(old)
    return np.divide(
        agreement,
        np.sqrt(here * there),
        out=np.full(len(values), np.nan),
        where=(here > 0) & (there > 0),
    )


def _sign(difference: Float) -> Float:
    """−1, 0 or 1; 0 where level, NaN where a value is missing."""
    return np.where(np.abs(difference) <= EQUAL, 0.0, np.sign(difference))
