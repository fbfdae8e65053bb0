"""Inputs of unusual shape in all engines: one key of a million versions, 2,000 columns, records of 1 MB.

Each runs in a process of its own. The memory is the most that the operating system saw of the driver, its Java VM and
each Python worker; a key must not need more with ten times the versions.
"""

from __future__ import annotations

import multiprocessing
import time
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge import MergePlan, upsert
from bridge.spark import SessionOptions, fit_batches, session_of
from tests.benchmarks.processes import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

FLAT = 1.3
"""The goal: memory of a Python worker with a million versions of a key over that with a tenth of them.

Java's heap fills to its limit in any case: it has to merge versions that take as much as the heap at all.
"""

_ENGINES = {
    "python": {"payload": "tests.benchmarks.user_payload:GreatestTs"},
    "jvm": {"payload": "DefaultHoodieRecordPayload", "engine": "jvm"},
    "native": {"payload": "DefaultHoodieRecordPayload", "engine": "native"},
}
_HEAP = "1g"  # the versions of the largest key take as much
_VERSIONS, _MILLION = 100_000, 1_000_000
_SHAPES = {
    f"a key of {_VERSIONS:,} versions": (_VERSIONS, 1, 0, 1_000),
    f"a key of {_MILLION:,} versions": (_MILLION, 1, 0, 1_000),
    "2,000 columns": (4_000, 2_000, 2_000, 0),
    "records of 1 MB": (400, 200, 0, 1 << 20),
}
"""Rows of the batch, keys, further columns, and letters of a text."""


def run(say: Callable[[str], object]) -> bool:
    """Measure each shape on each engine, a line each; return whether the memory of workers is flat."""
    workers = []
    for engine in _ENGINES:
        for name, shape in _SHAPES.items():
            with multiprocessing.get_context("spawn").Pool(1) as process:
                seconds, rows, memory = process.apply(_measured, (engine, *shape))
            told = ", ".join(f"{one} {number:,}" for one, number in memory.items())
            say(f"{engine}, {name}: {seconds:.1f} s, {rows:,} rows left; MiB at most: {told}")
            workers.append(max((number for one, number in memory.items() if one.startswith("worker")), default=0))
    grown = workers[1] / workers[0]  # the python engine comes first
    say(f"a worker with a million versions / with a tenth: {grown:.2f} ({FLAT})")
    return grown <= FLAT


def _measured(engine: str, rows: int, keys: int, columns: int, letters: int) -> tuple[float, int, dict[str, int]]:
    spark = session_of(SessionOptions("local[2]", conf={"spark.driver.memory": _HEAP}))
    plan = MergePlan(**_ENGINES[engine], release="0.15", key="id", ordering="ts")  # type: ignore[arg-type]
    stored, incoming = (_frame(spark, number, keys, columns, letters) for number in (keys, rows))
    fit_batches(incoming)  # as a command does
    with Memory() as memory:
        start = time.perf_counter()
        left = upsert(stored, incoming, plan).agg(sf.count("id"), sf.sum(sf.length("text"))).collect()[0]
        seconds = time.perf_counter() - start
    spark.stop()
    if tuple(left) != (keys, keys * letters):
        msg = f"{keys} rows of {letters} letters should be left, and these are {tuple(left)}"
        raise AssertionError(msg)
    return seconds, left[0], memory.found


def _frame(spark: SparkSession, rows: int, keys: int, columns: int, letters: int) -> DataFrame:
    more = [(sf.col("id") + number).alias(f"c{number}") for number in range(columns)]
    key = (sf.col("id") % keys).cast("string").alias("id")
    # Of the row, since Spark would not move a constant: it puts that in after the merge.
    text = sf.repeat(sf.char(sf.col("id") % 26 + 97), letters).alias("text")
    return spark.range(0, rows, 1, 2).select(key, sf.col("id").alias("ts"), text, *more)
