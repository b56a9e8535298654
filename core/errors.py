"""The exceptions of this package. Each one takes facts, keeps them, and writes its own message.

A message reads: *where*: *what we found*, *what we expected*. *What to do.*
"""

from collections.abc import Iterable, Sequence
from typing import Self

_SHOWN = 5
_LONGEST, _LONGEST_FOUND, _LONGEST_REMEDY = 1_500, 900, 400


def listed(ids: Iterable[str], *, shown: int = _SHOWN, total: int | None = None) -> str:
    """Quote ids for a message: sorted, at most `shown` of them, then how many more there are."""
    first = sorted(ids)
    count = len(first) if total is None else total
    text = ", ".join(f"'{shortened(value)}'" for value in first[:shown])
    return text if count <= shown else f"{text} and {count - shown:,} more"


def listed_numbers(numbers: Iterable[int]) -> str:
    """List distinct numbers for a message: ascending, the first five, then how many more."""
    ordered = sorted(numbers)
    text = ", ".join(map(str, ordered[:_SHOWN]))
    return text if len(ordered) <= _SHOWN else f"{text} and {len(ordered) - _SHOWN:,} more"


def shortened(value: str, limit: int = 80) -> str:
    """Cut a long value in its middle, so that a message stays readable."""
    if len(value) <= limit:
        return value
    half = (limit - 1) // 2
    return f"{value[:half]}…{value[-half:]}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Write a count with its noun: `1 query`, `12 queries`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


class EvaluationError(ValueError):
    """Base of every error this package raises for input it cannot use.

    However long what it quotes, the message is one that can be read.
    """

    def __init__(self, message: str) -> None:
        super().__init__(shortened(message, _LONGEST))


class FileError(EvaluationError):
    """A file cannot be read as what it should be.

    Attributes
    ----------
    file : str
        Name of the file, as the person knows it.
    line : int or None
        Line, counted from 1, where it is known.
    """

    def __init__(
        self, file: str, found: str, remedy: str, *, line: int | None = None, place: str = ""
    ) -> None:
        self.file = file
        self.found = found
        self.remedy = remedy
        self.put_at(line, place)

    def put_at(self, line: int | None, place: str = "") -> Self:
        """Say where, where that is known later than what was found."""
        self.line = line
        where = f"{self.file}, line {line:,}" if line is not None else self.file
        where = f"{where}, {place}" if place else where
        found = shortened(self.found, _LONGEST_FOUND)
        remedy = shortened(self.remedy, _LONGEST_REMEDY)
        self.args = (shortened(f"{where}: {found}. {remedy}", _LONGEST),)
        return self


class NoSuchColumnError(FileError):
    """A file has no column that somebody named.

    Attributes
    ----------
    role : str
        What the column was to mean.
    """

    def __init__(
        self,
        file: str,
        role: str,
        found: str,
        remedy: str,
        *,
        line: int | None = None,
        place: str = "",
    ) -> None:
        self.role = role
        super().__init__(file, found, remedy, line=line, place=place)


class JudgmentsError(EvaluationError):
    """Judgments that contradict themselves or their declared scale."""


class RunError(EvaluationError):
    """A run that cannot be ranked."""


class NoSharedQueriesError(EvaluationError):
    """A run and the judgments have no query in common.

    Attributes
    ----------
    run, judgments : str
        Names of the two files.
    hint : str
        A sentence on ids that nearly match. Empty: there are none.
    """

    def __init__(
        self,
        run: str,
        judgments: str,
        run_queries: Sequence[str],
        judged: Sequence[str],
        *,
        hint: str = "",
    ) -> None:
        self.run = run
        self.judgments = judgments
        self.hint = hint
        in_run = listed(run_queries) or "no query"
        super().__init__(
            f"{run}: no query in common with {judgments}: the run has {in_run}, "
            f"the judgments have {listed(judged)}. Check that both files use the same query ids."
            + (hint and f" {hint}")
        )


class PolicyError(EvaluationError):
    """A policy field with a value it does not take.

    Attributes
    ----------
    field : str
        Name of the policy field.
    """

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


class PolicyRefusal(EvaluationError):  # noqa: N818 - a refusal is an answer, not a fault
    """The policy refuses to score this run.

    Attributes
    ----------
    run : str
        File of the run. The message begins with `where` instead, if another file is to blame.
    field, option : str
        The policy field that refuses, and its option.
    count : int
        How many things it refuses.
    summary : str
        The reason in a few words, for a table cell: `12 unjudged`.
    """

    def __init__(
        self,
        run: str,
        *,
        field: str,
        option: str,
        count: int,
        summary: str,
        found: str,
        remedy: str,
        where: str | None = None,
    ) -> None:
        self.run = run
        self.field = field
        self.option = option
        self.count = count
        self.summary = summary
        super().__init__(
            f"{where or run}: {found}; the policy refuses this ({field}={option}). {remedy}"
        )
