"""One call at one merge point: what each release does with a stored row, log entries and incoming versions."""

from __future__ import annotations

from bridge.merge.buffered import delete_tests, merge_props
from bridge.merge.calls import (
    DELETES,
    Carried,
    Listener,
    LogRule,
    MadeVersion,
    MergePointError,
    PairMerge,
    SingleRows,
    UserBatch,
    located,
)
from bridge.merge.carriers import (
    NO_PARTITION,
    Carrier,
    LogDelete,
    LogRow,
    PayloadVersion,
    ShuffledPayload,
    StoredRow,
    key_of_version,
    logged_row,
)
from bridge.merge.class_links import check_links, class_warnings
from bridge.merge.delete_block import DECIMAL_DIGITS, DECIMAL_SCALE
from bridge.merge.kept_rows import (
    LastOfGreatest,
    deletes_first,
    deletes_of,
    fails_alone,
    flag_of,
    has_odd_flag,
    in_columns,
    kept_by,
)
from bridge.merge.log_scanner import LOG_ENTRIES, LogScanner
from bridge.merge.meta_columns import MetaColumns
from bridge.merge.mode_writer import tests_rows
from bridge.merge.ordering_values import MILLISECONDS
from bridge.merge.outcome import DELETED, SKIPPED, Action, Outcome, RowSource, of_another_key
from bridge.merge.partial_rows import PartialMerge, columns_of
from bridge.merge.payload_base import Payloads
from bridge.merge.payload_writer import PayloadWriter
from bridge.merge.point_props import props_of, table_of
from bridge.merge.points import MergePoint, Rule, SchemaView, calls_of
from bridge.merge.record_merge import RecordMerge, merge_config
from bridge.merge.refused_inserts import indexed_sentinel, insert_of_file, refused_inserts, refused_reads
from bridge.merge.rule_columns import columns_of_choice
from bridge.merge.split_reader import SplitRow, parts_of, reader_views
from bridge.merge.stated_rules import StatedRules, check_stated, stated_rule
from bridge.merge.tasks import users_called, watched

__all__ = [
    "DECIMAL_DIGITS",
    "DECIMAL_SCALE",
    "DELETED",
    "DELETES",
    "LOG_ENTRIES",
    "MILLISECONDS",
    "NO_PARTITION",
    "SKIPPED",
    "Action",
    "Carried",
    "Carrier",
    "LastOfGreatest",
    "Listener",
    "LogDelete",
    "LogRow",
    "LogRule",
    "LogScanner",
    "MadeVersion",
    "MergePoint",
    "MergePointError",
    "MetaColumns",
    "Outcome",
    "PairMerge",
    "PartialMerge",
    "PayloadVersion",
    "PayloadWriter",
    "Payloads",
    "RecordMerge",
    "RowSource",
    "Rule",
    "SchemaView",
    "ShuffledPayload",
    "SingleRows",
    "SplitRow",
    "StatedRules",
    "StoredRow",
    "UserBatch",
    "calls_of",
    "check_links",
    "check_stated",
    "class_warnings",
    "columns_of",
    "columns_of_choice",
    "delete_tests",
    "deletes_first",
    "deletes_of",
    "fails_alone",
    "flag_of",
    "has_odd_flag",
    "in_columns",
    "indexed_sentinel",
    "insert_of_file",
    "kept_by",
    "key_of_version",
    "located",
    "logged_row",
    "merge_config",
    "merge_props",
    "of_another_key",
    "parts_of",
    "props_of",
    "reader_views",
    "refused_inserts",
    "refused_reads",
    "stated_rule",
    "table_of",
    "tests_rows",
    "users_called",
    "watched",
]
