"""Checks the options that refuse, before anything is scored."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.contributions import DCG_FIELDS, GAIN_FIELDS, hit_gains, judgment_gains
from core.coverage import unjudged_at_k
from core.errors import PolicyRefusal, counted, listed, shortened
from core.grades import GradedRun, one_query
from core.judgments import Judgments
from core.memo import shown
from core.ndcg import Float, discounts
from core.policy import Policy
from core.ranking import RANKING_FIELDS, Ranking, final_ranking, ranking


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


Refusal: TypeAlias = Callable[[], PolicyRefusal]
"""Writes out what was found and where, which takes longer than to find it."""


@dataclass(frozen=True)
class Check:
    """Something that a policy can refuse.

    Parameters
    ----------
    find : callable
        Takes a graded run and a policy; returns a `Refusal`, or None where nothing is refused. It
        may raise an EvaluationError as well.
    fields : tuple of str
        Every field of the policy that it looks at; it is shown no other.
    """

    find: Callable[[GradedRun, Policy], Refusal | None]
    fields: tuple[str, ...]

    def __call__(self, graded: GradedRun, policy: Policy) -> Refusal | None:
        """Look at the run under the policy."""
        return self.find(graded, shown(policy, self.fields))


def refuse(graded: GradedRun, policy: Policy) -> None:
    """Raise what the policy refuses first.

    Raises
    ------
    PolicyRefusal
        With everything of one kind that is refused.
    PolicyError
        The gain cannot be computed for a grade.
    """
    for check in CHECKS:
        if refusal := check(graded, policy):
            raise refusal()


def _facts(graded: GradedRun, policy: Policy) -> Refusal | None:
    """Refuse what the files hold, whatever the ranking."""
    by_query: dict[str, Callable[[], NDArray[np.int64]]] = {
        "negative_grades": lambda: _negative_grades(graded.judgments),
        "duplicates": lambda: graded.repeated,
        "missing_query": lambda: graded.missing.astype(np.int64),
        "empty_query": lambda: graded.empty.astype(np.int64),
    }
    for field, counted_by_query in by_query.items():
        if getattr(policy, field) == "refuse" and (counts := counted_by_query()).any():
            return partial(_refusal_by_query, graded, policy, field, counts)
    if policy.extra_query == "refuse" and graded.extra:
        return lambda: _refusal(
            graded, policy, "extra_query", len(graded.extra), f": {listed(graded.extra)}"
        )
    return None


def _gains(graded: GradedRun, policy: Policy) -> None:
    """Raise PolicyError where the gain cannot be computed for a grade."""
    judgment_gains(graded.judgments, policy)


def _unjudged(graded: GradedRun, policy: Policy) -> Refusal | None:
    """Refuse a ranking that cannot be had, and unjudged documents in it."""
    ranked = ranking(graded, policy)
    if policy.unjudged not in ("refuse", "refuse_any"):
        return None
    cutoff = policy.cutoff if policy.unjudged == "refuse" else "all"
    unjudged = unjudged_at_k(ranked, cutoff=cutoff)
    return partial(_unjudged_refusal, graded, policy, unjudged) if unjudged.any() else None


def _unjudged_refusal(graded: GradedRun, policy: Policy, unjudged: Float) -> PolicyRefusal:
    """Name the first query concerned, and an unjudged document of it."""
    everywhere = policy.unjudged == "refuse_any" or policy.cutoff == "all"
    place = "anywhere in the ranking" if everywhere else f"in the top {policy.cutoff}"
    query = int(np.flatnonzero(unjudged)[0])
    document = _first_unjudged(graded, query, policy)
    query_id = graded.judgments.query_ids[query]
    found = (
        f" {place} of {counted(int((unjudged > 0).sum()), 'query', 'queries')}, first query "
        f"'{shortened(query_id)}' with document '{shortened(document)}'"
    )
    return _refusal(graded, policy, "unjudged", int(np.ceil(unjudged.sum())), found)


def _ties(graded: GradedRun, policy: Policy) -> Refusal | None:
    """Refuse ties in which another order of the documents would give another DCG."""
    if policy.ties != "refuse":
        return None
    final = final_ranking(graded, policy)
    tied = np.flatnonzero(final.size > 1)
    if not len(tied):
        return None
    gain = hit_gains(graded, final, judgment_gains(graded.judgments, policy))
    matters = _order_matters(final, tied, gain, policy)
    if not len(matters):
        return None
    counts = np.bincount(matters, minlength=len(final.length))
    return partial(_refusal_by_query, graded, policy, "ties", counts)


CHECKS = (
    Check(_facts, ("negative_grades", "duplicates", "missing_query", "empty_query", "extra_query")),
    Check(_gains, (*GAIN_FIELDS, "negative_grades")),
    Check(_unjudged, (*RANKING_FIELDS, "unjudged", "cutoff")),
    Check(_ties, DCG_FIELDS),
)
"""All that a policy can refuse. A check may count on those before it having passed."""


def _first_unjudged(graded: GradedRun, query: int, policy: Policy) -> str:
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


def _refusal_by_query(
    graded: GradedRun, policy: Policy, field: str, counts: NDArray[np.int64]
) -> PolicyRefusal:
    return _refusal(graded, policy, field, *_where(graded, counts, field))


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
