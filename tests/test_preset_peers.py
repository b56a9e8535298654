"""Presets against the tools themselves, run here on random judgments and runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from peers import (
    Judged,
    RanxCase,
    Results,
    Values,
    assert_same,
    core_values,
    graded,
    ir_measures_values,
    pytrec_eval_values,
    ranx_values,
    sklearn_values,
    trectools_values,
)

from core.policy import Policy
from core.presets import PRESETS, preset

SEEDS = range(8)
CUTOFFS = (1, 10, 100)
RANX = {"ranx": "ndcg", "ranx-burges": "ndcg_burges", "ranx-strict": "ndcg"}


@dataclass(frozen=True, kw_only=True)
class World:
    """What random judgments and runs hold, as far as a tool takes it.

    Parameters
    ----------
    tied : bool
        Equal scores. Without them, there are still some that only float64 tells apart.
    negative : bool
        Negative grades. No query has them alone: there pytrec_eval may never return.
    empty : bool
        Queries that the run holds without a document.
    unlike : bool
        Judged queries that the run misses, and queries of the run without judgments.
    even : bool
        Rankings of one length for all queries.
    """

    tied: bool = True
    negative: bool = True
    empty: bool = True
    unlike: bool = True
    even: bool = False

    def drawn(self, seed: int) -> tuple[Judged, Results]:
        """Thirty queries; a document may be the query itself."""
        draw = np.random.default_rng(seed)
        length = int(draw.integers(2, 30))
        grades = [0, 0, 0, 1, 1, 2, 3] + [-2, -1] * self.negative
        pool = [*(f"d{n}" for n in range(40)), "Straße", "文書"]

        def some(query: str, count: int) -> list[str]:
            return draw.choice([*pool, query], count, replace=False).tolist()

        def judged(query: str) -> dict[str, int]:
            documents = some(query, draw.integers(1, 43))
            worth = [0] if query in ("q7", "q8") else grades
            return {name: int(draw.choice(worth)) for name in documents} | {"d0": 0}

        def ranking(query: str) -> dict[str, float]:
            if self.empty and query in ("q9", "q10"):
                return {}
            documents = some(query, length if self.even else draw.integers(1, 43))
            values = draw.permutation(len(documents)) // 2 + draw.choice([0, 1e-9], len(documents))
            if not self.tied:
                values = draw.permutation(len(documents)) * 1e-9 + 1
            return dict(zip(documents, values.tolist(), strict=True))

        queries = [f"q{n}" for n in range(30)]
        first, after = (5, 25) if self.unlike else (0, 30)
        return (
            {query: judged(query) for query in queries[:after]},
            {query: ranking(query) for query in queries[first:]},
        )


Answers = dict[int, Values]


def ir_measures_answers(judged: Judged, results: Results) -> Answers:
    return {cutoff: ir_measures_values(judged, results, cutoff=cutoff) for cutoff in CUTOFFS}


def pytrec_eval_answers(judged: Judged, results: Results) -> Answers:
    answers = pytrec_eval_values(judged, results, cutoffs=CUTOFFS)
    return {cutoff: answers[cutoff] for cutoff in CUTOFFS}


def sklearn_answers(judged: Judged, results: Results) -> Answers:
    """Only what the run returned goes in, an unjudged document with grade 0."""
    grades = {
        query: [judged.get(query, {}).get(document, 0) for document in ranking]
        for query, ranking in results.items()
    }
    scores = {query: list(ranking.values()) for query, ranking in results.items()}
    answers = {cutoff: sklearn_values(grades, scores, cutoff=cutoff) for cutoff in CUTOFFS}
    return {cutoff: only_ndcg(values) for cutoff, values in answers.items()}


def only_ndcg(values: Values) -> Values:
    return Values({"ndcg": values.queries["ndcg"]}, values.means)


def trectools_answers(*, exponential: bool) -> Callable[[Judged, Results], Answers]:
    return lambda judged, results: trectools_values(
        judged, results, cutoffs=CUTOFFS, exponential=exponential
    )


DICTS = World()
FILES = World(empty=False)
WORLDS = {
    "pytrec_eval": DICTS,
    "ir_measures": DICTS,
    "ranx": World(tied=False),
    "ranx-burges": World(tied=False),
    "ranx-strict": World(tied=False, unlike=False),
    "trectools": FILES,
    "trectools-exponential": FILES,
    "sklearn-candidates": World(negative=False, empty=False, even=True),
}
TOOLS: dict[str, Callable[[Judged, Results], Answers]] = {
    "pytrec_eval": pytrec_eval_answers,
    "ir_measures": ir_measures_answers,
    "trectools": trectools_answers(exponential=False),
    "trectools-exponential": trectools_answers(exponential=True),
    "sklearn-candidates": sklearn_answers,
}


@cache
def answers_of(name: str, seed: int) -> Answers:
    """What the tool of a preset says of the seed's world."""
    return ranx_answers()[name, seed] if name in RANX else TOOLS[name](*WORLDS[name].drawn(seed))


@cache
def ranx_answers() -> dict[tuple[str, int], Answers]:
    asked = [(name, seed) for name in RANX for seed in SEEDS]
    cases = [
        RanxCase(
            *WORLDS[name].drawn(seed),
            [f"{RANX[name]}@{cutoff}" for cutoff in CUTOFFS],
            comparable=name != "ranx-strict",
        )
        for name, seed in asked
    ]
    found: dict[tuple[str, int], Answers] = {}
    for key, answer in zip(asked, ranx_values(cases), strict=True):
        assert not isinstance(answer, str), answer
        found[key] = dict(zip(CUTOFFS, answer.values(), strict=True))
    return found


def check(name: str, seed: int, policy: Policy, cutoffs: Sequence[int] = CUTOFFS) -> None:
    run = graded(*WORLDS[name].drawn(seed))
    for cutoff in cutoffs:
        found = core_values(run, replace(policy, cutoff=cutoff))
        assert_same(found, answers_of(name, seed)[cutoff])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", WORLDS)
def test_every_query_and_the_mean_are_those_of_the_tool(name: str, seed: int) -> None:
    assert preset(name).policy.cutoff in CUTOFFS
    check(name, seed, preset(name).policy)


def test_presets_that_say_so_are_those_run_here() -> None:
    assert {one.name for one in PRESETS.values() if one.checked == "tests"} == set(WORLDS)
