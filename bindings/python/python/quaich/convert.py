"""Documents of other libraries, and back. None of them is needed until it is used.

What a library cannot hold is lost on the way to it:

- spaCy has no multiword tokens, empty nodes and comments; a sentence ends where the next root starts.
- The package conllu, udapi and stanza hold everything that CoNLL-U holds.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from quaich._sentence import Document, Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

__all__ = [
    "from_conllu",
    "from_spacy",
    "from_stanza",
    "from_udapi",
    "to_conllu",
    "to_spacy",
    "to_stanza",
    "to_udapi",
]


def to_spacy(doc: Document | Sentence, vocab: Vocab) -> Doc:
    """A `spacy.tokens.Doc`. Its heads are positions in the document, and the root's label is `ROOT`."""
    from spacy.tokens import Doc

    sentences = [doc] if isinstance(doc, Sentence) else list(doc)
    words: list[str] = []
    spaces: list[bool] = []
    heads: list[int] = []
    deps: list[str] = []
    starts: list[bool] = []
    columns: dict[str, list[str]] = {"tags": [], "pos": [], "morphs": [], "lemmas": []}
    for sentence in sentences:
        offset = len(words)
        words += sentence.words
        spaces += ["SpaceAfter=No" not in misc for misc in sentence._handle.column("misc")]
        for number, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
            is_root = head <= 0
            heads.append(offset + (number if is_root else head - 1))
            deps.append("ROOT" if is_root else deprel)
            starts.append(number == 0)
        for name, cells in zip(columns, (sentence.xpos, sentence.upos, sentence.feats, sentence.lemmas), strict=True):
            columns[name] += ["" if cell == "_" else cell for cell in cells]
    has_heads = any(head >= 0 for sentence in sentences for head in sentence.heads)
    known: dict[str, Any] = {name: cells for name, cells in columns.items() if any(cells)}
    if has_heads:
        known.update(heads=heads, deps=deps)
    else:
        known.update(sent_starts=starts)
    return Doc(vocab, words=words, spaces=spaces, **known)


def from_spacy(doc: Doc) -> Document:
    """A document of a `spacy.tokens.Doc`; spaces between words become `SpaceAfter=No`, other white space is left out."""
    sentences = []
    for span in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
        tokens = [token for token in span if not token.is_space]
        numbers = {token.i: number for number, token in enumerate(tokens, 1)}
        rows = []
        for token in tokens:
            head = 0 if token.head.i == token.i else numbers.get(token.head.i, 0)
            deprel = "root" if token.dep_ == "ROOT" else token.dep_
            cells = [token.text, token.lemma_, token.pos_, token.tag_, str(token.morph)]
            arc = [str(head), deprel] if doc.has_annotation("DEP") else ["_", "_"]
            misc = "_" if token.whitespace_ else "SpaceAfter=No"
            rows.append("\t".join([str(numbers[token.i]), *(cell or "_" for cell in [*cells, *arc, "_"]), misc]))
        if rows:
            sentences.append(Sentence.from_conllu("\n".join(rows) + "\n\n"))
    return Document(sentences)


def to_conllu(doc: Document | Sentence) -> Any:
    """A `conllu.SentenceList` of the package conllu."""
    import conllu

    return conllu.parse(doc.to_conllu())


def from_conllu(sentences: Iterable[Any]) -> Document:
    """A document of sentences of the package conllu."""
    return Document.from_conllu("".join(sentence.serialize() for sentence in sentences))


def to_udapi(doc: Document | Sentence) -> Any:
    """A `udapi.core.document.Document`."""
    from udapi.core.document import Document as Udapi

    udapi = Udapi()
    udapi.from_conllu_string(doc.to_conllu())
    return udapi


def from_udapi(doc: Any) -> Document:
    """A document of a `udapi.core.document.Document`. udapi writes comments in an order of its own."""
    return Document.from_conllu(doc.to_conllu_string())


def to_stanza(doc: Document | Sentence) -> Any:
    """A `stanza.models.common.doc.Document`."""
    from stanza.utils.conll import CoNLL

    return CoNLL.conll2doc(input_str=doc.to_conllu())


def from_stanza(doc: Any) -> Document:
    """A document of a `stanza.models.common.doc.Document`."""
    from stanza.utils.conll import CoNLL

    handle, path = tempfile.mkstemp(suffix=".conllu")
    os.close(handle)
    try:
        CoNLL.write_doc2conll(doc, path)
        with open(path, encoding="utf-8") as file:
            return Document.from_conllu(file.read())
    finally:
        os.remove(path)
