"""Checks the options that refuse, before anything is scored."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.coverage import unjudged_at_k
from core.errors import PolicyRefusal, counted, listed, shortened
from core.grades import GradedRun, one_query
from core.judgments import Judgments
from core.ndcg import Float, discounts
from core.policy import Policy
from core.ranking import Ranking, ranking


class _Words(NamedTuple):
    """How a refusal speaks: what it found, one and many, in full and for a table cell."""

    one: str
    many: str
    short: tuple[str, str]
    remedy: str


_WORDS = {
    "negative_grades": _Words(
        "negative grade",
        "negative grades",
        ("negative grade", "negative grades"),
        "Give them gain 0, or take them as unjudged.",
    ),
    "duplicates": _Words(
        "repeated document",
        "repeated documents",
        ("repeated", "repeated"),
        "Keep the first of each, or correct the run.",
    ),
    "missing_query": _Words(
        "judged query without results",
        "judged queries without results",
        ("missing", "missing"),
        "Count them as 0, or leave them out.",
    ),
    "empty_query": _Words(
        "empty ranking",
        "empty rankings",
        ("empty", "empty"),
        "Count them as 0, or leave them out.",
    ),
    "extra_query": _Words(
        "query without judgments",
        "queries without judgments",
        ("extra", "extra"),
        "Ignore them, or count them as 0.",
    ),
    "unjudged": _Words(
        "unjudged document",
        "unjudged documents",
        ("unjudged", "unjudged"),
        "Count unjudged documents as gain 0, or condense the list, or judge them.",
    ),
    "ties": _Words(
        "tie whose order changes a DCG",
        "ties whose order changes a DCG",
        ("tie", "ties"),
        "Choose an order for ties, or the mean over all orders.",
    ),
}


def refuse_facts(graded: GradedRun, policy: Policy) -> None:
    """Raise where the policy refuses what the files hold, whatever the ranking.

    Raises
    ------
    PolicyRefusal
        Negative grades, repeated documents, or missing, empty or extra queries.
    """
    by_query: dict[str, Callable[[], NDArray[np.int64]]] = {
        "negative_grades": lambda: _negative_grades(graded.judgments),
        "duplicates": lambda: graded.repeated,
        "missing_query": lambda: graded.missing.astype(np.int64),
        "empty_query": lambda: graded.empty.astype(np.int64),
    }
    for field, counted_by_query in by_query.items():
        if getattr(policy, field) == "refuse" and (counts := counted_by_query()).any():
            raise _refusal(graded, policy, field, *_where(graded, counts, field))
    if policy.extra_query == "refuse" and graded.extra:
        found = f": {listed(graded.extra)}"
        raise _refusal(graded, policy, "extra_query", len(graded.extra), found)


def refuse_unjudged(graded: GradedRun, ranked: Ranking, policy: Policy) -> None:
    """Raise where the policy refuses unjudged documents and the ranking has one.

    Parameters
    ----------
    graded : GradedRun
    ranked : Ranking
        Not condensed.
    policy : Policy

    Raises
    ------
    PolicyRefusal
        With the first query concerned, and an unjudged document of it.
    """
    if policy.unjudged not in ("refuse", "refuse_any"):
        return
    cutoff = policy.cutoff if policy.unjudged == "refuse" else "all"
    unjudged = unjudged_at_k(ranked, cutoff=cutoff)
    if not unjudged.any():
        return
    query = int(np.flatnonzero(unjudged)[0])
    place = "anywhere in the ranking" if cutoff == "all" else f"in the top {cutoff}"
    count = int(np.ceil(unjudged.sum()))
    document = first_unjudged(graded, query, policy)
    query_id = graded.judgments.query_ids[query]
    found = (
        f" {place} of {counted(int((unjudged > 0).sum()), 'query', 'queries')}, first query "
        f"'{shortened(query_id)}' with document '{shortened(document)}'"
    )
    raise _refusal(graded, policy, "unjudged", count, found)


def refuse_ties(graded: GradedRun, final: Ranking, gain: Float, policy: Policy) -> None:
    """Raise where another order of tied documents would give another DCG.

    Parameters
    ----------
    graded : GradedRun
    final : Ranking
        With ties left open, condensed if the policy condenses.
    gain : ndarray of float, shape (ranked,)
        Gain of each ranked hit.
    policy : Policy

    Raises
    ------
    PolicyRefusal
    """
    tied = np.flatnonzero(final.size > 1)
    if policy.ties != "refuse" or not len(tied):
        return
    matters = _order_matters(final, tied, gain, policy)
    if not len(matters):
        return
    counts = np.bincount(matters, minlength=len(final.length))
    raise _refusal(graded, policy, "ties", *_where(graded, counts, "ties"))


def first_unjudged(graded: GradedRun, query: int, policy: Policy) -> str:
    """Return the best-ranked unjudged document of a query, for a message."""
    alone = one_query(graded, query)
    ranked = ranking(alone.graded, policy)
    return alone.documents[int(ranked.hit[~ranked.judged][0])]


def _negative_grades(judgments: Judgments) -> NDArray[np.int64]:
    """Judgments with a negative grade, shape (queries,)."""
    negative = judgments.query[judgments.grades < 0]
    return np.bincount(negative, minlength=len(judgments.query_ids))


def _order_matters(
    final: Ranking, tied: NDArray[np.int64], gain: Float, policy: Policy
) -> NDArray[np.int64]:
    """Query of each tie in which both the weights of the ranks and the gains differ."""
    query, above, size = final.query[tied], final.above[tied], final.size[tied]
    weights = discounts(int((above + size).max()), discount=policy.discount, cutoff=policy.cutoff)
    begins = np.ones(len(tied), dtype=bool)
    begins[1:] = (query[1:] != query[:-1]) | (above[1:] != above[:-1])
    start = np.flatnonzero(begins)
    hits = np.diff(np.append(start, len(tied)))
    highest = np.maximum.reduceat(gain[tied], start)
    lowest = np.minimum.reduceat(gain[tied], start)
    # Members of the tie that are no hit are unjudged and gain 0.
    others = hits < size[start]
    highest = np.where(others, np.maximum(highest, 0.0), highest)
    lowest = np.where(others, np.minimum(lowest, 0.0), lowest)
    weights_differ = weights[above[start]] != weights[above[start] + size[start] - 1]
    return query[start][weights_differ & (highest != lowest)]


def _where(graded: GradedRun, counts: NDArray[np.int64], field: str) -> tuple[int, str]:
    """Add up counts by query, and name the queries."""
    queries = [graded.judgments.query_ids[at] for at in np.flatnonzero(counts).tolist()]
    if field in ("missing_query", "empty_query"):
        return int(counts.sum()), f": {listed(queries)}"
    noun = "query" if len(queries) == 1 else "queries"
    return int(counts.sum()), f" in {noun} {listed(queries)}"


def _refusal(
    graded: GradedRun, policy: Policy, field: str, count: int, found: str
) -> PolicyRefusal:
    """Build a refusal; `found` goes on after what was counted."""
    words = _WORDS[field]
    return PolicyRefusal(
        graded.run.source,
        where=graded.judgments.source if field == "negative_grades" else None,
        field=field,
        option=getattr(policy, field),
        count=count,
        summary=counted(count, *words.short),
        found=f"{counted(count, words.one, words.many)}{found}",
        remedy=words.remedy,
    )
