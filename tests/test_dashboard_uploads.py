"""Files of one's own: uploaded or named on the command line, good, bad, odd and corrected."""

import gzip
import json
import os
import sys
from pathlib import Path

import app_driver
import pytest
import streamlit as st
from app_driver import (
    ALPHA,
    ALPHA_NDCG,
    BETA,
    BETA_NDCG,
    PAGES,
    QRELS,
    SCORED_PAGES,
    app,
    checked,
    choose,
    core_headlines,
    file_rows,
    go_to,
    headlines,
    notes,
    page_text,
    press,
    upload,
    verdict,
    with_own_files,
)

from core.errors import EvaluationError
from core.formats import read_judgments
from core.presets import FIRST_RUN
from dashboard.wording import say

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)


# Uploads


def test_own_files_replace_the_samples_and_are_scored():
    at = with_own_files()
    assert {name: row[0] for name, row in file_rows(at).items()} == {
        "my.qrels": "judgments",
        "alpha.run": "alpha",
        "beta.run": "beta",
    }
    assert "Sample runs" not in page_text(at)
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}
    assert "alpha leads beta by 0.191 NDCG@10 (A − B +0.191, 95 % interval [" in verdict(at)
    assert "better on 2, tied on 1 and worse on 0 of 3 queries." in verdict(at)


def test_a_compressed_run_counts_as_it_would_unpacked():
    at = with_own_files({"alpha.run.gz": gzip.compress(ALPHA), "beta.run": BETA})
    assert file_rows(at)["alpha.run.gz"][0] == "alpha"
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}


def test_a_bad_file_keeps_its_row_with_the_reason_and_the_good_ones_are_scored():
    at = with_own_files({"alpha.run": ALPHA, "bad.run": b"q1 Q0 a 1 high bad\n"})
    reason = "bad.run, line 1: "
    assert file_rows(at)["bad.run"][0] == "not used"
    assert file_rows(at)["bad.run"][-1].startswith(f"Not used. {reason}")
    assert notes(at) == [], "said once"
    for page in SCORED_PAGES:
        go_to(at, page)
        assert any(note.startswith(f"Not used. {reason}") for note in notes(at))
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"PK\x03\x04",
        b"\x1f\x8b broken",
        b"{",
        b'{"q1": 1}',
        b"q1 Q0 a\n",
        b"\x00" * 9,
    ],
    ids=["empty", "UTF-16", "zip", "gzip", "JSON", "JSON values", "columns", "NUL"],
)
def test_whatever_a_run_holds_is_no_traceback(content):
    at = with_own_files({"alpha.run": ALPHA, "odd.run": content})
    assert file_rows(at)["odd.run"][0] == "not used"
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG}


def test_bad_judgments_are_named_on_every_page():
    at = with_own_files(qrels=b"q1 0 a\n")
    assert file_rows(at)["my.qrels"][0] == "not used"
    for page in SCORED_PAGES:
        assert any(
            note.startswith("Not used. my.qrels, line 1: 3 columns")
            for note in notes(go_to(at, page))
        )


@pytest.mark.parametrize("page", PAGES)
def test_judgments_that_share_no_query_with_a_run(page):
    """The page of data has the reason beside the file, the others as a note."""
    at = go_to(with_own_files(qrels=b"other 0 a 1\n"), page)
    for name in ("alpha.run", "beta.run"):
        said = [file_rows(at)[name][-1]] if page == "data" else notes(at)
        start = f"Not used. {name}: no query in common with my.qrels"
        assert any(text.startswith(start) for text in said)
    if page != "data":
        assert notes(at)[-1] == say("no_usable_runs")


def test_judgments_alone_ask_for_runs():
    at = upload(app("data"), qrels=("my.qrels", QRELS))
    assert list(file_rows(at)) == ["my.qrels"]
    assert notes(go_to(at, "overview")) == [say("no_runs")]


def test_runs_alone_ask_for_judgments_and_wait_for_them():
    at = upload(app("data"), runs={"alpha.run": ALPHA, "bad.run": b"q1 Q0 a\n"})
    assert file_rows(at)["alpha.run"][-1].startswith(say("data.waiting"))
    assert file_rows(at)["bad.run"][0] == "not used"
    for page in SCORED_PAGES:
        assert notes(go_to(at, page))[-1] == say("no_judgments")
    go_to(at, "data")
    upload(at, qrels=("my.qrels", QRELS))
    assert say("data.waiting") not in file_rows(at)["alpha.run"][-1]
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG}


def test_more_runs_join_those_that_are_there():
    at = with_own_files({"alpha.run": ALPHA})
    upload(at, runs={"beta.run": BETA})
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}


def test_other_judgments_replace_the_old_ones():
    at = with_own_files()
    upload(at, qrels=("my.qrels", QRELS.replace(b"q3 0 e 1", b"q3 0 x 1")))
    assert headlines(go_to(at, "overview")) == {"alpha": "1.000", "beta": BETA_NDCG}


def test_bad_judgments_leave_the_good_ones_in_use():
    at = with_own_files()
    upload(at, qrels=("bad.qrels", b"q1 0 a\n"))
    rows = file_rows(at)
    assert rows["my.qrels"][0] == "judgments"
    assert rows["bad.qrels"][0] == "not used"
    assert rows["bad.qrels"][-1].startswith("Not used. bad.qrels, line 1: 3 columns")
    go_to(at, "overview")
    assert headlines(at) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}
    assert notes(at)[0].startswith("Not used. bad.qrels, line 1: 3 columns")
    go_to(at, "data")
    upload(at, qrels=("good.qrels", QRELS.replace(b"q3 0 e 1", b"q3 0 x 1")))
    assert "my.qrels" not in file_rows(at)
    assert "bad.qrels" not in file_rows(at)
    assert headlines(go_to(at, "overview")) == {"alpha": "1.000", "beta": BETA_NDCG}


def test_a_corrected_run_under_the_same_name_gets_a_number_of_its_own():
    """What is kept in memory is kept by content."""
    at = with_own_files({"alpha.run": ALPHA})
    corrected = ALPHA.replace(b"q3 Q0 x", b"q3 Q0 e")
    upload(at, runs={"alpha.run": corrected})
    assert sorted(headlines(go_to(at, "overview")).values()) == [ALPHA_NDCG, "1.000"]


def test_one_changed_line_among_very_many_changes_the_number():
    """A cache that hashes a sample of a large file would miss it, and keep the old number."""
    documents = [f"x{number}" for number in range(60_000)]
    expected, at = {}, None
    for number, rank in enumerate((1, 2, 3, 4)):
        ranked = [*documents[: rank - 1], "a", *documents[rank:]]
        content = json.dumps({"q1": ranked}).encode()
        runs = {f"{number}.json": content}
        at = upload(go_to(at, "data"), runs=runs) if at else with_own_files(runs, b"q1 0 a 1\n")
        expected[str(number)] = ("1.000", "0.631", "0.500", "0.431")[number]
        assert headlines(go_to(at, "overview")) == expected


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b'{"q1": ["\\ud800"]}', "odd.json"),
        (b'{"\\udfff": ["a"]}', "odd.json"),
        (b"q1 Q0 \xed\xa0\x80 1 1 odd\n", "odd.run"),
        (b"q1 Q0 a 1 1 \xed\xb0\x80\n", "odd.run"),
    ],
    ids=["escaped document", "escaped query", "bytes of a document", "bytes of a tag"],
)
def test_half_a_character_is_refused_by_name_and_crashes_nothing(content, named):
    """No surface can show a lone surrogate."""
    at = with_own_files({"alpha.run": ALPHA, named: content})
    assert file_rows(at)[named][0] == "not used"
    assert file_rows(at)[named][-1].startswith(f"Not used. {named}")
    for page in SCORED_PAGES:
        assert any(note.startswith(f"Not used. {named}") for note in notes(go_to(at, page)))
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG}


def test_half_a_character_in_judgments_is_refused_by_name():
    at = with_own_files(qrels=b'{"q1": {"\\ud83d": 1}}')
    assert file_rows(at)["my.qrels"][0] == "not used"
    assert notes(go_to(at, "overview"))[0].startswith("Not used. my.qrels")


def test_two_copies_of_a_file_count_the_same_in_one_upload_and_in_two():
    at = with_own_files({"alpha.run": ALPHA})
    upload(at, runs={"copy.run": ALPHA})
    together = with_own_files({"alpha.run": ALPHA, "copy.run": ALPHA})
    assert len(file_rows(together)) == 2
    assert notes(together) == notes(at) != []
    assert headlines(go_to(together, "overview")) == headlines(go_to(at, "overview"))


def test_the_same_judgments_under_another_name_go_by_the_new_name():
    at = with_own_files()
    upload(at, qrels=("renamed.qrels", QRELS))
    assert next(iter(file_rows(at))) == "renamed.qrels"


def test_the_same_bad_judgments_under_another_name_are_reported_by_the_new_name():
    at = with_own_files(qrels=b"nonsense\n")
    upload(at, qrels=("renamed.qrels", b"nonsense\n"))
    assert file_rows(at)["renamed.qrels"][-1].startswith("Not used. renamed.qrels, line 1:")


def test_runs_with_one_tag_go_by_their_file_names():
    at = with_own_files({"one.run": ALPHA, "two.run": BETA.replace(b"beta", b"alpha")})
    assert headlines(go_to(at, "overview")) == {"one": ALPHA_NDCG, "two": BETA_NDCG}


def test_back_to_the_samples():
    at = with_own_files()
    press(at, "Back to the sample runs")
    assert next(iter(file_rows(at))) == "qrels.tsv"
    assert headlines(go_to(at, "overview")) == core_headlines(FIRST_RUN)


def test_a_declared_scale_is_kept_and_refuses_other_grades():
    at = with_own_files()
    assert "rades 0 to 3, as observed." in file_rows(at)["my.qrels"][-1]
    checked(at.text_input(key="scale_uploaded").set_value("0..3").run())
    assert "as observed" not in file_rows(at)["my.qrels"][-1]
    checked(at.text_input(key="scale_uploaded").set_value("0..2").run())
    with pytest.raises(EvaluationError, match=r"outside the declared scale 0\.\.2") as refused:
        read_judgments(QRELS, name="my.qrels", scale=(0, 2))
    assert file_rows(at)["my.qrels"][-1] == f"Not used. {refused.value}"
    checked(at.text_input(key="scale_uploaded").set_value("").run())
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}


@pytest.mark.parametrize("text", ["3", "3..0", "a..b", "0...3", "9" * 5000 + "..1"])
def test_a_scale_that_is_none_gets_a_note(text):
    at = with_own_files()
    checked(at.text_input(key="scale_uploaded").set_value(text).run())
    assert notes(at)[-1].startswith(f"'{text[:600]}")
    assert f"{text[-600:]}' is not a scale of grades." in notes(at)[-1]
    assert "my.qrels" in file_rows(at)


def test_systems_stay_comparable_after_many_other_judgments():
    """What is kept in memory is limited; judgments that were read again are still the same ones."""
    st.cache_resource.clear()
    at = with_own_files({"alpha.run": ALPHA})
    for highest in range(3, 20):
        checked(at.text_input(key="scale_uploaded").set_value(f"0..{highest}").run())
    checked(at.text_input(key="scale_uploaded").set_value("").run())
    upload(at, runs={"beta.run": BETA})
    assert headlines(go_to(at, "overview")) == {"alpha": ALPHA_NDCG, "beta": BETA_NDCG}


def test_no_query_is_left():
    at = with_own_files(qrels=b"q1 0 a 0\nq2 0 c 0\n")
    go_to(at, "overview")
    choose(at, "zero_idcg", "leave_out")
    assert headlines(at) == {"alpha": "no value", "beta": "no value"}
    assert "first" not in verdict(at), "nobody is first where nobody has a value"
    for page in PAGES:
        go_to(at, page)
    assert "no value (left out: IDCG 0)" in page_text(go_to(at, "queries"))


# The command line


def test_files_of_the_command_line_come_first(tmp_path, monkeypatch):
    (tmp_path / "my.qrels").write_bytes(QRELS)
    (tmp_path / "a=b.run").write_bytes(ALPHA)
    (tmp_path / "beta.run").write_bytes(BETA)
    arguments = ["--qrels", "my.qrels", "--run", "a=b.run", "second=beta.run", "--scale", "0..3"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    at = app()
    assert headlines(at) == {"alpha": ALPHA_NDCG, "second": BETA_NDCG}
    assert "as observed" not in file_rows(go_to(at, "data"))["my.qrels"][-1]


def test_formats_and_columns_of_the_command_line_are_obeyed(tmp_path, monkeypatch):
    (tmp_path / "my.qrels").write_bytes(b"1 10 2\n1 11 1\n")
    (tmp_path / "far.csv").write_bytes(b"qid,docid,distance\n1,11,0.9\n1,10,0.1\n")
    arguments = ["--qrels", "my.qrels", "--run", "far.csv", "--qrels-format", "qrels3"]
    arguments += ["--run-column", "score=-distance"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    at = app()
    assert headlines(at) == {"far": "1.000"}
    notes_of = file_rows(go_to(at, "data"))["far.csv"][-1]
    assert "Columns as named: score=-distance." in notes_of


def test_one_file_under_two_names_of_the_command_line_is_not_dropped_without_a_word(
    tmp_path, monkeypatch
):
    (tmp_path / "my.qrels").write_bytes(QRELS)
    (tmp_path / "alpha.run").write_bytes(ALPHA)
    arguments = ["--qrels", "my.qrels", "--run", "one=alpha.run", "two=alpha.run"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    at = app()
    assert headlines(at) == {"one": ALPHA_NDCG}
    assert "two is not added: it holds the same bytes as one." in notes(at)


def test_files_of_the_command_line_that_are_gone_are_named(tmp_path, monkeypatch):
    arguments = ["--qrels", str(tmp_path / "my.qrels"), "--run", str(tmp_path / "a.run")]
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    at = app()
    assert len([note for note in notes(at) if "the file cannot be opened" in note]) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are always text")
@pytest.mark.parametrize("page", PAGES)
def test_a_file_name_that_is_not_text_is_no_traceback(page, tmp_path, monkeypatch):
    (tmp_path / "my.qrels").write_bytes(QRELS)
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.run"))
    odd.write_bytes(ALPHA)
    arguments = ["--qrels", str(tmp_path / "my.qrels"), "--run", str(odd)]
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    app(page)


def test_of_one_system_nothing_is_said_of_an_order():
    at = go_to(with_own_files({"alpha.run": ALPHA}), "overview")
    assert verdict(at) == f"Provisional: alpha has {ALPHA_NDCG} NDCG@10."
