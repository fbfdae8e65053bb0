"""Batches of outcomes: rows that won are taken from their batch, new records are encoded, bare keys stay keys."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.control_columns import ADDED_TYPES, ORDERING, ORIGIN
from bridge.engines.ordering_text import to_text
from bridge.engines.python.keys import of_others, values_of
from bridge.engines.python.outcome_buffers import BatchOutcomes, PendingOutcomes, UnfitOutcomeError
from bridge.engines.python.records import UnfitRecordError
from bridge.merge import Action, of_another_key
from bridge.spark import META_COLUMNS, to_arrow_type
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bridge.engines.python.column_types import Codes, Rows
    from bridge.engines.python.outcome_buffers import Position
    from bridge.engines.python.records import RecordWriter
    from bridge.merge import Carrier, MadeVersion, MergePoint, MetaColumns
    from bridge.spark import ArrowColumn
    from payloads import Record

CONTROL_TYPES = {name: to_arrow_type(kind) for name, kind in ADDED_TYPES.items()}
"""The Arrow types of the columns that outcomes have beside the data."""
_WRITTEN = (Action.INSERT, Action.UPDATE)
_VISIBLE = (*_WRITTEN, Action.KEEP)
UNDECIDED = -1
"""The action of a row without one."""


class Detached:
    """A row that is needed after its batch has gone: a batch of this row alone."""

    __slots__ = ("batch",)

    def __init__(self, batch: pa.RecordBatch, row: int) -> None:
        # take copies the row; a slice would keep the whole batch alive
        self.batch = batch.take(pa.array([row]))


class Outcomes:
    """Collects outcomes of one input batch and turns them into output batches."""

    def __init__(
        self,
        added: tuple[str, ...],
        identity: tuple[str, ...],
        writer: RecordWriter,
        meta: MetaColumns | None,
        key: tuple[str, ...] = (),
    ) -> None:
        """Set up an empty collection.

        Args:
            added: the action, and what the program adds to it; without any, bare keys are left out.
            identity: the columns that a bare key keeps.
            writer: encodes new records as the data columns; tells their order, too.
            meta: stamps written rows; None to leave their meta columns alone.
            key: the columns of the record key, which no merge may change.
        """
        self._columns = writer.names
        self._added = added
        self._identity = frozenset(identity)
        self._writer = writer
        self._meta = meta
        self._key = key
        self._clear()

    def _clear(self) -> None:
        self._batch_rows, self._detached_rows, self._new_rows = PendingOutcomes(), PendingOutcomes(), PendingOutcomes()
        self._batch_keys, self._detached_keys = PendingOutcomes(), PendingOutcomes()
        self._points: list[MergePoint] = []  # of the new records
        self._owners: list[Any] = []  # a row of the key of each
        self._new_batch: pa.RecordBatch | None = None  # the new records, if they are encoded
        self._filled: pa.RecordBatch | None = None  # new rows that whole columns made
        self._filled_owners: list[int] = []

    def add(self, action: Action, row: Carrier | None, key_source: object, extras: tuple[object, ...]) -> None:
        """Note an outcome; `key_source` is any row of its key, for a bare key that is in no batch itself."""
        if row is None or row.record is None:
            source = key_source if row is None or row.source is None else row.source
            (self._batch_keys if type(source) is int else self._detached_keys).add(source, action, *extras)
        elif row.source is None:
            self.new(action, row.record, row.made_at, key_source, *extras)
        elif type(row.source) is int:
            self._batch_rows.add(row.source, action, *extras)
        else:
            self._detached_rows.add(row.source, action, *extras)

    def version(self, made: MadeVersion, point: MergePoint, row: int) -> None:
        """Note what `point` made of rows of a batch, with a row of its key."""
        if made.record is None:
            self._batch_keys.add(row, Action.INSERT, made.is_delete, made.ordering)
        else:
            self.new(Action.INSERT, made.record, point, row, made.is_delete, made.ordering)

    def batch_row(self, action: Action, row: int, *extras: object) -> None:
        """Note an outcome that is a row of the batch."""
        self._batch_rows.add(row, action, *extras)

    def batch_keys(self, action: Action, rows: Rows, *extras: object) -> None:
        """Note outcomes of which only the keys of `rows` are left."""
        for row in rows.tolist():
            self._batch_keys.add(row, action, *extras)

    def made(self, action: Action, records: Iterable[Record], point: MergePoint, rows: Rows, *extras: object) -> None:
        """Note outcomes whose records `point` made, each with a row of its key."""
        for record, row in zip(records, rows.tolist(), strict=True):
            self.new(action, record, point, row, *extras)

    def new(self, action: Action, record: Record, made_at: MergePoint, key_source: object, *extras: object) -> None:
        """Note an outcome that is in no batch: a record that a merge point made."""
        self._new_rows.add(record, action, *extras)
        self._points.append(made_at)
        self._owners.append(key_source)

    def filled(self, rows: pa.RecordBatch, owners: Rows) -> None:
        """Note updates without extras, the rows of which columns made, each with a row of its key; once a batch."""
        self._filled, self._filled_owners = rows, owners.tolist()

    # -- what is known of them before they are given

    @property
    def _pending(self) -> tuple[PendingOutcomes, ...]:
        return self._batch_rows, self._batch_keys, self._detached_rows, self._detached_keys, self._new_rows

    def noted(self, waiting: Outcomes | None = None) -> BatchOutcomes:
        """Return what was noted since the last flush, and of the outcomes that are `waiting`."""
        found = BatchOutcomes([], [], [], [], [], self._made())
        for one in (self, waiting):
            if one is None:
                continue
            rows, keys, detached, detached_keys, new = one._pending  # noqa: SLF001 (another collection of this class)
            found.rows.extend((*rows.rows, *keys.rows, *one._owners))  # noqa: SLF001
            found.actions.extend(added[0] for added in itertools.chain(rows.added, keys.added, new.added))  # type: ignore[misc]
            # In a combined batch a bare key is a delete without data, which is in the result.
            found.kept.extend((*rows.of(_VISIBLE), *keys.of(_VISIBLE)))
            found.of_open.extend(added[0] for added in (*detached.added, *detached_keys.added))  # type: ignore[misc]
            before = dict.fromkeys((*detached.of(_VISIBLE), *detached_keys.of(_VISIBLE)))
            found.kept_before.extend(row.batch.column(ORIGIN)[0].as_py() for row in before)
        found.rows.extend(self._filled_owners)
        found.actions.extend([Action.UPDATE] * len(self._filled_owners))
        return found

    def _made(self) -> int:
        """Return how many rows of the result are not of the input: new ones, and a row that is there a second time."""
        again = sum(
            len(rows) - len(set(rows))
            for pending in (self._batch_rows, self._detached_rows)
            if (rows := pending.of(_VISIBLE))
        )
        return len(self._new_rows.of(_VISIBLE)) + len(self._filled_owners) + again

    def position(self) -> Position:
        """Return where the outcomes of the next key will begin."""
        return tuple(len(pending.rows) for pending in self._pending)

    def cut(self, start: Position) -> Outcomes:
        """Remove the outcomes from a position on; return them as a collection of their own."""
        rest = Outcomes(self._added, tuple(self._identity), self._writer, self._meta, self._key)
        for pending, other, first in zip(self._pending, rest._pending, start, strict=True):
            other.rows, other.added = pending.rows[first:], pending.added[first:]
            del pending.rows[first:], pending.added[first:]
        first = start[-1]
        rest._points, rest._owners = self._points[first:], self._owners[first:]
        del self._points[first:], self._owners[first:]
        return rest

    def without_misfits(
        self, batch: pa.RecordBatch, keys: Iterable[tuple[int, Position, Position]]
    ) -> list[tuple[int, UnfitOutcomeError]]:
        """Remove the keys of new records that can't be stored; return a row of each and what is wrong.

        Args:
            batch: that to which the numbers of rows refer.
            keys: a row of each key that may have several outcomes, and where these begin and end.
        """
        records = self._new_rows.rows
        try:
            self._new_batch = self._writer.batch(records) if records else None
        except SchemaError:
            wrong = {number: error for number in range(len(records)) if (error := self._misfit(number)) is not None}
            if not wrong:
                raise
            rest = [number for number in range(len(records)) if number not in wrong]
            encoded = self._writer.batch([records[number] for number in rest]) if rest else None
        else:
            rest, encoded = list(range(len(records))), self._new_batch
            wrong = {}
        if encoded is not None:
            owners = [self._owners[number] for number in rest]
            wrong |= {
                rest[at]: self._of_another_key(rest[at], encoded, at)
                for at in of_others(encoded, owners, batch, self._key)
            }
        if not wrong:
            return []
        self._new_batch = None
        found = [(self._owners[number], error) for number, error in wrong.items()]
        gone: list[set[int]] = [set() for _ in self._pending]
        gone[-1].update(wrong)
        for _, start, end in keys:
            if any(start[-1] <= number < end[-1] for number in wrong):
                for numbers, first, after in zip(gone, start, end, strict=True):
                    numbers.update(range(first, after))
        for pending, numbers in zip(self._pending, gone, strict=True):
            pending.rows, pending.added = _without(pending.rows, numbers), _without(pending.added, numbers)
        self._points, self._owners = _without(self._points, gone[-1]), _without(self._owners, gone[-1])
        return found

    def _misfit(self, number: int) -> UnfitOutcomeError | None:
        record = self._new_rows.rows[number]
        try:
            self._writer.batch([record])
        except SchemaError as error:
            return UnfitOutcomeError(_unfit(str(error)), self._owners[number], self._points[number])
        return None

    def _of_another_key(self, number: int, records: pa.RecordBatch, at: int) -> UnfitOutcomeError:
        key = ", ".join(f"{name}={value!r}" for name, value in values_of(records, at, self._key).items())
        return UnfitOutcomeError(of_another_key(key), self._owners[number], self._points[number])

    # -- as batches

    def flush(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Give what was noted since the last flush; row numbers refer to `batch`.

        Raises:
            UnfitOutcomeError: a merged record does not fit its schema.
        """
        here, detached, new = self._batch_rows, self._detached_rows, self._new_rows
        batch_keys, detached_keys = self._batch_keys, self._detached_keys
        encoded = self._new_batch or (self._encoded(batch) if new.rows else None)
        filled = self._filled
        self._clear()
        if detached.rows:
            yield self._finished(self._data(_joined(detached.rows)), detached.added)
        if here.rows:
            yield self._finished(self._data(batch.take(pa.array(here.rows))), here.added)
        if encoded is not None:
            yield self._finished(encoded, new.added)
        if filled is not None:
            yield self._finished(filled, [(Action.UPDATE,)] * filled.num_rows)
        if not self._added:
            return
        if batch_keys.rows:
            yield self._finished(self._keys_only(self._data(batch.take(pa.array(batch_keys.rows)))), batch_keys.added)
        if detached_keys.rows:
            yield self._finished(self._keys_only(self._data(_joined(detached_keys.rows))), detached_keys.added)

    def standing(
        self,
        batch: pa.RecordBatch,
        actions: Codes,
        extras: Mapping[Action, tuple[object, ...]],
        of_rows: Mapping[str, ArrowColumn],
    ) -> Iterator[pa.RecordBatch]:
        """Give the rows of `batch` that have an action, as outcomes with what the program adds to that action.

        `of_rows` has the columns that it adds to each row of the batch instead.
        """
        decided = actions != UNDECIDED
        data = self._data(batch)
        if not decided.all():
            data, actions = data.filter(pa.array(decided)), actions[decided]
        if not len(actions):
            return
        data = self._stamped(data, actions)
        if not self._added:
            yield data
            return
        added = [pa.array(actions)]
        for number, name in enumerate(self._added[1:]):
            if name in of_rows:
                added.append(of_rows[name] if decided.all() else of_rows[name].filter(pa.array(decided)))
                continue
            by_action = [extras[action][number] if action in extras else None for action in Action]
            added.append(pa.array(by_action, CONTROL_TYPES[name]).take(added[0]))
        yield pa.RecordBatch.from_arrays([*data.columns, *added], [*self._columns, *self._added])

    def _encoded(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        try:
            records = self._writer.batch(self._new_rows.rows)
        except UnfitRecordError as error:
            number = error.number
            raise UnfitOutcomeError(_unfit(error.reason), self._owners[number], self._points[number]) from error
        for at in of_others(records, self._owners, batch, self._key):
            raise self._of_another_key(at, records, at)
        return records

    def _data(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return batch.select(self._columns)

    def _keys_only(self, data: pa.RecordBatch) -> pa.RecordBatch:
        arrays = [
            column if name in self._identity else pa.nulls(data.num_rows, column.type)
            for name, column in zip(data.schema.names, data.columns, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, data.schema.names)

    def _finished(self, data: pa.RecordBatch, added: list[tuple[object, ...]]) -> pa.RecordBatch:
        """Stamp the rows that were written, and add the program's columns where they are wanted."""
        given, *extras = zip(*added, strict=True)
        actions = np.array(given, np.int8)
        stamped = self._stamped(data, actions)
        if not self._added:
            return stamped
        arrays = [*stamped.columns, pa.array(actions)]
        for name, values in zip(self._added[1:], extras, strict=True):
            texts = [to_text(value) for value in values] if name == ORDERING else values
            arrays.append(pa.array(texts, CONTROL_TYPES[name]))
        return pa.RecordBatch.from_arrays(arrays, [*self._columns, *self._added])

    def _stamped(self, data: pa.RecordBatch, actions: Codes) -> pa.RecordBatch:
        """Stamp the rows of `data` that were written."""
        if self._meta is None or not (written := np.isin(actions, _WRITTEN)).any():
            return data
        mask = pa.array(written)
        stamped = self._meta.stamp(data.filter(mask))
        for name in META_COLUMNS:
            index = data.schema.get_field_index(name)
            if index >= 0:
                mixed = pc.replace_with_mask(data.column(index), mask, stamped.column(index))
                data = data.set_column(index, data.schema.field(index), mixed)
        return data


def _unfit(reason: str) -> str:
    return f"the merged record does not fit: {reason}; let the merge return every column, in its type"


def _without(values: list[Any], numbers: set[int]) -> list[Any]:
    return [value for number, value in enumerate(values) if number not in numbers]


def _joined(rows: list[Detached]) -> pa.RecordBatch:
    return pa.Table.from_batches([row.batch for row in rows]).combine_chunks().to_batches()[0]
