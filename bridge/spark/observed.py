"""What Spark counts of a frame while it computes it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from pyspark.sql import Observation

from bridge.spark.session import is_connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

_EXCLUDED = "spark.sql.adaptive.optimizer.excludedRules"
_DROPS_EMPTY = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"


def can_observe(spark: SparkSession) -> bool:
    """Whether a session tells what it observes, also of a frame that is on both sides of a join.

    Spark Connect does not: 3.5 never does, and 4.0 fails on an observation that a plan has twice.
    """
    return not is_connect(spark)


@contextlib.contextmanager
def observing(spark: SparkSession) -> Iterator[None]:
    """Let Spark tell all that the jobs of a `with` block observe, also where a part of a query turns out to be empty.

    Adaptive execution drops such a part together with what is observed in it, and who asks for that waits forever.
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
        if self._observation is not None:
            return self._observation.get
        return (self.frame if computed is None else computed).select(*self._counts).collect()[0].asDict()
