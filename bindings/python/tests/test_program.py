"""The program that is installed with the package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

import quaich
from quaich._program import find_program


def test_the_program_is_found(program: Callable[..., bytes]) -> None:
    version = program("--version").decode()
    assert quaich.__version__ in version
    module = [sys.executable, "-m", "quaich", "--version"]
    assert subprocess.run(module, check=True, capture_output=True, text=True).stdout == version


def test_exit_codes_are_those_of_the_program(capfd: pytest.CaptureFixture[str]) -> None:
    assert quaich.main(["list", "systems"]) == 0
    assert "arc-eager" in capfd.readouterr().out
    assert quaich.main(["no-such-command"]) == 2
    assert subprocess.run([sys.executable, "-m", "quaich", "parse"], capture_output=True, check=False).returncode == 2
    assert find_program().endswith(("quaich", "quaich.exe"))
