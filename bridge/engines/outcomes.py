"""Batches of outcomes: rows that won are taken from where they stand, new records are encoded, bare keys stay keys."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from bridge.ordering_text import to_text
from bridge.programs import Action
from bridge.schema import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.carriers import Carrier
    from bridge.engines.arrow import RecordWriter
    from bridge.meta import MetaColumns

IS_DELETE, ORDERING, TO_LOG = "_pb_delete", "_pb_ordering", "_pb_to_log"
ACTION, FIRST, LAST = "_pb_action", "_pb_first", "_pb_last"

_ADDED = {
    ACTION: pa.int8(),
    IS_DELETE: pa.bool_(),
    ORDERING: pa.struct([("type", pa.string()), ("value", pa.string())]),
    TO_LOG: pa.bool_(),
    FIRST: pa.int64(),
    LAST: pa.int64(),
}
_WRITTEN = (Action.INSERT, Action.UPDATE)


class Detached:
    """A row that is needed after its batch has gone: a batch of this row alone."""

    __slots__ = ("batch",)

    def __init__(self, batch: pa.RecordBatch, row: int) -> None:
        # take copies the row; a slice would keep the whole batch alive
        self.batch = batch.take(pa.array([row]))


@dataclasses.dataclass(slots=True)
class _Pile:
    """Outcomes whose rows are made in one way."""

    rows: list[Any] = dataclasses.field(default_factory=list)
    added: list[tuple[Any, ...]] = dataclasses.field(default_factory=list)


class Outcomes:
    """Collects outcomes of one input batch and turns them into output batches."""

    def __init__(
        self,
        columns: tuple[str, ...],
        extras: tuple[str, ...],
        identity: tuple[str, ...],
        writer: RecordWriter,
        meta: MetaColumns | None,
    ) -> None:
        """Set up an empty collection.

        Args:
            columns: the data columns, in order.
            extras: what the program adds, besides the action.
            identity: the columns that a bare key keeps.
            writer: encodes new records as the data columns.
            meta: stamps written rows; None to leave their meta columns alone.
        """
        self._columns = columns
        self._added = (ACTION, *extras)
        self._identity = frozenset(identity)
        self._writer = writer
        self._meta = meta
        self._clear()

    def _clear(self) -> None:
        self._here, self._detached, self._bare, self._new = _Pile(), _Pile(), _Pile(), _Pile()

    def add(self, action: Action, row: Carrier | None, key_source: Any, extras: tuple[Any, ...]) -> None:
        """Note an outcome; `key_source` is any row of its key."""
        if row is None:
            pile, made_from = self._bare, key_source
        elif row.source is None:
            pile, made_from = self._new, row.record
        elif type(row.source) is int:
            pile, made_from = self._here, row.source
        else:
            pile, made_from = self._detached, row.source
        pile.rows.append(made_from)
        pile.added.append((action, *extras))

    def flush(self, batch: pa.RecordBatch | None) -> Iterator[pa.RecordBatch]:
        """Give what was noted since the last flush; row numbers refer to `batch`."""
        here, detached, bare, new = self._here, self._detached, self._bare, self._new
        self._clear()
        if here.rows and batch is not None:
            yield self._finished(self._data(batch.take(pa.array(here.rows))), here.added)
        if detached.rows:
            yield self._finished(self._data(_joined([row.batch for row in detached.rows])), detached.added)
        if bare.rows:
            rows = [row.batch if isinstance(row, Detached) else Detached(batch, row).batch for row in bare.rows]
            yield self._finished(self._keys_only(self._data(_joined(rows))), bare.added)
        if new.rows:
            yield self._finished(self._writer.batch(new.rows), new.added)

    def untouched(
        self, batch: pa.RecordBatch, rows: pa.Array, action: Action, extras: tuple[Any, ...]
    ) -> pa.RecordBatch:
        """Return `rows` of `batch` as outcomes of one kind, all with the same additions."""
        data = self._data(batch.take(rows) if len(rows) < batch.num_rows else batch)
        if self._meta is not None and action in _WRITTEN:
            data = self._meta.stamp(data)
        added = [
            pa.nulls(len(rows), _ADDED[name]) if value is None else pa.repeat(pa.scalar(value, _ADDED[name]), len(rows))
            for name, value in zip(self._added, (action, *extras), strict=True)
        ]
        return pa.RecordBatch.from_arrays([*data.columns, *added], [*self._columns, *self._added])

    def _data(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return batch.select(list(self._columns))

    def _keys_only(self, data: pa.RecordBatch) -> pa.RecordBatch:
        arrays = [
            column if name in self._identity else pa.nulls(data.num_rows, column.type)
            for name, column in zip(data.schema.names, data.columns, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, data.schema.names)

    def _finished(self, data: pa.RecordBatch, added: list[tuple[Any, ...]]) -> pa.RecordBatch:
        """Add the program's columns, and stamp the rows that were written."""
        columns = list(zip(*added, strict=True))
        if self._meta is not None:
            data = self._stamped(data, columns[0])
        arrays = list(data.columns)
        for name, values in zip(self._added, columns, strict=True):
            texts = [to_text(value) for value in values] if name == ORDERING else values
            arrays.append(pa.array(texts, _ADDED[name]))
        return pa.RecordBatch.from_arrays(arrays, [*self._columns, *self._added])

    def _stamped(self, data: pa.RecordBatch, actions: tuple[Action, ...]) -> pa.RecordBatch:
        written = pa.array([action in _WRITTEN for action in actions])
        stamped = self._meta.stamp(data)  # type: ignore[union-attr]
        for name in META_COLUMNS:
            index = data.schema.get_field_index(name)
            if index >= 0:
                mixed = pa.compute.if_else(written, stamped.column(index), data.column(index))
                data = data.set_column(index, data.schema.field(index), mixed)
        return data


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
