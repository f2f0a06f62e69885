"""The same bytes as the program on whole treebanks; runs where the variable `QUAICH_TREEBANKS` names a folder of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

import quaich

FOLDER = os.environ.get("QUAICH_TREEBANKS")
TREEBANKS = sorted(path.parent for path in Path(FOLDER).glob("*/train.*")) if FOLDER else []
# The tests are about the package, not about the accuracy of models.
SETTINGS: dict[str, dict[str, object]] = {
    "fast": {"linear.epochs": 2, "linear.folds": 0},
    "balanced": {"encoder.epochs": 1, "encoder.units": 32, "encoder.networks": 1, "held-out": False},
}
# The presets in turn, because every case trains a model.
CASES = [
    pytest.param(treebank, list(SETTINGS)[number % 2], id=treebank.name)
    for number, treebank in enumerate(TREEBANKS)
]


@pytest.mark.skipif(not TREEBANKS, reason="QUAICH_TREEBANKS is not set")
@pytest.mark.parametrize(("treebank", "preset"), CASES)
@pytest.mark.filterwarnings("ignore::quaich.MissingColumnWarning")
def test_bytes_are_those_of_the_program(
    treebank: Path, preset: str, program: Callable[..., bytes], tmp_path: Path
) -> None:
    train, test = (next(treebank.glob(f"{name}.*")) for name in ("train", "test"))
    file = tmp_path / "model.quaich"
    sentences = islice(quaich.read(train), 150)
    quaich.train(sentences, preset=preset, settings=SETTINGS[preset], progress=False).save(file)  # type: ignore[arg-type]
    model = quaich.load(file)
    expected = program("parse", "-m", file, test)
    content = test.read_bytes()
    assert model.parse_conllu(content) == model.parse_conllu(content, jobs=2) == expected
    counts = model.parse_file(test, tmp_path / "parsed", progress=False)
    assert (tmp_path / "parsed").read_bytes() == expected
    gold = list(quaich.read(test))
    assert counts == (len(gold), sum(map(len, gold)))
    assert [s.heads for s in model.pipe(gold, jobs=2)] == [s.heads for s in quaich.read(tmp_path / "parsed")]

    text = "\n".join(sentence.text or " ".join(sentence.words) for sentence in gold)
    if model.reads_text:
        expected = program("parse", "-m", file, "--input", "text", stdin=text.encode())
        assert model.parse(text).to_conllu().encode() == expected
