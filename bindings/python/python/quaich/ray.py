"""Parsing datasets of Ray; needs `pip install quaich[ray]`.

    parsed = quaich.ray.parse(ray.data.read_parquet("sentences"), "english.quaich", workers=2)
    parsed.write_parquet("parsed")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quaich._engines import load_cached, model_file
from quaich._model import Model, PathLike

if TYPE_CHECKING:
    import pyarrow
    from typing_extensions import Unpack

    from quaich._model import RowOptions

__all__ = ["parse"]


class _Parser:
    """The parser of one worker process."""

    def __init__(self, path: str, options: RowOptions) -> None:
        self._model, self._options = load_cached(path), options

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        import pyarrow as pa

        return pa.Table.from_batches([pa.record_batch(self._model.parse_batch(batch, **self._options))])


def parse(
    ds: Any,
    model: Model | PathLike,
    *,
    workers: int,
    batch_size: int = 4096,
    num_cpus: float = 1,
    **options: Unpack[RowOptions],
) -> Any:
    """Parse the rows of a `ray.data.Dataset`, as `Model.parse_batch` does, with this number of worker processes.

    Every worker loads the model file from its path, so all machines must see it. `num_cpus` is the share of a processor that
    Ray reserves for a worker; leave some for reading. `errors` is "null" by default, so that one bad row does not end a job.
    """
    import ray

    options.setdefault("errors", "null")
    return ds.map_batches(
        _Parser,
        fn_constructor_args=(model_file(model), options),
        batch_format="pyarrow",
        batch_size=batch_size,
        num_cpus=num_cpus,
        compute=ray.data.ActorPoolStrategy(size=workers),
    )
