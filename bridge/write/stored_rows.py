"""The rows that a table stores for the keys of a batch, read of the partitions that the batch names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import types as spark_types
from sqlglot import exp

from bridge.config import keys
from bridge.errors import InputError
from bridge.pipeline import join_rows
from bridge.spark import distinct_keys, quoted, quoted_name
from bridge.write.changes import without_flag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame, Row

    from bridge.hudi import FileSlice, HudiTable, TableQueries
    from bridge.plan import MergePlan

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
    where = partitions_of(incoming, plan)
    if where is not None:
        answer = table.in_partitions(answer, where)
    check_slices(table.path, answer.slices, index)
    rows = without_flag(table.rows_of(answer), incoming)
    missing = [name for name in plan.identity if name not in incoming.columns]
    if missing:  # the pipeline names them
        return rows
    wanted = distinct_keys(incoming, plan.identity)
    return join_rows(rows, wanted, plan.identity, "leftsemi", or_empty=plan.partition)


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


def partitions_of(incoming: DataFrame, plan: MergePlan) -> str | None:
    """Return a condition in SQL that the partitions of a batch satisfy, and maybe others; None where it would be long.

    It names the columns of a text, a whole number, a date or a truth value, one by one.
    """
    columns = [
        name
        for name in plan.partition
        if name in incoming.columns and isinstance(incoming.schema[name].dataType, _PRUNED)
    ]
    if not columns:
        return None
    texts = [quoted(name).cast("string").alias(name) for name in columns]
    found = incoming.select(*texts).distinct().limit(_MOST + 1).collect()
    if len(found) > _MOST:
        return None
    return " AND ".join(_among(incoming, name, found) for name in columns if all(row[name] for row in found)) or None


def _among(incoming: DataFrame, name: str, rows: list[Row]) -> str:
    kind = incoming.schema[name].dataType.simpleString()
    values = ", ".join(f"CAST({text} AS {kind})" for text in _literals(name, rows))
    return f"{quoted_name(name)} IN ({values})"


def _literals(name: str, rows: list[Row]) -> Iterator[str]:
    for text in sorted({row[name] for row in rows}):
        yield exp.Literal.string(text).sql(dialect="spark")
