"""`payload-bridge plan`: what a move to a release or a merge mode does to a table, how to do it, and how to undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.completion import releases_from, targets_from
from bridge.cli.java_options import jar_option
from bridge.cli.on_error import call_timeout_option
from bridge.cli.options import refuse, release
from bridge.cli.quiet import quiet_session
from bridge.cli.session import session_options
from bridge.cli.table import properties_of, table_options, writer_of
from bridge.cli.table_input import bootstrap_option, located, slices_option
from bridge.cli.verb import Verb
from bridge.config import TableMergeConfig, assumed_writer
from bridge.errors import PlanError
from bridge.migration import find_damage, plan_migration, report_plan
from bridge.spark import is_local, local_path
from payloads import HudiRelease

if TYPE_CHECKING:
    from bridge.report import Report


@click.command(cls=Verb, short_help="Plan the move of a table to a release or a merge mode.")
@table_options
@click.option(
    "--to",
    required=True,
    metavar="R|MODE",
    help="A release, or a merge mode under the newest release.",
    shell_complete=targets_from,
)
@click.option(
    "--from",
    "from_release",
    type=release,
    metavar="R",
    shell_complete=releases_from,
    help="The release that has written the table so far. Default: by its version, 0.13 for 5, 0.15 for 6, 1.0 for 8, "
    "1.1 for 9.",
)
@click.option("--keep-table-version", is_flag=True, help="Write with the new release, but don't upgrade the table.")
@jar_option("A jar with the compiled payload class, or with classes that it needs: is held against the new release.")
@slices_option("in search of the keys that the move concerns")
@call_timeout_option
@bootstrap_option
@session_options
def plan(  # noqa: PLR0913 (one parameter an option)
    table: str,
    to: str,
    from_release: HudiRelease | None,
    *,
    slices: int | None,
    jars: tuple[str, ...],
    keep_table_version: bool,
    **options: Any,
) -> Report:
    """Show the properties before and after, the SQL and options to apply, the undo, and what changes silently.

    TABLE is the folder of a Hudi table or its name in the catalogue, PROPERTIES its hoodie.properties. Nothing is
    changed. Name the class that the writer passes with --payload: tables of Hudi 0.15 may not store it. The rows of a
    TABLE are read: how many the new release shows differently, and of how many keys its logs hold versions that a
    change is about.
    """
    path = located(table)
    properties = properties_of(path, from_release or HudiRelease.latest())
    old = from_release or assumed_writer(TableMergeConfig.from_properties(properties).version)
    writer = writer_of(release=old, **options)
    try:
        made = plan_migration(properties, to, writer, from_release, keep_table_version=keep_table_version, jar=jars)
    except PlanError as error:
        refuse(error)
    if not (is_local(path) and local_path(path).is_file()):
        session = quiet_session if slices != 0 else None
        given = {name: options[name] for name in ("payload", "bootstrap", "call_timeout")}
        made = made.with_evidence(find_damage(path, session, most=slices, to=made.to_release, **given))
    settings = {
        "table": table,
        "from": str(made.from_release),
        "to": to,
        "keep_table_version": keep_table_version,
        "writer": writer,
    }
    return report_plan(made, settings)
