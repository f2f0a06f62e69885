"""Sentences, tokens and documents: views of what Rust holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, overload

from quaich import _quaich

_ROOT = 0


def _known(cell: str) -> str | None:
    return None if cell == "_" else cell


def _attributes(cell: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in cell.split("|") if part != "_")
    return {key: value for key, _, value in pairs}


class Token:
    """A word of a sentence with its annotation.

    A view: its values are looked up when they are asked for. For bulk work, the lists of `Sentence` are much faster.
    """

    __slots__ = ("_index", "sentence")

    sentence: Sentence
    """The sentence of the word."""

    def __init__(self, sentence: Sentence, index: int) -> None:
        self.sentence = sentence
        self._index = index

    @property
    def id(self) -> int:
        """The number of the word in its sentence, from 1."""
        return self._index + 1

    @property
    def form(self) -> str:
        """The word form."""
        return self._cell("form")

    @property
    def lemma(self) -> str | None:
        """The lemma."""
        return _known(self._cell("lemma"))

    @property
    def upos(self) -> str | None:
        """The universal part-of-speech tag."""
        return _known(self._cell("upos"))

    @property
    def xpos(self) -> str | None:
        """The language-specific part-of-speech tag."""
        return _known(self._cell("xpos"))

    @property
    def feats(self) -> Mapping[str, str]:
        """The morphological features, such as `{"Number": "Sing"}`."""
        return _attributes(self._cell("feats"))

    @property
    def misc(self) -> Mapping[str, str]:
        """The attributes of the column MISC."""
        return _attributes(self._cell("misc"))

    @property
    def head(self) -> int:
        """The number of the head, 0 for the root, -1 if the word has no head."""
        return self.sentence._handle.head(self._index)

    @property
    def deprel(self) -> str:
        """The label of the arc from the head; `_` if there is none."""
        return self._cell("deprel")

    @property
    def score(self) -> float | None:
        """The probability that head and label are correct, if scores were asked for."""
        return _score(self._cell("misc"))

    @property
    def parent(self) -> Token | None:
        """The head as a token; none for the root."""
        head = self.head
        return self.sentence[head - 1] if head > _ROOT else None

    @property
    def children(self) -> list[Token]:
        """The words whose head is this word, in order."""
        heads = self.sentence.heads
        return [Token(self.sentence, index) for index, head in enumerate(heads) if head == self.id]

    def __repr__(self) -> str:
        return f"<Token {self.id} {self.form!r} head={self.head} deprel={self.deprel!r}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Token):
            return NotImplemented
        return self.sentence is other.sentence and self._index == other._index

    def __hash__(self) -> int:
        return hash((id(self.sentence), self._index))

    def _cell(self, column: str) -> str:
        return self.sentence._handle.cell(self._index, column)


def _score(misc: str) -> float | None:
    score = _attributes(misc).get("Score")
    return None if score is None else float(score)


class Sentence(Sequence[Token]):
    """A sentence: a sequence of tokens. Heads count from 1, and 0 is the root, as in CoNLL-U."""

    __slots__ = ("_handle",)

    _handle: _quaich.Sentence

    def __init__(self, words: Iterable[str] = ()) -> None:
        """A sentence of these words, without annotation."""
        rows = "".join(f"{i}\t{word}" + 8 * "\t_" + "\n" for i, word in enumerate(words, 1))
        self._handle = _quaich.Sentence.read_one(rows and rows + "\n")

    @classmethod
    def _of(cls, handle: _quaich.Sentence) -> Sentence:
        sentence = cls.__new__(cls)
        sentence._handle = handle
        return sentence

    @classmethod
    def from_conllu(cls, text: str) -> Sentence:
        """Read one sentence in CoNLL-U."""
        return cls._of(_quaich.Sentence.read_one(text))

    @property
    def words(self) -> list[str]:
        """The word forms."""
        return self._handle.column("form")

    @property
    def heads(self) -> list[int]:
        """The numbers of the heads: 0 for the root, -1 for words without a head."""
        return self._handle.heads()

    @property
    def deprels(self) -> list[str]:
        """The labels of the arcs; `_` where there is none."""
        return self._handle.column("deprel")

    @property
    def lemmas(self) -> list[str]:
        """The lemmas; `_` where there is none."""
        return self._handle.column("lemma")

    @property
    def upos(self) -> list[str]:
        """The universal part-of-speech tags; `_` where there is none."""
        return self._handle.column("upos")

    @property
    def xpos(self) -> list[str]:
        """The language-specific part-of-speech tags; `_` where there is none."""
        return self._handle.column("xpos")

    @property
    def feats(self) -> list[str]:
        """The morphological features as in CoNLL-U, such as `Number=Sing|Person=3`; `_` where there are none."""
        return self._handle.column("feats")

    @property
    def scores(self) -> list[float] | None:
        """The probability of each arc to be correct, if scores were asked for."""
        scores = [_score(misc) for misc in self._handle.column("misc")]
        known = [score for score in scores if score is not None]
        return known if scores and len(known) == len(scores) else None

    @property
    def comments(self) -> dict[str, str]:
        """The comments: `# key = value` as an entry, any other comment as a key with an empty value."""
        return {key: value or "" for key, value in self._handle.comments()}

    @property
    def text(self) -> str | None:
        """The text of the sentence, from the comment `# text`."""
        return self.comments.get("text")

    def to_conllu(self) -> str:
        """The sentence in CoNLL-U; byte for byte what was read, if that was CoNLL-U."""
        return self._handle.to_conllu()

    def to_svg(self) -> str:
        """The arcs as an SVG file."""
        return self._handle.svg("", False)

    def to_tree(self, width: int | None = None) -> str:
        """The arcs drawn with characters; an indented tree if they are wider than `width`. What `quaich draw` prints."""
        return self._handle.tree(width)

    def to_displacy(self) -> dict[str, Any]:
        """The arcs as `spacy.displacy.render(..., manual=True)` takes them. It draws no arc from the root."""
        words = [
            {"text": form, "tag": "" if tag == "_" else tag} for form, tag in zip(self.words, self.upos, strict=True)
        ]
        arcs = [
            {
                "start": min(head, number) - 1,
                "end": max(head, number) - 1,
                "label": deprel,
                "dir": "left" if number < head else "right",
            }
            for number, (head, deprel) in enumerate(zip(self.heads, self.deprels, strict=True), 1)
            if head > _ROOT
        ]
        return {"words": words, "arcs": arcs}

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        if isinstance(index, slice):
            return [Token(self, at) for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError("no such word")
        return Token(self, at)

    def __len__(self) -> int:
        return len(self._handle)

    def __eq__(self, other: object) -> bool:
        return self.to_conllu() == other.to_conllu() if isinstance(other, Sentence) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_conllu())

    def __repr__(self) -> str:
        words = self.words
        shown = " ".join(words[:8]) + (" …" if len(words) > 8 else "")
        return f"<Sentence of {len(words)} words: {shown}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Sentence.from_conllu, (self.to_conllu(),)

    def _repr_html_(self) -> str:
        try:
            return self._handle.svg("", True)
        except ValueError:
            # Too long for a drawing.
            return f"<pre>{escape(self.to_tree(120))}</pre>"


class Document(Sequence[Sentence]):
    """The sentences of a text."""

    __slots__ = ("_sentences",)

    def __init__(self, sentences: Iterable[Sentence] = ()) -> None:
        self._sentences = tuple(sentences)

    @classmethod
    def from_conllu(cls, text: str) -> Document:
        """Read all sentences of a text in CoNLL-U or another known format."""
        return cls(map(Sentence._of, _quaich.Sentence.read_all(text)))

    def to_conllu(self) -> str:
        """The sentences in CoNLL-U."""
        return "".join(sentence.to_conllu() for sentence in self._sentences)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Document: ...
    def __getitem__(self, index: int | slice) -> Sentence | Document:
        found = self._sentences[index]
        return found if isinstance(found, Sentence) else Document(found)

    def __len__(self) -> int:
        return len(self._sentences)

    def __eq__(self, other: object) -> bool:
        return self._sentences == other._sentences if isinstance(other, Document) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._sentences)

    def __repr__(self) -> str:
        return f"<Document of {len(self)} sentences, {sum(map(len, self._sentences))} words>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Document, (self._sentences,)

    def _repr_html_(self) -> str:
        shown = [sentence._repr_html_() for sentence in self._sentences[:10]]
        more = len(self) - len(shown)
        if more > 0:
            shown.append(f"<p>… and {more} more sentences</p>")
        return "\n".join(shown)
