"""What the helpers for Spark and Ray share: models that are loaded once per process."""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import lru_cache

from quaich._model import Model, PathLike, load


@lru_cache(maxsize=4)
def load_cached(path: str) -> Model:
    """Load a model once per process."""
    return load(path)


def model_file(model: Model | PathLike) -> str:
    """The path of a model file; a model in memory is written to a temporary file that is named by its content."""
    if not isinstance(model, Model):
        return os.path.abspath(os.fspath(model))
    content = model.to_bytes()
    path = os.path.join(tempfile.gettempdir(), f"quaich-{hashlib.sha256(content).hexdigest()[:16]}.quaich")
    if not os.path.exists(path):
        model.save(path)
    return path


def content_hash(path: str) -> str:
    """A hash of a file's content."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]
