"""Uploads go to the disk, and out of the memory in which Streamlit holds them."""

import hashlib
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.files import StoredFile

_CHUNK = 1 << 20


class DiskCopy:
    """A copy of a file on the disk, gone when nobody refers to it any more.

    Parameters
    ----------
    file : binary file
        Read once, from where it stands, a little at a time.

    Raises
    ------
    OSError
        The disk has no room.
    """

    def __init__(self, file: IO[bytes]) -> None:
        digest = hashlib.sha256()
        with tempfile.NamedTemporaryFile(prefix="retrievers-", delete=False) as copy:
            self.path = Path(copy.name)
            weakref.finalize(self, self.path.unlink, missing_ok=True)
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                copy.write(chunk)
        self.digest = digest.hexdigest()


def stored(upload: UploadedFile) -> StoredFile:
    """Keep an upload: on the disk, or else, where that has no room, in memory."""
    upload.seek(0)
    try:
        copy = DiskCopy(upload)
    except OSError:
        content = upload.getvalue()
        return StoredFile(upload.name, content, hashlib.sha256(content).hexdigest())
    return StoredFile(upload.name, copy.path, copy.digest, copy=copy)


def let_go(uploads: Sequence[UploadedFile]) -> None:
    """Have Streamlit forget uploads, which it would hold as long as the session lasts."""
    context = get_script_run_ctx()
    if context is None or not isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        return
    for one in uploads:
        context.uploaded_file_mgr.remove_file(context.session_id, one.file_id)
