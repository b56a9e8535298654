"""`retrievers explain`: why two policies give different numbers, or which rules give a number."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TextIO

from core.cli.loading import changed, loaded, progress, warn
from core.cli.options import Commands, chunk_options, file_options, setting_option
from core.cli.tables import aligned, number, signed
from core.errors import EvaluationError, PolicyError, counted
from core.number_search import Match, Reported, matches
from core.policy import Policy, option_text
from core.presets import FIRST_RUN, preset
from core.walk import Step, SystemStep, Walk, walk

_MOST_QUERIES = 5


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "explain", help="say why two policies differ, or which rules give a reported number"
    )
    file_options(parser, required=True)
    chunk_options(parser, by_map=True)
    parser.add_argument("--from", metavar="PRESET", dest="start", help="the policy to start from")
    parser.add_argument("--to", metavar="PRESET", dest="end", help="the policy to come to")
    parser.add_argument(
        "--reported",
        metavar="NUMBER",
        help="instead of two policies: find the presets, and single changes of them, that give "
        "this number to its printed digits",
    )
    setting_option(parser)
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.set_defaults(command=_explain)


def _explain(options: argparse.Namespace) -> int:
    if bool(options.reported) == bool(options.start or options.end):
        raise EvaluationError("Give --from and --to, or --reported.")
    if options.reported:
        return _search(options)
    if not (options.start and options.end):
        raise EvaluationError("Give --from and --to together.")
    start, end = (
        changed(preset(name).policy, options.settings) for name in (options.start, options.end)
    )
    _, graded = loaded(options)
    warn(graded)
    found = walk(graded, start, end)
    if options.format == "json":
        json.dump(_walk_record(found), sys.stdout, indent=2, allow_nan=False)
        sys.stdout.write("\n")
    else:
        _write_walk(sys.stdout, found, options.start, options.end)
    return 0


def _write_walk(out: TextIO, found: Walk, start: str, end: str) -> None:
    lines = [f"from {start}: {found.start.description}", f"to   {end}: {found.end.description}", ""]
    rows = [["step", "field", "from", "to", *found.names]]
    rows.append(["", "", "", start, *map(_headline, found.before, found.refused_before)])
    for at, step in enumerate(found.steps, 1):
        options = map(option_text, (step.before, step.after))
        rows.append([str(at), step.field, *options, *map(_change, step.systems)])
    rows.append(["", "", "", end, *map(_headline, found.after, found.refused_after)])
    lines += aligned(rows, left=range(4))
    if not found.steps:
        lines += ["", "The two policies are the same."]
    else:
        shares = [["share of the difference, whatever the order", *found.names]]
        shares += [
            [step.field, *(signed(system.share) for system in step.systems)] for step in found.steps
        ]
        moved = [["queries whose score changes", *found.names]]
        moved += [
            [step.field, *("" if s.moves is None else str(len(s.moves)) for s in step.systems)]
            for step in found.steps
        ]
        lines += ["", *aligned(shares), "", *aligned(moved)]
        lines += ["", *_named_queries(found)]
        lines += [
            "Steps that lift a refusal come first, those that add one last, the others in the",
            "order of the policy's fields. Shares are Shapley values: means over all orders.",
        ]
    out.write("\n".join(lines).rstrip("\n") + "\n")


def _headline(value: float | None, refusal: EvaluationError | None) -> str:
    return f"refuses: {getattr(refusal, 'summary', refusal)}" if refusal else number(value)


def _change(system: SystemStep) -> str:
    if system.refusal:
        return _headline(None, system.refusal)
    return signed(system.change)


def _named_queries(found: Walk) -> list[str]:
    """Name the queries that each step moves most."""
    lines = []
    for step in found.steps:
        for name, system in zip(found.names, step.systems, strict=True):
            if not system.moves:
                continue
            named = [
                f"{move.query_id} {_score(move.before)} to {_score(move.after)}"
                for move in system.moves[:_MOST_QUERIES]
            ]
            more = len(system.moves) - len(named)
            rest = f", and {counted(more, 'more query', 'more queries')}" if more else ""
            lines.append(f"{step.field}, {name}: {', '.join(named)}{rest}")
    return [*lines, ""] if lines else []


def _score(value: float | None) -> str:
    return "left out" if value is None else f"{value:.3f}"


def _walk_record(found: Walk) -> dict[str, Any]:
    return {
        "from": found.start.to_dict(),
        "to": found.end.to_dict(),
        "systems": [
            {
                "name": name,
                "before": before,
                "after": after,
                "change": found.change(at),
                "refused_before": _text(found.refused_before[at]),
                "refused_after": _text(found.refused_after[at]),
            }
            for at, (name, before, after) in enumerate(
                zip(found.names, found.before, found.after, strict=True)
            )
        ],
        "steps": [_step_record(step, found.names) for step in found.steps],
    }


def _step_record(step: Step, names: Sequence[str]) -> dict[str, Any]:
    return {
        "field": step.field,
        "from": option_text(step.before),
        "to": option_text(step.after),
        "systems": [
            {
                "name": name,
                "value": system.value,
                "change": system.change,
                "share": system.share,
                "refused": _text(system.refusal),
                "queries": None
                if system.moves is None
                else [
                    {"query_id": move.query_id, "before": move.before, "after": move.after}
                    for move in system.moves
                ],
            }
            for name, system in zip(names, step.systems, strict=True)
        ],
    }


def _text(refusal: EvaluationError | None) -> str | None:
    return None if refusal is None else str(refusal)


def _search(options: argparse.Namespace) -> int:
    reported = Reported.parsed(options.reported)
    if other := [name for name in options.settings if not name.startswith("cutoff=")]:
        raise PolicyError(
            "settings", f"--set {' '.join(other)}: with --reported, only cutoff can be set."
        )
    cutoff = changed(replace(FIRST_RUN), options.settings).cutoff
    _, graded = loaded(options)
    warn(graded)
    found = matches(graded, reported, cutoff=cutoff, progress=_searched)
    progress("")
    if options.format == "json":
        json.dump([_match_record(match) for match in found], sys.stdout, indent=2)
        sys.stdout.write("\n")
        return 0
    rows = [["preset", "with", "system", "value"]]
    rows += [[m.preset.name, _switch(m), m.system, f"{m.value:.6f}"] for m in found]
    lines = aligned(rows, left=range(3)) if found else []
    if not found:
        lines.append(f"No preset, and none with one field changed, gives {options.reported}.")
    print("\n".join(lines))
    return 0


def _searched(done: int, total: int) -> None:
    progress(f"searching: {done * 100 // total} %")


def _switch(match: Match) -> str:
    if match.switch is None:
        return ""
    return f"{match.switch.field}={option_text(match.switch.option)}"


def _match_record(match: Match) -> dict[str, Any]:
    policy: Policy = match.policy
    return {
        "preset": match.preset.name,
        "set": _switch(match) or None,
        "system": match.system,
        "value": match.value,
        "fields": policy.to_dict(),
    }
