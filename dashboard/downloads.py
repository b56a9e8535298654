"""What a reader takes along: the record as JSON, and query scores as CSV for a spreadsheet."""

import csv
import io
import json
from collections.abc import Sequence

from core.per_query import ScoreTable
from core.record import query_records, record
from core.scores import QueryScores

# A cell that starts with one of these is taken for a formula by spreadsheets.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def record_json(systems: Sequence[QueryScores]) -> bytes:
    """Write the whole evaluation: policy, judgments, and every value of every query in full."""
    first = systems[0]
    written = record(first.judgments, first.policy, systems)
    return json.dumps(written, indent=2, allow_nan=False).encode()


def query_scores_csv(table: ScoreTable, texts: Sequence[str]) -> bytes:
    """Write one row a query and system, every value in full, with the measure and the judgments.

    A text from a file that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    out = io.StringIO()
    first = table.systems[0]
    label = dict(zip(first.judgments.query_ids, texts, strict=True))
    writer: csv.DictWriter[str] | None = None
    for scores in table.systems:
        for values in query_records(scores):
            query_id = str(values.pop("query_id"))
            row = {
                "system": plain_cell(scores.name),
                "query_id": plain_cell(query_id),
                "query": plain_cell(label[query_id]),
                **values,
                "measure": first.policy.measure,
                "judgments": first.judgments.fingerprint,
            }
            if writer is None:
                writer = csv.DictWriter(out, fieldnames=list(row), lineterminator="\r\n")
                writer.writeheader()
            writer.writerow(row)
    return out.getvalue().encode()


def plain_cell(text: str) -> str:
    """A text as a spreadsheet shows it, and never runs it."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
