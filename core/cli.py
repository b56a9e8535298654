"""The command line: `retrievers score` and `retrievers app`."""

import argparse
import csv
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import pyarrow as pa

from core.cautions import notices, warnings
from core.chunks import ByMapping, UpToSeparator, collapsed
from core.errors import EvaluationError, NoSuchColumnError, PolicyError, counted, listed
from core.formats import (
    JUDGMENT_FORMATS,
    RUN_FORMATS,
    distinctly_named,
    read_chunk_map,
    read_judgments,
    read_runs_of_one_of_several,
)
from core.formats.column_names import DOCUMENTS, JUDGMENTS, QUERIES, RUN
from core.formats.columns import named_column
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.policy import OPTIONS, Policy, parsed_option
from core.presets import PRESETS, preset
from core.record import aggregate_record, query_records, record
from core.runs import Run
from core.scores import Aggregate, QueryScores, aggregate, score

BAD_INPUT = 2
MAX_RUNS = 40
MAX_UPLOAD_MB = 512
_MOST_WARNINGS = 12
TEXT_KINDS = (QUERIES, DOCUMENTS)
_LAST_PORT = 65535
_HIGHEST_LIMIT = 1_000_000


class RunFile(NamedTuple):
    """A run as named on the command line."""

    name: str | None
    path: Path


class ScaleError(EvaluationError, argparse.ArgumentTypeError):
    """A text that declares no scale of grades."""


class OpenRuleError(EvaluationError):
    """Unjudged documents stand in the top k, and nobody has chosen what to do with them."""


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

    scoring = commands.add_parser("score", help="score runs under one policy")
    file_options(scoring, required=True)
    chunk_options(scoring, by_map=True)
    scoring.add_argument("--preset", metavar="NAME", help=f"one of {', '.join(PRESETS)}")
    scoring.add_argument(
        "--set",
        metavar="FIELD=VALUE",
        nargs="+",
        action="extend",
        default=[],
        dest="settings",
        help=f"change a policy field: cutoff, {', '.join(OPTIONS)}, relevance_level",
    )
    scoring.add_argument("--format", choices=("table", "csv", "json"), default="table")
    scoring.add_argument("--per-query", action="store_true", help="one row a query as well")
    scoring.set_defaults(command=_score)

    app = commands.add_parser("app", help="open the dashboard, on these files or the sample runs")
    file_options(app, required=False)
    text_options(app)
    chunk_options(app, by_map=False)
    limit_options(app)
    app.add_argument("--port", type=port, help="port of the local server")
    app.set_defaults(command=_app)
    return parser


def _score(options: argparse.Namespace) -> int:
    policy, is_open = _policy(options.preset or "first-run", options.settings)
    judgments, graded = _loaded(options)
    # A table says it all itself; on a terminal it would be read twice.
    if options.format != "table" or not sys.stdout.isatty():
        _warn(graded)
    systems = [score(one, policy, runs=graded) for one in graded]
    if is_open:
        _require_choice(graded, systems, policy)
    write = {"table": _write_table, "csv": _write_csv, "json": _write_json}[options.format]
    write(sys.stdout, judgments, systems, per_query=options.per_query)
    return 0


def _policy(preset_name: str, settings: Sequence[str]) -> tuple[Policy, bool]:
    """Build the policy, and say whether the rule for unjudged documents is still open."""
    start = preset(preset_name)
    policy, chosen = start.policy, set[str]()
    for setting in settings:
        field, separator, value = setting.partition("=")
        if not (field and separator):
            raise PolicyError(field, f"--set {setting}: expected FIELD=VALUE, such as cutoff=20.")
        parsed_option(field, value)
        policy = policy.with_option(field, value)
        chosen.add(field)
    return policy, "unjudged" in set(start.open_fields) - chosen


def _loaded(options: argparse.Namespace) -> tuple[Judgments, list[GradedRun]]:
    """Read and join all files, with progress where somebody watches."""
    qrels, runs = options.qrels, options.runs
    _progress(f"reading {qrels.name}")
    judgments = read_judgments(
        qrels,
        scale=options.scale,
        format=options.qrels_format,
        columns=dict(options.qrels_columns),
    )
    loaded: list[Run] = []
    lacking: list[dict[str, NoSuchColumnError]] = []
    for number, file in enumerate(runs, 1):
        _progress(f"reading run {number} of {len(runs)}: {file.path.name}")
        of_file, lacks = read_runs_of_one_of_several(
            file.path,
            name=file.name,
            format=options.run_format,
            columns=dict(options.run_columns),
        )
        loaded += of_file
        lacking.append(lacks)
    for role, error in lacking[0].items():
        if all(role in lacks for lacks in lacking):
            raise error
    if chunks := _chunks(options):
        loaded = [collapsed(run, chunks) for run in loaded]
    _require_distinct([file.name for file in runs if file.name])
    graded = []
    for run in distinctly_named(loaded):
        _progress(f"joining {run.name}")
        graded.append(join(run, judgments))
    _progress("")
    return judgments, graded


def _chunks(options: argparse.Namespace) -> UpToSeparator | ByMapping | None:
    """Return how chunks name their documents; None: ids are of documents."""
    if options.chunk_map:
        return ByMapping(read_chunk_map(options.chunk_map), options.chunk_map.name)
    found: UpToSeparator | None = options.chunks
    return found


def _column(text: str, kind: str) -> tuple[str, str]:
    try:
        return named_column(text, kind)
    except EvaluationError as error:
        raise argparse.ArgumentTypeError(str(error).split(": ", 1)[1].rstrip(".")) from None


def _require_distinct(names: Sequence[str]) -> None:
    """Refuse a name that was given to two runs."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise EvaluationError(f"--run: {listed(twice)} names two runs. Give each its own name.")


def _warn(graded: Sequence[GradedRun]) -> None:
    """Write warnings to standard error, a line each, the gravest first and not too many."""
    said = warnings(graded)
    for text in said[:_MOST_WARNINGS]:
        print(f"retrievers: warning: {text}", file=sys.stderr)
    if (more := len(said) - _MOST_WARNINGS) > 0:
        rest = counted(more, "more warning")
        print(f"retrievers: warning: {rest}; --format json has all.", file=sys.stderr)


def _progress(text: str) -> None:
    """Rewrite the progress line; nothing unless standard error is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _require_choice(
    graded: Sequence[GradedRun], systems: Sequence[QueryScores], policy: Policy
) -> None:
    """Refuse to print a number that depends on a rule nobody chose."""
    counts = {scores.name: scores.unjudged_at_k.sum() for scores in systems}
    if not (total := sum(counts.values())):
        return
    rows = [["", *OPTIONS["unjudged"]]]
    for one in graded:
        rows.append([one.run.name, *(_value_under(one, graded, policy, o) for o in rows[0][1:])])
    each = ", ".join(f"{name} {_count(count)}" for name, count in counts.items() if count)
    found = (
        "1 unjudged document stands" if total == 1 else f"{_count(total)} unjudged documents stand"
    )
    place = "in the rankings" if policy.cutoff == "all" else f"in the top {policy.cutoff}"
    raise OpenRuleError(
        f"{found} {place} ({each}), and no rule for unjudged documents was chosen. "
        f"Choose one with --set unjudged=RULE. "
        f"{policy.short_measure} under each:\n" + "\n".join(_aligned(rows))
    )


def _count(value: float) -> str:
    """Write a number of documents; a mean over the orders of a tie may be a fraction."""
    return f"{value:,.2f}".removesuffix(".00")


def _value_under(one: GradedRun, graded: Sequence[GradedRun], policy: Policy, option: str) -> str:
    try:
        return _number(
            aggregate(score(one, policy.with_option("unjudged", option), runs=graded)).ndcg
        )
    except EvaluationError as error:
        return f"refuses: {getattr(error, 'summary', error)}"


def _write_json(
    out: TextIO, judgments: Judgments, systems: Sequence[QueryScores], *, per_query: bool
) -> None:
    """Write the whole record; queries are always part of it."""
    del per_query
    json.dump(record(judgments, systems[0].policy, systems), out, indent=2, allow_nan=False)
    out.write("\n")


def _write_csv(
    out: TextIO, judgments: Judgments, systems: Sequence[QueryScores], *, per_query: bool
) -> None:
    """Write one row a system, or one row a system and query."""
    rows: list[dict[str, Any]] = []
    for scores in systems:
        if per_query:
            rows += [{"system": scores.name, **row} for row in query_records(scores)]
            continue
        values = aggregate_record(aggregate(scores))
        left_out = values.pop("left_out")
        values |= {f"left_out_{rule}": count for rule, count in left_out.items()}
        rows.append({"system": scores.name, **values, "fingerprint": judgments.fingerprint})
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _write_table(
    out: TextIO, judgments: Judgments, systems: Sequence[QueryScores], *, per_query: bool
) -> None:
    """Write a table to read, with the rules above it and the notices below."""
    policy = systems[0].policy
    results = [aggregate(scores) for scores in systems]
    lines = [
        policy.measure,
        policy.description,
        f"{counted(len(judgments.query_ids), 'judged query', 'judged queries')}, "
        f"{counted(len(judgments), 'judgment')}, "
        f"fingerprint {judgments.fingerprint[:12]}",
        "",
        *_aligned([_heading(policy), *(_row(result) for result in results)]),
    ]
    if per_query:
        lines += ["", *_aligned(_query_rows(systems))]
    of_runs = (text for one in systems for text in notices(one.graded))
    if said := dict.fromkeys((*judgments.notices, *of_runs)):
        lines += ["", *said]
    lines += ["", "NDCG speaks of ranking, not of answers made from these documents."]
    out.write("\n".join(lines) + "\n")


def _heading(policy: Policy) -> list[str]:
    k = "" if policy.cutoff == "all" else f"@{policy.cutoff}"
    counts = ["in mean", "zero-IDCG", "missing", "empty", "left out"]
    binary = [f"P{k}", f"R{k}", "RR", "AP"]
    return ["system", policy.short_measure, *counts, f"judged{k}", *binary]


def _row(result: Aggregate) -> list[str]:
    counts = (result.queries_in_mean, result.zero_idcg, result.missing, result.empty)
    binary = (result.precision, result.recall, result.reciprocal_rank, result.average_precision)
    return [
        result.name,
        _number(result.ndcg),
        *map(str, counts),
        str(sum(result.left_out.values())),
        _number(result.judged_at_k),
        *map(_number, binary),
    ]


def _query_rows(systems: Sequence[QueryScores]) -> list[list[str]]:
    records = [query_records(scores) for scores in systems]
    rows = [["query", *(scores.name for scores in systems)]]
    for of_query in zip(*records, strict=True):
        cells = [
            _number(row["ndcg"]) if row["state"] == "scored" else row["state"] for row in of_query
        ]
        rows.append([of_query[0]["query_id"], *cells])
    return rows


def _number(value: float | None) -> str:
    return "no value" if value is None else f"{value:.4f}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


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
