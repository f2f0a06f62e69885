"""Parsing data frames of Spark; needs `pip install quaich[spark]` and Java.

    parsed = quaich.spark.parse(spark.read.parquet("sentences"), "english.quaich", keep=["id"])
    parsed.write.parquet("parsed")
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quaich._engines import content_hash, load_cached, model_file
from quaich._model import Model, PathLike, load

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    from quaich._model import RowOptions

__all__ = ["parse"]


def parse(
    df: DataFrame,
    model: Model | PathLike,
    *,
    shared: bool = False,
    **options: Unpack[RowOptions],
) -> DataFrame:
    """Parse the rows of a data frame, as `Model.parse_batch` does; lazily, when Spark needs the result.

    The model file is sent to every machine once per session and loaded once per Python worker; with `shared`, its path is
    one that all machines see, and nothing is sent. Of the input, only the columns that are parsed or kept are sent to Python.

    Differences from `parse_batch`: `errors` is "null" by default, so that one bad row does not end a job of hours; count the
    rows where the column `error` is not null. There is no option `jobs`, because a task of Spark is one core.
    """
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    if "jobs" in options:
        raise TypeError("jobs cannot be chosen: a task of Spark is one core")
    options.setdefault("errors", "null")
    path = model_file(model)
    parser = model if isinstance(model, Model) else load(path)
    wanted = _columns_to_read(df.columns, options)
    chosen = df.select(*(f"`{name}`" for name in wanted))
    # mapInArrow matches columns by position, so the declared schema is the one that the parser gives.
    schema = from_arrow_schema(pa.schema(parser.schema(to_arrow_schema(chosen.schema), **options)))
    shipped = None if shared else _ship(df.sparkSession, path)

    def run(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        from pyspark import SparkFiles

        own = load_cached(path if shipped is None else SparkFiles.get(shipped))
        for batch in batches:
            yield pa.record_batch(own.parse_batch(batch, **options))

    return chosen.mapInArrow(run, schema)


def _columns_to_read(names: Sequence[str], options: RowOptions) -> list[str]:
    keep = options.get("keep")
    if keep is None:
        return list(names)
    given = options.get("columns", {})
    parsed = {given.get(name, name) for name in ("form", "lemma", "upos", "xpos", "feats", "text")}
    return [name for name in names if name in parsed or name in keep]


def _ship(session: SparkSession, path: str) -> str:
    """Send a model file to all machines, once per session; return its name there."""
    name = f"quaich-{content_hash(path)}.quaich"
    context = session.sparkContext
    if not any(os.path.basename(file) == name for file in context.listFiles):
        # Files keep their names; this one is named by its content, so that two models are never confused.
        copy = os.path.join(tempfile.mkdtemp(prefix="quaich-"), name)
        shutil.copyfile(path, copy)
        context.addFile(copy)
    return name
