"""Writes docs/reference/python.md from the typed files: signatures and docstrings of everything public.

    python bindings/python/tools/reference_page.py
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
PACKAGE = REPOSITORY / "bindings" / "python" / "python" / "quaich"
PAGE = REPOSITORY / "docs" / "reference" / "python.md"

HEAD = """# Python: classes and functions

Made from the typed files of the package by `python bindings/python/tools/reference_page.py`. The [guide](../guide/python.md) explains how
to use them. A path is a `str` or an `os.PathLike`.
"""

# The sections: title, file, names in the order of the page.
SECTIONS = [
    ("quaich", "_model.py", ["load", "train", "read", "evaluate", "Model", "Parsed", "Evaluation"]),
    ("Sentences", "_sentence.py", ["Document", "Sentence", "Token"]),
    ("Parquet", "_parquet.py", ["parse_parquet"]),
    ("quaich.spark", "spark.py", ["parse"]),
    ("quaich.ray", "ray.py", ["parse"]),
    (
        "quaich.convert",
        "convert.py",
        ["to_spacy", "from_spacy", "to_conllu", "from_conllu", "to_udapi", "from_udapi", "to_stanza", "from_stanza"],
    ),
    (
        "Exceptions and warnings",
        "_errors.py",
        ["QuaichError", "ModelError", "SettingError", "TreebankError", "Interrupted", "MissingColumnWarning"],
    ),
    ("The program", "_program.py", ["main"]),
]

# Longer signatures have one parameter per line.
WIDTH = 100


def made() -> str:
    """The page."""
    parts = [HEAD]
    for title, file, names in SECTIONS:
        tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
        defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        parts.append(f"## {title}\n")
        for name in names:
            node = defined[name]
            parts += function(node, "###") if isinstance(node, ast.FunctionDef) else klass(node)
    return "\n".join(parts)


def klass(node: ast.ClassDef) -> list[str]:
    """A class: its bases, properties and methods."""
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    lines = [f"### class {node.name}" + (f"({bases})" if bases else "") + "\n", text(node) + "\n"]
    values, methods = [], []
    for at, member in enumerate(node.body):
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            decorators = [ast.unparse(decorator) for decorator in member.decorator_list]
            if "property" in decorators and member.returns is not None:
                values.append((member.name, ast.unparse(member.returns), text(member)))
            elif "overload" not in decorators:
                methods += function(member, "####", f"{node.name}." if "classmethod" in decorators else "")
        elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            described = at + 1 < len(node.body) and node.body[at + 1]
            if not member.target.id.startswith("_") and isinstance(described, ast.Expr):
                values.append((member.target.id, ast.unparse(member.annotation), ast.literal_eval(described.value)))
    if values:
        lines.append("| attribute | type | |\n|---|---|---|")
        cells = [(name, kind.replace("|", r"\|"), about) for name, kind, about in values]
        lines += [f"| `{name}` | `{kind}` | {about} |" for name, kind, about in cells]
        lines.append("")
    return lines + methods


def function(node: ast.FunctionDef, level: str, prefix: str = "") -> list[str]:
    """A function: its signature and docstring."""
    return [f"{level} {prefix}{node.name}\n", f"```python\n{signature(node, prefix)}\n```\n", text(node) + "\n"]


def signature(node: ast.FunctionDef, prefix: str) -> str:
    """The signature without `self` and `cls`."""
    arguments = node.args
    arguments.args = [argument for argument in arguments.args if argument.arg not in ("self", "cls")]
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    parts = [spaced(part) for part in split(ast.unparse(arguments))]
    line = f"{prefix}{node.name}({', '.join(parts)}){returned}"
    if len(line) <= WIDTH:
        return line
    return f"{prefix}{node.name}(\n    " + ",\n    ".join(parts) + f",\n){returned}"


def spaced(parameter: str) -> str:
    """A parameter with spaces around the sign before its default, if it has a type."""
    return re.sub(r"^(\w+: [^=]+)=", r"\1 = ", parameter)


def split(arguments: str) -> list[str]:
    """The parameters, divided at commas outside of brackets."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "[({") - (character in "])}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def text(node: ast.FunctionDef | ast.ClassDef) -> str:
    """The docstring."""
    return ast.get_docstring(node) or ""


if __name__ == "__main__":
    PAGE.write_text(made(), encoding="utf-8")
