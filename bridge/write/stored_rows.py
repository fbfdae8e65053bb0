"""The rows that a table stores for the keys of a batch, read of the partitions that the batch names."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Final

from py4j.protocol import Py4JJavaError
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.config import keys
from bridge.engines import PREFIX
from bridge.errors import InputError
from bridge.hudi import Answer, ComputedKeys, answer_columns
from bridge.pipeline import join_rows
from bridge.spark import META_COLUMNS, PySparkException, distinct_keys, map_in_arrow, quoted, quoted_name, spark_schema
from bridge.write.changes import without_flag
from bridge.write.record_location import can_locate, located
from bridge.write.slice_tasks import FEW, SliceWork, stored_in_slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, Row

    from bridge.hudi import FileSlice, HudiTable, TableProperties, TableQueries
    from bridge.plan import MergePlan
    from bridge.write.record_location import Buckets

_TIMES, _PLACES = f"{PREFIX}times", f"{PREFIX}places"
_TEXTS: Final = (spark_types.StringType, spark_types.IntegralType)
_MOST: Final = 1000
"""More partitions than these are not told apart: all of the table are read."""
_PRUNED: Final = (
    spark_types.StringType,
    spark_types.IntegralType,
    spark_types.DateType,
    spark_types.BooleanType,
)


def of_batch(table: HudiTable, queries: TableQueries, answer: Answer, incoming: DataFrame, plan: MergePlan) -> Answer:
    """Return what is read of a table for a batch: slices of its partitions, and of a few keys these alone.

    A global index finds keys in all partitions.
    """
    own = spark_schema(answer.query.schema)
    where = None if plan.global_index else partitions_of(incoming, plan, own)
    if where is not None:
        answer = table.in_partitions(answer, where)
    few = record_keys(incoming, queries.properties, own)
    if few is None:
        return answer
    return Answer(dataclasses.replace(answer.query, keys=few), answer.slices if few else [])  # a stream has empty ones


def stored_rows(  # noqa: PLR0913, PLR0917 (the two sides, and what is released in the end)
    table: HudiTable,
    queries: TableQueries,
    answer: Answer,
    incoming: DataFrame,
    plan: MergePlan,
    buckets: Buckets | None,
    release: Callable[[Callable[[], object]], object],
) -> DataFrame:
    """Return the stored rows whose keys a batch has, without meta columns, as of the instant of `queries`.

    Args:
        table: the table.
        queries: its queries.
        answer: what is read of it.
        incoming: the batch.
        plan: what names the key.
        buckets: how a bucket index tells the slice of a key; None where keys are looked for.
        release: takes what releases the slices that are sent to executors.
    """
    own = answer_columns(answer.query)
    if can_locate(incoming.schema, plan, queries, own):
        keys_of_batch = incoming.select(*map(quoted, dict.fromkeys((*plan.key, *plan.identity))))
        rows, slices = located(keys_of_batch, answer, plan, buckets)
        work = SliceWork.of(table.spark, answer.query, slices, release)
        fields = [field for field in own if field.name not in META_COLUMNS]
        task = functools.partial(stored_in_slices, work, plan.identity)
        return without_flag(map_in_arrow(rows, task, spark_types.StructType(fields)), incoming)
    return joined_rows(table, answer, incoming, plan)


def joined_rows(table: HudiTable, answer: Answer, incoming: DataFrame, plan: MergePlan) -> DataFrame:
    """Return the stored rows whose keys a batch has, by a join in Spark, which compares values of any type."""
    rows = without_flag(table.rows_of(answer), incoming)
    if any(name not in incoming.columns for name in plan.identity):  # the pipeline names them
        return rows
    found = distinct_keys(incoming, plan.identity)
    return join_rows(rows, found, plan.identity, "leftsemi", or_empty=plan.partition)


def record_keys(incoming: DataFrame, properties: TableProperties, own: spark_types.StructType) -> frozenset[str] | None:
    """Return the record keys of a small batch as the table stores them, so that files and rows without are skipped.

    None for more than a few, and where key fields are no texts and whole numbers in both: the text of others is not
    supported, and a number of the batch has another one as the table's decimal (`1` and `1.00`).

    Args:
        incoming: the batch, kept by Spark.
        properties: of the table, which name the key fields.
        own: the columns of the table.
    """
    names = properties.key_fields
    if not all(isinstance(_kind(side, name), _TEXTS) for side in (incoming.schema, own) for name in names):
        return None
    texts = incoming.select(*(quoted(name).cast("string").alias(name) for name in names)).limit(FEW + 1)
    keys = ComputedKeys(properties)
    batches = _collected(texts)
    if sum(batch.num_rows for batch in batches) > FEW:
        return None
    found: set[str] = set()
    for batch in batches:
        found.update(keys.of(batch).drop_null().to_pylist())
    return keys.as_stored(found)


def _collected(frame: DataFrame) -> list[pa.RecordBatch]:
    """Return the rows of a frame; PySpark 3.5 has no public way without an object for each."""
    to_table: Any = getattr(frame, "toArrow", None)
    found: list[pa.RecordBatch] = frame._collect_as_arrow() if to_table is None else to_table().to_batches()  # noqa: SLF001 (as above)
    return found


def check_slices(path: str, slices: Iterable[FileSlice], index: str) -> None:
    """Check that the index of Hudi's writer finds the rows of file slices: only BUCKET looks for them in logs.

    Source: HoodieIndex.canIndexLogFiles.

    Raises:
        InputError: a slice has rows in logs only, which the writer would add once more, and could not delete.
    """
    if index.strip().upper() == "BUCKET":
        return
    alone = next((one for one in slices if one.base_file is None and one.data_logs), None)
    if alone is not None:
        where = f" in the partition {alone.partition}" if alone.partition else ""
        msg = (
            f"{path}: the file group {alone.file_id}{where} has rows in logs only, which {keys.INDEX_TYPE}={index} "
            f"does not find; write with {keys.INDEX_TYPE}=BUCKET and its settings if that is the table's index, or "
            "compact the table first"
        )
        raise InputError(msg)


@contextlib.contextmanager
def telling_doubles(path: str, plan: MergePlan, stored: Callable[[], DataFrame]) -> Iterator[None]:
    """Let a merge that fails because a key is stored twice say so, whatever its engine or a task made of it.

    A merge that goes well pays nothing for it: the stored rows are counted where it has failed.

    Args:
        path: of the table.
        plan: what names the key.
        stored: gives the stored rows of the batch's keys.

    Raises:
        InputError: a key is stored twice; it names the first one.
    """
    try:
        yield
    except Exception as error:
        with contextlib.suppress(PySparkException, Py4JJavaError):  # then the error of the merge counts
            _check_once(path, plan, stored(), error)
        raise


def _check_once(path: str, plan: MergePlan, stored: DataFrame, error: Exception) -> None:
    key = [quoted(name).cast("string").alias(name) for name in plan.identity]  # as texts 0.0 and -0.0 are two
    where = sf.concat_ws("/", *(sf.coalesce(quoted(name).cast("string"), sf.lit("null")) for name in plan.partition))
    told = (sf.count(sf.lit(1)).alias(_TIMES), sf.array_sort(sf.collect_set(where)).alias(_PLACES))
    found = stored.groupBy(*key).agg(*told).where(sf.col(_TIMES) > 1).orderBy(*map(quoted, plan.identity)).first()
    if found is None:
        return
    named = ", ".join(f"{name}={found[name]!r}" for name in plan.identity)
    if plan.global_index:
        msg = (
            f"{path} stores the key {named} {found[_TIMES]} times, in {' and '.join(found[_PLACES])}, but a global "
            f"index allows it once; nothing is written: delete all but one, by a writer with {keys.INDEX_TYPE}=SIMPLE"
        )
    else:
        msg = (
            f"{path} stores the key {named} {found[_TIMES]} times; nothing is written: check that the key columns "
            "identify its rows, or keep one row per key"
        )
    raise InputError(msg) from error


def partitions_of(incoming: DataFrame, plan: MergePlan, own: spark_types.StructType) -> str | None:
    """Return a condition in SQL that the partitions of a batch satisfy, and maybe others; None where it would be long.

    It names the columns of a text, a whole number, a date or a truth value, one by one, where the table (`own`) has
    the same kind of type: else one value may have two texts, such as a date.
    """
    columns = [name for name in plan.partition if name in incoming.columns and _is_pruned(incoming.schema, own, name)]
    if not columns:
        return None
    texts = [quoted(name).cast("string").alias(name) for name in columns]
    found = incoming.select(*texts).distinct().limit(_MOST + 1).collect()
    if not 0 < len(found) <= _MOST:
        return None
    return " AND ".join(_among(incoming, name, found) for name in columns if all(row[name] for row in found)) or None


def _is_pruned(one: spark_types.StructType, other: spark_types.StructType, name: str) -> bool:
    return any(isinstance(_kind(one, name), kind) and isinstance(_kind(other, name), kind) for kind in _PRUNED)


def _kind(columns: spark_types.StructType, name: str) -> spark_types.DataType | None:
    return columns[name].dataType if name in columns.names else None


def _among(incoming: DataFrame, name: str, rows: list[Row]) -> str:
    kind = incoming.schema[name].dataType.simpleString()
    values = ", ".join(f"CAST({text} AS {kind})" for text in _literals(name, rows))
    return f"{quoted_name(name)} IN ({values})"


def _literals(name: str, rows: list[Row]) -> Iterator[str]:
    from sqlglot import exp  # noqa: PLC0415 (executors lack it)

    for text in sorted({row[name] for row in rows}):
        yield exp.Literal.string(text).sql(dialect="spark")
