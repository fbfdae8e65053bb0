"""Joins by what is known of a frame's size before it is computed: a hash table does not spill.

What is known are estimates: the size of files as they are stored, compressed, and a computed frame has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.engines.control_columns import PREFIX
from bridge.spark import quoted, quoted_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py4j.java_gateway import JavaObject
    from pyspark.sql import Column, DataFrame

_IS_ONE = f"{PREFIX}is_one"
_TASK_BYTES = 32 * 2**20
"""How many bytes of files, as stored, may become the hash table, or an array, of one task.

Rows in memory take several times as much as compressed files, so this leaves room; it does not bound memory.
"""
_SMALL_BYTES, _SMALL_BYTES_TO_FILL = 4 * 2**20, 24 * 2**20
"""Up to how many bytes of files, as stored, of all sides together, the python engine is the faster.

The second one is of rules that fill gaps, for which Spark plans and compiles several times as much. Seconds in a warm
session on 2 cores, rows of 12 columns, natively and in Python, the fifth call: an upsert by event time 0.5 and 0.4 of
0.4 MiB (10,000 rows), 0.6 and 0.5 of 3 MiB (75,000), 0.5 and 0.7 of 5 MiB (150,000), 0.8 and 1.0 of 14 MiB (400,000); a
snapshot 0.6 and 0.4, 0.6 and 0.7, 0.7 and 0.6, 0.9 and 1.0; an upsert by PartialUpdateAvroPayload 1.0 and 0.6 of 5 MiB,
1.2 and 1.1 of 14 MiB, 1.7 and 1.6 of 27 MiB (800,000), 2.6 and 3.1 of 50 MiB.
"""
_MANY_BYTES, _TIMES = 32 * 2**20, 25
"""From how many bytes of files on, and how many times those of the newer rows, stored rows had better not be shuffled.

The newer rows are then combined in one task, sent to every one, and met by the stored keys once more. Seconds in a warm
session on 2 cores, rows of 12 columns, so and with a shuffle: an upsert by event time into 1.4 million rows (50 MiB) of
an eighth of them 2.9 and 2.1, of a sixteenth 1.7 and 1.7, of a thirtieth 1.4 and 1.6; into 300,000 rows of a fiftieth
0.6 and 0.6, of a quarter 1.0 and 0.6.
"""
_FILES = frozenset({"LogicalRelation", "DataSourceV2ScanRelation"})
_ROWS = frozenset({"LogicalRDD", "LocalRelation", "Range"})
_ROW_BY_ROW = frozenset({"Project", "Filter", "Union"})
"""Classes of Spark's logical plans: scans of files, other rows that are cheap to read again, what keeps or drops rows.

Of the last no row becomes several, as `explode` does.
"""
_COUNTS = "CollectMetrics"


class OuterJoin(NamedTuple):
    """How stored rows and the combined batch are joined.

    Attributes:
        newer: the batch before it is combined, whose size decides.
        same_key: whether a stored row and a combined version have the same key.
        twice: what fails for a key that is stored twice.
        broadcast: whether the combined batch is broadcast, so that the stored rows need no shuffle.
    """

    newer: DataFrame
    same_key: Column
    twice: Column
    broadcast: bool


def full_outer(stored: DataFrame, keys: DataFrame, combined: DataFrame, outer: OuterJoin) -> DataFrame:
    """Join all stored rows with the combined batch.

    If the batch is broadcast, the `keys` of the stored rows are read once more, to find versions without a stored row.
    Of the stored side, only the keys that the batch has are then shuffled and counted.
    """
    same_key = outer.same_key
    if not outer.broadcast:
        return _hashed(stored, combined, outer, "full_outer")
    met = stored.join(sf.broadcast(combined), same_key, "left_outer")
    found = _found(keys, combined, outer)
    new = combined.join(found, same_key, "left_outer").where(sf.col(_IS_ONE).isNull())
    blank = [f"NULL AS {quoted_name(name)}" for name in stored.columns]
    return met.unionByName(new.selectExpr(*blank, *map(quoted_name, combined.columns)))


def right_outer(keys: DataFrame, combined: DataFrame, outer: OuterJoin) -> DataFrame:
    """Join every combined version with the key of its stored row, if there is one."""
    if not outer.broadcast:
        return _hashed(keys, combined, outer, "right_outer")
    return _found(keys, combined, outer).where(sf.col(_IS_ONE)).join(combined, outer.same_key, "right_outer")


def _found(keys: DataFrame, combined: DataFrame, outer: OuterJoin) -> DataFrame:
    """Return those of `keys` that the combined batch has, each once."""
    met = keys.join(sf.broadcast(combined), outer.same_key, "left_semi").repartition(1)  # no more rows than the batch
    grouped = met.groupBy(*map(quoted, keys.columns)).agg(sf.count(sf.lit(1)).alias(_IS_ONE))
    return grouped.withColumn(_IS_ONE, sf.when(sf.col(_IS_ONE) > 1, outer.twice).otherwise(sf.lit(True)))


def _hashed(stored: DataFrame, combined: DataFrame, outer: OuterJoin, how: str) -> DataFrame:
    return stored.join(combined.hint("shuffle_hash") if fits_in_memory(outer.newer) else combined, outer.same_key, how)


def broadcasts_newer(stored: DataFrame, newer: DataFrame) -> bool:
    """Whether few newer rows meet a scan of many stored ones, so that these had better stay where they are.

    False where Spark can't be asked, as with Spark Connect.
    """
    return is_few(newer) and is_scan(stored) and outweighs(stored, newer)


def outweighs(stored: DataFrame, newer: DataFrame) -> bool:
    """Whether the stored side has so many more bytes, as Spark estimates, that a shuffle of it is what costs."""
    held, added = (_bytes_of(plan) for side in (stored, newer) if (plan := _optimized(side)) is not None)
    return held >= max(_MANY_BYTES, _TIMES * added)


def is_scan(frame: DataFrame) -> bool:
    """Whether a frame costs no more than a scan, so that it may be read twice; not one whose rows are counted.

    False where Spark can't be asked, as with Spark Connect.
    """
    plan = _optimized(frame)
    return plan is not None and all(_name(node) in _FILES | _ROWS | _ROW_BY_ROW for node in _nodes(plan))


def is_few(frame: DataFrame) -> bool:
    """Whether Spark would send all rows to every task, by its own estimate, and one task soon merges them.

    False where it can't be asked, as with Spark Connect.
    """
    classic, plan = _classic(frame), _optimized(frame)
    if classic is None or plan is None:
        return False
    most = int(classic.sparkSession().sessionState().conf().autoBroadcastJoinThreshold())
    return _bytes_of(plan) <= min(most, _TASK_BYTES)


def fits_in_memory(frame: DataFrame) -> bool:
    """Whether a frame is read from so few bytes of files that a hash table of its rows, over all tasks, should fit.

    False where Spark can't be asked, as with Spark Connect, and of computed frames.
    """
    size = file_bytes(frame)
    tasks = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions", "1") or 1)
    return size is not None and size <= _TASK_BYTES * tasks


def fits_one_task(frame: DataFrame) -> bool:
    """Whether a frame is read from so few bytes of files that all its rows, as an array, should fit into one task.

    False where Spark can't be asked, as with Spark Connect, and of computed frames.
    """
    size = file_bytes(frame)
    return size is not None and size <= _TASK_BYTES


def few_bytes(*frames: DataFrame) -> int | None:
    """Return how many bytes of files frames are read from, together; None unless they are few under some rule.

    The first that is not known to be small decides; others are not asked, as Spark has to optimise a plan for it. None
    where Spark can't be asked, as with Spark Connect, and where one is a computed frame.
    """
    total = 0
    for frame in frames:
        size = file_bytes(frame)
        if size is None or total + size > max(_SMALL_BYTES, _SMALL_BYTES_TO_FILL):
            return None
        total += size
    return total


def are_few(size: int | None, *, fills: bool) -> bool:
    """Whether the python engine merges so many bytes of files, as `few_bytes` tells them, sooner than the native one.

    `fills`: whether the rule fills gaps.
    """
    return size is not None and size <= (_SMALL_BYTES_TO_FILL if fills else _SMALL_BYTES)


def file_bytes(frame: DataFrame) -> int | None:
    """Return how many bytes of files a frame is read from, as Spark estimates; columns added to it change nothing.

    None if Spark can't be asked, or the frame is more than the rows of files, each taken or left.
    """
    plan = _optimized(frame)
    if plan is None:
        return None
    nodes = [node for node in _nodes(plan) if _name(node) not in {*_ROW_BY_ROW, _COUNTS}]
    if any(_name(node) not in _FILES for node in nodes):
        return None
    return sum(map(_bytes_of, nodes))


def _classic(frame: DataFrame) -> JavaObject | None:
    return getattr(frame, "_jdf", None)


def _optimized(frame: DataFrame) -> JavaObject | None:
    classic = _classic(frame)
    return None if classic is None else classic.queryExecution().optimizedPlan()


def _nodes(plan: JavaObject) -> Iterator[JavaObject]:
    yield plan
    children = plan.children()
    for number in range(children.size()):
        yield from _nodes(children.apply(number))


def _name(node: JavaObject) -> str:
    return str(node.getClass().getSimpleName())


def _bytes_of(plan: JavaObject) -> int:
    return int(str(plan.stats().sizeInBytes()))
