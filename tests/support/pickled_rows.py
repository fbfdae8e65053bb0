"""Rows that a test gives as a list: Java reads them as they were pickled.

PySpark lets a Python worker pickle the rows of `createDataFrame` once more, in a task for each partition and each use
of the frame, because its two ways to batch rows have different names. Plan, partitions and values stay the same; a
small merge takes a third less CPU time.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark import RDD
from pyspark.serializers import BatchedSerializer, CPickleSerializer

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def read_by_java() -> Iterator[None]:
    """Leave out the task that pickles the rows again, within the block."""
    again = RDD._pickled

    def pickled(rows: RDD[Any]) -> RDD[Any]:
        batches = rows._jrdd_deserializer
        are_pickled = isinstance(batches, BatchedSerializer) and type(batches.serializer) is CPickleSerializer
        return rows if are_pickled else again(rows)

    RDD._pickled = pickled  # type: ignore[method-assign]
    try:
        yield
    finally:
        RDD._pickled = again  # type: ignore[method-assign]
