"""From one policy to another: what each rule adds, and which queries it moves."""

from collections.abc import Sequence

from core.errors import EvaluationError
from core.walk import MOST_SHARED, Move, Step, SystemStep, Walk
from dashboard import markup
from dashboard.leaderboard import refusal_cell
from dashboard.markup import cell, escaped, heading, number, row, signed
from dashboard.pairing import Pair
from dashboard.wording import field_label, option_label, say, say_count, switch_label

_DIGITS = 4
_NAMED = 4


def walk_table(walk: Walk, labels: tuple[str, str], best_first: Sequence[str], pair: Pair) -> str:
    """Both ends and every step by systems; below each change its share over all orders.

    `labels` name the two policies.
    """
    columns = [walk.names.index(name) for name in best_first]
    head = [
        heading(escaped(say("walk_from.step")), "rd-left", "rd-label"),
        *(heading(markup.name(name, pair.role(name)), "rd-narrow") for name in best_first),
    ]
    rows = [_end_row(labels[0], [(walk.before[at], walk.refused_before[at]) for at in columns])]
    rows += [_step_row(step, columns) for step in walk.steps if not _is_idle(step)]
    rows.append(_end_row(labels[1], [(walk.after[at], walk.refused_after[at]) for at in columns]))
    whole = [cell(signed(walk.change(at), _DIGITS) or say("value.none")) for at in columns]
    label = cell(escaped(say("walk_from.all")), "rd-left", "rd-label")
    rows.append(row([label, *whole], "rd-sum"))
    return markup.table(head, rows, label=say("walk_from.title"), dense=True)


def _end_row(label: str, ends: Sequence[tuple[float | None, EvaluationError | None]]) -> str:
    cells = [
        cell(number(value, _DIGITS), "rd-main") if refusal is None else refusal_cell(refusal)
        for value, refusal in ends
    ]
    return row([cell(escaped(label), "rd-left", "rd-label", "rd-main"), *cells])


def _step_row(step: Step, columns: Sequence[int]) -> str:
    label = cell(_step_words(step), "rd-left", "rd-label")
    return row([label, *(_change_cell(step.systems[at]) for at in columns)])


def _step_words(step: Step) -> str:
    before, after = (option_label(step.field, option) for option in (step.before, step.after))
    change = escaped(say("walk_from.change", before=before, after=after))
    return f"{escaped(field_label(step.field))} <small>{change}</small>"


def _change_cell(one: SystemStep) -> str:
    if one.refusal is not None:
        return refusal_cell(one.refusal)
    if one.change is None:
        return cell(number(one.value, _DIGITS), "rd-mute")
    share = "" if one.share is None else f" <small>{signed(one.share, _DIGITS)}</small>"
    hint = (
        "" if one.share is None else say("walk_from.share_hint", share=signed(one.share, _DIGITS))
    )
    muted = ["rd-mute"] * (signed(one.change, _DIGITS) in {"0", "≈ 0"})
    return cell(signed(one.change, _DIGITS) + share, *muted, hint=hint)


def _is_idle(step: Step) -> bool:
    """Whether a step changes nothing of any system."""
    return all(one.change is not None and not one.moves for one in step.systems)


def remarks(walk: Walk) -> list[str]:
    """Steps that change nothing, and why there are no shares, as plain text."""
    said = []
    if idle := [switch_label(step.field, step.after) for step in walk.steps if _is_idle(step)]:
        said.append(say("walk_from.idle", steps="; ".join(idle)))
    if len(walk.steps) > MOST_SHARED:
        said.append(say("walk_from.no_shares", most=MOST_SHARED))
    return said


def moves_table(walk: Walk, system: str) -> str:
    """Queries of one system that each step moves; the largest moves in view, all a click away."""
    at = walk.names.index(system)
    head = [
        heading(escaped(say("walk_from.step")), "rd-left", "rd-label"),
        heading(markup.name(system, "first"), "rd-left"),
    ]
    rows = [
        row([cell(_step_words(step), "rd-left", "rd-label"), _moves_cell(step.systems[at].moves)])
        for step in walk.steps
        if not _is_idle(step)
    ]
    return markup.table(head, rows, label=say("walk_from.moved"), dense=True)


def _moves_cell(moves: Sequence[Move] | None) -> str:
    if moves is None:
        return cell(escaped(say("walk_from.unknown")), "rd-left", "rd-mute")
    if not moves:
        return cell(escaped(say("walk_from.none")), "rd-left", "rd-mute")
    count = say_count("walk_from.queries", len(moves))
    named = "; ".join(map(_move_words, moves[:_NAMED]))
    line = escaped(f"{count}: {named}")
    if len(moves) <= _NAMED:
        return cell(line, "rd-left", "rd-wrap")
    more = escaped(say("walk_from.more", n=len(moves) - _NAMED))
    rest = escaped("; ".join(map(_move_words, moves[_NAMED:])))
    summary = f'<summary>{line}; <span class="rd-more">{more}</span></summary>'
    return cell(f'<details class="rd-moves-all">{summary}{rest}</details>', "rd-left", "rd-wrap")


def _move_words(move: Move) -> str:
    ends = [
        say("walk_from.left_out") if end is None else number(end)
        for end in (move.before, move.after)
    ]
    return say("walk_from.move", query=move.query_id, before=ends[0], after=ends[1])
