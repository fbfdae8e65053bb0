"""Hudi's meta columns of written rows: commit time, sequence number, record key and partition path.

A kept row keeps its own; only rows that a batch inserts or changes get new ones. There is no file yet, so
`_hoodie_file_name` is null.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from bridge.merge.carriers import NO_PARTITION
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from bridge.plan import MergePlan


class MetaColumns:
    """Stamps the rows that one task of a commit writes."""

    def __init__(self, plan: MergePlan, instant: str, task: int) -> None:
        """Keep what the columns are made of: the commit's `instant` (yyyyMMddHHmmssSSS) and the number of the task."""
        self._plan = plan
        self._instant = instant
        self._task = task
        self._sequence = itertools.count()

    def stamp(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return `batch` with new values in its meta columns."""
        rows = batch.num_rows
        values: tuple[pa.Array, ...] = (
            pa.array([self._instant] * rows, pa.string()),
            pa.array([f"{self._instant}_{self._task}_{next(self._sequence)}" for _ in range(rows)], pa.string()),
            _record_key(batch, self._plan.key),
            _partition_path(batch, self._plan.partition),
            pa.nulls(rows, pa.string()),
        )
        for name, value in zip(META_COLUMNS, values, strict=True):
            index = batch.schema.get_field_index(name)
            if index >= 0:
                batch = batch.set_column(index, batch.schema.field(index), value.cast(batch.schema.field(index).type))
        return batch


def _text(batch: pa.RecordBatch, name: str) -> pa.Array:
    return pc.cast(batch.column(batch.schema.get_field_index(name)), pa.string())


def _record_key(batch: pa.RecordBatch, key: tuple[str, ...]) -> pa.Array:
    """One column is its text; several are `name:value` pairs (ComplexKeyGenerator)."""
    if len(key) == 1:
        return _text(batch, key[0])
    pairs = [pc.binary_join_element_wise(f"{name}:", _text(batch, name), "") for name in key]
    return pc.binary_join_element_wise(*pairs, ",")


def _partition_path(batch: pa.RecordBatch, partition: tuple[str, ...]) -> pa.Array:
    if not partition:
        return pa.array([""] * batch.num_rows, pa.string())
    return pc.binary_join_element_wise(*(_path(batch, name) for name in partition), "/")


def _path(batch: pa.RecordBatch, name: str) -> pa.Array:
    text = _text(batch, name)
    return pc.if_else(pc.fill_null(pc.not_equal(text, ""), False), text, NO_PARTITION)
