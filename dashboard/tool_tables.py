"""What each tool would report of the loaded runs, and where its rules come from."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.multiverse import Multiverse
from core.policy import Policy
from core.presets import PRESETS, Preset
from core.rank_ranges import ranks
from dashboard import markup
from dashboard.leaderboard import refusal_cell
from dashboard.markup import bold, cell, escaped, heading, number, phrase, phrase_count, row
from dashboard.pairing import Pair
from dashboard.wording import field_label, say

_DIGITS = 4


def tools() -> tuple[Preset, ...]:
    """Every preset that says all its rules."""
    return tuple(preset for preset in PRESETS.values() if not preset.open_fields)


def policies(present: Policy) -> tuple[Policy, ...]:
    """The present policy and those of all presets at its cutoff, each once."""
    return tuple(dict.fromkeys([present, *(preset.at(present.cutoff) for preset in tools())]))


def spread(found: Multiverse, pair: Pair) -> list[str]:
    """How far apart the tools' numbers of a system are, and whom they put first."""
    rows = [_row_of(found, preset) for preset in tools()]
    values = found.values[rows, found.systems.index(pair.first)]
    known = values[~np.isnan(values)]
    said = []
    if len(known):
        said.append(
            phrase(
                "tools.spread",
                system=markup.name(pair.first, "first"),
                tools=bold(f"{len(known):,}"),
                low=bold(number(float(known.min()), _DIGITS)),
                high=bold(number(float(known.max()), _DIGITS)),
            )
        )
    places = ranks(found)
    first = Counter(_first(found, places[at]) for at in rows)
    for names, count in first.most_common():
        if names:
            systems = ", ".join(markup.name(name, pair.role(name)) for name in names)
            said.append(phrase_count("tools.first", count, systems=systems))
    if first[()]:
        said.append(phrase_count("tools.refuse_all", first[()]))
    return said


def tool_table(found: Multiverse, best_first: Sequence[str], pair: Pair) -> str:
    """Presets by systems, with the decimals each tool prints; refusals say so."""
    columns = [found.systems.index(name) for name in best_first]
    places = ranks(found)
    now = _first(found, places[found.present or 0])
    head = [
        heading(escaped(say("tools.preset")), "rd-left", "rd-label"),
        *(heading(markup.name(name, pair.role(name)), "rd-narrow") for name in best_first),
        heading(escaped(say("tools.checked")), "rd-left"),
    ]
    present = [cell(escaped(say("tools.present")), "rd-left", "rd-label", "rd-main")]
    present += [_value_cell(found, found.present or 0, at, _DIGITS, ()) for at in columns]
    rows = [row([*present, cell("")], "rd-now")]
    for preset in tools():
        at = _row_of(found, preset)
        first = _first(found, places[at])
        tool = ", ".join(filter(None, (preset.tool, preset.version)))
        label = f"{escaped(preset.name)} <small>{escaped(tool)}</small>"
        cells = [cell(label, "rd-left", "rd-label", "rd-tool")]
        for column in columns:
            leads = found.systems[column] in first
            marks = ["rd-main"] * leads + ["rd-flip"] * (leads and first != now)
            cells.append(_value_cell(found, at, column, preset.digits or _DIGITS, marks))
        checked = say(f"tools.check.{preset.checked}")
        rows.append(row([*cells, cell(escaped(checked), "rd-left", "rd-mute")]))
    return markup.table(head, rows, label=say("tools.title"), dense=True)


def _row_of(found: Multiverse, preset: Preset) -> int:
    return found.policies.index(preset.at(found.policy.cutoff))


def _first(found: Multiverse, places: NDArray[np.int64]) -> tuple[str, ...]:
    return tuple(found.systems[at] for at in np.flatnonzero(places == 1).tolist())


def _value_cell(
    found: Multiverse, rule_set: int, system: int, digits: int, marks: Sequence[str]
) -> str:
    refusal = found.refusal(rule_set, system)
    if refusal is not None:
        return refusal_cell(refusal)
    value = float(found.values[rule_set, system])
    return cell(number(None if np.isnan(value) else value, digits), *marks)


def sources() -> str:
    """Of each preset: tool, version, where its rules were read, and what a policy cannot say."""
    head = [
        heading(escaped(say(f"tools.{what}")), "rd-left")
        for what in ("preset", "tool", "version", "source", "checked", "refuses", "note")
    ]
    rows = [_source_row(preset) for preset in tools()]
    return markup.table(head, rows, label=say("tools.sources"), dense=True)


def _source_row(preset: Preset) -> str:
    refuses = ", ".join(field_label(field) for field in preset.to_dict()["refuses"])
    return row(
        [
            cell(escaped(preset.name), "rd-left"),
            cell(escaped(preset.tool), "rd-left", "rd-wrap"),
            cell(escaped(preset.version), "rd-left"),
            cell(escaped(preset.source), "rd-left", "rd-wrap"),
            cell(escaped(say(f"tools.check.{preset.checked}")), "rd-left"),
            cell(escaped(refuses), "rd-left"),
            cell(escaped(preset.note), "rd-left", "rd-wrap"),
        ]
    )
