"""Which of many rows of a key stays, where a rule keeps the last one of those with the greatest value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python.arrow_pairs import is_compared

if TYPE_CHECKING:
    from bridge.engines.python.column_types import Rows
    from bridge.merge import LastOfGreatest
    from bridge.spark import ArrowColumn
    from payloads import AvroSchema


def is_foldable(rule: LastOfGreatest, schema: AvroSchema) -> bool:
    """Whether whole columns find the rows that a rule keeps."""
    return rule.column is None or is_compared(schema, rule.column)


def last_of_greatest(codes: Any, column: ArrowColumn | None) -> Rows:
    """Return for each code, in order, the last row of those with the greatest value; without a column the last."""
    order = np.argsort(codes, kind="stable") if column is None else np.lexsort((_ranks(column), codes))
    ends: Rows = np.flatnonzero(np.diff(codes[order], append=-1))
    last: Rows = order[ends]
    return last


def _ranks(column: ArrowColumn) -> Any:
    """Return numbers that sort as the values do."""
    if pa.types.is_integer(column.type):
        return pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
    return pc.rank(column, sort_keys="ascending", tiebreaker="dense").to_numpy()
