"""The exceptions and warnings of quaich."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaich._model import Model


class QuaichError(Exception):
    """The base of all exceptions of quaich, except those that Python has already: a missing file is `FileNotFoundError`."""


class ModelError(QuaichError, ValueError):
    """A file that is not a model, or a damaged one, or one of another version."""


class SettingError(QuaichError, ValueError):
    """An unknown name or an invalid value. Unknown names list the known ones, nearest first."""


class TreebankError(QuaichError, ValueError):
    """Data that are not as expected: a treebank, a sentence, a batch."""

    file: str | None
    """The file, if the data come from one."""
    line: int
    """The line, counted from 1; 0 if unknown."""
    column: int
    """The column in characters, counted from 1; 0 if unknown."""
    code: str
    """The stable name of this kind of problem."""
    hint: str | None
    """How to fix it, if that is known."""

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int = 0,
        column: int = 0,
        code: str = "",
        hint: str | None = None,
    ) -> None:
        super().__init__(message, file, line, column, code, hint)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n  help: {self.hint}"


class Interrupted(KeyboardInterrupt):
    """Training was interrupted with Ctrl-C. `model` is the model of the epochs that were finished; `None` before the end of the first."""

    model: Model | None

    def __init__(self, model: Model | None) -> None:
        kept = "less than an epoch was trained" if model is None else "the model trained so far is in the attribute `model`"
        super().__init__(f"training was interrupted; {kept}")
        self.model = model

    def __reduce__(self) -> tuple[type[Interrupted], tuple[Model | None]]:
        return Interrupted, (self.model,)


class MissingColumnWarning(UserWarning):
    """The model was trained with columns that the input does not have, and is less accurate without them."""


def warn_of_missing_columns(columns: list[str]) -> None:
    """Warn of columns that a model was trained on and that the input lacks."""
    message = f"no values in {', '.join(columns)}; the model was trained with them and is less accurate without"
    warnings.warn(message, MissingColumnWarning, stacklevel=3)
