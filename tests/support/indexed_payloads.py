"""Payloads whose insert value is another row than theirs, as tests/jvm/java/Indexed.java has them.

The column `op` says what: A and I have a row with 100 more, I the very record that was changed; E has none, S has
SENTINEL, T raises. A merge gives the row with 1000 more, or the stored row with -1 where there is no row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from payloads import SENTINEL
from payloads.builtin import OverwriteWithLatestAvroPayload

if TYPE_CHECKING:
    from payloads import AvroSchema, Record
    from payloads.api import Props


def told(own: Record | None) -> Any:
    """Return the insert value of a record."""
    if own is None or own["op"] == "E":
        return None
    if own["op"] == "S":
        return SENTINEL
    if own["op"] == "T":
        msg = "raised by get_insert_value"
        raise ValueError(msg)
    if own["op"] == "I":
        own["v"] += 100
    return {**own, "v": own["v"] + 100} if own["op"] == "A" else own


def merged(own: Record | None, current: Record) -> Record:
    """Return what a merge with the stored row gives."""
    return {**current, "v": -1} if own is None else {**own, "v": own["v"] + 1000}


class Alone:
    """Has the methods of the interface alone."""

    def __init__(self, record: Record | None, ordering_value: Any) -> None:
        self.record = record
        self.ordering_value = ordering_value

    def get_ordering_value(self) -> Any:
        return self.ordering_value

    def pre_combine(self, older: Any) -> Any:
        return older if older.ordering_value > self.ordering_value else self

    def get_insert_value(self, schema: AvroSchema) -> Any:
        return told(self.record)

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema) -> Any:
        return merged(self.record, current)


class Extends(OverwriteWithLatestAvroPayload):
    """Extends a class of Hudi, whose record is merged."""

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Any:
        own: Any = super().get_insert_value(schema, props)
        return told(own)

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema, props: Props | None = None) -> Any:
        own: Any = super().get_insert_value(schema, props)
        return merged(own, current)


class Gives(Extends):
    """Extends one, too, and says what is merged."""

    def get_indexed_record(self, schema: AvroSchema, props: Props | None = None) -> Any:
        return told(super().get_indexed_record(schema, props))
