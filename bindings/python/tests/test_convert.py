"""Documents of other libraries, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

import quaich
from quaich import convert

TEXT = """# sent_id = 1
# text = Cats don't sleep.
1\tCats\tcat\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tsleep\tsleep\tVERB\tVB\tVerbForm=Inf\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# sent_id = 2
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_

"""


@pytest.fixture
def document() -> quaich.Document:
    """Two sentences, with a multiword token."""
    return quaich.Document.from_conllu(TEXT)


def test_spacy(document: quaich.Document, sample: Path) -> None:
    spacy = pytest.importorskip("spacy")
    vocab = spacy.blank("en").vocab
    doc = convert.to_spacy(document, vocab)
    assert [token.head.text for token in doc][:5] == ["sleep", "sleep", "sleep", "sleep", "sleep"]
    assert doc[3].dep_ == "ROOT" and doc[0].morph.to_dict() == {"Number": "Plur"} and doc[0].lemma_ == "cat"
    assert [len(list(span)) for span in doc.sents] == [5, 2] and doc.text.startswith("Cats do n't sleep. Dogs")
    back = convert.from_spacy(doc)
    for one, other in zip(back, document, strict=True):
        for name in ["words", "heads", "deprels", "upos", "xpos", "lemmas", "feats"]:
            assert getattr(one, name) == getattr(other, name)
    for sentence in quaich.read(sample / "test.conllu"):
        if sentence.heads.count(0) == 1:
            assert convert.from_spacy(convert.to_spacy(sentence, vocab))[0].heads == sentence.heads
    bare = convert.to_spacy(quaich.Sentence(["Cats", "sleep"]), vocab)
    assert not bare.has_annotation("DEP") and convert.from_spacy(bare)[0].words == ["Cats", "sleep"]


def test_conllu(document: quaich.Document) -> None:
    pytest.importorskip("conllu")
    sentences = convert.to_conllu(document)
    assert [token["form"] for token in sentences[1]] == ["Dogs", "bark"]
    assert convert.from_conllu(sentences).to_conllu() == TEXT


def test_udapi(document: quaich.Document) -> None:
    pytest.importorskip("udapi")
    udapi = convert.to_udapi(document)
    assert [node.form for node in udapi.nodes][-2:] == ["Dogs", "bark"]
    back = convert.from_udapi(udapi)
    assert [sentence.heads for sentence in back] == [sentence.heads for sentence in document]
    assert [sentence._handle.extra_rows() for sentence in back] == [s._handle.extra_rows() for s in document]


def test_stanza(document: quaich.Document) -> None:
    pytest.importorskip("stanza.utils.conll", exc_type=ImportError)
    stanza = convert.to_stanza(document)
    assert [word.text for word in stanza.sentences[1].words] == ["Dogs", "bark"]
    back = convert.from_stanza(stanza)
    assert [sentence.heads for sentence in back] == [sentence.heads for sentence in document]
