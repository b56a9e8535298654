"""One query as tables: the sum of each system, its ranking, what it missed, and the ideal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from core.errors import shortened
from core.explanation import Explanation, IdealDocument, RankedDocument
from core.formats.texts import Text
from core.per_query import ScoreTable
from dashboard import markup
from dashboard.markup import cell, escaped, heading, number, phrase, row
from dashboard.wording import option_label, say, say_count, state_label

_SHOWN = 100
_MISSED = 10
_TERMS = 6


@dataclass(frozen=True)
class Side:
    """One of the systems that are looked at.

    Parameters
    ----------
    name : str
    role : str
        "first" or "second".
    explained : Explanation
    """

    name: str
    role: str
    explained: Explanation


def opened(table: ScoreTable, query_id: str) -> str:
    """Which query is open, and what every system scored on it, in one line."""
    at = table.systems[0].judgments.index.get(query_id)
    if at is None:
        return ""
    scores = " · ".join(
        phrase(
            "table.open_score",
            system=escaped(shortened(scores.name, 24)),
            score=markup.bold(number(None if isnan(value) else value)),
        )
        for scores, value in zip(table.systems, table.ndcg[at].tolist(), strict=True)
    )
    query = markup.bold(escaped(shortened(query_id, 80)))
    return f'<div class="rd-line">{phrase("table.open", query=query, scores=scores)}</div>'


def sums(sides: Sequence[Side]) -> str:
    """NDCG of each system written out: what each document adds, above and below the line."""
    return "".join(_sum(side) for side in sides)


def _sum(side: Side) -> str:
    explained = side.explained
    dcg = phrase(
        "sum.dcg",
        terms=_terms([_product(one) for one in explained.counted if one.adds]),
        sum=markup.bold(number(explained.dcg)),
    )
    idcg = phrase(
        "sum.idcg",
        terms=_terms([_product(one) for one in explained.ideal if one.adds]),
        sum=markup.bold(number(explained.idcg)),
    )
    ndcg = phrase(
        f"sum.ndcg.{explained.policy.rounding}", value=markup.bold(number(explained.ndcg))
    )
    why = _why(explained)
    return (
        f'<div class="rd-line rd-sum-line">{markup.name(side.name, side.role)} '
        f"<span>{ndcg}{f' ({escaped(why)})' if why else ''}</span> "
        f"<span>{dcg}</span> <span>{idcg}</span></div>"
    )


def _why(explained: Explanation) -> str:
    """Why a query has the value it has, where the ratio does not say it."""
    if explained.state != "scored":
        return state_label(explained.state)
    if explained.idcg > 0:
        return ""
    rule = option_label("zero_idcg", explained.policy.zero_idcg)
    return say("sum.zero_idcg", rule=rule)


def ranked_list(side: Side, other: Side | None, texts: Mapping[str, Text]) -> str:
    """A ranking down to the cutoff: what each document is worth, and where the other has it."""
    head = [
        heading(_say("rank")),
        heading(_say("document"), "rd-left"),
        heading(_say("score"), "rd-wider", hint=say("list.score_hint")),
    ]
    if other is not None:
        in_other = phrase("list.other", system=markup.name(other.name, other.role))
        head.append(heading(in_other, "rd-left", hint=say("list.other_hint")))
    head.append(heading(_say("adds"), "rd-left", hint=say("list.adds_hint")))
    counted, highest = side.explained.counted, _highest(side, other)
    rows = [
        row(
            [
                cell(_rank(one), "rd-mute"),
                cell(_document(one.document, one.grade, texts, _marks(one)), "rd-document"),
                cell(_score(one.score), "rd-wider", "rd-mute"),
                *([cell(_elsewhere(one, other), "rd-left", "rd-mute")] if other else []),
                cell(_adds(one, highest, side.role), "rd-left"),
            ]
        )
        for one in counted[:_SHOWN]
    ]
    if not rows:
        rows = [_only(say("list.empty"), span=len(head))]
    elif len(counted) > _SHOWN:
        rows.append(_only(say_count("list.more", len(counted) - _SHOWN), span=len(head)))
    between = [cell("", "rd-wider"), *[cell("")] * (other is not None)]
    rows.append(_sum_row("DCG", side.explained.dcg, between))
    return markup.table(head, rows, label=say("list.label", system=side.name))


def missed(side: Side, texts: Mapping[str, Text]) -> str:
    """Documents that gain and do not stand on the ranks that count, best first."""
    documents = side.explained.missed
    rows = [
        row(
            [
                cell(_document(one.document, one.grade, texts), "rd-document"),
                cell(_place(one), "rd-left"),
            ]
        )
        for one in documents[:_MISSED]
    ]
    if len(documents) > _MISSED:
        rows.append(_only(say_count("list.more", len(documents) - _MISSED), span=2))
    head = [heading(_say("document"), "rd-left"), heading(_in(side), "rd-left")]
    label = say("missed.label", system=side.name)
    return markup.table(head, rows, label=label)


def ideal_list(sides: Sequence[Side], texts: Mapping[str, Text]) -> str:
    """The ideal ranking, and where each of these systems has its documents."""
    head = [
        heading(_say("rank")),
        heading(_say("document"), "rd-left"),
        heading(_say("adds"), "rd-left", hint=say("list.adds_hint")),
        *(heading(_in(side), "rd-left") for side in sides),
    ]
    highest = _highest(*sides)
    ideal = sides[0].explained.ideal
    gainful = [at for at, one in enumerate(ideal) if one.gain > 0]
    rows = [
        row(
            [
                cell(str(ideal[at].rank), "rd-mute"),
                cell(_document(ideal[at].document, ideal[at].grade, texts), "rd-document"),
                cell(markup.adds(ideal[at].adds, highest, "other"), "rd-left"),
                *(cell(_found(side.explained.ideal[at], side), "rd-left") for side in sides),
            ]
        )
        for at in gainful[:_SHOWN]
    ]
    if not rows:
        rows = [_only(say("ideal.empty"), span=len(head))]
    elif len(gainful) > _SHOWN:
        rows.append(_only(say_count("list.more", len(gainful) - _SHOWN), span=len(head)))
    rows.append(_sum_row("IDCG", sides[0].explained.idcg, after=len(sides)))
    return markup.table(head, rows, label=say("ideal.title"))


def one_ideal(sides: Sequence[Side]) -> bool:
    """Whether these systems share their ideal ranking."""
    rankings = {tuple((one.document, one.adds) for one in side.explained.ideal) for side in sides}
    return len(rankings) == 1


def _in(side: Side) -> str:
    return phrase("list.other", system=markup.name(side.name, side.role))


def _only(text: str, *, span: int) -> str:
    return row([cell(escaped(text), "rd-left", "rd-wrap", span=span)])


def _sum_row(label: str, value: float, between: Sequence[str] = (), *, after: int = 0) -> str:
    """The sum below what each document adds; `between` are the cells of columns before it."""
    total = f'<span class="rd-adds"></span>{number(value)}'
    empty = [cell("", span=after)] if after else []
    cells = [cell(label, "rd-left", span=2), *between, cell(total, "rd-left"), *empty]
    return row(cells, css="rd-sum")


def _adds(one: RankedDocument, highest: float, role: str) -> str:
    if not one.gain:
        return '<span class="rd-mute">0</span>'
    product = f'<span class="rd-mute rd-wider">{_product(one)}</span>'
    return f"{markup.adds(one.adds, highest, role)} {product}"


def _product(one: RankedDocument | IdealDocument) -> str:
    """Gain times weight, as the two numbers."""
    return f"{one.gain:g} × {number(one.weight)}".replace("-", markup.MINUS)


def _terms(products: list[str]) -> str:
    if not products:
        return "0"
    shown = " + ".join(products[:_TERMS])
    more = len(products) - _TERMS
    return shown if more <= 0 else f"{shown} + {escaped(say('sum.more', n=more))}"


def _highest(*sides: Side | None) -> float:
    """What the document that adds most adds, so that all bars have one scale."""
    shown = [side.explained for side in sides if side is not None]
    added = [one.adds for explained in shown for one in explained.counted]
    added += [one.adds for explained in shown for one in explained.ideal]
    return max(added, default=0.0)


def _rank(one: RankedDocument) -> str:
    if one.first_rank == one.last_rank:
        return str(one.first_rank)
    return f"{one.first_rank}–{one.last_rank}"


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.4g}".replace("-", markup.MINUS)


def _elsewhere(one: RankedDocument, other: Side) -> str:
    """Where the other system has a document: its rank, and by how many ranks it moved."""
    found = other.explained.by_document.get(one.document)
    if found is None:
        return "–"
    moved = found.first_rank - one.first_rank
    arrow = "↓" if moved > 0 else "↑"
    return f"{_rank(found)} {f'{arrow}{abs(moved)}' if moved else '='}"


def _place(one: IdealDocument) -> str:
    """Where the run has a document of the ideal."""
    if one.found is None:
        return markup.bold(_say("not_retrieved"))
    return escaped(say("list.at", rank=_rank(one.found)))


def _found(one: IdealDocument, side: Side) -> str:
    """The same, and whether that rank counts."""
    cutoff = side.explained.policy.cutoff
    beyond = one.found is not None and cutoff != "all" and one.found.first_rank > cutoff
    below = f" <small>{_say('below')}</small>" if beyond else ""
    return f"{_place(one)}{below}"


def _marks(one: RankedDocument) -> str:
    """Marks of a document that shares its score, or that the run lists more than once."""
    marks = []
    if one.tied:
        marks.append(_mark(say("list.tied"), say("list.tied_hint")))
    if one.times > 1:
        marks.append(_mark(say("list.repeated", n=one.times), ""))
    return "".join(marks)


def _mark(text: str, hint: str) -> str:
    title = f' title="{escaped(hint)}"' if hint else ""
    return f'<span class="rd-mark"{title}>{escaped(text)}</span>'


def _document(document: str, grade: int | None, texts: Mapping[str, Text], marks: str = "") -> str:
    below = ""
    if text := texts.get(document):
        below = f" <small>{escaped(markup.excerpt(text.label))}</small>"
    return f"{markup.grade_chip(grade)} {escaped(shortened(document, 200))}{marks}{below}"


def _say(what: str) -> str:
    return escaped(say(f"list.{what}"))
