"""The join of a run and the judgments: what was found, where it stands, what to say about it."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from reference import Result

from core.blocks import RunBlock
from core.errors import NoSharedQueriesError
from core.formats import read_run
from core.grades import GradedRun, join, one_query
from core.ids import Ids
from core.judgments import Judgments
from core.matching import UNJUDGED
from core.runs import Run

Results = dict[str, dict[str, float] | list[str]]

JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}


def graded(results: Results, judged: dict[str, dict[str, int]] = JUDGED) -> GradedRun:
    run = Run.from_dict("bm25", results, source="bm25.json")
    return join(run, Judgments.from_dict(judged, source="qrels.tsv"))


def many(count: int) -> list[str]:
    """Ids that sort as numbers do."""
    return [f"q{number:02}" for number in range(count)]


# Notices


def test_nothing_to_say() -> None:
    assert graded({"q1": {"a": 1.0}, "q2": {"z": 1.0}}).notices == ()


@pytest.mark.parametrize(
    ("results", "notices"),
    [
        pytest.param(
            {"q1": {"a": 1.0}},
            ["bm25.json: 1 judged query without results: 'q2'."],
            id="missing",
        ),
        pytest.param(
            {"q1": {"a": 1.0}, "q2": {}},
            ["bm25.json: 1 query with an empty ranking: 'q2'."],
            id="empty-is-not-missing",
        ),
        pytest.param(
            {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "x": {"a": 1.0}},
            ["bm25.json: 1 query without judgments in qrels.tsv: 'x'."],
            id="extra",
        ),
        pytest.param(
            {"q1": ["a", "b", "a", "a"], "q2": ["a"]},
            [
                "bm25.json: 2 results repeat a document of the same query, first 'a' in query "
                "'q1'; the rule for repeated documents decides (--set duplicates=keep_first or "
                "duplicates=refuse).",
                "bm25.json: no retrieval scores; ordered by its list order.",
            ],
            id="duplicates-and-no-scores",
        ),
        pytest.param(
            {"q1": {"x": 1.0, "y": 0.5}, "q2": {"b": 1.0}},
            [
                "bm25.json: none of the retrieved documents is judged in qrels.tsv (0 of 3). "
                "Check that both files use the same document ids."
            ],
            id="none-judged",
        ),
        pytest.param(
            {"q2": {}, "x": {"a": 1.0}},
            [
                "bm25.json: 1 judged query without results: 'q1'.",
                "bm25.json: 1 query with an empty ranking: 'q2'.",
                "bm25.json: 1 query without judgments in qrels.tsv: 'x'.",
            ],
            id="nothing-retrieved-is-no-sign-of-other-document-ids",
        ),
    ],
)
def test_notice_says(results: Results, notices: list[str]) -> None:
    assert list(graded(results).notices) == notices


def test_long_lists_are_sorted_and_cut_after_five() -> None:
    judged: dict[str, dict[str, int]] = {query: {"a": 1} for query in many(17)}
    results: Results = {"q16": {"a": 1.0}, **{f"x{at}": {"a": 1.0} for at in (6, 5, 4, 3, 2, 1)}}
    assert graded(results, judged).notices == (
        "bm25.json: 16 judged queries without results: "
        "'q00', 'q01', 'q02', 'q03', 'q04' and 11 more.",
        "bm25.json: 6 queries without judgments in qrels.tsv: "
        "'x1', 'x2', 'x3', 'x4', 'x5' and 1 more.",
    )


def test_repeats_of_queries_without_judgments_are_not_counted() -> None:
    found = graded({"q1": ["a"], "q2": ["a"], "x": ["a", "a"]})
    assert found.repeated.tolist() == [0, 0]


def test_notices_of_the_file_come_first_and_a_run_with_ranks_is_ordered_by_them() -> None:
    run = read_run(b"# made in May\nq1 Q0 a 1 0.5 t\n", source="bm25.run")
    notices = join(run, Judgments.from_dict(JUDGED, source="qrels.tsv")).notices
    assert notices == (
        "bm25.run: 1 comment line skipped (a line that starts with #).",
        "bm25.run: 1 judged query without results: 'q2'.",
    )


def test_run_without_scores_but_with_ranks_is_ordered_by_its_ranks() -> None:
    run = strategies.core_run({"q1": [Result("a", None, 1)]}, "bm25")
    notices = join(run, Judgments.from_dict({"q1": {"a": 1}})).notices
    assert notices == ("bm25: no retrieval scores; ordered by its ranks.",)


# Nothing in common


def test_no_shared_query_is_refused_with_examples_of_both() -> None:
    with pytest.raises(NoSharedQueriesError) as error:
        graded({"1": {"a": 1.0}, "2": {"a": 1.0}}, {query: {"a": 1} for query in many(7)})
    assert str(error.value) == (
        "bm25.json: no query in common with qrels.tsv: the run has '1', '2', the judgments have "
        "'q00', 'q01', 'q02', 'q03', 'q04' and 2 more. "
        "Check that both files use the same query ids."
    )
    assert (error.value.run, error.value.judgments) == ("bm25.json", "qrels.tsv")
    assert error.value.hint == ""


def test_no_shared_query_is_refused_with_what_may_explain_it() -> None:
    with pytest.raises(NoSharedQueriesError) as error:
        graded({"1": {"a": 1.0}}, {"01": {"a": 1}})
    hint = (
        "1 query id matches qrels.tsv but for zeros or exponent of a number ('1' here, '01' there)."
    )
    assert error.value.hint == hint
    assert str(error.value).endswith(f"Check that both files use the same query ids. {hint}")


# What was found


@given(st.data())
def test_hits_are_the_judged_and_self_documents_of_judged_queries(data: st.DataObject) -> None:
    judged = data.draw(strategies.judgment_sets())
    run = data.draw(strategies.run_sets(judged))[0]
    found = join(strategies.core_run(run), strategies.core_judgments(judged))
    queries = list(judged)
    expected = [
        (query, document, judged[query].get(document), document == query)
        for query in queries
        for document in dict.fromkeys(line.document for line in run.get(query, []))
        if document in judged[query] or document == query
    ]
    assert hits_of(found) == expected
    distinct = [len({line.document for line in run.get(query, [])}) for query in queries]
    assert found.retrieved.tolist() == distinct
    lines = [len(run.get(query, [])) for query in queries]
    assert found.repeated.tolist() == [n - d for n, d in zip(lines, distinct, strict=True)]
    assert found.in_run.tolist() == [query in run for query in queries]
    assert found.missing.tolist() == [query not in run for query in queries]
    assert found.empty.tolist() == [run.get(query) == [] for query in queries]
    assert found.extra == tuple(query for query in run if query not in judged)


def hits_of(found: GradedRun) -> list[tuple[str, str, int | None, bool]]:
    """Query, document, grade and whether it is the query itself."""
    documents = found.judgments.documents
    names = found.judgments.query_ids
    return [
        (names[query], names[query], None, True)
        if row == UNJUDGED
        else (names[query], documents[row], grade, is_self)
        for query, row, grade, is_self in zip(
            found.hits.query.tolist(),
            found.hits.judgment.tolist(),
            found.grades.tolist(),
            found.hits.is_self.tolist(),
            strict=True,
        )
    ]


def test_placement_under_every_key() -> None:
    """Scores tie b, c and a; the file lists them c, a, b, then d; d was listed twice."""
    lines = b"q Q0 c 4 1 t\nq Q0 d 2 0 t\nq Q0 a 1 1 t\nq Q0 b 4 1 t\nq Q0 d 9 2 t\n"
    judged = {"q": {"a": 1, "b": 1, "c": 1, "d": 1}}
    hits = join(read_run(lines, source="run"), Judgments.from_dict(judged)).hits
    documents = Judgments.from_dict(judged).documents
    assert [documents[row] for row in hits.judgment.tolist()] == ["c", "d", "a", "b"]
    # d is best with 2; then the tie, of which c has the largest id and stands first in the file.
    by_score = hits.placements["float64"]
    assert by_score.above.tolist() == [1, 0, 1, 1]
    assert by_score.size.tolist() == [3, 1, 3, 3]
    assert by_score.by_docid.tolist() == [0, 0, 2, 1]
    assert by_score.by_list.tolist() == [0, 0, 1, 2]
    # Ranks 1 (a), 2 (d), 4 (c and b); of d's ranks 2 and 9 the better one counts.
    by_rank = hits.placements["rank"]
    assert by_rank.above.tolist() == [2, 1, 0, 2]
    assert by_rank.size.tolist() == [2, 1, 1, 2]
    assert by_rank.by_docid.tolist() == [0, 0, 0, 1]
    listed = hits.placements["listed"]
    assert listed.above.tolist() == [0, 1, 2, 3]
    assert listed.size.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("scores", "ties"),
    [
        pytest.param((16777217.0, 16777216.0), 2, id="equal-in-single-precision"),
        pytest.param((16777218.0, 16777216.0), 1, id="different-in-single-precision"),
        pytest.param((1e300, 1e200), 2, id="both-past-its-range"),
    ],
)
def test_float32_ties_scores_that_float64_tells_apart(
    scores: tuple[float, float], ties: int
) -> None:
    results: Results = {"q1": dict(zip("ab", scores, strict=True))}
    placements = graded(results).hits.placements
    assert placements["float64"].size.tolist() == [1, 1]
    assert placements["float32"].size.tolist() == [ties, ties]


def test_one_query_one_query_holds_every_document() -> None:
    found = graded({"q1": ["z", "b", "y", "a", "b"], "q2": ["a"]})
    one = one_query(found, 0)
    alone = one.graded
    assert list(one.documents) == ["z", "b", "y", "a"]
    assert one.times.tolist() == [1, 2, 1, 1]
    assert one.scores is None
    assert alone.judgments.query_ids == ("q1",)
    assert alone.repeated.tolist() == [1]
    assert alone.judged.tolist() == [False, True, False, True]
    assert alone.grades.tolist() == [0, 0, 0, 1]
    assert alone.hits.placements["listed"].above.tolist() == [0, 1, 2, 3]


def test_one_query_keeps_the_best_score_of_a_repeated_document() -> None:
    block = RunBlock(
        query_ids=("q1",),
        starts=np.array([0, 3]),
        documents=Ids.from_strings(["a", "b", "a"]),
        scores=np.array([1.0, 2.0, 3.0]),
        ranks=None,
    )
    one = one_query(join(Run("run", (block,), "run.txt"), Judgments.from_dict(JUDGED)), 0)
    assert one.scores is not None
    assert dict(zip(one.documents, one.scores.tolist(), strict=True)) == {"a": 3.0, "b": 2.0}


def test_missing_query_has_no_documents() -> None:
    one = one_query(graded({"q1": ["a"]}), 1)
    assert not len(one.documents)
    assert one.graded.missing.tolist() == [True]
    assert one.graded.retrieved.tolist() == [0]


def test_unjudged_and_grade_0_are_told_apart() -> None:
    found = graded({"q1": {"q1": 2.0, "b": 1.0}})
    assert found.grades.tolist() == [0, 0]
    assert found.judged.tolist() == [False, True]
    assert found.hits.judgment.dtype == np.int32
