"""Progress: a callback, or a line on the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]
"""Something that happened: a dictionary with its `kind`, such as `{"kind": "stage", "name": "learning", "steps": 16}`."""

Progress: TypeAlias = Callable[[Event], None] | bool
"""A function that receives events, or whether to draw a bar on a terminal or in a notebook."""


class Bar:
    """A line on standard error that is written over, if that is a terminal or a notebook."""

    def __init__(self) -> None:
        in_notebook = "ipykernel" in sys.modules
        self._is_shown = sys.stderr is not None and (in_notebook or sys.stderr.isatty())
        self._stage, self._done, self._of, self._width = "", 0, 0, 0

    def __call__(self, event: Event) -> None:
        """Show an event."""
        match event:
            case {"kind": "work", "steps": steps}:
                self._done, self._of = 0, steps
            case {"kind": "stage" | "part", "name": name}:
                self._stage = name
            case {"kind": "step"}:
                self._done += 1
            case {"kind": "epoch", "scores": {"las": las}}:
                self._stage = f"{self._stage.partition(',')[0]}, dev LAS {las:.2f}"
            case {"kind": "parsed", "sentences": sentences}:
                self._show(f"parsed {sentences} sentences")
                return
            case _:
                return
        self._show(f"{self._stage}: step {min(self._done, self._of)} of {self._of}" if self._of else self._stage)

    def _show(self, line: str) -> None:
        if self._is_shown:
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
            self._width = len(line)

    def close(self) -> None:
        """Remove the line."""
        if self._is_shown and self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


class Listener:
    """Passes events to the user's function or to a bar."""

    def __init__(self, progress: Progress) -> None:
        self._bar = Bar() if progress is True else None
        self._receive = progress if callable(progress) else self._bar

    def on_json(self, event: str) -> None:
        """Pass on an event in JSON."""
        if self._receive is not None:
            self._receive(json.loads(event))

    def on_parsed(self, sentences: int) -> None:
        """Pass on the number of sentences so far."""
        if self._receive is not None:
            self._receive({"kind": "parsed", "sentences": sentences})

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
