"""Types of Spark as Arrow's: with nested ones on every line, and as PySpark 3.5 converts them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import types as spark_types

from bridge.spark import from_arrow_schema, from_arrow_type, to_arrow_schema, to_arrow_type

STRING, LONG, MOMENT = spark_types.StringType(), spark_types.LongType(), spark_types.TimestampType()
INNER = spark_types.StructType([spark_types.StructField("x", LONG, nullable=False)])
OUTER = spark_types.StructType([spark_types.StructField("in", INNER), spark_types.StructField("at", MOMENT)])
KINDS = {
    "list<element: timestamp[us, tz=UTC]>": spark_types.ArrayType(MOMENT),
    "list<element: timestamp[us, tz=UTC] not null>": spark_types.ArrayType(MOMENT, containsNull=False),
    "list<element: struct<x: int64 not null>>": spark_types.ArrayType(INNER),
    "list<element: list<element: string>>": spark_types.ArrayType(spark_types.ArrayType(STRING)),
    "map<string, struct<x: int64 not null>>": spark_types.MapType(STRING, INNER),
    "map<string, timestamp[us, tz=UTC]>": spark_types.MapType(STRING, MOMENT),
    "struct<in: struct<x: int64 not null>, at: timestamp[us, tz=UTC]>": OUTER,
    "decimal128(10, 2)": spark_types.DecimalType(10, 2),
}


@pytest.mark.parametrize(("text", "kind"), KINDS.items(), ids=KINDS)
def test_a_type_is_converted(text, kind):
    found = to_arrow_type(kind)
    assert str(found) == text
    back = from_arrow_type(found)
    assert back.simpleString() == kind.simpleString()


def test_a_schema_goes_there_and_back():
    fields = [spark_types.StructField(f"c{n}", kind, nullable=n > 2) for n, kind in enumerate(KINDS.values())]
    found = from_arrow_schema(to_arrow_schema(spark_types.StructType(fields)))
    assert [(one.name, one.dataType.simpleString(), one.nullable) for one in found] == [
        (one.name, one.dataType.simpleString(), one.nullable) for one in fields
    ]


def test_a_timestamp_without_zone_is_a_timestamp_on_every_line():
    assert from_arrow_type(pa.timestamp("us")) == MOMENT


@pytest.mark.parametrize("contains_null", [True, False])
def test_whether_values_of_a_map_may_be_null_is_kept(contains_null):
    found = to_arrow_type(spark_types.MapType(STRING, LONG, contains_null))
    assert (found.key_field.nullable, found.item_field.nullable) == (False, contains_null)


def test_what_arrow_has_no_type_for_is_refused_inside_of_others():
    class Odd(spark_types.DataType):
        """A type that Spark does not have."""

    with pytest.raises(TypeError, match=r"(?i)unsupported|not supported"):
        to_arrow_type(spark_types.ArrayType(Odd()))
