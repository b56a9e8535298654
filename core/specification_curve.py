"""The specification curve of two systems: differences in order, and the options that made them.

References
----------
U. Simonsohn, J. P. Simmons and L. D. Nelson: Specification curve analysis. Nature Human Behaviour
4, 2020, doi:10.1038/s41562-020-0912-z.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.multiverse import Multiverse
from core.ndcg import Float
from core.rule_sets import Rows
from core.verdicts import PairVerdict

MOST_SLOTS = 80
"""Slots that a curve is drawn in at most."""


@dataclass(frozen=True, eq=False)
class SpecificationCurve:
    """Decided rule sets by their difference, lowest first, in slots side by side.

    Parameters
    ----------
    rule_sets : tuple of ndarray of int
        Numbers of the rule sets in each slot. Slots differ in size by one at most.
    lowest, highest : ndarray of float, shape (slots,)
        Smallest and largest difference in a slot.
    shares : mapping of str to ndarray of float, shape (options, slots)
        By field: share of the rule sets in a slot that have an option, 0 to 1, options as ticked.
    present : int or None
        Slot that holds the present policy. None: it is not among the rule sets, or is undecided.
    """

    rule_sets: tuple[Rows, ...]
    lowest: Float
    highest: Float
    shares: Mapping[str, Float]
    present: int | None


def specification_curve(
    multiverse: Multiverse, verdict: PairVerdict, *, most: int = MOST_SLOTS
) -> SpecificationCurve:
    """Put the decided rule sets of a pair in order, and in at most so many slots.

    Rule sets with the same difference keep their order. Without a decided rule set there is no
    slot.
    """
    order = np.argsort(verdict.differences, kind="stable")[: len(verdict.decided)]
    slots = tuple(np.array_split(order, min(most, len(order)))) if len(order) else ()
    shares = {}
    for field, options in multiverse.axes.items():
        column = multiverse.rule_sets.column(field)
        counts = [np.bincount(column[rows], minlength=len(options)) / len(rows) for rows in slots]
        shares[field] = np.array(counts).reshape(len(slots), len(options)).T
    holding = (at for at, rows in enumerate(slots) if (rows == multiverse.present).any())
    return SpecificationCurve(
        rule_sets=slots,
        lowest=verdict.differences[[rows[0] for rows in slots]],
        highest=verdict.differences[[rows[-1] for rows in slots]],
        shares=shares,
        present=None if multiverse.present is None else next(holding, None),
    )
