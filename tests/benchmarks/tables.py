"""Hudi tables, against real Hudi 1.2.0, hudi-rs, Delta Lake and a scan of the base files: --tables.

Real Hudi writes 2 million rows of 12 columns and 500,000 updates to log files, and reads them in the same session;
`merge_into` writes as many updates, and so do Hudi and Delta. Needs network or a filled Ivy cache for the jars.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge import HudiTable, MergePlan, merge_into
from tests.benchmarks import peers
from tests.benchmarks.processes import Memory, cell, processor_seconds, ratio
from tests.conformance.record_table import session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

_BUNDLE = "1.2.0"
_COLUMNS = 12
_USER = "tests.benchmarks.user_payload:GreatestTs"
_INTO = {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING", "hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING"}
_OF_INTO = 1.5
"""Goal: the time of `merge_into` over that of Hudi's own upsert, which it includes."""
_PAYLOAD = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
_OPTIONS = {
    "hoodie.table.name": "measured",
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "part",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.index.type": "BUCKET",
    "hoodie.bucket.index.num.buckets": "2",
    "hoodie.metadata.enable": "false",
    "hoodie.compact.inline": "false",
    "hoodie.clean.automatic": "false",
}
_INDEX = {
    name: value
    for name, value in _OPTIONS.items()
    if name.startswith(("hoodie.index", "hoodie.bucket", "hoodie.metadata", "hoodie.c"))
}
_EVENT_TIME = {
    "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
    "hoodie.write.record.merge.mode": "EVENT_TIME_ORDERING",
}
_DEFAULT_6 = {
    "hoodie.datasource.write.payload.class": _PAYLOAD,
    "hoodie.payload.ordering.field": "ts",
    "hoodie.write.table.version": "6",
    "hoodie.write.auto.upgrade": "false",
}


class Case(NamedTuple):
    """What is read, and how.

    Attributes:
        name: for the report.
        options: of the writer.
        release: whose reader.
        payload: a user's class; None for the table's own settings.
        goal: our time over Hudi's.
    """

    name: str
    options: dict[str, str]
    release: str
    payload: str | None
    goal: float


class Best(NamedTuple):
    """The least that a job took in some runs.

    Attributes:
        seconds: by the clock.
        processor: of all processes.
    """

    seconds: float
    processor: float


CASES = (
    Case("event time, 1.2", _EVENT_TIME, "1.2", None, 0.5),
    Case("DefaultHoodieRecordPayload, 0.15", _DEFAULT_6, "0.15", None, 0.5),
    Case("a user's Python class, 0.15", _DEFAULT_6, "0.15", _USER, 0.8),
    Case("a user's Python class, 1.2", _DEFAULT_6, "1.2", _USER, 0.8),
)


def measure(rows: int, runs: int) -> Iterator[str]:
    """Give the lines of the report: `rows` base rows, a quarter as many updates; the best of some runs counts."""
    spark = _session()
    with tempfile.TemporaryDirectory() as folder:
        yield f"{rows:,} base rows, {rows // 4:,} updates in logs, {_COLUMNS} columns; seconds, the best of {runs} runs"
        heads = ("Hudi", "here", "ratio", "goal", "cpu ratio", "Parquet", "hudi-rs")
        yield f"{'table':34}" + "".join(f"{head:>10}" for head in heads)
        written: dict[int, str] = {}
        for case in CASES:
            path = written.get(id(case.options)) or _written(spark, Path(folder, f"t{len(written)}"), case, rows, 1)
            written[id(case.options)] = path
            hudi, here, scan = _best(
                runs,
                lambda path=path: spark.read.format("hudi").load(path),
                lambda path=path, case=case: HudiTable(spark, path, case.release, payload=case.payload).snapshot(),
                lambda path=path: spark.read.parquet(*map(str, Path(path).rglob("*.parquet"))),
            )
            rust = _hudi_rs(path, runs)
            ratios = here.seconds / hudi.seconds, case.goal, ratio(here.processor, hudi.processor)
            figures = (hudi.seconds, here.seconds, *ratios, scan.seconds)
            yield f"{case.name:34}" + "".join(map(cell, figures)) + f"{rust:>10}"
        yield from _written_into(spark, Path(folder), rows, runs)
        yield f"{'log files a slice':>18} {'seconds':>8}  MiB at most"
        for logs in (1, 4, 16):
            path = _written(spark, Path(folder, f"logs{logs}"), CASES[0], rows, logs)
            seconds, memory = _in_new_process(path)
            found = ", ".join(f"{name} {most:,}" for name, most in memory.items())
            yield f"{logs:18} {seconds:8.2f}  {found}"
    spark.stop()


def measure_writes(rows: int, runs: int) -> Iterator[str]:
    """Give the lines of the report that are about writing, alone."""
    spark = _session()
    with tempfile.TemporaryDirectory() as folder:
        yield from _written_into(spark, Path(folder), rows, runs)
    spark.stop()


def _session() -> SparkSession:
    own = {"spark.master": "local[2]", "spark.default.parallelism": "2", "spark.driver.memory": "3g"}
    own |= {"spark.sql.shuffle.partitions": "2"}  # as many tasks as Hudi's writer has, and Delta's
    return session(_BUNDLE, peers.CONF | own | {"spark.jars.packages": ",".join(peers.JARS)})


def _written_into(spark: SparkSession, folder: Path, rows: int, runs: int) -> Iterator[str]:
    """Give a line for each way to write a quarter of the rows as updates; each run has a copy of the table."""
    options, hudi, delta, now = _OPTIONS | _INTO, folder / "into", folder / "delta", folder / "now"
    _save(_rows(spark.range(0, rows, 1, 2), 0), options, hudi, "bulk_insert")
    by_partition = _rows(spark.range(0, rows, 1, 2), 0).repartition(2, "part")
    by_partition.write.format("delta").partitionBy("part").save(str(delta))
    updates = spark.range(0, rows // 4, 1, 2).select((sf.col("id") * 4 + sf.col("id") % 4).alias("id"))
    _rows(updates, 1).write.parquet(str(folder / "batch"))
    batch = spark.read.parquet(str(folder / "batch"))
    plan = MergePlan(payload=_USER, release="0.15", key="id", partition="part", ordering="ts")
    ways: dict[str, tuple[Path, Callable[[], object]]] = {
        "Hudi's upsert": (hudi, lambda: _save(batch, options, now, "upsert")),
        "merge_into, a user's Python class": (hudi, lambda: merge_into(str(now), batch, plan, write_options=_INDEX)),
        "Delta's dedup and MERGE": (delta, lambda: peers.merge_by_delta(batch, now)),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(runs + 1):  # the first warms up
        for name, (table, write) in ways.items():
            shutil.rmtree(now, ignore_errors=True)
            shutil.copytree(table, now)
            start = time.perf_counter()
            write()
            if turn:
                taken[name].append(time.perf_counter() - start)
    first = min(taken["Hudi's upsert"])
    yield f"{rows // 4:,} updates written; times Hudi's upsert, goal of merge_into {_OF_INTO}"
    for name, seconds in taken.items():
        yield f"{name:34} {min(seconds):9.2f} {min(seconds) / first:9.2f}"


def _in_new_process(path: str) -> tuple[float, dict[str, int]]:
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(_memory_of, (path,))


def _memory_of(path: str) -> tuple[float, dict[str, int]]:
    from bridge import local_session  # noqa: PLC0415 (this process has no bundle)

    spark = local_session()
    with Memory() as memory:
        start = time.perf_counter()
        _run(HudiTable(spark, path).snapshot())
        seconds = time.perf_counter() - start
    spark.stop()
    return seconds, memory.found


def _written(spark: SparkSession, folder: Path, case: Case, rows: int, logs: int) -> str:
    """Write base files, and updates of every fourth row in so many commits."""
    options = _OPTIONS | case.options
    _save(_rows(spark.range(0, rows, 1, 2), 0), options, folder, "bulk_insert")
    for number in range(logs):
        updated = spark.range(number, rows // 4, logs, 2).select((sf.col("id") * 4 + sf.col("id") % 4).alias("id"))
        _save(_rows(updated, number % 3 - 1), options, folder, "upsert")
    return str(folder)


def _save(frame: DataFrame, options: dict[str, str], folder: Path, operation: str) -> None:
    own = {"hoodie.datasource.write.operation": operation}
    frame.write.format("hudi").options(**options, **own).mode("append").save(str(folder))


def _rows(ids: DataFrame, later: int) -> DataFrame:
    number = sf.col("id")
    return ids.select(
        sf.format_string("key-%010d", number).alias("id"),
        sf.concat(sf.lit("p"), number % 2).alias("part"),
        (number % 1000 + later).alias("ts"),
        sf.concat(sf.lit("name-"), number % 1000).alias("name"),
        (number % 97).cast("int").alias("qty"),
        (number * 0.25).alias("price"),
        sf.concat(sf.lit("city-"), number % 50).alias("city"),
        sf.concat(sf.lit("note on "), number).alias("note"),
        (number % 3 == 0).alias("active"),
        sf.timestamp_seconds(number + 1_600_000_000).alias("seen"),
        sf.date_add(sf.lit("2020-01-01"), (number % 1500).cast("int")).alias("day"),
        (number * 31).alias("total"),
    )


def _run(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _best(runs: int, *jobs: Callable[[], DataFrame]) -> list[Best]:
    """Return the best of each job; they take turns, so that all see the same machine."""
    taken: list[list[Best]] = [[] for _ in jobs]
    for _ in range(runs + 1):  # the first warms up
        for job, own in zip(jobs, taken, strict=True):
            used, start = processor_seconds(), time.perf_counter()
            _run(job())
            own.append(Best(time.perf_counter() - start, processor_seconds() - used))
    return [Best(*(min(one[part] for one in own[1:]) for part in range(2))) for own in taken]


def _hudi_rs(path: str, runs: int) -> str:
    """Return the best seconds of hudi-rs, which reads without Spark; `-` if it is not installed, or why it refuses."""
    if importlib.util.find_spec("hudi") is None:
        return "-"
    import hudi  # noqa: PLC0415 (no dependency)

    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        try:
            for _ in hudi.HudiTable(path).read_stream():
                pass
        except Exception as error:  # noqa: BLE001 (whatever it refuses)
            return type(error).__name__
        seconds.append(time.perf_counter() - start)
    return f"{min(seconds):.2f}"
