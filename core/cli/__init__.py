"""The command line: `retrievers`."""

import argparse
import sys
from collections.abc import Sequence

import pyarrow as pa

from core.cli import combining, explaining, listing, scoring, serving
from core.errors import EvaluationError

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        0, or 2 for input that cannot be used, with one message on standard error.
    """
    # Arrow's own pools keep what they once had.
    pa.set_memory_pool(pa.system_memory_pool())
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except EvaluationError as error:
        print(f"retrievers: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


class _Version(argparse.Action):
    """Shows the version. Looking it up takes a tenth of a start, so that only this does."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(version("retriever-dashboard"))
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="retrievers", description="Compare retrieval runs against one frozen set of judgments."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version, and end")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in (scoring, listing, explaining, combining, serving):
        command.add(commands)
    return parser
