"""Files to core objects, each once; errors become words beside the file."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import streamlit as st

from core.blocks import Block
from core.chunks import UpToSeparator, collapsed
from core.errors import EvaluationError
from core.formats import (
    distinctly_named,
    read_judgments,
    read_runs,
    read_runs_of_one_of_several,
)
from core.formats.column_names import DOCUMENTS, JUDGMENTS, QUERIES, RUN
from core.formats.texts import Text, Texts, read_texts
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.runs import Run
from dashboard import reports
from dashboard.files import Files, StoredFile, current_files, limits
from dashboard.wording import say

T = TypeVar("T")


@dataclass(frozen=True)
class Rejected:
    """A file that is not used, and why.

    Parameters
    ----------
    file : StoredFile
    reason : str
    kind : str
        What it was to be: "run", "judgments", or texts of "queries" or "documents".
    """

    file: StoredFile
    reason: str
    kind: str = RUN


@dataclass(frozen=True, eq=False)
class Workspace:
    """Everything that is loaded.

    Parameters
    ----------
    files : Files
    judgments : Judgments or None
    runs : tuple of GradedRun
        The runs that can be scored.
    waiting : tuple of Run
        Runs that were read while there are no judgments to join them to.
    rejected : tuple of Rejected
        Files that cannot be used.
    texts : mapping
        What was read of texts of "queries" and of "documents", where there is a file of them. Of
        documents, those that some run returned or that are judged.
    names : dict
        What each file of runs is called, by its digest: as its run, or as the file where it holds
        several.
    runs_of : dict
        Names of the runs of each file, by its digest.
    """

    files: Files
    judgments: Judgments | None
    runs: tuple[GradedRun, ...]
    waiting: tuple[Run, ...]
    rejected: tuple[Rejected, ...]
    texts: Mapping[str, Texts] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    runs_of: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def queries(self) -> Mapping[str, Text]:
        """Texts of queries, by id."""
        return self.texts[QUERIES].by_id if QUERIES in self.texts else {}

    @property
    def documents(self) -> Mapping[str, Text]:
        """Texts of documents, by id."""
        return self.texts[DOCUMENTS].by_id if DOCUMENTS in self.texts else {}


def workspace() -> Workspace:
    """Load the files of this session."""
    return load(current_files())


def load(files: Files) -> Workspace:
    """Load files; what was loaded before comes from memory."""
    rejected: list[Rejected] = []
    judgments = _newest_judgments(files, rejected)
    read = _read_runs(files, rejected)
    named = distinctly_named([one.run.named(one.name) for one in read])
    graded = []
    if judgments is not None:
        for one, run in zip(read, named, strict=True):
            joined = _graded(one.run, judgments)
            if isinstance(joined, GradedRun):
                graded.append(_called(joined, run.name))
            elif (reject := Rejected(one.file, joined)) not in rejected:
                rejected.append(reject)
    runs_of: dict[str, tuple[str, ...]] = {}
    for one, run in zip(read, named, strict=True):
        runs_of[one.file.digest] = (*runs_of.get(one.file.digest, ()), run.name)
    texts = _newest_texts(files, judgments, [one.run for one in read], rejected)
    return Workspace(
        files,
        judgments,
        tuple(graded),
        tuple(named) if judgments is None else (),
        tuple(rejected),
        texts,
        {
            file.digest: names[0] if len(names) == 1 else file.called
            for file in files.runs
            if (names := runs_of.get(file.digest))
        },
        runs_of,
    )


def blocks_of(runs: Sequence[Run]) -> tuple[Block, ...]:
    """All results of several runs; renamed runs have the same."""
    return tuple(block for run in runs for block in run.blocks)


class _Read(NamedTuple):
    """A run as it was read, what it is to be called, and its file."""

    run: Run
    name: str
    file: StoredFile


def _read_runs(files: Files, rejected: list[Rejected]) -> list[_Read]:
    """Read the runs of all files, no more than the limit.

    A file's given name is that of its run, or stands in front of the names of its systems.
    """
    read: list[_Read] = []
    most = max(limits().runs, len(files.runs))
    for file in files.runs:
        runs = _runs(file.digest, file.name, file.reading.key, file)
        if isinstance(runs, str):
            rejected.append(Rejected(file, runs))
            continue
        if len(read) + len(runs) > most:
            reason = say("data.too_many_systems", n=len(runs), limit=f"{most:,}")
            rejected.append(Rejected(file, reason))
            continue
        for run in runs:
            given = file.run_name if len(runs) == 1 else f"{file.run_name} {run.name}"
            read.append(_Read(run, given if file.run_name and given else run.name, file))
    return read


def _newest_judgments(files: Files, rejected: list[Rejected]) -> Judgments | None:
    return _newest(
        files.qrels,
        JUDGMENTS,
        lambda file: _judgments(file.digest, file.name, files.scale, file.reading.key, file),
        rejected,
    )


def _newest_texts(
    files: Files, judgments: Judgments | None, runs: Sequence[Run], rejected: list[Rejected]
) -> dict[str, Texts]:
    """Read the texts of queries, and of those documents that a page may show."""

    def read_documents(file: StoredFile) -> Texts | str:
        shown = reports.shown_documents(blocks_of(runs), judgments)
        return _documents(file.digest, file.name, shown.key, file, shown.ids)

    found = {
        QUERIES: _newest(
            files.texts.get(QUERIES, ()),
            QUERIES,
            lambda file: _queries(file.digest, file.name, file),
            rejected,
        ),
        DOCUMENTS: _newest(
            files.texts.get(DOCUMENTS, ()),
            DOCUMENTS,
            read_documents,
            rejected,
        ),
    }
    return {kind: texts for kind, texts in found.items() if texts is not None}


def _newest(
    stored: Sequence[StoredFile],
    kind: str,
    read: Callable[[StoredFile], T | str],
    rejected: list[Rejected],
) -> T | None:
    """Read the newest file that can be used; newer ones that cannot are rejected."""
    newer: list[Rejected] = []
    for file in reversed(stored):
        loaded = read(file)
        if not isinstance(loaded, str):
            stays = say("data.stays_in_use", name=file.name)
            rejected += [replace(one, reason=f"{one.reason} {stays}") for one in newer]
            return loaded
        newer.append(Rejected(file, loaded, kind))
    rejected += newer
    return None


# Reading is kept by digest and by what the reader is told; what starts with an underscore is not
# hashed. Errors are kept as text, so that a bad file is not read again at every rerun.


@st.cache_resource(max_entries=16, show_spinner=say("data.reading_judgments"))
def _judgments(
    digest: str,
    file_name: str,
    scale: tuple[int, int] | None,
    reading: str,
    _file: StoredFile,
) -> Judgments | str:
    try:
        return read_judgments(
            _file.content,
            name=file_name,
            scale=scale,
            format=_file.reading.format,
            columns=dict(_file.reading.columns),
        )
    except EvaluationError as error:
        return str(error)


@st.cache_resource(max_entries=64, show_spinner=say("data.reading_run"))
def _runs(digest: str, file_name: str, reading: str, _file: StoredFile) -> tuple[Run, ...] | str:
    how = _file.reading
    told: dict[str, Any] = {"format": how.format, "columns": dict(how.columns)}
    try:
        if how.may_lack:
            runs, _ = read_runs_of_one_of_several(_file.content, source=file_name, **told)
        else:
            runs = read_runs(_file.content, source=file_name, **told)
        if separator := how.separator:
            return tuple(collapsed(run, UpToSeparator(separator)) for run in runs)
        return runs
    except EvaluationError as error:
        return str(error)


@st.cache_resource(max_entries=8, show_spinner=say("data.reading_queries"))
def _queries(digest: str, file_name: str, _file: StoredFile) -> Texts | str:
    try:
        return read_texts(_file.content, QUERIES, name=file_name)
    except EvaluationError as error:
        return str(error)


# A corpus is read again where other documents are wanted of it: it may be larger than memory.
@st.cache_resource(max_entries=8, show_spinner=say("data.reading_documents"))
def _documents(
    digest: str, file_name: str, wanted_key: str, _file: StoredFile, _wanted: Collection[str]
) -> Texts | str:
    try:
        return read_texts(_file.content, DOCUMENTS, name=file_name, wanted=_wanted)
    except EvaluationError as error:
        return str(error)


# Joins are kept by the very objects they join: judgments that were read again are other judgments.
# Names come later, so that a new name neither reads nor joins anything again.
@lru_cache(maxsize=64)
def _graded(run: Run, judgments: Judgments) -> GradedRun | str:
    try:
        return join(run, judgments)
    except EvaluationError as error:
        return str(error)
    finally:  # Reading and joining took more than what is kept needs.
        pa.default_memory_pool().release_unused()


@lru_cache(maxsize=128)
def _called(graded: GradedRun, name: str) -> GradedRun:
    return replace(graded, run=graded.run.named(name))
