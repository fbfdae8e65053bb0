"""Merging in a task that reads one side itself: batch by batch, each with all versions of its keys."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from bridge.engines.control_columns import QUARANTINE, ROW_COUNTS
from bridge.engines.python.batch_merger import BatchMerger
from bridge.engines.python.quarantine import QuarantiningMerger
from bridge.engines.python.worker import with_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from bridge.engines.job import Job


class WholeKeys:
    """Merges the batches of one task; compiled for the first one."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._aside = [name for name in (QUARANTINE, ROW_COUNTS) if name in job.handed_over]
        self._merger: BatchMerger | None = None

    def merge(self, versions: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Give the outcomes of a batch: sorted as the engines take it, with all versions of each of its keys.

        Raises:
            InputError: a key column has null.
            MergeFailedError: a payload or its ordering failed.
        """
        if self._merger is None:
            self._merger = (QuarantiningMerger if self._job.quarantines else BatchMerger)(self._job, versions.schema)
        for found in itertools.chain(self._merger.merge(versions), self._merger.end()):
            yield with_columns(found, self._aside)

    def end(self) -> Iterator[pa.RecordBatch]:
        """Give the row that tells what became of the rows of the task."""
        if self._merger is not None and self._merger.ledger is not None:
            yield with_columns(self._merger.row_counts(), self._aside)
