"""Groups of rows in a sorted batch, found by whole columns: where a key begins, which keys have one row, which two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    import pyarrow as pa

    Mask = np.ndarray[Any, np.dtype[np.bool_]]
    Rows = np.ndarray[Any, np.dtype[np.int64]]


def starts_of(columns: list[pa.Array[Any]], rows: int) -> Mask:
    """Return for each of `rows` whether it differs from the row before it in one of `columns`; the first does not."""
    starts = np.zeros(rows, dtype=bool)
    for column in columns:
        newer, older = column.slice(1), column.slice(0, rows - 1)
        changes = pc.not_equal(newer, older)
        if column.null_count:
            changes = pc.coalesce(changes, pc.not_equal(newer.is_null(), older.is_null()))
        starts[1:] |= changes.to_numpy(zero_copy_only=False)
    return starts


def alone(starts: Mask) -> Mask:
    """Return which rows have no other version of their key."""
    found = starts.copy()
    found[:-1] &= starts[1:]
    found[-1] = False  # the next batch may go on with this key
    return found


def pairs(starts: Mask, stored: Mask) -> Rows:
    """Return the first rows of the keys that have one stored row, one other version, and end in this batch."""
    firsts = starts[:-2] & stored[:-2] & ~starts[1:-1] & ~stored[1:-1] & starts[2:]
    result: Rows = np.flatnonzero(firsts)
    return result
