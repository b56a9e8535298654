"""The command line, called in process; the installed script at the end."""

import csv
import io
import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from math import log2
from pathlib import Path
from typing import Any

import pytest

from core import cli
from core.cli.options import grade_scale
from core.cli.tables import amount
from core.formats import read_judgments, read_run
from core.grades import join
from core.judgments import Judgments
from core.presets import FIRST_RUN
from core.scores import aggregate, score

SAMPLE_RUNS = Path(__file__).parent.parent / "sample_runs"

# q1 is graded, q2 has one relevant document, q3 none. dense returns X and Y, which nobody judged.
QRELS = "q1 0 A 3\nq1 0 B 2\nq1 0 C 1\nq1 0 D 0\nq2 0 A 1\nq2 0 Z 0\nq3 0 Z 0\n"
BM25 = "q1 Q0 B 1 2 bm25\nq1 Q0 C 2 1 bm25\nq2 Q0 A 1 1 bm25\nq3 Q0 Z 1 1 bm25\n"
DENSE = '{"q1": {"A": 2, "X": 1}, "q2": {"Y": 3, "A": 2}}'
IDCG_1 = 3 + 2 / log2(3)
NDCG_1 = (2 + 1 / log2(3)) / IDCG_1  # bm25 on q1, cut at 2


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with judgments and two runs."""
    for name, text in (("qrels.txt", QRELS), ("bm25.run", BM25), ("dense.json", DENSE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments(*runs: str) -> list[str]:
    return ["score", "--qrels", "qrels.txt", "--run", *(runs or ("bm25.run", "dense.json"))]


CUT_AT_2 = ["--set", "unjudged=zero", "cutoff=2"]


def output(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What a call that succeeds prints; it says nothing but warnings on standard error."""
    assert cli.main(options) == 0
    captured = capsys.readouterr()
    assert without_warnings(captured.err) == ""
    return captured.out


def refusal(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """The message of a call that fails; nothing on standard output."""
    assert cli.main(options) == cli.BAD_INPUT == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return without_warnings(captured.err)


def without_warnings(said: str) -> str:
    lines = said.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("retrievers: warning: "))


def written(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    return json.loads(output(capsys, *options, "--format", "json"))


def names(capsys: pytest.CaptureFixture[str], *runs: str) -> list[str]:
    record = written(capsys, *arguments(*runs), *CUT_AT_2)
    return [system["name"] for system in record["systems"]]


# Formats, columns and files of several systems

BOTH = (
    "model,query_id,doc_id,distance\n"
    "bm25,q1,B,1\nbm25,q1,C,2\nbm25,q2,A,1\ndense,q1,A,0.5\ndense,q1,D,0.7\n"
)


def test_every_system_of_a_file_is_scored(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "both.csv").write_text(BOTH.replace("distance", "rank").replace("0.", ""))
    assert names(capsys, "both.csv") == ["bm25", "dense"]
    assert names(capsys, "may=both.csv") == ["may bm25", "may dense"]
    assert names(capsys, "both.csv", "bm25.run") == ["both bm25", "dense", "bm25"]


def test_column_named_for_several_runs_need_not_be_in_all(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "near.csv").write_text("qid,docid,distance\nq1,A,0.1\nq1,B,0.9\n")
    (files / "plain.csv").write_text("qid,docid,score\nq1,B,0.9\nq1,A,0.1\n")
    told = [*CUT_AT_2, "--run-column", "score=-distance"]
    near, plain = written(capsys, *arguments("near.csv", "plain.csv"), *told)["systems"]
    assert (near["columns"], plain["columns"]) == ({"score": "-distance"}, {})
    assert refusal(capsys, *arguments("plain.csv", "dense.json"), *told) == (
        "retrievers: plain.csv, line 1: no column 'distance' among 'docid', 'qid', 'score'. "
        "Correct --run-column score=-distance.\n"
    )


def test_named_column_is_refused_where_columns_have_no_names(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(capsys, *arguments("bm25.run"), "--run-column", "score=-distance")
    assert said == (
        "retrievers: bm25.run: the columns of this format (TREC run, 6 columns) have no names, and "
        "--run-column score=-distance names one. Leave out --run-column for it, or give the file "
        "a header line.\n"
    )


def test_a_distance_needs_a_word(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "both.csv").write_text(BOTH)
    said = refusal(capsys, *arguments("both.csv"))
    assert said.endswith("If larger is better: --run-column score=distance.\n")
    told = [*arguments("both.csv"), *CUT_AT_2, "--run-column", "score=-distance"]
    bm25, dense = written(capsys, *told)["systems"]
    assert bm25["queries"][0]["ndcg"] == pytest.approx(NDCG_1)
    assert dense["queries"][0]["ndcg"] == pytest.approx(3 / IDCG_1)


def test_formats_are_overridden(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "qrels.txt").write_text("1 10 2\n1 11 0\n")
    (files / "numbers.txt").write_text("qid docid score\n1 10 3\n".replace(" ", "\t"))
    options = [*arguments("numbers.txt"), *CUT_AT_2]
    assert "--qrels-format qrels3" in refusal(capsys, *options)
    (system,) = written(capsys, *options, "--qrels-format", "qrels3", "--run-format", "tsv")[
        "systems"
    ]
    assert system["queries"][0]["ndcg"] == 1


def test_a_column_of_the_judgments_is_named(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "qrels.txt").write_text("query,docid,final_rating\nq1,B,1\n")
    options = [*arguments("bm25.run"), *CUT_AT_2]
    assert "--qrels-column grade=COLUMN" in refusal(capsys, *options)
    (system,) = written(capsys, *options, "--qrels-column", "grade=final_rating")["systems"]
    assert system["queries"][0]["ndcg"] == 1


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            ["--run-column", "score"],
            "'score' names no column. Give MEANING=COLUMN, such as document=chunk_id",
        ),
        (
            ["--run-column", "grade=x"],
            "'grade' is not what a column can mean. "
            "Choose from query, document, score, rank, system, list",
        ),
        (
            ["--qrels-column", "rank=x"],
            "'rank' is not what a column can mean. Choose from query, document, grade, list",
        ),
    ],
)
def test_a_column_that_means_nothing_is_refused(
    option: list[str], message: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main([*arguments(), *option])
    assert f"argument {option[0]}: {message}\n" in capsys.readouterr().err


# JSON

AGGREGATE = {
    "ndcg", "measure", "macro_mean", "pooled_ratio", "no_value", "queries_in_mean",
    "judged_queries", "zero_idcg", "no_positive", "missing", "empty", "extra", "left_out",
    "unjudged_in_top", "judged_at_k", "precision", "recall", "reciprocal_rank",
    "average_precision", "union_digest",
}  # fmt: skip
QUERY = {"query_id", "ndcg", "dcg", "idcg", "zero_idcg", "state"}


@pytest.mark.usefixtures("files")
class TestJson:
    def test_is_one_object_of_policy_judgments_and_systems(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        record = written(capsys, *arguments(), *CUT_AT_2)
        assert set(record) == {"policy", "judgments", "systems"}
        assert record["policy"] == {**FIRST_RUN.to_dict(), "cutoff": 2}
        judged = {
            "q1": {"A": 3, "B": 2, "C": 1, "D": 0}, "q2": {"A": 1, "Z": 0}, "q3": {"Z": 0}
        }  # fmt: skip
        assert record["judgments"] == {
            "source": "qrels.txt",
            "format": "TREC qrels, 4 columns",
            "columns": {},
            "fingerprint": Judgments.from_dict(judged).fingerprint,
            "queries": 3,
            "judged": 7,
            "scale": None,
            "notices": [],
        }
        assert [system["name"] for system in record["systems"]] == ["bm25", "dense"]
        for system in record["systems"]:
            assert set(system) >= {"name", "aggregate", "queries", "notices"}
            assert set(system["aggregate"]) >= AGGREGATE
            assert [query["query_id"] for query in system["queries"]] == ["q1", "q2", "q3"]
            assert all(set(query) >= QUERY for query in system["queries"])

    def test_says_how_each_file_was_read(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Columns that somebody named stand where there are names: not in a file of TREC's."""
        (files / "far.csv").write_text(BOTH)
        (files / "grades.csv").write_text("query,docid,final_rating\nq1,B,1\n")
        options = ["--run-column", "score=-distance", "--qrels-column", "grade=final_rating"]
        told = ["score", "--qrels", "grades.csv", "--run", "far.csv", "bm25.run", *options]
        record = written(capsys, *told, *CUT_AT_2)
        reading = "source", "format", "columns"
        assert [
            tuple(one[key] for key in reading) for one in [record["judgments"], *record["systems"]]
        ] == [
            ("grades.csv", "CSV with header", {"grade": "final_rating"}),
            ("far.csv", "CSV with header", {"score": "-distance"}),
            ("far.csv", "CSV with header", {"score": "-distance"}),
            ("bm25.run", "TREC run, 6 columns", {}),
        ]

    def test_holds_values_and_counts(self, capsys: pytest.CaptureFixture[str]) -> None:
        bm25, dense = written(capsys, *arguments(), *CUT_AT_2)["systems"]
        measure = "NDCG@2 (linear gain, ideal: all judged, unjudged: zero)"
        assert bm25["aggregate"] == {
            "ndcg": pytest.approx((NDCG_1 + 1 + 0) / 3, rel=0, abs=1e-12),
            "measure": measure,
            "macro_mean": pytest.approx((NDCG_1 + 1 + 0) / 3, rel=0, abs=1e-12),
            "pooled_ratio": pytest.approx(
                (2 + 1 / log2(3) + 1 + 0) / (IDCG_1 + 1 + 0), rel=0, abs=1e-12
            ),
            "no_value": None,
            "queries_in_mean": 3,
            "judged_queries": 3,
            "zero_idcg": 1,
            "no_positive": 1,
            "missing": 0,
            "empty": 0,
            "extra": 0,
            "left_out": {"missing_query": 0, "empty_query": 0, "zero_idcg": 0},
            "unjudged_in_top": 0,
            "judged_at_k": 1,
            "precision": pytest.approx((2 / 2 + 1 / 2 + 0 / 2) / 3),
            "recall": pytest.approx((2 / 3 + 1 / 1 + 0) / 3),
            "reciprocal_rank": pytest.approx((1 + 1 + 0) / 3),
            "average_precision": pytest.approx(((1 / 1 + 2 / 2) / 3 + 1 + 0) / 3),
            "union_digest": None,
        }
        assert bm25["notices"] == []
        assert dense["notices"] == ["dense.json: 1 judged query without results: 'q3'."]
        counts = ("missing", "zero_idcg", "unjudged_in_top", "judged_at_k")
        # One of the two documents is unjudged on q1 and on q2; q3 has none to count.
        assert [dense["aggregate"][name] for name in counts] == [1, 1, 2, (1 / 2 + 1 / 2) / 2]
        first, second, third = dense["queries"]
        assert (first["dcg"], first["state"]) == (3, "scored")
        assert (second["ndcg"], second["dcg"]) == (1 / log2(3), 1 / log2(3))
        assert (third["ndcg"], third["zero_idcg"], third["state"]) == (0, True, "missing")
        assert third["judged_at_k"] is None

    def test_query_left_out_has_no_value_and_says_why(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        options = [*CUT_AT_2, "zero_idcg=leave_out", "missing_query=leave_out"]
        bm25, dense = written(capsys, *arguments(), *options)["systems"]
        assert bm25["queries"][2]["ndcg"] is None
        assert bm25["queries"][2]["state"] == "left_out_zero_idcg"
        assert bm25["aggregate"]["left_out"] == {
            "missing_query": 0, "empty_query": 0, "zero_idcg": 1
        }  # fmt: skip
        assert bm25["aggregate"]["queries_in_mean"] == 2
        assert bm25["aggregate"]["ndcg"] == pytest.approx((NDCG_1 + 1) / 2, rel=0, abs=1e-12)
        assert dense["queries"][2]["state"] == "left_out_missing"
        assert dense["aggregate"]["left_out"]["missing_query"] == 1

    def test_mean_over_nothing_is_null_and_says_why(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (files / "qrels.txt").write_text("q3 0 Z 0\n")
        options = ["--set", "unjudged=zero", "zero_idcg=leave_out"]
        result = written(capsys, *arguments("bm25.run"), *options)["systems"][0]["aggregate"]
        assert (result["ndcg"], result["macro_mean"], result["pooled_ratio"]) == (None, None, None)
        assert result["no_value"] == "every query is left out"
        assert result["extra"] == 2

    def test_union_of_runs_is_recorded(self, capsys: pytest.CaptureFixture[str]) -> None:
        systems = written(capsys, *arguments(), *CUT_AT_2, "ideal_scope=any_run")["systems"]
        digests = {system["aggregate"]["union_digest"] for system in systems}
        assert len(digests) == 1
        assert len(digests.pop()) == 64
        # bm25 found B and C, dense A: the ideal of q1 holds A and B for both.
        assert [system["queries"][0]["idcg"] for system in systems] == [
            pytest.approx(3 + 2 / log2(3))
        ] * 2


# Full precision


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("cutoff", ["1", "2", "3", "all"])
def test_json_and_csv_keep_every_digit(cutoff: str, capsys: pytest.CaptureFixture[str]) -> None:
    policy = FIRST_RUN.with_option("cutoff", cutoff)
    judgments = read_judgments(Path("qrels.txt"))
    scores = [
        score(join(read_run(Path(name)), judgments), policy) for name in ("bm25.run", "dense.json")
    ]
    options = [*arguments(), "--set", "unjudged=zero", f"cutoff={cutoff}"]

    systems = written(capsys, *options)["systems"]
    rows = list(csv.DictReader(io.StringIO(output(capsys, *options, "--format", "csv"))))
    per_query = list(
        csv.DictReader(io.StringIO(output(capsys, *options, "--format", "csv", "--per-query")))
    )
    for at, one in enumerate(scores):
        result = aggregate(one)
        for name in ("ndcg", "macro_mean", "pooled_ratio", "precision", "recall", "judged_at_k"):
            assert systems[at]["aggregate"][name] == getattr(result, name)
            assert float(rows[at][name]) == getattr(result, name)
        for name in ("ndcg", "dcg", "idcg"):
            values = getattr(one, name).tolist()
            assert [query[name] for query in systems[at]["queries"]] == values
            of_system = [float(row[name]) for row in per_query if row["system"] == one.name]
            assert of_system == values


@pytest.mark.usefixtures("files")
def test_csv_has_one_row_a_system(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, *arguments(), *CUT_AT_2, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["system"] for row in rows] == ["bm25", "dense"]
    assert rows[1]["measure"] == "NDCG@2 (linear gain, ideal: all judged, unjudged: zero)"
    assert [rows[1][f"left_out_{rule}"] for rule in ("missing_query", "zero_idcg")] == ["0", "0"]
    assert len(rows[1]["fingerprint"]) == 64
    assert "\r" not in text


@pytest.mark.usefixtures("files")
def test_csv_has_one_row_a_system_and_query(capsys: pytest.CaptureFixture[str]) -> None:
    options = [*CUT_AT_2, "zero_idcg=leave_out", "--format", "csv", "--per-query"]
    rows = list(csv.DictReader(io.StringIO(output(capsys, *arguments(), *options))))
    assert [(row["system"], row["query_id"], row["state"]) for row in rows] == [
        ("bm25", "q1", "scored"),
        ("bm25", "q2", "scored"),
        ("bm25", "q3", "left_out_zero_idcg"),
        ("dense", "q1", "scored"),
        ("dense", "q2", "scored"),
        ("dense", "q3", "left_out_zero_idcg"),
    ]
    assert rows[2]["ndcg"] == ""


# Table


@pytest.mark.usefixtures("files")
def test_table_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    fingerprint = read_judgments(Path("qrels.txt")).fingerprint
    text = output(capsys, *arguments(), "--set", "unjudged=zero", "cutoff=1", "--per-query")
    assert text == (
        "NDCG@1 (linear gain, ideal: all judged, unjudged: zero)\n"
        "NDCG@1: linear gain, ideal: all judged, unjudged: zero, discount log2(rank+1), "
        "ideal cut at k, by score, ties: document id descending, negative grades: gain 0, "
        "float64 scores, duplicates: refuse, self matches: keep, missing queries: zero, "
        "empty queries: zero, extra queries: ignore, zero-IDCG: zero, macro mean, "
        "query scores unrounded, relevant from grade 1\n"
        f"3 judged queries, 7 judgments, fingerprint {fingerprint[:12]}\n"
        "\n"
        # The mean of 2/3, 1 and 0; the mean of 1, 0 and 0.
        "system  NDCG@1  in mean  zero-IDCG  missing  empty  left out  judged@1     P@1     R@1"
        "      RR      AP\n"
        "bm25    0.5556        3          1        0      0         0    1.0000  0.6667  0.4444"
        "  0.6667  0.5556\n"
        "dense   0.3333        3          1        1      0         0    0.5000  0.3333  0.1111"
        "  0.5000  0.2778\n"
        "\n"
        "query    bm25    dense\n"
        "q1     0.6667   1.0000\n"
        "q2     1.0000   0.0000\n"
        "q3     0.0000  missing\n"
        "\n"
        "dense.json: 1 judged query without results: 'q3'.\n"
        "\n"
        "NDCG speaks of ranking, not of answers made from these documents.\n"
    )


@pytest.mark.usefixtures("files")
def test_table_without_a_cutoff_names_none(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, *arguments(), "--set", "unjudged=zero", "cutoff=all").splitlines()
    assert lines[0] == "NDCG (linear gain, ideal: all judged, unjudged: zero)"
    assert lines[4].split() == [
        "system", "NDCG", "in", "mean", "zero-IDCG", "missing", "empty", "left", "out",
        "judged", "P", "R", "RR", "AP",
    ]  # fmt: skip


def test_table_shows_a_mean_over_nothing(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "qrels.txt").write_text("q3 0 Z 0\n")
    text = output(capsys, *arguments("bm25.run"), "--set", "unjudged=zero", "zero_idcg=leave_out")
    assert text.splitlines()[5].startswith("bm25    no value        0          1")


# Warnings

NEAR = "q1 Q0 b 1 2 near\nq1 Q0 X 2 1 near\nq9 Q0 A 1 1 near\n"
WARNED = [
    "near.run: none of the retrieved documents is judged in qrels.txt (0 of 2). "
    "Check that both files use the same document ids.",
    "near.run: 1 document id matches qrels.txt but for letter case ('b' here, 'B' there); "
    "it counts as unjudged.",
    "near.run: 2 judged queries without results: 'q2', 'q3'.",
    "near.run: 1 query without judgments in qrels.txt: 'q9'.",
]


def warned(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """The warnings of a call; nothing else is on standard error."""
    assert cli.main(options) == 0
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("retrievers: warning: ") for line in lines)
    return [line.removeprefix("retrievers: warning: ") for line in lines]


class TestWarnings:
    @pytest.mark.parametrize("form", ["table", "csv", "json"])
    def test_go_to_standard_error_in_every_format(
        self, form: str, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (files / "near.run").write_text(NEAR)
        assert warned(capsys, *arguments("near.run"), *CUT_AT_2, "--format", form) == WARNED

    def test_are_among_the_notices_of_table_and_record(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (files / "near.run").write_text(NEAR)
        text = output(capsys, *arguments("near.run"), *CUT_AT_2)
        assert all(f"\n{warning}\n" in text for warning in WARNED)
        (system,) = written(capsys, *arguments("near.run"), *CUT_AT_2)["systems"]
        assert sorted(system["notices"]) == sorted(WARNED)

    def test_leave_csv_as_it_is(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (files / "near.run").write_text(NEAR)
        options = [*arguments("near.run", "bm25.run"), *CUT_AT_2, "--format", "csv"]
        rows = list(csv.DictReader(io.StringIO(output(capsys, *options))))
        assert [row["system"] for row in rows] == ["near", "bm25"]
        assert rows[0]["ndcg"] == "0.0"

    def test_come_before_a_refusal(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Unjudged documents are refused; that ids do not match explains it."""
        (files / "near.run").write_text(NEAR)
        assert cli.main(arguments("near.run")) == cli.BAD_INPUT
        *lines, refused = capsys.readouterr().err.split("\nretrievers: ")[:5]
        assert len(lines) == 4
        assert refused.startswith("2 unjudged documents stand in the top 10")

    def test_are_not_said_twice_on_a_terminal(
        self, files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (files / "near.run").write_text(NEAR)
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        assert warned(capsys, *arguments("near.run"), *CUT_AT_2) == []
        assert len(warned(capsys, *arguments("near.run"), *CUT_AT_2, "--format", "csv")) == 4

    def test_leave_out_what_a_reader_skipped_or_guessed(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (files / "said.csv").write_text("query_id,doc_id,rank,note\nq1,B,1,-\nq2,A,1,-\nq3,Z,1,-\n")
        assert warned(capsys, *arguments("said.csv"), *CUT_AT_2) == []
        (system,) = written(capsys, *arguments("said.csv"), *CUT_AT_2)["systems"]
        assert system["notices"] == [
            "said.csv: 1 column not used ('note').",
            "said.csv: no retrieval scores; ordered by its ranks.",
        ]

    def test_are_few_and_the_gravest_first(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Each of 30 runs misses two queries; the last one holds no judged document either."""
        names = [f"r{number:02}.run" for number in range(30)]
        for name in names:
            (files / name).write_text("q1 Q0 B 1 1 t\n")
        (files / names[-1]).write_text("q1 Q0 nothing 1 1 t\n")
        lines = warned(capsys, *arguments(*names), *CUT_AT_2, "--format", "csv")
        assert len(lines) == 13
        assert lines[0].startswith("r29.run: none of the retrieved documents is judged")
        assert lines[1] == "r00.run: 2 judged queries without results: 'q2', 'q3'."
        assert lines[-1] == "19 more warnings; --format json has all."


def test_no_query_in_common_is_refused_with_a_hint(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "other.run").write_text("Q1 Q0 A 1 1 t\n")
    assert refusal(capsys, *arguments("other.run")) == (
        "retrievers: other.run: no query in common with qrels.txt: the run has 'Q1', the judgments "
        "have 'q1', 'q2', 'q3'. Check that both files use the same query ids. 1 query id matches "
        "qrels.txt but for letter case ('Q1' here, 'q1' there).\n"
    )


# The rule for unjudged documents


@pytest.mark.usefixtures("files")
class TestOpenRule:
    def test_is_asked_for_with_every_value(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The run `dense` scores 1 on q1 and 0 on q2 at k = 1; condensed, A is first on both."""
        assert refusal(capsys, *arguments(), "--set", "cutoff=1") == (
            "retrievers: 1 unjudged document stands in the top 1 (dense 1), and no rule for "
            "unjudged documents was chosen. Choose one with --set unjudged=RULE. "
            "NDCG@1 under each:\n"
            "         zero  condense               refuse           refuse_any\n"
            "bm25   0.5556    0.5556               0.5556               0.5556\n"
            "dense  0.3333    0.6667  refuses: 1 unjudged  refuses: 2 unjudged\n"
        )

    def test_counts_over_all_runs(self, capsys: pytest.CaptureFixture[str]) -> None:
        message = refusal(capsys, *arguments("dense.json", "twin=dense.json"))
        assert message.startswith(
            "retrievers: 4 unjudged documents stand in the top 10 (dense 2, twin 2), and no rule"
        )

    def test_without_a_cutoff_speaks_of_the_rankings(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        message = refusal(capsys, *arguments(), "--set", "cutoff=all")
        assert message.startswith(
            "retrievers: 2 unjudged documents stand in the rankings (dense 2), and no rule"
        )
        assert "NDCG under each:\n" in message

    def test_counts_beyond_a_million_in_full(self) -> None:
        assert amount(1_234_567.0) == "1,234,567"
        assert amount(0.5) == "0.50"

    def test_is_not_asked_for_where_nothing_depends_on_it(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert output(capsys, *arguments("bm25.run")).startswith("NDCG@10 (linear gain")

    @pytest.mark.parametrize(
        ("rule", "values"),
        [
            pytest.param("zero", [(2 / 3 + 1 + 0) / 3, (1 + 0 + 0) / 3], id="zero"),
            pytest.param("condense", [(2 / 3 + 1 + 0) / 3, (1 + 1 + 0) / 3], id="condense"),
        ],
    )
    def test_once_chosen_decides(
        self, rule: str, values: list[float], capsys: pytest.CaptureFixture[str]
    ) -> None:
        options = ["--set", "cutoff=1", f"unjudged={rule}"]
        systems = written(capsys, *arguments(), *options)["systems"]
        assert [system["aggregate"]["ndcg"] for system in systems] == pytest.approx(values)

    def test_is_closed_by_another_preset(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert written(capsys, *arguments(), "--preset", "trec_eval-9-c")["systems"]


# Bad input


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            ["score", "--qrels", "nope.txt", "--run", "bm25.run"],
            "nope.txt: the file cannot be opened (no such file or directory). Check its path.",
            id="no-judgments",
        ),
        pytest.param(
            arguments("nope.run"),
            "nope.run: the file cannot be opened (no such file or directory). Check its path.",
            id="no-run",
        ),
        pytest.param(
            arguments("qrels.txt"),
            "qrels.txt, line 1: 4 columns, expected 6 (query Q0 document rank score tag). "
            "Is this a qrels file?",
            id="judgments-as-a-run",
        ),
        pytest.param(
            [*arguments("bm25.run"), "--set", "cutoff=0"],
            'cutoff must be a whole number of at least 1, or "all", not 0.',
            id="cutoff-0",
        ),
        pytest.param(
            [*arguments("bm25.run"), "--set", "ties=any"],
            "ties must be one of docid_descending, docid_ascending, as_listed, expected, refuse, "
            "not 'any'.",
            id="unknown-option",
        ),
        pytest.param(
            [*arguments("bm25.run"), "--set", "k=10"],
            "k is not a policy field. Fields: cutoff, gain, discount, ideal_scope, ideal_depth, "
            "order, ties, score_precision, duplicates, self_matches, unjudged, negative_grades, "
            "missing_query, empty_query, extra_query, zero_idcg, average, rounding, "
            "relevance_level.",
            id="unknown-field",
        ),
        pytest.param(
            [*arguments("bm25.run"), "--set", "cutoff"],
            "--set cutoff: expected FIELD=VALUE, such as cutoff=20.",
            id="no-value",
        ),
        pytest.param(
            [*arguments("bm25.run"), "--set", "=20"],
            "--set =20: expected FIELD=VALUE, such as cutoff=20.",
            id="no-field",
        ),
        pytest.param(
            [*arguments("dense.json"), "--preset", "strict"],
            "dense.json: 2 unjudged documents anywhere in the ranking of 2 queries, first query "
            "'q1' with document 'X'; the policy refuses this (unjudged=refuse_any). Count unjudged "
            "documents as gain 0, or condense the list, or judge them.",
            id="refused-by-the-policy",
        ),
        pytest.param(
            [*arguments("bm25.run"), "--scale", "0..2"],
            "qrels.txt: grades outside the declared scale 0..2: 3. "
            "Correct the grades or declare another scale.",
            id="outside-the-scale",
        ),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(capsys, *options) == f"retrievers: {message}\n"


@pytest.mark.usefixtures("files")
def test_unknown_preset_lists_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    message = refusal(capsys, *arguments(), "--preset", "best")
    assert message.startswith("retrievers: preset must be one of first-run, strict, ")
    assert message.endswith(", not 'best'.\n")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param([], "COMMAND", id="no-command"),
        pytest.param(["score"], "--qrels, --run", id="no-files"),
        pytest.param(["score", "--qrels", "qrels.txt", "--run"], "--run", id="no-run"),
        pytest.param([*arguments(), "--scale", "3..0"], "'3..0' is not a scale", id="upside-down"),
        pytest.param([*arguments(), "--scale", "0-3"], "'0-3' is not a scale", id="not-two-dots"),
        pytest.param([*arguments(), "--scale", "0..x"], "'0..x' is not a scale", id="no-number"),
        pytest.param([*arguments(), "--format", "xml"], "'xml'", id="unknown-format"),
        pytest.param(["app", "--port", "http"], "--port", id="port-is-no-number"),
    ],
)
def test_options_that_make_no_sense_exit_with_code_2(
    options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(options)
    captured = capsys.readouterr()
    assert end.value.code == 2
    assert captured.out == ""
    assert captured.err.startswith("usage: retrievers")
    assert told in captured.err.splitlines()[-1]


# Names, settings, presets, scale


@pytest.mark.usefixtures("files")
class TestNames:
    def test_run_is_called_by_its_tag_or_its_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert names(capsys, "bm25.run", "dense.json") == ["bm25", "dense"]

    def test_run_is_called_as_the_person_wants(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert names(capsys, "before=bm25.run", "after=dense.json") == ["before", "after"]

    def test_equal_tags_are_told_apart_by_file(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        shutil.copy("bm25.run", "tuned.run")
        assert names(capsys, "bm25.run", "tuned.run", "dense.json") == ["bm25", "tuned", "dense"]

    def test_the_same_file_twice_is_numbered(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert names(capsys, "bm25.run", "bm25.run") == ["bm25", "bm25 (2)"]

    def test_file_whose_name_holds_an_equals_sign(self, capsys: pytest.CaptureFixture[str]) -> None:
        shutil.copy("dense.json", "k=3.json")
        assert names(capsys, "k=3.json") == ["k=3"]
        assert names(capsys, "best=k=3.json") == ["best"]

    def test_runs_may_be_given_in_several_options(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert names(capsys, "bm25.run", "--run", "dense.json") == ["bm25", "dense"]


@pytest.mark.usefixtures("files")
class TestPolicy:
    def test_settings_change_one_field_each(self, capsys: pytest.CaptureFixture[str]) -> None:
        options = ["--set", "unjudged=condense", "cutoff=5", "--set", "gain=0:0,1:1,2:3,3:7"]
        record = written(capsys, *arguments(), *options)
        assert record["policy"] == {
            **FIRST_RUN.to_dict(),
            "unjudged": "condense",
            "cutoff": 5,
            "gain": {"0": 0.0, "1": 1.0, "2": 3.0, "3": 7.0},
        }

    def test_last_setting_of_a_field_counts(self, capsys: pytest.CaptureFixture[str]) -> None:
        record = written(capsys, *arguments(), *CUT_AT_2, "--set", "cutoff=3")
        assert record["policy"]["cutoff"] == 3

    def test_settings_change_the_preset(self, capsys: pytest.CaptureFixture[str]) -> None:
        options = ["--preset", "strict", "--set", "unjudged=zero", "cutoff=1"]
        record = written(capsys, *arguments(), *options)
        assert record["policy"]["ties"] == "refuse"
        assert record["policy"]["cutoff"] == 1

    def test_declared_scale_is_recorded(self, capsys: pytest.CaptureFixture[str]) -> None:
        record = written(capsys, *arguments(), *CUT_AT_2, "--scale", "0..4")
        assert record["judgments"]["scale"] == [0, 4]

    def test_scale_may_begin_below_0(self) -> None:
        assert grade_scale("-2..3") == (-2, 3)


# The dashboard


class Server:
    """Takes the place of `core.cli.serving.serve`."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []

    def __call__(self, command: list[str]) -> int:
        self.commands.append(command)
        return 7


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """No server is started; the command that would have been is kept."""
    fake = Server()
    monkeypatch.setattr("core.cli.serving.serve", fake)
    return fake


@pytest.mark.usefixtures("files")
class TestApp:
    def test_starts_streamlit_on_the_dashboard_and_ends_as_it_does(self, server: Server) -> None:
        assert cli.main(["app"]) == 7
        [[python, *words, script, separator]] = server.commands
        assert python == sys.executable
        assert words == ["-m", "streamlit", "run"]
        assert Path(script).parts[-2:] == ("dashboard", "app.py")
        assert separator == "--"

    def test_passes_the_port_to_the_server(self, server: Server) -> None:
        cli.main(["app", "--port", "8600"])
        assert server.commands[0][5:] == ["--server.port", "8600", "--"]

    def test_passes_limits_to_the_server_and_to_the_app(self, server: Server) -> None:
        cli.main(["app", "--max-upload-mb", "9", "--max-runs", "7"])
        assert server.commands[0][5:] == [
            *("--server.maxUploadSize", "9"),
            "--",
            *("--max-runs", "7"),
            *("--max-upload-mb", "9"),
        ]

    def test_passes_formats_and_columns_to_the_app(self, server: Server) -> None:
        told = ["--qrels-format", "qrels3", "--qrels-column", "grade=x", "--run-format", "csv"]
        told += ["--run-column", "score=-distance", "--run-column", "system="]
        cli.main(["app", "--qrels", "qrels.txt", "--run", "bm25.run", *told])
        assert server.commands[0][-len(told) :] == told

    @pytest.mark.parametrize("text", ["0", "-1", "1.5", "many", "1000001", "9" * 5000])
    @pytest.mark.parametrize("option", ["--max-runs", "--max-upload-mb"])
    def test_refuses_a_limit_that_is_none(
        self, option: str, text: str, server: Server, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit):
            cli.main(["app", f"{option}={text}"])
        assert f"argument {option}: '{text}' is not a limit." in capsys.readouterr().err
        assert server.commands == []

    def test_refuses_more_runs_than_the_limit(
        self, server: Server, capsys: pytest.CaptureFixture[str]
    ) -> None:
        options = ["--qrels", "qrels.txt", "--run", "bm25.run", "dense.json", "--max-runs", "1"]
        assert refusal(capsys, "app", *options) == (
            "retrievers: --run: 2 runs, and the app holds at most 1. "
            "Name fewer, or raise --max-runs.\n"
        )
        assert server.commands == []

    def test_passes_files_by_their_full_path(self, server: Server, files: Path) -> None:
        cli.main(
            ["app", "--qrels", "qrels.txt", "--run", "a=bm25.run", "dense.json", "--scale", "0..3"]
        )
        folder = files.resolve()
        assert server.commands[0][5:] == [
            "--",
            "--qrels",
            str(folder / "qrels.txt"),
            "--run",
            f"a={folder / 'bm25.run'}",
            "--run",
            str(folder / "dense.json"),
            "--scale",
            "0..3",
        ]

    def test_passes_texts_by_their_full_path(self, server: Server, files: Path) -> None:
        (files / "queries.jsonl").write_text("")
        (files / "corpus.tsv").write_text("")
        told = ["--documents", "corpus.tsv", "--queries", "queries.jsonl"]
        cli.main(["app", "--qrels", "qrels.txt", "--run", "bm25.run", *told])
        folder = files.resolve()
        assert server.commands[0][-4:] == [
            *("--queries", str(folder / "queries.jsonl")),
            *("--documents", str(folder / "corpus.tsv")),
        ]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            *(
                pytest.param(
                    ["--qrels", "qrels.txt", "--run", "bm25.run", option, "nope.jsonl"],
                    "nope.jsonl: there is no such file. Check its path.",
                    id=f"no-such-{option}",
                )
                for option in ("--queries", "--documents")
            ),
            pytest.param(
                ["--queries", "qrels.txt"],
                "--queries: the sample runs have texts of their own. Give --qrels and --run, too.",
                id="texts-alone",
            ),
            pytest.param(
                ["--qrels", "qrels.txt"],
                "Give --qrels and --run together, or neither for the sample runs.",
                id="judgments-alone",
            ),
            pytest.param(
                ["--run", "bm25.run"],
                "Give --qrels and --run together, or neither for the sample runs.",
                id="runs-alone",
            ),
            pytest.param(
                ["--qrels", "nope.txt", "--run", "bm25.run"],
                "nope.txt: there is no such file. Check its path.",
                id="no-such-judgments",
            ),
            pytest.param(
                ["--qrels", "qrels.txt", "--run", "bm25.run", "a=nope.run"],
                "nope.run: there is no such file. Check its path.",
                id="no-such-run",
            ),
        ],
    )
    def test_is_not_started_on_files_that_are_not_there(
        self,
        options: list[str],
        message: str,
        server: Server,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        assert refusal(capsys, "app", *options) == f"retrievers: {message}\n"
        assert server.commands == []


# The installed script


def script(*options: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    found = shutil.which("retrievers", path=Path(sys.executable).parent)
    assert found, "the project is installed beside the Python that runs the tests"
    return subprocess.run(
        [found, *options], cwd=cwd, capture_output=True, encoding="utf-8", check=False
    )


def test_installed_script_scores(files: Path) -> None:
    done = script(*arguments(), *CUT_AT_2, "--format", "json", cwd=files)
    warned = "retrievers: warning: dense.json: 1 judged query without results: 'q3'.\n"
    assert (done.returncode, done.stderr) == (0, warned)
    ndcg = json.loads(done.stdout)["systems"][0]["aggregate"]["ndcg"]
    assert ndcg == pytest.approx((NDCG_1 + 1 + 0) / 3, rel=0, abs=1e-12)


def test_installed_script_refuses_with_one_message(files: Path) -> None:
    done = script(*arguments("nope.run"), cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "retrievers: nope.run: the file cannot be opened (no such file or directory). "
        "Check its path.\n"
    )


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"{version('retriever-dashboard')}\n")
