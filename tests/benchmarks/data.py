"""What the benchmarks merge: stored rows, a batch and a log as Parquet files, their keys in random order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge import MergePlan, append

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Column, DataFrame, SparkSession

KEY = ("part", "id")
_PLAIN = 12
"""Columns of the narrow table, key, partition and ordering field included."""
_FEW = 50
"""One row of the batch in so many is one of the few."""


class Shape(NamedTuple):
    """Which rows there are.

    Attributes:
        rows: stored and incoming ones.
        contested: the share of stored keys that the batch updates.
        new: the share of all rows that have a key which is not stored.
        columns: how many columns a row has.
    """

    rows: int
    contested: float = 0.2
    new: float = 0.0
    columns: int = _PLAIN

    @property
    def inserts(self) -> int:
        """How many rows of the batch have a new key."""
        return int(self.rows * self.new)

    @property
    def updates(self) -> int:
        """How many rows of the batch have a stored key."""
        return int((self.rows - self.inserts) * self.contested / (1 + self.contested))

    @property
    def label(self) -> str:
        """The shape in words."""
        return f"{self.contested:.0%} updated, {self.new:.0%} new, {self.columns} columns"


class Data(NamedTuple):
    """The frames of a shape, each of files of its own.

    The log has the rows of the batch that have a stored key, `few` some rows of the batch, far below the size up to
    which Spark broadcasts them.
    """

    shape: Shape
    folder: Path
    stored: DataFrame
    incoming: DataFrame
    log: DataFrame
    few: DataFrame


def written(spark: SparkSession, folder: Path, shape: Shape) -> Data:
    """Write the files of a shape below `folder`, and return them."""
    kept = shape.rows - shape.updates - shape.inserts
    step = max(1, kept // max(1, shape.updates))
    ids = spark.range(0, kept, 1, 4)
    touched = ids.where(sf.col("id") % step == 0).limit(shape.updates)
    new = spark.range(kept, kept + shape.inserts, 1, 2)
    stored = _stored_as(folder / "stored", _row(ids, 0, shape.columns))
    batch = _row(touched, 3, shape.columns).unionByName(_row(new, 0, shape.columns))
    incoming = _stored_as(folder / "incoming", batch)
    plan = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", partition="part", ordering="ts")
    log = _stored_as(folder / "log", append(stored, None, incoming, plan)[1])
    few = _stored_as(folder / "few", incoming.where(sf.xxhash64("id") % _FEW == 0))
    return Data(shape, folder, stored, incoming, log, few)


def _stored_as(path: Path, frame: DataFrame) -> DataFrame:
    """Write a frame with its keys in random order: real files are not sorted by key."""
    order = sf.xxhash64(sf.lit("an order that nothing else sorts by"), "id")
    mixed = frame.repartition(4, order).sortWithinPartitions(order)
    mixed.write.parquet(str(path))
    return frame.sparkSession.read.parquet(str(path))


def _row(ids: DataFrame, later: int, columns: int) -> DataFrame:
    number = sf.col("id")
    stamp = (number * 7919 % 1000 + (number % 7 - 3) * later).alias("ts")
    narrow: list[Column] = [
        sf.format_string("key-%09d", number).alias("id"),
        sf.concat(sf.lit("p"), number % 4).alias("part"),
        stamp,
        sf.concat(sf.lit("name-"), number % 1000).alias("name"),
        (number % 97).cast("int").alias("quantity"),
        (number * 0.25).alias("price"),
        sf.concat(sf.lit("city-"), number % 331).alias("city"),
        sf.date_add(sf.lit("2020-01-01").cast("date"), (number % 900).cast("int")).alias("day"),
        sf.timestamp_micros(number * 1_000_003).alias("seen"),
        (number % 3 == 0).alias("active"),
        sf.when(number % 5 != 0, sf.concat(sf.lit("note "), number)).alias("note"),
        (number % 10_007).alias("account"),
    ]
    wide = [(number * place % 1009).alias(f"value_{place}") for place in range(_PLAIN, columns)]
    return ids.select(*narrow, *wide)
