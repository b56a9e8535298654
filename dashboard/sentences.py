"""Findings in words: the verdict, the line of rules and counts, the notes."""

from collections.abc import Callable, Sequence

from core.comparison import Comparison
from core.judgments import Judgments
from core.policy import Policy
from core.scores import Aggregate, QueryScores
from core.sensitivity import SwitchEffect
from dashboard import wording
from dashboard.markup import escaped, number


def line(text: str) -> str:
    """A quiet line."""
    return f'<div class="rd-line">{escaped(text)}</div>'


def note(text: str, lead: str = "") -> str:
    """A note that must not be missed."""
    bold = f"<b>{escaped(lead)}</b> " if lead else ""
    return f'<div class="rd-note" role="note">{bold}{escaped(text)}</div>'


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
        f'<div class="rd-verdict">{lead}{_difference(comparison, best.policy)} '
        f"{_order_changes(effects)}</div>"
    )


def _difference(comparison: Comparison, policy: Policy) -> str:
    first, second = escaped(comparison.system), escaped(comparison.baseline)
    counts = (
        f"better on {comparison.wins}, tied on {comparison.ties} and worse on "
        f"{comparison.losses} of {comparison.queries} queries."
    )
    difference = comparison.difference or 0.0
    if difference == 0:
        return f"<b>{first}</b> and <b>{second}</b> are level in {policy.short_measure}: {counts}"
    verb = "leads" if difference > 0 else "trails"
    amount = number(abs(difference)) if abs(difference) >= 0.0005 else "less than 0.0005"
    return f"<b>{first}</b> {verb} {second} by <b>{amount}</b> {policy.short_measure}: {counts}"


def _order_changes(effects: Sequence[SwitchEffect]) -> str:
    reorder = [effect for effect in effects if effect.changes_order]
    leader = [one for one in reorder if _leaders(one.ranks) != _leaders(one.ranks_before)]
    return (
        f"<b>{len(reorder)}</b> of {len(effects)} single policy switches change the order of the "
        f"systems; <b>{len(leader)}</b> change the leader."
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
    parts += [
        "macro mean" if policy.average == "macro" else "pooled ratio",
        f"<b>{len(judgments.query_ids):,}</b> judged queries",
        _count("in the mean", aggregates, lambda one: one.queries_in_mean),
        _count("zero-IDCG", aggregates, lambda one: one.zero_idcg),
        _count("missing", aggregates, lambda one: one.missing),
        _count("empty", aggregates, lambda one: one.empty),
        _count("left out", aggregates, lambda one: sum(one.left_out.values())),
        f"judgments <b>{judgments.fingerprint[:12]}</b>",
    ]
    every = f"{policy.description}. Fingerprint of the judgments: {judgments.fingerprint}"
    return (
        f'<details class="rd-line"><summary>{" · ".join(parts)} · '
        f'<span class="rd-more">every rule</span></summary>{escaped(every)}</details>'
    )


def _count(label: str, aggregates: Sequence[Aggregate], count: Callable[[Aggregate], int]) -> str:
    """One count where all systems agree, or else each system's."""
    counts = {one.name: count(one) for one in aggregates}
    if len(set(counts.values())) == 1:
        return f"{label} <b>{next(iter(counts.values())):,}</b>"
    each = ", ".join(f"{escaped(name)} <b>{value:,}</b>" for name, value in counts.items())
    return f"{label} ({each})" if each else f"{label} <b>0</b>"


def unjudged_choice(unjudged: float, policy: Policy) -> str:
    """Why the numbers are provisional."""
    top = "the rankings" if policy.cutoff == "all" else f"the top {policy.cutoff}"
    return note(
        f"{unjudged:,g} unjudged documents stand in {top}, and no rule for them was chosen. Until "
        "you choose one they count as 0. Choose what they are to be:",
        lead="Provisional.",
    )


def own_ideal_lists(systems: Sequence[QueryScores]) -> str:
    """The warning of ideal_scope this_run, with the queries whose IDCG it empties."""
    emptied = ", ".join(
        f"{scores.name} {int((scores.zero_idcg & scores.judgments.positive).sum())}"
        for scores in systems
    )
    return note(
        f"{wording.THIS_RUN} Queries left at IDCG 0 because the run found nothing: {emptied}.",
        lead="Not comparable between systems.",
    )
