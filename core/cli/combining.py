"""`retrievers multiverse`: who is ahead under every combination of some rules."""

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from itertools import combinations
from typing import Any, TextIO

import numpy as np

from core.cli.loading import chosen_policy, loaded, progress, require_choice, warn
from core.cli.options import Commands, chunk_options, file_options, policy_options
from core.cli.tables import aligned, number, signed
from core.errors import EvaluationError, counted, listed
from core.multiverse import Multiverse, multiverse
from core.policy import option_text
from core.rank_ranges import RankRange, kendall_tau, rank_ranges
from core.rule_sets import USUAL_AXES, parsed_axes
from core.verdicts import (
    Exceptions,
    PairVerdict,
    Place,
    exceptions,
    field_effects,
    pair,
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "multiverse", help="score runs under every combination of some policy fields"
    )
    file_options(parser, required=True)
    chunk_options(parser, by_map=True)
    policy_options(parser)
    parser.add_argument(
        "--vary",
        metavar="FIELD[=OPTION/OPTION…]",
        nargs="+",
        action="extend",
        default=[],
        help="fields to combine, with all their options or those given, such as cutoff=5/10/20 "
        f"(default: {', '.join(USUAL_AXES)})",
    )
    parser.add_argument(
        "--pair", nargs=2, metavar=("A", "B"), help="two systems by name (default: every pair)"
    )
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    parser.set_defaults(command=_multiverse)


def _multiverse(options: argparse.Namespace) -> int:
    policy, is_open = chosen_policy(options.preset or "first-run", options.settings)
    axes = parsed_axes(options.vary) or USUAL_AXES
    _, graded = loaded(options)
    warn(graded)
    if is_open and "unjudged" not in axes:
        require_choice(graded, policy)
    found = multiverse(graded, policy, axes, progress=_scored)
    progress("")
    pairs = [pair(found, *numbers) for numbers in _pairs(found.systems, options.pair)]
    write = {"table": _write_table, "csv": _write_csv, "json": _write_json}[options.format]
    write(sys.stdout, found, pairs)
    return 0


def _scored(done: int, total: int) -> None:
    progress(f"scoring: {done * 100 // total} %")


def _pairs(systems: Sequence[str], wanted: Sequence[str] | None) -> list[tuple[int, int]]:
    if not wanted:
        return list(combinations(range(len(systems)), 2))
    if unknown := [name for name in wanted if name not in systems]:
        raise EvaluationError(f"--pair: no run is called {listed(unknown)}. {_known(systems)}")
    if wanted[0] == wanted[1]:
        raise EvaluationError(f"--pair: {wanted[0]} twice. Name two systems. {_known(systems)}")
    return [(systems.index(wanted[0]), systems.index(wanted[1]))]


def _known(systems: Sequence[str]) -> str:
    return f"There are: {listed(systems)}."


def _write_table(out: TextIO, found: Multiverse, pairs: Sequence[PairVerdict]) -> None:
    lines = [
        f"{counted(len(found), 'rule set')}: every combination of",
        *(
            f"  {field}: {', '.join(map(option_text, options))}"
            for field, options in found.axes.items()
        ),
        f"the other rules as in {found.policy.description}",
        "",
    ]
    heading = ["system", "present", "best rank", "worst", "median", "share first", "values"]
    rows = [heading]
    rows += [
        [
            one.name,
            number(None if np.isnan(value) else float(value)),
            *("–" if rank is None else f"{rank:g}" for rank in (one.best, one.worst, one.median)),
            "–" if one.share_first is None else f"{one.share_first:.3f}",
            f"{one.rule_sets:,}",
        ]
        for one, value in zip(rank_ranges(found), found.present_values, strict=True)
    ]
    lines += [*aligned(rows), ""]
    if pairs:
        lines += [
            *aligned([_PAIR_HEADING, *(_pair_row(found, one) for one in pairs)], left=[0]),
            "",
        ]
        lines += [_sentence(found, one) for one in pairs]
    out.write("\n".join(lines) + "\n")


_PAIR_HEADING = ["A − B", "A ahead", "B ahead", "level", "no value", "lowest", "median", "highest"]


def _pair_row(found: Multiverse, verdict: PairVerdict) -> list[str]:
    first, second = (found.systems[at] for at in (verdict.first, verdict.second))
    counts = (verdict.wins, verdict.losses, verdict.level, verdict.undecided)
    places = (verdict.lowest, verdict.median, verdict.highest)
    differences = (signed(None if place is None else place.difference) for place in places)
    return [f"{first} − {second}", *(f"{value:,}" for value in counts), *differences]


def _sentence(found: Multiverse, verdict: PairVerdict) -> str:
    """Say who is mostly ahead, and what the exceptions have in common."""
    first, second = (found.systems[at] for at in (verdict.first, verdict.second))
    one, decided = exceptions(found, verdict), counted(len(verdict.decided), "rule set")
    if one is None:
        said = f"{first} and {second}: neither is ahead in most of {decided}"
        deciding = [effect.field for effect in field_effects(found, verdict) if effect.decides]
        return f"{said}; {deciding[0]} decides who is." if deciding else f"{said}."
    ahead, behind = (found.systems[at] for at in (one.ahead, one.behind))
    said = f"{ahead} beats {behind} in {one.wins:,} of {decided}"
    if not len(one.rule_sets):
        return f"{said}, without exception."
    if not one.conditions:
        return f"{said}; the exceptions have no option in common."
    condition = one.conditions[0]
    options = " or ".join(map(option_text, condition.options))
    said = f"{said}; every exception has {condition.field}={options}"
    return f"{said}, and all with it are exceptions." if one.explained_by(condition) else f"{said}."


def _write_csv(out: TextIO, found: Multiverse, pairs: Sequence[PairVerdict]) -> None:
    """Write one row a rule set: its options, and the value of each system."""
    del pairs
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*found.axes, *found.systems, "kendall_tau"])
    for policy, values, tau in zip(
        found.policies, found.values.tolist(), kendall_tau(found).tolist(), strict=True
    ):
        options = [option_text(getattr(policy, field)) for field in found.axes]
        writer.writerow([*options, *(_known_value(value, "") for value in (*values, tau))])


def _write_json(out: TextIO, found: Multiverse, pairs: Sequence[PairVerdict]) -> None:
    written = {
        "fields": found.policy.to_dict(),
        "vary": {field: list(map(option_text, options)) for field, options in found.axes.items()},
        "systems": [
            _rank_record(one, value)
            for one, value in zip(rank_ranges(found), found.present_values.tolist(), strict=True)
        ],
        "pairs": [_pair_record(found, one) for one in pairs],
        "rule_sets": [
            {
                "options": {f: option_text(getattr(policy, f)) for f in found.axes},
                "values": [_known_value(value, None) for value in values],
                "refused": refused,
                "kendall_tau": _known_value(tau, None),
            }
            for policy, values, refused, tau in zip(
                found.policies,
                found.values.tolist(),
                found.refused.tolist(),
                kendall_tau(found).tolist(),
                strict=True,
            )
        ],
    }
    json.dump(written, out, indent=2, allow_nan=False)
    out.write("\n")


def _rank_record(one: RankRange, present: float) -> dict[str, Any]:
    return {
        "name": one.name,
        "present": _known_value(present, None),
        "rule_sets": one.rule_sets,
        "best_rank": one.best,
        "worst_rank": one.worst,
        "median_rank": one.median,
        "share_first": one.share_first,
    }


def _pair_record(found: Multiverse, verdict: PairVerdict) -> dict[str, Any]:
    one = exceptions(found, verdict)
    return {
        "a": found.systems[verdict.first],
        "b": found.systems[verdict.second],
        "a_ahead": verdict.wins,
        "b_ahead": verdict.losses,
        "level": verdict.level,
        "no_value": verdict.undecided,
        "present": verdict.present,
        "lowest": _place(verdict.lowest),
        "median": _place(verdict.median),
        "highest": _place(verdict.highest),
        "exceptions": None if one is None else _exceptions(one),
        "sentence": _sentence(found, verdict),
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else place._asdict()


def _exceptions(one: Exceptions) -> dict[str, Any]:
    return {
        "rule_sets": one.rule_sets.tolist(),
        "conditions": [
            {"field": c.field, "options": list(map(option_text, c.options)), "meeting": c.meeting}
            for c in one.conditions
        ],
        "sufficient": one.sufficient,
    }


def _known_value(value: float, otherwise: Any) -> Any:
    return otherwise if np.isnan(value) else value
