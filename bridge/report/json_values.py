"""Values as JSON, the same in every verb: of Avro records, of rows of a frame, of ordering values.

Dates and times are ISO text (timestamps in UTC, ending in Z), decimals text, bytes base64; the floating-point numbers
that JSON lacks are the texts NaN, Infinity and -Infinity.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import math
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from bridge.redaction import current
from payloads import Ordering
from payloads.avro import Branch, to_logical

if TYPE_CHECKING:
    from collections.abc import Iterable

    from payloads import AvroSchema, Record

JsonObject: TypeAlias = dict[str, Any]
"""What JSON calls an object, such as a row whose values are JSON values."""


def json_value(value: object, *, names_branches: bool = False) -> object:
    """Return a value of Python as a JSON value.

    Args:
        value: any value of a record or a row; one of a type without a rule stays as it is.
        names_branches: whether a value in a branch of a union is an object under the branch's name.
    """
    match value:
        case float():
            return _number(value)
        case bytes() | bytearray():  # PySpark has bytearrays
            return base64.b64encode(value).decode("ascii")
        case datetime.date() | datetime.time():
            return _iso(value)
        case decimal.Decimal():
            return f"{value:f}"
        case Branch():
            inner = json_value(value.value, names_branches=names_branches)
            return {value.name: inner} if names_branches else inner
        case _:
            return _nested(value, names_branches=names_branches)


def _nested(value: object, *, names_branches: bool) -> object:
    match value:
        case Ordering():
            return json_value(value.value, names_branches=names_branches)
        case Mapping():
            return {str(key): json_field(str(key), item, names_branches=names_branches) for key, item in value.items()}
        case list() | tuple():
            return [json_value(item, names_branches=names_branches) for item in value]
        case _:
            return str(value) if isinstance(value, uuid.UUID) else value


def json_field(name: str, value: object, *, names_branches: bool = False) -> Any:
    """Return the value of a column as a JSON value, or what stands for one that is hidden."""
    shown = json_value(value, names_branches=names_branches)
    hidden = current()
    return hidden.token(value, shown) if value is not None and hidden.hides(name) else shown


def json_record(record: Record, schema: AvroSchema) -> JsonObject:
    """Return a record as an object of its columns; a date or time out of Python's range stays a number."""
    return {name: json_field(name, value) for name, value in to_logical(record, schema).items()}


def shown_record(record: Any) -> Any:
    """Return a record, or any value in one, with tokens for the values that are hidden."""
    hidden = current()
    if not hidden.is_active:
        return record
    if isinstance(record, list):
        return [shown_record(one) for one in record]
    if not isinstance(record, dict):
        return record
    return {
        name: hidden.token(value, value) if value is not None and hidden.hides(name) else shown_record(value)
        for name, value in record.items()
    }


def _number(value: float) -> float | str:
    """Return a number, or the text for one that JSON lacks."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _iso(value: datetime.date | datetime.time) -> str:
    """Return a date, a time, or a timestamp: one with a time zone is an instant."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat() + "Z"
    return value.isoformat()


def cell(value: object) -> str:
    """Return a JSON value as text for a table cell."""
    if value is None:
        return "null"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def texts(values: Iterable[object]) -> list[str | None]:
    """Return JSON values as texts for a page, which tells null from the text."""
    return [None if value is None else cell(value) for value in values]
