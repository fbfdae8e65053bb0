"""Spark's jobs of one run: what they are called in Spark's own pages, how far they are, and how they are cancelled."""

from __future__ import annotations

import contextlib
import time
import uuid
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from py4j.protocol import Py4JError

from bridge.spark.session import is_connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_GROUP, _DESCRIPTION, _INTERRUPT = "spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"
_SECONDS: Final = 10.0
"""How long cancelled jobs are waited for."""


class Running(NamedTuple):
    """How far the jobs of a run are.

    Attributes:
        what: what the job does; empty if nobody said.
        tasks: how many tasks of its stages have ended.
        of_tasks: how many tasks they have.
        rows: how many rows the stages that run have read.
        of_rows: how many they will read, as far as they read what other stages wrote; None where that is not known.
        job: the number of the first job.
    """

    what: str
    tasks: int
    of_tasks: int
    rows: int
    of_rows: int | None
    job: int


@contextlib.contextmanager
def described(spark: SparkSession, what: str) -> Iterator[None]:
    """Say what the jobs of a `with` block do; Spark shows it beside them and their stages. Not under Spark Connect."""
    if is_connect(spark):
        yield
        return
    context = spark.sparkContext
    before = context.getLocalProperty(_DESCRIPTION)
    context.setLocalProperty(_DESCRIPTION, what)
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)  # type: ignore[arg-type] # null unsets it


class RunJobs:
    """The jobs that this thread starts from now on, until `close`."""

    def __init__(self, spark: SparkSession) -> None:
        """Mark the jobs."""
        self._spark = spark
        self._group = f"payload-bridge-{uuid.uuid4().hex[:12]}"
        self._before: dict[str, str | None] = {}
        if is_connect(spark):
            spark.addTag(self._group)
            return
        context = spark.sparkContext
        self._before = {name: context.getLocalProperty(name) for name in (_GROUP, _INTERRUPT)}
        context.setLocalProperty(_GROUP, self._group)
        context.setLocalProperty(_INTERRUPT, "true")

    def close(self) -> None:
        """Leave later jobs unmarked."""
        if is_connect(self._spark):
            self._spark.removeTag(self._group)
        for name, value in self._before.items():
            self._spark.sparkContext.setLocalProperty(name, value)  # type: ignore[arg-type] # null unsets it

    def cancel(self) -> None:
        """Cancel the jobs, and wait until their tasks have ended, so that they write no more.

        Under Spark Connect it does not wait.
        """
        if is_connect(self._spark):
            self._spark.interruptTag(self._group)
            return
        self._spark.sparkContext.cancelJobGroup(self._group)
        end = time.monotonic() + _SECONDS
        while (self._active() or self._have_tasks()) and time.monotonic() < end:
            time.sleep(0.05)

    def running(self) -> Running | None:
        """Return how far the jobs are; None if none runs, or, under Spark Connect, where nobody can tell."""
        if is_connect(self._spark):
            return None
        try:
            return self._running()
        except (Py4JError, OSError):  # the session has ended, or the job has this moment
            return None

    def _active(self) -> list[Any]:
        tracker = self._spark.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(self._group)]
        return [job for job in jobs if job is not None and job.status == "RUNNING"]

    def _have_tasks(self) -> bool:
        """Whether a task of the jobs still runs; a job counts as failed once it is cancelled, before its tasks end."""
        tracker = self._spark.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(self._group)]
        stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
        return any(stage is not None and stage.numActiveTasks for stage in stages)

    def _running(self) -> Running | None:
        active = sorted(self._active(), key=lambda job: job.jobId)
        if not active:
            return None
        # The store of Spark's own pages: the public tracker has neither rows nor descriptions.
        store = self._spark.sparkContext._jsc.sc().statusStore()  # noqa: SLF001
        said = store.job(active[0].jobId).description()
        stages = [store.lastStageAttempt(stage) for job in active for stage in job.stageIds]
        started = [stage for stage in stages if stage.status().toString() != "PENDING"]
        ended = [stage for stage in started if stage.status().toString() == "COMPLETE"]
        now = [stage for stage in started if stage.status().toString() == "ACTIVE"]
        left = sum(stage.shuffleWriteRecords() - stage.shuffleReadRecords() for stage in ended)
        rows = sum(max(stage.inputRecords(), stage.shuffleReadRecords()) for stage in now)
        return Running(
            what=said.get() if said.isDefined() else "",
            tasks=sum(stage.numCompleteTasks() for stage in started),
            of_tasks=sum(stage.numTasks() for stage in stages),
            rows=rows,
            of_rows=left if left >= rows > 0 else None,
            job=active[0].jobId,
        )
