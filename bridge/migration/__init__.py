"""From a payload to a merger: inspection, plan, silent changes, candidates on trial, generated mergers."""

from __future__ import annotations

from bridge.migration.applied import AppliedPlan, apply_to_copy, checksum_of
from bridge.migration.candidates import candidates_for
from bridge.migration.damage import MOST_SLICES, Damage, TableDamage
from bridge.migration.damage_search import find_damage
from bridge.migration.decision import check_twin, migrate, of_upgrade
from bridge.migration.findings import Finding, Severity
from bridge.migration.fleet import FleetReport, FleetTable, inspect_catalog, inspect_tables
from bridge.migration.inspect_report import Inspection, report_inspection
from bridge.migration.inspection import inspect
from bridge.migration.part_copy import TablePart, part_of
from bridge.migration.plan import plan_migration
from bridge.migration.plan_report import MigrationPlan, report_plan
from bridge.migration.rehearsal import check_upgrade_to, judge, rehearse, steps_of
from bridge.migration.rehearsal_predictions import Next, Predictions, next_of
from bridge.migration.rehearsal_report import RehearsalReport, RehearsalVerdict, RehearsedStep, report_rehearsal
from bridge.migration.rehearsal_steps import take_steps
from bridge.migration.report import MigrateReport, files_of
from bridge.migration.script import migration_script
from bridge.migration.steps import PropertyChange, Step
from bridge.migration.table_copy import CopiedTable, check_copy, copy_table
from bridge.migration.trials import Trial

__all__ = [
    "MOST_SLICES",
    "AppliedPlan",
    "CopiedTable",
    "Damage",
    "Finding",
    "FleetReport",
    "FleetTable",
    "Inspection",
    "MigrateReport",
    "MigrationPlan",
    "Next",
    "Predictions",
    "PropertyChange",
    "RehearsalReport",
    "RehearsalVerdict",
    "RehearsedStep",
    "Severity",
    "Step",
    "TableDamage",
    "TablePart",
    "Trial",
    "apply_to_copy",
    "candidates_for",
    "check_copy",
    "check_twin",
    "check_upgrade_to",
    "checksum_of",
    "copy_table",
    "files_of",
    "find_damage",
    "inspect",
    "inspect_catalog",
    "inspect_tables",
    "judge",
    "migrate",
    "migration_script",
    "next_of",
    "of_upgrade",
    "part_of",
    "plan_migration",
    "rehearse",
    "report_inspection",
    "report_plan",
    "report_rehearsal",
    "steps_of",
    "take_steps",
]
