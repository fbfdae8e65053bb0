"""What is known of a frame's size before it is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_TASK_BYTES = 32 * 2**20
"""How many bytes of files, compressed, may become the hash table of one task."""


def fits_in_memory(frame: DataFrame) -> bool:
    """Whether a hash table of all rows, spread over the tasks of a shuffle, is sure to fit into memory.

    False where Spark can't be asked, as with Spark Connect.
    """
    size = size_of(frame)
    tasks = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions", "1") or 1)
    return size is not None and size <= _TASK_BYTES * tasks


def size_of(frame: DataFrame) -> int | None:
    """Return how many bytes Spark's optimiser expects, at most; None if it can't be asked."""
    classic = getattr(frame, "_jdf", None)
    if classic is None:
        return None
    return int(str(classic.queryExecution().optimizedPlan().stats().sizeInBytes()))
