"""The report of `plan`: properties before and after, what to do and how to undo it, what changes silently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.migration.findings import findings_as_json, short
from bridge.report import Report, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bridge.migration.plan import MigrationPlan
    from bridge.migration.steps import PropertyChange, Step


def report_plan(made: MigrationPlan, settings: dict[str, Any]) -> Report:
    """Report the plan of a move; `settings` are those that the user gave."""
    damage = sum(change.is_damage for change in made.behaviours)
    verdict = (
        f"Table version {made.from_version} to {made.to_version}: {len(made.changes)} properties and "
        f"{len(made.behaviours)} behaviours change" + (f", {damage} of them with damage." if damage else ".")
    )
    return Report(
        "plan",
        verdict,
        plan=settings,
        statistics={"properties": len(made.changes), "behaviours": len(made.behaviours), "damage": damage},
        results=[plan_result(made)],
        warnings=[str(warning) for warning in made.warnings],
        body=[*silent_changes(made), *steps_body(made)],
    )


def plan_result(made: MigrationPlan) -> dict[str, Any]:
    """Return a plan in JSON values."""
    return {
        "before": dict(made.before),
        "after": dict(made.after),
        "apply": [_step_as_json(step) for step in made.apply],
        "undo": [_step_as_json(step) for step in made.undo],
        "not_undone": [change._asdict() for change in made.not_undone],
        "behaviours": [change._asdict() | {"about": change.about.value} for change in made.behaviours],
        "warnings": findings_as_json(made.warnings),
    }


def _step_as_json(step: Step) -> dict[str, Any]:
    return step._asdict() | {"options": dict(step.options), "drop": list(step.drop), "cli": list(step.cli)}


def silent_changes(made: MigrationPlan) -> list[str | Table]:
    """Return what changes without an error, as text."""
    rows = [
        (
            "DAMAGE" if change.is_damage else change.about.value,
            change.case or "in general",
            change.before,
            change.after,
        )
        for change in made.behaviours
    ]
    return [Table(("about", "what happens", *made.names), rows, "Changes silently")] if rows else []


def steps_body(made: MigrationPlan) -> list[str | Table]:
    """Return the properties before and after, what to do and how to undo it, as text."""
    body: list[str | Table] = []
    if made.changes:
        body.append(Table(("property", "before", "after"), _changes(made.changes), "Table properties"))
    body += ["To apply:", *map(step_text, made.apply)]
    if made.undo:
        body += ["To undo:", *map(step_text, made.undo)]
    if made.not_undone:
        body.append(Table(("property", "before", "after the undo"), _changes(made.not_undone), "Not undone"))
    return body


def _changes(changes: Iterable[PropertyChange]) -> list[tuple[str, str, str]]:
    return [(change.key, short(change.before or "not set"), short(change.after or "not set")) for change in changes]


def step_text(step: Step) -> str:
    """Write a step as its sentence and its details, line by line."""
    lines = [f"- {step.what}"]
    if step.sql:
        lines.append(f"    {step.sql}")
    lines += [f"    {key}={text}" for key, text in step.options.items()]
    lines += [f"    without {key}" for key in step.drop]
    lines += [f"    hudi-cli: {command}" for command in step.cli]
    lines += [f"    <file>: {line}" for line in step.file.splitlines()]
    return "\n".join(lines)
