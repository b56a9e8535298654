"""Files to core objects: once each, kept by digest; errors become words beside the file."""

import hashlib
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

from core.cli import file_options
from core.errors import EvaluationError
from core.formats import distinctly_named, read_judgments, read_run
from core.formats.texts import Text, read_texts
from core.grades import GradedRun, join
from core.judgments import Judgments
from core.runs import Run

SAMPLES = Path(__file__).parent.parent / "sample_runs"
_SAMPLE_RUNS = ("bm25.run", "char-ngrams.json.gz", "fusion.run")


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

    @classmethod
    def from_path(cls, path: Path, run_name: str | None = None) -> "StoredFile":
        """Take a file on this machine; one that cannot be read gets its error when it is used."""
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            digest = f"unreadable {path}"
        return cls(path.name, path, digest, run_name)

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
    qrels : StoredFile or None
    runs : tuple of StoredFile
    scale : tuple of int or None
        Declared scale of the grades.
    """

    origin: str
    qrels: StoredFile | None
    runs: tuple[StoredFile, ...]
    scale: tuple[int, int] | None = None


@dataclass(frozen=True)
class Rejected:
    """A file that is not used, and why."""

    file: StoredFile
    reason: str


@dataclass(frozen=True, eq=False)
class Workspace:
    """Everything that is loaded.

    Parameters
    ----------
    files : Files
    judgments : Judgments or None
    runs : tuple of GradedRun
        The runs that can be scored.
    used : tuple of StoredFile
        Their files, in the same order.
    rejected : tuple of Rejected
        Files that cannot be used.
    queries, documents : dict
        Texts by id, where there are any.
    """

    files: Files
    judgments: Judgments | None
    runs: tuple[GradedRun, ...]
    used: tuple[StoredFile, ...]
    rejected: tuple[Rejected, ...]
    queries: dict[str, Text] = field(default_factory=dict)
    documents: dict[str, Text] = field(default_factory=dict)


def current_files() -> Files:
    """Return the files of this session: at first those of the command line, or the samples."""
    if "files" not in st.session_state:
        st.session_state["files"] = _command_line_files(sys.argv[1:]) or sample_files()
    files: Files = st.session_state["files"]
    return files


def sample_files() -> Files:
    """Return the sample judgments and runs."""
    runs = tuple(StoredFile.from_path(SAMPLES / name) for name in _SAMPLE_RUNS)
    return Files("sample", StoredFile.from_path(SAMPLES / "qrels.tsv"), runs, (0, 3))


def with_uploads(files: Files, qrels: StoredFile | None, runs: Sequence[StoredFile]) -> Files:
    """Add uploads: qrels replace the old ones, runs join the others. Samples make way."""
    if files.origin == "sample":
        files = Files("uploaded", None, ())
    known = {file.digest for file in files.runs}
    new = [file for file in runs if file.digest not in known]
    return replace(files, qrels=qrels or files.qrels, runs=(*files.runs, *new))


def with_scale(files: Files, scale: tuple[int, int] | None) -> Files:
    """Declare another scale of grades, or none."""
    return replace(files, scale=scale)


def without_run(files: Files, digest: str) -> Files:
    """Remove one run."""
    return replace(files, runs=tuple(file for file in files.runs if file.digest != digest))


def workspace() -> Workspace:
    """Load the files of this session; what was loaded before comes from memory."""
    files = current_files()
    judgments, rejected = None, []
    if files.qrels is not None:
        loaded = _judgments(files.qrels.digest, files.scale, files.qrels)
        if isinstance(loaded, Judgments):
            judgments = loaded
        else:
            rejected.append(Rejected(files.qrels, loaded))
    read, used = [], []
    for file in files.runs:
        run = _run(file.digest, file.run_name, file.name, file)
        if isinstance(run, Run):
            read.append(run)
            used.append(file)
        else:
            rejected.append(Rejected(file, run))
    graded: list[GradedRun] = []
    scored_files: list[StoredFile] = []
    if judgments is not None and files.qrels is not None:
        key = (files.qrels.digest, files.scale)
        for run, file in zip(distinctly_named(read), used, strict=True):
            joined = _graded(file.digest, run.name, file.name, key, run, judgments)
            if isinstance(joined, GradedRun):
                graded.append(joined)
                scored_files.append(file)
            else:
                rejected.append(Rejected(file, joined))
    texts = _sample_texts() if files.origin == "sample" else ({}, {})
    return Workspace(files, judgments, tuple(graded), tuple(scored_files), tuple(rejected), *texts)


def _command_line_files(arguments: Sequence[str]) -> Files | None:
    parser = ArgumentParser()
    file_options(parser, required=False)
    options, _ = parser.parse_known_args(arguments)
    if options.qrels is None:
        return None
    runs = tuple(StoredFile.from_path(file.path, file.name) for file in options.runs)
    return Files("command line", StoredFile.from_path(options.qrels), runs, options.scale)


# The caches are keyed by digests; what starts with an underscore is not hashed. Errors are kept as
# text, so that a bad file is not read again at every rerun.


@st.cache_resource(max_entries=16, show_spinner="Reading the judgments …")
def _judgments(digest: str, scale: tuple[int, int] | None, _file: StoredFile) -> Judgments | str:
    try:
        return read_judgments(_file.content, name=_file.name, scale=scale)
    except EvaluationError as error:
        return str(error)


@st.cache_resource(max_entries=64, show_spinner="Reading a run …")
def _run(digest: str, run_name: str | None, file_name: str, _file: StoredFile) -> Run | str:
    try:
        return read_run(_file.content, source=file_name, name=run_name)
    except EvaluationError as error:
        return str(error)


@st.cache_resource(max_entries=64, show_spinner="Joining a run to the judgments …")
def _graded(
    digest: str,
    run_name: str,
    file_name: str,
    judgments_key: tuple[object, ...],
    _run: Run,
    _judgments: Judgments,
) -> GradedRun | str:
    try:
        return join(_run, _judgments)
    except EvaluationError as error:
        return str(error)


@st.cache_resource(show_spinner=False)
def _sample_texts() -> tuple[dict[str, Text], dict[str, Text]]:
    names = ("queries.jsonl", "documents.jsonl")
    queries, documents = (read_texts(SAMPLES / name, name) for name in names)
    return queries, documents
