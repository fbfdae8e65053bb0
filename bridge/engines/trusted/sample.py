"""Which keys of a run the class itself is asked about: merged ones of all partitions, and all kinds of values.

A rare value, such as a status that only a few rows have, may be what a class treats otherwise. So of the keys that are
looked at, those come first that show a value, a pair of values or an order of values that no other one shows.
"""

from __future__ import annotations

import collections
import itertools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.control_columns import IS_DELETE, PREFIX
from bridge.spark import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job

LOOKED_AT: Final = 10
"""Times the sample, the number of newer rows whose keys are looked at."""

_KEY, _NEWER, _ROWS = (f"{PREFIX}{name}" for name in ("key", "newer", "rows"))
_FEW: Final = 100
"""Up to how many values of a column each is shown by a key of the sample."""
_FEWER: Final = 12
"""Up to how many values of a column each pair of them is."""
_FOR_VALUES: Final = 0.75
"""The part of the sample that shows values; the rest are keys of all partitions."""
_ROWS_A_KEY: Final = 20
"""Times the sample, the number of rows that it may have."""


class Looked(NamedTuple):
    """A key that was looked at.

    Attributes:
        number: the hash of its columns.
        stored: what its stored row shows: a number or None for each column; nothing without one.
        newer: what its newer rows show.
        partition: the partition of the newer rows.
    """

    number: int
    stored: list[tuple[Any, ...]]
    newer: list[tuple[Any, ...]]
    partition: tuple[Any, ...]

    @property
    def is_merged(self) -> bool:
        """Whether it has versions to merge."""
        return len(self.newer) > 1 or bool(self.stored)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.newer) + len(self.stored)


class Sample(NamedTuple):
    """The rows that the class is asked about.

    Attributes:
        sides: the sides of the merge, with the rows of the sample alone.
        keys: how many keys they have.
        merged: how many of these have versions to merge.
    """

    sides: list[DataFrame]
    keys: int
    merged: int


def number_of(job: Job) -> Column:
    """Return the hash of the columns that identify a key; two keys of one hash are looked at together."""
    return sf.xxhash64(*map(quoted, job.plan.identity))


def sample_of(sides: Sequence[DataFrame], job: Job, size: int) -> Sample:
    """Choose keys, the same ones for the same rows. The frames are computed up to four times.

    Args:
        sides: the stored side, if there is one, and the newer one.
        job: what merges them.
        size: how many keys.
    """
    *before, newer = sides
    stored = before[0] if before else newer.limit(0)  # a table over time begins empty
    number = number_of(job)
    every = max(1, newer.count() // (size * LOOKED_AT))
    found = [row[_KEY] for row in _counted(newer.where(number % every == 0), number).limit(size * LOOKED_AT).collect()]
    looked = _looked(_of(stored, number, found), _of(newer, number, found), job)
    if every > 1 and sum(one.is_merged for one in looked) * LOOKED_AT < size:
        # Few of these keys have versions to merge: look for those that have.
        several = _counted(newer, number).where(sf.col(_ROWS) > 1).select(_KEY)
        met = stored.select(number.alias(_KEY)).join(newer.select(number.alias(_KEY)), _KEY, "left_semi")
        found = [row[_KEY] for row in several.union(met).distinct().limit(size).collect()]
        looked += _looked(_of(stored, number, found), _of(newer, number, found), job)
    chosen = chosen_of({one.number: one for one in looked}.values(), size, len(job.columns))
    numbers = [one.number for one in chosen]
    merged = sum(one.is_merged for one in chosen)
    return Sample([_of(side, number, numbers) for side in sides], len(chosen), merged)


def _counted(newer: DataFrame, number: Column) -> DataFrame:
    return newer.groupBy(number.alias(_KEY)).agg(sf.count(sf.lit(1)).alias(_ROWS))


def _of(side: DataFrame, number: Column, numbers: Sequence[int]) -> DataFrame:
    """Return the rows of some keys."""
    if len(numbers) <= _FEW:
        return side.where(number.isin(*numbers) if numbers else sf.lit(False))
    kind = spark_types.StructType([spark_types.StructField(_KEY, spark_types.LongType())])
    keys = side.sparkSession.createDataFrame([(one,) for one in numbers], kind)
    return side.join(sf.broadcast(keys), number == sf.col(_KEY), "left_semi")


def _looked(stored: DataFrame, newer: DataFrame, job: Job) -> list[Looked]:
    """Look at what the rows of keys show; no more than fit into the sample."""
    rows: dict[int, tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {}
    partitions: dict[int, tuple[Any, ...]] = {}
    number = number_of(job)
    place = len(job.plan.partition)
    for at, side in enumerate((stored, newer)):
        dead = sf.coalesce(sf.col(IS_DELETE), sf.lit(False)) if IS_DELETE in side.columns else sf.lit(False)
        shown = [_shown(quoted(name), side.schema[name].dataType) for name in job.columns]
        where = [quoted(name).cast("string") for name in job.plan.partition]
        for one in side.select(number, *where, *shown, dead.cast("double")).toLocalIterator():
            rows.setdefault(one[0], ([], []))[at].append(tuple(one[1 + place :]))
            partitions[one[0]] = tuple(one[1 : 1 + place])
    return [Looked(key, of_stored, of_newer, partitions[key]) for key, (of_stored, of_newer) in rows.items()]


def _shown(column: Column, kind: spark_types.DataType) -> Column:
    """Return a number for a value: itself, or a hash (0 for an empty text); null for null."""
    if isinstance(kind, spark_types.NumericType | spark_types.BooleanType | spark_types.TimestampType):
        return column.cast("double")
    if isinstance(kind, spark_types.StringType | spark_types.BinaryType | spark_types.DateType):
        plain = sf.when(column.isNull(), sf.lit(None))
        if isinstance(kind, spark_types.StringType):
            plain = plain.when(column == "", sf.lit(0).cast("long"))
        return plain.otherwise(sf.xxhash64(column))
    return sf.when(column.isNotNull(), sf.lit(1))


def chosen_of(looked: Iterable[Looked], size: int, columns: int) -> list[Looked]:
    """Choose keys: first those that show what few do, then those of each partition in turn.

    Args:
        looked: the keys.
        size: how many are chosen.
        columns: how many columns rows have, besides whether they are deletes.
    """
    every = sorted((one for one in looked if one.newer), key=lambda one: one.number)
    few = _few_valued(every, columns + 1)
    showing = collections.defaultdict[tuple[Any, ...], list[Looked]](list)
    for one in every:
        for item in _items(one, few):
            showing[item].append(one)
    chosen: dict[int, Looked] = {}
    left = size * _ROWS_A_KEY

    def take(one: Looked, most: float) -> bool:
        nonlocal left
        if one.number in chosen:
            return True
        if one.rows > left or len(chosen) >= most:
            return False
        chosen[one.number] = one
        left -= one.rows
        return True

    for found in sorted(showing.values(), key=len):
        any(take(one, size * _FOR_VALUES) for one in sorted(found, key=lambda one: one.rows))
    for one in itertools.chain(_in_turn(filter(lambda one: one.is_merged, every)), every):
        if len(chosen) >= size:
            break
        take(one, size)
    return list(chosen.values())


def _few_valued(looked: Sequence[Looked], columns: int) -> list[int]:
    """Return for each column how many values it has, or more than count."""
    found = []
    for at in range(columns):
        values = set[Any]()
        for one in looked:
            values.update(row[at] for row in (*one.stored, *one.newer))
            if len(values) > _FEW:
                break
        found.append(len(values))
    return found


def _items(one: Looked, few: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Give what a key shows: values on each side, pairs of them, orders, and how many versions it has."""
    yield "versions", min(len(one.newer), 4), bool(one.stored)
    last = one.newer[-1]
    before = one.stored[0] if one.stored else one.newer[0]
    for at, number in enumerate(few):
        for side, rows in (("stored", one.stored), ("newer", one.newer)):
            values = {row[at] for row in rows}
            kept = values if number <= _FEW else {_sign(value) for value in values}
            yield from ((one.is_merged, side, at, value) for value in kept)
        if not one.is_merged:
            continue
        if number <= _FEWER:
            yield "pair", at, before[at], last[at]
        elif before[at] is not None and last[at] is not None:
            yield "order", at, _sign(last[at] - before[at])


def _sign(value: float | None) -> int | None:
    return None if value is None else (value > 0) - (value < 0)


def _in_turn(looked: Iterable[Looked]) -> Iterator[Looked]:
    """Give keys of each partition in turn: the one with the most versions, then one by its hash."""
    partitions = collections.defaultdict[tuple[Any, ...], list[Looked]](list)
    for one in looked:
        partitions[one.partition].append(one)
    turns = [_alternating(found) for _, found in sorted(partitions.items(), key=lambda entry: repr(entry[0]))]
    for row in itertools.zip_longest(*turns):
        yield from (one for one in row if one is not None)


def _alternating(looked: list[Looked]) -> Iterator[Looked]:
    by_versions = sorted(looked, key=lambda one: -len(one.newer))
    for pair in zip(by_versions, looked, strict=True):
        yield from pair
