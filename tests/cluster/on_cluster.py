"""Verbs and functions on a standalone cluster whose workers lack this project, with data on S3."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.parse
import urllib.request
import venv
from typing import TYPE_CHECKING, NamedTuple

from click.testing import CliRunner
from pyarrow import fs
from pyspark.sql import SparkSession

from bridge import MergePlan, upsert
from bridge.cli import main
from bridge.pipeline import read_frame
from tests.cluster.over_connect import ROOT, THEIRS
from tests.cluster.servers import KEYS, PACKAGES

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
    assert "1 executor hosts have everything that merges need" in found
    spark = SparkSession.getActiveSession()
    assert spark is not None
    assert spark.conf.get("spark.jars.packages") == ",".join(PACKAGES)
    for day in (1, 2):
        rows = spark.range(_ROWS).selectExpr("CAST(id AS STRING) id", f"{day}L ts", f"{day} day")
        rows.write.parquet(f"{_DAYS}/{day}")
    found = answered("check-cluster", _DAYS, "--output", "json")
    reads = {
        one["by"].partition(" on ")[0]: one["found"].partition("-")[0]
        for one in json.loads(found)["results"]
        if "by" in one
    }
    assert reads == {"the driver": "a folder of 2 entries", "Spark": "reads part", "the executors": "reads part"}
    return spark


def python_engine(servers: Servers, spark: SparkSession) -> None:
    """A class that only the driver has, by command and by function."""
    days = ("--batches", _DAYS)
    report = "s3a://warehouse/report.json"
    found = answered("simulate", *_THEIRS, "--release", "0.15", *days, "--report", report)
    assert "200 rows in 2 batches; the last snapshot has 100" in found
    with store_of(servers).open_input_file("warehouse/report.json") as file:
        assert json.loads(file.read())["statistics"]["rows_in"] == 2 * _ROWS
    as_on_emr = ("--batches", _DAYS.replace("s3a:", "s3:"))
    assert "IDENTICAL" in answered("replay", *_THEIRS, *as_on_emr, "--from", "0.15", "--to", "1.2")
    merge = ("merge", "upsert", *_THEIRS, "--release", "0.15", *_SIDES, "--out", "s3a://warehouse/merged")
    assert "upsert: 100 rows" in answered(*merge)
    assert "already exists" in answered(*merge, code=3)
    answered(*merge, "--overwrite", "--partition-by", "day")
    assert spark.read.parquet("s3a://warehouse/merged").where("day = 2 AND ts = 2").count() == _ROWS
    listed = store_of(servers).get_file_info(fs.FileSelector("warehouse/merged"))
    assert not [one for one in listed if "payload_bridge" in one.path]
    avro = "s3a://warehouse/avro"
    answered("merge", "upsert", *_THEIRS, "--release", "0.15", *_SIDES, "--out", avro, "--out-format", "avro")
    again = ("merge", "combine-input", *_THEIRS, "--release", "0.15", "--incoming", avro)
    assert "combine-input: 100 rows" in answered(*again)
    assert read_frame(spark, avro).inputFiles()  # which a frame of mapInArrow has none of
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


def guide(servers: Servers, spark: SparkSession) -> None:
    """The commands of the page "On a cluster", on folders and a class of the names that it gives."""
    spark.sql("SELECT 'a' id, 1L ts, 'I' Op").write.parquet(f"{_DAYS}/2024-01")
    for day in (1, 2):
        rows = spark.createDataFrame([("a", day)], "id string, ts long")
        rows.write.parquet((servers.folder / "days" / str(day)).as_uri())
    page = (ROOT / "migration_guide" / "cluster.md").read_text(encoding="utf-8")
    (servers.folder / "my_payloads.py").write_text(THEIRS)
    commands = re.findall(r"^```console\npayload-bridge (.*?)^```$", page, re.MULTILINE | re.DOTALL)
    before = os.getcwd()  # noqa: PTH109 (as it goes back to it)
    os.chdir(servers.folder)
    try:
        for command in commands:
            answered(*shlex.split(command.replace("\\\n", " ").replace("spark://head:7077", servers.master)))
    finally:
        os.chdir(before)
    assert len(commands) > 2


def bad_input(servers: Servers, spark: SparkSession) -> None:
    """What the cluster or the storage lacks is said in a sentence, and nothing is written."""
    merge = ("merge", "upsert", *_THEIRS, "--release", "0.15", *_SIDES)
    batches = ("simulate", *_THEIRS, "--release", "0.15", "--batches")
    assert "there is no bucket s3a://nowhere; correct its name" in answered(*merge, "--out", "s3a://nowhere/x", code=3)
    assert "s3a://nowhere/days does not exist; name a folder" in answered(*batches, "s3a://nowhere/days", code=3)
    _authorize(servers, after=0)
    assert f"{_DAYS} can't be read by the driver: " in answered("check-cluster", _DAYS, code=3)
    assert f"{_DAYS} can't be listed (" in (said := answered(*batches, _DAYS, code=3))
    assert "set spark.hadoop.fs.s3a.access.key and" in said
    assert KEYS[1] not in said
    _authorize(servers, after=1_000_000)

    venv.create(servers.folder / "bare", symlinks=True, with_pip=False)
    context = spark.sparkContext
    context.pythonExec, before = str(servers.folder / "bare" / "bin" / "python"), context.pythonExec
    said = answered("check-cluster", code=3)
    context.pythonExec = before
    assert "lacks pyarrow (not installed)" in said
    assert "install it there, or ship this Python: payload-bridge pack" in said


_CLAIMS = """import sys

class Claimed(tuple):
    major, minor, micro = 3, 9, 0

sys.version_info = Claimed((3, 9, 0, "final", 0))
"""


_PROGRAM = """import json, sys
from click.testing import CliRunner
from pyspark import SparkContext
from bridge.cli import main

for python, words in json.loads(sys.argv[1]):
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.pythonExec = python
    done = CliRunner().invoke(main, words)
    print(json.dumps([done.exit_code, done.stdout, done.stderr]))
"""


def another_python(servers: Servers, _spark: SparkSession) -> None:
    """Executors whose Python says that it is 3.9: a command ends in a sentence, or they unpack and run the driver's."""
    folder = servers.folder / "other"
    venv.create(folder, symlinks=True, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "claims.py").write_text(_CLAIMS)
    (packages / "claims.pth").write_text("import claims\n")  # some systems have a sitecustomize of their own
    archive = servers.folder / "bridge.tar.gz"
    assert "run other verbs with PYSPARK_PYTHON=env/bin/python" in answered("pack", "--out", str(archive))
    conf = servers.conf | {"spark.archives": f"{archive}#env"}
    on_cluster = [*("--master", servers.master), *(w for one in conf.items() for w in ("--conf", "=".join(one)))]
    rows = servers.folder / "rows.jsonl"
    rows.write_text(json.dumps({"id": "a", "ts": 1, "city": "x"}) + "\n")
    sides = ("--stored", str(rows), "--incoming", str(rows), *_THEIRS, "--release", "0.15")
    merge = ("merge", "upsert", *sides, "--engine", "python", "--out")  # native needs no Python there
    others, packed = str(folder / "bin" / "python"), "env/bin/python"
    refused, checked, merged = _told(
        servers,
        (others, (*merge, str(servers.folder / "never"), *on_cluster)),
        (packed, ("check-cluster", "--output", "json")),
        (packed, (*merge, str(servers.folder / "packed"))),
    )
    said = [line for line in refused.stderr.splitlines() if line.startswith("error: ")]
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert refused.code == 3, refused
    assert len(said) == 1, refused
    assert f"executors run Python 3.9, and the driver {own}; set PYSPARK_PYTHON" in said[0], said[0]
    assert not (servers.folder / "never").exists()
    (executor,) = [one for one in json.loads(checked.stdout)["results"] if one["where"] == "executor"]
    assert executor["interpreter"] == f"{packed}{own}"
    assert merged.code == 0, merged
    assert [*(servers.folder / "packed").glob("*.parquet")]


class _Told(NamedTuple):
    """What a command in another process ended with."""

    code: int
    stdout: str
    stderr: str


def _told(servers: Servers, *commands: tuple[str, tuple[str, ...]]) -> list[_Told]:
    """Run commands in one process, in one application of Spark, each with this Python for the workers."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, json.dumps(commands)],
        cwd=servers.folder,
        env=os.environ | {"PYSPARK_PYTHON": commands[0][0], "PYTHONPATH": f"{ROOT}{os.pathsep}{servers.folder}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    return [_Told(*json.loads(line)) for line in done.stdout.splitlines()]


def _authorize(servers: Servers, after: int) -> None:
    """Let S3 refuse every request that comes after some more, whose credentials it does not know."""
    plain = {"Content-Type": "text/plain"}
    request = urllib.request.Request(f"{servers.s3}/moto-api/reset-auth", str(after).encode(), plain)  # noqa: S310
    urllib.request.urlopen(request).close()  # noqa: S310 (a server of this test)


PARTS = (python_engine, jvm_engine, guide, bad_input, another_python)
