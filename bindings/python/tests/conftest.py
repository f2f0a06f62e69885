"""Fixtures: the sample treebank, and small models that are trained once per build of the module."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

import quaich
from quaich._program import find_program

DATA = Path(__file__).resolve().parents[3] / "data" / "sample"

# The tests are about the package, not about the accuracy of models.
QUICK = {"encoder.epochs": 2, "encoder.units": 32, "encoder.networks": 1, "held-out": False}


@pytest.fixture(scope="session")
def sample() -> Path:
    """The folder of the sample treebank."""
    return DATA


@pytest.fixture(scope="session")
def test_text(sample: Path) -> str:
    """The test set of the sample treebank."""
    return (sample / "test.conllu").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def models(request: pytest.FixtureRequest) -> Path:
    """A folder of models that stays as long as the module is the same: `cargo xtask python` starts several runs of tests."""
    module = Path(quaich._quaich.__file__).read_bytes()
    folder: Path = request.config.cache.mkdir(f"models-{hashlib.sha256(module).hexdigest()[:16]}")
    return folder


@pytest.fixture(scope="session")
def linear_file(models: Path) -> Path:
    """A model for words with tags."""
    path = models / "linear.quaich"
    if not path.exists():
        settings = {"learner": "linear", "linear.epochs": 2, "linear.folds": 0}
        quaich.train(DATA / "train.conllu", settings=settings, progress=False).save(path)
    return path


@pytest.fixture(scope="session")
def text_file(models: Path) -> Path:
    """A model that reads plain text."""
    path = models / "text.quaich"
    if not path.exists():
        sentences = islice(quaich.read(DATA / "train.conllu"), 120)
        quaich.train(sentences, settings=QUICK, progress=False).save(path)
    return path


@pytest.fixture
def linear(linear_file: Path) -> quaich.Model:
    """The model for words with tags, loaded anew."""
    return quaich.load(linear_file)


@pytest.fixture
def text_model(text_file: Path) -> quaich.Model:
    """The model that reads plain text, loaded anew."""
    return quaich.load(text_file)


@pytest.fixture(scope="session")
def program() -> Callable[..., bytes]:
    """Runs the program of the package and returns its output."""

    def run(*arguments: object, stdin: bytes = b"") -> bytes:
        command = [find_program(), *map(str, arguments)]
        return subprocess.run(command, input=stdin, check=True, capture_output=True).stdout

    return run
