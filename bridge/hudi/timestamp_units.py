"""The unit of timestamps in a table whose schema says milliseconds, as each release reads its files.

Streamers of 0.14.1 to 1.0 labelled counts of milliseconds as microseconds (apache/hudi#14161, #17601). What comes of it
differs: until 0.15 a log has the unit of the table's schema, whatever its own says; 1.0 takes every count of a log for
microseconds; from 1.1 on a label of microseconds counts as the milliseconds of the table's schema, in base files and
logs (AvroSchemaRepair). Base files before have the unit of their label.
Recorded with 0.15.0, 1.0.2, 1.1.1 and 1.2.0.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from bridge.config import LogUnits
from payloads.avro import parse_schema

if TYPE_CHECKING:
    from payloads.avro import AvroSchema

_MILLIS, _MICROS = "timestamp-millis", "timestamp-micros"
_LOCAL: Final = ("local-timestamp-millis", "local-timestamp-micros")
_TIMESTAMPS: Final = frozenset({_MILLIS, _MICROS})


def shown_schema(schema: AvroSchema, units: LogUnits) -> AvroSchema:
    """Return the schema of a table as a release has it: that of 1.0 knows no milliseconds."""
    if units is not LogUnits.MICROS or not _has(schema.source, _MILLIS):
        return schema
    return schema.derived(_in_micros)


def in_millis(schema: AvroSchema) -> frozenset[str]:
    """Return the columns that hold timestamps in milliseconds, at any depth."""
    return frozenset(field.name for field in schema.fields if _has(field.schema.source, _MILLIS))


def local_timestamps(schema: AvroSchema) -> list[str]:
    """Return the columns that hold local timestamps, at any depth."""
    return [field.name for field in schema.fields if any(_has(field.schema.source, name) for name in _LOCAL)]


def block_schema(written: AvroSchema, table: AvroSchema, units: LogUnits) -> AvroSchema:
    """Return the schema by which a release reads the records of a log block: the written one, in other units.

    Args:
        written: that of the block's header.
        table: that of the table, as `shown_schema` has it.
        units: the rule of the release.
    """
    return written.derived_with(table, _of_block, units)


def base_batch(batch: pa.RecordBatch, table: AvroSchema, units: LogUnits) -> pa.RecordBatch:
    """Return the rows of a base file in the units that a release takes them for; nested timestamps keep their label."""
    if units is not LogUnits.REPAIRED:
        return batch
    arrays = [
        _as_millis(array) if array.type in _LABELLED_MICROS and _is_millis(table, name) else array
        for name, array in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


_LABELLED_MICROS: Final = (pa.timestamp("us", "UTC"), pa.timestamp("us"))


def _is_millis(table: AvroSchema, name: str) -> bool:
    field = table.by_name.get(name)
    return field is not None and field.schema.non_null.logical == _MILLIS


def _as_millis(array: Any) -> Any:
    return array.view(pa.int64()).view(pa.timestamp("ms", array.type.tz))


def _in_micros(schema: AvroSchema) -> AvroSchema:
    return parse_schema(_relabelled(schema.source, None, LogUnits.MICROS))


def _of_block(written: AvroSchema, table: AvroSchema, units: LogUnits) -> AvroSchema:
    source = _relabelled(written.source, table.source, units)
    return written if source == written.source else parse_schema(source)


def _relabelled(source: Any, table: Any, units: LogUnits) -> Any:
    """Return a schema with other units, by the part of the table's schema at the same place; None where it has none."""
    table = _non_null(table)
    again = functools.partial(_relabelled, units=units)
    if isinstance(source, list):
        return [branch if branch == "null" else again(branch, table) for branch in source]
    if not isinstance(source, dict):
        is_plain = source == "long" and units is LogUnits.OF_TABLE and _logical(table) in _TIMESTAMPS
        return {"type": "long", "logicalType": _logical(table)} if is_plain else source
    inner = table if isinstance(table, dict) else {}
    if source["type"] == "record":
        known = {field["name"]: field["type"] for field in inner.get("fields", ())}
        fields = [{**field, "type": again(field["type"], known.get(field["name"]))} for field in source["fields"]]
        return {**source, "fields": fields}
    for part in ("items", "values"):
        if part in source:
            return {**source, part: again(source[part], inner.get(part))}
    if source.get("logicalType") not in _TIMESTAMPS:
        is_plain = source["type"] == "long" and "logicalType" not in source
        return again("long", table) if is_plain else source
    return {**source, "logicalType": _unit(source["logicalType"], _logical(table), units)}


def _unit(own: str, table: str | None, units: LogUnits) -> str:
    match units:
        case LogUnits.MICROS:
            return _MICROS
        case LogUnits.OF_TABLE:
            return table if table in _TIMESTAMPS else own
        case LogUnits.REPAIRED:
            return _MILLIS if table == _MILLIS else own


def _logical(source: Any) -> str | None:
    return source.get("logicalType") if isinstance(source, dict) else None


def _non_null(source: Any) -> Any:
    """Return the other branch of a union of null and one type; any other schema as it is."""
    if isinstance(source, list):
        rest = [branch for branch in source if branch != "null"]
        return rest[0] if len(rest) == 1 else None
    return source


def _has(source: Any, logical: str) -> bool:
    """Whether a schema has a logical type at any depth."""
    if isinstance(source, list):
        return any(_has(branch, logical) for branch in source)
    if not isinstance(source, dict):
        return False
    inner = [field["type"] for field in source.get("fields", ())] + [source.get(part) for part in ("items", "values")]
    return source.get("logicalType") == logical or any(_has(part, logical) for part in inner)
