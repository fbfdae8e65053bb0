"""The agreement of engines on generated keys: python -m tests.bridge.engines.agreement [--keys N] [--seed S].

An example is a key with its versions; one job carries thousands. The python engine, called in this process, says what
becomes of each key, or how its merge fails; the native engine must say the same.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import random
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import pyarrow as pa

from bridge import MergeFailedError, local_session
from bridge.engines import ACTION, ARRIVAL, COMMIT, IS_DELETE, ORDERING, ORIGIN, TO_LOG, Job, engine_of
from bridge.engines.python.worker import merged
from bridge.merge import Action
from bridge.pipeline import layout_of
from bridge.pipeline.merge_points import append_outcomes, combine_outcomes, read_outcomes, upsert_outcomes
from bridge.programs import Origin
from bridge.spark import quoted
from tests.bridge.engines.generated import Combination, Key, combinations, draw

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Counts(NamedTuple):
    """How many keys agreed, and how many of them agreed to fail."""

    keys: int
    failures: int


def agree(spark: SparkSession, combination: Combination, keys: int, seed: int, *, failing: bool = True) -> Counts:
    """Compare both engines, if `failing` on a key that can't be merged, too.

    Raises:
        AssertionError: they differ, or one alone fails.
    """
    drawn = draw(combination, keys, seed)
    job = _job(spark, combination)
    choice = engine_of(dataclasses.replace(job, plan=dataclasses.replace(job.plan, engine="auto")))
    assert choice.engine == "native", (str(combination), choice)
    expected: collections.Counter[Any] = collections.Counter()
    fine, failures = [], []
    for key in drawn:
        try:
            rows = _in_python(job, combination, key)
        except MergeFailedError as error:
            failures.append((key, error))
        else:
            fine.append(key)
            expected.update(map(_shown, rows))
    found = collections.Counter(_shown(tuple(row)) for row in outcomes_of(spark, combination, fine).collect())
    assert found == expected, f"{combination}: native has {found - expected}, python {expected - found}"
    for key, error in failures[: int(failing)]:
        try:
            rows = outcomes_of(spark, combination, [key]).collect()
        except Exception as raised:
            where = f"failed at {error.merge_point} (key part={key_of(key, 1)!r}, id={key_of(key, 0)!r}"
            if where not in str(raised):
                msg = f"{combination}: not {where}, but {raised}"
                raise AssertionError(msg) from raised
        else:
            msg = f"{combination}: only python fails on {key}: {error}; native gives {rows}"
            raise AssertionError(msg)
    return Counts(len(drawn), len(failures))


def key_of(key: Key, column: int) -> str | None:
    """Return the partition or the record key."""
    found: str | None = (key.stored or key.newer[0])[column]
    return found


def _shown(row: tuple[Any, ...]) -> str:
    """Return an outcome as text: a struct is a dict in Arrow, and a row in Spark."""
    return repr(tuple(tuple(value.values()) if isinstance(value, dict) else _plain(value) for value in row))


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, tuple) else value


def _job(spark: SparkSession, combination: Combination) -> Job:
    frame = spark.createDataFrame([], combination.columns)
    layout = layout_of(combination.plan, frame)
    has_entries = combination.reads_log
    return Job(combination.plan, layout.schema, layout.names, combination.program, has_entries=has_entries)


def _in_python(job: Job, combination: Combination, key: Key) -> list[tuple[Any, ...]]:
    """Return what the python engine makes of a key."""
    reads_log = combination.reads_log
    origin = int(Origin.LOG if reads_log else Origin.INCOMING)
    rows = [] if key.stored is None else [(*key.stored, int(Origin.STORED), None, None, None)]
    rows += [(*row[:-4], origin, row[-4], row[-2], row[-1]) for row in key.newer]
    ordering = pa.struct([("type", pa.string()), ("value", pa.string())])
    columns = [*((name, kind) for name, (_, kind) in combination.types.items()), (ORIGIN, pa.int8())]
    columns += [(COMMIT, pa.int64()), (IS_DELETE, pa.bool_()), (ORDERING, ordering)]
    kept = columns if reads_log else columns[:-3]
    arrays = [pa.array([row[index] for row in rows], kind) for index, (_, kind) in enumerate(kept)]
    batch = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(kept))
    found = pa.Table.from_batches(list(merged(job, [batch]))).to_pylist()
    if job.plan.inserts_to == "log":  # `append_outcomes` says so of rows that pass as Arrow
        found = [{**row, TO_LOG: row[TO_LOG] or row[ACTION] == Action.INSERT} for row in found]
    return [tuple(row.values()) for row in found]


def outcomes_of(spark: SparkSession, combination: Combination, keys: list[Key]) -> DataFrame:
    """Return what the native engine makes of keys."""
    frames, plan = frames_of(spark, combination, keys), combination.plan
    if combination.reads_log:
        outcomes = read_outcomes(frames["stored"], frames["log"], plan, program=combination.program)
        return outcomes.select(*map(quoted, combination.types), ACTION)
    if combination.program == "combine_input":
        return combine_outcomes(frames["incoming"], plan)
    written = append_outcomes if combination.program == "append" else upsert_outcomes
    return written(frames["stored"], frames["incoming"], plan)


def frames_of(spark: SparkSession, combination: Combination, keys: list[Key]) -> dict[str, DataFrame]:
    """Return the sides that keys make up."""
    newer = [row for key in keys for row in key.newer]
    random.Random(7).shuffle(newer)  # noqa: S311 (the engine sorts)
    stored = spark.createDataFrame([key.stored for key in keys if key.stored], combination.columns)
    if combination.reads_log:
        rows = [(*row[:-2], "delete" if row[-2] else "data", row[-1]) for row in newer]
        added = f"{COMMIT} bigint, _pb_seq bigint, _pb_kind string, {ORDERING} struct<type:string,value:string>"
        return {"stored": stored, "log": spark.createDataFrame(rows, f"{combination.columns}, {added}")}
    rows = [(*row[:-4], row[-3]) for row in newer]
    incoming = spark.createDataFrame(rows, f"{combination.columns}, {ARRIVAL} bigint")
    return (
        {"incoming": incoming} if combination.program == "combine_input" else {"stored": stored, "incoming": incoming}
    )


def fine_frames(spark: SparkSession, combination: Combination, keys: int, seed: int) -> dict[str, DataFrame]:
    """Return the sides that generated keys make up, but for those whose merge fails."""
    job, fine = _job(spark, combination), []
    for key in draw(combination, keys, seed):
        with contextlib.suppress(MergeFailedError):
            _in_python(job, combination, key)
            fine.append(key)
    return frames_of(spark, combination, fine)


@click.command()
@click.option("--keys", default=2000, show_default=True, help="Keys a combination.")
@click.option("--seed", default=17, show_default=True, help="What the keys are drawn from.")
@click.option("--only", default="", help="Only combinations whose name contains this.")
def main(keys: int, seed: int, only: str) -> None:
    """Print how many keys agreed, combination by combination."""
    spark = local_session()
    for combination in combinations():
        if only in str(combination):
            counts = agree(spark, combination, keys, seed)
            click.echo(f"{combination!s:60} {counts.keys:8,} keys, {counts.failures:6,} of them fail")
            assert counts.keys > counts.failures
    spark.stop()


if __name__ == "__main__":
    main()
