"""`retrievers app`: the dashboard in a server of its own."""

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from core.cli.options import (
    MAX_RUNS,
    MAX_UPLOAD_MB,
    TEXT_KINDS,
    Commands,
    chunk_options,
    file_options,
    limit_options,
    port,
    text_options,
)
from core.errors import EvaluationError, counted


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "app", help="open the dashboard, on these files or the sample runs"
    )
    file_options(parser, required=False)
    text_options(parser)
    chunk_options(parser, by_map=False)
    limit_options(parser)
    parser.add_argument("--port", type=port, help="port of the local server")
    parser.set_defaults(command=_app)


def _app(options: argparse.Namespace) -> int:
    """Open the dashboard in a server of its own, on this machine only."""
    if bool(options.qrels) != bool(options.runs):
        raise EvaluationError("Give --qrels and --run together, or neither for the sample runs.")
    for kind in TEXT_KINDS:
        if getattr(options, kind) and not options.qrels:
            raise EvaluationError(
                f"--{kind}: the sample runs have texts of their own. Give --qrels and --run, too."
            )
    if len(options.runs) > options.max_runs:
        raise EvaluationError(
            f"--run: {counted(len(options.runs), 'run')}, and the app holds at most "
            f"{options.max_runs:,}. Name fewer, or raise --max-runs."
        )
    found = importlib.util.find_spec("dashboard")
    if found is None or found.submodule_search_locations is None:
        raise EvaluationError("The dashboard package is not installed. Run: make install")
    script = Path(next(iter(found.submodule_search_locations))) / "app.py"
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    if options.port:
        command += ["--server.port", str(options.port)]
    if options.max_upload_mb != MAX_UPLOAD_MB:
        command += ["--server.maxUploadSize", str(options.max_upload_mb)]
    return serve([*command, "--", *_limit_arguments(options), *_file_arguments(options)])


def serve(command: list[str]) -> int:
    """Become the server, so that whatever ends this process ends the server."""
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.call(command)


def _limit_arguments(options: argparse.Namespace) -> list[str]:
    """The limits that are not the usual ones, as the app reads them."""
    arguments = []
    if options.max_runs != MAX_RUNS:
        arguments += ["--max-runs", str(options.max_runs)]
    if options.max_upload_mb != MAX_UPLOAD_MB:
        arguments += ["--max-upload-mb", str(options.max_upload_mb)]
    return arguments


def _file_arguments(options: argparse.Namespace) -> list[str]:
    if not options.qrels:
        return []
    texts = {kind: path for kind in TEXT_KINDS if (path := getattr(options, kind))}
    for path in (options.qrels, *(file.path for file in options.runs), *texts.values()):
        if not path.is_file():
            raise EvaluationError(f"{path}: there is no such file. Check its path.")
    arguments = ["--qrels", str(options.qrels.resolve())]
    for file in options.runs:
        prefix = f"{file.name}=" if file.name else ""
        arguments += ["--run", f"{prefix}{file.path.resolve()}"]
    for kind, path in texts.items():
        arguments += [f"--{kind}", str(path.resolve())]
    if options.scale:
        arguments += ["--scale", "..".join(map(str, options.scale))]
    if options.chunks:
        arguments += ["--collapse-chunks", options.chunks.separator]
    for kind in ("qrels", "run"):
        if chosen := getattr(options, f"{kind}_format"):
            arguments += [f"--{kind}-format", chosen]
        for meaning, column in getattr(options, f"{kind}_columns"):
            arguments += [f"--{kind}-column", f"{meaning}={column}"]
    return arguments
