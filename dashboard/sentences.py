"""Findings in words: the verdict, the line of rules and counts, the notes."""

from collections import Counter
from collections.abc import Mapping, Sequence

from core.comparison import Comparison
from core.errors import shortened
from core.judgments import Judgments
from core.policy import Policy
from core.scores import Aggregate, QueryScores
from core.sensitivity import SwitchEffect
from dashboard import wording
from dashboard.markup import NOTHING, count, escaped, number, signed

_NAMED = 3


def line(text: str) -> str:
    """A quiet line."""
    return f'<div class="rd-line">{escaped(text)}</div>'


def note(text: str, lead: str = "") -> str:
    """A note that must not be missed."""
    bold = f"<b>{escaped(lead)}</b> " if lead else ""
    return f'<div class="rd-note" role="note">{bold}{escaped(text)}</div>'


def walk() -> str:
    """The first steps on the sample runs."""
    steps = "".join(f"<li>{escaped(step)}</li>" for step in wording.WALK)
    title = f'<summary><span class="rd-more">{escaped(wording.WALK_TITLE)}</span></summary>'
    return f'<details class="rd-line">{title}<ol>{steps}</ol></details>'


def verdict(
    aggregates: Sequence[Aggregate],
    comparison: Comparison | None,
    effects: Sequence[SwitchEffect],
    *,
    provisional: bool,
) -> str:
    """The answer in two sentences; `aggregates` come best first."""
    lead = "Provisional: " if provisional else ""
    best = aggregates[0]
    if comparison is None or comparison.difference is None:
        value = f"{best.policy.short_measure} <b>{number(best.ndcg)}</b>"
        return f'<div class="rd-verdict">{lead}<b>{escaped(best.name)}</b> has {value}.</div>'
    return (
        f'<div class="rd-verdict">{lead}{_difference(comparison, aggregates)} '
        f"{_order_changes(effects)}</div>"
    )


def _difference(comparison: Comparison, aggregates: Sequence[Aggregate]) -> str:
    first, second = escaped(comparison.system), escaped(comparison.baseline)
    measure = aggregates[0].policy.short_measure
    counts = (
        f"better on {comparison.wins}, tied on {comparison.ties} and worse on "
        f"{comparison.losses} of {comparison.queries} queries."
    )
    difference = comparison.difference or 0.0
    if comparison.only_system or comparison.only_baseline:
        return (
            f"<b>{first}</b> has <b>{number(aggregates[0].ndcg)}</b> {measure} and {second} "
            f"<b>{number(aggregates[1].ndcg)}</b>, over different queries. On those both have a "
            f"score for, the difference is <b>{signed(difference)}</b>: {counts}"
        )
    if abs(difference) < NOTHING:
        return f"<b>{first}</b> and <b>{second}</b> are level in {measure}: {counts}"
    verb = "leads" if difference > 0 else "trails"
    amount = number(abs(difference)) if abs(difference) >= 0.0005 else "less than 0.0005"
    return f"<b>{first}</b> {verb} {second} by <b>{amount}</b> {measure}: {counts}"


def _order_changes(effects: Sequence[SwitchEffect]) -> str:
    reorder = [effect for effect in effects if effect.changes_order]
    leader = [one for one in reorder if _leaders(one.ranks) != _leaders(one.ranks_before)]
    change, changes = (("changes" if len(some) == 1 else "change") for some in (reorder, leader))
    return (
        f"<b>{len(reorder)}</b> of {len(effects)} single policy switches {change} the order of the "
        f"systems; <b>{len(leader)}</b> {changes} the leader."
    )


def _leaders(ranks: Sequence[int | None]) -> list[int]:
    return [at for at, rank in enumerate(ranks) if rank == 1]


def provenance(
    policy: Policy, aggregates: Sequence[Aggregate], judgments: Judgments, *, provisional: bool
) -> str:
    """The rules and counts that travel with every number; every rule is one click away."""
    parts = [f"<b>{escaped(policy.measure)}</b>"]
    if provisional:
        parts.append("<b>provisional</b>")
    parts.append("macro mean" if policy.average == "macro" else "pooled ratio")
    parts.append(f"<b>{len(judgments.query_ids):,}</b> judged queries")
    if aggregates:
        parts += [
            _count("in the mean", {one.name: one.queries_in_mean for one in aggregates}),
            _count("zero-IDCG", {one.name: one.zero_idcg for one in aggregates}),
            _count("missing", {one.name: one.missing for one in aggregates}),
            _count("empty", {one.name: one.empty for one in aggregates}),
            _count("left out", {one.name: sum(one.left_out.values()) for one in aggregates}),
        ]
    else:
        parts.append("<b>every system is refused</b>")
    parts.append(f"judgments <b>{judgments.fingerprint[:12]}</b>")
    every = f"{policy.description}. Fingerprint of the judgments: {judgments.fingerprint}"
    return (
        f'<details class="rd-line"><summary>{" · ".join(parts)} · '
        f'<span class="rd-more">every rule</span></summary>{escaped(every)}</details>'
    )


def _count(label: str, counts: Mapping[str, int]) -> str:
    """One count where all systems agree, or else those that differ from most, or a range."""
    (usual, systems), *_ = Counter(counts.values()).most_common()
    if systems == len(counts):
        return f"{label} <b>{usual:,}</b>"
    if len(counts) - systems > _NAMED:
        return f"{label} <b>{min(counts.values()):,}</b> to <b>{max(counts.values()):,}</b>"
    odd = [
        f"{escaped(shortened(name, 24))} <b>{value:,}</b>"
        for name, value in counts.items()
        if value != usual
    ]
    others = "the other" if systems == 1 else "the others"
    return f"{label} ({', '.join(odd)}, {others} <b>{usual:,}</b>)"


def unjudged_choice(unjudged: float, policy: Policy) -> str:
    """Why the numbers are provisional."""
    top = "the rankings" if policy.cutoff == "all" else f"the top {policy.cutoff}"
    stand = "unjudged document stands" if unjudged == 1 else "unjudged documents stand"
    return note(
        f"{count(unjudged)} {stand} in {top}, and no rule for them was chosen. Until you choose "
        "one they count as 0. Choose what they are to be:",
        lead="Provisional.",
    )


def own_ideal_lists(systems: Sequence[QueryScores]) -> str:
    """The warning of ideal_scope this_run, with the queries whose IDCG it empties."""
    emptied = ", ".join(
        f"{scores.name} {int((scores.zero_idcg & scores.judgments.positive).sum())}"
        for scores in systems
    )
    found_nothing = f" Queries left at IDCG 0 because the run found nothing: {emptied}."
    return note(
        wording.THIS_RUN + (found_nothing if emptied else ""),
        lead="Not comparable between systems.",
    )
