"""Running payloads and mergers on tables, with PySpark."""

from __future__ import annotations

from bridge.comparison import replay
from bridge.config import TableMergeConfig
from bridge.errors import InputError, JavaNotFoundError, MergeFailedError, PlanError
from bridge.merge_point import MergePoint
from bridge.migration.decision import migrate
from bridge.migration.plan import plan_migration
from bridge.migration.trials import Evidence
from bridge.paths.frames import all_paths
from bridge.paths.search import key_paths, smallest_history
from bridge.pipeline import (
    append,
    combine_input,
    compact,
    simulate,
    simulate_commits,
    simulate_upgrade,
    snapshot,
    upsert,
)
from bridge.plan import MergePlan, TableType
from bridge.session import local_session
from bridge.sides import Sides
from bridge.tracing.explanation import explain

__all__ = [
    "Evidence",
    "InputError",
    "JavaNotFoundError",
    "MergeFailedError",
    "MergePlan",
    "MergePoint",
    "PlanError",
    "Sides",
    "TableMergeConfig",
    "TableType",
    "all_paths",
    "append",
    "combine_input",
    "compact",
    "explain",
    "key_paths",
    "local_session",
    "migrate",
    "plan_migration",
    "replay",
    "simulate",
    "simulate_commits",
    "simulate_upgrade",
    "smallest_history",
    "snapshot",
    "upsert",
]
