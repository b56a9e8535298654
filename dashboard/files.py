"""The files of a session: where they come from, and what uploads change. Nothing is read yet."""

import hashlib
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from core.cli import file_options

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
class StoredFile:
    """A file of this session: uploaded bytes, or a path on this machine.

    Parameters
    ----------
    name : str
        File name.
    content : bytes or Path
        The bytes, or where they lie.
    digest : str
        SHA-256 of the bytes.
    run_name : str or None
        What a run is called, if somebody named it.
    """

    name: str
    content: bytes | Path
    digest: str
    run_name: str | None = None

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

    @classmethod
    def from_bytes(cls, name: str, content: bytes) -> "StoredFile":
        """Take an upload."""
        return cls(name, content, hashlib.sha256(content).hexdigest())


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
    """

    origin: str
    qrels: tuple[StoredFile, ...]
    runs: tuple[StoredFile, ...]
    scale: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()


def current_files() -> Files:
    """Return the files of this session: at first those of the command line, or the samples."""
    if "files" not in st.session_state:
        st.session_state["files"] = _command_line_files(sys.argv[1:]) or sample_files()
    files: Files = st.session_state["files"]
    return files


def sample_files() -> Files:
    """Return the sample judgments and runs."""
    runs = tuple(StoredFile.from_path(SAMPLES / name) for name in _SAMPLE_RUNS)
    return Files("sample", (StoredFile.from_path(SAMPLES / "qrels.tsv"),), runs, (0, 3))


def with_uploads(files: Files, qrels: StoredFile | None, runs: Sequence[StoredFile]) -> Files:
    """Add uploads: qrels replace the old ones, runs join the others. Samples make way.

    A run whose bytes are there already is not added again, and a note says so.
    """
    if files.origin == "sample":
        files = Files("uploaded", (), ())
    kept = {file.digest: file for file in files.runs}
    notes = []
    for file in runs:
        if (known := kept.setdefault(file.digest, file)) is not file:
            notes.append(f"{file.called} is not added: it holds the same bytes as {known.called}.")
    return replace(
        files,
        qrels=(*files.qrels, qrels) if qrels else files.qrels,
        runs=tuple(kept.values()),
        notes=tuple(notes),
    )


def with_scale(files: Files, scale: tuple[int, int] | None) -> Files:
    """Declare another scale of grades, or none."""
    return replace(files, scale=scale, notes=())


def without_run(files: Files, digest: str) -> Files:
    """Remove one run."""
    runs = tuple(file for file in files.runs if file.digest != digest)
    return replace(files, runs=runs, notes=())


def _command_line_files(arguments: Sequence[str]) -> Files | None:
    parser = ArgumentParser()
    file_options(parser, required=False)
    options, _ = parser.parse_known_args(arguments)
    if options.qrels is None:
        return None
    files = Files("command line", (), (), options.scale)
    runs = [StoredFile.from_path(file.path, file.name) for file in options.runs]
    return with_uploads(files, StoredFile.from_path(options.qrels), runs)
