"""Finds and runs the program `quaich` that was installed with this package."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence


def find_program() -> str:
    """The path of the program."""
    tried = list(_places())
    for path in tried:
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"the program quaich was not found; looked for {', '.join(tried)}")


def _places() -> Iterator[str]:
    name = "quaich" + (sysconfig.get_config_var("EXE") or "")
    folders = [sysconfig.get_path("scripts")]
    # With packages of the interpreter that an environment is based on.
    folders.append(sysconfig.get_path("scripts", vars={"base": sys.base_prefix}))
    # `pip install --target FOLDER` and `--prefix FOLDER`.
    package = os.path.dirname(os.path.abspath(__file__))
    folders.append(os.path.join(os.path.dirname(package), "bin"))
    above = os.path.join(package, *3 * [os.pardir])
    folders.append(os.path.normpath(os.path.join(above, os.pardir, "bin")))
    folders.append(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")))
    yield from dict.fromkeys(os.path.join(folder, name) for folder in folders)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with these arguments [default: those of the process]; return its exit code.

    Without arguments, the program takes the place of this process where that is possible.
    """
    program = find_program()
    if argv is not None or sys.platform == "win32":
        return subprocess.run([program, *(sys.argv[1:] if argv is None else argv)], check=False).returncode
    os.execv(program, [program, *sys.argv[1:]])
