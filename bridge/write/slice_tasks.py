"""What a task does with the rows of a batch that were sent to file slices: it reads each slice, and merges in place.

Stored rows of other keys never leave Arrow, and those of the batch's keys never leave the task.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import pickle
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from bridge.engines import ACTION, LEFT, ORIGIN, READ, ROW_COUNTS, WholeKeys, starts_of
from bridge.errors import InputError
from bridge.hudi import ComputedKeys, SliceReader, converted, looked_up
from bridge.merge import Action, users_called, watched
from bridge.programs import Origin
from bridge.spark import META_COLUMNS, prepare
from bridge.write.changes import PLACE
from bridge.write.row_changes import Stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy.typing as npt
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

    from bridge.engines import Job
    from bridge.hudi import FileSlice, SliceQuery
    from bridge.spark import ArrowColumn

    Rows = npt.NDArray[np.int64]

LABEL_BITS: Final = 32
"""`_pb_place` has the number of a slice above so many bits of a hash of the key."""
_HELD: Final = 256 << 20
"""The bytes of rows of one slice that are merged at a time; a slice with more of the batch is read again."""
FEW: Final = 10_000
"""So many keys are looked for in row groups that may have them, and in logs by key; of more, all rows are read."""
_VISIBLE: Final = (Action.INSERT, Action.UPDATE, Action.KEEP)
_STORED_TWICE: Final = (
    "the stored side has more than one row for the key {key!r}; deduplicate it or check the key columns"
)


@dataclasses.dataclass(frozen=True)
class SliceWork:
    """What the tasks of one merge have in common.

    Attributes:
        query: how a slice is read, without meta columns.
        slices: the slices by their numbers, pickled.
    """

    query: SliceQuery
    slices: Broadcast[Mapping[int, bytes]]

    @classmethod
    def of(
        cls,
        spark: SparkSession,
        query: SliceQuery,
        slices: Mapping[int, FileSlice],
        release: Callable[[Callable[[], object]], object],
    ) -> SliceWork:
        """Send slices to executors; `release` takes what frees them there."""
        pickled: Mapping[int, bytes] = {label: pickle.dumps(one) for label, one in slices.items()}
        sent = spark.sparkContext.broadcast(pickled)
        release(sent.destroy)
        prepare(spark, query.plan.payload_name)
        shown = frozenset(name for name in query.schema.by_name if name not in META_COLUMNS)
        return cls(dataclasses.replace(query, shown=shown), sent)


@users_called(lambda query: query.plan)
def read_keys(
    query: SliceQuery, identity: tuple[str, ...], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Give the columns of key and partition of the rows of slices, each (number, pickled), with the number.

    Raises:
        HudiTableError: a slice can't be read.
    """
    reader = SliceReader(query)
    for batch in batches:
        for label, pickled in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            for rows in reader.read(pickle.loads(pickled)):  # noqa: S301 (the driver pickled it)
                own = [rows.column(name) for name in identity]
                number = pa.repeat(pa.scalar(label, pa.int32()), rows.num_rows)
                yield pa.RecordBatch.from_arrays([*own, number], [*identity, batch.schema.names[0]])


@users_called(lambda work: work.query.plan)
def stored_in_slices(
    work: SliceWork, identity: tuple[str, ...], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Give the stored rows of keys, which are sorted by place and key.

    Raises:
        HudiTableError: a slice can't be read.
    """
    slices = _Slices(work)
    for label, rows in _key_groups(batches, identity):
        if label >= 0:
            for found, _ in slices.stored(label, slices.keys.of(rows.take(pa.array(_firsts(rows, identity))))):
                yield found


def merged_slices(work: SliceWork, job: Job, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge rows of a batch, sorted by place and key, into their slices; give what changes, and the row counts.

    Raises:
        HudiTableError: a slice can't be read.
        InputError: a key column has null, or a key is stored twice.
        MergeFailedError: a payload or its ordering failed.
    """
    return watched(job.plan, "merged_slices", _merged(work, job, batches))


def _merged(work: SliceWork, job: Job, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    merges = _SliceMerges(work, job)
    for label, rows in _key_groups(batches, job.grouping):
        yield from merges.merge(label, rows)
    yield from merges.end()


def _firsts(rows: pa.RecordBatch, identity: tuple[str, ...]) -> Rows:
    """Return where the rows of each key begin."""
    starts = starts_of([rows.column(name) for name in identity], rows.num_rows)
    starts[0] = True
    found: Rows = np.flatnonzero(starts)
    return found


def _key_groups(batches: Iterable[pa.RecordBatch], grouping: tuple[str, ...]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Give the rows of one slice after another, whole keys together; those of no slice have the number -1."""
    waiting: list[pa.RecordBatch] = []
    label, size, most = -1, 0, _HELD
    for batch in batches:
        labels = np.maximum(batch.column(PLACE).to_numpy() >> LABEL_BITS, -1)
        bounds = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), batch.num_rows]
        for first, end in itertools.pairwise(bounds):
            if first == end:
                continue
            if waiting and labels[first] != label:
                yield label, _joined(waiting)
                waiting, size, most = [], 0, _HELD
            label = int(labels[first])
            part = batch.slice(first, end - first)
            if size > most:
                rows = _joined([*waiting, part])
                last = int(_firsts(rows, grouping)[-1])
                if last:
                    yield label, rows.slice(0, last)
                    rows = rows.slice(last)
                waiting, size = [rows], rows.nbytes
                most = _HELD if last else 2 * size  # of one key: it is looked at again when there is much more of it
            else:
                waiting.append(part)
                size += part.nbytes
    if waiting:
        yield label, _joined(waiting)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


class _Slices:
    """Reads the slices of one task."""

    def __init__(self, work: SliceWork) -> None:
        self.keys = ComputedKeys(work.query.properties)
        self._work = work
        self._reader: SliceReader | None = None

    def stored(self, label: int, wanted: ArrowColumn) -> Iterator[tuple[pa.RecordBatch, Rows]]:
        """Give the rows of a slice that have one of some keys, and which key each has."""
        found = pickle.loads(self._work.slices.value[label])  # noqa: S301 (the driver pickled it)
        for batch, numbers in looked_up(self._reader_of(wanted).read(found), self.keys.of, wanted):
            rows = np.flatnonzero(numbers >= 0)
            if len(rows):
                yield batch.take(pa.array(rows)), numbers[rows].astype(np.int64)

    def _reader_of(self, wanted: ArrowColumn) -> SliceReader:
        if len(wanted) <= FEW:
            keys = self.keys.as_stored(wanted.drop_null().to_pylist())
            return SliceReader(dataclasses.replace(self._work.query, keys=keys))
        self._reader = self._reader or SliceReader(self._work.query)
        return self._reader


class _SliceMerges:
    """Merges the piles of one task."""

    def __init__(self, work: SliceWork, job: Job) -> None:
        self._slices = _Slices(work)
        self._keys = self._slices.keys
        self._job = job
        self._merges = WholeKeys(job)
        self._read = self._left = 0

    def merge(self, label: int, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Give what the rows of a pile change."""
        firsts = _firsts(rows, self._job.grouping)
        counts: Rows = np.diff(np.append(firsts, rows.num_rows))
        rows = rows.select([name for name in rows.schema.names if name != PLACE])
        met = np.zeros(len(firsts), bool)
        if label >= 0:
            wanted = self._keys.of(rows.take(pa.array(firsts)))
            for batch, groups in self._slices.stored(label, wanted):
                self._check_once(groups, met, wanted)
                met[groups] = True
                self._read += len(groups)
                own = self._as_versions(batch, rows.schema)
                versions = _together(own, rows, groups, firsts, counts)
                yield from self._changes(versions, Stored(own, self._keys.of))
        if not met.all():
            rest = rows.filter(pa.array(np.repeat(~met, counts))) if met.any() else rows
            yield from self._changes(rest, Stored(rows.slice(0, 0), self._keys.of))

    def end(self) -> Iterator[pa.RecordBatch]:
        """Give the row counts."""
        nothing: Stored | None = None
        for found in self._merges.end():
            nothing = nothing or Stored(found.slice(0, 0), self._keys.of)
            yield from nothing.changes(found)
            text = pa.array([json.dumps({READ: self._read, LEFT: self._left})])
            columns = [text if n == ROW_COUNTS else pa.nulls(1, found.schema.field(n).type) for n in found.schema.names]
            yield from nothing.changes(pa.RecordBatch.from_arrays(columns, found.schema.names))

    def _changes(self, versions: pa.RecordBatch, stored: Stored) -> Iterator[pa.RecordBatch]:
        for found in self._merges.merge(versions):
            self._left += int(np.isin(found.column(ACTION).fill_null(-1).to_numpy(), _VISIBLE).sum())
            yield from stored.changes(found)

    @staticmethod
    def _check_once(groups: Rows, met: npt.NDArray[np.bool_], wanted: ArrowColumn) -> None:
        again = groups[met[groups]]
        if not len(again):
            each, times = np.unique(groups, return_counts=True)
            again = each[times > 1]
        if len(again):
            raise InputError(_STORED_TWICE.format(key=wanted[int(again[0])].as_py()))

    @staticmethod
    def _as_versions(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        """Return stored rows in the columns of a batch's rows."""
        number, own = batch.num_rows, set(batch.schema.names)
        columns = [
            converted(batch.column(field.name), field.type)
            if field.name in own
            else pa.nulls(number, field.type)
            if field.name != ORIGIN
            else pa.repeat(pa.scalar(int(Origin.STORED), field.type), number)
            for field in schema
        ]
        return pa.RecordBatch.from_arrays(columns, schema=schema)


def _together(stored: pa.RecordBatch, rows: pa.RecordBatch, groups: Rows, firsts: Rows, counts: Rows) -> pa.RecordBatch:
    """Return stored rows, each before the rows of its key in a batch: `groups` are the keys, in the stored rows' order.

    Args:
        stored: the stored rows.
        rows: those of the batch.
        groups: which key each stored row has.
        firsts: where the rows of each key begin.
        counts: how many each key has.
    """
    own = counts[groups]
    before = np.cumsum(own) - own
    number = len(groups)
    newer = np.arange(own.sum()) + np.repeat(firsts[groups] - before, own)
    order = np.argsort(np.concatenate([np.arange(number), np.repeat(np.arange(number), own)]), kind="stable")
    return _joined([stored, rows.take(pa.array(newer))]).take(pa.array(order))
