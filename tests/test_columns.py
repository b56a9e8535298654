"""Names of columns: which column means what, and what is asked about."""

import pytest
from read_back import judgments_of, message, rows_of

from core.formats import read_judgments, read_run
from core.formats.column_names import JUDGMENTS, RUN, known_names
from core.formats.column_search import resolved
from core.formats.columns import Asked


def meanings(header: str, kind: str = RUN, **chosen: str) -> dict[str, str]:
    names = header.split(",")
    found = resolved(names, Asked(kind, chosen), "f.csv", line=1)
    return {role: names[at] for role, at in found.at.items()}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("qid,docno,score", ("qid", "docno", "score")),
        ("query_id,doc_id,sim", ("query_id", "doc_id", "sim")),
        ("query-id,corpus-id,score", ("query-id", "corpus-id", "score")),
        ("Query ID,Doc ID,Retrieval Score", ("Query ID", "Doc ID", "Retrieval Score")),
        ("queryId,docId,similarityScore", ("queryId", "docId", "similarityScore")),
        ("topic,document,similarity", ("topic", "document", "similarity")),
        ("question_id,chunk_id,similarity", ("question_id", "chunk_id", "similarity")),
        ("question,passage_id,_score", ("question", "passage_id", "_score")),
        ("q_id,doc_id,score", ("q_id", "doc_id", "score")),
        ("score,pid,qid", ("qid", "pid", "score")),
        # A name that says id goes before one that may be the text.
        ("query,query_id,document,doc_id,score", ("query_id", "doc_id", "score")),
        ("doc_id,document,question,qid,score", ("qid", "doc_id", "score")),
    ],
)
def test_columns_of_a_run(header: str, expected: tuple[str, str, str]) -> None:
    query, document, score = expected
    assert meanings(header) == {"query": query, "document": document, "score": score}


@pytest.mark.parametrize(
    ("header", "grade"),
    [
        ("qid,docid,rel", "rel"),
        ("qid,docid,relevance", "relevance"),
        ("qid,docid,label", "label"),
        ("qid,docid,Grade", "Grade"),
        ("qid,docid,judgment", "judgment"),
        ("qid,docid,rating", "rating"),
        ("qid,docid,score", "score"),
        ("qid,docid,score,label", "label"),
    ],
)
def test_column_of_the_grade(header: str, grade: str) -> None:
    assert meanings(header, JUDGMENTS) == {"query": "qid", "document": "docid", "grade": grade}


@pytest.mark.parametrize("name", ["run", "run_id", "system", "tag", "model", "Model-Name"])
def test_column_of_the_system(name: str) -> None:
    assert meanings(f"{name},qid,docid,score")["system"] == name
    assert "system" not in meanings(f"{name},qid,docid,score", system="")


@pytest.mark.parametrize("name", ["rank", "position", "rank_of_doc"])
def test_column_of_the_rank(name: str) -> None:
    assert meanings(f"qid,docid,{name}")["rank"] == name


def test_a_chosen_column_goes_before_any_name() -> None:
    assert meanings("qid,docid,score,bm25", score="bm25")["score"] == "bm25"
    assert meanings("qid,docid,docno,score", document="docno")["document"] == "docno"
    assert meanings("Q No.,d,s", query="q no", document="d", score="s") == {
        "query": "Q No.", "document": "d", "score": "s",
    }  # fmt: skip


def test_a_column_chosen_for_one_meaning_has_no_other() -> None:
    assert meanings("qid,chunk_id,docid,score", document="chunk_id")["document"] == "chunk_id"
    with_rank = meanings("qid,docid,score,rank", rank="score")
    assert with_rank == {"query": "qid", "document": "docid", "rank": "score"}


def test_a_column_whose_name_begins_with_a_minus_sign_is_taken_as_it_is() -> None:
    found = resolved(["qid", "docid", "-x"], Asked(RUN, {"score": "-x"}), "f.csv")
    assert not found.smaller_is_better
    assert resolved(["qid", "docid", "x"], Asked(RUN, {"score": "-x"}), "f.csv").smaller_is_better


def test_known_names_are_counted_by_meaning() -> None:
    assert known_names(["qid", "query_id", "docno", "text"], RUN) == 2
    assert known_names(["distance"], RUN) == 1
    assert known_names(["distance"], JUDGMENTS) == 0


BAD_RUN_HEADERS = [
    ("no-query", "id,docid,score",
     "f.csv, line 1: no column for the query among 'docid', 'id', 'score', "
     "expected one such as query_id, qid or topic. "
     "Name it so, or say which it is: --run-column query=COLUMN."),
    ("no-document", "qid,id,score",
     "f.csv, line 1: no column for the document among 'id', 'qid', 'score', "
     "expected one such as doc_id, docno or corpus-id. "
     "Name it so, or say which it is: --run-column document=COLUMN."),
    ("two-documents", "qid,doc_id,docno,score",
     "f.csv, line 1: the columns 'doc_id' and 'docno' may both be the document, expected one. "
     "Say which it is: --run-column document=doc_id, or --run-column document=docno."),
    ("two-queries", "qid,topic_id,docid,score",
     "f.csv, line 1: the columns 'qid' and 'topic_id' may both be the query, expected one. "
     "Say which it is: --run-column query=qid, or --run-column query=topic_id."),
    ("two-scores", "qid,docid,score,similarity",
     "f.csv, line 1: the columns 'score' and 'similarity' may both be the score, expected one. "
     "Say which it is: --run-column score=score, or --run-column score=similarity."),
    ("two-systems", "run,model,qid,docid,score",
     "f.csv, line 1: the columns 'run' and 'model' may both be the system, expected one. "
     "Say which it is: --run-column system=run, or --run-column system=model."),
    ("one-name-twice", "qid,docid,docid,score",
     "f.csv, line 1: two columns are named 'docid'. Rename one of them."),
    ("distance", "qid,docid,distance",
     "f.csv, line 1: the only value is 'distance', expected a score or a rank. "
     "If smaller is better, say so: --run-column score=-distance. "
     "If larger is better: --run-column score=distance."),
    ("neither-score-nor-rank", "qid,docid,text",
     "f.csv, line 1: no column for a score or a rank among 'docid', 'qid', 'text', "
     "expected one such as score, similarity or rank. "
     "Add one, or say which it is: --run-column score=COLUMN "
     "(score=-COLUMN where smaller is better)."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "expected"),
    [pytest.param(header, text, id=name) for name, header, text in BAD_RUN_HEADERS],
)
def test_header_of_a_run_that_is_asked_about(header: str, expected: str) -> None:
    row = ",".join("1" for _ in header.split(","))
    assert message(lambda: read_run(f"{header}\n{row}\n".encode(), source="f.csv")) == expected


def test_header_of_judgments_that_is_asked_about() -> None:
    data = b"query,docid,agent_1_rating,final_rating\nq,d,0,1\n"
    assert message(lambda: read_judgments(data, name="f.csv")) == (
        "f.csv, line 1: no column for a grade among 'agent_1_rating', 'docid', 'final_rating', "
        "'query', expected one such as relevance, grade or label. "
        "Name it so, or say which it is: --qrels-column grade=COLUMN."
    )
    found = read_judgments(data, name="f.csv", columns={"grade": "final_rating"})
    assert found.columns == {"grade": "final_rating"}
    assert judgments_of(found) == {"q": {"d": 1}}
    assert found.notices == (
        "f.csv: columns as named: grade=final_rating.",
        "f.csv: 1 column not used ('agent_1_rating').",
    )


def test_a_chosen_column_must_be_there() -> None:
    data = b"qid,docid,distance\nq,d,1\n"
    assert message(lambda: read_run(data, source="f.csv", columns={"score": "-dist2"})) == (
        "f.csv, line 1: no column 'dist2' among 'distance', 'docid', 'qid'. "
        "Correct --run-column score=-dist2."
    )
    found = read_run(data, source="f.csv", columns={"score": "-Distance"})
    assert found.columns == {"score": "-Distance"}
    assert rows_of(found) == {"q": [("d", -1.0, None)]}


def test_a_meaning_must_be_one() -> None:
    assert message(lambda: read_run(b"q", source="f.csv", columns={"grade": "x"})) == (
        "--run-column: 'grade' is not what a column can mean. "
        "Choose from query, document, score, rank, system, list."
    )
    assert message(lambda: read_judgments(b"q", name="f.csv", columns={"score": "x"})) == (
        "--qrels-column: 'score' is not what a column can mean. "
        "Choose from query, document, grade, list."
    )
