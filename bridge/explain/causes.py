"""Causes: the rule on which two sides part, in one of a few words, from the calls at which they do."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from payloads.avro import Branch
from payloads.builtin import UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bridge.explain.row import ExplainedRow
    from bridge.explain.traced_programs import TracedCall
    from bridge.explain.versions import Side
    from payloads import AvroSchema, Record


class Cause(enum.Enum):
    """Why two sides part: its name, and what happens, as a clause."""

    TIE = "Tie", "two versions have the same ordering value, and different ones are kept"
    LATE = "Late version", "a version with a smaller ordering value arrives later, and is treated differently"
    LATE_DELETE = "Late delete", "a delete has a smaller ordering value than a version before it"
    AFTER_DELETE = "Late version after a delete", "a version arrives after a delete with a greater ordering value"
    TIED_DELETE = "Delete on a tie", "a delete and another version have the same ordering value"
    UNORDERED_DELETE = "Delete without an ordering value", "a delete has no ordering value to compare"
    DELETE = "Delete on one side", "a version counts as a delete, or stays deleted, in only one of the two"
    ORDER = "Different order", "the two disagree on which version is the later one"
    NULL_ORDERING = "Null ordering value", "a version has no ordering value to compare"
    NULL_VALUE = "Null in a column", "only one of the two lets a null overwrite the older value"
    DEFAULT = "Default value in a column", "only one of the two lets the default of a column overwrite the older value"
    UNAVAILABLE = "Unavailable-value marker", "only one of the two replaces Debezium's marker with the older value"
    COLUMNS = "Other columns", "columns are taken from different versions"
    FAILURE = "Failure", "only one of the two fails"
    OTHER = "Another rule", "different versions are kept, for a reason that the timeline shows"
    PARTIAL = (
        "Partial update",
        "MERGE INTO logged only the columns that it sets; the others are filled differently",
    )
    STORED = "Stored value", "both merge the same row, but read the values in the files differently"
    UNSEEN = (
        "Not reproduced",
        ("merged on their own, the versions of this key give equal rows: the difference depends on other keys"),
    )

    @property
    def id(self) -> str:
        """The id in filters and in JSON."""
        return self.name.lower().replace("_", "-")

    @property
    def title(self) -> str:
        """The name."""
        return self.value[0]

    @property
    def text(self) -> str:
        """What happens, as a clause."""
        return self.value[1]


def cause_of(told: ExplainedRow) -> Cause:
    """Return why the two sides of a traced key part."""
    if any(side.trace.error is not None for side in told.sides):
        return Cause.FAILURE
    calls = [call for call in told.deciding_calls() if call is not None]
    if not calls:
        return Cause.UNSEEN
    ordering = told.sides[0].plan.ordering or told.sides[-1].plan.ordering
    compared = next((found for call in calls if (found := _compared(call, ordering)) is not None), None)
    if any(map(_newer_deletes, calls)):
        return _BY_A_DELETE.get(compared or "", Cause.DELETE)
    if any(call.older is not None and call.older.is_delete for call in calls):
        return _AFTER_A_DELETE.get(compared or "", Cause.DELETE)
    if compared == _LATER and len(calls) < len(told.sides):  # the sides don't merge the same two versions
        return Cause.OTHER
    return _of_columns(calls, told.schema) or _OF_VERSIONS.get(compared or "", Cause.OTHER)


_NULL, _TIE, _LATE, _LATER = "null", "tie", "late", "later"
_BY_A_DELETE = {_NULL: Cause.UNORDERED_DELETE, _TIE: Cause.TIED_DELETE, _LATE: Cause.LATE_DELETE}
_AFTER_A_DELETE = {_NULL: Cause.UNORDERED_DELETE, _TIE: Cause.TIED_DELETE, _LATE: Cause.AFTER_DELETE}
_OF_VERSIONS = {_NULL: Cause.NULL_ORDERING, _TIE: Cause.TIE, _LATE: Cause.LATE, _LATER: Cause.ORDER}


def _newer_deletes(call: TracedCall) -> bool:
    """Whether the newer version of a call is a delete, or leaves nothing where there was a row."""
    was_there = call.older is None or not call.older.is_delete
    return call.newer.is_delete or (was_there and (call.result is None or call.result.is_delete))


def _compared(call: TracedCall, ordering: Sequence[str]) -> str | None:
    """Return how the ordering value of the newer version compares with the older one's; None if nothing does."""
    if call.older is None:
        return None
    older, newer = (_ordering(side, ordering) for side in (call.older, call.newer))
    if older == () or newer == ():
        return None
    if older is None or newer is None:
        return _NULL
    try:
        return _TIE if older == newer else _LATE if newer < older else _LATER
    except TypeError:
        return None


def _ordering(side: Side, ordering: Sequence[str]) -> tuple[object, ...] | None:
    """Return the ordering value of a version; None if it is null, () if nothing orders."""
    if side.record is None:
        missing = side.ordering is None or side.ordering.is_default
        return None if missing or side.ordering is None else _tuple(side.ordering.value)
    values = tuple(_at(side.record, path) for path in ordering)
    return None if any(value is None for value in values) else values


def _tuple(value: object) -> tuple[object, ...]:
    parts = value if isinstance(value, tuple | list) else (value,)
    return tuple(getattr(part, "value", part) for part in parts)


def _at(record: Record, path: str) -> Any:
    value: Any = record
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value.value if isinstance(value, Branch) else value


def _of_columns(calls: Sequence[TracedCall], schema: AvroSchema) -> Cause | None:
    """Return what it is about the columns that differ, if a side made a row of both versions."""
    results = [call.result.record for call in calls if call.result is not None and call.result.record is not None]
    if not any(_is_made(call) for call in calls) or len(results) < len(calls):
        return None
    names = [name for name in results[0] if any(one.get(name) != results[0][name] for one in results)]
    newer = [call.newer.record or {} for call in calls]
    if _any(newer, names, lambda _, value: value == UNAVAILABLE or value == UNAVAILABLE.encode()):
        return Cause.UNAVAILABLE
    if _any(newer, names, lambda _, value: value is None):
        return Cause.NULL_VALUE
    if _any(newer, names, lambda name, value: _is_default(schema, name, value)):
        return Cause.DEFAULT
    return Cause.COLUMNS


def _is_made(call: TracedCall) -> bool:
    """Whether the result is neither of the two versions."""
    made = None if call.result is None else call.result.record
    return made is not None and all(side is None or side.record != made for side in (call.older, call.newer))


def _any(records: Iterable[Record], names: Sequence[str], test: Any) -> bool:
    return any(name in record and test(name, record[name]) for record in records for name in names)


def _is_default(schema: AvroSchema, name: str, value: object) -> bool:
    column = schema.by_name.get(name)
    return column is not None and column.has_default and bool(column.default == value)
