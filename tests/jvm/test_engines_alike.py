"""Keys and partitions that look alike, on both engines: a compiled payload and its Python twin."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest
from pyspark.sql import functions as sf

from bridge import (
    MergePlan,
    NextWriter,
    append,
    combine_input,
    compact,
    merge_frames,
    simulate,
    simulate_upgrade,
    snapshot,
    upsert,
)
from bridge.spark import META_COLUMNS, avro_schema
from payloads import HudiRelease, PayloadRef, parse_schema
from tests.jvm.frames import frame_of, rows
from tests.jvm.java_compiler import RELEASES
from tests.jvm.judge import Judge

COLUMNS = "id {}, part {}, ts long, name string, v string, n long, tags array<string>, op string"
DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"


@pytest.fixture(params=["jvm", "python"])
def engine(request):
    return request.param


@pytest.fixture
def plan(engine, jar):
    """Return what runs `Latest` in an engine."""
    java = PayloadRef("com.acme.Twins$Latest", jar=str(jar))
    payload = java if engine == "jvm" else PayloadRef("tests.jvm.twins:Latest")
    plan = MergePlan(payload=payload, release="0.15", key="id", partition="part", ordering="ts", engine=engine)
    return lambda **settings: dataclasses.replace(plan, **settings)


@pytest.fixture
def of_hudi(engine, bundles):
    """Return what runs a class of Hudi in an engine: its port, or the class itself."""
    named = {"release": "0.15", "key": "id", "ordering": "ts", "engine": engine}
    return lambda payload, **settings: MergePlan(payload=payload, **{**named, **settings})


def frame(spark, *values, key="string", partition="string"):
    return frame_of(COLUMNS.format(key, partition), spark, *values)


def seen(found):
    return rows(found.select("id", "part", "ts"))


@pytest.mark.parametrize(
    ("release", "empty"),
    [
        (HudiRelease.V0_15, None),
        pytest.param(HudiRelease.V1_0, None, marks=pytest.mark.long),
        pytest.param(HudiRelease.V1_1, None, marks=pytest.mark.long),
        (HudiRelease.V1_2, None),
        (HudiRelease.V1_2, ""),
    ],
    ids=repr,
)
def test_rows_of_the_default_partition_merge_only_with_each_other(plan, spark, release, empty):
    stored = frame(spark, ("a", None, 1), ("b", None, 1), ("a", "p", 1))
    incoming = frame(spark, ("a", empty, 2), ("a", "p", 3), ("c", empty, 2))
    expected = [("a", "p", 3), ("a", None, 2), ("b", None, 1), ("c", None, 2)]
    assert seen(upsert(stored, incoming, plan(release=release))) == expected
    mor = plan(release=release, table_type="mor")
    tables = append(stored, None, incoming, mor)
    for read in (snapshot, compact):
        assert seen(read(*tables, mor)) == expected


POINTS = {
    "combine-input": ("cow", ("incoming",)),
    "upsert": ("cow", ("stored", "incoming")),
    "append": ("mor", ("stored", "incoming")),
    "snapshot": ("mor", ("stored", "log")),
    "compact": ("mor", ("stored", "log")),
}
ROW_COUNTS = {}


@pytest.mark.parametrize(
    ("point", "release"), [*((point, "0.15") for point in POINTS), ("upsert", "1.2"), ("snapshot", "1.2")]
)
def test_a_merge_keeps_the_same_books_in_both_engines(plan, spark, request, point, release):
    """The row counts are compared across the parameters of `plan`: pytest runs both in this process."""
    stored = frame(spark, *((key, "p", 5) for key in "abcd"))
    deleted = ("d", "p", 7, None, None, None, None, "delete")
    incoming = frame(spark, ("a", "p", 6), ("b", "p", 4), ("b", "p", 3), ("e", "p", 1), ("e", "p", 2), deleted)
    table_type, sides = POINTS[point]
    plan = plan(release=release, table_type=table_type)
    log = append(stored, None, incoming, plan)[1] if "log" in sides else None
    given = {"stored": stored, "incoming": incoming, "log": log}
    with merge_frames(point, plan, **{name: given[name] for name in sides}) as found:
        row_counts = found.row_counts
    assert (
        row_counts.rows_out
        == sum(number for (_, _, status), number in row_counts.counts.items() if status == "kept") + row_counts.made
    )
    told = {name: number for name, number in row_counts.counts.items() if number}
    assert ROW_COUNTS.setdefault((point, release), told) == told


@pytest.mark.parametrize("rule", ["upsert", "small files", "upgrade", "upgrade in steps"])
def test_a_table_keeps_the_same_books_in_both_engines(plan, spark, rule):
    batches = [
        frame(spark, ("a", "p", 5), ("b", "p", 5), ("b", "p", 6), ("c", "q", 5)),
        frame(spark, ("a", "p", 4), ("b", "p", 7), ("c", "q", 9, None, None, None, None, "delete")),
        frame(spark, ("a", "p", 8), ("d", "p", 1)),
    ]
    props = {"hoodie.parquet.small.file.limit": "1"} if rule == "small files" else {}
    plan = plan(table_type="mor", props=props)
    if rule in {"upgrade", "upgrade in steps"}:
        via = [NextWriter(1, dataclasses.replace(plan, release="1.0"))] if rule == "upgrade in steps" else []
        new = dataclasses.replace(plan, release="1.2")
        found = simulate_upgrade(batches, plan, new, upgrade_after=1 + len(via), via=via)
    else:
        found = simulate(batches, plan, compact_after=(2,))
    with found:
        assert sum(found.row_counts.counts.values()) == 9
        told = {name: number for name, number in found.row_counts.counts.items() if number}
    assert ROW_COUNTS.setdefault(rule, told) == told


def test_small_files_of_the_default_partition_hold_only_its_keys(plan, spark):
    batches = [frame(spark, ("a", part, 1), ("a", "p", 1)) for part in (None, "")]
    found = simulate(batches, plan(release="1.2", table_type="mor")).snapshots
    assert rows(found.select("_pb_commit", "id", "part")) == [
        (commit, "a", part) for commit in (1, 2) for part in ("p", None)
    ]


def test_inserts_go_to_the_smallest_file_and_deletes_there_are_final(plan, spark):
    """A delete in the chosen file drops the row, so an older one comes back; in a log the delete stays."""
    several = [("first", 1), ("other", 1), ("third", 1)], [("first", 2)], [("small", 2)]
    batches = [frame(spark, *((key, "p", ts) for key, ts in rows)) for rows in several]
    deletes = [(key, "p", 9, None, None, None, None, "delete") for key in ("first", "small")]
    batches += [frame(spark, ("new", "p", 5), *deletes), frame(spark, ("first", "p", 3), ("small", "p", 3))]
    props = {"hoodie.parquet.small.file.limit": "1"}
    found = simulate(batches, plan(table_type="mor", props=props), compact_after=(3,)).snapshots
    assert rows(found.where("_pb_commit = 5").select("id")) == [("new",), ("other",), ("small",), ("third",)]


@pytest.mark.parametrize("part", [None, "", "p"], ids=["null", "empty", "named"])
def test_the_meta_columns_name_the_partition_as_hudi_does(plan, spark, part):
    plain = frame(spark, ("a", part, 1))
    stored = plain.select(*(sf.lit("old").alias(name) for name in META_COLUMNS), "*")
    written = upsert(stored, frame(spark, ("a", part, 2)), plan()).first()
    assert (written["ts"], written["_hoodie_record_key"]) == (2, "a")
    assert written["_hoodie_partition_path"] == (part or DEFAULT_PARTITION)


KEY = "334e26e9-8355-45cc-97c6-c31daf0df330"
TRIPS = "uuid string, ts bigint, rider string, driver string, fare double, city string"
RIDER_A = (KEY, 3, "rider-A", "driver-K", 19.10, "san_francisco")
RIDER_C = (KEY, 2, "rider-C", "driver-M", 27.70, "san_francisco")
RIDER_D = (KEY, 1, "rider-D", "driver-K", 18.00, "san_francisco")


def test_the_worked_example_of_hudis_blog(of_hudi, spark):
    """Three versions of one trip, in two inserts."""
    trips = {"key": "uuid", "partition": "city"}
    batch, late = (spark.createDataFrame(found, TRIPS).coalesce(1) for found in ([RIDER_A, RIDER_C], [RIDER_D]))
    by_default, overwriting = of_hudi("DefaultHoodieRecordPayload", **trips), "OverwriteWithLatestAvroPayload"
    first = upsert(batch.where("false"), batch, by_default)
    assert rows(first) == rows(upsert(first, late, by_default)) == [RIDER_A]
    assert rows(upsert(first, late, of_hudi(overwriting, **trips))) == [RIDER_D]


def test_a_kept_row_keeps_its_meta_columns_and_an_updated_one_gets_new_ones(of_hudi, spark):
    plan = of_hudi("DefaultHoodieRecordPayload", key="uuid", partition="city")
    columns = ", ".join(f"{name} string" for name in META_COLUMNS)
    old = ("20250101000000000", "20250101000000000_0_0", KEY, "san_francisco", "f1.parquet")
    stored = spark.createDataFrame([(*old, *RIDER_C)], f"{columns}, {TRIPS}")
    assert rows(upsert(stored, spark.createDataFrame([RIDER_D], TRIPS), plan)) == [(*old, *RIDER_C)]
    newer = spark.createDataFrame([RIDER_A, ("other", *RIDER_A[1:])], TRIPS)
    for row in upsert(stored, newer, plan).collect():
        instant, sequence, record_key, partition_path, file_name = row[:5]
        assert (len(instant), instant > old[0], sequence.startswith(f"{instant}_")) == (17, True, True)
        assert (record_key, partition_path, file_name) == (row["uuid"], "san_francisco", None)
        assert row[6:] == RIDER_A[1:]


def test_combine_input_says_what_a_row_is(of_hudi, spark):
    found = [("a", 1, "U"), ("a", 3, "D"), ("a", 2, "U"), ("b", 1, "I")]
    batch = spark.createDataFrame(found, "id string, ts int, Op string").coalesce(1)
    combined = rows(combine_input(batch, of_hudi("AWSDmsAvroPayload")))
    assert combined == [("a", 3, "D", True, ("int", "3")), ("b", 1, "I", False, ("int", "1"))]


def test_stored_rows_get_null_in_a_new_column(of_hudi, spark):
    stored = spark.createDataFrame([("a", 1), ("b", 1)], "id string, ts int")
    incoming = spark.createDataFrame([("a", 2, "x")], "id string, ts int, name string")
    plan = of_hudi("DefaultHoodieRecordPayload")
    assert rows(upsert(stored, incoming, plan)) == [("a", 2, "x"), ("b", 1, None)]
    result = simulate([stored, incoming], plan).snapshots
    assert rows(result.where("_pb_commit = 1")) == [(1, "a", 1, None), (1, "b", 1, None)]


def test_a_null_key_is_refused(plan, spark):
    with pytest.raises(Exception, match="the key column 'id' is null"):
        upsert(frame(spark, ("a", "p", 1)), frame(spark, (None, "p", 2)), plan()).collect()


def test_two_stored_rows_of_a_key_are_refused(plan, spark):
    twice = frame(spark, ("a", "p", 1), ("a", "p", 2))
    # No merge point is at fault.
    with pytest.raises(
        Exception, match=r"Latest failed \(key part='p', id='a'\): the stored side has more than one row"
    ):
        upsert(twice, frame(spark, ("a", "p", 3)), plan()).collect()


SHOWN = {
    "boolean": ("true", "True"),
    "date": ("2024-03-05", "2024-03-05"),
    "decimal(5,2)": ("1.50", "1.50"),
    "bigint": ("-7", "-7"),
    "string": ("2024-03-05", "'2024-03-05'"),
}
"""A value as SQL has it, and as messages show it where it is part of a key."""


@pytest.mark.parametrize("kind", SHOWN)
def test_every_engine_shows_a_key_alike(of_hudi, engine, spark, kind):
    value, shown = SHOWN[kind]
    rows = frame(spark, ("a", value, None), ("b", value, 1)).withColumn("part", sf.col("part").cast(kind))
    for one in (engine, "native"):
        plan = of_hudi("DefaultHoodieRecordPayload", partition="part", engine=one)
        with pytest.raises(Exception, match=re.escape(f" (key part={shown}, id='a'")):
            upsert(rows.where("false"), rows, plan).collect()


def test_a_row_that_does_not_fit_the_schema_is_named_and_no_merge_point(plan, spark):
    rows = frame(spark, ("a", "p", 1, "x"), ("b", "p", 1))
    schema = avro_schema(rows.schema, HudiRelease.V0_15).source
    fields = [{"name": "name", "type": "string"} if one["name"] == "name" else one for one in schema["fields"]]
    strict = plan(schema=parse_schema({**schema, "fields": fields}))
    with pytest.raises(Exception, match=r"Latest failed \(key part='p', id='b'\): .*'name'"):
        upsert(rows.where("false"), rows, strict).collect()


def test_a_failure_under_the_small_file_rule_names_the_key_at_fault(plan, spark):
    """Another key of the batch makes the merge begin, and one after it comes last."""
    payload = dataclasses.replace(plan().payload, name=plan().payload.name.replace("Latest", "Fails"))
    batches = [
        frame(spark, *((key, "p", number, "x", "x", n, ["t"]) for key, n in rows))
        for number, rows in enumerate(([("a", 1), ("b", 1)], [("a", None), ("z", 1)]), start=1)
    ]
    props = {"hoodie.parquet.small.file.limit": "1"}
    with pytest.raises(Exception, match=r"Fails failed at upsert \(key part='p', id='a'\)"):
        simulate(batches, plan(payload=payload, table_type="mor", props=props)).snapshots.collect()


def test_a_delete_without_data_is_a_bare_key_at_every_merge_point(plan, spark):
    """Its ordering value Integer 0 is that of a delete that any version loses to, whatever the column's type."""
    deletes = [("a", "p", None), ("c", "p", None)]
    ordering = sf.struct(sf.lit("int").alias("type"), sf.lit("0").alias("value"))
    bare = frame(spark, *deletes).withColumns({"_pb_delete": sf.lit(True), "_pb_ordering": ordering})
    stored = frame(spark, ("a", "p", 5), ("b", "p", 5))
    assert seen(upsert(stored, bare, plan())) == [("b", "p", 5)]
    mor = plan(table_type="mor")
    stored, log = append(stored, None, bare, mor)
    assert seen(stored) == [("a", "p", 5), ("b", "p", 5)]
    for read in (snapshot, compact):
        assert seen(read(stored, log, mor)) == [("b", "p", 5)]


def test_the_arrival_column_decides_over_the_order_of_rows(plan, spark):
    batch = frame(spark, *(("a", "p", 1, None, None, arrived) for arrived in (30, 10, 20)))
    found = upsert(batch.where("false"), batch.repartition(3), plan(arrival="n"))
    assert rows(found.select("id", "n")) == [("a", 30)]


def test_a_failure_names_payload_merge_point_and_key(jar, plan, spark):
    name = plan().payload.name.replace("Latest", "Fails")
    payload = dataclasses.replace(plan().payload, name=name)
    stored, incoming = frame(spark, ("a", "p", 1), ("b", "p", 1)), frame(spark, ("b", "p", 2, "x", "x", None, ["t"]))
    with pytest.raises(Exception, match=r"Fails failed at upsert \(key part='p', id='b'\)"):
        upsert(stored, incoming, plan(payload=payload)).collect()


def test_zero_and_negative_zero_are_two_keys(plan, spark):
    zeros = [(0.0, "p", 1), (-0.0, "p", 2), (math.nan, "p", 3), (1.5, "p", 4)]
    stored = frame(spark, *zeros, key="double")
    incoming = frame(spark, *((key, part, ts + 10) for key, part, ts in (*zeros[::-1], *zeros)), key="double")
    combined = combine_input(incoming, plan())
    assert texts(combined) == [("-0.0", 12), ("0.0", 11), ("1.5", 14), ("NaN", 13)]
    assert texts(upsert(stored, incoming, plan())) == texts(combined)
    mor = plan(table_type="mor")
    assert texts(snapshot(*append(stored, None, incoming, mor), mor)) == texts(combined)


def test_zero_and_negative_zero_are_two_partitions(plan, spark):
    zeros = [("a", 0.0, 1), ("a", -0.0, 2), ("a", math.nan, 3)]
    stored = frame(spark, *zeros, partition="double")
    incoming = frame(spark, *((key, part, ts + 10) for key, part, ts in zeros[::-1]), partition="double")
    found = upsert(stored, incoming, plan())
    assert rows(found.select(sf.col("part").cast("string"), "ts")) == [("-0.0", 12), ("0.0", 11), ("NaN", 13)]


def texts(found):
    return rows(found.select(sf.col("id").cast("string"), "ts"))


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_real_key_generators_say_so(bundles, java_compiler, release):
    judge = Judge(bundles, release, java_compiler)
    assert [judge.key_and_path(key, "p")[0] for key in (0.0, -0.0, math.nan)] == ["0.0", "-0.0", "NaN"]
    assert [judge.key_and_path(1.0, part)[1] for part in (None, "", "p", "default")] == [
        DEFAULT_PARTITION,
        DEFAULT_PARTITION,
        "p",
        "default",
    ]
    assert judge.key_and_path(1.0, "p")[0] == "1.0"
