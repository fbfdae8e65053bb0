"""`payload-bridge plan`: what a move to a release or a merge mode does to a table, how to do it, and how to undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.options import refuse, release
from bridge.cli.table import findings_as_json, properties_of, short, table_options, writer_of
from bridge.cli.verb import Verb
from bridge.config import TableMergeConfig, assumed_writer
from bridge.errors import PlanError
from bridge.migration import MigrationPlan, plan_migration
from bridge.report import Report, Table
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bridge.migration import PropertyChange, Step


@click.command(cls=Verb, short_help="Plan the move of a table to a release or a merge mode.")
@table_options
@click.option("--to", required=True, metavar="R|MODE", help="A release, or a merge mode under the newest release.")
@click.option(
    "--from",
    "from_release",
    type=release,
    metavar="R",
    help="The release that has written the table so far. Default: by its version, 0.15 for 6, 1.0 for 8, 1.1 for 9.",
)
@click.option("--keep-table-version", is_flag=True, help="Write with the new release, but don't upgrade the table.")
def plan(table: Path, to: str, from_release: HudiRelease | None, *, keep_table_version: bool, **options: Any) -> Report:
    """Show the properties before and after, the SQL and options to apply, the undo, and what changes silently.

    TABLE is the folder of a Hudi table, PROPERTIES its hoodie.properties. Nothing is changed. Name the class that the
    writer passes with --payload: tables of Hudi 0.15 may not store it.

    Example: payload-bridge plan warehouse/orders --to 1.2 --payload AWSDmsAvroPayload
    """
    properties = properties_of(table, from_release or HudiRelease.latest())
    old = from_release or assumed_writer(TableMergeConfig.from_properties(properties).version)
    writer = writer_of(release=old, **options)
    try:
        made = plan_migration(properties, to, writer, from_release, keep_table_version=keep_table_version)
    except PlanError as error:
        refuse(error)
    settings = {
        "table": str(table),
        "from": str(made.from_release),
        "to": to,
        "keep_table_version": keep_table_version,
        "writer": writer,
    }
    return _report(made, settings)


def _report(made: MigrationPlan, settings: dict[str, Any]) -> Report:
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
    return [Table(("about", "what happens", "before", "after"), rows, "Changes silently")] if rows else []


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
