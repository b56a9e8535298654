"""Remembers what a function made of an object, on the object."""

from collections.abc import Callable, Iterable
from functools import wraps
from threading import Lock
from types import SimpleNamespace
from typing import TypeVar, cast

import numpy as np

from core.policy import Policy

Owner = TypeVar("Owner")
Result = TypeVar("Result")

_LOCK = Lock()


def shown(policy: Policy, fields: Iterable[str]) -> Policy:
    """Return a policy of which nothing but some fields can be seen: looking at others fails."""
    return cast(Policy, SimpleNamespace(**{field: getattr(policy, field) for field in fields}))


def remembered(
    *fields: str, most: int
) -> Callable[[Callable[[Owner, Policy], Result]], Callable[[Owner, Policy], Result]]:
    """Let a function of an object and a policy remember its latest results.

    They are stored on the object, which must never change, and go when it goes. Their arrays are
    made read-only, for every caller gets the same ones.

    Parameters
    ----------
    *fields : str
        Every field of the policy that the function looks at; it is shown no other. Policies that
        agree on them share a result.
    most : int
        How many results an object keeps; the one that was not asked for longest goes first.
    """

    def decorated(function: Callable[[Owner, Policy], Result]) -> Callable[[Owner, Policy], Result]:
        name = f"_{function.__name__}_results"

        @wraps(function)
        def wrapper(owner: Owner, policy: Policy) -> Result:
            key = tuple(getattr(policy, field) for field in fields)
            results: dict[object, Result] = vars(owner).setdefault(name, {})
            with _LOCK:
                if key in results:
                    results[key] = results.pop(key)
                    return results[key]
            # Outside the lock: two threads may both do the work, and come to the same.
            result = _read_only(function(owner, shown(policy, fields)))
            with _LOCK:
                results[key] = result
                while len(results) > most:
                    del results[next(iter(results))]
            return result

        return wrapper

    return decorated


def _read_only(result: Result) -> Result:
    for array in vars(result).values() if hasattr(result, "__dict__") else [result]:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return result
