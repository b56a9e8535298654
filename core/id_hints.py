"""Ids of a run and of the judgments that may be the same, though they are not written so.

Ids are compared as they are, so such a document counts as unjudged. A load report says how many
there are and what they differ in; nothing is repaired.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from core.blocks import Block
from core.errors import counted, shortened
from core.id_kinds import KINDS, PARTS, ROUNDED, SPELLINGS, Kind
from core.judgments import Judgments

ROWS = 200_000
"""Results that are looked at: a slip of this kind runs through a whole file."""

_EXAMPLES = 3
_LONGEST_ID = 40


@dataclass(frozen=True)
class NearMatch:
    """One id of the run, and the judged id that it may be.

    Parameters
    ----------
    ours, judged : str
        As the run and as the judgments write them; of several judged ids the first.
    others : int
        Further judged ids that it may be just as well.
    """

    ours: str
    judged: str
    others: int = 0


@dataclass(frozen=True)
class NearMatches:
    """Ids that match only after a change.

    Parameters
    ----------
    counts : mapping
        Ids of the run by the name of the kind that explains them, in the order of `KINDS`. One that
        may be several judged ids is counted once.
    examples : mapping
        Up to three of each kind; those that can be one judged id only come first.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, tuple[NearMatch, ...]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Ids that match only after a change."""
        return sum(self.counts.values())

    def shown(self, kind: str) -> tuple[NearMatch, ...]:
        """Examples of a kind for a sentence: one where there are several kinds."""
        return self.examples[kind][: 1 if len(self.counts) > 1 else _EXAMPLES]


@dataclass(frozen=True)
class IdHints:
    """Near matches between a run and the judgments.

    Parameters
    ----------
    queries : NearMatches
    documents : NearMatches
        Of the queries both have, query by query.
    looked_at, results : int
        Results of these queries whose documents were compared, and all there are: large runs are
        looked at in part.
    """

    queries: NearMatches
    documents: NearMatches
    looked_at: int
    results: int

    @property
    def in_part(self) -> bool:
        """Whether documents were left unlooked at."""
        return self.looked_at < self.results

    def sentences(self, run: str, judgments: str) -> tuple[str, ...]:
        """Say it as notices do, after the names of the two files."""
        said = []
        if self.queries.total:
            said.append(f"{run}: {query_sentence(self.queries, judgments)}")
        if near := self.documents.total:
            count = "counts as" if near == 1 else "count as"
            ids = _sentence(self.documents, "document id", judgments)
            said.append(f"{run}: {ids}; {'it' if near == 1 else 'they'} {count} unjudged.")
        return tuple(said)


def query_sentence(near: NearMatches, judgments: str) -> str:
    """Say which query ids nearly match; empty if none does."""
    return f"{_sentence(near, 'query id', judgments)}." if near.total else ""


def _sentence(near: NearMatches, noun: str, judgments: str) -> str:
    several = len(near.counts) > 1
    differences = ", ".join(
        f"{kind.words} ({f'{count:,}: ' if several else ''}"
        f"{'; '.join(map(_pair, near.shown(kind.name)))})"
        for kind in KINDS
        if (count := near.counts.get(kind.name))
    )
    verb = "matches" if near.total == 1 else "match"
    return f"{counted(near.total, noun)} {verb} {judgments} but for {differences}"


def _pair(near: NearMatch) -> str:
    more = f" and {near.others:,} more" if near.others else ""
    return f"'{visible(near.ours)}' here, '{visible(near.judged)}'{more} there"


def visible(text: str) -> str:
    r"""Shorten an id for a message, with what cannot be seen in it as an escape.

    Accents that stand behind their letter are, where the two could be one character.

    >>> print(visible("e\u0301\u00a0"), visible("\u00e9"))
    e\u0301\xa0 é
    """
    hidden = "CZ" if unicodedata.is_normalized("NFC", text) else "CZM"
    shown = (
        one.encode("unicode_escape").decode()
        if one != " " and unicodedata.category(one)[0] in hidden
        else one
        for one in text
    )
    return shortened("".join(shown), _LONGEST_ID)


@dataclass(frozen=True)
class _Near:
    """An id of the run, the judged ids that it may be, and why."""

    kind: Kind
    ours: str
    judged: Sequence[str]


@dataclass
class _Compared:
    """What came of comparing one set of ids after another."""

    near: list[_Near] = field(default_factory=list)
    equal: int = 0

    def add(self, ours: Iterable[str], judged: Iterable[str], *, parts: bool) -> None:
        """Compare the ids of a set, the run's with the judgments'; `parts`: by `PARTS` alone."""
        mine, theirs = dict.fromkeys(ours), dict.fromkeys(judged)
        left = {one: None for one in mine if one not in theirs}
        missed = [one for one in theirs if one not in mine]
        self.equal += len(mine) - len(left)
        if not missed:
            return
        if parts:
            self._explain(left, missed, PARTS)
            return
        # Few ids are near: the last spelling finds at once all that any spelling explains.
        spelled = SPELLINGS[-1].matches(left, missed)
        self._explain(dict.fromkeys(spelled), missed, SPELLINGS)
        self._explain({one: None for one in left if one not in spelled}, missed, (ROUNDED,))

    def _explain(self, left: dict[str, None], missed: Sequence[str], kinds: Sequence[Kind]) -> None:
        """Give each id to the first kind that explains it; those are gone from `left`."""
        for kind in kinds:
            if not left:
                return
            for one, judged in kind.matches(left, missed).items():
                self.near.append(_Near(kind, one, judged))
                del left[one]

    def matches(self) -> NearMatches:
        """Count them, and choose examples."""
        counts = Counter(near.kind.name for near in self.near)
        names = [kind.name for kind in KINDS if kind.name in counts]
        examples = {}
        for name in names:
            of_kind = [near for near in self.near if near.kind.name == name]
            clear_first = sorted(of_kind, key=lambda near: len(near.judged) > 1)
            examples[name] = tuple(
                NearMatch(near.ours, near.judged[0], len(near.judged) - 1)
                for near in clear_first[:_EXAMPLES]
            )
        return NearMatches({name: counts[name] for name in names}, examples)


def id_hints(blocks: Iterable[Block], judgments: Judgments, *, rows: int = ROWS) -> IdHints:
    """Find ids that match only after a change.

    Parameters
    ----------
    blocks : iterable of Block
        The results, `Run.blocks`; gone through a second time where no document matches at all.
    judgments : Judgments
    rows : int
        Results to look at, at most; queries are looked at whole, and one too large is passed over.

    Examples
    --------
    >>> from core.runs import Run
    >>> run = Run.from_dict("bm25", {"q1": ["doc1 ", "DOC2"]})
    >>> found = id_hints(run.blocks, Judgments.from_dict({"q1": {"doc1": 1, "doc2": 0}}))
    >>> found.documents.counts, found.documents.examples["folded"]
    ({'trimmed': 1, 'folded': 1}, (NearMatch(ours='DOC2', judged='doc2', others=0),))
    """
    found = _looked_through(blocks, judgments, rows, parts=False)
    documents = found.documents
    if not documents.near and not documents.equal and found.looked_at:
        documents = _looked_through(blocks, judgments, rows, parts=True).documents
    queries = query_hints(found.query_ids, judgments)
    return IdHints(queries, documents.matches(), found.looked_at, found.results)


def query_hints(query_ids: Iterable[str], judgments: Judgments) -> NearMatches:
    """Compare the queries alone, which a run and judgments without a common query have, too."""
    ours = tuple(query_ids)
    found = _Compared()
    found.add(ours, judgments.query_ids, parts=False)
    if not found.near and not found.equal:
        found.add(ours, judgments.query_ids, parts=True)
    return found.matches()


@dataclass
class _Look:
    """One look through the results."""

    documents: _Compared = field(default_factory=_Compared)
    query_ids: list[str] = field(default_factory=list)
    looked_at: int = 0
    results: int = 0


def _looked_through(
    blocks: Iterable[Block], judgments: Judgments, rows: int, *, parts: bool
) -> _Look:
    found, seen = _Look(), list[list[str]]()
    for block in blocks:
        found.query_ids += block.query_ids
        loaded, bounds = None, block.starts.tolist()
        for at, query_id in enumerate(block.query_ids):
            number = judgments.index.get(query_id)
            if number is None:
                continue
            begin, end = bounds[at], bounds[at + 1]
            found.results += end - begin
            if found.looked_at + end - begin > rows:
                continue
            found.looked_at += end - begin
            judged = judgments.rows_of(number)
            loaded = block.loaded() if loaded is None else loaded
            ours = list(loaded.documents.take(slice(begin, end)))
            found.documents.add(ours, judgments.documents.take(judged), parts=parts)
            seen.append(ours)
    found.documents.near = _without_chance(found.documents.near, seen, judgments)
    return found


def _without_chance(
    near: Sequence[_Near], lists: Sequence[Sequence[str]], judgments: Judgments
) -> list[_Near]:
    """Leave out ids that a file tells apart: sections 1.1 and 1.10 are no slip where both occur."""
    if not any(one.kind.chance for one in near):
        return list(near)
    seen, known = set(chain.from_iterable(lists)), set(judgments.documents)
    kept = []
    for one in near:
        judged = [other for other in one.judged if other not in seen]
        if not one.kind.chance:
            kept.append(one)
        elif judged and one.ours not in known:
            kept.append(_Near(one.kind, one.ours, judged))
    return kept
