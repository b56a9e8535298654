"""Which column, or key, means what."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import EvaluationError, NoSuchColumnError
from core.formats.column_names import (
    JUDGMENTS,
    LIST,
    ROLES,
    RUN,
)

_OPTION = {JUDGMENTS: "--qrels-column", RUN: "--run-column"}


@dataclass(frozen=True)
class Columns:
    """Which column holds what.

    Parameters
    ----------
    at : mapping
        Place of the column for each meaning: query, document, grade, score, rank, system, list.
    smaller_is_better : bool
        Whether the score is a distance.
    unused : tuple of str
        Names of the columns that nobody reads.
    """

    at: Mapping[str, int]
    smaller_is_better: bool = False
    unused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What a file is to be read as.

    Parameters
    ----------
    kind : str
        "judgments" or "run".
    chosen : mapping
        Name of the column for a meaning, where somebody said so. A minus sign in front of the
        score's: smaller is better. Empty: no such column.
    is_format_chosen : bool
        Whether somebody named the format, so that nothing needs to be guessed.
    """

    kind: str
    chosen: Mapping[str, str]
    is_format_chosen: bool = False

    def __post_init__(self) -> None:
        known = (*ROLES[self.kind], LIST)
        for role in self.chosen:
            if role not in known:
                raise EvaluationError(
                    f"{_OPTION[self.kind]}: '{role}' is not what a column can mean. "
                    f"Choose from {', '.join(known)}."
                )

    @property
    def highest_number(self) -> int:
        """The largest of the numbers that columns are given by, counted from 1; 0: by names."""
        named = [name.removeprefix("-") for name in self.chosen.values() if name]
        if all(name.isascii() and name.isdecimal() and len(name) < 4 for name in named):
            return max(map(int, named), default=0)
        return 0

    @property
    def option(self) -> str:
        """The option of the command line that names columns."""
        return _OPTION[self.kind]

    def require_none(self, file: str, title: str) -> None:
        """Refuse named columns for a format whose columns have no names.

        Raises
        ------
        NoSuchColumnError
        """
        for role, name in self.chosen.items():
            if name:
                raise NoSuchColumnError(
                    file,
                    role,
                    f"the columns of this format ({title}) have no names, "
                    f"and {self.option} {role}={name} names one",
                    f"Leave out {self.option} for it, or give the file a header line.",
                )

    def notices(self, file: str) -> list[str]:
        """Say which columns were named."""
        told = ", ".join(f"{role}={name}" for role, name in self.chosen.items())
        return [f"{file}: columns as named: {told}."] if told else []


def named_column(text: str, kind: str) -> tuple[str, str]:
    """Read `MEANING=COLUMN`, as people write it.

    >>> named_column("score=-distance", RUN)
    ('score', '-distance')

    Raises
    ------
    EvaluationError
        Not of that form, or not what a column of this kind of file can mean.
    """
    meaning, separator, name = text.partition("=")
    if not separator:
        raise EvaluationError(
            f"{_OPTION[kind]}: '{text}' names no column. "
            "Give MEANING=COLUMN, such as document=chunk_id."
        )
    Asked(kind, {meaning.strip(): name})
    return meaning.strip(), name.strip()
