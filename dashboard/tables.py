"""Core results to tables: columns, order, rounding."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.comparison import compare
from core.coverage import pool_coverage
from core.errors import EvaluationError
from core.policy import Policy
from core.scores import Aggregate, QueryScores
from core.sensitivity import SwitchEffect
from dashboard import markup, wording
from dashboard.loading import Workspace
from dashboard.markup import cell, escaped, heading, number, row, signed

_BINS = 20
_TINY = 0.0005


def leaderboard(
    aggregates: Sequence[Aggregate],
    scores: Mapping[str, QueryScores],
    refused: Mapping[str, EvaluationError],
    policy: Policy,
) -> str:
    """One row a system, best first; refused systems below, with the reason."""
    k = _at(policy)
    values = [one.ndcg for one in aggregates if one.ndcg is not None]
    scale, ticks = _axis(values)
    head = [
        heading(""),
        heading("System", "rd-left"),
        heading(policy.short_measure, hint=policy.measure),
        heading(markup.axis(ticks, scale), "rd-axis-cell"),
        heading("to the leader", hint="System minus leader, on the queries both have a score for"),
        heading("better / tied / worse", hint="Queries, against the leader"),
        heading("per query, 0 to 1", "rd-left", hint="Queries by score, in 20 bins"),
        heading(f"judged{k}", "rd-left", hint="Share of the top ranks that has a judgment"),
        heading("unjudged", hint=f"Unjudged documents in the top {policy.cutoff}, all queries"),
        heading("zero-IDCG", hint="Queries whose IDCG is 0 under this policy"),
        heading("missing", hint="Judged queries that the run does not hold"),
    ]
    rows = [
        _system_row(at, one, aggregates[0], scores, ticks, scale)
        for at, one in enumerate(aggregates)
    ]
    rows += [
        row([cell(""), cell(markup.name(name), "rd-left"), _refusal_cell(error, span=9)])
        for name, error in refused.items()
    ]
    return markup.table(head, rows)


def _system_row(  # noqa: PLR0917
    at: int,
    one: Aggregate,
    leader: Aggregate,
    scores: Mapping[str, QueryScores],
    ticks: Sequence[float],
    scale: markup.Scale,
) -> str:
    against = compare(scores[one.name], scores[leader.name])
    is_leader = one.name == leader.name
    counts = f"{against.wins} / {against.ties} / {against.losses}"
    dot = "" if one.ndcg is None else markup.dot(one.ndcg, ticks, scale)
    return row(
        [
            cell("" if one.ndcg is None else str(at + 1), "rd-mute"),
            cell(markup.name(one.name), "rd-left"),
            cell(number(one.ndcg), "rd-main", hint=one.no_value or ""),
            cell(dot, "rd-axis-cell"),
            cell("leader" if is_leader else signed(against.difference), *["rd-mute"] * is_leader),
            cell("" if is_leader else counts, "rd-mute"),
            cell(markup.bins(_histogram(scores[one.name])), "rd-left"),
            cell(markup.share(one.judged_at_k), "rd-left"),
            cell(f"{one.unjudged_in_top:,g}"),
            cell(f"{one.zero_idcg:,}"),
            cell(f"{one.missing:,}"),
        ]
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
                ]
            )
            for one in aggregates
        ],
    )


def switch_matrix(names: Sequence[str], effects: Sequence[SwitchEffect]) -> str:
    """Switches by systems: the change of the headline; switches that change the order first."""
    ordered = sorted(effects, key=lambda one: (not one.changes_order, -one.largest_change))
    head = [heading("One switch", "rd-left"), heading("order", "rd-left", "rd-wide")]
    head += [heading(markup.name(name)) for name in names]
    return markup.table(head, [_switch_row(effect) for effect in ordered])


def _switch_row(effect: SwitchEffect) -> str:
    flips = effect.changes_order
    label = escaped(wording.switch_label(effect.switch.field, effect.switch.option))
    cells = [
        cell(label, "rd-left", "rd-label", *["rd-main"] * flips),
        cell(
            "changes" if flips else "same", "rd-left", "rd-wide", "rd-flip" if flips else "rd-mute"
        ),
    ]
    for at, change in enumerate(effect.changes):
        refusal = effect.refusals[at]
        if refusal is not None:
            cells.append(_refusal_cell(refusal))
        elif change is None:
            cells.append(cell(number(effect.values[at]), "rd-mute"))
        else:
            cells.append(_change_cell(change, effect.values[at], _move(effect, at)))
    return row(cells)


def _change_cell(change: float, value: float | None, move: str) -> str:
    tiny = abs(change) < _TINY
    shade = ["rd-flip"] if move else ["rd-mute"] * tiny
    return cell(f"{signed(change)}{move}", *shade, hint=f"{number(value)} after the switch")


def _move(effect: SwitchEffect, at: int) -> str:
    """How a system's rank moves, in words: ` to 1st`; empty where the order stays as it is."""
    before, after = effect.ranks_before[at], effect.ranks[at]
    if before is None or after is None or before == after or not effect.changes_order:
        return ""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(after % 10 if after not in (11, 12, 13) else 0, "th")
    return f", {'up' if after < before else 'down'} to {after}{ending}"


def unjudged_rules(names: Sequence[str], effects: Sequence[SwitchEffect]) -> str:
    """Systems by rules for unjudged documents: the headline under each."""
    head = [heading("System", "rd-left")]
    head += [
        heading(escaped(wording.option_label("unjudged", effect.switch.option)))
        for effect in effects
    ]
    rows = [
        row(
            [
                cell(markup.name(name), "rd-left"),
                *(
                    cell(number(effect.values[at]), "rd-main")
                    if (refusal := effect.refusals[at]) is None
                    else _refusal_cell(refusal)
                    for effect in effects
                ),
            ]
        )
        for at, name in enumerate(names)
    ]
    return markup.table(head, rows, compact=True)


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
                " ".join(graded.notices) or "nothing to report",
                judged=f"{judged:,}",
                pool=markup.percent(pool_coverage(graded)),
            )
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


def _refusal_cell(error: EvaluationError, span: int = 1) -> str:
    summary = getattr(error, "summary", "cannot be computed")
    align = ["rd-left"] if span > 1 else []
    text = f"refuses: {escaped(summary)}"
    return cell(text, *align, "rd-mute", hint=str(error), span=span)


def _histogram(scores: QueryScores) -> list[int]:
    known = scores.ndcg[scores.in_mean]
    return np.histogram(np.clip(known, 0, 1), bins=_BINS, range=(0, 1))[0].tolist()


def _axis(values: Sequence[float]) -> tuple[markup.Scale, list[float]]:
    """An axis in steps that suit the spread of the values, with its labels."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    step = next((s for s in (0.02, 0.05, 0.1, 0.2, 0.5) if (high - low) / s <= 3.5), 1.0)
    first, last = np.floor(low / step - 0.2), np.ceil(high / step + 0.2)
    first = max(first, 0.0) if low >= 0 else first
    ticks = [float(step * at) for at in np.arange(first, last + 1)]
    return markup.Scale(ticks[0], ticks[-1]), ticks


def _at(policy: Policy) -> str:
    return "" if policy.cutoff == "all" else f"@{policy.cutoff}"
