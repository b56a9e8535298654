"""Chunks collapsed to their documents: which one is kept, and what is said of it."""

import json
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import cli
from core.blocks import RunBlock
from core.chunks import ByMapping, DocumentOf, UpToSeparator, collapsed
from core.errors import RunError
from core.ids import Ids
from core.runs import Run

Results = dict[str, dict[str, float]]


def rankings(run: Run) -> dict[str, list[tuple[str, float | None, int | None]]]:
    found: dict[str, list[tuple[str, float | None, int | None]]] = {}
    for block in (one.loaded() for one in run.blocks):
        scores = [None] * len(block) if block.scores is None else block.scores.tolist()
        ranks = [None] * len(block) if block.ranks is None else block.ranks.tolist()
        rows = list(zip(block.documents, scores, ranks, strict=True))
        for at, query_id in enumerate(block.query_ids):
            found[query_id] = rows[block.starts[at] : block.starts[at + 1]]
    return found


def documents(ids: list[str], rule: DocumentOf) -> list[str]:
    return list(rule.documents(Ids.from_strings(ids)))


@pytest.mark.parametrize(
    ("separator", "chunk", "document"),
    [
        pytest.param("#", "a#1", "a", id="plain"),
        pytest.param("#", "a#b#1", "a#b", id="the-last-one-counts"),
        pytest.param("#", "abc", "abc", id="none"),
        pytest.param("#", "#1", "#1", id="nothing-before-it"),
        pytest.param("#", "##", "#", id="only-separators"),
        pytest.param("#", "a#", "a", id="nothing-after-it"),
        pytest.param("::", "a:1::2", "a:1", id="two-characters"),
        pytest.param("--", "a---b", "a-", id="overlapping-itself"),
        pytest.param("·", "é·1", "é", id="not-ASCII"),
        pytest.param("_chunk_", "doc_1_chunk_22", "doc_1", id="a-word"),
    ],
)
def test_the_document_is_the_id_up_to_the_last_separator(separator, chunk, document):
    assert documents(["x", chunk, "y"], UpToSeparator(separator)) == ["x", document, "y"]


@given(
    st.lists(st.text(alphabet="ab#-é", min_size=1, max_size=6)), st.sampled_from(["#", "-#", "##"])
)
def test_separators_are_found_as_text_finds_them(ids, separator):
    """Ids lie side by side in memory; none sees its neighbour's separator."""
    expected = [one[: one.rfind(separator)] if one.rfind(separator) > 0 else one for one in ids]
    assert documents(ids, UpToSeparator(separator)) == expected


def test_an_empty_separator_is_refused():
    with pytest.raises(RunError) as refused:
        UpToSeparator("")
    assert str(refused.value) == (
        "The separator of chunks is empty. Give one character or more, as in #."
    )


def test_a_mapping_names_documents_and_leaves_what_it_does_not_have():
    rule = ByMapping({"c1": "a", "c2": "a"}, "chunks.json")
    assert documents(["c1", "c2", "c3"], rule) == ["a", "a", "c3"]
    assert rule.rule == "by the mapping chunks.json"


def test_the_best_chunk_of_a_document_is_kept_in_its_place():
    run = Run.from_dict("rag", {"q": {"a#1": 0.2, "b#1": 0.5, "a#2": 0.9, "c": 0.1}, "p": {}})
    found = collapsed(run, UpToSeparator("#"))
    assert rankings(found) == {"q": [("b", 0.5, None), ("a", 0.9, None), ("c", 0.1, None)], "p": []}
    assert found.name == "rag"
    assert found.collapse == "id up to the last '#'"
    assert found.notices == (
        "rag: 4 results collapsed to 3 documents, id up to the last '#', the best-ranked chunk of "
        "each kept.",
        "rag: 1 result has an id that this rule does not cover, kept as is: 'c'.",
    )


@pytest.mark.parametrize(
    ("rule", "covered"),
    [
        pytest.param(UpToSeparator("#"), [True, False, False, True], id="separator"),
        pytest.param(ByMapping({"a#1": "a", "c": "c"}, "m"), [True, False, True, False], id="map"),
    ],
)
def test_ids_that_a_rule_covers(rule: DocumentOf, covered: list[bool]):
    assert rule.covers(Ids.from_strings(["a#1", "#1", "c", "d#"])).tolist() == covered


def test_ids_that_a_mapping_does_not_cover_are_counted_with_examples():
    run = Run.from_dict("rag", {"q": {f"d{at}": float(at) for at in range(9)}})
    *_, notice = collapsed(run, ByMapping({"d8": "a"}, "m.json")).notices
    assert notice == (
        "rag: 8 results have ids that this rule does not cover, kept as is: 'd0', 'd1', 'd2', "
        "'d3', 'd4' and 3 more."
    )


def test_of_equal_chunks_the_first_listed_is_kept():
    run = Run.from_dict("rag", {"q": {"a#1": 1.0, "b": 1.0, "a#2": 1.0}})
    (block,) = collapsed(run, UpToSeparator("#")).blocks
    assert list(block.loaded().documents) == ["a", "b"]


def test_without_scores_the_rank_decides_and_without_ranks_the_list():
    ids = Ids.from_strings(["a#1", "b#1", "a#2"])
    block = RunBlock(("q",), np.array([0, 3]), ids, None, np.array([3, 2, 1], dtype=np.int32))
    assert rankings(collapsed(Run("r", (block,), "r.txt"), UpToSeparator("#"))) == {
        "q": [("b", None, 2), ("a", None, 1)]
    }
    listed = Run.from_dict("r", {"q": ["a#2", "b#1", "a#1"]})
    assert rankings(collapsed(listed, UpToSeparator("#"))) == {
        "q": [("a", None, None), ("b", None, None)]
    }


@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.dictionaries(
            st.tuples(st.sampled_from("abc"), st.integers(0, 4)).map(lambda c: f"{c[0]}#{c[1]}"),
            st.integers(0, 3).map(float),
        ),
        min_size=1,
    )
)
def test_collapsing_keeps_the_highest_score_of_each_document(results: Results):
    found = collapsed(Run.from_dict("r", results), UpToSeparator("#"))
    for query_id, ranking in results.items():
        best: dict[str, float] = {}
        for chunk, value in ranking.items():
            document = chunk.split("#")[0]
            best[document] = max(value, best.get(document, value))
        kept = rankings(found)[query_id]
        assert {document: value for document, value, _ in kept} == best
        assert len(kept) == len(best)


# On the command line

QRELS = "q1 0 a 2\nq1 0 b 1\n"
CHUNKS = '{"q1": {"b#3": 0.9, "a#1": 0.8, "b#1": 0.7}}'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("qrels.txt", QRELS), ("rag.json", CHUNKS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


SCORE = ("score", "--qrels", "qrels.txt", "--run", "rag.json", "--format", "json")


def test_chunks_are_collapsed_on_the_command_line_and_recorded(folder, capsys):
    assert cli.main([*SCORE, "--collapse-chunks", "#"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["collapse"] == "id up to the last '#'"
    assert system["aggregate"]["ndcg"] == pytest.approx((1 + 2 / log2(3)) / (2 + 1 / log2(3)))
    assert cli.main([*SCORE, "--set", "unjudged=zero"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert (system["collapse"], system["aggregate"]["ndcg"]) == (None, 0)


def test_a_mapping_file_collapses_too(folder, capsys):
    (folder / "chunks.json").write_text('{"b#3": "b", "a#1": "a", "b#1": "b"}')
    assert cli.main([*SCORE, "--chunk-map", "chunks.json"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["collapse"] == "by the mapping chunks.json"
    assert system["notices"] == [
        "rag.json: 3 results collapsed to 2 documents, by the mapping chunks.json, the best-ranked "
        "chunk of each kept."
    ]


@pytest.mark.parametrize(
    "content", ["b#3\tb\na#1\ta\nb#1\tb\n", "chunk_id,doc_id\na#1,a\nb#3,b\nb#1,b\n"]
)
def test_a_mapping_of_two_columns_collapses_too(content, folder, capsys):
    (folder / "chunks.csv").write_text(content)
    assert cli.main([*SCORE, "--chunk-map", "chunks.csv"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["notices"] == [
        "rag.json: 3 results collapsed to 2 documents, by the mapping chunks.csv, the best-ranked "
        "chunk of each kept."
    ]


SHAPE = "Give {chunk: document} as JSON, or a chunk and its document a line with a tab between."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"b#3": 3}',
            "chunks.json, chunk 'b#3': 3 is not a document id. Write ids as text, in quotes: "
            '"007".',
        ),
        (
            '{"c": "a", "c": "b"}',
            "chunks.json, line 1: the key 'c' stands twice in one object. Keep one of the two.",
        ),
        ('["a"]', f"chunks.json: a JSON list, expected one object. {SHAPE}"),
        ("", "chunks.json: the file is empty. Is this the right file?"),
        ("a#1\n", f"chunks.json, line 1: 1 column, expected 2 (chunk document). {SHAPE}"),
        ("a#1\t\n", f"chunks.json, line 1: an empty id. {SHAPE}"),
        (
            "a#1\ta\n\na#1\tb\n",
            "chunks.json, line 3: chunk 'a#1' is of document 'b', and of 'a' further up. "
            "Keep one of the two.",
        ),
    ],
    ids=["number", "twice", "list", "empty", "one-column", "no-document", "two-documents"],
)
def test_a_bad_mapping_is_refused_in_words(content, message, folder, capsys):
    (folder / "chunks.json").write_text(content)
    assert cli.main([*SCORE, "--chunk-map", "chunks.json"]) == cli.BAD_INPUT
    assert capsys.readouterr().err == f"retrievers: {message}\n"


def test_the_app_is_told_of_the_separator(folder, monkeypatch):
    started: list[list[str]] = []

    def serve(command: list[str]) -> int:
        started.append(command)
        return 0

    monkeypatch.setattr(cli.serving, "serve", serve)
    cli.main(["app", "--qrels", "qrels.txt", "--run", "rag.json", "--collapse-chunks", "#"])
    (command,) = started
    assert command[command.index("--collapse-chunks") + 1] == "#"
