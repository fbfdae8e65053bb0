"""What is in a log block: the records of data blocks in any format, the entries of delete blocks in any version.

Source: HoodieAvroDataBlock, HoodieParquetDataBlock, HoodieHFileDataBlock and HoodieDeleteBlock of 0.12 to 1.2.
"""

from __future__ import annotations

import decimal
import io
import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from bridge.config import capabilities
from bridge.engines.python import RecordReader
from bridge.hudi.avro_columns import WITHOUT_COUNT, NotColumnarError, can_be_columns, record_batches
from bridge.hudi.errors import UnreadableTableError
from bridge.hudi.hfile import read_cells
from bridge.hudi.kryo import DeletedKey, ForeignTextError, read_deletes
from bridge.hudi.log_blocks import BlockType, HeaderKey
from bridge.hudi.parquet_footers import open_parquet
from bridge.hudi.schema_evolution import arrow_of, evolved
from bridge.hudi.schema_text import stored_schema
from payloads import HudiRelease, Ordering
from payloads.avro import decode, parse_schema
from payloads.errors import SchemaError, parse_error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bridge.hudi.log_blocks import Block, RandomAccess
    from payloads.avro import AvroSchema, Record

DATA_BLOCKS = frozenset({BlockType.AVRO_DATA, BlockType.PARQUET_DATA, BlockType.HFILE_DATA})
_INT = struct.Struct(">i")
_KRYO_VERSIONS = (1, 2)
_KEYS_ALONE = 1
_HFILE_KEYS = ("key", "_hoodie_record_key")
"""The columns that a writer may blank (HoodieAvroHFileReaderImplBase.KEY_FIELD_NAME, HoodieHFileDataBlock)."""
_DECIMAL_SCALE = 15

_NAMESPACE = "org.apache.hudi.avro.model"
_WRAPPED: dict[str, object] = {
    "BooleanWrapper": "boolean",
    "IntWrapper": "int",
    "LongWrapper": "long",
    "FloatWrapper": "float",
    "DoubleWrapper": "double",
    "BytesWrapper": "bytes",
    "StringWrapper": "string",
    "DateWrapper": "int",
    "DecimalWrapper": "bytes",
    "TimeMicrosWrapper": "long",
    "TimestampMicrosWrapper": "long",
}


def _wrapper(name: str, kind: object, field: str = "value") -> dict[str, object]:
    return {"type": "record", "name": name, "fields": [{"name": field, "type": kind}]}


def _delete_list() -> AvroSchema:
    """Return the schema of a delete block: that of 1.1 reads the older ones, too (a branch more, at the end)."""
    wrappers: list[object] = [_wrapper(name, kind) for name, kind in _WRAPPED.items()]
    items = ["null", *_WRAPPED, _wrapper("LocalDateWrapper", "int")]
    array = _wrapper("ArrayWrapper", ["null", {"type": "array", "items": items}], "wrappedValues")
    text = ["null", "string"]
    entry = {
        "type": "record",
        "name": "HoodieDeleteRecord",
        "fields": [
            {"name": "recordKey", "type": text},
            {"name": "partitionPath", "type": text},
            {"name": "orderingVal", "type": ["null", *wrappers, array]},
        ],
    }
    return parse_schema(
        {
            "type": "record",
            "name": "HoodieDeleteRecordList",
            "namespace": _NAMESPACE,
            "fields": [{"name": "deleteRecordList", "type": {"type": "array", "items": entry}}],
        }
    )


_DELETE_LIST = _delete_list()


def data_records(
    block: Block, stream: RandomAccess, read_as: Callable[[AvroSchema], AvroSchema] | None = None
) -> tuple[AvroSchema, Iterator[Record]]:
    """Return the schema that a data block is read with, and its records in order, in physical values.

    `read_as` makes it of the schema that the block was written with, in the same encoding; None: it is that.

    Raises:
        DamagedFileError: the content is not what the header says; by the iterator, too.
    """
    schema = _written_as(block)
    if read_as is not None:
        schema = read_as(schema)
    return schema, _checked(block, _READERS[block.type](block.content(stream), schema))


def check_defaults(block: Block, schema: AvroSchema) -> None:
    """Check that Avro records have every column for which a table has no default: readers until 0.15 decode them so.

    Raises:
        DamagedFileError: they lack one.
    """
    if block.type is not BlockType.AVRO_DATA:
        return
    written = _written_as(block)
    absent = [one.name for one in schema.fields if not one.has_default and one.name not in written.by_name]
    if absent:
        reason = f"its records lack {absent[0]}, for which the table's schema has no default"
        raise block.damaged(reason)


def _written_as(block: Block) -> AvroSchema:
    """Return the schema that a data block was written with.

    Raises:
        DamagedFileError: it has none.
    """
    try:
        return stored_schema(block.required(HeaderKey.SCHEMA))
    except SchemaError as error:
        reason = f"its schema is invalid: {error}"
        raise block.damaged(reason) from error


def data_batches(
    block: Block, stream: RandomAccess, arrow: pa.Schema, read_as: Callable[[AvroSchema], AvroSchema]
) -> list[pa.RecordBatch] | None:
    """Return the rows of a data block in the columns of `arrow`, if it has all of them in these types.

    `read_as` is that of `data_records`.
    None for other blocks, and for one that is damaged: `data_records` reads it, and says what is wrong with it.
    """
    try:
        schema = read_as(stored_schema(block.required(HeaderKey.SCHEMA)))
        stored = arrow_of(schema)
        fits = all(field.name in schema.by_name and stored.field(field.name).type == field.type for field in arrow)
        if not fits or block.type is BlockType.HFILE_DATA:
            return None
        if block.type is BlockType.PARQUET_DATA:
            return [evolved(batch, arrow) for batch in _parquet_batches(block.content(stream))]
        if not can_be_columns(schema):
            return None
        return [evolved(batch, arrow) for batch in record_batches(block.content(stream), schema, stored)]
    except (SchemaError, NotColumnarError, pa.ArrowException, OSError):
        return None


def known_key(key: str | None, block: Block) -> str:
    """Return the record key of a logged row; without one Hudi fails, too.

    Raises:
        DamagedFileError: it has none.
    """
    if key is None:
        reason = "a record has no key"
        raise block.damaged(reason)
    return str(key)


def _checked(block: Block, records: Iterator[Record]) -> Iterator[Record]:
    try:
        yield from records
    except (SchemaError, ValueError, struct.error, pa.ArrowException, OSError) as error:
        reason = f"its records can't be read: {parse_error_text(error)}"
        raise block.damaged(reason) from error


def _avro_records(content: bytes, schema: AvroSchema) -> Iterator[Record]:
    layout, count = struct.unpack_from(">ii", content)
    if layout == WITHOUT_COUNT:
        msg = f"content version {layout} does not say how many records there are"
        raise ValueError(msg)
    if count < 0:
        msg = f"it has {count} records"
        raise ValueError(msg)
    position = 2 * _INT.size
    for _ in range(count):
        (length,) = _INT.unpack_from(content, position)
        position += _INT.size
        if not 0 <= length <= len(content) - position:
            msg = f"a record of {length} bytes does not fit"
            raise ValueError(msg)
        yield decode(schema, content[position : position + length], replaces=True)
        position += length
    if position != len(content):
        msg = f"there are {len(content) - position} bytes after {count} records"
        raise ValueError(msg)


def _parquet_records(content: bytes, schema: AvroSchema) -> Iterator[Record]:
    arrow = arrow_of(schema)
    reader = RecordReader(schema, arrow)
    for batch in _parquet_batches(content):
        yield from reader.rows(evolved(batch, arrow))


def _parquet_batches(content: bytes) -> Iterator[pa.RecordBatch]:
    yield from open_parquet(pa.BufferReader(content), is_file=False).iter_batches()


def _hfile_records(content: bytes, schema: AvroSchema) -> Iterator[Record]:
    """Give the records of an HFile, whose writer blanks the key column, as the key of the cell has it."""
    blanked = [name for name in _HFILE_KEYS if name in schema.by_name]
    for key, value in read_cells(content):
        record = decode(schema, value, replaces=True)
        for name in blanked:
            if record[name] == "":
                record[name] = key.decode(errors="replace")
        yield record


_READERS: dict[BlockType, Callable[[bytes, AvroSchema], Iterator[Record]]] = {
    BlockType.AVRO_DATA: _avro_records,
    BlockType.PARQUET_DATA: _parquet_records,
    BlockType.HFILE_DATA: _hfile_records,
}


def deleted_keys(block: Block, stream: RandomAccess, release: HudiRelease) -> list[DeletedKey]:
    """Return the entries of a delete block in order, their ordering values as a reader of `release` has them.

    Raises:
        DamagedFileError: the content is not a delete list of a known version.
        UnreadableTableError: ordering values are text, in a block that another release wrote; its Kryo has another
            number for Utf8 than the reader's, which fails in Hudi, too (SerializationUtils).
    """
    try:
        return _deletes(block.content(stream), release)
    except ForeignTextError as error:
        raise _foreign(block, error.number, release) from error
    except (SchemaError, ValueError, struct.error) as error:
        reason = f"its deletes can't be read: {parse_error_text(error)}"
        raise block.damaged(reason) from error


def _foreign(block: Block, number: int, release: HudiRelease) -> UnreadableTableError:
    writer = next(one for one in HudiRelease if capabilities(one).delete_block_utf8 == number)
    msg = (
        f"{block.file}: block at byte {block.offset} has deletes with text as ordering value, which Hudi {writer} "
        f"wrote and only it can read; let Hudi {writer} compact the table before Hudi {release} reads it"
    )
    return UnreadableTableError(msg)


def _deletes(content: bytes, release: HudiRelease) -> list[DeletedKey]:
    layout, length = struct.unpack_from(">ii", content)
    data = content[2 * _INT.size :]
    if length != len(data):
        msg = f"a list of {length} bytes in {len(data)}"
        raise ValueError(msg)
    if layout in _KRYO_VERSIONS:
        return read_deletes(data, keys_alone=layout == _KEYS_ALONE, utf8=capabilities(release).delete_block_utf8)
    stream = io.BytesIO(data)
    entries = decode(_DELETE_LIST, stream, replaces=True)["deleteRecordList"]
    if stream.tell() != length:  # another number of entries was written
        msg = f"its {len(entries)} entries end after {stream.tell()} of {length} bytes"
        raise ValueError(msg)
    return [
        DeletedKey(entry["recordKey"] or "", entry["partitionPath"] or "", _ordering(entry["orderingVal"], release))
        for entry in entries
    ]


def _ordering(wrapped: Any, release: HudiRelease) -> Ordering | None:  # noqa: PLR0911 (one a wrapper)
    if wrapped is None:
        return None
    name, fields = wrapped.name.rpartition(".")[2], wrapped.value
    if name == "ArrayWrapper":
        return Ordering("array", tuple(_ordering(item, release) for item in fields["wrappedValues"] or ()))
    value = fields["value"]
    match name:
        case "DateWrapper" | "LocalDateWrapper":
            return Ordering("local_date", value)
        case "DecimalWrapper":
            return Ordering(
                "decimal", decimal.Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-_DECIMAL_SCALE)
            )
        case "TimestampMicrosWrapper" if capabilities(release).delete_block_instants:
            return Ordering("instant", value)
        case "TimestampMicrosWrapper":
            return Ordering("timestamp", value * 1000)
        case "TimeMicrosWrapper":
            return Ordering("long", value)
        case _:
            return Ordering(name.removesuffix("Wrapper").lower(), value)
