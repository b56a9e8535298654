"""Several systems in one file: a run for each, with names told apart."""

import io
import json
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from read_back import Rows, message, rows_of

from core.formats import distinctly_named, read_run, read_runs
from core.runs import Run

CSV = "system,qid,docid,score\nbm25,q,a,2\ndense,q,b,3\nbm25,q,b,1\ndense,p,a,1\n"
TREC = "q Q0 a 1 2 bm25\nq Q0 b 2 1 bm25\nq Q0 b 1 3 dense\np Q0 a 1 1 dense\n"  # query by query
BM25: Rows = {"q": [("a", 2.0, None), ("b", 1.0, None)]}
DENSE: Rows = {"q": [("b", 3.0, None)], "p": [("a", 1.0, None)]}


def as_jsonl(text: str) -> bytes:
    names, *rows = (line.split(",") for line in text.splitlines())
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    return "".join(
        json.dumps({**one, "score": float(one["score"])}) + "\n" for one in objects
    ).encode()


def as_parquet(text: str) -> bytes:
    names, *rows = (line.split(",") for line in text.splitlines())
    columns: dict[str, Any] = dict(zip(names, zip(*rows, strict=True), strict=True))
    columns = {name: list(values) for name, values in columns.items()}
    columns["score"] = [float(score) for score in columns["score"]]
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(CSV.encode(), id="csv"),
        pytest.param(CSV.encode() + b"\n \n", id="csv-slow"),
        pytest.param(CSV.replace(",", "\t").encode(), id="tsv"),
        pytest.param(as_jsonl(CSV), id="jsonl"),
        pytest.param(as_parquet(CSV), id="parquet"),
    ],
)
def test_a_column_that_names_systems_gives_a_run_for_each(data: bytes) -> None:
    bm25, dense = read_runs(data, source="f")
    assert (bm25.name, dense.name) == ("bm25", "dense")
    assert (rows_of(bm25), rows_of(dense)) == (BM25, DENSE)
    assert bm25.notices == dense.notices == ("f: 2 systems in one file, read as a run each.",)


def test_one_system_names_the_run_without_a_word() -> None:
    (run,) = read_runs(b"tag,qid,docid,score\nbm25,q,a,1\n", source="f.csv")
    assert (run.name, run.notices) == ("bm25", ())


def test_a_given_name_stands_in_front_of_the_systems() -> None:
    assert [run.name for run in read_runs(CSV.encode(), source="f.csv", name="may")] == [
        "may bm25", "may dense",
    ]  # fmt: skip
    (run,) = read_runs(b"tag,qid,docid,score\nbm25,q,a,1\n", source="f.csv", name="may")
    assert run.name == "may"


def test_a_column_that_names_no_system_is_left_out() -> None:
    text = "model,qid,docid,score\nm1,q,a,2\nm2,q,b,1\n"
    (run,) = read_runs(text.encode(), source="f.csv", columns={"system": ""})
    assert run.name == "f"
    assert run.notices == (
        "f.csv: columns as named: system=.",
        "f.csv: 1 column not used ('model').",
    )


def test_one_run_is_asked_for() -> None:
    assert message(lambda: read_run(CSV.encode(), source="f.csv")) == (
        "f.csv: 2 systems ('bm25', 'dense'), expected one. Read them all with read_runs."
    )


def test_more_systems_than_anybody_compares_are_refused() -> None:
    text = "run,qid,docid,score\n" + "".join(f"r{at},q,a,1\n" for at in range(201))
    assert message(lambda: read_runs(text.encode(), source="f.csv")) == (
        "f.csv: at least 201 different systems ('r0', 'r1', 'r10' and 198 more), "
        "expected at most 200. "
        "Is it another column that names the system? Say which, or that none does: "
        "--run-column system=COLUMN, or system= for none."
    )


# Lists


def test_lists_of_several_systems_with_an_empty_one() -> None:
    data = b"".join(
        json.dumps({"system": system, "qid": "q", "ids": ids}).encode() + b"\n"
        for system, ids in (("x", ["a", "b"]), ("y", []), ("z", ["b"]))
    )
    runs = read_runs(data, source="f.jsonl")
    assert [(run.name, rows_of(run)) for run in runs] == [
        ("x", {"q": [("a", None, None), ("b", None, None)]}),
        ("z", {"q": [("b", None, None)]}),
        ("y", {"q": []}),
    ]


# Tags


@pytest.mark.parametrize("gap", [" ", "  ", "\t"], ids=["fast", "slow", "tabs"])
def test_tags_with_rankings_of_their_own_are_systems(gap: str) -> None:
    bm25, dense = read_runs(TREC.replace(" ", gap).encode(), source="f.run")
    assert (bm25.name, dense.name) == ("bm25", "dense")
    assert rows_of(bm25) == {"q": [("a", 2.0, 1), ("b", 1.0, 2)]}
    assert rows_of(dense) == {"q": [("b", 3.0, 1)], "p": [("a", 1.0, 1)]}
    assert bm25.notices == ("f.run: 2 systems in one file, read as a run each.",)


def test_one_run_behind_the_other_in_a_file() -> None:
    lines = sorted(TREC.splitlines(keepends=True), key=lambda line: line.split()[-1])
    assert [run.name for run in read_runs("".join(lines).encode(), source="f.run")] == [
        "bm25", "dense",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("q Q0 a 1 3 NR\nq Q0 b 2 2 R\nq Q0 c 3 1 NR\n", id="remarks"),
        pytest.param("q Q0 a 1 3 R\nq Q0 b 2 2 R\nq Q0 c 3 1 NR\n", id="remarks-in-a-row"),
        pytest.param("q Q0 a 1 3 x\np Q0 b 1 2 y\n", id="no-query-has-two"),
        pytest.param("q Q0 a 0 3 x\nq Q0 b 0 2 x\nq Q0 c 0 1 y\n", id="ranks-all-0"),
        pytest.param("q Q0 a - 3 x\nq Q0 b - 2 y\n", id="no-ranks"),
    ],
)
def test_other_tags_are_remarks_and_the_first_names_the_run(text: str) -> None:
    (run,) = read_runs(text.encode(), source="f.run")
    assert run.name == text.split()[5]
    assert run.notices[-1] == "f.run: 2 different tags; the first names the run."


def test_a_large_file_whose_tag_changes_in_its_middle() -> None:
    """The change falls into one of several blocks; the others have one tag each."""

    def lines(tag: str) -> str:
        return "".join(
            f"query-{at // 1000} Q0 document-{at} {at % 1000 + 1} {1000 - at % 1000} {tag}\n"
            for at in range(100_000)
        )

    first, second = read_runs((lines("one") + lines("two")).encode(), source="f.run")
    assert (first.name, second.name) == ("one", "two")
    assert first.result_count == second.result_count == 100_000
    assert rows_of(first) == rows_of(second)


# Names


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        pytest.param(
            [("a", "x.csv"), ("b", "x.csv"), ("a", "y.csv"), ("b", "y.csv")],
            ["x a", "x b", "y a", "y b"],
            id="two-files-of-the-same-systems",
        ),
        pytest.param(
            [("a", "x.csv"), ("b", "x.csv"), ("a", "a.run")],
            ["x a", "b", "a"],
            id="one-system-more-in-a-file-of-its-own",
        ),
    ],
)
def test_systems_of_several_files_get_distinct_names(
    runs: list[tuple[str, str]], names: list[str]
) -> None:
    loaded = [Run.from_dict(tag, {"q": ["d"]}, source=file) for tag, file in runs]
    assert [run.name for run in distinctly_named(loaded)] == names
