"""`retrievers presets`: the named policies, whose number each gives, and how that was checked."""

import argparse
import json
import sys

from core.cli.options import Commands
from core.cli.tables import aligned
from core.policy import option_text
from core.presets import CHECKS, FIRST_RUN, PRESETS, Preset


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("presets", help="list the named policies")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.set_defaults(command=_presets)


def _presets(options: argparse.Namespace) -> int:
    presets = list(PRESETS.values())
    if options.format == "json":
        json.dump([preset.to_dict() for preset in presets], sys.stdout, indent=2)
        sys.stdout.write("\n")
        return 0
    rows = [["name", "tool", "version", "checked", "differs from first-run in"]]
    rows += [[one.name, one.tool, one.version, one.checked, _differences(one)] for one in presets]
    lines = aligned(rows, left=range(5))
    lines += ["", *aligned([["checked", ""], *CHECKS.items()], left=range(2))]
    if notes := [[one.name, one.note] for one in presets if one.note]:
        lines += ["", *aligned([["notes", ""], *notes], left=range(2))]
    print("\n".join(lines))
    return 0


def _differences(preset: Preset) -> str:
    usual, own = FIRST_RUN.to_dict(), preset.policy.to_dict()
    return " ".join(
        f"{field}={option_text(option)}" for field, option in own.items() if option != usual[field]
    )
