"""Ordering values as the two texts of the column `_pb_ordering`: Java type and value."""

from __future__ import annotations

import base64
import decimal
import json
from typing import TYPE_CHECKING, Any

from bridge.engines.control_columns import ORDERING
from bridge.errors import InputError
from payloads import Ordering, parse_schema

if TYPE_CHECKING:
    from collections.abc import Callable

_TO_TEXT: dict[str, Callable[[Any], str]] = {
    "boolean": lambda value: "true" if value else "false",
    "bytes": lambda value: base64.b64encode(value).decode("ascii"),
    "string": str,
    "utf8": str,
    "float": float.hex,
    "double": float.hex,
    "decimal": str,
}
_FROM_TEXT: dict[str, Callable[[str], Any]] = {
    "boolean": lambda text: text == "true",
    "bytes": base64.b64decode,
    "string": str,
    "utf8": str,
    "float": float.fromhex,
    "double": float.fromhex,
    "decimal": decimal.Decimal,
    **dict.fromkeys(("int", "long", "local_date", "timestamp", "instant"), int),
}

TYPES = (*_FROM_TEXT, "array", "avro")
"""The Java types that have a text."""


def to_text(ordering: Ordering | None) -> dict[str, str] | None:
    """Return the fields of `_pb_ordering`; None for no ordering value."""
    if ordering is None:
        return None
    java_type, value = ordering.java_type, ordering.value
    if java_type == "array":
        return {"type": java_type, "value": json.dumps([to_text(element) for element in value])}
    if java_type == "avro" and ordering.schema is not None:
        data = base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else value
        return {"type": java_type, "value": json.dumps({"schema": ordering.schema.source, "value": data})}
    return {"type": java_type, "value": _TO_TEXT.get(java_type, str)(value)}


def from_text(fields: dict[str, str] | None) -> Ordering | None:
    """Invert `to_text`.

    Raises:
        InputError: the type is unknown, or the text is not a value of it.
    """
    if fields is None:
        return None
    java_type, text = fields["type"], fields["value"]
    try:
        if java_type == "array":
            return Ordering(java_type, tuple(from_text(element) for element in json.loads(text)))
        if java_type == "avro":
            described = json.loads(text)
            schema, value = parse_schema(described["schema"]), described["value"]
            return Ordering(java_type, base64.b64decode(value) if schema.kind == "fixed" else value, schema)
        return Ordering(java_type, _FROM_TEXT[java_type](text))
    except (KeyError, ValueError, TypeError, decimal.InvalidOperation) as error:
        msg = f"the column {ORDERING} has {text!r} of type {java_type!r}, which is not an ordering value"
        raise InputError(msg) from error
