"""What the load report says of a file, in words: what needs a look first, what is as usual last."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.errors import shortened
from core.findings import Pair, RunFindings
from core.formats.texts import Texts
from core.id_hints import IdHints, NearMatch, NearMatches, visible
from core.judgment_findings import UNUSUALLY_HIGH, JudgmentFindings
from core.judgments import Judgments
from dashboard.markup import percent
from dashboard.wording import say, say_count

_LONGEST_ID = 40
_GRADES = 12


@dataclass(frozen=True)
class Finding:
    """One thing found in a file; `usual` ones need nobody's attention."""

    text: str
    usual: bool = False


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Put those that need a look first."""
    return sorted(findings, key=lambda finding: finding.usual)


def of_run(
    found: RunFindings, hints: IdHints | None, notices: Sequence[str], source: str
) -> list[Finding]:
    """Say what was found in a run; `hints` are None while there are no judgments."""
    findings = [_noticed(notice, source) for notice in notices]
    if hints is None and found.first_repeated is not None:  # The join names it otherwise.
        query, document = map(_short, found.first_repeated)
        findings.append(Finding(say("data.repeated", query=query, document=document)))
    if hints is not None:
        findings += _hints(hints)
    findings += [*_scores(found), *_ranks(found), *_ties(found)]
    return ordered(findings)


def of_judgments(judgments: Judgments, found: JudgmentFindings) -> list[Finding]:
    """Say what was found in the judgments."""
    findings = [_noticed(notice, judgments.source) for notice in judgments.notices]
    findings += _odd_grades(found)
    if found.without_positive:
        findings.append(Finding(say_count("data.without_positive", found.without_positive)))
    low, high = judgments.observed_scale
    key = "data.grades.declared" if judgments.scale else "data.grades.observed"
    findings.append(Finding(say(key, low=low, high=high), usual=True))
    if found.grades:
        findings.append(Finding(_by_grade(found), usual=True))
    if found.never_returned:
        text = say_count(
            "data.never_returned",
            found.never_returned,
            share=percent(found.never_returned_share),
            relevant=f"{found.never_returned_positive:,}",
        )
        findings.append(Finding(text, usual=True))
    return ordered(findings)


def of_texts(kind: str, texts: Texts, covered: int, total: int) -> list[Finding]:
    """Say how many queries or documents have a text, and what was found in the file."""
    findings = [_noticed(notice, texts.source) for notice in texts.notices]
    if total:
        counts = {"n": f"{covered:,}", "total": f"{total:,}"}
        text = say(f"data.texts.cover.{kind}", **counts)
        findings.append(Finding(text, usual=covered > 0))
    return ordered(findings)


def near_documents(near: NearMatches) -> str:
    """Say which document ids nearly match judged ones, and in what they differ; empty if none."""
    return _near("data.near.documents", near) if near.total else ""


def _noticed(notice: str, source: str) -> Finding:
    """Take over what core noticed; its row names the file already."""
    text = notice.removeprefix(f"{source}: ")
    return Finding(text[:1].upper() + text[1:])


def _hints(hints: IdHints) -> Iterator[Finding]:
    if hints.queries.total:
        yield Finding(_near("data.near.queries", hints.queries))
    if hints.documents.total:
        yield Finding(near_documents(hints.documents))
    if hints.in_part:
        counts = {"looked_at": f"{hints.looked_at:,}", "results": f"{hints.results:,}"}
        yield Finding(say("data.near.in_part", **counts), usual=True)


def _near(key: str, near: NearMatches) -> str:
    several = "several" if len(near.counts) > 1 else "only"
    differences = [
        say(
            f"data.near.{several}",
            difference=say(f"data.near.{kind}"),
            n=f"{count:,}",
            examples="; ".join(map(_near_example, near.shown(kind))),
        )
        for kind, count in near.counts.items()
    ]
    return say_count(key, near.total, differences=", ".join(differences))


def _near_example(near: NearMatch) -> str:
    ids = {"ours": visible(near.ours), "judged": visible(near.judged)}
    key = "data.near.example_of_several" if near.others else "data.near.example"
    return say(key, **ids, n=f"{near.others:,}")


def _scores(found: RunFindings) -> Iterator[Finding]:
    """Which way scores go, and where the rank column disagrees with them."""
    key = f"data.direction.{found.direction}.{found.along}"
    if found.direction in ("falls", "mixed", "rises"):
        usual = found.direction == "falls" or (found.direction, found.along) == ("mixed", "list")
        yield Finding(say(key), usual=usual)
    elif found.direction == "equal":
        yield Finding(say("data.direction.equal"))
    steps = found.steps
    if steps is None or steps.first_rise is None or found.along != "rank":
        return
    if found.direction != "rises":
        counts = {"pairs": f"{steps.pairs:,}", **_pair(steps.first_rise)}
        yield Finding(say_count("data.rank_against_score", steps.rises, **counts))


def _ranks(found: RunFindings) -> Iterator[Finding]:
    if found.ranks is None:
        return
    if found.ranks.lowest != 1:
        usual = found.ranks.lowest == 0
        yield Finding(say("data.ranks.start", rank=found.ranks.lowest), usual=usual)
    if found.ranks.gaps:
        yield Finding(say_count("data.ranks.gaps", found.ranks.gaps))
    if found.ranks.repeated:
        yield Finding(say_count("data.ranks.repeated", found.ranks.repeated))


def _ties(found: RunFindings) -> Iterator[Finding]:
    if found.tied and found.first_tie is not None:
        share = percent(found.tied_share)
        text = say_count("data.ties", found.tied, share=share, **_pair(found.first_tie))
        yield Finding(text, usual=not found.often_tied)
    elif found.neighbours:
        yield Finding(say("data.ties.none"), usual=True)


def _odd_grades(found: JudgmentFindings) -> Iterator[Finding]:
    if found.negative:
        yield Finding(say_count("data.grades.negative", found.negative))
    if found.unusually_high:
        yield Finding(say_count("data.grades.high", found.unusually_high, usual=UNUSUALLY_HIGH))
    if found.single_grade is not None:
        yield Finding(say("data.grades.single", grade=found.single_grade))


def _by_grade(found: JudgmentFindings) -> str:
    shown = [
        say("data.grades.count", grade=grade, n=f"{count:,}")
        for grade, count in found.grades[:_GRADES]
    ]
    if (more := len(found.grades) - _GRADES) > 0:
        shown.append(say_count("data.grades.more", more))
    return say("data.grades.counts", counts=", ".join(shown))


def _pair(pair: Pair) -> dict[str, str]:
    return {
        "query": _short(pair.query_id),
        "upper": _short(pair.upper),
        "lower": _short(pair.lower),
    }


def _short(text: str) -> str:
    return shortened(text, _LONGEST_ID)
