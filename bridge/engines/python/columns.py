"""Columns between Arrow arrays and lists of physical Avro values: the conversion of each pair of types.

Columns convert as a whole: numpy and Arrow make the Python values, and only nested and decimal columns cost a Python
step per value. Arrow would accept and truncate a float for an int, or take a bool; that is checked per column.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python.values import (
    TIMESTAMP_UNITS,
    ColumnCodec,
    decimal_codec,
    doubles,
    floats,
    numbers,
    objects,
    of_size,
    of_type,
    one_of,
    timestamp_codec,
)
from bridge.spark import only_branch
from payloads import codegen
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema, Record, Value


def column_codec(schema: AvroSchema, arrow: pa.DataType, column: str) -> ColumnCodec:
    """Return the conversion between `schema` and the Arrow type `arrow`; both directions check for nulls."""
    plain = only_branch(schema, column)
    codec = _codec_of(plain, arrow, column)
    if codec is None:
        msg = f"column {column!r}: an Arrow {arrow} can't represent the Avro type {plain.source}; cast the column"
        raise SchemaError(msg)
    if schema.nullable:
        return codec

    def read(array: ArrowColumn) -> list[Value]:
        if array.null_count:
            msg = f"field {column!r} can't be null, and a row has null there; fill it or make the field nullable"
            raise SchemaError(msg)
        return codec.read(array)

    def write(values: list[Value]) -> ArrowColumn:
        if any(value is None for value in values):
            msg = f"{column!r} can't be null"
            raise SchemaError(msg)
        return codec.write(values)

    return ColumnCodec(read, write)


def _codec_of(plain: AvroSchema, arrow: pa.DataType, column: str) -> ColumnCodec | None:  # noqa: PLR0911 (one per pair)
    """Return the conversion of nullable values, or None if the types don't match."""
    match plain.kind:
        case "record" if pa.types.is_struct(arrow):
            return _struct_codec(plain, arrow, column)
        case "array" if pa.types.is_list(arrow):
            return _list_codec(plain, arrow, column)
        case "map" if pa.types.is_map(arrow) and pa.types.is_string(arrow.key_type):
            return _map_codec(plain, arrow, column)
        case "bytes" | "fixed" if plain.logical == "decimal" and pa.types.is_decimal128(arrow):
            return decimal_codec(plain, arrow, column)
        case "long" if plain.logical in TIMESTAMP_UNITS and pa.types.is_timestamp(arrow):
            return timestamp_codec(plain, arrow)
    if pa.types.is_string(arrow) or pa.types.is_large_string(arrow):
        return _text_codec(plain, arrow, column)
    if pa.types.is_binary(arrow) or pa.types.is_large_binary(arrow):
        return _bytes_codec(plain, arrow, column)
    return _number_codec(plain, arrow)


def _number_codec(plain: AvroSchema, arrow: pa.DataType) -> ColumnCodec | None:
    match plain.kind:
        case "int" if plain.logical == "date" and pa.types.is_date32(arrow):
            return ColumnCodec(
                lambda array: numbers(array.view(pa.int32())),
                lambda values: pa.array(of_type(values, int), pa.int32()).view(arrow),
            )
        case "int" | "long" as kind if _widens(arrow, kind):
            return ColumnCodec(numbers, lambda values: pa.array(of_type(values, int), arrow))
        case "boolean" if pa.types.is_boolean(arrow):
            return ColumnCodec(numbers, lambda values: pa.array(of_type(values, bool), arrow))
        case "double" if pa.types.is_float64(arrow):
            return ColumnCodec(numbers, doubles)
        case "float" if pa.types.is_float32(arrow):
            return ColumnCodec(numbers, floats)
    return None


def _text_codec(plain: AvroSchema, arrow: pa.DataType, column: str) -> ColumnCodec | None:
    if plain.kind == "string":
        return ColumnCodec(objects, lambda values: pa.array(of_type(values, str), arrow))
    if plain.kind == "enum":
        check = one_of(frozenset(plain.symbols), column)
        return ColumnCodec(lambda array: check(objects(array)), lambda values: pa.array(check(values), arrow))
    return None


def _bytes_codec(plain: AvroSchema, arrow: pa.DataType, column: str) -> ColumnCodec | None:
    if plain.kind == "bytes":
        return ColumnCodec(objects, lambda values: pa.array(of_type(values, bytes), arrow))
    if plain.kind == "fixed":
        check = of_size(plain.size, column)
        return ColumnCodec(lambda array: check(objects(array)), lambda values: pa.array(check(values), arrow))
    return None


def _widens(arrow: pa.DataType, kind: str) -> bool:
    return bool(pa.types.is_signed_integer(arrow)) and arrow.bit_width <= (32 if kind == "int" else 64)


# -- nested values: the non-null ones convert as a column of their own


def _nested(
    read: Callable[[ArrowColumn], list[Value]], write: Callable[[list[Value]], ArrowColumn], kind: type
) -> ColumnCodec:
    """Wrap a conversion of non-null values so that it leaves nulls out and puts them back."""

    def read_nullable(array: ArrowColumn) -> list[Value]:
        if not array.null_count:
            return read(array)
        values = iter(read(array.drop_null()))
        valid = array.is_valid().to_numpy(zero_copy_only=False).tolist()
        return [next(values) if is_valid else None for is_valid in valid]

    def write_nullable(values: list[Value]) -> ArrowColumn:
        valid = np.fromiter((value is not None for value in of_type(values, kind)), bool, len(values))
        if valid.all():
            return write(values)
        dense = write([value for value in values if value is not None])
        return dense.take(pa.array(np.cumsum(valid) - 1, pa.int64(), mask=~valid))

    return ColumnCodec(read_nullable, write_nullable)


def _struct_codec(plain: AvroSchema, arrow: pa.StructType, column: str) -> ColumnCodec:
    names = tuple(field.name for field in plain.fields)
    columns = [arrow.field(index).name for index in range(arrow.num_fields)]
    if sorted(names) != sorted(columns) or not names:
        msg = f"column {column!r} has the fields {', '.join(columns)}, its Avro record {', '.join(names)}; align them"
        raise SchemaError(msg)
    codecs = {
        name: column_codec(plain.by_name[name].schema, arrow.field(name).type, f"{column}.{name}") for name in columns
    }
    make = codegen.record_maker(names)

    def read(array: ArrowColumn) -> list[Value]:
        children = dict(zip(columns, array.flatten(), strict=True))
        return make([codecs[name].read(children[name]) for name in names], len(array))

    def write(values: list[Value]) -> ArrowColumn:
        check_fields(values, len(names))
        children = [codecs[name].write([value[name] for value in values]) for name in columns]
        return pa.StructArray.from_arrays(children, fields=list(arrow))

    return _nested(read, write, dict)


def _list_codec(plain: AvroSchema, arrow: pa.ListType[Any], column: str) -> ColumnCodec:
    items = column_codec(plain.items, arrow.value_type, f"{column}[]")

    def read(array: ArrowColumn) -> list[Value]:
        return _split(items.read(array.flatten()), pc.list_value_length(array).to_pylist())

    def write(values: list[Value]) -> ArrowColumn:
        flat = items.write(list(itertools.chain.from_iterable(values)))
        array: ArrowColumn = pa.ListArray.from_arrays(_offsets(values), flat, type=arrow)
        return array

    return _nested(read, write, list)


def _map_codec(plain: AvroSchema, arrow: pa.MapType[Any, Any], column: str) -> ColumnCodec:
    items = column_codec(plain.values, arrow.item_type, f"{column}[]")

    def read(array: ArrowColumn) -> list[Value]:
        offsets = array.offsets.to_pylist()
        part = slice(offsets[0], offsets[-1])
        pairs = zip(objects(array.keys[part]), items.read(array.items[part]), strict=True)
        lengths = [end - start for start, end in itertools.pairwise(offsets)]
        return [dict(entries) for entries in _split(list(pairs), lengths)]

    def write(values: list[Value]) -> ArrowColumn:
        keys = pa.array(of_type([key for value in values for key in value], str), arrow.key_type)
        flat = items.write([item for value in values for item in value.values()])
        entries = pa.StructArray.from_arrays([keys, flat], fields=[arrow.key_field, arrow.item_field])
        return pa.Array.from_buffers(arrow, len(values), [None, _offsets(values).buffers()[1]], children=[entries])

    return _nested(read, write, dict)


def _offsets(values: list[Value]) -> pa.Int32Array:
    return pa.array([0, *itertools.accumulate(map(len, values))], pa.int32())


def _split(flat: list[Value], lengths: list[int]) -> list[list[Value]]:
    rest = iter(flat)
    return [list(itertools.islice(rest, length)) for length in lengths]


# -- records


def check_fields(records: Sequence[Record], fields: int) -> None:
    """Refuse records with further fields; a missing one shows when its column is made."""
    if not set(map(len, records)) <= {fields}:
        msg = f"every record must have {fields} fields"
        raise SchemaError(msg)
