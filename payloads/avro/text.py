"""Text forms of values as Java's `toString` gives them, where Hudi compares or parses text."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from payloads.avro.branch import Branch
from payloads.avro.generic_text import collection_text, fixed_text, record_text
from payloads.avro.schema import branch_of
from payloads.java import double_text, float_text

if TYPE_CHECKING:
    from payloads.avro.schema import AvroSchema, Value

_EPOCH = datetime.date(1970, 1, 1)
_NANOS = 1_000_000_000


def plain_text(value: object) -> str:
    """Return `String.valueOf` of a physical Avro value: a boolean, a number (a double), a string or an enum symbol."""
    if isinstance(value, Branch):
        return plain_text(value.value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, bytes):
        return f"java.nio.HeapByteBuffer[pos=0 lim={len(value)} cap={len(value)}]"
    return str(value)


def value_text(schema: AvroSchema, value: Value) -> str:
    """Return `String.valueOf` of a physical value of `schema`, which tells floats from doubles and fixed from bytes."""
    if schema.kind == "union":
        schema, value = branch_of(schema, value)
    match schema.kind:
        case "float":
            return float_text(value)
        case "fixed":
            return fixed_text(value)
        case "record":
            return record_text(schema, value)
        case "array" | "map":
            return collection_text(schema, value, value_text)
        case _:
            return plain_text(value)


def date_text(days: int) -> str:
    """Return `LocalDate.toString()` of the day `days` after 1970-01-01, for years beyond 9999 too."""
    cycles, rest = divmod(days, 146_097)  # a Gregorian cycle of 400 years has this many days
    day = _EPOCH + datetime.timedelta(days=rest)
    year = day.year + 400 * cycles
    sign = "+" if year > 9999 else "-" if year < 0 else ""  # noqa: PLR2004 (four digits)
    return f"{sign}{abs(year):04d}-{day:%m-%d}"


def timestamp_text(nanos: int) -> str:
    """Return `java.sql.Timestamp.toString()` in UTC of an instant in nanoseconds since 1970-01-01."""
    seconds, fraction = divmod(nanos, _NANOS)
    days, second = divmod(seconds, 86_400)
    digits = f"{fraction:09d}".rstrip("0") or "0"
    return f"{date_text(days)} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{digits}"
