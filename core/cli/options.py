"""Options of the command line that several commands, and the app, read alike."""

import argparse
from pathlib import Path
from typing import NamedTuple, TypeAlias

from core.chunks import UpToSeparator
from core.errors import EvaluationError
from core.formats import JUDGMENT_FORMATS, RUN_FORMATS
from core.formats.column_names import DOCUMENTS, JUDGMENTS, QUERIES, RUN
from core.formats.columns import named_column
from core.policy import OPTIONS
from core.presets import PRESETS

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What each command adds itself to."""

MAX_RUNS = 40
MAX_UPLOAD_MB = 512
TEXT_KINDS = (QUERIES, DOCUMENTS)
_LAST_PORT = 65535
_HIGHEST_LIMIT = 1_000_000


class RunFile(NamedTuple):
    """A run as named on the command line."""

    name: str | None
    path: Path


class ScaleError(EvaluationError, argparse.ArgumentTypeError):
    """A text that declares no scale of grades."""


def run_file(text: str) -> RunFile:
    """Read `FILE` or `NAME=FILE`; a file whose own name holds a `=` is taken whole."""
    name, separator, path = text.partition("=")
    if not separator or Path(text).exists():
        return RunFile(None, Path(text))
    return RunFile(name or None, Path(path))


def grade_scale(text: str) -> tuple[int, int]:
    """Read a declared scale: `0..3`."""
    low, separator, high = text.partition("..")
    try:
        scale = (int(low), int(high))
    except ValueError:
        separator = ""
    if not separator or scale[0] > scale[1]:
        raise ScaleError(f"'{text}' is not a scale of grades. Give the lowest and highest: 0..3.")
    return scale


def qrels_column(text: str) -> tuple[str, str]:
    """Read `MEANING=COLUMN` for judgments."""
    return _column(text, JUDGMENTS)


def run_column(text: str) -> tuple[str, str]:
    """Read `MEANING=COLUMN` for runs; `score=-COLUMN` where smaller is better."""
    return _column(text, RUN)


def port(text: str) -> int:
    """Read a port of this machine: 1 to 65535."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port. Give a number from 1 to 65535")
    return int(text)


def limit(text: str) -> int:
    """Read a limit: a whole number from 1 to a million."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:8]) <= _HIGHEST_LIMIT:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a limit. Give a whole number from 1 to {_HIGHEST_LIMIT:,}"
        )
    return int(text)


def file_options(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add the options that name the files; the app reads the same ones."""
    parser.add_argument("--qrels", type=Path, metavar="FILE", required=required, help="judgments")
    parser.add_argument(
        "--run",
        type=run_file,
        metavar="[NAME=]FILE",
        nargs="+",
        action="extend",
        dest="runs",
        required=required,
        default=[] if not required else None,
        help="run files, each with a name of your choice in front or called by its tag",
    )
    parser.add_argument(
        "--scale", type=grade_scale, metavar="LOW..HIGH", help="declared grades, such as 0..3"
    )
    for kind, formats, column in (
        ("qrels", JUDGMENT_FORMATS, qrels_column),
        ("run", RUN_FORMATS, run_column),
    ):
        parser.add_argument(
            f"--{kind}-format",
            choices=tuple(formats),
            help="read the file as this, whatever it looks like"
            if kind == "qrels"
            else "read all run files as this",
        )
        parser.add_argument(
            f"--{kind}-column",
            type=column,
            metavar="MEANING=COLUMN",
            nargs="+",
            action="extend",
            default=[],
            dest=f"{kind}_columns",
            help="which column of a file with named columns is the query, document, "
            + (
                "grade or list of documents"
                if kind == "qrels"
                else "score (-COLUMN: smaller is better), rank, system or list of documents"
            ),
        )


def policy_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a policy."""
    parser.add_argument("--preset", metavar="NAME", help=f"one of {', '.join(PRESETS)}")
    setting_option(parser)


def setting_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that changes single fields."""
    parser.add_argument(
        "--set",
        metavar="FIELD=VALUE",
        nargs="+",
        action="extend",
        default=[],
        dest="settings",
        help=f"change a policy field: cutoff, {', '.join(OPTIONS)}, relevance_level",
    )


def text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name files of texts, which change no number."""
    for kind in TEXT_KINDS:
        parser.add_argument(
            f"--{kind}", type=Path, metavar="FILE", help=f"texts of {kind}, for the pages to show"
        )


def chunk_options(parser: argparse.ArgumentParser, *, by_map: bool) -> None:
    """Add what collapses chunks to documents, where judgments are of whole documents."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--collapse-chunks",
        type=chunk_separator,
        metavar="SEPARATOR",
        dest="chunks",
        help="a run's ids are chunks: their document is the id up to the last SEPARATOR, and the "
        "best-ranked chunk of each is kept",
    )
    if by_map:
        group.add_argument(
            "--chunk-map",
            type=Path,
            metavar="FILE",
            help="the same by a file of chunks and their documents: JSON {chunk: document}, or two "
            "columns of CSV or TSV",
        )


def chunk_separator(text: str) -> UpToSeparator:
    """Read what separates a document's id from the rest of a chunk's."""
    try:
        return UpToSeparator(text)
    except EvaluationError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that limit what the app takes; the app reads the same ones."""
    parser.add_argument(
        "--max-runs",
        type=limit,
        metavar="N",
        default=MAX_RUNS,
        help="runs the app holds at once (default: %(default)s)",
    )
    parser.add_argument(
        "--max-upload-mb",
        type=limit,
        metavar="MB",
        default=MAX_UPLOAD_MB,
        help="size of one uploaded file, in megabytes (default: %(default)s)",
    )


def _column(text: str, kind: str) -> tuple[str, str]:
    try:
        return named_column(text, kind)
    except EvaluationError as error:
        raise argparse.ArgumentTypeError(str(error).split(": ", 1)[1].rstrip(".")) from None
