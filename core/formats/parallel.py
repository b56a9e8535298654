"""Work on the parts of a file: several at once, in order, and never far ahead of who takes them."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

P = TypeVar("P")
R = TypeVar("R")

_THREADS = 2
_AHEAD = 4


def in_order(work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
    """Yield what `work` makes of each part; a few results at most wait to be taken."""
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
