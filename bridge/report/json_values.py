"""Rows of a frame as JSON values, the same in every verb.

Dates and times are ISO text (timestamps in UTC, ending in Z), decimals text, bytes base64; the floating-point numbers
that JSON lacks are the texts NaN, Infinity and -Infinity.
"""

from __future__ import annotations

import base64
import datetime
import json
import math
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as spark_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql import DataFrame


def json_rows(frame: DataFrame) -> list[dict[str, Any]]:
    """Collect `frame`, row by row as an object of its columns."""
    convert = _struct(frame.schema)
    return [convert(row) for row in frame.collect()]


def _struct(struct: spark_types.StructType) -> Callable[[Any], dict[str, Any]]:
    names = struct.names
    converters = [_converter(field.dataType) for field in struct.fields]

    def convert(row: Any) -> dict[str, Any]:
        cells = zip(names, converters, row, strict=True)
        return {name: None if value is None else of(value) for name, of, value in cells}

    return convert


def _converter(kind: spark_types.DataType) -> Callable[[Any], Any]:  # noqa: PLR0911 (one a family of types)
    """Return the conversion of values of `kind` that are not null."""
    match kind:
        case spark_types.StructType():
            return _struct(kind)
        case spark_types.ArrayType():
            element = _converter(kind.elementType)
            return lambda values: [None if value is None else element(value) for value in values]
        case spark_types.MapType():
            key, of = _converter(kind.keyType), _converter(kind.valueType)
            return lambda pairs: {str(key(k)): None if v is None else of(v) for k, v in pairs.items()}
        case spark_types.TimestampType():
            return _instant
        case spark_types.DateType() | spark_types.TimestampNTZType():
            return lambda value: str(value.isoformat())
        case spark_types.DecimalType():
            return lambda value: f"{value:f}"
        case spark_types.BinaryType():
            return json_bytes
        case spark_types.FloatType() | spark_types.DoubleType():
            return json_float
        case _:
            return lambda value: value


def json_float(value: float) -> float | str:
    """Return a number, or the text for one that JSON lacks."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def json_bytes(value: bytes) -> str:
    """Return bytes as base64 text."""
    return base64.b64encode(value).decode("ascii")


def _instant(moment: datetime.datetime) -> str:
    # PySpark returns instants without a zone, in the local time of this process.
    return moment.astimezone(datetime.UTC).replace(tzinfo=None).isoformat() + "Z"


def cell(value: Any) -> str:
    """Return a JSON value as text for a table cell."""
    if value is None:
        return "null"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def texts(values: Iterable[Any]) -> list[str | None]:
    """Return JSON values as texts for a page, which tells null from the text."""
    return [None if value is None else cell(value) for value in values]
