"""Speed of merging against a hand-written window, in one run: python -m tests.benchmarks.

`--small` measures commands on few rows, `--scale` how time and memory grow with the rows.

The same Parquet files go through `upsert` and through `row_number() over (partition by key order by ordering desc)`,
the query that people write instead; both results are thrown away. The ratio of the best of several runs counts.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge import MergePlan, local_session, upsert
from tests.benchmarks import jvm_case, scale, small

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

# payload, share of stored keys with an update, share of new rows, goal
SCENARIOS = {
    "built-in, 0% conflicts": ("DefaultHoodieRecordPayload", 0.0, 0.0, 1.25),
    "built-in, 20% conflicts": ("DefaultHoodieRecordPayload", 0.2, 0.0, 1.6),
    "built-in, 20% new keys": ("DefaultHoodieRecordPayload", 0.0, 0.2, None),
    "user's class, 0% conflicts": ("tests.benchmarks.user_payload:GreatestTs", 0.0, 0.0, 1.25),
    "user's class, 20% conflicts": ("tests.benchmarks.user_payload:GreatestTs", 0.2, 0.0, 1.6),
    "user's class, 20% new keys": ("tests.benchmarks.user_payload:GreatestTs", 0.0, 0.2, None),
    "jvm, 20% conflicts": (jvm_case.PAYLOAD, 0.2, 0.0, 2.0),
}


@click.command()
@click.option("--rows", type=int, help="Rows in all, stored and incoming. Default: 2.5 million; --scale: 40 million.")
@click.option("--runs", default=3, show_default=True, help="Runs of each job; the best counts.")
@click.option("--only", default="", help="Only scenarios whose name contains this.")
@click.option("--small", "of_commands", is_flag=True, help="Whole commands on five batches of 60 rows instead.")
@click.option("--table-type", default="cow", show_default=True, help="With --small: of replay and simulate.")
@click.option("--scale", "of_sizes", is_flag=True, help="A sixteenth and a quarter of --rows, all, and skewed.")
def main(  # noqa: PLR0913 (one parameter an option)
    rows: int | None, runs: int, only: str, table_type: str, *, of_commands: bool, of_sizes: bool
) -> None:
    """Print one line a scenario: how many keys meet, seconds of both jobs, their ratio and its goal."""
    if of_commands:
        with tempfile.TemporaryDirectory() as folder:
            click.echo("\n".join(small.lines_of(small.measure(Path(folder), runs, table_type))))
        return
    if of_sizes:
        most = rows or 40_000_000
        even = [scale.measure(most // part) for part in (16, 4, 1)]
        click.echo("\n".join(scale.lines_of(even, scale.measure(most // 16, skewed=True))))
        return
    rows = rows or 2_500_000
    spark = local_session()
    click.echo(f"{rows:,} rows, stored and incoming; the best of {runs} runs")
    click.echo(f"{'scenario':32} {'merges':>9} {'window s':>9} {'merge s':>9} {'ratio':>6} {'goal':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (payload, contested, new, goal) in SCENARIOS.items():
            if only not in name:
                continue
            is_java = payload is jvm_case.PAYLOAD
            if is_java and (reason := jvm_case.why_not(spark)):
                click.echo(f"{name:32} skipped: {reason}")
                continue
            stored, incoming = _data(spark, Path(folder, name.replace("%", "")), rows, contested, new)
            settings = {"partition": "part", "ordering": "ts", "engine": "jvm" if is_java else "auto"}
            plan = MergePlan(payload=payload, release="0.15", key="id", **settings)  # type: ignore[arg-type]
            window, merge = _best(
                runs,
                lambda s=stored, i=incoming: _window(s, i),
                lambda s=stored, i=incoming, p=plan: upsert(s, i, p),
            )
            wanted = "" if goal is None else f"{goal:6.2f}"
            merges = _updates(rows, contested)
            click.echo(f"{name:32} {merges:9,} {window:9.2f} {merge:9.2f} {merge / window:6.2f} {wanted:>6}")
    spark.stop()


def _data(spark: SparkSession, folder: Path, rows: int, contested: float, new: float) -> tuple[DataFrame, DataFrame]:
    """Write stored and incoming rows, `rows` in all; `contested` is the share of stored keys that get an update."""
    updates, inserts = _updates(rows, contested), int(rows * new)
    kept = rows - updates - inserts
    step = max(1, kept // max(1, updates))
    ids = spark.range(0, kept, 1, 4)
    touched = ids.where(sf.col("id") % step == 0).limit(updates)
    stored, incoming = folder / "stored", folder / "incoming"
    _row(ids, 0).write.parquet(str(stored))
    _row(touched, 3).unionByName(_row(spark.range(kept, kept + inserts, 1, 2), 0)).write.parquet(str(incoming))
    return spark.read.parquet(str(stored)), spark.read.parquet(str(incoming))


def _updates(rows: int, contested: float) -> int:
    """Return how many of `rows` are updates: the share `contested` of the others."""
    return int(rows * contested / (1 + contested))


def _row(ids: DataFrame, later: int) -> DataFrame:
    number = sf.col("id")
    return ids.select(
        sf.format_string("key-%09d", number).alias("id"),
        sf.concat(sf.lit("p"), number % 4).alias("part"),
        (number * 7919 % 1000 + (number % 7 - 3) * later).alias("ts"),
        sf.concat(sf.lit("name-"), number % 1000).alias("name"),
        (number % 97).cast("int").alias("qty"),
        (number * 0.25).alias("price"),
    )


def _window(stored: DataFrame, incoming: DataFrame) -> DataFrame:
    versions = stored.withColumn("side", sf.lit(0)).unionByName(incoming.withColumn("side", sf.lit(1)))
    latest = Window.partitionBy("part", "id").orderBy(sf.desc("ts"), sf.desc("side"))
    return versions.withColumn("rank", sf.row_number().over(latest)).where("rank = 1").drop("rank", "side")


def _best(runs: int, *jobs: Callable[[], DataFrame]) -> list[float]:
    """Return the best seconds of each job; they take turns, so that both see the same machine."""
    seconds: list[list[float]] = [[] for _ in jobs]
    for _ in range(runs + 1):  # the first warms up
        for job, own in zip(jobs, seconds, strict=True):
            start = time.perf_counter()
            job().write.format("noop").mode("overwrite").save()
            own.append(time.perf_counter() - start)
    return [min(own[1:]) for own in seconds]


if __name__ == "__main__":
    main()
