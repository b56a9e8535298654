"""One row a system: the headline, its interval, the difference to the baseline, the counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.comparison import Comparison, compare
from core.errors import EvaluationError
from core.intervals import Interval, headline_interval
from core.per_query import histogram
from core.policy import Policy
from core.scores import Aggregate, QueryScores
from core.sensitivity import ranks
from dashboard import markup, sentences
from dashboard.markup import cell, escaped, heading, number, row, signed
from dashboard.pairing import Pair
from dashboard.wording import number_of, option_label, say

_BINS = 20


@dataclass(frozen=True)
class Standing:
    """What the leaderboard shows.

    Parameters
    ----------
    policy : Policy
    aggregates : sequence of Aggregate
        Best first.
    scores : mapping
        Scores by name of the system.
    refused : mapping
        Why the policy refuses a system, by its name.
    pair : Pair
        The compared systems. Differences are to the second, or else to the first.
    rules : mapping
        While no rule for unjudged documents is chosen: what others would give, by rule and then by
        name of the system.
    """

    policy: Policy
    aggregates: Sequence[Aggregate]
    scores: Mapping[str, QueryScores]
    refused: Mapping[str, EvaluationError]
    pair: Pair
    rules: Mapping[str, Mapping[str, float | EvaluationError | None]]

    @property
    def baseline(self) -> str:
        """The system that differences are taken to."""
        return self.pair.second or self.pair.first


def leaderboard(standing: Standing) -> str:
    """One row a system, best first; refused systems below, with the reason."""
    label = say("leaderboard.label")
    if not standing.aggregates:
        head = [heading(_say("system"), "rd-left"), heading(_say("refused"), "rd-left")]
        rows = [refused_row(name, error) for name, error in standing.refused.items()]
        return markup.table(head, rows, label=label)
    intervals = {name: headline_interval(scores) for name, scores in standing.scores.items()}
    axis = _Axis.around(standing.aggregates, intervals)
    head = _head(standing, axis)
    places = ranks([one.ndcg for one in standing.aggregates])
    rows = [
        _system_row(standing, one, place, axis, intervals[one.name])
        for one, place in zip(standing.aggregates, places, strict=True)
    ]
    rows += [
        refused_row(name, error, before=1, span=len(head) - 2)
        for name, error in standing.refused.items()
    ]
    return markup.table(head, rows, label=label, dense=True)


def _head(standing: Standing, axis: "_Axis") -> list[str]:
    policy = standing.policy
    k = at_k(policy)
    rules = [
        heading(escaped(say("leaderboard.if", rule=option_label("unjudged", rule))), "rd-narrow")
        for rule in standing.rules
    ]
    return [
        heading(""),
        heading(_say("system"), "rd-left"),
        heading(escaped(policy.short_measure), hint=policy.measure),
        *rules,
        heading(axis.labels, "rd-axis-cell", hint=say("leaderboard.interval_hint")),
        heading(
            f"{_say('difference')} {markup.name(standing.baseline, _role(standing))}",
            hint=say("leaderboard.difference_hint"),
        ),
        heading(_say("record"), hint=say("leaderboard.record_hint")),
        heading(_say("per_query"), "rd-left", hint=say("leaderboard.per_query_hint", bins=_BINS)),
        heading(f"{_say('judged')}{k}", "rd-left", hint=say("leaderboard.judged_hint")),
        heading(
            _say("unjudged"),
            hint=say("leaderboard.unjudged_hint", place=sentences.top(policy)),
        ),
        heading(_say("zero_idcg"), hint=say("leaderboard.zero_idcg_hint")),
        heading(_say("missing"), hint=say("leaderboard.missing_hint")),
    ]


def _system_row(
    standing: Standing,
    one: Aggregate,
    place: int | None,
    axis: "_Axis",
    interval: Interval | None,
) -> str:
    scores, role = standing.scores[one.name], standing.pair.role(one.name)
    return row(
        [
            cell("" if place is None else str(place), "rd-mute"),
            cell(markup.name(one.name, role), "rd-left"),
            cell(number(one.ndcg), "rd-main", hint=one.no_value or ""),
            *(_rule_cell(values[one.name]) for values in standing.rules.values()),
            cell(axis.dot(one.ndcg, interval, role), "rd-axis-cell", hint=_ends(interval)),
            *_against(standing, scores),
            cell(markup.bins(histogram(scores, _BINS), role), "rd-left"),
            cell(markup.share(one.judged_at_k), "rd-left"),
            cell(number_of(one.unjudged_in_top)),
            cell(f"{one.zero_idcg:,}"),
            cell(f"{one.missing:,}"),
        ]
    )


def _against(standing: Standing, scores: QueryScores) -> list[str]:
    """The difference to the baseline with its interval, and on how many queries who is better."""
    if scores.name == standing.baseline:
        return [cell(_say("baseline"), "rd-mute"), cell("")]
    baseline = standing.scores.get(standing.baseline)
    if baseline is None:
        return [cell(_say("baseline_refused"), "rd-mute"), cell("")]
    against = compare(scores, baseline)
    counts = f"{against.wins:,} / {against.ties:,} / {against.losses:,}"
    return [cell(_difference(against)), cell(counts, "rd-mute")]


def _difference(against: Comparison) -> str:
    """The difference; heavy where its interval leaves out 0, with the queries if they differ."""
    value = signed(against.difference)
    value = markup.bold(value) if against.separates else value
    ends = f' <span class="rd-ends">{markup.bounds(against.interval)}</span>'
    if against.only_system or against.only_baseline:
        ends += f" <small>{escaped(say('leaderboard.on', queries=f'{against.queries:,}'))}</small>"
    return value + ends


def _rule_cell(value: float | EvaluationError | None) -> str:
    if isinstance(value, EvaluationError):
        return cell(_say("refuses"), "rd-mute", hint=str(value))
    return cell(number(value))


def refused_row(name: str, error: EvaluationError, *, before: int = 0, span: int = 1) -> str:
    """A system that the policy refuses, with the reason."""
    cells = [cell("")] * before
    reason = escaped(say("refusal.reason", reason=_summary(error)))
    return row(
        [
            *cells,
            cell(markup.name(name), "rd-left"),
            cell(reason, "rd-left", "rd-mute", hint=str(error), span=span),
        ]
    )


def refusal_cell(error: EvaluationError) -> str:
    """A refusal in a narrow cell."""
    reason = f"{_say('refuses')} <small>{escaped(_summary(error))}</small>"
    return cell(reason, "rd-mute", "rd-few", hint=str(error))


def _summary(error: EvaluationError) -> str:
    return getattr(error, "summary", say("refusal.no_summary"))


def other_measures(aggregates: Sequence[Aggregate], policy: Policy, pair: Pair) -> str:
    """The secondary measures, on the same ranking and rules."""
    k = at_k(policy)
    head = [
        heading(_say("system"), "rd-left"),
        heading(_say("macro_mean"), hint=say("leaderboard.macro_mean_hint")),
        heading(_say("pooled_ratio"), hint=say("leaderboard.pooled_ratio_hint")),
        heading(f"{_say('precision')}{k}"),
        heading(f"{_say('recall')}{k}"),
        heading(_say("reciprocal_rank"), hint=say("leaderboard.uncut")),
        heading(_say("average_precision"), hint=say("leaderboard.uncut")),
        heading(_say("in_mean"), hint=say("leaderboard.in_mean_hint")),
        heading(_say("left_out"), hint=say("leaderboard.left_out_hint")),
        heading(_say("empty"), hint=say("leaderboard.empty_hint")),
    ]
    return markup.table(
        head,
        [_measures_row(one, pair.role(one.name)) for one in aggregates],
        label=say("measures.title"),
    )


def _measures_row(one: Aggregate, role: str) -> str:
    values = (
        one.macro_mean,
        one.pooled_ratio,
        one.precision,
        one.recall,
        one.reciprocal_rank,
        one.average_precision,
    )
    counts = (one.queries_in_mean, sum(one.left_out.values()), one.empty)
    return row(
        [
            cell(markup.name(one.name, role), "rd-left"),
            *(cell(number(value)) for value in values),
            *(cell(f"{value:,}") for value in counts),
        ]
    )


def at_k(policy: Policy) -> str:
    """The cutoff as the end of a measure's name."""
    return "" if policy.cutoff == "all" else f"@{policy.cutoff}"


@dataclass(frozen=True)
class _Axis:
    """The axis that all systems share."""

    scale: markup.Scale
    ticks: list[float]

    @classmethod
    def around(
        cls, aggregates: Sequence[Aggregate], intervals: Mapping[str, Interval | None]
    ) -> "_Axis":
        """An axis in round steps that holds every value and, inside [0, 1], every interval."""
        values = [one.ndcg for one in aggregates if one.ndcg is not None]
        ends = [end for one in intervals.values() if one for end in (one.low, one.high)]
        values += [min(max(end, 0.0), 1.0) for end in ends]
        low, high = min(values, default=0.0), max(values, default=1.0)
        step = next((s for s in (0.02, 0.05, 0.1, 0.2, 0.5) if (high - low) / s <= 3.5), 1.0)
        first, last = np.floor(low / step - 0.05), np.ceil(high / step + 0.05)
        if low >= 0:  # NDCG leaves this range only where a policy takes negative gains raw.
            first = max(first, 0.0)
        if high <= 1:
            last = min(last, round(1 / step))
        ticks = [float(step * at) for at in np.arange(first, last + 1)]
        return cls(markup.Scale(ticks[0], ticks[-1]), ticks)

    @property
    def labels(self) -> str:
        return markup.axis(self.ticks, self.scale)

    def dot(self, value: float | None, interval: Interval | None, role: str) -> str:
        return "" if value is None else markup.dot(value, interval, self.ticks, self.scale, role)


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return ""
    ends = {"low": number(interval.low), "high": number(interval.high)}
    return say("leaderboard.interval", **ends)


def _role(standing: Standing) -> str:
    return standing.pair.role(standing.baseline)


def _say(what: str) -> str:
    return escaped(say(f"leaderboard.{what}"))
