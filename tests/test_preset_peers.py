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

from core.errors import EvaluationError, PolicyRefusal
from core.policy import OPTIONS, Policy
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
        Negative grades.
    negative_alone : bool
        A query that has no other grades. pytrec_eval, asked often, ends Python there.
    empty : bool
        Queries that the run holds without a document.
    unlike : bool
        Judged queries that the run misses, and queries of the run without judgments.
    even : bool
        Rankings of one length for all queries.
    """

    tied: bool = True
    negative: bool = True
    negative_alone: bool = True
    empty: bool = True
    unlike: bool = True
    even: bool = False

    def drawn(self, seed: int) -> tuple[Judged, Results]:
        """Thirty queries; a document may be the query itself."""
        draw = np.random.default_rng(seed)
        length = int(draw.integers(2, 30))
        grades = [0, 0, 0, 1, 1, 2, 3] + [-2, -1] * self.negative
        pool = [*(f"d{n}" for n in range(40)), "Straße", "文書"]

        def some(query: str, count: int | None = None) -> list[str]:
            count = count or int(draw.integers(1, 43))
            return draw.choice([*pool, query], count, replace=False).tolist()

        def judged(query: str) -> dict[str, int]:
            if query == "q6" and self.negative_alone:
                return dict.fromkeys(some(query), -1)
            worth = [0] if query in ("q7", "q8") else grades
            return {document: int(draw.choice(worth)) for document in some(query)} | {"d0": 0}

        def ranking(query: str) -> dict[str, float]:
            if self.empty and query in ("q9", "q10"):
                return {}
            documents = some(query, length if self.even else None)
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


DICTS = World(negative_alone=False)
FILES = World(empty=False)
UNTIED = World(tied=False)
WORLDS = {
    "pytrec_eval": DICTS,
    "ir_measures": DICTS,
    "ranx": UNTIED,
    "ranx-burges": UNTIED,
    "ranx-strict": replace(UNTIED, unlike=False),
    "trectools": FILES,
    "trectools-exponential": FILES,
    "sklearn-candidates": World(negative=False, negative_alone=False, empty=False, even=True),
}
# What a tool cannot tell of a preset's rules: it takes no data in which another option would
# give another number. No world repeats a document.
NO_MATTER = {"negative_grades=as_unjudged", "duplicates=keep_first"}
NO_TIES = {f"ties={option}" for option in OPTIONS["ties"]}
UNSEEN = {
    "pytrec_eval": NO_MATTER,
    "ir_measures": NO_MATTER,
    "ranx": NO_MATTER | NO_TIES,
    "ranx-burges": NO_MATTER | NO_TIES,
    "ranx-strict": NO_MATTER
    | NO_TIES
    | {f"missing_query={option}" for option in ("zero", "leave_out")}
    | {f"extra_query={option}" for option in ("zero", "ignore")},
    "trectools": NO_MATTER | {f"empty_query={option}" for option in ("zero", "refuse")},
    "trectools-exponential": NO_MATTER | {f"empty_query={option}" for option in ("zero", "refuse")},
    "sklearn-candidates": NO_MATTER
    | {f"negative_grades={option}" for option in ("zero", "raw")}
    | {f"empty_query={option}" for option in ("zero", "refuse")}
    | {"ideal_scope=any_run", "ideal_depth=returned"},
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
    found: dict[tuple[str, int], Answers] = {}
    for key, answer in ranx_said().items():
        if key[0] in RANX:
            assert not isinstance(answer, str), answer
            found[key] = dict(zip(CUTOFFS, answer.values(), strict=True))
    return found


@cache
def ranx_said() -> dict[tuple[str, int], dict[str, Values] | str]:
    """Answers of ranx to all that is asked here, at once, as it takes long to start."""
    asked = {
        (name, seed): RanxCase(
            *WORLDS[name].drawn(seed),
            [f"{measure}@{cutoff}" for cutoff in CUTOFFS],
            comparable=name != "ranx-strict",
        )
        for name, measure in RANX.items()
        for seed in SEEDS
    }
    asked |= {
        (field, seed): RanxCase(*unlike(field, seed), ["ndcg@10"], comparable=False)
        for field in ("missing_query", "extra_query")
        for seed in SEEDS
    }
    return dict(zip(asked, ranx_values(list(asked.values())), strict=True))


def unlike(field: str, seed: int) -> tuple[Judged, Results]:
    """A world whose run misses one judged query, or holds one query without judgments."""
    judged, results = WORLDS["ranx-strict"].drawn(seed)
    del (results if field == "missing_query" else judged)["q0"]
    return judged, results


def check(name: str, seed: int, policy: Policy, cutoffs: Sequence[int] = CUTOFFS) -> None:
    run = graded(*WORLDS[name].drawn(seed))
    for cutoff in cutoffs:
        found = core_values(run, replace(policy, cutoff=cutoff))
        assert_same(found, answers_of(name, seed)[cutoff])


def is_seen(name: str, field: str, option: str) -> bool:
    """Whether one seed's numbers are no longer the tool's when one rule of a preset is another."""
    changed = preset(name).policy.with_option(field, option)
    for seed in SEEDS:
        try:
            check(name, seed, changed, (10,))
        except (AssertionError, EvaluationError):
            return True
    return False


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", WORLDS)
def test_every_query_and_the_mean_are_those_of_the_tool(name: str, seed: int) -> None:
    assert preset(name).policy.cutoff in CUTOFFS
    check(name, seed, preset(name).policy)


@pytest.mark.parametrize("name", WORLDS)
def test_any_other_rule_would_give_other_numbers(name: str) -> None:
    """So the test above would fail; but for the options that the tool's data cannot tell apart."""
    rules = preset(name).policy.to_dict()
    others = [
        (field, option)
        for field, options in OPTIONS.items()
        for option in options
        if option != rules[field]
    ]
    unseen = {f"{field}={option}" for field, option in others if not is_seen(name, field, option)}
    assert unseen == UNSEEN[name] - {f"{field}={option}" for field, option in rules.items()}


def test_presets_that_say_so_are_those_run_here() -> None:
    assert {one.name for one in PRESETS.values() if one.checked == "tests"} == set(WORLDS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("field", ["missing_query", "extra_query"])
def test_ranx_refuses_a_run_with_other_queries(field: str, seed: int) -> None:
    said = ranx_said()[field, seed]
    assert isinstance(said, str)
    assert said.startswith("Qrels and Run query ids do not match.")
    assert refused_field("ranx-strict", *unlike(field, seed)) == field


def refused_field(name: str, judged: Judged, results: Results) -> str:
    with pytest.raises(PolicyRefusal) as refusal:
        core_values(graded(judged, results), preset(name).policy)
    return refusal.value.field


JUDGED: Judged = {"q": {"a": 2, "b": 1}, "negative": {"a": 2, "b": -1}}


def test_scikit_learn_refuses_a_negative_grade_that_it_sees() -> None:
    """The preset refuses all of them: one that was not returned is not seen there."""
    judged = {"negative": JUDGED["negative"]}
    seen: Results = {"negative": {"a": 2.0, "b": 1.0}}
    with pytest.raises(ValueError, match="should not be used on negative"):
        sklearn_answers(judged, seen)
    assert refused_field("sklearn-candidates", judged, seen) == "negative_grades"
    unseen: Results = {"negative": {"a": 2.0, "c": 1.0}}
    assert sklearn_answers(judged, unseen)[10].means == {"ndcg": 1.0}
    assert refused_field("sklearn-candidates", judged, unseen) == "negative_grades"


@pytest.mark.parametrize(
    ("ranking", "message", "found"),
    [
        pytest.param({"b": 1.0}, "more than 1 document", {"q": 1.0}, id="one document"),
        pytest.param({}, "minimum of 1 is required", {}, id="no document"),
    ],
)
def test_scikit_learn_refuses_short_lists(
    ranking: dict[str, float], message: str, found: dict[str, float]
) -> None:
    """The preset scores one document, and leaves an empty list out."""
    judged, results = {"q": JUDGED["q"]}, {"q": ranking}
    with pytest.raises(ValueError, match=message):
        sklearn_answers(judged, results)
    values = core_values(graded(judged, results), preset("sklearn-candidates").policy)
    assert values.queries["ndcg"] == found


@pytest.mark.parametrize("name", ["trectools", "trectools-exponential"])
def test_trectools_never_sees_a_query_without_documents(name: str) -> None:
    """No line of a file can hold it, so it is a query that the run misses."""
    judged, results = World().drawn(0)
    assert {} in results.values()
    expected = TOOLS[name](judged, results)[10]
    assert_same(core_values(graded(judged, results), preset(name).policy), expected)


def test_trectools_reads_ids_of_digits_as_numbers() -> None:
    """A column of digits only: then 007 is 7, and no longer the 007 of a column with words."""
    judged: Judged = {"q": {"007": 1}}
    for results, value in (({"q": {"007": 2.0}}, 1.0), ({"q": {"007": 2.0, "x": 1.0}}, 0.0)):
        assert trectools_values(judged, results, cutoffs=[10])[10].means == {"ndcg": value}
        found = core_values(graded(judged, results), preset("trectools").policy)
        assert found.means["ndcg"] == 1.0
