"""Reads files of judgments and runs, whatever their format.

A format is one module with a function that recognises it and one that reads it, and one line in a
table below. Formats are told apart by content, in the order of the tables.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.errors import EvaluationError, FileError, NoSuchColumnError, shortened
from core.formats import (
    beir,
    chunk_maps,
    delimited,
    headers,
    json_maps,
    jsonl,
    parquet,
    three_columns,
    trec,
    trec_runs,
)
from core.formats.column_names import JUDGMENTS, RUN
from core.formats.columns import Asked
from core.formats.results import only
from core.formats.source import Source, opened
from core.judgments import Judgments
from core.runs import Run

T = TypeVar("T")
Runs = tuple[Run, ...]
NO_COLUMNS: Mapping[str, str] = {}


@dataclass(frozen=True)
class Format(Generic[T]):
    """How files of one kind are recognised and read.

    Parameters
    ----------
    title : str
        What the format is called on a page.
    recognises : callable
        Whether the first bytes of a file, and its name, look like this format.
    read : callable
        Reads a source; the second argument is the declared scale of judgments or the name of a
        run, the third what is asked for.
    has_names : bool
        Whether columns may have names, so that somebody may say what they mean.
    """

    title: str
    recognises: Callable[[bytes, str], bool]
    read: Callable[..., T]
    has_names: bool = False

    def check(self, asked: Asked, file: str) -> None:
        """Refuse named columns where columns have no names.

        Raises
        ------
        NoSuchColumnError
        """
        if not self.has_names:
            asked.require_none(file, self.title)

    def reading(self, found: Judgments | Run, asked: Asked) -> dict[str, Any]:
        """Say how something was read, where its reader did not: format, and columns as named."""
        if found.format:
            return {}
        return {"format": self.title, "columns": dict(asked.chosen)}


JUDGMENT_FORMATS: dict[str, Format[Judgments]] = {
    "parquet": Format("Parquet", parquet.is_parquet, parquet.read_judgments, has_names=True),
    "jsonl": Format("JSON lines", jsonl.is_lines, jsonl.read_judgments, has_names=True),
    "json": Format(
        json_maps.OF_GRADES,
        json_maps.is_object,
        json_maps.read_judgments,
        has_names=True,
    ),
    "beir": Format(
        "BEIR TSV with header",
        lambda head, name: beir.has_header(head),
        lambda source, scale, asked: beir.read_qrels(source, scale),
    ),
    "csv": Format("CSV with header", headers.is_csv, delimited.read_judgments, has_names=True),
    "tsv": Format("TSV with header", headers.is_tsv, delimited.read_judgments, has_names=True),
    "qrels3": Format(
        "qrels, 3 columns",
        three_columns.has_three,
        lambda source, scale, asked: three_columns.read_qrels(
            source, scale, is_sure=asked.is_format_chosen
        ),
    ),
    "trec": Format(
        "TREC qrels, 4 columns",
        lambda head, name: True,
        lambda source, scale, asked: trec.read_qrels(source, scale),
    ),
}
"""Formats of judgments, in the order they are tried."""

RUN_FORMATS: dict[str, Format[Runs]] = {
    "parquet": Format("Parquet", parquet.is_parquet, parquet.read_runs, has_names=True),
    "jsonl": Format("JSON lines", jsonl.is_lines, jsonl.read_runs, has_names=True),
    "json": Format(
        json_maps.OF_SCORES,
        json_maps.is_object,
        json_maps.read_runs,
        has_names=True,
    ),
    "csv": Format("CSV with header", headers.is_csv, delimited.read_runs, has_names=True),
    "tsv": Format("TSV with header", headers.is_tsv, delimited.read_runs, has_names=True),
    "trec": Format(
        "TREC run, 6 columns",
        lambda head, name: True,
        lambda source, name, asked: trec_runs.read_runs(source, name),
    ),
}
"""Formats of runs, in the order they are tried."""


def read_judgments(
    file: Path | bytes,
    *,
    name: str | None = None,
    scale: tuple[int, int] | None = None,
    format: str | None = None,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> Judgments:
    """Read a file of judgments.

    Parameters
    ----------
    file : Path or bytes
        A path, or the content of an uploaded file.
    name : str, optional
        Name for messages; the path's own if not given.
    scale : tuple of int, optional
        Lowest and highest grade, if declared.
    format : str, optional
        A key of `JUDGMENT_FORMATS`; recognised by content if not given.
    columns : mapping, optional
        Name of the column for query, document, grade or list, where the names in the file do not
        tell. Used for files whose columns have names.

    Raises
    ------
    FileError
        The file, the line, what was found there and what to do.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    asked = Asked(JUDGMENTS, columns, is_format_chosen=format is not None)
    with opened(file, _name(file, name)) as source:
        kind = _recognised(source, JUDGMENT_FORMATS, format, asked)
        kind.check(asked, source.name)
        found = kind.read(source, scale, asked)
        return replace(found, **kind.reading(found, asked))


def read_runs(
    file: Path | bytes,
    *,
    source: str | None = None,
    name: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> Runs:
    """Read all runs of a file: one, or one for each system that the file names.

    Parameters
    ----------
    file : Path or bytes
        A path, or the content of an uploaded file.
    source : str, optional
        File name for messages; the path's own if not given.
    name : str, optional
        What to call the run: its tag if not given, or else its file name without endings. Of
        several runs, it stands in front of the name of each.
    format : str, optional
        A key of `RUN_FORMATS`; recognised by content if not given.
    columns : mapping, optional
        Name of the column for query, document, score, rank, system or list, where the names in
        the file do not tell; `{"score": "-distance"}` where smaller is better, `{"system": ""}`
        for no such column. Used for files whose columns have names.

    Raises
    ------
    FileError
        The file, the line, what was found there and what to do.
    RunError
        Some queries have scores and some do not.
    """
    asked = Asked(RUN, columns, is_format_chosen=format is not None)
    with opened(file, _name(file, source)) as text:
        kind = _recognised(text, RUN_FORMATS, format, asked)
        kind.check(asked, text.name)
        runs = [replace(run, **kind.reading(run, asked)) for run in kind.read(text, name, asked)]
    return tuple(run if run.name else run.named(stem(run.source)) for run in runs)


def read_runs_of_one_of_several(
    file: Path | bytes,
    *,
    source: str | None = None,
    name: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> tuple[Runs, dict[str, NoSuchColumnError]]:
    """Read the runs of a file for which columns were named together with other files.

    Parameters
    ----------
    file, source, name, format, columns
        As for `read_runs`; a column that this file does not have is found as if none was named.

    Returns
    -------
    (tuple of Run, dict)
        The runs, and for each meaning whose column the file does not have the error that says so.

    Raises
    ------
    FileError, RunError
        As for `read_runs`.
    """
    lacking: dict[str, NoSuchColumnError] = {}
    while True:
        left = {role: named for role, named in columns.items() if role not in lacking}
        try:
            runs = read_runs(file, source=source, name=name, format=format, columns=left)
        except NoSuchColumnError as error:
            lacking[error.role] = error
        else:
            return runs, lacking


def read_run(
    file: Path | bytes,
    *,
    source: str | None = None,
    name: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> Run:
    """Read the run of a file that holds one.

    Parameters
    ----------
    file, source, name, format, columns
        As for `read_runs`.

    Raises
    ------
    FileError
        The file, the line, what was found there and what to do.
    RunError
        The file holds several runs, or some queries have scores and some do not.
    """
    return only(read_runs(file, source=source, name=name, format=format, columns=columns))


def read_chunk_map(file: Path) -> dict[str, str]:
    """Read a file that names the document of each chunk: JSON, CSV or TSV.

    Raises
    ------
    FileError
        The file, the line or the chunk, what was found there and what to do.
    """
    with opened(file, _name(file, None)) as source:
        return chunk_maps.read_chunk_map(source)


def stem(file: str) -> str:
    """Return a file's name without folder and endings.

    >>> stem("runs/bm25_0.9.run.gz")
    'bm25_0.9'
    """
    endings = (
        ".gz",
        ".run",
        ".trec",
        ".txt",
        ".tsv",
        ".csv",
        ".json",
        ".jsonl",
        ".ndjson",
        ".parquet",
        ".res",
        ".qrels",
    )
    name = Path(file).name
    while name.lower().endswith(endings) and (shorter := Path(name).stem) != name:
        name = shorter
    return name


def distinctly_named(runs: list[Run]) -> list[Run]:
    """Give runs that share a name their file's name instead, or else a number behind it.

    Where a file holds several systems, its name stands in front of theirs.
    """
    names = [run.name for run in runs]
    in_file: dict[str, set[str]] = {}
    for run in runs:
        in_file.setdefault(run.source, set()).add(run.name)
    wanted = [
        run.name
        if names.count(run.name) == 1
        else stem(run.source)
        if len(in_file[run.source]) == 1
        else f"{stem(run.source)} {run.name}"
        for run in runs
    ]
    taken: set[str] = set()
    result = []
    for run, name in zip(runs, wanted, strict=True):
        unique, number = name, 2
        while unique in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique)
        result.append(run if unique == run.name else run.named(unique))
    return result


def _recognised(
    source: Source, formats: dict[str, Format[T]], chosen: str | None, asked: Asked
) -> Format[T]:
    if chosen is not None:
        if chosen not in formats:
            raise EvaluationError(
                f"{source.name}: there is no format '{shortened(chosen)}'. "
                f"Choose from {', '.join(formats)}."
            )
        _check_parquet(source, is_chosen=chosen == "parquet")
        return formats[chosen]
    head = source.head()
    kind = next(kind for kind in formats.values() if kind.recognises(head, source.name))
    is_run = asked.kind == RUN and trec_runs.is_run(head)
    return formats["tsv"] if asked.highest_number and not (kind.has_names or is_run) else kind


def _check_parquet(source: Source, *, is_chosen: bool) -> None:
    """Refuse text that somebody calls Parquet, and Parquet that somebody calls text."""
    head = source.head()
    is_parquet = parquet.is_parquet(head, source.name)
    if is_parquet == is_chosen:
        return
    begin = shortened(headers.first_line_of(head), 60)
    found = "is Parquet" if is_parquet else f"is not Parquet, it is text that begins '{begin}'"
    raise FileError(
        source.name,
        f"the file {found}",
        "Choose another format, or none: the content tells.",
    )


def _name(file: Path | bytes, name: str | None) -> str:
    if name is not None:
        return name
    if isinstance(file, bytes):
        raise EvaluationError("Bytes need a file name for messages.")
    return file.name or str(file)
