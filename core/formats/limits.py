"""How much a file may unpack to."""

from core.errors import FileError

LARGEST = 8 << 30
"""Bytes that an archive may unpack to, unless told otherwise."""


def too_large(name: str, limit: int) -> FileError:
    """Build the error for a file that unpacks to more than can be taken."""
    return FileError(
        name,
        f"the file unpacks to more than {_size(limit)}, which is the limit",
        "Is this the right file? Split it, or unpack it first.",
    )


def _size(count: int) -> str:
    for unit, factor in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"
