"""Training from Python gives the model that the program trains."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import quaich

SETTINGS = {"learner": "linear", "linear.epochs": 1, "linear.folds": 0}


def test_the_model_is_that_of_the_program(sample: Path, program: Callable[..., bytes], tmp_path: Path) -> None:
    train, dev = sample / "train.conllu", sample / "dev.conllu"
    assignments = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
    program("train", train, "--dev", dev, "-o", tmp_path / "own.quaich", "--quiet", *assignments)
    events: list[dict[str, Any]] = []
    for jobs in [1, 2]:
        model = quaich.train(train, dev=dev, settings=SETTINGS, jobs=jobs, progress=events.append)
        assert model.to_bytes() == (tmp_path / "own.quaich").read_bytes()
    assert {"planned", "stage", "step", "scored"} <= {event["kind"] for event in events}
    assert model.info["dev"]["las"] > 30 and "root" in model.labels and "FORM" in model.columns


def test_sentences_and_files_give_the_same_model(sample: Path) -> None:
    train = sample / "train.conllu"
    of_file = quaich.train([train], settings=SETTINGS, progress=False)
    of_sentences = quaich.train(quaich.read(train), settings=SETTINGS, progress=False)
    assert of_file.to_bytes() == of_sentences.to_bytes()
    noted = quaich.train(train, settings=SETTINGS, notes={"licence": "CC0"}, progress=False)
    assert noted.info["notes"] == [["licence", "CC0"]]


def test_an_exception_of_the_callback_ends_training(sample: Path) -> None:
    def fail(event: dict[str, Any]) -> None:
        raise LookupError(event["kind"])

    with pytest.raises(LookupError, match="planned"):
        quaich.train(sample / "train.conllu", settings=SETTINGS, progress=fail)


def test_nothing_to_train_on_is_an_error() -> None:
    with pytest.raises(ValueError, match="no sentences"):
        quaich.train([], progress=False)
