"""How Java and Avro compare plain values of one class: numbers, text, bytes. Negative, zero or positive."""

from __future__ import annotations

import math
from typing import Any

# ByteBuffer compares signed bytes: shifting each byte by half the range makes that the order of Python's bytes.
_SIGNED_BYTES = bytes((byte + 128) % 256 for byte in range(256))


def natural(left: Any, right: Any) -> int:
    """Compare as Python does; UTF-8 bytes (Avro's Utf8) order like code points, and so do Python's strings."""
    return int(left > right) - int(left < right)


def floating(left: float, right: float) -> int:
    """Compare like `Double.compare`: -0.0 before 0.0, NaN after everything and equal to itself."""
    if left < right:
        return -1
    if left > right:
        return 1
    if left == right:
        return natural(math.copysign(1.0, left), math.copysign(1.0, right)) if left == 0.0 else 0
    return natural(math.isnan(left), math.isnan(right))


def utf16(left: str, right: str) -> int:
    """Compare like `String.compareTo`: by UTF-16 code units."""
    return natural(left.encode("utf-16-be", "surrogatepass"), right.encode("utf-16-be", "surrogatepass"))


def signed_bytes(left: bytes, right: bytes) -> int:
    """Compare like `ByteBuffer.compareTo`: byte by byte, each signed."""
    return natural(left.translate(_SIGNED_BYTES), right.translate(_SIGNED_BYTES))
