"""The merge points on Spark: a DataFrame in, a DataFrame out."""

from __future__ import annotations

from bridge.engines import ARRIVAL, visible
from bridge.pipeline.all_paths import KeyAnswer, PathCounts, SmallestFound, some_keys
from bridge.pipeline.batch import Batch, SqlMerge, check_numbers
from bridge.pipeline.batches import Batches, BatchesLike, as_batches, only_upserts
from bridge.pipeline.course import LAST as LAST_BATCH
from bridge.pipeline.course import BatchNumber, Compactions, Course, Steps
from bridge.pipeline.differences import KIND, KINDS, LEFT, RIGHT, Figures, differences
from bridge.pipeline.extent import Extent, extent_of
from bridge.pipeline.files import read_frame, read_sides
from bridge.pipeline.layout import Layout, arrival_of, data_fields, incoming_side, join_rows, layout_of
from bridge.pipeline.merge_points import (
    append,
    append_outcomes,
    appended,
    combine_input,
    compact,
    prepared_upsert,
    read_outcomes,
    snapshot,
    upsert,
    upsert_outcomes,
)
from bridge.pipeline.merge_report import MergeReport, merge_frames
from bridge.pipeline.partition_bars import chart_of, keys_by_partition, partition_name
from bridge.pipeline.path_groups import Disagreements
from bridge.pipeline.path_text import path_words
from bridge.pipeline.paths_report import PathsReport, all_paths
from bridge.pipeline.point_run import PointRun, check_sides, has_quarantine, quarantine_of
from bridge.pipeline.row_counts_report import (
    NamedPartitions,
    report_quarantine,
    row_counts_in,
    row_counts_table,
    statistics_of,
    with_partitions,
)
from bridge.pipeline.run import choice_of, report_choices
from bridge.pipeline.scope import Scope, is_null, percent, share
from bridge.pipeline.scope_report import report_scope
from bridge.pipeline.simulate import (
    evaluated,
    program_of,
    simulate_commits,
    simulate_outcomes,
    snapshots_of,
    upgrade_commits,
    upgrade_outcomes,
)
from bridge.pipeline.simulate_report import SimulateReport, report_simulations, simulate, simulate_upgrade
from bridge.pipeline.snapshot_report import SnapshotReport, check_query, table_snapshot

__all__ = [
    "ARRIVAL",
    "KIND",
    "KINDS",
    "LAST_BATCH",
    "LEFT",
    "RIGHT",
    "Batch",
    "BatchNumber",
    "Batches",
    "BatchesLike",
    "Compactions",
    "Course",
    "Disagreements",
    "Extent",
    "Figures",
    "KeyAnswer",
    "Layout",
    "MergeReport",
    "NamedPartitions",
    "PathCounts",
    "PathsReport",
    "PointRun",
    "Scope",
    "SimulateReport",
    "SmallestFound",
    "SnapshotReport",
    "SqlMerge",
    "Steps",
    "all_paths",
    "append",
    "append_outcomes",
    "appended",
    "arrival_of",
    "as_batches",
    "chart_of",
    "check_numbers",
    "check_query",
    "check_sides",
    "choice_of",
    "combine_input",
    "compact",
    "data_fields",
    "differences",
    "evaluated",
    "extent_of",
    "has_quarantine",
    "incoming_side",
    "is_null",
    "join_rows",
    "keys_by_partition",
    "layout_of",
    "merge_frames",
    "only_upserts",
    "partition_name",
    "path_words",
    "percent",
    "prepared_upsert",
    "program_of",
    "quarantine_of",
    "read_frame",
    "read_outcomes",
    "read_sides",
    "report_choices",
    "report_quarantine",
    "report_scope",
    "report_simulations",
    "row_counts_in",
    "row_counts_table",
    "share",
    "simulate",
    "simulate_commits",
    "simulate_outcomes",
    "simulate_upgrade",
    "snapshot",
    "snapshots_of",
    "some_keys",
    "statistics_of",
    "table_snapshot",
    "upgrade_commits",
    "upgrade_outcomes",
    "upsert",
    "upsert_outcomes",
    "visible",
    "with_partitions",
]
