"""What the versions of one key go through: writes, log folds, compactions, upgrades and reads, in plain Python."""

from __future__ import annotations

from bridge.programs.file_group import FileGroup
from bridge.programs.global_index import GlobalAppend, GlobalUpsert
from bridge.programs.handover import (
    Handover,
    NextWriter,
    check_operated,
    check_upgrade,
    handover,
    handovers,
    is_downgrade,
    may_store_twice,
    writer_of,
)
from bridge.programs.inline_compaction import inline_warnings
from bridge.programs.key_timeline import LOG_ALONE, KeyTimeline
from bridge.programs.listeners import TableTrace
from bridge.programs.merge_checks import check_statement, operation_warnings
from bridge.programs.operations import Append, CombineInput, Compact, Snapshot, Upsert
from bridge.programs.path_programs import AllPaths, SmallestHistory
from bridge.programs.path_search import Change, PathEnding, PathKind, check_plan, key_paths, smallest_history
from bridge.programs.path_walk import FEW, STATES, Path, as_given
from bridge.programs.program import Arrival, Emit, Origin, Program
from bridge.programs.second_write import RefusedBatch, check_writes, refused_batch
from bridge.programs.small_file_table import MEASURED_EVERY, MOST_BYTES, TOO_LARGE, SmallFileTable
from bridge.programs.small_files import inserts_into_files, small_file_candidates
from bridge.programs.specs import PROGRAMS, EngineName, Extra, ProgramSpec
from bridge.programs.sql_merge import ClauseAction, MergeClause, MergeStatement
from bridge.programs.standard_paths import StandardPath, standard_paths
from bridge.programs.table import Table
from bridge.programs.write_operation import UPSERTS, Operations, WriteOperation, check_operations, unrecorded

__all__ = [
    "FEW",
    "LOG_ALONE",
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
    "ClauseAction",
    "CombineInput",
    "Compact",
    "Emit",
    "EngineName",
    "Extra",
    "FileGroup",
    "GlobalAppend",
    "GlobalUpsert",
    "Handover",
    "KeyTimeline",
    "MergeClause",
    "MergeStatement",
    "NextWriter",
    "Operations",
    "Origin",
    "Path",
    "PathEnding",
    "PathKind",
    "Program",
    "ProgramSpec",
    "RefusedBatch",
    "SmallFileTable",
    "SmallestHistory",
    "Snapshot",
    "StandardPath",
    "Table",
    "TableTrace",
    "Upsert",
    "WriteOperation",
    "as_given",
    "check_operated",
    "check_operations",
    "check_plan",
    "check_statement",
    "check_upgrade",
    "check_writes",
    "handover",
    "handovers",
    "inline_warnings",
    "inserts_into_files",
    "is_downgrade",
    "key_paths",
    "may_store_twice",
    "operation_warnings",
    "refused_batch",
    "small_file_candidates",
    "smallest_history",
    "standard_paths",
    "unrecorded",
    "writer_of",
]
