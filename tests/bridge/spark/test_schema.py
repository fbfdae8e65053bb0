from __future__ import annotations

import json
import re

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import types as t

from bridge.errors import InputError
from bridge.spark.schema import (
    META_COLUMNS,
    avro_schema,
    decimal_size,
    is_schema_text,
    read_schema,
    spark_schema,
    with_meta,
)
from payloads.avro.codec import parse_schema
from payloads.errors import SchemaError
from payloads.release import HudiRelease

LATEST = HudiRelease.latest()


def record(*fields: tuple, name: str = "r") -> dict:
    return {"type": "record", "name": name, "fields": [{"name": n, "type": kind} for n, kind in fields]}


def fields_of(struct: t.StructType, release: HudiRelease = LATEST) -> dict:
    return {field["name"]: field for field in avro_schema(struct, release, "r", "ns").source["fields"]}


def test_plain_columns():
    columns = {
        "b": (t.BooleanType(), "boolean"),
        "i8": (t.ByteType(), "int"),
        "i16": (t.ShortType(), "int"),
        "i": (t.IntegerType(), "int"),
        "l": (t.LongType(), "long"),
        "f": (t.FloatType(), "float"),
        "d": (t.DoubleType(), "double"),
        "s": (t.StringType(), "string"),
        "c": (t.VarcharType(3), "string"),
        "x": (t.BinaryType(), "bytes"),
        "day": (t.DateType(), {"type": "int", "logicalType": "date"}),
        "at": (t.TimestampType(), {"type": "long", "logicalType": "timestamp-micros"}),
    }
    fields = fields_of(t.StructType([t.StructField(name, kind) for name, (kind, _) in columns.items()]))
    for name, (_, expected) in columns.items():
        assert fields[name] == {"name": name, "type": ["null", expected], "default": None}


def test_a_required_column_has_no_default():
    assert fields_of(t.StructType([t.StructField("i", t.IntegerType(), nullable=False)]))["i"] == {
        "name": "i",
        "type": "int",
    }


def test_decimals_are_named_like_the_tables_of_hudi():
    # As in the base files of a table that Hudi 0.15.0 wrote with decimal(10,2).
    schema = avro_schema(
        t.StructType([t.StructField("dec", t.DecimalType(10, 2))]),
        HudiRelease.V0_15,
        "order_by_date_cow_record",
        "hoodie.order_by_date_cow",
    )
    assert schema == parse_schema(
        '{"type":"record","name":"order_by_date_cow_record","namespace":"hoodie.order_by_date_cow","fields":['
        '{"name":"dec","type":["null",{"type":"fixed","name":"fixed","namespace":'
        '"hoodie.order_by_date_cow.order_by_date_cow_record.dec","size":5,"logicalType":"decimal","precision":10,'
        '"scale":2}],"default":null}]}',
    )


def test_the_least_bytes_of_a_precision():
    expected = [1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9, 9]
    assert [decimal_size(precision) for precision in range(1, 21)] == expected
    assert decimal_size(38) == 16


def test_nested_types_have_names_of_their_own():
    inner = t.StructType([t.StructField("d", t.DecimalType(4, 1)), t.StructField("inner", t.DecimalType(4, 1))])
    struct = t.StructType(
        [
            t.StructField("inner", inner),
            t.StructField("list", t.ArrayType(inner, containsNull=False)),
            t.StructField("map", t.MapType(t.StringType(), inner)),
        ],
    )
    schema = avro_schema(struct, LATEST, "r", "ns")
    inner_schema = schema.by_name["inner"].schema.non_null
    assert inner_schema.name == "ns.r.inner"
    assert inner_schema.by_name["d"].schema.non_null.name == "ns.r.inner.d.fixed"
    assert schema.by_name["list"].schema.non_null.items.name == "ns.r.list"
    assert schema.by_name["map"].schema.non_null.values.branches[1].name == "ns.r.map"
    assert spark_schema(schema) == struct


def test_local_timestamps_depend_on_the_release():
    struct = t.StructType([t.StructField("at", t.TimestampNTZType())])
    assert fields_of(struct)["at"]["type"][1] == {"type": "long", "logicalType": "local-timestamp-micros"}
    with pytest.raises(SchemaError, match=r"'at': Hudi 0\.15 does not support timestamp_ntz"):
        fields_of(struct, HudiRelease.V0_15)


@pytest.mark.parametrize(
    "kind",
    [t.NullType(), t.DayTimeIntervalType(), t.MapType(t.IntegerType(), t.StringType()), t.ArrayType(t.NullType())],
)
def test_other_types_name_the_column(kind):
    struct = t.StructType([t.StructField("outer", t.StructType([t.StructField("c", kind)]))])
    with pytest.raises(SchemaError, match=r"'outer\.c': Hudi does not support"):
        fields_of(struct)


@pytest.mark.parametrize("name", ["a b", "1a", "a.b", "", "a-b"])
def test_names_that_avro_does_not_know(name):
    with pytest.raises(SchemaError, match="rename it"):
        fields_of(t.StructType([t.StructField(name, t.IntegerType())]))


def test_the_schema_of_a_users_avsc():
    schema = parse_schema(
        record(
            ("kind", {"type": "enum", "name": "k", "symbols": ["A"]}),
            ("hash", {"type": "fixed", "name": "h", "size": 3}),
            ("uuid", {"type": "string", "logicalType": "uuid"}),
            ("millis", ["null", {"type": "long", "logicalType": "timestamp-millis"}]),
            ("local", {"type": "long", "logicalType": "local-timestamp-millis"}),
            ("time", {"type": "int", "logicalType": "time-millis"}),
            ("micros", {"type": "long", "logicalType": "time-micros"}),
            ("amount", {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 1}),
            ("unsized", {"type": "bytes", "logicalType": "decimal"}),
            ("one", ["long"]),
            ("last", ["string", "null"]),
        ),
    )
    assert spark_schema(schema).simpleString() == (
        "struct<kind:string,hash:binary,uuid:string,millis:timestamp,local:timestamp_ntz,time:int,micros:bigint,"
        "amount:decimal(5,1),unsized:binary,one:bigint,last:string>"
    )
    assert [field.name for field in spark_schema(schema) if field.nullable] == ["millis", "last"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("int", "needs a record"),
        (record(("u", ["null", "int", "string"])), "'u' is a union of int, string"),
        (record(("n", "null")), "'n' is always null"),
        (record(("next", ["null", "r"])), "'next': the record r contains itself"),
        (record(("d", {"type": "bytes", "logicalType": "decimal", "precision": 39})), "at most 38 digits"),
        (record(("l", {"type": "array", "items": ["int", "string"]})), "'l' is a union"),
    ],
)
def test_schemas_that_no_frame_can_have(source, message):
    with pytest.raises(SchemaError, match=message):
        spark_schema(parse_schema(source))


def test_meta_fields_come_first_and_once():
    schema = parse_schema(record(("id", "string"), ("_hoodie_record_key", "string")))
    extended = with_meta(schema)
    assert [field.name for field in extended.fields] == [*META_COLUMNS, "id"]
    assert all(field.schema.nullable and field.has_default for field in extended.fields[:5])
    assert with_meta(schema) is extended
    assert with_meta(extended) is extended


def test_a_schema_file_of_avro(tmp_path):
    path = tmp_path / "table.AVSC"
    path.write_text("\ufeff" + json.dumps(record(("id", "string"), ("n", {"type": "int"}))))
    schema, struct = read_schema(path)
    assert schema.by_name["n"].schema.kind == "int"
    assert struct.simpleString() == "struct<id:string,n:int>"


def test_a_schema_file_of_ddl(spark, tmp_path):
    path = tmp_path / "table.sql"
    path.write_text("id string not null,\nts timestamp,\nd decimal(3,0)\n")
    schema, struct = read_schema(path, HudiRelease.V0_15)
    assert [field.nullable for field in struct] == [False, True, True]
    assert schema == avro_schema(struct, HudiRelease.V0_15)


def test_ddl_is_parsed_where_no_session_is_active(spark, tmp_path, monkeypatch):
    (tmp_path / "rows.ddl").write_text("id string, ts bigint")
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    started = []
    schema, _ = read_schema(tmp_path / "rows.ddl", session=lambda: started.append(1) or spark)
    assert list(schema.by_name) == ["id", "ts"]
    assert started
    (tmp_path / "rows.avsc").write_text(json.dumps(record(("id", "string"))))
    read_schema(tmp_path / "rows.avsc", session=lambda: pytest.fail("Avro needs no Spark"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.avsc", "{", ""),
        ("b.avsc", "", ""),
        ("c.ddl", "id strin", "is not Spark DDL .*STRIN"),
        ("d.ddl", " ", "there are no columns"),
        ("e.ddl", "bigint", "there are no columns"),
        ("f.ddl", "id string ts bigint", "is not Spark DDL .*near 'ts'"),
        ("g.json", '{"type": "record"}', ""),
    ],
)
def test_schema_files_that_hold_none(spark, tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(SchemaError, match=f"(?i){name}.*{message}"):
        read_schema(tmp_path / name)


@pytest.mark.parametrize("text", ["id string not null, ts bigint", "id: string, `ts`: bigint", "id string"])
def test_a_schema_may_be_written_as_ddl(spark, text):
    schema, struct = read_schema(text)
    assert list(schema.by_name) == struct.names == re.findall(r"\bid\b|\bts\b", text)


def test_a_schema_may_be_written_as_avro(tmp_path):
    text = json.dumps(record(("id", "string")))
    (tmp_path / "rows.json").write_text(text)
    for source in (text, f"\n {text}", tmp_path / "rows.json"):
        assert list(read_schema(source, session=lambda: pytest.fail("Avro needs no Spark"))[0].by_name) == ["id"]


@pytest.mark.parametrize(
    ("text", "message"),
    [("id strin", "the schema: this is not Spark DDL .*STRIN"), ('{"type": "record"}', "the schema: ")],
)
def test_what_is_wrong_with_a_written_schema_is_said(spark, text, message):
    with pytest.raises(SchemaError, match=f"(?i){message}"):
        read_schema(text)


@pytest.mark.parametrize("path", ["rows.avsc", "a/b c.ddl", "s3a://bucket/rows.ddl", "my rows.avsc", "C:\\my rows.ddl"])
def test_a_path_is_no_schema(path):
    assert not is_schema_text(path)


def test_a_schema_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="can't be read"):
        read_schema(tmp_path / "absent.avsc")


def test_a_file_named_like_a_column_with_its_type_is_read(tmp_path, monkeypatch):
    (tmp_path / "orders int").write_text("id string, ts bigint")
    monkeypatch.chdir(tmp_path)
    assert not is_schema_text("orders int")
    assert is_schema_text("others int")
