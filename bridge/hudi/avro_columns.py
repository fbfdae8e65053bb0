"""Avro records of a log block as Arrow columns: all records of a chunk advance together, field by field.

Only flat records of types that numpy can read at any place; others, and bytes that are damaged, are left to
`data_records`, which says what is wrong with which record.
Source: the Avro specification, binary encoding; HoodieAvroDataBlock.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema

    Places = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_INT = struct.Struct(">i")
WITHOUT_COUNT = 0
"""The one content version without a number of records (HoodieAvroDataBlockVersion.hasRecordCount)."""
"""The versions of the content of Avro data blocks, which all have one form; 1 is that of Hudi 0.8."""
_CHUNK = 1 << 14
_PADDING = bytes(16)
_LONGEST_VARINT = 10
_DECIMAL = 16
_PLAIN = {"boolean", "int", "long", "float", "double", "string", "bytes"}
_LOGICAL = {None, "date", "timestamp-micros", "local-timestamp-micros"}


class NotColumnarError(ValueError):
    """Rows can't be columns: their bytes are damaged, a type is not supported, or there are too many."""


def can_be_columns(schema: AvroSchema) -> bool:
    """Whether all fields have types that are read as columns."""
    return all(_is_supported(field.schema) for field in schema.fields)


def _is_supported(schema: AvroSchema) -> bool:
    if schema.kind == "union" and schema.non_null is schema:
        return False
    plain = schema.non_null
    if plain.kind == "fixed":
        return plain.logical == "decimal" and plain.size <= _DECIMAL
    return plain.kind in _PLAIN and plain.logical in _LOGICAL


def record_batches(content: bytes, schema: AvroSchema, arrow: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Give the records of a data block as batches of some thousand rows.

    Args:
        content: that of the block.
        schema: what it was written with; `can_be_columns`.
        arrow: the same columns in Arrow.

    Raises:
        NotColumnarError: the bytes are not what the schema says.
    """
    starts, ends = _records(content)
    data = np.frombuffer(content + _PADDING, np.uint8)
    for first in range(0, len(starts), _CHUNK):
        cursor = _Cursor(data, starts[first : first + _CHUNK].copy(), ends[first : first + _CHUNK])
        arrays = [cursor.column(field.schema, arrow.field(field.name).type) for field in schema.fields]
        cursor.check()
        yield pa.RecordBatch.from_arrays(arrays, schema=arrow)


def _records(content: bytes) -> tuple[Places, Places]:
    """Return where each record begins and ends."""
    try:
        layout, count = struct.unpack_from(">ii", content)
        if layout == WITHOUT_COUNT or not 0 <= count <= len(content):
            raise NotColumnarError
        starts, lengths, position, size = [], [], 2 * _INT.size, len(content)
        for _ in range(count):
            (length,) = _INT.unpack_from(content, position)
            position += _INT.size
            if not 0 <= length <= size - position:
                raise NotColumnarError
            starts.append(position)
            lengths.append(length)
            position += length
        if position != size:
            raise NotColumnarError
    except struct.error as error:
        raise NotColumnarError from error
    begins = np.array(starts, np.int64)
    return begins, begins + np.array(lengths, np.int64)


class _Cursor:
    """A place in each of many records."""

    def __init__(self, data: npt.NDArray[np.uint8], places: Places, ends: Places) -> None:
        self._data = data
        self._places = places
        self._ends = ends

    def check(self) -> None:
        """Refuse records that went past their end."""
        if np.any(self._places > self._ends):
            raise NotColumnarError

    def column(self, schema: AvroSchema, kind: pa.DataType) -> ArrowColumn:
        """Read the next field of each record."""
        if schema.kind != "union":
            return self._values(schema, kind, None)
        branches = self._varints(None)
        valid = branches == (0 if schema.branches[0].kind != "null" else 1)
        if np.any((branches < 0) | (branches > 1)):
            raise NotColumnarError
        if valid.all():
            return self._values(schema.non_null, kind, None)
        dense = self._values(schema.non_null, kind, np.flatnonzero(valid))
        return dense.take(pa.array(np.cumsum(valid) - 1, pa.int64(), mask=~valid))

    def _values(self, schema: AvroSchema, kind: pa.DataType, rows: Places | None) -> ArrowColumn:
        """Read values that are not null, of some of the records."""
        match schema.kind:
            case "int" | "long":
                return _numbers(self._varints(rows), kind)
            case "float" | "double":
                wide = schema.kind == "double"
                raw = self._fixed(8 if wide else 4, rows)
                return pa.array(raw.reshape(-1).view("<f8" if wide else "<f4"), kind)
            case "boolean":
                raw = self._fixed(1, rows).reshape(-1)
                if np.any(raw > 1):
                    raise NotColumnarError
                return pa.array(raw.astype(bool), kind)
            case "fixed":
                return _decimals(self._fixed(schema.size, rows), kind)
        return self._texts(kind, rows)

    def _at(self, rows: Places | None) -> Places:
        return self._places if rows is None else self._places[rows]

    def _move(self, rows: Places | None, places: Places) -> None:
        if rows is None:
            self._places = places
        else:
            self._places[rows] = places
        self.check()

    def _varints(self, rows: Places | None) -> Places:
        """Read zigzag numbers of variable length."""
        places = self._at(rows).copy()
        byte = self._data.take(places, mode="clip").astype(np.uint64)
        value = byte & 0x7F
        places += 1
        more = np.flatnonzero(byte & 0x80)
        for step in range(1, _LONGEST_VARINT):
            if not len(more):
                break
            byte = self._data.take(places[more], mode="clip").astype(np.uint64)
            value[more] |= (byte & 0x7F) << np.uint64(7 * step)
            places[more] += 1
            more = more[(byte & 0x80) != 0]
        if len(more):
            raise NotColumnarError
        self._move(rows, places)
        found: npt.NDArray[np.int64] = (value >> np.uint64(1)).view(np.int64) ^ -(value & 1).view(np.int64)
        return found

    def _fixed(self, size: int, rows: Places | None) -> npt.NDArray[np.uint8]:
        """Read bytes of a fixed number, one row a record."""
        places = self._at(rows)
        found = self._data.take(places[:, None] + np.arange(size), mode="clip")
        self._move(rows, places + size)
        return np.ascontiguousarray(found)

    def _texts(self, kind: pa.DataType, rows: Places | None) -> ArrowColumn:
        lengths = self._varints(rows)
        places = self._at(rows)
        if np.any((lengths < 0) | (lengths > len(self._data))):
            raise NotColumnarError
        self._move(rows, places + lengths)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if offsets[-1] > np.iinfo(np.int32).max:
            raise NotColumnarError
        text = self._data[np.repeat(places - offsets[:-1], lengths) + np.arange(offsets[-1])]
        buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(text)]
        array = pa.Array.from_buffers(kind, len(lengths), buffers)
        try:
            array.validate(full=True)  # as UTF-8
        except pa.ArrowInvalid as error:
            raise NotColumnarError from error
        return array


def _numbers(values: Places, kind: pa.DataType) -> ArrowColumn:
    if kind.bit_width == 64:  # noqa: PLR2004 (bits)
        return pa.array(values).view(kind)
    narrow = values.astype(np.int32)
    if np.any(narrow != values):
        raise NotColumnarError
    return pa.array(narrow).view(kind)


def _decimals(raw: npt.NDArray[np.uint8], kind: pa.DataType) -> ArrowColumn:
    """Turn numbers of two's complement, big end first, into Arrow's 16 bytes, little end first."""
    rows, size = raw.shape
    wide = np.empty((rows, _DECIMAL), np.uint8)
    wide[:, :size] = raw[:, ::-1]
    wide[:, size:] = np.where(raw[:, :1] & 0x80, 0xFF, 0).astype(np.uint8)
    array = pa.Array.from_buffers(kind, rows, [None, pa.py_buffer(np.ascontiguousarray(wide))])
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise NotColumnarError from error
    return array
