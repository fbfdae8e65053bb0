"""Rows of a frame as JSON objects: what Spark's types say about values that Python's types don't."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import types as spark_types

from bridge.redaction import REASON, Redaction, current, is_control, shown_message
from bridge.report.json_values import json_value
from bridge.report.report import limit_of
from bridge.report.table import Table
from bridge.spark import quoted

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable

    from pyspark.sql import DataFrame, Row

    from bridge.report.json_values import JsonObject
    from bridge.report.report import Report

_TIMES = (spark_types.DateType, spark_types.TimestampType, spark_types.TimestampNTZType)


def json_rows(frame: DataFrame) -> list[JsonObject]:
    """Collect `frame`, row by row as an object of its columns; a time that Python lacks is a text, as are all then."""
    convert = _struct(frame.schema)
    try:
        return [convert(row) for row in frame.collect()]
    except (ValueError, OverflowError):  # Python has the years 1 to 9999 alone
        times = {field.name for field in frame.schema if isinstance(field.dataType, _TIMES)}
        if not times:
            raise
    names = ((name, quoted(name)) for name in frame.columns)
    texts = frame.select(*(own.cast("string").alias(name) if name in times else own for name, own in names))
    return json_rows(texts)


def list_rows(  # noqa: PLR0913 (what a report says of a frame)
    report: Report, frame: DataFrame, total: int, sample: int | None, *, whole: bool, name: str = "rows"
) -> None:
    """Add rows to a report, as a table of the text and as results, and say where they are not all.

    Args:
        report: gets them.
        frame: the rows, in order.
        total: how many there are.
        sample: how many to list; see `limit_of`.
        whole: whether programs read the report, too.
        name: what the rows are called.
    """
    shown = min(total, limit_of(sample, whole=whole))
    rows = json_rows(frame.limit(shown))
    report.results += rows
    if whole and shown < total:
        report.warnings.append(f"results has {shown} of {total} {name} (--sample)")
    title = f"{name}: {total}" if shown == total else f"{name}: {shown} of {total}"
    report.body.append(Table.of_rows(tuple(frame.columns), rows, title))


def _struct(struct: spark_types.StructType) -> Callable[[Row], JsonObject]:
    names = struct.names
    converters = [_of_column(field) for field in struct.fields]

    def convert(row: Row) -> JsonObject:
        cells = zip(names, converters, row, strict=True)
        return {name: None if value is None else of(value) for name, of, value in cells}

    return convert


def _of_column(field: spark_types.StructField) -> Callable[[Any], Any]:
    """Return the conversion of values of a column that are not null; it may hide them."""
    hidden = current()
    if hidden.is_active and field.name == REASON:
        return shown_message
    if hidden.is_active and is_control(field.name):
        with Redaction().applied():
            return _converter(field.dataType)
    of = _converter(field.dataType)
    return (lambda value: hidden.token(value, of(value))) if hidden.hides(field.name) else of


def _converter(kind: spark_types.DataType) -> Callable[[Any], Any]:
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
        case _:
            return json_value


def _instant(moment: datetime.datetime) -> object:
    # PySpark returns instants without a zone, in the local time of this process.
    return json_value(moment.astimezone())
