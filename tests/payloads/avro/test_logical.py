from __future__ import annotations

import datetime
import decimal
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from payloads import Branch, SchemaError, parse_schema
from payloads.avro.logical import codec, to_logical, to_physical

UTC = datetime.timezone.utc


def typed(kind, logical, **more):
    return {"type": kind, "logicalType": logical, **more}


def field_schema(source):
    return parse_schema({"type": "record", "name": "R", "fields": [{"name": "x", "type": source}]})


DECIMAL = typed("bytes", "decimal", precision=5, scale=2)
FIXED = typed("fixed", "decimal", name="money", size=3, precision=5, scale=2)
MILLIS, MICROS = typed("long", "timestamp-millis"), typed("long", "timestamp-micros")
LOCAL = typed("long", "local-timestamp-millis")


@pytest.mark.parametrize(
    ("source", "physical", "logical"),
    [
        (typed("int", "date"), -1, datetime.date(1969, 12, 31)),
        (typed("int", "time-millis"), 1_500, datetime.time(0, 0, 1, 500_000)),
        (typed("long", "time-micros"), 86_399_999_999, datetime.time(23, 59, 59, 999_999)),
        (MILLIS, -1, datetime.datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)),
        (MICROS, 1, datetime.datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)),
        (LOCAL, 1_000, datetime.datetime(1970, 1, 1, 0, 0, 1)),  # noqa: DTZ001 (local timestamps have no zone)
        (DECIMAL, b"\xff", decimal.Decimal("-0.01")),
        (DECIMAL, b"\x00\x80", decimal.Decimal("1.28")),
        (DECIMAL, b"\x80", decimal.Decimal("-1.28")),
        (DECIMAL, b"\x00", decimal.Decimal("0.00")),
        (FIXED, b"\xff\xff\xff", decimal.Decimal("-0.01")),
        (typed("string", "uuid"), str(uuid.UUID(int=7)), uuid.UUID(int=7)),
        (typed("fixed", "uuid", name="id", size=16), uuid.UUID(int=7).bytes, uuid.UUID(int=7)),
        (["null", typed("int", "date")], None, None),
        (["null", typed("int", "date")], 0, datetime.date(1970, 1, 1)),
        ({"type": "array", "items": typed("int", "date")}, [0], [datetime.date(1970, 1, 1)]),
        ({"type": "map", "values": MICROS}, {"a": 0}, {"a": datetime.datetime(1970, 1, 1, tzinfo=UTC)}),
        (["null", "string", typed("int", "date")], 0, datetime.date(1970, 1, 1)),
        (["null", "string", typed("int", "date")], "a", "a"),
        (["int", MICROS], Branch("long", 0), Branch("long", datetime.datetime(1970, 1, 1, tzinfo=UTC))),
        (["int", MICROS], Branch("int", 5), Branch("int", 5)),
    ],
)
def test_both_directions(source, physical, logical):
    schema = field_schema(source)
    assert to_logical({"x": physical}, schema) == {"x": logical}
    assert type(to_logical({"x": physical}, schema)["x"]) is type(logical)
    assert to_physical({"x": logical}, schema) == {"x": physical}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (typed("int", "date"), 2**31 - 1),
        (MICROS, 2**63 - 1),
        (MILLIS, -(2**63)),
        (typed("int", "time-millis"), 86_400_000),
        (typed("int", "time-millis"), -1),
        (typed("long", "timestamp-nanos"), 1),
        (typed("fixed", "duration", name="d", size=12), bytes(12)),
        (typed("string", "uuid"), "0A3F5C7E-1111-4222-8333-123456789ABC"),
        (typed("string", "uuid"), "no uuid"),
        (typed("long", "date"), 1),
    ],
)
def test_what_python_cannot_hold_stays(source, value):
    schema = field_schema(source)
    assert to_logical({"x": value}, schema) == to_physical({"x": value}, schema) == {"x": value}


@pytest.mark.parametrize(
    ("source", "value", "message"),
    [
        (MICROS, datetime.datetime(2020, 1, 1), "tzinfo=datetime.timezone.utc"),  # noqa: DTZ001 (the mistake under test)
        (LOCAL, datetime.datetime(2020, 1, 1, tzinfo=UTC), "a naive datetime"),
        (MILLIS, datetime.datetime(2020, 1, 1, 0, 0, 0, 1, tzinfo=UTC), "milliseconds; round it"),
        (typed("int", "date"), datetime.datetime(2020, 1, 1, tzinfo=UTC), "is not a date"),
        (typed("int", "time-millis"), datetime.time(1, tzinfo=UTC), "time zone"),
        (DECIMAL, decimal.Decimal("0.001"), "doesn't fit decimal"),
        (DECIMAL, decimal.Decimal("1000.00"), "doesn't fit decimal"),
        (DECIMAL, decimal.Decimal("NaN"), "doesn't fit decimal"),
        (typed("fixed", "decimal", name="m", size=1, scale=2), decimal.Decimal("1.28"), "1 bytes"),
    ],
)
def test_what_would_be_guessed_or_rounded_is_refused(source, value, message):
    with pytest.raises(SchemaError, match=f"field 'x': .*{message}"):
        to_physical({"x": value}, field_schema(source))


def test_another_zone_is_the_same_instant():
    zone = datetime.timezone(datetime.timedelta(hours=2))
    value = datetime.datetime(1970, 1, 1, 2, tzinfo=zone)
    assert to_physical({"x": value}, field_schema(MICROS)) == {"x": 0}


def test_a_decimal_with_fewer_digits_is_padded():
    assert to_physical({"x": decimal.Decimal("1.5")}, field_schema(DECIMAL)) == {"x": b"\x00\x96"}
    assert to_physical({"x": decimal.Decimal("1E+1")}, field_schema(DECIMAL)) == {"x": b"\x03\xe8"}
    assert to_physical({"x": decimal.Decimal("1.5000")}, field_schema(DECIMAL)) == {"x": b"\x00\x96"}


def test_a_record_that_contains_itself():
    node = {
        "type": "record",
        "name": "Node",
        "fields": [{"name": "day", "type": typed("int", "date")}, {"name": "next", "type": ["null", "Node"]}],
    }
    schema, record = parse_schema(node), {"day": 0, "next": {"day": 1, "next": None}}
    logical = to_logical(record, schema)
    assert logical["next"]["day"] == datetime.date(1970, 1, 2)
    assert to_physical(logical, schema) == record


def test_nothing_inside_is_shared():
    schema = field_schema({"type": "array", "items": "string"})
    record = {"x": ["a"]}
    to_logical(record, schema)["x"].append("b")
    assert record == {"x": ["a"]}


def test_a_schema_is_looked_at_once():
    schema = field_schema(MICROS)
    assert codec(schema) is codec(schema)


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_long_survives_as_a_timestamp(value):
    for source in (MICROS, MILLIS, LOCAL, typed("long", "time-micros")):
        schema = field_schema(source)
        assert to_physical(to_logical({"x": value}, schema), schema) == {"x": value}


@given(st.integers(-99_999, 99_999))
def test_every_decimal_survives(unscaled):
    value = decimal.Decimal(unscaled).scaleb(-2)
    for source in (DECIMAL, FIXED):
        schema = field_schema(source)
        physical = to_physical({"x": value}, schema)
        schema.validate(physical)
        assert to_logical(physical, schema) == {"x": value}
