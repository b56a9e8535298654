"""Objects with named keys, one result or one query each, to results and judgments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from core.errors import FileError
from core.formats.column_names import LIST
from core.formats.columns import Asked, Columns
from core.formats.fields import HIGHEST_RANK, LOWEST_RANK, RANKS_IGNORED
from core.formats.json_values import finite_score, quoted, shown, small_grade
from core.formats.places import Where
from core.formats.record_lists import null_value, turned
from core.formats.records import RecordReader
from core.formats.results import Results, RunsInParts
from core.formats.rows import JudgmentRows
from core.ids import Ids

_ROWS = 100_000


@dataclass
class _Gathered:
    """Results that wait to be handed on."""

    queries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    where: list[Where] = field(default_factory=list)
    empty: list[tuple[str, str]] = field(default_factory=list)


def runs_of(
    records: Iterator[tuple[Mapping[str, Any], Where]], asked: Asked, file: str
) -> tuple[RunsInParts, list[str]]:
    """Collect the results of all objects.

    Returns
    -------
    (RunsInParts, list of str)
        The runs, and what was ignored or taken for text.

    Raises
    ------
    FileError
        With the place of the first object that cannot be right.
    """
    reader, rows = RecordReader(asked), _Gathered()
    runs, complete = RunsInParts(file), _Complete()
    whole: dict[tuple[str, str], Where] = {}
    named = 0
    for count, (one, where) in enumerate(records, 1):
        record, columns = reader.columns(one, where)
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
                raise where.error(
                    f"query {quoted(query)} has a list {first.there}, too", "Keep one of the two."
                )
            found = list(reader.lists.entries(record, columns, where))
            if not found:
                rows.empty.append((system, query))
        else:
            found = [_single(reader, values, columns, where)]
        for document, score, rank, here in found:
            rows.queries.append(query)
            rows.documents.append(document)
            rows.scores.append(None if score is None else _score(score, here, query, document))
            rows.ranks.append(_rank(rank, here, is_needed=score is None))
            rows.systems.append(system)
            rows.where.append(here)
        if len(rows.queries) >= _ROWS:
            runs.add(complete.results(rows, with_systems=named > 0))
            rows = _Gathered()
    runs.add(complete.results(rows, with_systems=named > 0))
    notices = reader.notices(file)
    if complete.ranks_ignored:
        notices.append(f"{file}: {RANKS_IGNORED}")
    return runs, notices


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
    for one, where in records:
        record, columns = reader.columns(one, where)
        values = list(record.values())
        query = reader.text(values[columns.at["query"]], "query", where)
        if LIST in columns.at:
            found = list(reader.lists.entries(record, columns, where))
            empty += [] if found else [query]
        else:
            document = reader.text(values[columns.at["document"]], "document", where)
            found = [(document, values[columns.at["grade"]], None, where)]
        for document, grade, _, here in found:
            if grade is None:
                raise here.error(
                    f"document {quoted(document)} has no grade, expected a whole number",
                    "Give each document its grade: {id: grade}.",
                )
            try:
                whole = small_grade(grade, file)
            except FileError as error:
                raise here.placed(error, query, document) from None
            rows.append((query, document, whole, here.number))
    return JudgmentRows.collected(rows, empty), reader.notices(file)


def _single(
    reader: RecordReader, values: list[Any], columns: Columns, where: Where
) -> tuple[str, object, object, Where]:
    document = reader.text(values[columns.at["document"]], "document", where)
    score = values[columns.at["score"]] if "score" in columns.at else None
    if score is None and "score" in columns.at:
        raise null_value(reader.asked, where)
    rank = values[columns.at["rank"]] if "rank" in columns.at else None
    return document, turned(score, columns.smaller_is_better), rank, where


def _score(value: object, where: Where, query: str, document: str) -> float:
    if type(value) is float and isfinite(value):
        return value
    try:
        return finite_score(value, where.file)
    except FileError as error:
        raise where.placed(error, query, document) from None


def _rank(value: object, where: Where, *, is_needed: bool) -> int | None:
    """Return a rank; None where there is none, or none that can be one beside a score."""
    if isinstance(value, int | float) and not isinstance(value, bool):  # noqa: SIM102
        if value == value // 1 and LOWEST_RANK <= value <= HIGHEST_RANK:
            return int(value)
    if value is None or not is_needed:
        return None
    raise where.error(f"rank {shown(value)} is not a whole number", "Give ranks from 1.")


@dataclass
class _Complete:
    """Sees to it that all results of a file have scores, or none, and ranks likewise.

    Beside scores, ranks that some results lack are ignored.
    """

    _with: set[str] = field(default_factory=set)
    _without: dict[str, Where] = field(default_factory=dict)
    _ranks: set[bool] = field(default_factory=set)

    @property
    def ranks_ignored(self) -> bool:
        """Whether some of the results have ranks beside their scores."""
        return len(self._ranks) > 1

    def results(self, rows: _Gathered, *, with_systems: bool) -> Results:
        scores = self._array(rows.scores, "score", rows.where)
        ranks: Sequence[int | None] = rows.ranks
        if "score" in self._with:
            self._ranks.update(rank is not None for rank in ranks)
            ranks = () if None in ranks else ranks
        return Results(
            Ids.from_strings(rows.queries),
            Ids.from_strings(rows.documents),
            scores,
            self._array(ranks, "rank", rows.where),
            Ids.from_strings(rows.systems) if with_systems else None,
            rows.empty,
        )

    def _array(self, values: Sequence[Any], what: str, where: Sequence[Where]) -> Any:
        """Return numbers as an array, or None where there are none; refuse some without."""
        if None in values:
            self._without.setdefault(what, where[values.index(None)])
        if any(value is not None for value in values):
            self._with.add(what)
        if what in self._with and what in self._without:
            remedy = f"Give every result a {what}, or none."
            raise self._without[what].error(f"no {what}, but other results have one", remedy)
        kind = np.float64 if what == "score" else np.int32
        return np.array(values, dtype=kind) if what in self._with and values else None
