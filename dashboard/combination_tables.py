"""What every combination of rules says of a pair and of all systems, in words and tables."""

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from core.errors import EvaluationError
from core.multiverse import Multiverse
from core.ndcg import Float
from core.policy import Policy
from core.rank_ranges import RankRange, kendall_tau, rank_ranges, ranks
from core.sensitivity import EQUAL
from core.specification_curve import SpecificationCurve, specification_curve
from core.verdicts import (
    Condition,
    FieldEffect,
    OptionEffect,
    PairVerdict,
    Place,
    exceptions,
    field_effects,
)
from core.walk import differing_fields
from dashboard import markup
from dashboard.leaderboard import refusal_cell
from dashboard.markup import (
    bold,
    cell,
    escaped,
    heading,
    number,
    percent,
    phrase,
    phrase_count,
    row,
    signed,
)
from dashboard.pairing import Pair
from dashboard.wording import field_label, option_label, say, say_count, switch_label

_STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_MOST_TICKS = 4
_SHADES = 10


def verdict(found: Multiverse, of: PairVerdict, pair: Pair) -> list[str]:
    """Who is mostly ahead, what the exceptions have in common, and how far the difference goes."""
    said = [_mostly(found, of, pair)]
    if of.lowest is not None and of.median is not None and of.highest is not None:
        said.append(
            phrase(
                "combine.range",
                low=signed(of.lowest.difference),
                median=signed(of.median.difference),
                high=signed(of.highest.difference),
                now=phrase("value.none") if of.present is None else bold(signed(of.present)),
            )
        )
    return said


def _mostly(found: Multiverse, of: PairVerdict, pair: Pair) -> str:
    first, second = (_name(found, at, pair) for at in (of.first, of.second))
    decided = phrase_count("combine.rule_sets", len(of.decided))
    if not len(of.decided):
        return phrase("combine.undecided", first=first, second=second)
    one = exceptions(found, of)
    if one is None:
        level = phrase("combine.level", first=first, second=second, decided=decided)
        deciding = [effect.field for effect in field_effects(found, of) if effect.decides]
        if not deciding:
            return f"{level}."
        return f"{level}{phrase('combine.decides', rule=bold(escaped(field_label(deciding[0]))))}"
    said = phrase(
        "combine.mostly",
        ahead=_name(found, one.ahead, pair),
        behind=_name(found, one.behind, pair),
        wins=bold(f"{one.wins:,}"),
        decided=decided,
    )
    if not len(one.rule_sets):
        return f"{said}{phrase('combine.no_exception')}"
    if not one.conditions:
        return f"{said}{phrase('combine.no_condition')}"
    condition = one.conditions[0]
    key = "combine.exactly" if one.explained_by(condition) else "combine.condition"
    return f"{said}{phrase(key, condition=_condition(condition))}"


def _condition(condition: Condition) -> str:
    labels = [option_label(condition.field, option) for option in condition.options]
    options = f" {phrase('combine.or')} ".join(escaped(label) for label in labels)
    return bold(f"{escaped(field_label(condition.field))}: {options}")


def undecided(found: Multiverse, of: PairVerdict) -> str:
    """How many rule sets give one of the two no value, as plain text; empty where none does."""
    if not of.undecided:
        return ""
    refused = int(found.refused[:, [of.first, of.second]].any(axis=1).sum())
    return say_count("combine.no_value", of.undecided, refused=f"{refused:,}")


def specification_table(found: Multiverse, of: PairVerdict, pair: Pair) -> str:
    """The specification curve: differences in order, and below, aligned, the options behind them.

    The fields that explain most come first.
    """
    curve = specification_curve(found, of)
    slots = len(curve.rule_sets)
    marks = _Marks.of(curve, of)
    head = [
        heading(_rule_words(say("combine.field"), say("combine.option")), "rd-left"),
        heading(_ends(found, of, pair), "rd-spec-cell", "rd-left"),
        heading(
            f"{_name(found, of.first, pair)} {escaped(say('combine.ahead'))}",
            "rd-wide",
            hint=say("combine.ahead_hint"),
        ),
        heading(escaped(say("combine.median")), "rd-wide", hint=say("combine.median_hint")),
        heading(escaped(say("combine.explained")), "rd-wide", hint=say("combine.explained_hint")),
    ]
    rows = [_curve_row(curve, of, marks)] if slots else []
    for effect in field_effects(found, of):
        rows += _field_rows(effect, curve, marks, found.policy)
    return markup.table(head, rows, label=say("combine.curve"), dense=True)


class _Marks:
    """Lines through all rows: where the lead changes, and where the present rules stand."""

    def __init__(self, lead: float | None, present: float | None) -> None:
        self.lead = lead
        self.present = present

    @classmethod
    def of(cls, curve: SpecificationCurve, verdict: PairVerdict) -> "_Marks":
        decided = len(verdict.decided)
        lead = verdict.losses / decided if verdict.losses and verdict.wins else None
        slots = len(curve.rule_sets)
        present = None if curve.present is None else (curve.present + 0.5) / slots
        return cls(lead, present)

    def drawn(self) -> str:
        lead = "" if self.lead is None else f'<u style="left:{100 * self.lead:.2f}%"></u>'
        if self.present is None:
            return lead
        return f'{lead}<u class="rd-present" style="left:{100 * self.present:.2f}%"></u>'


def _ends(found: Multiverse, of: PairVerdict, pair: Pair) -> str:
    """What stands at either end of the curve."""
    sides = []
    for at, count in ((of.second, of.losses), (of.first, of.wins)):
        said = phrase("combine.side", system=_name(found, at, pair), n=f"{count:,}")
        sides.append(f"<span>{said}</span>" if count else "<span></span>")
    return f'<div class="rd-spec-ends">{"".join(sides)}</div>'


def _curve_row(curve: SpecificationCurve, of: PairVerdict, marks: _Marks) -> str:
    ticks = _ticks(min(0.0, float(curve.lowest[0])), max(0.0, float(curve.highest[-1])))
    scale = markup.Scale(ticks[0], ticks[-1])
    lines = "".join(
        f'<s style="bottom:{scale(tick):.2f}%"{" class=rd-zero" * (tick == 0)}></s>'
        f'<em style="bottom:{scale(tick):.2f}%">{signed(tick, 2)}</em>'
        for tick in ticks
    )
    slots = len(curve.rule_sets)
    bars, begin = [], 1
    for at, rows in enumerate(curve.rule_sets):
        low, high = float(curve.lowest[at]), float(curve.highest[at])
        hint = say(
            "combine.slot",
            begin=f"{begin:,}",
            end=f"{begin + len(rows) - 1:,}",
            all=f"{len(of.decided):,}",
            low=signed(low),
            high=signed(high),
        )
        begin += len(rows)
        height = scale(high) - scale(low)
        bars.append(
            f'<i class="rd-{_side(low, high)}" title="{escaped(hint)}" style="left:'
            f"{100 * at / slots:.2f}%;width:{100 / slots:.2f}%;bottom:{scale(low):.2f}%;"
            f'height:{height:.2f}%"></i>'
        )
    box = f'<div class="rd-spec-box">{lines}{marks.drawn()}{"".join(bars)}</div>'
    words = cell(escaped(say("combine.difference")), "rd-left", "rd-spec-words")
    return row([words, cell(box, "rd-spec-cell"), *[cell("", "rd-wide")] * 3], "rd-spec-curve")


def _side(low: float, high: float) -> str:
    """The role of the system that is ahead in a slot."""
    if low > EQUAL:
        return "first"
    return "second" if high < -EQUAL else "other"


def _field_rows(
    effect: FieldEffect, curve: SpecificationCurve, marks: _Marks, present: Policy
) -> list[str]:
    rows, rule = [], field_label(effect.field)
    explained = "" if np.isnan(effect.explained) else percent(round(effect.explained, 3))
    for option, shares in zip(effect.options, curve.shares[effect.field], strict=True):
        is_present = option.option == getattr(present, effect.field)
        label = option_label(effect.field, option.option)
        cells = [
            cell(_rule_words(rule, label), "rd-left", *["rd-main"] * is_present),
            cell(_strip(shares, marks), "rd-spec-cell"),
            cell(_ahead(option), "rd-wide"),
            cell(signed(option.median), "rd-wide", "rd-mute"),
            cell(explained, "rd-wide", "rd-mute"),
        ]
        rows.append(row(cells, "rd-spec-first" if rule else "rd-spec-next"))
        rule = explained = ""  # Said once.
    return rows


def _rule_words(rule: str, option: str) -> str:
    """A rule and its option, beside each other; where there is little room, below each other."""
    return f'<span class="rd-spec-rule">{escaped(rule)}</span>{escaped(option)}'


def _ahead(option: OptionEffect) -> str:
    """In how many rule sets with an option A is ahead."""
    decided = option.wins + option.losses + option.level
    if not decided:
        return f'<span class="rd-mute">{escaped(say("combine.never"))}</span>'
    of_all = phrase("combine.of", n=f"{option.wins:,}", all=f"{decided:,}")
    return f"{percent(option.wins / decided)} <small>{of_all}</small>"


def _strip(shares: Float, marks: _Marks) -> str:
    """Slots in a row, as dark as the share of their rule sets that has the option."""
    shades = [round(_SHADES * share) for share in shares.tolist()]
    runs = [(shade, len(list(same))) for shade, same in groupby(shades)]
    slots = "".join(
        f'<i style="flex:{length};opacity:{shade / _SHADES:g}"></i>' for shade, length in runs
    )
    return f'<div class="rd-spec-strip">{slots}{marks.drawn()}</div>'


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers around a range; 0 is one of them."""
    if high - low <= EQUAL:
        low, high = -_STEPS[0], _STEPS[0]
    step = next((one for one in _STEPS if (high - low) / one <= _MOST_TICKS), _STEPS[-1])
    first, last = int(np.floor(low / step + EQUAL)), int(np.ceil(high / step - EQUAL))
    return [at * step for at in range(first, last + 1)]


def places_table(found: Multiverse, of: PairVerdict, pair: Pair) -> str:
    """The ends and the middle of the curve: both values, and what differs from the present."""
    named = {"highest": of.highest, "median_place": of.median, "lowest": of.lowest}
    head = [
        heading(escaped(say("combine.place")), "rd-left", "rd-label"),
        heading(_name(found, of.first, pair)),
        heading(_name(found, of.second, pair)),
        heading(escaped(say("combine.difference"))),
        heading(escaped(say("combine.changed")), "rd-left"),
    ]
    rows = [
        _place_row(found, of, say(f"combine.{what}"), place)
        for what, place in named.items()
        if place is not None
    ]
    return markup.table(head, rows, label=say("combine.places"), dense=True)


def _place_row(found: Multiverse, of: PairVerdict, label: str, place: Place) -> str:
    values = found.values[place.rule_set].tolist()
    changed = changes(found.policy, found.policies[place.rule_set])
    return row(
        [
            cell(escaped(label), "rd-left", "rd-label"),
            cell(number(values[of.first])),
            cell(number(values[of.second])),
            cell(signed(place.difference), "rd-main"),
            cell(escaped(changed), "rd-left", "rd-wrap"),
        ]
    )


def changes(present: Policy, policy: Policy) -> str:
    """The rules that differ from the present ones, as plain text."""
    labels = [
        switch_label(field, getattr(policy, field)) for field in differing_fields(present, policy)
    ]
    return "; ".join(labels) or say("combine.unchanged")


def rank_table(
    found: Multiverse,
    best_first: Sequence[str],
    refused: Mapping[str, EvaluationError],
    pair: Pair,
) -> str:
    """Ranks of each system: the share of the rule sets that puts it there.

    `refused` says which systems the present rules refuse, and why.
    """
    places, ranges = ranks(found), rank_ranges(found)
    count = len(found.systems)
    head = [
        heading(escaped(say("leaderboard.system")), "rd-left", "rd-label"),
        heading(escaped(say("combine.present"))),
        heading(escaped(say("combine.ranks"))),
        *(heading(str(rank), "rd-rank") for rank in range(1, count + 1)),
        heading(escaped(say("combine.first")), hint=say("combine.first_hint")),
    ]
    rows = []
    for at in map(found.systems.index, best_first):
        name = found.systems[at]
        present = float(found.present_values[at])
        value = cell(number(None if np.isnan(present) else present))
        cells = [
            cell(_name(found, at, pair), "rd-left", "rd-label"),
            refusal_cell(refused[name]) if name in refused else value,
            *_rank_cells(ranges[at], places[:, at], count),
        ]
        rows.append(row(cells))
    return markup.table(head, rows, label=say("combine.ranks_title"), dense=True)


def _rank_cells(one: RankRange, places: NDArray[np.int64], count: int) -> list[str]:
    if one.share_first is None:
        return [cell(escaped(say("combine.never")), "rd-left", "rd-mute", span=count + 2)]
    shares = np.bincount(places, minlength=count + 1)[1:] / one.rule_sets
    cells = [_rank_cell(share, rank) for rank, share in enumerate(shares.tolist(), 1)]
    span = str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"
    return [cell(bold(span)), *cells, cell(percent(one.share_first))]


def _rank_cell(share: float, rank: int) -> str:
    if not share:
        return cell("", "rd-rank")
    hint = say("combine.rank_hint", rank=rank, share=percent(share))
    shade = f'<i style="opacity:{0.06 + 0.5 * share:.2f}"></i>'
    return cell(f"{shade}<span>{percent(share).removesuffix(' %')}</span>", "rd-rank", hint=hint)


def agreement(found: Multiverse) -> str:
    """How like the present order the others are, as plain text; empty where there is none."""
    tau = kendall_tau(found)
    known = tau[~np.isnan(tau)]
    if not len(known):
        return ""
    return say(
        "combine.tau",
        same=f"{int((known >= 1 - EQUAL).sum()):,}",
        all=f"{len(known):,}",
        median=number(float(np.median(known)), 2),
        lowest=number(float(known.min()), 2),
    )


def _name(found: Multiverse, at: int, pair: Pair) -> str:
    return markup.name(found.systems[at], pair.role(found.systems[at]))
