"""Jobs of compiled classes whose programs Python runs: its workers call the class in the JVM of their executor.

A worker learns from a column at which port that JVM listens. A call is a round trip, of some 50 microseconds.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING

from pyspark.sql import types as spark_types

from bridge.config import UpgradeCompaction, capabilities
from bridge.engines.control_columns import ORIGIN, PORT
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of, secret_of
from bridge.engines.jvm.job import Calls, modes_unknown_to_java
from bridge.engines.jvm.merger import with_strategy_id
from bridge.engines.jvm.references import InDriver, InExecutor, called_from_python, in_executor_at
from bridge.plan import MergePlan
from bridge.programs import Handover
from bridge.spark import functions, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from bridge.engines.job import Job


def for_python(versions: DataFrame, job: Job) -> tuple[DataFrame, Job] | None:
    """Return versions with the port, and the job as Python runs it; None for a job that Java runs itself.

    Raises:
        PlanError, MergeConfigError: see `Calls`.
        PlanError, MergerNotFoundError, MergerConfigError: see `with_strategy_id`.
        EngineError, PlanError, PayloadNotFoundError, PayloadConstructorError: see `jars_of`.
    """
    spark = versions.sparkSession
    job = _with_plans(job, lambda plan: with_strategy_id(spark, plan))
    if not _needs_python(job):
        return None
    Calls(job.plan, in_java=False)
    placed = _with_plans(job, lambda plan: _in_executor(spark, plan))
    return with_port(versions, ORIGIN), placed


def in_executors(plan: MergePlan, spark: SparkSession) -> MergePlan:
    """Return a plan whose compiled payload runs in the JVMs of executors, called by tasks in Python.

    Their frames are those of `with_port`. Any other plan is returned as it is.

    Raises:
        EngineError, PlanError, PayloadNotFoundError, PayloadConstructorError, ClassLinkError: see `jars_of`.
    """
    return _in_executor(spark, plan) if plan.runs_java else plan


def with_port(frame: DataFrame, column: str) -> DataFrame:
    """Return a frame with the port of the JVM in which each row is; `attached` takes it off in a task.

    `column` is any column: an expression of none would be evaluated in the driver.
    """
    return frame.select("*", functions.call_function(_port_function(frame.sparkSession), quoted(column)).alias(PORT))


def attached(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Give the batches of a task without the port, if they have one, once this worker knows it."""
    for batch in batches:
        if PORT not in batch.schema.names:
            yield batch
            continue
        if batch.num_rows:
            in_executor_at(batch.column(PORT)[0].as_py())
        yield batch.drop_columns([PORT])


def in_driver(plan: MergePlan, spark: SparkSession) -> MergePlan:
    """Return a plan whose compiled payload or merger runs in the driver's JVM, called by merges in Python.

    Any other plan is returned as it is. Where the class has a Python port, that is taken.

    Raises:
        EngineError, MergerNotFoundError, MergerConfigError: see `with_strategy_id`.
    """
    return (
        called_from_python(with_strategy_id(spark, plan), InDriver(spark, plan.call_timeout))
        if plan.runs_java
        else plan
    )


def _needs_python(job: Job) -> bool:
    """Whether a job is more than Java knows: program, upgrade, global index, mode, quarantine, rows of a real table."""
    change = job.arguments.get("handover")
    more = not job.spec.in_java or job.plan.global_index or job.quarantines or job.onto_table
    return more or any(map(modes_unknown_to_java, [job.plan, *_plans(change)])) or _is_more_than_an_upgrade(change)


def _is_more_than_an_upgrade(change: object) -> bool:
    """Whether a table passes on more than once, or by a downgrade or an upgrade that only plans its compaction."""
    if not isinstance(change, Handover):
        return False
    upgraded = change.upgraded
    plans = upgraded is not None and capabilities(upgraded.release).upgrade_compaction is UpgradeCompaction.PLANNED
    return plans or change.then is not None or change.compacting is not None


def _in_executor(spark: SparkSession, plan: MergePlan) -> MergePlan:
    calls = Calls(plan, may_call_none=True, in_java=False)
    jars = jars_of(spark, calls.reference, plan.release, calls.classes)
    return called_from_python(plan, InExecutor(jars.names, secret_of(spark), plan.call_timeout))


def _with_plans(job: Job, changed: Callable[[MergePlan], MergePlan]) -> Job:
    """Return a job with other plans: its own, and those of an upgrade."""
    arguments = {
        name: _change(value, changed) if isinstance(value, Handover) else value for name, value in job.arguments.items()
    }
    return dataclasses.replace(job, plan=changed(job.plan), arguments=arguments)


def _change(change: Handover, changed: Callable[[MergePlan], MergePlan]) -> Handover:
    found = {name: changed(value) for name, value in change._asdict().items() if isinstance(value, MergePlan)}
    then = None if change.then is None else _change(change.then, changed)
    return change._replace(**found, then=then)  # type: ignore[arg-type]  # the fields that are plans


def _plans(change: object) -> list[MergePlan]:
    if not isinstance(change, Handover):
        return []
    return [value for value in change if isinstance(value, MergePlan)] + _plans(change.then)


def _port_function(spark: SparkSession) -> str:
    """Return the name of the session's function that gives the port of the JVM in which it is called."""
    driver, secret = Driver(spark), secret_of(spark)
    name = "pb_port_" + hashlib.sha256(secret.encode()).hexdigest()[:16]
    if not spark.catalog.functionExists(name):
        server = driver.new(driver.session_class("bridge.jvm.CallServer"), secret)
        driver.register(name, server, spark_types.IntegerType())
    return name
