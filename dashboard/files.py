"""The files of a session: where they come from, and what uploads change. Nothing is read yet."""

import hashlib
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import streamlit as st

from core.cli.options import (
    MAX_RUNS,
    MAX_UPLOAD_MB,
    TEXT_KINDS,
    chunk_options,
    file_options,
    limit_options,
    text_options,
)
from dashboard.wording import say

SAMPLES = Path(__file__).parent.parent / "sample_runs"
_SAMPLE_RUNS = (
    "bm25.run",
    "bm25-stems.json",
    "char-ngrams.json.gz",
    "dense.run",
    "dense-128.run",
    "dense-64.run",
    "dense-stopped.run",
    "fusion.run",
    "fusion-of-3.run",
    "rerank.run",
)


@dataclass(frozen=True)
class Limits:
    """What the app takes.

    Parameters
    ----------
    runs : int
        Runs of a session, those that cannot be read included.
    upload_mb : int
        Megabytes of one uploaded file.
    """

    runs: int = MAX_RUNS
    upload_mb: int = MAX_UPLOAD_MB

    def allow(self, size: int) -> bool:
        """Whether an upload of this many bytes is small enough."""
        return size <= self.upload_mb << 20


USUAL_LIMITS = Limits()
NO_TEXTS: Mapping[str, "StoredFile"] = {}


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, where somebody said so.

    Parameters
    ----------
    format : str or None
        Key of a format of `core.formats`.
    columns : tuple of (str, str)
        Meanings and the columns that have them.
    separator : str
        What ends a document's id in the ids of its chunks. Empty: ids name documents.
    may_lack : bool
        Whether the file may lack columns, which were named for several files together.
    """

    format: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    separator: str = ""
    may_lack: bool = False

    @property
    def key(self) -> str:
        """The same as a text, by which what was read is kept."""
        return json.dumps([self.format, self.columns, self.separator, self.may_lack])


AS_RECOGNISED = Reading()


@dataclass(frozen=True)
class StoredFile:
    """A file of this session: an upload, or a file on this machine.

    Parameters
    ----------
    name : str
        File name.
    content : bytes or Path
        Where it lies, or the bytes of an upload for which the disk has no room.
    digest : str
        SHA-256 of the bytes.
    run_name : str or None
        What a run is called, if somebody named it.
    reading : Reading
        How the file is to be read.
    copy : object
        What keeps the copy of an upload on the disk.
    """

    name: str
    content: bytes | Path
    digest: str
    run_name: str | None = None
    reading: Reading = AS_RECOGNISED
    copy: object = field(default=None, compare=False, repr=False)

    @property
    def called(self) -> str:
        """The name that somebody gave the run, or else that of the file."""
        return self.run_name or self.name

    @classmethod
    def from_path(cls, path: Path, run_name: str | None = None) -> "StoredFile":
        """Take a file on this machine; one that cannot be read gets its error when it is used."""
        # A name that is not UTF-8 cannot be shown as it is.
        name = os.fsencode(path.name).decode(errors="replace")
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            digest = f"unreadable: {os.fsencode(path)!r}"
        return cls(name, path, digest, run_name)


@dataclass(frozen=True)
class Files:
    """The files of this session.

    Parameters
    ----------
    origin : str
        "sample", "command line" or "uploaded".
    qrels : tuple of StoredFile
        Files of judgments, newest last. The newest that can be read is used.
    runs : tuple of StoredFile
    scale : tuple of int or None
        Declared scale of the grades.
    notes : tuple of str
        What became of the last upload, where it is not what one would expect.
    texts : mapping
        Files of texts of "queries" and of "documents", newest last. The newest that can be read is
        used.
    """

    origin: str
    qrels: tuple[StoredFile, ...]
    runs: tuple[StoredFile, ...]
    scale: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()
    texts: Mapping[str, tuple[StoredFile, ...]] = field(default_factory=dict)


def current_files() -> Files:
    """Return the files of this session: at first those of the command line, or the samples."""
    if "files" not in st.session_state:
        st.session_state["files"] = _command_line_files(sys.argv[1:]) or sample_files()
    files: Files = st.session_state["files"]
    return files


def sample_files() -> Files:
    """Return the sample judgments, runs and texts."""
    runs = tuple(StoredFile.from_path(SAMPLES / name) for name in _SAMPLE_RUNS)
    qrels = (StoredFile.from_path(SAMPLES / "qrels.tsv"),)
    return Files("sample", qrels, runs, (0, 3), texts=_sample_texts())


@cache
def _sample_texts() -> Mapping[str, tuple[StoredFile, ...]]:
    return {kind: (StoredFile.from_path(SAMPLES / f"{kind}.jsonl"),) for kind in TEXT_KINDS}


def are_samples(files: Files) -> bool:
    """Whether these are the samples with their own texts."""
    return files.origin == "sample" and files.texts == _sample_texts()


def limits() -> Limits:
    """Return the limits that the app was started with."""
    options = _arguments(sys.argv[1:])
    return Limits(options.max_runs, options.max_upload_mb)


def with_uploads(
    files: Files,
    qrels: StoredFile | None,
    runs: Sequence[StoredFile],
    *,
    texts: Mapping[str, StoredFile] = NO_TEXTS,
    limit: Limits = USUAL_LIMITS,
) -> Files:
    """Add uploads: qrels and texts replace the old ones, runs join the others. Samples make way.

    A run whose bytes are there already is not added again, nor is one beyond the limit, and a
    note says so. Texts alone leave the samples where they are; the samples' own make way with them.
    """
    if files.origin == "sample" and (qrels or runs):
        samples = _sample_texts()
        own = {
            kind: tuple(file for file in stored if file not in samples[kind])
            for kind, stored in files.texts.items()
        }
        files = Files("uploaded", (), (), texts=own)
    kept = {file.digest: file for file in files.runs}
    notes = []
    for file in runs:
        if (known := kept.get(file.digest)) is not None:
            notes.append(say("data.note.same_bytes", name=file.called, known=known.called))
        elif len(kept) >= limit.runs:
            notes.append(say("data.note.too_many", name=file.called, limit=f"{limit.runs:,}"))
        else:
            kept[file.digest] = file
    added = {kind: (*files.texts.get(kind, ()), file) for kind, file in texts.items()}
    return replace(
        files,
        qrels=(*files.qrels, qrels) if qrels else files.qrels,
        runs=tuple(kept.values()),
        notes=tuple(notes),
        texts={**files.texts, **added},
    )


def with_notes(files: Files, notes: Sequence[str]) -> Files:
    """Say more about the last upload."""
    return replace(files, notes=(*files.notes, *notes))


def with_scale(files: Files, scale: tuple[int, int] | None) -> Files:
    """Declare another scale of grades, or none."""
    return replace(files, scale=scale, notes=())


def without_run(files: Files, digest: str) -> Files:
    """Remove one run."""
    runs = tuple(file for file in files.runs if file.digest != digest)
    return replace(files, runs=runs, notes=())


def without_texts(files: Files, kind: str) -> Files:
    """Remove the texts of queries or documents."""
    return replace(files, notes=(), texts={**files.texts, kind: ()})


def renamed(files: Files, digest: str, name: str) -> Files:
    """Call a run by another name; without one it goes by its own again."""
    runs = tuple(
        replace(file, run_name=name.strip() or None) if file.digest == digest else file
        for file in files.runs
    )
    return replace(files, runs=runs, notes=())


def read_as(files: Files, digest: str, reading: Reading) -> Files:
    """Say how a file is to be read."""

    def told(stored: Sequence[StoredFile]) -> tuple[StoredFile, ...]:
        return tuple(
            replace(file, reading=reading) if file.digest == digest else file for file in stored
        )

    return replace(files, qrels=told(files.qrels), runs=told(files.runs), notes=())


def moved(files: Files, digest: str, by: int) -> Files:
    """Move a run by some places, up where `by` is negative, and no further than to an end."""
    at = next(at for at, file in enumerate(files.runs) if file.digest == digest)
    runs = [*files.runs[:at], *files.runs[at + 1 :]]
    runs.insert(max(0, at + by), files.runs[at])
    return replace(files, runs=tuple(runs), notes=())


def _command_line_files(arguments: Sequence[str]) -> Files | None:
    options = _arguments(arguments)
    if options.qrels is None:
        return None
    files = Files("command line", (), (), options.scale)
    separator = options.chunks.separator if options.chunks else ""
    as_runs = Reading(
        options.run_format,
        tuple(options.run_columns),
        separator,
        may_lack=len(options.runs) > 1,
    )
    as_qrels = Reading(options.qrels_format, tuple(options.qrels_columns))
    runs = [
        replace(StoredFile.from_path(file.path, file.name), reading=as_runs)
        for file in options.runs
    ]
    qrels = replace(StoredFile.from_path(options.qrels), reading=as_qrels)
    texts = {
        kind: StoredFile.from_path(path) for kind in TEXT_KINDS if (path := getattr(options, kind))
    }
    return with_uploads(files, qrels, runs, texts=texts, limit=limits())


def _arguments(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser()
    file_options(parser, required=False)
    text_options(parser)
    chunk_options(parser, by_map=False)
    limit_options(parser)
    options, _ = parser.parse_known_args(arguments)
    return options
