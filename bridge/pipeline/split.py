"""One frame split into batches by a column: its distinct values in order, and the rows with their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines import ARRIVAL, COMMIT
from bridge.errors import InputError
from bridge.spark import functions, quoted
from payloads.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

_VALUE, _NUMBER = "_pb_value", "_pb_number"
_MOST = 10_000  # batches: their names are gathered, and a program counts commits
_INTEGER = spark_types.IntegerType()


def split(frame: DataFrame, column: str, narrow: Callable[[DataFrame], DataFrame]) -> tuple[list[str], DataFrame]:
    """Return the values of a column as text, in ascending order, and the rows with `_pb_commit` in place of it.

    One job collects the values, of all rows, so that `narrow`, which drops rows, changes no number.

    Raises:
        InputError: the column is missing, has no order, or has a null; or the frame has no rows.
    """
    if column not in frame.columns:
        hint = did_you_mean(column, frame.columns) or "; name another"
        msg = f"the batch column {column!r} is not in the data, which has {', '.join(frame.columns)}{hint}"
        raise InputError(msg)
    value = _comparable(frame.schema[column].dataType, column)
    values = frame.select(value.alias(_VALUE), quoted(column).cast("string").alias(_NUMBER)).distinct()
    found = values.orderBy(_VALUE).limit(_MOST + 1).collect()
    if len(found) > _MOST:
        msg = f"the batch column {column!r} has more than {_MOST:,} values, a batch for each; name another column"
        raise InputError(msg)
    if not found:
        msg = f"the data has no rows to split into batches by {column!r}; give rows"
        raise InputError(msg)
    if found[0][0] is None:
        msg = f"the batch column {column!r} has a null, so a row belongs to no batch; fill it, or name another column"
        raise InputError(msg)
    schema = spark_types.StructType([values.schema[_VALUE], spark_types.StructField(_NUMBER, _INTEGER, False)])
    numbers = frame.sparkSession.createDataFrame([(row[0], at) for at, row in enumerate(found, start=1)], schema)
    rows = narrow(frame)
    ordered = rows if ARRIVAL in rows.columns else rows.withColumn(ARRIVAL, sf.monotonically_increasing_id())
    joined = ordered.withColumn(_VALUE, value).join(sf.broadcast(numbers), _VALUE)
    data = [quoted(name) for name in ordered.columns if name not in {column, COMMIT}]
    return [row[1] for row in found], joined.select(*data, sf.col(_NUMBER).alias(COMMIT))


def _comparable(kind: spark_types.DataType, column: str) -> Any:
    """Return the column in a form that survives a round trip through Python.

    Raises:
        InputError: values of this type have no order.
    """
    if not isinstance(kind, spark_types.AtomicType):
        msg = f"the batch column {column!r} is {kind.simpleString()}, which has no order; name a column of plain values"
        raise InputError(msg)
    # An instant becomes a local time in Python, which an hour of each autumn has twice.
    return functions.unix_micros(quoted(column)) if isinstance(kind, spark_types.TimestampType) else quoted(column)
