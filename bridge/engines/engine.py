"""What every engine does, and which engine runs a plan: the only module that knows the engines."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pyspark.sql import types as spark_types

from bridge.engines.control_columns import ARRIVAL, COMMIT, ORIGIN
from bridge.engines.jvm import CompiledPayloadRef
from bridge.engines.jvm import run as run_on_jvm
from bridge.engines.native import NotLoweredError, lowered
from bridge.engines.native import run as run_natively
from bridge.engines.python import run as run_in_python
from bridge.errors import PlanError
from bridge.programs import EngineName
from bridge.spark import in_one_task, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField

    from bridge.engines.job import Job
    from bridge.plan import MergePlan


class Engine(Protocol):
    """Runs the program of a job over sorted versions."""

    def __call__(self, versions: DataFrame, job: Job, fields: tuple[StructField, ...]) -> DataFrame:
        """Return outcomes: the data columns `fields`, and `job.added`; with `job.only_rows` the rows alone.

        All versions of a group of the job are in one partition of `versions`, sorted by `job.order` and origin, commit
        and arrival.
        """


_ENGINES: dict[EngineName, Engine] = {EngineName.PYTHON: run_in_python, EngineName.JVM: run_on_jvm}


class Choice(NamedTuple):
    """Which engine runs a job, and why."""

    engine: EngineName
    why: str


def engine_of(job: Job) -> Choice:
    """Return the engine that runs a job: natively where that is proved to be equal, unless the plan says otherwise.

    Raises:
        PlanError: the plan's engine can't run the job; says why.
    """
    plan = job.plan
    name, why = (EngineName.JVM, "the compiled class runs") if plan.runs_java else (EngineName.PYTHON, "as requested")
    if plan.engine in {"auto", "native"} and not plan.runs_java:
        try:
            lowered(job)
        except NotLoweredError as error:
            if plan.engine == "native":
                msg = f"the native engine does not run this: {error}; use --engine auto or python"
                raise PlanError(msg) from error
            why = f"not native: {error}"
        else:
            name, why = EngineName.NATIVE, "the merge mode runs as Spark's own expressions"
    if name not in job.spec.engines:
        others = " or ".join(sorted(job.spec.engines - {EngineName.NATIVE}))
        why = f", since {job.spec.only_there}" if name is EngineName.JVM else ""
        msg = f"the {name} engine does not run {job.program}{why}; use the {others} engine"
        raise PlanError(msg)
    if job.quarantines:
        why_not = job.spec.only_fails or ("a compiled class ends the run" if name is EngineName.JVM else "")
        if why_not:
            msg = f"on_error='quarantine' is not possible in {job.program}: {why_not}; leave it out"
            raise PlanError(msg)
    return Choice(name, why)


def run(sides: list[DataFrame], job: Job, fields: tuple[StructField, ...]) -> DataFrame:
    """Run a job over the sides of a merge: the stored rows, a log, a batch; errors as in `engine_of`."""
    name = engine_of(job).engine
    if name is EngineName.NATIVE:
        return run_natively(sides, job, fields)
    return _ENGINES[name](_sorted(sides, job), job, fields)


def _sorted(sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the versions of all sides, every key in one task, in the order in which programs take them."""
    versions = sides[0]
    for side in sides[1:]:
        versions = versions.unionByName(side, allowMissingColumns=True)
    control = [quoted(name) for name in (ORIGIN, COMMIT, ARRIVAL) if name in versions.columns]
    order = [*(column for name in job.order for column in _sorting(versions, name)), *control]
    if in_one_task(versions.sparkSession):
        shuffled = versions.coalesce(1)
    else:
        grouping = map(quoted, job.grouping)
        shuffled = versions.repartition(*grouping) if job.grouping else versions.repartition(1)
    return shuffled.sortWithinPartitions(*order).drop(ARRIVAL)


def _sorting(frame: DataFrame, name: str) -> list[Column]:
    """Return what sorts by a column; 0.0 and -0.0 are equal for Spark, and two keys for Hudi, whose keys are texts."""
    is_floating = isinstance(frame.schema[name].dataType, spark_types.FloatType | spark_types.DoubleType)
    return [quoted(name), quoted(name).cast("string")] if is_floating else [quoted(name)]


def in_driver(plan: MergePlan, spark: SparkSession) -> MergePlan:
    """Return a plan whose compiled payload runs in the driver's JVM, called by merges in Python; others as they are.

    Where the class has a Python port, that is taken.
    """
    if not plan.runs_java or plan.payload is None:
        return plan
    of = plan.payload
    if not of.has_port(plan.release):
        of = CompiledPayloadRef(of.name, of.jar, of.package, spark=spark)
    return dataclasses.replace(plan, payload=of, engine="python", implementation=None)
