"""Payloads whose insert values Hudi can't always write, as tests/jvm/java/Inserts.java has them.

The column `op` says what a row does: E has no insert value, S has SENTINEL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from payloads import SENTINEL
from payloads.builtin import OverwriteWithLatestAvroPayload

if TYPE_CHECKING:
    from payloads import AvroSchema, Record
    from payloads.api import Props


class Unsaid(OverwriteWithLatestAvroPayload):
    """Extends a class of Hudi, and does not say of an E that it is a delete."""

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Any:
        own: Any = super().get_insert_value(schema, props)
        return {"E": None, "S": SENTINEL}.get(own["op"], own) if own is not None else None

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema, props: Props | None = None) -> Any:
        return self.get_insert_value(schema, props)


class Said(Unsaid):
    """Says so in `is_deleted`."""

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        return self.get_insert_value(schema, props) is None


class Declares(Unsaid):
    """Declares that it may give SENTINEL."""

    def can_produce_sentinel(self) -> bool:
        return True


class Lies(OverwriteWithLatestAvroPayload):
    """Calls an E a delete, and gives its row."""

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        return self.record is None or self.record["op"] == "E"


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
        own = self.record
        return None if own is None else {"E": None, "S": SENTINEL}.get(own["op"], own)

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema) -> Any:
        return self.get_insert_value(schema)


class Vanishes(Unsaid):
    """Has no insert value once two rows with op X were combined."""

    def pre_combine(self, older: Any, schema: AvroSchema | None = None, props: Props | None = None) -> Any:
        own: Any = self.record
        if older.record["op"] == own["op"] == "X":
            return Vanishes({**own, "op": "E"}, self.ordering_value)
        return super().pre_combine(older, schema, props)
