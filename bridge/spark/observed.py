"""What Spark counts of a frame while it computes it."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import Observation

from bridge.spark.session import is_connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

_EXCLUDED = "spark.sql.adaptive.optimizer.excludedRules"
_PATIENCE: Final = 30.0
"""Seconds after a job in which its listeners tell what they saw; behind a busy driver they come late."""
_DROPS_EMPTY = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"


def can_observe(spark: SparkSession) -> bool:
    """Whether a session tells what it observes, also of a frame that is on both sides of a join.

    Spark Connect does not: 3.5 never does, and 4.0 fails on an observation that a plan has twice.
    """
    return not is_connect(spark)


@contextlib.contextmanager
def observing(spark: SparkSession) -> Iterator[None]:
    """Let Spark tell all that the jobs of a `with` block observe, also where a part of a query turns out to be empty.

    Adaptive execution drops such a part together with what is observed in it; a job of its own counts it then, later.
    """
    before = spark.conf.get(_EXCLUDED, None)
    spark.conf.set(_EXCLUDED, ",".join(filter(None, (before, _DROPS_EMPTY))))
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(_EXCLUDED)
        else:
            spark.conf.set(_EXCLUDED, before)


class ObservedFrame:
    """A frame of which Spark counts something while jobs compute it; where it can't, a job of its own does.

    Attributes:
        frame: to be used in place of the one that was given.
    """

    def __init__(self, frame: DataFrame, *counts: Column) -> None:
        """Take a frame, and what to count: aggregates with names."""
        self._counts = counts
        self._observation = Observation() if can_observe(frame.sparkSession) else None
        self.frame = frame if self._observation is None else frame.observe(self._observation, *counts)

    def counts(self, computed: DataFrame | None = None) -> dict[str, Any]:
        """Return the counts, once a job has computed the frame; `computed` are its rows, if Spark keeps them."""
        told = self._told()
        if told is not None:
            return told
        return (self.frame if computed is None else computed).select(*self._counts).collect()[0].asDict()

    def _told(self) -> dict[str, Any] | None:
        """Return what Spark tells of the job; None where it tells nothing, as of a part that it dropped from the plan.

        `Observation.get` waits without an end, so it waits in a thread of its own.
        """
        observation = self._observation
        if observation is None:
            return None
        came: list[dict[str, Any]] = []

        def ask() -> None:
            with contextlib.suppress(Exception):  # counted by a job instead
                came.append(observation.get)

        waiting = threading.Thread(target=ask, daemon=True)
        waiting.start()
        waiting.join(_PATIENCE)
        return came[0] if came else None
