"""Ids that nearly match: what they differ in, and where nothing is said. Counted by hand."""

import pytest

from core.id_hints import IdHints, NearMatch, NearMatches, id_hints, query_hints, visible
from core.id_kinds import KINDS, Kind
from core.judgments import Judgments
from core.runs import Run
from dashboard.wording import say


def hints(run: dict[str, list[str]], judged: dict[str, list[str]]) -> IdHints:
    judgments = {query: dict.fromkeys(documents, 1) for query, documents in judged.items()}
    return id_hints(Run.from_dict("run", run).blocks, Judgments.from_dict(judgments))


def documents(ours: list[str], judged: list[str]) -> NearMatches:
    return hints({"q": ours}, {"q": judged}).documents


def queries(ours: list[str], judged: list[str]) -> NearMatches:
    return query_hints(ours, Judgments.from_dict({query: {"a": 1} for query in judged}))


LONG = "123456789012345678"


@pytest.mark.parametrize(
    ("ours", "judged", "kind"),
    [
        pytest.param("a ", "a", "trimmed", id="white-space-in-the-run"),
        pytest.param("a", "\ta", "trimmed", id="white-space-in-the-judgments"),
        pytest.param("\u00a0a", "a", "trimmed", id="no-break-space"),
        pytest.param("caf\u0065\u0301", "caf\u00e9", "normalised", id="combining-accent"),
        pytest.param("\u1112\u1161\u11ab", "\ud55c", "normalised", id="hangul-in-parts"),
        pytest.param("\uff21\uff11", "A1", "normalised", id="full-width"),
        pytest.param("\ufb01le", "file", "normalised", id="ligature"),
        pytest.param("a\u00a0b", "a b", "normalised", id="no-break-space-inside"),
        pytest.param("\ufeffa", "a", "normalised", id="byte-order-mark"),
        pytest.param("a\u200b ", "a", "normalised", id="zero-width-and-white-space"),
        pytest.param("A", "a", "folded", id="case"),
        pytest.param("STRASSE", "straße", "folded", id="case-beyond-ascii"),
        pytest.param(" A", "a", "folded", id="case-and-white-space"),
        pytest.param("CAFE\u0301", "caf\u00e9", "folded", id="case-and-accent"),
        pytest.param("2506.005", "2506.00500", "number", id="zeros-behind-the-point"),
        pytest.param("123.0", "123", "number", id="whole-number-as-a-float"),
        pytest.param("7", "007", "number", id="leading-zeros"),
        pytest.param("007", "7.0", "number", id="zeros-at-both-ends"),
        pytest.param("0", "000", "number", id="nothing-but-zeros"),
        pytest.param("100000.0", "1e5", "number", id="exponent"),
        pytest.param("1.23457e+17", LONG, "rounded", id="exponent-of-six-digits"),
        pytest.param("1.23E+17", LONG, "rounded", id="exponent-of-three-digits"),
        pytest.param("1.2345678901234568e+17", LONG, "rounded", id="float"),
        pytest.param("123456789012345680", LONG, "rounded", id="float-in-full"),
        pytest.param("123456789012345000", LONG, "rounded", id="fifteen-digits-of-a-spreadsheet"),
        pytest.param("9007199254740992", "9007199254740993", "rounded", id="first-beyond-a-float"),
        pytest.param("t1.1", "t1", "suffix", id="suffix-in-the-run"),
        pytest.param("t1", "t1.1", "suffix", id="suffix-in-the-judgments"),
        pytest.param("a#3", "a", "suffix", id="chunk"),
        pytest.param("abcdefghijklmnopqrst", "abcdefghijklmnopqrstuvw", "suffix", id="cut-at-20"),
        pytest.param("q7", "7", "prefix", id="letters-before-a-number"),
        pytest.param("wiki:a", "a", "prefix", id="name-space"),
        pytest.param("a.txt", "docs/a.txt", "prefix", id="folder"),
    ],
)
def test_each_kind(ours: str, judged: str, kind: str) -> None:
    """Of documents and of queries alike, and whichever file the change came into."""
    there, back = NearMatch(ours, judged), NearMatch(judged, ours)
    assert documents([ours], [judged]) == NearMatches({kind: 1}, {kind: (there,)})
    assert documents([judged], [ours]) == NearMatches({kind: 1}, {kind: (back,)})
    assert queries([ours], [judged]) == NearMatches({kind: 1}, {kind: (there,)})


@pytest.mark.parametrize(
    ("ours", "judged"),
    [
        pytest.param(["a"], ["a"], id="equal"),
        pytest.param(["a"], ["b"], id="different"),
        pytest.param(["a b"], ["ab"], id="inner-white-space-is-part-of-an-id"),
        pytest.param(["a", "A"], ["a"], id="matched-already"),
        pytest.param(["07x"], ["7x"], id="zeros-of-what-is-no-number"),
        pytest.param(["10"], ["1"], id="zeros-of-a-whole-number-count"),
        pytest.param([LONG], ["123456789012345679"], id="long-numbers-side-by-side"),
        pytest.param(["1.23e+15"], ["1234567890123456"], id="another-number"),
        pytest.param(["5e99"], [LONG], id="a-float-of-its-own"),
        pytest.param(["9" * 5000], ["9" * 5001], id="numbers-beyond-any-id"),
        pytest.param(["abc"], ["abcd"], id="a-beginning-without-a-sign"),
        pytest.param(["a3f9"], ["9"], id="the-end-of-a-hash"),
        pytest.param(["same", "a-1"], ["same", "a"], id="a-suffix-where-others-match"),
        pytest.param(["A", "x-1"], ["a", "x"], id="a-suffix-where-case-explains-others"),
    ],
)
def test_nothing_is_said_of_ids_that_just_differ(ours: list[str], judged: list[str]) -> None:
    counts = documents(ours, judged).counts
    assert "suffix" not in counts
    assert counts == ({"folded": 1} if "A" in ours and "a" not in ours else {})


def test_each_id_counts_once_under_the_first_kind_that_explains_it() -> None:
    found = documents(["a ", "B", "B", "c", "07", "d"], ["a", "b", "c", "7", "e"])
    assert found.counts == {"trimmed": 1, "folded": 1, "number": 1}
    assert found.total == 3


def test_kinds_are_counted_in_the_order_of_the_table() -> None:
    found = documents(["1.0", "A", "b "], ["1", "a", "b"])
    assert list(found.counts) == ["trimmed", "folded", "number"]


def test_an_id_that_may_be_several_names_the_first_and_how_many_more() -> None:
    """It counts once; ids that can be one judged id only are better examples."""
    found = documents(["a", "B"], ["A ", "A", " a", "b"])
    assert found.counts == {"trimmed": 1, "folded": 1}
    assert found.examples["trimmed"] == (NearMatch("a", " a"),), "the closest kind decides"
    found = documents(["t1", "t2"], ["t1.1", "t1.2", "t1.3", "t2.1"])
    assert found.examples["suffix"] == (NearMatch("t2", "t2.1"), NearMatch("t1", "t1.1", 2))


def test_three_examples_as_both_write_them() -> None:
    found = documents([f"D{n}" for n in range(5)], [f"d{n}" for n in range(5)])
    assert found.examples["folded"] == tuple(NearMatch(f"D{n}", f"d{n}") for n in range(3))
    assert found.counts == {"folded": 5}


def test_documents_are_compared_within_their_query() -> None:
    assert hints({"q1": ["A"], "q2": ["b"]}, {"q1": ["x"], "q2": ["a"]}).documents.total == 0


@pytest.mark.parametrize(
    ("run", "judged"),
    [
        pytest.param({"q1": ["1.1", "1.10"]}, {"q1": ["1.1"]}, id="both-in-a-ranking"),
        pytest.param({"q1": ["1.10"]}, {"q1": ["1.1"], "q2": ["1.10"]}, id="both-in-judgments"),
        pytest.param({"q1": ["1.10"], "q2": ["1.1"]}, {"q1": ["1.1"], "q2": ["x"]}, id="both-run"),
    ],
)
def test_numbers_that_a_file_tells_apart_are_no_slip(
    run: dict[str, list[str]], judged: dict[str, list[str]]
) -> None:
    """Section 1.10 is not section 1.1."""
    assert hints(run, judged).documents == NearMatches()


def test_queries() -> None:
    run = Run.from_dict("run", {"Q1": ["a"], "q2": ["a"], "q3 ": [], "other": []})
    judgments = Judgments.from_dict({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}})
    found = id_hints(run.blocks, judgments)
    assert found.queries.counts == {"trimmed": 1, "folded": 1}
    assert found.queries.examples["folded"] == (NearMatch("Q1", "q1"),)
    assert (found.looked_at, found.results, found.in_part) == (1, 1, False)


def test_a_large_run_is_looked_at_in_part_and_says_so() -> None:
    """A query that is too large for what is left is passed over, a smaller one is not."""
    run = Run.from_dict("run", {"q1": ["A", "b"], "q2": ["A", "b", "c"], "q3": ["A"]})
    judgments = Judgments.from_dict({query: {"a": 1} for query in ("q1", "q2", "q3")})
    found = id_hints(run.blocks, judgments, rows=3)
    assert (found.looked_at, found.results, found.in_part) == (3, 6, True)
    assert found.documents.counts == {"folded": 2}


def test_a_run_without_results() -> None:
    found = id_hints((), Judgments.from_dict({"q": {"a": 1}}))
    assert (found.documents, found.looked_at, found.in_part) == (NearMatches(), 0, False)


# In words


@pytest.mark.parametrize(
    ("ours", "judged", "said"),
    [
        pytest.param(["a"], ["a"], (), id="nothing"),
        pytest.param(
            ["A"],
            ["a"],
            (
                "run: 1 document id matches qrels but for letter case ('A' here, 'a' there); "
                "it counts as unjudged.",
            ),
            id="one",
        ),
        pytest.param(
            ["B", "a\u00a0", "C"],
            ["a", "b", "c"],
            (
                "run: 3 document ids match qrels but for white space around (1: 'a\\xa0' here, "
                "'a' there), letter case (2: 'B' here, 'b' there); they count as unjudged.",
            ),
            id="two-kinds-with-an-example-each",
        ),
        pytest.param(
            ["a#1", "c"],
            ["a#2", "a", "c#1", "c#2"],
            (
                "run: 2 document ids match qrels but for a suffix ('a#1' here, 'a' there; "
                "'c' here, 'c#1' and 1 more there); they count as unjudged.",
            ),
            id="several-may-be-meant",
        ),
    ],
)
def test_sentences(ours: list[str], judged: list[str], said: tuple[str, ...]) -> None:
    assert hints({"q": ours}, {"q": judged}).sentences("run", "qrels") == said


def test_sentences_name_queries_first() -> None:
    found = hints({"q": ["A"], "Q2": ["a"]}, {"q": ["a"], "q2": ["a"]})
    first, second = found.sentences("run", "qrels")
    assert first == "run: 1 query id matches qrels but for letter case ('Q2' here, 'q2' there)."
    assert second.startswith("run: 1 document id matches qrels but")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "a b"),
        ("\tb\u200b", "\\tb\\u200b"),
        ("caf\u00e9", "caf\u00e9"),
        ("cafe\u0301", "cafe\\u0301"),
        ("\u0939\u093f", "\u0939\u093f"),
        ("x" * 50, "x" * 19 + "…" + "x" * 19),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_page_has_the_words_of_each_kind(kind: Kind) -> None:
    assert say(f"data.near.{kind.name}") == kind.words
