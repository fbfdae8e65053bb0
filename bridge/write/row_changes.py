"""Which outcomes of a merge change the table, by whole Arrow columns: an update may leave a row as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines import ACTION
from bridge.merge import Action
from bridge.write.changes import CHANGE, DELETED, INSERTED, UPDATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from bridge.spark import ArrowColumn

    Keys: TypeAlias = Callable[[pa.RecordBatch], ArrowColumn]
    Mask: TypeAlias = npt.NDArray[np.bool_]

_TOLD: Final = {Action.INSERT: INSERTED, Action.UPDATE: UPDATED, Action.DELETE: DELETED}


class Stored:
    """The stored rows of some keys, to which the outcomes of these keys are compared.

    Attributes:
        rows: in the columns of the outcomes, at least; each key once.
    """

    def __init__(self, rows: pa.RecordBatch, keys: Keys) -> None:
        """Take rows, and what gives the record keys of rows."""
        self.rows = rows
        self._keys_of = keys
        self._keys = keys(rows)

    def changes(self, outcomes: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Give the outcomes that change the table, with `_pb_change` in place of the action; a deleted row whole.

        Rows without an action stay as they are.
        """
        actions = outcomes.column(ACTION)
        if actions.null_count == outcomes.num_rows:
            yield _told(outcomes, None)
            return
        codes = actions.to_numpy()
        names = [name for name in outcomes.schema.names if name in self.rows.schema.names]
        inserted = np.flatnonzero(codes == Action.INSERT)
        if len(inserted):
            yield _told(outcomes.take(pa.array(inserted)), Action.INSERT)
        updated = np.flatnonzero(codes == Action.UPDATE)
        if len(updated):
            now = outcomes.take(pa.array(updated))
            at = self._places(now)
            was_there = at >= 0
            then = self.rows.take(pa.array(np.where(was_there, at, 0))) if was_there.any() else now
            changed = np.flatnonzero(~(was_there & same_rows(now.select(names), then.select(names))))
            if len(changed):
                yield _told(now if len(changed) == len(updated) else now.take(pa.array(changed)), Action.UPDATE)
        deleted = np.flatnonzero(codes == Action.DELETE)
        if len(deleted):
            gone = outcomes.take(pa.array(deleted))
            then = self.rows.take(pa.array(self._places(gone)))
            columns = [then.column(n) if n in names else gone.column(n) for n in gone.schema.names]
            yield _told(pa.RecordBatch.from_arrays(columns, gone.schema.names), Action.DELETE)

    def _places(self, rows: pa.RecordBatch) -> npt.NDArray[np.int64]:
        """Return which stored row has the key of each row; -1 for none, as where a payload changed the key."""
        found: npt.NDArray[np.int64] = (
            pc.fill_null(pc.index_in(self._keys_of(rows), value_set=self._keys), -1).to_numpy().astype(np.int64)
        )
        return found


def _told(rows: pa.RecordBatch, action: Action | None) -> pa.RecordBatch:
    """Return rows with the text of an action in place of its number."""
    number = rows.num_rows
    told = pa.nulls(number, pa.string()) if action is None else pa.repeat(_TOLD[action], number)
    names = [CHANGE if name == ACTION else name for name in rows.schema.names]
    return pa.RecordBatch.from_arrays([told if n == CHANGE else rows.column(n) for n in names], names)


def same_rows(now: pa.RecordBatch, then: pa.RecordBatch) -> Mask:
    """Return which rows of two batches with the same columns are equal, one by one.

    Null equals null and NaN equals NaN; 0.0 is not -0.0. Two maps are never equal, as Spark does not compare them.
    """
    same = np.ones(now.num_rows, bool)
    for one, other in zip(now.columns, then.columns, strict=True):
        if not same.any():
            break
        same &= _same(one, other)
    return same


def _same(one: ArrowColumn, other: ArrowColumn) -> Mask:
    kind = one.type
    both_null = _mask(pc.and_(one.is_null(), other.is_null()))
    if pa.types.is_null(kind):
        return both_null
    if pa.types.is_map(kind):
        return both_null if both_null.all() else np.zeros(len(one), bool)
    if pa.types.is_struct(kind):
        found = ~_mask(pc.xor(one.is_null(), other.is_null()))
        for own, another in zip(one.flatten(), other.flatten(), strict=True):
            found &= _same(own, another)
        return found | both_null
    if pa.types.is_list(kind):
        return _same_lists(one, other) | both_null
    equal = pc.equal(one, other)
    if pa.types.is_floating(kind):
        equal = pc.or_(equal, pc.and_(pc.is_nan(one), pc.is_nan(other)))
        values = [column.fill_null(0.0).to_numpy(zero_copy_only=False) for column in (one, other)]
        signs = [np.signbit(value) & (value == 0) for value in values]
        same: Mask = _mask(pc.fill_null(equal, False)) & (signs[0] == signs[1])
        return same | both_null
    return _mask(pc.fill_null(equal, False)) | both_null


def _same_lists(one: ArrowColumn, other: ArrowColumn) -> Mask:
    """Return which lists are equal, of those that are not null: as many items, and all of them the same."""
    lengths, others = (pc.fill_null(pc.list_value_length(column), -1).to_numpy() for column in (one, other))
    found: Mask = (lengths == others) & (lengths >= 0)
    compared = np.flatnonzero(found & (lengths > 0))
    if len(compared):
        items = [column.take(pa.array(compared)).flatten() for column in (one, other)]
        firsts = np.concatenate([[0], np.cumsum(lengths[compared])[:-1]])
        found[compared] = np.logical_and.reduceat(_same(*items), firsts)
    return found


def _mask(column: ArrowColumn) -> Mask:
    found: Mask = column.to_numpy(zero_copy_only=False)
    return found
