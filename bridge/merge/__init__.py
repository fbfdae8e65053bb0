"""One call at one merge point: what each release does with a stored row, log entries and incoming versions."""

from __future__ import annotations

from bridge.merge.buffered import merge_props
from bridge.merge.carriers import NO_PARTITION, Carrier, LogDelete, LogRow, StoredRow, Version, key_of_version
from bridge.merge.delete_block import DECIMAL_DIGITS, DECIMAL_SCALE
from bridge.merge.meta_columns import MetaColumns
from bridge.merge.points import MergePoint, Rule, SchemaView, calls_of, props_of
from bridge.merge.record_merge import RecordMerge, merge_config

__all__ = [
    "DECIMAL_DIGITS",
    "DECIMAL_SCALE",
    "NO_PARTITION",
    "Carrier",
    "LogDelete",
    "LogRow",
    "MergePoint",
    "MetaColumns",
    "RecordMerge",
    "Rule",
    "SchemaView",
    "StoredRow",
    "Version",
    "calls_of",
    "key_of_version",
    "merge_config",
    "merge_props",
    "props_of",
]
