"""UDPipe 1 (PyPI: ufal.udpipe) for `cargo xtask bench parsing` and `cargo xtask bench raw-text`.

    udpipe.py train-all TRAIN MODEL [DEV]
    udpipe.py text MODEL TEXT OUTPUT
    udpipe.py train TRAIN MODEL EPOCHS [SYSTEM]
    udpipe.py parse MODEL FILE OUTPUT BEAM

`train-all` learns a tokenizer, a tagger and a parser with UDPipe's own settings; without a dev file, the last tenth
of the training file takes its place. `text` tokenizes, tags and parses a text.

`train` learns a parser alone, with UDPipe's own settings but for the number of epochs and the transition
system (projective, swap or link2), if one is given. `parse` takes
words, tags, lemmas and features as the file gives them; a beam of 1 is greedy. It prints the seconds
of processor time that each part took; of parsing, the fastest of several runs.
"""

import sys
import time

from ufal.udpipe import InputFormat, Model, OutputFormat, Pipeline, ProcessingError, Sentence, Sentences, Trainer

RUNS = 5


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    reader = InputFormat.newConlluInputFormat()
    reader.setText(text)
    error = ProcessingError()
    sentences = []
    sentence = Sentence()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = Sentence()
    if error.occurred():
        sys.exit(error.message)
    return sentences


def train(path, model, epochs, system="projective"):
    sentences = Sentences()
    for sentence in read(path):
        sentences.append(sentence)
    error = ProcessingError()
    parser = f"transition_system={system};iterations={epochs}"
    data = Trainer.train("morphodita_parsito", sentences, Sentences(), "none", "none", parser, error)
    if error.occurred():
        sys.exit(error.message)
    with open(model, "wb") as file:
        file.write(data)


def train_all(path, model, dev=None):
    sentences = read(path)
    if dev is None:
        split = len(sentences) * 9 // 10
        sentences, held_out = sentences[:split], sentences[split:]
    else:
        held_out = read(dev)
    lists = []
    for part in (sentences, held_out):
        lists.append(Sentences())
        for sentence in part:
            lists[-1].append(sentence)
    error = ProcessingError()
    data = Trainer.train("morphodita_parsito", *lists, "", "", "", error)
    if error.occurred():
        sys.exit(error.message)
    with open(model, "wb") as file:
        file.write(data)


def text(model, path, output):
    loaded = Model.load(model)
    if loaded is None:
        sys.exit(f"{model} is not a model of UDPipe")
    pipeline = Pipeline(loaded, "tokenize", Pipeline.DEFAULT, Pipeline.DEFAULT, "conllu")
    error = ProcessingError()
    with open(path, encoding="utf-8") as file:
        parsed = pipeline.process(file.read(), error)
    if error.occurred():
        sys.exit(error.message)
    with open(output, "w", encoding="utf-8") as file:
        file.write(parsed)


def parse(model, path, output, beam):
    def timed(part, work, runs=1):
        times = []
        for _ in range(runs):
            start = time.process_time()
            result = work()
            times.append(time.process_time() - start)
        print(part, min(times))
        return result

    error = ProcessingError()
    loaded = timed("load", lambda: Model.load(model))
    if loaded is None:
        sys.exit(f"{model} is not a model of UDPipe")
    sentences = timed("read", lambda: read(path))

    def parse_all():
        for sentence in sentences:
            if not loaded.parse(sentence, f"beam_search={beam}", error):
                sys.exit(error.message)

    timed("parse", parse_all, RUNS)
    writer = OutputFormat.newConlluOutputFormat()

    def write_all():
        with open(output, "w", encoding="utf-8") as file:
            for sentence in sentences:
                file.write(writer.writeSentence(sentence))
            file.write(writer.finishDocument())

    timed("write", write_all)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["train-all", path, model, *dev] if len(dev) <= 1:
            train_all(path, model, *dev)
        case ["text", model, path, output]:
            text(model, path, output)
        case ["train", path, model, epochs, *system] if len(system) <= 1:
            train(path, model, epochs, *system)
        case ["parse", model, path, output, beam]:
            parse(model, path, output, beam)
        case _:
            sys.exit(__doc__)
