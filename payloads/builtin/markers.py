"""Debezium's marker of a value that the database did not send along, and the columns that may hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from payloads.avro import AvroSchema, Branch
from payloads.errors import PayloadFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.avro import Value

UNAVAILABLE: Final = "__debezium_unavailable_value"
"""What Debezium writes for a TOAST value that Postgres did not send along."""
MARKERS: Final[dict[str, Any]] = {"string": UNAVAILABLE, "bytes": UNAVAILABLE.encode()}
"""It by type of column."""


def marker_tests(schema: AvroSchema) -> tuple[tuple[str, Callable[[Value], bool]], ...]:
    """Return the fields that can hold the marker, each with its test."""
    return tuple((name, _marker_test(name, schema.by_name[name].schema, kind)) for name, kind in marker_kinds(schema))


def marker_kinds(schema: AvroSchema) -> list[tuple[str, str]]:
    """Return the fields that can hold the marker, each with the kind of its marker."""
    return [(field.name, kind) for field in schema.fields for kind in _kinds(field.schema)[:1]]


def _kinds(schema: AvroSchema) -> list[str]:
    """Return `string` and `bytes`, as far as `schema` is or has them; Hudi looks for text alone where both occur."""
    kinds = {branch.kind for branch in schema.branches or (schema,)}
    return [kind for kind in MARKERS if kind in kinds]


def _marker_test(name: str, schema: AvroSchema, kind: str) -> Callable[[Value], bool]:
    marker = MARKERS[kind]
    python_type = type(marker)

    def is_marker(value: object) -> bool:
        if isinstance(value, Branch) and value.name == kind:
            value = value.value
        if value is None or value == marker:
            return value is not None
        if not isinstance(value, python_type):
            msg = (
                f"PostgresDebeziumAvroPayload: the field {name!r} of type {schema.source} holds {value!r}, but Hudi "
                f"treats it as {kind}; give the column one type besides null"
            )
            raise PayloadFailedError(msg)
        return False

    return is_marker
