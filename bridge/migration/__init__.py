"""From a payload to a merger: inspection, plan, silent changes, candidates on trial, generated mergers."""

from __future__ import annotations

from bridge.migration.applied import AppliedPlan, apply_to_copy, checksum_of
from bridge.migration.class_rules import ClassRules, rules_of
from bridge.migration.damage import MOST_SLICES, Damage, TableDamage
from bridge.migration.damage_search import find_damage
from bridge.migration.decision import migrate
from bridge.migration.findings import Finding
from bridge.migration.fleet import FleetReport, FleetTable, inspect_catalog, inspect_tables
from bridge.migration.inspect_report import Inspection, report_inspection
from bridge.migration.inspect_table import inspect
from bridge.migration.part_copy import TablePart, part_of
from bridge.migration.plan_report import MigrationPlan, report_plan
from bridge.migration.plan_table import plan_migration
from bridge.migration.rehearsal import check_upgrade_to, judge, rehearse, steps_of
from bridge.migration.rehearsal_predictions import Next, Predictions, next_of
from bridge.migration.rehearsal_report import RehearsalOutcome, RehearsalReport, RehearsedStep
from bridge.migration.rehearsal_steps import take_steps
from bridge.migration.report import MigrateReport, files_of
from bridge.migration.request import TrialSettings, migrate_request, tried_types
from bridge.migration.script import migration_script
from bridge.migration.statement import statement_of
from bridge.migration.steps import PropertyChange, Step
from bridge.migration.table_copy import CopiedTable, check_copy, copy_table
from bridge.migration.table_source import has_files, stored_in
from bridge.migration.trials import Trial

__all__ = [
    "MOST_SLICES",
    "AppliedPlan",
    "ClassRules",
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
    "RehearsalOutcome",
    "RehearsalReport",
    "RehearsedStep",
    "Step",
    "TableDamage",
    "TablePart",
    "Trial",
    "TrialSettings",
    "apply_to_copy",
    "check_copy",
    "check_upgrade_to",
    "checksum_of",
    "copy_table",
    "files_of",
    "find_damage",
    "has_files",
    "inspect",
    "inspect_catalog",
    "inspect_tables",
    "judge",
    "migrate",
    "migrate_request",
    "migration_script",
    "next_of",
    "part_of",
    "plan_migration",
    "rehearse",
    "report_inspection",
    "report_plan",
    "rules_of",
    "statement_of",
    "steps_of",
    "stored_in",
    "take_steps",
    "tried_types",
]
