"""The agreement of engines on generated keys: python -m tests.bridge.engines.agreement [--keys N] [--seed S].

An example is a key with its versions; one job carries thousands. The python engine, in this process, says what becomes
of each key, or where its merge fails; the native engine, and the jvm engine with the class of a real bundle, must say
the same, natively both where the batch is broadcast and where it is not. `--figures FILE` keeps what agreed: a run that
was stopped goes on where it was.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from bridge import local_session
from bridge.engines import ACTION, ARRIVAL, COMMIT, IS_DELETE, ORDERING, ORIGIN, TO_LOG, Job, engine_of
from bridge.engines.control_columns import KIND, QUARANTINE, SEQUENCE
from bridge.engines.python.worker import merged
from bridge.merge import Action
from bridge.pipeline.merge_points import append_outcomes, combine_outcomes, read_outcomes, upsert_outcomes
from bridge.programs import Origin
from bridge.spark import avro_schema, quoted
from tests.bridge.engines.combinations import all_combinations, in_turns
from tests.bridge.engines.generated import ENTRY_ORDERING, Combination, Key, draw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

_ROWS_A_BATCH = 50_000
_BROADCASTS = "spark.sql.autoBroadcastJoinThreshold"


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
    engines: tuple[str, ...] = ("native",),
) -> Counts:
    """Compare engines with the python engine, if `failing` on a key that can't be merged, too.

    Raises:
        AssertionError: they differ, or one alone fails.
    """
    drawn = draw(combination, keys, seed)
    versions = versions_of(combination, drawn)
    job = _job(combination)
    expected, failures = _by_python(job, combination, versions)
    fine = versions.filter(pc.invert(pc.is_in(versions["id"], pa.array([*failures], pa.string()))))
    for engine in engines:
        plan = dataclasses.replace(combination.plan, engine="auto" if engine == "native" else engine)
        chosen = engine_of(dataclasses.replace(job, plan=plan))
        assert chosen.engine == engine, (str(combination), chosen)
        has_two_plans = engine == "native" and combination.program != "combine_input"
        for allowed in (True, False) if has_two_plans else (True,):
            name = f"{combination}: {engine}{'' if allowed else ', without broadcasts,'}"
            with broadcasts(spark, allowed=allowed):
                found = _found(name, spark, combination, fine, engine, expected.schema)
            _compare(name, found, expected)
        for key in [key for key in drawn if key_of(key, 0) in failures][: int(failing)]:
            _fails(spark, combination, key, failures[str(key_of(key, 0))], engine)
    return Counts(len(drawn), len(failures))


def _found(  # noqa: PLR0913, PLR0917 (what is compared)
    name: str, spark: SparkSession, combination: Combination, versions: pa.Table, engine: str, schema: pa.Schema
) -> pa.Table:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return _collected(outcomes_of(spark, combination, versions, Path(folder), engine), schema)
        except Exception as error:
            msg = f"{name} fails where python does not: {str(error)[:2000]}"
            raise AssertionError(msg) from error


def key_of(key: Key, column: int) -> str | None:
    """Return the partition or the record key."""
    found: str | None = (key.stored or key.newer[0])[column]
    return found


def versions_of(combination: Combination, keys: list[Key]) -> pa.Table:
    """Return all versions of keys, in the order in which engines take them."""
    rows: list[tuple[Any, ...]] = []
    newer = int(Origin.LOG if combination.reads_log else Origin.INCOMING)
    for key in keys:
        if key.stored is not None:
            rows.append((*key.stored, int(Origin.STORED), None, None, None, None))
        rows += [(*row[:-4], newer, *row[-4:]) for row in key.newer]
    kinds = {name: kind for name, (_, kind) in combination.types.items()}
    kinds |= {ORIGIN: pa.int8(), COMMIT: pa.int64(), ARRIVAL: pa.int64(), IS_DELETE: pa.bool_()}
    kinds[ORDERING] = ENTRY_ORDERING
    columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
    return pa.table({name: pa.array(c, kind) for c, (name, kind) in zip(columns, kinds.items(), strict=True)})


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
    order = list(range(newer.num_rows))
    random.Random(7).shuffle(order)  # noqa: S311 (the engine sorts)
    newer = newer.take(pa.array(order, pa.int64()))
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


def _collected(outcomes: DataFrame, schema: pa.Schema) -> pa.Table:
    batches = outcomes._collect_as_arrow()
    found = pa.Table.from_batches(batches) if batches else schema.empty_table()
    return found.select(schema.names).cast(schema)


def _compare(name: str, found: pa.Table, expected: pa.Table) -> None:
    """Compare outcomes as multisets of rows: NaN equals NaN, 0.0 is not -0.0.

    Raises:
        AssertionError: they differ; it shows the rows that one side alone has.
    """
    if _canonical(found).equals(_canonical(expected)):
        return
    left, right = (
        collections.Counter(map(repr, zip(*one.to_pydict().values(), strict=True))) for one in (found, expected)
    )
    lost, more = ([*(one - other).elements()] for one, other in ((right, left), (left, right)))
    msg = (
        f"{name} has {len(more)} rows that python has not, {sorted(more)[:3]}; it lacks {len(lost)}, {sorted(lost)[:3]}"
    )
    raise AssertionError(msg)


def _canonical(table: pa.Table) -> pa.Table:
    table = table.flatten().combine_chunks()
    for index, field in enumerate(table.schema):
        if field.type == pa.float64():
            bits = pa.chunked_array([chunk.view(pa.int64()) for chunk in table.column(index).chunks], pa.int64())
            table = table.set_column(index, field.name, bits)
    return table.sort_by([(name, "ascending") for name in table.column_names])


def _fails(spark: SparkSession, combination: Combination, key: Key, point: str, engine: str) -> None:
    """Check that an engine fails on a key where the python engine fails.

    Raises:
        AssertionError: it does not, or it fails elsewhere.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            rows = outcomes_of(spark, combination, versions_of(combination, [key]), Path(folder), engine).collect()
        except Exception as raised:
            where = f"failed at {point} (key part={key_of(key, 1)!r}, id={key_of(key, 0)!r}"
            if where not in str(raised):
                msg = f"{combination}: {engine} not {where}, but {raised}"
                raise AssertionError(msg) from raised
        else:
            msg = f"{combination}: python fails at {point} on {key}; {engine} gives {rows}"
            raise AssertionError(msg)


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
    """Let Spark broadcast a small batch, or nothing: other plans."""
    before = spark.conf.get(_BROADCASTS)
    if not allowed:
        spark.conf.set(_BROADCASTS, "-1")
    try:
        yield
    finally:
        spark.conf.set(_BROADCASTS, str(before))


def _figures(file: Path | None, keys: int, seed: int) -> dict[str, Mapping[str, Any]]:
    """Return what earlier runs wrote down of combinations with as many keys."""
    if file is None or not file.exists():
        return {}
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {one["name"]: one for one in told if (one["asked"], one["seed"]) == (keys, seed)}


@click.command()
@click.option("--keys", default=2000, show_default=True, help="Keys a combination.")
@click.option("--seed", default=17, show_default=True, help="What the keys are drawn from.")
@click.option("--only", default="", help="Only combinations whose name contains this.")
@click.option("--engine", "chosen", help="Only combinations that this engine runs, native or jvm, and without others.")
@click.option("--figures", type=click.Path(path_type=Path), help="Where figures are kept, which are not made again.")
@click.option("--minutes", type=float, help="Begin no combination after this time.")
def main(  # noqa: PLR0913 (the command's options)
    *, keys: int, seed: int, only: str, chosen: str | None, figures: Path | None, minutes: float | None
) -> None:
    """Print how many keys agreed, combination by combination; exit 1 unless all agree, each with keys that merge."""
    began, failed, known = time.monotonic(), 0, _figures(figures, keys, seed)
    wanted = {
        one: engines if chosen is None else (chosen,)
        for one, engines in in_turns(all_combinations()).items()
        if only in str(one) and (chosen is None or chosen in engines)
    }
    spark = local_session()
    known = {str(one): known[str(one)] for one in wanted if _is_known(known.get(str(one)), wanted[one])}
    for one, engines in wanted.items():
        if str(one) in known:
            continue
        if minutes is not None and time.monotonic() - began > minutes * 60:
            break
        start = time.monotonic()
        try:
            counts = agree(spark, one, keys, seed, engines=engines)
            assert counts.keys > counts.failures, f"{one}: no key could be merged"
        except AssertionError as error:
            failed += 1
            click.echo(f"DIFFERS {error}")
            continue
        told = {"name": str(one), "asked": keys, "seed": seed, "keys": counts.keys, "failures": counts.failures}
        known[str(one)] = told | {"engines": engines, "seconds": round(time.monotonic() - start, 1)}
        click.echo(_line(known[str(one)]))
        if figures is not None:
            with figures.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(known[str(one)])}\n")
    spark.stop()
    done = [known[str(one)] for one in wanted if str(one) in known]
    merged_keys, failures = (sum(one[name] for one in done) for name in ("keys", "failures"))
    click.echo(
        f"{len(done)} of {len(wanted)} combinations agree: {merged_keys:,} keys, of which {failures:,} fail alike; "
        f"{failed} differ"
    )
    raise SystemExit(not wanted or len(done) < len(wanted))


def _is_known(told: Mapping[str, Any] | None, engines: tuple[str, ...]) -> bool:
    """Whether an earlier run compared all engines that are wanted."""
    return told is not None and set(engines) <= set(told["engines"])


def _line(told: Mapping[str, Any]) -> str:
    by = ", ".join(("python", *told["engines"]))
    return f"{told['name']:64} {told['keys']:8,} keys, {told['failures']:6,} of them fail: {by}; {told['seconds']} s"


if __name__ == "__main__":
    main()
