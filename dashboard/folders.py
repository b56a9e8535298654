"""Which files of an uploaded folder are judgments, which are texts, and which are runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from core.errors import listed
from core.formats import stem
from core.formats.column_names import DOCUMENTS, QUERIES
from core.formats.source import has_ending
from dashboard.files import StoredFile
from dashboard.wording import say

_TEXT_NAMES = {"queries": QUERIES, "corpus": DOCUMENTS, "documents": DOCUMENTS}
_TEXT_ENDINGS = (".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".parquet")


@dataclass(frozen=True)
class Folder:
    """What an uploaded folder holds.

    Parameters
    ----------
    qrels : tuple of StoredFile
        The file of judgments, or nothing.
    runs : tuple of StoredFile
    notes : tuple of str
        What was guessed.
    texts : mapping
        The file of texts of "queries" and of "documents", where there is one.
    """

    qrels: tuple[StoredFile, ...]
    runs: tuple[StoredFile, ...]
    notes: tuple[str, ...] = ()
    texts: Mapping[str, StoredFile] = field(default_factory=dict)


def from_folder(uploads: Sequence[StoredFile]) -> Folder:
    """Tell judgments, texts and runs of a folder by their names; whatever is no other is a run.

    Of judgments and of each kind of texts, one file is taken; of several, none. Files whose name
    begins with a dot, as systems leave them, are passed over. Notes say so.
    """
    sorts: dict[str, list[StoredFile]] = {}
    for file in uploads:
        sorts.setdefault(_sort(PurePosixPath(file.name).name), []).append(file)
    taken: dict[str, StoredFile] = {}
    notes = []
    for sort in ("qrels", QUERIES, DOCUMENTS):
        files = sorts.get(sort, [])
        if len(files) == 1:
            taken[sort] = files[0]
            notes.append(say(f"data.note.folder.{sort}", name=files[0].name))
        elif files:
            names = listed(file.name for file in files)
            notes.append(say(f"data.note.folder_many.{sort}", n=len(files), names=names))
    if "hidden" in sorts:
        names = listed(file.name for file in sorts["hidden"])
        notes.append(say("data.note.hidden", names=names))
    qrels = (taken.pop("qrels"),) if "qrels" in taken else ()
    return Folder(qrels, tuple(sorts.get("runs", ())), tuple(notes), taken)


def _sort(name: str) -> str:
    """Tell by the name of a file what it is."""
    if name.startswith("."):
        return "hidden"
    if "qrels" in name.lower():
        return "qrels"
    if has_ending(name, *_TEXT_ENDINGS):
        return _TEXT_NAMES.get(stem(name).lower(), "runs")
    return "runs"
