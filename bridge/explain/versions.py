"""One side of a merge call: the contents of a carrier, which version resulted, and how ordering values compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.merge import Action, LogDelete
from bridge.redaction import current
from bridge.report import json_field, json_value
from bridge.spark import META_COLUMNS
from mergers.laws import same_bytes
from payloads.avro import to_logical
from payloads.errors import PayloadBridgeError
from payloads.ordering import compare, same_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bridge.merge import Outcome
    from payloads import AvroSchema, Ordering, Record


class Side(NamedTuple):
    """One version in a call.

    Attributes:
        record: its data without meta columns; None for a delete without data.
        ordering: its ordering value, where it has one in the call: a stored row has none of its own until 1.0.
        is_delete: whether it counts as a delete there.
    """

    record: Record | None
    ordering: Ordering | None
    is_delete: bool = False


def side_of(carrier: Any) -> Side:
    """Return the contents of a carrier."""
    if isinstance(carrier, LogDelete):
        return Side(None, carrier.ordering, is_delete=True)
    if hasattr(carrier, "payload"):
        record = carrier.payload.record
        is_delete = record is None or carrier.marked_delete
        return Side(plain(record), carrier.payload.get_ordering_value(), is_delete=is_delete)
    is_delete = carrier.marked_delete or carrier.record is None
    return Side(plain(carrier.record), carrier.ordering_value if is_delete else None, is_delete=is_delete)


def plain(record: Record | None) -> Record | None:
    """Return a record without meta columns."""
    if record is None:
        return None
    return {name: value for name, value in record.items() if name not in META_COLUMNS}


def same_record(left: Record | None, right: Record | None, schema: AvroSchema) -> bool:
    """Whether two records, or two absences, are equal: -0.0 differs from 0.0, and NaN equals itself, as in replay."""
    if left is None or right is None:
        return left is right
    return left is right or same_bytes(left, right, schema)


def wins(older: object, newer: object, outcome: Outcome[object], schema: AvroSchema) -> bool:
    """Whether the result of an event-time merge comes from the newer version."""
    action, result = outcome
    if result is None:
        return bool(side_of(newer).is_delete)
    if action is Action.KEEP:
        return False
    made, left, right = side_of(result), side_of(older), side_of(newer)
    if made.is_delete:
        return right.is_delete
    if same_record(made.record, right.record, schema):
        return True
    if same_record(made.record, left.record, schema):
        return False
    # A row that was filled has the ordering value of the version that won.
    return not _is_less(newer, older)


def _is_less(left: Any, right: Any) -> bool:
    try:
        return compare(left.ordering_value, right.ordering_value) < 0
    except PayloadBridgeError:
        return False


def reason(older: Any, newer: Any, columns: Sequence[str], schema: AvroSchema, *, newer_wins: bool) -> str:
    """Return the comparison that decided between two versions by event time, whose ordering values have `columns`."""
    name = ", ".join(columns) or "ordering value"
    left, right = older.ordering_value, newer.ordering_value
    for which, carrier, ordering in (("newer", newer, right), ("older", older, left)):
        if newer_wins and side_of(carrier).is_delete and ordering is not None and ordering.is_default:
            return f"the {which} version is a delete without an ordering value (0)"
    if left is None or right is None or not same_class(left, right):
        return f"{name} {value(right, columns, schema)} after {value(left, columns, schema)}"
    sign = compare(right, left)
    which = ">" if sign > 0 else "<" if sign < 0 else "="
    how = " as text" if right.java_type in TEXTS else ""
    return f"{name} {value(right, columns, schema)} {which} {value(left, columns, schema)}{how}"


def winner(older: object, newer: object, result: object, schema: AvroSchema) -> str:
    """Say which of two versions a result is."""
    if result is None:
        return "no row is left"
    made = side_of(result).record
    if same_record(made, side_of(newer).record, schema):
        return "the newer version wins"
    if older is not None and same_record(made, side_of(older).record, schema):
        return "the older version stays"
    return "a new version"


def value(ordering: Ordering | None, columns: Sequence[str], schema: AvroSchema, *, is_cut: bool = False) -> str:
    """Write the ordering value of `columns`, text in quotes and times as times, or what stands for a hidden one.

    Args:
        ordering: the value.
        columns: where it comes from.
        schema: that of the columns.
        is_cut: whether timestamps were cut to milliseconds.
    """
    if ordering is None:
        return "null"
    hidden = current()
    if ordering.java_type == "array":
        parts = ordering.value
        tells = len(parts) == len(columns) and not hidden.hides_ordering(columns)
        names = [[name] for name in columns] if tells else [columns] * len(parts)
        return f"({', '.join(value(one, own, schema, is_cut=is_cut) for one, own in zip(parts, names, strict=True))})"
    if hidden.hides_ordering(columns):
        return hidden.token(ordering.value, json_value(ordering.value))
    column = schema.by_name.get(columns[0]) if len(columns) == 1 else None
    if column is None or ordering.java_type not in _WHOLE:
        return quoted_text(ordering.value)
    scale = 1_000 if is_cut and column.schema.non_null.logical == "timestamp-micros" else 1
    return column_value(column.name, ordering.value * scale, schema)


_WHOLE = {"int", "long"}
TEXTS = frozenset({"utf8", "string"})
"""The Java types of ordering values that are text, by which 10 comes before 9."""


def column_value(name: str, found: Any, schema: AvroSchema) -> str:
    """Write the value of a column, text in quotes and times as times, or what stands for a hidden one."""
    if current().hides(name):
        return plain_text(json_field(name, found))
    column = schema.by_name.get(name)
    if column is None or column.schema.non_null.logical is None:
        return quoted_text(found)
    try:
        return plain_text(json_value(to_logical(found, column.schema)))
    except PayloadBridgeError:
        return quoted_text(found)


def quoted_text(found: object) -> str:
    """Write a value as text, text in quotes."""
    return f"'{found}'" if isinstance(found, str) else plain_text(found)


def ordering_text(ordering: Ordering, columns: Iterable[str]) -> str:
    """Write the ordering value of a delete as Python does, or what stands for a hidden one."""
    hidden = current()
    if hidden.hides_ordering(columns):
        return hidden.token(ordering.value, json_value(ordering.value))
    return str(ordering.value)


def plain_text(value: object) -> str:
    """Write a value as text, as in JSON, without quotes."""
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
