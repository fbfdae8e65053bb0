"""The merge points for programs that want more than the rows: the books of the run, and what was set aside."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Self

from bridge.pipeline.point_run import PointRun
from bridge.spark import observing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.engines import Books
    from bridge.plan import MergePlan


def merge_frames(
    point: str,
    plan: MergePlan,
    *,
    stored: DataFrame | None = None,
    log: DataFrame | None = None,
    incoming: DataFrame | None = None,
) -> MergeReport:
    """Run a merge point on frames; nothing is computed before the result is read.

    Args:
        point: combine-input, upsert, append, compact or snapshot, which are the functions of these names.
        plan: what merges, and how; `on_error` says what becomes of a key that can't be merged.
        stored: the stored rows, for all but combine-input.
        log: the log, for compact and snapshot; an append may have one.
        incoming: the batch, for combine-input, upsert and append.

    Raises:
        InputError: the point does not exist, or a side is missing or too many.
        PlanError: a column that the plan names is not there, or the settings ask for what is not ported.
    """
    given = {"stored": stored, "log": log, "incoming": incoming}
    return MergeReport(PointRun(point, {name: frame for name, frame in given.items() if frame is not None}, plan))


class MergeReport:
    """What `merge_frames` answers.

    The first read of any part computes all of it in one job, which Spark keeps until `close`, or the end of a `with`
    block.
    """

    def __init__(self, run: PointRun) -> None:
        """Take a run that nothing has computed yet."""
        self._run = run

    @functools.cached_property
    def _kept(self) -> DataFrame:
        # Spark tells what it observed of a cached frame, and nothing of a checkpoint.
        # A cached plan runs with the settings of the moment in which it is marked.
        with observing(self._run.outcomes.sparkSession):
            return self._run.outcomes.persist()

    @functools.cached_property
    def _parts(self) -> dict[str, DataFrame]:
        self.books  # noqa: B018 (it computes the outcomes, and refuses those that don't balance)
        return self._run.split(self._kept)

    @functools.cached_property
    def books(self) -> Books:
        """What became of the rows that came in.

        Raises:
            BooksError: rows were lost or doubled.
            MergeFailedError, PySparkException: a key can't be merged, and the plan has `on_error="fail"`.
        """
        with observing(self._kept.sparkSession):
            self._kept.write.format("noop").mode("overwrite").save()
        return self._run.books(self._kept)

    @property
    def rows(self) -> DataFrame:
        """The rows of the result; of an append the stored rows. Errors as in `books`."""
        return self._parts.get("rows", self._parts.get("stored"))  # type: ignore[return-value]  # it has one of them

    @property
    def log(self) -> DataFrame | None:
        """The log after an append; None after anything else. Errors as in `books`."""
        return self._parts.get("log")

    @property
    def quarantine(self) -> DataFrame | None:
        """The versions of keys that can't be merged; None unless the plan sets them aside. Errors as in `books`.

        All versions of such a key are here, the stored row included, and none in the result. Besides the data columns:
        `_pb_reason`, `_pb_merge_point` and `_pb_side` (stored, log, incoming) as text, `_pb_commit` (the number of the
        batch or log block, null for others), `_pb_kind` (data, delete), and `_pb_ordering` of a delete entry.
        """
        return self._parts.get("quarantine")

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        if "_kept" in self.__dict__:
            self._kept.unpersist()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
