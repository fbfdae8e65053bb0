"""Ordering values: Java's comparison rules as tables, and the laws that they keep."""

from __future__ import annotations

import decimal
import itertools
import pickle
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from payloads.avro.codec import parse_schema
from payloads.errors import NullOrderingError, OrderingTypeError, PayloadBridgeError
from payloads.ordering import NATURAL_ORDER, Ordering, compare, same_class
from tests.support.schemas import record_schema

ENUM = parse_schema({"type": "enum", "name": "Letter", "symbols": ["Z", "A"]})
FIXED = parse_schema({"type": "fixed", "name": "Two", "size": 2})
RECORD = parse_schema(record_schema("Point", x="int"))
LONGS = parse_schema({"type": "array", "items": "long"})
MAP = parse_schema({"type": "map", "values": "long"})

enum = partial(Ordering, "avro", schema=ENUM)
fixed = partial(Ordering, "avro", schema=FIXED)
NAN, INFINITY = float("nan"), float("inf")


def array(*elements):
    return Ordering("array", elements)


ASCENDING = {
    "int": [Ordering("int", value) for value in (-(2**31), -1, 0, 1, 2**31 - 1)],
    "long": [Ordering("long", value) for value in (-(2**63), -1, 0, 2**53, 2**53 + 1, 2**63 - 1)],
    "boolean: false first": [Ordering("boolean", value) for value in (False, True)],
    "float: zeros differ, NaN last": [Ordering("float", value) for value in (-INFINITY, -0.0, 0.0, INFINITY, NAN)],
    "double: zeros differ, NaN last": [
        Ordering("double", value) for value in (-INFINITY, -1.5, -5e-324, -0.0, 0.0, 5e-324, 1.0, INFINITY, NAN)
    ],
    "utf8: code points": [Ordering("utf8", value) for value in ("", "10", "9", "a", "é", "\uffff", "\U0001f600")],
    "string: UTF-16 units": [Ordering("string", value) for value in ("", "10", "9", "a", "é", "\U0001f600", "\uffff")],
    "bytes: signed": [Ordering("bytes", value) for value in (b"", b"\x80", b"\xff", b"\x00", b"\x7f", b"\x7f\x80")],
    "fixed: unsigned": [fixed(value) for value in (b"\x00\x80", b"\x7f\x00", b"\x80\x00", b"\xff\xff")],
    "enum: position of the symbol": [enum("Z"), enum("A")],
    "decimal: numeric": [Ordering("decimal", decimal.Decimal(text)) for text in ("-1", "0.99", "1.00", "2.56", "1E+9")],
    "date": [Ordering("local_date", days) for days in (-719163, -1, 0, 2932897)],
    "timestamp: nanoseconds": [Ordering("timestamp", nanos) for nanos in (-1_000_000, 0, 1, 10**18)],
    "record: field by field": [Ordering("avro", {"x": value}, RECORD) for value in (-1, 2)],
    "array of Avro: shorter first": [Ordering("avro", value, LONGS) for value in ([], [1], [1, 0], [2])],
    "several fields": [
        array(Ordering("long", 1), Ordering("utf8", "b")),
        array(Ordering("long", 2), Ordering("utf8", "a")),
        array(Ordering("long", 2), Ordering("utf8", "b")),
    ],
}


@pytest.mark.parametrize("values", ASCENDING.values(), ids=ASCENDING.keys())
def test_values_ascend(values):
    for left, right in itertools.combinations(values, 2):
        assert compare(left, right) < 0 < compare(right, left), (left, right)
        assert left < right
        assert left <= right
        assert right > left
        assert right >= left
        assert left != right


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Ordering("double", NAN), Ordering("double", -NAN)),
        (Ordering("decimal", decimal.Decimal("1.0")), Ordering("decimal", decimal.Decimal("1.000"))),
        (array(), array()),
        (array(Ordering("int", 1)), array(Ordering("int", 1))),
    ],
)
def test_equal_by_compare(left, right):
    assert compare(left, right) == compare(right, left) == 0
    assert left == right


UNLIKE = [
    Ordering("int", 0),
    Ordering("long", 0),
    Ordering("float", 0.0),
    Ordering("double", 0.0),
    Ordering("boolean", value=False),
    Ordering("utf8", "0"),
    Ordering("string", "0"),
    Ordering("bytes", b"00"),
    Ordering("decimal", decimal.Decimal(0)),
    Ordering("local_date", 0),
    Ordering("timestamp", 0),
    enum("A"),
    fixed(b"00"),
    array(Ordering("int", 0), Ordering("int", 0)),
]


@pytest.mark.parametrize(("left", "right"), list(itertools.permutations(UNLIKE, 2)))
def test_unlike_types_do_not_compare(left, right):
    with pytest.raises(OrderingTypeError, match="can't be compared"):
        compare(left, right)
    assert left != right
    assert not same_class(left, right)


def test_maps_and_lists_of_unlike_length_do_not_compare():
    with pytest.raises(OrderingTypeError):
        compare(Ordering("avro", {}, MAP), Ordering("avro", {}, MAP))
    with pytest.raises(OrderingTypeError, match="1 and 2 ordering values"):
        compare(array(Ordering("int", 1)), array(Ordering("int", 1), Ordering("int", 1)))


def test_a_null_in_a_list_counts_where_it_is_reached():
    one, two = Ordering("int", 1), Ordering("int", 2)
    assert compare(array(one, None), array(two, None)) < 0
    for left, right in [(array(one, None), array(one, two)), (array(one, two), array(one, None))]:
        with pytest.raises(NullOrderingError):
            compare(left, right)


def test_only_integer_zero_is_the_natural_order():
    assert NATURAL_ORDER.is_default
    others = [value for value in UNLIKE if value.java_type != "int"] + [Ordering("int", 1)]
    assert not any(value.is_default for value in others)


def test_comparing_with_a_plain_value_compares_the_value():
    five = Ordering("long", 5)
    assert (five > 4, five > 5, five >= 5, five < 5, five <= 5) == (True, False, True, False, True)
    value = Ordering("long", 3)
    assert value == 3
    assert value > 2
    assert value <= 3
    assert value < 4
    assert value >= 3
    assert hash(value) == hash(3)


def floats(width):
    return st.floats(width=width) | st.sampled_from([0.0, -0.0, NAN, INFINITY, -INFINITY])


SCALARS = {
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": floats(32),
    "double": floats(64),
    "boolean": st.booleans(),
    "utf8": st.text(),
    "string": st.text(),
    "bytes": st.binary(),
    "decimal": st.decimals(allow_nan=False, allow_infinity=False),
    "local_date": st.integers(-(2**31), 2**31 - 1),
    "timestamp": st.integers(-(2**70), 2**70),
}
KINDS = {
    **{java_type: values.map(partial(Ordering, java_type)) for java_type, values in SCALARS.items()},
    "enum": st.sampled_from(["Z", "A"]).map(enum),
    "fixed": st.binary(min_size=2, max_size=2).map(fixed),
    "avro array": st.lists(SCALARS["long"], max_size=3).map(lambda value: Ordering("avro", value, LONGS)),
    "array": st.tuples(
        SCALARS["long"].map(partial(Ordering, "long")),
        SCALARS["utf8"].map(partial(Ordering, "utf8")),
    ).map(partial(Ordering, "array")),
}


def sign(number):
    return (number > 0) - (number < 0)


@pytest.mark.parametrize("values", KINDS.values(), ids=KINDS.keys())
def test_each_type_is_totally_preordered(values):
    @given(values, values, values)
    def laws(a, b, c):
        assert compare(a, a) == 0
        assert sign(compare(a, b)) == -sign(compare(b, a))
        low, middle, high = sorted([a, b, c], key=Key)
        assert compare(low, middle) <= 0
        assert compare(middle, high) <= 0
        assert compare(low, high) <= 0
        assert (a == b) == (compare(a, b) == 0)
        assert same_class(a, b)

    laws()


class Key:
    """Sorts by `compare` alone."""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return compare(self.value, other.value) < 0


@given(
    st.sampled_from(sorted(KINDS)).flatmap(lambda kind: st.tuples(st.just(kind), KINDS[kind])),
    st.sampled_from(sorted(KINDS)).flatmap(lambda kind: st.tuples(st.just(kind), KINDS[kind])),
)
def test_compare_answers_for_one_type_and_refuses_two(left, right):
    (left_kind, left_value), (right_kind, right_value) = left, right
    if left_kind == right_kind:
        compare(left_value, right_value)
        return
    with pytest.raises(OrderingTypeError) as refused:
        compare(left_value, right_value)
    assert isinstance(refused.value, PayloadBridgeError)
    assert isinstance(refused.value, TypeError)


@given(st.one_of(*KINDS.values()))
def test_ordering_values_travel(value):
    copy = pickle.loads(pickle.dumps(value))  # noqa: S301 (our own bytes)
    assert copy.java_type == value.java_type
    assert compare(copy, value) == 0
