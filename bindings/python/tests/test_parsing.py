"""What a model returns is what the program writes; sentences and their views."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import quaich

TEXT = "Cats sleep. Dogs bark at the old man, don't they?\n\nA new paragraph.\n"


def tagged(sentence: quaich.Sentence) -> dict[str, list[str]]:
    """The given columns of a sentence, as `parse_words` takes them."""
    columns = {"upos": sentence.upos, "xpos": sentence.xpos, "lemmas": sentence.lemmas, "feats": sentence.feats}
    return {name: [cell for cell in cells] for name, cells in columns.items()}


@pytest.mark.parametrize("scores", [False, True])
@pytest.mark.parametrize("jobs", [1, 2, None])
def test_conllu_is_what_the_program_writes(
    linear: quaich.Model, linear_file: Path, sample: Path, program: Callable[..., bytes], scores: bool, jobs: int | None
) -> None:
    content = (sample / "test.conllu").read_bytes()
    expected = program("parse", "-m", linear_file, sample / "test.conllu", *["--scores"][: int(scores)])
    assert linear.parse_conllu(content, scores=scores, jobs=jobs) == expected
    assert linear.parse_conllu(content.decode(), scores=scores, jobs=jobs) == expected.decode()


def test_text_is_what_the_program_writes(
    text_model: quaich.Model, text_file: Path, sample: Path, program: Callable[..., bytes], tmp_path: Path
) -> None:
    gold = quaich.read(sample / "test.conllu")
    # Longer than what is parsed on the calling thread.
    long = "\n\n".join(sentence.text or "" for sentence in gold) * 3
    for text in [TEXT, long, "", " \n "]:
        for scores in [False, True]:
            expected = program("parse", "-m", text_file, "--input", "text", *["--scores"][: int(scores)], stdin=text.encode())
            assert text_model.parse(text, scores=scores).to_conllu() == expected.decode()
    document = text_model.parse(TEXT)
    assert [sentence.text for sentence in document][:1] == ["Cats sleep."]
    assert document[0].words == ["Cats", "sleep", "."]
    assert isinstance(document[1:], quaich.Document) and len(document[1:]) == len(document) - 1


def test_files_are_what_the_program_writes(
    text_model: quaich.Model, text_file: Path, sample: Path, program: Callable[..., bytes], tmp_path: Path
) -> None:
    text = tmp_path / "in.txt"
    text.write_text(TEXT, encoding="utf-8")
    for source in [sample / "test.conllu", text]:
        counts: list[quaich._progress.Event] = []
        parsed = text_model.parse_file(source, tmp_path / "out.conllu.gz", progress=counts.append)
        expected = program("parse", "-m", text_file, source)
        assert gzip.decompress((tmp_path / "out.conllu.gz").read_bytes()) == expected
        assert parsed.sentences == counts[-1]["sentences"] == expected.count(b"\n\n")
    with pytest.raises(ValueError, match="would replace a file that is read"):
        text_model.parse_file(text, text)
    with pytest.raises(ValueError, match="would replace a file that is read"):
        text_model.parse_file(text, text_file)
    assert text.read_text(encoding="utf-8") == TEXT


def test_words_sentences_and_pipes_agree(linear: quaich.Model, sample: Path, test_text: str) -> None:
    gold = list(quaich.read(sample / "test.conllu"))
    expected = [sentence.heads for sentence in quaich.Document.from_conllu(linear.parse_conllu(test_text))]
    for jobs, batch_size in [(1, 512), (2, 7), (2, 1000)]:
        piped = list(linear.pipe(iter(gold), jobs=jobs, batch_size=batch_size))
        assert [sentence.heads for sentence in piped] == expected
    one_by_one = [linear.parse_words(sentence.words, **tagged(sentence)) for sentence in gold]
    assert [sentence.heads for sentence in one_by_one] == expected
    assert list(linear.pipe([])) == []


def test_bare_words_are_tagged(text_model: quaich.Model) -> None:
    words = ["Cats", "sleep", "."]
    sentence = text_model.parse_words(words, scores=True)
    assert sentence.words == words and "_" not in sentence.upos
    assert sentence.scores is not None and all(0 <= score <= 1 for score in sentence.scores)
    assert list(text_model.pipe([words, tuple(words)]))[1].heads == sentence.heads
    assert len(text_model.parse_words([])) == 0


def test_missing_columns_are_named_once(linear: quaich.Model, sample: Path, test_text: str) -> None:
    with pytest.warns(quaich.MissingColumnWarning, match="no values in .*UPOS"):
        linear.parse_words(["Cats", "sleep", "."])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linear.parse_words(["Cats", "sleep", "."])


def test_complete_columns_do_not_warn(linear: quaich.Model, sample: Path) -> None:
    gold = next(quaich.read(sample / "test.conllu"))
    linear.parse_words(gold.words, **tagged(gold))


def test_views_of_a_sentence() -> None:
    rows = [
        "# sent_id = 1",
        "# text = Cats don't sleep",
        "# a remark",
        "1\tCats\tcat\tNOUN\tNNS\tNumber=Plur|Animacy=Anim\t4\tnsubj\t_\t_",
        "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_",
        "2\tdo\tdo\tAUX\t_\t_\t4\taux\t_\tScore=0.5000",
        "3\tn't\tnot\tPART\t_\t_\t4\tadvmod\t_\tSpaceAfter=Yes|Score=0.2500",
        "4\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_",
    ]
    text = "\n".join(rows) + "\n\n"
    sentence = quaich.Sentence.from_conllu(text)
    assert sentence.to_conllu() == text
    assert (sentence.heads, sentence.deprels[3]) == ([4, 4, 4, 0], "root")
    assert sentence.comments == {"sent_id": "1", "text": "Cats don't sleep", "a remark": ""}
    assert sentence.scores is None
    cats, sleep = sentence[0], sentence[-1]
    assert (cats.id, cats.lemma, cats.head, cats.deprel) == (1, "cat", 4, "nsubj")
    assert cats.feats == {"Number": "Plur", "Animacy": "Anim"} and cats.parent == sleep
    assert sleep.parent is None and [child.form for child in sleep.children] == ["Cats", "do", "n't"]
    assert sleep.xpos is None and sentence[2].score == 0.25 and sentence[2].misc["SpaceAfter"] == "Yes"
    assert [token.form for token in sentence[1:3]] == ["do", "n't"]
    with pytest.raises(IndexError):
        sentence[4]
    assert sentence == quaich.Sentence.from_conllu(text) and sentence != quaich.Sentence(["a"])
    assert quaich.Sentence(["a", "b"]).heads == [-1, -1]
    assert sentence.to_displacy()["arcs"][0] == {"start": 0, "end": 3, "label": "nsubj", "dir": "left"}
    assert "nsubj" in sentence.to_tree() and sentence.to_tree() != sentence.to_tree(width=10)


def test_drawings_restyle_nothing_else() -> None:
    row = "1\tC&ts\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    html = quaich.Sentence.from_conllu(row)._repr_html_()
    assert html.startswith('<svg class="quaich-arcs"') and "C&amp;ts" in html
    style = html.split("<style>")[1].split("</style>")[0]
    assert all(rule.strip().startswith(".quaich-arcs ") for rule in style.split("}") if rule.strip())
    assert quaich.Sentence.from_conllu(row).to_svg().startswith("<svg xmlns")
    assert "more sentences" in quaich.Document([quaich.Sentence(["a"])] * 12)._repr_html_()
    assert quaich.Sentence(["a"] * 1500)._repr_html_().startswith("<pre>")


def test_derivations(linear: quaich.Model, sample: Path) -> None:
    gold = next(quaich.read(sample / "test.conllu"))
    trace = linear.trace(gold)
    assert trace["steps"] and all("transition" in step for step in trace["steps"])


def test_evaluation_is_that_of_the_program(
    linear: quaich.Model, sample: Path, program: Callable[..., bytes], tmp_path: Path
) -> None:
    import json

    gold, parsed = sample / "test.conllu", tmp_path / "parsed.conllu"
    linear.parse_file(gold, parsed, progress=False)
    evaluation = quaich.evaluate(gold, parsed)
    assert dict(evaluation) == json.loads(program("eval", gold, parsed, "--json"))
    assert 20 < evaluation.las < evaluation.uas < 100
    of_sentences = quaich.evaluate(quaich.read(gold), linear.pipe(quaich.read(gold)))
    assert of_sentences.las == evaluation.las
    ud = quaich.evaluate(gold, parsed, scorer="ud")
    assert ud.las == json.loads(program("eval", gold, parsed, "--json", "--scorer", "ud"))["LAS"]["f1"]
    with pytest.raises(quaich.SettingError, match="known: ud"):
        quaich.evaluate(gold, parsed, scorer="ur")
