"""Schemas and values: what goes in comes out, and what does not fit is refused by the name of its field."""

from __future__ import annotations

import math
import pickle
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from payloads.api import Properties
from payloads.avro.branch import Branch
from payloads.avro.codec import decode, encode, parse_schema
from payloads.avro.schema import branch_of
from payloads.errors import SchemaError
from payloads.ordering_fields import TABLE_ORDERING_FIELDS, ordering_reader
from payloads.release import HudiRelease
from tests.support.schemas import record_schema

PRIMITIVES = ["null", "boolean", "int", "long", "float", "double", "string", "bytes"]
LOGICAL = [
    {"type": "int", "logicalType": "date"},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
    {"type": "string", "logicalType": "uuid"},
]


@st.composite
def schemas(draw, depth=3, names=None):  # noqa: PLR0911 (one return a kind)
    """Draw a schema; `names` numbers the named types, which must differ."""
    names = [] if names is None else names
    kinds = ["primitive", "logical", "enum", "fixed"]
    kind = draw(st.sampled_from([*kinds, "record", "array", "map", "union"] if depth else kinds))
    if kind == "primitive":
        return draw(st.sampled_from(PRIMITIVES))
    if kind == "logical":
        return draw(st.sampled_from(LOGICAL))
    if kind == "array":
        return {"type": "array", "items": draw(schemas(depth - 1, names))}
    if kind == "map":
        return {"type": "map", "values": draw(schemas(depth - 1, names))}
    if kind == "union":
        return draw(unions(depth, names))
    names.append(kind)
    name = f"org.example.T{len(names)}"
    if kind == "enum":
        return {"type": "enum", "name": name, "symbols": ["A", "B"]}
    if kind == "fixed":
        return {"type": "fixed", "name": name, "size": draw(st.integers(1, 4))}
    fields = [{"name": f"f{i}", "type": draw(schemas(depth - 1, names))} for i in range(draw(st.integers(0, 3)))]
    return {"type": "record", "name": name, "fields": fields}


@st.composite
def unions(draw, depth, names):
    """Draw branches of which no two have one type without a name: ambiguous ones among them."""
    branches = {}
    for branch in draw(st.lists(schemas(depth - 1, names), min_size=1, max_size=4)):
        if not isinstance(branch, list):
            described = branch if isinstance(branch, dict) else {"type": branch}
            branches.setdefault(described.get("name", described["type"]), branch)
    return list(branches.values()) or ["null", "string"]


def values(schema):  # noqa: PLR0911 (one return a kind)
    """Return the strategy of the values that fit."""
    match schema.kind:
        case "record":
            return st.fixed_dictionaries({field.name: values(field.schema) for field in schema.fields})
        case "array":
            return st.lists(values(schema.items), max_size=3)
        case "map":
            return st.dictionaries(st.text(max_size=3), values(schema.values), max_size=3)
        case "enum":
            return st.sampled_from(schema.symbols)
        case "fixed":
            return st.binary(min_size=schema.size, max_size=schema.size)
        case "union":
            return st.one_of([branch_values(schema, branch) for branch in schema.branches])
        case kind:
            return SCALARS[kind]


def branch_values(schema, branch):
    plain = values(branch)
    if not schema.ambiguous or branch.kind == "null":
        return plain
    return plain.map(lambda value: Branch(branch.name, value))


SCALARS = {
    "null": st.none(),
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32, allow_nan=False),
    "double": st.floats(allow_nan=False),
    "string": st.text(max_size=5),
    "bytes": st.binary(max_size=5),
}


def typed(value):
    """Return `value` with the type of everything in it, because 1 == 1.0 == True."""
    if isinstance(value, Branch):
        return Branch, value.name, typed(value.value)
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return type(value), repr(value)


@given(st.data())
def test_a_value_comes_back_as_it_went_in(data):
    schema = parse_schema(data.draw(schemas()))
    value = data.draw(values(schema))
    schema.validate(value)
    assert schema.fits(value)
    encoded = encode(schema, value)
    decoded = decode(schema, encoded)
    assert typed(decoded) == typed(value)
    assert encode(schema, decoded) == encoded


def test_bytes_are_not_taken_for_an_array_of_their_union():
    schema = parse_schema([{"type": "array", "items": "int"}, "bytes"])
    for value in (b"", b"\x01", [], [1]):
        assert typed(decode(schema, encode(schema, value))) == typed(value)


def test_what_is_derived_from_a_schema_is_built_once_for_equal_arguments():
    schema = parse_schema(record_schema("Derived", ts="long"))
    named, other = {TABLE_ORDERING_FIELDS: "ts"}, {TABLE_ORDERING_FIELDS: "ts", "more": "1"}
    assert Properties(named) == Properties(named)
    assert len({Properties(named), Properties(named), pickle.loads(pickle.dumps(Properties(named)))}) == 1  # noqa: S301
    assert Properties(named) != Properties(other)
    read = ordering_reader(schema, Properties(named), HudiRelease.V1_2)
    assert read is ordering_reader(schema, Properties(named), HudiRelease.V1_2)
    assert read is not ordering_reader(schema, Properties(named), HudiRelease.V0_15)


@pytest.mark.parametrize(
    ("source", "branches"),
    [
        (["int", "long"], [("int", 1), ("long", 1)]),
        (["null", "float", "double"], [("float", 1.5), ("double", 1.5)]),
        (["bytes", {"type": "fixed", "name": "F", "size": 1}], [("bytes", b"a"), ("F", b"a")]),
        (["string", {"type": "enum", "name": "E", "symbols": ["A"]}], [("string", "A"), ("E", "A")]),
        (
            [
                {"type": "map", "values": "int"},
                record_schema("R", a="int"),
            ],
            [("map", {"a": 1}), ("R", {"a": 1})],
        ),
    ],
)
def test_an_ambiguous_union_keeps_its_branch(source, branches):
    schema = parse_schema(source)
    assert schema.ambiguous
    encodings = [encode(schema, Branch(name, value)) for name, value in branches]
    assert [decode(schema, encoded) for encoded in encodings] == [Branch(name, value) for name, value in branches]
    assert len(set(encodings)) == len(branches)


@pytest.mark.parametrize("source", [["double", "long"], ["float", "int", "string"], ["long", "double"]])
def test_an_integer_does_not_match_a_floating_branch_where_another_has_integers(source):
    schema = parse_schema(source)
    assert typed(decode(schema, encode(schema, 5))) == typed(5)
    assert typed(decode(schema, encode(schema, 5.0))) == typed(5.0)
    assert branch_of(schema, 5)[0].kind in {"int", "long"}


RECORD = parse_schema(
    {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "l", "type": "long"},
            {"name": "i", "type": "int"},
            {"name": "f", "type": "float"},
            {"name": "x", "type": {"type": "fixed", "name": "X", "size": 2}},
            {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
            {"name": "o", "type": ["null", "string"]},
            {"name": "a", "type": {"type": "array", "items": "int"}},
            {"name": "n", "type": record_schema("N", s="string")},
        ],
    },
)
FITS = {"l": 1, "i": 1, "f": 1.5, "x": b"ab", "e": "A", "o": None, "a": [1], "n": {"s": "t"}}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"l": 1.5}, "'l'.*1.5.*long"),
        ({"l": 2**63}, "'l'.*range of long"),
        ({"l": None}, "'l'.*can't be null"),
        ({"i": 2**40}, "'i'.*1099511627776.*range of int"),
        ({"i": True}, "'i'.*True.*bool.*int"),
        ({"i": -(2**31) - 1}, "'i'.*range of int"),
        ({"f": 1e39}, "'f'.*range of float"),
        ({"f": "1.5"}, "'f'.*float"),
        ({"x": b"abc"}, "'x'.*3 bytes.*2"),
        ({"x": "ab"}, "'x'.*str"),
        ({"e": "C"}, "'e'.*A, B"),
        ({"o": 1}, "'o'.*no branch"),
        ({"a": [1, "2"]}, r"'a\[1\]'"),
        ({"n": {}}, "'n.s' is missing"),
        ({"n": {"s": b"t"}}, "'n.s'.*bytes"),
        ({"more": 1}, "'more'.*lacks"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(change, named):
    RECORD.validate(FITS)
    value = {**FITS, **change}
    for refuse in (RECORD.validate, lambda value: encode(RECORD, value)):
        with pytest.raises(SchemaError, match=named):
            refuse(value)
    assert not RECORD.fits(value)


@pytest.mark.parametrize("field", RECORD.by_name)
def test_a_missing_field_is_refused_by_name(field):
    value = {name: item for name, item in FITS.items() if name != field}
    with pytest.raises(SchemaError, match=f"'{field}' is missing"):
        encode(RECORD, value)


@pytest.mark.parametrize(
    ("union", "value"),
    [
        (["null", {"type": "enum", "name": "E", "symbols": ["A"]}, "string"], "C"),
        (["null", "float", "double"], 1e39),
        (["long", "double"], 1 << 63),
    ],
    ids=["enum-string", "float-double", "long-double"],
)
def test_where_branches_share_a_type_the_branch_decides_what_fits(union, value):
    schema = parse_schema({"type": "record", "name": "Row", "fields": [{"name": "v", "type": union}]})
    assert not schema.fits({"v": value})


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_fits_float_where_rounding_keeps_it_finite(value):
    try:
        struct.pack("<f", value)
    except OverflowError:
        finite = False
    else:
        finite = True
    assert parse_schema("float").fits(value) == finite


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_infinite_and_nan_fit_both_widths(value):
    assert parse_schema("float").fits(value)
    assert parse_schema("double").fits(value)


@pytest.mark.parametrize("source", ["{", '{"type": "record"}', '{"type": "unheard"}', {"type": 5}])
def test_what_is_not_a_schema_is_refused(source):
    with pytest.raises(SchemaError):
        parse_schema(source)


def test_cut_bytes_are_refused():
    data = encode(RECORD, FITS)
    for end in range(len(data)):
        with pytest.raises(SchemaError):
            decode(RECORD, data[:end])


@given(schemas())
def test_one_text_is_one_schema_and_schemas_travel(source):
    schema = parse_schema(source)
    assert parse_schema(source) is schema
    copy = pickle.loads(pickle.dumps(schema))  # noqa: S301 (our own bytes)
    assert copy == schema
    assert hash(copy) == hash(schema)


def test_a_union_inside_a_union_has_branches_of_its_own():
    inner = ["int", {"type": "long", "logicalType": "timestamp-micros"}]
    schema = parse_schema(
        {
            "type": "record",
            "name": "row",
            "fields": [{"name": "v", "type": ["null", "int", "long", {"type": "array", "items": inner}]}],
        }
    )
    record = {"v": Branch("array", [Branch("int", 1), Branch("long", 2)])}
    assert decode(schema, encode(schema, record)) == record


def test_values_of_a_union_compare_by_branch_then_by_value():
    schema = parse_schema(record_schema(u=["null", "int", "string"]))
    ascending = [None, 1, 2, "a", "b"]
    for place, left in enumerate(ascending):
        signs = [(found > 0) - (found < 0) for found in (schema.compare({"u": left}, {"u": one}) for one in ascending)]
        assert signs == [(place > other) - (place < other) for other in range(len(ascending))]


def test_a_missing_field_is_named_with_those_that_there_are():
    assert str(SchemaError.from_missing_field("x", ["a", "b"])) == "the schema has no field 'x'; it has a, b"
    assert str(SchemaError.from_missing_field("x", [])).endswith("it has no fields")


def test_a_default_keeps_keys_that_look_like_those_of_fastavro():
    default = {"__fastavro_parsed": 1, "__named_schemas": 2}
    field = {"name": "m", "type": {"type": "map", "values": "int"}, "default": default}
    schema = parse_schema({"type": "record", "name": "Row", "fields": [field]})
    assert schema.source == {"type": "record", "name": "Row", "fields": [field]}
    assert parse_schema(["null", schema.source]).source == ["null", schema.source]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (["string", "string"], "a union has the type string twice"),
        (["long", {"type": "long", "logicalType": "timestamp-micros"}], "a union has the type long twice"),
        (["null", ["string"]], "a union is in a union"),
        ([], "a union has no types"),
        ({"type": "enum", "name": "e", "symbols": []}, "the enum e has no symbols"),
        ({"type": "fixed", "name": "f", "size": -1}, "the size of the fixed f is -1, not a whole number from 0 to"),
        ({"type": "fixed", "name": "f", "size": 1 << 31}, "the size of the fixed f is 2147483648, not"),
        ({"type": "fixed", "name": "f", "size": True}, "the size of the fixed f is True, not"),
    ],
)
def test_what_javas_parser_refuses_is_no_schema(kind, why):
    fields = [{"name": "id", "type": "string"}, {"name": "x", "type": {"type": "array", "items": kind}}]
    with pytest.raises(SchemaError, match=f"not an Avro schema: {why}"):
        parse_schema({"type": "record", "name": "row", "fields": fields})


def test_a_field_that_comes_twice_is_refused():
    fields = [{"name": name, "type": "string"} for name in ("id", "ts", "id")]
    with pytest.raises(SchemaError, match="not an Avro schema: the record row has the field 'id' twice"):
        parse_schema({"type": "record", "name": "row", "fields": fields})


@pytest.mark.parametrize("depth", [300, 5000])
def test_a_schema_that_is_nested_too_deeply_is_refused_in_no_words_of_python(depth):
    kind = "string"
    for number in range(depth):
        fields = [{"name": "x", "type": kind}]
        kind = {"type": "record", "name": f"r{number}", "fields": fields}
    with pytest.raises(SchemaError, match="not an Avro schema: it is nested too deeply"):
        parse_schema(kind)
