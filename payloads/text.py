"""Text forms of values as Java's `toString` gives them, where Hudi compares or parses text."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import TYPE_CHECKING, Any

from payloads.schema import Branch

if TYPE_CHECKING:
    from payloads.ordering import Ordering

_EPOCH = datetime.date(1970, 1, 1)
_NANOS = 1_000_000_000
_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7  # Double.toString writes the numbers between without an exponent


def floating_text(value: float) -> str:
    """Return `Double.toString(value)`: `1.0E10`, `0.001`, `NaN`, `-Infinity`."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_BELOW:
        text = f"{decimal.Decimal(repr(value)):f}"
        return text if "." in text else f"{text}.0"
    sign, digits, exponent = decimal.Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) - 1 + int(exponent)
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{point}"


def plain_text(value: Any) -> str:  # noqa: ANN401
    """Return `String.valueOf` of a physical Avro value: a boolean, a number, a string or an enum symbol."""
    if isinstance(value, Branch):
        return plain_text(value.value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return floating_text(value)
    if isinstance(value, bytes):
        return f"java.nio.HeapByteBuffer[pos=0 lim={len(value)} cap={len(value)}]"
    return str(value)


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


def ordering_text(ordering: Ordering | None) -> str:
    """Return `String.valueOf` of an ordering value."""
    if ordering is None:
        return "null"
    match ordering.java_type:
        case "local_date":
            return date_text(ordering.value)
        case "timestamp":
            return timestamp_text(ordering.value)
        case "array":
            return f"[{', '.join(ordering_text(element) for element in ordering.value)}]"
        case _:
            return plain_text(ordering.value)
