"""Quaich: dependency parsing, from plain text or treebanks to trees.

    import quaich

    model = quaich.load("english.quaich")
    for sentence in model.parse("Cats sleep. Dogs bark."):
        print(sentence.words, sentence.heads, sentence.deprels)
"""

from quaich._errors import Interrupted as Interrupted
from quaich._errors import MissingColumnWarning as MissingColumnWarning
from quaich._errors import ModelError as ModelError
from quaich._errors import QuaichError as QuaichError
from quaich._errors import SettingError as SettingError
from quaich._errors import TreebankError as TreebankError
from quaich._model import Evaluation as Evaluation
from quaich._model import Model as Model
from quaich._model import Parsed as Parsed
from quaich._model import evaluate as evaluate
from quaich._model import load as load
from quaich._model import read as read
from quaich._model import train as train
from quaich._parquet import parse_parquet as parse_parquet
from quaich._program import main as main
from quaich._quaich import RecordBatch as RecordBatch
from quaich._quaich import RecordBatchReader as RecordBatchReader
from quaich._quaich import Schema as Schema
from quaich._quaich import version as __version__
from quaich._sentence import Document as Document
from quaich._sentence import Sentence as Sentence
from quaich._sentence import Token as Token

__all__ = [
    "Document",
    "Evaluation",
    "Interrupted",
    "MissingColumnWarning",
    "Model",
    "ModelError",
    "Parsed",
    "QuaichError",
    "RecordBatch",
    "RecordBatchReader",
    "Schema",
    "Sentence",
    "SettingError",
    "Token",
    "TreebankError",
    "__version__",
    "evaluate",
    "load",
    "main",
    "parse_parquet",
    "read",
    "train",
]
