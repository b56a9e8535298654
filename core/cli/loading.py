"""Reads what the options name: files to graded runs, a preset and settings to a policy."""

import argparse
import sys
from collections.abc import Sequence

from core.cautions import warnings
from core.chunks import ByMapping, UpToSeparator, collapsed
from core.cli.tables import aligned, amount, number
from core.errors import EvaluationError, NoSuchColumnError, PolicyError, counted, listed
from core.formats import (
    distinctly_named,
    read_chunk_map,
    read_judgments,
    read_runs_of_one_of_several,
)
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.policy import OPTIONS, Policy
from core.presets import preset
from core.runs import Run
from core.scores import aggregate, score

_MOST_WARNINGS = 12


class OpenRuleError(EvaluationError):
    """Unjudged documents stand in the top k, and nobody has chosen what to do with them."""


def chosen_policy(preset_name: str, settings: Sequence[str]) -> tuple[Policy, bool]:
    """Build the policy, and say whether the rule for unjudged documents is still open."""
    start = preset(preset_name)
    chosen = {setting.partition("=")[0] for setting in settings}
    return changed(start.policy, settings), "unjudged" in set(start.open_fields) - chosen


def changed(policy: Policy, settings: Sequence[str]) -> Policy:
    """Set fields of a policy as `FIELD=VALUE` says."""
    for setting in settings:
        field, separator, value = setting.partition("=")
        if not (field and separator):
            raise PolicyError(field, f"--set {setting}: expected FIELD=VALUE, such as cutoff=20.")
        policy = policy.with_option(field, value)
    return policy


def loaded(options: argparse.Namespace) -> tuple[Judgments, list[GradedRun]]:
    """Read and join all files, with progress where somebody watches."""
    qrels, runs = options.qrels, options.runs
    progress(f"reading {qrels.name}")
    judgments = read_judgments(
        qrels,
        scale=options.scale,
        format=options.qrels_format,
        columns=dict(options.qrels_columns),
    )
    loaded: list[Run] = []
    lacking: list[dict[str, NoSuchColumnError]] = []
    for at, file in enumerate(runs, 1):
        progress(f"reading run {at} of {len(runs)}: {file.path.name}")
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
        progress(f"joining {run.name}")
        graded.append(join(run, judgments))
    progress("")
    return judgments, graded


def _chunks(options: argparse.Namespace) -> UpToSeparator | ByMapping | None:
    """Return how chunks name their documents; None: ids are of documents."""
    if options.chunk_map:
        return ByMapping(read_chunk_map(options.chunk_map), options.chunk_map.name)
    found: UpToSeparator | None = options.chunks
    return found


def _require_distinct(names: Sequence[str]) -> None:
    """Refuse a name that was given to two runs."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise EvaluationError(f"--run: {listed(twice)} names two runs. Give each its own name.")


def warn(graded: Sequence[GradedRun]) -> None:
    """Write warnings to standard error, a line each, the gravest first and not too many."""
    said = warnings(graded)
    for text in said[:_MOST_WARNINGS]:
        print(f"retrievers: warning: {text}", file=sys.stderr)
    if (more := len(said) - _MOST_WARNINGS) > 0:
        rest = counted(more, "more warning")
        print(f"retrievers: warning: {rest}; --format json has all.", file=sys.stderr)


def progress(text: str) -> None:
    """Rewrite the progress line; nothing unless standard error is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def require_choice(graded: Sequence[GradedRun], policy: Policy) -> None:
    """Refuse to print a number that depends on a rule nobody chose."""
    counts = {one.run.name: score(one, policy, runs=graded).unjudged_at_k.sum() for one in graded}
    if not (total := sum(counts.values())):
        return
    rows = [["", *OPTIONS["unjudged"]]]
    for one in graded:
        rows.append([one.run.name, *(_value_under(one, graded, policy, o) for o in rows[0][1:])])
    each = ", ".join(f"{name} {amount(value)}" for name, value in counts.items() if value)
    found = (
        "1 unjudged document stands" if total == 1 else f"{amount(total)} unjudged documents stand"
    )
    place = "in the rankings" if policy.cutoff == "all" else f"in the top {policy.cutoff}"
    raise OpenRuleError(
        f"{found} {place} ({each}), and no rule for unjudged documents was chosen. "
        f"Choose one with --set unjudged=RULE. "
        f"{policy.short_measure} under each:\n" + "\n".join(aligned(rows))
    )


def _value_under(one: GradedRun, graded: Sequence[GradedRun], policy: Policy, option: str) -> str:
    try:
        return number(
            aggregate(score(one, policy.with_option("unjudged", option), runs=graded)).ndcg
        )
    except EvaluationError as error:
        return f"refuses: {getattr(error, 'summary', error)}"
