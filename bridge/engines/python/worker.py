"""The worker of the python engine: what a Spark task does, from sorted batches of versions to batches of outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from bridge.engines.control_columns import BOOKS, QUARANTINE
from bridge.engines.python.batch_merger import BatchMerger
from bridge.engines.python.outcomes import CONTROL_TYPES
from bridge.engines.python.quarantine import QuarantiningMerger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bridge.engines.job import Job


def merged(job: Job, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge batches that are sorted by identity, origin, commit and arrival; every key is in one stream.

    Raises:
        InputError: a key column contains null.
        MergeFailedError: a payload or its ordering failed; names payload, merge point and key.
    """
    merger: BatchMerger | None = None
    aside = [name for name in (QUARANTINE, BOOKS) if name in job.handed_over]
    for batch in batches:
        if batch.num_rows:
            make = QuarantiningMerger if job.quarantines else BatchMerger
            merger = merger or make(job, batch.schema)
            yield from (with_columns(found, aside) for found in merger.merge(batch))
    if merger is not None:
        yield from (with_columns(found, aside) for found in merger.end())
        if merger.ledger is not None:
            yield with_columns(merger.books(), aside)


def with_columns(batch: pa.RecordBatch, aside: list[str]) -> pa.RecordBatch:
    """Return a batch with the columns of `aside` in order, which are null where it lacks them."""
    if not aside:
        return batch
    names = [name for name in batch.schema.names if name not in aside]
    has = set(batch.schema.names)
    told = [batch.column(n) if n in has else pa.nulls(batch.num_rows, CONTROL_TYPES[n]) for n in aside]
    return pa.RecordBatch.from_arrays([*batch.select(names).columns, *told], [*names, *aside])
