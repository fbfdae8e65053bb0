"""A scope on a real table: the file slices that are read, and the rows of the keys that count."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.compare.rebuilt import KEY_COLUMNS, MOMENT, first_of_each
from bridge.engines import COMMIT
from bridge.errors import PlanError
from bridge.pipeline import KIND, KINDS, LEFT, RIGHT, is_null
from bridge.spark import META_COLUMNS, quoted_name, spark_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.hudi import Answer, HudiTable, SliceQuery
    from bridge.pipeline import Scope

_RECORD_KEY = META_COLUMNS[2]
_SHOWN = 10
"""The most partitions that a message lists."""


def in_scope(table: HudiTable, answer: Answer, scope: Scope) -> Answer:
    """Return an answer without the file slices of partitions that the scope leaves out.

    Raises:
        PlanError: the scope does not suit the table, or names no partition that has files.
    """
    scope.check(table.plan())
    if not scope.partitions:
        return answer
    chosen = table.in_partitions(answer, _condition(scope, answer.query))
    if answer.slices and not chosen.slices:
        named = ", ".join("/".join(map(str, one.values())) for one in scope.partitions)
        known = sorted({one.partition for one in answer.slices})
        more = f" and {len(known) - _SHOWN:,} more" if len(known) > _SHOWN else ""
        msg = f"{table.path} has no files in the partition {named}; it has {', '.join(known[:_SHOWN])}{more}"
        raise PlanError(msg)
    return chosen


def rows_in_scope(table: HudiTable, scope: Scope) -> DataFrame:
    """Return the merged rows of the keys that count, with meta columns."""
    where = _condition(scope, table.queries().snapshot().query) if scope.partitions else None
    rows = table.snapshot(where=where)
    return _of_keys(table, rows, scope)


def differences_in_scope(table: HudiTable, found: DataFrame, scope: Scope) -> DataFrame:
    """Return the rows of `ReadersReport.differences` whose keys count, and all other rows as they are."""
    plan = table.plan()
    is_row = sf.col(KIND).isin(*KINDS)
    names = [name for name in (*plan.key, *plan.partition) if name not in META_COLUMNS]
    keys = [sf.coalesce(sf.col(LEFT)[name], sf.col(RIGHT)[name]).alias(name) for name in names]
    rows = found.where(is_row).select("*", *keys)
    chosen = _of_keys(table, scope.in_partitions(rows), scope).select(*found.columns)
    return chosen.unionByName(found.where(~is_row))


def _of_keys(table: HudiTable, rows: DataFrame, scope: Scope) -> DataFrame:
    """Return the rows of the keys that a sample draws, and of which a late version is held."""
    plan = table.plan()
    if scope.keys_sample is not None:
        sampled = dataclasses.replace(scope, since=None, partitions=())
        rows = sampled.of_keys(rows.withColumn(COMMIT, sf.lit(1)), plan, ("1",)).drop(COMMIT)
    moment = scope.since
    if moment is None:
        return rows
    late = first_of_each(table).where(sf.col(MOMENT) >= moment).select(*KEY_COLUMNS).distinct()
    if late.isEmpty():
        msg = f"{table.path} holds no version of a commit at or after {moment}; name an earlier instant"
        raise PlanError(msg)
    return rows.join(late, list(KEY_COLUMNS), "leftsemi")


def _condition(scope: Scope, query: SliceQuery) -> str:
    """Return the partitions of a scope as a condition in SQL."""
    kinds = {one.name: one.dataType for one in spark_schema(query.schema)}
    texts = {name for name, kind in kinds.items() if isinstance(kind, spark_types.StringType)} | {*query.text_columns}
    return " OR ".join(
        f"({' AND '.join(_is(name, value, is_text=name in texts) for name, value in values.items())})"
        for values in scope.partitions
    )


def _is(name: str, value: str, *, is_text: bool) -> str:
    column = quoted_name(name)
    if is_null(value):
        return f"({column} IS NULL OR {column} = '')" if is_text else f"{column} IS NULL"
    text = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"{column} = '{text}'"
