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
    from payloads.avro import AvroSchema


def arrow_of(schema: AvroSchema) -> pa.Schema:
    """Return the Arrow schema of a record schema, as Spark hands over and takes back its rows."""
    return schema.derived(lambda own: arrow_schema(spark_schema(own)))


def evolved(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the rows of `batch` in the columns of `schema`; a column that they lack is null.

    Raises:
        pyarrow.ArrowException: a value can't become one of the column's type.
    """
    if batch.schema.equals(schema):
        return batch
    return pa.RecordBatch.from_arrays([_column(batch, field) for field in schema], schema=schema)


def _column(batch: pa.RecordBatch, field: pa.Field) -> pa.Array[Any]:
    index = batch.schema.get_field_index(field.name)
    return pa.nulls(batch.num_rows, field.type) if index < 0 else converted(batch.column(index), field.type)


def converted(array: Any, kind: pa.DataType) -> Any:
    """Return an array with another type: members by name, everything else by Arrow's safe casts."""
    own = array.type
    if own.equals(kind):
        return array
    if pa.types.is_dictionary(own):
        return converted(array.dictionary_decode(), kind)
    if pa.types.is_struct(own) and pa.types.is_struct(kind):
        children = dict(zip((own.field(i).name for i in range(own.num_fields)), array.flatten(), strict=True))
        fields = [kind.field(i) for i in range(kind.num_fields)]
        arrays = [
            converted(children[f.name], f.type) if f.name in children else pa.nulls(len(array), f.type) for f in fields
        ]
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=array.is_null())
    if pa.types.is_list(own) and pa.types.is_list(kind):
        array = _compact(array)
        items = converted(array.values, kind.value_type)
        return pa.ListArray.from_arrays(array.offsets, items, type=kind, mask=array.is_null())
    if pa.types.is_map(own) and pa.types.is_map(kind):
        array = _compact(array)
        keys, items = converted(array.keys, kind.key_type), converted(array.items, kind.item_type)
        entries = pa.StructArray.from_arrays([keys, items], fields=[kind.key_field, kind.item_field])
        validity = array.buffers()[0]
        return pa.Array.from_buffers(kind, len(array), [validity, array.buffers()[1]], array.null_count, 0, [entries])
    return pc.cast(array, kind)


def _compact(array: Any) -> Any:
    """Return an array whose offsets begin at 0, without unused values before them."""
    return pa.concat_arrays([array]) if array.offset == 0 else array.take(pa.array(range(len(array))))
