"""Avro schemas of rows, as JSON: what tests write down of one is its columns."""

from __future__ import annotations

from typing import Any


def nullable(kind: Any) -> list[Any]:
    """Return the type of a column that may be null."""
    return ["null", kind]


def record_schema(name: str = "row", /, **columns: Any) -> dict[str, Any]:
    """Return the schema of a record; the default of a nullable column is null, another one has none."""
    return {"type": "record", "name": name, "fields": [_field(*column) for column in columns.items()]}


def nullable_schema(name: str = "row", /, **columns: Any) -> dict[str, Any]:
    """Return the schema of a record whose columns are all nullable."""
    return record_schema(name, **{column: nullable(kind) for column, kind in columns.items()})


def _field(name: str, kind: Any) -> dict[str, Any]:
    default = {"default": None} if isinstance(kind, list) and kind[0] == "null" else {}
    return {"name": name, "type": kind, **default}
