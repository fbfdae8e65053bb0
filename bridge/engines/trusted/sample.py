"""Which keys of a run the class itself is asked about: merged ones of all partitions, and all kinds of values.

A rare value, such as a status that only a few rows have, may be what a class treats otherwise. So of the keys that are
looked at, those come first that show a value, a pair of values or an order of values that no other one shows.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.control_columns import IS_DELETE, PREFIX
from bridge.spark import kept, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job

LOOKED_AT: Final = 10
"""Times the sample, the number of newer rows whose keys are looked at."""

_KEY, _ROWS = (f"{PREFIX}{name}" for name in ("key", "rows"))
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


@contextlib.contextmanager
def sample_of(sides: Sequence[DataFrame], job: Job, size: int) -> Iterator[Sample]:
    """Choose keys, the same ones for the same rows, and keep their rows as long as they are used.

    The newer side is computed twice and the stored one once; if few keys have versions to merge, three times and twice
    more.

    Args:
        sides: the stored side, if there is one (a table over time begins empty), and the newer one.
        job: what merges them.
        size: how many keys.
    """
    numbered = [side.withColumn(_KEY, number_of(job)) for side in sides]
    *stored, newer = numbered
    every = max(1, newer.count() // (size * LOOKED_AT))
    is_looked_at = sf.col(_KEY) % every == 0
    most = size * _ROWS_A_KEY
    with contextlib.ExitStack() as stack:

        def held(condition: Column) -> list[DataFrame]:
            *before, after = [side.where(condition) for side in numbered]
            frames = [kept(after)]
            met = sf.broadcast(frames[0].select(_KEY).distinct())
            frames[:0] = [kept(side.join(met, _KEY, "left_semi")) for side in before]
            for one in frames:
                stack.callback(one.unpersist)
            return frames

        frames = held(is_looked_at)
        too_many = [row[_KEY] for row in _counted(frames[-1]).where(sf.col(_ROWS) > most).collect()]
        frames = [side.where(~_is_one_of(too_many)) for side in frames]
        looked = _looked(frames, job)
        if every > 1 and sum(one.is_merged for one in looked) * LOOKED_AT < size:
            # Few of these keys have versions to merge: look for those that have.
            left = _counted(newer.where(~is_looked_at)).where(sf.col(_ROWS) <= most)
            found = left.where(sf.col(_ROWS) > 1)
            for side in stored:
                found = found.union(left.join(side.select(_KEY), _KEY, "left_semi"))
            others = [row[_KEY] for row in found.select(_KEY).distinct().limit(size).collect()]
            more = held(_is_one_of(others))
            looked += _looked(more, job)
            frames = [one.union(other) for one, other in zip(frames, more, strict=True)]
        chosen = chosen_of(looked, size, len(job.columns))
        is_chosen = _is_one_of([one.number for one in chosen])
        merged = sum(one.is_merged for one in chosen)
        yield Sample([side.where(is_chosen).drop(_KEY) for side in frames], len(chosen), merged)


def _counted(newer: DataFrame) -> DataFrame:
    return newer.groupBy(_KEY).agg(sf.count(sf.lit(1)).alias(_ROWS))


def _is_one_of(numbers: Sequence[int]) -> Column:
    # One text: a literal of each number would be a call of Java.
    return sf.expr(f"{_KEY} in ({', '.join(map(str, numbers))})") if numbers else sf.lit(False)


def _looked(sides: Sequence[DataFrame], job: Job) -> list[Looked]:
    """Look at what the rows of keys show; no more than fit into the sample."""
    rows: dict[int, tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {}
    partitions: dict[int, tuple[Any, ...]] = {}
    place = 1 + len(job.plan.partition)
    for at, side in enumerate(sides, 2 - len(sides)):
        dead = sf.coalesce(sf.col(IS_DELETE), sf.lit(False)) if IS_DELETE in side.columns else sf.lit(False)
        shown = [_shown(quoted(name), side.schema[name].dataType) for name in job.columns]
        where = [quoted(name).cast("string") for name in job.plan.partition]
        for one in map(tuple, side.select(_KEY, *where, *shown, dead.cast("double")).collect()):
            rows.setdefault(one[0], ([], []))[at].append(one[place:])
            partitions[one[0]] = one[1:place]
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
    for one in sorted(every, key=lambda one: one.rows):
        for item in _items(one, few):
            showing[item].append(one)
    chosen: dict[int, Looked] = {}
    left = size * _ROWS_A_KEY

    def take(one: Looked) -> bool:
        nonlocal left
        if one.number in chosen:
            return True
        if one.rows > left:
            return False
        chosen[one.number] = one
        left -= one.rows
        return True

    for found in sorted(showing.values(), key=len):
        if len(chosen) >= size * _FOR_VALUES:
            break
        any(map(take, found))
    for one in itertools.chain(_in_turn(filter(lambda one: one.is_merged, every)), every):
        if len(chosen) >= size:
            break
        take(one)
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


def _items(one: Looked, few: Sequence[int]) -> Iterable[tuple[Any, ...]]:
    """Return what a key shows: values on each side, pairs of them, orders, and how many versions it has."""
    found: list[tuple[Any, ...]] = [("versions", min(len(one.newer), 4), bool(one.stored))]
    is_merged = one.is_merged
    for side, rows in (("stored", one.stored), ("newer", one.newer)):
        for row in rows:
            found.extend(
                (is_merged, side, at, value if number <= _FEW else _sign(value))
                for at, (value, number) in enumerate(zip(row, few, strict=True))
            )
    if is_merged:
        before = one.stored[0] if one.stored else one.newer[0]
        for at, (earlier, later, number) in enumerate(zip(before, one.newer[-1], few, strict=True)):
            if number <= _FEWER:
                found.append(("pair", at, earlier, later))
            elif earlier is not None and later is not None:
                found.append(("order", at, _sign(later - earlier)))
    return dict.fromkeys(found)  # each once, in an order that does not change


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
