"""Two sides of the same batches: what a comparison is, its replay on Spark, its grade and its report."""

from __future__ import annotations

from bridge.compare.comparison import Comparison, Target, comparison_of, is_release, plan_to
from bridge.compare.grade import Grade, overall
from bridge.compare.replay import Counts, Difference, Example, ReplayReport, compare, replay
from bridge.compare.replay_report import example_table, keys_table, kinds_of, report_replays
from bridge.compare.side_names import side_names

__all__ = [
    "Comparison",
    "Counts",
    "Difference",
    "Example",
    "Grade",
    "ReplayReport",
    "Target",
    "compare",
    "comparison_of",
    "example_table",
    "is_release",
    "keys_table",
    "kinds_of",
    "overall",
    "plan_to",
    "replay",
    "report_replays",
    "side_names",
]
