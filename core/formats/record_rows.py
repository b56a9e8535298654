"""Objects with named keys, one result or one query each, to results and judgments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from core.formats.column_names import LIST
from core.formats.columns import Asked, Columns
from core.formats.fields import HIGHEST_RANK, LOWEST_RANK, RANKS_IGNORED
from core.formats.json_values import finite_score, shown, small_grade
from core.formats.records import RecordReader, Where, turned
from core.formats.results import Results
from core.formats.rows import JudgmentRows
from core.ids import Ids


@dataclass
class _Gathered:
    queries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    where: list[int] = field(default_factory=list)


def results_of(
    records: Iterator[tuple[Mapping[str, Any], Where]], asked: Asked, file: str
) -> tuple[Results, list[str]]:
    """Collect the results of all objects.

    Returns
    -------
    (Results, list of str)
        The results, and what was ignored or taken for text.

    Raises
    ------
    FileError
        With the place of the first object that cannot be right.
    """
    reader, rows = RecordReader(asked), _Gathered()
    empty: list[tuple[str, str]] = []
    whole: dict[tuple[str, str], Where] = {}
    named, is_row = 0, False
    for count, (record, where) in enumerate(records, 1):
        is_row = where.is_row
        columns = reader.columns(record, where)
        values = list(record.values())
        query = reader.text(values[columns.at["query"]], "query", where)
        system = ""
        if "system" in columns.at:
            named += 1
            system = reader.text(values[columns.at["system"]], "system", where)
        if named not in (0, count):
            raise where.error(
                "some results name their system and some do not", "Name it everywhere, or nowhere."
            )
        if LIST in columns.at:
            if (first := whole.setdefault((system, query), where)) is not where:
                unit = "in row" if where.is_row else "on line"
                raise where.error(
                    f"query '{query}' has a list {unit} {first.number:,}, too",
                    "Keep one of the two.",
                )
            found = list(reader.entries(record, columns, where))
            if not found:
                empty.append((system, query))
        else:
            found = [_single(reader, values, columns, where)]
        for document, score, rank in found:
            rows.queries.append(query)
            rows.documents.append(document)
            rows.scores.append(None if score is None else _score(score, where))
            rows.ranks.append(_rank(rank, where, is_needed=score is None))
            rows.systems.append(system)
            rows.where.append(where.number)
    scores = _complete(rows.scores, rows, "score", file, is_row=is_row)
    notices = reader.notices(file)
    if scores is not None and None in rows.ranks and any(rank is not None for rank in rows.ranks):
        notices.append(f"{file}: {RANKS_IGNORED}")
        rows.ranks = []
    return (
        Results(
            Ids.from_strings(rows.queries),
            Ids.from_strings(rows.documents),
            scores,
            _complete(rows.ranks, rows, "rank", file, is_row=is_row),
            Ids.from_strings(rows.systems) if named else None,
            empty,
        ),
        notices,
    )


def judgments_of(
    records: Iterator[tuple[Mapping[str, Any], Where]], asked: Asked, file: str
) -> tuple[JudgmentRows, list[str]]:
    """Collect the judgments of all objects.

    Raises
    ------
    FileError
        With the place of the first object that cannot be right.
    """
    reader = RecordReader(asked)
    rows: list[tuple[str, str, int, int]] = []
    empty: list[str] = []
    for record, where in records:
        columns = reader.columns(record, where)
        values = list(record.values())
        query = reader.text(values[columns.at["query"]], "query", where)
        if LIST in columns.at:
            found = [
                (document, grade) for document, grade, _ in reader.entries(record, columns, where)
            ]
            empty += [] if found else [query]
        else:
            document = reader.text(values[columns.at["document"]], "document", where)
            found = [(document, values[columns.at["grade"]])]
        for document, grade in found:
            if grade is None:
                raise where.error(
                    f"document '{document}' has no grade, expected a whole number",
                    "Give each document its grade: {id: grade}.",
                )
            place, line = where.fields.get("place", ""), where.fields.get("line")
            whole = small_grade(grade, file, place, line=line)
            rows.append((query, document, whole, where.number))
    return JudgmentRows.collected(rows, empty), reader.notices(file)


def _single(
    reader: RecordReader, values: list[Any], columns: Columns, where: Where
) -> tuple[str, object, object]:
    document = reader.text(values[columns.at["document"]], "document", where)
    score = values[columns.at["score"]] if "score" in columns.at else None
    if score is None and "score" in columns.at:
        raise where.error("score null is not a number", "Give a finite score.")
    rank = values[columns.at["rank"]] if "rank" in columns.at else None
    return document, turned(score, columns.smaller_is_better), rank


def _score(value: object, where: Where) -> float:
    if type(value) is float and isfinite(value):
        return value
    fields = where.fields
    return finite_score(value, where.file, fields.get("place", ""), line=fields.get("line"))


def _rank(value: object, where: Where, *, is_needed: bool) -> int | None:
    """Return a rank; None where there is none, or none that can be one beside a score."""
    if isinstance(value, int | float) and not isinstance(value, bool):  # noqa: SIM102
        if value == value // 1 and LOWEST_RANK <= value <= HIGHEST_RANK:
            return int(value)
    if value is None or not is_needed:
        return None
    raise where.error(f"rank {shown(value)} is not a whole number", "Give ranks from 1.")


def _complete(values: Sequence[Any], rows: _Gathered, what: str, file: str, *, is_row: bool) -> Any:
    """Return numbers as an array, or None where there are none; refuse some without."""
    if all(value is None for value in values):
        return None
    if None in values:
        where = Where(file, rows.where[values.index(None)], is_row)
        remedy = f"Give every result a {what}, or none."
        raise where.error(f"no {what}, but other results have one", remedy)
    return np.array(values, dtype=np.float64 if what == "score" else np.int32)
