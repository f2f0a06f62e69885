"""Spark and Ray: the same trees as without them, each row exactly once, also when a worker process is killed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
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


def run_guide(engine: str, corpus: Path, model: Path, folder: Path) -> dict[str, Any]:
    """Runs the blocks of the guide for clusters that mention an engine, with the data that it names; returns the variables."""
    guide = (Path(__file__).resolve().parents[3] / "docs" / "guide" / "cluster.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```python\n(.*?)```\n", guide, re.DOTALL) if engine in block]
    assert blocks
    shutil.copytree(corpus, folder / "sentences")
    shutil.copy(model, folder / "english.quaich")
    (folder / "documents").mkdir()
    documents = pa.table({"url": ["a", "b"], "text": ["Cats sleep. Dogs bark.", "A man sleeps."]})
    pq.write_table(documents, folder / "documents" / "0.parquet")
    names: dict[str, Any] = {}
    for block in blocks:
        # Spark's JVM has a working directory of its own.
        for name in ["sentences", "documents", "parsed", "sentences-parsed", "parsed-by-ray", "english.quaich"]:
            block = block.replace(f'"{name}"', repr(str(folder / name)))
        exec(block, names)
    return names


def has_java() -> bool:
    """Whether Spark can start its JVM."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(os.path.join(home, "bin", "java") if home else "java") is not None


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session that repeats failed tasks, as a cluster does."""
    sql = pytest.importorskip("pyspark.sql")
    if not has_java():
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


def test_spark_guide(spark: Any, corpus: Path, text_file: Path, tmp_path: Path) -> None:
    names = run_guide("spark", corpus, text_file, tmp_path)
    assert names["parsed"].where("error is not null").count() == 1
    rows = spark.read.parquet(str(tmp_path / "sentences-parsed")).collect()
    assert {row["url"] for row in rows} == {"a", "b"} and all(len(row["head"]) == len(row["form"]) for row in rows)


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


def test_spark_loses_nothing_with_an_executor(
    corpus: Path, linear_file: Path, expected: Any, tmp_path: Path
) -> None:
    """Two executors, each a JVM of its own, as on a cluster; one is killed in the middle."""
    pytest.importorskip("pyspark.sql")
    if not has_java():
        pytest.skip("Java is not installed")
    code = """
        import os, sys, time
        from pathlib import Path
        corpus, model, out, mark = sys.argv[1:]
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        from pyspark.sql import SparkSession
        import quaich.spark

        builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.executor.memory", "600m").config("spark.driver.memory", "600m")
        spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "64").getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")

        def parent(pid):
            return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

        def kill_once(batches):
            for number, batch in enumerate(batches):
                if number == 1 and not os.path.exists(mark):
                    # A worker's parent is pyspark's daemon, whose parent is the executor.
                    executor = parent(os.getppid())
                    assert b"CoarseGrainedExecutorBackend" in Path(f"/proc/{executor}/cmdline").read_bytes()
                    Path(mark).touch()
                    os.kill(executor, 9)
                    time.sleep(60)
                yield batch

        df = spark.read.parquet(corpus).repartition(4)
        parsed = quaich.spark.parse(df, model, keep=["id"])
        parsed.mapInArrow(kill_once, parsed.schema).write.parquet(out)
        spark.stop()
    """
    out, mark = tmp_path / "out", tmp_path / "killed"
    command = [sys.executable, "-c", textwrap.dedent(code), corpus, linear_file, out, mark]
    subprocess.run(list(map(str, command)), check=True, timeout=600)
    assert mark.exists() and by_key(out) == expected


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


def test_ray_guide(ray: Any, corpus: Path, text_file: Path, tmp_path: Path) -> None:
    run_guide("ray", corpus, text_file, tmp_path)
    assert len(by_key(tmp_path / "parsed-by-ray")) == pq.read_table(corpus).num_rows


def test_ray_loses_nothing_with_an_actor(
    ray: Any, corpus: Path, linear_file: Path, expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import quaich.ray

    mark = str(tmp_path / "killed")

    class KilledOnce(quaich.ray._Parser):
        """A parser whose process is killed in its second batch, once."""

        n_batches = 0

        def __call__(self, batch: Any) -> Any:
            self.n_batches += 1
            parsed = super().__call__(batch)
            if self.n_batches == 2 and not os.path.exists(mark):
                with open(mark, "x"):
                    os.kill(os.getpid(), 9)
            return parsed

    monkeypatch.setattr(quaich.ray, "_Parser", KilledOnce)
    ds = ray.data.read_parquet(str(corpus))
    parsed = quaich.ray.parse(ds, linear_file, workers=2, batch_size=128, num_cpus=0.5, keep=["id"])
    parsed.write_parquet(str(tmp_path / "out"))
    assert os.path.exists(mark) and by_key(tmp_path / "out") == expected
