"""Joins by what is known of a frame's size before it is computed: a hash table does not spill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines.control_columns import PREFIX
from bridge.spark import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_IS_ONE = f"{PREFIX}is_one"
_TASK_BYTES = 32 * 2**20
"""How many bytes of files, compressed, may become the hash table, or an array, of one task."""


def full_outer(  # noqa: PLR0913, PLR0917 (both sides, and what is known of them)
    stored: DataFrame, keys: DataFrame, winners: DataFrame, same_key: Column, newer: DataFrame, twice: Column
) -> DataFrame:
    """Join all stored rows with all winners, whose sizes are judged by `newer`, of which they are.

    Small winners go to the stored rows, of which the `keys` are read once more, for the winners without a stored row:
    then nothing of the stored side is shuffled, and `twice` is evaluated, and fails, for a key that is stored twice.
    """
    if not (fits_broadcast(newer) and is_scan(stored)):
        return _hashed(stored, winners, same_key, "full_outer", newer)
    met = stored.join(sf.broadcast(winners), same_key, "left_outer")
    found = _found(keys, winners, same_key, twice)
    new = winners.join(found, same_key, "left_outer").where(sf.col(_IS_ONE).isNull())
    blank = [sf.lit(None).cast(field.dataType).alias(field.name) for field in stored.schema.fields]
    return met.unionByName(new.select(*blank, *winners.columns))


def right_outer(keys: DataFrame, winners: DataFrame, same_key: Column, newer: DataFrame, twice: Column) -> DataFrame:
    """Join every winner with the key of its stored row, if there is one; sizes and `twice` as in `full_outer`."""
    if not fits_broadcast(newer):
        return _hashed(keys, winners, same_key, "right_outer", newer)
    return _found(keys, winners, same_key, twice).where(sf.col(_IS_ONE)).join(winners, same_key, "right_outer")


def _found(keys: DataFrame, winners: DataFrame, same_key: Column, twice: Column) -> DataFrame:
    """Return the keys that winners have among `keys`, each once."""
    met = keys.join(sf.broadcast(winners), same_key, "left_semi")
    grouped = met.groupBy(*map(quoted, keys.columns)).agg(sf.count(sf.lit(1)).alias(_IS_ONE))
    return grouped.withColumn(_IS_ONE, sf.when(sf.col(_IS_ONE) > 1, twice).otherwise(sf.lit(True)))


def _hashed(stored: DataFrame, winners: DataFrame, same_key: Column, how: str, newer: DataFrame) -> DataFrame:
    return stored.join(winners.hint("shuffle_hash") if fits_in_memory(newer) else winners, same_key, how)


def is_scan(frame: DataFrame) -> bool:
    """Whether a frame costs no more than a scan, so that it may be read twice; not one whose rows are counted.

    False where Spark can't be asked, as with Spark Connect.
    """
    classic = getattr(frame, "_jdf", None)
    if classic is None:
        return False
    text = str(classic.queryExecution().executedPlan().toString())
    return not any(word in text for word in ("Exchange", "CollectMetrics"))


def fits_broadcast(frame: DataFrame) -> bool:
    """Whether Spark would send all rows to every task; False where it can't be asked, as with Spark Connect."""
    classic, size = getattr(frame, "_jdf", None), size_of(frame)
    if classic is None or size is None:
        return False
    most = classic.sparkSession().sessionState().conf().autoBroadcastJoinThreshold()
    return size <= int(most)


def fits_in_memory(frame: DataFrame) -> bool:
    """Whether a hash table of all rows, spread over the tasks of a shuffle, is sure to fit into memory.

    False where Spark can't be asked, as with Spark Connect.
    """
    size = size_of(frame)
    tasks = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions", "1") or 1)
    return size is not None and size <= _TASK_BYTES * tasks


def fits_one_task(frame: DataFrame) -> bool:
    """Whether all rows are sure to fit into the memory of one task, as an array; False where Spark can't be asked."""
    size = size_of(frame)
    return size is not None and size <= _TASK_BYTES


def size_of(frame: DataFrame) -> int | None:
    """Return how many bytes Spark's optimiser expects, at most; None if it can't be asked."""
    classic = getattr(frame, "_jdf", None)
    if classic is None:
        return None
    return int(str(classic.queryExecution().optimizedPlan().stats().sizeInBytes()))
