"""The rows of an answer as an engine on frames merges them: base files and logs are its two sides.

Tasks in Python read the files; the versions of a slice's keys then merge as Spark's expressions, or in Java. Slices
without a log have nothing to merge, and are read as for any other engine.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge import engines
from bridge.engines import ADDED_TYPES, GROUP, ORIGIN, Job
from bridge.errors import PlanError
from bridge.hudi.slice_sides import LOGGED, NumberedSlice, read_logged, read_paths, read_stored
from bridge.hudi.slice_tasks import answer_columns, read_slices, slices_of
from bridge.hudi.unmerged import ordered_plan
from bridge.programs import Origin
from bridge.spark import META_COLUMNS, from_arrow_schema, map_in_arrow, quoted, spark_schema, with_meta

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, SparkSession

    from bridge.hudi.queries import Answer
    from bridge.hudi.slice_query import SliceQuery

_KEY = META_COLUMNS[2]
_NUMBER = spark_types.StructField(GROUP, ADDED_TYPES[GROUP], nullable=False)


def engine_rows(spark: SparkSession, answer: Answer) -> DataFrame:
    """Return the rows of an answer, whose plan names the engine.

    Raises:
        PlanError: the engine does not merge such a table, or such an answer; says why.
        UnmergedTableError: where the rows are computed: its files have what the engine does not merge as Hudi does.
    """
    query, slices = answer.query, answer.slices
    logged = [NumberedSlice(number, found) for number, found in enumerate(slices) if found.data_logs]
    alone = [found for found in slices if not found.data_logs]
    frames = []
    if logged:
        check(query)
        frames.append(_shown(_merged(spark, query, logged), spark, query, logged))
    if alone or not logged:
        task = functools.partial(read_slices, query)
        frames.append(map_in_arrow(slices_of(spark, query, alone), task, answer_columns(query)))
    return functools.reduce(lambda one, other: one.unionByName(other), frames)


def job_of(query: SliceQuery) -> Job:
    """Return the merge of the versions of a query's slices, as an engine runs it."""
    schema = with_meta(query.schema)
    plan = dataclasses.replace(ordered_plan(query, schema), key=(_KEY,), partition=())
    names = tuple(schema.by_name)
    return Job(
        plan,
        query.schema,
        names,
        "snapshot",
        only_rows=True,
        has_entries=True,
        file_groups=True,
        checked=query.checked_key,
    )


def check(query: SliceQuery) -> None:
    """Check that the engine merges the rows of a query, as far as the table's settings tell.

    Raises:
        PlanError: it does not.
    """
    engine, path = query.plan.engine, query.files.path
    shown_otherwise = [name for name in (*query.text_columns, *query.vectors) if name not in query.paths_tell]
    reasons = {
        "increments": query.commits is not None,
        "rows beside a quarantine": query.quarantines,
        f"a table that shows {', '.join(shown_otherwise)} in another type than its files have": bool(shown_otherwise),
    }
    for what, is_so in reasons.items():
        if is_so:
            msg = f"{path}: the {engine} engine does not merge {what}; use the python engine"
            raise PlanError(msg)
    engines.engine_of(job_of(query))


def _merged(spark: SparkSession, query: SliceQuery, slices: Iterable[NumberedSlice]) -> DataFrame:
    units, job = slices_of(spark, query, list(slices)), job_of(query)
    fields = [
        spark_types.StructField(field.name, field.dataType)  # a column that an older file lacks is null
        for field in spark_schema(with_meta(query.schema))
    ]
    row = [_NUMBER, *fields]
    version = spark_types.StructType([*row, *from_arrow_schema(LOGGED)])
    stored = map_in_arrow(units, functools.partial(read_stored, query), spark_types.StructType(row))
    log = map_in_arrow(units, functools.partial(read_logged, query), version)
    sides = [
        side.withColumn(ORIGIN, sf.lit(int(origin)).cast("tinyint"))
        for side, origin in ((stored, Origin.STORED), (log, Origin.LOG))
    ]
    return engines.run(sides, job, tuple(fields))


def _shown(merged: DataFrame, spark: SparkSession, query: SliceQuery, slices: Iterable[NumberedSlice]) -> DataFrame:
    """Return merged rows as the release shows them: partition columns from paths, null where nothing is stored."""
    columns = answer_columns(query)
    told = [field for field in columns if field.name in query.paths_tell]
    if told:
        paths = map_in_arrow(
            slices_of(spark, query, list(slices)),
            functools.partial(read_paths, query),
            spark_types.StructType([_NUMBER, *told]),
        )
        merged = merged.drop(*(field.name for field in told)).join(sf.broadcast(paths), GROUP, "left")
    nulls = {name: sf.lit(None).cast("string") for name in query.null_columns}
    return merged.select(*(nulls.get(field.name, quoted(field.name)).alias(field.name) for field in columns))
