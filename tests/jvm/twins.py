"""Payloads that are written twice, here and in tests/jvm/java/Twins.java."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from payloads import NATURAL_ORDER, SENTINEL, HoodieRecordPayload
from payloads.builtin import OverwriteWithLatestAvroPayload

if TYPE_CHECKING:
    from payloads import AvroSchema, Record
    from payloads.api import Props


class Latest(HoodieRecordPayload):
    """Prefers the greater ordering value; deletes, or leaves alone, what its column `op` says."""

    def pre_combine(self, older: Any, schema: AvroSchema | None = None, props: Props | None = None) -> Any:
        if older.ordering_value.java_type != self.ordering_value.java_type:
            return self
        return older if older.ordering_value > self.ordering_value else self

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema, props: Props | None = None) -> Any:
        op = "delete" if self.record is None else self.record["op"]
        if op == "keep":
            return current
        if op == "ignore":
            return SENTINEL
        return None if op == "delete" else self.record

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Any:
        return self.record


class Sum(HoodieRecordPayload):
    """Adds up `n`, and reads the property `acme.step`."""

    def _sum(self, older: Record, step: int) -> Record:
        merged = dict(self.record or {})
        if older["n"] is not None and merged["n"] is not None:
            merged["n"] += older["n"] + step
        return merged

    def pre_combine(self, older: Any, schema: AvroSchema | None = None, props: Props | None = None) -> Any:
        if self.record is None or older.record is None:
            return self
        return type(self)(self._sum(older.record, 0), self.ordering_value)

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema, props: Props | None = None) -> Any:
        if self.record is None:
            return None
        return self._sum(current, int((props or {}).get("acme.step", "1000")))

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Any:
        return self.record


class Tags(OverwriteWithLatestAvroPayload):
    """Joins the lists `tags`, shortest memory first; deletes are those of Hudi's own classes."""

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema, props: Props | None = None) -> Any:
        own: Any = self.get_insert_value(schema, props)
        if own is None:
            return None
        tags = [*(current["tags"] or ()), *(own["tags"] or ())]
        return {**own, "tags": tags, "v": f"{_text(current['v'])}+{_text(own['v'])}"}


class Rewrites(OverwriteWithLatestAvroPayload):
    """Writes into the stored row, and deletes in the eyes of a writer what it inserts in those of a reader."""

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        own: Any = self.get_insert_value(schema, props)
        return own is None or own["op"] == "delete"

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema, props: Props | None = None) -> Any:
        own: Any = self.get_insert_value(schema, props)
        if own is None or own["op"] == "keep":
            return own
        if own["op"] == "ignore":
            current["v"] = f"left at {_text(own['v'])}"
            return SENTINEL
        current["v"] = f"was {_text(own['v'])}"
        return current


class Fails(Latest):
    """Fails in every method for some rows."""

    def __init__(self, record: Record | None, ordering_value: Any = NATURAL_ORDER) -> None:
        super().__init__(record, ordering_value)
        self._check("op", "ignore")

    def _check(self, column: str, wrong: object = None) -> None:
        if self.record is not None and self.record[column] == wrong:
            raise ValueError(column)

    def pre_combine(self, older: Any, schema: AvroSchema | None = None, props: Props | None = None) -> Any:
        self._check("tags")
        return super().pre_combine(older, schema, props)

    def combine_and_get_update_value(self, current: Record, schema: AvroSchema, props: Props | None = None) -> Any:
        self._check("n")
        return super().combine_and_get_update_value(current, schema, props)

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Any:
        self._check("v")
        return super().get_insert_value(schema, props)


def _text(value: str | None) -> str:
    return "null" if value is None else value
