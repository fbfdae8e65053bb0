"""Schemas, versions and small calls that the tests of mergers share."""

from __future__ import annotations

from mergers import AvroRecordMerger, HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieKey
from payloads import Ordering, parse_schema
from tests.support.schemas import nullable, record_schema

RIDES = parse_schema(
    record_schema(
        "ride",
        uuid="string",
        rider=nullable("string"),
        fare=nullable("double"),
        ts="long",
        _hoodie_is_deleted=nullable("boolean"),
    )
)
LOGICAL_COLUMNS = {
    "day": {"type": "int", "logicalType": "date"},
    "at": {"type": "long", "logicalType": "timestamp-millis"},
    "fare": {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2},
    "place": {"type": "record", "name": "place", "fields": [{"name": "city", "type": "string"}]},
}
BY_TS = {"hoodie.payload.ordering.field": "ts"}
KEY = HoodieKey("334e26e9-8355-45cc-97c6-c31daf0df330", "americas")
RELEASES = ("0.15", "1.0", "1.1", "1.2")


def ride(ts, rider=None, fare=None, *, deleted=None):
    return {"uuid": KEY.record_key, "rider": rider, "fare": fare, "ts": ts, "_hoodie_is_deleted": deleted}


def long(ts):
    return Ordering("long", ts)


def merger(payload="DefaultHoodieRecordPayload", release="1.2", mode=None):
    return AvroRecordMerger(payload, release, mode)


def incoming(bridge, record, ordering=None, operation=None):
    """Return `record` as a version held by a payload of `bridge`."""
    if ordering is None:
        ordering = long(record["ts"])
    return HoodieAvroRecord(KEY, bridge.payload_class(record, ordering), operation)


def stored(record, operation=None, ordering=None):
    """Return `record` as plain data with the ordering value that its column gives."""
    if ordering is None:
        ordering = long(0 if record is None else record["ts"])
    return HoodieAvroIndexedRecord(KEY, record, RIDES, operation, ordering)
