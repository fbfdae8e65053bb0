"""Lists and maps of pairs of rows, joined as whole Arrow columns: `[*older, *newer]` and `{**older, **newer}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from bridge.engines.python.column_types import Rows
    from bridge.spark import ArrowColumn


def appended(column: pa.ListArray, older: Rows, newer: Rows) -> ArrowColumn:
    """Return for each pair of rows the elements of the older one, then those of the newer one; neither is null."""
    elements, ends = _elements(column, older, newer)
    values = column.values.take(pa.array(elements))
    found: ArrowColumn = pa.ListArray.from_arrays(_offsets(ends), values, type=column.type)
    return found


def united(column: pa.MapArray, older: Rows, newer: Rows) -> ArrowColumn:
    """Return for each pair of rows the entries of both, as Python and Java unite maps; neither is null.

    A key has the place where it was first, and the value that it had last.
    """
    entries, ends = _elements(column, older, newer)
    owners = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    keys = column.keys.take(pa.array(entries))
    codes = pc.dictionary_encode(keys).indices.to_numpy(zero_copy_only=False)
    named = owners * (int(codes.max(initial=0)) + 1) + codes
    _, firsts, which = np.unique(named, return_index=True, return_inverse=True)
    lasts = np.empty(len(firsts), np.int64)
    lasts[which] = np.arange(len(named))
    order = np.argsort(firsts)
    firsts, lasts = firsts[order], lasts[order]
    counts = np.bincount(owners[firsts], minlength=len(ends))
    children = [keys.take(pa.array(firsts)), column.items.take(pa.array(entries[lasts]))]
    rows = pa.StructArray.from_arrays(children, fields=[column.type.key_field, column.type.item_field])
    return pa.Array.from_buffers(
        column.type, len(ends), [None, _offsets(np.cumsum(counts)).buffers()[1]], children=[rows]
    )


def _elements(column: pa.ListArray | pa.MapArray, older: Rows, newer: Rows) -> tuple[Rows, Rows]:
    """Return the numbers of the elements of each pair of rows, one pair after the other, and where each pair ends."""
    offsets = column.offsets.to_numpy().astype(np.int64)
    rows = np.stack([older, newer], axis=1).ravel()
    starts, lengths = offsets[rows], offsets[rows + 1] - offsets[rows]
    ends = np.cumsum(lengths)
    elements = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
    return elements, ends[1::2]


def _offsets(ends: Rows) -> pa.Int32Array:
    return pa.array(np.concatenate([[0], ends]), pa.int32())
