"""What every engine does, and which engine runs a plan: the only module that knows the engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bridge.engines.jvm import run as run_on_jvm
from bridge.engines.python import run as run_in_python
from bridge.errors import PlanError
from bridge.programs import EngineName

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
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
    name = engine_of(job.plan)
    if name not in job.spec.engines:
        others = " or ".join(sorted(job.spec.engines))
        msg = f"the {name} engine does not run {job.program}; use the {others} engine"
        raise PlanError(msg)
    return _ENGINES[name](versions, job, fields)
