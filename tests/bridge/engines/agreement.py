"""The agreement of engines on generated keys: python -m tests.bridge.engines.agreement [--keys N] [--seed S].

An example is a key with its versions; one job carries thousands. The python engine, called in this process, says what
becomes of each key, or how its merge fails; the native engine must say the same.
"""

from __future__ import annotations

import collections
import itertools
import random
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import pyarrow as pa

from bridge import MergeFailedError, MergePlan, local_session
from bridge.engines import ARRIVAL, COMMIT, IS_DELETE, ORDERING, ORIGIN, Job, engine_of
from bridge.engines.python.worker import merged
from bridge.pipeline import layout_of
from bridge.pipeline.merge_points import read_outcomes, upsert_outcomes
from bridge.programs import Origin
from bridge.spark import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

NULLS = 0.08
"""The share of null ordering values, most of which make the merge of their key fail."""


class Ordered(NamedTuple):
    """An ordering column: its type and the values that are drawn."""

    kind: str
    values: tuple[Any, ...]


ORDERED = {
    "int": Ordered("int", (-1, 0, 0, 1, 2)),
    "long": Ordered("bigint", (-1, 0, 1, 2, 2**40)),
    "string": Ordered("string", ("", "a", "b", "é", "￿", "😀")),
    "boolean": Ordered("boolean", (True, False)),
    "double": Ordered("double", (-1.5, -0.0, 0.0, 2.5, float("nan"), float("inf"))),
}
OF_READS = frozenset({"int", "long", "string", "boolean"})
PROGRAMS = ("upsert", "snapshot", "compact")
RELEASES = ("1.1", "1.2")


class Combination(NamedTuple):
    """What the engines must agree on."""

    program: str
    release: str
    mode: str
    ordering: tuple[str, ...]
    marker: bool = False

    def __str__(self) -> str:
        deletes = "flag, marker" if self.marker else "flag"
        return f"{self.program} {self.release} {self.mode} by {'+'.join(self.ordering) or 'arrival'}, {deletes}"

    @property
    def columns(self) -> str:
        """The data columns, as DDL."""
        by = ", ".join(f"o{number} {ORDERED[name].kind}" for number, name in enumerate(self.ordering))
        return ", ".join(
            filter(None, ["id string", "part string", by, "v int", "op string", "_hoodie_is_deleted boolean"])
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the data columns."""
        return tuple(column.split()[0] for column in self.columns.split(", "))

    @property
    def plan(self) -> MergePlan:
        """The plan of the merge."""
        marker = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"} if self.marker else {}
        return MergePlan(
            merger=f"{self.mode}_TIME_ORDERING",
            release=self.release,
            table_type="cow" if self.program == "upsert" else "mor",
            key="id",
            partition="part",
            ordering=[f"o{number}" for number in range(len(self.ordering))],
            props=marker,
        )


def combinations() -> Iterator[Combination]:
    """Give every combination that the native engine claims."""
    for program, release in itertools.product(PROGRAMS, RELEASES):
        yield Combination(program, release, "COMMIT", ("long",))
        yield Combination(program, release, "COMMIT", ("int",), marker=True)
        orders = [(name,) for name in ORDERED if program == "upsert" or name in OF_READS]
        if program == "upsert":
            orders += [("string", "long"), ("int", "int"), ("double", "int", "string")]
            orders.append(())
        for order in orders:
            yield Combination(program, release, "EVENT", order)
        yield Combination(program, release, "EVENT", ("int",), marker=True)


class Key(NamedTuple):
    """A key: its stored row and its newer versions, each a row in the layout of the python engine."""

    stored: tuple[Any, ...] | None
    newer: tuple[tuple[Any, ...], ...]


class Counts(NamedTuple):
    """How many keys agreed, and how many of them agreed to fail."""

    keys: int
    failures: int


def draw(combination: Combination, keys: int, seed: int) -> list[Key]:
    """Draw keys."""
    chance = random.Random(f"{seed} {combination}")  # noqa: S311 (the same keys in every run)
    value = itertools.count()
    reads_log = combination.program != "upsert"

    def row(number: int, *, newer: bool) -> tuple[Any, ...]:
        by = [None if chance.random() < NULLS else chance.choice(ORDERED[name].values) for name in combination.ordering]
        op = chance.choice((None, "I", "d", "D")) if newer else "I"
        flag = chance.choice((None, False, False, True)) if newer else None
        return (f"k{number:06}", f"p{number % 3}" if number % 7 else None, *by, next(value), op, flag)

    def entry(number: int) -> tuple[Any, ...]:
        blank = (None,) * (len(combination.names) - 2)
        return (f"k{number:06}", f"p{number % 3}" if number % 7 else None, *blank)

    def ordering() -> dict[str, str] | None:
        kind = chance.random()
        if kind < NULLS:
            return None
        if kind < 0.3 or not combination.ordering:
            return {"type": "int", "value": "0"}
        drawn = chance.choice(ORDERED[combination.ordering[0]].values)
        text = str(drawn).lower() if isinstance(drawn, bool) else str(drawn)
        return {"type": combination.ordering[0], "value": text}

    found = []
    for number in range(keys):
        stored = row(number, newer=False) if chance.random() < 0.6 else None
        newer = []
        for arrival in range(chance.choice((0, 1, 1, 2, 3, 5))):
            is_entry = reads_log and chance.random() < 0.35
            data = entry(number) if is_entry else row(number, newer=True)
            newer.append((*data, arrival // 2 + 1, arrival, is_entry, ordering() if is_entry else None))
        if stored is not None or newer:
            found.append(Key(stored, tuple(newer)))
    return found


def agree(spark: SparkSession, combination: Combination, keys: int, seed: int) -> Counts:
    """Compare both engines.

    Raises:
        AssertionError: they differ, or one alone fails.
    """
    drawn = draw(combination, keys, seed)
    job = _job(spark, combination)
    assert engine_of(job).engine == "native", engine_of(job)
    expected: collections.Counter[Any] = collections.Counter()
    fine, failing = [], []
    for key in drawn:
        try:
            rows = _in_python(job, combination, key)
        except MergeFailedError as error:
            failing.append((key, error))
        else:
            fine.append(key)
            expected.update(map(repr, rows))
    found = collections.Counter(repr(tuple(row)) for row in _natively(spark, combination, fine).collect())
    assert found == expected, f"{combination}: native has {found - expected}, python {expected - found}"
    for key, error in failing[:2]:
        try:
            rows = _natively(spark, combination, [key]).collect()
        except Exception as raised:
            where = f"failed at {error.merge_point} (key part={key_of(key, 1)!r}, id={key_of(key, 0)!r}"
            if where not in str(raised):
                msg = f"{combination}: not {where}, but {raised}"
                raise AssertionError(msg) from raised
        else:
            msg = f"{combination}: only python fails on {key}: {error}; native gives {rows}"
            raise AssertionError(msg)
    return Counts(len(drawn), len(failing))


def key_of(key: Key, column: int) -> str | None:
    """Return the partition or the record key."""
    found: str | None = (key.stored or key.newer[0])[column]
    return found


def _job(spark: SparkSession, combination: Combination) -> Job:
    frame = spark.createDataFrame([], combination.columns)
    layout = layout_of(combination.plan, frame)
    reads_log = combination.program != "upsert"
    return Job(combination.plan, layout.schema, layout.names, combination.program, has_entries=reads_log)


def _in_python(job: Job, combination: Combination, key: Key) -> list[tuple[Any, ...]]:
    """Return what the python engine makes of a key."""
    reads_log = combination.program != "upsert"
    origin = int(Origin.LOG if reads_log else Origin.INCOMING)
    rows = [] if key.stored is None else [(*key.stored, int(Origin.STORED), None, None, None)]
    rows += [(*row[:-4], origin, row[-4], row[-2], row[-1]) for row in key.newer]
    types = [_ARROW[column.split()[1]] for column in combination.columns.split(", ")]
    ordering = pa.struct([("type", pa.string()), ("value", pa.string())])
    columns = [*zip(combination.names, types, strict=True), (ORIGIN, pa.int8())]
    columns += [(COMMIT, pa.int64()), (IS_DELETE, pa.bool_()), (ORDERING, ordering)]
    kept = columns if reads_log else columns[:-3]
    arrays = [pa.array([row[index] for row in rows], kind) for index, (_, kind) in enumerate(kept)]
    batch = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(kept))
    outcomes = pa.Table.from_batches(list(merged(job, [batch])))
    return [tuple(row.values()) for row in outcomes.to_pylist()]


_ARROW = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "boolean": pa.bool_(),
    "double": pa.float64(),
}


def _natively(spark: SparkSession, combination: Combination, keys: list[Key]) -> DataFrame:
    """Return what the native engine makes of keys."""
    reads_log = combination.program != "upsert"
    stored = spark.createDataFrame([key.stored for key in keys if key.stored], combination.columns)
    newer = [row for key in keys for row in key.newer]
    random.Random(7).shuffle(newer)  # noqa: S311 (the engine sorts)
    if not reads_log:
        rows = [(*row[:-4], row[-3]) for row in newer]
        incoming = spark.createDataFrame(rows, f"{combination.columns}, {ARRIVAL} bigint")
        return upsert_outcomes(stored, incoming, combination.plan)
    rows = [(*row[:-2], "delete" if row[-2] else "data", row[-1]) for row in newer]
    added = f"{COMMIT} bigint, _pb_seq bigint, _pb_kind string, {ORDERING} struct<type:string,value:string>"
    log = spark.createDataFrame(rows, f"{combination.columns}, {added}")
    outcomes = read_outcomes(stored, log, combination.plan, program=combination.program)
    return outcomes.select(*map(quoted, combination.names), "_pb_action")


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
