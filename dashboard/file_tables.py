"""The load report as a table, and its charts' data as tidy frames."""

from collections.abc import Mapping, Sequence

import pandas as pd

from core.cli.options import TEXT_KINDS
from core.coverage import judged_share, pool_coverage
from core.findings import RunFindings
from core.formats.column_names import JUDGMENTS, QUERIES, RUN
from core.formats.texts import Texts
from core.grades import GradedRun
from core.judgment_findings import Bar
from core.judgments import Judgments
from core.runs import Run
from dashboard import file_findings, markup, reports
from dashboard.file_findings import Finding
from dashboard.labels import spread
from dashboard.loading import Rejected, Workspace, blocks_of
from dashboard.markup import cell, escaped, heading, row
from dashboard.pairing import Pair
from dashboard.wording import say

_LABEL_GAP = 0.07
# Hidden on narrow screens.
_WIDE = "rd-wide"


def files(workspace: Workspace) -> str:
    """What was loaded: judgments, runs in their order, texts; refused files with the reason.

    Judgments and texts that are not used stand below those that are.
    """
    rows = [] if workspace.judgments is None else [_judgments_row(workspace, workspace.judgments)]
    rows += _rejected_rows(workspace, JUDGMENTS)
    runs: dict[str, GradedRun | Run] = {one.run.name: one for one in workspace.runs}
    runs |= {run.name: run for run in workspace.waiting}
    for file in workspace.files.runs:
        names = workspace.runs_of.get(file.digest, ())
        rows += [_run_row(runs[name]) for name in names if name in runs]
        rows += [
            _rejected_row(one)
            for one in workspace.rejected
            if one.kind == RUN and one.file.digest == file.digest
        ]
    for kind in TEXT_KINDS:
        if kind in workspace.texts:
            rows.append(_texts_row(workspace, kind, workspace.texts[kind]))
        rows += _rejected_rows(workspace, kind)
    head = [
        heading(escaped(say("data.file")), "rd-left", "rd-label"),
        heading(escaped(say("data.used_as")), "rd-left"),
        heading(escaped(say("data.format")), "rd-left", _WIDE),
        heading(escaped(say("data.lines")), _WIDE, hint=say("data.lines_hint")),
        heading(escaped(say("data.queries"))),
        heading(escaped(say("data.documents")), _WIDE, hint=say("data.documents_hint")),
        heading(escaped(say("data.judged")), "rd-left", _WIDE, hint=say("data.judged_hint")),
        heading(escaped(say("data.pool")), "rd-left", _WIDE, hint=say("data.pool_hint")),
        heading(escaped(say("data.notes")), "rd-left"),
    ]
    return markup.table(head, rows, label=say("data.files"))


def _judgments_row(workspace: Workspace, judgments: Judgments) -> str:
    found = reports.of_judgments(judgments, workspace.runs)
    return row(
        [
            _file_cell(judgments.source),
            cell(escaped(say("data.judgments")), "rd-left"),
            _format_cell(judgments.format),
            cell(f"{len(judgments):,}", _WIDE),
            cell(f"{len(judgments.query_ids):,}"),
            cell(f"{found.documents:,}", _WIDE),
            *[cell("", "rd-left", _WIDE)] * 2,
            _findings_cell(file_findings.of_judgments(judgments, found)),
        ]
    )


def _run_row(loaded: GradedRun | Run) -> str:
    run = loaded.run if isinstance(loaded, GradedRun) else loaded
    found = reports.of_run(tuple(run.blocks))
    if isinstance(loaded, GradedRun):
        shares = [markup.share(judged_share(loaded)), markup.share(pool_coverage(loaded))]
    else:
        shares = ["", ""]
    return row(
        [
            _file_cell(run.source),
            cell(markup.name(run.name), "rd-left"),
            _format_cell(run.format),
            cell(f"{found.results:,}", _WIDE),
            cell(f"{found.queries:,}"),
            cell(f"{found.documents:,}", _WIDE),
            *(cell(share, "rd-left", _WIDE) for share in shares),
            _findings_cell(_run_findings(loaded, found)),
        ]
    )


def _texts_row(workspace: Workspace, kind: str, texts: Texts) -> str:
    ids = _to_cover(workspace, kind)
    found = file_findings.of_texts(kind, texts, reports.covered(ids, texts), len(ids))
    return row(
        [
            _file_cell(texts.source),
            cell(escaped(say(f"data.texts.{kind}")), "rd-left"),
            _format_cell(texts.format),
            cell(f"{texts.total:,}", _WIDE),
            cell(""),
            cell("", _WIDE),
            *[cell("", "rd-left", _WIDE)] * 2,
            _findings_cell(found),
        ]
    )


def _to_cover(workspace: Workspace, kind: str) -> frozenset[str]:
    """What should have a text: the judged queries, or the documents that runs return."""
    if kind == QUERIES:
        return frozenset(workspace.judgments.query_ids if workspace.judgments else ())
    runs = [*(one.run for one in workspace.runs), *workspace.waiting]
    return reports.returned_documents(blocks_of(runs))


def _run_findings(loaded: GradedRun | Run, found: RunFindings) -> list[Finding]:
    if isinstance(loaded, GradedRun):
        hints = reports.near_matches(tuple(loaded.run.blocks), loaded.judgments)
        return file_findings.of_run(found, hints, loaded.notices, loaded.run.source)
    waits = Finding(say("data.waiting"))
    return [waits, *file_findings.of_run(found, None, loaded.notices, loaded.source)]


def _rejected_rows(workspace: Workspace, kind: str) -> list[str]:
    return [_rejected_row(one) for one in workspace.rejected if one.kind == kind]


def _rejected_row(rejected: Rejected) -> str:
    reason = f"{markup.bold(escaped(say('data.not_used_lead')))} {escaped(rejected.reason)}"
    return row(
        [
            _file_cell(rejected.file.name),
            cell(escaped(say("data.not_used")), "rd-left", "rd-mute"),
            _format_cell("–"),
            cell("–", "rd-mute", _WIDE),
            cell("–", "rd-mute"),
            *[cell("–", "rd-mute", _WIDE)] * 3,
            cell(reason, "rd-left", "rd-wrap"),
        ]
    )


def _file_cell(file: str) -> str:
    return cell(markup.name(file), "rd-left", "rd-label")


def _format_cell(name: str) -> str:
    return cell(escaped(name), "rd-left", "rd-mute", "rd-format", _WIDE)


def _findings_cell(findings: Sequence[Finding]) -> str:
    """Findings that need a look in a line each, the usual ones muted in one line below."""
    lines = [f"<div>{escaped(finding.text)}</div>" for finding in findings if not finding.usual]
    if usual := " ".join(escaped(finding.text) for finding in findings if finding.usual):
        lines.append(f'<div class="rd-mute">{usual}</div>')
    return cell("".join(lines), "rd-left", "rd-wrap")


def coverage_frame(
    depths: Sequence[int],
    shares: Mapping[str, Sequence[float | None]],
    pair: Pair,
) -> pd.DataFrame:
    """Rows for `charts.coverage_lines`.

    Parameters
    ----------
    depths : sequence of int
        Values of k, ascending.
    shares : mapping
        judged@k at each depth, by name of the system. None: no results.
    pair : Pair
        The compared systems, which have colours.
    """
    rows = [
        {"k": k, "system": name, "share": share, "role": pair.role(name)}
        for name, values in shares.items()
        for k, share in zip(depths, values, strict=True)
        if share is not None
    ]
    frame = pd.DataFrame(rows, columns=["k", "system", "share", "role"])
    last = frame.groupby("system", sort=False)["k"].transform("max") == frame["k"]
    frame["label_at"] = float("nan")
    frame.loc[last, "label_at"] = spread(frame.loc[last, "share"].tolist(), _LABEL_GAP, top=1.0)
    return frame


def relevant_frame(bars: Sequence[Bar]) -> pd.DataFrame:
    """Rows for `charts.relevant_bars`: the bar of 0 has a name and a colour of its own."""
    return pd.DataFrame(
        [
            {
                "documents": _range(bar),
                "queries": bar.queries,
                "role": "other" if bar.high else "flip",
                "name": "" if bar.high or not bar.queries else say("data.relevant.zero"),
            }
            for bar in bars
        ]
    )


def _range(bar: Bar) -> str:
    if bar.low == bar.high:
        return str(bar.low)
    return say("data.relevant.range", low=bar.low, high=bar.high)
