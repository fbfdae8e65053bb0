"""The pairwise form of the jvm engine: one merge of two structs by a compiled payload, as a column expression."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.control_columns import ORIGIN
from bridge.engines.job import Job
from bridge.engines.jvm.engine import from_plain, is_java8, plain_field, to_plain
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.engines.jvm.job import Calls, description
from bridge.engines.jvm.merger import with_strategy_id
from bridge.errors import InputError
from bridge.spark import META_COLUMNS, avro_schema, functions, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from bridge.plan import MergePlan


def merged_pair(frame: DataFrame, older: str, newer: str, plan: MergePlan) -> Column:
    """Return the copy-on-write merge of a stored and an incoming version, two struct columns of `frame`.

    Both structs have the same fields, those of the plan's rows; each row of `frame` is merged on its own. The result is
    a struct of these fields: null if no row is left, `older` if `newer` is null, what the release inserts where
    `older` is null. For whole tables use `bridge.upsert`, which groups the versions of a key.

    Raises:
        InputError: the columns are not structs, or have different fields.
        PlanError, MergeConfigError, EngineError, PayloadNotFoundError, PayloadConstructorError: as in `jvm.run`.
    """
    spark = frame.sparkSession
    data, other = frame.schema[older].dataType, frame.schema[newer].dataType
    if not isinstance(data, spark_types.StructType) or data.simpleString() != other.simpleString():
        msg = f"{older!r} and {newer!r} are not structs with the same fields; make both of the rows of one table"
        raise InputError(msg)
    driver, plan = Driver(spark), with_strategy_id(spark, plan)
    calls = Calls(plan)
    jars = jars_of(spark, calls.reference, plan.release, calls.classes)
    written = spark_types.StructType([field for field in data.fields if field.name not in META_COLUMNS])
    schema = plan.schema or avro_schema(written, plan.release)
    job = Job(plan, schema, tuple(data.names), "upsert")
    told = description(job, calls, data, [*data.names, ORIGIN], is_java8=is_java8(spark))
    pair_class = driver.session_class("bridge.jvm.MergePair")
    names = driver.jvm.java.util.ArrayList(list(jars.names))
    pair = driver.new(pair_class, names, told, len(data.fields))
    result = spark_types.StructType([plain_field(field) for field in data.fields])
    name = "pb_merge_" + hashlib.sha256("\n".join([*jars.names, told]).encode()).hexdigest()[:16]
    driver.register(name, pair, result)
    sides = (sf.when(quoted(side).isNotNull(), sf.struct(*_plain(data, quoted(side)))) for side in (older, newer))
    # In a lambda, so that it is called once, not for each field.
    return sf.transform(sf.array(functions.call_function(name, *sides)), lambda merged: _restored(data, merged))[0]


def _plain(data: spark_types.StructType, struct: Column) -> list[Column]:
    return [to_plain(field, struct) for field in data.fields]


def _restored(data: spark_types.StructType, merged: Column) -> Column:
    return sf.when(merged.isNotNull(), sf.struct(*(from_plain(field, merged) for field in data.fields)))
