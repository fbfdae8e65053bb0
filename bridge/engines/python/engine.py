"""The python engine: a payload in Python over sorted Arrow batches, in Spark's Python workers (`mapInArrow`)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from bridge.engines.control_columns import result_type
from bridge.engines.python.worker import merged
from bridge.spark import prepare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

    from bridge.engines.job import Job


def run(versions: DataFrame, job: Job, fields: tuple[StructField, ...]) -> DataFrame:
    """Run a job over sorted versions, as `bridge.engines.Engine` says; its errors come from the tasks.

    Raises:
        EngineError: executors lack what Python needs there.
        InputError, MergeFailedError: from Spark, as in `merged`.
    """
    prepare(versions.sparkSession, job.plan.payload_name)
    task = functools.partial(merged, job)
    task.__name__ = job.label  # type: ignore[attr-defined] # what Spark's plans call the task
    return versions.mapInArrow(task, result_type(fields, job.handed_over))
