"""The jvm engine: a compiled payload or merger inside Spark's own executors, over the sorted versions of each key.

Rows are passed to Java in cheap plain forms: text as UTF-8 bytes, dates as days, timestamps as microseconds.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyspark.sql import types as spark_types

from bridge.engines.control_columns import GROUP, result_type, visible
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.engines.jvm.job import Calls, description
from bridge.engines.jvm.merger import with_strategy_id
from bridge.engines.jvm.upgrade import with_successor
from bridge.engines.written_meta import stamped
from bridge.spark import META_COLUMNS, functions, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from bridge.engines.job import Job

_JAVA8 = "spark.sql.datetime.java8API.enabled"


def run(versions: DataFrame, job: Job, fields: tuple[spark_types.StructField, ...]) -> DataFrame:
    """Run a job over sorted versions, as `bridge.engines.Engine` says.

    The class is found and checked here, before any task starts.

    Raises:
        PlanError, MergeConfigError: see `Calls`.
        PlanError, MergerNotFoundError, MergerConfigError: see `with_strategy_id`.
        EngineError, PlanError, PayloadNotFoundError, PayloadConstructorError: see `jars_of`.
    """
    spark = versions.sparkSession
    driver = Driver(spark)
    job = dataclasses.replace(job, plan=with_strategy_id(spark, job.plan))
    calls = Calls(job.plan)
    jars = jars_of(spark, calls.reference, job.plan.release, calls.classes)
    data = spark_types.StructType(list(fields))
    names = {field.name for field in fields}
    control = [name for name in versions.columns if name not in names]
    job = with_successor(spark, job, data, is_java8=is_java8(spark))
    told = description(job, calls, data, [*data.names, *control], is_java8=is_java8(spark))
    task_class = driver.session_class("bridge.jvm.MergeTask")
    task = driver.new(task_class, driver.jvm.java.util.ArrayList(list(jars.names)), told)
    added = job.handed_over or job.added  # with `only_rows` the rows are chosen here
    added = (*added, GROUP) if job.file_groups else added
    returned = result_type(map(plain_field, fields), added)
    outcomes = driver.map_partitions(versions.select(*map(to_plain, fields), *control), task, returned)
    outcomes = outcomes.select(*map(from_plain, fields), *added)
    if job.instant is not None and META_COLUMNS[0] in names:
        outcomes = stamped(outcomes, job.plan, job.instant)
    return visible(outcomes) if job.only_rows else outcomes


def is_java8(spark: SparkSession) -> bool:
    """Whether Spark's rows have dates and timestamps as java.time objects."""
    return spark.conf.get(_JAVA8) == "true"


# -- the plain form of a column


def to_plain(field: spark_types.StructField, parent: Column | None = None) -> Column:
    """Return a data column, or a field of a struct, in the form in which Java takes it."""
    column = _column(field, parent)
    match field.dataType:
        case spark_types.StringType():
            return column.cast("binary").alias(field.name)
        case spark_types.DateType():
            return functions.unix_date(column).alias(field.name)
        case spark_types.TimestampType():
            return functions.unix_micros(column).alias(field.name)
    return column.alias(field.name)


def from_plain(field: spark_types.StructField, parent: Column | None = None) -> Column:
    """Convert a column back from Java's form."""
    column = _column(field, parent)
    match field.dataType:
        case spark_types.StringType():
            return column.cast("string").alias(field.name)
        case spark_types.DateType():
            return functions.date_from_unix_date(column).alias(field.name)
        case spark_types.TimestampType():
            return functions.timestamp_micros(column).alias(field.name)
    return column.alias(field.name)


def _column(field: spark_types.StructField, parent: Column | None) -> Column:
    return quoted(field.name) if parent is None else parent.getField(field.name)


def plain_field(field: spark_types.StructField) -> spark_types.StructField:
    """Return a data column in the form in which Java gives it, nullable."""
    kinds: dict[type[spark_types.DataType], spark_types.DataType] = {
        spark_types.StringType: spark_types.BinaryType(),
        spark_types.DateType: spark_types.IntegerType(),
        spark_types.TimestampType: spark_types.LongType(),
    }
    return spark_types.StructField(field.name, kinds.get(type(field.dataType), field.dataType), nullable=True)
