"""Runs programs of both engines on rows in memory, without a Spark job: Java on the driver, Python on Arrow."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.sql import types as spark_types

from bridge.engines import ORDERING, Job
from bridge.engines.control_columns import result_type
from bridge.engines.jvm.engine import plain_field, to_plain
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.engines.jvm.job import Calls, description
from bridge.engines.ordering_text import from_text
from bridge.engines.python.worker import merged
from bridge.errors import MergeFailedError
from bridge.spark.schema import avro_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from bridge import MergePlan

ORDERING_STRUCT = spark_types.StructType().add("type", "string").add("value", "string")
CONTROL = (
    spark_types.StructType()
    .add("_pb_origin", "byte")
    .add("_pb_commit", "long")
    .add("_pb_delete", "boolean")
    .add("_pb_ordering", ORDERING_STRUCT)
)
_ARROW = {
    "integer": pa.int32(),
    "long": pa.int64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "array": pa.list_(pa.string()),
    "struct": pa.struct([("type", pa.string()), ("value", pa.string())]),
}


class Versions(NamedTuple):
    """Sorted versions of all keys, in the two forms."""

    data: spark_types.StructType
    batch: pa.RecordBatch
    rows: list[Any]

    def by_key(self) -> list[Versions]:
        """Return the versions of each key for themselves; the key is the first column."""
        keys = self.batch.column(0).to_pylist()
        ends = [0, *itertools.accumulate(len(list(group)) for _, group in itertools.groupby(keys))]
        return [
            Versions(self.data, self.batch.slice(start, end - start), self.rows[start:end])
            for start, end in itertools.pairwise(ends)
        ]

    def only(self, *origins: int) -> Versions:
        """Return the versions of some origins."""
        chosen = [index for index, origin in enumerate(self.batch["_pb_origin"].to_pylist()) if origin in origins]
        batch = self.batch.take(pa.array(chosen, pa.int64()))
        return Versions(self.data, batch, [self.rows[index] for index in chosen])


def versions_of(spark: SparkSession, data: spark_types.StructType, rows: Sequence[tuple[Any, ...]]) -> Versions:
    """Return rows of the data columns, origin, commit, delete flag and ordering text."""
    schema = spark_types.StructType([*data.fields, *CONTROL.fields])
    arrow = pa.schema([(field.name, _ARROW[field.dataType.typeName()]) for field in schema.fields])
    batch = pa.RecordBatch.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=arrow)
    plain = spark.createDataFrame(rows, schema).coalesce(1).select(*map(to_plain, data.fields), *CONTROL.names)
    return Versions(data, batch, list(plain._jdf.collectAsList()))


def job_of(plan: MergePlan, data: spark_types.StructType, program: str, **arguments: Any) -> Job:
    """Return the job of a program."""
    return Job(plan, avro_schema(data, plan.release), tuple(data.names), program, arguments)


def in_python(job: Job, versions: Versions) -> Any:
    """Return the outcomes of the python engine, or `failed`."""
    try:
        found = [row for batch in merged(job, [versions.batch]) for row in batch.to_pylist()]
    except MergeFailedError:
        return "failed"
    for row in found:
        if row.get(ORDERING) is not None:
            row[ORDERING] = repr(from_text(row[ORDERING]))
    return sorted(found, key=repr)


class InJava:
    """The jvm engine for one plan."""

    def __init__(self, spark: SparkSession, plan: MergePlan) -> None:
        """Load the classes."""
        self.spark = spark
        self.calls = Calls(plan)
        self.driver = Driver(spark)
        self.jars = jars_of(spark, self.calls.reference, plan.release, self.calls.classes)
        self.task = self.driver.session_class("bridge.jvm.MergeTask")

    def run(self, job: Job, versions: Versions) -> Any:
        """Return the outcomes, or `failed`."""
        columns = [*versions.data.names, *CONTROL.names]
        text = description(job, self.calls, versions.data, columns, is_java8=False)
        schema = result_type(map(plain_field, versions.data.fields), job.added)
        lists = self.driver.jvm.java.util.ArrayList
        task = self.driver.new(self.task, lists(list(self.jars.names)), text)
        try:
            outcomes = task.call(lists(versions.rows).iterator())
            collected = self.driver.jvm.org.apache.commons.collections4.IteratorUtils.toList(outcomes)
        except Py4JJavaError as error:
            if "failed at" not in str(error.java_exception):
                raise
            return "failed"
        found = [_row(row, schema) for row in collected]
        return sorted(found, key=repr)


def _row(row: Any, schema: spark_types.StructType) -> dict[str, Any]:
    return {field.name: _value(field.dataType, row.get(index)) for index, field in enumerate(schema.fields)}


def _value(kind: spark_types.DataType, value: Any) -> Any:
    match kind:
        case _ if value is None:
            return None
        case spark_types.BinaryType():
            return value.decode()
        case spark_types.ArrayType():
            return [value.apply(index) for index in range(value.size())]
        case spark_types.StructType():
            return repr(from_text({"type": value.getString(0), "value": value.getString(1)}))
    return value
