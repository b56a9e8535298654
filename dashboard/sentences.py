"""Findings in words: the verdict, the line of rules and counts, the notes."""

from collections import Counter
from collections.abc import Mapping, Sequence

from core.comparison import Comparison
from core.errors import shortened
from core.formats.texts import Text
from core.judgments import Judgments
from core.policy import Policy
from core.presets import Preset
from core.scores import Aggregate, QueryScores
from core.sensitivity import SwitchEffect, ranks
from dashboard import markup
from dashboard.markup import (
    NOTHING,
    bold,
    escaped,
    excerpt,
    number,
    phrase,
    phrase_count,
    signed,
    title,
)
from dashboard.pairing import Pair
from dashboard.wording import say, say_count, switch_label

_NAMED = 3
_SMALL = 0.0005


def line(text: str) -> str:
    """A quiet line."""
    return f'<div class="rd-line">{escaped(text)}</div>'


def note(text: str, lead: str = "") -> str:
    """A note that must not be missed."""
    start = f"{bold(escaped(lead))} " if lead else ""
    return f'<div class="rd-note" role="note">{start}{escaped(text)}</div>'


def of_tool(preset: Preset) -> str:
    """Whose number a preset gives, how that was checked, and what it cannot give."""
    tool = say("preset.line", tool=preset.tool, version=preset.version)
    return line(" ".join((tool, say(f"preset.checked.{preset.checked}"), preset.note)).strip())


def steps(title: str, texts: Sequence[str]) -> str:
    """Steps or remarks in their order, one click away."""
    listed = "".join(f"<li>{escaped(text)}</li>" for text in texts)
    summary = f'<summary><span class="rd-more">{escaped(title)}</span></summary>'
    return f'<details class="rd-line">{summary}<ol>{listed}</ol></details>'


def query_title(query_id: str, text: Text | None) -> str:
    """Heading of the open query: the beginning of its text, and its id."""
    named = say("query.id", query=shortened(query_id, 200))
    begins = excerpt(text.label) if text else ""
    return title(begins, named) if begins else title(named)


def whole_text(text: Text | None) -> str:
    """All of a text, one click away; empty where the heading says it all."""
    whole = (text.text or text.title) if text else ""
    if text is None or whole == excerpt(text.label):
        return ""
    summary = f'<summary><span class="rd-more">{phrase("query.whole")}</span></summary>'
    all_of_it = f'<div class="rd-whole" tabindex="0">{escaped(whole)}</div>'
    return f'<details class="rd-line">{summary}{all_of_it}</details>'


def verdict(
    aggregates: Sequence[Aggregate], comparison: Comparison | None, *, provisional: bool
) -> list[str]:
    """The answer, sentence by sentence; `aggregates` come best first, one at least."""
    sentences = [phrase("verdict.provisional")] if provisional else []
    best = aggregates[0]
    if best.no_value:
        names = {"system": bold(escaped(best.name)), "measure": escaped(best.policy.short_measure)}
        return [*sentences, phrase("verdict.no_value", why=escaped(best.no_value), **names)]
    pair = () if comparison is None else (comparison.system, comparison.baseline)
    places = ranks([one.ndcg for one in aggregates])
    level = [one for one, place in zip(aggregates, places, strict=True) if place == 1]
    shared = len(level) > 1
    if comparison is None or comparison.difference is None or best.name not in pair or shared:
        key = "verdict.shared" if shared else "verdict.best"
        sentences.append(
            phrase(
                key if len(aggregates) > 1 else "verdict.only",
                system=_enumerated([bold(escaped(one.name)) for one in level]),
                measure=escaped(best.policy.short_measure),
                value=bold(number(best.ndcg)),
            )
        )
    if comparison is not None and comparison.difference is not None:
        sentences.append(_compared(comparison, best.policy))
    return sentences


def _enumerated(names: Sequence[str]) -> str:
    """Names in a row, the last one after `and`; they are HTML."""
    if len(names) == 1:
        return names[0]
    return phrase("verdict.and", first=", ".join(names[:-1]), last=names[-1])


def _compared(comparison: Comparison, policy: Policy) -> str:
    names = {
        "first": markup.name(comparison.system, "first"),
        "second": markup.name(comparison.baseline, "second"),
        "measure": escaped(policy.short_measure),
    }
    counts = phrase(
        "verdict.counts",
        wins=f"{comparison.wins:,}",
        ties=f"{comparison.ties:,}",
        losses=f"{comparison.losses:,}",
        queries=f"{comparison.queries:,}",
    )
    difference = comparison.difference or 0.0
    if abs(difference) < NOTHING:
        return f"{phrase('verdict.level', **names)}: {counts}"
    amount = number(abs(difference)) if abs(difference) >= _SMALL else say("verdict.tiny")
    verb = "verdict.leads" if difference > 0 else "verdict.trails"
    if comparison.only_system or comparison.only_baseline:
        verb += "_on_common"
    lead = phrase(verb, amount=bold(escaped(amount)), **names)
    return f"{lead} {_interval_words(comparison)}: {counts}"


def _interval_words(comparison: Comparison) -> str:
    """The interval of A less B, with the signs it has in the leaderboard."""
    if comparison.interval is None:
        return phrase("verdict.no_interval")
    key = "verdict.separates" if comparison.separates else "verdict.includes_zero"
    return phrase(
        key,
        difference=signed(comparison.difference),
        interval=markup.bounds(comparison.interval),
    )


def switches(effects: Sequence[SwitchEffect]) -> str:
    """How many single switches would change the order, and how many the leader."""
    reorder = [effect for effect in effects if effect.changes_order]
    leader = [effect.switch for effect in effects if effect.changes_leader]
    order = phrase_count("verdict.order", len(reorder), switches=f"{len(effects):,}")
    if not leader:
        return f"{order} {phrase('verdict.leader.none')}"
    named = "; ".join(switch_label(switch.field, switch.option) for switch in leader[:_NAMED])
    more = f"; {say('verdict.more', n=len(leader) - _NAMED)}" if len(leader) > _NAMED else ""
    which = escaped(f"{named}{more}")
    return f"{order} {phrase_count('verdict.leader', len(leader), switches=which)}"


def verdict_block(sentences: Sequence[str]) -> str:
    """Sentences of the verdict, as the first thing on the page; they are HTML."""
    return f'<div class="rd-verdict">{" ".join(sentences)}</div>'


def provenance(
    policy: Policy, aggregates: Sequence[Aggregate], judgments: Judgments, *, provisional: bool
) -> str:
    """The rules and counts that travel with every number; every rule is one click away."""
    parts = [bold(escaped(policy.measure))]
    if provisional:
        parts.append(bold(phrase("provenance.provisional")))
    parts.append(phrase(f"provenance.{policy.average}"))
    parts.append(phrase_count("provenance.judged", len(judgments.query_ids)))
    if aggregates:
        parts += [
            _count("in_mean", {one.name: one.queries_in_mean for one in aggregates}),
            _count("zero_idcg", {one.name: one.zero_idcg for one in aggregates}),
            _count("missing", {one.name: one.missing for one in aggregates}),
            _count("empty", {one.name: one.empty for one in aggregates}),
            _count("left_out", {one.name: sum(one.left_out.values()) for one in aggregates}),
        ]
    else:
        parts.append(bold(phrase("provenance.all_refused")))
    parts.append(phrase("provenance.judgments", digest=bold(judgments.fingerprint[:12])))
    every = say("provenance.every", rules=policy.description, digest=judgments.fingerprint)
    return (
        f'<details class="rd-line rd-provenance"><summary>{" · ".join(parts)} · '
        f'<span class="rd-more">{phrase("provenance.more")}</span></summary>'
        f"{escaped(every)}</details>"
    )


def _count(what: str, counts: Mapping[str, int]) -> str:
    """One count where all systems agree, or else those that differ from most, or a range."""
    label = phrase(f"provenance.{what}")
    (usual, systems), *_ = Counter(counts.values()).most_common()
    if systems == len(counts):
        return f"{label} {bold(f'{usual:,}')}"
    if len(counts) - systems > _NAMED:
        ends = (bold(f"{end(counts.values()):,}") for end in (min, max))
        low, high = ends
        return f"{label} {phrase('provenance.range', low=low, high=high)}"
    odd = [
        f"{escaped(shortened(name, 24))} {bold(f'{value:,}')}"
        for name, value in counts.items()
        if value != usual
    ]
    others = phrase(f"provenance.{'other' if systems == 1 else 'others'}")
    return f"{label} ({', '.join(odd)}, {others} {bold(f'{usual:,}')})"


def unjudged_choice(unjudged: float, policy: Policy, refused: Mapping[str, int]) -> str:
    """Why the numbers are provisional, and how many systems each refusing rule refuses."""
    found = say_count("unjudged.found", unjudged, place=top(policy))
    refuse = " ".join(
        say_count(f"unjudged.{rule}", systems) for rule, systems in refused.items() if systems
    )
    return note(f"{found} {refuse} {say('unjudged.choose')}", lead=say("unjudged.lead"))


def top(policy: Policy) -> str:
    """Name the ranks that count."""
    return say("top.all") if policy.cutoff == "all" else say("top.k", k=policy.cutoff)


def own_ideal_lists(systems: Sequence[QueryScores]) -> str:
    """The warning of ideal_scope this_run, with the queries whose IDCG it empties."""
    emptied = ", ".join(
        f"{scores.name} {int((scores.zero_idcg & scores.judgments.positive).sum())}"
        for scores in systems
    )
    found_nothing = f" {say('this_run.emptied', systems=emptied)}" if emptied else ""
    return note(f"{say('this_run.warning')}{found_nothing}", lead=say("this_run.lead"))


def paired(
    pair: Pair, comparison: Comparison | None, *, shown: int, judged: int, order: str
) -> str:
    """The line above a pair's queries: the difference, its interval, how many are listed."""
    listed = phrase(
        "pair.listed", shown=bold(f"{shown:,}"), judged=f"{judged:,}", order=escaped(order)
    )
    if comparison is None or comparison.difference is None or pair.second is None:
        return f'<div class="rd-line">{listed}</div>'
    difference = phrase(
        "pair.difference",
        first=markup.name(pair.first, "first"),
        second=markup.name(pair.second, "second"),
        difference=bold(signed(comparison.difference)),
        interval=markup.bounds(comparison.interval),
        queries=f"{comparison.queries:,}",
    )
    return f'<div class="rd-line">{difference} · {listed}</div>'
