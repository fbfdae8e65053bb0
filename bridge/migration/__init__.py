"""From a payload to a merger: inspection, plan, silent changes, candidates on trial, generated mergers."""

from __future__ import annotations

from bridge.migration.candidates import candidates_for
from bridge.migration.decision import Migration, check_twin, migrate, of_upgrade
from bridge.migration.inspection import Finding, Inspection, Severity, inspect
from bridge.migration.plan import MigrationPlan, plan_migration
from bridge.migration.steps import PropertyChange, Step
from bridge.migration.trials import Evidence, Trial

__all__ = [
    "Evidence",
    "Finding",
    "Inspection",
    "Migration",
    "MigrationPlan",
    "PropertyChange",
    "Severity",
    "Step",
    "Trial",
    "candidates_for",
    "check_twin",
    "inspect",
    "migrate",
    "of_upgrade",
    "plan_migration",
]
