"""The type in which the values of two columns are compared: it holds those of both, so that only equal ones are equal.

What Hudi makes of columns when it writes is another rule, `bridge.spark.promotion`: it keeps what a table can hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import types as spark_types

from bridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_DIGITS: Final[Mapping[type[spark_types.DataType], int]] = {
    spark_types.ByteType: 3,
    spark_types.ShortType: 5,
    spark_types.IntegerType: 10,
    spark_types.LongType: 19,
}
"""Integers from narrow to wide, with the digits that hold them."""
_FLOATING: Final = (spark_types.FloatType, spark_types.DoubleType)
_MOST_DIGITS: Final = 38


def compared_types(
    left: spark_types.StructType, right: spark_types.StructType, names: tuple[str, str]
) -> dict[str, spark_types.DataType]:
    """Return the type in which each column of `left` is compared with that of its name in `right`.

    Args:
        left: the columns of one side.
        right: those of the other, of the same names.
        names: the labels of both in reports.

    Raises:
        InputError: no type holds the values of both.
    """
    found = {}
    for field in left:
        other = right[field.name].dataType
        kind = compared_type(field.dataType, other)
        if kind is None:
            msg = (
                f"{field.name} is {field.dataType.simpleString()} in {names[0]} and {other.simpleString()} in "
                f"{names[1]}, and these types can't be compared; cast one side, or read files with a schema"
            )
            raise InputError(msg)
        found[field.name] = kind
    return found


def compared_type(left: spark_types.DataType, right: spark_types.DataType) -> spark_types.DataType | None:
    """Return the type that holds the values of both, at every depth; None if there is none.

    Equal types are that type; of two integers, or a float and a double, it is the wider. A decimal and another decimal,
    or an integer, have a decimal with the digits of both. Fields of a struct are found by name.
    """
    match left, right:
        case spark_types.StructType(), spark_types.StructType():
            return _struct(left, right)
        case spark_types.ArrayType(), spark_types.ArrayType():
            items = compared_type(left.elementType, right.elementType)
            return None if items is None else spark_types.ArrayType(items)
        case spark_types.MapType(), spark_types.MapType() if left.keyType == right.keyType:
            values = compared_type(left.valueType, right.valueType)
            return None if values is None else spark_types.MapType(left.keyType, values)
    return left if left == right else _number(left, right)


def _number(left: spark_types.DataType, right: spark_types.DataType) -> spark_types.DataType | None:
    if isinstance(left, _FLOATING) and isinstance(right, _FLOATING):
        return spark_types.DoubleType()
    if type(left) in _DIGITS and type(right) in _DIGITS:
        return max(left, right, key=lambda one: _DIGITS[type(one)])
    decimals = [_decimal(one) for one in (left, right)]
    if None in decimals:
        return None
    whole = max(one.precision - one.scale for one in decimals if one is not None)
    scale = max(one.scale for one in decimals if one is not None)
    return None if whole + scale > _MOST_DIGITS else spark_types.DecimalType(whole + scale, scale)


def _decimal(kind: spark_types.DataType) -> spark_types.DecimalType | None:
    if isinstance(kind, spark_types.DecimalType):
        return kind
    return spark_types.DecimalType(_DIGITS[type(kind)], 0) if type(kind) in _DIGITS else None


def _struct(left: spark_types.StructType, right: spark_types.StructType) -> spark_types.StructType | None:
    if sorted(left.names) != sorted(right.names):
        return None
    fields = []
    for field in left:
        kind = compared_type(field.dataType, right[field.name].dataType)
        if kind is None:
            return None
        fields.append(spark_types.StructField(field.name, kind))
    return spark_types.StructType(fields)
