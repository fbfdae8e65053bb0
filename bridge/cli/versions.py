"""The rows of `--batches` as one frame with the numbers of their batches, for verbs about several batches."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as sf

from bridge import pipeline
from bridge.engines import COMMIT
from bridge.pipeline import read_batches
from bridge.spark import in_one_task, kept
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import types as spark_types

    from bridge.pipeline import Batch
    from bridge.plan import MergePlan


class Versions(NamedTuple):
    """All rows of the batches.

    Attributes:
        names: those of the batches, in order.
        frame: the rows, with the number of their batch.
        rows: how many there are.
    """

    names: list[str]
    frame: DataFrame
    rows: int


def read_versions(spark: SparkSession, path: Path, schema: spark_types.StructType | None, plan: MergePlan) -> Versions:
    """Read `--batches`; a small input is parsed once and kept.

    Raises:
        InputError: naming the file or folder that can't be read, or a column that does not fit the batch before.
    """
    if not in_one_task(spark):
        read = read_batches(spark, path, schema)
        frame = numbered(read, plan)
        return Versions([batch.name for batch in read], frame, frame.count())
    read = read_batches(spark, path, schema, check=False)
    try:
        frame = kept(numbered(read, plan).coalesce(1))
        counts = frame.groupBy(COMMIT).count().collect()
    except (PayloadBridgeError, PySparkException, Py4JJavaError):
        read_batches(spark, path, schema)  # names the offending file
        raise
    if len(counts) < len(read):
        read_batches(spark, path, schema)  # rejects a file without rows if its types are inferred from them
    return Versions([batch.name for batch in read], frame, sum(number for _, number in counts))


def numbered(read: Sequence[Batch], plan: MergePlan) -> DataFrame:
    """Return all batches as one frame, with their numbers; each must fit the one before it, as in a table."""
    ordered = [batch.frame.withColumn(COMMIT, sf.lit(number)) for number, batch in enumerate(read, start=1)]
    for older, newer in itertools.pairwise(ordered):
        pipeline.layout_of(plan, newer, older)
    return functools.reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), reversed(ordered))
