"""The python engine: a payload in Python over sorted Arrow batches, in Spark's Python workers (`mapInArrow`)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from bridge.engines.control_columns import result_type
from bridge.engines.python.worker import merged
from bridge.spark import map_in_arrow, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

    from bridge.engines.job import Job

    Receive = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def run(versions: DataFrame, job: Job, fields: tuple[StructField, ...], received: Receive | None = None) -> DataFrame:
    """Run a job over sorted versions, as `bridge.engines.Engine` says; its errors come from the tasks.

    `received` is what batches go through first, in the tasks.

    Raises:
        EngineError: executors lack what Python needs there.
        InputError, MergeFailedError: from Spark, as in `merged`.
    """
    prepare(versions.sparkSession, job.plan.payload_name)
    task = functools.partial(merged, job) if received is None else functools.partial(_after, received, job)
    task.__name__ = job.label  # type: ignore[attr-defined] # what Spark's plans call the task
    return map_in_arrow(versions, task, result_type(fields, job.handed_over))


def _after(received: Receive, job: Job, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return merged(job, received(batches))
