"""Rows of older schemas in the columns of a later one: columns added, dropped and promoted, at every depth.

Source: Spark's Parquet reader as Hudi configures it, HoodieAvroUtils.rewriteRecordWithNewSchema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python import arrow_schema
from bridge.spark import spark_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.hudi.schema_on_read import Renames
    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema


def arrow_of(schema: AvroSchema) -> pa.Schema:
    """Return the Arrow schema of a record schema, as Spark hands over and takes back its rows."""
    return schema.derived(lambda own: arrow_schema(spark_schema(own)))


def evolved(batch: pa.RecordBatch, schema: pa.Schema, renames: Renames | None = None) -> pa.RecordBatch:
    """Return the rows of `batch` in the columns of `schema`; a column that they lack is null.

    Columns are matched by name, after `renames`.

    Raises:
        pyarrow.ArrowException: a value can't become one of the column's type.
    """
    if renames is None and batch.schema.equals(schema):
        return batch
    arrays = _members(batch.schema.names, batch.columns, list(schema), batch.num_rows, renames)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _members(
    names: Sequence[str], arrays: Sequence[object], fields: Sequence[pa.Field], rows: int, renames: Renames | None
) -> list[object]:
    """Return columns, or members of a struct, as those of `fields`, matched by name."""
    known: dict[str, tuple[Any, Renames | None]] = {}
    for name, array in zip(names, arrays, strict=True):
        if renames is None:
            known[name] = array, None
        elif name in renames.names:
            known[renames.names[name]] = array, renames.below.get(name)
    return [
        converted(known[field.name][0], field.type, known[field.name][1])
        if field.name in known
        else pa.nulls(rows, field.type)
        for field in fields
    ]


def converted(array: ArrowColumn, kind: pa.DataType, renames: Renames | None = None) -> object:
    """Return an array with another type: members by name, after `renames`, texts as whole numbers by Spark's rule.

    All else by Arrow's safe casts.
    """
    own = array.type
    if renames is None and own.equals(kind):
        return array
    if pa.types.is_dictionary(own):
        return converted(array.dictionary_decode(), kind, renames)
    if pa.types.is_struct(own) and pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        names = [own.field(i).name for i in range(own.num_fields)]
        arrays = _members(names, array.flatten(), fields, len(array), renames)
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=array.is_null())
    if pa.types.is_list(own) and pa.types.is_list(kind):
        array = _compact(array)
        items = converted(array.values, kind.value_type, renames)
        return pa.ListArray.from_arrays(array.offsets, items, type=kind, mask=array.is_null())
    if pa.types.is_map(own) and pa.types.is_map(kind):
        array = _compact(array)
        keys, items = converted(array.keys, kind.key_type), converted(array.items, kind.item_type, renames)
        entries = pa.StructArray.from_arrays([keys, items], fields=[kind.key_field, kind.item_field])
        validity = array.buffers()[0]
        return pa.Array.from_buffers(kind, len(array), [validity, array.buffers()[1]], array.null_count, 0, [entries])
    return (
        _whole_numbers(array, kind) if pa.types.is_string(own) and pa.types.is_integer(kind) else pc.cast(array, kind)
    )


def _whole_numbers(array: object, kind: pa.DataType) -> object:
    """Return texts as numbers, as Spark casts them: without what follows a point, and null where there is none."""
    texts = pc.replace_substring_regex(pc.utf8_trim_whitespace(array), r"^([+-]?\d+)\.\d*$", r"\1")
    numbers = pc.if_else(pc.match_substring_regex(texts, r"^[+-]?\d+$"), pc.utf8_ltrim(texts, "+"), None)
    edge = 1 << (kind.bit_width - 1)
    values = (None if text is None else int(text) for text in numbers.to_pylist())
    return pa.array([None if value is None or not -edge <= value < edge else value for value in values], kind)


def _compact(array: ArrowColumn) -> object:
    """Return an array whose offsets begin at 0, without unused values before them."""
    return pa.concat_arrays([array]) if array.offset == 0 else array.take(pa.array(range(len(array))))
