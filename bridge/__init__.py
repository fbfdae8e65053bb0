"""Running payloads and mergers on tables, with PySpark."""

from __future__ import annotations

from bridge.config import TableMergeConfig
from bridge.errors import InputError, JavaNotFoundError, MergeFailedError, PlanError
from bridge.merge_point import MergePoint
from bridge.migration_plan import plan_migration
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

__all__ = [
    "InputError",
    "JavaNotFoundError",
    "MergeFailedError",
    "MergePlan",
    "MergePoint",
    "PlanError",
    "TableMergeConfig",
    "TableType",
    "append",
    "combine_input",
    "compact",
    "local_session",
    "plan_migration",
    "simulate",
    "simulate_commits",
    "simulate_upgrade",
    "snapshot",
    "upsert",
]
