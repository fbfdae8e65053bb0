"""Random versions of keys, sorted as engines get them: what is stored, logged, and in a batch."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyspark.sql.types import ArrayType, StringType, StructType

from bridge.engines.control_columns import COMMIT, IS_DELETE, ORDERING, ORIGIN
from bridge.engines.jvm.engine import to_plain
from bridge.programs import Origin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pyspark.sql import SparkSession

DATA = (
    StructType()
    .add("id", "integer")
    .add("ts", "long")
    .add("name", "string")
    .add("v", "string")
    .add("n", "long")
    .add("tags", ArrayType(StringType()))
    .add("op", "string")
    .add("_hoodie_is_deleted", "boolean")
)
"""The data columns; the first is the key."""
KEYS = 25
KEYS_OF_COMMIT = (10, 3, 16, 22, 6, KEYS)
"""From how many keys a commit draws: file groups get logs where few are new, and files of unlike sizes after that."""
COMMITS = len(KEYS_OF_COMMIT)
_CONTROL = (
    StructType()
    .add(ORIGIN, "byte")
    .add(COMMIT, "long")
    .add(IS_DELETE, "boolean")
    .add(ORDERING, StructType().add("type", "string").add("value", "string"))
)
COLUMNS = (*DATA.names, *_CONTROL.names)
_ARROW = {
    "integer": pa.int32(),
    "long": pa.int64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "array": pa.list_(pa.string()),
    "struct": pa.struct([("type", pa.string()), ("value", pa.string())]),
}
_Row = tuple[Any, ...]


class Versions(NamedTuple):
    """Sorted versions of keys: for Python as Arrow, for Java as a list of Spark's rows, which stays in the JVM."""

    batch: pa.RecordBatch
    rows: Any

    def of(self, origins: Collection[int], keys: Collection[int] | None = None) -> pa.RecordBatch:
        """Return the Arrow rows of some origins, of all keys or some."""
        both = zip(self.batch[ORIGIN].to_pylist(), self.batch.column(0).to_pylist(), strict=True)
        chosen = [row for row, (origin, key) in enumerate(both) if origin in origins and (keys is None or key in keys)]
        return self.batch.take(pa.array(chosen, pa.int64()))


class Tables(NamedTuple):
    """Versions for programs of one commit, and for those of several.

    Attributes:
        contested: versions of keys that are stored, logged and in a batch, by key.
        batches: those of several commits, by key.
        batches_by_arrival: the same, by arrival.
    """

    contested: Versions
    batches: Versions
    batches_by_arrival: Versions


def tables(spark: SparkSession, seed: int, gaps: Sequence[None] = (), *, partitioned: bool = False) -> Tables:
    """Return random versions; `gaps` is what ordering values may be besides.

    In `partitioned` tables the column `name` is the partition of a key, null for some keys; in others it changes from
    row to row.
    """
    chance = random.Random(seed)  # noqa: S311 (test data)
    batches = list(_batches(chance, gaps))
    contested = list(_contested(chance, gaps))
    if partitioned:
        batches, contested = ([_in_partition(row) for row in rows] for rows in (batches, contested))
    by_key = sorted(batches, key=lambda row: (row[0], row[9]))
    return Tables(*(_versions(spark, rows) for rows in (contested, by_key, batches)))


def _in_partition(row: _Row) -> _Row:
    return (*row[:2], (None, "a", "b")[row[0] % 3], *row[3:])


def _versions(spark: SparkSession, rows: Sequence[_Row]) -> Versions:
    schema = StructType([*DATA.fields, *_CONTROL.fields])
    arrow = pa.schema([(field.name, _ARROW[field.dataType.typeName()]) for field in schema.fields])
    batch = pa.RecordBatch.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=arrow)
    plain = spark.createDataFrame(rows, schema).coalesce(1).select(*map(to_plain, DATA.fields), *_CONTROL.names)
    return Versions(batch, plain._jdf.collectAsList())


def _batches(chance: random.Random, gaps: Sequence[None]) -> Iterator[_Row]:
    """Give the rows of several batches, by arrival."""
    for commit, keys in enumerate(KEYS_OF_COMMIT, start=1):
        for _ in range(keys):
            yield (*_row(chance, chance.randrange(keys), gaps), int(Origin.INCOMING), commit, None, None)


def _contested(chance: random.Random, gaps: Sequence[None]) -> Iterator[_Row]:
    """Give the versions of keys that are stored, logged and in a batch that was combined before, or is not."""
    for key in range(KEYS):
        if chance.random() < 0.8:
            yield (*_row(chance, key, gaps), int(Origin.STORED), None, None, None)
        for origin in (Origin.LOG, Origin.INCOMING):
            for commit in range(chance.randrange(4)):
                deletes = chance.random() < 0.3
                data = (key, *[None] * (len(DATA.fields) - 1)) if deletes else _row(chance, key, gaps)
                # A combined batch has the ordering value of its rows, too.
                has_ordering = deletes or (origin is Origin.INCOMING and chance.random() < 0.2)
                ordering = _entry_ordering(chance, gaps) if has_ordering else None
                yield (*data, int(origin), commit + 1, deletes, ordering)


def _row(chance: random.Random, key: int, gaps: Sequence[None]) -> _Row:
    """Return a row of few values and many deletes, so that every rule has its turn."""
    return (
        key,
        chance.choice([0, 1, 2, 3, *gaps]),
        chance.choice(["a", "b", "é", "😀", *gaps]),
        chance.choice(["x", "y", None]),
        chance.choice([1, 2, None]),
        chance.choice([["p"], ["q", "r"], [], None]),
        chance.choice(["put", "put", "put", "keep", "delete", "ignore", None]),
        chance.choice([False, False, False, None, True]),
    )


def _entry_ordering(chance: random.Random, gaps: Sequence[None]) -> dict[str, str] | None:
    """Return an ordering value as a delete entry or a combined batch has it: of the column's class or another."""
    return chance.choice(
        [
            {"type": "int", "value": "0"},
            {"type": "long", "value": str(chance.randrange(4))},
            {"type": "string", "value": chance.choice("abc")},
            *gaps,
        ]
    )
