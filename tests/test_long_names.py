"""Messages stay readable, however long the ids, the names and the values that they quote."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from read_back import message

from core.errors import EvaluationError, FileError, JudgmentsError, RunError
from core.formats import read_judgments, read_runs
from core.formats.texts import read_texts
from core.judgments import Judgments
from core.runs import Run

LONG = "x" * 20_000
# Makes no difference to what a name means.
GAP = "_" * 20_000
LONGEST = 1_500

# Without the ending of the file, where it is of no matter.
TABLES = [
    ("trec-value", f"{LONG} Q0 {LONG} 1 {LONG} {LONG}\n", f"{LONG} 0 {LONG} {LONG}\n"),
    ("trec-columns", f"{LONG}\n", f"{LONG} {LONG}\n"),
    ("trec-short-line", f"{LONG} Q0 {LONG} 1 1 {LONG}\n{LONG}\n", f"{LONG} 0 d 1\n{LONG} {LONG}\n"),
    ("trec-conflict", f"{LONG}\n", f"{LONG} 0 {LONG} 1\n{LONG} 0 {LONG} 2\n"),
    ("three-columns", f"{LONG} {LONG} 1\n", f"{LONG} {LONG} {LONG}\n"),
    ("unknown-names", f"{LONG},{LONG}y,{LONG}z\n1,2,3\n", f"{LONG},{LONG}y\n1,2\n"),
    ("value", f"qid,docid,score\n{LONG},{LONG},{LONG}\n", f"qid,docid,rel\n{LONG},{LONG},{LONG}\n"),
    ("one-meaning-twice", f"qid,doc{GAP}id,docid,score\nq,d,d,1\n",
     f"qid,doc{GAP}id,docid,rel\nq,d,d,1\n"),
    ("values-twice", f"qid,docid,score,sco{GAP}re\nq,d,1,1\n",
     f"qid,docid,rel,r{GAP}el\nq,d,1,1\n"),
    ("columns", f"qid,docid,score,{LONG}\nq,d\n", f"qid,docid,rel,{LONG}\nq,d\n"),
    ("quotes", f'qid,docid,score\n"{LONG}"{LONG},d,1\n', f'qid,docid,rel\n"{LONG}"{LONG},d,1\n'),
    ("open-quotes", f'qid,docid,score\n"{LONG},d,1\n', f'qid,docid,rel\n"{LONG},d,1\n'),
    ("distance", f"qid,docid,dist{GAP}ance\nq,d,1\n", f"qid,docid,{LONG}\nq,d,1\n"),
    ("conflict", f"qid,docid,{LONG}\nq,d,1\n",
     f"qid,docid,rel\n{LONG},{LONG},1\n{LONG},{LONG},2\n"),
    ("many-names", ",".join([LONG[:300]] * 99) + "\n1,2,3\n", ",".join([LONG] * 9) + "\n1,2,3\n"),
]  # fmt: skip
DOCUMENTS: list[tuple[str, Any]] = [
    ("map-value", {LONG: {LONG: LONG}}),
    ("map-of-text", {LONG: LONG}),
    ("lists", {LONG: [[LONG]]}),
    ("unknown-keys", {LONG: [{LONG: 1}]}),
    ("inner-keys", {LONG: [{LONG: {LONG: 1}}]}),
    ("inner-ids", {LONG: [{"id": {f"{LONG}{at}_id": 2 for at in range(9)}, "score": 1}]}),
    ("score-of-an-entry", {LONG: [{"id": LONG, "score": LONG, "rel": LONG}]}),
    ("other-query", {LONG: [{"query_id": f"{LONG}p", "id": "a"}]}),
    ("other-query-of-an-object", {LONG: {"query_id": f"{LONG}p", "results": []}}),
    ("lone-surrogate", {f"{LONG}\ud800": {"a": 1}}),
    ("lone-surrogate-in-a-document", {LONG: {f"{LONG}\ud800": 1}}),
    ("no-object", [LONG]),
    ("value", [{"qid": LONG, "docid": LONG, "score": LONG, "rel": LONG}]),
    ("null", [{"qid": LONG, "docid": LONG, "score": None, "rel": None}]),
    ("query", [{"qid": [LONG], "docid": LONG, "score": 1, "rel": 1}]),
    ("id", [{"qid": {LONG: 1}, "docid": {LONG: 2}, "score": 1, "rel": 1}]),
    ("rank", [{"qid": LONG, "docid": LONG, "rank": LONG}]),
    ("list-twice", [{"qid": LONG, "hits": ["a"]}] * 2),
    ("texts", [{"qid": LONG, f"passages{GAP}": [LONG]}]),
    ("no-grade", [{"qid": LONG, "ids": [LONG], f"scores{GAP}": [1, 2]}]),
    ("null-list", [{"qid": LONG, f"ids{GAP}": None}]),
    ("fallen-distance", [{"qid": LONG, "hits": [{"id": at, f"dist{GAP}": -at} for at in (1, 2)]}]),
    ("pairs", {LONG: [[LONG, 1], [LONG, 10**300 + 0.5]]}),
    ("no-pair", {LONG: [[LONG, LONG]]}),
    ("key-like-a-way", [{"qid": LONG, LONG: {LONG: 1}, f"{LONG}.{LONG}": 1}]),
]
TEXTS = [
    ("value", f'{{"id": "{LONG}", "text": ["{LONG}"]}}'),
    ("keys", f'{{"{LONG}": "{LONG}"}}'),
    ("conflict", f'{{"id": "{LONG}", "text": "a"}}\n{{"id": "{LONG}", "text": "b"}}'),
    ("table-conflict", f"id,text\n{LONG},a\n{LONG},b\n"),
    ("one-meaning-twice", f"id,te{GAP}xt,text\na,b,c\n"),
    ("columns", f"id,text\n{LONG},a,c\n"),
    ("names", f"{LONG},{LONG}\n1,2\n"),
]


def assert_readable(read: Callable[[], object]) -> None:
    text = message(read)
    assert len(text) <= LONGEST
    assert text.endswith((".", "?"))


@pytest.mark.parametrize(
    ("run", "qrels"), [pytest.param(*texts, id=name) for name, *texts in TABLES]
)
def test_tables(run: str, qrels: str) -> None:
    assert_readable(lambda: read_runs(run.encode(), source="f"))
    assert_readable(lambda: read_judgments(qrels.encode(), name="f"))


@pytest.mark.parametrize(
    "document", [pytest.param(document, id=name) for name, document in DOCUMENTS]
)
def test_json(document: Any) -> None:
    forms = [("json", json.dumps(document))]
    if isinstance(document, list):
        forms.append(("jsonl", "\n".join(map(json.dumps, document))))
    refusals = 0
    for form, text in forms:
        readers: list[Callable[[], object]] = [
            lambda: read_runs(text.encode(), source="f", format=form),  # noqa: B023
            lambda: read_judgments(text.encode(), name="f", format=form),  # noqa: B023
        ]
        for read in readers:
            try:
                read()
            except EvaluationError:
                assert_readable(read)
                refusals += 1
    assert refusals


@pytest.mark.parametrize(
    "text",
    [
        f'{{"{LONG}": {{"{LONG}": 1, "{LONG}": 2}}}}',
        f'{{"{LONG}": [[["{LONG}", {"1" * 5000}]]]}}',
        f'{{"{LONG}": {LONG}}}',
    ],
    ids=["key-twice", "long-number", "not-json"],
)
def test_text_of_json(text: str) -> None:
    assert_readable(lambda: read_runs(text.encode(), source="f", format="json"))


@pytest.mark.parametrize("data", [pytest.param(text.encode(), id=name) for name, text in TEXTS])
@pytest.mark.parametrize("kind", ["queries", "documents"])
def test_texts(data: bytes, kind: str) -> None:
    assert_readable(lambda: read_texts(data, kind, name="f"))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"qid,docid,score,rel\nq,d,1,1\n", id="csv"),
        pytest.param(b'{"qid": "q", "docid": "d", "score": 1, "rel": 1}', id="jsonl"),
        pytest.param(b'{"q": {"d": 1}}', id="map"),
    ],
)
@pytest.mark.parametrize("role", ["score", "grade", "document", LONG])
def test_named_columns(data: bytes, role: str) -> None:
    columns = {role: LONG}
    if role != "grade":
        assert_readable(lambda: read_runs(data, source="f", columns=columns))
    if role != "score":
        assert_readable(lambda: read_judgments(data, name="f", columns=columns))


@pytest.mark.parametrize("names", [("qid", "docid", LONG), (LONG, f"{LONG}y", "score")])
def test_parquet(names: tuple[str, ...]) -> None:
    file = BytesIO()
    parquet.write_table(pa.table({name: [LONG] for name in names}), file)
    assert_readable(lambda: read_runs(file.getvalue(), source="f"))
    assert_readable(lambda: read_judgments(file.getvalue(), name="f"))


def test_a_format_and_a_file_of_a_long_name() -> None:
    assert_readable(lambda: read_runs(b"q", source="f", format=LONG))
    assert_readable(lambda: read_runs(b"q", source=LONG))


def test_what_is_built_in_memory() -> None:
    with pytest.raises(RunError) as run_error:
        Run.from_dict(LONG, {LONG: {LONG: float("nan")}})
    assert len(str(run_error.value)) <= LONGEST
    with pytest.raises(JudgmentsError) as error:
        Judgments.from_dict({LONG: {LONG: 0.5}}, source=LONG)  # type: ignore[dict-item]
    assert len(str(error.value)) <= LONGEST


def test_the_facts_of_an_error_are_kept_whole() -> None:
    error = FileError("f", LONG, GAP)
    assert (error.found, error.remedy) == (LONG, GAP)
    assert str(error) == (f"f: {'x' * 449}…{'x' * 449}. {'_' * 199}…{'_' * 199}")
