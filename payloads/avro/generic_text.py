"""Text of records, arrays and maps as `toString` of Avro's generic classes and of Java's collections gives it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from payloads.avro.schema import branch_of
from payloads.java import double_text, float_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from payloads.avro.schema import AvroSchema, Value

# GenericData escapes control characters, and everything from U+2000 to U+20FF.
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2000-\u20ff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HASH_BITS = 32


def record_text(schema: AvroSchema, value: Value) -> str:  # noqa: C901, PLR0911 (one a kind)
    """Return `GenericData.toString` of a physical value: what a record shows of itself, and of everything inside it."""
    if schema.kind == "union":
        schema, value = branch_of(schema, value)
    match schema.kind:
        case "record":
            members = (f"{_quoted(f.name)}: {record_text(f.schema, value[f.name])}" for f in schema.fields)
            return f"{{{', '.join(members)}}}"
        case "array":
            return f"[{', '.join(record_text(schema.items, item) for item in value)}]"
        case "map":
            pairs = (f"{_quoted(key)}: {record_text(schema.values, value[key])}" for key in hash_order(value))
            return f"{{{', '.join(pairs)}}}"
        case "string" | "enum":
            return _quoted(value)
        case "bytes":
            return _quoted(value.decode("iso-8859-1"))
        case "float" | "double":
            text = (float_text if schema.kind == "float" else double_text)(value)
            return _quoted(text) if text.endswith(("NaN", "Infinity")) else text
        case "fixed":
            return fixed_text(value)
        case "null":
            return "null"
        case "boolean":
            return "true" if value else "false"
        case _:
            return str(value)


def collection_text(schema: AvroSchema, value: Value, text_of: Callable[[AvroSchema, Value], str]) -> str:
    """Return the text of an array or map that is in no record: Java's collections quote nothing."""
    if schema.kind == "array":
        return f"[{', '.join(text_of(schema.items, item) for item in value)}]"
    return f"{{{', '.join(f'{key}={text_of(schema.values, value[key])}' for key in hash_order(value))}}}"


def fixed_text(value: bytes) -> str:
    """Return `GenericData.Fixed.toString`: the signed bytes."""
    return f"[{', '.join(str(byte - 256 if byte > 127 else byte) for byte in value)}]"  # noqa: PLR2004 (signed)


def hash_order(keys: Iterable[str]) -> list[str]:
    """Return the keys of a map in the order of the HashMap of Avro strings that a decoder fills."""
    found = list(keys)
    size = 1
    # The table starts at the power of two that holds all keys, and doubles once it is more than three quarters full.
    while size < len(found):
        size *= 2
    while size * 3 // 4 < len(found):
        size *= 2
    return sorted(found, key=lambda key: _spread(key) % size)


def _spread(key: str) -> int:
    code = 0
    for byte in key.encode("utf-8", "surrogatepass"):
        code = (31 * code + (byte - 256 if byte > 127 else byte)) % (1 << _HASH_BITS)  # noqa: PLR2004 (signed)
    return code ^ (code >> 16)


def _quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or f"\\u{ord(found[0]):04X}"
