"""Parquet to Parquet on one machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from quaich._model import Model, Parsed, PathLike, load

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from quaich._model import RowOptions


def parse_parquet(
    input: PathLike,
    output: PathLike,
    model: Model | PathLike,
    *,
    batch_size: int = 4096,
    jobs: int | None = None,
    **options: Unpack[RowOptions],
) -> Parsed:
    """Parse a Parquet file, or a folder of them, into a Parquet file; needs `pip install quaich[arrow]`.

    Rows are those of `Model.parse_batch`, and so are the options; `jobs` is the number of threads [default: one per core].
    Memory is bounded by the size of a row group. The output file appears when it is complete.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    parser = model if isinstance(model, Model) else load(model)
    source, target = os.fspath(input), os.fspath(output)
    dataset = ds.dataset(source, format="parquet")
    if os.path.realpath(target) in map(os.path.realpath, dataset.files):
        raise ValueError(f"{target}: the output would replace a file that is read")
    wanted = _columns_to_read(dataset.schema, options)
    schema = pa.schema(parser.schema(pa.schema([dataset.schema.field(name) for name in wanted]), **options))
    n_jobs = jobs or os.cpu_count() or 1
    unfinished = f"{target}.unfinished"
    n_sentences = n_words = 0
    try:
        with pq.ParquetWriter(unfinished, schema) as writer:
            for batch in dataset.to_batches(columns=wanted, batch_size=batch_size):
                parsed = pa.record_batch(parser.parse_batch(batch, jobs=n_jobs, **options))
                writer.write_batch(parsed)
                n_sentences += parsed.num_rows
                n_words += len(parsed.column("head").flatten())
        os.replace(unfinished, target)
    except BaseException:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        raise
    return Parsed(n_sentences, n_words)


def _columns_to_read(schema: object, options: RowOptions) -> list[str]:
    """The columns that are parsed or kept; the others are not even read."""
    names: list[str] = list(schema.names)  # type: ignore[attr-defined]
    keep = options.get("keep")
    if keep is None:
        return names
    given = options.get("columns", {})
    parsed = {given.get(name, name) for name in ("form", "lemma", "upos", "xpos", "feats", "text")}
    return [name for name in names if name in parsed or name in keep]
