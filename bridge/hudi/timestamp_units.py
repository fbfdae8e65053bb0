"""The unit of timestamps in a table whose schema says milliseconds, as each release reads its files.

Streamers of 0.14.1 to 1.0 labelled counts of milliseconds as microseconds (apache/hudi#14161, #17601). What comes of it
differs: until 0.15 a log has the unit of the table's schema, whatever its own says; 1.0 takes every count of a log for
microseconds; from 1.1 on a label of microseconds counts as the milliseconds of the table's schema, in base files and
logs (AvroSchemaRepair), from 1.2 on in local timestamps, too. Base files before have the unit of their label. 1.0 shows
local timestamps as numbers: those of base files in seconds, those of logs as they are. From 1.0 on a plain number of a
base file that the table calls a timestamp is in seconds.
Recorded with 0.15.0, 1.0.2, 1.1.1 and 1.2.0.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.config import LogUnits, capabilities
from payloads import HudiRelease
from payloads.avro import parse_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema

_MILLIS, _MICROS = "timestamp-millis", "timestamp-micros"
_LOCAL: Final = ("local-timestamp-millis", "local-timestamp-micros")
_MOST_SECONDS: Final = 9_223_372_036_854
"""As many as fit into 64 bits in microseconds."""
_TIMESTAMPS: Final = frozenset({_MILLIS, _MICROS})


class Label(NamedTuple):
    """The unit that a schema names for a timestamp.

    Attributes:
        path: the names of the column and of the fields in it; empty for what an array or map holds.
        unit: Avro's logical type.
    """

    path: tuple[str, ...]
    unit: str


def shown_schema(schema: AvroSchema, units: LogUnits) -> AvroSchema:
    """Return the schema of a table as a release has it: that of 1.0 knows no milliseconds, and no local timestamps."""
    if units is not LogUnits.MICROS or not any(_has(schema.source, name) for name in (_MILLIS, *_LOCAL)):
        return schema
    return schema.derived(_in_micros)


def rescaled(schema: AvroSchema) -> frozenset[str]:
    """Return the columns whose values in base files releases may take for other units, at any depth."""
    names = (_MILLIS, *_LOCAL)
    return frozenset(field.name for field in schema.fields if any(_has(field.schema.source, name) for name in names))


def rewritten_by(release: HudiRelease, written: AvroSchema, table: AvroSchema) -> HudiRelease:
    """Return the release by whose rules the records of a log are rewritten: readers of 1.1 rescale as those of 1.2."""
    if capabilities(release).log_units is not LogUnits.REPAIRED or not written.derived_with(table, _differs):
        return release
    return HudiRelease.V1_2


def _differs(written: AvroSchema, table: AvroSchema) -> bool:
    return any(
        one.schema.non_null.logical != other.schema.non_null.logical
        for one in written.fields
        if (other := table.by_name.get(one.name)) is not None and one.schema.non_null.logical in {*_TIMESTAMPS, *_LOCAL}
    )


def millis_of(table: AvroSchema) -> frozenset[Label]:
    """Return what the schema of a table calls milliseconds, at any depth."""
    return frozenset(one for one in _avro_labels(table.source) if one.unit in {_MILLIS, _LOCAL[0]})


def labelled_micros(written: pa.Schema | AvroSchema, millis: frozenset[Label]) -> set[str]:
    """Return the columns of a file or log block that it calls microseconds, and the table milliseconds.

    Args:
        written: the schema of the file or block.
        millis: what the table calls milliseconds.
    """
    labels = _arrow_labels(written) if isinstance(written, pa.Schema) else _avro_labels(written.source)
    instead = {_MICROS: _MILLIS, _LOCAL[1]: _LOCAL[0]}
    return {one.path[0] for one in labels if one._replace(unit=instead.get(one.unit, "")) in millis}


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
    if units is LogUnits.OF_TABLE:
        return batch
    names = [name for name in batch.schema.names if name in table.by_name]
    taken = {
        name: found
        for name in names
        if (found := _taken(batch.column(name), table.by_name[name].schema.non_null, units)) is not None
    }
    arrays = [taken.get(name, array) for name, array in zip(batch.schema.names, batch.columns, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names) if taken else batch


def _taken(array: ArrowColumn, plain: AvroSchema, units: LogUnits) -> object:
    """Return a column in other units than its label says; None where the label holds."""
    if pa.types.is_timestamp(array.type):
        return _of_timestamps(array, plain, units)
    return _of_numbers(array, plain.logical) if array.type == pa.int64() else None


def _of_timestamps(array: ArrowColumn, plain: AvroSchema, units: LogUnits) -> object:
    kind = array.type
    if units is LogUnits.MICROS and not kind.tz and plain.kind == "long" and plain.logical is None:
        return pc.floor_temporal(array, unit="second").cast(pa.timestamp("s")).view(pa.int64())
    repaired = {LogUnits.MICROS: set(), LogUnits.REPAIRED: {_MILLIS}}.get(units, {_MILLIS, _LOCAL[0]})
    named = _MILLIS if kind.tz else _LOCAL[0]
    if plain.logical != named or named not in repaired or kind.unit != "us":
        return None
    return array.view(pa.int64()).view(pa.timestamp("ms", kind.tz))


def _of_numbers(array: ArrowColumn, logical: str | None) -> object:
    if logical in _LOCAL:
        return array.view(pa.timestamp("ms" if logical == _LOCAL[0] else "us"))
    if logical not in _TIMESTAMPS:
        return None
    nulls = array.is_null().to_numpy(zero_copy_only=False)
    seconds = np.clip(array.fill_null(0).to_numpy(), -_MOST_SECONDS, _MOST_SECONDS)  # as Spark casts numbers
    return pa.array(seconds * 1_000_000, pa.timestamp("us", "UTC"), mask=nulls)


def _in_micros(schema: AvroSchema) -> AvroSchema:
    return parse_schema(_relabelled(schema.source, None, LogUnits.MICROS))


def _of_block(written: AvroSchema, table: AvroSchema, units: LogUnits) -> AvroSchema:
    source = _relabelled(written.source, table.source, units)
    return written if source == written.source else parse_schema(source)


def _relabelled(source: object, table: object, units: LogUnits) -> Any:
    """Return a schema with other units, by the part of the table's schema at the same place; None where it has none."""
    table = _non_null(table)
    again = functools.partial(_relabelled, units=units)
    if isinstance(source, list):
        return [branch if branch == "null" else again(branch, table) for branch in source]
    if not isinstance(source, dict) or source["type"] == "long":
        return _number(source, _logical(table), units)
    inner = table if isinstance(table, dict) else {}
    if source["type"] == "record":
        known = {field["name"]: field["type"] for field in inner.get("fields", ())}
        fields = [{**field, "type": again(field["type"], known.get(field["name"]))} for field in source["fields"]]
        return {**source, "fields": fields}
    parts = {part: again(source[part], inner.get(part)) for part in ("items", "values") if part in source}
    return {**source, **parts}


def _number(source: Any, table: str | None, units: LogUnits) -> object:
    """Return a type without parts in another unit, given the logical type that the table has in its place."""
    own = _logical(source)
    if source == "long" or (own is None and isinstance(source, dict)):
        is_of_table = units is LogUnits.OF_TABLE and table in _TIMESTAMPS
        return {"type": "long", "logicalType": table} if is_of_table else source
    if own in _LOCAL and units is LogUnits.MICROS:
        return "long"
    if own in _LOCAL and units is LogUnits.REPAIRED_LOCAL and table == _LOCAL[0]:
        return {**source, "logicalType": table}
    return {**source, "logicalType": _unit(own, table, units)} if own in _TIMESTAMPS else source


def _unit(own: str | None, table: str | None, units: LogUnits) -> str | None:
    match units:
        case LogUnits.MICROS:
            return _MICROS
        case LogUnits.OF_TABLE:
            return table if table in _TIMESTAMPS else own
        case LogUnits.REPAIRED | LogUnits.REPAIRED_LOCAL:
            return _MILLIS if table == _MILLIS else own


def _logical(source: object) -> str | None:
    return source.get("logicalType") if isinstance(source, dict) else None


def _non_null(source: object) -> object:
    """Return the other branch of a union of null and one type; any other schema as it is."""
    if isinstance(source, list):
        rest = [branch for branch in source if branch != "null"]
        return rest[0] if len(rest) == 1 else None
    return source


def _has(source: object, logical: str) -> bool:
    """Whether a schema has a logical type at any depth."""
    if isinstance(source, list):
        return any(_has(branch, logical) for branch in source)
    if not isinstance(source, dict):
        return False
    inner = [field["type"] for field in source.get("fields", ())] + [source.get(part) for part in ("items", "values")]
    return source.get("logicalType") == logical or any(_has(part, logical) for part in inner)


def _avro_labels(source: object, path: tuple[str, ...] = ()) -> Iterator[Label]:
    source = _non_null(source)
    if not isinstance(source, dict):
        return
    if source.get("logicalType") in {*_TIMESTAMPS, *_LOCAL}:
        yield Label(path, source["logicalType"])
    inner = [(field["name"], field["type"]) for field in source.get("fields", ())]
    for name, part in [*inner, *(("", source[part]) for part in ("items", "values") if part in source)]:
        yield from _avro_labels(part, (*path, name))


def _arrow_labels(fields: Iterable[pa.Field], path: tuple[str, ...] = ()) -> Iterator[Label]:
    for field in fields:
        at, kind = (*path, field.name), field.type
        while pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
            at, kind = (*at, ""), kind.item_type if pa.types.is_map(kind) else kind.value_type
        if pa.types.is_struct(kind):
            yield from _arrow_labels(kind, at)
        elif pa.types.is_timestamp(kind):
            units = {"ms": (_MILLIS, _LOCAL[0]), "us": (_MICROS, _LOCAL[1])}.get(kind.unit, ("", ""))
            yield Label(at, units[0 if kind.tz else 1])
