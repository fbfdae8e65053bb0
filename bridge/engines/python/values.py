"""Plain columns between Arrow arrays and lists of physical Avro values: numbers, text, bytes, timestamps, decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from bridge.spark import decimal_size
from payloads.avro import unscaled_bytes
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema, Value

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
TIMESTAMP_UNITS = {
    "timestamp-millis": "ms",
    "timestamp-micros": "us",
    "local-timestamp-millis": "ms",
    "local-timestamp-micros": "us",
}
"""The Avro types of timestamps, and Arrow's name of their unit."""

_MAX_FLOAT = 3.4028235677973366e38  # from here on a double becomes infinite as a float
_DECIMAL_BYTES = 16


class ColumnCodec(NamedTuple):
    """Both directions of one column: Arrow array to physical values, and back."""

    read: Callable[[ArrowColumn], list[Value]]
    write: Callable[[list[Value]], ArrowColumn]


def numbers(array: ArrowColumn) -> list[Value]:
    """Return numbers or booleans as Python has them."""
    if not array.null_count:
        return array.to_numpy(zero_copy_only=False).tolist()  # type: ignore[no-any-return]
    filled = array.fill_null(pa.scalar(0, pa.int8()).cast(array.type))
    values = filled.to_numpy(zero_copy_only=False).astype(object)
    values[array.is_null().to_numpy(zero_copy_only=False)] = None
    return values.tolist()  # type: ignore[no-any-return]


def objects(array: ArrowColumn) -> list[Value]:
    """Return texts or bytes as Python has them."""
    return array.to_numpy(zero_copy_only=False).tolist()  # type: ignore[no-any-return]


def of_type(values: list[Value], kind: type, *others: type) -> list[Value]:
    """Return `values` if each is None or a `kind`; int and bool are not interchangeable."""
    found = set(map(type, values)) - {type(None), kind, *others}
    if found and (kind in {int, bool, float} or not all(issubclass(other, kind) for other in found)):
        msg = f"a {found.pop().__name__} is not {kind.__name__}"
        raise SchemaError(msg)
    return values


def doubles(values: list[Value]) -> ArrowColumn:
    """Make a column of doubles; Avro takes an int for a double, Arrow only a small one."""
    array = of_type(values, float, int)
    if int in set(map(type, array)):
        array = [float(value) if type(value) is int else value for value in values]
    return pa.array(array, pa.float64())


def floats(values: list[Value]) -> ArrowColumn:
    """Make a column of floats, rounded; Arrow would make infinity of what is too large."""
    array = doubles(values)
    largest = pc.max(pc.if_else(pc.is_inf(array), 0.0, pc.abs(array))).as_py()
    if largest is not None and largest >= _MAX_FLOAT:
        msg = f"{largest} is out of the range of float"
        raise SchemaError(msg)
    return array.cast(pa.float32())


def one_of(symbols: frozenset[str], column: str) -> Callable[[list[Value]], list[Value]]:
    """Return what lets nulls and texts among `symbols` through."""

    def check(values: list[Value]) -> list[Value]:
        unknown = set(of_type(values, str)) - symbols - {None}
        if unknown:
            msg = f"field {column!r}: {min(unknown)!r} is not one of the symbols {', '.join(sorted(symbols))}"
            raise SchemaError(msg)
        return values

    return check


def of_size(size: int, column: str) -> Callable[[list[Value]], list[Value]]:
    """Return what lets nulls and bytes of length `size` through."""

    def check(values: list[Value]) -> list[Value]:
        others = {len(value) for value in of_type(values, bytes) if value is not None} - {size}
        if others:
            msg = f"field {column!r}: a value has {min(others)} bytes, its fixed type {size}"
            raise SchemaError(msg)
        return values

    return check


def timestamp_codec(plain: AvroSchema, arrow: pa.TimestampType) -> ColumnCodec | None:
    """Return the conversion of timestamps, or None if `arrow` has the coarser unit."""
    factor, rest = divmod(_PER_SECOND[arrow.unit], _PER_SECOND[TIMESTAMP_UNITS[str(plain.logical)]])
    if rest:
        return None

    def read(array: ArrowColumn) -> list[Value]:
        ticks = array.view(pa.int64())
        if factor > 1:
            floored = ticks.fill_null(0).to_numpy() // factor  # Spark floors, too
            ticks = pa.array(floored, mask=ticks.is_null().to_numpy(zero_copy_only=False))
        return numbers(ticks)

    def write(values: list[Value]) -> ArrowColumn:
        ticks = pa.array(of_type(values, int), pa.int64())
        return (ticks if factor == 1 else pc.multiply_checked(ticks, factor)).view(arrow)

    return ColumnCodec(read, write)


def decimal_codec(plain: AvroSchema, arrow: pa.Decimal128Type, column: str) -> ColumnCodec | None:
    """Return the conversion of decimals, big-endian unscaled numbers in Avro and 16 bytes in Arrow.

    None if the scales differ or Avro's fixed type is too small.
    """
    size = plain.size if plain.kind == "fixed" else None
    if int(plain.source.get("scale", 0)) != arrow.scale or (size is not None and size < decimal_size(arrow.precision)):
        return None

    def read(array: ArrowColumn) -> list[Value]:
        buffer = array.buffers()[1]
        data = memoryview(buffer)[_DECIMAL_BYTES * array.offset :]
        unscaled = [
            int.from_bytes(data[start : start + _DECIMAL_BYTES], "little", signed=True)
            for start in range(0, _DECIMAL_BYTES * len(array), _DECIMAL_BYTES)
        ]
        values = [unscaled_bytes(number, size) for number in unscaled]
        if not array.null_count:
            return values
        valid = array.is_valid().to_numpy(zero_copy_only=False).tolist()
        return [value if is_valid else None for value, is_valid in zip(values, valid, strict=True)]

    def write(values: list[Value]) -> ArrowColumn:
        if size is not None:
            of_size(size, column)(values)
        wide = b"".join(
            int.from_bytes(value or b"", "big", signed=True).to_bytes(_DECIMAL_BYTES, "little", signed=True)
            for value in of_type(values, bytes)
        )
        valid = pa.array([value is not None for value in values], pa.bool_())
        array = pa.Array.from_buffers(arrow, len(values), [valid.buffers()[1], pa.py_buffer(wide)])
        array.validate(full=True)  # the number of digits
        return array

    return ColumnCodec(read, write)
