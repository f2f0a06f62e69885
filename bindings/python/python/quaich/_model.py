"""Models: loading, training, parsing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict, TypeVar, final

from quaich import _quaich
from quaich._errors import Interrupted
from quaich._progress import Listener, Progress
from quaich._sentence import Document, Sentence

PathLike: TypeAlias = str | os.PathLike[str]
"""The path of a file."""

Trace: TypeAlias = dict[str, Any]
"""A derivation, with the keys that `quaich trace --json` prints."""

Info: TypeAlias = dict[str, Any]
"""What a model was trained on, with which settings, and how it scores."""

_Text = TypeVar("_Text", str, bytes)


class ArrowArrayExportable(Protocol):
    """A record batch of any library that has Arrow's capsules."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The capsules of its schema and its columns."""
        ...


class ArrowStreamExportable(Protocol):
    """A table, data frame, relation or reader of any library that has Arrow's capsules."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The capsule of its batches."""
        ...


class Parsed(NamedTuple):
    """What `Model.parse_file` has parsed."""

    sentences: int
    """The number of sentences."""
    words: int
    """The number of words."""


class RowOptions(TypedDict, total=False):
    """The options of `Model.parse_batch`, except `jobs`."""

    columns: Mapping[str, str]
    keep: Sequence[str] | None
    scores: bool
    labels: Literal["string", "dictionary"]
    errors: Literal["raise", "null"]


def _batch_options(
    columns: Mapping[str, str] = {},
    keep: Sequence[str] | None = None,
    scores: bool = False,
    labels: Literal["string", "dictionary"] = "string",
    errors: Literal["raise", "null"] = "raise",
    jobs: int = 1,
) -> _quaich._Options:
    return {
        "columns": dict(columns),
        "keep": None if keep is None else list(keep),
        "scores": scores,
        "labels": labels,
        "errors": errors,
        "jobs": jobs,
    }


@final
class Model:
    """A trained model. It never changes and can be used by several threads at once.

    Parsing runs without Python's global lock, so that threads really run in parallel.
    """

    __slots__ = ("__weakref__", "_handle")

    _handle: _quaich.Model

    def __init__(self) -> None:
        raise TypeError("use quaich.load(path), quaich.train(...) or Model.from_bytes(content)")

    @classmethod
    def _of(cls, handle: _quaich.Model) -> Model:
        model = cls.__new__(cls)
        model._handle = handle
        return model

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        """Read a model from the content of a model file."""
        return cls._of(_quaich.Model.from_bytes(content))

    def to_bytes(self) -> bytes:
        """The content of the model file."""
        return self._handle.to_bytes()

    def save(self, path: PathLike) -> None:
        """Write the model file. An existing file is replaced when the new one is complete."""
        self._handle.save(path)

    @property
    def info(self) -> Info:
        """What the model was trained on, with which settings, and how it scores."""
        info: Info = json.loads(self._handle.info())
        return info

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the model can assign."""
        return tuple(self._handle.labels())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the model was trained on, by their names in CoNLL-U."""
        return tuple(self._handle.columns())

    @property
    def reads_text(self) -> bool:
        """Whether the model finds sentences and words in plain text."""
        return self._handle.reads_text()

    def parse(self, text: str, *, scores: bool = False) -> Document:
        """Parse plain text: find its sentences and words, tag and parse them.

        With `scores`, every arc gets its probability to be correct.
        """
        return Document(map(Sentence._of, self._handle.parse_text(text, scores)))

    def parse_words(
        self,
        words: Sequence[str],
        *,
        upos: Sequence[str | None] | None = None,
        xpos: Sequence[str | None] | None = None,
        lemmas: Sequence[str | None] | None = None,
        feats: Sequence[str | None] | None = None,
        scores: bool = False,
    ) -> Sentence:
        """Parse one sentence of words, with tags if they are given; otherwise the model tags it, if it can."""
        return Sentence._of(self._handle.parse_words(words, upos, xpos, lemmas, feats, scores))

    def parse_conllu(self, text: _Text, *, scores: bool = False, jobs: int | None = 1) -> _Text:
        """Parse a treebank in memory, in CoNLL-U or another known format: what `quaich parse` would write, as `str` or `bytes` like the input.

        `jobs` is the number of threads, or `None` for one per core.
        """
        parsed: _Text = self._handle.parse_conllu(text, scores, jobs)
        return parsed

    def parse_file(
        self,
        input: PathLike,
        output: PathLike,
        *,
        scores: bool = False,
        jobs: int | None = None,
        progress: Progress = True,
    ) -> Parsed:
        """Parse a file of plain text or a treebank, compressed or not, as `quaich parse -m MODEL INPUT -o OUTPUT` does.

        The output file appears when it is complete. Events are `{"kind": "parsed", "sentences": …}`.
        """
        with Listener(progress) as listener:
            return Parsed(*self._handle.parse_file(input, output, scores, jobs, listener.on_parsed))

    def pipe(
        self,
        sentences: Iterable[Sentence | Sequence[str]],
        *,
        batch_size: int = 512,
        scores: bool = False,
        jobs: int = 1,
    ) -> Iterator[Sentence]:
        """Parse a stream of sentences, in order: lists of words, or sentences with their tags.

        Reads `batch_size` sentences ahead and parses them together with `jobs` threads.
        """
        if batch_size < 1:
            raise ValueError("batch_size must be 1 or more")
        return self._pipe(iter(sentences), batch_size, scores, jobs)

    def _pipe(
        self, sentences: Iterator[Sentence | Sequence[str]], batch_size: int, scores: bool, jobs: int
    ) -> Iterator[Sentence]:
        while batch := list(islice(sentences, batch_size)):
            handles = [item._handle if isinstance(item, Sentence) else item for item in batch]
            yield from map(Sentence._of, self._handle.parse_sentences(handles, scores, jobs))

    def parse_batch(
        self,
        batch: ArrowArrayExportable | ArrowStreamExportable,
        *,
        columns: Mapping[str, str] = {},
        keep: Sequence[str] | None = None,
        scores: bool = False,
        labels: Literal["string", "dictionary"] = "string",
        errors: Literal["raise", "null"] = "raise",
        jobs: int = 1,
    ) -> _quaich.RecordBatch:
        """Parse a batch or data frame of any library that has Arrow's capsules: pyarrow, polars, pandas, duckdb and others.

        A row is a sentence: a list of strings in the column `form`, and if there are, `lemma`, `upos`, `xpos`, `feats`. The
        result has `head` (lists of 32-bit integers) and `deprel` (lists of strings), and `score` with `scores`. Without a
        column `form`, a row is a text in the column `text`, and the result has a row per sentence.

        `columns` names columns that are called otherwise, such as `{"form": "words"}`. `keep` names the input columns to pass
        along [default: all]. With `errors="null"`, a row that cannot be parsed gets nulls and a message in the column `error`.
        """
        return self._handle.parse_batch(batch, _batch_options(columns, keep, scores, labels, errors, jobs))

    def parse_batches(
        self,
        stream: ArrowStreamExportable,
        *,
        columns: Mapping[str, str] = {},
        keep: Sequence[str] | None = None,
        scores: bool = False,
        labels: Literal["string", "dictionary"] = "string",
        errors: Literal["raise", "null"] = "raise",
        jobs: int = 1,
    ) -> _quaich.RecordBatchReader:
        """Parse a stream of batches like `parse_batch`, each batch when it is asked for, in bounded memory."""
        return self._handle.parse_batches(stream, _batch_options(columns, keep, scores, labels, errors, jobs))

    def schema(
        self,
        input: object,
        *,
        columns: Mapping[str, str] = {},
        keep: Sequence[str] | None = None,
        scores: bool = False,
        labels: Literal["string", "dictionary"] = "string",
        errors: Literal["raise", "null"] = "raise",
        jobs: int = 1,
    ) -> _quaich.Schema:
        """The columns that `parse_batch` gives for input with the columns of `input`, a schema or anything that has one."""
        return self._handle.schema(input, _batch_options(columns, keep, scores, labels, errors, jobs))

    def trace(self, sentence: Sentence) -> Trace:
        """How the model derives the tree of a sentence, step by step; what `quaich trace --json` prints."""
        trace: Trace = json.loads(self._handle.trace(sentence._handle))
        return trace

    def __repr__(self) -> str:
        info = self.info
        kind = f"ensemble of {self._handle.n_members()} parsers" if self._handle.n_members() > 1 else "parser"
        return f"<quaich.Model: {kind}, {len(self.labels)} labels, trained on {info['tokens']} words>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)


def load(path: PathLike, *, member: int | None = None) -> Model:
    """Load a model file; with `member`, only this parser of an ensemble, counted from 1."""
    return Model._of(_quaich.Model.load(path, member))


def train(
    treebank: PathLike | Iterable[PathLike] | Iterable[Sentence],
    *,
    dev: PathLike | None = None,
    preset: Literal["fast", "balanced", "best"] = "balanced",
    settings: Mapping[str, object] = {},
    notes: Mapping[str, str] = {},
    jobs: int | None = None,
    progress: Progress = True,
) -> Model:
    """Train a model on treebank files or sentences, as `quaich train` does.

    With `dev`, the epoch that scores best on it is kept. `settings` are those of `quaich list settings`, such as
    `{"encoder.units": 192}`. The model is the same for any number of `jobs` (threads; `None`: one per core). `progress` is a
    function that receives events, or whether to show a bar. Ctrl-C raises `Interrupted`, with the model of the
    epochs that are finished, if any.
    """
    # A path is not a collection of paths, although a string is one of strings.
    data: Iterable[PathLike | Sentence] = [treebank] if isinstance(treebank, str | os.PathLike) else treebank
    handles: list[Any] = [item._handle if isinstance(item, Sentence) else os.fspath(item) for item in data]
    given = [f"{name}={_setting(value)}" for name, value in settings.items()]
    with Listener(progress) as listener:
        handle, stopped_by = _quaich.train(
            handles, dev, preset, given, list(notes.items()), jobs, listener.on_json
        )
    model = None if handle is None else Model._of(handle)
    if isinstance(stopped_by, KeyboardInterrupt):
        raise Interrupted(model) from None
    if stopped_by is not None:
        raise stopped_by
    assert model is not None, "training that was not stopped has a model"
    return model


def _setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read(path: PathLike, *, format: str | None = None, encoding: str | None = None) -> Iterator[Sentence]:
    """Read the sentences of a treebank file, compressed or not, one after the other.

    The format is detected, or one of `quaich list formats`. The encoding is UTF-8 unless another one is named.
    """
    return _read(_quaich.Reader.open(path, format, encoding))


def _read(reader: _quaich.Reader) -> Iterator[Sentence]:
    while sentences := reader.read(256):
        yield from map(Sentence._of, sentences)


class Evaluation(Mapping[str, Any]):
    """The comparison of two analyses: what `quaich eval --json` prints, by key; `las` and `uas` also as attributes."""

    def __init__(self, results: Mapping[str, Any]) -> None:
        self._results = results

    @property
    def las(self) -> float:
        """The labelled attachment score in percent."""
        return self._percent("las", "LAS")

    @property
    def uas(self) -> float:
        """The unlabelled attachment score in percent."""
        return self._percent("uas", "UAS")

    def _percent(self, name: str, measure: str) -> float:
        found = self._results[name] if name in self._results else self._results[measure]["f1"]
        return float(found)

    def __getitem__(self, key: str) -> Any:
        return self._results[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        return f"<Evaluation: LAS {self.las:.2f}, UAS {self.uas:.2f}>"


def evaluate(
    gold: PathLike | Iterable[Sentence], system: PathLike | Iterable[Sentence], *, scorer: str | None = None
) -> Evaluation:
    """Compare the analysis of a system with the gold standard, as `quaich eval` does.

    `scorer` is one of a shared task: `ud`, `conllx`, `conll07`, `conll09`, `conll17`.
    """
    return Evaluation(json.loads(_quaich.evaluate(_side(gold), _side(system), scorer)))


def _side(side: PathLike | Iterable[Sentence]) -> PathLike | list[_quaich.Sentence]:
    if isinstance(side, str | os.PathLike):
        return side
    return [sentence._handle for sentence in side]
