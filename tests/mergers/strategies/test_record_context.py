"""The Java classes of ordering values, engine by engine and release by release."""

from __future__ import annotations

import decimal

import pytest

from mergers import AvroRecordMerger, HoodieAvroIndexedRecord, HoodieRecordType
from mergers.strategies import DeleteEntry, RecordContext, buffered_merger
from payloads import NATURAL_ORDER, HudiRelease, Ordering, OrderingTypeError, parse_schema
from tests.mergers.tables import KEY, long
from tests.support.schemas import nullable, nullable_schema, record_schema

AVRO, SPARK = HoodieRecordType.AVRO, HoodieRecordType.SPARK
DECIMAL = {"type": "fixed", "name": "dec", "size": 4, "logicalType": "decimal", "precision": 8, "scale": 2}
COLUMNS = {
    "i": "int",
    "l": "long",
    "d": "double",
    "s": "string",
    "us": {"type": "long", "logicalType": "timestamp-micros"},
    "ms": {"type": "long", "logicalType": "timestamp-millis"},
    "day": {"type": "int", "logicalType": "date"},
    "dec": DECIMAL,
}
SCHEMA = parse_schema(nullable_schema(**COLUMNS))
ROW = {"i": 1, "l": 2, "d": 1.5, "s": "x", "us": 3, "ms": 4, "day": 5, "dec": (325).to_bytes(4, "big")}


def context(engine, *fields, release=HudiRelease.V1_2):
    return RecordContext(engine, release, SCHEMA, fields)


@pytest.mark.parametrize(
    ("column", "avro", "spark"),
    [
        ("i", ("int", 1), ("int", 1)),
        ("l", ("long", 2), ("long", 2)),
        ("d", ("double", 1.5), ("double", 1.5)),
        ("s", ("utf8", "x"), ("utf8", "x")),
        ("us", ("long", 3), ("long", 3)),
        ("ms", ("long", 4), ("long", 4000)),
        ("day", ("int", 5), ("int", 5)),
        ("dec", ("avro", (325).to_bytes(4, "big")), ("spark_decimal", decimal.Decimal("3.25"))),
        ("missing", ("int", 0), ("int", 0)),
    ],
)
def test_rows(column, avro, spark):
    for engine, expected in ((AVRO, avro), (SPARK, spark)):
        ordering = context(engine, column).row_ordering(ROW)
        assert (ordering.java_type, ordering.value) == expected


def test_null_reads_as_integer_0_in_a_list_too():
    empty = dict.fromkeys(COLUMNS)
    for engine in (AVRO, SPARK):
        assert context(engine, "dec").row_ordering(empty) is NATURAL_ORDER
        assert context(engine).row_ordering(ROW) is NATURAL_ORDER
        listed = context(engine, "l", "dec").row_ordering(empty)
        assert (listed.java_type, listed.value) == ("array", (NATURAL_ORDER, NATURAL_ORDER))


@pytest.mark.parametrize(
    ("engine", "release", "ordering", "java_type"),
    [
        (AVRO, "1.2", Ordering("string", "x"), "utf8"),
        (AVRO, "1.2", Ordering("decimal", decimal.Decimal(1)), "decimal"),
        (AVRO, "1.2", Ordering("local_date", 5), "local_date"),
        (SPARK, "1.2", Ordering("string", "x"), "utf8"),
        (SPARK, "1.2", Ordering("decimal", decimal.Decimal(1)), "spark_decimal"),
        (SPARK, "1.2", Ordering("local_date", 5), "local_date"),
        (SPARK, "1.2", Ordering("timestamp", 5), "timestamp"),
        (SPARK, "1.0", Ordering("string", "x"), "utf8"),
        (SPARK, "1.0", Ordering("decimal", decimal.Decimal(1)), "decimal"),
    ],
)
def test_delete_entries(engine, release, ordering, java_type):
    found = context(engine, "s", release=HudiRelease.parse(release)).entry_ordering(ordering)
    assert (found.java_type, found.value) == (java_type, ordering.value)


@pytest.mark.parametrize(
    ("number", "expected"), [(4, 4000), (9_999_999_999_999, 9_999_999_999_999_000), (10**13, 10**13)]
)
def test_a_small_number_for_a_column_in_milliseconds_becomes_microseconds(number, expected):
    assert context(SPARK, "ms").entry_ordering(long(number)).value == expected
    assert context(SPARK, "us").entry_ordering(long(number)).value == number
    assert context(AVRO, "ms").entry_ordering(long(number)).value == number
    listed = context(SPARK, "l", "ms").entry_ordering(Ordering("array", (long(number), long(number))))
    assert [element.value for element in listed.value] == [number, expected]


def test_a_decimal_delete_compares_in_spark_and_makes_a_slice_of_1_0_unreadable():
    row = HoodieAvroIndexedRecord(KEY, ROW, SCHEMA, None, context(SPARK, "dec").row_ordering(ROW))
    late = DeleteEntry(KEY, Ordering("decimal", decimal.Decimal("1.00")))
    props = {"hoodie.table.precombine.field": "dec"}
    today = buffered_merger("EVENT_TIME_ORDERING", SCHEMA, props, release="1.2", engine="SPARK")
    assert today.fold(row, late) is row
    before = buffered_merger("EVENT_TIME_ORDERING", SCHEMA, props, release="1.0", engine="SPARK")
    folded = before.fold(row, late)
    assert folded.marked_delete
    with pytest.raises(OrderingTypeError):
        before.final_merge(row, folded)


def test_a_date_in_a_list_makes_a_slice_of_1_2_unreadable():
    props = {"hoodie.table.ordering.fields": "day,l"}
    merger = buffered_merger("EVENT_TIME_ORDERING", SCHEMA, props, engine="SPARK")
    deleting = merger.fold(None, DeleteEntry(KEY, Ordering("array", (Ordering("local_date", 9), long(2)))))
    row = HoodieAvroIndexedRecord(KEY, ROW, SCHEMA, None, merger.context.row_ordering(ROW))
    with pytest.raises(OrderingTypeError):
        merger.final_merge(row, deleting)


def test_edits_of_the_incoming_row_are_lost_in_spark():
    schema = parse_schema(record_schema("change", _event_lsn=nullable("long"), text=nullable("string")))

    def row(lsn, text):
        return HoodieAvroIndexedRecord(KEY, {"_event_lsn": lsn, "text": text}, schema, None, long(lsn))

    older, newer = row(1, "stored"), row(2, "__debezium_unavailable_value")
    for engine, release, expected in (
        ("AVRO", "1.2", "stored"),
        ("SPARK", "1.2", "__debezium_unavailable_value"),
        ("SPARK", "1.0", "stored"),
    ):
        bridge = AvroRecordMerger("PostgresDebeziumAvroPayload", release, "combine", rows_are_avro=engine == "AVRO")
        props = {"hoodie.table.precombine.field": "_event_lsn"}
        merger = buffered_merger("CUSTOM", schema, props, release=release, engine=engine, merger=bridge)
        assert merger.final_merge(older, newer).record["text"] == expected
        assert newer.record["text"] == "__debezium_unavailable_value"


def test_a_row_that_a_payload_made_has_the_ordering_class_of_spark():
    bridge = AvroRecordMerger("PartialUpdateAvroPayload", "1.2", "combine", rows_are_avro=False)
    props = {"hoodie.table.ordering.fields": "dec"}
    merger = buffered_merger("CUSTOM", SCHEMA, props, engine="SPARK", merger=bridge)
    versions = [
        HoodieAvroIndexedRecord(KEY, record, SCHEMA, None, merger.context.row_ordering(record))
        for record in (ROW, {**ROW, "s": None})
    ]
    made = merger.final_merge(*versions)
    assert (made.record["s"], made.ordering_value.java_type) == ("x", "spark_decimal")
