"""`payload-bridge plan`: what a move to a release or a merge mode does to a table, how to do it, and how to undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.java_options import built_reference
from bridge.cli.on_error import call_timeout_option
from bridge.cli.parameters import derived_option, refused
from bridge.cli.quiet import quiet_session
from bridge.cli.session import session_options
from bridge.cli.table import properties_of, table_options, writer_of
from bridge.cli.table_input import bootstrap_option, located
from bridge.cli.verb import Verb
from bridge.config import TableMergeConfig, assumed_writer_of
from bridge.errors import PlanError
from bridge.migration import has_files, plan_migration, report_plan
from payloads import HudiRelease

if TYPE_CHECKING:
    from bridge.report import Report


@click.command(cls=Verb, short_help="Plan the move of a table to a release or a merge mode.")
@table_options
@derived_option(plan_migration, "to", required=True, note="A merge mode is set under the newest release.")
@derived_option(plan_migration, "from_release", "--from")
@derived_option(plan_migration, "keep_table_version")
@derived_option(plan_migration, "jar")
@derived_option(plan_migration, "slices")
@call_timeout_option
@bootstrap_option
@session_options
def plan(  # noqa: PLR0913 (one parameter an option)
    table: str,
    to: str,
    from_release: HudiRelease | None,
    *,
    slices: int | None,
    jar: tuple[str, ...],
    keep_table_version: bool,
    **options: Any,
) -> Report:
    """Show the properties before and after, the SQL and options to apply, the undo, and what changes silently.

    TABLE is the folder of a Hudi table or its name in the catalogue, PROPERTIES its hoodie.properties. Nothing is
    changed. Name the class that the writer passes with --payload: tables of Hudi 0.15 may not store it. The rows of a
    TABLE are read, to count those that the new release shows differently, and the keys with versions in logs that a
    change affects.
    """
    path = located(table)
    stored = properties_of(path, from_release or HudiRelease.latest())
    old = from_release or assumed_writer_of(TableMergeConfig.from_properties(stored))
    writer = writer_of(release=old, **options)
    with refused(PlanError):
        made = plan_migration(
            path,
            to,
            writer,
            from_release,
            keep_table_version=keep_table_version,
            jar=jar,
            payload=built_reference(options["payload"], {"jar": jar})
            if options["payload"] and has_files(path)
            else None,
            slices=slices,
            bootstrap=options["bootstrap"],
            call_timeout=options["call_timeout"],
            session=quiet_session,
        )
    settings = {
        "table": table,
        "from": str(made.from_release),
        "to": to,
        "keep_table_version": keep_table_version,
        "writer": writer,
    }
    return report_plan(made, settings)
