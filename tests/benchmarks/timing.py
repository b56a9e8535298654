"""How calls are timed."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def best(call: Callable[[], T], repeats: int) -> tuple[float, T]:
    """Shortest time of several calls in seconds, and the last result."""
    times, result = timed(lambda _: call(), lambda: None, repeats)
    return min(times), result


def timed(call: Callable[[S], T], prepared: Callable[[], S], repeats: int) -> tuple[list[float], T]:
    """Times of several calls in seconds, and the last result; what is prepared is not timed."""
    times = []
    for _ in range(repeats):
        start_from = prepared()
        gc.collect()
        start = time.perf_counter()
        result = call(start_from)
        times.append(time.perf_counter() - start)
    return times, result
