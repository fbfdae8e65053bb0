"""Equality of values as the vectors mean it: by value and type, not by Python's `==`."""

from __future__ import annotations

import decimal
import math
import struct
from typing import TYPE_CHECKING, Any

from payloads.avro.branch import Branch
from payloads.avro.schema import branch_of
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from payloads.avro.schema import AvroSchema
    from payloads.ordering import Ordering


def same_value(schema: AvroSchema, left: Any, right: Any) -> bool:  # noqa: PLR0911
    """Whether two physical values of `schema` are equal.

    1 is neither 1.0 nor True, NaN equals NaN, -0.0 is not 0.0, a float field counts after rounding to 32 bits.
    """
    if schema.kind == "union":
        return _same_in_union(schema, left, right)
    if left is None or right is None:
        return left is right
    match schema.kind:
        case "record":
            if not (isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys()):
                return False
            return left.keys() == schema.by_name.keys() and all(
                same_value(field.schema, left[field.name], right[field.name]) for field in schema.fields
            )
        case "array":
            return (
                isinstance(left, list)
                and isinstance(right, list)
                and len(left) == len(right)
                and all(same_value(schema.items, a, b) for a, b in zip(left, right, strict=True))
            )
        case "map":
            return (
                isinstance(left, dict)
                and isinstance(right, dict)
                and left.keys() == right.keys()
                and all(same_value(schema.values, left[key], right[key]) for key in left)
            )
        case "float":
            return same_plain(to_float32(left), to_float32(right))
        case _:
            return same_plain(left, right)


def _same_in_union(schema: AvroSchema, left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    if isinstance(left, Branch) != isinstance(right, Branch):
        return False
    try:
        (left_branch, left), (right_branch, right) = branch_of(schema, left), branch_of(schema, right)
    except SchemaError:
        return False
    return left_branch is right_branch and same_value(left_branch, left, right)


def same_plain(left: Any, right: Any) -> bool:
    """Whether two values without a schema are equal and of one type, at every depth."""
    if type(left) is not type(right):
        # A JavaString is the text that it is stored as.
        return isinstance(left, str) and isinstance(right, str) and str.__eq__(left, right)
    if isinstance(left, float):
        both_nan = math.isnan(left) and math.isnan(right)
        return both_nan or (left == right and math.copysign(1.0, left) == math.copysign(1.0, right))
    if isinstance(left, decimal.Decimal):
        return bool(left.as_tuple() == right.as_tuple())
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same_plain(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(same_plain(a, b) for a, b in zip(left, right, strict=True))
    return bool(left == right)


def same_ordering(left: Ordering | None, right: Ordering | None) -> bool:  # noqa: PLR0911
    """Whether two ordering values have one Java class and one value; decimals also one scale."""
    if left is None or right is None:
        return left is right
    if left.java_type != right.java_type:
        return False
    match left.java_type:
        case "array":
            return len(left.value) == len(right.value) and all(
                same_ordering(a, b) for a, b in zip(left.value, right.value, strict=True)
            )
        case "avro":
            if left.schema is None or right.schema is None or left.schema.name != right.schema.name:
                return False
            return same_value(left.schema, left.value, right.value)
        case "float":
            return same_plain(to_float32(left.value), to_float32(right.value))
        case _:
            return same_plain(left.value, right.value)


def to_float32(value: Any) -> Any:
    """Return a number rounded to 32 bits, anything else as it is."""
    if not isinstance(value, float) or math.isinf(value) or math.isnan(value):
        return value
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
