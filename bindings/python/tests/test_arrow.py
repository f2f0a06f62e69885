"""Arrow in and out: every way to store lists of strings, from several libraries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import quaich

pa = pytest.importorskip("pyarrow")

COLUMNS = ["form", "lemma", "upos", "xpos", "feats"]


@pytest.fixture(scope="session")
def rows(sample: Path) -> dict[str, list[Any]]:
    """The test set as columns, with a key."""
    sentences = list(quaich.read(sample / "test.conllu"))
    columns: dict[str, list[Any]] = {name: [s._handle.column(name) for s in sentences] for name in COLUMNS}
    return {"id": [f"s{i}" for i in range(len(sentences))], **columns}


@pytest.fixture
def expected(linear: quaich.Model, test_text: str) -> tuple[list[list[int]], list[list[str]]]:
    """Heads and labels as the parser writes them in CoNLL-U."""
    parsed = quaich.Document.from_conllu(linear.parse_conllu(test_text))
    return [sentence.heads for sentence in parsed], [sentence.deprels for sentence in parsed]


def results(parsed: quaich.RecordBatch) -> tuple[list[list[int]], list[list[str]]]:
    """Heads and labels of a batch."""
    batch = pa.record_batch(parsed)
    return batch.column("head").to_pylist(), batch.column("deprel").to_pylist()


STRINGS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()),
    pa.dictionary(pa.int64(), pa.string()),
]
LISTS = [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]


def stored(values: list[list[str]], list_type: Any, string: Any) -> Any:
    """Lists of strings in an array of a type, which is made from its parts: not every cast exists."""
    flat = pa.array([value for row in values for value in row], pa.string())
    if pa.types.is_dictionary(string):
        if string.index_type == pa.int8():
            # As many values as fit.
            string = pa.dictionary(pa.int16(), pa.string())
        encoded = flat.dictionary_encode()
        indices = encoded.indices.cast(string.index_type)
        flat = pa.DictionaryArray.from_arrays(indices, encoded.dictionary.cast(string.value_type))
    else:
        flat = flat.cast(string)
    ends = [0]
    for row in values:
        ends.append(ends[-1] + len(row))
    offset = pa.int64() if list_type in (pa.large_list, pa.large_list_view) else pa.int32()
    if list_type in (pa.list_, pa.large_list):
        array = pa.ListArray if list_type is pa.list_ else pa.LargeListArray
        return array.from_arrays(pa.array(ends, offset), flat)
    array = pa.ListViewArray if list_type is pa.list_view else pa.LargeListViewArray
    sizes = [len(row) for row in values]
    return array.from_arrays(pa.array(ends[:-1], offset), pa.array(sizes, offset), flat)


@pytest.mark.parametrize("list_type", LISTS)
@pytest.mark.parametrize("string", STRINGS, ids=str)
def test_every_type_gives_the_same(
    linear: quaich.Model, rows: dict[str, list[Any]], expected: Any, list_type: Any, string: Any
) -> None:
    batch = pa.record_batch({"id": rows["id"], **{name: stored(rows[name], list_type, string) for name in COLUMNS}})
    assert results(linear.parse_batch(batch)) == expected
    # A slice has offsets everywhere.
    heads, labels = results(linear.parse_batch(batch.slice(3, 20)))
    assert (heads, labels) == (expected[0][3:23], expected[1][3:23])
    kept = pa.record_batch(linear.parse_batch(batch.slice(3, 20), keep=["id"]))
    assert kept.column_names == ["id", "head", "deprel"] and kept.column("id").to_pylist() == rows["id"][3:23]


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_threads_scores_and_dictionaries(linear: quaich.Model, rows: dict[str, list[Any]], expected: Any, jobs: int) -> None:
    batch = pa.record_batch(rows)
    parsed = linear.parse_batch(batch, jobs=jobs, scores=True, labels="dictionary")
    schema = pa.schema(linear.schema(batch.schema, jobs=jobs, scores=True, labels="dictionary"))
    assert pa.record_batch(parsed).schema.equals(schema)
    assert schema.field("deprel").type == pa.list_(pa.dictionary(pa.int16(), pa.string()))
    assert results(parsed) == expected
    scores = pa.record_batch(parsed).column("score")
    assert scores.type == pa.list_(pa.float32())
    assert [len(row) for row in scores.to_pylist()] == [len(row) for row in expected[0]]
    assert all(0 <= score <= 1 for row in scores.to_pylist() for score in row)


def test_data_frames(linear: quaich.Model, rows: dict[str, list[Any]], expected: Any) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(rows)
    assert results(linear.parse_batch(frame)) == expected
    parsed = pl.from_arrow(pa.record_batch(linear.parse_batch(frame, keep=["id"])))
    assert parsed["head"].to_list() == expected[0]
    pd = pytest.importorskip("pandas")
    assert results(linear.parse_batch(pd.DataFrame(rows))) == expected
    table = pa.concat_tables([pa.table(rows).slice(0, 9), pa.table(rows).slice(9)])
    assert results(linear.parse_batch(table)) == expected


def test_null_and_empty_rows(linear: quaich.Model) -> None:
    batch = pa.record_batch({
        "form": [["Cats", "sleep"], None, [], ["Dogs"]],
        "upos": [["NOUN", None], None, [], None],
        "lemma": pa.nulls(4),
        "xpos": [["NNS", "VBP"], None, [], ["_"]],
        "feats": pa.nulls(4, pa.list_(pa.string())),
    })
    heads, labels = results(linear.parse_batch(batch))
    assert [head and len(head) for head in heads] == [2, None, [], 1]
    assert labels[1] is None and labels[2] == []
    assert results(linear.parse_batch(batch.slice(0, 0))) == ([], [])


def test_bad_rows(linear: quaich.Model) -> None:
    columns = {name: [["a"]] * 4 for name in COLUMNS}
    columns["form"] = [["a"], ["a", "b"], [""], [None]]
    batch = pa.record_batch(columns)
    with pytest.raises(quaich.TreebankError, match="row 1: found 1 values of lemma for 2 words"):
        linear.parse_batch(batch)
    for jobs in [1, 2]:
        parsed = pa.record_batch(linear.parse_batch(batch, errors="null", jobs=jobs))
        assert parsed.column("error").to_pylist() == [
            None,
            "found 1 values of lemma for 2 words",
            "word 1 has an empty form, expected text or nothing",
            "word 1 has no form",
        ]
        assert parsed.column("head").to_pylist() == [[0], None, None, None]


def test_wrong_requests(linear: quaich.Model) -> None:
    batch = pa.record_batch({"words": [["a"]], "number": [1], "form": ["a"]})
    with pytest.raises(quaich.TreebankError, match="column `form` has the type .*, expected lists of strings"):
        linear.parse_batch(batch)
    with pytest.raises(quaich.TreebankError, match="found no column `wrods`; the columns are: words, number, form"):
        linear.parse_batch(batch, columns={"form": "wrods"})
    with pytest.raises(quaich.SettingError, match="unknown column `from`"):
        linear.parse_batch(batch, columns={"from": "words"})
    with pytest.raises(quaich.TreebankError, match="no tokenizer"):
        linear.parse_batch(pa.record_batch({"text": ["a"]}))
    with pytest.raises(quaich.SettingError, match="errors is"):
        linear.parse_batch(batch, columns={"form": "words"}, errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a record batch"):
        linear.parse_batch([["a"]])  # type: ignore[arg-type]


def test_streams_are_lazy(linear: quaich.Model, rows: dict[str, list[Any]], expected: Any) -> None:
    batch = pa.record_batch(rows)
    made = []

    def batches() -> Iterator[Any]:
        for number in range(3):
            made.append(number)
            yield batch

    def reader() -> Any:
        return pa.RecordBatchReader.from_batches(batch.schema, batches())

    parsed = linear.parse_batches(reader())
    assert results(next(parsed)) == expected and made == [0]
    table = pa.RecordBatchReader.from_stream(parsed).read_all()
    assert table.column("head").to_pylist() == expected[0] * 2
    with pytest.raises(ValueError, match="handed over"):
        next(parsed)
    bad = pa.RecordBatchReader.from_batches(batch.schema, iter([batch, batch]))
    assert sum(part.num_rows for part in linear.parse_batches(bad, jobs=2)) == 2 * batch.num_rows


def test_texts_give_a_row_per_sentence(text_model: quaich.Model) -> None:
    texts = ["Cats sleep. Dogs bark.", None, "", "A man, an old man, sleeps."]
    batch = pa.record_batch({"url": ["a", "b", "c", "d"], "text": texts})
    for jobs in [1, 2]:
        parsed = pa.record_batch(text_model.parse_batch(batch, jobs=jobs, scores=True))
        assert pa.schema(text_model.schema(batch, scores=True)).equals(parsed.schema)
        assert "text" not in parsed.column_names
        assert parsed.column("url").to_pylist()[:3] == ["a", "a", "b"] and "c" not in parsed.column("url").to_pylist()
        assert parsed.column("sentence").to_pylist()[:3] == [0, 1, None]
        document = text_model.parse("Cats sleep. Dogs bark.", scores=True)
        for row, sentence in zip(parsed.to_pylist(), document, strict=False):
            assert (row["form"], row["head"], row["deprel"]) == (sentence.words, sentence.heads, sentence.deprels)
            assert row["score"] == pytest.approx(sentence.scores)
            assert texts[0] is not None and texts[0][row["start"] : row["end"]] == sentence.text
    frame = pa.record_batch(text_model.parse_batch(pa.record_batch({"text": texts}), keep=["text"]))
    assert frame.column("text").to_pylist()[0] == texts[0]


def test_parquet(linear: quaich.Model, linear_file: Path, rows: dict[str, list[Any]], expected: Any, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table(rows), source, row_group_size=7)
    parsed = quaich.parse_parquet(source, target, linear_file, keep=["id"], jobs=2)
    table = pq.read_table(target)
    assert table.column_names == ["id", "head", "deprel"] and table.column("head").to_pylist() == expected[0]
    assert parsed == (len(rows["id"]), sum(map(len, expected[0])))
    with pytest.raises(ValueError, match="would replace"):
        quaich.parse_parquet(source, source, linear)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]
