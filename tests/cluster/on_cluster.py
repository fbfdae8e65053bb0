"""Verbs and functions on a standalone cluster whose workers lack this project, with data on S3."""

from __future__ import annotations

import json
import urllib.parse
from typing import TYPE_CHECKING

from click.testing import CliRunner
from pyarrow import fs
from pyspark.sql import SparkSession

from bridge import MergePlan, upsert
from bridge.cli import main
from tests.cluster.servers import HADOOP_AWS, KEYS

if TYPE_CHECKING:
    from tests.cluster.servers import Servers

_ROWS = 100
_DAYS = "s3a://warehouse/days"
_KEY = ("--key", "id", "--ordering", "ts")
_THEIRS = ("--payload", "their_payloads:Newest", *_KEY)
_COMPILED = ("--payload", "DefaultHoodieRecordPayload", *_KEY, "--engine", "jvm")
_SIDES = ("--stored", f"{_DAYS}/1", "--incoming", f"{_DAYS}/2")


def answered(*words: str, code: int = 0) -> str:
    """Run a command in this process; return what it prints."""
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def store_of(servers: Servers) -> fs.S3FileSystem:
    """Return S3 as a reader besides Spark sees it."""
    where = urllib.parse.urlsplit(servers.s3).netloc
    return fs.S3FileSystem(
        access_key=KEYS[0],
        secret_key=KEYS[1],
        endpoint_override=where,
        scheme="http",
        region="us-east-1",
        allow_bucket_creation=True,
    )


def session_by_command(servers: Servers) -> SparkSession:
    """Let a command start the session, by its options alone; those after it find it active."""
    store_of(servers).create_dir("warehouse")
    conf = [word for name, value in servers.conf.items() for word in ("--conf", f"{name}={value}")]
    found = answered("check-cluster", "--master", servers.master, *conf)
    assert "1 executor hosts have what merges need" in found
    spark = SparkSession.getActiveSession()
    assert spark is not None
    assert spark.conf.get("spark.jars.packages") == HADOOP_AWS
    for day in (1, 2):
        rows = spark.range(_ROWS).selectExpr("CAST(id AS STRING) id", f"{day}L ts", f"{day} day")
        rows.write.parquet(f"{_DAYS}/{day}")
    return spark


def python_engine(servers: Servers, spark: SparkSession) -> None:
    """A class that only the driver has, by command and by function."""
    days = ("--batches", _DAYS)
    report = "s3a://warehouse/report.json"
    found = answered("simulate", *_THEIRS, "--release", "0.15", *days, "--report", report)
    assert "200 rows in 2 batches; the last snapshot has 100" in found
    with store_of(servers).open_input_file("warehouse/report.json") as file:
        assert json.loads(file.read())["statistics"]["rows_in"] == 2 * _ROWS
    assert "IDENTICAL" in answered("replay", *_THEIRS, *days, "--from", "0.15", "--to", "1.2")
    merge = ("merge", "upsert", *_THEIRS, "--release", "0.15", *_SIDES, "--out", "s3a://warehouse/merged")
    assert "upsert: 100 rows" in answered(*merge)
    assert "already exists" in answered(*merge, code=3)
    answered(*merge, "--overwrite", "--partition-by", "day")
    assert spark.read.parquet("s3a://warehouse/merged").where("day = 2 AND ts = 2").count() == _ROWS
    listed = store_of(servers).get_file_info(fs.FileSelector("warehouse/merged"))
    assert not [one for one in listed if "payload_bridge" in one.path]
    plan = MergePlan(payload="their_payloads:Newest", release="0.15", key="id", ordering="ts")
    _check_upsert(spark, plan)


def jvm_engine(_servers: Servers, spark: SparkSession) -> None:
    """A class of Hudi's bundle, which the driver sends to executors."""
    assert "the last snapshot has 100" in answered("simulate", *_COMPILED, "--release", "0.15", "--batches", _DAYS)
    found = answered("replay", *_COMPILED, "--batches", _DAYS, "--from", "0.15", "--to", "0.15")
    assert "IDENTICAL" in found
    out = ("--out", "s3a://warehouse/compiled")
    assert "engine jvm" in answered("merge", "upsert", *_COMPILED, "--release", "0.15", *_SIDES, *out)
    plan = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts", engine="jvm")
    _check_upsert(spark, plan)


def _check_upsert(spark: SparkSession, plan: MergePlan) -> None:
    stored, incoming = (spark.read.parquet(f"{_DAYS}/{day}") for day in (1, 2))
    assert upsert(stored, incoming, plan).where("ts = 2").count() == _ROWS


PARTS = (python_engine, jvm_engine)
