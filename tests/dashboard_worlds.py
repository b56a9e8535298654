"""Small runs and scores for the tests of the dashboard, and what shows that names stay names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from parsed_html import events

from core.comparison import Comparison
from core.errors import EvaluationError, shortened
from core.formats.texts import Text
from core.grades import GradedRun, join
from core.intervals import Interval
from core.judgments import Judgments
from core.policy import Policy
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import Aggregate, QueryScores, aggregate, score, score_all
from core.sensitivity import Switch, SwitchEffect, switch_effects
from dashboard import pages
from dashboard.files import Files
from dashboard.inputs import Selection
from dashboard.leaderboard import Standing
from dashboard.loading import Workspace
from dashboard.pairing import Pair

MINUS = "−"
PLAIN = "PLAIN"
K2 = replace(FIRST_RUN, cutoff=2)
TWO_QUERIES = {"q1": {"a": 1}, "q2": {"a": 1}}

_TAGS = {"b", "br", "div", "em", "h2", "i", "li", "ol", "s", "small", "span", "u"}
_TAGS |= {"details", "summary", "figure", "figcaption"}
_TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}
_ATTRIBUTES = {"aria-label", "class", "colspan", "role", "style", "tabindex", "title"}


# Runs and scores


def graded(
    judged: dict[str, dict[str, int]], **runs: Mapping[str, Mapping[str, float] | Sequence[str]]
) -> list[GradedRun]:
    judgments = Judgments.from_dict(judged)
    return [join(Run.from_dict(name, results), judgments) for name, results in runs.items()]


def valued(name: str, ndcg: Sequence[float], *, idcg: float = 1.0) -> QueryScores:
    """Scores with these values, whatever the ranking. NaN: left out."""
    queries = [f"q{at}" for at in range(len(ndcg))]
    judged = {query: {"a": 1} for query in queries}
    (one,) = graded(judged, **{name: {query: ["a"] for query in queries}})
    values = np.array(ndcg, dtype=np.float64)
    plain = score(one, FIRST_RUN)
    return replace(plain, ndcg=values, dcg=values * idcg, idcg=np.full(len(values), idcg))


def best_first(scores: Iterable[QueryScores]) -> list[Aggregate]:
    return sorted(map(aggregate, scores), key=lambda one: (one.ndcg is None, -(one.ndcg or 0)))


def comparison(
    difference: float | None, low: float | None = None, high: float | None = None, **more: Any
) -> Comparison:
    """New against old on nine queries; without two ends there is no interval."""
    interval = None if low is None or high is None else Interval(low, high)
    plain = Comparison("new", "old", difference, interval, 9, 4, 3, 2, 0, 0)
    return replace(plain, **more)


def effect(
    before: Sequence[int | None],
    after: Sequence[int | None],
    /,
    switch: tuple[str, object] = ("gain", "exponential"),
    **more: Any,
) -> SwitchEffect:
    """A switch that takes the systems from some ranks to others; nothing is known of pairs."""
    plain = SwitchEffect(
        switch=Switch(*switch, FIRST_RUN),
        values=tuple(None if rank is None else 1 / rank for rank in after),
        changes=(0.1,) * len(after),
        ranks=tuple(after),
        ranks_before=tuple(before),
        refusals=(None,) * len(after),
        before={},
        after={},
    )
    return replace(plain, **more)


def standing(
    runs: Iterable[GradedRun],
    policy: Policy,
    *,
    chosen: bool = True,
    pair: tuple[str, str | None] | None = None,
) -> Standing:
    """What the overview shows of some runs; `chosen` says whether a rule for unjudged documents is.

    Without a pair the first two runs are compared, the second being the baseline.
    """
    runs = tuple(runs)
    names = [one.run.name for one in runs]
    compared = Pair(*pair) if pair else Pair(names[0], names[1] if len(names) > 1 else None)
    workspace = Workspace(Files("uploaded", (), ()), runs[0].judgments, runs, (), ())
    scored = pages.Scored(workspace, Selection(policy, chosen), score_all(runs, policy))
    vars(scored)["pair"] = compared  # The app takes it from the state of its widgets.
    return pages.standing(scored)


# One name everywhere


@dataclass(frozen=True)
class World:
    """Two runs in which nearly everything has one and the same name."""

    name: str
    runs: tuple[GradedRun, ...]
    scores: dict[str, QueryScores]
    aggregates: tuple[Aggregate, ...]
    effects: tuple[SwitchEffect, ...]

    @property
    def mine(self) -> QueryScores:
        return self.scores[self.name]

    @property
    def rival(self) -> QueryScores:
        return self.scores["rival"]

    @property
    def pair(self) -> Pair:
        return Pair(self.name, "rival")

    @property
    def turned(self) -> Pair:
        return Pair("rival", self.name)

    @property
    def fingerprint(self) -> str:
        return self.runs[0].judgments.fingerprint

    @property
    def texts(self) -> dict[str, Text]:
        return {self.name: Text(text=self.name, title=self.name)}


@cache
def world(name: str) -> World:
    """The run of that name misses nothing; its rival misses the query of that name."""
    judgments = Judgments.from_dict({name: {name: 2, "b": 1}, "q2": {"c": 1}}, source=name)
    mine = Run.from_dict(name, {name: ["x", name], "q2": ["c"]}, source=name)
    rival = Run.from_dict("rival", {"q2": ["c"]}, source=name)
    runs = tuple(join(run, judgments) for run in (mine, rival))
    scores = [score(one, FIRST_RUN, runs=runs) for one in runs]
    return World(
        name=name,
        runs=runs,
        scores={one.name: one for one in scores},
        aggregates=tuple(aggregate(one) for one in scores),
        effects=switch_effects(runs, FIRST_RUN),
    )


Builders = Mapping[str, Callable[[World], str]]


def assert_names_stay_names(
    builders: Builders, name: str, shortening: Mapping[str, int] | None = None
) -> None:
    """A browser reads with this name what it reads with a plain one, but for the name itself.

    A builder that shortens names does so to the length that `shortening` has for it.
    """
    plain, nasty = world(PLAIN), world(name)
    for builder, build in builders.items():
        written = shortened(name, (shortening or {}).get(builder, len(name)))
        found, before = events(build(nasty)), events(build(plain))
        assert_harmless(found)
        expected = [tuple(_renamed(part, written, plain, nasty) for part in one) for one in before]
        assert found == expected, builder
        # Without this a builder could pass that never sees the name.
        assert any(PLAIN in part for one in before for part in one), builder


def assert_harmless(found: Sequence[tuple[str, ...]]) -> None:
    """Only elements and attributes that the app itself writes, and no comments."""
    assert {event[0] for event in found} <= {"open", "close", "text", "attribute"}
    assert {event[1] for event in found if event[0] in ("open", "close")} <= _TAGS
    assert {event[1] for event in found if event[0] == "attribute"} <= _ATTRIBUTES


def _renamed(text: str, name: str, plain: World, nasty: World) -> str:
    """Put one name in the place of the other; the fingerprints differ with the names."""
    before, after = plain.fingerprint, nasty.fingerprint
    return text.replace(PLAIN, name).replace(before, after).replace(before[:12], after[:12])


def refusal(summary: str = "1 unjudged") -> EvaluationError:
    error = EvaluationError(f"whole message: {summary}")
    error.summary = summary  # type: ignore[attr-defined]
    return error


# What a browser reads


def hints_of(html: str) -> list[str]:
    return attributes_of(html, "title")


def attributes_of(html: str, name: str) -> list[str]:
    return [event[2] for event in events(html) if event[:2] == ("attribute", name)]


def texts_in(html: str, tag: str) -> list[str]:
    """The text right behind each opening tag of a kind, as far as there is one."""
    found: list[str] = []
    inside = False
    for event in events(html):
        if event == ("open", tag):
            inside = True
        elif event[0] == "text" and inside:
            found.append(event[1])
        if event[0] in ("text", "close"):
            inside = False
    return found


def names_and_roles(html: str) -> list[tuple[str, str]]:
    """Every name that stands in a colour of its own, with its role; "" where it has none."""
    found = events(html)
    return [
        (found[at + 2][1], event[2].removeprefix("rd-name").removeprefix(" rd-"))
        for at, event in enumerate(found)
        if event[:2] == ("attribute", "class") and event[2].startswith("rd-name")
    ]
