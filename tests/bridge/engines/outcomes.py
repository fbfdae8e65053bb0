"""The outcomes of two engines, compared."""

from __future__ import annotations

import collections

import pyarrow as pa

from bridge.engines import TO_LOG


def compare(name: str, found: pa.Table, expected: pa.Table) -> None:
    """Compare outcomes as multisets of rows: NaN equals NaN, 0.0 is not -0.0.

    Raises:
        AssertionError: they differ; it shows the rows that one side alone has.
    """
    if found.equals(expected):
        return
    left, right = (
        collections.Counter(map(repr, zip(*one.to_pydict().values(), strict=True))) for one in (found, expected)
    )
    lost, more = ([*(one - other).elements()] for one, other in ((right, left), (left, right)))
    msg = (
        f"{name} has {len(more)} rows that python has not, {sorted(more)[:3]}; it lacks {len(lost)}, {sorted(lost)[:3]}"
    )
    raise AssertionError(msg)


def in_order(table: pa.Table) -> pa.Table:
    """Return rows by key, of which one at most is for the log, with floating-point numbers as their bits."""
    table = table.flatten().combine_chunks()
    for index, field in enumerate(table.schema):
        if field.type == pa.float64():
            bits = pa.chunked_array([chunk.view(pa.int64()) for chunk in table.column(index).chunks], pa.int64())
            table = table.set_column(index, field.name, bits)
    return table.sort_by([(name, "ascending") for name in ("id", TO_LOG) if name in table.column_names])
