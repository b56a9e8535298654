"""Judgments: fingerprint, repeats, contradictions, scale."""

import hashlib
import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import EvaluationError, FileError, JudgmentsError
from core.formats import read_judgments
from core.ids import Ids
from core.judgments import ConflictingRows, Judgments, pair_keys

Judged = dict[str, dict[str, int]]

JUDGED: Judged = {"q2": {"b": 0, "a": 3, "c": -1}, "q1": {"a": 1, "é": 2}}
ROWS = [
    (query, document, grade)
    for query, grades in JUDGED.items()
    for document, grade in grades.items()
]

ids = st.one_of(
    st.text(min_size=1, max_size=5),
    st.sampled_from(['"q', "\\", "\t", "a\nb", "\u2028", "\x7f", "\x01", "é", "e\u0301", "007"]),
)
grades = st.integers(-(2**31) + 1, 2**31 - 1)
judged_sets = st.dictionaries(ids, st.dictionaries(ids, grades, max_size=4), min_size=1, max_size=4)


def sha256(*lines: str) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def fingerprint_by_definition(judged: Judged) -> str:
    """SHA-256 over the sorted lines [query, document, grade], and [query] where there is none."""
    rows: list[list[object]] = [
        [query, document, grade]
        for query, grades in judged.items()
        for document, grade in grades.items()
    ]
    rows += [[query] for query, grades in judged.items() if not grades]
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() for row in rows]
    return hashlib.sha256(b"".join(line + b"\n" for line in sorted(lines))).hexdigest()


def as_dict(judgments: Judgments) -> Judged:
    """Every query with its judgments."""
    documents = list(judgments.documents)
    return {
        query_id: dict(
            zip(
                documents[judgments.rows_of(number)],
                judgments.grades[judgments.rows_of(number)].tolist(),
                strict=True,
            )
        )
        for number, query_id in enumerate(judgments.query_ids)
    }


def trec(rows: list[tuple[str, str, int]], end: str = "\n") -> bytes:
    return "".join(f"{query} 0 {document} {grade}{end}" for query, document, grade in rows).encode()


def beir(rows: list[tuple[str, str, int]], end: str = "\n") -> bytes:
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in rows)]
    return "".join(f"{line}{end}" for line in lines).encode()


# Fingerprint


@pytest.mark.parametrize(
    ("judged", "lines"),
    [
        pytest.param({"q": {"d": 1}}, ['["q","d",1]'], id="one-judgment"),
        pytest.param(
            {"q": {"b": 2, "a": -1}}, ['["q","a",-1]', '["q","b",2]'], id="sorted-by-line"
        ),
        pytest.param({"q": {}}, ['["q"]'], id="a-query-without-judgments"),
        pytest.param(
            {"q": {"é": 0}, "p": {}}, ['["p"]', '["q","é",0]'], id="not-escaped-beyond-need"
        ),
        pytest.param({"q": {'a"\t': 1}}, [r'["q","a\"\t",1]'], id="escaped-as-json-demands"),
        # As text U+FFFF comes after U+10000 in UTF-16 only; in UTF-8 it comes before.
        pytest.param(
            {"q": {"\U00010000": 1, "\uffff": 1}},
            ['["q","\uffff",1]', '["q","\U00010000",1]'],
            id="sorted-as-utf-8-bytes",
        ),
    ],
)
def test_fingerprint_is_the_hash_of_these_lines(judged: Judged, lines: list[str]) -> None:
    assert Judgments.from_dict(judged).fingerprint == sha256(*lines)


@given(judged_sets)
def test_fingerprint_follows_its_definition(judged: Judged) -> None:
    assert Judgments.from_dict(judged).fingerprint == fingerprint_by_definition(judged)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(trec(ROWS), id="trec"),
        pytest.param(trec(ROWS, "\r\n"), id="trec-crlf"),
        pytest.param(trec(ROWS[::-1]), id="lines-reversed"),
        pytest.param(trec(random.Random(1).sample(ROWS, len(ROWS))), id="lines-shuffled"),
        pytest.param(trec(ROWS).replace(b" ", b"\t"), id="tabs"),
        pytest.param(trec(ROWS).replace(b" ", b" \t "), id="tabs-and-blanks"),
        pytest.param(trec(ROWS).removesuffix(b"\n"), id="no-last-newline"),
        pytest.param(b"\xef\xbb\xbf" + trec(ROWS), id="byte-order-mark"),
        pytest.param(b"# judged in May\n" + trec(ROWS), id="comment"),
        pytest.param(trec(ROWS * 2), id="everything-said-twice"),
        pytest.param(trec(ROWS).replace(b" 3\n", b" 3.0\n"), id="grade-written-as-3.0"),
        pytest.param(trec(ROWS).replace(b" 3\n", b" +03\n"), id="grade-written-as-+03"),
        pytest.param(trec(ROWS).replace(b" 0 ", b" Q0 "), id="another-iteration"),
        pytest.param(beir(ROWS), id="beir"),
        pytest.param(beir(ROWS, "\r\n"), id="beir-crlf"),
        pytest.param(json.dumps(JUDGED).encode(), id="json"),
        pytest.param(json.dumps(JUDGED, ensure_ascii=False, indent=2).encode(), id="json-utf-8"),
    ],
)
def test_fingerprint_does_not_depend_on_how_the_file_is_written(data: bytes) -> None:
    assert read_judgments(data, name="qrels").fingerprint == fingerprint_by_definition(JUDGED)


@pytest.mark.parametrize(
    "judged",
    [
        pytest.param({**JUDGED, "q1": {"a": 1, "é": 3}}, id="one-grade-changed"),
        pytest.param({**JUDGED, "q1": {"a": 1}}, id="one-judgment-less"),
        pytest.param({**JUDGED, "q1": {"a": 1, "é": 2, "z": 0}}, id="one-more-judged-0"),
        pytest.param({**JUDGED, "q3": {}}, id="one-more-query-without-judgments"),
        pytest.param({"q2": JUDGED["q2"], "q3": JUDGED["q1"]}, id="query-renamed"),
        pytest.param({**JUDGED, "q1": {"a": 1, "e\u0301": 2}}, id="document-in-other-characters"),
    ],
)
def test_fingerprint_changes_with(judged: Judged) -> None:
    assert Judgments.from_dict(judged).fingerprint != Judgments.from_dict(JUDGED).fingerprint


def test_declared_scale_is_no_part_of_the_fingerprint() -> None:
    declared = Judgments.from_dict(JUDGED, scale=(0, 5))
    assert declared.fingerprint == Judgments.from_dict(JUDGED).fingerprint


# Rows


@given(judged_sets)
def test_every_judgment_is_kept(judged: Judged) -> None:
    judgments = Judgments.from_dict(judged)
    assert as_dict(judgments) == judged
    assert judgments.query_ids == tuple(judged)
    assert len(judgments) == sum(map(len, judged.values()))
    assert judgments.index == {query: number for number, query in enumerate(judged)}


@given(judged_sets)
def test_best_grade_of_a_query_comes_first(judged: Judged) -> None:
    judgments = Judgments.from_dict(judged)
    for number, grades in enumerate(judged.values()):
        rows = judgments.grades[judgments.rows_of(number)].tolist()
        assert rows == sorted(grades.values(), reverse=True)


def test_queries_stay_in_the_order_of_the_file() -> None:
    data = b"q9 0 a 1\nq1 0 a 1\nq9 0 b 1\nq5 0 a 1\n"
    assert read_judgments(data, name="qrels").query_ids == ("q9", "q1", "q5")


def test_query_has_a_positive_judgment_or_not() -> None:
    judged = {"none": {}, "zeros": {"a": 0}, "negative": {"a": -1}, "one": {"a": 0, "b": 1}}
    assert Judgments.from_dict(judged).positive.tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("judged", "scale"),
    [
        ({"q": {"a": 3, "b": 1}}, (0, 3)),
        ({"q": {"a": -2, "b": 1}}, (-2, 1)),
        ({"q": {"a": -2}}, (-2, 0)),
        ({"q": {"a": 2, "b": 2}}, (0, 2)),
        ({"q": {}}, (0, 0)),
    ],
)
def test_observed_scale_spans_0_and_the_grades_in_use(
    judged: Judged, scale: tuple[int, int]
) -> None:
    assert Judgments.from_dict(judged).observed_scale == scale


def test_equal_documents_of_different_queries_have_different_keys() -> None:
    same = Ids.from_strings(["d"] * 1000)
    assert len(np.unique(pair_keys(np.arange(1000), same))) == 1000


# Repeats and contradictions


def test_identical_repeats_are_merged_and_said() -> None:
    data = b"q 0 a 1\nq 0 b 0\nq 0 a 1\nq 0 a 1\np 0 a 1\n"
    judgments = read_judgments(data, name="qrels.txt")
    assert as_dict(judgments) == {"q": {"a": 1, "b": 0}, "p": {"a": 1}}
    assert judgments.notices == ("qrels.txt: 2 repeated judgments with the same grade merged.",)


def test_one_repeat_is_one_judgment() -> None:
    judgments = read_judgments(b"q 0 a 1\nq 0 a 1\n", name="qrels.txt")
    assert judgments.notices == ("qrels.txt: 1 repeated judgment with the same grade merged.",)


def test_nothing_is_said_where_nothing_was_merged() -> None:
    assert read_judgments(b"q 0 a 1\np 0 a 1\n", name="qrels.txt").notices == ()


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        pytest.param(
            b"q 0 a 1\nq 0 b 0\nq 0 a 2\n", 3,
            "qrels, line 3: query 'q' judges document 'a' as grade 2, and as grade 1 on line 1. "
            "Keep one of the two.",
            id="worse-first",
        ),
        pytest.param(
            b"q 0 a 2\nq 0 b 0\nq 0 a 1\n", 3,
            "qrels, line 3: query 'q' judges document 'a' as grade 1, and as grade 2 on line 1. "
            "Keep one of the two.",
            id="better-first",
        ),
        pytest.param(
            b"\n# comment\nq 0 a 1\np 0 a 0\n\nq 0 a 0\n", 6,
            "qrels, line 6: query 'q' judges document 'a' as grade 0, and as grade 1 on line 3. "
            "Keep one of the two.",
            id="empty-and-comment-lines-count",
        ),
        pytest.param(
            b"query-id\tcorpus-id\tscore\nq\ta\t1\nq\ta\t0\n", 3,
            "qrels, line 3: query 'q' judges document 'a' as grade 0, and as grade 1 on line 2. "
            "Keep one of the two.",
            id="the-header-counts",
        ),
    ],
)  # fmt: skip
def test_contradiction_names_both_lines(data: bytes, line: int, message: str) -> None:
    with pytest.raises(FileError) as error:
        read_judgments(data, name="qrels")
    assert str(error.value) == message
    assert error.value.line == line


def test_contradiction_without_a_file_names_both_grades() -> None:
    with pytest.raises(ConflictingRows) as error:
        Judgments.from_rows(
            ("p", "q"),
            np.array([1, 0, 1]),
            Ids.from_strings(["a", "a", "a"]),
            np.array([1, 2, 0]),
        )
    assert str(error.value) == (
        "query 'q' judges document 'a' twice: grade 1 and grade 0. Keep one of them."
    )
    assert (error.value.rows, error.value.grades) == ((0, 2), (1, 0))


# Scale


def test_grades_on_the_declared_scale_are_taken() -> None:
    judgments = Judgments.from_dict({"q": {"a": 0, "b": 3}}, scale=(0, 3))
    assert judgments.scale == (0, 3)


def test_negative_grade_meets_the_policy_and_not_the_scale() -> None:
    assert as_dict(Judgments.from_dict({"q": {"a": -2}}, scale=(0, 3))) == {"q": {"a": -2}}


@pytest.mark.parametrize(
    ("grades", "scale", "message"),
    [
        pytest.param(
            [4, 5, 5], (0, 3),
            "qrels: grades outside the declared scale 0..3: 4, 5. "
            "Correct the grades or declare another scale.",
            id="above",
        ),
        pytest.param(
            [0, 9, 1], (1, 4),
            "qrels: grades outside the declared scale 1..4: 0, 9. "
            "Correct the grades or declare another scale.",
            id="below-and-above",
        ),
        pytest.param(
            [4, 5, 6, 7, 8, 9, 4], (0, 3),
            "qrels: grades outside the declared scale 0..3: 4, 5, 6, 7, 8 and 1 more. "
            "Correct the grades or declare another scale.",
            id="many",
        ),
    ],
)  # fmt: skip
def test_grades_outside_the_declared_scale(
    grades: list[int], scale: tuple[int, int], message: str
) -> None:
    data = trec([("q", f"d{number}", grade) for number, grade in enumerate(grades)])
    with pytest.raises(JudgmentsError) as error:
        read_judgments(data, name="qrels", scale=scale)
    assert str(error.value) == message


def test_no_query_at_all_is_refused() -> None:
    with pytest.raises(JudgmentsError) as error:
        Judgments.from_dict({}, source="qrels.json")
    assert str(error.value) == "qrels.json: no judgments found. Is this the right file?"
    assert isinstance(error.value, EvaluationError)


@pytest.mark.parametrize("grade", [1.5, True, "2", 2**40, float("nan"), None])
def test_grade_that_is_no_small_whole_number_is_refused(grade: object) -> None:
    with pytest.raises(JudgmentsError, match="is not a small whole number"):
        Judgments.from_dict({"q": {"d": grade}})  # type: ignore[dict-item]


@pytest.mark.parametrize("judged", [{"q": {7: 1}}, {7: {"d": 1}}])
def test_id_that_is_no_text_is_refused(judged: dict[str, dict[str, int]]) -> None:
    with pytest.raises(JudgmentsError, match="ids are text"):
        Judgments.from_dict(judged)
