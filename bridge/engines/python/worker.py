"""The worker of the python engine: what a Spark task does, from sorted batches of versions to batches of outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from bridge.engines.control_columns import QUARANTINE, ROW_COUNTS
from bridge.engines.python.batch_merger import BatchMerger
from bridge.engines.python.isolated import first_crash, is_isolated
from bridge.engines.python.keys import values_of
from bridge.engines.python.outcomes import CONTROL_TYPES
from bridge.engines.python.quarantine import QuarantiningMerger
from bridge.engines.row_counts import final_point
from bridge.errors import MergeFailedError
from bridge.merge import users_called

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bridge.engines.job import Job


@users_called(lambda job: job.plan)
def merged(job: Job, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge batches that are sorted by identity, origin, commit and arrival; every key is in one stream.

    Raises:
        InputError: a key column contains null.
        MergeFailedError: a payload or its ordering failed; names payload, merge point and key.
    """
    merger: BatchMerger | None = None
    aside = [name for name in (QUARANTINE, ROW_COUNTS) if name in job.handed_over]
    isolates = is_isolated(job)
    for batch in batches:
        if batch.num_rows:
            make = QuarantiningMerger if job.quarantines else BatchMerger
            merger = merger or make(job, batch.schema)
            if isolates:
                crashed, batch = _without_crashes(merger, batch)  # noqa: PLW2901 (what is left of it)
                yield from (with_columns(found, aside) for found in crashed)
            if batch.num_rows:
                yield from (with_columns(found, aside) for found in merger.merge(batch))
    if merger is not None:
        yield from (with_columns(found, aside) for found in merger.end())
        if merger.ledger is not None:
            yield with_columns(merger.row_counts(), aside)


def _without_crashes(merger: BatchMerger, batch: pa.RecordBatch) -> tuple[list[pa.RecordBatch], pa.RecordBatch]:
    """Return the quarantined rows of keys whose merge ends the process, and the remaining rows.

    Raises:
        MergeFailedError: there is such a key, and failing keys are not quarantined.
    """
    aside = []
    while batch.num_rows and (crash := first_crash(merger.job, batch)) is not None:
        point = final_point(merger.job.program)
        if not isinstance(merger, QuarantiningMerger):
            identity = values_of(batch, crash.first, merger.plan.identity)
            raise MergeFailedError(crash.reason, merger.plan.payload_name, point, identity)
        aside.append(merger.quarantine(batch.slice(crash.first, crash.end - crash.first), crash.reason, point))
        stays = np.ones(batch.num_rows, bool)
        stays[crash.first : crash.end] = False
        batch = batch.filter(pa.array(stays))
    return aside, batch


def with_columns(batch: pa.RecordBatch, aside: list[str]) -> pa.RecordBatch:
    """Return a batch with the columns of `aside` in order, which are null where it lacks them."""
    if not aside:
        return batch
    names = [name for name in batch.schema.names if name not in aside]
    has = set(batch.schema.names)
    told = [batch.column(n) if n in has else pa.nulls(batch.num_rows, CONTROL_TYPES[n]) for n in aside]
    return pa.RecordBatch.from_arrays([*batch.select(names).columns, *told], [*names, *aside])
