"""The native engine: merge modes and built-in rules as Spark's own expressions, without functions of Python."""

from __future__ import annotations

from bridge.engines.native.engine import run
from bridge.engines.native.lowering import LOG_OF_COMMITS, REFUSALS, Lowered, NotLoweredError, Refusal, lowered
from bridge.engines.native.ordering import told_ordering
from bridge.engines.native.pairs import ColumnMerges, RowVersion
from bridge.engines.native.rules import HISTORY
from bridge.engines.native.size import few_bytes, fits_one_task

__all__ = [
    "HISTORY",
    "LOG_OF_COMMITS",
    "REFUSALS",
    "ColumnMerges",
    "Lowered",
    "NotLoweredError",
    "Refusal",
    "RowVersion",
    "few_bytes",
    "fits_one_task",
    "lowered",
    "run",
    "told_ordering",
]
