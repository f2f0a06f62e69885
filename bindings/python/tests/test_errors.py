"""Wrong input is reported as Python reports it, with its place and how to fix it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

import quaich

ROW = "1\tCats\t_\t_\t_\t_\t{head}\troot\t_\t_\n\n"


def test_missing_files_are_named() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        quaich.load("no such file")
    assert caught.value.errno == errno.ENOENT and caught.value.filename == "no such file"
    with pytest.raises(FileNotFoundError):
        quaich.read("no such file")
    with pytest.raises(FileNotFoundError):
        quaich.train("no such file", progress=False)


def test_damaged_models_are_rejected(tmp_path: Path, linear: quaich.Model) -> None:
    file = tmp_path / "model.quaich"
    file.write_bytes(b"something else")
    with pytest.raises(quaich.ModelError, match="model.quaich"):
        quaich.load(file)
    content = bytearray(linear.to_bytes())
    content[len(content) // 2] ^= 1
    with pytest.raises(quaich.ModelError):
        quaich.Model.from_bytes(bytes(content))
    with pytest.raises(ValueError):
        quaich.Model.from_bytes(b"")
    with pytest.raises(TypeError, match="quaich.load"):
        quaich.Model()


def test_errors_in_treebanks_have_their_place(linear: quaich.Model, tmp_path: Path) -> None:
    file = tmp_path / "bad.conllu"
    file.write_text(ROW.format(head="two"), encoding="utf-8")
    with pytest.raises(quaich.TreebankError) as caught:
        list(quaich.read(file, format="conllu"))
    error = caught.value
    assert (error.file, error.line, error.column) == (str(file), 1, 16)
    assert error.code and isinstance(error, ValueError) and str(file) in str(error)
    with pytest.raises(quaich.TreebankError) as caught:
        linear.parse_conllu(ROW.format(head="0") + ROW.format(head="7"))
    assert (caught.value.file, caught.value.line) == ("text", 3) and caught.value.hint
    assert "help: " in str(caught.value)


def test_wrong_words_are_named(linear: quaich.Model) -> None:
    for words, message in [
        (["a", ""], "word 2 has an empty form"),
        (["a\tb"], "word 1 has a tab in its form"),
        (["a", "b\n"], "word 2 has a line end in its form"),
        (["a", "\ud800"], "word 2 has a lone surrogate in its form"),
    ]:
        with pytest.raises(quaich.TreebankError, match=message):
            linear.parse_words(words)
        with pytest.raises(quaich.TreebankError, match=message):
            list(linear.pipe([words]))
    with pytest.raises(quaich.TreebankError, match="found 1 values of upos, expected 2"):
        linear.parse_words(["a", "b"], upos=["NOUN"])
    with pytest.raises(TypeError, match="use parse"):
        linear.parse_words("Cats sleep.")


def test_models_without_tokenizer_say_so(linear: quaich.Model) -> None:
    assert not linear.reads_text
    with pytest.raises(quaich.TreebankError, match="no tokenizer"):
        linear.parse("Cats sleep.")


def test_unknown_names_list_the_known_ones(sample: Path) -> None:
    train = sample / "train.conllu"
    with pytest.raises(quaich.SettingError, match="known: fast, "):
        quaich.train(train, preset="fats", progress=False)  # type: ignore[arg-type]
    with pytest.raises(quaich.SettingError, match="linear.epochs"):
        quaich.train(train, settings={"linear.epoch": 3}, progress=False)
    with pytest.raises(quaich.SettingError, match="known: conllu"):
        quaich.read(train, format="conlu")


def test_jobs_are_checked(linear: quaich.Model) -> None:
    for jobs in [0, -1]:
        with pytest.raises(ValueError, match="jobs must be 1 or more"):
            linear.parse_conllu(ROW.format(head=0), jobs=jobs)
    with pytest.raises(ValueError, match="batch_size"):
        linear.pipe([], batch_size=0)


def test_nothing_is_left_of_a_failed_run(text_model: quaich.Model, tmp_path: Path) -> None:
    source = tmp_path / "bad.conllu"
    source.write_text(ROW.format(head=0) * 3 + ROW.format(head="two"), encoding="utf-8")
    with pytest.raises(quaich.TreebankError):
        text_model.parse_file(source, tmp_path / "out.conllu", progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.conllu"]
