"""A merger of columns on one pair of rows at a time, in the driver: the expressions that jobs run, without a job."""

from __future__ import annotations

import decimal
import io
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.native.column_rules import has_map
from bridge.engines.native.custom import ColumnMerge
from bridge.errors import EngineError
from bridge.spark import spark_schema
from payloads.avro import decimal_scale, decimal_value, unscaled_bytes
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from mergers.columns import MergesColumns
    from payloads import AvroSchema, Record

_MILLIS = 1000


class RowVersion(NamedTuple):
    """A version as the native engine folds it.

    Attributes:
        record: its row; None for a delete without data.
        is_delete: whether it is a delete.
    """

    record: Record | None
    is_delete: bool


class ColumnMerges:
    """The merges of one merger of columns; each takes a few calls of the driver's JVM."""

    def __init__(
        self, spark: SparkSession, merger: MergesColumns, schema: AvroSchema, props: Mapping[str, str]
    ) -> None:
        """Compile the expressions.

        Raises:
            SchemaError: rows of the schema can't be in a frame, or compared.
            EngineError: the session is one of Spark Connect, whose expressions are elsewhere.
            PySparkException: the merger's expression does not fit the schema.
        """
        if not hasattr(spark, "_jsparkSession"):
            msg = "a merger of columns can't be checked through Spark Connect; use a session of this process"
            raise EngineError(msg)
        if any(has_map(field.schema) for field in schema.fields):
            msg = "the schema has a map, which Spark does not compare, so no merger of columns runs on it; leave it out"
            raise SchemaError(msg)
        self._schema, kind = schema, _nullable(spark_schema(schema))  # as columns of files are
        version = spark_types.StructType().add("row", kind).add("dead", "boolean").add("made", "boolean")
        sides = spark_types.StructType().add("older", version).add("newer", version)
        frame = spark.createDataFrame(spark.sparkContext.emptyRDD(), sides)
        merge, older, newer = ColumnMerge(merger, props, schema, kind), sf.col("older"), sf.col("newer")
        self._fold = _Evaluated(frame, merge.fold(older, newer))
        self._met = _Evaluated(frame, merge.met(older["row"], newer["row"], newer["dead"]))

    def fold(self, older: RowVersion, newer: RowVersion) -> RowVersion:
        """Merge two versions of a batch or a log.

        Raises:
            Py4JJavaError: the expression fails on these rows.
        """
        row, is_dead, _ = self._fold(self._sent(older), self._sent(newer))
        return RowVersion(self._read(row), is_dead)

    def met(self, row: Record, newer: RowVersion) -> Record | None:
        """Merge a version with the stored row; None where it is deleted; errors as in `fold`."""
        (merged,) = self._met(self._sent(RowVersion(row, is_delete=False)), self._sent(newer))
        return self._read(merged)

    def _sent(self, version: RowVersion) -> tuple[Any, ...]:
        return _to_spark(self._schema, version.record), version.is_delete, False

    def _read(self, row: Any) -> Record | None:
        found: Record | None = _from_spark(self._schema, row)
        return found


class _Evaluated:
    """An expression over the columns of a frame, evaluated on one row of values."""

    def __init__(self, frame: DataFrame, expression: Column) -> None:
        selected: Any = getattr(frame.select(expression.alias("merged")), "_jdf", None)
        jvm: Any = getattr(frame.sparkSession, "_jvm", None)
        plan = selected.queryExecution().optimizedPlan()
        python = jvm.org.apache.spark.sql.execution.python.EvaluatePython
        python.registerPicklers()
        self._input = python.makeFromJava(plan.child().schema())
        # Generated classes have one name, by which Py4J takes the methods of the first for those of all.
        self._project = jvm.org.apache.spark.sql.catalyst.expressions.InterpretedMutableProjection(
            plan.projectList(), plan.child().output()
        )
        self._project.initialize(0)
        self._type, self._to_java = plan.schema(), python.toJava
        self._loads, self._dumps = jvm.net.razorvine.pickle.Unpickler, jvm.net.razorvine.pickle.Pickler

    def __call__(self, *row: Any) -> tuple[Any, ...]:
        values = self._input.apply(self._loads().loads(pickle.dumps(row, protocol=4)))
        found = self._to_java(self._project.apply(values), self._type)
        (merged,) = _Rows(io.BytesIO(self._dumps().dumps(found))).load()
        return tuple(merged)


class _Rows(pickle.Unpickler):
    """Reads rows of Spark as tuples of the values that they have inside: days, microseconds."""

    def find_class(self, module: str, name: str) -> Any:
        if name == "_create_row_inbound_converter":
            return lambda _: lambda *values: values
        if name == "_parse_datatype_json_string":
            return lambda text: text
        return super().find_class(module, name)


def _nullable(kind: Any) -> Any:
    """Return a type whose values, and those in it, may be null."""
    if isinstance(kind, spark_types.StructType):
        fields = [spark_types.StructField(one.name, _nullable(one.dataType)) for one in kind.fields]
        return spark_types.StructType(fields)
    return spark_types.ArrayType(_nullable(kind.elementType)) if isinstance(kind, spark_types.ArrayType) else kind


def _to_spark(schema: AvroSchema, value: Any) -> Any:
    """Return an Avro value as Spark's Python workers hand it over: rows as tuples."""
    if value is None:
        return None
    plain = schema.non_null
    match plain.kind:
        case "record":
            return tuple(_to_spark(field.schema, value[field.name]) for field in plain.fields)
        case "array":
            return [_to_spark(plain.items, one) for one in value]
    if plain.logical == "decimal":
        return decimal_value(value, decimal_scale(plain))
    if plain.logical in _IN_MILLIS:
        return value * _MILLIS
    return bytearray(value) if isinstance(value, bytes) else value


def _from_spark(schema: AvroSchema, value: Any) -> Any:
    """Return the Avro value of what Spark has inside."""
    if value is None:
        return None
    plain = schema.non_null
    match plain.kind:
        case "record":
            return {f.name: _from_spark(f.schema, one) for f, one in zip(plain.fields, value, strict=True)}
        case "array":
            return [_from_spark(plain.items, one) for one in value]
    if isinstance(value, decimal.Decimal):
        unscaled = int(value.scaleb(decimal_scale(plain), decimal.Context(prec=100)))
        return unscaled_bytes(unscaled, plain.size if plain.kind == "fixed" else None)
    if plain.logical in _IN_MILLIS:
        return value // _MILLIS
    return bytes(value) if isinstance(value, bytes | bytearray) else value


_IN_MILLIS = frozenset({"timestamp-millis", "local-timestamp-millis"})
