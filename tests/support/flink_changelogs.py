"""Changelogs of rows of Flink, drawn by a seed, and what a payload makes of one without Flink's carriers."""

from __future__ import annotations

import datetime
import decimal
import random
from typing import TYPE_CHECKING, Any

from mergers import AvroRecordMerger, HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieKey
from payloads import SENTINEL, HudiRelease, Ordering, parse_schema
from payloads.avro import to_physical
from tests.support.flink_rows import row
from tests.support.schemas import nullable, record_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEMA = parse_schema(
    record_schema(
        "Contact",
        id="string",
        ts="long",
        city=nullable("string"),
        seen=nullable({"type": "int", "logicalType": "date"}),
        spent=nullable({"type": "bytes", "logicalType": "decimal", "precision": 8, "scale": 2}),
        _hoodie_is_deleted=nullable("boolean"),
    )
)
PROPS = {"hoodie.payload.ordering.field": "ts", "hoodie.table.ordering.fields": "ts"}
PAYLOADS = (
    "DefaultHoodieRecordPayload",
    "OverwriteWithLatestAvroPayload",
    "OverwriteNonDefaultsWithLatestAvroPayload",
    "PartialUpdateAvroPayload",
    "EventTimeAvroPayload",
)
RELEASES = ("0.15", "1.0", "1.1", "1.2")
KINDS = ("INSERT", "UPDATE_AFTER", "UPDATE_AFTER", "DELETE")
_BY_EVENT_TIME = ("DefaultHoodieRecordPayload", "EventTimeAvroPayload")
_OPERATIONS = {"INSERT": "I", "UPDATE_AFTER": "U"}

Change = tuple[str, tuple[Any, ...]]
"""A RowKind and the values of a row."""


class Spends:
    """A user's class: the greater `ts` wins, and `spent` adds up; a row without city deletes."""

    def __init__(self, record: dict[str, Any] | None, ordering_value: Any) -> None:
        self.record, self.ordering_value = record, ordering_value

    logical_types = True

    def pre_combine(self, older: Spends) -> Spends:
        return older if older.ordering_value > self.ordering_value else self

    def combine_and_get_update_value(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:
        if self.record is None or self.record["city"] is None:
            return None
        last = current if current["ts"] > self.record["ts"] else self.record
        both = [one["spent"] or decimal.Decimal(0) for one in (current, self.record)]
        return {**last, "spent": sum(both, decimal.Decimal(0))}

    def get_insert_value(self, schema: Any) -> dict[str, Any] | None:
        return self.record


def changes(count: int, seed: int) -> list[Change]:
    """Draw the changes of one key."""
    chance = random.Random(seed)  # noqa: S311 (the same in every run)
    found = []
    for _ in range(count):
        city = chance.choice((None, "Oslo", "Rome", "Lima"))
        seen = chance.choice((None, datetime.date(2024, 1, 1), datetime.date(1969, 12, 31)))
        spent = chance.choice((None, decimal.Decimal("1.50"), decimal.Decimal("-0.25")))
        flag = chance.choice((None, None, None, True))
        found.append((chance.choice(KINDS), (f"k{seed}", chance.randrange(4), city, seen, spent, flag)))
    return found


def rows_of(log: Iterable[Change]) -> list[Any]:
    """Return changes as rows of Flink."""
    return [row(*values, kind=kind, names=SCHEMA.by_name) for kind, values in log]


def folded(payload: Any, release: str, log: Iterable[Change]) -> dict[str, Any] | None:
    """Return the record that a key has after its changes, merged one by one as Avro records; None if it is deleted.

    A change of the kind DELETE ends without a record, whatever the payload and its values; from 1.1 on only payloads of
    event time keep a record that is newer. A first row that is flagged is none from 1.1 on.
    """
    bridge = AvroRecordMerger(payload, release, "combine", rows_are_avro=False)
    is_buffered = HudiRelease.parse(release) >= HudiRelease.V1_1
    stored: dict[str, Any] | None = None
    for kind, values in log:
        if kind == "DELETE":
            is_late = stored is not None and values[1] < stored["ts"]
            stored = stored if is_late and is_buffered and payload in _BY_EVENT_TIME else None
            continue
        operation = _OPERATIONS[kind]
        data = to_physical(dict(zip(SCHEMA.by_name, values, strict=True)), SCHEMA)
        is_flagged = data["_hoodie_is_deleted"] is True
        ordering = Ordering("long", data["ts"])
        held = HoodieAvroRecord(HoodieKey(data["id"]), bridge.payload_class(data, ordering), operation)
        if stored is None:
            made = None if is_buffered and is_flagged else held.payload.get_insert_value(SCHEMA, PROPS)
            stored = None if made is SENTINEL else made  # type: ignore[assignment]
            continue
        newer: Any = held
        if is_buffered:
            newer = HoodieAvroIndexedRecord(held.key, data, SCHEMA, "D" if is_flagged else operation, ordering)
        older = HoodieAvroIndexedRecord(held.key, stored, SCHEMA, None, Ordering("long", stored["ts"]))
        merged: Any = bridge.merge(older, newer, SCHEMA, PROPS)
        deleted = merged is None or (is_buffered and merged.marked_delete)
        stored = None if deleted else merged.record
    return stored
