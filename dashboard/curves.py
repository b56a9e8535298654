"""NDCG@k of one query over k, drawn as lines in HTML."""

from collections.abc import Mapping, Sequence
from math import log

from dashboard import markup
from dashboard.labels import spread
from dashboard.markup import escaped, number
from dashboard.wording import say

_TICKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_STEPS = (*range(1, 21), 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
_LABEL_GAP = 11.0


def cutoffs(deepest: int, cutoff: int | None) -> list[int]:
    """Cutoffs to draw: down to the end of the longest ranking, the one in use among them."""
    last = max(deepest, cutoff or 1, 10)
    return sorted({k for k in (*_STEPS, cutoff, last) if k and k <= last})


def curves(
    cutoffs: Sequence[int],
    values: Mapping[str, Sequence[float | None]],
    roles: Mapping[str, str],
    cutoff: int | None,
) -> str:
    """One line a system over a logarithmic k, named at its end.

    Parameters
    ----------
    cutoffs : sequence of int
    values : mapping
        NDCG of each system at the cutoffs. None: no value there.
    roles : mapping
        The role of each system.
    cutoff : int or None
        The cutoff in use, drawn as a rule.
    """
    known = {
        name: [(k, value) for k, value in zip(cutoffs, of, strict=True) if value is not None]
        for name, of in values.items()
    }
    known = {name: points for name, points in known.items() if points}
    if not known:
        return f'<div class="rd-line">{escaped(say("curve.none"))}</div>'
    across = _Logarithmic(cutoffs[-1])
    lines = "".join(
        markup.curve(
            [(across(k), 100 * min(max(value, 0.0), 1.0)) for k, value in points], roles[name]
        )
        for name, points in known.items()
    )
    ends = [100 - 100 * min(max(points[-1][1], 0.0), 1.0) for points in known.values()]
    heights = spread(ends, _LABEL_GAP)
    labels = "".join(
        f'<span class="rd-slope-label rd-{roles[name]}" style="top:{height:.1f}%">'
        f"{number(points[-1][1])} {markup.name(name)}</span>"
        for (name, points), height in zip(known.items(), heights, strict=True)
    )
    rule = "" if cutoff is None else f'<u style="left:{across(cutoff):.2f}%"></u>'
    return (
        f'<div class="rd-curves"><div class="rd-curves-box">{_frame(across, cutoffs[-1])}{rule}'
        f"{lines}{labels}</div></div>"
    )


def _frame(across: "_Logarithmic", last: int) -> str:
    heights = "".join(
        f'<em class="rd-tick" style="bottom:{100 * share:.0f}%">{number(share, 1)}</em>'
        for share in (0.0, 0.5, 1.0)
    )
    ticks = "".join(f'<em style="left:{across(k):.2f}%">{k}</em>' for k in _TICKS if k <= last)
    return f"{heights}{ticks}"


class _Logarithmic:
    """Maps k to per cent from the left."""

    def __init__(self, last: int) -> None:
        self.last = max(last, 2)

    def __call__(self, k: int) -> float:
        return 100 * log(k) / log(self.last)
