"""Scores kept in memory: one line each round core.

Keys are a frozen policy and the graded runs themselves, compared by identity: nothing is hashed by
sampling, and a run that was loaded again is another key.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from time import perf_counter
from typing import Any

import streamlit as st

from core.errors import EvaluationError
from core.grades import GradedRun
from core.multiverse import Multiverse, multiverse, under_rule_sets
from core.number_search import Match, Reported, matches
from core.policy import OPTIONS, Cutoff, Policy
from core.rule_sets import listed_rule_sets
from core.scores import Aggregate, QueryScores, aggregate, score_all
from core.sensitivity import Switch, SwitchEffect, switch_effects
from core.sweep import Progress
from core.walk import Walk, walk
from dashboard.wording import say

_MOMENT = 0.3


def outcomes(
    runs: tuple[GradedRun, ...], policy: Policy
) -> tuple[QueryScores | EvaluationError, ...]:
    """Score every run; a refusal stands in its place."""
    with st.spinner(say("busy.scoring", runs=len(runs))):
        return _outcomes(runs, policy)


@lru_cache(maxsize=256)
def aggregated(scores: QueryScores) -> Aggregate:
    """Aggregate the scores of one run."""
    return aggregate(scores)


def effects(runs: tuple[GradedRun, ...], policy: Policy) -> tuple[SwitchEffect, ...]:
    """Score every run under every single switch."""
    with st.spinner(say("busy.effects", runs=len(runs))):
        return _effects(runs, policy)


@lru_cache(maxsize=64)
def unjudged_effects(runs: tuple[GradedRun, ...], policy: Policy) -> tuple[SwitchEffect, ...]:
    """Score every run under every rule for unjudged documents, the present one included."""
    rules = OPTIONS["unjudged"]
    tried = [Switch("unjudged", rule, policy.with_option("unjudged", rule)) for rule in rules]
    return switch_effects(runs, policy, tried=tried)


@lru_cache(maxsize=16)
def switched(runs: tuple[GradedRun, ...], start: Policy, switch: Switch) -> SwitchEffect:
    """Score every run before and after one switch."""
    (effect,) = switch_effects(runs, start, tried=[switch])
    return effect


@lru_cache(maxsize=16)
def combined(
    runs: tuple[GradedRun, ...], policy: Policy, axes: tuple[tuple[str, tuple[Any, ...]], ...]
) -> Multiverse:
    """Score every run under every combination of options, in view.

    Another choice of the reader ends the work: what draws the progress raises then.
    """
    with _progress("busy.combining") as drawn:
        return multiverse(runs, policy, dict(axes), progress=drawn)


@lru_cache(maxsize=16)
def listed(runs: tuple[GradedRun, ...], policies: tuple[Policy, ...]) -> Multiverse:
    """Score every run under some different policies, the first of them the present one."""
    return under_rule_sets(runs, listed_rule_sets(policies))


@lru_cache(maxsize=16)
def walked(runs: tuple[GradedRun, ...], start: Policy, end: Policy) -> Walk:
    """Walk from one policy to another."""
    return walk(runs, start, end)


@lru_cache(maxsize=16)
def searched(runs: tuple[GradedRun, ...], reported: Reported, cutoff: Cutoff) -> tuple[Match, ...]:
    """Find the rules that give some run a reported number, in view."""
    with _progress("busy.searching") as drawn:
        return matches(runs, reported, cutoff=cutoff, progress=drawn)


@contextmanager
def _progress(key: str) -> Iterator[Progress]:
    """A bar that comes where the work takes longer than a moment, and goes with it."""
    place, start = st.empty(), perf_counter()

    def drawn(done: int, total: int) -> None:
        if perf_counter() - start > _MOMENT:
            place.progress(done / total, say(key, done=f"{100 * done // total}"))

    try:
        yield drawn
    finally:
        place.empty()


_outcomes = lru_cache(maxsize=64)(score_all)
_effects = lru_cache(maxsize=64)(switch_effects)
