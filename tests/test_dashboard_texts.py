"""Texts of queries and documents: uploaded, named on the command line, replaced, removed, long."""

import csv
import io
import sys

import app_driver
import pytest
from app_driver import (
    ALPHA,
    ALPHA_NDCG,
    PAGES,
    QRELS,
    app,
    blocks,
    button,
    checked,
    file_rows,
    frame,
    go_to,
    headlines,
    notes,
    open_query,
    page_text,
    press,
    table,
    upload,
    with_own_files,
)
from parsed_html import text_of
from streamlit.testing.v1 import AppTest

from dashboard import loading
from dashboard.wording import say

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)

QUERIES = ("queries.tsv", b"q1\tfirst, of all\nq2\tsecond\nq9\tof nobody\n")
DOCUMENTS = (
    "corpus.jsonl",
    b'{"_id": "a", "title": "", "text": "what a says"}\n{"_id": "x", "text": "what x says"}\n'
    b'{"_id": "z", "text": "nobody returns it"}\n',
)
LONG = "a long question, " * 1200 + "the end"


def with_texts() -> AppTest:
    return upload(with_own_files(), queries=QUERIES, documents=DOCUMENTS)


# The load report


def test_texts_are_listed_with_what_they_cover():
    """The runs return a, b, c, d and x; three queries are judged."""
    rows = file_rows(with_texts())
    assert list(rows)[-2:] == ["queries.tsv", "corpus.jsonl"]
    assert rows["queries.tsv"][:3] == ["texts of queries", "TSV, id and text", "3"]
    assert rows["queries.tsv"][-1] == (
        "No header line; the columns are taken as id and text.2 of 3 judged queries have a text."
    )
    assert rows["corpus.jsonl"][:3] == ["texts of documents", "JSON lines", "3"]
    assert rows["corpus.jsonl"][-1] == "2 of 5 retrieved documents have a text."


def test_texts_of_the_samples_are_files_like_any_other():
    rows = file_rows(app("data"))
    assert rows["queries.jsonl"][:2] == ["texts of queries", "JSON lines"]
    assert "50 of 50 judged queries have a text." in rows["queries.jsonl"][-1]
    assert "126 of 126 retrieved documents have a text." in rows["documents.jsonl"][-1]


def test_texts_are_shown_and_change_no_number():
    at = with_texts()
    assert headlines(go_to(at, "overview"))["alpha"] == ALPHA_NDCG
    at.session_state["query"] = "q1"
    go_to(at, "queries")
    texts = frame(at, "every_system").set_index("query")["text"]
    assert texts.to_dict() == {"q1": "first, of all", "q2": "second", "q3": ""}
    assert "first, of all" in page_text(at)
    assert "what a says" in page_text(at)
    assert "nobody returns it" not in page_text(at)


def test_only_documents_that_a_page_may_show_are_kept():
    at = with_texts()
    at.session_state["query"] = "q3"
    go_to(at, "queries")
    assert "what x says" in page_text(at)
    go_to(at, "data")
    more = ALPHA.replace(b"q3 Q0 x", b"q3 Q0 z").replace(b"alpha", b"gamma")
    upload(at, runs={"gamma.run": more})
    assert file_rows(at)["corpus.jsonl"][-1] == "3 of 6 retrieved documents have a text."
    at.session_state["system"] = "gamma"
    assert "nobody returns it" in page_text(go_to(at, "queries"))


def test_texts_that_fit_nothing_are_said_to_cover_nothing():
    at = upload(with_own_files(), queries=("other.csv", b"id,text\nQ1,a\n"))
    assert file_rows(at)["other.csv"][-1] == "0 of 3 judged queries have a text."


def test_texts_come_before_runs_and_judgments():
    """Uploaded onto the samples they stay when the samples make way."""
    at = upload(app("data"), queries=QUERIES)
    rows = file_rows(at)
    assert "bm25.run" in rows
    assert "0 of 50 judged queries have a text." in rows["queries.tsv"][-1]
    upload(at, qrels=("my.qrels", QRELS), runs={"alpha.run": ALPHA})
    assert list(file_rows(at)) == ["my.qrels", "alpha.run", "queries.tsv"]
    assert "2 of 3 judged" in file_rows(at)["queries.tsv"][-1]


def test_texts_alone_wait_for_judgments_and_runs():
    at = upload(app("data"), runs={"alpha.run": ALPHA})
    upload(at, queries=QUERIES, documents=DOCUMENTS)
    assert "judged queries" not in file_rows(at)["queries.tsv"][-1]
    assert file_rows(at)["corpus.jsonl"][-1] == "2 of 4 retrieved documents have a text."


# Replaced, removed, refused


def test_other_texts_replace_the_old_ones():
    at = upload(with_texts(), queries=("new.csv", b"qid,query\nq1,another\n"))
    assert "queries.tsv" not in file_rows(at)
    assert "corpus.jsonl" in file_rows(at)
    assert "1 of 3" in file_rows(at)["new.csv"][-1]
    assert "another" in frame(go_to(at, "queries"), "every_system")["text"].tolist()


def test_texts_are_removed():
    at = press(with_texts(), say("data.texts.remove.queries"))
    assert "queries.tsv" not in file_rows(at)
    assert "corpus.jsonl" in file_rows(at)
    assert button(at, say("data.texts.remove.queries")).disabled
    press(at, say("data.texts.remove.documents"))
    assert "corpus.jsonl" not in file_rows(at)
    assert "what a says" not in page_text(go_to(at, "queries"))


def test_removed_texts_of_the_samples_come_back():
    back = say("data.back_to_samples")
    at = app("data")
    assert back not in [one.label for one in at.button]
    press(at, say("data.texts.remove.documents"))
    assert "documents.jsonl" not in file_rows(at)
    assert "documents.jsonl" in file_rows(press(at, back))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"q1\ta\nq1\tb\n", "line 2: query 'q1' has another text on line 1. Keep one of the two."),
        (b"\xff\xfe", "the file is UTF-16, not UTF-8 text. Save it as UTF-8 text."),
        (b"", "the file is empty. Is this the right file?"),
        (b"q1 Q0 a\n", "line 1: no header line that names the columns, found 'q1 Q0 a'."),
    ],
)
def test_a_bad_file_says_why_and_the_good_one_stays(content, reason):
    at = upload(with_texts(), queries=("bad.tsv", content))
    rows = file_rows(at)
    assert rows["bad.tsv"][0] == "not used"
    assert rows["bad.tsv"][-1].startswith("Not used. bad.tsv")
    assert reason in rows["bad.tsv"][-1]
    assert rows["bad.tsv"][-1].endswith("queries.tsv stays in use.")
    assert "2 of 3" in rows["queries.tsv"][-1]
    assert rows["alpha.run"][0] == "alpha"
    assert any(reason in note for note in notes(go_to(at, "overview")))


def test_a_bad_file_alone_is_removed():
    at = upload(with_own_files(), documents=("bad.csv", b"id\n1\n"))
    assert file_rows(at)["bad.csv"][0] == "not used"
    press(at, say("data.texts.remove.documents"))
    assert "bad.csv" not in file_rows(at)


def test_a_file_beyond_the_limit_is_not_added(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["app.py", "--max-upload-mb", "1"])
    at = upload(app("data"), documents=("large.tsv", b"1\t" + b"a" * (1 << 20)))
    assert notes(at) == [say("data.note.too_large", name="large.tsv", limit=1)]
    assert "documents.jsonl" in file_rows(at)


def test_a_new_name_of_a_run_reads_no_corpus_again(monkeypatch):
    at = with_texts()
    monkeypatch.setattr(loading, "read_texts", None)
    digest = at.session_state["files"].runs[0].digest
    checked(at.selectbox(key="change_run").set_value(digest).run())
    key = f"run_name_{digest}_{at.session_state['rename_turn']}"
    checked(at.text_input(key=key).set_value("another").run())
    assert "2 of 5" in file_rows(at)["corpus.jsonl"][-1]


# Long texts


def test_a_query_of_20_000_characters_is_cut_on_the_page_and_whole_in_the_data():
    assert len(LONG) > 20_000
    content = io.StringIO()
    csv.writer(content).writerows([["id", "text"], ["q1", LONG], ["a", LONG]])
    file = ("long.csv", content.getvalue().encode())
    at = upload(with_own_files(), queries=file, documents=file)
    at.session_state["query"] = "q1"
    go_to(at, "queries")
    assert frame(at, "every_system")["text"].str.len().max() < 300
    assert frame(at, "pair_list")["text"].str.len().max() < 300
    (title,) = (text_of(body) for body in blocks(at) if "query q1" in body and "<h2" in body)
    assert len(title) < 300
    (whole,) = (text_of(body) for body in blocks(at) if "rd-whole" in body)
    assert whole == say("query.whole") + LONG
    for row in table(at, "rank", "grade, document"):
        assert max(map(len, row)) < 300
    assert open_query(at)[0] == "q1"
    checked(at.text_input(key="find_choice").set_value("the end").run())
    assert frame(at, "pair_list")["query"].tolist() == ["q1"]


# The command line


@pytest.mark.parametrize("page", PAGES)
def test_texts_of_the_command_line(page, tmp_path, monkeypatch):
    for name, content in (("my.qrels", QRELS), ("a.run", ALPHA), QUERIES, DOCUMENTS):
        (tmp_path / name).write_bytes(content)
    arguments = ["--qrels", "my.qrels", "--run", "a.run"]
    arguments += ["--queries", "queries.tsv", "--documents", "corpus.jsonl"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    at = app(page)
    if page == "data":
        assert "2 of 3 judged" in file_rows(at)["queries.tsv"][-1]
        assert "2 of 4 retrieved" in file_rows(at)["corpus.jsonl"][-1]
    if page == "queries":
        assert "first, of all" in frame(at, "every_system")["text"].tolist()
