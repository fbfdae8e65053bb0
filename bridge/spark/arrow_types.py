"""Spark's types as Arrow's and back: PySpark's own conversion, with nested types, which it has only from 3.5 on."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql import types as spark_types
from pyspark.sql.pandas import types as of_pyspark

ArrowColumn: TypeAlias = "pa.Array[Any]"
"""An Arrow column of any type."""


def to_arrow_type(kind: spark_types.DataType) -> Any:
    """Return the Arrow type of a Spark type.

    Raises:
        TypeError: it has none.
    """
    match kind:
        case spark_types.ArrayType():
            return pa.list_(pa.field("element", to_arrow_type(kind.elementType), nullable=kind.containsNull))
        case spark_types.MapType():
            key = pa.field("key", to_arrow_type(kind.keyType), nullable=False)
            return pa.map_(key, pa.field("value", to_arrow_type(kind.valueType), nullable=kind.valueContainsNull))
        case spark_types.StructType():
            return pa.struct(list(to_arrow_schema(kind)))
        case spark_types.TimestampType():  # PySpark 4.2 asks for the time zone, by a name that no other line takes
            return pa.timestamp("us", tz="UTC")
        case _:
            return of_pyspark.to_arrow_type(kind)


def to_arrow_schema(struct: spark_types.StructType) -> Any:
    """Return the Arrow schema of a Spark schema; errors as in `to_arrow_type`."""
    fields = (pa.field(one.name, to_arrow_type(one.dataType), nullable=one.nullable) for one in struct)
    return pa.schema(list(fields))


def from_arrow_type(kind: Any) -> spark_types.DataType:
    """Return the Spark type of an Arrow type.

    Raises:
        TypeError: it has none.
    """
    if pa.types.is_list(kind):
        return spark_types.ArrayType(from_arrow_type(kind.value_type))
    if pa.types.is_map(kind):
        return spark_types.MapType(from_arrow_type(kind.key_type), from_arrow_type(kind.item_type))
    if pa.types.is_struct(kind):
        return from_arrow_schema(kind)
    return of_pyspark.from_arrow_type(kind, prefer_timestamp_ntz=False)  # the default of 4.2 is another one


def from_arrow_schema(fields: Any) -> spark_types.StructType:
    """Return the Spark schema of an Arrow schema or struct; errors as in `from_arrow_type`."""
    found = (spark_types.StructField(one.name, from_arrow_type(one.type), nullable=one.nullable) for one in fields)
    return spark_types.StructType(list(found))
