from __future__ import annotations

import datetime
import decimal

import pytest

from mergers import (
    HoodieAvroIndexedRecord,
    HoodieAvroRecord,
    HoodieEmptyRecord,
    HoodieKey,
    HoodieSparkRecord,
    MergerConfigError,
    MetadataValues,
    UnsupportedRecordOperationError,
)
from payloads import (
    NATURAL_ORDER,
    SENTINEL,
    HoodieRecordPayload,
    HudiRelease,
    Ordering,
    PayloadBridgeError,
    PayloadConfigError,
    PayloadFailedError,
    SchemaError,
    parse_schema,
    resolve_payload,
)
from payloads.ordering_fields import CONSISTENT_TIMESTAMP
from tests.mergers.tables import KEY, LOGICAL_COLUMNS, RELEASES, RIDES, long, ride, stored
from tests.support.schemas import nullable, record_schema

META = parse_schema(
    {
        **RIDES.source,
        "fields": [
            *(
                {"name": f"_hoodie_{name}", "type": ["null", "string"], "default": None}
                for name in ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")
            ),
            *RIDES.source["fields"],
        ],
    }
)
LOGICAL = parse_schema(
    record_schema(
        "logical",
        **LOGICAL_COLUMNS,
        note=nullable("string"),
    )
)
TRIP = {"day": 19_723, "at": 1_500, "fare": b"\x07\xa1", "place": {"city": "Tromsø"}, "note": None}
DAY = (datetime.date(2024, 1, 1) - datetime.date(1970, 1, 1)).days


class Quiet(HoodieRecordPayload):
    """Leaves every stored row alone."""

    def pre_combine(self, older, schema=None, props=None):
        return self

    def combine_and_get_update_value(self, current, schema, props=None):
        return SENTINEL

    def get_insert_value(self, schema, props=None):
        return SENTINEL

    def can_produce_sentinel(self):
        return True


def held(record, release="1.2", payload="DefaultHoodieRecordPayload", operation=None):
    payload_class = resolve_payload(payload, release)
    return HoodieAvroRecord(KEY, payload_class(record, long(0 if record is None else record.get("ts", 7))), operation)


def typed(ordering):
    """Return an ordering value so that Integer 0 and Long 0 differ."""
    if ordering is None or ordering.java_type != "array":
        return ordering and (ordering.java_type, ordering.value)
    return [typed(element) for element in ordering.value]


def plain(record, schema=LOGICAL):
    return HoodieAvroIndexedRecord(KEY, record, schema, "U", long(5))


# -- column values


def test_column_values_of_plain_data_are_physical():
    columns = ["day", "at", "place.city", "note", "absent", "place.absent"]
    expected = [DAY, 1_500, "Tromsø", None, None, None]
    assert plain(TRIP).get_column_values(LOGICAL, columns) == expected
    assert plain(TRIP).get_column_values(LOGICAL, columns, consistent_logical_timestamp_enabled=True) == expected


@pytest.mark.parametrize("release", ["0.15", "1.0"])
def test_column_values_of_plain_data_are_a_thing_of_1_1(release):
    with pytest.raises(UnsupportedRecordOperationError, match=f"get_column_values in {release}"):
        plain(TRIP).get_column_values(LOGICAL, ["day"], release=HudiRelease.parse(release))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("consistent", "at"), [(False, Ordering("long", 1_500)), (True, Ordering("timestamp", 1_500_000_000))]
)
def test_column_values_of_a_payload_are_converted(release, consistent, at):
    columns = ["day", "at", "fare", "place.city", "absent"]
    values = held(TRIP, release).get_column_values(LOGICAL, columns, consistent)
    expected = [
        Ordering("local_date", DAY),
        at,
        Ordering("decimal", decimal.Decimal("19.53")),
        Ordering("utf8", "Tromsø"),
        None,
    ]
    assert [typed(value) for value in values] == [typed(value) for value in expected]


@pytest.mark.parametrize("release", RELEASES)
def test_a_flagged_row_has_column_values_from_1_1_on(release):
    version = held(ride(1, "rider-A", deleted=True), release)
    if HudiRelease.parse(release) >= HudiRelease.V1_1:
        assert version.get_column_values(RIDES, ["rider"])[0].value == "rider-A"
    else:
        with pytest.raises(PayloadFailedError, match="get_column_values"):
            version.get_column_values(RIDES, ["rider"])


# -- ordering values


@pytest.mark.parametrize(
    ("fields", "props", "expected"),
    [
        ((), {}, NATURAL_ORDER),
        (None, {}, NATURAL_ORDER),
        (None, {"hoodie.table.ordering.fields": "at"}, Ordering("long", 1_500)),
        (("day",), {"hoodie.table.ordering.fields": "at"}, Ordering("local_date", DAY)),
        (("at",), {CONSISTENT_TIMESTAMP: "true"}, Ordering("timestamp", 1_500_000_000)),
        (("place.city",), {}, Ordering("utf8", "Tromsø")),
        (("at", "day"), {}, Ordering("array", (Ordering("long", 1_500), Ordering("local_date", DAY)))),
        (("note",), {}, None),
        (("absent",), {}, None),
    ],
)
def test_the_ordering_value_of_plain_data_is_read_from_its_fields(fields, props, expected):
    value = plain(TRIP).get_ordering_value(LOGICAL, props, fields)
    assert typed(value) == typed(expected)


def test_the_ordering_value_of_other_carriers_is_the_one_they_came_with():
    assert held(ride(3)).get_ordering_value(RIDES, {}, ("fare",)) == long(3)
    assert HoodieEmptyRecord(KEY, "D", long(4)).get_ordering_value(RIDES, {}, ("ts",)) == long(4)
    assert HoodieEmptyRecord(KEY).get_ordering_value(RIDES, {}) is NATURAL_ORDER


# -- joining and rewriting


def test_joining_takes_the_fields_of_both_and_the_other_side_wins():
    skeleton = {"_hoodie_commit_time": "007", "rider": "nobody"}
    joined = HoodieAvroIndexedRecord(KEY, skeleton, None).join_with(stored(ride(1, "rider-A", 9.5)), META)
    assert joined.record == {**dict.fromkeys(META.by_name), **skeleton, **ride(1, "rider-A", 9.5)}
    assert joined.schema is META


def test_joining_needs_a_place_for_each_field():
    with pytest.raises(SchemaError, match="no field 'extra'"):
        HoodieAvroIndexedRecord(KEY, {"extra": 1}, None).join_with(stored(ride(1)), RIDES)
    with pytest.raises(MergerConfigError, match="HoodieEmptyRecord"):
        stored(ride(1)).join_with(HoodieEmptyRecord(KEY), RIDES)


@pytest.mark.parametrize("make", [plain, held])
def test_meta_columns_are_prepended_and_filled(make):
    version, before = make(ride(1, "rider-A")), ride(1, "rider-A")
    result = version.rewrite_record(RIDES, {}, META, MetadataValues("007", record_key="k1"))
    assert list(result.record) == list(META.by_name)
    assert result.record == {
        **dict.fromkeys(META.by_name),
        **before,
        "_hoodie_commit_time": "007",
        "_hoodie_record_key": "k1",
    }
    assert (result.schema, result.key, version.record) == (META, KEY, before)


def test_with_nothing_to_prepend_the_data_stays():
    version = plain(ride(1), RIDES)
    assert version.rewrite_record(RIDES, {}, RIDES).record is version.record


@pytest.mark.parametrize("make", [plain, held])
def test_meta_columns_can_be_updated(make):
    row = {**dict.fromkeys(META.by_name), **ride(1), "_hoodie_file_name": "f1"}
    version = make(row)
    result = version.update_metadata_values(META, {}, MetadataValues(commit_time="008"))
    assert result.record == {**row, "_hoodie_commit_time": "008"}
    assert version.record == {**row, "_hoodie_commit_time": None}
    assert version.update_metadata_values(META, {}, MetadataValues()).record is version.record


def test_a_meta_column_that_the_schema_lacks_cannot_be_written():
    with pytest.raises(SchemaError, match="_hoodie_operation"):
        plain(ride(1)).update_metadata_values(META, {}, MetadataValues(operation="U"))
    assert MetadataValues().is_empty
    assert not MetadataValues(operation="U").is_empty


@pytest.mark.parametrize("release", RELEASES)
def test_a_new_schema_renames_promotes_and_fills(release):
    wider = parse_schema(
        {
            "type": "record",
            "name": "ride",
            "fields": [
                {"name": "uuid", "type": "string"},
                {"name": "driver", "type": ["null", "string"], "default": None},
                {"name": "ts", "type": "double"},
                {"name": "seats", "type": "int", "default": 4},
            ],
        }
    )
    expected = {"uuid": KEY.record_key, "driver": "rider-A", "ts": 1.0, "seats": 4}
    renames = {"driver": "rider"}
    line = HudiRelease.parse(release)
    version = plain(ride(1, "rider-A"))
    result = version.rewrite_record_with_new_schema(RIDES, {}, wider, renames, release=line)
    assert (result.record, result.schema, result.operation, result.ordering_value) == (expected, wider, "U", long(5))
    version = held(ride(1, "rider-A"), release)
    assert version.rewrite_record_with_new_schema(RIDES, {}, wider, renames).record == expected


@pytest.mark.parametrize(
    "call",
    [
        lambda version: version.rewrite_record(RIDES, {}, META),
        lambda version: version.rewrite_record_with_new_schema(RIDES, {}, META),
        lambda version: version.update_metadata_values(RIDES, {}, MetadataValues("007")),
    ],
)
@pytest.mark.parametrize("make", [plain, held])
def test_without_data_there_is_nothing_to_rewrite(call, make):
    with pytest.raises(PayloadBridgeError, match="check is_delete first"):
        call(make(None))


# -- deletes


@pytest.mark.parametrize(
    ("record", "operation", "props", "expected"),
    [
        (ride(1), None, {}, False),
        (ride(1, deleted=False), "U", {}, False),
        (ride(1, deleted=True), None, {}, True),
        (ride(1), "D", {}, True),
        (ride(1), "-U", {}, False),
        (None, None, {}, True),
        (SENTINEL, None, {}, False),
        (ride(1, "x"), None, {"hoodie.payload.delete.field": "rider", "hoodie.payload.delete.marker": "x"}, True),
        (ride(1, "X"), None, {"hoodie.payload.delete.field": "rider", "hoodie.payload.delete.marker": "x"}, False),
        (
            ride(1, deleted=True),
            None,
            {"hoodie.payload.delete.field": "rider", "hoodie.payload.delete.marker": "x"},
            True,
        ),
    ],
)
def test_deletes_of_plain_data(record, operation, props, expected):
    version = HoodieAvroIndexedRecord(KEY, record, RIDES, operation)
    assert version.is_delete(RIDES, props) is expected
    assert version.is_delete(RIDES, props, release=HudiRelease.V1_0) is False


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("D", True),
        ("-U", True),
        ("I", False),
        ("U", False),
        (None, SchemaError),
        ("d", SchemaError),
        ("X", SchemaError),
    ],
)
def test_the_operation_column_marks_deletes(operation, expected):
    fields = [{"name": "_hoodie_operation", "type": ["null", "string"]}]
    schema = parse_schema({"type": "record", "name": "r", "fields": fields})
    version = HoodieAvroIndexedRecord(KEY, {"_hoodie_operation": operation}, schema)
    if isinstance(expected, type):
        with pytest.raises(expected, match="_hoodie_operation"):
            version.is_delete(schema, {})
    else:
        assert version.is_delete(schema, {}) is expected


def test_half_a_delete_marker_is_refused():
    with pytest.raises(PayloadConfigError, match="either custom delete key or marker"):
        stored(ride(1)).is_delete(RIDES, {"hoodie.payload.delete.field": "rider"})


def test_a_flag_that_is_not_a_boolean_is_refused():
    schema = parse_schema(record_schema("r", _hoodie_is_deleted="string"))
    with pytest.raises(SchemaError, match="can't be cast to boolean"):
        HoodieAvroIndexedRecord(KEY, {"_hoodie_is_deleted": "true"}, schema).is_delete(schema, {})


@pytest.mark.parametrize("release", RELEASES)
def test_deletes_of_a_payload(release):
    assert held(ride(1, deleted=True), release).is_delete(RIDES, {})
    assert held(None, release).is_delete(RIDES, {})
    assert not held(ride(1), release).is_delete(RIDES, {})
    assert held(ride(1), release, operation="D").is_delete(RIDES, {}) is (release != "0.15")


def test_only_the_operation_marks_a_buffered_delete():
    marked = [stored(ride(1), operation).marked_delete for operation in (None, "I", "U", "D", "-U")]
    assert marked == [False, False, False, True, True]
    assert HoodieEmptyRecord(KEY).marked_delete
    assert HoodieEmptyRecord(KEY).is_delete(RIDES, {})


def test_who_says_leave_it_alone():
    assert HoodieAvroRecord(KEY, Quiet({})).should_ignore(RIDES, {})
    assert HoodieAvroIndexedRecord(KEY, SENTINEL, RIDES).should_ignore(RIDES, {})
    assert HoodieAvroRecord(KEY, Quiet({})).to_indexed_record(RIDES, {}) is None
    assert not held(ride(1)).should_ignore(RIDES, {})
    assert not stored(ride(1)).should_ignore(RIDES, {})
    assert not HoodieEmptyRecord(KEY).should_ignore(RIDES, {})


# -- plain data, copies and new instances


@pytest.mark.parametrize("release", RELEASES)
def test_a_payload_as_plain_data(release):
    live, flagged = (held(ride(3, "rider-A", deleted=flag), release, operation="U") for flag in (None, True))
    data = live.to_indexed_record(RIDES, {})
    assert (data.key, data.record, data.operation, data.ordering_value) == (KEY, live.record, "U", long(3))
    has_data = flagged.to_indexed_record(RIDES, {}) is not None
    assert has_data is (HudiRelease.parse(release) >= HudiRelease.V1_1)


def test_plain_data_is_its_own_plain_data_and_a_bare_delete_has_none():
    version = stored(ride(1))
    assert version.to_indexed_record(RIDES, {}) is version
    assert HoodieEmptyRecord(KEY).to_indexed_record(RIDES, {}) is None


@pytest.mark.parametrize("version", [plain(ride(1)), held(ride(1)), HoodieSparkRecord(KEY, "column")])
def test_new_instances_keep_what_they_are_not_given(version):
    moved = HoodieKey("k2", "europe")
    assert version.copy() is version
    again = version.new_instance(moved)
    assert (type(again), again.key, again.operation) == (type(version), moved, version.operation)
    again = version.new_instance(operation="D")
    assert (again.record_key, again.partition_path, again.operation) == (*KEY, "D")
    for attribute in ("record", "payload", "column", "ordering_value", "schema"):
        assert getattr(again, attribute, None) is getattr(version, attribute, None)


def test_a_bare_delete_forgets_under_a_new_key():
    delete, moved = HoodieEmptyRecord(KEY, "D", long(4)), HoodieKey("k2")
    again = delete.new_instance(moved)
    assert (again.key, again.operation, again.ordering_value) == (moved, None, NATURAL_ORDER)
    again = delete.new_instance(moved, "-U")
    assert (again.key, again.operation, again.ordering_value) == (moved, "-U", long(4))


def test_a_version_may_have_no_key():
    version = HoodieAvroIndexedRecord(None, ride(1), RIDES)
    assert (version.record_key, version.partition_path) == (None, None)


# -- what a carrier can't do

CALLS = {
    "to_indexed_record": lambda version: version.to_indexed_record(RIDES, {}),
    "get_column_values": lambda version: version.get_column_values(RIDES, ["ts"]),
    "get_ordering_value": lambda version: version.get_ordering_value(RIDES, {}),
    "join_with": lambda version: version.join_with(version, RIDES),
    "rewrite_record": lambda version: version.rewrite_record(RIDES, {}, META),
    "rewrite_record_with_new_schema": lambda version: version.rewrite_record_with_new_schema(RIDES, {}, META),
    "update_metadata_values": lambda version: version.update_metadata_values(META, {}, MetadataValues()),
    "is_delete": lambda version: version.is_delete(RIDES, {}),
}
ANSWERED = {
    "payload": set(CALLS) - {"join_with"},
    "empty": {"to_indexed_record", "get_ordering_value", "is_delete"},
    "spark": set(CALLS) - {"to_indexed_record", "join_with"},
}


@pytest.mark.parametrize(
    ("carrier", "call"),
    [(carrier, call) for carrier, answered in ANSWERED.items() for call in CALLS if call not in answered],
)
def test_calls_that_a_carrier_refuses(carrier, call):
    version = {
        "payload": held(ride(1)),
        "empty": HoodieEmptyRecord(KEY),
        "spark": HoodieSparkRecord(KEY, "column"),
    }[carrier]
    with pytest.raises(UnsupportedRecordOperationError, match=f"{type(version).__name__} does not support {call}"):
        CALLS[call](version)
