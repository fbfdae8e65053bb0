"""`payload-bridge plan`: what a move to a release or a merge mode does to a table, how to do it, and how to undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.options import refuse, release
from bridge.cli.table import properties_of, table_options, writer_of
from bridge.cli.verb import Verb
from bridge.config import TableMergeConfig, assumed_writer
from bridge.errors import PlanError
from bridge.migration import plan_migration, report_plan
from payloads import HudiRelease

if TYPE_CHECKING:
    from pathlib import Path

    from bridge.report import Report


@click.command(cls=Verb, short_help="Plan the move of a table to a release or a merge mode.")
@table_options
@click.option("--to", required=True, metavar="R|MODE", help="A release, or a merge mode under the newest release.")
@click.option(
    "--from",
    "from_release",
    type=release,
    metavar="R",
    help="The release that has written the table so far. Default: by its version, 0.13 for 5, 0.15 for 6, 1.0 for 8, "
    "1.1 for 9.",
)
@click.option("--keep-table-version", is_flag=True, help="Write with the new release, but don't upgrade the table.")
def plan(table: Path, to: str, from_release: HudiRelease | None, *, keep_table_version: bool, **options: Any) -> Report:
    """Show the properties before and after, the SQL and options to apply, the undo, and what changes silently.

    TABLE is the folder of a Hudi table, PROPERTIES its hoodie.properties. Nothing is changed. Name the class that the
    writer passes with --payload: tables of Hudi 0.15 may not store it.
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
    return report_plan(made, settings)
