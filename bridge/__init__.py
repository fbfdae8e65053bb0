"""Running payloads and mergers on tables, with PySpark."""

from __future__ import annotations

from bridge.compare import Sides, replay
from bridge.config import TableMergeConfig
from bridge.errors import InputError, JavaNotFoundError, MergeFailedError, PlanError
from bridge.explain import explain
from bridge.merge import MergePoint
from bridge.migration import Evidence, migrate, plan_migration
from bridge.pipeline import (
    all_paths,
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
from bridge.programs import key_paths, smallest_history
from bridge.spark import local_session

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
