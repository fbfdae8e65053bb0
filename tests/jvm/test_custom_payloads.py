from __future__ import annotations

import json
import shutil
import types
import zipfile
from functools import partial

import pytest
from click.testing import CliRunner
from pyspark.sql import functions as sf

from bridge import MergePlan, append, combine_input, compact, simulate, snapshot, upsert
from bridge.cli import main
from bridge.engines.jvm import jvm_payload
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import bundle_for, bundles_of, check_spark, resolve
from bridge.engines.jvm.job import Calls
from bridge.errors import EngineError, PlanError, sentence_of
from bridge.spark import META_COLUMNS, line_of
from mergers import AvroRecordMerger, HoodieAvroIndexedRecord, HoodieAvroRecord
from payloads import (
    SENTINEL,
    HudiRelease,
    Ordering,
    PayloadConstructorError,
    PayloadFailedError,
    PayloadNotFoundError,
    PayloadRef,
    parse_schema,
)
from tests.jvm.frames import example_plan, frame_of, rows
from tests.support.schemas import record_schema

batch = partial(frame_of, "id string, ts bigint, v string, n bigint, tags array<string>")


@pytest.mark.parametrize(
    ("name", "rows_in", "expected"),
    [
        ("ListAppend", [("a", 1, "x", 1, ["p"]), ("a", 2, "y", 2, ["q", "r"])], ("a", 2, "y", 2, ["p", "q", "r"])),
        ("KeepNonNull", [("a", 1, "x", 1, ["p"]), ("a", 2, None, 2, None)], ("a", 2, "x", 2, ["p"])),
        ("RunningSum", [("a", 1, "x", 40, None), ("a", 2, "y", 2, None)], ("a", 2, "y", 42, None)),
        ("Concat", [("a", 1, "x", 1, None), ("a", 2, "y", 2, None)], ("a", 2, "x+y", 2, None)),
        ("OldestWins", [("a", 1, "x", 1, None), ("a", 2, "y", 2, None)], ("a", 1, "x", 1, None)),
        ("ChangesInput", [("a", 1, "x", 1, None), ("a", 2, "y", 2, None)], ("a", 1, "changed", 1, None)),
        ("TwoArguments", [("a", 1, "x", 1, None), ("a", 2, "y", 2, None)], ("a", 2, "y", 2, None)),
    ],
)
def test_a_payload_merges_with_the_stored_row(jar, spark, name, rows_in, expected):
    stored, incoming = rows_in
    untouched = ("z", 9, "z", 9, ["z"])
    merged = upsert(batch(spark, stored, untouched), batch(spark, incoming), example_plan(jar, name))
    assert rows(merged) == [expected, untouched]


def test_a_payload_combines_a_batch(jar, spark):
    incoming = batch(spark, ("a", 1, "x", 1), ("a", 3, "y", 2), ("a", 2, "z", 3))
    combined = combine_input(incoming, example_plan(jar, "RunningSum"))
    assert rows(combined.select("id", "n", "_pb_delete", "_pb_ordering.type")) == [("a", 6, False, "int")]


def test_state_lasts_from_the_batch_to_the_insert(jar, spark):
    incoming = batch(spark, ("a", 1, "x", 0), ("a", 3, "y", 0), ("a", 2, "z", 0))
    merged = upsert(batch(spark, ("b", 1, "b", 0)), incoming, example_plan(jar, "Counting"))
    assert rows(merged.select("id", "n")) == [("a", 3), ("b", 0)]


def test_a_payload_runs_at_the_merge_points_of_merge_on_read(jar, spark):
    plan = example_plan(jar, "RunningSum", table_type="mor")
    stored, log = append(batch(spark, ("a", 1, "x", 10)), None, batch(spark, ("a", 2, "y", 5), ("b", 1, "n", 1)), plan)
    for read in (snapshot, compact):
        assert rows(read(stored, log, plan).select("id", "n")) == [("a", 15), ("b", 1)]


def test_each_snapshot_of_a_simulation_reads_the_log_again(jar, spark):
    batches = [batch(spark, ("a", number, "x", 1)) for number in range(1, 5)]
    seen = simulate(batches, example_plan(jar, "Counting", table_type="mor"), compact_after=[3]).snapshots
    assert rows(seen.select("_pb_commit", "n")) == [(1, 1), (2, 1), (3, 2), (4, 1)]


def test_an_exception_names_key_merge_point_and_cause(jar, spark):
    merged = upsert(
        batch(spark, ("bad", 1), ("good", 1)), batch(spark, ("bad", 2), ("good", 2)), example_plan(jar, "Throwing")
    )
    with pytest.raises(Exception, match="no rule") as failure:
        merged.collect()
    assert sentence_of(failure.value) == (
        "com.acme.Examples$Throwing failed at upsert (key id='bad'): java.lang.IllegalStateException: no rule; "
        "caused by com.acme.Examples$Refused: this order was cancelled"
    )
    assert "at com.acme.Examples$Throwing.combineAndGetUpdateValue(Examples.java" in str(failure.value)


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("Absent", PayloadNotFoundError, "there is no class com.acme.Examples$Absent in .*jar"),
        ("NoConstructor", PayloadConstructorError, "no public constructor .* it has .Option."),
        ("NoPayload", PayloadConstructorError, "is not a payload: it does not implement"),
        ("Unfinished", PayloadConstructorError, "is abstract"),
    ],
)
def test_a_class_that_is_not_a_payload_is_refused_before_any_task(jar, spark, name, error, words):
    with pytest.raises(error, match=words.replace("$", r"\$")):
        upsert(batch(spark, ("a", 1)), batch(spark, ("a", 2)), example_plan(jar, name))


def test_two_jars_with_one_class_name_do_not_mix(java_compiler, spark):
    text = """package com.acme;
    import org.apache.avro.Schema;
    import org.apache.avro.generic.*;
    import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
    import org.apache.hudi.common.util.Option;
    public class Twin extends OverwriteWithLatestAvroPayload {
        public Twin(GenericRecord record, Comparable orderingVal) { super(record, orderingVal); }
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema)
            throws java.io.IOException {
            GenericRecord record = (GenericRecord) getInsertValue(schema).get();
            record.put("v", "NAME");
            return Option.of(record);
        }
    }"""
    merged = []
    for name in ("one", "two"):
        jar = java_compiler.compiled({"Twin.java": text.replace("NAME", name)}, HudiRelease.V0_15)
        plan = MergePlan(payload=PayloadRef("com.acme.Twin", jar=str(jar)), release="0.15", key="id", ordering="ts")
        merged.append(upsert(batch(spark, ("a", 1, "x")), batch(spark, ("a", 2, "y")), plan))
    assert [frame.first()["v"] for frame in merged] == ["one", "two"]


def test_the_named_release_counts_and_not_the_copy_of_hudi_in_a_fat_jar(bundles, jar, tmp_path):
    fat = tmp_path / "fat.jar"
    shutil.copyfile(jar, fat)
    (old,) = resolve(bundles, bundle_for(bundles, HudiRelease.V0_15))
    with zipfile.ZipFile(old) as source, zipfile.ZipFile(fat, "a") as target:
        for name in source.namelist():
            if name.startswith("org/apache/hudi/common/") and name.endswith(".class"):
                target.writestr(name, source.read(name))
    payload = PayloadRef("org.apache.hudi.common.model.DefaultHoodieRecordPayload", jar=str(fat))
    schema = parse_schema(record_schema("r", ts="long"))
    late = jvm_payload(bundles, payload, "1.2")({"ts": 1}, Ordering("long", 1))
    props = {"hoodie.table.ordering.fields": "ts"}
    assert late.combine_and_get_update_value({"ts": 2}, schema, props) is SENTINEL  # 0.15 answers the stored row


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("org.apache.hudi:hudi-spark3.5-bundle_2.13:0.15.0", "built for Scala 2.13, and this Spark runs on 2.12"),
        ("org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0", "the plan is for Hudi 0.15, but .* is 1.2"),
        ("org.apache.hudi", "not a Maven coordinate; write group:artifact:version"),
    ],
)
def test_a_package_that_does_not_fit_is_refused(bundles, spark, package, words):
    payload = PayloadRef("com.acme.Any", package=(package,))
    plan = MergePlan(payload=payload, release="0.15", key="id", ordering="ts", engine="jvm")
    with pytest.raises(PlanError, match=words):
        upsert(batch(spark, ("a", 1)), batch(spark, ("a", 2)), plan)


@pytest.mark.parametrize("release", ["1.0", pytest.param("1.1", marks=pytest.mark.long), "1.2"])
def test_a_class_runs_at_the_merge_points_of_later_releases(jar, spark, release):
    plan = example_plan(jar, "KeepNonNull", release=release, table_type="mor")
    stored = batch(spark, ("a", 1, "x", 10), ("z", 9, "z", 9))
    incoming = batch(spark, ("a", 2, None, 5), ("b", 1, "n", 1))
    expected = [("a", 2, "x", 5, None), ("b", 1, "n", 1, None), ("z", 9, "z", 9, None)]
    assert rows(upsert(stored, incoming, plan)) == expected
    stored, log = append(stored, None, incoming, plan)
    for read in (snapshot, compact):
        assert rows(read(stored, log, plan)) == expected


@pytest.mark.parametrize(("release", "tags"), [("1.0", ["p", "q"]), ("1.1", ["q"]), ("1.2", ["q"])])
def test_a_reader_loses_what_a_payload_writes_into_its_own_record(jar, spark, release, tags):
    plan = example_plan(jar, "ListAppend", release=release, table_type="mor")
    stored, incoming = batch(spark, ("a", 1, "x", 1, ["p"])), batch(spark, ("a", 2, "y", 2, ["q"]))
    assert upsert(stored, incoming, plan).first()["tags"] == ["p", "q"]
    assert snapshot(*append(stored, None, incoming, plan), plan).first()["tags"] == tags


@pytest.mark.parametrize("release", ["1.0", pytest.param("1.1", marks=pytest.mark.long), "1.2"])
def test_an_exception_of_a_reader_names_key_merge_point_and_cause(jar, spark, release):
    plan = example_plan(jar, "Throwing", release=release, table_type="mor")
    stored, log = append(batch(spark, ("bad", 1), ("good", 1)), None, batch(spark, ("bad", 2), ("good", 2)), plan)
    with pytest.raises(Exception, match="no rule") as failure:
        compact(stored, log, plan).collect()
    assert sentence_of(failure.value) == (
        "com.acme.Examples$Throwing failed at compact (key id='bad'): java.lang.IllegalStateException: no rule; "
        "caused by com.acme.Examples$Refused: this order was cancelled"
    )
    assert "at com.acme.Examples$Throwing.combineAndGetUpdateValue(Examples.java" in str(failure.value)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"payload": "DefaultHoodieRecordPayload", "release": "1.2"},
            "1.2 merges this table by EVENT_TIME_ORDERING, which does not call the class DefaultHoodieRecordPayload",
        ),
        (
            {"payload": None, "merger": "COMMIT_TIME_ORDERING", "release": "1.1"},
            "1.1 merges this table by COMMIT_TIME_ORDERING, which calls no class",
        ),
        (
            {"payload": None, "merger": "OverwriteWithLatestMerger", "release": "1.2"},
            "runs compiled payloads, not mergers such as OverwriteWithLatestMerger",
        ),
        ({"global_index": True, "partition": "v"}, "can't find a row in another partition"),
    ],
)
def test_what_the_engine_does_not_run_is_refused(jar, settings, words):
    with pytest.raises(PlanError, match=words):
        Calls(example_plan(jar, "Concat", engine="jvm", **settings))


@pytest.mark.skipif(line_of().name != "3.5", reason="0.14 has bundles for Spark 3.3 and 3.4, and none is asked on 4")
@pytest.mark.parametrize("package", [(), ("org.apache.hudi:hudi-spark3.4-bundle_2.12:0.14.1",)])
def test_a_release_without_a_bundle_for_this_spark_is_refused_whatever_package_is_named(spark, package):
    payload = PayloadRef("DefaultHoodieRecordPayload", package=package)
    with pytest.raises(PlanError, match=r"Hudi 0.14 has no bundle for Spark 3\.5, only up to 3\.4"):
        bundles_of(spark, payload, HudiRelease.V0_14)


@pytest.mark.parametrize(("release", "version"), [("1.2", "4.0"), ("1.0", "4.0"), ("1.1", "4.1")])
def test_what_has_not_run_on_spark_4_is_refused(release, version):
    words = rf"has not run on Spark {version}: on Spark 4\.0 compiled classes have run only under 1\.1"
    with pytest.raises(PlanError, match=words):
        check_spark(HudiRelease.parse(release), version)
    check_spark(HudiRelease.V1_1, "4.0")


def test_engine_and_implementation_must_fit():
    with pytest.raises(PlanError, match="the python engine does not run java classes"):
        MergePlan(payload="DefaultHoodieRecordPayload", key="id", engine="python", implementation="java")


def test_a_jar_that_is_not_there_is_refused(bundles, spark, tmp_path):
    with pytest.raises(EngineError, match="can't be read"):
        upsert(batch(spark, ("a", 1)), batch(spark, ("a", 2)), example_plan(tmp_path / "absent.jar", "Concat"))
    text = tmp_path / "text.jar"
    text.write_text("no jar")
    with pytest.raises(EngineError, match="is not a jar"):
        upsert(batch(spark, ("a", 1)), batch(spark, ("a", 2)), example_plan(text, "Concat"))


def test_spark_connect_is_refused():
    with pytest.raises(EngineError, match="Spark Connect"):
        Driver(types.SimpleNamespace(client=None))


def test_all_column_types_survive(bundles, spark):
    expression = """
        'a' id, CAST(1 AS BIGINT) ts, CAST(1 AS TINYINT) b, CAST(-2 AS SMALLINT) s, 3 i, 1.5F f, -0.0D d, true t,
        X'00FF' raw, 12.30BD dec, DATE'1500-01-01' day, TIMESTAMP'1500-01-01 00:00:00.000001' at, 'é😀' txt,
        array(1, null) l, map('k', DATE'2020-02-29') m,
        named_struct('x', TIMESTAMP'2020-01-01 01:02:03.456789', 'y', array(named_struct('z', 'q'))) r
    """
    stored = spark.range(1).selectExpr(*_columns(expression))
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key="id", ordering="ts", engine="jvm")
    assert rows(upsert(stored, stored, plan)) == rows(stored)


def _columns(text):
    depth, found = 0, [""]
    for letter in " ".join(text.split()):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return found


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.2"])
def test_meta_columns_of_written_rows_are_new(jar, spark, release):
    stored = batch(spark, ("a", 1, "x"), ("z", 1, "z")).select(
        *(sf.lit("old").alias(name) for name in META_COLUMNS), "*"
    )
    plan = example_plan(jar, "Concat", release=release)
    merged = upsert(stored, batch(spark, ("a", 2, "y")), plan).orderBy("id").collect()
    assert [(row["v"], row["_hoodie_record_key"], row["_hoodie_file_name"]) for row in merged] == [
        ("x+y", "a", None),
        ("z", "old", "old"),
    ]
    assert len(merged[0]["_hoodie_commit_time"]) == 17


def test_a_compiled_payload_is_an_ordinary_payload_of_the_library(jar, spark):
    schema = parse_schema(record_schema("r", id="string", n="long"))
    payload = jvm_payload(spark, PayloadRef("com.acme.Examples$RunningSum", jar=str(jar)), "0.15").for_schema(schema)
    older, newer = payload({"id": "a", "n": 1}), payload({"id": "a", "n": 2})
    assert newer.pre_combine(older).record == {"id": "a", "n": 3}
    merger = AvroRecordMerger(payload, "0.15", "combine")
    stored = HoodieAvroIndexedRecord(None, {"id": "a", "n": 40}, schema)
    merged = merger.merge(stored, HoodieAvroRecord(None, merger.payload_class({"id": "a", "n": 2})), schema, {})
    assert merged.record == {"id": "a", "n": 42}


def test_an_error_of_a_compiled_payload_is_ours_in_the_library(jar, spark):
    schema = parse_schema(record_schema("r", id="string"))
    payload = jvm_payload(spark, PayloadRef("com.acme.Examples$Throwing", jar=str(jar)), "0.15")
    with pytest.raises(PayloadFailedError, match=r"no rule; caused by .*this order was cancelled"):
        payload({"id": "bad"}).combine_and_get_update_value({"id": "bad"}, schema, {})


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_the_command_line_takes_a_jar(jar, tmp_path, release):
    for number, value in enumerate(("x", "y"), start=1):
        (tmp_path / f"{number}.jsonl").write_text(f'{{"id": "a", "ts": {number}, "v": "{value}", "n": 1}}\n', "utf-8")
    (tmp_path.parent / "rows.ddl").write_text("id string, ts bigint, v string, n bigint", "utf-8")
    arguments = ["simulate", "--batches", str(tmp_path), "--schema", str(tmp_path.parent / "rows.ddl")]
    named = ["--payload", "com.acme.Examples$Concat", "--jar", str(jar), "--release", release]
    options = ["--key", "id", "--ordering", "ts", "--output", "json"]
    answer = CliRunner().invoke(main, [*arguments, *named, *options])
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["results"][-1]["snapshot"] == [{"id": "a", "ts": 2, "v": "x+y", "n": 1}]
