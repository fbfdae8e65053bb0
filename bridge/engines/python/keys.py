"""Groups of rows in a sorted batch, found by whole columns: where a key begins, which keys have one row, which two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from bridge.engines.python.column_types import Mask, Rows
    from bridge.spark import ArrowColumn


def starts_of(columns: list[ArrowColumn], rows: int) -> Mask:
    """Return for each of `rows` whether it differs from the row before it in one of `columns`; the first does not.

    NaN equals NaN and null equals null; 0.0 and -0.0 differ, as the texts do that Hudi makes of keys.
    """
    starts = np.zeros(rows, dtype=bool)
    for column in columns:
        newer, older = column.slice(1), column.slice(0, rows - 1)
        changes = pc.not_equal(newer, older)
        if pa.types.is_floating(column.type):
            changes = pc.and_(changes, pc.invert(pc.and_(pc.is_nan(newer), pc.is_nan(older))))
            values = column.fill_null(0.0).to_numpy(zero_copy_only=False)
            is_negative_zero = np.signbit(values) & (values == 0)
            starts[1:] |= is_negative_zero[1:] != is_negative_zero[:-1]
        if column.null_count:
            changes = pc.coalesce(changes, pc.not_equal(newer.is_null(), older.is_null()))
        starts[1:] |= changes.to_numpy(zero_copy_only=False)
    return starts


class Groups:
    """Finds where groups begin in one batch after the other: a group may go on in the next batch."""

    def __init__(self, names: tuple[str, ...]) -> None:
        """Group by the columns `names`; without any, all rows are one group."""
        self._names = names
        self._last: list[ArrowColumn] | None = None  # the columns of the last row

    def starts(self, batch: pa.RecordBatch) -> Mask:
        """Return for each row of the next batch whether it is the first of its group."""
        columns, rows = [batch.column(name) for name in self._names], batch.num_rows
        starts = starts_of(columns, rows)
        starts[0] = self._last is None or self._begins(self._last, columns)
        last = pa.array([rows - 1])
        self._last = [column.take(last) for column in columns]  # copies; slices would keep the batch alive
        return starts

    @staticmethod
    def _begins(last: list[ArrowColumn], columns: list[ArrowColumn]) -> bool:
        joined = [pa.concat_arrays([own, column.slice(0, 1)]) for own, column in zip(last, columns, strict=True)]
        return bool(starts_of(joined, 2)[1])


def values_of(batch: pa.RecordBatch, row: int, names: tuple[str, ...]) -> dict[str, object]:
    """Return the values of a row's key columns, for messages; beyond Python's years a number of days or units."""
    return {name: _shown(batch.column(name)[row]) for name in names}


def _shown(value: pa.Scalar[Any]) -> object:
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        return value.value


def single_rows(starts: Mask, *, ends: bool) -> Mask:
    """Return which rows have no other version of their key; `ends` tells whether the last key ends with the batch."""
    found: Mask = starts.copy()
    found[:-1] &= starts[1:]
    found[-1] &= ends
    return found


def pairs(starts: Mask, stored: Mask, *, ends: bool) -> Rows:
    """Return the first rows of the keys that have one stored row, one other version, and end in this batch."""
    after = np.append(starts[2:], ends)
    firsts = starts[:-1] & stored[:-1] & ~starts[1:] & ~stored[1:] & after[: len(starts) - 1]
    result: Rows = np.flatnonzero(firsts)
    return result


def of_others(records: pa.RecordBatch, owners: list[Any], batch: pa.RecordBatch, key: tuple[str, ...]) -> list[int]:
    """Return which records that merges made have another key than the row that each is made of.

    Args:
        records: the records.
        owners: the row of each: its number in `batch`, or else an object with a batch of that row alone.
        batch: the rows.
        key: the columns of the record key.
    """
    here = np.fromiter((type(owner) is int for owner in owners), bool, len(owners))
    rows = pa.array([owner if type(owner) is int else 0 for owner in owners], pa.int64())
    wrong = np.zeros(len(owners), bool)
    for name in key:
        made = records.column(name)
        if here.any():
            wrong |= here & ~same_keys(made, batch.column(name).take(rows))
        for at in np.flatnonzero(~here).tolist():
            wrong[at] |= not same_keys(made.slice(at, 1), owners[at].batch.column(name))[0]
    found: list[int] = np.flatnonzero(wrong).tolist()
    return found


def same_keys(made: ArrowColumn, given: ArrowColumn) -> Mask:
    """Return which values of a key are the same; NaN is NaN."""
    equal = pc.fill_null(pc.equal(made, given), False)
    if pa.types.is_floating(made.type):
        equal = pc.or_(equal, pc.fill_null(pc.and_(pc.is_nan(made), pc.is_nan(given)), False))
    found: Mask = equal.to_numpy(zero_copy_only=False)
    return found
