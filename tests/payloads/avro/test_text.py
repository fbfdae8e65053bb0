"""Values as Java prints them."""

from __future__ import annotations

import pytest

from payloads.avro import parse_schema
from payloads.avro.generic_text import fixed_text, hash_order, record_text
from payloads.avro.text import date_text, timestamp_text


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (146_097, "2370-01-01"),
        (-719_528, "0000-01-01"),
        (-719_529, "-0001-12-31"),
        (2_932_896, "9999-12-31"),
        (2_932_897, "+10000-01-01"),
        (2**31 - 1, "+5881580-07-11"),
        (-(2**31), "-5877641-06-23"),
    ],
)
def test_a_date_of_any_year_is_printed_as_by_local_date(days, text):
    assert date_text(days) == text


def test_an_instant_is_printed_as_by_sql_timestamp():
    assert timestamp_text(0) == "1970-01-01 00:00:00.0"
    assert timestamp_text(-1) == "1969-12-31 23:59:59.999999999"
    assert timestamp_text((86_400 + 3_661) * 10**9 + 120_000_000) == "1970-01-02 01:01:01.12"


def test_a_fixed_value_is_printed_as_signed_bytes():
    assert fixed_text(bytes([0, 126, 127, 128, 255])) == "[0, 126, 127, -128, -1]"


def test_an_array_shows_what_is_inside():
    assert record_text(parse_schema({"type": "array", "items": ["null", "string"]}), ["a", None]) == '["a", null]'


def test_a_float_is_printed_as_java_prints_floats_and_a_double_as_doubles():
    value = 0.10000000149011612  # the double next to the float 0.1
    assert record_text(parse_schema("float"), value) == "0.1"
    assert record_text(parse_schema("double"), value) == "0.10000000149011612"


@pytest.mark.parametrize(
    ("count", "order"),
    [
        (1, "a0"),
        (3, "a0 f1 k2"),
        (6, "f1 p3 z5 a0 k2 u4"),
        (7, "e6 p3 k2 f1 z5 a0 u4"),
        (12, "e6 p3 t9 d11 k2 o8 y10 f1 z5 j7 a0 u4"),
        (13, "p3 t9 d11 k2 o8 f1 i12 j7 a0 e6 y10 z5 u4"),
    ],
)
def test_a_map_shows_its_keys_in_the_order_of_javas_hash_map(count, order):
    """From Java: `new HashMap<>(count)`, filled in order. It grows past three quarters of a power of two."""
    assert hash_order([f"{chr(ord('a') + number * 5 % 26)}{number}" for number in range(count)]) == order.split()
