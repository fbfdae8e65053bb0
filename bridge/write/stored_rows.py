"""The rows that a table stores for the keys of a batch, read of the partitions that the batch names."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import types as spark_types
from sqlglot import exp

from bridge.config import keys
from bridge.errors import InputError
from bridge.hudi import Answer, ComputedKeys
from bridge.pipeline import join_rows
from bridge.spark import distinct_keys, quoted, quoted_name, spark_schema
from bridge.write.changes import without_flag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, Row

    from bridge.hudi import FileSlice, HudiTable, TableProperties, TableQueries
    from bridge.plan import MergePlan

_MOST_KEYS: Final = 2_000_000
"""So many record keys travel to the tasks that read; a batch of more is joined with all rows of its partitions."""
_FEW: Final = 10_000
"""Of so many, files are also told apart by the key ranges of their row groups, and logs by key."""
_TEXTS: Final = (spark_types.StringType, spark_types.IntegralType)
_MOST: Final = 1000
"""More partitions than these are not told apart: all of the table are read."""
_PRUNED: Final = (
    spark_types.StringType,
    spark_types.IntegralType,
    spark_types.DateType,
    spark_types.BooleanType,
)


def stored_rows(table: HudiTable, queries: TableQueries, incoming: DataFrame, plan: MergePlan, index: str) -> DataFrame:
    """Return the stored rows whose keys a batch has, without meta columns, as of the instant of `queries`.

    Raises:
        InputError: Hudi's writer would not find some of them by its index.
    """
    if queries.timeline.latest is None:
        return incoming.limit(0)
    answer = queries.snapshot()
    own = spark_schema(answer.query.schema)
    where = partitions_of(incoming, plan, own)
    if where is not None:
        answer = table.in_partitions(answer, where)
    check_slices(table.path, answer.slices, index)
    missing = [name for name in plan.identity if name not in incoming.columns]
    wanted = None if missing else record_keys(incoming, queries.properties, own)
    if wanted is not None:
        few = len(wanted) <= _FEW
        query = dataclasses.replace(answer.query, keys=wanted if few else None, answered=None if few else wanted)
        return without_flag(table.rows_of(Answer(query, answer.slices)), incoming)
    rows = without_flag(table.rows_of(answer), incoming)
    if missing:  # the pipeline names them
        return rows
    found = distinct_keys(incoming, plan.identity)
    return join_rows(rows, found, plan.identity, "leftsemi", or_empty=plan.partition)


def record_keys(incoming: DataFrame, properties: TableProperties, own: spark_types.StructType) -> frozenset[str] | None:
    """Return the record keys of a batch as the table stores them, so that tasks read no others.

    None where there are very many, or where key fields are no texts and whole numbers in both: the text of others is
    not ported, and a number of the batch has another one as the table's decimal (`1` and `1.00`).

    Args:
        incoming: the batch.
        properties: of the table, which name the key fields.
        own: the columns of the table.
    """
    names = properties.key_fields
    if not all(isinstance(_kind(side, name), _TEXTS) for side in (incoming.schema, own) for name in names):
        return None
    if incoming.count() > _MOST_KEYS:  # it is kept by Spark, and read once
        return None
    texts = incoming.select(*(quoted(name).cast("string").alias(name) for name in names))
    keys = ComputedKeys(properties)
    found: set[str] = set()
    for batch in _collected(texts):
        found.update(keys.of(batch).drop_null().to_pylist())
    if len(names) == 1 and keys.is_complex:  # releases differ in whether its only field is named
        prefix = f"{names[0]}:"
        bare = {key.removeprefix(prefix) for key in found}
        found |= bare | {f"{prefix}{key}" for key in bare}
    return frozenset(found)


def _collected(frame: DataFrame) -> list[pa.RecordBatch]:
    """Return the rows of a frame; PySpark 3.5 has no public way without an object for each."""
    to_table: Any = getattr(frame, "toArrow", None)
    found: list[pa.RecordBatch] = frame._collect_as_arrow() if to_table is None else to_table().to_batches()  # noqa: SLF001 (as above)
    return found


def check_slices(path: str, slices: Iterable[FileSlice], index: str) -> None:
    """Check that the index of Hudi's writer finds the rows of file slices: only BUCKET looks for them in logs.

    Source: HoodieIndex.canIndexLogFiles.

    Raises:
        InputError: a slice has rows in logs alone, which the writer would add once more, and could not delete.
    """
    if index.strip().upper() == "BUCKET":
        return
    alone = next((one for one in slices if one.base_file is None and one.data_logs), None)
    if alone is not None:
        where = f" in the partition {alone.partition}" if alone.partition else ""
        msg = (
            f"{path}: the file group {alone.file_id}{where} has rows in logs alone, which {keys.INDEX_TYPE}={index} "
            f"does not find; write with {keys.INDEX_TYPE}=BUCKET and its settings if that is the table's index, or "
            "compact the table first"
        )
        raise InputError(msg)


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
    if len(found) > _MOST:
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
    for text in sorted({row[name] for row in rows}):
        yield exp.Literal.string(text).sql(dialect="spark")
