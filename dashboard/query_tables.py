"""One query after the other: the list of queries, and one query's ranking beside its ideal."""

from collections.abc import Mapping

import pandas as pd

from core.explanation import Explanation, IdealDocument, RankedDocument
from core.formats.texts import Text
from core.policy import Policy
from core.scores import STATES, QueryScores
from dashboard import markup, wording
from dashboard.markup import cell, escaped, heading, number, row

_SHOWN = 100
_TERMS = 6


def worst_first(scores: QueryScores, texts: Mapping[str, Text]) -> pd.DataFrame:
    """One row a judged query, the lowest score first and queries left out last.

    Columns: query, text, ndcg (NaN: left out), state, unjudged, zero_idcg.
    """
    judgments = scores.judgments
    frame = pd.DataFrame(
        {
            "query": list(judgments.query_ids),
            "text": [texts[q].label if q in texts else "" for q in judgments.query_ids],
            "ndcg": scores.ndcg,
            "state": [
                "IDCG 0" if zero and STATES[code] == "scored" else wording.STATES[STATES[code]]
                for code, zero in zip(scores.state, scores.zero_idcg, strict=True)
            ],
            "unjudged": scores.unjudged_at_k,
            "zero_idcg": scores.zero_idcg,
        }
    )
    return frame.sort_values(["ndcg", "query"], na_position="last", ignore_index=True)


def sum_of_one_query(explained: Explanation, policy: Policy) -> str:
    """NDCG written out: what each document adds, above and below the line."""
    dcg = _terms([_product(one) for one in explained.ranked if one.adds])
    idcg = _terms([_product(one) for one in explained.ideal if one.adds])
    result = number(explained.ndcg) if explained.ndcg is not None else "no value"
    why = "" if explained.state == "scored" else f" ({escaped(wording.STATES[explained.state])})"
    if explained.idcg <= 0 and explained.state == "scored":
        rule = wording.option_label("zero_idcg", policy.zero_idcg)
        why = f" (IDCG is 0, and zero-IDCG queries count {escaped(rule)})"
    return (
        f'<div class="rd-line">DCG = {dcg} = <b>{number(explained.dcg)}</b> · '
        f"IDCG = {idcg} = <b>{number(explained.idcg)}</b> · "
        f"NDCG = DCG ÷ IDCG = <b>{result}</b>{why}</div>"
    )


def ranked_list(explained: Explanation, texts: Mapping[str, Text], policy: Policy) -> str:
    """The run's ranking down to the cutoff: what each document is worth and adds."""
    cutoff = len(explained.ranked) if policy.cutoff == "all" else policy.cutoff
    shown = [one for one in explained.ranked if one.first_rank <= min(cutoff, _SHOWN)]
    highest = _highest(explained)
    head = [
        heading("rank"),
        heading("grade, document", "rd-left"),
        heading("adds", "rd-left", hint="Gain times the weight of the rank"),
    ]
    rows = [
        row(
            [
                cell(_rank(one), "rd-mute"),
                cell(_document(one, texts), "rd-document"),
                cell(_adds(one, highest), "rd-left"),
            ]
        )
        for one in shown
    ]
    if not rows:
        rows = [_only("The run returned no document for this query.", span=3)]
    rows.append(_sum_row("DCG", explained.dcg, span=2))
    return markup.table(head, rows)


def ideal_list(explained: Explanation, texts: Mapping[str, Text], policy: Policy) -> str:
    """The ideal ranking, and where the run has each of its documents."""
    highest = _highest(explained)
    head = [
        heading("rank"),
        heading("grade, document", "rd-left"),
        heading("adds", "rd-left", hint="Gain times the weight of the rank"),
        heading("in the run", "rd-left"),
    ]
    gainful = [one for one in explained.ideal if one.gain > 0][:_SHOWN]
    rows = [
        row(
            [
                cell(str(one.rank), "rd-mute"),
                cell(_document(one, texts), "rd-document"),
                cell(_adds(one, highest), "rd-left"),
                cell(_found(one, policy), "rd-left"),
            ]
        )
        for one in gainful
    ]
    if not rows:
        rows = [_only("No document of the ideal list gains anything, so IDCG is 0.", span=4)]
    rows.append(_sum_row("IDCG", explained.idcg, span=2))
    return markup.table(head, rows)


def _only(text: str, *, span: int) -> str:
    return row([cell(escaped(text), "rd-left", "rd-wrap", span=span)])


def _sum_row(label: str, value: float, *, span: int) -> str:
    total = f'<span class="rd-adds"></span>{number(value)}'
    return row([cell(label, "rd-left", span=span), cell(total, "rd-left")], css="rd-sum")


def _adds(one: RankedDocument | IdealDocument, highest: float) -> str:
    if not one.gain:
        return '<span class="rd-mute">0</span>'
    return f"{markup.adds(one.adds, highest)} <small>{_product(one)}</small>"


def _product(one: RankedDocument | IdealDocument) -> str:
    """Gain times weight, as the two numbers."""
    return f"{one.gain:g} × {number(one.weight)}".replace("-", markup.MINUS)


def _terms(products: list[str]) -> str:
    if not products:
        return "0"
    shown = " + ".join(products[:_TERMS])
    return shown if len(products) <= _TERMS else f"{shown} + {len(products) - _TERMS} more"


def _highest(explained: Explanation) -> float:
    added = [one.adds for one in explained.ranked] + [one.adds for one in explained.ideal]
    return max(added, default=0.0)


def _rank(one: RankedDocument) -> str:
    if one.first_rank == one.last_rank:
        return str(one.first_rank)
    return f"{one.first_rank}–{one.last_rank}"


def _found(one: IdealDocument, policy: Policy) -> str:
    if one.found is None:
        return "<b>not retrieved</b>"
    beyond = policy.cutoff != "all" and one.found.first_rank > policy.cutoff
    return f"rank {_rank(one.found)}{' <small>below the cutoff</small>' if beyond else ''}"


def _document(one: RankedDocument | IdealDocument, texts: Mapping[str, Text]) -> str:
    tied = isinstance(one, RankedDocument) and one.tied
    mark = (
        '<span class="rd-mark" title="same score as another document">tied</span>' if tied else ""
    )
    text = texts.get(one.document)
    below = f" <small>{escaped(text.label)}</small>" if text else ""
    return f"{markup.grade_chip(one.grade)} {escaped(one.document)}{mark}{below}"
