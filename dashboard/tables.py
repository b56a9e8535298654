"""Core results to tables: columns, order, rounding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.comparison import Comparison, compare
from core.coverage import pool_coverage
from core.errors import EvaluationError
from core.policy import Policy
from core.scores import Aggregate, QueryScores
from core.sensitivity import SwitchEffect, ranks
from dashboard import markup, wording
from dashboard.loading import Workspace
from dashboard.markup import cell, escaped, heading, number, row, signed

_BINS = 20
_TINY = 0.0005


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
    rules : mapping
        While no rule for unjudged documents is chosen: what each of them would give, by rule and
        then by name of the system.
    """

    policy: Policy
    aggregates: Sequence[Aggregate]
    scores: Mapping[str, QueryScores]
    refused: Mapping[str, EvaluationError]
    rules: Mapping[str, Mapping[str, float | EvaluationError | None]]


def leaderboard(standing: Standing) -> str:
    """One row a system, best first; refused systems below, with the reason."""
    if not standing.aggregates:
        head = [heading("System", "rd-left"), heading("refused", "rd-left")]
        return markup.table(head, [_refused_row(*one) for one in standing.refused.items()])
    policy = standing.policy
    k = _at(policy)
    scale, ticks = _axis([one.ndcg for one in standing.aggregates if one.ndcg is not None])
    top = "the ranking" if policy.cutoff == "all" else f"the top {policy.cutoff}"
    if standing.rules:
        middle = [
            heading(f"if: {escaped(wording.option_label('unjudged', rule))}", "rd-narrow")
            for rule in standing.rules
        ]
    else:
        middle = [heading(markup.axis(ticks, scale), "rd-axis-cell")]
    head = [
        heading(""),
        heading("System", "rd-left"),
        heading(policy.short_measure, hint=policy.measure),
        *middle,
        heading("to the leader", hint="System minus leader, on the queries both have a score for"),
        heading("better / tied / worse", hint="Queries, against the leader"),
        heading("per query, 0 to 1", "rd-left", hint="Queries by score, in 20 bins"),
        heading(f"judged{k}", "rd-left", hint="Share of the top ranks that has a judgment"),
        heading("unjudged", hint=f"Unjudged documents in {top}, all queries"),
        heading("zero-IDCG", hint="Queries whose IDCG is 0 under this policy"),
        heading("missing", hint="Judged queries that the run does not hold"),
    ]
    places = ranks([one.ndcg for one in standing.aggregates])
    rows = [
        _system_row(standing, one, place, ticks, scale)
        for one, place in zip(standing.aggregates, places, strict=True)
    ]
    rows += [_refused_row(*one, before=1, span=len(head) - 2) for one in standing.refused.items()]
    return markup.table(head, rows)


def _system_row(
    standing: Standing,
    one: Aggregate,
    place: int | None,
    ticks: Sequence[float],
    scale: markup.Scale,
) -> str:
    leader = standing.aggregates[0]
    against = compare(standing.scores[one.name], standing.scores[leader.name])
    is_leader = one.name == leader.name
    counts = f"{against.wins} / {against.ties} / {against.losses}"
    if standing.rules:
        middle = [_rule_cell(values[one.name]) for values in standing.rules.values()]
    else:
        dot = "" if one.ndcg is None else markup.dot(one.ndcg, ticks, scale)
        middle = [cell(dot, "rd-axis-cell")]
    return row(
        [
            cell("" if place is None else str(place), "rd-mute"),
            cell(markup.name(one.name), "rd-left"),
            cell(number(one.ndcg), "rd-main", hint=one.no_value or ""),
            *middle,
            cell("leader" if is_leader else _against(against), *["rd-mute"] * is_leader),
            cell("" if is_leader else counts, "rd-mute"),
            cell(markup.bins(_histogram(standing.scores[one.name])), "rd-left"),
            cell(markup.share(one.judged_at_k), "rd-left"),
            cell(markup.count(one.unjudged_in_top)),
            cell(f"{one.zero_idcg:,}"),
            cell(f"{one.missing:,}"),
        ]
    )


def _against(against: Comparison) -> str:
    """The difference to the leader, and on how many queries where their queries differ."""
    if against.only_system or against.only_baseline:
        return f"{signed(against.difference)} <small>on {against.queries:,}</small>"
    return signed(against.difference)


def _rule_cell(value: float | EvaluationError | None) -> str:
    if isinstance(value, EvaluationError):
        return cell("refuses", "rd-mute", hint=str(value))
    return cell(number(value))


def _refused_row(name: str, error: EvaluationError, *, before: int = 0, span: int = 1) -> str:
    cells = [cell("")] * before
    return row(
        [*cells, cell(markup.name(name), "rd-left"), _refusal_cell(error, left=True, span=span)]
    )


def other_measures(aggregates: Sequence[Aggregate], policy: Policy) -> str:
    """The secondary measures, on the same ranking and rules."""
    k = _at(policy)
    head = [
        heading("System", "rd-left"),
        heading("macro mean", hint="Mean of the query scores"),
        heading("pooled ratio", hint="Sum of DCG over sum of IDCG"),
        heading(f"precision{k}"),
        heading(f"recall{k}"),
        heading("reciprocal rank", hint="Uncut"),
        heading("average precision", hint="Uncut"),
        heading("in the mean", hint="Queries that have a score"),
        heading("left out", hint="Queries that a rule leaves out"),
        heading("empty", hint="Judged queries that the run holds without a document"),
    ]
    return markup.table(
        head,
        [
            row(
                [
                    cell(markup.name(one.name), "rd-left"),
                    *(
                        cell(number(value))
                        for value in (
                            one.macro_mean,
                            one.pooled_ratio,
                            one.precision,
                            one.recall,
                            one.reciprocal_rank,
                            one.average_precision,
                        )
                    ),
                    cell(f"{one.queries_in_mean:,}"),
                    cell(f"{sum(one.left_out.values()):,}"),
                    cell(f"{one.empty:,}"),
                ]
            )
            for one in aggregates
        ],
    )


def switch_matrix(
    names: Sequence[str], effects: Sequence[SwitchEffect], best_first: Sequence[str]
) -> str:
    """Switches by systems: the change of the headline; switches that change the order first.

    `names` are the systems in the order of the effects, `best_first` in the order to show.
    """
    columns = [names.index(name) for name in best_first]
    ordered = sorted(effects, key=lambda one: (not one.changes_order, -one.largest_change))
    head = [heading("One switch", "rd-left", "rd-label"), heading("order", "rd-left", "rd-wide")]
    head += [heading(markup.name(names[at]), "rd-narrow") for at in columns]
    return markup.table(head, [_switch_row(effect, columns) for effect in ordered])


def _switch_row(effect: SwitchEffect, columns: Sequence[int]) -> str:
    flips = effect.changes_order
    label = escaped(wording.switch_label(effect.switch.field, effect.switch.option))
    cells = [
        cell(label, "rd-left", "rd-label", *["rd-main"] * flips),
        cell(_order(effect), "rd-left", "rd-wide", "rd-flip" if flips else "rd-mute"),
    ]
    for at in columns:
        change, refusal = effect.changes[at], effect.refusals[at]
        if refusal is not None:
            cells.append(_refusal_cell(refusal))
        elif change is None:
            cells.append(cell(number(effect.values[at]), "rd-mute"))
        else:
            cells.append(_change_cell(change, effect.values[at], _move(effect, at)))
    return row(cells)


def _order(effect: SwitchEffect) -> str:
    """Whether the systems keep their order, as far as the policy scores them."""
    if effect.changes_order:
        return "changes"
    return "same" if any(rank is not None for rank in effect.ranks) else "–"


def _change_cell(change: float, value: float | None, move: str) -> str:
    tiny = abs(change) < _TINY
    shade = ["rd-flip"] if move else ["rd-mute"] * tiny
    return cell(f"{signed(change)}{move}", *shade, hint=f"{number(value)} after the switch")


def _move(effect: SwitchEffect, at: int) -> str:
    """How a system's rank moves, in words: `up to 1st`; empty where the order stays as it is."""
    before, after = effect.ranks_before[at], effect.ranks[at]
    if before is None or after is None or before == after or not effect.changes_order:
        return ""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(after % 10 if after not in (11, 12, 13) else 0, "th")
    return f" <small>{'up' if after < before else 'down'} to {after}{ending}</small>"


def files(workspace: Workspace) -> str:
    """What was loaded: one row a file, refused ones with the reason."""
    head = [heading(escaped(text), "rd-left") for text in ("File", "used as")]
    head += [heading(text) for text in ("queries", "rows", "documents judged", "pool returned")]
    head += [heading("notes", "rd-left")]
    rows = []
    if workspace.judgments is not None:
        judgments = workspace.judgments
        low, high = judgments.observed_scale
        scale = f"grades {low} to {high}" + ("" if judgments.scale else ", as observed")
        notes = " ".join((f"{scale}.", *judgments.notices))
        rows.append(
            _file_row(
                judgments.source, "judgments", len(judgments.query_ids), len(judgments), notes
            )
        )
    for graded in workspace.runs:
        run = graded.run
        judged = int(graded.judged.sum())
        rows.append(
            _file_row(
                run.source,
                run.name,
                run.query_count,
                run.result_count,
                " ".join(notice.removeprefix(f"{run.source}: ") for notice in graded.notices),
                judged=f"{judged:,}",
                pool=markup.percent(pool_coverage(graded)),
            )
        )
    for run in workspace.waiting:
        rows.append(
            _file_row(run.source, run.name, run.query_count, run.result_count, wording.WAITING)
        )
    for rejected in workspace.rejected:
        reason = f"<b>Not used.</b> {escaped(rejected.reason)}"
        rows.append(
            row(
                [
                    cell(markup.name(rejected.file.name), "rd-left"),
                    cell("not used", "rd-left", "rd-mute"),
                    *[cell("–", "rd-mute")] * 4,
                    cell(reason, "rd-left", "rd-wrap"),
                ]
            )
        )
    return markup.table(head, rows)


def _file_row(
    file: str,
    used_as: str,
    queries: int,
    rows: int,
    notes: str,
    *,
    judged: str = "",
    pool: str = "",
) -> str:
    return row(
        [
            cell(markup.name(file), "rd-left"),
            cell(markup.name(used_as), "rd-left"),
            cell(f"{queries:,}"),
            cell(f"{rows:,}"),
            cell(judged),
            cell(pool),
            cell(escaped(notes), "rd-left", "rd-wrap", "rd-mute"),
        ]
    )


def _refusal_cell(error: EvaluationError, *, left: bool = False, span: int = 1) -> str:
    summary = getattr(error, "summary", "cannot be computed")
    align = ["rd-left"] * left
    text = f"refuses: {escaped(summary)}" if left else f"refuses <small>{escaped(summary)}</small>"
    return cell(text, *align, "rd-mute", hint=str(error), span=span)


def _histogram(scores: QueryScores) -> list[int]:
    known = scores.ndcg[scores.in_mean]
    return np.histogram(np.clip(known, 0, 1), bins=_BINS, range=(0, 1))[0].tolist()


def _axis(values: Sequence[float]) -> tuple[markup.Scale, list[float]]:
    """An axis in steps that suit the spread of the values, with its labels."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    step = next((s for s in (0.02, 0.05, 0.1, 0.2, 0.5) if (high - low) / s <= 3.5), 1.0)
    first, last = np.floor(low / step - 0.2), np.ceil(high / step + 0.2)
    if low >= 0:  # NDCG leaves this range only where a policy takes negative gains raw.
        first = max(first, 0.0)
    if high <= 1:
        last = min(last, round(1 / step))
    ticks = [float(step * at) for at in np.arange(first, last + 1)]
    return markup.Scale(ticks[0], ticks[-1]), ticks


def _at(policy: Policy) -> str:
    return "" if policy.cutoff == "all" else f"@{policy.cutoff}"
