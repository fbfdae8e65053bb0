"""Spark Connect of PySpark 4: python -m tests.cluster.connect_4, in an environment with its client and a JDK.

What `python -m tests.cluster` does with 3.5, and besides: tasks that are shown while a job runs, and Ctrl-C that ends a
command with its jobs on the server.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
import pyspark

from bridge.spark import find_java
from tests.cluster import over_connect, servers

_SLOW = """import pathlib, time

class Slow:
    def __init__(self, record, ordering_value):
        self.record = record
    def pre_combine(self, older):
        return self
    def combine_and_get_update_value(self, current, schema):
        pathlib.Path({started!r}).touch()
        time.sleep({seconds})
        return self.record
    def get_insert_value(self, schema):
        return self.record
"""
_MAIN = "import sys; sys.path.append({root!r}); from bridge.cli import main; main(sys.argv[1:])"


@click.command()
def main() -> None:
    """Run all; an error ends the command."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ |= {"JAVA_HOME": str(find_java()), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        (port,) = servers._free_ports(1)
        spark_class = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
        command = (
            *(spark_class, "org.apache.spark.deploy.SparkSubmit", "--master", "local[2]"),
            *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            *("--conf", f"spark.connect.grpc.binding.port={port}", "--conf", "spark.sql.shuffle.partitions=2"),
            *("--conf", "spark.ui.enabled=false", "spark-internal"),
        )
        with servers._process(folder, port, command) as process:
            servers._wait(folder, port, process)
            click.echo(f"a server of PySpark {pyspark.__version__}")
            remote = f"sc://127.0.0.1:{port}"
            (folder / "their_payloads.py").write_text(over_connect.THEIRS)
            over_connect.run_program(remote, folder)
            click.echo("merge points, row counts, replay, simulate, a cancelled job: passed")
            _shows_tasks(remote, folder)
            click.echo("tasks are shown: passed")
            _ends_by_ctrl_c(remote, folder)
            click.echo("Ctrl-C ends command and jobs: passed")


def _started(remote: str, folder: Path, name: str, seconds: int) -> tuple[subprocess.Popen[str], Path]:
    """Start a merge whose payload sleeps; return it, and the file that the payload makes."""
    mark = folder / f"{name}.started"
    (folder / f"{name}.py").write_text(_SLOW.format(started=str(mark), seconds=seconds))
    for side in ("stored", "incoming"):
        rows = [json.dumps({"id": str(number), "ts": 1, "v": side}) for number in range(4)]
        (folder / f"{side}.jsonl").write_text("\n".join(rows) + "\n")
    sides = ("--stored", str(folder / "stored.jsonl"), "--incoming", str(folder / "incoming.jsonl"))
    plan = ("--payload", f"{name}:Slow", "--release", "0.15", "--key", "id", "--ordering", "ts")
    words = ("merge", "upsert", *sides, *plan, "--remote", remote, "--out", str(folder / name))
    process = subprocess.Popen(
        [sys.executable, "-c", _MAIN.format(root=str(over_connect.ROOT)), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return process, mark


def _shows_tasks(remote: str, folder: Path) -> None:
    process, _ = _started(remote, folder, "slow_rows", 6)
    _, told = process.communicate(timeout=200)
    assert process.returncode == 0, told
    lines = [line for line in told.splitlines() if line.startswith("merge") and " tasks" in line]
    assert lines, told
    click.echo(lines[-1])


def _ends_by_ctrl_c(remote: str, folder: Path) -> None:
    process, mark = _started(remote, folder, "endless_rows", 300)
    until = time.monotonic() + 120
    while not mark.exists() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.1)
    assert mark.exists(), process.communicate(timeout=5)
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 3, told
    assert "error: stopped before the end; nothing was written" in told, told
    assert not (folder / "endless_rows").exists()
    click.echo(f"ended {time.monotonic() - start:.0f} s after Ctrl-C")
    # The server has both cores again: a merge does not wait for tasks that sleep.
    process, _ = _started(remote, folder, "slow_again", 0)
    _, told = process.communicate(timeout=100)
    assert process.returncode == 0, told


if __name__ == "__main__":
    main()
