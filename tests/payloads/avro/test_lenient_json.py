"""JSON to Avro values by the rules of Hudi's converter, where golden vectors do not reach, and Java's number text."""

from __future__ import annotations

import math

import pytest

from payloads.avro.codec import parse_schema
from payloads.builtin import HoodieJsonPayload
from payloads.errors import SchemaError
from payloads.java.floats import double_text, float_text

DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}
FIXED_DECIMAL = {"type": "fixed", "name": "D", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 4}
DURATION = {"type": "fixed", "name": "Duration", "size": 12, "logicalType": "duration"}


def logical(kind, name):
    return {"type": kind, "logicalType": name}


def read(release, avro_type, text):
    schema = parse_schema({"type": "record", "name": "R", "fields": [{"name": "f", "type": avro_type}]})
    return HoodieJsonPayload.for_release(release)(f'{{"f": {text}}}').get_insert_value(schema)["f"]


@pytest.mark.parametrize(
    ("avro_type", "text", "until_0_15", "from_1_0"),
    [
        ("int", "1.9", 1, 1),
        ("int", '"+7"', 7, 7),
        ("int", "4294967297", 1, 1),
        ("int", "1e20", 2**31 - 1, 1661992960),
        ("long", "-1e400", -(2**63), 0),
        ("double", '" 1.5f "', 1.5, 1.5),
        ("double", "1e400", math.inf, math.inf),
        ("float", "-1e39", -math.inf, -math.inf),
        ("string", "1e10", "1.0E10", "1E+10"),
        ("string", '{"a": [1, null, 1.50]}', "{a=[1, null, 1.5]}", '{"a":[1,null,1.50]}'),
        (
            "string",
            '["é\\u001f\\\\u001f\\"/", {}, true]',
            '[é\x1f\\u001f"/, {}, true]',
            '["é\\u001F\\\\u001f\\"/",{},true]',
        ),
        ("bytes", "[1, 2]", b"[1, 2]", b"[1, 2]"),
        ("bytes", "true", b"true", b"true"),
        ({"type": "fixed", "name": "F", "size": 3}, "[1, -1, 255, 7]", b"\x01\xff\xff", b"\x01\xff\xff"),
        ({"type": "fixed", "name": "F", "size": 3}, "[1]", b"\x01\0\0", b"\x01\0\0"),
        ({"type": "array", "items": ["null", "long"]}, '[1, null, "2"]', [1, None, 2], [1, None, 2]),
        ({"type": "map", "values": "string"}, '{"a": 1}', {"a": "1"}, {"a": "1"}),
    ],
)
def test_conversions_without_logical_types(avro_type, text, until_0_15, from_1_0):
    assert read("0.15", avro_type, text) == until_0_15
    assert read("1.0", avro_type, text) == from_1_0


@pytest.mark.parametrize(
    ("avro_type", "text", "expected"),
    [
        (DECIMAL, "1.5", b"\x00\x96"),
        (DECIMAL, '"-1.50000"', b"\xff\x6a"),
        (DECIMAL, '"AQI="', b"\x01\x02"),
        (DECIMAL, "-1.28", b"\x80"),
        (FIXED_DECIMAL, "1.5", b"\x00\x00\x3a\x98"),
        (FIXED_DECIMAL, "[0, 0, 58, -104]", b"\x00\x00\x3a\x98"),
        (DURATION, "[1, 2, 3]", b"\x01\0\0\0\x02\0\0\0\x03\0\0\0"),
        (logical("int", "date"), '"2024-07-13"', 19917),
        (logical("int", "date"), '"+12024-07-13"', 3672342),
        (logical("int", "date"), '"-5"', -5),
        (logical("int", "time-millis"), '"11:36:01.951999"', 41_761_951),
        (logical("long", "time-micros"), '"11:36"', 41_760_000_000),
        (logical("long", "timestamp-millis"), '"2024-07-13T11:36:01.951Z"', 1_720_870_561_951),
        (logical("long", "timestamp-millis"), '"2024-07-13 11:36+01:00"', 1_720_866_960_000),
        (logical("long", "timestamp-millis"), '"1969-12-31T23:59:59.9995"', -1),
        (logical("long", "timestamp-micros"), '"1969-12-31T23:59:59.9999995"', 0),
        (logical("long", "local-timestamp-millis"), '"1969-12-31T23:59:59.9995"', 0),
        (logical("long", "local-timestamp-micros"), "17", 17),
        (logical("string", "uuid"), '"x"', "x"),
    ],
)
def test_logical_types_are_read_from_1_0_on(avro_type, text, expected):
    assert read("1.0", avro_type, text) == expected


@pytest.mark.parametrize(
    ("avro_type", "text"),
    [
        ("int", '"1.5"'),
        ("int", '"2147483648"'),
        ("int", '" 1"'),
        ("int", "true"),
        ("double", '"1_0"'),
        ("boolean", '"true"'),
        (["null", "int", "string"], "1"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, '"B"'),
        ({"type": "fixed", "name": "F", "size": 1}, '"a"'),
        ({"type": "array", "items": "long"}, "[null]"),
        (DECIMAL, "1.234"),
        (DECIMAL, "1000"),
        (DECIMAL, "1e999999999"),
        (DURATION, "[1, 2]"),
        (logical("int", "date"), '"2023-02-29"'),
        (logical("int", "time-millis"), '"24:00"'),
        (logical("long", "timestamp-micros"), '"3000-01-01T00:00Z"'),
        (logical("long", "timestamp-millis"), '"2024-07-13T11:36+19:00"'),
    ],
)
def test_what_cannot_be_converted_names_the_field(avro_type, text):
    with pytest.raises(SchemaError, match="field 'f'"):
        read("1.0", avro_type, text)


@pytest.mark.parametrize("text", [None, "", "null", "[]", '{"f": NaN}', "{"])
def test_what_is_not_a_json_object_is_refused(text):
    with pytest.raises(SchemaError):
        HoodieJsonPayload(text).get_insert_value(parse_schema({"type": "record", "name": "R", "fields": []}))


def test_keys_are_text():
    payload = HoodieJsonPayload('{"a": "x", "b": 1} and more')
    assert payload.get_row_key("a") == "x"
    assert payload.get_partition_path("a") == "x"
    assert payload.get_partition_path("b") is None
    with pytest.raises(SchemaError, match="field 'c'"):
        payload.get_row_key("c")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5e-324, "4.9E-324"),
        (1e-323, "1.0E-323"),
        (1e-320, "1.0E-320"),
        (2.0**-44, "5.6843418860808015E-14"),
        (0.001, "0.001"),
        (0.0009, "9.0E-4"),
        (0.1, "0.1"),
        (100.0, "100.0"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (9007199254740992.0, "9.007199254740992E15"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (-0.0, "-0.0"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
    ],
)
def test_double_text(value, text):
    assert double_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.401298464324817e-45, "1.4E-45"),
        (0.10000000149011612, "0.1"),
        (3.4028234663852886e38, "3.4028235E38"),
        (16777216.0, "1.6777216E7"),
        (1e300, "Infinity"),
    ],
)
def test_float_text(value, text):
    assert float_text(value) == text
