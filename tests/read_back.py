"""What a reader made of a file, as plain values; and ids that readers like to change."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from core.errors import EvaluationError
from core.judgments import Judgments
from core.runs import Run

Judged = dict[str, dict[str, int]]
Row = tuple[str, float | None, int | None]  # document, score, rank
Rows = dict[str, list[Row]]

# Ids that readers like to change: numbers, missing values, comments, quotes, other white space.
ODD_IDS = (
    "007", "0x1F", "1.0", "1e5", "-0", "+1", "123456789012345678", "NA", "NaN", "null", "None",
    "inf", "true", "a#b", '"q', "'", "\\", "\\N", ",", ";", "|", "no\u00a0break", "\u2028",
    "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\u3000", "\u200b", "é", "e\u0301", "文書", "🦆",
    "doc-" + "x" * 300,
)  # fmt: skip


def judgments_of(judgments: Judgments) -> Judged:
    documents, grades = list(judgments.documents), judgments.grades.tolist()
    return {
        query: dict(zip(documents[rows], grades[rows], strict=True))
        for number, query in enumerate(judgments.query_ids)
        for rows in [judgments.rows_of(number)]
    }


def rows_of(run: Run) -> Rows:
    """Every query with its rows in listed order; no query stands in two blocks."""
    found: Rows = {}
    for block in (one.loaded() for one in run.blocks):
        none = [None] * len(block)
        scores = none if block.scores is None else block.scores.tolist()
        ranked = none if block.ranks is None else block.ranks.tolist()
        listed = list(zip(block.documents, scores, ranked, strict=True))
        assert not found.keys() & set(block.query_ids)
        for query, (begin, end) in zip(
            block.query_ids, pairwise(block.starts.tolist()), strict=True
        ):
            found[query] = listed[begin:end]
    return found


def message(read: Callable[[], object]) -> str:
    with pytest.raises(EvaluationError) as error:
        read()
    return str(error.value)
