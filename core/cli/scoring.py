"""`retrievers score`: runs under one policy."""

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from core.cautions import notices
from core.cli.loading import chosen_policy, loaded, require_choice, warn
from core.cli.options import Commands, chunk_options, file_options, policy_options
from core.cli.tables import aligned, number
from core.errors import counted
from core.judgments import Judgments
from core.policy import Policy
from core.record import aggregate_record, query_records, record
from core.scores import Aggregate, QueryScores, aggregate, score


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("score", help="score runs under one policy")
    file_options(parser, required=True)
    chunk_options(parser, by_map=True)
    policy_options(parser)
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    parser.add_argument("--per-query", action="store_true", help="one row a query as well")
    parser.set_defaults(command=_score)


def _score(options: argparse.Namespace) -> int:
    policy, is_open = chosen_policy(options.preset or "first-run", options.settings)
    judgments, graded = loaded(options)
    # A table says it all itself; on a terminal it would be read twice.
    if options.format != "table" or not sys.stdout.isatty():
        warn(graded)
    systems = [score(one, policy, runs=graded) for one in graded]
    if is_open:
        require_choice(graded, policy)
    write = {"table": _write_table, "csv": _write_csv, "json": _write_json}[options.format]
    write(sys.stdout, judgments, systems, per_query=options.per_query)
    return 0


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
        *aligned([_heading(policy), *(_row(result) for result in results)]),
    ]
    if per_query:
        lines += ["", *aligned(_query_rows(systems))]
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
        number(result.ndcg),
        *map(str, counts),
        str(sum(result.left_out.values())),
        number(result.judged_at_k),
        *map(number, binary),
    ]


def _query_rows(systems: Sequence[QueryScores]) -> list[list[str]]:
    records = [query_records(scores) for scores in systems]
    rows = [["query", *(scores.name for scores in systems)]]
    for of_query in zip(*records, strict=True):
        cells = [
            number(row["ndcg"]) if row["state"] == "scored" else row["state"] for row in of_query
        ]
        rows.append([of_query[0]["query_id"], *cells])
    return rows
