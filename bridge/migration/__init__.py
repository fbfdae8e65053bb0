"""From a payload to a merger: inspection, plan, silent changes, candidates on trial, generated mergers."""

from __future__ import annotations

from bridge.migration.candidates import candidates_for
from bridge.migration.damage import MOST_SLICES, Damage, TableDamage, find_damage
from bridge.migration.decision import check_twin, migrate, of_upgrade
from bridge.migration.findings import Finding, Severity
from bridge.migration.fleet import FleetReport, FleetTable, inspect_catalog, inspect_tables
from bridge.migration.inspect_report import Inspection, report_inspection
from bridge.migration.inspection import inspect
from bridge.migration.plan import plan_migration
from bridge.migration.plan_report import MigrationPlan, report_plan
from bridge.migration.report import MigrateReport, files_of
from bridge.migration.steps import PropertyChange, Step
from bridge.migration.trials import Trial

__all__ = [
    "MOST_SLICES",
    "Damage",
    "Finding",
    "FleetReport",
    "FleetTable",
    "Inspection",
    "MigrateReport",
    "MigrationPlan",
    "PropertyChange",
    "Severity",
    "Step",
    "TableDamage",
    "Trial",
    "candidates_for",
    "check_twin",
    "files_of",
    "find_damage",
    "inspect",
    "inspect_catalog",
    "inspect_tables",
    "migrate",
    "of_upgrade",
    "plan_migration",
    "report_inspection",
    "report_plan",
]
