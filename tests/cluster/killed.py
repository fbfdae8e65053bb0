"""A driver that is killed while four outputs are written: in a task and in the commit, on the local disk and on S3.

Each output waits, in a thread, where it is to be killed; the process ends by SIGKILL when all four are there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyarrow import fs
from pyspark.sql.utils import AnalysisException

from tests.cluster.on_cluster import store_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from tests.cluster.servers import Servers

ROOT = Path(__file__).parents[2]
_STORE = "s3a://warehouse/killed"
_PLACES = ("commit", "task")
_SECONDS = 120
_ASLEEP = 100
"""Seconds for which a task sleeps: the driver is killed long before."""


def run(servers: Servers, spark: SparkSession) -> None:
    """Kill a driver, and look at what it leaves."""
    marks, local = servers.folder / "marks", servers.folder / "killed"
    for folder in (marks, local):
        folder.mkdir()
    old = spark.range(7)
    for where in (local.as_uri(), _STORE):
        old.write.parquet(f"{where}/commit")  # --overwrite: the old output
    told = json.dumps({"master": servers.master, "conf": servers.conf, "marks": str(marks), "local": str(local)})
    log = servers.folder / "killed.log"
    with log.open("wb") as output:
        driver = subprocess.Popen([sys.executable, "-m", __name__, told], cwd=ROOT, stdout=output, stderr=output)
        try:
            _wait(driver, marks, log)
        finally:
            driver.kill()
            driver.wait()
    assert spark.read.parquet(f"{local.as_uri()}/commit").count() == 7  # the old output, until the new one is complete
    assert [entry.name for entry in local.iterdir() if not entry.name.startswith(".")] == ["commit"]
    _unreadable(spark, f"{_STORE}/task")
    names = [one.path for one in store_of(servers).get_file_info(fs.FileSelector("warehouse/killed", recursive=True))]
    assert any("_payload_bridge_" in name for name in names)
    assert not [name for name in names if name.endswith("_SUCCESS") and "_payload_bridge_" not in name]


def _unreadable(spark: SparkSession, path: str) -> None:
    with contextlib.suppress(AnalysisException):
        raise AssertionError(spark.read.parquet(path).count())


def _wait(driver: subprocess.Popen[bytes], marks: Path, log: Path) -> None:
    until = time.monotonic() + _SECONDS
    while len(list(marks.iterdir())) < 4:
        assert driver.poll() is None, log.read_text()[-3000:]
        assert time.monotonic() < until, (sorted(marks.iterdir()), log.read_text()[-3000:])
        time.sleep(0.1)


# -- the driver that is killed


def _main(told: dict[str, Any]) -> None:
    from bridge.spark import SessionOptions, Target, output, session_of  # noqa: PLC0415 (of the other process)

    spark = session_of(SessionOptions(told["master"], conf=told["conf"]))
    marks = Path(told["marks"])
    # The package has a function of the module's name.
    _stop_commits(importlib.import_module("bridge.spark.output"), marks)

    def write(path: str, where: str) -> None:
        frame = spark.range(0, 2, 1, 2)
        if where == "task":
            mark = marks / f"task-{path.partition('://')[0].strip('/').replace('/', '-')}"
            frame = frame.mapInArrow(functools.partial(_stopping, str(mark)), "id long")
        with output(spark, Target(path, overwrite=where == "commit")) as run:
            run.write(frame)

    for where in _PLACES:
        for parent in (told["local"], _STORE):
            threading.Thread(target=write, args=(f"{parent}/{where}", where)).start()
        while len(list(marks.iterdir())) < 2:  # tasks that never end would keep the cores from the other jobs
            time.sleep(0.1)


def _stop_commits(module: Any, marks: Path) -> None:
    """Let the next rename on the local disk, and the second copy within the store, never end."""

    def stop(name: str) -> None:
        (marks / name).touch()
        time.sleep(_SECONDS)

    class Store:
        copied = 0

        def __init__(self, system: Any) -> None:
            self.system = system

        def __getattr__(self, name: str) -> Any:
            return getattr(self.system, name)

        def copy_file(self, one: str, other: str) -> None:
            self.copied += 1
            if self.copied == 2:
                stop("commit-s3a")
            self.system.copy_file(one, other)

    place_of = module.place_of

    def stopping(text: str, spark: Any) -> Any:
        place = place_of(text, spark)
        return dataclasses.replace(place, system=Store(place.system)) if place.scheme else place

    module.place_of = stopping
    module._move = lambda *_: stop("commit-local")


def _stopping(mark: str, batches: Iterator[Any]) -> Iterator[Any]:
    """Run in tasks: one partition ends, the other never does."""
    for batch in batches:
        yield batch
        if batch.column(0)[0].as_py():
            Path(mark).touch()
            time.sleep(_ASLEEP)


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
