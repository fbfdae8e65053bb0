"""Keys and partitions that look alike, on both engines: a compiled payload and its Python twin."""

from __future__ import annotations

import dataclasses
import math

import pytest
from pyspark.sql import functions as sf

from bridge import MergePlan, append, combine_input, compact, simulate, snapshot, upsert
from bridge.spark import META_COLUMNS
from payloads import HudiRelease, PayloadRef
from tests.jvm.frames import frame_of, rows
from tests.jvm.java_compiler import RELEASES
from tests.jvm.judge import Judge

COLUMNS = "id {}, part {}, ts long, name string, v string, n long, tags array<string>, op string"
DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"


@pytest.fixture(params=["jvm", "python"])
def plan(request, jar):
    """Return what runs `Latest` in an engine."""
    java = PayloadRef("com.acme.Twins$Latest", jar=str(jar))
    payload = java if request.param == "jvm" else PayloadRef("tests.jvm.twins:Latest")
    plan = MergePlan(payload=payload, release="0.15", key="id", partition="part", ordering="ts", engine=request.param)
    return lambda **settings: dataclasses.replace(plan, **settings)


def frame(spark, *values, key="string", partition="string"):
    return frame_of(COLUMNS.format(key, partition), spark, *values)


def seen(found):
    return rows(found.select("id", "part", "ts"))


@pytest.mark.parametrize(
    ("release", "empty"), [*((release, None) for release in RELEASES), (HudiRelease.V1_2, "")], ids=repr
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


def test_a_null_key_is_refused(plan, spark):
    with pytest.raises(Exception, match="the key column 'id' is null"):
        upsert(frame(spark, ("a", "p", 1)), frame(spark, (None, "p", 2)), plan()).collect()


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
