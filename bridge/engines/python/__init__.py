"""The python engine: a payload in Python over sorted Arrow batches."""

from __future__ import annotations

from bridge.engines.python.arrow_pairs import sources_of
from bridge.engines.python.column_folds import is_foldable, last_of_greatest
from bridge.engines.python.engine import run
from bridge.engines.python.inserts import is_marked
from bridge.engines.python.keys import same_keys, starts_of
from bridge.engines.python.quarantine import is_of_all_keys
from bridge.engines.python.records import RecordReader, RecordWriter, UnfitRecordError, arrow_schema
from bridge.engines.python.whole_keys import WholeKeys

__all__ = [
    "RecordReader",
    "RecordWriter",
    "UnfitRecordError",
    "WholeKeys",
    "arrow_schema",
    "is_foldable",
    "is_marked",
    "is_of_all_keys",
    "last_of_greatest",
    "run",
    "same_keys",
    "sources_of",
    "starts_of",
]
