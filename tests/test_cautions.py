"""What must not be missed of a run: scores against ranks, and what of it is looked at."""

import pytest

from core.cautions import notices, warnings
from core.formats import read_run
from core.grades import GradedRun, join
from core.judgments import Judgments

JUDGMENTS = Judgments.from_dict({"q": {"d0": 1}}, source="my.qrels")
RISES = (
    "f.run: scores rise with the rank, as distances do, and the highest counts as best. "
    "For the other order: --set order=rank_column."
)


def graded(scores: list[float], *, order: list[int] | None = None) -> GradedRun:
    ranks = order or range(1, len(scores) + 1)
    lines = [
        f"q Q0 d{at} {rank} {score} t\n"
        for at, (rank, score) in enumerate(zip(ranks, scores, strict=True))
    ]
    return join(read_run("".join(lines).encode(), source="f.run"), JUDGMENTS)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param([3, 2, 1], (), id="fall"),
        pytest.param([3], (), id="one-result"),
        pytest.param([0.1, 0.2, 0.3], (RISES,), id="rise"),
        pytest.param(
            [1, 1, 1],
            ("f.run: all scores of a query are equal; ties decide its whole order.",),
            id="equal",
        ),
        pytest.param(
            [3, 1, 2, 0, 1],
            (
                "f.run: scores go up and down along the rank column. "
                "For the other order: --set order=rank_column.",
            ),
            id="mixed",
        ),
    ],
)
def test_scores_against_ranks(scores: list[float], expected: tuple[str, ...]) -> None:
    assert warnings([graded(scores)]) == expected
    assert notices(graded(scores)) == expected


def test_scores_that_rise_down_the_list() -> None:
    run = read_run(b'{"q": {"d0": 0.1, "d1": 0.2, "d2": 0.4}}', source="f.json")
    assert warnings([join(run, JUDGMENTS)]) == (
        "f.json: scores rise in the order listed, as distances do, and the highest counts as best. "
        "For the other order: --set order=as_listed.",
    )


def test_lists_in_no_order_of_score_are_as_usual() -> None:
    run = read_run(b'{"q": {"d0": 0.1, "d1": 0.9, "d2": 0.4}}', source="f.json")
    assert warnings([join(run, JUDGMENTS)]) == ()


def test_the_beginning_of_a_large_run_tells() -> None:
    """250,000 results; what follows the first 200,000 or so is not looked at."""
    lines = [f"q{at // 1000} Q0 d{at} {at % 1000} {at} t\n" for at in range(250_000)]
    judgments = Judgments.from_dict({"q0": {"d0": 1}} | {f"q{at}": {"x": 0} for at in range(250)})
    run = read_run("".join(lines).encode(), source="f.run")
    assert len(run.blocks) > 1
    assert RISES in warnings([join(run, judgments)])


COPY = (
    "f.csv: every score is the document's grade in my.qrels, and nothing but judged documents is "
    "in it. So these are the judgments, and no results of a retriever. Is this the right file?"
)


@pytest.mark.parametrize(
    ("rows", "is_copy"),
    [
        pytest.param("p,a,2\np,b,0\nq,c,1\n", True, id="the-judgments"),
        pytest.param("q,c,1\np,b,0\np,a,2.0\n", True, id="in-another-order"),
        pytest.param("p,a,2\np,b,0\n", True, id="some-queries"),
        pytest.param("q,c,1\n", False, id="one-result-tells-nothing"),
        pytest.param("p,a,2\np,b,0\nq,c,0.9\n", False, id="another-score"),
        pytest.param("p,a,2\nq,c,1\n", False, id="a-judged-document-is-missing"),
        pytest.param("p,a,2\np,b,0\np,x,0\nq,c,1\n", False, id="an-unjudged-document"),
        pytest.param("p,a,2\np,b,0\nx,c,1\n", False, id="a-query-without-judgments"),
    ],
)
def test_judgments_given_as_a_run_are_named(rows: str, is_copy: bool) -> None:
    judgments = Judgments.from_dict({"p": {"a": 2, "b": 0}, "q": {"c": 1}}, source="my.qrels")
    one = join(read_run(f"qid,docid,score\n{rows}".encode(), source="f.csv"), judgments)
    for said in (warnings([one]), notices(one)):
        assert (COPY in said) == is_copy


def test_judgments_given_as_a_run_come_before_other_warnings() -> None:
    judgments = Judgments.from_dict({"p": {"a": 1, "b": 1}}, source="my.qrels")
    one = join(read_run(b"qid,docid,score\np,a,1\np,b,1\n", source="f.csv"), judgments)
    assert warnings([one]) == (
        COPY,
        "f.csv: all scores of a query are equal; ties decide its whole order.",
    )
