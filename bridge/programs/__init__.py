"""What the versions of one key go through: writes, log folds, compactions, upgrades and reads, in plain Python."""

from __future__ import annotations

from bridge.programs.commit_loop import CommitLoop
from bridge.programs.commits import KeyTimeline, Simulate
from bridge.programs.global_index import GlobalAppend, GlobalIndexTable, GlobalUpsert
from bridge.programs.global_operations import GlobalOperationTable
from bridge.programs.handover import (
    Handover,
    Takeover,
    check_operated,
    check_upgrade,
    handover,
    handovers,
    is_downgrade,
)
from bridge.programs.operation_table import KeyRows, OperationTable
from bridge.programs.operation_upgrade import OperationUpgrade
from bridge.programs.operations import Append, CombineInput, Compact, Snapshot, Upsert
from bridge.programs.path_programs import AllPaths, SmallestHistory
from bridge.programs.path_search import Change, PathEnding, PathKind, check_plan, key_paths, smallest_history
from bridge.programs.path_walk import FEW, STATES, Path, as_given
from bridge.programs.program import Arrival, Emit, Origin, Program
from bridge.programs.small_files import (
    MEASURED_EVERY,
    MOST_BYTES,
    TOO_LARGE,
    SmallFileTable,
    inserts_into_files,
    small_file_candidates,
)
from bridge.programs.specs import PROGRAMS, EngineName, Extra, ProgramSpec
from bridge.programs.staged import Stage
from bridge.programs.standard_paths import StandardPath, standard_paths
from bridge.programs.upgrade import Upgrade
from bridge.programs.write_operation import UPSERTS, Operations, WriteOperation, check_operations

__all__ = [
    "FEW",
    "MEASURED_EVERY",
    "MOST_BYTES",
    "PROGRAMS",
    "STATES",
    "TOO_LARGE",
    "UPSERTS",
    "AllPaths",
    "Append",
    "Arrival",
    "Change",
    "CombineInput",
    "CommitLoop",
    "Compact",
    "Emit",
    "EngineName",
    "Extra",
    "GlobalAppend",
    "GlobalIndexTable",
    "GlobalOperationTable",
    "GlobalUpsert",
    "Handover",
    "KeyRows",
    "KeyTimeline",
    "OperationTable",
    "OperationUpgrade",
    "Operations",
    "Origin",
    "Path",
    "PathEnding",
    "PathKind",
    "Program",
    "ProgramSpec",
    "Simulate",
    "SmallFileTable",
    "SmallestHistory",
    "Snapshot",
    "Stage",
    "StandardPath",
    "Takeover",
    "Upgrade",
    "Upsert",
    "WriteOperation",
    "as_given",
    "check_operated",
    "check_operations",
    "check_plan",
    "check_upgrade",
    "handover",
    "handovers",
    "inserts_into_files",
    "is_downgrade",
    "key_paths",
    "small_file_candidates",
    "smallest_history",
    "standard_paths",
]
