"""Laws that hold for any judgments, any run and many policies."""

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import Result

from core.formats import read_judgments, read_run
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.policy import OPTIONS, Policy
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import QueryScores, aggregate, score

ROUNDING = 1e-12
Judged = dict[str, dict[str, int]]
Results = dict[str, list[Result]]
Case = tuple[Judged, Results]

DOCUMENTS = [document for document in strategies.DOCUMENTS if document]
rankings = st.permutations(DOCUMENTS)
not_negative = st.sampled_from((0, 1, 2, 3))
grades = st.sampled_from(strategies.GRADES)


def lenient(name: str) -> tuple[object, ...]:
    """Options of a field that refuse nothing."""
    named: dict[str, tuple[object, ...]] = {
        "gain": ("linear", "exponential", strategies.table()),
        "order": ("score", "as_listed"),
        "unjudged": ("zero", "condense"),
    }
    return named.get(name) or tuple(option for option in OPTIONS[name] if option != "refuse")


policies = st.fixed_dictionaries(
    {name: st.sampled_from(lenient(name)) for name in OPTIONS}
    | {"cutoff": st.sampled_from((1, 2, 3, 10, "all")), "relevance_level": st.just(1)}
).map(Policy.from_dict)


def cases(grade: st.SearchStrategy[int]) -> st.SearchStrategy[Case]:
    """Judgments, and a run with scores, ties and repeats that has at least one of their queries."""
    result = st.builds(
        Result, document=strategies.documents, score=st.sampled_from(strategies.SCORES)
    )
    judged = st.dictionaries(strategies.documents, grade, max_size=6)
    query = st.tuples(judged, st.none() | st.lists(result, max_size=5))
    return st.dictionaries(st.sampled_from(strategies.QUERIES), query, min_size=1).map(case)


def case(queries: dict[str, tuple[dict[str, int], list[Result] | None]]) -> Case:
    run = {query: listed for query, (_, listed) in queries.items() if listed is not None}
    return {query: judged for query, (judged, _) in queries.items()}, run or {min(queries): []}


def joined(case: Case) -> GradedRun:
    judged, run = case
    return join(strategies.core_run(run), Judgments.from_dict(judged))


def listed(judged: Judged, ranking: dict[str, list[str]]) -> GradedRun:
    return join(Run.from_dict("run", ranking), Judgments.from_dict(judged))


def under(graded: GradedRun, policy: Policy, **changes: Any) -> QueryScores:
    return score(graded, replace(policy, **changes))


# NDCG lies between 0 and 1


@given(cases(not_negative), policies)
def test_ndcg_lies_between_0_and_1(case: Case, policy: Policy) -> None:
    """For grades of at least 0 and an ideal from all judged documents, cut at k."""
    found = under(joined(case), policy, ideal_scope="judged", ideal_depth="cutoff")
    values = found.ndcg[found.in_mean]
    # A mean over orders adds up in another way than the ideal does.
    slack = ROUNDING if policy.ties == "expected" else 0
    assert (values >= 0).all()
    assert (values <= 1 + slack).all()
    for mean in (aggregate(found).macro_mean, aggregate(found).pooled_ratio):
        assert mean is None or 0 <= mean <= 1 + ROUNDING


@given(cases(not_negative), policies)
def test_longer_ideal_never_raises_ndcg(case: Case, policy: Policy) -> None:
    graded = joined(case)
    full, cut, returned = (
        under(graded, policy, ideal_scope="judged", ideal_depth=depth, zero_idcg="zero").ndcg
        for depth in ("full", "cutoff", "returned")
    )
    kept = ~np.isnan(full)
    assert (full[kept] <= cut[kept] + ROUNDING).all()
    assert (cut[kept] <= returned[kept] + ROUNDING).all()


# The ideal order scores 1

one_query = st.dictionaries(strategies.documents, not_negative, min_size=1).filter(
    lambda judged: any(judged.values())
)


@given(one_query, rankings, st.integers(0, 2), policies)
def test_ideal_order_scores_exactly_1(
    judged: dict[str, int], shuffled: list[str], unjudged: int, policy: Policy
) -> None:
    """In any order of equal grades, and whatever stands behind."""
    ideal = sorted(
        (document for document in shuffled if document in judged),
        key=lambda document: -judged[document],
    )
    graded = listed({"q": judged}, {"q": [*ideal, "x", "y"][: len(ideal) + unjudged]})
    found = under(graded, policy, ideal_scope="judged", ideal_depth="cutoff")
    assert found.ndcg.tolist() == [1.0]


@given(one_query, rankings, policies)
def test_ideal_of_this_run_is_reached_by_every_run_in_order_of_grade(
    judged: dict[str, int], some: list[str], policy: Policy
) -> None:
    """Which is why it does not compare systems."""
    found = [document for document in some[:3] if document in judged]
    assume(any(judged[document] for document in found))
    ranking = sorted(found, key=lambda document: -judged[document])
    graded = listed({"q": judged}, {"q": ranking})
    scores = under(graded, policy, ideal_scope="this_run", ideal_depth="cutoff")
    assert scores.ndcg.tolist() == [1.0]


# Moving a better document up


def dcg_of(judged: dict[str, int], ranking: list[str], policy: Policy) -> float:
    return float(under(listed({"q": judged}, {"q": ranking}), policy).dcg[0])


@given(st.dictionaries(strategies.documents, grades), rankings, policies)
def test_moving_the_better_of_two_neighbours_up_never_lowers_dcg(
    judged: dict[str, int], ranking: list[str], policy: Policy
) -> None:
    """Unjudged counts as 0 here; negative grades are worse than that under `raw` only."""
    before = dcg_of(judged, ranking, policy)
    for at, (upper, lower) in enumerate(pairwise(ranking)):
        if judged.get(lower, 0) >= judged.get(upper, 0):
            moved = [*ranking[:at], lower, upper, *ranking[at + 2 :]]
            assert dcg_of(judged, moved, policy) >= before - ROUNDING


@given(st.dictionaries(strategies.documents, not_negative), rankings, policies)
def test_longer_list_never_lowers_dcg_where_no_grade_is_negative(
    judged: dict[str, int], ranking: list[str], policy: Policy
) -> None:
    sums = [dcg_of(judged, ranking[:length], policy) for length in range(len(ranking) + 1)]
    assert all(less <= more + ROUNDING for less, more in pairwise(sums))


# Names and the order of lines


def values_by_query(found: QueryScores) -> dict[str, tuple[float | None, float, float, int]]:
    """Every value of every query; NaN as None, so that equal is equal."""
    columns = (found.ndcg.tolist(), found.dcg.tolist(), found.idcg.tolist(), found.state.tolist())
    return {
        query: (None if np.isnan(ndcg) else ndcg, dcg, idcg, state)
        for query, ndcg, dcg, idcg, state in zip(found.judgments.query_ids, *columns, strict=True)
    }


def lines_of(case: Case) -> tuple[list[str], list[str]]:
    """Lines of qrels and of a run."""
    judged, run = case
    qrels = [f"{q} 0 {d} {g}\n" for q, of_query in judged.items() for d, g in of_query.items()]
    results = [
        f"{query} Q0 {result.document} {result.rank} {result.score!r} tag\n"
        for query, of_query in run.items()
        for result in of_query
    ]
    return qrels, results


def scored(qrels: list[str], results: list[str], policy: Policy) -> QueryScores:
    judgments = read_judgments("".join(qrels).encode(), name="qrels")
    return score(join(read_run("".join(results).encode(), source="run"), judgments), policy)


def without_ties(queries: dict[str, tuple[dict[str, int], list[str], list[int]]]) -> Case:
    """Scores as drawn, ranks as listed; one query more that nobody judged."""
    run = {
        query: [
            Result(document, score=value / 64, rank=rank)
            for rank, (document, value) in enumerate(zip(ranking, values, strict=False), 1)
        ]
        for query, (_, ranking, values) in queries.items()
    }
    judged = {query: of_query for query, (of_query, _, _) in queries.items()}
    return judged, run | {"extra": run[min(run)]}


different_scores = st.lists(st.integers(-(2**20), 2**20), min_size=1, max_size=7, unique=True)
files = st.dictionaries(
    st.sampled_from(strategies.QUERIES),
    st.tuples(
        st.dictionaries(strategies.documents, grades, min_size=1), rankings, different_scores
    ),
    min_size=1,
).map(without_ties)


@given(files, policies, st.sampled_from(["score", "rank_column"]), st.integers(0, 999))
def test_order_of_lines_changes_nothing(case: Case, policy: Policy, order: str, seed: int) -> None:
    policy = replace(policy, order=order)
    qrels, results = lines_of(case)
    found = scored(qrels, results, policy)
    shuffler = random.Random(seed)
    again = scored(
        shuffler.sample(qrels, len(qrels)), shuffler.sample(results, len(results)), policy
    )
    assert values_by_query(again) == values_by_query(found)
    assert again.judgments.fingerprint == found.judgments.fingerprint


NAMES = (*strategies.QUERIES, "extra", *DOCUMENTS)
fresh_names = st.lists(
    st.text("aB7", min_size=1, max_size=20), min_size=len(NAMES), max_size=len(NAMES), unique=True
)


@given(files, policies, fresh_names)
def test_other_names_change_nothing(case: Case, policy: Policy, names: list[str]) -> None:
    """Without ties and with self matches kept."""
    policy = replace(policy, self_matches="keep")
    judged, run = case
    new = dict(zip(NAMES, names, strict=True))
    renamed = (
        {
            new[query]: {new[d]: g for d, g in of_query.items()}
            for query, of_query in judged.items()
        },
        {
            new[query]: [replace(result, document=new[result.document]) for result in of_query]
            for query, of_query in run.items()
        },
    )
    found = values_by_query(scored(*lines_of(case), policy))
    again = values_by_query(scored(*lines_of(renamed), policy))
    assert again == {new[query]: values for query, values in found.items()}


# Judged or not

of_every_document = st.tuples(*(not_negative for _ in DOCUMENTS))


@given(cases(not_negative), of_every_document, policies)
def test_where_all_is_judged_the_rule_for_unjudged_does_not_matter(
    case: Case, of_documents: tuple[int, ...], policy: Policy
) -> None:
    everything = dict(zip(DOCUMENTS, of_documents, strict=True))
    judged = {query: everything | of_query for query, of_query in case[0].items()}
    graded = joined((judged, case[1]))
    found = [under(graded, policy, unjudged=rule) for rule in OPTIONS["unjudged"]]
    assert all(values_by_query(one) == values_by_query(found[0]) for one in found)
    assert all(aggregate(one).ndcg == aggregate(found[0]).ndcg for one in found)


@given(cases(not_negative), policies)
def test_condensing_never_lowers_dcg_where_no_grade_is_negative(case: Case, policy: Policy) -> None:
    graded = joined(case)
    zero, condensed = (under(graded, policy, unjudged=rule).dcg for rule in ("zero", "condense"))
    assert (condensed >= zero - ROUNDING).all()


def test_scoring_changes_nothing_it_was_given() -> None:
    judgments = Judgments.from_dict({"q": {"a": 2, "b": 0}})
    graded = join(Run.from_dict("r", {"q": {"b": 1.0, "a": 1.0}}), judgments)

    def given_values() -> tuple[list[int], ...]:
        return judgments.grades.tolist(), graded.hits.judgment.tolist(), graded.retrieved.tolist()

    before, first = given_values(), score(graded, FIRST_RUN).ndcg.tolist()
    under(graded, FIRST_RUN, unjudged="condense", ties="expected", cutoff=1)
    assert given_values() == before
    assert score(graded, FIRST_RUN).ndcg.tolist() == first
