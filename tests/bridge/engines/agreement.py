"""The agreement of engines on generated keys: python -m tests.bridge.engines.agreement [--keys N] [--seed S].

An example is a key with its versions; one job carries thousands. The python engine, in this process, says what becomes
of each key, or where its merge fails; the native engine, and the jvm engine with the class of a real bundle, must say
the same, natively both where the batch is broadcast and where it is not. `--figures FILE` keeps what agreed: a run that
was stopped goes on where it was.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import click
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from bridge import local_session
from bridge.engines import ACTION, ARRIVAL, COMMIT, IS_DELETE, ORDERING, ORIGIN, TO_LOG, Job, engine_of
from bridge.engines.control_columns import KIND, QUARANTINE, SEQUENCE
from bridge.engines.native import size
from bridge.engines.python.worker import merged
from bridge.merge import Action
from bridge.pipeline.merge_points import append_outcomes, combine_outcomes, read_outcomes, upsert_outcomes
from bridge.programs import Origin
from bridge.spark import avro_schema, quoted
from bridge.spark.small_input import JAVA_OPTIONS
from tests.bridge.engines.combinations import all_combinations, in_turns
from tests.bridge.engines.failing import interpreted, noted_by, noting
from tests.bridge.engines.figures import Figure, commit_of_tests, known, summary, write
from tests.bridge.engines.generated import Combination, draw
from tests.bridge.engines.outcomes import compare, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

_ROWS_A_BATCH = 50_000
_BROADCASTS = "spark.sql.autoBroadcastJoinThreshold"
_LARGE = str(2**30)
_PARTITIONS = "2"
_MOST_FAILURES = 1000
_PATIENT = "-Dspark.network.timeout=3600s"
"""Else Spark gives up its only executor where a busy machine stands still for two minutes."""


class Counts(NamedTuple):
    """How many keys agreed, and how many of them agreed to fail."""

    keys: int
    failures: int


def agree(  # noqa: PLR0913 (keyword-only settings of a comparison)
    spark: SparkSession,
    combination: Combination,
    keys: int,
    seed: int,
    *,
    failing: bool = True,
    halved: bool = False,
    engines: tuple[str, ...] = ("native",),
    plans: tuple[bool, ...] = (True, False),
) -> Counts:
    """Compare engines with the python engine, if `failing` on keys that can't be merged, too.

    The native engine has two plans, with broadcasts and without: those of `plans` run. If `halved` each of both gets
    half of the keys, else all.

    Raises:
        AssertionError: they differ, or one alone fails.
    """
    versions = versions_of(combination, draw(combination, keys, seed))
    job = _job(combination)
    expected, failures = _by_python(job, combination, versions)
    fails = pc.is_in(versions["id"], pa.array([*failures], pa.string()))
    fine, others = versions.filter(pc.invert(fails)), versions.filter(fails)
    for engine in engines:
        plan = dataclasses.replace(combination.plan, engine="auto" if engine == "native" else engine)
        chosen = engine_of(dataclasses.replace(job, plan=plan))
        assert chosen.engine == engine, (str(combination), chosen)
        has_two_plans = engine == "native" and combination.program != "combine_input"
        for number, allowed in enumerate(plans if has_two_plans else (None,)):
            name = f"{combination}: {engine}{', without broadcasts,' if allowed is False else ''}"
            given, due = fine, expected
            if halved and has_two_plans:
                given, due = (one.filter(_is_of_half(one, number)) for one in (fine, expected))
            compare(name, _found(name, spark, combination, given, engine, due.schema, allowed=allowed), in_order(due))
    if failing and failures:
        for engine in engines:
            _fails(spark, combination, others, failures, engine)
    return Counts(pc.count_distinct(versions["id"]).as_py(), len(failures))


def _is_of_half(rows: pa.Table, half: int) -> pa.ChunkedArray:
    """Return which rows have a key with an even number, or with an odd one."""
    return pc.match_substring_regex(rows["id"], f"[{'13579' if half else '02468'}]$")


def _found(  # noqa: PLR0913, PLR0917 (what is compared)
    name: str,
    spark: SparkSession,
    combination: Combination,
    versions: pa.Table,
    engine: str,
    schema: pa.Schema,
    *,
    allowed: bool | None,
) -> pa.Table:
    """Return what an engine gives; where there are two plans, check that it is the one that was asked for."""
    plans = contextlib.nullcontext() if allowed is None else broadcasts(spark, allowed=allowed)
    with tempfile.TemporaryDirectory() as folder, plans:
        try:
            outcomes = outcomes_of(spark, combination, versions, Path(folder), engine)
            if allowed is not None:
                plan = outcomes._jdf.queryExecution().executedPlan().toString()
                assert ("Broadcast" in plan) is allowed, plan
            batches = outcomes._collect_as_arrow()
        except Exception as error:
            if spark.sparkContext._jsc.sc().isStopped():
                raise  # Spark is gone, which says nothing of the engine
            msg = f"{name} fails where python does not: {str(error)[:2000]}"
            raise AssertionError(msg) from error
    found = pa.Table.from_batches(batches) if batches else schema.empty_table()
    return in_order(found.select(schema.names).cast(schema))


def versions_of(combination: Combination, drawn: pa.Table) -> pa.Table:
    """Return all versions of keys, in the order in which engines take them, with the side that each is of."""
    newer = int(Origin.LOG if combination.reads_log else Origin.INCOMING)
    origin = pc.if_else(drawn[ARRIVAL].is_null(), int(Origin.STORED), newer).cast(pa.int8())
    return drawn.add_column(len(combination.types), ORIGIN, origin)


def _job(combination: Combination) -> Job:
    plan, kinds = combination.plan, {name: from_arrow_type(kind) for name, (_, kind) in combination.types.items()}
    schema = avro_schema(StructType([StructField(name, kind) for name, kind in kinds.items()]), plan.release)
    program, entries = combination.program, combination.reads_log
    return Job(plan, schema, tuple(kinds), program, has_entries=entries, fits_one_task=True)


def _by_python(job: Job, combination: Combination, versions: pa.Table) -> tuple[pa.Table, dict[str, str]]:
    """Return the outcomes of the keys that can be merged, and where those of the others fail."""
    job = dataclasses.replace(job, plan=dataclasses.replace(job.plan, on_error="quarantine"))
    left_out = {ARRIVAL} if combination.reads_log else {ARRIVAL, COMMIT, IS_DELETE, ORDERING}
    taken = versions.select([name for name in versions.column_names if name not in left_out])
    batches = taken.combine_chunks().to_batches(max_chunksize=_ROWS_A_BATCH)
    found = pa.Table.from_batches(list(merged(job, batches)))
    aside = found.filter(found[QUARANTINE].is_valid())
    points = pc.struct_field(aside[QUARANTINE], "merge_point").to_pylist()
    outcomes = found.filter(found[QUARANTINE].is_null()).drop_columns([QUARANTINE])
    if job.plan.inserts_to == "log":  # `append_outcomes` says so of rows that pass as Arrow
        to_log = pc.or_(outcomes[TO_LOG], pc.equal(outcomes[ACTION], int(Action.INSERT)))
        outcomes = outcomes.set_column(outcomes.column_names.index(TO_LOG), TO_LOG, to_log)
    return outcomes, dict(zip(aside["id"].to_pylist(), points, strict=True))


def outcomes_of(
    spark: SparkSession, combination: Combination, versions: pa.Table, folder: Path, engine: str = "native"
) -> DataFrame:
    """Return what an engine makes of versions, which are written into a folder."""
    plan = dataclasses.replace(combination.plan, engine=engine)
    frames = frames_of(spark, combination, versions, folder)
    if combination.reads_log:
        outcomes = read_outcomes(frames["stored"], frames["log"], plan, program=combination.program)
        return outcomes.select(*map(quoted, combination.types), ACTION)
    if combination.program == "combine_input":
        return combine_outcomes(frames["incoming"], plan)
    written = append_outcomes if combination.program == "append" else upsert_outcomes
    return written(frames["stored"], frames["incoming"], plan)


def frames_of(spark: SparkSession, combination: Combination, versions: pa.Table, folder: Path) -> dict[str, DataFrame]:
    """Return the sides that versions make up, read from Parquet files in a folder."""
    data, is_stored = [*combination.types], pc.equal(versions[ORIGIN], int(Origin.STORED))
    newer = versions.filter(pc.invert(is_stored))
    newer = newer.take(pa.array(np.random.default_rng(7).permutation(newer.num_rows)))  # the engine sorts
    sides = {"stored": versions.filter(is_stored).select(data)}
    if combination.reads_log:
        kind = pc.if_else(newer[IS_DELETE], "delete", "data")
        log = newer.select([*data, COMMIT, ARRIVAL]).rename_columns([*data, COMMIT, SEQUENCE])
        sides["log"] = log.append_column(KIND, kind).append_column(ORDERING, newer[ORDERING])
    else:
        sides["incoming"] = newer.select([*data, ARRIVAL])
    if combination.program == "combine_input":
        del sides["stored"]
    frames = {}
    for name, side in sides.items():
        pq.write_table(side, folder / f"{name}.parquet")
        frames[name] = spark.read.parquet(str(folder / f"{name}.parquet"))
    return frames


def _fails(
    spark: SparkSession, combination: Combination, versions: pa.Table, failures: Mapping[str, str], engine: str
) -> None:
    """Check that an engine fails where the python engine does: on the first key, the native engine on a thousand.

    Raises:
        AssertionError: it does not, or it fails elsewhere.
    """
    key, part = versions["id"][0].as_py(), versions["part"][0].as_py()
    first, where = (
        versions.filter(pc.equal(versions["id"], key)),
        f"failed at {failures[key]} (key {part=!r}, id={key!r}",
    )
    with tempfile.TemporaryDirectory() as folder, interpreted(spark):
        try:
            rows = outcomes_of(spark, combination, first, Path(folder), engine).collect()
        except Exception as raised:
            if spark.sparkContext._jsc.sc().isStopped():
                raise
            if where not in str(raised):
                msg = f"{combination}: {engine} not {where}, but {raised}"
                raise AssertionError(msg) from raised
        else:
            msg = f"{combination}: python {where} of {first.to_pylist()}; {engine} gives {rows}"
            raise AssertionError(msg)
    if engine == "native":
        some = {key: failures[key] for key in pc.unique(versions["id"]).to_pylist()[:_MOST_FAILURES]}
        versions = versions.filter(pc.is_in(versions["id"], pa.array([*some])))
        with tempfile.TemporaryDirectory() as folder, interpreted(spark), noting():
            found = noted_by(spark, outcomes_of(spark, combination, versions, Path(folder)))
        wrong = [
            f"{key} at {point}, not {found.get(key)}" for key, point in some.items() if point not in found.get(key, ())
        ]
        assert not wrong, f"{combination}: of {len(some)} keys that fail {len(wrong)} do not, natively: {wrong[:3]}"


def fine_frames(
    spark: SparkSession, combination: Combination, keys: int, seed: int, folder: Path
) -> dict[str, DataFrame]:
    """Return the sides that generated keys make up, but for those whose merge fails."""
    versions = versions_of(combination, draw(combination, keys, seed))
    _, failures = _by_python(_job(combination), combination, versions)
    fine = versions.filter(pc.invert(pc.is_in(versions["id"], pa.array([*failures], pa.string()))))
    return frames_of(spark, combination, fine, folder)


@contextlib.contextmanager
def broadcasts(spark: SparkSession, *, allowed: bool) -> Iterator[None]:
    """Let Spark broadcast a batch to however few stored rows, or nothing: other plans."""
    before = spark.conf.get(_BROADCASTS)
    spark.conf.set(_BROADCASTS, _LARGE if allowed else "-1")
    try:
        with mock.patch.object(size, "outweighs", return_value=True):
            yield
    finally:
        spark.conf.set(_BROADCASTS, str(before))


@click.command()
@click.option("--keys", default=2000, show_default=True, help="Keys a combination.")
@click.option("--seed", default=17, show_default=True, help="What the keys are drawn from.")
@click.option("--only", default="", help="Only combinations whose name contains this.")
@click.option("--engine", "chosen", help="Only combinations that this engine runs, native or jvm, and without others.")
@click.option("--figures", type=click.Path(path_type=Path), help="Where figures are kept, which are not made again.")
@click.option("--minutes", type=float, help="Begin no combination after this time.")
@click.option("--halves", is_flag=True, help="Give each of the two native plans half of the keys.")
@click.option("--part", help="2/3: only every third combination, from the second on, on a third of the cores.")
def main(  # noqa: PLR0913 (the command's options)
    *,
    keys: int,
    seed: int,
    only: str,
    chosen: str | None,
    figures: Path | None,
    minutes: float | None,
    halves: bool,
    part: str | None,
) -> None:
    """Print how many keys agreed, combination by combination; exit 1 unless all agree, each with keys that merge."""
    began, failed = time.monotonic(), 0
    wanted = {
        one: engines if chosen is None else (chosen,)
        for one, engines in in_turns(all_combinations()).items()
        if only in str(one) and (chosen is None or chosen in engines)
    }
    first, parts = (int(number) for number in (part or "1/1").split("/"))
    wanted = dict([*wanted.items()][first - 1 :: parts])
    done = known(figures, {str(one): engines for one, engines in wanted.items()}, keys, seed, halved=halves)
    for figure in done.values():
        click.echo(figure)
    left = {one: engines for one, engines in wanted.items() if str(one) not in done}
    commit = commit_of_tests()
    gc.freeze()
    gc.disable()  # the python engine makes so many objects that looking for cycles among them takes a fifth of its time
    for one, engines in left.items():
        gc.collect()
        if minutes is not None and time.monotonic() - began > minutes * 60:
            break
        start = time.monotonic()
        try:
            counts = agree(_session(parts), one, keys, seed, halved=halves, engines=engines)
            assert counts.keys > counts.failures, f"{one}: no key could be merged"
        except AssertionError as error:
            failed += 1
            click.echo(f"DIFFERS {error}")
            continue
        seconds = round(time.monotonic() - start, 1)
        done[str(one)] = Figure(str(one), keys, seed, counts.keys, counts.failures, engines, seconds, halves, commit)
        click.echo(done[str(one)])
        write(figures, done[str(one)])
    click.echo(summary(done.values(), len(wanted), failed))
    raise SystemExit(not wanted or len(done) < len(wanted))


def _session(parts: int) -> SparkSession:
    """Return a session with its part of the cores, which plans for small data, and once."""
    os.environ.setdefault("JDK_JAVA_OPTIONS", f"{JAVA_OPTIONS} {_PATIENT}")
    spark = local_session(max(1, (os.cpu_count() or 1) // parts))  # the same one each time
    spark.conf.set("spark.sql.shuffle.partitions", _PARTITIONS)
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    return spark


if __name__ == "__main__":
    main()
