"""What policy switches would change: for every system, for every pair, and as slopes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.sensitivity import Pair as Positions
from core.sensitivity import SwitchEffect
from dashboard import markup
from dashboard.labels import spread
from dashboard.leaderboard import refusal_cell
from dashboard.markup import Line, cell, escaped, heading, number, row, signed
from dashboard.pairing import Pair
from dashboard.wording import say, say_count, switch_label

_TINY = 0.0005
_SLOPES = 4
_LABEL_HEIGHT, _LOWEST_PANEL = 17, 150
_MARKED = {"order_flips": "rd-flip", "not_separable": "rd-faded", "separates": "rd-sharp"}


def by_effect(effects: Sequence[SwitchEffect]) -> list[SwitchEffect]:
    """Switches that change the order first, those with large changes first among equals."""
    return sorted(effects, key=lambda one: (-one.swapped, -one.largest_change))


def switch_matrix(
    names: Sequence[str], effects: Sequence[SwitchEffect], best_first: Sequence[str], pair: Pair
) -> str:
    """Switches by systems: the change of the headline; switches that change the order first.

    `names` are the systems in the order of the effects, `best_first` in the order to show.
    """
    columns = [names.index(name) for name in best_first]
    head = [
        heading(escaped(say("effects.switch")), "rd-left", "rd-label"),
        heading(escaped(say("effects.order")), "rd-left", "rd-wide"),
    ]
    head += [heading(markup.name(names[at], pair.role(names[at])), "rd-narrow") for at in columns]
    rows = [_switch_row(effect, columns) for effect in by_effect(effects)]
    return markup.table(head, rows, label=say("effects.title"), dense=True)


def _switch_row(effect: SwitchEffect, columns: Sequence[int]) -> str:
    flips = effect.changes_order
    label = escaped(_label(effect))
    cells = [
        cell(label, "rd-left", "rd-label", *["rd-main"] * flips),
        cell(escaped(_order(effect)), "rd-left", "rd-wide", "rd-flip" if flips else "rd-mute"),
    ]
    for at in columns:
        change, refusal = effect.changes[at], effect.refusals[at]
        if refusal is not None:
            cells.append(refusal_cell(refusal))
        elif change is None:
            cells.append(cell(number(effect.values[at]), "rd-mute"))
        else:
            cells.append(_change_cell(change, effect.values[at], _move(effect, at)))
    return row(cells)


def _order(effect: SwitchEffect) -> str:
    """Whether the systems keep their order, as far as the policy scores them."""
    if effect.changes_order:
        return say_count("effects.pairs", effect.swapped)
    return say("effects.same") if any(rank is not None for rank in effect.ranks) else "–"


def _change_cell(change: float, value: float | None, move: str) -> str:
    tiny = abs(change) < _TINY
    shade = ["rd-flip"] if move else ["rd-mute"] * tiny
    below = f" <small>{escaped(move)}</small>" if move else ""
    return cell(signed(change) + below, *shade, hint=say("effects.after", value=number(value)))


def _move(effect: SwitchEffect, at: int) -> str:
    """How a system's rank moves, in words: `up to 1st`; empty where the order stays as it is."""
    before, after = effect.ranks_before[at], effect.ranks[at]
    if before is None or after is None or before == after or not effect.changes_order:
        return ""
    place = say(f"ordinal.{_ending(after)}", n=after)
    return say("effects.up" if after < before else "effects.down", place=place)


def _ending(rank: int) -> str:
    return "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")


def pair_matrix(names: Sequence[str], effects: Sequence[SwitchEffect], pair: Pair) -> str:
    """Pairs by switches: what each switch does to what is concluded of a pair.

    Only pairs and switches with a changed conclusion are drawn, and switches that do the same to
    every pair share a column; empty where there is none.
    """
    groups = _alike(
        [one for one in by_effect(effects) if any(_changed(one, p) for p in one.before)]
    )
    columns = [alike[0] for alike in groups]
    pairs = [
        _leader_first(positions, effects)
        for positions in combinations(range(len(names)), 2)
        if any(_changed(one, positions) for one in columns)
    ]
    if not pairs:
        return ""
    pairs.sort(key=lambda positions: _weight(names, positions, columns, pair))
    head = [
        heading(escaped(say("pairs.pair")), "rd-left", "rd-label"),
        heading(escaped(say("pairs.difference"))),
        heading(escaped(say("pairs.now")), "rd-left"),
    ]
    head += [
        heading(escaped(_short_label(alike)), "rd-narrow", "rd-left", hint=_labels(alike))
        for alike in groups
    ]
    rows = [_pair_row(names, positions, columns, pair) for positions in pairs]
    return markup.table(head, rows, label=say("pairs.title"), dense=True)


def _alike(effects: Sequence[SwitchEffect]) -> list[list[SwitchEffect]]:
    """Group switches that do the same to every pair."""
    groups: dict[tuple[str | None, ...], list[SwitchEffect]] = {}
    for effect in effects:
        groups.setdefault(tuple(map(effect.on_pair, effect.before)), []).append(effect)
    return list(groups.values())


def _labels(alike: Sequence[SwitchEffect]) -> str:
    return "; ".join(map(_label, alike))


def _short_label(alike: Sequence[SwitchEffect]) -> str:
    """The first of some switches, and how many there are besides."""
    first = _label(alike[0])
    return first if len(alike) == 1 else say("pairs.alike", first=first, n=len(alike) - 1)


def _label(effect: SwitchEffect) -> str:
    return switch_label(effect.switch.field, effect.switch.option)


def _weight(
    names: Sequence[str], positions: Positions, columns: Sequence[SwitchEffect], pair: Pair
) -> tuple[bool, int]:
    """The compared pair first, then those that most switches change."""
    compared = {names[at] for at in positions} == {pair.first, pair.second}
    key = (min(positions), max(positions))
    return (not compared, -sum(_changed(one, key) for one in columns))


def steady_pairs(names: Sequence[str], effects: Sequence[SwitchEffect]) -> int:
    """Count the pairs, of those that are compared now, whose conclusion no switch changes."""
    return sum(
        all(positions in one.before and not _changed(one, positions) for one in effects)
        for positions in combinations(range(len(names)), 2)
    )


def _changed(effect: SwitchEffect, pair: Positions) -> bool:
    return effect.on_pair(pair) in _MARKED


def _leader_first(positions: Positions, effects: Sequence[SwitchEffect]) -> Positions:
    """The two positions with the leader of the pair first, for its row to read `A over B`."""
    compared = effects[0].before[positions]
    return positions if (compared.difference or 0.0) >= 0 else positions[::-1]


def _pair_row(
    names: Sequence[str], positions: Positions, columns: Sequence[SwitchEffect], pair: Pair
) -> str:
    over, under = (markup.name(names[at], pair.role(names[at])) for at in positions)
    key = (min(positions), max(positions))
    now = columns[0].before[key]
    state = say("pairs.separable" if now.separates else "pairs.inseparable")
    cells = [
        cell(markup.phrase("pairs.over", first=over, second=under), "rd-left", "rd-label"),
        cell(signed(abs(now.difference or 0.0))),
        cell(escaped(state), "rd-left", "rd-mute"),
    ]
    for effect in columns:
        found = effect.on_pair(key)
        if found is None:
            cells.append(cell(escaped(say("pairs.unscored")), "rd-left", "rd-mute"))
        elif found in _MARKED:
            words = escaped(say(f"pairs.{found}"))
            turn = 1 if positions == key else -1  # The row reads `leader over other`.
            after = signed(turn * (effect.after[key].difference or 0.0))
            cells.append(cell(words, "rd-left", _MARKED[found], hint=say("pairs.after", n=after)))
        else:
            cells.append(cell("·", "rd-left", "rd-mute", hint=say("pairs.unchanged")))
    return row(cells)


def slope_panels(names: Sequence[str], effects: Sequence[SwitchEffect], pair: Pair) -> str:
    """The rules with most effect on the order, each at its strongest switch, as labelled slopes."""
    scored = _scored(names, effects)
    strongest: dict[str, SwitchEffect] = {}
    for effect in by_effect(effects):
        if all(effect.changes[at] is not None for at in scored):
            strongest.setdefault(effect.switch.field, effect)
    drawn = list(strongest.values())[:_SLOPES]
    return slopes(names, {_label(effect): effect for effect in drawn}, pair)


def slopes(names: Sequence[str], effects: Mapping[str, SwitchEffect], pair: Pair) -> str:
    """Switches as labelled slopes below their captions, on one scale."""
    scored = _scored(names, list(effects.values()))
    drawn = [_Slopes.of(caption, effect, scored) for caption, effect in effects.items()]
    ends = [end for one in drawn for end in (*one.before, *one.after)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    scale = markup.Scale(low, high if high > low else low + 1)
    height = max(_LOWEST_PANEL, _LABEL_HEIGHT * len(scored))
    panels = "".join(_panel(names, one, pair, scale, height) for one in drawn)
    return f'<div class="rd-slopes">{panels}</div>'


def _scored(names: Sequence[str], effects: Sequence[SwitchEffect]) -> list[int]:
    """Systems that some switch changes: the present policy refuses the others."""
    return [at for at in range(len(names)) if any(e.changes[at] is not None for e in effects)]


@dataclass(frozen=True)
class _Slopes:
    """Values before and after a switch, of the systems at some positions."""

    caption: str
    effect: SwitchEffect
    systems: Sequence[int]
    before: list[float]
    after: list[float]

    @classmethod
    def of(cls, caption: str, effect: SwitchEffect, systems: Sequence[int]) -> "_Slopes":
        after = [effect.values[at] or 0.0 for at in systems]
        changes = [effect.changes[at] or 0.0 for at in systems]
        before = [value - change for value, change in zip(after, changes, strict=True)]
        return cls(caption, effect, systems, before, after)


def _panel(
    names: Sequence[str], ends: _Slopes, pair: Pair, scale: markup.Scale, height: int
) -> str:
    before = [100 - scale(value) for value in ends.before]
    after = [100 - scale(value) for value in ends.after]
    labels = spread(after, 100 * _LABEL_HEIGHT / height)
    lines = [
        Line(
            before=before[place],
            after=after[place],
            label_at=labels[place],
            value=number(ends.after[place]),
            name=names[at],
            role=pair.role(names[at]),
            moves=bool(_move(ends.effect, at)),
        )
        for place, at in enumerate(ends.systems)
    ]
    # What is drawn last lies on top: those that move, then the pair.
    lines.sort(key=lambda line: (line.role != "other", line.moves))
    return markup.slopes(ends.caption, _order_words(ends.effect), lines, height)


def _order_words(effect: SwitchEffect) -> str:
    if effect.changes_order:
        return say_count("slopes.change", effect.swapped)
    return say("slopes.same")
