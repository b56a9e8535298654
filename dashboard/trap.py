"""The trap in four steps on the sample runs: what each step says, from the scores under its rules.

One system and one query tell it: a re-ranker of a poor candidate list, whose own list is in the
best order that it can have.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations

from core.explanation import Explanation
from core.policy import Policy
from core.presets import FIRST_RUN
from core.scores import Aggregate, QueryScores
from core.sensitivity import Switch, SwitchEffect, ranks
from core.walk import differing_fields
from dashboard.markup import bold, escaped, excerpt, name, number, phrase
from dashboard.wording import say, switch_label

SYSTEM, QUERY = "rerank", "q10"
SHARED = replace(FIRST_RUN, unjudged="zero")
"""The rules at first: every run is divided by the ideal of the judgments."""

OWN = replace(SHARED, ideal_scope="this_run")
"""Each run is divided by the ideal of what it returned itself."""


@dataclass(frozen=True, eq=False)
class Averages:
    """Aggregates of all systems under one policy, by name.

    Parameters
    ----------
    by_name : mapping
    """

    by_name: Mapping[str, Aggregate]

    @property
    def told(self) -> Aggregate:
        """The system that the story is about."""
        return self.by_name[SYSTEM]

    @property
    def leader(self) -> str:
        """The best system."""
        return max(self.by_name, key=lambda name: self.by_name[name].ndcg or 0.0)

    @property
    def rank(self) -> int:
        """Rank of the system that the story is about."""
        placed = ranks([one.ndcg for one in self.by_name.values()])
        return placed[list(self.by_name).index(SYSTEM)] or 0


def switch(start: Policy, end: Policy) -> Switch:
    """The one rule in which two policies differ."""
    (field,) = differing_fields(start, end)
    return Switch(field, getattr(end, field), end)


def rules_label(policy: Policy) -> str:
    """In what a policy differs from the rules at first."""
    fields = differing_fields(SHARED, policy)
    return "; ".join(switch_label(field, getattr(policy, field)) for field in fields)


def moral(shared: Explanation, own: Explanation) -> str:
    """The first sentence of the page: one ranking, two numbers."""
    return phrase(
        "trap.moral",
        low=bold(number(shared.ndcg)),
        high=bold(number(own.ndcg)),
        measure=escaped(shared.policy.short_measure),
    )


def one_query(shared: Explanation, own: Explanation, text: str) -> str:
    """One ranking, divided by two ideals."""
    found = len(shared.gainful) - len(shared.missed)
    place = say("top.k", k=shared.policy.cutoff)
    return _line(
        "trap.query",
        text=bold(escaped(excerpt(text))),
        query=escaped(shared.query_id),
        place=place,
        found=bold(f"{found}"),
        gainful=f"{len(shared.gainful)}",
        dcg=number(shared.dcg),
        idcg=number(shared.idcg),
        ndcg=bold(number(shared.ndcg)),
        own_idcg=number(own.idcg),
        own_ndcg=bold(number(own.ndcg)),
    )


def overtaking(shared: Averages, own: Averages, effect: SwitchEffect) -> str:
    """All queries: who is passed although no ranking changed."""
    return _line(
        "trap.overtake",
        queries=f"{shared.told.judged_queries}",
        before=bold(number(shared.told.ndcg)),
        after=bold(number(own.told.ndcg)),
        passed=_passed(list(own.by_name), effect),
    )


def left_out(shared: Averages, own: Averages, before: Averages) -> str:
    """Queries whose IDCG is 0 leave the mean: of a shared ideal, and of each system's own.

    Parameters
    ----------
    shared, own : Averages
        With queries left out.
    before : Averages
        Own ideals, with these queries counted as 0.
    """
    return _line(
        "trap.left_out",
        zero=bold(f"{own.told.zero_idcg}"),
        before=bold(number(before.told.ndcg)),
        left=f"{own.told.queries_in_mean}",
        after=bold(number(own.told.ndcg)),
        leader=_who(own.leader),
        shared_zero=f"{shared.told.zero_idcg}",
        shared_after=bold(number(shared.told.ndcg)),
        rank=f"{shared.rank}",
        systems=f"{len(shared.by_name)}",
    )


def pooled(shared: Averages, own: Averages, effect: SwitchEffect, weights: QueryScores) -> str:
    """The mean of ratios against the ratio of sums.

    Parameters
    ----------
    shared, own : Averages
        Pooled.
    effect : SwitchEffect
        What pooling does under the shared ideal.
    weights : QueryScores
        Of any system under the shared ideal.
    """
    weighing = weights.idcg[~weights.zero_idcg]
    return _line(
        "trap.pooled",
        times=f"{weighing.max() / weighing.min():.1f}",
        passed=_overtakings(list(shared.by_name), effect),
        shared=bold(number(shared.told.ndcg)),
        own=bold(number(own.told.ndcg)),
        zero=f"{own.told.zero_idcg}",
        leader=_who(own.leader),
    )


def _line(key: str, **pieces: str) -> str:
    """A sentence in which the system has its colour."""
    return f'<div class="rd-told">{phrase(key, system=name(SYSTEM, "first"), **pieces)}</div>'


def _who(system: str) -> str:
    return name(system, "first" if system == SYSTEM else "")


def _passed(names: list[str], effect: SwitchEffect) -> str:
    """Whom the system of the story passes."""
    passed = [behind for ahead, behind in _swaps(names, effect) if ahead == SYSTEM]
    return ", ".join(map(name, passed)) or phrase("trap.nobody")


def _overtakings(names: list[str], effect: SwitchEffect) -> str:
    """Who passes whom."""
    swaps = [
        phrase("trap.passes", ahead=_who(ahead), behind=_who(behind))
        for ahead, behind in _swaps(names, effect)
    ]
    return "; ".join(swaps) or phrase("trap.same_order")


def _swaps(names: list[str], effect: SwitchEffect) -> list[tuple[str, str]]:
    """Pairs that change places: who passes, and who is passed."""
    moves = zip(names, effect.ranks_before, effect.ranks, strict=True)
    placed = [(one, before, after) for one, before, after in moves if before and after]
    return [
        (ahead[0], behind[0])
        for ahead, behind in permutations(placed, 2)
        if ahead[1] > behind[1] and ahead[2] < behind[2]
    ]


def captions(*effects: SwitchEffect) -> dict[str, SwitchEffect]:
    """Switches by what they start from and what they change."""
    found = {}
    for effect in effects:
        one = effect.switch
        label = switch_label(one.field, one.option)
        if one.field != "ideal_scope":
            ideal = switch_label("ideal_scope", one.policy.ideal_scope)
            label = say("trap.caption", switch=label, ideal=ideal)
        found[label] = effect
    return found
