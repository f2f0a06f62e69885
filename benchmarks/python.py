"""Measures the Python package against the command line. `cargo xtask bench python` runs it.

    python benchmarks/python.py TREEBANK_FOLDER [--copies 40] [--engine-copies 400] [--models FOLDER] [--epochs N]
        [--only NAME,NAME]

Needs the environment that `cargo xtask python` makes, and a treebank with train.conllu and test.conllu. Costs are processor seconds, which
other work on the machine changes little; where only time on the clock says something, a ratio of neighbouring runs is given, with the load
of the machine.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import quaich
from quaich._program import find_program

ROUNDS = 3
# The files of the corpus that engines read.
FILES = 8
COLUMNS = ["form", "lemma", "upos", "xpos", "feats"]
PRESETS = ["fast", "balanced"]
# Interrupts per work.
MOMENTS = 12
# Parsers for words with tags: the command line and Python both skip the tagger.
PARTS = {"parts": "parse"}


def cpu_of(work: Callable[[], object]) -> float:
    """The processor seconds of this process for some work, the least of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def cpu_of_program(*arguments: object, rounds: int = ROUNDS) -> float:
    """The processor seconds of the program, start included, the least of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([find_program(), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def time_of(work: Callable[[], object]) -> float:
    """The seconds on the clock, the least of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.monotonic()
        work()
        best = min(best, time.monotonic() - start)
    return best


def load() -> str:
    """The load of the machine, for times on the clock."""
    return f"load {os.getloadavg()[0]:.1f}"


def cpu_of_process(pid: int) -> float:
    """The processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def cpu_below(parent: int, name: str) -> float:
    """The processor seconds so far of all processes below one whose command has this name, with those they have ended."""
    stats = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                head, _, tail = (entry / "stat").read_text().rpartition(")")
            except OSError:
                continue
            fields = tail.split()
            stats[int(entry.name)] = (int(fields[1]), head.partition("(")[2], sum(map(int, fields[11:15])))
    total, front = 0, [parent]
    while front:
        above = front.pop()
        for pid, (ppid, command, ticks) in stats.items():
            if ppid == above:
                front.append(pid)
                total += ticks if name in command else 0
    return total / os.sysconf("SC_CLK_TCK")


class Bench:
    """The data, the models, and the rows of the table."""

    def __init__(self, treebank: Path, copies: int, engine_copies: int, folder: Path, models: Path, epochs: int | None) -> None:
        self.folder, self.copies, self.engine_copies = folder, copies, engine_copies
        self.sentences = list(quaich.read(treebank / "test.conllu"))
        self.n_words = sum(map(len, self.sentences)) * copies
        self.file = folder / "test.conllu"
        test = (treebank / "test.conllu").read_text(encoding="utf-8")
        self.file.write_text(test * copies, encoding="utf-8")
        self.engine_file = folder / "engines.conllu"
        self.engine_file.write_text(test * engine_copies, encoding="utf-8")
        self.columns = {name: [s._handle.column(name) for s in self.sentences] for name in COLUMNS}
        self.train, self.dev, self.epochs = treebank / "train.conllu", treebank / "dev.conllu", epochs
        self.rows: list[tuple[str, str, str]] = []
        self.models: dict[str, Path] = {}
        for preset in PRESETS:
            self.models[preset] = models / f"{treebank.name}.{preset}.quaich"
            if self.models[preset].exists():
                continue
            command = [find_program(), "train", self.train, "-o", self.models[preset], "--preset", preset, "--quiet"]
            own = {"encoder.epochs": epochs, "held-out": "false"} if epochs and preset == "balanced" else {}
            settings = [part for name, value in {**PARTS, **own}.items() for part in ("--set", f"{name}={value}")]
            subprocess.run([*map(str, command), *settings], check=True)

    def row(self, what: str, measured: str, target: str) -> None:
        """A row of the table."""
        self.rows.append((what, measured, target))
        print(f"{what}: {measured} (target: {target})", file=sys.stderr, flush=True)

    def speeds(self) -> None:
        """One core: bytes, Arrow, words, one sentence at a time."""
        import pyarrow as pa

        content = self.file.read_bytes()
        batch = pa.table(self.columns)
        table = pa.concat_tables([batch] * self.copies).to_batches(max_chunksize=4096)
        for preset, file in self.models.items():
            model = quaich.load(file)
            program = cpu_of_program("parse", "-m", file, self.file, "-o", self.folder / "out.conllu", "--jobs", 1)
            speed = self.n_words / program / 1000
            self.row(f"command line, {preset}", f"{speed:.0f}k words per CPU second", "")
            in_bytes = cpu_of(lambda: model.parse_conllu(content))
            self.row(f"bytes in and out, {preset}, against the command line", f"{program / in_bytes:.2f}", "≥ 0.95")
            in_batches = cpu_of(lambda: [model.parse_batch(part, keep=[]) for part in table])
            self.row(f"Arrow in and out, {preset}, against the command line", f"{program / in_batches:.2f}", "≥ 1.0")
            given = [tuple(self.columns[name][i] for name in COLUMNS) for i in range(len(self.sentences))]
            parse = in_batches / len(self.sentences) / self.copies

            def one_by_one() -> None:
                for _ in range(self.copies):
                    for form, lemma, upos, xpos, feats in given:
                        model.parse_words(form, upos=upos, xpos=xpos, lemmas=lemma, feats=feats)

            single = cpu_of(one_by_one) / len(self.sentences) / self.copies
            self.row(f"one sentence per call, {preset}, over the parse", f"{(single - parse) * 1e6:.0f} µs", "≤ 20 µs")
            bare = self.folder / "bare.conllu"
            with bare.open("w", encoding="utf-8") as out:
                for _ in range(self.copies):
                    out.writelines(quaich.Sentence(s.words).to_conllu() for s in self.sentences)
            of_program = cpu_of_program("parse", "-m", file, bare, "-o", self.folder / "out.conllu", "--jobs", 1, "--quiet")
            words = [s.words for s in self.sentences] * self.copies
            piped = cpu_of(lambda: sum(1 for _ in model.pipe(words)))
            self.row(f"`pipe` over lists of words, {preset}, against the command line", f"{of_program / piped:.2f}", "≥ 0.85")

    def threads(self) -> None:
        """Two threads, and two jobs in a call: ratios of times on the clock."""
        import pyarrow as pa

        batch = pa.concat_tables([pa.table(self.columns)] * self.copies).combine_chunks().to_batches()[0]
        model = quaich.load(self.models["balanced"])
        one = time_of(lambda: model.parse_batch(batch))
        with ThreadPoolExecutor(2) as pool:
            two = time_of(lambda: list(pool.map(model.parse_batch, [batch, batch])))
        self.row("two Python threads on two batches (clock)", f"{2 * one / two:.2f} times one; {load()}", "≥ 1.7")
        one = min(one, time_of(lambda: model.parse_batch(batch)))
        both = time_of(lambda: model.parse_batch(batch, jobs=2))
        self.row("`jobs=2` in a batch (clock)", f"{one / both:.2f} times one; {load()}", "≥ 1.7")

    def interrupts(self) -> None:
        """Processor seconds from the signal to the end of the process: what it takes on a machine with nothing else to do.

        Interrupts are spread evenly over the processor time of the whole work, on one thread.
        """
        code = """
            import signal, sys, warnings, quaich
            # A shell starts what runs in the background with this signal ignored.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            warnings.simplefilter("ignore")
            what, model, data, dev, epochs = sys.argv[1:]
            own = {"encoder.epochs": int(epochs)} if int(epochs) else {}
            try:
                if what == "parse":
                    quaich.load(model).parse_conllu(open(data, "rb").read() * 10)
                else:
                    quaich.train(data, dev=dev, preset=what, settings=own, jobs=1, progress=False)
                print("finished")
            except KeyboardInterrupt as error:
                print("model" if getattr(error, "model", None) else "no model")
        """
        for what in ["parse", "fast", "balanced", "best"]:
            data, epochs = (self.file, 0) if what == "parse" else (self.train, self.epochs if what != "fast" else 0)
            command = [sys.executable, "-c", textwrap.dedent(code), what, self.models["balanced"], data, self.dev, epochs or 0]

            def end_of(child: subprocess.Popen[str]) -> tuple[str, float]:
                assert child.stdout is not None
                said = child.stdout.read().strip()
                used = os.wait4(child.pid, 0)[2]
                child.returncode = 0
                return said, used.ru_utime + used.ru_stime

            def start() -> subprocess.Popen[str]:
                return subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)

            said, whole = end_of(start())
            assert said == "finished", said
            spent, with_model = [], 0
            for moment in range(MOMENTS):
                child = start()
                # The first hundredths of a second belong to the interpreter.
                wanted = 0.2 + (whole - 0.3) * (moment + 0.5) / MOMENTS
                while cpu_of_process(child.pid) < wanted:
                    time.sleep(0.005)
                before = cpu_of_process(child.pid)
                child.send_signal(signal.SIGINT)
                said, after = end_of(child)
                assert said in ("model", "no model"), said
                spent.append(after - before)
                with_model += said == "model"
            measured = f"worst {max(spent):.2f}, median {statistics.median(spent):.2f} CPU s"
            name = "parse" if what == "parse" else f"train, {what}"
            kept = "" if what == "parse" else f"; {with_model} of {MOMENTS} kept a model"
            asked = "≤ 0.2 s" if what == "parse" else "≤ 1 s"
            self.row(f"Ctrl-C: {name}, {MOMENTS} moments in {whole:.0f} CPU s", measured + kept, asked)

    def parquet(self) -> Path:
        """The corpus in files of Parquet."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        corpus = self.folder / "corpus"
        if not corpus.exists():
            corpus.mkdir()
            ids = [f"s{i}" for i in range(len(self.sentences))]
            part = pa.concat_tables([pa.table({"id": ids, **self.columns})] * (self.engine_copies // FILES))
            for number in range(FILES):
                pq.write_table(part, corpus / f"{number}.parquet", row_group_size=10_000)
        return corpus

    def program_on_corpus(self, preset: str) -> tuple[float, float]:
        """The processor seconds and the seconds on the clock of the command line, on one core."""
        arguments = ["parse", "-m", self.models[preset], self.engine_file, "-o", self.folder / "out.conllu", "--jobs", 1]
        start = time.monotonic()
        spent = cpu_of_program(*arguments, rounds=1)
        return spent, time.monotonic() - start

    def per_million(self, seconds: float) -> float:
        """Seconds per million sentences of the corpus."""
        return seconds / (len(self.sentences) * self.engine_copies) * 1e6

    def one_process(self) -> None:
        """Parquet to Parquet in one process."""
        corpus = self.parquet()
        for preset, file in self.models.items():
            program, _ = self.program_on_corpus(preset)
            start = time.process_time()
            quaich.parse_parquet(corpus, self.folder / "out.parquet", file, keep=["id"], jobs=1)
            own = time.process_time() - start
            measured = f"{self.per_million(own):.1f} CPU s; command line {self.per_million(program):.1f}"
            self.row(f"`parse_parquet`, {preset}, key and new columns, per million sentences", measured, "")

    def spark(self) -> None:
        """Spark's processes; the JVM and the Python workers apart."""
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        from pyspark.sql import SparkSession

        import quaich.spark

        corpus = self.parquet()
        times = {}
        programs = {preset: self.program_on_corpus(preset) for preset in self.models}
        for master in ["local[1]", "local[2]"]:
            builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
            builder = builder.config("spark.sql.files.maxPartitionBytes", "1000000").config("spark.driver.memory", "1g")
            session = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "4096").getOrCreate()
            session.sparkContext.setLogLevel("ERROR")
            for preset, file in self.models.items():
                program, _ = programs[preset]

                def job(df: object) -> None:
                    parsed = quaich.spark.parse(df, file, keep=["id"])  # type: ignore[arg-type]
                    parsed.write.mode("overwrite").parquet(str(self.folder / "spark"))

                df = session.read.parquet(str(corpus))
                # Starts the Python workers and loads the model.
                job(df.limit(10_000).repartition(2))
                jvm, python = cpu_below(os.getpid(), "java"), cpu_below(os.getpid(), "python")
                start = time.monotonic()
                job(df)
                times[master, preset] = time.monotonic() - start
                jvm, python = cpu_below(os.getpid(), "java") - jvm, cpu_below(os.getpid(), "python") - python
                measured = f"JVM {self.per_million(jvm):.1f}, Python {self.per_million(python):.1f} CPU s"
                measured += f"; command line {self.per_million(program):.1f}"
                self.row(f"Spark {master}, {preset}, key and new columns, per million sentences", measured, "")
                self.row(f"Spark's Python workers, {master}, {preset}, against the command line", f"{python / program:.2f}", "≤ 1.2")
            session.stop()
        ratio = times["local[1]", "balanced"] / times["local[2]", "balanced"]
        self.row("Spark local[2] over local[1], balanced (clock)", f"{ratio:.2f}; {load()}", "≥ 1.7")
        _, clock = programs["balanced"]
        ratio = clock / times["local[2]", "balanced"]
        self.row("Spark local[2] over the command line on one core, balanced (clock)", f"{ratio:.2f}; {load()}", "≥ 1.25")

    def ray(self) -> None:
        """Ray: parsing and copying."""
        os.environ.setdefault("RAY_memory_monitor_refresh_ms", "0")
        import ray

        import quaich.ray

        corpus = self.parquet()
        ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, object_store_memory=300 << 20)
        ray.data.DataContext.get_current().enable_progress_bars = False

        def spent(work: Callable[[], object]) -> float:
            before = time.process_time() + cpu_below(os.getpid(), "")
            work()
            return time.process_time() + cpu_below(os.getpid(), "") - before

        def parse(file: Path) -> None:
            ds = ray.data.read_parquet(str(corpus))
            parsed = quaich.ray.parse(ds, file, workers=2, num_cpus=0.5, keep=["id"])
            parsed.write_parquet(str(self.folder / "ray"), mode=ray.data.SaveMode.OVERWRITE)

        def copy() -> None:
            ds = ray.data.read_parquet(str(corpus))
            ds.map_batches(lambda table: table, batch_format="pyarrow").write_parquet(
                str(self.folder / "ray"), mode=ray.data.SaveMode.OVERWRITE
            )

        copy()
        copied = spent(copy)
        for preset, file in self.models.items():
            program, _ = self.program_on_corpus(preset)
            parsed = spent(lambda: parse(file))
            measured = f"job {self.per_million(parsed):.1f}, copy {self.per_million(copied):.1f} CPU s"
            measured += f"; command line {self.per_million(program):.1f}"
            self.row(f"Ray, two actors, {preset}, key and new columns, per million sentences", measured, "")
            ratio = (parsed - copied) / program
            self.row(f"Ray, {preset}: job less its copy, against the command line", f"{ratio:.2f}", "≤ 1.3")
        ray.shutdown()


STEPS: dict[str, Callable[[Bench], Any]] = {
    "speeds": Bench.speeds,
    "threads": Bench.threads,
    "one-process": Bench.one_process,
    "interrupts": Bench.interrupts,
    "spark": Bench.spark,
    "ray": Bench.ray,
}


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path, help="a folder with train.conllu and test.conllu")
    parser.add_argument("--copies", type=int, default=40, help="how often the test set is repeated [default: 40]")
    parser.add_argument("--engine-copies", type=int, default=400, help="the same for engines, a multiple of 8 [default: 400]")
    parser.add_argument("--models", type=Path, help="keep the models in this folder, and use those that are there")
    parser.add_argument("--epochs", type=int, help="train the encoder for so many epochs only: speed hardly depends on it")
    parser.add_argument("--only", help="only these steps: " + ",".join(STEPS))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", quaich.MissingColumnWarning)
    wanted = arguments.only.split(",") if arguments.only else list(STEPS)
    with tempfile.TemporaryDirectory(prefix="quaich-bench-") as folder:
        bench = Bench(arguments.treebank, arguments.copies, arguments.engine_copies, Path(folder), arguments.models or Path(folder), arguments.epochs)
        for name in wanted:
            STEPS[name](bench)
        name, n_words = arguments.treebank.name, bench.n_words
        n_sentences = len(bench.sentences) * arguments.engine_copies
        print(f"{name}, test set {arguments.copies} times ({n_words:,} words); for engines {arguments.engine_copies} times", end=" ")
        print(f"({n_sentences:,} sentences, {n_words // arguments.copies * arguments.engine_copies:,} words).\n")
        if arguments.epochs:
            print(f"The encoder of *balanced* was trained for {arguments.epochs} epochs: every ratio compares the same model.\n")
        print("| | measured | target |")
        print("|---|---|---|")
        for row in bench.rows:
            print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
