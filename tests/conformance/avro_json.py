"""Avro JSON of the golden vectors to physical values, and the ordering values beside it."""

from __future__ import annotations

import decimal
from typing import TYPE_CHECKING, Any

from payloads.avro.branch import Branch
from payloads.avro.codec import parse_schema
from payloads.ordering import Ordering

if TYPE_CHECKING:
    from payloads.avro.schema import AvroSchema

FLOATS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class VectorFormatError(ValueError):
    """A vector does not follow the format; nothing is known about the code under test."""


def decode_json(schema: AvroSchema, value: Any) -> Any:  # noqa: PLR0911
    """Return the physical value that `value`, Avro JSON of `schema`, stands for.

    Raises:
        VectorFormatError: a union names a branch that the schema lacks.
    """
    match schema.kind:
        case "record":
            return {field.name: decode_json(field.schema, value[field.name]) for field in schema.fields}
        case "array":
            return [decode_json(schema.items, item) for item in value]
        case "map":
            return {key: decode_json(schema.values, item) for key, item in value.items()}
        case "union":
            return _decode_union(schema, value)
        case "bytes" | "fixed":
            return value.encode("iso-8859-1")
        case "float" | "double":
            return FLOATS[value] if isinstance(value, str) else float(value)
        case _:
            return value


def _decode_union(schema: AvroSchema, value: Any) -> Any:
    if value is None:
        return None
    ((name, inner),) = value.items()
    for branch in schema.branches:
        if branch.name == name:
            plain = decode_json(branch, inner)
            return Branch(name, plain) if schema.ambiguous else plain
    msg = f"{schema!r} has no branch {name!r}"
    raise VectorFormatError(msg)


def decode_ordering(raw: dict[str, Any]) -> Ordering | None:  # noqa: PLR0911
    """Return the ordering value that `raw`, its JSON form with the Java type, stands for; None for Java's null."""
    java_type = raw["type"]
    match java_type:
        case "null":
            return None
        case "local_date":
            return Ordering(java_type, raw["epoch_day"])
        case "timestamp":
            # Timestamp keeps whole seconds and the nanoseconds of the second; `millis` repeats its first three digits.
            return Ordering(java_type, raw["millis"] // 1000 * 1_000_000_000 + raw["nanos"])
        case "decimal":
            return Ordering(java_type, decimal.Decimal(raw["value"]))
        case "bytes":
            return Ordering(java_type, raw["value"].encode("iso-8859-1"))
        case "float" | "double":
            value = raw["value"]
            return Ordering(java_type, FLOATS[value] if isinstance(value, str) else float(value))
        case "avro":
            schema = parse_schema(raw["schema"])
            return Ordering(java_type, decode_json(schema, raw["value"]), schema)
        case "array":
            return Ordering(java_type, tuple(decode_ordering(element) for element in raw["value"]))
        case _:
            return Ordering(java_type, raw["value"])
