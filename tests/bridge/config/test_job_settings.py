"""The settings of a job: what each format holds, which keys count, and what `--config` makes of them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.cli.job_config import with_job
from bridge.config import JobFormat, read_job_settings
from payloads import HudiRelease
from payloads.errors import PayloadConfigError

DMS = "org.apache.hudi.common.model.AWSDmsAvroPayload"
PAYLOAD, ORDERING = "hoodie.datasource.write.payload.class", "hoodie.datasource.write.precombine.field"
KEY, PARTITION = "hoodie.datasource.write.recordkey.field", "hoodie.datasource.write.partitionpath.field"
V0_15, V1_2 = HudiRelease.V0_15, HudiRelease.V1_2

STREAMER = f"""# the job
include=base.properties
hoodie.datasource.write.payload.class={DMS}
hoodie.datasource.write.recordkey.field =  id , part
hoodie.upsert.shuffle.parallelism 200
hoodie.deltastreamer.source.dfs.root=s3a://feed/in=out
auto.offset.reset=earliest
nothing
"""
SPARK = f"""spark.serializer  org.apache.spark.serializer.KryoSerializer
spark.hoodie.datasource.write.payload.class {DMS}
hoodie.datasource.write.precombine.field=ts
"""
FLINK = """-- CREATE TABLE old (a INT) WITH ('connector' = 'hudi', 'payload.class' = 'x')
CREATE TABLE feed (id STRING) WITH ('connector' = 'kafka', 'topic' = 'it''s');
CREATE TABLE IF NOT EXISTS `lake`.`orders` (
  id STRING PRIMARY KEY NOT ENFORCED, /* WITH (a) */ ts BIGINT COMMENT 'the ''ordering'' -- field', name STRING
) PARTITIONED BY (`name`) WITH (
  'connector' = 'hudi',
  'path' = 's3a://lake/orders',
  'table.type' = 'MERGE_ON_READ', -- 'payload.class' = 'y'
  'write.payload.class' = 'com.acme.Old',
  'payload.class' = 'com.acme.Mine',
  'hoodie.datasource.write.recordkey.field' = 'id',
  'precombine.field' = 'ts',
  'write.precombine' = 'true'
);
"""


@pytest.fixture
def settings(tmp_path):
    def read(text, release=V1_2, name="job.conf"):
        path = tmp_path / name
        path.write_text(text)
        return read_job_settings(path, release)

    return read


def test_hudi_streamer_properties(settings, tmp_path):
    (tmp_path / "base.properties").write_text(f"{ORDERING}=ts\n{PAYLOAD}=com.acme.Base\n # no comment=here\n")
    job = settings(STREAMER)
    assert job.format is JobFormat.HUDI
    assert job.writer == {ORDERING: "ts", PAYLOAD: DMS, KEY: "id , part"}
    assert {one.key: one.why for one in job.settings if one.name is None} == {
        "# no comment": "not a Hudi key",
        "hoodie.upsert.shuffle.parallelism": "no effect on how records merge",
        "hoodie.deltastreamer.source.dfs.root": "no effect on how records merge",
        "auto.offset.reset": "not a Hudi key",
    }
    assert {one.key: one.value for one in job.settings}["hoodie.deltastreamer.source.dfs.root"] == "s3a://feed/in=out"


@pytest.mark.parametrize(
    ("release", "writer", "why"),
    [
        (V0_15, {}, "Hudi 0.15 does not read spark.hoodie.*"),
        (HudiRelease.V1_1, {}, "Hudi 1.1 does not read spark.hoodie.*"),
        (V1_2, {PAYLOAD: DMS}, "in SQL only; the DataFrame writer of 1.2.0 does not read it"),
    ],
)
def test_a_spark_conf_counts_by_release(settings, release, writer, why):
    job = settings(SPARK, release)
    notes = {one.key: one.why for one in job.settings if one.is_surprising}
    assert (job.format, job.writer) == (JobFormat.SPARK, writer)
    assert notes[f"spark.{PAYLOAD}"].startswith(why)
    assert notes[ORDERING].startswith("spark-submit drops keys without the prefix spark.")


def test_flink_ddl(settings):
    job = settings(FLINK)
    assert (job.format, job.writer) == (JobFormat.FLINK, {PAYLOAD: "com.acme.Mine", KEY: "id", ORDERING: "ts"})
    assert {one.key for one in job.settings if one.is_surprising} == {"table.type", "write.precombine"}
    keys = [one.key for one in job.settings]
    assert keys[:4] == ["connector", "path", "hoodie.datasource.write.recordkey.field", "write.precombine"]
    assert keys[-2:] == ["write.payload.class", "payload.class"]  # what wins comes last


def test_flink_merges_by_event_time_where_no_class_is_named(settings):
    job = settings("CREATE TABLE t (a INT) WITH ('connector'='hudi', 'precombine.field'='no_precombine')")
    assert job.writer == {PAYLOAD: "org.apache.hudi.common.model.EventTimeAvroPayload"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no settings"),
        ("# nothing\n", "holds no settings"),
        ("df.write.option('hoodie.datasource.write.payload.class', 'x = y')", "holds no keys of Hudi"),
        ("include=job.conf\na=b\n", "includes itself"),
        ("include=none.properties\n", "includes .*none.properties, which can't be read"),
        ("CREATE TABLE t (a INT) WITH ('connector'='kafka')", "no table with 'connector' = 'hudi'"),
        (FLINK + FLINK.replace("orders", "rows"), r"2 Hudi tables \(lake.orders, lake.rows\)"),
    ],
)
def test_files_without_one_job(settings, text, message):
    with pytest.raises(PayloadConfigError, match=message):
        settings(text)


def test_a_misspelt_key_is_told_with_the_one_that_is_meant(settings):
    job = settings(f"{PAYLOAD[:-1]}={DMS}\nhoodie.upsert.shuffle.parallelism=2\n")
    assert job.writer == {}
    (misspelt,) = (one for one in job.settings if one.is_surprising)
    assert misspelt.why == f"no effect on merging; did you mean {PAYLOAD}?"


def test_inspect_says_which_keys_count(tmp_path):
    table, job = tmp_path / "hoodie.properties", tmp_path / "orders.sql"
    table.write_text("hoodie.table.version=6\nhoodie.table.type=MERGE_ON_READ\nhoodie.table.name=orders\n")
    job.write_text(FLINK)
    ran = CliRunner().invoke(
        main, ["inspect", str(table), "--config", str(job), "--release", "0.15", "--output", "json"]
    )
    found = json.loads(ran.stdout)
    assert ran.exit_code == 0, ran.output
    assert found["plan"]["writer"] == {PAYLOAD: "com.acme.Mine", KEY: "id", ORDERING: "ts"}
    named = {one["key"]: one["name"] for one in found["results"][0]["config"]}
    assert (named["payload.class"], named["path"]) == (PAYLOAD, None)


STREAMER_0 = f"""hoodie.deltastreamer.source.dfs.root=/landing
hoodie.datasource.write.recordkey.field=id
hoodie.datasource.write.precombine.field=seq
hoodie.datasource.write.payload.class={DMS}
hoodie.compaction.payload.class={DMS}
"""


@pytest.mark.parametrize("release", ["0.12", "0.13", "0.14", "0.15"])
def test_the_class_of_a_streamer_of_0_x_is_that_of_its_command(settings, release):
    for text in (STREAMER_0, STREAMER_0.replace("deltastreamer", "streamer")):
        job = settings(text, HudiRelease.parse(release))
        overwrite = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
        assert job.writer == {KEY: "id", ORDERING: "seq", PAYLOAD: overwrite}
        assert [one.key for one in job.settings if "--payload-class" in one.why] == [
            PAYLOAD,
            "hoodie.compaction.payload.class",
        ]


def test_the_class_of_another_file_is_its_own(settings):
    assert settings(STREAMER_0, V1_2).writer[PAYLOAD] == DMS
    assert settings(STREAMER_0.replace("deltastreamer", "other"), V0_15).writer[PAYLOAD] == DMS


def test_what_a_table_stores_under_the_same_name_is_held_against_it(tmp_path):
    table, job = tmp_path / "hoodie.properties", tmp_path / "job.properties"
    keygen = "org.apache.hudi.keygen."
    table.write_text(
        "hoodie.table.version=6\nhoodie.table.name=orders\nhoodie.table.recordkey.fields=id\n"
        f"hoodie.table.keygenerator.class={keygen}SimpleKeyGenerator\n"
        "hoodie.datasource.write.hive_style_partitioning=false\n"
    )
    job.write_text(
        f"hoodie.table.name=other\n{KEY}=order_id\nhoodie.datasource.write.keygenerator.class={keygen}ComplexKeyGenerator\n"
        "hoodie.datasource.write.hive_style_partitioning=true\n"
    )
    ran = CliRunner().invoke(
        main, ["inspect", str(table), "--config", str(job), "--release", "0.14", "--output", "json"]
    )
    warnings = [one["text"] for one in json.loads(ran.stdout)["results"][0]["warnings"] if one["severity"] == "refused"]
    for passed in (f"{KEY}=order_id", "name=other", "ComplexKeyGenerator", "hive_style_partitioning=true"):
        assert sum(passed in one for one in warnings) == 1


def test_the_types_of_a_custom_key_generator_are_no_columns(tmp_path):
    job = tmp_path / "job.properties"
    job.write_text(f"{PARTITION}=day:SIMPLE,ts:TIMESTAMP\n{KEY}=id\n")
    options = {"config": job, "release": V0_15, "payload": DMS, "merger": None, "partition": None}
    found = with_job({**options, "props": ()})
    assert found["partition"] == ("day", "ts")
    assert (PARTITION, "day:SIMPLE,ts:TIMESTAMP") in found["props"]


def test_options_beat_the_file(tmp_path):
    table, job = tmp_path / "hoodie.properties", tmp_path / "job.properties"
    table.write_text("hoodie.table.version=6\nhoodie.table.name=orders\n")
    job.write_text(f"{PAYLOAD}={DMS}\n{ORDERING}=ts\n")
    words = ["plan", str(table), "--to", "1.2", "--config", str(job), "--ordering", "n", "--output", "json"]
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["plan"]["writer"] == {PAYLOAD: DMS, ORDERING: "n"}


def test_verify_takes_columns_from_the_file(tmp_path):
    job = tmp_path / "job.properties"
    job.write_text(f"{KEY}=id\n{ORDERING}=ts\nhoodie.payload.delete.field=op\nhoodie.payload.delete.marker=D\n")
    words = ["verify", "DefaultHoodieRecordPayload", "--laws", "associativity", "--exhaustive", "--domain", "data"]
    ran = CliRunner().invoke(main, [*words, "--config", str(job), "--output", "json"])
    assert ran.exit_code in {0, 1}, ran.output
    plan = json.loads(ran.stdout)["plan"]
    assert (plan["key"], plan["ordering"]) == (["id"], ["ts"])
    assert "4 of 4 settings apply" in ran.stderr


@pytest.mark.parametrize(
    ("release", "mode", "chosen"),
    [("1.2", "EVENT_TIME_ORDERING", "mode"), ("1.2", "CUSTOM", "payload"), ("0.15", "EVENT_TIME_ORDERING", "payload")],
)
def test_a_mode_comes_before_a_class_where_the_release_has_modes(tmp_path, release, mode, chosen):
    job = tmp_path / "job.properties"
    job.write_text(f"{PAYLOAD}={DMS}\nhoodie.write.record.merge.mode={mode}\n")
    options = {"config": job, "release": HudiRelease.parse(release), "payload": None, "merger": None}
    found = with_job({**options, "props": ()})
    payload = found["payload"] and found["payload"].name
    assert (found["merger"], payload) == ((mode, None) if chosen == "mode" else (None, DMS))


def test_a_config_that_is_none_is_refused(tmp_path):
    job = tmp_path / "job.properties"
    job.write_text("")
    ran = CliRunner().invoke(main, ["verify", "DefaultHoodieRecordPayload", "--config", str(job)])
    assert ran.exit_code == 2
    assert "--config" in ran.stderr
    assert "holds no settings" in ran.stderr
