from __future__ import annotations

import collections
import dataclasses
import datetime
import json
import re

import pytest
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge import Batches, InputError, MergePlan, append, simulate, snapshot, upsert
from bridge.pipeline import layout_of
from bridge.pipeline.layout import evolved
from bridge.spark import common_type, promoted, takes_plain_for_logical, with_types
from payloads import HudiRelease
from tests import promotions

# What real Hudi 0.15.0 shows for these two batches, in both table types: a float becomes a double by its text.
WIDE = ("id string, ts bigint, a int, b float, c int", ("k1", 10, 5, 1.1, 7), ("k2", 10, 5, 1.1, 7))
WIDER = ("id string, ts bigint, a bigint, b double, c double", ("k1", 20, 6, 2.5, 8.5), ("k2", 5, 6, 2.5, 8.5))
SHOWN = [("k1", 20, 6, 2.5, 8.5), ("k2", 10, 5, 1.1, 7.0)]


def kind_of(text):
    return spark_types._parse_datatype_string(text)


def plan(kind="cow"):
    return MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts", table_type=kind)


def rows(frame):
    return sorted(tuple(row)[:5] for row in frame.select("id", "ts", "a", "b", "c").collect())


@pytest.fixture
def frames(spark):
    return [spark.createDataFrame(list(found), columns).coalesce(1) for columns, *found in (WIDE, WIDER)]


def test_an_upsert_widens_the_stored_rows_and_a_narrow_batch(frames):
    narrow, wide = frames
    assert rows(upsert(narrow, wide, plan())) == SHOWN
    assert rows(upsert(wide, narrow, plan())) == SHOWN


def test_a_log_widens_with_the_rows(frames):
    narrow, wide = frames
    stored, log = append(narrow, None, wide.where("id = 'k1'"), plan("mor"))
    stored, log = append(stored, log, narrow.where("id = 'k2'"), plan("mor"))
    assert rows(snapshot(stored, log, plan("mor"))) == SHOWN


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_batches_have_the_widest_type_of_all(frames, kind):
    for batches in (frames, frames[::-1]):
        with simulate(Batches.of(batches), plan(kind)) as found:
            assert rows(found.snapshots.where("_pb_commit = 2")) == SHOWN


def test_what_hudi_does_not_widen_is_refused(spark, frames):
    flag = spark.createDataFrame([("k1", True)], "id string, ts boolean")
    text = spark.createDataFrame([("k1", "x")], "id string, ts string")
    with pytest.raises(InputError, match="'ts' is boolean in the older data and string in the newer; cast one of them"):
        upsert(flag, text, plan())


# What Hudi 0.15.0, 1.0.2, 1.1.1 and 1.2.0 make of a column that two batches have in these types, in both table types:
# the type of the table, or None where the second write fails.
RECORDED = [
    ("struct<a:int>", "struct<a:int,b:string>", "struct<a:int,b:string>"),
    ("struct<a:int,c:int>", "struct<a:int,b:string,c:int>", "struct<a:int,b:string,c:int>"),
    ("struct<a:int,b:string>", "struct<b:string,a:int>", "struct<b:string,a:int>"),
    ("struct<a:int,b:string>", "struct<a:int>", None),
    ("struct<a:int,b:string>", "struct<a:int,c:string>", None),
    ("struct<a:int>", "struct<a:bigint>", "struct<a:bigint>"),
    ("struct<a:bigint>", "struct<a:int>", "struct<a:bigint>"),
    ("struct<a:int>", "struct<a:string>", "struct<a:string>"),
    ("struct<s:struct<a:int>>", "struct<s:struct<a:int,b:string>>", "struct<s:struct<a:int,b:string>>"),
    ("struct<s:struct<a:int>>", "struct<s:struct<a:double>>", "struct<s:struct<a:double>>"),
    ("struct<s:struct<a:int,b:string>>", "struct<s:struct<a:int>>", None),
    ("array<struct<a:int>>", "array<struct<a:int,b:string>>", "array<struct<a:int,b:string>>"),
    ("array<struct<a:int,b:string>>", "array<struct<a:int>>", None),
    ("array<int>", "array<bigint>", "array<bigint>"),
    ("array<bigint>", "array<int>", "array<bigint>"),
    ("array<float>", "array<double>", "array<double>"),
    ("array<int>", "array<string>", "array<string>"),
    ("map<string,struct<a:int>>", "map<string,struct<a:int,b:string>>", "map<string,struct<a:int,b:string>>"),
    ("map<string,struct<a:int,b:string>>", "map<string,struct<a:int>>", None),
    ("map<string,int>", "map<string,double>", "map<string,double>"),
    ("bigint", "int", "bigint"),
    ("double", "float", "double"),
    ("string", "int", "string"),
    ("string", "date", "string"),
    ("string", "decimal(10,2)", "string"),
    ("string", "timestamp", None),
    ("timestamp", "date", None),
    ("binary", "string", "binary"),
    ("boolean", "string", None),
    ("int", "decimal(10,2)", None),
    ("decimal(10,2)", "decimal(8,2)", "decimal(10,2)"),
    ("decimal(12,4)", "decimal(10,2)", "decimal(12,4)"),
    ("decimal(10,2)", "decimal(8,1)", "decimal(10,2)"),
    ("bigint", "timestamp", "timestamp"),
    ("bigint", "date", None),
    ("timestamp", "int", None),
    ("double", "decimal(10,2)", None),
    ("string", "boolean", None),
]


@pytest.mark.usefixtures("spark")  # which parses types
@pytest.mark.parametrize(("older", "newer", "kept"), RECORDED)
def test_the_type_of_a_column_of_two_batches_is_that_of_real_hudi(older, newer, kept):
    found = common_type(kind_of(older), kind_of(newer))
    assert (None if found is None else found.simpleString()) == kept


def test_values_of_the_older_type_are_what_real_hudi_makes_of_them(spark):
    """Rows of 0.15.0, 1.0.2, 1.1.1 and 1.2.0: the second batch has the keys 2 and 3."""
    older = "id int, ts bigint, a string, b binary, n struct<x: int>, m array<struct<x: int>>, d string"
    newer = (
        "id int, ts bigint, a int, b string, n struct<y: string, x: bigint>, m array<struct<x: int, y: string>>, d date"
    )
    day = datetime.date(2024, 1, 2)
    first = spark.createDataFrame([(n, 1, "p", b"q", (n,), [(n,)], "e") for n in (1, 2)], older)
    second = spark.createDataFrame([(n, 2, n, "r", ("z", n), [(n, "z")], day) for n in (2, 3)], newer)
    shown = [
        (1, "p", b"q", (None, 1), [(1, None)], "e"),
        (2, "2", b"r", ("z", 2), [(2, "z")], "2024-01-02"),
        (3, "3", b"r", ("z", 3), [(3, "z")], "2024-01-02"),
    ]
    with simulate([first, second], plan()) as found:
        last = found.snapshots.where("_pb_commit = 2").orderBy("id").select("id", "a", "b", "n", "m", "d").collect()
    assert [tuple(row) for row in last] == shown


READS_BYTES = {"0.15": False, "1.0": False, "1.1": True, "1.2": True}
REFUSES_PLAIN = {"0.15": False, "1.0": False, "1.1": False, "1.2": True}


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
def test_what_only_some_releases_refuse(spark, release):
    def layout(older, newer):
        frames = (spark.createDataFrame([], f"id string, ts bigint, v {kind}") for kind in (newer, older))
        return layout_of(dataclasses.replace(plan(), release=HudiRelease.parse(release)), *frames)

    if release in {"0.15", "1.0"}:
        assert layout("array<struct<a: int>>", "array<struct<a: bigint>>").fields[-1].dataType.simpleString()
    else:
        with pytest.raises(
            InputError, match=f"Hudi {release} can't read a struct in an array whose field became wider"
        ):
            layout("array<struct<a: int>>", "array<struct<a: bigint>>")
    if REFUSES_PLAIN[release]:
        with pytest.raises(InputError, match="timestamp in the older data and string in the newer; cast"):
            layout("timestamp", "string")
    else:
        assert layout("timestamp", "string").fields[-1].dataType.simpleString() == "string"
    if READS_BYTES[release]:
        assert layout("string", "binary").fields[-1].dataType.simpleString() == "string"
    else:
        with pytest.raises(InputError, match="string in the older data and binary in the newer; cast"):
            layout("string", "binary")
    if release == "1.2":
        kind = layout("decimal(10,2)", "decimal(12,4)").fields[-1].dataType
        assert kind.simpleString() == "decimal(12,4)"
    else:
        with pytest.raises(InputError, match=r"decimal\(10,2\) in the older data and decimal\(12,4\)"):
            layout("decimal(10,2)", "decimal(12,4)")


# What the releases that look at Avro's numbers alone make of them: the type, and the value of the older batch.
PLAIN = [
    ("int", "date", "date", "18000", "2019-04-14"),
    ("date", "int", "int", "DATE'2020-01-02'", "18263"),
    ("date", "bigint", "bigint", "DATE'2020-01-02'", "18263"),
    ("int", "timestamp", "timestamp", "18000", "1970-01-01 00:00:00.018"),
    ("timestamp", "bigint", "bigint", "TIMESTAMP'2021-03-04 05:06:07.123456'", "1614834367123456"),
    ("timestamp", "string", "string", "TIMESTAMP'2021-03-04 05:06:07.123456'", "1614834367123456"),
]


def test_plain_numbers_for_dates_and_times(spark):
    """Types and values of 0.15.0, 1.0.2 and 1.1.1; 1.2.0 refuses them, but a long that becomes a timestamp."""
    for older, newer, kept, value, shown in PLAIN:
        row = spark.sql(f"SELECT {value} v")
        assert row.dtypes == [("v", older)]
        found = with_types(row, {"v": common_type(kind_of(older), kind_of(newer))})
        assert found.dtypes == [("v", kept)]
        assert found.selectExpr("cast(v AS string)").first()[0] == shown
        assert takes_plain_for_logical(kind_of(f"array<{older}>"), kind_of(f"array<{newer}>"))
    assert not takes_plain_for_logical(kind_of("bigint"), kind_of("timestamp"))


def test_values_of_a_newer_type_become_those_of_the_table(spark):
    """Rows of 1.2.0: bytes that are no UTF-8, fewer digits, and a number that was a time all along."""
    older = spark.sql("SELECT 1 id, 1L ts, 'p' a, 12345678.25BD b, 1600000000000000L c")
    newer = spark.sql("SELECT 2 id, 2L ts, X'41FF' a, cast(1.1 AS decimal(2,1)) b, TIMESTAMP'2021-03-04 05:06:07' c")
    moments = ["2020-09-13 12:26:40", "2021-03-04 05:06:07"]
    with simulate([older, newer], dataclasses.replace(plan(), release=HudiRelease.parse("1.2"))) as found:
        last = found.snapshots.where("_pb_commit = 2").orderBy("id").select("a", "b", "c").collect()
    assert [(row.a, str(row.b)) for row in last] == [("p", "12345678.25"), ("A\ufffd", "1.10")]
    assert [str(row.c) for row in last] == moments


# -- every pair of types that tests.promotions asks for

ASKED = json.loads(promotions.RECORDED.read_text("utf-8"))


RESCALED = {
    ("decimal(8,2)", "decimal(8,4)"),
    ("decimal(8,4)", "decimal(8,2)"),
    ("decimal(12,1)", "decimal(12,4)"),
    ("decimal(12,4)", "decimal(12,1)"),
}
"""A copy-on-write table of 0.15 and 1.0 then has 0.0125 for 1.25, as the older rows keep their digits under the newer
scale."""


def is_other_value(case):
    """Whether Hudi takes both types and stores something else, which we refuse."""
    is_buffer = "java.nio" in str(case["copy_on_write"].get("rows"))  # its name, in place of the bytes
    return is_buffer or (case["older"], case["newer"]) in RESCALED


OF_VALUES = (
    "java.lang.NumberFormatException",
    "java.lang.IllegalArgumentException",
    "org.apache.avro.AvroTypeException: Cannot encode decimal",
)
"""How Hudi refuses a value that is none of the table's type."""


def types_of(case):
    return tuple(kind_of(case[name]) for name in ("older", "newer"))


def ours(release, case):
    older, newer = (spark_types.StructField("v", kind) for kind in types_of(case))
    return evolved(newer, older, HudiRelease.parse(release)).dataType


@pytest.mark.usefixtures("spark")  # which parses types
@pytest.mark.parametrize("release", promotions.BUNDLES)
def test_the_type_of_every_pair_is_that_of_real_hudi(release):
    shown = collections.defaultdict(set)
    for case in ASKED[release]:
        fails_by_value = any(cause in case["copy_on_write"].get("error", "") for cause in OF_VALUES)
        kind = case["older"] if fails_by_value else case["copy_on_write"].get("type")
        shown[case["older"], case["newer"]].add(None if is_other_value(case) else kind)
    found = {}
    for case in ASKED[release]:
        try:
            found[case["older"], case["newer"]] = ours(release, case).simpleString()
        except InputError:
            found[case["older"], case["newer"]] = None
    # Of some pairs Hudi takes the values that fit.
    expected = {pair: max(kinds, key=bool) for pair, kinds in shown.items()}
    assert found == expected


def test_the_values_of_every_pair_are_those_of_real_hudi(spark):
    columns, told = {}, []
    for release in promotions.BUNDLES:
        for case in ASKED[release]:
            if "rows" not in case["copy_on_write"] or is_other_value(case):
                continue
            kind = ours(release, case)
            older, newer = types_of(case)
            values = zip((case["old"][0], *case["new"]), (older, newer, newer), strict=True)
            for (_, shown), (value, own) in zip(case["copy_on_write"]["rows"], values, strict=True):
                name = value, own.simpleString(), kind.simpleString()
                columns[name] = sf.to_json(
                    sf.struct(promoted(sf.expr(f"CAST({value} AS {name[1]})"), own, kind).alias("v"))
                )
                told.append((release, name, shown))
    found = dict(zip(columns, spark.range(1).select(*columns.values()).first(), strict=True))
    assert [(one, found[one[1]]) for one in told if found[one[1]] != one[2]] == []


def failing():
    return [
        (case["older"], case["newer"], value)
        for case in ASKED["1.2"]
        for value in dict.fromkeys(case["new"])
        if "<" not in case["older"] and any(cause in case["copy_on_write"].get("error", "") for cause in OF_VALUES)
    ]


@pytest.mark.parametrize(("older", "newer", "value"), failing())
def test_a_value_that_is_none_of_the_tables_type_fails_the_job(spark, older, newer, value):
    own, kind = kind_of(newer), kind_of(older)
    with pytest.raises(Exception, match=f"is no {re.escape(older)}, which the column is in older data"):
        spark.range(1).select(promoted(sf.expr(value), own, kind)).collect()


def test_members_widen_too_and_structs_may_gain_fields(spark):
    def kind(text):
        return spark.createDataFrame([], f"v {text}").schema["v"].dataType

    older = kind("struct<a: int, b: array<float>>")
    newer = kind("struct<c: string, b: array<double>, a: bigint>")
    assert common_type(older, newer) == newer
    assert common_type(newer, older) is None  # Hudi does not drop fields on its own
    assert common_type(kind("map<string, int>"), kind("map<string, double>")) == kind("map<string, double>")
    assert common_type(kind("timestamp"), kind("date")) is None
