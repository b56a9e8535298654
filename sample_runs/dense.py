"""Retrieval by meaning: the word vectors that the wordllama package ships, averaged over a text.

The package's own loader looks for its tokenizer in the wrong folder and would ask a hub for it, so
both files are opened here directly. Nothing is fetched while this runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from ranking import Scores
from safetensors.numpy import load_file
from tokenizers import Tokenizer

Vector = NDArray[np.float64]


class Encoder:
    """Turns a text into the mean of its tokens' vectors, 256 numbers long."""

    def __init__(self) -> None:
        folder = _package_folder("wordllama")
        weights = load_file(folder / "weights" / "l2_supercat_256.safetensors")
        self.vectors = weights["embedding.weight"].astype(np.float64)
        self.tokenizer = Tokenizer.from_file(
            str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
        )

    def encode(self, text: str) -> Vector:
        """The text as typed, capitals included."""
        tokens = self.tokenizer.encode(text, add_special_tokens=False).ids
        return np.asarray(self.vectors[tokens].mean(axis=0), dtype=np.float64)


class DenseIndex:
    """Cosine between the vectors of a query and of each document.

    Parameters
    ----------
    encoder : Encoder
    texts : mapping
        Document id to text.
    width : int
        How many of the 256 numbers are kept. The vectors were trained so that their first numbers
        can be used alone: fewer are cheaper and coarser.
    """

    def __init__(self, encoder: Encoder, texts: Mapping[str, str], width: int = 256) -> None:
        self.encoder, self.width = encoder, width
        self.vectors = {document: self._vector(text) for document, text in texts.items()}

    def scores(self, query: str, among: Iterable[str] | None = None) -> Scores:
        """Cosine with every document, or with those of a candidate list."""
        wanted = self._vector(query)
        documents = self.vectors if among is None else among
        return {document: float(self.vectors[document] @ wanted) for document in documents}

    def _vector(self, text: str) -> Vector:
        vector = self.encoder.encode(text)[: self.width]
        return vector / float(np.linalg.norm(vector))


def _package_folder(name: str) -> Path:
    """Where a package lies, without running its code."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed: pip install '.[samples]'")
    return Path(spec.origin).parent
