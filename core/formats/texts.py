"""Texts of queries and documents: JSON lines with `id`, and `text` or `title`. They only enrich."""

import json
from dataclasses import dataclass
from pathlib import Path

from core.errors import FileError, shortened
from core.formats.source import opened


@dataclass(frozen=True)
class Text:
    """What a query or a document says.

    Parameters
    ----------
    text, title : str
        Empty where the file has none.
    """

    text: str
    title: str = ""

    @property
    def label(self) -> str:
        """The title, or else the text."""
        return self.title or self.text


def read_texts(file: Path | bytes, name: str) -> dict[str, Text]:
    """Read texts by id.

    Raises
    ------
    FileError
        With the first line that is not a JSON object with an id of its own.
    """
    with opened(file, name) as source:
        lines = source.text().split("\n")
    texts: dict[str, Text] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            identity, text = _entry(line, name, number)
            if identity in texts:
                found = f"the id '{shortened(identity)}' stands on an earlier line, too"
                raise FileError(name, found, "Keep one of the two.", line=number)
            texts[identity] = text
    return texts


def _entry(line: str, file: str, number: int) -> tuple[str, Text]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        raise FileError(
            file,
            "not a JSON object with an id in quotes",
            'Write one {"id": …, "text": …} a line.',
            line=number,
        )
    if _broken(entry):
        raise FileError(
            file,
            "half a character (a lone surrogate) in the text",
            "Write the file again with correct text.",
            line=number,
        )
    return entry["id"], Text(_told(entry, "text"), _told(entry, "title"))


def _broken(entry: dict[str, object]) -> bool:
    """Whether an escape stood for half a character, which no text can hold."""
    try:
        json.dumps(entry, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _told(entry: dict[str, object], key: str) -> str:
    value = entry.get(key)
    return "" if value is None else str(value)
