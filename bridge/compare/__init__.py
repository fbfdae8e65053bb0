"""Two sides of the same batches: what a comparison is, its replay on Spark, its grade and its report."""

from __future__ import annotations

from bridge.compare.after_upgrade import compare_upgraded
from bridge.compare.both_sides import compare
from bridge.compare.comparison import Comparison, Target, comparison_of, is_release, plan_to, table_release
from bridge.compare.difference import Counts, Difference, Example, collected, difference_of
from bridge.compare.grade import Grade, overall
from bridge.compare.next_steps import (
    YOUR_JAR,
    class_named,
    explain_step,
    name_class,
    next_steps,
    read_all,
    replay_command,
)
from bridge.compare.onto_table import BASE, OntoTable
from bridge.compare.other_engines import OTHER_ENGINES
from bridge.compare.other_programs import compared_with, program_version
from bridge.compare.over_represented import OverRepresented
from bridge.compare.own_bundle import bundle_of
from bridge.compare.questions import question_of
from bridge.compare.readers import compare_readers
from bridge.compare.readers_replay import ReadersReplay
from bridge.compare.readers_report import (
    BASE_FILES,
    HUDI_RS,
    ReaderResult,
    ReadersReport,
    grade_of_reader,
    reader_name,
    reader_of,
    released,
)
from bridge.compare.rebuilt import HeldCompaction, RebuiltCommits, rebuilt_commits
from bridge.compare.released_process import NotRunError, reason_of, run_released
from bridge.compare.replay import OF_NEW_TABLES, Replay, check_replay, replay
from bridge.compare.replay_report import ReplayReport
from bridge.compare.rows_view import figures_of, row_of_page, rows_view
from bridge.compare.side_names import side_names
from bridge.compare.table_diff import DiffReport, diff
from bridge.compare.table_history import HeldCommit, HistoryReplay, HistoryReport, table_history
from bridge.compare.table_types_replay import TableTypesReplay
from bridge.compare.tables import example_table, keys_table, kinds_of
from bridge.compare.upgrade_compaction import check_compaction, upgraded_slices

__all__ = [
    "BASE",
    "BASE_FILES",
    "HUDI_RS",
    "OF_NEW_TABLES",
    "OTHER_ENGINES",
    "YOUR_JAR",
    "Comparison",
    "Counts",
    "DiffReport",
    "Difference",
    "Example",
    "Grade",
    "HeldCommit",
    "HeldCompaction",
    "HistoryReplay",
    "HistoryReport",
    "NotRunError",
    "OntoTable",
    "OverRepresented",
    "ReaderResult",
    "ReadersReplay",
    "ReadersReport",
    "RebuiltCommits",
    "Replay",
    "ReplayReport",
    "TableTypesReplay",
    "Target",
    "bundle_of",
    "check_compaction",
    "check_replay",
    "class_named",
    "collected",
    "compare",
    "compare_readers",
    "compare_upgraded",
    "compared_with",
    "comparison_of",
    "diff",
    "difference_of",
    "example_table",
    "explain_step",
    "figures_of",
    "grade_of_reader",
    "is_release",
    "keys_table",
    "kinds_of",
    "name_class",
    "next_steps",
    "overall",
    "plan_to",
    "program_version",
    "question_of",
    "read_all",
    "reader_name",
    "reader_of",
    "reason_of",
    "rebuilt_commits",
    "released",
    "replay",
    "replay_command",
    "row_of_page",
    "rows_view",
    "run_released",
    "side_names",
    "table_history",
    "table_release",
    "upgraded_slices",
]
