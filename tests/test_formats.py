"""Reading files: what comes out, what is said about it, and what is refused with which words."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from read_back import ODD_IDS, Judged, Rows, judgments_of, message, rows_of

from core.errors import FileError, JudgmentsError, RunError
from core.formats import beir, distinctly_named, read_judgments, read_run, stem, trec, trec_runs
from core.formats.fields import LineCounts, fast_columns, white_space_lines
from core.formats.rows import JudgmentRows
from core.formats.source import opened
from core.judgments import Judgments
from core.runs import Run

BEIR_HEADER = "query-id\tcorpus-id\tscore"


def ids(*, without: str) -> st.SearchStrategy[str]:
    """Ids a format can hold; a mark of byte order or a brace at the start would mean something."""
    letters = st.characters(codec="utf-8", exclude_characters=f"{without}\0\ufeff{{")
    return st.one_of(st.sampled_from(ODD_IDS), st.text(letters, min_size=1, max_size=6))


trec_ids = ids(without=" \t\r\n")
trec_queries = trec_ids.filter(lambda query: not query.startswith("#"))
beir_ids = ids(without="\t\r\n")
json_ids = st.one_of(st.sampled_from((*ODD_IDS, " ", "\t", "#", "{")), st.text(min_size=1))
finite = st.floats(allow_nan=False, allow_infinity=False)
ranks = st.integers(-(2**31), 2**31 - 1)


def judged_sets(names: st.SearchStrategy[str], *, judgments: int) -> st.SearchStrategy[Judged]:
    """Judgments for some queries, at least so many a query."""
    grades = st.integers(-(2**31) + 1, 2**31 - 1) | st.integers(-1, 3)
    each = st.dictionaries(names, grades, min_size=judgments, max_size=4)
    queries = names.filter(lambda name: not name.startswith("#"))
    return st.dictionaries(queries, each, min_size=1, max_size=4)


def trec_qrels(judged: Judged) -> str:
    return "".join(
        f"{query} 0 {document} {grade}\n"
        for query, grades in judged.items()
        for document, grade in grades.items()
    )


def beir_qrels(judged: Judged) -> str:
    rows = [
        f"{query}\t{document}\t{grade}\n"
        for query, grades in judged.items()
        for document, grade in grades.items()
    ]
    return "".join([f"{BEIR_HEADER}\n", *rows])


def trec_run(rows: Rows, tag: str = "tag") -> str:
    return "".join(
        f"{query} Q0 {document} {rank} {score!r} {tag}\n"
        for query, listed in rows.items()
        for document, score, rank in listed
    )


def packed(text: str, is_packed: bool) -> bytes:
    return gzip.compress(text.encode(), mtime=0) if is_packed else text.encode()


def run_of(data: bytes | str) -> Run:
    return read_run(data.encode() if isinstance(data, str) else data, source="f.run")


def qrels_of(data: bytes | str) -> Judgments:
    return read_judgments(data.encode() if isinstance(data, str) else data, name="f.qrels")


def assert_same(found: Rows, expected: Rows) -> None:
    """Compare without printing a difference of a hundred thousand rows."""
    assert found.keys() == expected.keys()
    assert [query for query in expected if found[query] != expected[query]] == []


# Write, then read


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gz"])
class TestComesBack:
    @given(judged=judged_sets(trec_ids, judgments=1))
    @example(judged={query: {"d": 1} for query in ODD_IDS})
    @example(judged={"q": dict.fromkeys(ODD_IDS, 1)})
    def test_trec_qrels(self, judged: Judged, is_packed: bool) -> None:
        found = qrels_of(packed(trec_qrels(judged), is_packed))
        assert judgments_of(found) == judged
        assert found.query_ids == tuple(judged)
        assert found.notices == ()

    @given(judged=judged_sets(beir_ids, judgments=1))
    @example(judged={query: {"d": 1} for query in ODD_IDS})
    @example(judged={" q ": {" a b ": 1, "a": 1}, "#q": {"#d": 0}})
    def test_beir_qrels(self, judged: Judged, is_packed: bool) -> None:
        assert judgments_of(qrels_of(packed(beir_qrels(judged), is_packed))) == judged

    @given(judged=judged_sets(json_ids, judgments=0), is_ascii=st.booleans())
    def test_json_judgments(self, judged: Judged, is_ascii: bool, is_packed: bool) -> None:
        text = json.dumps(judged, ensure_ascii=is_ascii)
        assert judgments_of(qrels_of(packed(text, is_packed))) == judged

    @given(
        rows=st.dictionaries(
            trec_queries,
            st.lists(st.tuples(trec_ids, finite, ranks), min_size=1, max_size=4),
            min_size=1,
            max_size=4,
        ),
        tag=trec_ids,
    )
    @example(rows={query: [("d", 1.0, 1)] for query in ODD_IDS}, tag="NA")
    @example(rows={"q": [(document, 1.0, 1) for document in ODD_IDS]}, tag="007")
    def test_trec_run(self, rows: Rows, tag: str, is_packed: bool) -> None:
        run = run_of(packed(trec_run(rows, tag), is_packed))
        assert rows_of(run) == rows
        assert (run.name, run.notices) == (tag, ())

    @given(results=st.dictionaries(json_ids, st.dictionaries(json_ids, finite), min_size=1))
    def test_json_run_with_scores(
        self, results: dict[str, dict[str, float]], is_packed: bool
    ) -> None:
        run = run_of(packed(json.dumps(results), is_packed))
        assert rows_of(run) == {
            query: [(document, score, None) for document, score in scores.items()]
            for query, scores in results.items()
        }

    @given(results=st.dictionaries(json_ids, st.lists(json_ids), min_size=1))
    def test_json_run_of_lists(self, results: dict[str, list[str]], is_packed: bool) -> None:
        run = run_of(packed(json.dumps(results), is_packed))
        assert rows_of(run) == {
            query: [(document, None, None) for document in listed]
            for query, listed in results.items()
        }
        assert not (run.has_scores and any(results.values()))


def test_numbers_keep_their_value() -> None:
    assert rows_of(run_of('{"q": {"a": 2, "b": -1e-3, "c": 12345678901234567890}}')) == {
        "q": [("a", 2.0, None), ("b", -0.001, None), ("c", 12345678901234567890.0, None)]
    }


# The same file, written another way

RUN_LINES = (
    "q1 Q0 b 1 2.5 tag",
    "q1 Q0 a#1 2 -1e-3 tag",
    "q2 Q0 é 1 7 tag",
    "q1 Q0 c 3 -2 tag",
)
RUN_ROWS: Rows = {
    "q1": [("b", 2.5, 1), ("a#1", -0.001, 2), ("c", -2.0, 3)],
    "q2": [("é", 7.0, 1)],
}
RUN_TEXT = "".join(f"{line}\n" for line in RUN_LINES)
OTHER_WRITING = [
    pytest.param(lambda text: text, id="as-is"),
    pytest.param(lambda text: "\ufeff" + text, id="byte-order-mark"),
    pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
    pytest.param(lambda text: text.replace("\n", "\r\n", 1), id="crlf-once"),
    pytest.param(lambda text: text.removesuffix("\n"), id="no-last-newline"),
    pytest.param(lambda text: text.replace("\n", "\r\n").removesuffix("\n"), id="ends-with-cr"),
    pytest.param(lambda text: text.replace(" ", "\t"), id="tabs"),
    pytest.param(lambda text: text.replace(" ", "\t", 1), id="one-tab"),
    pytest.param(lambda text: text.replace(" ", " \t  "), id="tabs-and-blanks"),
    pytest.param(lambda text: text.replace("\n", " \t\n"), id="blanks-at-the-end"),
    pytest.param(lambda text: " " + text.replace("\n", "\n\t"), id="blanks-in-front"),
    pytest.param(lambda text: "\n\n" + text.replace("\n", "\n\n"), id="empty-lines"),
    pytest.param(lambda text: text.replace("\n", "\n \t\n"), id="lines-of-blanks"),
    pytest.param(lambda text: text.replace("\n", "\r\n\r\n"), id="empty-crlf-lines"),
]


@pytest.mark.parametrize("rewritten", OTHER_WRITING)
def test_trec_run_reads_the_same(rewritten: Callable[[str], str]) -> None:
    run = run_of(rewritten(RUN_TEXT))
    assert rows_of(run) == RUN_ROWS
    assert (run.name, run.notices) == ("tag", ())


@pytest.mark.parametrize("rewritten", OTHER_WRITING)
def test_trec_qrels_read_the_same(rewritten: Callable[[str], str]) -> None:
    found = qrels_of(rewritten("q1 0 b 2\nq1 0 a#1 -1\nq2 0 é 0\nq1 0 c 1\n"))
    assert judgments_of(found) == {"q1": {"b": 2, "c": 1, "a#1": -1}, "q2": {"é": 0}}
    assert found.notices == ()


@pytest.mark.parametrize(
    "rewritten",
    [
        pytest.param(lambda text: text, id="as-is"),
        pytest.param(lambda text: "\ufeff" + text, id="byte-order-mark"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
        pytest.param(lambda text: text.removesuffix("\n"), id="no-last-newline"),
        pytest.param(lambda text: text.replace("\n", "\n\n"), id="empty-lines"),
        pytest.param(lambda text: text.replace("query-id", "Query-ID"), id="header-in-capitals"),
        pytest.param(lambda text: text.replace("\t2\n", "\t 2.0 \n"), id="blanks-round-a-grade"),
    ],
)
def test_beir_qrels_read_the_same(rewritten: Callable[[str], str]) -> None:
    found = qrels_of(rewritten(f"{BEIR_HEADER}\nq1\tb\t2\nq1\ta#1\t-1\nq2\té\t0\n"))
    assert judgments_of(found) == {"q1": {"b": 2, "a#1": -1}, "q2": {"é": 0}}


@pytest.mark.parametrize("start", ["", "\ufeff", "\n\r\n \t"], ids=["as-is", "mark", "white"])
def test_json_may_begin_with_a_mark_or_white_space(start: str) -> None:
    assert rows_of(run_of(start + '{"q": {"a": 1}}')) == {"q": [("a", 1.0, None)]}
    assert judgments_of(qrels_of(start + '{"q": {"a": 1}}')) == {"q": {"a": 1}}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("1", 1.0),
        ("+1.5", 1.5),
        ("-0", 0.0),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("00.5", 0.5),
        ("1e5", 1e5),
        ("1E+05", 1e5),
        ("-1.25e-2", -0.0125),
        ("1e-400", 0.0),
        ("0.1", 0.1),
        ("0.30000000000000004", 0.1 + 0.2),
        ("9007199254740993", 2.0**53),
        ("5e-324", 5e-324),
        ("1.7976931348623157e308", 1.7976931348623157e308),
    ],
)
def test_score_is_the_nearest_float(text: str, score: float) -> None:
    assert rows_of(run_of(f"q Q0 d 1 {text} t\n")) == {"q": [("d", score, 1)]}
    # Two blanks take the line-by-line reader.
    assert rows_of(run_of(f"q  Q0 d 1 {text} t\n")) == {"q": [("d", score, 1)]}


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("1", 1), ("-2", -2), ("+3", 3), ("007", 7), ("2.0", 2), ("2.", 2), ("-1.000", -1),
        ("1e2", 100), ("-0", 0), (".0", 0), ("2147483647", 2**31 - 1),
        ("-2147483647", -(2**31) + 1),
    ],
)  # fmt: skip
def test_grade_is_a_whole_number_however_it_is_written(text: str, grade: int) -> None:
    assert judgments_of(qrels_of(f"q 0 d {text}\n")) == {"q": {"d": grade}}
    assert judgments_of(qrels_of(f"q  0 d {text}\n")) == {"q": {"d": grade}}
    assert judgments_of(qrels_of(f"{BEIR_HEADER}\nq\td\t{text}\n")) == {"q": {"d": grade}}


# The fast reader and the slow one

tokens = st.sampled_from(
    ["q", "q2", "Q0", "d", "", "0", "1", "2", "0.5", "0x1", "0X1", "+1", "-1", "-0", "01", "1.",
     ".5", "1.0", "1e2", "nan", "inf", "-inf", "1e999", "1e-400", "1_0", "0x", "#", "#q", "a#b",
     '"', '"q', "é", "\u00a0", "\u2028", "\x0b1", "\x0c", "2147483648", "-2147483648", "NA", ","]
)  # fmt: skip
separators = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", ""])
endings = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", "\r", ""])


@st.composite
def nearly_clean(draw: st.DrawFn, template: tuple[str, ...], separator: str) -> bytes:
    """Lines like a template, of which some fields, separators and line ends are odd."""
    text = ""
    for _ in range(draw(st.integers(1, 4))):
        fields = list(template)
        for at in draw(st.sets(st.sampled_from(range(len(fields))), max_size=2)):
            fields[at] = draw(tokens)
        gaps = [separator] * (len(fields) - 1)
        if draw(st.integers(0, 3)) == 0:
            gaps[draw(st.sampled_from(range(len(gaps))))] = draw(separators)
        text += fields[0] + "".join(g + f for g, f in zip(gaps, fields[1:], strict=True))
        text += draw(st.sampled_from(["", "", "", separator, " extra"])) + draw(endings)
    data = text.encode()
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + b"\xe9" + data[at:]
    return data


run_lines = st.sampled_from([" ", "\t"]).flatmap(
    lambda gap: nearly_clean(("q", "Q0", "d", "1", "0.5", "tag"), gap)
)
qrels_lines = st.sampled_from([" ", "\t"]).flatmap(
    lambda gap: nearly_clean(("q", "0", "d", "1"), gap)
)
beir_lines = nearly_clean(("q", "d", "1"), "\t")


def assert_same_part(fast: trec_runs._Part, slow: trec_runs._Part) -> None:
    one, other = fast.results, slow.results
    assert (list(one.queries), list(one.documents)) == (list(other.queries), list(other.documents))
    assert one.scores is not None
    assert other.scores is not None
    assert one.scores.tolist() == other.scores.tolist()
    assert (one.ranks is None) == (other.ranks is None)
    if one.ranks is not None and other.ranks is not None:
        assert one.ranks.tolist() == other.ranks.tolist()
    assert list(fast.tags or []) == list(slow.tags or [])
    for name in ("tag", "comments", "wide", "first_wide"):
        assert getattr(fast, name) == getattr(slow, name)


def assert_same_rows(fast: JudgmentRows, slow: JudgmentRows) -> None:
    assert list(fast.queries) == list(slow.queries)
    assert list(fast.documents) == list(slow.documents)
    for name in ("grades", "lines"):
        assert getattr(fast, name).tolist() == getattr(slow, name).tolist()


def check_run(data: bytes) -> None:
    """Read whole and line by line: the same block, or the same error."""
    with opened(b"q" + data, "f.run") as source:  # not empty, whatever the data
        try:
            slow = trec_runs._read_slowly(data, source, source.begin)
        except FileError as error:
            assert message(lambda: trec_runs._read(source, (1, source.end))) == str(error)
            return
        assert_same_part(trec_runs._read(source, (1, source.end)), slow)


def check_qrels(data: bytes) -> None:
    """What is read fast is what the slow reader reads; what that refuses is not read fast."""
    if (fast := trec._fast_qrels(data)) is not None:
        lines = white_space_lines(data, "f.qrels", 0, LineCounts())
        slow = JudgmentRows.collected(trec._qrels_row(line, "f.qrels") for line in lines)
        assert_same_rows(fast, slow)


def check_beir(body: bytes) -> None:
    """As for TREC qrels."""
    if (fast := beir._rows_fast(body)) is not None:
        assert_same_rows(fast, beir._rows_slowly(body, "f.tsv"))


@given(run_lines)
@example(b"q Q0 d 0x1 0.5 t\n")  # rank in hexadecimal notation
@example(b" Q0 d 1 0.5 t\n")  # empty query
@example(b"q  d 1 0.5 t\n")  # empty second field
@example(b"q Q0  1 0.5 t\n")  # empty document
@example(b"q Q0 d 1 0.5 \n")  # empty tag
@example(b"q Q0 d 1 0.5 caf\xe9\n")  # not UTF-8 where no id stands
def test_fast_and_slow_reader_of_runs_agree(data: bytes) -> None:
    check_run(data)


@given(qrels_lines)
@example(b"q 0 d 0x1\n")
@example(b" 0 d 1\n")
@example(b"q  d 1\n")
@example(b"q \xe9 d 1\n")
def test_fast_and_slow_reader_of_qrels_agree(data: bytes) -> None:
    check_qrels(data)


@given(beir_lines)
@example(b"q\td\t0x1\n")
@example(b"\td\t1\n")
@example(b"q\t\t1\n")
@example(b"#q\td\t1\n")
def test_fast_and_slow_reader_of_beir_qrels_agree(data: bytes) -> None:
    check_beir(data)


@given(
    st.lists(st.tuples(trec_queries, trec_ids, finite, ranks), min_size=1, max_size=6),
    st.sampled_from([" ", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_clean_text_is_read_fast_and_the_slow_reader_agrees(
    rows: list[tuple[str, str, float, int]], gap: str, end: str
) -> None:
    lines = [(q, "Q0", d, str(rank), repr(score), "t") for q, d, score, rank in rows]
    data = "".join(f"{gap.join(line)}{end}" for line in lines).encode()
    columns = fast_columns(data, trec_runs._COLUMNS, delimiter=None, skip_empty_lines=True)
    # An id that begins like a number in hexadecimal notation is the exception.
    assert columns is not None or f"{gap}0x".encode() in data.lower()
    check_run(data)
    grades = "".join(f"{gap.join((q, '0', d, '1'))}{end}" for q, d, _, _ in rows).encode()
    assert trec._fast_qrels(grades) is not None or f"{gap}0x".encode() in data.lower()
    check_qrels(grades)


# Larger than one block


def many_lines(lines: int, *, per_query: int) -> list[str]:
    """TREC lines of about 45 bytes, with some scores equal."""
    return [
        f"query-{number // per_query} Q0 document-{number * 7919 % 1_000_003} "
        f"{number % per_query + 1} {(lines - number) // 3 / 64} tag"
        for number in range(lines)
    ]


def read_plainly(lines: list[str]) -> Rows:
    rows: Rows = {}
    for line in lines:
        query, _, document, rank, score, _ = line.split(" ")
        rows.setdefault(query, []).append((document, float(score), int(rank)))
    return rows


LINES = many_lines(200_000, per_query=1_000)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(LINES, id="each-query-in-one-place"),
        pytest.param(LINES[:500] + LINES[1_000:] + LINES[500:1_000], id="a-query-at-both-ends"),
        pytest.param(many_lines(100_000, per_query=10**9), id="one-query"),
    ],
)  # fmt: skip
def test_large_run_is_read_as_a_plain_reader_does(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    assert len(text) > 4 << 20
    run = run_of(text)
    assert_same(rows_of(run), read_plainly(lines))
    assert run.notices == ()


def test_large_run_is_read_in_blocks() -> None:
    assert len(run_of("".join(f"{line}\n" for line in LINES)).blocks) > 2


def test_query_that_spans_parts_is_read_whole() -> None:
    """The first and the last part end with a query that goes on, or begins elsewhere."""
    lines = [line.replace("query-7 ", "query-3 ") for line in LINES]
    run = run_of("".join(f"{line}\n" for line in lines))
    assert_same(rows_of(run), read_plainly(lines))


def test_large_run_odd_in_its_middle_is_read_the_same_and_counted() -> None:
    """A comment, a wide line and a rank that is no number, in blocks of their own."""
    lines = list(LINES)
    lines[100] += " more"
    lines[100_000] = lines[100_000].replace(" 1 ", " first ")
    text = "".join(f"{line}\n" for line in [*lines[:150_000], "# half", *lines[150_000:], "# end"])
    run = run_of(text)
    plain: Rows = {
        query: [(document, score, None) for document, score, _ in listed]
        for query, listed in read_plainly(LINES).items()
    }
    assert_same(rows_of(run), plain)
    assert run.notices == (
        "f.run: 2 comment lines skipped (a line that starts with #).",
        "f.run: 1 line with more than 6 columns, first line 101; what follows the tag is ignored.",
        "f.run: the rank column is not made of whole numbers; ignored.",
    )


def test_comments_behind_the_last_result_of_a_large_run_are_counted() -> None:
    text = "".join(f"{line}\n" for line in LINES[:100_000]) + "# comment\n" * 20_000
    assert run_of(text).notices == (
        "f.run: 20,000 comment lines skipped (a line that starts with #).",
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_line_number_counts_from_the_start_of_a_large_file(end: str) -> None:
    lines = [*LINES, "query-199 Q0 document-x 1001 half tag"]
    assert message(lambda: run_of("".join(f"{line}{end}" for line in lines))) == (
        "f.run, line 200,001: score 'half' is not a number. "
        "Give a finite score, with a decimal point."
    )


def test_gzip_larger_than_one_block() -> None:
    text = "".join(f"{line}\n" for line in LINES[:110_000])
    data = gzip.compress(text.encode(), compresslevel=1, mtime=0)
    assert_same(rows_of(run_of(data)), read_plainly(LINES[:110_000]))


# What is said


@pytest.mark.parametrize(
    ("text", "rows", "notices"),
    [
        pytest.param(
            "# run of May\n#\nq Q0 d 1 2 t\n#q Q0 e 2 1 t\n",
            {"q": [("d", 2.0, 1)]},
            ["f.run: 3 comment lines skipped (a line that starts with #)."],
            id="comments",
        ),
        pytest.param(
            "q#1 Q0 #d 1 2 #t\n",
            {"q#1": [("#d", 2.0, 1)]},
            [],
            id="a-number-sign-inside-is-part-of-an-id",
        ),
        pytest.param(
            "q Q0 d 1 2 t\nq Q0 e 2 1 t and more\nq Q0 f 3 0 t x\n",
            {"q": [("d", 2.0, 1), ("e", 1.0, 2), ("f", 0.0, 3)]},
            [
                "f.run: 2 lines with more than 6 columns, first line 2; "
                "what follows the tag is ignored."
            ],
            id="wide-lines",
        ),
        pytest.param(
            "q Q0 d 1 2 t\nq Q0 e - 1 t\n",
            {"q": [("d", 2.0, None), ("e", 1.0, None)]},
            ["f.run: the rank column is not made of whole numbers; ignored."],
            id="junk-ranks",
        ),
        pytest.param(
            "q Q0 d 1.0 2 t\n",
            {"q": [("d", 2.0, None)]},
            ["f.run: the rank column is not made of whole numbers; ignored."],
            id="fractional-ranks",
        ),
        pytest.param(
            f"q Q0 d {'9' * 5000} 2 t\n",
            {"q": [("d", 2.0, None)]},
            ["f.run: the rank column is not made of whole numbers; ignored."],
            id="a-rank-of-5000-digits",
        ),
        pytest.param(
            "q Q0 d 0x1 2 t\n",
            {"q": [("d", 2.0, None)]},
            ["f.run: the rank column is not made of whole numbers; ignored."],
            id="hexadecimal-ranks",
        ),
        pytest.param(
            "q Q0 d 1 2 t\nq Q0 d 2 1 t\n",
            {"q": [("d", 2.0, 1), ("d", 1.0, 2)]},
            [],
            id="a-repeated-document-loads",
        ),
    ],
)
def test_notice_of_a_run(text: str, rows: Rows, notices: list[str]) -> None:
    run = run_of(text)
    assert rows_of(run) == rows
    assert list(run.notices) == notices


def test_notice_of_comments_in_qrels() -> None:
    found = qrels_of("# judged in May\nq 0 a#b 1\n#q 0 c 1\n")
    assert judgments_of(found) == {"q": {"a#b": 1}}
    assert found.notices == ("f.qrels: 2 comment lines skipped (a line that starts with #).",)


def test_number_sign_at_the_start_of_a_beir_line_is_part_of_the_id() -> None:
    found = qrels_of(f"{BEIR_HEADER}\n#q\t#d\t1\n")
    assert judgments_of(found) == {"#q": {"#d": 1}}
    assert found.notices == ()


# Names


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("bm25.run", "bm25"),
        ("runs/bm25_0.9.run.gz", "bm25_0.9"),
        ("BM25.JSON", "BM25"),
        ("qrels", "qrels"),
        (".run", ".run"),
        ("x/.run.gz", ".run"),
        ("a.b.c", "a.b.c"),
    ],
)
def test_stem_is_the_name_without_folder_and_endings(file: str, name: str) -> None:
    assert stem(file) == name


def test_run_is_called_by_the_name_given_then_its_tag_then_its_file() -> None:
    data = b"q Q0 d 1 2 tag\n"
    assert read_run(data, source="file.run", name="mine").name == "mine"
    assert read_run(data, source="file.run").name == "tag"
    assert read_run(b'{"q": ["d"]}', source="file.json.gz").name == "file"


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        pytest.param([("a", "x.run"), ("b", "y.run")], ["a", "b"], id="different-tags-stay"),
        pytest.param([("t", "x.run"), ("t", "y.run")], ["x", "y"], id="files-tell-them-apart"),
        pytest.param(
            [("t", "x.run"), ("t", "x.run"), ("t", "x.json")],
            ["x", "x (2)", "x (3)"],
            id="numbers-tell-them-apart",
        ),
        pytest.param(
            [("t", "x.run"), ("x", "z.run"), ("t", "y.run")],
            ["x", "x (2)", "y"],
            id="a-file-named-like-another-run",
        ),
    ],
)
def test_runs_get_distinct_names(runs: list[tuple[str, str]], names: list[str]) -> None:
    loaded = [Run.from_dict(tag, {"q": ["d"]}, source=file) for tag, file in runs]
    assert [run.name for run in distinctly_named(loaded)] == names


def test_path_gives_its_name_to_messages(tmp_path: Path) -> None:
    file = tmp_path / "bm25.run"
    file.write_bytes(b"q Q0 d 1 2 tag\n")
    assert read_run(file).source == "bm25.run"
    assert message(lambda: read_judgments(file)) == (
        f"bm25.run, line 1: 6 columns, {QRELS_COLUMNS}. Is this a run?"
    )


def test_bytes_need_a_name() -> None:
    assert message(lambda: read_run(b"q")) == "Bytes need a file name for messages."
    assert message(lambda: read_judgments(b"q")) == "Bytes need a file name for messages."


# Bad input

NUMBERS = "Give the numbers of a run's columns: --run-column query=1"
RUN_COLUMNS = "expected 6 (query Q0 document rank score tag)"
QRELS_COLUMNS = "expected 4 (query iteration document grade)"
FINITE = "Give a finite score, with a decimal point."
WHOLE = "Grades are whole numbers, such as 0 to 3."
HEADER_QUESTION = "Is this a header line? Remove it, or give a number as"
FIRST = "q Q0 a 1 9 t\n"

NUL = (
    "a NUL byte, so this is not UTF-8 text (an archive, another binary file, or UTF-16?). "
    "Is this the right file? Text has to be saved as UTF-8."
)
MARK = (
    "a byte order mark before the first field, which no eye can see. "
    "Remove it. Were files put behind one another?"
)

BAD_RUNS = [
    ("nul-far-down", f"{FIRST * 50_000}q Q0 d\0 1 1 t\n", f"f.run, line 50,001: {NUL}"),
    ("mark-in-the-middle", f"{FIRST}\ufeffq Q0 d 1 9 t\n", f"f.run, line 2: {MARK}"),
    ("two-marks", f"\ufeff\ufeff{FIRST}", f"f.run, line 1: {MARK}"),
    ("blank-between-tabs", "q\tQ0\tmy doc\t2\t0.8\tt\n",
     "f.run, line 1: a blank inside 'my doc', and blanks separate fields, too. "
     "Replace it, or give the file a header line that names the columns."),
    ("one-column", f"{FIRST}q\n",
     f"f.run, line 2: 1 column, {RUN_COLUMNS}. Are the columns separated by blanks or tabs?"),
    ("two-columns", f"{FIRST}q d\n",
     f"f.run, line 2: 2 columns, {RUN_COLUMNS}. Which column is a rank or a score? "
     "A run has one of them."),
    ("three-columns", "q d 1\n",
     f"f.run, line 1: 3 columns, {RUN_COLUMNS}. Is the third column a rank or a score? "
     f"{NUMBERS} document=2 rank=3 (or score=3)."),
    ("query-document-rank-score", "q\td\t1\t0.5\n",
     f"f.run, line 1: 4 columns, {RUN_COLUMNS}. {NUMBERS} document=2 rank=3 score=4."),
    ("rank-or-grade", "q 0 7 1\n",
     f"f.run, line 1: 4 columns, {RUN_COLUMNS}. Is this a qrels file? "
     f"{NUMBERS} document=2 rank=3 score=4."),
    ("passages", "7\t8\ta query\ta passage of many words\n",
     f"f.run, line 1: 4 columns between tabs, {RUN_COLUMNS}. Which column is a rank or a score? "
     "A run has one of them."),
    ("qrels", "q 0 d 1\n", f"f.run, line 1: 4 columns, {RUN_COLUMNS}. Is this a qrels file?"),
    ("no-tag", f"{FIRST}\n# comment\nq Q0 d 1 0.5\n",
     f"f.run, line 4: 5 columns, {RUN_COLUMNS}. Is the tag missing? "
     f"{NUMBERS} document=3 rank=4 score=5."),
    ("empty-tag", "q Q0 d 1 0.5 \n",
     f"f.run, line 1: 5 columns, {RUN_COLUMNS}. Is the tag missing? "
     f"{NUMBERS} document=3 rank=4 score=5."),
    ("empty-second-column", "q  d 1 0.5 t\n",
     f"f.run, line 1: 5 columns, {RUN_COLUMNS}. Is the second column (Q0) missing? "
     f"{NUMBERS} document=2 rank=3 score=4."),
    ("header-line", "query Q0 document rank score tag\nq Q0 d 1 0.5 t\n",
     f"f.run, line 1: score 'score' is not a number. {HEADER_QUESTION} score."),
    ("score-nan", f"{FIRST}q Q0 d 1 NaN t\n",
     f"f.run, line 2: score 'NaN' is not a number. {FINITE}"),
    ("score-inf", f"{FIRST}q Q0 d 1 -inf t\n",
     f"f.run, line 2: score '-inf' is not a number. {FINITE}"),
    ("score-too-large", f"{FIRST}q Q0 d 1 1e999 t\n",
     "f.run, line 2: score '1e999' is not finite. Give a finite score."),
    ("score-with-underscore", f"{FIRST}q Q0 d 1 1_000 t\n",
     f"f.run, line 2: score '1_000' is not a number. {FINITE}"),
    ("score-with-comma", f"{FIRST}q Q0 d 1 0,5 t\n",
     f"f.run, line 2: score '0,5' is not a number. {FINITE}"),
    ("score-hexadecimal", f"{FIRST}q Q0 d 1 0x1p3 t\n",
     f"f.run, line 2: score '0x1p3' is not a number. {FINITE}"),
    ("score-in-other-digits", f"{FIRST}q Q0 d 1 ٣ t\n",
     f"f.run, line 2: score '٣' is not a number. {FINITE}"),
    ("score-very-long", f"{FIRST}q Q0 d 1 {'x' * 200} t\n",
     f"f.run, line 2: score '{'x' * 39}…{'x' * 39}' is not a number. {HEADER_QUESTION} score."),
    ("carriage-returns-alone", "q Q0 d 1 2 t\rq Q0 e 2 1 t\r",
     "f.run, line 1: a carriage return inside the line. End lines with a line feed (LF or CRLF)."),
    ("only-comments", "# nothing\n", "f.run: no results found. Is this the right file?"),
    ("json-without-queries", "{}", "f.run: no results found. Is this the right file?"),
    ("json-score-text", '{"q": {"d": "1"}}',
     "f.run, line 1, query 'q', document 'd': score \"1\" is not a number. Give a finite number."),
    ("json-score-true", '{"q": {"é": true}}',
     "f.run, line 1, query 'q', document 'é': score true is not a number. Give a finite number."),
    ("json-score-null", '{"q": {"d": null}}',
     "f.run, line 1, query 'q', document 'd': score null is not a number. Give a finite number."),
    ("json-score-nan", '{"q": {"d": NaN}}',
     "f.run, line 1, query 'q', document 'd': score NaN is not finite. Give a finite number."),
    ("json-score-infinity", '{"q": {"d": -Infinity}}',
     "f.run, line 1, query 'q', document 'd': score -Infinity is not finite. "
     "Give a finite number, below 1.8e308."),
    ("json-score-too-large", '{"q": {"d": 1e999}}',
     "f.run, line 1, query 'q', document 'd': score Infinity is not finite. "
     "Give a finite number, below 1.8e308."),
    ("json-score-of-400-digits", f'{{"q": {{"d": {"1" * 400}}}}}',
     f"f.run, line 1, query 'q', document 'd': score {'1' * 39}…{'1' * 39} is not finite. "
     "Give a finite number, below 1.8e308."),
    ("json-score-of-5000-digits", f'{{"q": {{"d": {"1" * 5000}}}}}',
     "f.run, line 1, within 'q': a whole number of more than 4,300 digits. Give a finite number."),
    ("json-no-ranking", '{"q": 3}',
     "f.run, line 1, query 'q': expected documents, found 3. "
     "Give {document: score}, or a list of document ids, best first."),
    ("json-document-number", '{"q": [7]}',
     "f.run, line 1, query 'q': 7 is not a document id. Write ids as text, in quotes: \"007\"."),
    ("json-document-list", '{"q": [["d", 1.0, 1]]}',
     "f.run, line 1, query 'q', entry 1: expected a document, found [\"d\", 1.0, 1]. "
     "Give ids, pairs [id, score], or objects with id and score, best first."),
    ("json-empty-document", '{"q": [""]}',
     "f.run, line 1, query 'q': an empty id. Give every query and document an id."),
    ("json-empty-query", '{"": ["d"]}',
     "f.run, line 1, query '': an empty id. Give every query and document an id."),
    ("json-partly-scored", '{"q": {"d": 1}, "p": ["d"]}',
     "f.run: some queries have scores and some are plain lists. Give every query scores, or none."),
    ("json-nested", '{"a":' * 100_000,
     "f.run: JSON nested too deeply. Give {query: {document: score}}."),
]  # fmt: skip

BAD_QRELS = [
    ("nul-far-down", "q 0 d 1\n" * 50_000 + "q 0 d\0 1\n", f"f.qrels, line 50,001: {NUL}"),
    ("one-column", "q\n",
     f"f.qrels, line 1: 1 column, {QRELS_COLUMNS}. Are the columns separated by blanks or tabs?"),
    ("two-columns", "q d\n", f"f.qrels, line 1: 2 columns, {QRELS_COLUMNS}. Are these qrels?"),
    ("three-columns", "q 0 a 1\nq d 1\n",
     f"f.qrels, line 2: 3 columns, {QRELS_COLUMNS}. Is the second column missing? "
     "Give every line the same columns."),
    ("five-columns", "q 0 d 1 x\n",
     f"f.qrels, line 1: 5 columns, {QRELS_COLUMNS}. Are these qrels?"),
    ("a-run", "q Q0 d 1 0.5 t\n", f"f.qrels, line 1: 6 columns, {QRELS_COLUMNS}. Is this a run?"),
    ("header-line", "query iteration document grade\nq 0 d 1\n",
     f"f.qrels, line 1: grade 'grade' is not a number. {HEADER_QUESTION} grade."),
    ("grade-fractional", "q 0 a 1\nq 0 d 1.5\n",
     "f.qrels, line 2: grade 1.5 is not a whole number. "
     "Grades are whole numbers; map fractions to whole grades first."),
    ("grade-nan", "q 0 a 1\nq 0 d nan\n",
     f"f.qrels, line 2: grade 'nan' is not a number. {WHOLE}"),
    ("grade-hexadecimal", "q 0 a 1\nq 0 d 0x1\n",
     f"f.qrels, line 2: grade '0x1' is not a number. {WHOLE}"),
    ("grade-with-underscore", "q 0 d 1_0\n",
     f"f.qrels, line 1: grade '1_0' is not a number. {WHOLE}"),
    ("grade-huge", "q 0 a 1\nq 0 d 2147483648\n",
     "f.qrels, line 2: the grade does not fit a 32-bit whole number. "
     "Grades are small whole numbers, such as 0 to 3."),
    ("grade-lowest-of-32-bits", "q 0 a 1\nq 0 d -2147483648\n",
     "f.qrels, line 2: the grade does not fit a 32-bit whole number. "
     "Grades are small whole numbers, such as 0 to 3."),
    ("grade-not-finite", "q 0 d 1e999\n",
     "f.qrels, line 1: grade '1e999' is not finite. Give a finite grade."),
    ("grade-of-5000-digits", f"q 0 d {'9' * 5000}\n",
     f"f.qrels, line 1: grade '{'9' * 39}…{'9' * 39}' is not finite. Give a finite grade."),
    ("contradiction", "q 0 a 1\nq 0 d 1\nq 0 a 2\n",
     "f.qrels, line 3: query 'q' judges document 'a' as grade 2, and as grade 1 on line 1. "
     "Keep one of the two."),
    ("only-comments", "# nothing\n", "f.qrels: no judgments found. Is this the right file?"),
    ("beir-header-alone", f"{BEIR_HEADER}\n",
     "f.qrels: no judgments found. Is this the right file?"),
    ("beir-two-columns", f"{BEIR_HEADER}\nq\td\n",
     "f.qrels, line 2: 2 columns, expected 3 columns (query-id, corpus-id, score). "
     "Separate the columns by one tab each, and leave none empty."),
    ("beir-blanks-for-tabs", f"{BEIR_HEADER}\nq d 1\n",
     "f.qrels, line 2: 1 column, expected 3 columns (query-id, corpus-id, score). "
     "Separate the columns by one tab each, and leave none empty."),
    ("beir-empty-id", f"{BEIR_HEADER}\nq\t\t1\n",
     "f.qrels, line 2: an empty id, expected 3 columns (query-id, corpus-id, score). "
     "Separate the columns by one tab each, and leave none empty."),
    ("beir-fractional", f"{BEIR_HEADER}\n\nq\td\t0.5\n",
     "f.qrels, line 3: grade 0.5 is not a whole number. "
     "Grades are whole numbers; map fractions to whole grades first."),
    ("beir-contradiction", f"{BEIR_HEADER}\nq\td\t1\nq\td\t0\n",
     "f.qrels, line 3: query 'q' judges document 'd' as grade 0, and as grade 1 on line 2. "
     "Keep one of the two."),
    ("json-without-queries", "{}", "f.qrels: no judgments found. Is this the right file?"),
    ("json-list", '{"q": ["d"]}',
     "f.qrels, line 1, query 'q': expected {document: grade}, found [\"d\"]. "
     "Give each document its grade."),
    ("json-fractional", '{"q": {"d": 1.5}}',
     "f.qrels, line 1, query 'q', document 'd': grade 1.5 is not a whole number. "
     "Grades are whole numbers; map fractions to whole grades first."),
    ("json-text", '{"q": {"d": "1"}}',
     "f.qrels, line 1, query 'q', document 'd': grade \"1\" is not a number. Give a whole number."),
    ("json-true", '{"q": {"d": true}}',
     "f.qrels, line 1, query 'q', document 'd': grade true is not a number. Give a whole number."),
    ("json-nan", '{"q": {"d": NaN}}',
     "f.qrels, line 1, query 'q', document 'd': grade NaN is not finite. Give a whole number."),
    ("json-not-finite", '{"q": {"d": -1e999}}',
     "f.qrels, line 1, query 'q', document 'd': grade -Infinity is not finite. "
     "Give a whole number."),
    ("json-huge", '{"q": {"d": 2147483648}}',
     "f.qrels, line 1, query 'q', document 'd': grade 2147483648 does not fit a 32-bit whole "
     "number. "
     "Grades are small whole numbers, such as 0 to 3."),
    ("json-empty-document", '{"q": {"": 1}}',
     "f.qrels, line 1, query 'q', document '': an empty id. Give every query and document an id."),
]  # fmt: skip

ZIPPED = gzip.compress(b"q Q0 d 1 0.5 t\n" * 100, mtime=0)

BAD_FILES = [
    ("empty", b"", "f: the file is empty. Is this the right file?"),
    ("only-white-space", b" \n\t\r\n", "f: the file is empty. Is this the right file?"),
    ("only-a-mark", b"\xef\xbb\xbf\n", "f: the file is empty. Is this the right file?"),
    ("empty-gz", gzip.compress(b"", mtime=0), "f: the file is empty. Is this the right file?"),
    ("utf-16-le", b"\xff\xfe" + "q 0 d 1\n".encode("utf-16-le"),
     "f: the file is UTF-16, not UTF-8 text. Save it as UTF-8 text."),
    ("utf-16-be", b"\xfe\xff" + "q 0 d 1\n".encode("utf-16-be"),
     "f: the file is UTF-16, not UTF-8 text. Save it as UTF-8 text."),
    ("utf-16-without-mark", "q 0 d 1\n".encode("utf-16-le"),
     f"f, line 1: {NUL}"),
    ("utf-16-in-gz", gzip.compress(b"\xff\xfe" + "q 0 d 1\n".encode("utf-16-le"), mtime=0),
     "f: the file is UTF-16, not UTF-8 text. Save it as UTF-8 text."),
    ("zip", b"PK\x03\x04\x14\x00",
     "f: the file is a zip archive or a spreadsheet, not UTF-8 text. "
     "Unpack it, or save the sheet as CSV in UTF-8."),
    ("old-spreadsheet", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0",
     "f: the file is an old Excel or Word document, not UTF-8 text. "
     "Unpack it, or save the sheet as CSV in UTF-8."),
    ("utf-32", b"\xff\xfe\0\0q\0\0\0",
     "f: the file is UTF-32, not UTF-8 text. Save it as UTF-8 text."),
    ("pdf", b"%PDF-1.7", "f: the file is a PDF, not UTF-8 text. Save it as UTF-8 text."),
    ("web-page", b"\n<!DOCTYPE html>\n",
     "f: the file is a web page (HTML). Download the file itself."),
    ("parquet", b"PAR1\x15\x04", "f: the Parquet file is truncated or corrupt. Write it again."),
    ("zstd", b"\x28\xb5\x2f\xfd\x04\x00",
     "f: the file is compressed with zstd, not UTF-8 text. Unpack it, or compress it as .gz."),
    ("bzip2", b"BZh91AY", "f: the file is compressed with bzip2, not UTF-8 text. "
     "Unpack it, or compress it as .gz."),
    ("lz4", b"\x04\x22\x4d\x18\x40",
     "f: the file is compressed with lz4, not UTF-8 text. Unpack it, or compress it as .gz."),
    ("xz", b"\xfd7zXZ\x00",
     "f: the file is compressed with xz, not UTF-8 text. Unpack it, or compress it as .gz."),
    ("gz-cut-short", ZIPPED[:-9],
     "f: the gzip archive is truncated. Copy the file again."),
    ("json-cut-short", b'{"q":\n  {"d": 1',
     "f, line 2: not valid JSON (expecting ',' delimiter, column 10). "
     "Correct the file, or write it again with a JSON library."),
    ("json-with-more-behind", b'{"q": {"d": 1}}\n{"p": {"d": 1}}\n',
     "f, line 2: not valid JSON (extra data, column 1). "
     "Correct the file, or write it again with a JSON library."),
    ("json-key-twice", b'{"q": {"d": 1, "e": 2, "d": 1}}',
     "f, line 1, within 'q': the key 'd' stands twice in one object. Keep one of the two."),
    ("json-query-twice", b'{"q": {"d": 1}, "q": {"e": 1}}',
     "f, line 1: the key 'q' stands twice in one object. Keep one of the two."),
    ("json-lone-surrogate-in-a-document", rb'{"q": {"a\ud800": 1}}',
     r"f, line 1, query 'q', document 'a\ud800': the id 'a\ud800' holds a lone surrogate, which "
     "is not a character. "
     "Write the file again with correct text."),
    ("json-lone-surrogate-in-a-query", rb'{"\udc00": {"a": 1}}',
     r"f, line 1, query '\udc00': the id '\udc00' holds a lone surrogate, which is not a "
     "character. "
     "Write the file again with correct text."),
    ("json-windows-1252", '{"q":\n {"café": 1}}'.encode("cp1252"),
     "f, line 2: byte 0xe9 is not UTF-8. Save the file as UTF-8 and load it again."),
]  # fmt: skip


def cases(table: list[tuple[str, str, str]]) -> list[object]:
    return [pytest.param(text, expected, id=name) for name, text, expected in table]


@pytest.mark.parametrize(("text", "expected"), cases(BAD_RUNS))
def test_bad_run(text: str, expected: str) -> None:
    assert message(lambda: run_of(text)) == expected


@pytest.mark.parametrize(("text", "expected"), cases(BAD_QRELS))
def test_bad_judgments(text: str, expected: str) -> None:
    assert message(lambda: qrels_of(text)) == expected


@pytest.mark.parametrize(
    ("data", "expected"), [pytest.param(data, text, id=name) for name, data, text in BAD_FILES]
)
def test_bad_file_of_either_kind(data: bytes, expected: str) -> None:
    assert message(lambda: read_run(data, source="f")) == expected
    assert message(lambda: read_judgments(data, name="f")) == expected


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("café Q0 d 2 1 t\n", id="query"),
        pytest.param("q Q0 café 2 1 t\n", id="document"),
        pytest.param("q é d 2 1 t\n", id="second-column"),
        pytest.param("q Q0 d 2 1 café\n", id="tag"),
        pytest.param("q  Q0 d 2 1 café\n", id="tag-of-a-line-with-two-blanks"),
    ],
)
def test_windows_1252_in_a_run_is_refused_with_its_line(line: str) -> None:
    assert message(lambda: run_of(FIRST.encode() + line.encode("cp1252"))) == (
        "f.run, line 2: byte 0xe9 is not UTF-8. Save the file as UTF-8 and load it again."
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("q 0 a 1\nq é d 1\n", id="trec-iteration"),
        pytest.param("q 0 a 1\nq 0 é 1\n", id="trec-document"),
        pytest.param(f"{BEIR_HEADER}\nq\té\t1\n", id="beir"),
    ],
)
def test_windows_1252_in_judgments_is_refused_with_its_line(text: str) -> None:
    assert message(lambda: qrels_of(text.encode("cp1252"))) == (
        "f.qrels, line 2: byte 0xe9 is not UTF-8. Save the file as UTF-8 and load it again."
    )


def test_missing_file(tmp_path: Path) -> None:
    expected = "bm25.run: the file cannot be opened (no such file or directory). Check its path."
    assert message(lambda: read_run(tmp_path / "bm25.run")) == expected
    assert message(lambda: read_judgments(tmp_path / "bm25.run")) == expected


def test_folder_in_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    assert message(lambda: read_run(tmp_path / "runs")) == (
        "runs: the file cannot be opened (is a directory). Check its path."
    )


def test_errors_keep_the_facts() -> None:
    with pytest.raises(FileError) as error:
        run_of(f"{FIRST}q Q0 d 1 NaN t\n")
    assert (error.value.file, error.value.line) == ("f.run", 2)
    assert error.value.found == "score 'NaN' is not a number"
    with pytest.raises(JudgmentsError):
        qrels_of("{}")
    with pytest.raises(RunError):
        run_of('{"q": {"d": 1}, "p": ["d"]}')
