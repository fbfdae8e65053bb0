"""A merger of columns on many pairs of rows at once: the expressions that jobs run, in frames of pairs."""

from __future__ import annotations

import decimal
import functools
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.native.column_rules import has_map
from bridge.engines.native.custom import ColumnMerge
from bridge.spark import PySparkException, functions, spark_schema
from payloads.avro import decimal_scale, decimal_value, unscaled_bytes
from payloads.errors import PayloadFailedError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, SparkSession

    from mergers.columns import MergesColumns
    from payloads import AvroSchema, Record

_AT, _OLDER, _NEWER, _MERGED = "at", "older", "newer", "merged"
_EPOCH = "1970-01-01 00:00:00"
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
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
    """The merges of one merger of columns, any number of pairs in one frame."""

    def __init__(
        self, spark: SparkSession, merger: MergesColumns, schema: AvroSchema, props: Mapping[str, str]
    ) -> None:
        """Make the expressions.

        Raises:
            SchemaError: rows of the schema can't be in a frame, or compared.
            PySparkException: the merger's expression does not fit the schema.
        """
        if any(has_map(field.schema) for field in schema.fields):
            msg = "the schema has a map, which Spark does not compare, so no merger of columns runs on it; leave it out"
            raise SchemaError(msg)
        kind = _nullable(spark_schema(schema))  # as columns of files are
        version = spark_types.StructType().add("row", _sent_type(kind)).add("dead", "boolean").add("made", "boolean")
        self._spark, self._schema, self._name = spark, schema, type(merger).__name__
        self._sides = spark_types.StructType().add(_AT, "integer").add(_OLDER, version).add(_NEWER, version)
        merge, older, newer = ColumnMerge(merger, props, schema, kind), sf.col(_OLDER), sf.col(_NEWER)
        folded = merge.fold(older, newer)
        merged = merge.merged_with_stored(older["row"], newer["row"], newer["dead"])["row"]
        self._fold = sf.struct(_received(folded["row"], kind).alias("row"), folded["dead"].alias("dead"))
        self._merged = sf.struct(_received(merged, kind).alias("row"))
        self._received = [_version(name, kind) for name in (_OLDER, _NEWER)]
        self._run([], self._fold)

    def fold(self, pairs: Sequence[tuple[RowVersion, RowVersion]]) -> list[RowVersion | PayloadFailedError]:
        """Merge two versions of a batch or a log, pair by pair; the error where the expression fails on a pair."""
        found = self._run(pairs, self._fold)
        return [
            one if isinstance(one, PayloadFailedError) else RowVersion(self._read(one["row"]), one["dead"])
            for one in found
        ]

    def merge_with_stored(self, pairs: Sequence[tuple[Record, RowVersion]]) -> list[Record | PayloadFailedError | None]:
        """Merge versions with stored rows; None where a row is deleted; errors as in `fold`."""
        given = [(RowVersion(row, is_delete=False), newer) for row, newer in pairs]
        found = self._run(given, self._merged)
        return [one if isinstance(one, PayloadFailedError) else self._read(one["row"]) for one in found]

    def _run(self, pairs: Sequence[tuple[RowVersion, RowVersion]], merge: Column) -> list[Any]:
        """Return what each pair merges to; where a frame fails, of each half by itself."""
        rows = [(at, *map(self._sent, pair)) for at, pair in enumerate(pairs)]
        frame = self._spark.createDataFrame(rows, self._sides).select(_AT, *self._received)
        try:
            merged = frame.select(_AT, merge.alias(_MERGED)).collect()
        except (Py4JJavaError, PySparkException) as error:
            if not pairs:
                raise
            if len(pairs) > 1:
                half = len(pairs) // 2
                return [*self._run(pairs[:half], merge), *self._run(pairs[half:], merge)]
            failed = PayloadFailedError(f"{self._name}.merge_columns failed: {_error_text(error)}")
            failed.__cause__ = error
            return [failed]
        by_place = {row[_AT]: row[_MERGED] for row in merged}
        return [by_place[at] for at in range(len(pairs))]

    def _sent(self, version: RowVersion) -> tuple[object, ...]:
        return _to_spark(self._schema, version.record), version.is_delete, False

    def _read(self, row: object) -> Record | None:
        found: Record | None = _from_spark(self._schema, row)
        return found


def _error_text(error: Exception) -> str:
    """Return the message of what an expression raised, beneath what Spark says of its task."""
    cause: Any = getattr(error, "java_exception", None)
    if cause is None:
        return str(error)
    while cause.getCause() is not None:
        cause = cause.getCause()
    return str(cause.getMessage())


# -- types: a time is sent as its number, as Python has fewer of them


def _nullable(kind: object) -> Any:
    """Return a type whose values, and those in it, may be null."""
    if isinstance(kind, spark_types.StructType):
        fields = [spark_types.StructField(one.name, _nullable(one.dataType)) for one in kind.fields]
        return spark_types.StructType(fields)
    return spark_types.ArrayType(_nullable(kind.elementType)) if isinstance(kind, spark_types.ArrayType) else kind


def _sent_type(kind: object) -> Any:
    """Return the type that values of a type are sent in."""
    match kind:
        case spark_types.StructType():
            fields = [spark_types.StructField(one.name, _sent_type(one.dataType)) for one in kind.fields]
            return spark_types.StructType(fields)
        case spark_types.ArrayType():
            return spark_types.ArrayType(_sent_type(kind.elementType))
        case spark_types.DateType():
            return spark_types.IntegerType()
        case spark_types.TimestampType() | spark_types.TimestampNTZType():
            return spark_types.LongType()
        case _:
            return kind


def _version(name: str, kind: object) -> Column:
    side = sf.col(name)
    row = _arrived(side["row"], kind)
    return sf.struct(row.alias("row"), side["dead"].alias("dead"), side["made"].alias("made")).alias(name)


def _arrived(value: Column, kind: object) -> Column:
    """Return a value of a type from what was sent."""
    if _sent_type(kind) == kind:
        return value
    match kind:
        case spark_types.StructType():
            fields = [_arrived(value.getField(one.name), one.dataType).alias(one.name) for one in kind.fields]
            return sf.when(value.isNotNull(), sf.struct(*fields))
        case spark_types.ArrayType():
            return sf.transform(value, lambda one: _arrived(one, kind.elementType))
        case spark_types.DateType():
            return functions.date_from_unix_date(value)
        case spark_types.TimestampType():
            return functions.timestamp_micros(value)
        case _:
            rest = functions.pmod(value, sf.lit(_DAY))
            days = sf.round((value - rest) / _DAY).cast("int")
            seconds = rest.cast("decimal(18,0)") / sf.lit(_SECOND).cast("decimal(18,0)")
            return _epoch() + functions.make_dt_interval(days, sf.lit(0), sf.lit(0), seconds.cast("decimal(18,6)"))


def _received(value: Column, kind: object) -> Column:
    """Return what is received of a value of a type."""
    if _sent_type(kind) == kind:
        return value
    match kind:
        case spark_types.StructType():
            fields = [_received(value.getField(one.name), one.dataType).alias(one.name) for one in kind.fields]
            return sf.when(value.isNotNull(), sf.struct(*fields))
        case spark_types.ArrayType():
            return sf.transform(value, lambda one: _received(one, kind.elementType))
        case spark_types.DateType():
            return functions.unix_date(value)
        case spark_types.TimestampType():
            return functions.unix_micros(value)
        case _:
            since = value - _epoch()
            parts = {"DAY": _DAY, "HOUR": 3600 * _SECOND, "MINUTE": 60 * _SECOND, "SECOND": _SECOND}
            micros = [(functions.date_part(name, since) * unit).cast("long") for name, unit in parts.items()]
            return functools.reduce(operator.add, micros)


def _epoch() -> Column:
    return sf.lit(_EPOCH).cast("timestamp_ntz")


# -- values


def _to_spark(schema: AvroSchema, value: Any) -> object:
    """Return an Avro value as it is sent: rows as tuples."""
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
    return value * _MILLIS if plain.logical in _IN_MILLIS else value


def _from_spark(schema: AvroSchema, value: Any) -> Any:
    """Return the Avro value of what is received."""
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
