"""Avro records of physical values as JSON values, in the forms of `bridge.report.json_values`."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bridge.report.json_values import json_bytes, json_float
from payloads.avro import Branch, to_logical

if TYPE_CHECKING:
    from payloads import AvroSchema, Record


def json_record(record: Record, schema: AvroSchema) -> dict[str, Any]:
    """Return a record as an object of its columns; a date or time out of Python's range stays a number."""
    return {name: _value(value) for name, value in to_logical(record, schema).items()}


def _value(value: Any) -> Any:  # noqa: PLR0911 (one a family of types)
    match value:
        case Branch():
            return _value(value.value)
        case datetime.datetime() if value.tzinfo is not None:
            return value.astimezone(datetime.UTC).replace(tzinfo=None).isoformat() + "Z"
        case datetime.date() | datetime.time():
            return value.isoformat()
        case decimal.Decimal():
            return f"{value:f}"
        case bytes():
            return json_bytes(value)
        case float():
            return json_float(value)
        case uuid.UUID():
            return str(value)
        case Mapping():
            return {str(key): _value(item) for key, item in value.items()}
        case list():
            return [_value(item) for item in value]
        case _:
            return value
