"""The blocks of the guide run, in order; and every public name is documented."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import re
import shutil
from pathlib import Path

import pytest

import quaich

REPOSITORY = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"(?:<!-- needs: (?P<needs>[^>]*) -->\n)?```python\n(?P<code>.*?)```\n", re.DOTALL)


def test_the_guide_runs(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["train", "dev", "test"]:
        shutil.copy(sample / f"{name}.conllu", tmp_path)
    monkeypatch.chdir(tmp_path)
    guide = (REPOSITORY / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    n_run = 0
    for block in BLOCK.finditer(guide):
        try:
            for needed in (block["needs"] or "").split():
                importlib.import_module(needed)
        except ImportError:
            continue
        line = guide.count("\n", 0, block.start("code"))
        exec(compile("\n" * line + block["code"], "docs/guide/python.md", "exec"), names)
        n_run += 1
    assert n_run >= 6


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch, text_model: quaich.Model) -> None:
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    folder = REPOSITORY / "bindings" / "python" / "notebooks"
    monkeypatch.chdir(folder)
    # The guide trains; here a trained model is enough.
    monkeypatch.setattr(quaich, "train", lambda *_, **__: text_model)
    names: dict[str, object] = {}
    for cell in json.loads((folder / "tour.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert "document" in names


@pytest.mark.parametrize("file", ["README.md", "bindings/python/README.md"])
def test_the_examples_of_the_readmes_run(
    file: str, text_model: quaich.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    # The guide trains; here a trained model is enough.
    monkeypatch.setattr(quaich, "train", lambda *_, **__: text_model)
    names: dict[str, object] = {"data_frame": pa.table({"form": [["Cats", "sleep", "."]]})}
    blocks = list(BLOCK.finditer((REPOSITORY / file).read_text(encoding="utf-8")))
    for block in blocks:
        exec(block["code"], names)
    assert blocks and isinstance(names["sentence"], quaich.Sentence)


def test_public_names_are_documented() -> None:
    for name in quaich.__all__:
        value = getattr(quaich, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, name
            for member, own in vars(value).items() if inspect.isclass(value) else []:
                if not member.startswith("_") and (inspect.isfunction(own) or isinstance(own, property | classmethod)):
                    assert inspect.getdoc(own), f"{name}.{member}"


def test_the_reference_page_is_up_to_date() -> None:
    tool = REPOSITORY / "bindings" / "python" / "tools" / "reference_page.py"
    spec = importlib.util.spec_from_file_location("reference_page", tool)
    assert spec is not None and spec.loader is not None
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    assert page.PAGE.read_text(encoding="utf-8") == page.made(), "run python bindings/python/tools/reference_page.py"
