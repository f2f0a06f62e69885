"""Spark and Ray: the same trees as without them, each row exactly once, also when a worker process is killed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import quaich

pytestmark = pytest.mark.engines

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COLUMNS = ["form", "lemma", "upos", "xpos", "feats"]
COPIES = 30


@pytest.fixture(scope="module")
def corpus(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet files with the test set several times over, and one bad row."""
    folder = tmp_path_factory.mktemp("corpus")
    sentences = list(quaich.read(sample / "test.conllu"))
    columns = {name: [s._handle.column(name) for s in sentences] for name in COLUMNS}
    for copy in range(COPIES):
        ids = [f"{copy}-{number}" for number in range(len(sentences))]
        pq.write_table(pa.table({"id": ids, **columns}), folder / f"{copy}.parquet")
    bad = {"id": ["bad"], "form": [[""]], **{name: [["_"]] for name in COLUMNS[1:]}}
    pq.write_table(pa.table(bad), folder / "bad.parquet")
    return folder


@pytest.fixture(scope="module")
def expected(sample: Path, linear_file: Path) -> dict[str, tuple[list[int], list[str]] | None]:
    """Heads and labels by key."""
    parsed = list(quaich.load(linear_file).pipe(quaich.read(sample / "test.conllu")))
    results: dict[str, tuple[list[int], list[str]] | None] = {"bad": None}
    for copy in range(COPIES):
        for number, sentence in enumerate(parsed):
            results[f"{copy}-{number}"] = (sentence.heads, sentence.deprels)
    return results


def by_key(folder: Path) -> dict[str, tuple[list[int], list[str]] | None]:
    """Heads and labels by key; every key must occur once."""
    rows = pq.read_table(folder).to_pylist()
    results = {row["id"]: (row["head"], row["deprel"]) if row["error"] is None else None for row in rows}
    assert len(results) == len(rows)
    return results


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session that repeats failed tasks, as a cluster does."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    # Workers start `python3` from the path unless these variables name another program.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = sql.SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    settings = {
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.files.maxPartitionBytes": "200000",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def test_spark(spark: Any, corpus: Path, linear_file: Path, expected: Any, tmp_path: Path) -> None:
    import quaich.spark

    df = spark.read.parquet(str(corpus))
    parsed = quaich.spark.parse(df, linear_file, keep=["id"])
    assert parsed.columns == ["id", "head", "deprel", "error"]
    parsed.write.parquet(str(tmp_path / "out"))
    assert by_key(tmp_path / "out") == expected
    # The model is sent once; a model in memory works as well.
    again = quaich.spark.parse(df.limit(3), quaich.load(linear_file), keep=["id"], scores=True)
    assert [len(row["score"]) == len(row["head"]) for row in again.collect() if row["head"]]
    with pytest.raises(TypeError, match="jobs cannot be chosen"):
        quaich.spark.parse(df, linear_file, jobs=2)  # type: ignore[call-arg]


def test_spark_loses_nothing_with_a_worker(
    spark: Any, corpus: Path, linear_file: Path, expected: Any, tmp_path: Path
) -> None:
    import quaich.spark

    mark = tmp_path / "killed"

    def kill_once(batches: Iterator[Any]) -> Iterator[Any]:
        for number, batch in enumerate(batches):
            if number == 1 and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), 9)
            yield batch

    df = spark.read.parquet(str(corpus))
    parsed = quaich.spark.parse(df.coalesce(2), linear_file, keep=["id"])
    parsed.mapInArrow(kill_once, parsed.schema).write.parquet(str(tmp_path / "out"))
    assert mark.exists() and by_key(tmp_path / "out") == expected


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray on this machine."""
    # Its memory monitor ends actors when the machine is full, even if other processes fill it.
    os.environ.setdefault("RAY_memory_monitor_refresh_ms", "0")
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def test_ray(ray: Any, corpus: Path, linear_file: Path, expected: Any, tmp_path: Path) -> None:
    import quaich.ray

    ds = ray.data.read_parquet(str(corpus))
    parsed = quaich.ray.parse(ds, linear_file, workers=2, batch_size=128, num_cpus=0.5, keep=["id"])
    parsed.write_parquet(str(tmp_path / "out"))
    assert by_key(tmp_path / "out") == expected
