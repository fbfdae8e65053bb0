"""HoodieFlinkRecord: the record API on Flink's rows answers as on plain data, and rows stay rows of their class.

`python -m tests.flink` runs this file with PyFlink's own rows.
"""

from __future__ import annotations

import datetime
import decimal
import sys

import pytest

from mergers import (
    HoodieAvroIndexedRecord,
    HoodieFlinkRecord,
    HoodieKey,
    MergerConfigError,
    MetadataValues,
)
from payloads import NATURAL_ORDER, Ordering, SchemaError, parse_schema
from payloads.ordering_fields import CONSISTENT_TIMESTAMP
from tests.mergers.tables import KEY, LOGICAL_COLUMNS, RIDES, long, ride
from tests.support.flink_rows import RowKind, row, values
from tests.support.schemas import nullable, record_schema

LOGICAL = parse_schema(
    record_schema(
        "logical",
        **LOGICAL_COLUMNS,
        tags={"type": "array", "items": {"type": "int", "logicalType": "date"}},
        seen={"type": "map", "values": {"type": "long", "logicalType": "local-timestamp-micros"}},
        raw="bytes",
        note=nullable("string"),
    )
)
DAY = datetime.date(2024, 1, 1)
AT = datetime.datetime(1970, 1, 1, 0, 0, 1, 500_000)  # noqa: DTZ001 (as Flink gives it)
TRIP = [DAY, AT, decimal.Decimal("19.53"), row("Tromsø", names=["city"]), [DAY], {"a": AT}, bytearray(b"x"), None]
PHYSICAL = {
    "day": 19_723,
    "at": 1_500,
    "fare": b"\x07\xa1",
    "place": {"city": "Tromsø"},
    "tags": [19_723],
    "seen": {"a": 1_500_000},
    "raw": b"x",
    "note": None,
}
OPERATIONS = {"INSERT": "I", "UPDATE_BEFORE": "-U", "UPDATE_AFTER": "U", "DELETE": "D"}


def trip(**settings):
    return HoodieFlinkRecord(KEY, row(*TRIP, names=LOGICAL.by_name, **settings))


def flink_ride(*arguments, kind="UPDATE_AFTER", **settings):
    record = ride(*arguments, **settings)
    return HoodieFlinkRecord(KEY, row(*record.values(), kind=kind, names=record))


def with_meta(schema):
    names = ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")
    meta = [{"name": f"_hoodie_{name}", "type": ["null", "string"], "default": None} for name in names]
    return parse_schema({**schema.source, "fields": [*meta, *schema.source["fields"]]})


def data(version, schema):
    """Return the data of a version in the form that all carriers share."""
    return version.to_indexed_record(schema, {}).record


@pytest.mark.parametrize(("kind", "operation"), OPERATIONS.items())
def test_a_row_kind_is_an_operation_of_hudi(kind, operation):
    version = trip(kind=kind)
    assert version.operation == operation
    assert version.marked_delete is (operation in {"-U", "D"})
    for other, code in OPERATIONS.items():
        again = version.new_instance(operation=code)
        assert (again.operation, again.row.get_row_kind()) == (code, RowKind[other])
        assert values(again.row) == values(version.row)
    assert version.row.get_row_kind() is RowKind[kind]  # carriers don't change


def test_values_are_those_of_the_same_record_in_avro():
    version = trip()
    assert data(version, LOGICAL) == PHYSICAL
    plain = HoodieAvroIndexedRecord(KEY, PHYSICAL, LOGICAL)
    columns = ["day", "at", "fare", "place.city", "tags", "note", "absent", "place.absent"]
    assert version.get_column_values(LOGICAL, columns) == plain.get_column_values(LOGICAL, columns)


def test_a_record_in_avro_is_a_row_with_flinks_values():
    version = trip().with_record(PHYSICAL, LOGICAL, long(1))
    city = ["Tromsø"]
    assert values(version.row) == [DAY, AT, decimal.Decimal("19.53"), city, [DAY], {"a": AT}, b"x", None]
    assert version.row._fields == [*LOGICAL.by_name]
    assert data(version, LOGICAL) == PHYSICAL


def test_a_datetime_with_a_zone_is_that_instant():
    schema = parse_schema(record_schema("r", at={"type": "long", "logicalType": "timestamp-micros"}))
    zone = datetime.timezone(datetime.timedelta(hours=1))
    version = HoodieFlinkRecord(KEY, row(datetime.datetime(1970, 1, 1, 1, tzinfo=zone)))
    assert data(version, schema) == {"at": 0}


@pytest.mark.parametrize(
    ("fields", "props", "expected"),
    [
        ((), {}, NATURAL_ORDER),
        (None, {}, NATURAL_ORDER),
        (None, {"hoodie.table.ordering.fields": "at"}, Ordering("long", 1_500)),
        (("day",), {"hoodie.table.ordering.fields": "at"}, Ordering("local_date", 19_723)),
        (("at",), {CONSISTENT_TIMESTAMP: "true"}, Ordering("timestamp", 1_500_000_000)),
        (("fare",), {}, Ordering("decimal", decimal.Decimal("19.53"))),
        (("at", "day"), {}, Ordering("array", (Ordering("long", 1_500), Ordering("local_date", 19_723)))),
        (("note",), {}, None),
        (("absent",), {}, NATURAL_ORDER),
        (("place.city",), {}, NATURAL_ORDER),  # Hudi looks for a field of this name
    ],
)
def test_the_ordering_value_is_read_from_the_row(fields, props, expected):
    found = trip().get_ordering_value(LOGICAL, props, fields)
    assert repr(found) == repr(expected)
    told = HoodieFlinkRecord(KEY, trip().row, ordering_value=long(9))
    assert told.get_ordering_value(LOGICAL, props, fields) == long(9)


@pytest.mark.parametrize(
    ("version", "props", "expected"),
    [
        (flink_ride(1), {}, False),
        (flink_ride(1, deleted=False), {}, False),
        (flink_ride(1, deleted=True), {}, True),
        (flink_ride(1, kind="DELETE"), {}, True),
        (flink_ride(1, kind="UPDATE_BEFORE"), {}, False),
        (HoodieFlinkRecord(KEY, None, "D"), {}, True),
        (flink_ride(1, "x"), {"hoodie.payload.delete.field": "rider", "hoodie.payload.delete.marker": "x"}, True),
        (flink_ride(1, "X"), {"hoodie.payload.delete.field": "rider", "hoodie.payload.delete.marker": "x"}, False),
    ],
)
def test_deletes(version, props, expected):
    assert version.is_delete(RIDES, props) is expected
    assert version.should_ignore(RIDES, props) is False


def test_meta_columns_are_prepended_filled_and_updated():
    target = with_meta(RIDES)
    version = flink_ride(1, "rider-A")
    widened = version.rewrite_record(RIDES, {}, target, MetadataValues("007", record_key="k1"))
    expected = {**dict.fromkeys(target.by_name), **ride(1, "rider-A")}
    expected |= {"_hoodie_commit_time": "007", "_hoodie_record_key": "k1"}
    assert data(widened, target) == expected
    assert (widened.key, widened.row.get_row_kind()) == (KEY, RowKind.UPDATE_AFTER)
    later = widened.update_metadata_values(target, {}, MetadataValues(commit_time="008"))
    assert data(later, target) == expected | {"_hoodie_commit_time": "008"}
    assert data(widened, target) == expected
    with pytest.raises(SchemaError, match="_hoodie_operation"):
        version.update_metadata_values(RIDES, {}, MetadataValues(operation="U"))


def test_a_new_schema_renames_promotes_and_fills():
    fields = [
        {"name": "uuid", "type": "string"},
        {"name": "driver", "type": ["null", "string"], "default": None},
        {"name": "ts", "type": "double"},
        {"name": "seats", "type": "int", "default": 4},
    ]
    wider = parse_schema({"type": "record", "name": "ride", "fields": fields})
    version = flink_ride(1, "rider-A").rewrite_record_with_new_schema(RIDES, {}, wider, {"driver": "rider"})
    assert values(version.row) == [KEY.record_key, "rider-A", 1.0, 4]
    assert version.operation == "U"


def test_joining_takes_the_values_of_both_and_the_other_side_wins():
    target = with_meta(RIDES)
    skeleton = HoodieFlinkRecord(KEY, row("007", "nobody", names=["_hoodie_commit_time", "rider"]))
    joined = skeleton.join_with(flink_ride(1, "rider-A", 9.5), target)
    expected = {**dict.fromkeys(target.by_name), "_hoodie_commit_time": "007", **ride(1, "rider-A", 9.5)}
    assert data(joined, target) == expected
    with pytest.raises(SchemaError, match="no field '_hoodie_commit_time'"):
        skeleton.join_with(flink_ride(1), RIDES)
    with pytest.raises(SchemaError, match="set_field_names"):
        HoodieFlinkRecord(KEY, row("007")).join_with(flink_ride(1), target)
    with pytest.raises(MergerConfigError, match="HoodieAvroIndexedRecord"):
        skeleton.join_with(HoodieAvroIndexedRecord(KEY, ride(1), RIDES), target)


def test_new_instances_and_copies():
    version, moved = flink_ride(1), HoodieKey("k2", "europe")
    assert version.copy() is version
    again = version.new_instance(moved)
    assert (again.key, again.operation, again.row) == (moved, "U", version.row)


@pytest.mark.parametrize(
    "call",
    [
        lambda version: version.get_column_values(RIDES, ["ts"]),
        lambda version: version.rewrite_record(RIDES, {}, RIDES),
        lambda version: version.update_metadata_values(RIDES, {}, MetadataValues("007")),
        lambda version: version.join_with(version, RIDES),
    ],
)
def test_without_a_row_there_is_nothing_to_rewrite(call):
    delete = HoodieFlinkRecord(KEY, None, "D", long(4))
    assert delete.to_indexed_record(RIDES, {}) is None
    assert delete.get_ordering_value(RIDES, {}) == long(4)
    with pytest.raises(SchemaError, match="check is_delete first"):
        call(delete)


def test_a_row_of_another_width_is_refused():
    with pytest.raises(SchemaError, match="the row has 1 values, and its schema 5 fields"):
        data(HoodieFlinkRecord(KEY, row(1)), RIDES)


def test_a_made_row_needs_pyflink(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyflink.common", None)
    with pytest.raises(MergerConfigError, match=r"install hudi-payload-bridge\[flink\]"):
        HoodieFlinkRecord.from_record(KEY, ride(1), RIDES)
