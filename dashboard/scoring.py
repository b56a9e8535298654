"""Scores kept in memory: one line each round core.

Keys are a frozen policy and the graded runs themselves, compared by identity: nothing is hashed by
sampling, and a run that was loaded again is another key.
"""

from functools import lru_cache

from core.errors import EvaluationError
from core.grades import GradedRun
from core.policy import OPTIONS, Policy
from core.scores import Aggregate, QueryScores, aggregate, score_all
from core.sensitivity import Switch, SwitchEffect, switch_effects


@lru_cache(maxsize=64)
def outcomes(
    runs: tuple[GradedRun, ...], policy: Policy
) -> tuple[QueryScores | EvaluationError, ...]:
    """Score every run; a refusal stands in its place."""
    return score_all(runs, policy)


@lru_cache(maxsize=256)
def aggregated(scores: QueryScores) -> Aggregate:
    """Aggregate the scores of one run."""
    return aggregate(scores)


@lru_cache(maxsize=64)
def effects(runs: tuple[GradedRun, ...], policy: Policy) -> tuple[SwitchEffect, ...]:
    """Score every run under every single switch."""
    return switch_effects(runs, policy)


@lru_cache(maxsize=64)
def unjudged_effects(runs: tuple[GradedRun, ...], policy: Policy) -> tuple[SwitchEffect, ...]:
    """Score every run under every rule for unjudged documents, the present one included."""
    rules = OPTIONS["unjudged"]
    tried = [Switch("unjudged", rule, policy.with_option("unjudged", rule)) for rule in rules]
    return switch_effects(runs, policy, tried=tried)
