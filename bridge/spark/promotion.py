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

from bridge.spark import functions
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
        (spark_types.DateType, spark_types.FloatType),
        (spark_types.DateType, spark_types.DoubleType),
        (spark_types.DateType, spark_types.TimestampType),
        (spark_types.TimestampType, spark_types.LongType),
        (spark_types.TimestampType, spark_types.FloatType),
        (spark_types.TimestampType, spark_types.DoubleType),
        (spark_types.TimestampType, spark_types.StringType),
    }
)
"""Types whose Avro numbers are of one type, or of one that becomes the other: the newer one counts."""
_EVERYWHERE = (spark_types.LongType, spark_types.TimestampType)
"""The one of them that all releases take."""

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_DATE = r"^(\d{4})-(0?[1-9]|1[0-2])-(0?[1-9]|[12]\d|3[01])$"
_TEXT: type[spark_types.DataType] = spark_types.StringType
_SAYING_NUMBERS = (*_NUMBERS, _TEXT)
_CONVERTED: frozenset[tuple[type[spark_types.DataType], type[spark_types.DataType]]] = frozenset(
    {
        *((spark_types.DecimalType, kind) for kind in _SAYING_NUMBERS),
        (spark_types.DateType, spark_types.StringType),
    }
)
"""The older type stays, and a value of the newer one becomes one of it; a text that is none fails the write."""

_CASTS: dict[tuple[type[spark_types.DataType], type[spark_types.DataType]], Callable[[Column, Any], Column]] = {
    (spark_types.BinaryType, spark_types.StringType): lambda one, _: sf.decode(one, "UTF-8"),  # U+FFFD, as in Java
    (spark_types.IntegerType, spark_types.DateType): lambda one, _: functions.date_from_unix_date(one),
    (spark_types.IntegerType, spark_types.TimestampType): lambda one, _: functions.timestamp_micros(one.cast("long")),
    (spark_types.LongType, spark_types.TimestampType): lambda one, _: functions.timestamp_micros(one),
    (spark_types.DateType, spark_types.TimestampType): lambda one, _: functions.timestamp_micros(
        functions.unix_date(one)
    ),
    **{(spark_types.DateType, kind): lambda one, kind: functions.unix_date(one).cast(kind) for kind in _NUMBERS[2:]},
    **{
        (spark_types.TimestampType, kind): lambda one, kind: functions.unix_micros(one).cast(kind)
        for kind in (*_NUMBERS[3:], _TEXT)
    },
    (_TEXT, spark_types.DateType): lambda one, kind: _converted(one, _DATE, _date_of(one), kind),
    **{
        (other, spark_types.DecimalType): lambda one, kind: _number_of(one.cast("string"), kind)
        for other in _SAYING_NUMBERS
    },
}
"""Casts by the numbers that Avro has for dates (days) and timestamps (microseconds), and of texts by what they say."""


def _number_of(text: Column, kind: spark_types.DataType) -> Column:
    """Return the decimal that a text says, rounded half up."""
    return _converted(text, _NUMBER, text.cast(kind), kind)


def _date_of(text: Column) -> Column:
    """Return the day that a text says; as java.sql.Date.valueOf, which takes February 30 for March 1 or 2."""
    year, month, day = (sf.regexp_extract(text, _DATE, group).cast("int") for group in (1, 2, 3))
    return sf.date_add(sf.make_date(year, month, sf.lit(1)), day - 1)


def _converted(text: Column, form: str, value: Column, kind: spark_types.DataType) -> Column:
    """Return the value that a text of this form says; one that says none of the type fails the job."""
    value = sf.when(text.rlike(form), value)
    why = sf.concat(text, sf.lit(f" is no {kind.simpleString()}, which the column is in older data; correct the value"))
    return sf.when(text.isNotNull(), sf.coalesce(value, sf.raise_error(why).cast(kind)))


def common_type(
    older: spark_types.DataType, newer: spark_types.DataType, *, keeps_order: bool = False
) -> spark_types.DataType | None:
    """Return the type that holds the values of both, at every depth; None if Hudi has none.

    Fields of a struct come in the order of the newer one, which must have those of the older; new ones may be null.
    `keeps_order`: those of the older one come first, in its order.
    """
    match older, newer:
        case spark_types.StructType(), spark_types.StructType():
            return _common_struct(older, newer, keeps_order=keeps_order)
        case spark_types.ArrayType(), spark_types.ArrayType():
            items = common_type(older.elementType, newer.elementType, keeps_order=keeps_order)
            return None if items is None else spark_types.ArrayType(items, newer.containsNull)
        case spark_types.MapType(), spark_types.MapType() if older.keyType == newer.keyType:
            values = common_type(older.valueType, newer.valueType, keeps_order=keeps_order)
            return None if values is None else spark_types.MapType(newer.keyType, values, newer.valueContainsNull)
    return newer if older.simpleString() == newer.simpleString() else _common_plain(older, newer)


def _common_plain(older: spark_types.DataType, newer: spark_types.DataType) -> spark_types.DataType | None:
    if type(older) in _NUMBERS and type(newer) in _NUMBERS:
        return max(older, newer, key=lambda one: _NUMBERS.index(type(one)))
    if isinstance(older, spark_types.DecimalType) and isinstance(newer, spark_types.DecimalType):
        return newer if _holds(newer, older) else older if _holds(older, newer) else None
    if (type(older), type(newer)) in _CONVERTED:
        return older
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
        isinstance(one, spark_types.DecimalType) and isinstance(two, spark_types.DecimalType) and not _holds(one, two)
        for one, two, _ in _changes(older, newer)
    )


def takes_plain_for_logical(older: spark_types.DataType, newer: spark_types.DataType) -> bool:
    """Whether a date or timestamp meets its plain number or a text, at any depth; a long before a timestamp aside."""
    pairs = {(type(one), type(two)) for one, two, _ in _changes(older, newer)}
    return bool(pairs & (_PLAIN - {_EVERYWHERE}))


def converts_values(older: spark_types.DataType, newer: spark_types.DataType) -> bool:
    """Whether a newer number or text becomes a decimal or date of the table, at any depth."""
    return any((type(one), type(two)) in _CONVERTED for one, two, _ in _changes(older, newer))


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


def _common_struct(
    older: spark_types.StructType, newer: spark_types.StructType, *, keeps_order: bool
) -> spark_types.StructType | None:
    if not set(older.names) <= set(newer.names):
        return None
    fields = []
    for name in dict.fromkeys((*older.names, *newer.names)) if keeps_order else newer.names:
        field, kind = newer[name], newer[name].dataType
        if name in older.names:
            found = common_type(older[name].dataType, kind, keeps_order=keeps_order)
            if found is None:
                return None
            kind = found
        elif not field.nullable:
            return None
        fields.append(spark_types.StructField(name, kind, field.nullable))
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


def common_types(frames: Iterable[DataFrame], *, keeps_order: bool = False) -> dict[str, spark_types.DataType]:
    """Return the type of each column that some frames have, where there is a common one; see `common_type`."""
    found: dict[str, spark_types.DataType] = {}
    for frame in frames:
        for field in frame.schema.fields:
            kind = field.dataType
            if field.name in found:
                kind = common_type(found[field.name], kind, keeps_order=keeps_order) or kind
            found[field.name] = kind
    return found
