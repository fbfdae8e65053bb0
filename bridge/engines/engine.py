"""What every engine does, and which engine runs a plan: the only module that knows the engines."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Protocol

from bridge.engines.jvm import CompiledPayloadRef
from bridge.engines.jvm import run as run_on_jvm
from bridge.engines.python import run as run_in_python
from bridge.errors import PlanError
from bridge.programs import PROGRAMS, EngineName

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
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


def engine_of(plan: MergePlan) -> EngineName:
    """Return the engine that runs a plan."""
    return EngineName.JVM if plan.runs_java else EngineName.PYTHON


def run(versions: DataFrame, job: Job, fields: tuple[StructField, ...]) -> DataFrame:
    """Run a job on the engine of its plan.

    Raises:
        PlanError: this engine can't run the program.
    """
    check_program(job.plan, job.program)
    return _ENGINES[engine_of(job.plan)](versions, job, fields)


def check_program(plan: MergePlan, program: str) -> None:
    """Refuse a program that the engine of a plan does not have.

    Raises:
        PlanError: saying why, and which engine runs it.
    """
    name, spec = engine_of(plan), PROGRAMS[program]
    if name not in spec.engines:
        others = " or ".join(sorted(spec.engines))
        msg = f"the {name} engine does not run {program}, since {spec.only_there}; use the {others} engine"
        raise PlanError(msg)


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
