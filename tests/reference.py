"""The scoring contract, written from its definition: slow, plain, nothing from core.

The second witness of the test suite. Read it from top to bottom as the specification: one step of
the order of work after the other (sort key, duplicates, self matches, ties, condense, cutoff,
gains, DCG and IDCG, ratio), then the averages. Input is assumed to be valid; only what a policy
refuses is checked.
"""

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, groupby, permutations, product
from statistics import fmean
from typing import Any


@dataclass(frozen=True)
class Result:
    """One line of a run, in listed order."""

    document: str
    score: float | None = None
    rank: int | None = None


Judgments = dict[str, dict[str, int]]  # query -> document -> grade; {} = a query without judgments
Run = dict[str, list[Result]]  # query -> results in listed order; [] = an empty query
Policy = dict[str, Any]
Ranking = list[str]  # different documents, best first
Key = Callable[[int, Result], float]


class Refused(Exception):  # noqa: N818 - a verdict, not a mistake
    """The policy refuses to score this run; `field` names the rule."""

    def __init__(self, field: str) -> None:
        super().__init__(f"refused by {field}")
        self.field = field


@dataclass(frozen=True)
class QueryOutcome:
    """What one query scored; `ndcg` is None where the query is left out."""

    state: str  # scored, missing, empty, extra, left_out_{missing,empty,zero_idcg}
    ndcg: float | None
    dcg: float
    idcg: float
    zero_idcg: bool
    precision: float
    recall: float
    reciprocal_rank: float
    average_precision: float
    judged_at_k: float | None  # None where nothing was returned


@dataclass(frozen=True)
class Outcome:
    """What one run scored, with every count that travels with the averages."""

    queries: dict[str, QueryOutcome]
    ndcg: float | None
    macro_mean: float | None
    pooled_ratio: float | None
    queries_in_mean: int
    judged_queries: int
    zero_idcg: int
    no_positive: int
    missing: int
    empty: int
    extra: int
    left_out: dict[str, int]
    unjudged_in_top: float


@dataclass(frozen=True)
class RankedQuery:
    """One judged query of the scored run, ranked, before condensing and before the cutoff."""

    query: str
    returned: str  # "missing": not in the run; "empty": no document listed; "documents"
    grades: dict[str, int]  # the judgments that count under the policy
    groups: list[Ranking]  # tied documents together, best group first, each as listed
    orders: list[Ranking]  # every ranking to average over; just one unless ties="expected"


def single_precision(score: float) -> float:
    """The score rounded to IEEE single precision; past its range, infinite."""
    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return math.copysign(math.inf, score)


def sort_key(run: Run, policy: Policy) -> Key:
    """What orders the results, from a position in the list and its line; smaller is better."""
    lines = [line for results in run.values() for line in results]
    ranked = all(line.rank is not None for line in lines)
    scored = any(line.score is not None for line in lines)
    if policy["order"] == "rank_column" and not ranked:
        raise Refused("order")
    if policy["order"] == "score" and scored:
        if policy["score_precision"] == "float32":
            return lambda position, line: -single_precision(line.score or 0.0)
        return lambda position, line: -(line.score or 0.0)
    if policy["order"] != "as_listed" and ranked:
        return lambda position, line: line.rank or 0
    return lambda position, line: position


def tied_groups(query: str, results: list[Result], key: Key, policy: Policy) -> list[Ranking]:
    """The ranking as groups of tied documents, each document in the place of its best row."""
    rows = [(key(position, line), line.document) for position, line in enumerate(results)]
    rows.sort(key=lambda row: row[0])  # stable: equal keys stay as listed
    best: dict[str, float] = {}
    for value, document in rows:
        best.setdefault(document, value)
    if policy["self_matches"] == "remove":
        best.pop(query, None)
    return [list(group) for _, group in groupby(best, key=lambda document: best[document])]


def orders_of(groups: list[Ranking], policy: Policy) -> list[Ranking]:
    """Every ranking to average over: all orders inside the groups, or the one the rule picks."""
    if policy["ties"] == "expected":
        choices = product(*(permutations(group) for group in groups))
        return [list(chain.from_iterable(choice)) for choice in choices]
    if policy["ties"] == "as_listed":
        return [list(chain.from_iterable(groups))]
    descending = policy["ties"] in ("docid_descending", "refuse")
    by_bytes = (sorted(group, key=str.encode, reverse=descending) for group in groups)
    return [list(chain.from_iterable(by_bytes))]


def rank_query(query: str, judgments: Judgments, run: Run, key: Key, policy: Policy) -> RankedQuery:
    """Settles the order of one judged query; a missing query has an empty ranking."""
    grades, results = judgments[query], run.get(query, [])
    if policy["negative_grades"] == "as_unjudged":
        grades = {document: grade for document, grade in grades.items() if grade >= 0}
    returned = "documents" if results else "empty" if query in run else "missing"
    groups = tied_groups(query, results, key, policy)
    return RankedQuery(query, returned, grades, groups, orders_of(groups, policy))


def condensed(ranking: Ranking, grades: dict[str, int], policy: Policy) -> Ranking:
    """The final ranking: without the unjudged documents where the policy condenses."""
    if policy["unjudged"] == "condense":
        return [document for document in ranking if document in grades]
    return ranking


def top(ranking: list[Any], policy: Policy) -> list[Any]:
    """The first k of a ranking."""
    return ranking if policy["cutoff"] == "all" else ranking[: policy["cutoff"]]


def gain(grade: int | None, policy: Policy) -> float:
    """What a grade is worth; unjudged (None) gains 0."""
    if grade is None or (grade < 0 and policy["negative_grades"] == "zero"):
        return 0.0
    if policy["gain"] == "linear":
        return float(grade)
    if policy["gain"] == "exponential":
        return 2.0**grade - 1.0
    if policy["gain"] == "binary":
        return 1.0 if grade >= policy["relevance_level"] else 0.0
    return float(policy["gain"][grade])


def weight(rank: int, policy: Policy) -> float:
    """What one unit of gain counts at a rank."""
    if policy["discount"] == "original":
        return 1.0 if rank <= 2 else 1.0 / math.log2(rank)
    return 1.0 / math.log2(rank + 1)


def discounted_sum(gains: list[float], policy: Policy) -> float:
    """The sum of gains, best rank first, each times the weight of its rank."""
    return math.fsum(value * weight(rank, policy) for rank, value in enumerate(gains, 1))


def dcg(final: Ranking, grades: dict[str, int], policy: Policy) -> float:
    """Discounted cumulative gain of the top k of a final ranking."""
    return discounted_sum([gain(grades.get(doc), policy) for doc in top(final, policy)], policy)


def idcg(ranked: RankedQuery, runs: list[Run], index: int, policy: Policy) -> float:
    """Discounted cumulative gain of the best order of the documents in scope, to its depth."""
    in_scope = set(ranked.grades)
    if policy["ideal_scope"] != "judged":
        found_by = runs if policy["ideal_scope"] == "any_run" else [runs[index]]
        in_scope &= {line.document for run in found_by for line in run.get(ranked.query, [])}
        if policy["self_matches"] == "remove":
            in_scope -= {ranked.query}
    gains = sorted((gain(ranked.grades[document], policy) for document in in_scope), reverse=True)
    if policy["ideal_depth"] == "returned":
        gains = gains[: len(condensed(ranked.orders[0], ranked.grades, policy))]
    return discounted_sum(gains if policy["ideal_depth"] == "full" else top(gains, policy), policy)


def precision(final: Ranking, relevant: set[str], policy: Policy) -> float:
    """Relevant documents in the top k, over k; over the length where there is no cutoff."""
    places = len(final) if policy["cutoff"] == "all" else policy["cutoff"]
    return len(relevant & set(top(final, policy))) / places if places else 0.0


def recall(final: Ranking, relevant: set[str], policy: Policy) -> float:
    """Relevant documents in the top k, over all relevant ones; 0 where there is none."""
    return len(relevant & set(top(final, policy))) / len(relevant) if relevant else 0.0


def reciprocal_rank(final: Ranking, relevant: set[str]) -> float:
    """One over the rank of the first relevant document, however deep; 0 without one."""
    return next((1 / rank for rank, doc in enumerate(final, 1) if doc in relevant), 0.0)


def average_precision(final: Ranking, relevant: set[str]) -> float:
    """Sum of the precisions at the ranks of relevant documents, over all relevant ones."""
    precisions: list[float] = []
    for rank, document in enumerate(final, 1):
        if document in relevant:
            precisions.append((len(precisions) + 1) / rank)
    return math.fsum(precisions) / len(relevant) if relevant else 0.0


def unjudged_in_top(ranked: RankedQuery, policy: Policy) -> float:
    """Unjudged documents in the top k, before condensing, averaged over the orders."""
    tops = [top(order, policy) for order in ranked.orders]
    return fmean(sum(document not in ranked.grades for document in first) for first in tops)


def judged_at_k(ranked: RankedQuery, policy: Policy) -> float | None:
    """Share of the top k, before condensing, that is judged; None where nothing was returned."""
    retrieved = len(top(ranked.orders[0], policy))
    return (retrieved - unjudged_in_top(ranked, policy)) / retrieved if retrieved else None


def order_changes_dcg(ranked: RankedQuery, policy: Policy) -> bool:
    """Whether some order of a tied group changes the DCG.

    That is exactly where two of its documents differ in gain and two of its ranks in weight: if
    one of each pair meets, exchanging the two documents moves the sum.
    """
    groups = [condensed(group, ranked.grades, policy) for group in ranked.groups]
    ranks = list(range(1, sum(map(len, groups)) + 1))
    weights = [weight(rank, policy) for rank in top(ranks, policy)]
    weights += [0.0] * (len(ranks) - len(weights))
    for group in groups:
        gains = {gain(ranked.grades.get(document), policy) for document in group}
        if len(gains) > 1 and len(set(weights[: len(group)])) > 1:
            return True
        weights = weights[len(group) :]
    return False


def check_queries(judgments: Judgments, run: Run, policy: Policy) -> None:
    """Refuses what shows before anything is ranked."""
    if any(grade < 0 for grades in judgments.values() for grade in grades.values()):
        refuse("negative_grades", policy)
    if any(query not in judgments for query in run):
        refuse("extra_query", policy)
    for query in judgments:
        if query not in run:
            refuse("missing_query", policy)
        elif not run[query]:
            refuse("empty_query", policy)
        elif len({result.document for result in run[query]}) < len(run[query]):
            refuse("duplicates", policy)


def check_ranking(ranked: RankedQuery, policy: Policy) -> None:
    """Refuses unjudged documents and ties, once duplicates and self matches are settled."""
    if unjudged_in_top(ranked, policy) > 0:
        refuse("unjudged", policy)
    if policy["unjudged"] == "refuse_any" and not set(ranked.orders[0]) <= set(ranked.grades):
        raise Refused("unjudged")
    if order_changes_dcg(ranked, policy):
        refuse("ties", policy)


def refuse(field: str, policy: Policy) -> None:
    """Refuses where the policy says so for this field."""
    if policy[field] == "refuse":
        raise Refused(field)


def verdict(
    ranked: RankedQuery, dcg_value: float, idcg_value: float, policy: Policy
) -> tuple[str, float | None]:
    """The state of a query and its NDCG, None where it is left out."""
    nothing_gains = all(gain(grade, policy) <= 0 for grade in ranked.grades.values())
    if ranked.returned != "documents":
        if policy[f"{ranked.returned}_query"] == "leave_out":
            return f"left_out_{ranked.returned}", None
        if nothing_gains and policy["zero_idcg"] == "leave_out":
            return "left_out_zero_idcg", None
        return ranked.returned, 0.0
    if not condensed(ranked.orders[0], ranked.grades, policy) and not nothing_gains:
        return "scored", 0.0  # every document was removed
    if idcg_value > 0:
        return "scored", dcg_value / idcg_value
    if policy["zero_idcg"] == "leave_out":
        return "left_out_zero_idcg", None
    return "scored", 1.0 if policy["zero_idcg"] == "one" else 0.0


def rounded(ndcg: float) -> float:
    """Two decimals, a half upwards: what `Math.round(x * 100) / 100` gives elsewhere."""
    return math.floor(ndcg * 100 + 0.5) / 100


def score_query(ranked: RankedQuery, runs: list[Run], index: int, policy: Policy) -> QueryOutcome:
    """Everything about one judged query, each measure averaged over the orders."""
    grades = ranked.grades
    relevant = {doc for doc, grade in grades.items() if grade >= policy["relevance_level"]}
    finals = [condensed(order, grades, policy) for order in ranked.orders]
    dcg_value = fmean(dcg(final, grades, policy) for final in finals)
    idcg_value = idcg(ranked, runs, index, policy)
    state, ndcg = verdict(ranked, dcg_value, idcg_value, policy)
    if ndcg is not None and policy["rounding"] == "two_decimals":
        ndcg = rounded(ndcg)
    return QueryOutcome(
        state=state,
        ndcg=ndcg,
        dcg=dcg_value,
        idcg=idcg_value,
        zero_idcg=idcg_value <= 0,
        precision=fmean(precision(final, relevant, policy) for final in finals),
        recall=fmean(recall(final, relevant, policy) for final in finals),
        reciprocal_rank=fmean(reciprocal_rank(final, relevant) for final in finals),
        average_precision=fmean(average_precision(final, relevant) for final in finals),
        judged_at_k=judged_at_k(ranked, policy),
    )


EXTRA = QueryOutcome("extra", 0.0, 0.0, 0.0, False, 0.0, 0.0, 0.0, 0.0, None)


def evaluate(
    judgments: Judgments, runs: list[Run], index: int, policy: dict[str, object]
) -> Outcome:
    """Scores `runs[index]` under the policy; the other runs only widen the scope any_run."""
    run = runs[index]
    check_queries(judgments, run, policy)
    key = sort_key(run, policy)
    ranked = [rank_query(query, judgments, run, key, policy) for query in judgments]
    for one in ranked:
        check_ranking(one, policy)

    judged = {one.query: score_query(one, runs, index, policy) for one in ranked}
    extra = [query for query in run if query not in judgments]
    queries = dict(judged)
    if policy["extra_query"] == "zero":
        queries |= dict.fromkeys(extra, EXTRA)

    in_mean = [outcome.ndcg for outcome in queries.values() if outcome.ndcg is not None]
    macro_mean = fmean(in_mean) if in_mean else None
    kept = [outcome for outcome in judged.values() if outcome.ndcg is not None]
    dcg_sum = math.fsum(outcome.dcg for outcome in kept)
    idcg_sum = math.fsum(outcome.idcg for outcome in kept)
    pooled_ratio = dcg_sum / idcg_sum if idcg_sum > 0 else None
    states = [outcome.state for outcome in judged.values()]
    return Outcome(
        queries=queries,
        ndcg=macro_mean if policy["average"] == "macro" else pooled_ratio,
        macro_mean=macro_mean,
        pooled_ratio=pooled_ratio,
        queries_in_mean=len(in_mean),
        judged_queries=len(judgments),
        zero_idcg=sum(outcome.zero_idcg for outcome in judged.values()),
        no_positive=sum(all(grade <= 0 for grade in g.values()) for g in judgments.values()),
        missing=sum(one.returned == "missing" for one in ranked),
        empty=sum(one.returned == "empty" for one in ranked),
        extra=len(extra),
        left_out={
            "missing_query": states.count("left_out_missing"),
            "empty_query": states.count("left_out_empty"),
            "zero_idcg": states.count("left_out_zero_idcg"),
        },
        unjudged_in_top=math.fsum(unjudged_in_top(one, policy) for one in ranked),
    )
