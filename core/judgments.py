"""The frozen judgments: which documents were judged for which query, and as what grade."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from core.errors import JudgmentsError, counted, listed_numbers
from core.ids import Ids, scrambled

LOWEST_GRADE, HIGHEST_GRADE = -(2**31) + 1, 2**31 - 1
_QUERY_MIX = np.uint64(0xA24BAED4963EE407)


@dataclass(frozen=True, eq=False)
class Judgments:
    """One set of judgments, checked once and never changed.

    Rows are grouped by query, best grade first. A query may stand here without a judgment.

    Parameters
    ----------
    query_ids : tuple of str
        Every query of the set, in the order of the file.
    starts : ndarray of int, shape (queries + 1,)
        Rows of query i are `starts[i]` to `starts[i + 1]`.
    documents : Ids
        Document of each row.
    grades : ndarray of int32, shape (judgments,)
        Grade of each row. 0 is judged non-relevant.
    scale : tuple of int, optional
        Lowest and highest grade as declared. None: not declared.
    source : str
        Name of the file, for messages.
    notices : tuple of str
        What loading merged, ignored or guessed.
    format : str
        What the file's format is called. Empty: not read from a file.
    columns : mapping
        Columns that somebody named, by what they mean. Empty: the file's own names told.
    """

    query_ids: tuple[str, ...]
    starts: NDArray[np.int64]
    documents: Ids
    grades: NDArray[np.int32]
    scale: tuple[int, int] | None = None
    source: str = "judgments"
    notices: tuple[str, ...] = field(default=())
    format: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_rows(
        cls,
        query_ids: Sequence[str],
        query: NDArray[np.integer],
        documents: Ids,
        grades: NDArray[np.integer],
        *,
        scale: tuple[int, int] | None = None,
        source: str = "judgments",
        notices: Sequence[str] = (),
    ) -> "Judgments":
        """Group, merge and check rows in any order.

        Parameters
        ----------
        query_ids : sequence of str
            Distinct query ids.
        query : ndarray of int, shape (rows,)
            Index into `query_ids` for each row.
        documents, grades
            Document and grade of each row.
        scale, source, notices
            As in the class.

        Raises
        ------
        ConflictingRows
            Two rows judge the same document of a query differently.
        JudgmentsError
            No query at all, or a grade outside the declared scale.
        """
        if not query_ids:
            raise JudgmentsError(f"{source}: no judgments found. Is this the right file?")
        order = np.lexsort((-grades.astype(np.int64), query))
        query, documents, grades = query[order], documents.take(order), grades[order]
        repeated = _repeated_rows(query_ids, query, documents, grades, order)
        if len(repeated):
            keep = np.ones(len(query), dtype=bool)
            keep[repeated] = False
            query, documents, grades = query[keep], documents.take(keep), grades[keep]
            merged = counted(len(repeated), "repeated judgment")
            notices = [*notices, f"{source}: {merged} with the same grade merged."]
        _check_scale(grades, scale, source)
        return cls(
            query_ids=tuple(query_ids),
            starts=np.searchsorted(query, np.arange(len(query_ids) + 1)),
            documents=documents,
            grades=grades.astype(np.int32),
            scale=scale,
            source=source,
            notices=tuple(notices),
        )

    @classmethod
    def from_dict(
        cls,
        judged: Mapping[str, Mapping[str, int]],
        *,
        scale: tuple[int, int] | None = None,
        source: str = "judgments",
    ) -> "Judgments":
        """Build from `{query: {document: grade}}`.

        Raises
        ------
        JudgmentsError
            An id that is not text, or a grade that is not a small whole number.
        """
        for query_id, grades in judged.items():
            for document, grade in grades.items():
                _check_entry(query_id, document, grade, source)
        sizes = [len(grades) for grades in judged.values()]
        return cls.from_rows(
            tuple(judged),
            np.repeat(np.arange(len(sizes)), sizes),
            Ids.from_strings(document for grades in judged.values() for document in grades),
            np.array([g for grades in judged.values() for g in grades.values()], dtype=np.int64),
            scale=scale,
            source=source,
        )

    def __len__(self) -> int:
        return len(self.grades)

    @cached_property
    def query(self) -> NDArray[np.int64]:
        """Query index of each row, shape (judgments,)."""
        return np.repeat(np.arange(len(self.query_ids)), np.diff(self.starts))

    @cached_property
    def index(self) -> dict[str, int]:
        """Query id to its index."""
        return {query_id: number for number, query_id in enumerate(self.query_ids)}

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """Hash of query and document of each row, as `pair_keys` makes it."""
        return pair_keys(self.query, self.documents)

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Whether a query has a grade above 0, shape (queries,)."""
        return np.bincount(self.query[self.grades > 0], minlength=len(self.query_ids)) > 0

    @property
    def observed_scale(self) -> tuple[int, int]:
        """Lowest and highest grade in use, never above 0 and never below 0 respectively."""
        if not len(self):
            return (0, 0)
        return (min(0, int(self.grades.min())), max(0, int(self.grades.max())))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the judgments, whatever file they came from.

        The hash covers one line for each judgment, the JSON array `[query, document, grade]`
        without spaces and without escaping beyond what JSON demands, and `[query]` for a query
        without judgments; UTF-8, sorted as bytes, each line ended by a line feed.
        """
        quoted = json.JSONEncoder(ensure_ascii=False).encode
        found = hashlib.sha256()
        # No quoted id is the beginning of another: sorted, the lines of a query stay together.
        heads = sorted((quoted(query_id), number) for number, query_id in enumerate(self.query_ids))
        for head, number in heads:
            rows = self.rows_of(number)
            grades = self.grades[rows].tolist()
            ends = [
                f"{quoted(document)},{grade}]\n"
                for document, grade in zip(self.documents.take(rows), grades, strict=True)
            ]
            lines = [f"[{head},{end}" for end in sorted(ends)] or [f"[{head}]\n"]
            found.update("".join(lines).encode())
        return found.hexdigest()

    def rows_of(self, query: int) -> slice:
        """Rows of one query, best grade first."""
        return slice(int(self.starts[query]), int(self.starts[query + 1]))

    def of_query(self, query: int) -> "Judgments":
        """Return the judgments of one query alone."""
        rows = self.rows_of(query)
        return replace(
            self,
            query_ids=(self.query_ids[query],),
            starts=np.array([0, rows.stop - rows.start]),
            documents=self.documents.take(rows),
            grades=self.grades[rows],
        )


class ConflictingRows(JudgmentsError):  # noqa: N818 - names what stands in the file
    """The same document is judged twice for a query, with different grades.

    Attributes
    ----------
    query_id, document : str
        What is judged twice.
    rows : tuple of int
        The two rows, as given to `Judgments.from_rows`.
    grades : tuple of int
        Their grades.
    """

    def __init__(
        self, query_id: str, document: str, rows: tuple[int, int], grades: tuple[int, int]
    ) -> None:
        self.query_id = query_id
        self.document = document
        self.rows = rows
        self.grades = grades
        super().__init__(
            f"query '{query_id}' judges document '{document}' twice: "
            f"grade {grades[0]} and grade {grades[1]}. Keep one of them."
        )


def pair_keys(query: NDArray[np.integer], documents: Ids) -> NDArray[np.uint64]:
    """Hash pairs of query index and document to 64 bits."""
    return mixed_keys(query, documents.hashes())


def mixed_keys(query: NDArray[np.integer], hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Do the same for documents whose hashes are known."""
    return scrambled(hashes ^ (query.astype(np.uint64) * _QUERY_MIX))


def _repeated_rows(
    query_ids: Sequence[str],
    query: NDArray[np.integer],
    documents: Ids,
    grades: NDArray[np.integer],
    original: NDArray[np.integer],
) -> NDArray[np.int64]:
    """Rows that say again what an earlier row of the same query says."""
    keys = pair_keys(query, documents)
    ordered = np.sort(keys)
    suspects = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(suspects):
        return np.zeros(0, dtype=np.int64)
    repeated: list[int] = []
    first: dict[tuple[int, str], int] = {}
    for row in np.flatnonzero(np.isin(keys, suspects)).tolist():
        pair = (int(query[row]), documents[row])
        if (earlier := first.setdefault(pair, row)) == row:
            continue
        if grades[earlier] != grades[row]:
            one, two = sorted((earlier, row), key=lambda at: int(original[at]))
            raise ConflictingRows(
                query_ids[pair[0]],
                pair[1],
                (int(original[one]), int(original[two])),
                (int(grades[one]), int(grades[two])),
            )
        repeated.append(row)
    return np.array(repeated, dtype=np.int64)


def _check_entry(query_id: object, document: object, grade: object, source: str) -> None:
    """Refuse what is not text, and what is not a whole number that fits."""
    if not (isinstance(query_id, str) and isinstance(document, str)):
        raise JudgmentsError(f"{source}: ids are text, not {query_id!r} and {document!r}.")
    whole = isinstance(grade, Real) and not isinstance(grade, bool) and grade == grade // 1
    if not whole or not LOWEST_GRADE <= grade <= HIGHEST_GRADE:  # type: ignore[operator]
        raise JudgmentsError(
            f"{source}: query '{query_id}', document '{document}': grade {grade!r} is not a small "
            "whole number. Grades are whole numbers, such as 0 to 3."
        )


def _check_scale(grades: NDArray[np.integer], scale: tuple[int, int] | None, source: str) -> None:
    """Refuse grades outside a declared scale; negative ones meet the policy instead."""
    if scale is None:
        return
    low, high = scale
    outside = np.unique(grades[(grades > high) | ((grades >= 0) & (grades < low))])
    if len(outside):
        raise JudgmentsError(
            f"{source}: grades outside the declared scale {low}..{high}: "
            f"{listed_numbers(outside.tolist())}. Correct the grades or declare another scale."
        )
