"""The type that a column has when batches disagree, and the cast that keeps values as Hudi does.

Real Hudi takes a wider type for the whole table, whether the older or the newer batch has it, at every depth. Fields of
a struct are found by name; a batch may add some and may not leave one out. Source: recordings of 0.15.0, 1.0.2, 1.1.1
and 1.2.0; HoodieAvroUtils.rewritePrimaryType, AvroSchemaEvolutionUtils.reconcileSchemaRequirements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Column
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.spark.columns import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame

# From narrow to wide; Avro has one type for the first three.
_NUMBERS: tuple[type[spark_types.DataType], ...] = (
    spark_types.ByteType,
    spark_types.ShortType,
    spark_types.IntegerType,
    spark_types.LongType,
    spark_types.FloatType,
    spark_types.DoubleType,
)


_PLAIN: frozenset[tuple[type[spark_types.DataType], type[spark_types.DataType]]] = frozenset(
    {
        (spark_types.IntegerType, spark_types.DateType),
        (spark_types.IntegerType, spark_types.TimestampType),
        (spark_types.LongType, spark_types.TimestampType),
        (spark_types.DateType, spark_types.IntegerType),
        (spark_types.DateType, spark_types.LongType),
        (spark_types.TimestampType, spark_types.LongType),
        (spark_types.TimestampType, spark_types.StringType),
    }
)
"""Types whose Avro numbers are of one type, or of one that becomes the other: the newer one counts."""
_EVERYWHERE = (spark_types.LongType, spark_types.TimestampType)
"""The one of them that all releases take."""

_CASTS: dict[tuple[type[spark_types.DataType], type[spark_types.DataType]], Callable[[Column, Any], Column]] = {
    (spark_types.BinaryType, spark_types.StringType): lambda one, _: sf.decode(one, "UTF-8"),  # U+FFFD, as in Java
    (spark_types.IntegerType, spark_types.DateType): lambda one, _: sf.date_from_unix_date(one),
    (spark_types.IntegerType, spark_types.TimestampType): lambda one, _: sf.timestamp_micros(one.cast("long")),
    (spark_types.LongType, spark_types.TimestampType): lambda one, _: sf.timestamp_micros(one),
    (spark_types.DateType, spark_types.IntegerType): lambda one, _: sf.unix_date(one),
    (spark_types.DateType, spark_types.LongType): lambda one, _: sf.unix_date(one).cast("long"),
    (spark_types.TimestampType, spark_types.LongType): lambda one, _: sf.unix_micros(one),
    (spark_types.TimestampType, spark_types.StringType): lambda one, _: sf.unix_micros(one).cast("string"),
}
"""Casts by the numbers that Avro has for dates (days) and timestamps (microseconds)."""


def common_type(older: spark_types.DataType, newer: spark_types.DataType) -> spark_types.DataType | None:
    """Return the type that holds the values of both, at every depth; None if Hudi has none.

    Fields of a struct come in the order of the newer one, which must have those of the older; new ones may be null.
    """
    match older, newer:
        case spark_types.StructType(), spark_types.StructType():
            return _common_struct(older, newer)
        case spark_types.ArrayType(), spark_types.ArrayType():
            items = common_type(older.elementType, newer.elementType)
            return None if items is None else spark_types.ArrayType(items, newer.containsNull)
        case spark_types.MapType(), spark_types.MapType() if older.keyType == newer.keyType:
            values = common_type(older.valueType, newer.valueType)
            return None if values is None else spark_types.MapType(newer.keyType, values, newer.valueContainsNull)
    return newer if older.simpleString() == newer.simpleString() else _common_plain(older, newer)


def _common_plain(older: spark_types.DataType, newer: spark_types.DataType) -> spark_types.DataType | None:
    if type(older) in _NUMBERS and type(newer) in _NUMBERS:
        return max(older, newer, key=lambda one: _NUMBERS.index(type(one)))
    if isinstance(older, spark_types.DecimalType) and isinstance(newer, spark_types.DecimalType):
        return newer if _holds(newer, older) else older if _holds(older, newer) else None
    return newer if (type(older), type(newer)) in _PLAIN else _common_with_text(older, newer)


def _common_with_text(older: spark_types.DataType, newer: spark_types.DataType) -> spark_types.DataType | None:
    """Return the type of a text and something else: numbers, newer dates and bytes become texts, newer texts bytes."""
    if isinstance(newer, spark_types.StringType):
        return newer if type(older) in _NUMBERS else older if isinstance(older, spark_types.BinaryType) else None
    if isinstance(older, spark_types.StringType) and (
        type(newer) in _NUMBERS
        or isinstance(newer, spark_types.DateType | spark_types.DecimalType | spark_types.BinaryType)
    ):
        return older
    return None


def _holds(wide: spark_types.DecimalType, narrow: spark_types.DecimalType) -> bool:
    digits = wide.precision - wide.scale >= narrow.precision - narrow.scale
    return digits and wide.scale >= narrow.scale


def widens_decimal(older: spark_types.DataType, newer: spark_types.DataType) -> bool:
    """Whether a decimal, at any depth, becomes one of more digits."""
    return any(
        isinstance(one, spark_types.DecimalType) and not (isinstance(two, spark_types.DecimalType) and _holds(one, two))
        for one, two, _ in _changes(older, newer)
    )


def takes_plain_for_logical(older: spark_types.DataType, newer: spark_types.DataType) -> bool:
    """Whether a date or timestamp meets its plain number or a text, at any depth; a long before a timestamp aside."""
    pairs = {(type(one), type(two)) for one, two, _ in _changes(older, newer)}
    return bool(pairs & (_PLAIN - {_EVERYWHERE}))


def takes_bytes_for_text(older: spark_types.DataType, newer: spark_types.DataType) -> bool:
    """Whether newer bytes become an older text, at any depth."""
    pairs = {(type(one), type(two)) for one, two, _ in _changes(older, newer)}
    return (spark_types.StringType, spark_types.BinaryType) in pairs


def promotes_in_array(older: spark_types.DataType, newer: spark_types.DataType) -> bool:
    """Whether a field of a struct in an array becomes wider."""
    return any(in_array and common_type(one, two) == two for one, two, in_array in _changes(older, newer))


def _changes(
    older: spark_types.DataType, newer: spark_types.DataType, *, in_array: bool = False, in_both: bool = False
) -> Iterator[tuple[spark_types.DataType, spark_types.DataType, bool]]:
    """Give the plain types that differ at the same place, and whether that is a field of a struct in an array."""
    match older, newer:
        case spark_types.StructType(), spark_types.StructType():
            for name in (name for name in older.names if name in newer.names):
                yield from _changes(older[name].dataType, newer[name].dataType, in_array=in_array, in_both=in_array)
        case spark_types.ArrayType(), spark_types.ArrayType():
            yield from _changes(older.elementType, newer.elementType, in_array=True, in_both=in_both)
        case spark_types.MapType(), spark_types.MapType():
            yield from _changes(older.valueType, newer.valueType, in_array=in_array, in_both=in_both)
        case _ if older.simpleString() != newer.simpleString():
            yield older, newer, in_both


def _common_struct(older: spark_types.StructType, newer: spark_types.StructType) -> spark_types.StructType | None:
    if not set(older.names) <= set(newer.names):
        return None
    fields = []
    for field in newer:
        kind = common_type(older[field.name].dataType, field.dataType) if field.name in older.names else field.dataType
        if kind is None or (field.name not in older.names and not field.nullable):
            return None
        fields.append(spark_types.StructField(field.name, kind, field.nullable))
    return spark_types.StructType(fields)


def promoted(column: Column, own: spark_types.DataType, kind: spark_types.DataType) -> Column:
    """Return a column of type `own` as the common type that it has with another."""
    if own.simpleString() == kind.simpleString():
        return column
    match own, kind:
        case spark_types.StructType(), spark_types.StructType():
            fields = [
                promoted(column.getField(field.name), own[field.name].dataType, field.dataType).alias(field.name)
                if field.name in own.names
                else sf.lit(None).cast(field.dataType).alias(field.name)
                for field in kind
            ]
            return sf.when(column.isNotNull(), sf.struct(*fields))
        case spark_types.ArrayType(), spark_types.ArrayType():
            return sf.transform(column, lambda one: promoted(one, own.elementType, kind.elementType))
        case spark_types.MapType(), spark_types.MapType():
            return sf.transform_values(column, lambda _, one: promoted(one, own.valueType, kind.valueType))
        case spark_types.FloatType(), spark_types.DoubleType():
            # Through its decimal text: 1.1 stays 1.1, where a binary cast makes 1.10000002384.
            return column.cast("string").cast(kind)
    return _CASTS.get((type(own), type(kind)), Column.cast)(column, kind)


def with_types(frame: DataFrame, kinds: Mapping[str, spark_types.DataType]) -> DataFrame:
    """Return a frame whose columns have the given common types; the other columns stay as they are."""
    own = {field.name: field.dataType for field in frame.schema.fields}
    changed = {name for name, kind in kinds.items() if name in own and own[name].simpleString() != kind.simpleString()}
    if not changed:
        return frame
    columns = (
        promoted(quoted(name), own[name], kinds[name]).alias(name) if name in changed else quoted(name) for name in own
    )
    return frame.select(*columns)


def common_types(frames: Iterable[DataFrame]) -> dict[str, spark_types.DataType]:
    """Return the type of each column that some frames have, where there is a common one."""
    found: dict[str, spark_types.DataType] = {}
    for frame in frames:
        for field in frame.schema.fields:
            kind = common_type(found[field.name], field.dataType) if field.name in found else field.dataType
            found[field.name] = kind or field.dataType
    return found
