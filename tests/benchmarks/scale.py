"""How time and memory grow with the data: the same merge over 16 times the rows, and over skewed ones.

Each size runs in a process of its own, with the settings of any session. The memory of the driver, of its Java VM and
of each Python worker is the most that the operating system saw.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge import MergePlan, local_session, upsert
from tests.benchmarks.processes import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame, SparkSession

GROWTH, SKEW, FLAT = 1.3, 2.0, 1.3
"""Goals: time per row of the largest input over that of the smallest, of the skewed input over the even one, and memory
of the largest worker as the first."""

_UPDATED = 6  # one row in so many is an update
_WARM = 100_000
_RUNS = 2


class Measured(NamedTuple):
    """What one merge took.

    Attributes:
        rows: stored and incoming.
        seconds: of the merge alone, the faster of two.
        memory: the most MiB of each process: driver, Java, and workers by number.
    """

    rows: int
    seconds: float
    memory: dict[str, int]

    @property
    def of_each(self) -> float:
        """Microseconds a row."""
        return self.seconds * 1e6 / self.rows


def run(most: int, say: Callable[[str], object]) -> bool:
    """Measure a sixteenth and a quarter of `most` rows, all, and the first skewed; return whether the goals are met.

    A line is said as soon as it is known.
    """
    say(f"{'rows':>19} {'seconds':>9} {'us a row':>9}  MiB at most")
    even = [_said(say, measure(most // part), "") for part in (16, 4, 1)]
    skewed = _said(say, measure(most // 16, skewed=True), " skewed")
    growth, skew = even[-1].of_each / even[0].of_each, skewed.of_each / even[0].of_each
    say(f"a row of {even[-1].rows:,} / a row of {even[0].rows:,}: {growth:.2f} ({GROWTH})")
    say(f"skewed / even: {skew:.2f} ({SKEW})")
    workers = [max(number for name, number in one.memory.items() if name.startswith("worker")) for one in even]
    flat = workers[-1] / workers[0]
    say(f"the largest worker of {even[-1].rows:,} / of {even[0].rows:,}: {flat:.2f} ({FLAT})")
    return growth <= GROWTH and skew <= SKEW and flat <= FLAT


def measure(rows: int, *, skewed: bool = False) -> Measured:
    """Merge so many rows in a new process, twice, of which the faster counts; every sixth is an update.

    If `skewed`, one key has a tenth of all rows, and one partition nine tenths.
    """
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(_measured, (rows, skewed))


def _said(say: Callable[[str], object], one: Measured, how: str) -> Measured:
    memory = ", ".join(f"{name} {number:,}" for name, number in one.memory.items())
    say(f"{f'{one.rows:,}{how}':>19} {one.seconds:9.1f} {one.of_each:9.2f}  {memory}")
    return one


def _measured(rows: int, skewed: bool) -> Measured:  # noqa: FBT001 (it is sent to the process by position)
    spark = local_session()
    times = []
    with tempfile.TemporaryDirectory() as folder:
        _merge(spark, Path(folder, "warm"), _WARM, skewed=False)
        frames = _written(spark, Path(folder, "data"), rows, skewed=skewed)
        with Memory() as memory:
            for _ in range(_RUNS):
                start = time.perf_counter()
                _run(*frames)
                times.append(time.perf_counter() - start)
    spark.stop()
    return Measured(rows, min(times), memory.found)


def _merge(spark: SparkSession, folder: Path, rows: int, *, skewed: bool) -> None:
    _run(*_written(spark, folder, rows, skewed=skewed))


def _run(stored: DataFrame, incoming: DataFrame) -> None:
    payload = "tests.benchmarks.user_payload:GreatestTs"
    plan = MergePlan(payload=payload, release="0.15", key="id", partition="part", ordering="ts")
    upsert(stored, incoming, plan).write.format("noop").mode("overwrite").save()


def _written(spark: SparkSession, folder: Path, rows: int, *, skewed: bool) -> tuple[DataFrame, DataFrame]:
    """Write stored and incoming rows."""
    updates = rows // _UPDATED
    kept, number = rows - updates, sf.col("id")
    step = kept // updates
    touched = number * step
    if skewed:
        touched = sf.when(number % 5 < 3, sf.lit(0)).otherwise(touched)
    updated = spark.range(0, updates, 1, 4).select(touched.alias("id"), sf.col("id").alias("at"))
    stored = spark.range(0, kept, 1, 8).withColumn("at", sf.lit(0))
    for name, frame in (("stored", stored), ("incoming", updated)):
        _row(frame, skewed=skewed).write.parquet(str(folder / name))
    found = spark.read.parquet(str(folder / "stored")), spark.read.parquet(str(folder / "incoming"))
    return found[0], found[1]


def _row(ids: DataFrame, *, skewed: bool) -> DataFrame:
    number = sf.col("id")
    part: Column = sf.when(number % 10 < 9, 0).otherwise(number % 4) if skewed else number % 4
    return ids.select(
        sf.format_string("key-%010d", number).alias("id"),
        sf.concat(sf.lit("p"), part).alias("part"),
        (number % 1000 + sf.col("at")).alias("ts"),
        sf.concat(sf.lit("name-"), number % 1000).alias("name"),
        (number % 97).cast("int").alias("qty"),
        (number * 0.25).alias("price"),
    )
