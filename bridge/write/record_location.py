"""The rows of a batch, each with the file slice that has its key, so that each slice is read once, by one task.

A bucket index says the slice by Hudi's own hash of the key; for other indexes the keys of the slices are joined, as
Hudi's simple index does it.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import pickle
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.config import keys
from bridge.engines import PREFIX
from bridge.errors import PlanError
from bridge.hudi import ComputedKeys, SliceReader, key_edges, narrowed, partition_rows
from bridge.pipeline import join_rows
from bridge.spark import META_COLUMNS, functions, in_one_task, in_order, map_in_arrow, quoted, spark_schema
from bridge.write.changes import PLACE
from bridge.write.slice_tasks import LABEL_BITS, read_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from bridge.hudi import Answer, FileSlice, TableQueries
    from bridge.plan import MergePlan

_LABEL: Final = f"{PREFIX}slice"
_BUCKET: Final = f"{PREFIX}bucket"
_TEXTS: Final = (spark_types.StringType, spark_types.IntegralType)
_PARTITIONS: Final = (*_TEXTS, spark_types.DateType, spark_types.BooleanType)
_IDENTIFIER: Final = "org.apache.hudi.index.bucket.BucketIdentifier"
_CONFIGS: Final = ".hoodie/.bucket_index/partition_bucket_index_meta/configs"
_BUCKET_INDEX, _SIMPLE = "BUCKET", "SIMPLE"
_DEFAULT_NUMBER: Final = "256"  # HoodieIndexConfig.BUCKET_INDEX_NUM_BUCKETS
_CHECKED: Final = 8
"""Of so many base files the least and the greatest key are hashed: they all fit by chance once in 65,536 tables."""
_READ_HERE: Final = 4 << 20
"""A slice of more bytes is not read by the driver."""
_KEY: Final = META_COLUMNS[2]
_DIGITS: Final = 8
"""So many digits of a file id are the number of its bucket. Source: BucketIdentifier.bucketIdFromFileId."""
_SPREAD: Final = 1 << 20
"""Keys of no slice go to so many places."""
_BALANCED: Final = 1000
"""Of more slices than these chance makes tasks even."""


class Located(NamedTuple):
    """A batch whose rows say where they go.

    Attributes:
        rows: its rows, sorted by place and key, the rows of a slice in one task.
        slices: the slices by their numbers.
    """

    rows: DataFrame
    slices: dict[int, FileSlice]


def can_locate(
    came: spark_types.StructType, plan: MergePlan, queries: TableQueries, own: spark_types.StructType
) -> bool:
    """Whether the keys and partitions of a batch are told from those of the table by values alone.

    The text of other key fields is not supported, and a number of the batch has another one as the table's decimal.

    Args:
        came: the columns of the batch.
        plan: what names the key.
        queries: the table's.
        own: its columns.
    """
    accepted: dict[str, tuple[type[spark_types.DataType], ...]] = dict.fromkeys(plan.partition, _PARTITIONS)
    accepted |= dict.fromkeys(queries.properties.key_fields, _TEXTS)
    return all(
        name in side.names and isinstance(side[name].dataType, kinds)
        for name, kinds in accepted.items()
        for side in (came, own)
    )


def located(rows: DataFrame, answer: Answer, plan: MergePlan, buckets: Buckets | None, *arrival: str) -> Located:
    """Send each row of a batch to the slice that has its key.

    Args:
        rows: the batch, with its control columns.
        answer: what is read of the table.
        plan: what names the key.
        buckets: how a bucket index tells the slice of a key; None where keys are looked for.
        arrival: the column, if any, that orders the versions of a key; it is dropped.
    """
    spark = rows.sparkSession
    tasks = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    labels = labels_of([found.size for found in answer.slices], tasks)
    slices = dict(zip(labels, answer.slices, strict=True))
    if not slices:
        labelled = rows.withColumn(_LABEL, sf.lit(None).cast("int"))
    elif buckets is not None:
        names = (*plan.partition, _BUCKET)
        numbered = rows.withColumn(_BUCKET, _bucket(buckets))
        lookup = sf.broadcast(_lookup(rows, slices, buckets, plan))
        labelled = join_rows(numbered, lookup, names, "left", or_empty=plan.partition).drop(_BUCKET)
    else:
        stored = _stored_keys(spark, answer, slices, plan)
        labelled = join_rows(rows, stored, plan.identity, "left", or_empty=plan.partition)
    order = dict.fromkeys((*plan.key, *plan.identity))
    by_key = sf.xxhash64(*map(quoted, order))
    label = sf.coalesce(sf.col(_LABEL), (-1 - functions.pmod(by_key, sf.lit(_SPREAD))).cast("int"))
    placed = labelled.withColumn(_LABEL, label)
    placed = placed.coalesce(1) if in_one_task(spark) else placed.repartition(_LABEL)
    # One number in front: Spark compares eight bytes of the first column before all else.
    place = sf.shiftleft(sf.col(_LABEL).cast("long"), LABEL_BITS).bitwiseOR(by_key.bitwiseAND((1 << LABEL_BITS) - 1))
    placed = placed.withColumn(PLACE, place)
    columns = [column for name in order for column in in_order(placed, name)]
    return Located(placed.sortWithinPartitions(PLACE, *columns, *arrival).drop(_LABEL, *arrival), slices)


# -- a bucket index


class Buckets(NamedTuple):
    """How a bucket index tells the slice of a key.

    Attributes:
        keys: the key fields.
        fields: those that are hashed, with commas.
        number: of the buckets of a partition.
        partitions: the values of each partition, by its path.
    """

    keys: tuple[str, ...]
    fields: str
    number: int
    partitions: Mapping[str, tuple[object, ...]]


def buckets_of(
    queries: TableQueries, answer: Answer, plan: MergePlan, came: spark_types.StructType, options: Mapping[str, str]
) -> Buckets | None:
    """Return how the keys of a table tell their slices; None where that is not known for sure.

    Args:
        queries: the table's.
        answer: what is read of it.
        plan: what names the partition.
        came: the columns of the batch.
        options: those of Hudi's writer.
    """
    fields, number = queries.properties.key_fields, _number_of(queries, options)
    # Releases differ in whether an only field is named.
    if number is None or (len(fields) == 1 and ComputedKeys(queries.properties).is_complex):
        return None
    found = [(one.partition, one.file_id[:_DIGITS]) for one in answer.slices]
    are_buckets = len(set(found)) == len(found) and all(t.isdecimal() and int(t) < number for _, t in found)
    if not are_buckets or not can_locate(came, plan, queries, spark_schema(answer.query.schema)):
        return None
    schema, rows = partition_rows(answer)
    values = {path: dict(zip(schema.names, told, strict=True)) for path, told in rows} if plan.partition else {"": {}}
    if not set(plan.partition) <= set(schema.names) or any(path not in values for path, _ in found):
        return None  # paths do not tell the values of all of them
    partitions = {path: tuple(told[name] for name in plan.partition) for path, told in values.items()}
    return Buckets(fields, _hashed_fields(queries, options), number, partitions)


def check_buckets(spark: SparkSession, queries: TableQueries, answer: Answer, options: Mapping[str, str]) -> None:
    """Check, on a few keys, that Hudi's writer looks for the rows of a table where they are.

    These are keys of eight base files; where there are none, of the smallest slice with rows, if it is small.

    Args:
        spark: the session whose Hudi writes.
        queries: the table's.
        answer: what is read of it.
        options: those of Hudi's writer.

    Raises:
        PlanError: the options name other buckets than those of the table, so that stored rows would be inserted again.
        HudiTableError, MergeFailedError: a slice can't be read.
    """
    number = _number_of(queries, {keys.BUCKETS: _DEFAULT_NUMBER, **options})
    if number is None:
        return
    fields = _hashed_fields(queries, options)
    for found, key in _some_keys(queries, answer):
        if f"{_bucket_of_key(spark, key, fields, number):0{_DIGITS}}" != found.file_id[:_DIGITS]:
            msg = (
                f"{queries.files.path}: Hudi would look for the key {key!r} elsewhere, by {number} buckets of "
                f"{fields}, and insert it again; give the {keys.BUCKETS} and {keys.BUCKET_FIELDS} of the table, or "
                f"another {keys.INDEX_TYPE} if it has no buckets"
            )
            raise PlanError(msg)


def _some_keys(queries: TableQueries, answer: Answer) -> Iterator[tuple[FileSlice, str]]:
    based = [one for one in answer.slices if one.base_file is not None]
    for found in based[:_CHECKED]:
        for key in key_edges(queries.files, found.path_of(found.base_file or "")):
            yield found, key
    if based:
        return
    reader = SliceReader(dataclasses.replace(answer.query, shown=frozenset({_KEY})))
    small = sorted((one for one in answer.slices if one.size <= _READ_HERE), key=lambda one: one.size)
    for found in small[:_CHECKED]:
        shown = [rows.column(_KEY).to_pylist() for rows in reader.read(found)]
        if any(shown):  # else deletes are all that it has
            yield from ((found, key) for key in itertools.islice(itertools.chain(*shown), 2 * _CHECKED))
            return


def _number_of(queries: TableQueries, options: Mapping[str, str]) -> int | None:
    """Return how many buckets each partition has; None where no simple bucket index tells, or partitions differ."""
    number = options.get(keys.BUCKETS, "").strip()
    is_hashed = (
        options.get(keys.INDEX_TYPE, "").strip().upper() == _BUCKET_INDEX
        and options.get(keys.BUCKET_ENGINE, _SIMPLE).strip().upper() == _SIMPLE
        and number.isdecimal()
    )
    varies = any(name.startswith(keys.PARTITION_BUCKETS) for name in options) or queries.files.names(_CONFIGS)
    return int(number) if is_hashed and not varies else None


def _hashed_fields(queries: TableQueries, options: Mapping[str, str]) -> str:
    return options.get(keys.BUCKET_FIELDS) or ",".join(queries.properties.key_fields)


def _bucket(buckets: Buckets) -> Column:
    """Return the number of the bucket of each row, as the writer of the session computes it."""
    texts = [quoted(name).cast("string") for name in buckets.keys]
    key = sf.coalesce(texts[0], sf.lit(""))  # a null key is told by the merge
    if len(texts) > 1:
        told = (sf.when(one.isNull(), "__null__").when(one == "", "__empty__").otherwise(one) for one in texts)
        key = sf.concat_ws(",", *(sf.concat(sf.lit(f"{n}:"), one) for n, one in zip(buckets.keys, told, strict=True)))
    arguments = (sf.lit(_IDENTIFIER), sf.lit("getBucketId"), key, sf.lit(buckets.fields), sf.lit(buckets.number))
    return functions.java_method(*arguments).cast("int")


def _bucket_of_key(spark: SparkSession, key: str, fields: str, number: int) -> int:
    """Return the number of the bucket of a record key, as above."""
    hudi: Any = spark._jvm.org.apache.hudi  # type: ignore[union-attr]  # noqa: SLF001 (PySpark's only way to it)
    return int(hudi.index.bucket.BucketIdentifier.getBucketId(key, fields, number))


def _lookup(rows: DataFrame, slices: Mapping[int, FileSlice], buckets: Buckets, plan: MergePlan) -> DataFrame:
    """Return the slice of each partition and bucket."""
    given = [(*buckets.partitions[one.partition], int(one.file_id[:_DIGITS]), label) for label, one in slices.items()]
    fields = [spark_types.StructField(name, rows.schema[name].dataType) for name in plan.partition]
    fields += [spark_types.StructField(name, spark_types.IntegerType()) for name in (_BUCKET, _LABEL)]
    return rows.sparkSession.createDataFrame(given, spark_types.StructType(fields))


# -- other indexes


def _stored_keys(spark: SparkSession, answer: Answer, slices: Mapping[int, FileSlice], plan: MergePlan) -> DataFrame:
    """Return the key and partition of each stored row, with its slice."""
    query = narrowed(answer.query, plan.identity, ())
    given = [(label, pickle.dumps(one)) for label, one in slices.items()]
    frame = spark.createDataFrame(given, f"{_LABEL} int, slice binary")
    own = spark_schema(answer.query.schema)
    struct = spark_types.StructType([own[name] for name in plan.identity]).add(_LABEL, spark_types.IntegerType())
    return map_in_arrow(frame.repartition(len(given)), functools.partial(read_keys, query, plan.identity), struct)


# -- which number a slice has


def labels_of(sizes: Sequence[int], tasks: int) -> list[int]:
    """Return a number for each slice, by whose hash Spark gives tasks about as many bytes each.

    Args:
        sizes: the bytes of the slices.
        tasks: how many tasks a shuffle has.
    """
    if len(sizes) > _BALANCED:
        return list(range(len(sizes)))
    load, found, number = [0] * tasks, [0] * len(sizes), 0
    for at in sorted(range(len(sizes)), key=lambda one: -sizes[one]):
        least = min(load)
        while load[task_of(number, tasks)] > least:
            number += 1
        load[task_of(number, tasks)] += max(sizes[at], 1)
        found[at] = number
        number += 1
    return found


def task_of(number: int, tasks: int) -> int:
    """Return the task to which Spark's shuffle sends an integer. Source: Murmur3_x86_32.hashInt, HashPartitioning."""
    mask = 0xFFFFFFFF

    def turned(value: int, bits: int) -> int:
        return (value << bits | value >> (32 - bits)) & mask

    mixed = turned((number & mask) * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask
    found = (turned(42 ^ mixed, 13) * 5 + 0xE6546B64) & mask
    found ^= 4
    found = (found ^ found >> 16) * 0x85EBCA6B & mask
    found = (found ^ found >> 13) * 0xC2B2AE35 & mask
    found ^= found >> 16
    return (found - (1 << 32) if found >> 31 else found) % tasks
