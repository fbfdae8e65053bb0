"""The command: `python -m tests.cluster`, which needs moto (`pip install 'moto[server]'`) and the extra `connect`.

A master and a worker of Spark are processes with a folder of their own, whose Python lacks this project; batches and
output are on S3. Then the same merge through Spark Connect. Jars come from Maven Central.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from click.testing import CliRunner
from pyarrow import fs

from bridge.cli import main
from bridge.spark import SessionOptions, find_java, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
HADOOP_AWS = "org.apache.hadoop:hadoop-aws:3.3.4"
CONNECT = f"org.apache.spark:spark-connect_2.12:{pyspark.__version__}"
PLAN = ("--payload", "their_payloads:Newest", "--release", "0.15", "--key", "id", "--ordering", "ts")
THEIRS = """class Newest:
    def __init__(self, record, ordering_value):
        self.record = record

    def pre_combine(self, older):
        return self

    def combine_and_get_update_value(self, current, schema):
        return self.record

    def get_insert_value(self, schema):
        return self.record
"""
OVER_CONNECT = """
import sys
sys.path.append(sys.argv[1])
from bridge import MergePlan, upsert
from bridge.spark import SessionOptions, session_of
spark = session_of(SessionOptions(remote=sys.argv[2]))
columns = "id string, ts bigint, city string"
rows = [spark.createDataFrame([("a", ts, city)], columns) for ts, city in ((1, "x"), (2, "y"))]
plan = MergePlan(payload="their_payloads:Newest", release="0.15", key="id", ordering="ts")
assert [tuple(row) for row in upsert(*rows, plan).collect()] == [("a", 2, "y")]
"""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def process(folder: Path, port: int, *command: str) -> Iterator[None]:
    """Run a server until the block ends; it is ready when its port answers."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with (folder / f"{port}.log").open("wb") as log:
        running = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            for _ in range(600):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                if running.poll() is not None:
                    raise RuntimeError(Path(log.name).read_text(encoding="utf-8", errors="replace")[-2000:])
                time.sleep(0.2)
            yield
        finally:
            running.terminate()
            running.wait()


def answered(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def on_a_cluster(folder: Path, spark_class: str) -> None:
    port, worker, s3 = free_port(), free_port(), free_port()
    deploy, here = "org.apache.spark.deploy", ("--host", "127.0.0.1")
    with (
        process(folder, port, spark_class, f"{deploy}.master.Master", *here, "--port", str(port)),
        process(folder, worker, *(spark_class, f"{deploy}.worker.Worker", *here, "--port", str(worker)),
                *("-c", "2", "-m", "2g", "-d", str(folder / "work"), f"spark://127.0.0.1:{port}")),
        process(folder, s3, sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(s3)),
    ):  # fmt: skip
        settings = {"endpoint": f"http://127.0.0.1:{s3}", "access.key": "key", "secret.key": "secret"}
        settings |= {"path.style.access": "true", "endpoint.region": "us-east-1"}
        conf = {f"spark.hadoop.fs.s3a.{name}": value for name, value in settings.items()}
        options = SessionOptions(f"spark://127.0.0.1:{port}", conf=conf, packages=(HADOOP_AWS,))
        spark = session_of(options)
        store = fs.S3FileSystem(
            access_key="key",
            secret_key="secret",  # noqa: S106 (of a server of this test)
            endpoint_override=f"127.0.0.1:{s3}",
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
        )
        store.create_dir("warehouse")
        for day in (1, 2):
            rows = spark.range(100).selectExpr("CAST(id AS STRING) id", f"{day}L ts", f"{day} day")
            rows.write.parquet(f"s3a://warehouse/days/{day}")
        days = ("--batches", "s3a://warehouse/days")
        assert "200 rows in 2 batches; the last snapshot has 100" in answered("simulate", *PLAN, *days)
        assert "IDENTICAL" in answered("replay", *PLAN[:2], *PLAN[4:], *days, "--from", "0.15", "--to", "1.2")
        out = ("--out", "s3a://warehouse/merged")
        sides = ("--stored", "s3a://warehouse/days/1", "--incoming", "s3a://warehouse/days/2")
        assert "upsert: 100 rows" in answered("merge", "upsert", *PLAN, *sides, *out)
        assert "already exists" in answered("merge", "upsert", *PLAN, *sides, *out, code=3)
        answered("merge", "upsert", *PLAN, *sides, *out, "--overwrite", "--partition-by", "day")
        assert spark.read.parquet("s3a://warehouse/merged").where("day = 2 AND ts = 2").count() == 100
        assert not [one for one in store.get_file_info(fs.FileSelector("warehouse/merged")) if "bridge" in one.path]
        assert "1 executor hosts have what merges need" in answered("check-cluster")
        spark.stop()


def over_connect(folder: Path, spark_class: str) -> None:
    port = free_port()
    server = ("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--packages", CONNECT)
    settings = ("--master", "local[1]", "--conf", f"spark.connect.grpc.binding.port={port}", "spark-internal")
    with process(folder, port, spark_class, "org.apache.spark.deploy.SparkSubmit", *server, *settings):
        program = [sys.executable, "-c", OVER_CONNECT, str(ROOT), f"sc://127.0.0.1:{port}"]
        subprocess.run(program, cwd=folder, check=True)


def run() -> None:
    """Run all; an error ends the command."""
    os.environ |= {
        "JAVA_HOME": str(find_java()),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
    }
    spark_class = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "their_payloads.py").write_text(THEIRS)
        sys.path.insert(0, str(folder))
        for part in (on_a_cluster, over_connect):
            start = time.monotonic()
            part(folder, spark_class)
            print(f"{part.__name__}: passed in {time.monotonic() - start:.0f} s")  # noqa: T201 (a command)


if __name__ == "__main__":
    run()
