"""Classes in Python that change what they are lent, those that extend a class of Hudi among them: what is stored."""

from __future__ import annotations

from typing import Any

import pytest

from bridge import MergePlan
from bridge.merge import MergePoint, RecordMerge
from mergers import HoodieKey
from payloads import (
    SENTINEL,
    DefaultHoodieRecordPayload,
    OverwriteWithLatestAvroPayload,
    PartialUpdateAvroPayload,
    PayloadRef,
    parse_schema,
)

SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "ts", "type": "long"},
            {"name": "city", "type": ["null", "string"], "default": None},
            {"name": "tags", "type": ["null", {"type": "array", "items": "string"}], "default": None},
        ],
    }
)


def _edit(current: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    current["city"] = record["city"]
    current["tags"].append(record["city"])
    return current


class Stored(OverwriteWithLatestAvroPayload):
    def combine_and_get_update_value(self, current, schema, props=None):
        return _edit(current, self.record)


class StoredInJava(DefaultHoodieRecordPayload):
    def combineAndGetUpdateValue(self, current, schema, props=None):  # noqa: N802 (Java's name)
        return _edit(current, self.record)


class Kept(PartialUpdateAvroPayload):
    def combine_and_get_update_value(self, current, schema, props=None):
        _edit(current, self.record)
        return SENTINEL


class Own(OverwriteWithLatestAvroPayload):
    def combine_and_get_update_value(self, current, schema, props=None):
        return _edit(self.record, {"city": "Bern"})


class OfNoBase:
    def __init__(self, record, ordering_value=None):
        self.record = record

    def pre_combine(self, older):
        return self

    def get_insert_value(self, schema):
        return self.record

    def combine_and_get_update_value(self, current, schema):
        return _edit(current, self.record)


def row(ts: int, city: str, *tags: str) -> dict[str, Any]:
    return {"id": "a", "ts": ts, "city": city, "tags": [*tags]}


def data_of(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in SCHEMA.by_name}


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
@pytest.mark.parametrize("user_class", [Stored, StoredInJava, Kept, Own, OfNoBase])
def test_a_change_is_stored_unless_a_reader_lent_a_copy(user_class, release, table_type):
    payload = PayloadRef(f"{__name__}:{user_class.__name__}")
    merge = RecordMerge(MergePlan(payload=payload, release=release, key="id", table_type=table_type), SCHEMA)
    key, edited = HoodieKey("a"), row(1, "Lima", "t", "Lima")
    if user_class is Own:
        edited = row(2, "Bern", "u", "Bern")
    if table_type == "mor" and release in {"1.1", "1.2"}:
        edited = row(2, "Lima", "u") if user_class is Own else row(1, "Oslo", "t")
    stored = merge.insert(merge.incoming(key, row(1, "Oslo", "t"), None)).version
    newer = merge.incoming(key, row(2, "Lima", "u"), None)
    if table_type == "cow":
        (_, found), point = merge.upsert(stored, newer), MergePoint.UPSERT
    else:
        (_, found), point = (
            merge.snapshot(stored, merge.fold_log(None, key, merge.log_entry(newer))),
            MergePoint.SNAPSHOT,
        )
    assert data_of(found.record) == edited
    made: list[dict[str, Any]] = []
    older, incoming = row(1, "Oslo", "t"), row(2, "Lima", "u")
    source = merge.single_rows(point).pair(older, incoming, made)
    assert data_of({"STORED": older, "INCOMING": incoming}.get(source.name) or made[0]) == edited
    assert (older, incoming) == (row(1, "Oslo", "t"), row(2, "Lima", "u"))
