"""Batches: the input of a table, in order: frames, a frame split by a column, or files."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any, TypeAlias

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines import ARRIVAL, COMMIT
from bridge.errors import InputError
from bridge.pipeline.files import read_batches
from bridge.pipeline.layout import layout_of
from bridge.spark import in_one_task, kept, quoted
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from bridge.plan import MergePlan

_VALUE, _NUMBER = "_pb_value", "_pb_number"


class Batches:
    """The batches that are written to a table, in order; made by `of`, `by` or `read`.

    Rows stay in Spark. Batches are numbered from 1: the number of a batch is that of its commit.

    Attributes:
        names: one name a batch, for reports.

    Added in 0.1.0.
    """

    def __init__(
        self, names: Iterable[str], frames: Iterable[DataFrame], *, check: Callable[[], object] | None = None
    ) -> None:
        """Take frames that have the column `_pb_commit`.

        `check` parses the rows of a small input once more, and raises an error that names the file at fault.
        """
        self.names = tuple(names)
        self._frames = tuple(frames)
        self._check = check

    @classmethod
    def of(cls, frames: Iterable[DataFrame], names: Iterable[str] | None = None) -> Batches:
        """Take one DataFrame a batch, in order; `names` are 1, 2 and so on by default.

        A later batch may have columns that the earlier ones lack. Rows arrive in the order of each frame, unless the
        plan has an arrival column.

        Raises:
            InputError: no frames are given, or their number is not that of the names.
        """
        found = list(frames)
        labels = [str(number) for number in range(1, len(found) + 1)] if names is None else list(names)
        if not found or len(labels) != len(found):
            msg = (
                f"{len(found)} frames with {len(labels)} names make no batches; give at least one frame, one name each"
            )
            raise InputError(msg)
        return cls(labels, _numbered(found))

    @classmethod
    def by(cls, frame: DataFrame, column: str) -> Batches:
        """Split one DataFrame by a column: a batch for each distinct value, in ascending order, named by the value.

        The column does not become part of the table. One job collects its distinct values; rows stay in Spark.

        Raises:
            InputError: the column is missing, has no order, or has a null; or the frame has no rows.
        """
        if column not in frame.columns:
            msg = f"the batch column {column!r} is not in the data, which has {', '.join(frame.columns)}; name another"
            raise InputError(msg)
        value = _comparable(frame.schema[column].dataType, column)
        values = frame.select(value.alias(_VALUE), quoted(column).cast("string").alias(_NUMBER)).distinct()
        found = values.orderBy(_VALUE).collect()
        if not found:
            msg = f"the data has no rows to split into batches by {column!r}; give rows"
            raise InputError(msg)
        if found[0][0] is None:
            msg = (
                f"the batch column {column!r} has a null, so a row is without a batch; fill it, or name another column"
            )
            raise InputError(msg)
        schema = spark_types.StructType([values.schema[_VALUE], spark_types.StructField(_NUMBER, _INTEGER, False)])
        numbers = frame.sparkSession.createDataFrame([(row[0], at) for at, row in enumerate(found, start=1)], schema)
        ordered = frame if ARRIVAL in frame.columns else frame.withColumn(ARRIVAL, sf.monotonically_increasing_id())
        joined = ordered.withColumn(_VALUE, value).join(sf.broadcast(numbers), _VALUE)
        data = [quoted(name) for name in ordered.columns if name not in {column, COMMIT}]
        versions = joined.select(*data, sf.col(_NUMBER).alias(COMMIT))
        return cls([row[1] for row in found], [versions])

    @classmethod
    def read(cls, spark: SparkSession, path: str | Path, schema: spark_types.StructType | None = None) -> Batches:
        """Read a local folder: one file or folder a batch, in name order (Parquet, Avro, JSON lines, CSV).

        `schema` has the types of CSV and JSON columns; without it Spark infers them. Rows arrive in the order of files
        and lines.

        Raises:
            InputError: naming the file or folder that can't be read.
        """
        small = in_one_task(spark)
        found = read_batches(spark, path, schema, check=not small)
        check = functools.partial(read_batches, spark, path, schema) if small else None
        return cls([one.name for one in found], _numbered([one.frame for one in found]), check=check)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Batches({', '.join(self.names)})"

    @property
    def frames(self) -> tuple[DataFrame, ...]:
        """One DataFrame a batch, in order, with the columns of the data alone."""
        if len(self._frames) == len(self.names):
            found = list(self._frames)
        else:
            found = [self._versions.where(sf.col(COMMIT) == number) for number in range(1, len(self) + 1)]
        return tuple(frame.drop(COMMIT, ARRIVAL) for frame in found)

    @functools.cached_property
    def rows(self) -> int:
        """How many rows all batches have; one job."""
        return self._versions.count()

    def versions(self, plan: MergePlan) -> DataFrame:
        """Return all rows in one frame, with the number of their batch in `_pb_commit`.

        Each batch must fit the one before it, as in a table. A small input from files is parsed once and kept.

        Raises:
            InputError: a column has two types, or is missing later; or a file can't be read.
            PlanError: a column that the plan names does not exist.
        """
        try:
            for older, newer in itertools.pairwise(self._frames):
                layout_of(plan, newer, older)
            versions = self._versions
        except (PayloadBridgeError, PySparkException, Py4JJavaError):
            if self._check is not None:
                self._check()
            raise
        layout_of(plan, versions)
        if plan.arrival is None and ARRIVAL not in versions.columns:
            return versions.withColumn(ARRIVAL, sf.monotonically_increasing_id())
        return versions

    @functools.cached_property
    def _versions(self) -> DataFrame:
        frame = functools.reduce(
            lambda left, right: left.unionByName(right, allowMissingColumns=True), reversed(self._frames)
        )
        if self._check is None:
            return frame
        frame = kept(frame.coalesce(1))
        counts = frame.groupBy(COMMIT).count().collect()
        if len(counts) < len(self):
            self._check()  # rejects a file without rows if its types are inferred from them
        self.__dict__["rows"] = sum(number for _, number in counts)
        return frame


BatchesLike: TypeAlias = "Batches | Iterable[DataFrame]"


def as_batches(batches: BatchesLike) -> Batches:
    """Return `batches`, or the batches made of plain DataFrames in order."""
    return batches if isinstance(batches, Batches) else Batches.of(batches)


_INTEGER = spark_types.IntegerType()


def _numbered(frames: Iterable[DataFrame]) -> list[DataFrame]:
    return [frame.withColumn(COMMIT, sf.lit(number)) for number, frame in enumerate(frames, start=1)]


def _comparable(kind: spark_types.DataType, column: str) -> Any:
    """Return the column in a form that survives a round trip through Python.

    Raises:
        InputError: values of this type have no order.
    """
    if not isinstance(kind, spark_types.AtomicType):
        msg = f"the batch column {column!r} is {kind.simpleString()}, which has no order; name a column of plain values"
        raise InputError(msg)
    # An instant becomes a local time in Python, which an hour of each autumn has twice.
    return sf.unix_micros(quoted(column)) if isinstance(kind, spark_types.TimestampType) else quoted(column)
