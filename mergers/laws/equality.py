"""When two results are equal: the one parameter of a check, and its default, canonical Avro bytes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from payloads.avro import AvroSchema, Branch, Record, encode
from payloads.errors import PayloadFailedError, SchemaError

if TYPE_CHECKING:
    from payloads.ordering import Ordering

_PLAIN = {type(None), bool, int, str, bytes}
"""Types whose values are encoded alike if, and only if, they are equal."""

Equality = Callable[[Record, Record, AvroSchema], bool]
"""Whether two records of a schema are equal."""


class Observed(NamedTuple):
    """What is observable of a merged version or a stored row.

    Attributes:
        record: its data; None for none.
        ordering: its ordering value; None for a row, whose columns say it.
        is_delete: whether it deletes; of a row, whether there is none.
    """

    record: Record | None
    ordering: Ordering | None
    is_delete: bool


class Failed(NamedTuple):
    """The result of code that raised."""

    error: Exception


def same_bytes(left: Record, right: Record, schema: AvroSchema) -> bool:
    """Whether two records have the same canonical Avro encoding: by value and type, NaN equal to itself.

    Records that do not fit the schema are compared as they are.
    """
    plainly = _same_plainly(left, right, schema)
    return canonical(left, schema) == canonical(right, schema) if plainly is None else plainly


def _same_plainly(left: Record, right: Record, schema: AvroSchema) -> bool | None:
    """Whether two records have the same encoding, where plain values tell; None where they have to be encoded."""
    if not all(isinstance(one, dict) for one in (left, right)):  # what a user's class may return in its place
        return None
    for name in schema.by_name:
        if name not in left or name not in right:
            return None
        one, other = left[name], right[name]
        kind = type(one)
        if kind is not type(other) or kind not in _PLAIN:
            if one is None or other is None:
                return False
            return None
        if one != other:
            return False
    return True if 0 < len(left) == len(right) == len(schema.by_name) else None


def canonical(record: Record, schema: AvroSchema) -> bytes | str:
    """Return the Avro bytes of a record with map entries in order and one NaN; its text if it does not fit."""
    plain = _canonical(record)
    try:
        return encode(schema, plain)
    except (SchemaError, LookupError, TypeError, ValueError):
        return repr(plain)


def same_answer(left: Any, right: Any, schema: AvroSchema, equality: Equality) -> bool:
    """Whether two results, or tuples of them, are equal; two failures are, if they are of the same kind."""
    if isinstance(left, Failed) or isinstance(right, Failed):
        return isinstance(left, Failed) and isinstance(right, Failed) and _same_kind(left.error, right.error)
    if not isinstance(left, Observed):
        return len(left) == len(right) and all(
            same_answer(a, b, schema, equality) for a, b in zip(left, right, strict=True)
        )
    if left.is_delete != right.is_delete or not _same_ordering(left.ordering, right.ordering):
        return False
    if left.record is None or right.record is None:
        return left.record is right.record
    return left.record is right.record or equality(left.record, right.record, schema)


def error_kind(error: Exception) -> tuple[type, ...]:
    """Return what is equal for errors of one kind: the class, and that of what a user's Python code raised."""
    cause = error.__cause__ if isinstance(error, PayloadFailedError) else None
    return (type(error),) if cause is None else (type(error), type(cause))


def _same_kind(left: Exception, right: Exception) -> bool:
    """Whether two errors are of one kind; those of a compiled class have no Python class beneath to compare."""
    return all(one is other for one, other in zip(error_kind(left), error_kind(right), strict=False))


def _same_ordering(left: Ordering | None, right: Ordering | None) -> bool:
    return left is right or repr(left) == repr(right)


def _canonical(value: object) -> object:
    if isinstance(value, float) and math.isnan(value):
        return math.nan
    if isinstance(value, dict):
        return {name: _canonical(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, Branch):
        return Branch(value.name, _canonical(value.value))
    return value
