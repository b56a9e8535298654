"""The page of data as Streamlit runs it, and what uploads do to the files of a session."""

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from nasty_names import NASTY
from parsed_html import rows_of, text_of
from streamlit.testing.v1 import AppTest

from core.id_hints import visible
from core.judgment_findings import Bar
from dashboard import charts, file_tables, files, folders, reports
from dashboard.files import Files, Limits, StoredFile
from dashboard.folders import Folder
from dashboard.pairing import Pair
from dashboard.wording import say

APP = Path(files.__file__).parent / "app.py"
QRELS = b"q1 0 a 3\nq1 0 b 1\nq2 0 c 2\nq2 0 d 0\nq3 0 e 1\n"
ALPHA = b"q1 Q0 a 1 3 alpha\nq1 Q0 b 2 2 alpha\nq2 Q0 c 1 2 alpha\nq3 Q0 x 1 1 alpha\n"
BETA = b"q1 Q0 b 1 3 beta\nq1 Q0 a 2 2 beta\nq2 Q0 d 1 2 beta\nq2 Q0 c 2 1 beta\n"


@pytest.fixture(autouse=True)
def command_line(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The app reads these arguments, not those of pytest; no installed component is looked for."""
    arguments = ["app.py"]
    monkeypatch.setattr(sys, "argv", arguments)
    scan = "streamlit.components.v2.manifest_scanner.scan_component_manifests"
    monkeypatch.setattr(scan, list, raising=False)
    return arguments


def checked(at: AppTest) -> AppTest:
    assert [error.value for error in at.exception] == []
    return at


def data_page() -> AppTest:
    at = AppTest.from_file(APP, default_timeout=30)
    return checked(at.switch_page("views/data.py").run())


def upload(at: AppTest, box: str, *uploads: tuple[str, bytes]) -> AppTest:
    """Put files into one of the boxes "qrels", "runs" and "folder"."""
    turn = at.session_state["upload_turn"]
    given = [(name, content, "text/plain") for name, content in uploads]
    at.file_uploader(key=f"upload_{box}_{turn}").set_value(given[0] if box == "qrels" else given)
    return checked(at.run())


def with_own_files(*runs: tuple[str, bytes], qrels: bytes = QRELS) -> AppTest:
    at = upload(data_page(), "qrels", ("my.qrels", qrels))
    return upload(at, "runs", *(runs or (("alpha.run", ALPHA), ("beta.run", BETA))))


def html(at: AppTest) -> list[str]:
    found = [element.proto.body for element in at.get("html")]
    return [body for body in found if not body.startswith("<style")]


def rows(at: AppTest) -> list[list[str]]:
    """Rows of the load report without its head."""
    tables = [rows_of(body) for body in html(at)]
    return next(table for table in tables if table and table[0][-1] == say("data.notes"))[1:]


def row(at: AppTest, file: str) -> dict[str, str]:
    """One row of the load report, by what its columns mean."""
    columns = "file", "used_as", "format", "lines", "queries", "documents", "judged", "pool"
    (cells,) = (cells for cells in rows(at) if cells[0] == file)
    return dict(zip((*columns, "notes"), cells, strict=True))


def used_as(at: AppTest) -> dict[str, str]:
    return {cells[0]: cells[1] for cells in rows(at)}


def notes(at: AppTest) -> list[str]:
    return [text_of(body) for body in html(at) if 'role="note"' in body]


def digest(at: AppTest, name: str) -> str:
    return next(one.digest for one in at.session_state["files"].runs if one.name == name)


def choose(at: AppTest, name: str) -> AppTest:
    return checked(at.selectbox(key="change_run").set_value(digest(at, name)).run())


def press(at: AppTest, key: str) -> AppTest:
    return checked(at.button(key=key).click().run())


def rename(at: AppTest, file: str, name: str) -> AppTest:
    choose(at, file)
    key = f"run_name_{digest(at, file)}_{at.session_state['rename_turn']}"
    return checked(at.text_input(key=key).set_value(name).run())


# The load report


def test_the_sample_files_are_listed() -> None:
    at = data_page()
    columns = "used_as", "format", "lines", "queries", "documents"
    assert [row(at, "bm25.run")[column] for column in columns] == [
        "bm25",
        "TREC run, 6 columns",
        "827",
        "48",
        "125",
    ]
    assert row(at, "qrels.tsv")["format"] == "BEIR TSV with header"
    assert row(at, "bm25-stems.json")["format"] == "JSON {query: {document: score}}"
    assert len(rows(at)) == 13
    assert len(at.get("vega_lite_chart")) == 2


def test_shares_of_a_run() -> None:
    """Alpha returned a, b, c, x: three of four judged, and three of the five judged documents."""
    at = with_own_files()
    assert row(at, "alpha.run")["judged"] == "75 %"
    assert row(at, "alpha.run")["pool"] == "60 %"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(
            b"q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t\n",
            "Scores rise with the rank: this looks like a distance.",
            id="distance",
        ),
        pytest.param(
            b"q1 Q0 a 1 1 t\nq1 Q0 b 2 1 t\n", "All scores of a query are equal", id="all-equal"
        ),
        pytest.param(
            b"q1 Q0 a 1 9 t\nq1 Q0 b 2 7 t\nq1 Q0 c 3 8 t\n",
            "Rank column against score: 1 of 2 neighbours rises, in query “q1” from “b” to “c”.",
            id="rank-against-score",
        ),
        pytest.param(
            b"q1 Q0 a 1 9 t\nq1 Q0 a 2 7 t\n",
            "1 result repeats a document of the same query, first 'a' in query 'q1'; the rule for "
            "repeated documents decides (--set duplicates=keep_first or duplicates=refuse).",
            id="repeated",
        ),
        pytest.param(
            b"q1 Q0 a 1 9 t\nq1 Q0 b 2 9 t\nq1 Q0 c 3 8 t\n",
            "50 % of neighbours tied, 1 pair: query “q1”, “a” and “b”.",
            id="ties",
        ),
        pytest.param(b"q1 Q0 a 0 9 t\nq1 Q0 b 1 8 t\n", "Ranks start at 0.", id="from-0"),
        pytest.param(b"q1 Q0 a 1 9 t\nq1 Q0 b 3 8 t\n", "1 gap in the ranks.", id="gap"),
        pytest.param(
            b"q1 Q0 A 1 9 t\nQ2 Q0 c 1 8 t\n",
            "1 query id matches one of the judgments but for letter case (“Q2” here, “q2” in the "
            "judgments).1 document id matches a judged one but for letter case (“A” here, “a” in "
            "the judgments), and counts as unjudged.",
            id="near-matches",
        ),
        pytest.param(
            b"q1 Q0 A 1 9 t\nq1 Q0 b 2 8 t\nq1 Q0 7 3 7 t\n",
            "2 document ids match judged ones but for letter case (1: “A” here, “a” in the "
            "judgments), zeros or exponent of a number (1: “7” here, “007” in the judgments), and "
            "count as unjudged.",
            id="near-matches-of-two-kinds",
        ),
        pytest.param(
            b"q1 Q0 a-2 1 9 t\nq1 Q0 x 2 8 t\n",
            "matches a judged one but for a suffix (“a-2” here, “a” in the judgments)",
            id="suffix",
        ),
        pytest.param(
            b"q1 Q0 9 1 9 t\n",
            "(“9” here, “9-1” and 1 more in the judgments)",
            id="several-may-be-meant",
        ),
        pytest.param(
            b"Q1 Q0 a 1 9 t\n",
            "Check that both files use the same query ids. "
            "1 query id matches my.qrels but for letter case ('Q1' here, 'q1' there).",
            id="no-query-in-common",
        ),
    ],
)
def test_what_is_odd_in_a_run_is_said(content: bytes, said: str) -> None:
    qrels = QRELS + b"q1 0 007 1\nq1 0 9-1 0\nq1 0 9-2 0\n"
    assert said in row(with_own_files(("odd.run", content), qrels=qrels), "odd.run")["notes"]


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        (b"q1 0 a 1\nq2 0 b 0\n", "1 query without a relevant document: zero-IDCG."),
        (b"q1 0 a 1\nq1 0 b -2\n", "1 negative grade: the rule"),
        (b"q1 0 a 1\nq1 0 b 11\n", "1 grade above 10"),
        (b"q1 0 a 1\nq1 0 b 1\n", "Every judgment gives grade 1."),
        (b"q1 0 a 1\nq1 0 b 0\n", "Grades 0 to 1, as observed. Judgments by grade: 1 of grade 0,"),
        (
            QRELS,
            "1 judged document (20 %) was returned by no run; relevant: 1.",
        ),
    ],
)
def test_what_is_odd_in_judgments_is_said(qrels: bytes, said: str) -> None:
    assert said in row(with_own_files(qrels=qrels), "my.qrels")["notes"]


def test_what_needs_a_look_stands_before_what_is_as_usual() -> None:
    at = with_own_files(("odd.run", b"q1 Q0 a 1 9 t\nq1 Q0 b 3 8 t\n"))
    (table,) = (body for body in html(at) if "odd.run" in body and "<table" in body)
    usual = '<div class="rd-mute">Scores fall with the rank. No ties.</div>'
    assert f"<div>1 gap in the ranks.</div>{usual}" in table


# Charts


def spec(chart: Any) -> dict[str, Any]:
    found: dict[str, Any] = chart.to_dict()
    return found


def test_relevant_bars_name_and_colour_the_bar_of_none() -> None:
    frame = file_tables.relevant_frame([Bar(0, 0, 6), Bar(1, 2, 3), Bar(3, 4, 0)])
    assert frame.to_dict("list") == {
        "documents": ["0", "1–2", "3–4"],
        "queries": [6, 3, 0],
        "role": ["flip", "other", "other"],
        "name": ["zero-IDCG", "", ""],
    }
    chart = charts.relevant_bars("relevant documents", "queries")
    bars, names = chart["layer"]
    assert (bars["mark"]["type"], names["mark"]["type"]) == ("bar", "text")
    for layer in (bars, names):
        encoding = layer["encoding"]
        assert (encoding["x"]["field"], encoding["x"]["title"]) == (
            "documents",
            "relevant documents",
        )
        assert encoding["x"]["sort"] is None, "in the order of the numbers, not of their digits"
        assert (encoding["y"]["field"], encoding["y"]["title"]) == ("queries", "queries")
        assert encoding["color"]["field"] == "role"
        assert encoding["color"]["scale"]["domain"] == charts.ROLES


def test_coverage_colours_the_compared_pair_and_names_lines_at_their_ends() -> None:
    shares: dict[str, list[float | None]] = {
        "a": [1.0, 0.5],
        "b": [None, 0.5],
        "c": [None, None],
        "d": [0.25, None],
    }
    frame = file_tables.coverage_frame([1, 2], shares, Pair("b", "d"))
    assert frame[["k", "system", "share", "role"]].to_numpy().tolist() == [
        [1, "a", 1.0, "other"],
        [2, "a", 0.5, "other"],
        [2, "b", 0.5, "first"],
        [1, "d", 0.25, "second"],
    ]
    assert frame["label_at"].isna().tolist() == [True, False, False, False]


def test_coverage_of_nothing() -> None:
    assert not len(file_tables.coverage_frame([1], {"a": [None]}, Pair("a", None)))


# Uploads


def test_uploads_take_the_place_of_the_samples_and_of_earlier_judgments() -> None:
    at = with_own_files()
    assert used_as(at) == {"my.qrels": "judgments", "alpha.run": "alpha", "beta.run": "beta"}
    upload(at, "qrels", ("new.qrels", QRELS.replace(b"q3 0 e 1", b"q3 0 x 1")))
    assert "my.qrels" not in used_as(at)
    assert row(at, "alpha.run")["judged"] == "100 %"
    assert say("data.upload.warning") in [text_of(body) for body in html(at)]


def test_a_bad_file_keeps_its_place_and_says_why() -> None:
    at = with_own_files(("alpha.run", ALPHA), ("bad.run", b"q1 Q0 a\n"), ("beta.run", BETA))
    assert list(used_as(at)) == ["my.qrels", "alpha.run", "bad.run", "beta.run"]
    assert row(at, "bad.run")["used_as"] == "not used"
    assert row(at, "bad.run")["notes"].startswith("Not used. bad.run, line 1: 3 columns")
    upload(at, "qrels", ("bad.qrels", b"nonsense\n"))
    assert list(used_as(at))[:2] == ["my.qrels", "bad.qrels"]
    assert row(at, "bad.qrels")["notes"].endswith("my.qrels stays in use.")


def test_a_compressed_file_is_read_whatever_it_is_called() -> None:
    at = with_own_files(("alpha.run.gz", gzip.compress(ALPHA)), ("beta", gzip.compress(BETA)))
    assert used_as(at) == {"my.qrels": "judgments", "alpha.run.gz": "alpha", "beta": "beta"}


def test_a_folder() -> None:
    """Its one file of judgments is known by its name, and a note says so; the rest are runs."""
    given = [("lab/qrels.txt", QRELS), ("lab/a/x.run", ALPHA), ("lab/readme.md", b"# Lab\n")]
    at = upload(data_page(), "folder", *given)
    assert used_as(at) == {
        "lab/qrels.txt": "judgments",
        "lab/a/x.run": "alpha",
        "lab/readme.md": "not used",
    }
    assert notes(at) == [say("data.note.folder.qrels", name="lab/qrels.txt")]


def test_a_folder_with_several_files_of_judgments_leaves_the_choice() -> None:
    qrels, other, run = (StoredFile(n, b"", n) for n in ("a.qrels", "QRELS-b", "qrels/r"))
    assert folders.from_folder([qrels, run]) == Folder(
        (qrels,), (run,), (say("data.note.folder.qrels", name="a.qrels"),)
    )
    both = folders.from_folder([qrels, other, run])
    assert (both.qrels, both.runs) == ((), (run,))
    assert both.notes == (say("data.note.folder_many.qrels", n=2, names="'QRELS-b', 'a.qrels'"),)
    assert folders.from_folder([run]) == Folder((), (run,))


def test_texts_in_a_folder() -> None:
    """They are known by their names and are no runs."""
    given = [
        ("beir/corpus.jsonl", b'{"_id": "a", "text": "what a says"}\n'),
        ("beir/queries.jsonl", b'{"_id": "q1", "text": "first"}\n'),
        ("beir/qrels.txt", QRELS),
        ("beir/alpha.run", ALPHA),
    ]
    at = upload(data_page(), "folder", *given)
    assert used_as(at) == {
        "beir/qrels.txt": "judgments",
        "beir/alpha.run": "alpha",
        "beir/queries.jsonl": "texts of queries",
        "beir/corpus.jsonl": "texts of documents",
    }
    assert notes(at) == [
        "beir/qrels.txt is taken as the judgments, because of its name: every number changes with "
        "them.",
        "beir/queries.jsonl is taken as the texts of queries, because of its name. It changes no "
        "number.",
        "beir/corpus.jsonl is taken as the texts of documents, because of its name. It changes no "
        "number.",
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a/Queries.JSONL.gz", "queries"),
        ("queries.tsv", "queries"),
        ("corpus.parquet", "documents"),
        ("documents.csv", "documents"),
        ("queries.run", None),
        ("documents.json", None),
        ("corpus", None),
        ("queries/dense.tsv", None),
        ("queries-of-bm25.tsv", None),
    ],
)
def test_names_of_texts_in_a_folder(name: str, kind: str | None) -> None:
    file = StoredFile(name, b"", name)
    found = folders.from_folder([file])
    assert (found.texts, found.runs) == (({kind: file}, ()) if kind else ({}, (file,)))


def test_a_folder_with_several_files_of_texts_leaves_the_choice() -> None:
    files = [StoredFile(n, b"", n) for n in ("a/corpus.jsonl", "a/documents.tsv", "a/queries.tsv")]
    found = folders.from_folder(files)
    assert (found.texts, found.runs, found.qrels) == ({"queries": files[2]}, (), ())
    assert found.notes == (
        say("data.note.folder.queries", name="a/queries.tsv"),
        "The folder holds 2 files that are named like texts of documents ('a/corpus.jsonl', "
        "'a/documents.tsv'). None of them is used: upload the right one by itself.",
    )


def test_the_same_bytes_are_loaded_once_and_a_note_says_so() -> None:
    at = with_own_files(("alpha.run", ALPHA), ("copy.run", ALPHA))
    assert notes(at) == ["copy.run is not added: it holds the same bytes as alpha.run."]
    assert "copy.run" not in used_as(at)
    rename(at, "alpha.run", "another")
    assert notes(at) == [], "of the last upload only"


def test_runs_beyond_the_limit_are_not_added(command_line: list[str]) -> None:
    command_line += ["--max-runs", "1"]
    at = with_own_files()
    assert notes(at) == [say("data.note.too_many", name="beta.run", limit=1)]
    assert list(used_as(at)) == ["my.qrels", "alpha.run"]


def test_a_file_beyond_the_limit_is_not_added(command_line: list[str]) -> None:
    """It does not take the samples away either."""
    command_line += ["--max-upload-mb", "1"]
    at = upload(data_page(), "runs", ("large.run", b"#" * (1 << 20) + b"#"))
    assert notes(at) == [say("data.note.too_large", name="large.run", limit=1)]
    assert at.session_state["files"].origin == "sample"
    upload(at, "runs", ("just.run", ALPHA + b"#" * ((1 << 20) - len(ALPHA))))
    assert notes(at) == []
    assert "just.run" in used_as(at)


def test_sessions_do_not_see_each_other() -> None:
    mine, theirs = with_own_files(), data_page()
    assert "alpha.run" in used_as(mine)
    assert "alpha.run" not in used_as(theirs)
    upload(theirs, "runs", ("beta.run", BETA))
    assert list(used_as(theirs)) == ["beta.run"]
    assert list(used_as(checked(mine.run()))) == ["my.qrels", "alpha.run", "beta.run"]


# Names, order, removal


def test_a_run_is_renamed_and_gets_its_own_name_back() -> None:
    at = rename(with_own_files(), "alpha.run", "  the first ")
    assert used_as(at)["alpha.run"] == "the first"
    assert used_as(rename(at, "alpha.run", " "))["alpha.run"] == "alpha"


def test_a_name_that_is_taken_is_refused_with_words() -> None:
    at = rename(with_own_files(), "alpha.run", "beta")
    assert notes(at) == [say("data.change.taken", name="beta")]
    assert used_as(at) == {"my.qrels": "judgments", "alpha.run": "alpha", "beta.run": "beta"}
    assert notes(checked(at.run())) == []
    rename(at, "alpha.run", "alpha")
    assert notes(at) == [], "its own name is no other run's"


def test_a_renamed_run_stays_the_one_that_is_compared() -> None:
    at = with_own_files()
    at.session_state["system"], at.session_state["baseline"] = "alpha", "beta"
    rename(at, "beta.run", "old")
    assert (at.session_state["system"], at.session_state["baseline"]) == ("alpha", "old")


def test_a_new_name_reads_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    at = with_own_files()
    read = reports.of_run.cache_info().misses
    monkeypatch.setattr("dashboard.loading.read_runs", None)
    monkeypatch.setattr("dashboard.loading.join", None)
    rename(at, "alpha.run", "another")
    assert used_as(at)["alpha.run"] == "another"
    assert reports.of_run.cache_info().misses == read


def test_runs_are_moved_up_and_down_as_far_as_the_ends() -> None:
    at = choose(with_own_files(), "beta.run")
    assert at.button(key="run_down").disabled
    press(at, "run_up")
    assert list(used_as(at)) == ["my.qrels", "beta.run", "alpha.run"]
    assert at.button(key="run_up").disabled
    press(at, "run_down")
    assert list(used_as(at)) == ["my.qrels", "alpha.run", "beta.run"]


def test_a_run_is_removed_and_then_none_is_chosen() -> None:
    at = press(choose(with_own_files(), "alpha.run"), "run_remove")
    assert list(used_as(at)) == ["my.qrels", "beta.run"]
    assert at.selectbox(key="change_run").value is None
    assert at.button(key="run_remove").disabled


@pytest.mark.parametrize(("removed", "left"), [(0, "100 %"), (1, "75 %")])
def test_of_two_runs_with_one_file_name_the_chosen_one_is_removed(removed: int, left: str) -> None:
    at = with_own_files(("alpha.run", ALPHA))
    upload(at, "runs", ("alpha.run", ALPHA.replace(b"q3 Q0 x", b"q3 Q0 e")))
    chosen = at.session_state["files"].runs[removed].digest
    press(checked(at.selectbox(key="change_run").set_value(chosen).run()), "run_remove")
    assert row(at, "alpha.run")["judged"] == left


def test_a_file_that_is_not_used_can_be_removed() -> None:
    at = with_own_files(("alpha.run", ALPHA), ("bad.run", b"q1 Q0 a\n"))
    press(choose(at, "bad.run"), "run_remove")
    assert list(used_as(at)) == ["my.qrels", "alpha.run"]


def test_the_last_run_is_removed() -> None:
    at = with_own_files(("alpha.run", ALPHA))
    press(choose(at, "alpha.run"), "run_remove")
    assert list(used_as(at)) == ["my.qrels"]
    assert len(at.get("vega_lite_chart")) == 1


def stored(*names: str) -> Files:
    return Files("uploaded", (), tuple(StoredFile(name, b"", name) for name in names))


def order(of: Files) -> str:
    return "".join(file.name for file in of.runs)


@pytest.mark.parametrize(
    ("name", "by", "expected"),
    [
        ("a", 1, "bacd"),
        ("b", -1, "bacd"),
        ("a", -1, "abcd"),
        ("d", 1, "abcd"),
        ("a", 9, "bcda"),
        ("d", -9, "dabc"),
    ],
)
def test_moved(name: str, by: int, expected: str) -> None:
    of = stored("a", "b", "c", "d")
    assert order(files.moved(of, name, by)) == expected
    assert order(of) == "abcd", "what was given stays as it is"


def test_renamed() -> None:
    of = files.renamed(stored("a", "b"), "b", " new ")
    assert [file.called for file in of.runs] == ["a", "new"]
    assert files.renamed(of, "b", "  ").runs[1].run_name is None


@pytest.mark.parametrize(
    ("limit", "expected", "said"),
    [(3, "abc", []), (2, "ab", ["c"]), (1, "a", ["b", "c"])],
)
def test_limit_of_runs(limit: int, expected: str, said: list[str]) -> None:
    """What is there already stays."""
    runs = [StoredFile(name, b"", name) for name in "bc"]
    of = files.with_uploads(stored("a"), None, runs, limit=Limits(runs=limit))
    assert order(of) == expected
    assert list(of.notes) == [say("data.note.too_many", name=one, limit=limit) for one in said]


@pytest.mark.parametrize(("size", "allowed"), [(1 << 20, True), ((1 << 20) + 1, False)])
def test_limit_of_size(size: int, allowed: bool) -> None:
    assert Limits(upload_mb=1).allow(size) == allowed


def test_limits_of_the_command_line(command_line: list[str]) -> None:
    assert files.limits() == Limits(40, 512)
    command_line += ["--max-runs", "7", "--max-upload-mb", "9"]
    assert files.limits() == Limits(7, 9)


# Several systems in one file

BOTH = (
    b"system,qid,docid,score\nbm25,q1,a,2\nbm25,q2,c,1\ndense,q1,b,3\ndense,q2,d,1\nthird,q1,x,1\n"
)


def systems(at: AppTest) -> list[list[str]]:
    """File and name of each run in the load report."""
    return [cells[:2] for cells in rows(at)[1:]]


def test_every_system_of_a_file_is_a_run() -> None:
    at = with_own_files(("both.csv", BOTH), ("alpha.run", ALPHA))
    assert systems(at) == [
        ["both.csv", "bm25"],
        ["both.csv", "dense"],
        ["both.csv", "third"],
        ["alpha.run", "alpha"],
    ]
    assert "3 systems in one file, read as a run each." in rows(at)[1][-1]


def test_a_file_of_several_systems_is_renamed_and_removed_as_one() -> None:
    at = rename(with_own_files(("both.csv", BOTH), ("alpha.run", ALPHA)), "both.csv", "May")
    assert systems(at)[:2] == [["both.csv", "May bm25"], ["both.csv", "May dense"]]
    press(choose(at, "both.csv"), "run_remove")
    assert systems(at) == [["alpha.run", "alpha"]]


def test_several_systems_wait_for_judgments() -> None:
    at = upload(data_page(), "runs", ("both.csv", BOTH))
    assert [cells[:2] for cells in rows(at)] == [
        ["both.csv", "bm25"], ["both.csv", "dense"], ["both.csv", "third"],
    ]  # fmt: skip


def test_systems_that_share_no_query_are_refused_beside_those_that_do() -> None:
    at = with_own_files(("both.csv", BOTH.replace(b"third,q1", b"third,t1")))
    assert systems(at) == [
        ["both.csv", "bm25"],
        ["both.csv", "dense"],
        ["both.csv", say("data.not_used")],
    ]


def test_more_systems_than_the_limit_are_refused(command_line: list[str]) -> None:
    command_line += ["--max-runs", "2"]
    at = with_own_files(("both.csv", BOTH))
    assert systems(at) == [["both.csv", say("data.not_used")]]
    assert say("data.too_many_systems", n=3, limit="2") in rows(at)[1][-1]


# Read in another way


def test_a_run_is_read_in_another_way() -> None:
    far = b"qid,docid,distance\nq1,a,0.1\nq1,b,0.9\n"
    at = with_own_files(("far.csv", far), ("alpha.run", ALPHA))
    assert systems(at)[0] == ["far.csv", say("data.not_used")]
    choose(at, "far.csv")
    key = f"reading_run_columns_{digest(at, 'far.csv')}"
    checked(at.text_input(key=key).set_value("score=-distance").run())
    assert systems(at) == [["far.csv", "far"], ["alpha.run", "alpha"]]
    assert "Columns as named: score=-distance." in rows(at)[1][-1]
    checked(at.text_input(key=key).set_value("grade=x").run())
    assert notes(at)[-1].startswith("'grade' is not what a column can mean.")
    assert systems(at)[0] == ["far.csv", "far"], "what was said before stays"


@pytest.mark.parametrize("between", [" ", ", ", ","])
@pytest.mark.parametrize("before", ["", "--run-column "])
def test_a_remedy_may_be_pasted_as_it_is(before: str, between: str) -> None:
    at = with_own_files(("ranks.tsv", b"q1\ta\t1\t0.5\nq1\tb\t2\t0.25\n"))
    assert systems(at) == [["ranks.tsv", say("data.not_used")]]
    assert "--run-column query=1 document=2 rank=3 score=4" in rows(at)[1][-1]
    choose(at, "ranks.tsv")
    key = f"reading_run_columns_{digest(at, 'ranks.tsv')}"
    told = before + between.join(["query=1", "document=2", "rank=3", "score=4"])
    checked(at.text_input(key=key).set_value(told).run())
    assert systems(at) == [["ranks.tsv", "ranks"]]


def test_judgments_are_read_in_another_way() -> None:
    at = with_own_files(qrels=b"1 10 2\n1 11 0\n")
    assert rows(at)[0][:2] == ["my.qrels", say("data.not_used")]
    file = at.session_state["files"].qrels[-1]
    key = f"reading_judgments_format_{file.digest}"
    checked(at.selectbox(key=key).set_value("qrels3").run())
    assert rows(at)[0][:2] == ["my.qrels", "judgments"]


def test_the_samples_are_read_in_one_way() -> None:
    assert not [one for one in data_page().selectbox if one.key and "reading" in one.key]


# Names as text


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_nasty_names_come_out_as_text(name: str) -> None:
    """As a file, a run, a query and a document, with every finding that quotes an id."""
    run = {name: {name: 1.0, "b": 1.0}, f" {name}": {"x": 1.0}}
    other = f" {name} "
    at = with_own_files((name, json.dumps(run).encode()), qrels=b"")
    judged = {name: {other: 1, "b": 0}, other: {"x": 1}}
    upload(at, "qrels", (name, json.dumps(judged).encode()))
    rename(at, name, f"called {name}")
    assert [cells[:2] for cells in rows(at)] == [[name, "judgments"], [name, f"called {name}"]]
    tags = {tag for body in html(at) for tag in re.findall(r"<([a-z0-9]+)", body)}
    assert tags <= {
        *("b", "div", "h2", "i", "small", "span"),
        *("table", "tbody", "td", "th", "thead", "tr"),
    }
    (report,) = (body for body in html(at) if "<table" in body)
    assert f"“{visible(name)}” here, “{visible(other)}” in the judgments" in text_of(report)


def test_an_empty_run_and_empty_judgments_are_no_traceback() -> None:
    at = with_own_files(("e.json", b'{"q1": []}'), qrels=b'{"q1": {}}')
    assert row(at, "e.json")["judged"] == say("value.none")


def test_chunks_are_collapsed_where_the_reader_says_how() -> None:
    run = b"q1 Q0 a#1 1 3 rag\nq1 Q0 a#2 2 2 rag\nq2 Q0 c#7 1 2 rag\nq3 Q0 e#1 1 1 rag\n"
    at = with_own_files(("rag.run", run))
    choose(at, "rag.run")
    digest = next(file.digest for file in at.session_state["files"].runs if file.name == "rag.run")
    checked(at.text_input(key=f"reading_run_separator_{digest}").set_value("#").run())
    assert "4 results collapsed to 3 documents" in row(at, "rag.run")["notes"]
    assert row(at, "rag.run")["judged"] == "100 %"
    checked(at.text_input(key=f"reading_run_separator_{digest}").set_value("").run())
    assert row(at, "rag.run")["judged"] == "0 %"
