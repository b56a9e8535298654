"""Labels at the ends of lines, moved apart so that they do not collide."""

from collections.abc import Sequence


def spread(heights: Sequence[float], gap: float, *, top: float = 100.0) -> list[float]:
    """Move label heights apart, keeping their order, inside 0 to `top` as far as they fit.

    Labels that touch form a block, which stands as near as it can to where its labels want to be.
    """
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    room = max(top - gap * (len(order) - 1), 0.0)
    # Without their gaps the labels need only keep their order: blocks of equal height.
    wanted = [heights[at] - gap * place for place, at in enumerate(order)]
    blocks: list[list[float]] = []
    for height in wanted:
        blocks.append([height])
        while len(blocks) > 1 and _mean(blocks[-2]) > _mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    flat = [min(max(_mean(block), 0.0), room) for block in blocks for _ in block]
    placed = [0.0] * len(order)
    for place, at in enumerate(order):
        placed[at] = flat[place] + gap * place
    return placed


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
