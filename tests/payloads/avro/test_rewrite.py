from __future__ import annotations

import copy

import pytest

from payloads.avro.branch import Branch
from payloads.avro.codec import decode, encode, parse_schema
from payloads.avro.rewrite import project_record, rewrite_record, rewrite_record_with_new_schema
from payloads.avro.schema import AvroSchema
from payloads.errors import SchemaError
from payloads.ordering import Ordering, compare

RELEASES = ("0.15", "1.0", "1.1", "1.2")
DATE = {"type": "int", "logicalType": "date"}
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}
LOCAL_MILLIS = {"type": "long", "logicalType": "local-timestamp-millis"}
ENUM = {"type": "enum", "name": "Color", "symbols": ["RED", "BLUE"]}
FIX2 = {"type": "fixed", "name": "Fix2", "size": 2}


def decimal_type(size, precision, scale, name="Dec"):
    return {
        "type": "fixed",
        "name": name,
        "size": size,
        "logicalType": "decimal",
        "precision": precision,
        "scale": scale,
    }


def record_schema(*fields, name="Row"):
    return parse_schema(
        {
            "type": "record",
            "name": name,
            "fields": [{"name": f[0], "type": f[1]} | ({"default": f[2]} if len(f) > 2 else {}) for f in fields],
        }
    )


def converted(old, new, value, release="1.2"):
    rewritten = rewrite_record_with_new_schema(
        {"v": value}, record_schema(("v", old)), record_schema(("v", new)), release
    )
    return rewritten["v"]


CONVERSIONS = [
    ("int", "long", 7, 7),
    ("int", "float", 16777217, 16777216.0),
    ("int", "double", 16777217, 16777217.0),
    ("long", "float", 2**40 + 1, 2.0**40),
    ("long", "double", 3, 3.0),
    ("float", "double", 1.100000023841858, 1.1),
    ("float", "double", 3.4028234663852886e38, 3.4028235e38),
    ("float", "double", float("inf"), float("inf")),
    ("int", "string", -7, "-7"),
    ("long", "string", 2**40, "1099511627776"),
    ("float", "string", 1.100000023841858, "1.1"),
    ("double", "string", 1e10, "1.0E10"),
    ("string", "bytes", "é", b"\xc3\xa9"),
    (ENUM, "string", "RED", "RED"),
    ("string", ENUM, "RED", "RED"),
    (DATE, "string", 19783, "2024-03-01"),
    ("string", DATE, "2024-03-01", 19783),
    ("string", DATE, "1969-12-31", -1),
    ("string", decimal_type(4, 9, 2), "1.005", (101).to_bytes(4, "big")),
    ("string", decimal_type(4, 9, 2), "-1.005", (-101).to_bytes(4, "big", signed=True)),
    ("int", decimal_type(4, 9, 2), 3, (300).to_bytes(4, "big")),
    ("long", decimal_type(4, 9, 2), 3, (300).to_bytes(4, "big")),
    ("float", decimal_type(4, 9, 2), 1.100000023841858, (110).to_bytes(4, "big")),
    ("double", decimal_type(4, 9, 2), 0.125, (13).to_bytes(4, "big")),
    (decimal_type(4, 9, 2), "string", (-12345).to_bytes(4, "big", signed=True), "-123.45"),
    (decimal_type(4, 9, 2), decimal_type(8, 18, 4), (150).to_bytes(4, "big"), (15000).to_bytes(8, "big")),
    (decimal_type(4, 9, 2), decimal_type(4, 9, 4, "Other"), (150).to_bytes(4, "big"), (150).to_bytes(4, "big")),
    (["null", "int"], ["null", "long"], None, None),
    ("int", ["null", "string"], 7, "7"),
    (["null", "int"], "string", 7, "7"),
    (["null", "int", "string"], ["null", "long", "string", "int"], 7, Branch("int", 7)),
    (["null", "int", "long"], ["null", "double"], Branch("long", 7), 7.0),
    ({"type": "array", "items": "int"}, {"type": "array", "items": "string"}, [1, 2], ["1", "2"]),
    ({"type": "map", "values": "int"}, {"type": "map", "values": ["null", "long"]}, {"a": 1}, {"a": 1}),
]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(("old", "new", "value", "expected"), CONVERSIONS)
def test_a_value_is_converted_to_the_new_type_in_every_release(old, new, value, expected, release):
    result = converted(old, new, value, release)
    assert result == expected
    assert type(result) is type(expected)
    record_schema(("v", new)).validate({"v": result})


@pytest.mark.parametrize(
    ("old", "new", "value", "by_release"),
    [
        ("bytes", "string", b"ab", ["java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]", "ab", "ab", "ab"]),
        (MILLIS, MICROS, -3, [-3, -3, -3, -3000]),
        (MICROS, MILLIS, 1999, [1999, 1999, 1999, 1]),
        ("long", MICROS, 5, [5, 5, 5, 5]),
        (MILLIS, LOCAL_MILLIS, 5, [5, 5, 5, SchemaError]),
        (MILLIS, MICROS, 2**62, [2**62, 2**62, 2**62, SchemaError]),
        (FIX2, "bytes", b"ab", [SchemaError, SchemaError, SchemaError, b"ab"]),
        ("bytes", decimal_type(2, 4, 1), b"\x05", [SchemaError, SchemaError, SchemaError, b"\x00\x05"]),
    ],
)
def test_a_conversion_that_changed_is_the_one_of_its_release(old, new, value, by_release):
    for release, expected in zip(RELEASES, by_release, strict=True):
        if expected is SchemaError:
            with pytest.raises(SchemaError, match="field 'v'"):
                converted(old, new, value, release)
        else:
            assert converted(old, new, value, release) == expected


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("long", "int", 1),
        ("double", "float", 1.0),
        ("string", "long", "1"),
        ("string", "int", "2024-03-01"),
        ("boolean", "string", True),
        ("string", DATE, "01.03.2024"),
        ("string", DATE, "2024-02-30"),
        ("string", decimal_type(4, 9, 2), "1_0"),
        ("string", decimal_type(4, 9, 2), "99999999.99"),
        ("double", decimal_type(4, 9, 2), float("nan")),
        ("int", FIX2, 1),
        (FIX2, "string", b"ab"),
        (decimal_type(8, 18, 4), decimal_type(4, 9, 2), (1).to_bytes(8, "big")),
        ("int", {"type": "array", "items": "int"}, 1),
        ("int", {"type": "map", "values": "int"}, 1),
        ("int", ["null", "string", "long"], 1),
        ({"type": "array", "items": "int"}, {"type": "array", "items": "boolean"}, [1]),
    ],
)
def test_a_value_that_does_not_convert_is_an_error_that_names_the_field(old, new, value):
    with pytest.raises(SchemaError, match="field 'v"):
        converted(old, new, value)


def test_null_stays_null_where_the_new_field_refuses_it():
    assert converted(["null", "int"], "long", None) is None


def test_equal_schemas_give_the_record_itself():
    old, new = (
        record_schema(("v", "int")),
        AvroSchema(record_schema(("v", "int")).source, {}),
    )
    record = {"v": 1}
    assert rewrite_record_with_new_schema(record, old, new, "1.2") is record


def test_missing_fields_get_their_default_and_dropped_fields_vanish():
    old = record_schema(("a", "int"), ("gone", "int"))
    new = record_schema(("b", ["null", "int"], None), ("c", "bytes", "\xff"), ("a", "int"), ("d", ["int", "null"], 5))
    result = rewrite_record_with_new_schema({"a": 1, "gone": 2}, old, new, "1.2")
    assert result == {"b": None, "c": b"\xff", "a": 1, "d": 5}
    assert list(result) == ["b", "c", "a", "d"]


def test_a_default_is_a_new_object_for_each_record():
    old, new = record_schema(("a", "int")), record_schema(("a", "int"), ("l", {"type": "array", "items": "int"}, [1]))
    first, second = (rewrite_record_with_new_schema({"a": 1}, old, new, "1.2") for _ in range(2))
    first["l"].append(2)
    assert second["l"] == [1]


def test_a_missing_field_without_default_is_null_in_0_15_and_an_error_later():
    old, new = record_schema(("a", "int")), record_schema(("a", "int"), ("b", "int"))
    assert rewrite_record_with_new_schema({"a": 1}, old, new, "0.15") == {"a": 1, "b": None}
    for release in RELEASES[1:]:
        with pytest.raises(SchemaError, match="field 'b' has no default"):
            rewrite_record_with_new_schema({"a": 1}, old, new, release)


INNER_OLD = {"type": "record", "name": "Inner", "fields": [{"name": "x", "type": "int"}]}
INNER_NEW = {
    "type": "record",
    "name": "Inner",
    "fields": [{"name": "y", "type": "long", "default": -1}],
}


@pytest.mark.parametrize(
    ("renames", "expected"),
    [
        ({}, {"row": {"y": -1}, "rows": [{"y": -1}]}),
        ({"row.y": "x"}, {"row": {"y": 1}, "rows": [{"y": -1}]}),
        ({"rows.element.y": "x"}, {"row": {"y": -1}, "rows": [{"y": 2}]}),
        ({"row": "rows"}, SchemaError),
    ],
)
def test_renames_go_by_the_full_new_name(renames, expected):
    old = record_schema(("row", INNER_OLD), ("rows", {"type": "array", "items": "Inner"}))
    new = record_schema(("row", INNER_NEW), ("rows", {"type": "array", "items": "Inner"}))
    record = {"row": {"x": 1}, "rows": [{"x": 2}]}
    if expected is SchemaError:
        with pytest.raises(SchemaError, match="field 'row'"):
            rewrite_record_with_new_schema(record, old, new, "1.2", renames)
    else:
        assert rewrite_record_with_new_schema(record, old, new, "1.2", renames) == expected


def test_a_renamed_column_hides_an_old_one_of_the_same_name():
    old, new = record_schema(("a", "int"), ("b", "int")), record_schema(("a", "long"))
    assert rewrite_record_with_new_schema({"a": 1, "b": 2}, old, new, "1.2", {"a": "b"}) == {"a": 2}


def test_a_record_that_contains_itself_is_rewritten_at_every_depth():
    def tree(kind):
        fields = [{"name": "v", "type": kind}, {"name": "next", "type": ["null", "Tree"], "default": None}]
        return parse_schema({"type": "record", "name": "Tree", "fields": fields})

    record = {"v": 1, "next": {"v": 2, "next": None}}
    assert rewrite_record_with_new_schema(record, tree("int"), tree("string"), "1.2") == {
        "v": "1",
        "next": {"v": "2", "next": None},
    }
    assert rewrite_record(record, tree("int"), tree("int"), "0.15") == record


def test_a_record_that_lacks_a_field_of_its_own_schema_is_an_error():
    with pytest.raises(SchemaError, match="no field 'a'"):
        rewrite_record_with_new_schema({}, record_schema(("a", "int")), record_schema(("a", "long")), "1.2")


def test_a_conversion_is_compiled_once_for_a_pair_of_schemas():
    old, new = record_schema(("v", "int")), record_schema(("v", "string"), ("w", "int", 0))
    kept = len(new._pairs)
    for value in range(3):
        rewrite_record_with_new_schema({"v": value}, old, new, "1.2")
    assert len(new._pairs) == kept + 1


@pytest.mark.parametrize("release", RELEASES[:3])
def test_the_plain_rewrite_copies_values_and_puts_defaults_for_nulls(release):
    old = record_schema(("a", "int"), ("n", ["null", "int"]), ("l", {"type": "array", "items": "int"}))
    new = record_schema(("a", "long"), ("n", ["int", "null"], 9), ("l", {"type": "array", "items": "long"}))
    items = [1]
    result = rewrite_record({"a": 1, "n": None, "l": items}, old, new, release)
    assert result == {"a": 1, "n": 9, "l": [1]}
    assert result["l"] is items


def test_the_plain_rewrite_goes_into_records():
    old, new = record_schema(("row", INNER_OLD)), record_schema(("row", ["null", INNER_NEW]))
    assert rewrite_record({"row": {"x": 1}}, old, new, "1.0") == {"row": {"y": -1}}


@pytest.mark.parametrize("value", [None, "absent"])
def test_the_plain_rewrite_refuses_null_without_default(value):
    old = record_schema(("a", ["null", "int"])) if value is None else record_schema(("z", "int"))
    with pytest.raises(SchemaError, match="field 'a' has no default"):
        rewrite_record({"a": None} if value is None else {"z": 1}, old, record_schema(("a", "int")), "1.0")


def test_the_plain_rewrite_is_the_deep_one_from_1_2_on():
    old, new = record_schema(("n", ["null", "int"])), record_schema(("n", ["string", "null"], "x"))
    assert rewrite_record({"n": 1}, old, new, "1.1") == {"n": 1}
    assert rewrite_record({"n": 1}, old, new, "1.2") == {"n": "1"}
    assert rewrite_record({"n": None}, old, new, "1.1") == {"n": "x"}
    assert rewrite_record({"n": None}, old, new, "1.2") == {"n": None}


@pytest.mark.parametrize("release", RELEASES[:3])
def test_a_copied_value_names_its_branch_where_the_new_union_needs_it(release):
    """Until 1.1 values that are no records are copied unseen."""
    one, two = record_schema(("n", ["null", "long"])), record_schema(("n", ["null", "int", "long"]))
    assert rewrite_record({"n": 7}, one, two, release) == {"n": Branch("long", 7)}
    assert rewrite_record({"n": Branch("long", 7)}, two, one, release) == {"n": 7}
    assert rewrite_record({"n": Branch("int", 7)}, two, two, release) == {"n": Branch("int", 7)}


def test_projection_copies_by_name_unless_the_field_counts_agree():
    old, two = record_schema(("a", "int"), ("b", "int")), record_schema(("a", "long"), ("c", "int"))
    three = record_schema(("b", "int"), ("c", ["null", "int"]), ("a", "int"))
    record = {"a": 1, "b": 2}
    assert project_record(record, old, two) is record
    assert project_record(record, old, three) == {"b": 2, "c": None, "a": 1}


def test_rewriting_changes_no_input_and_gives_what_can_be_encoded():
    old = record_schema(("row", INNER_OLD), ("l", {"type": "array", "items": "int"}))
    new = record_schema(("row", INNER_NEW), ("l", {"type": "array", "items": "string"}))
    record = {"row": {"x": 1}, "l": [1]}
    before = copy.deepcopy(record)
    result = rewrite_record_with_new_schema(record, old, new, "1.2", {"row.y": "x"})
    assert record == before
    assert decode(new, encode(new, result)) == result == {"row": {"y": 1}, "l": ["1"]}
    assert compare(Ordering("long", result["row"]["y"]), Ordering("long", 1)) == 0


@pytest.mark.parametrize("release", RELEASES)
def test_a_value_of_a_union_goes_into_the_branch_of_its_type(release):
    old, new = record_schema(("n", ["null", "int", "string"])), record_schema(("n", ["null", "string", "int"], None))
    for value in (7, "seven", None):
        assert rewrite_record_with_new_schema({"n": value}, old, new, release) == {"n": value}
