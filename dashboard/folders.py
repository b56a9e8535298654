"""Which files of an uploaded folder are judgments, and which are runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from core.errors import listed
from dashboard.files import StoredFile
from dashboard.wording import say


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
    """

    qrels: tuple[StoredFile, ...]
    runs: tuple[StoredFile, ...]
    notes: tuple[str, ...] = ()


def from_folder(uploads: Sequence[StoredFile]) -> Folder:
    """Tell the judgments of a folder from its runs: the one file with "qrels" in its name.

    Files whose name begins with a dot, as systems leave them, are passed over with a note.
    """
    hidden = [file for file in uploads if PurePosixPath(file.name).name.startswith(".")]
    if hidden:
        rest = from_folder([file for file in uploads if file not in hidden])
        names = listed(file.name for file in hidden)
        return replace(rest, notes=(*rest.notes, say("data.note.hidden", names=names)))
    qrels = [file for file in uploads if "qrels" in PurePosixPath(file.name).name.lower()]
    runs = tuple(file for file in uploads if file not in qrels)
    if len(qrels) == 1:
        note = say("data.note.folder_qrels", name=qrels[0].name)
        return Folder(tuple(qrels), runs, (note,))
    if not qrels:
        return Folder((), runs)
    names = listed(file.name for file in qrels)
    return Folder((), runs, (say("data.note.folder_many_qrels", n=len(qrels), names=names),))
