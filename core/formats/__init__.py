"""Reads files of judgments and runs, whatever their format.

A format is one module with a function that recognises it and one that reads it, and one line in a
table below. Formats are told apart by content, in the order of the tables.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from core.errors import EvaluationError
from core.formats import beir, json_maps, trec
from core.formats.source import Source, opened
from core.judgments import Judgments
from core.runs import Run

T = TypeVar("T")


@dataclass(frozen=True)
class Format(Generic[T]):
    """How files of one kind are recognised and read.

    Parameters
    ----------
    title : str
        What the format is called on a page.
    recognises : callable
        Whether the first bytes of a file look like this format.
    read : callable
        Reads a source; the second argument is the declared scale of judgments or the name of a run.
    """

    title: str
    recognises: Callable[[bytes], bool]
    read: Callable[..., T]


JUDGMENT_FORMATS: dict[str, Format[Judgments]] = {
    "json": Format(
        "JSON {query: {document: grade}}", json_maps.is_object, json_maps.read_judgments
    ),
    "beir": Format("BEIR TSV with header", beir.has_header, beir.read_qrels),
    "trec": Format("TREC qrels, 4 columns", lambda head: True, trec.read_qrels),
}
"""Formats of judgments, in the order they are tried."""

RUN_FORMATS: dict[str, Format[Run]] = {
    "json": Format("JSON {query: {document: score}}", json_maps.is_object, json_maps.read_run),
    "trec": Format("TREC run, 6 columns", lambda head: True, trec.read_run),
}
"""Formats of runs, in the order they are tried."""


def read_judgments(
    file: Path | bytes, *, name: str | None = None, scale: tuple[int, int] | None = None
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

    Raises
    ------
    FileError
        The file, the line, what was found there and what to do.
    JudgmentsError
        No judgment at all, or a grade outside the declared scale.
    """
    with opened(file, _name(file, name)) as source:
        kind = _recognised(source, JUDGMENT_FORMATS)
        return replace(kind.read(source, scale), format=kind.title)


def read_run(file: Path | bytes, *, source: str | None = None, name: str | None = None) -> Run:
    """Read a run.

    Parameters
    ----------
    file : Path or bytes
        A path, or the content of an uploaded file.
    source : str, optional
        File name for messages; the path's own if not given.
    name : str, optional
        What to call the run: its tag if not given, or else its file name without endings.

    Raises
    ------
    FileError
        The file, the line, what was found there and what to do.
    RunError
        Some queries have scores and some do not.
    """
    with opened(file, _name(file, source)) as text:
        kind = _recognised(text, RUN_FORMATS)
        run = replace(kind.read(text, name), format=kind.title)
    return run if run.name else run.named(stem(run.source))


def stem(file: str) -> str:
    """Return a file's name without folder and endings.

    >>> stem("runs/bm25_0.9.run.gz")
    'bm25_0.9'
    """
    endings = (".gz", ".run", ".trec", ".txt", ".tsv", ".csv", ".json", ".jsonl", ".res", ".qrels")
    name = Path(file).name
    while name.lower().endswith(endings) and (shorter := Path(name).stem) != name:
        name = shorter
    return name


def distinctly_named(runs: list[Run]) -> list[Run]:
    """Give runs that share a name their file's name instead, or else a number behind it."""
    names = [run.name for run in runs]
    wanted = [stem(run.source) if names.count(run.name) > 1 else run.name for run in runs]
    taken: set[str] = set()
    result = []
    for run, name in zip(runs, wanted, strict=True):
        unique, number = name, 2
        while unique in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique)
        result.append(run if unique == run.name else run.named(unique))
    return result


def _recognised(source: Source, formats: dict[str, Format[T]]) -> Format[T]:
    head = source.head()
    return next(kind for kind in formats.values() if kind.recognises(head))


def _name(file: Path | bytes, name: str | None) -> str:
    if name is not None:
        return name
    if isinstance(file, bytes):
        raise EvaluationError("Bytes need a file name for messages.")
    return file.name or str(file)
