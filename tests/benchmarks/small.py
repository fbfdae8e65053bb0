"""Whole commands on small inputs: seconds, Spark jobs and stages, beside a floor.

The floor is a Python process that starts a plain Spark session and asks one trivial query, so that figures of a busy
machine can be read as ratios.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
GOALS = {"demo": 7.0, "replay": 8.0, "simulate": 6.0}
"""Seconds on a quiet machine of 2 cores."""

_FLOOR = """
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
assert SparkSession.active().range(10).count() == 10
"""
_BATCHES, _ROWS, _KEYS = 5, 60, 90
_PLAN = ("--payload", "AWSDmsAvroPayload", "--key", "id", "--partition", "part", "--ordering", "ts")


_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


class Measured(NamedTuple):
    """What a command took: seconds and CPU seconds of each run, and its Spark jobs and stages."""

    seconds: tuple[float, ...]
    processor: tuple[float, ...]
    jobs: int
    stages: int


def measure(folder: Path, runs: int, table_type: str) -> dict[str, Measured]:
    """Run the floor and the three commands in turns, `runs` times each, and once more to count their jobs."""
    if sys.platform == "linux":  # else the time of the Java VM, which outlives its command, is not counted
        ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    batches = folder / "batches"
    write_batches(batches)
    shared = ("--batches", str(batches), *_PLAN, "--table-type", table_type)
    bridge = (sys.executable, "-m", "tests.benchmarks.small")
    commands = {
        "floor": (sys.executable, "-c", _FLOOR),
        "demo": (*bridge, "demo"),
        "replay": (*bridge, "replay", *shared, "--from", "0.15", "--to", "1.2"),
        "simulate": (*bridge, "simulate", *shared, "--release", "0.15"),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(_run(command))
    found = {}
    for name, command in commands.items():
        seconds, processor = zip(*times[name], strict=True)
        found[name] = Measured(seconds, processor, *_jobs(folder / name, command))
    return found


def lines_of(found: dict[str, Measured]) -> list[str]:
    """Return a table: seconds, their ratio to the floor, CPU seconds and their ratio, jobs and stages."""
    heads = ("command", "min s", "median s", "goal s", "floors", "cpu s", "floors", "jobs", "stages")
    lines = [f"{heads[0]:9}" + "".join(f"{head:>10}" for head in heads[1:])]
    floor = found["floor"]
    for name, one in found.items():
        seconds, processor = min(one.seconds), min(one.processor)
        figures = (seconds, statistics.median(one.seconds), GOALS.get(name, math.nan), seconds / min(floor.seconds))
        figures += (processor, processor / min(floor.processor))
        numbers = "".join(f"{'':10}" if math.isnan(figure) else f"{figure:10.2f}" for figure in figures)
        lines.append(f"{name:9}{numbers}{one.jobs:10}{one.stages:10}")
    return lines


def write_batches(folder: Path) -> None:
    """Write five batches of 60 rows as JSON lines: keys that return, ties, late rows, and deletes."""
    folder.mkdir()
    draw = random.Random(12)  # noqa: S311 (the same rows in every run)
    for number in range(1, _BATCHES + 1):
        rows = []
        for _ in range(_ROWS):
            key = draw.randrange(_KEYS)
            rows.append(
                {
                    "id": f"k{key:03}",
                    "part": f"p{key % 3}",
                    "ts": number * 10 + draw.randrange(-15, 5),
                    "name": f"name-{draw.randrange(1000)}",
                    "qty": draw.randrange(100),
                    "Op": draw.choices("IUD", weights=(2, 6, 1))[0],
                }
            )
        (folder / f"{number}.json").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _run(command: tuple[str, ...], **environment: str) -> tuple[float, float]:
    """Run a command as a process; return its seconds, and the processor's."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    with contextlib.suppress(ChildProcessError):
        while True:  # the Java VM ends a little later
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in {0, 1}:  # 1: a replay found differences
        msg = f"{' '.join(command)} ended with {done.returncode}: {done.stderr}"
        raise RuntimeError(msg)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _jobs(folder: Path, command: tuple[str, ...]) -> tuple[int, int]:
    """Return how many jobs and stages a command runs, from Spark's event log."""
    logs = folder / "logs"
    logs.mkdir(parents=True)
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": logs.as_uri(),
        "spark.eventLog.compress": "false",
    }
    (folder / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    _run(command, SPARK_CONF_DIR=str(folder))
    events = [json.loads(line)["Event"] for log in logs.iterdir() for line in log.read_text("utf-8").splitlines()]
    return events.count("SparkListenerJobStart"), events.count("SparkListenerStageCompleted")


if __name__ == "__main__":
    from bridge.cli import main

    main()
