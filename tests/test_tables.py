"""CSV, TSV and qrels of three columns: what comes out, and what is refused with which words."""

import csv
import gzip
import io
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from read_back import ODD_IDS, Judged, Rows, judgments_of, message, rows_of

from core.errors import FileError
from core.formats import delimited, read_judgments, read_run, read_runs
from core.formats.columns import Asked
from core.formats.quoting import quotes_fit, separated_rows
from core.formats.results import Results
from core.formats.rows import JudgmentRows
from core.formats.source import opened
from core.judgments import Judgments
from core.runs import Run

HEADER = "query_id,doc_id,score"
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}


def run_of(data: bytes | str, name: str = "f.csv", **how: object) -> Run:
    return read_run(data.encode() if isinstance(data, str) else data, source=name, **how)  # type: ignore[arg-type]


def qrels_of(data: bytes | str, name: str = "f.csv", **how: object) -> Judgments:
    return read_judgments(data.encode() if isinstance(data, str) else data, name=name, **how)  # type: ignore[arg-type]


def written(rows: list[list[str]], separator: str, end: str = "\n") -> str:
    """Write as RFC 4180 says; with tabs as they are."""
    if separator == "\t":
        return "".join("\t".join(row) + end for row in rows)
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=end).writerows(rows)
    return out.getvalue()


def ids(without: str = "") -> st.SearchStrategy[str]:
    letters = st.characters(codec="utf-8", exclude_characters=f"{without}\0\r")
    return st.one_of(
        st.sampled_from([one for one in ODD_IDS if not set(one) & set(without)]),
        st.text(letters, min_size=1, max_size=6),
        st.text(st.sampled_from(['"', ",", ";", " ", "a", "\n"]), min_size=1, max_size=5).map(
            lambda text: "".join(c for c in text if c not in without) or "x"
        ),
    )


csv_ids = ids()
tsv_ids = ids(without="\t\n")
finite = st.floats(allow_nan=False, allow_infinity=False)


def rankings(
    names: st.SearchStrategy[str],
) -> st.SearchStrategy[dict[str, list[tuple[str, float]]]]:
    return st.dictionaries(
        names, st.lists(st.tuples(names, finite), min_size=1, max_size=4), min_size=1, max_size=4
    )


# Write, then read


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("separator", SEPARATORS.values(), ids=SEPARATORS)
class TestComesBack:
    @given(data=st.data())
    def test_run(self, data: st.DataObject, separator: str, end: str, is_packed: bool) -> None:
        rows = data.draw(rankings(tsv_ids if separator == "\t" else csv_ids))
        lines = [["query_id", "doc_id", "rank", "score"]]
        for query, listed in rows.items():
            lines += [[query, doc, str(at), repr(s)] for at, (doc, s) in enumerate(listed, 1)]
        text = written(lines, separator, end).encode()
        run = run_of(gzip.compress(text, mtime=0) if is_packed else text)
        assert rows_of(run) == {
            query: [(document, score, at) for at, (document, score) in enumerate(listed, 1)]
            for query, listed in rows.items()
        }

    @given(data=st.data())
    def test_judgments(
        self, data: st.DataObject, separator: str, end: str, is_packed: bool
    ) -> None:
        names = tsv_ids if separator == "\t" else csv_ids
        grades = st.dictionaries(names, st.integers(-3, 5), min_size=1, max_size=4)
        judged = data.draw(st.dictionaries(names, grades, min_size=1, max_size=4))
        lines = [["query_id", "relevance", "doc_id"]]
        for query, of in judged.items():
            lines += [[query, str(grade), document] for document, grade in of.items()]
        text = written(lines, separator, end).encode()
        found = qrels_of(gzip.compress(text, mtime=0) if is_packed else text)
        assert judgments_of(found) == judged
        assert found.query_ids == tuple(judged)


@pytest.mark.parametrize("separator", SEPARATORS.values(), ids=SEPARATORS)
def test_odd_ids_come_back(separator: str) -> None:
    names = [*(one for one in ODD_IDS if separator != "\t" or "\t" not in one), "x" * 20_000]
    lines = [["qid", "docno", "sim"], *([name, name, "0.5"] for name in names)]
    assert rows_of(run_of(written(lines, separator))) == {
        name: [(name, 0.5, None)] for name in names
    }


# The same file, written another way

TEXT = f'{HEADER}\nq1,b,2.5\nq1,"a,""1""",-1e-3\nq2,é,7\nq1,c,-2\n'
ROWS: Rows = {
    "q1": [("b", 2.5, None), ('a,"1"', -0.001, None), ("c", -2.0, None)],
    "q2": [("é", 7.0, None)],
}


@pytest.mark.parametrize(
    "rewritten",
    [
        pytest.param(lambda text: text, id="as-is"),
        pytest.param(lambda text: "\ufeff" + text, id="byte-order-mark"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
        pytest.param(lambda text: text.replace("\n", "\r\n", 2), id="crlf-twice"),
        pytest.param(lambda text: text.removesuffix("\n"), id="no-last-newline"),
        pytest.param(lambda text: text.replace("\n", "\r\n").removesuffix("\n"), id="ends-with-cr"),
        pytest.param(lambda text: "\n \n" + text.replace("\n", "\n\n"), id="empty-lines"),
        pytest.param(lambda text: text.replace("\n", "\n \t\n"), id="lines-of-blanks"),
        pytest.param(lambda text: text.replace("q1,b,2.5", 'q1,"b"," 2.5 "'), id="quoted"),
        pytest.param(lambda text: text.replace("query_id", " Query-ID "), id="header-otherwise"),
        pytest.param(lambda text: text.replace("query_id", '"query_id"'), id="header-in-quotes"),
        pytest.param(lambda text: text.replace("7\n", "7.0\n"), id="number-otherwise"),
        pytest.param(lambda text: text.replace("7\n", "+7\n"), id="number-with-sign"),
    ],
)
def test_csv_reads_the_same(rewritten: Callable[[str], str]) -> None:
    run = run_of(rewritten(TEXT))
    assert rows_of(run) == ROWS
    assert (run.name, run.notices, run.format) == ("f", (), "CSV with header")


def test_line_feed_in_a_field_in_quotes_belongs_to_it() -> None:
    run = run_of(f'{HEADER},"some\ntext"\nq,"a\nb",1,"x\r\n\n"\nq,c,2,\n')
    assert rows_of(run) == {"q": [("a\nb", 1.0, None), ("c", 2.0, None)]}


@pytest.mark.parametrize("before", ["# made in May\n", "sep=,\n", "\n#\r\n\n"])
def test_lines_before_the_header_are_skipped_and_counted(before: str) -> None:
    run = run_of(before + TEXT)
    assert rows_of(run) == ROWS
    assert run.notices == ("f.csv: 1 line before the header skipped.",)
    line = before.count("\n") + 2
    assert message(lambda: run_of(f"{before}{HEADER}\nq,d,x\n")).startswith(f"f.csv, line {line}:")


def test_a_number_sign_below_the_header_is_part_of_an_id() -> None:
    assert rows_of(run_of(f"{HEADER}\n#q,#d,1\n")) == {"#q": [("#d", 1.0, None)]}


def test_quotes_in_a_file_with_tabs_belong_to_the_text() -> None:
    run = run_of('qid\tdocno\tscore\nq\t"a"\t1\n')
    assert rows_of(run) == {"q": [('"a"', 1.0, None)]}
    assert run.notices == (
        "f.csv: quotes belong to the text, as in every tab-separated file here.",
    )


def test_columns_that_nobody_reads_are_named() -> None:
    run = run_of("qid,Q0,docid,text,title,score\nq,Q0,d,,x,1\n")
    assert run.notices == ("f.csv: 2 columns not used ('text', 'title').",)


def test_ranks_alone_are_an_order() -> None:
    run = run_of("query_id,doc_id,rank\nq,b,2\nq,a,1.0\n")
    assert rows_of(run) == {"q": [("b", None, 2), ("a", None, 1)]}


def test_ranks_that_are_none_are_ignored_beside_scores() -> None:
    run = run_of("query_id,doc_id,rank,score\nq,b,first,2\nq,a,2,1\n")
    assert rows_of(run) == {"q": [("b", 2.0, None), ("a", 1.0, None)]}
    assert run.notices == ("f.csv: the ranks are not all whole numbers; ignored.",)


@pytest.mark.parametrize("slow", ["", "\n \n"], ids=["fast", "slow"])
def test_a_distance_is_turned_round_where_somebody_says_so(slow: str) -> None:
    text = f"qid,docid,distance\nq,b,0.5\nq,a,2\nq,c,0{slow}\n"
    run = run_of(text, columns={"score": "-distance"})
    assert rows_of(run) == {"q": [("b", -0.5, None), ("a", -2.0, None), ("c", 0.0, None)]}
    assert rows_of(run_of(text, columns={"score": "distance"}))["q"][0] == ("b", 0.5, None)


def test_grades_of_a_frame_are_floats() -> None:
    assert judgments_of(qrels_of("query_id,doc_id,relevance\nq,a,2.0\nq,b,0.0\n")) == {
        "q": {"a": 2, "b": 0}
    }


def test_a_score_is_the_grade_where_nothing_else_is() -> None:
    assert judgments_of(qrels_of("query-id,corpus-id,score\nq,a,2\n")) == {"q": {"a": 2}}
    found = qrels_of("query-id,corpus-id,score,label\nq,a,0.5,2\n")
    assert judgments_of(found) == {"q": {"a": 2}}


# Three columns without a header


@pytest.mark.parametrize(
    ("text", "judged"),
    [
        pytest.param("q1 d1 2\nq1 d2 0\n", {"q1": {"d1": 2, "d2": 0}}, id="blanks"),
        pytest.param("q1\td1\t2\r\nq1\td2\t0", {"q1": {"d1": 2, "d2": 0}}, id="tabs"),
        pytest.param("# c\n\n q1  d1 1.0 \n", {"q1": {"d1": 1}}, id="comment"),
        pytest.param("q1 a 1\nq1 b 2\nq1 c 2\n", {"q1": {"a": 1, "b": 2, "c": 2}}, id="no-ranks"),
        pytest.param("q1 a 1\nq2 b 1\n", {"q1": {"a": 1}, "q2": {"b": 1}}, id="one-a-query"),
    ],
)
def test_three_columns(text: str, judged: Judged) -> None:
    found = qrels_of(text, "f.qrels")
    assert judgments_of(found) == judged
    assert found.format == "qrels, 3 columns"
    assert found.notices[-1] == (
        "f.qrels: 3 columns without a header, read as query, document and grade."
    )


THREE = "If these are grades, say so: --qrels-format qrels3."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "1 184 2\n1 29 2\n",
            "f.qrels, line 1: 3 columns of numbers without a header, the last of them grades, "
            f"scores or ranks. {THREE}",
            id="numbers",
        ),
        pytest.param(
            "\nq1\ta\t1\nq1\tb\t2\nq1\tc\t3\n",
            "f.qrels, line 2: 3 columns without a header, and the last one counts up in every "
            f"query as ranks do. {THREE}",
            id="ranks",
        ),
    ],
)
def test_three_columns_that_may_be_a_run_are_asked_about(text: str, expected: str) -> None:
    assert message(lambda: qrels_of(text, "f.qrels")) == expected
    assert len(qrels_of(text, "f.qrels", format="qrels3"))


def test_three_columns_are_never_guessed_in_a_run() -> None:
    for text in ("q1 d1 1\n", "q1\td1\t1\n", "1 2 3\n"):
        assert message(lambda text=text: run_of(text, "f.run")) == (  # type: ignore[misc]
            "f.run, line 1: 3 columns, expected 6 (query Q0 document rank score tag). "
            "Is the third column a rank or a score? Give the numbers of a run's columns: "
            "--run-column query=1 document=2 rank=3 (or score=3)."
        )


# What a file is taken for


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("qid,docid,score\nq,d,1\n", "f", "CSV with header"),
        ("qid;docid;score\nq;d;1\n", "f.txt", "CSV with header"),
        ("qid\tdocid\tscore\nq\td\t1\n", "f.csv", "TSV with header"),
        ("qid\tdoc,id\tscore\td o c i d\nq\td\t1\tx\n", "f.csv", "TSV with header"),
        ("q Q0 a,b 1 2 t,u\n", "f.txt", "TREC run, 6 columns"),
        ("q\tQ0\ta,b\t1\t2\tt\n", "f.txt", "TREC run, 6 columns"),
        ("query Q0 docid 1 2 t\n", "f.txt", "TREC run, 6 columns"),
        ("rank,x Q0 d,score 1 2 t\n", "f.txt", "TREC run, 6 columns"),
        ("\tqid\tdocid\tscore\n0\tq\td\t1\n", "f", "TSV with header"),
        (",qid,docid,score\n0,q,d,1\n", "f", "CSV with header"),
        ('{"qid": "q", "docid": "d", "score": 1}\n', "f", "JSON lines"),
        ('{"q": {"d": 1}}\n', "f", "JSON {query: {document: score}}"),
    ],
)
def test_a_run_is_recognised_by_its_first_line(text: str, name: str, title: str) -> None:
    assert run_of(text, name).format == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("query-id\tcorpus-id\tscore\nq\td\t1\n", "BEIR TSV with header"),
        ("query_id\tcorpus_id\tscore\nq\td\t1\n", "TSV with header"),
        ("query,docid,rating\nq,d,1\n", "CSV with header"),
        ("q 0 a,b 1\n", "TREC qrels, 4 columns"),
        ("q d,e 1\n", "qrels, 3 columns"),
        ("topic\t0\tdocid\t1\n", "TREC qrels, 4 columns"),
    ],
)
def test_judgments_are_recognised_by_their_first_line(text: str, title: str) -> None:
    assert qrels_of(text, "f").format == title


def test_format_is_overridden_by_name() -> None:
    text = "q Q0 d 1 2 t\n"
    assert run_of(text, format="trec").format == "TREC run, 6 columns"
    assert message(lambda: run_of(text, format="csv")) == (
        "f.csv, line 1: no column for the query among 'q Q0 d 1 2 t', "
        "expected one such as query_id, qid or topic. "
        "Name it so, or say which it is: --run-column query=COLUMN."
    )
    assert message(lambda: run_of(text, format="xls")) == (
        "f.csv: there is no format 'xls'. Choose from parquet, jsonl, json, csv, tsv, trec."
    )


# Bad input

NUMBER = "Give a finite score, with a decimal point."
BAD_RUNS = [
    ("no-header", "q1,d1,0.5\n",
     "f.csv, line 1: no header line that names the columns, found 'q1,d1,0.5'. "
     "Add one, such as query_id, doc_id, score (or rank), or give the numbers of the columns: "
     "--run-column query=1 document=2 score=3 (or rank=3)."),
    ("header-with-blanks", "query_id doc_id score\nq d 1\n",
     "f.csv, line 1: 3 columns, expected 6 (query Q0 document rank score tag). "
     "Is this a header line? Then separate the columns by tabs or commas."),
    ("other-separator", "query_id|doc_id|score\nq|d|1\n",
     "f.csv, line 1: 1 column, expected 6 (query Q0 document rank score tag). "
     "Separate the columns by tabs or commas, with a header line that names them."),
    ("short-row", f"{HEADER}\nq,d\n",
     "f.csv, line 2: 2 columns, expected 3 ('doc_id', 'query_id', 'score'). "
     "Is the line cut short, or a separator missing?"),
    ("long-row", f"{HEADER}\nq,d,1\n\nq,a,b,1\n",
     "f.csv, line 4: 4 columns, expected 3 ('doc_id', 'query_id', 'score'). "
     "Put a field that holds the separator in quotes."),
    ("long-row-with-tabs", "qid\tdocid\tscore\nq\td\t1\t\n",
     "f.csv, line 2: 4 columns, expected 3 ('docid', 'qid', 'score'). Does a field hold a tab?"),
    ("empty-document", f"{HEADER}\nq,,1\n",
     "f.csv, line 2: an empty document in column 'doc_id'. "
     "Give every row a document, or remove the row."),
    ("empty-query", f"{HEADER}\n,d,1\n",
     "f.csv, line 2: an empty query in column 'query_id'. "
     "Give every row a query, or remove the row."),
    ("empty-system", f"{HEADER},run\nq,d,1,\n",
     "f.csv, line 2: an empty system in column 'run'. "
     "Give every row a system, or remove the row."),
    ("empty-score", f"{HEADER}\nq,d,\n",
     "f.csv, line 2: an empty score, expected a number. "
     "Give every row a score, or remove the row."),
    ("decimal-comma", "qid;docid;score\nq;d;0,5\n",
     f"f.csv, line 2: score '0,5' is not a number. {NUMBER}"),
    ("nan", f"{HEADER}\nq,d,NaN\n", f"f.csv, line 2: score 'NaN' is not a number. {NUMBER}"),
    ("inf", f"{HEADER}\nq,d,inf\n", f"f.csv, line 2: score 'inf' is not a number. {NUMBER}"),
    ("hexadecimal", f"{HEADER}\nq,d,0x1p3\n",
     f"f.csv, line 2: score '0x1p3' is not a number. {NUMBER}"),
    ("underscore", f"{HEADER}\nq,d,1_000\n",
     f"f.csv, line 2: score '1_000' is not a number. {NUMBER}"),
    ("no-break-space", f"{HEADER}\nq,d,\u00a01\n",
     f"f.csv, line 2: score '\u00a01' is not a number. {NUMBER}"),
    ("too-large", f"{HEADER}\nq,a,1\nq,d,1e999\n",
     "f.csv, line 3: score '1e999' is not finite. Give a finite score."),
    ("rank-alone-is-none", "qid,docid,rank\nq,d,1.5\n",
     "f.csv, line 2: rank '1.5' is not a whole number. "
     "Give ranks from 1, or add a column of scores."),
    ("open-quote", f'{HEADER}\nq,"d,1\n',
     'f.csv, line 2: a quote that nothing closes: "d,1. '
     "Close it, or write a quote inside a field in quotes as two."),
    ("text-behind-a-quote", f'{HEADER}\nq,"a\n"b,1\n',
     "f.csv, line 3: 'b,1' behind a closing quote, expected the end of the field. "
     "Write a quote inside a field in quotes as two."),
    ("carriage-returns-alone", f"{HEADER}\rq,d,1\r",
     "f.csv, line 1: a carriage return inside the line. End lines with a line feed (LF or CRLF)."),
    ("carriage-return-inside", f"{HEADER}\nq,d\re,1\n",
     "f.csv, line 2: a carriage return inside the line. End lines with a line feed (LF or CRLF)."),
    ("header-alone", f"{HEADER}\n", "f.csv: no results found. Is this the right file?"),
    ("header-without-line-end", HEADER, "f.csv: no results found. Is this the right file?"),
]  # fmt: skip

BAD_QRELS = [
    ("header-with-blanks", "query_id doc_id relevance\nq d 1\n",
     "f.csv, line 1: 3 columns, expected 4 (query iteration document grade). "
     "Is this a header line? Then separate the columns by tabs or commas."),
    ("no-header", "q1,d1,1\n",
     "f.csv, line 1: no header line that names the columns, found 'q1,d1,1'. "
     "Add one, such as query_id, doc_id, relevance, or give the numbers of the columns: "
     "--qrels-column query=1 document=2 grade=3."),
    ("fraction", "qid,docid,rel\nq,d,0.9\n",
     "f.csv, line 2: grade 0.9 is not a whole number. "
     "Grades are whole numbers; map fractions to whole grades first."),
    ("empty-grade", "qid,docid,rel\nq,d,\n",
     "f.csv, line 2: an empty grade, expected a number. "
     "Give every row a grade, or remove the row."),
    ("word", "qid,docid,rel\nq,d,high\n",
     "f.csv, line 2: grade 'high' is not a number. Grades are whole numbers, such as 0 to 3."),
    ("huge", "qid,docid,rel\nq,d,2147483648\n",
     "f.csv, line 2: the grade does not fit a 32-bit whole number. "
     "Grades are small whole numbers, such as 0 to 3."),
    ("contradiction", "qid,docid,rel\nq,a,1\nq,d,1\nq,a,2\n",
     "f.csv, line 4: query 'q' judges document 'a' as grade 2, and as grade 1 on line 2. "
     "Keep one of the two."),
    ("contradiction-behind-a-line-feed", 'qid,docid,rel\nq,"a\nb",1\n\nq,"a\nb",2\n',
     "f.csv, line 5: query 'q' judges document 'a\nb' as grade 2, and as grade 1 on line 2. "
     "Keep one of the two."),
    ("header-alone", "qid,docid,rel\n", "f.csv: no judgments found. Is this the right file?"),
    ("three-columns-then-four", "q d 1\nq 0 d 1\n",
     "f.csv, line 2: 4 columns, expected 3 (query document grade). "
     "Give every line the same columns."),
]  # fmt: skip


def cases(table: list[tuple[str, str, str]]) -> list[object]:
    return [pytest.param(text, expected, id=name) for name, text, expected in table]


@pytest.mark.parametrize(("text", "expected"), cases(BAD_RUNS))
def test_bad_run(text: str, expected: str) -> None:
    assert message(lambda: run_of(text)) == expected


@pytest.mark.parametrize(("text", "expected"), cases(BAD_QRELS))
def test_bad_judgments(text: str, expected: str) -> None:
    assert message(lambda: qrels_of(text)) == expected


def test_windows_1252_is_refused_with_its_line() -> None:
    for data in (f"{HEADER}\nq,a,1\nq,é,1\n", f'{HEADER}\nq,"a\n",1\nq,é,1\n', f"{HEADER}é\n"):
        line = data.encode()[: data.encode().index(b"\xc3")].count(b"\n") + 1
        assert message(lambda data=data: run_of(data.encode("cp1252"))) == (  # type: ignore[misc]
            f"f.csv, line {line}: byte 0xe9 is not UTF-8. Save the file as UTF-8 and load it again."
        )


# The fast reader and the slow one

pieces = st.sampled_from(
    ["q", "d", "", "0", "1", "2.0", "0.5", " 1 ", "\t1", "0x1", "+1", "-0", "1.", ".5", "1e2",
     "nan", "inf", "1e999", "1_0", "#", '"', '""', '"q"', '"a,b"', '"a;b"', '"a\nb"', 'a"b',
     '"a"b', "é", "\u00a0", "\u2028", "\x0c", "\ufeff", "2147483648", "NA", "\\", "\r", "'"]
)  # fmt: skip
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", "\n \n", "\r", ""])


@st.composite
def nearly_clean(draw: st.DrawFn, separator: str) -> bytes:
    text = ""
    for _ in range(draw(st.integers(1, 4))):
        fields = ["q", "d", "1", "0.5"]
        for at in draw(st.sets(st.sampled_from(range(4)), max_size=2)):
            fields[at] = draw(pieces)
        text += separator.join(fields) + draw(ends)
    data = text.encode()
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + b"\xe9" + data[at:]
    return data


def listed(results: Results) -> list[object]:
    return [
        list(results.queries),
        list(results.documents),
        None if results.scores is None else results.scores.tolist(),
        None if results.ranks is None else results.ranks.tolist(),
    ]


def check(body: bytes, separator: str) -> bool:
    """What is read fast is what the slow reader reads; what that refuses is not read fast."""
    names = ("query_id", "doc_id", "rank", "score")
    data = separator.join(names).encode() + b"\n" + body
    with opened(data, "f.csv") as source:
        rows = delimited._Table.of(source, Asked("run", {})).rows()
        if (fast := rows._results_fast()) is not None:
            assert listed(fast) == listed(rows._results_slowly())
    data = data.replace(b"rank", b"grade", 1).replace(b"score", b"text", 1)
    with opened(data, "f.csv") as source:
        rows = delimited._Table.of(source, Asked("judgments", {})).rows()
        if (judgments := rows._judgments_fast()) is not None:
            assert judged(judgments) == judged(rows._judgments_slowly())
    return fast is not None


def judged(rows: JudgmentRows) -> list[object]:
    return [
        list(rows.queries),
        list(rows.documents),
        rows.grades.tolist(),
        rows.lines.tolist(),
    ]


@pytest.mark.parametrize("separator", SEPARATORS.values(), ids=SEPARATORS)
@given(data=st.data())
def test_fast_and_slow_reader_agree(data: st.DataObject, separator: str) -> None:
    check(data.draw(nearly_clean(separator)), separator)


@pytest.mark.parametrize(
    "body",
    [
        b"q,d,0x1,1\n", b"q,d,1,0x1\n", b"q,d,1,inf\n", b"q,d,1,\n", b",d,1,1\n", b"q,,1,1\n",
        b"\xef\xbb\xbfq,d,1,1\n", b"q,d,1,1\r", b'q,"d,1,1\n', b'q,"a"b,1,1\n', b'q,a"b,1,1\n',
        b'q,"a\nb",1,1\n', b'"","d",1,1\n', b"q,d,1,caf\xe9\n", b'"q","d","1","0.5"',
        b"q,d,1, 1 \nq,d,\t1,1\n", b"q,d,2147483648,1\n", b"\n\nq,d,1,1\n", b'"q,d,1,1\n",d,1,1\n',
    ],
)  # fmt: skip
def test_fast_and_slow_reader_agree_by_name(body: bytes) -> None:
    check(body, ",")


@given(st.lists(st.tuples(csv_ids, csv_ids, st.integers(0, 9), finite), min_size=1, max_size=6))
@example([('a"b', 'c"', 1, 0.5)])
def test_clean_text_is_read_fast(rows: list[tuple[str, str, int, float]]) -> None:
    body = written([[q, d, str(rank), repr(score)] for q, d, rank, score in rows], ",")
    odd = "0x" in body.lower() or body.startswith("\ufeff")
    assert check(body.encode(), ",") or odd


def test_large_file_is_read_in_blocks_and_the_slow_reader_agrees() -> None:
    lines = [
        f'q{at // 500},"document, {at}",{at % 500 + 1},{(10**6 - at) / 64}\n'
        for at in range(150_000)
    ]
    body = "".join(lines).encode()
    assert len(body) > 4 << 20
    assert check(body, ",")
    run = run_of(b"query_id,doc_id,rank,score\n" + body)
    assert run.result_count == 150_000
    assert len(run.blocks) > 2


def test_odd_value_deep_in_a_large_file_is_named_by_its_line() -> None:
    body = "q,d,1\n" * 300_000
    assert message(lambda: run_of(f"{HEADER}\n{body}q,d,x\n")) == (
        f"f.csv, line 300,002: score 'x' is not a number. {NUMBER}"
    )


# Quotes


def split(text: str, separator: str = ",") -> list[tuple[int, list[str]]]:
    return [(line.number, line.fields) for line in separated_rows(text, separator, "f")]


@given(
    st.lists(st.lists(csv_ids | st.just(""), min_size=2, max_size=4), min_size=1, max_size=5),
    st.sampled_from([",", ";"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_rows_are_split_as_the_standard_library_does(
    rows: list[list[str]], separator: str, end: str
) -> None:
    text = written(rows, separator, end)
    assert [fields for _, fields in split(text, separator)] == rows
    assert quotes_fit(text.encode()) or '"' in "".join(map("".join, rows))


def test_lines_are_counted_through_quotes() -> None:
    assert split('a,"b\n\nc"\n\nd,e') == [(1, ["a", "b\n\nc"]), (5, ["d", "e"])]


@pytest.mark.parametrize(
    ("data", "fits"),
    [
        (b'"a",b\n', True), (b'a,"b""c"\n', True), (b'a,"b\nc"', True), (b'a"b,c\n', False),
        (b'"a"b,c\n', False), (b'"a\n', False), (b'a,""\n', True), (b'a"b,"c"\n', False),
    ],
)  # fmt: skip
def test_quotes_fit(data: bytes, fits: bool) -> None:
    assert quotes_fit(data) == fits


def test_errors_keep_the_facts() -> None:
    with pytest.raises(FileError) as error:
        read_runs(b"qid,docid,score\nq,d,x\n", source="f.csv")
    assert (error.value.file, error.value.line) == ("f.csv", 2)
