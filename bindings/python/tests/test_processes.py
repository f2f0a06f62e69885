"""Threads, processes, signals."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import quaich


def python(code: str, *arguments: object, timeout: float = 120) -> str:
    """Runs a program of Python in a new process and returns what it prints."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=timeout).stdout


def test_models_and_sentences_are_pickled(text_model: quaich.Model) -> None:
    copy = pickle.loads(pickle.dumps(text_model))
    document = text_model.parse("Cats sleep. Dogs bark.")
    assert copy.parse("Cats sleep. Dogs bark.") == document
    assert pickle.loads(pickle.dumps(document)) == document


def test_threads_share_a_model(linear: quaich.Model, test_text: str) -> None:
    expected = linear.parse_conllu(test_text)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: linear.parse_conllu(test_text, jobs=2), range(32))) == {expected}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_parses_and_trains(linear_file: Path, sample: Path) -> None:
    code = """
        import os, sys, warnings, quaich
        warnings.simplefilter("ignore")
        model_file, train, test = sys.argv[1:]
        settings = {"learner": "linear", "linear.epochs": 1, "linear.folds": 0}
        def work():
            model = quaich.load(model_file)
            text = open(test).read()
            return model.parse_conllu(text, jobs=2), quaich.train(train, settings=settings, jobs=2, progress=False).to_bytes()
        first = work()
        child = os.fork()
        if child == 0:
            os._exit(0 if work() == first else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert python(code, linear_file, sample / "train.conllu", sample / "test.conllu") == "0\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("work", ["parse", "parse_file", "parse_batches", "train"])
def test_work_is_interrupted(work: str, linear_file: Path, sample: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow") if work == "parse_batches" else None
    code = """
        import signal, sys, time, warnings, quaich
        # A shell starts what runs in the background with this signal ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warnings.simplefilter("ignore")
        work, model_file, train, folder = sys.argv[1:]
        model = quaich.load(model_file)
        text = open(train).read() * 2000
        if work == "parse_file":
            open(folder + "/in.conllu", "w").write(text)
        if work == "parse_batches":
            import pyarrow as pa
            batch = pa.record_batch({"form": [["Cats", "sleep", "."]] * 3_000_000})
        start = time.process_time()
        print("ready", flush=True)
        try:
            if work == "parse":
                model.parse_conllu(text)
            elif work == "parse_file":
                model.parse_file(folder + "/in.conllu", folder + "/out.conllu", jobs=1, progress=False)
            elif work == "parse_batches":
                list(model.parse_batches(pa.RecordBatchReader.from_batches(batch.schema, [batch])))
            else:
                quaich.train([train] * 20, settings={"learner": "linear"}, progress=False)
        except quaich.Interrupted as error:
            print("model" if error.model else "nothing", time.process_time() - start)
        except KeyboardInterrupt:
            print("interrupted", time.process_time() - start)
        else:
            print("finished", time.process_time() - start)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), work, linear_file, sample / "train.conllu", tmp_path]
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    said, spent = child.communicate(timeout=300)[0].split()
    assert said in (["model", "nothing"] if work == "train" else ["interrupted"])
    # Processor time, which hardly depends on what else the machine does.
    assert float(spent) < 3
    assert not (tmp_path / "out.conllu").exists()


def test_a_python_thread_is_not_held_up(linear: quaich.Model, test_text: str) -> None:
    """While one thread parses, another one runs."""
    text, count = test_text * 20, 0
    with ThreadPoolExecutor(1) as pool:
        parsing = pool.submit(linear.parse_conllu, text)
        while not parsing.done():
            count += 1
            time.sleep(0.001)
    assert count > 3
