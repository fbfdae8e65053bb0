"""Merging in a process that may die: which key of a batch is at fault where a class takes its process with it.

Only a task that Spark tries again is run so, as its first worker may have died: in native code, or for lack of memory.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pyspark import TaskContext

from bridge.engines.python.batch_merger import BatchMerger
from bridge.engines.python.keys import starts_of
from bridge.engines.python.quarantine import QuarantiningMerger
from payloads.user import no_exit, watching

if TYPE_CHECKING:
    import pyarrow as pa

    from bridge.engines.job import Job


class Crash(NamedTuple):
    """A key whose merge ends the process.

    Attributes:
        first: its first row in the batch.
        end: the row after its last one.
        reason: how the process ended, and what to do.
    """

    first: int
    end: int
    reason: str


def is_isolated(job: Job) -> bool:
    """Whether this task is tried again, with a class in Python, key by key."""
    context = TaskContext.get()
    named = job.plan.payload or job.plan.merger
    in_python = named is None or not named.is_compiled
    is_retried = context is not None and context.attemptNumber() > 0
    return is_retried and in_python and not job.spec.by_partition and hasattr(os, "fork")


def first_crash(job: Job, batch: pa.RecordBatch) -> Crash | None:
    """Return the first key of a batch whose merge ends the process; None where there is none."""
    how = _end_of(job, batch)
    if how is None:
        return None
    columns = [batch.column(name) for name in job.grouping]
    starts = starts_of(columns, batch.num_rows)
    starts[0] = True
    bounds = np.append(np.flatnonzero(starts), batch.num_rows)
    lives, dies = 0, len(bounds) - 1  # so many keys, from the first one
    while dies - lives > 1:
        middle = (lives + dies) // 2
        found = _end_of(job, batch.slice(0, int(bounds[middle])))
        if found is None:
            lives = middle
        else:
            dies, how = middle, found
    return Crash(
        int(bounds[lives]), int(bounds[dies]), f"the class ends its process ({how}); fix it, or give it more memory"
    )


def _end_of(job: Job, batch: pa.RecordBatch) -> str | None:
    """Merge a batch in a copy of this process; return how that died, or None."""
    child = os.fork()
    if child == 0:
        # What the merge raises it raises again in the worker.
        with contextlib.suppress(BaseException), no_exit(), watching(job.plan.call_timeout):
            merger = (QuarantiningMerger if job.quarantines else BatchMerger)(job, batch.schema)
            for _ in merger.merge(batch):
                pass
            for _ in merger.end():
                pass
        os._exit(0)  # nothing that the copy shares with this process is closed twice
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}" if code else None
