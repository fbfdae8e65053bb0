"""In which type columns of two sides are compared, and which are not: real numbers only where one type holds both."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark_types

from bridge.compare.same_types import compared_type, compared_types
from bridge.errors import InputError

TEXT, DATE, TIME = spark_types.StringType(), spark_types.DateType(), spark_types.TimestampType()
BYTE, SHORT, INT, LONG = (
    spark_types.ByteType(),
    spark_types.ShortType(),
    spark_types.IntegerType(),
    spark_types.LongType(),
)
FLOAT, DOUBLE, BOOLEAN, BINARY = (
    spark_types.FloatType(),
    spark_types.DoubleType(),
    spark_types.BooleanType(),
    spark_types.BinaryType(),
)
LOCAL_TIME = spark_types.TimestampNTZType()


def decimal(precision: int, scale: int) -> spark_types.DecimalType:
    return spark_types.DecimalType(precision, scale)


def struct(**fields: spark_types.DataType) -> spark_types.StructType:
    return spark_types.StructType([spark_types.StructField(name, kind) for name, kind in fields.items()])


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (INT, LONG, LONG),
        (BYTE, SHORT, SHORT),
        (FLOAT, DOUBLE, DOUBLE),
        (FLOAT, FLOAT, FLOAT),
        (decimal(10, 4), decimal(10, 2), decimal(12, 4)),
        (decimal(10, 2), LONG, decimal(21, 2)),
        (decimal(5, 2), INT, decimal(12, 2)),
        (decimal(38, 0), decimal(38, 2), None),
        (decimal(38, 20), LONG, None),
        (INT, DOUBLE, None),
        (LONG, DOUBLE, None),
        (LONG, FLOAT, None),
        (DOUBLE, decimal(10, 2), None),
        (TIME, DATE, None),
        (TIME, LOCAL_TIME, None),
        (TIME, LONG, None),
        (DATE, INT, None),
        (TEXT, BOOLEAN, None),
        (TEXT, TIME, None),
        (TEXT, DATE, None),
        (TEXT, INT, None),
        (TEXT, BINARY, None),
        (BOOLEAN, INT, None),
        (struct(a=INT, b=TEXT), struct(a=INT), None),
        (struct(a=INT), struct(A=INT), None),
        (struct(a=INT, b=TEXT), struct(b=TEXT, a=INT), struct(a=INT, b=TEXT)),
        (struct(a=INT), struct(a=LONG), struct(a=LONG)),
        (struct(a=TEXT), struct(a=LONG), None),
        (struct(a=INT), INT, None),
    ],
)
def test_the_type_in_which_two_columns_are_compared(
    one: spark_types.DataType, other: spark_types.DataType, kind: spark_types.DataType | None
) -> None:
    for left, right in ((one, other), (other, one)):
        found = compared_type(left, right)
        if isinstance(kind, spark_types.StructType):
            assert isinstance(found, spark_types.StructType)
            assert {field.name: field.dataType for field in found} == {field.name: field.dataType for field in kind}
        else:
            assert found == kind
    lists = compared_type(spark_types.ArrayType(one), spark_types.ArrayType(other, containsNull=False))
    maps = compared_type(spark_types.MapType(TEXT, one), spark_types.MapType(TEXT, other))
    assert (lists is None, maps is None) == (kind is None, kind is None)
    assert lists is None or isinstance(lists, spark_types.ArrayType)
    assert lists is None or lists.elementType == compared_type(one, other)


def test_columns_that_are_not_compared_are_named_with_their_types() -> None:
    with pytest.raises(InputError, match=r"^ts is timestamp in old and string in x\.csv, and .*; cast one side, or "):
        compared_types(struct(id=TEXT, ts=TIME), struct(ts=TEXT, id=TEXT), ("old", "x.csv"))
