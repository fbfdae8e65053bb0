"""Spark's jobs of one run: what they are called in Spark's own pages, how far they are, and how they are cancelled."""

from __future__ import annotations

import contextlib
import time
import uuid
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from py4j.protocol import Py4JError

from bridge.redaction import without_credentials
from bridge.spark.session import is_connect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession

_GROUP, _DESCRIPTION, _INTERRUPT = "spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"
_descriptions: list[str] = []
"""What the jobs of this process do, the innermost last."""
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
    """Say what the jobs of a `with` block do: progress does, and Spark beside them, but for Spark Connect."""
    what = without_credentials(what)
    _descriptions.append(what)
    context = None if is_connect(spark) else spark.sparkContext
    before = None if context is None else context.getLocalProperty(_DESCRIPTION)
    if context is not None:
        context.setLocalProperty(_DESCRIPTION, what)
    try:
        yield
    finally:
        _descriptions.remove(what)
        if context is not None:
            context.setLocalProperty(_DESCRIPTION, before)  # type: ignore[arg-type] # null unsets it


class RunJobs:
    """The jobs that this thread starts from now on, until `close`."""

    def __init__(self, spark: SparkSession) -> None:
        """Mark the jobs."""
        self._spark = spark
        self._group = f"payload-bridge-{uuid.uuid4().hex[:12]}"
        self._before: dict[str, str | None] = {}
        self._told: Running | None = None  # by Spark Connect
        if is_connect(spark):
            spark.addTag(self._group)
            if self.can_tell:
                spark.registerProgressHandler(self._progress)  # type: ignore[attr-defined] # from PySpark 4.0 on
            return
        context = spark.sparkContext
        self._before = {name: context.getLocalProperty(name) for name in (_GROUP, _INTERRUPT)}
        context.setLocalProperty(_GROUP, self._group)
        context.setLocalProperty(_INTERRUPT, "true")

    def close(self) -> None:
        """Leave later jobs unmarked."""
        if is_connect(self._spark):
            self._spark.removeTag(self._group)
            if self.can_tell:
                self._spark.removeProgressHandler(self._progress)  # type: ignore[attr-defined] # as above
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

    @property
    def can_tell(self) -> bool:
        """Whether the session says how far jobs are: Spark Connect does from PySpark 4.0 on."""
        return not is_connect(self._spark) or hasattr(self._spark, "registerProgressHandler")

    def _progress(self, stages: Iterable[Any] | None, operation_id: str | None, done: object, **_: object) -> None:
        """Take what Spark Connect tells of an operation."""
        counts = [(stage.num_completed_tasks, stage.num_tasks) for stage in stages or ()]
        tasks, of_tasks = (sum(numbers) for numbers in zip((0, 0), *counts, strict=True))
        what = _descriptions[-1] if _descriptions else ""
        self._told = None if done else Running(what, tasks, of_tasks, 0, None, hash(operation_id))

    def running(self) -> Running | None:
        """Return how far the jobs are; None if none runs, or nobody can tell."""
        if is_connect(self._spark):
            return self._told
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
        tracker = self._spark.sparkContext.statusTracker()
        numbers = [stage for job in active for stage in job.stageIds]
        stages = [stage for stage in map(tracker.getStageInfo, numbers) if stage is not None]
        rows, of_rows = self._rows_of(numbers)
        return Running(
            what=_descriptions[-1] if _descriptions else "",
            tasks=sum(stage.numCompletedTasks for stage in stages),
            of_tasks=sum(stage.numTasks for stage in stages),
            rows=rows,
            of_rows=of_rows,
            job=active[0].jobId,
        )

    def _rows_of(self, numbers: Iterable[int]) -> tuple[int, int | None]:
        """Return how many rows the stages that run have read, and will read if that is known.

        Only the store of Spark's own pages knows, which PySpark does not show; without it there are no rows to tell.
        """
        try:
            store = self._spark.sparkContext._jsc.sc().statusStore()  # noqa: SLF001
            stages = [store.lastStageAttempt(number) for number in numbers]
            ended = [stage for stage in stages if stage.status().toString() == "COMPLETE"]
            now = [stage for stage in stages if stage.status().toString() == "ACTIVE"]
            left = sum(stage.shuffleWriteRecords() - stage.shuffleReadRecords() for stage in ended)
            rows = sum(max(stage.inputRecords(), stage.shuffleReadRecords()) for stage in now)
        except (AttributeError, TypeError):
            return 0, None
        return rows, left if left >= rows > 0 else None
