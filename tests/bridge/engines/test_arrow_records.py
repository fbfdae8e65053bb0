from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as t

from bridge.engines.python.records import RecordReader, RecordWriter, UnfitRecordError, arrow_schema
from bridge.spark import map_in_arrow
from bridge.spark.schema import META_COLUMNS, avro_schema, spark_schema, with_meta
from payloads.avro.codec import parse_schema
from payloads.errors import SchemaError
from payloads.release import HudiRelease
from tests.support.schemas import record_schema

UTC = datetime.timezone.utc
DECIMAL = {"type": "fixed", "name": "d", "size": 5, "logicalType": "decimal", "precision": 10, "scale": 2}


def one(kind: object, arrow: pa.DataType, *, nullable: bool = True) -> tuple:
    """Return the schemas of rows with the one column `c`."""
    schema = parse_schema(
        record_schema("r", c=["null", kind] if nullable else kind),
    )
    return schema, pa.schema([pa.field("c", arrow)])


def read(kind: object, column: pa.Array) -> list:
    schema, arrow = one(kind, column.type)
    return [row["c"] for row in RecordReader(schema, arrow).rows(pa.record_batch([column], schema=arrow))]


def write(kind: object, arrow_type: pa.DataType, *values: object) -> pa.Array:
    schema, arrow = one(kind, arrow_type)
    return RecordWriter(schema, arrow).batch([{"c": value} for value in values]).column(0)


STRUCT = pa.struct([("x", pa.int32()), ("y", pa.list_(pa.string()))])
STRUCT_SCHEMA = {
    "type": "record",
    "name": "s",
    "fields": [
        {"name": "y", "type": ["null", {"type": "array", "items": ["null", "string"]}]},
        {"name": "x", "type": "int"},
    ],
}
PAIRS = [
    ("boolean", pa.bool_(), [True, None, False], [True, None, False]),
    ("int", pa.int8(), [-128, None, 127], [-128, None, 127]),
    ("long", pa.int32(), [1, None], [1, None]),
    ("long", pa.int64(), [2**63 - 1, None, -(2**63)], [2**63 - 1, None, -(2**63)]),
    ("float", pa.float32(), [0.1, None], [0.10000000149011612, None]),
    ("double", pa.float64(), [0.1, None, float("inf")], [0.1, None, float("inf")]),
    ("string", pa.string(), ["a\x00", None, "", "ü"], ["a\x00", None, "", "ü"]),
    ("string", pa.large_string(), ["a", None], ["a", None]),
    ("bytes", pa.binary(), [b"a\x00", None, b""], [b"a\x00", None, b""]),
    ({"type": "int", "logicalType": "date"}, pa.date32(), [datetime.date(1969, 12, 31), None], [-1, None]),
    (
        {"type": "long", "logicalType": "timestamp-micros"},
        pa.timestamp("us", "UTC"),
        [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), None],
        [-1, None],
    ),
    (
        {"type": "long", "logicalType": "timestamp-millis"},
        pa.timestamp("us", "UTC"),
        [datetime.datetime(1969, 12, 31, 23, 59, 59, 999000, UTC), None],
        [-1, None],
    ),
    (
        {"type": "long", "logicalType": "local-timestamp-micros"},
        pa.timestamp("us"),
        [datetime.datetime(1970, 1, 1), None],  # noqa: DTZ001 (a local timestamp)
        [0, None],
    ),
    ({"type": "enum", "name": "e", "symbols": ["A", "B"]}, pa.string(), ["B", None], ["B", None]),
    ({"type": "fixed", "name": "f", "size": 2}, pa.binary(), [b"ab", None], [b"ab", None]),
    (DECIMAL, pa.decimal128(10, 2), [Decimal("-0.01"), None, Decimal("2.56")], [b"\xff" * 5, None, b"\0\0\0\1\0"]),
    (
        {**DECIMAL, "size": 17},
        pa.decimal128(10, 2),
        [Decimal("-0.01"), Decimal("0.01")],
        [b"\xff" * 17, b"\0" * 16 + b"\1"],
    ),
    (
        {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
        pa.decimal128(10, 2),
        [Decimal("-1.28"), Decimal("1.28"), None, Decimal("0.00")],
        [b"\x80", b"\x00\x80", None, b"\x00"],
    ),
    (
        STRUCT_SCHEMA,
        STRUCT,
        [{"x": 1, "y": ["a", None]}, None, {"x": 2, "y": None}, {"x": 3, "y": []}],
        [{"y": ["a", None], "x": 1}, None, {"y": None, "x": 2}, {"y": [], "x": 3}],
    ),
    (
        {"type": "map", "values": ["null", "long"]},
        pa.map_(pa.string(), pa.int64()),
        [[("a", 1), ("b", None)], None, []],
        [{"a": 1, "b": None}, None, {}],
    ),
    (
        {"type": "array", "items": DECIMAL},
        pa.list_(pa.decimal128(10, 2)),
        [None, [], [Decimal("0.01")]],
        [None, [], [b"\0\0\0\0\1"]],
    ),
]


@pytest.mark.parametrize(("kind", "arrow", "python", "physical"), PAIRS)
def test_columns_become_physical_values_and_come_back(kind, arrow, python, physical):
    column = pa.array([*python, *python], arrow)
    values = read(kind, column)
    assert values == [*physical, *physical]
    assert [type(value) for value in values[: len(physical)]] == [type(value) for value in physical]
    assert write(kind, arrow, *values).equals(column)
    assert read(kind, column.slice(len(python))) == physical
    assert read(kind, column.slice(0, 0)) == []
    assert len(write(kind, arrow)) == 0


def test_rows_are_taken_in_the_order_of_their_indices():
    schema, arrow = one("int", pa.int32())
    batch = pa.record_batch([pa.array([0, 1, 2, None])], schema=pa.schema([("c", pa.int64())]))
    batch = batch.cast(arrow)
    reader = RecordReader(schema, arrow)
    for indices in (np.array([3, 1, 1]), pa.array([3, 1, 1])):
        assert reader.rows(batch, indices) == [{"c": None}, {"c": 1}, {"c": 1}]
    assert reader.rows(batch, np.array([], dtype=np.int64)) == []


def test_finer_timestamps_are_floored():
    kind = {"type": "long", "logicalType": "timestamp-millis"}
    assert read(kind, pa.array([-1, 999, 1000, None], pa.timestamp("us"))) == [-1, 0, 1, None]


@pytest.mark.parametrize(
    ("kind", "arrow", "value"),
    [
        ("long", pa.int64(), 1.5),
        ("long", pa.int64(), 2**63),
        ("int", pa.int32(), 2**40),
        ("int", pa.int32(), True),
        ("boolean", pa.bool_(), 1),
        ("boolean", pa.bool_(), "x"),
        ("double", pa.float64(), True),
        ("double", pa.float64(), "1"),
        ("float", pa.float32(), 1e39),
        ("string", pa.string(), b"a"),
        ("string", pa.string(), 1),
        ("bytes", pa.binary(), "a"),
        ({"type": "long", "logicalType": "timestamp-micros"}, pa.timestamp("us"), datetime.datetime.now(UTC)),
        ({"type": "int", "logicalType": "date"}, pa.date32(), 2**31),
        ({"type": "enum", "name": "e", "symbols": ["A"]}, pa.string(), "Z"),
        ({"type": "fixed", "name": "f", "size": 2}, pa.binary(), b"abc"),
        (DECIMAL, pa.decimal128(10, 2), b"\1"),
        (DECIMAL, pa.decimal128(10, 2), Decimal(1)),
        (STRUCT_SCHEMA, STRUCT, {"x": 1}),
        (STRUCT_SCHEMA, STRUCT, {"x": 1, "y": None, "z": 1}),
        (STRUCT_SCHEMA, STRUCT, {"x": None, "y": None}),
        (STRUCT_SCHEMA, STRUCT, {"x": 1, "y": [1]}),
        ({"type": "array", "items": "int"}, pa.list_(pa.int32()), (1,)),
        ({"type": "array", "items": "int"}, pa.list_(pa.int32()), "ab"),
        ({"type": "map", "values": "int"}, pa.map_(pa.string(), pa.int32()), {"a": 1.0}),
    ],
)
def test_a_value_that_does_not_fit_is_refused_as_validate_refuses_it(kind, arrow, value):
    schema, _ = one(kind, arrow)
    with pytest.raises(SchemaError, match=r"field .c") as expected:
        schema.validate({"c": value})
    with pytest.raises(SchemaError) as refused:
        write(kind, arrow, None, value, None)
    assert str(refused.value) == str(expected.value)


@pytest.mark.parametrize(
    ("kind", "arrow", "value", "told"),
    [
        ("int", pa.int8(), 300, "check the column types"),
        (DECIMAL, pa.decimal128(3, 2), b"\0\0\0\x10\0", "check the column types"),
        ({"type": "long", "logicalType": "timestamp-millis"}, pa.timestamp("us"), 2**62, "check the column types"),
        ("string", pa.string(), "\ud800", r"'\\ud800' has half of a surrogate pair, which is not a character"),
    ],
)
def test_a_value_that_fits_the_schema_but_not_the_column(kind, arrow, value, told):
    """The record is named, so that its key can be."""
    with pytest.raises(UnfitRecordError, match=rf"^field 'c': .*{told}$") as refused:
        write(kind, arrow, None, value, None)
    assert refused.value.number == 1


def test_a_subclass_of_text_or_bytes_is_written_as_such():
    class Text(str):
        __slots__ = ()

    class Bytes(bytes):
        __slots__ = ()

    assert write("string", pa.string(), Text("a"), None).to_pylist() == ["a", None]
    assert write("bytes", pa.binary(), Bytes(b"a"), None).to_pylist() == [b"a", None]


def test_an_int_is_a_double():
    assert write("double", pa.float64(), 1, None, 2.5, 2**60 + 1).to_pylist() == [1.0, None, 2.5, float(2**60)]


def test_infinities_and_nans_are_kept():
    values = write("float", pa.float32(), float("nan"), float("-inf"), None).to_pylist()
    assert str(values) == "[nan, -inf, None]"
    with pytest.raises(SchemaError, match="out of the range"):
        write("float", pa.float32(), float("nan"), -1e39)


def test_values_of_a_row_that_the_schema_refuses():
    enum = {"type": "enum", "name": "e", "symbols": ["A"]}
    with pytest.raises(SchemaError, match="'Z' is not one of the symbols A"):
        read(enum, pa.array(["Z"]))
    with pytest.raises(SchemaError, match="3 bytes, its fixed type 2"):
        read({"type": "fixed", "name": "f", "size": 2}, pa.array([b"abc"]))
    schema, arrow = one("int", pa.int32(), nullable=False)
    with pytest.raises(SchemaError, match="field 'c' can't be null"):
        RecordReader(schema, arrow).rows(pa.record_batch([pa.array([None], pa.int32())], schema=arrow))


def test_a_null_for_a_required_field_or_column():
    schema, arrow = one("int", pa.int32(), nullable=False)
    with pytest.raises(SchemaError, match="can't be null"):
        RecordWriter(schema, arrow).batch([{"c": None}])
    schema, _ = one("int", pa.int32())
    required = pa.schema([pa.field("c", pa.int32(), nullable=False)])
    with pytest.raises(SchemaError, match="make it nullable"):
        RecordWriter(schema, required).batch([{"c": None}])


@pytest.mark.parametrize(
    ("kind", "arrow"),
    [
        ("int", pa.int64()),
        ("long", pa.float64()),
        ("double", pa.float32()),
        ("string", pa.binary()),
        ("int", pa.date32()),
        (DECIMAL, pa.decimal128(10, 3)),
        (DECIMAL, pa.decimal128(12, 2)),
        ({"type": "long", "logicalType": "timestamp-micros"}, pa.timestamp("ms")),
        (STRUCT_SCHEMA, pa.struct([("x", pa.int32())])),
        (["int", "string"], pa.string()),
    ],
)
def test_types_that_do_not_match(kind, arrow):
    schema = parse_schema(record_schema("r", c=kind))
    for conversion in (RecordReader, RecordWriter):
        with pytest.raises(SchemaError, match="'c'"):
            conversion(schema, pa.schema([("c", arrow)]))


def test_columns_and_fields_are_matched_by_name():
    schema = with_meta(one("int", pa.int32())[0])
    arrow = pa.schema([("_pb_delete", pa.bool_()), ("c", pa.int32())])
    record = {**dict.fromkeys(META_COLUMNS), "c": 1}
    batch = RecordWriter(schema, arrow).batch([record], {"_pb_delete": [False]})
    assert batch.to_pylist() == [{"_pb_delete": False, "c": 1}]
    with pytest.raises(SchemaError, match="_hoodie_commit_time"):
        RecordReader(schema, arrow)
    plain, _ = one("int", pa.int32())
    assert RecordReader(plain, arrow).rows(batch) == [{"c": 1}]
    with pytest.raises(SchemaError, match="'extra', which the schema lacks"):
        RecordWriter(plain, arrow).batch([{"c": 1, "extra": 2}], {"_pb_delete": [False]})
    with pytest.raises(SchemaError, match="'c' is missing"):
        RecordWriter(plain, arrow).batch([{"x": 1}], {"_pb_delete": [False]})
    with pytest.raises(SchemaError, match="lacks columns for the fields c"):
        RecordWriter(plain, pa.schema([("x", pa.int32())]))


def test_names_that_python_quotes():
    schema, _ = one("int", pa.int32())
    source = {**schema.source, "fields": [{"name": 'it\'s "c"\\', "type": "int"}]}
    arrow = pa.schema([('it\'s "c"\\', pa.int32())])
    batch = pa.record_batch([pa.array([1], pa.int32())], schema=arrow)
    assert RecordReader(parse_schema(source), arrow).rows(batch) == [{'it\'s "c"\\': 1}]


WIDE = t.StructType(
    [
        t.StructField("s", t.StringType(), nullable=False),
        t.StructField("i8", t.ByteType()),
        t.StructField("at", t.TimestampType()),
        t.StructField("dec", t.DecimalType(38, 9)),
        t.StructField("list", t.ArrayType(t.StructType([t.StructField("x", t.DoubleType())]))),
        t.StructField("map", t.MapType(t.StringType(), t.ArrayType(t.IntegerType()))),
    ],
)
unscaled = st.integers(-(10**38) + 1, 10**38 - 1).map(lambda number: number.to_bytes(16, "big", signed=True))
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "s": st.text(st.characters(exclude_categories=["Cs"])),
            "i8": st.none() | st.integers(-128, 127),
            "at": st.none() | st.integers(-(2**63), 2**63 - 1),
            "dec": st.none() | unscaled,
            "list": st.none()
            | st.lists(st.none() | st.fixed_dictionaries({"x": st.none() | st.floats(allow_nan=False)})),
            "map": st.none()
            | st.dictionaries(
                st.text(st.characters(exclude_categories=["Cs"])),
                st.none() | st.lists(st.none() | st.integers(-(2**31), 2**31 - 1)),
            ),
        },
    ),
    max_size=8,
)


@given(RECORDS)
def test_records_survive_the_way_through_arrow(records):
    schema, arrow = avro_schema(WIDE, HudiRelease.latest()), arrow_schema(WIDE)
    assert spark_schema(schema)["dec"] == WIDE["dec"]
    batch = RecordWriter(schema, arrow).batch(records)
    batch.validate(full=True)
    assert RecordReader(schema, arrow).rows(batch) == records
    order = np.arange(len(records))[::-1].copy()
    assert RecordReader(schema, arrow).rows(batch, order) == records[::-1]


def test_rows_survive_the_way_through_spark(spark):
    frame = spark.sql(
        """
        select cast(id as byte) as i,
               timestamp'1969-12-31 23:59:59.5' as at, timestamp_ntz'1970-01-01 00:00:01' as local,
               cast(-1.5 as decimal(20, 3)) as dec, named_struct('x', id, 'y', array(cast(0.1 as float), null)) as s,
               map('k', date'1970-01-02', 'n', null) as m, cast('ab' as binary) as b, cast(null as string) as n
        from range(3)
        """,
    )
    struct = frame.schema
    schema = avro_schema(struct, HudiRelease.latest())

    def there_and_back(batches):
        for batch in batches:
            records = RecordReader(schema, batch.schema).rows(batch)
            assert all(record["dec"] == (-1500).to_bytes(9, "big", signed=True) for record in records)
            assert all(record["at"] == -500_000 and record["local"] == 1_000_000 for record in records)
            yield RecordWriter(schema, arrow_schema(struct)).batch(records)

    assert map_in_arrow(frame, there_and_back, struct).collect() == frame.collect()
