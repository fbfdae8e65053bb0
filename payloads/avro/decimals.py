"""Decimals in Avro's encoding: a scale in the schema, an unscaled number in big-endian two's complement."""

from __future__ import annotations

import decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from payloads.avro.schema import AvroSchema


def decimal_scale(schema: AvroSchema) -> int:
    """Return the scale of a decimal schema; 0 if it has none."""
    return int(schema.source.get("scale", 0))


def decimal_value(data: bytes, scale: int) -> decimal.Decimal:
    """Return the decimal encoded in `data` (big-endian two's complement, unscaled); any number of digits."""
    unscaled = int.from_bytes(data, "big", signed=True)
    return decimal.Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))


def unscaled_bytes(unscaled: int, size: int | None = None) -> bytes:
    """Return `unscaled` in `size` bytes; None for the fewest, as BigInteger.toByteArray: -128 takes one, 128 two.

    Raises:
        OverflowError: it takes more than `size` bytes.
    """
    if size is None:
        size = (unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8 + 1
    return unscaled.to_bytes(size, "big", signed=True)
