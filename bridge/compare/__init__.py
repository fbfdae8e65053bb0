"""Two sides of the same batches: what a comparison is, its replay on Spark, its grade and its report."""

from __future__ import annotations

from bridge.compare.comparison import Comparison, Target, comparison_of, is_release, plan_to
from bridge.compare.differing import Counts, Difference, Example
from bridge.compare.grade import Grade, overall
from bridge.compare.onto_table import replay_batches
from bridge.compare.readers import compare_readers
from bridge.compare.readers_report import (
    BASE_FILES,
    ReaderResult,
    ReadersReport,
    report_readers,
    report_upgraded_readers,
)
from bridge.compare.replay import compare, replay
from bridge.compare.replay_report import ReplayReport, report_replays
from bridge.compare.side_names import side_names
from bridge.compare.table_history import HeldCommit, HistoryReplay, HistoryReport, replay_history, table_history
from bridge.compare.table_row import TableRow, table_row
from bridge.compare.tables import example_table, keys_table, kinds_of

__all__ = [
    "BASE_FILES",
    "Comparison",
    "Counts",
    "Difference",
    "Example",
    "Grade",
    "HeldCommit",
    "HistoryReplay",
    "HistoryReport",
    "ReaderResult",
    "ReadersReport",
    "ReplayReport",
    "TableRow",
    "Target",
    "compare",
    "compare_readers",
    "comparison_of",
    "example_table",
    "is_release",
    "keys_table",
    "kinds_of",
    "overall",
    "plan_to",
    "replay",
    "replay_batches",
    "replay_history",
    "report_readers",
    "report_replays",
    "report_upgraded_readers",
    "side_names",
    "table_history",
    "table_row",
]
