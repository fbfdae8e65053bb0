"""`payload-bridge inspect`: the merge settings in effect for a table, where each comes from, and which are risky."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.java_options import jar_option
from bridge.cli.job_config import job_of, job_table
from bridge.cli.on_error import call_timeout_option
from bridge.cli.options import release_option
from bridge.cli.quiet import quiet_session
from bridge.cli.session import bare_session_options, is_of_spark
from bridge.cli.table import optional_table, properties_of, writer_of
from bridge.cli.table_input import bootstrap_option, located, slices_option
from bridge.cli.verb import Verb
from bridge.migration import find_damage, inspect_catalog, inspect_tables, report_inspection
from bridge.migration import inspect as inspect_table
from bridge.spark import is_local, local_path
from payloads import HudiRelease

if TYPE_CHECKING:
    from bridge.report import Report


@click.command(cls=Verb, short_help="Show the merge settings in effect for a table, and which are risky.")
@optional_table
@click.option("--root", metavar="PATH", help="Inspect every table below this folder: what a move to --release changes.")
@click.option("--catalog", metavar="DB", help="Inspect every table of a database of Spark's catalogue, likewise.")
@click.option("--rows", is_flag=True, help="With --root or --catalog: read each table, and count the rows that differ.")
@slices_option("in search of damage")
@release_option(default=HudiRelease.latest().value, show_default=True)
@jar_option("A jar with compiled payload classes, or with classes that they need; may be repeated.")
@click.option(
    "--package",
    multiple=True,
    metavar="COORDINATE",
    help="Maven coordinates of compiled payload classes, or of what Spark needs to reach a storage; may be repeated.",
)
@call_timeout_option
@bootstrap_option
@bare_session_options
def inspect(  # noqa: PLR0913 (one parameter an option)
    *,
    table: str | None,
    root: str | None,
    catalog: str | None,
    rows: bool,
    slices: int | None,
    release: HudiRelease,
    jars: tuple[str, ...],
    package: tuple[str, ...],
    **options: Any,
) -> Report:
    """Show the effective merge configuration of a table, the source of each setting, and damage in the table.

    TABLE is the folder of a Hudi table or its name in the catalogue, PROPERTIES its hoodie.properties, or a properties
    file with the TBLPROPERTIES of a table that does not exist yet. Name the class that the writer passes with
    --payload: tables of Hudi 0.15 may not store it. Warnings go to standard error, the most severe first; those about
    rows have a count and the smallest example: rows that other releases show differently, deletes that are shown as
    live rows, ordering values that are null or of another type, planned work, instants that never completed.

    With --root or --catalog: a line for each table, with what the move to --release changes and the next command,
    graded by the known changes of its class, or with --rows by the rows that differ. A table that can't be inspected
    is a line, too.
    """
    if sum(one is not None for one in (table, root, catalog)) != 1:
        msg = "name a TABLE, or all tables below a folder with --root, or of a database with --catalog"
        raise click.UsageError(msg, click.get_current_context())
    if rows and table is not None:
        msg = "--rows is about the tables of --root and --catalog; the rows of a TABLE are read anyway"
        raise click.UsageError(msg, click.get_current_context())
    writer = writer_of(release=release, **options)
    session = quiet_session if rows else None
    if catalog is not None:
        return inspect_catalog(quiet_session(), catalog, release, writer, rows=rows).to_report()
    if root is not None:
        return inspect_tables(located(root), release, writer, session).to_report()
    path = located(str(table))
    classes = tuple(one for one in package if not is_of_spark(one))
    inspection = inspect_table(properties_of(path, release), writer, release, jar=jars, package=classes)
    if not (is_local(path) and local_path(path).is_file()):
        session = quiet_session if slices != 0 else None
        given = {name: options[name] for name in ("payload", "bootstrap", "call_timeout")}
        damage = find_damage(path, session, most=slices, **given)
        inspection = inspection.with_damage(damage)
    report = report_inspection(inspection, {"table": str(table), "release": str(release), "writer": writer})
    if options["config"] is not None:
        job = job_of(options["config"], release)
        report.results[0]["config"] = [one._asdict() for one in job.settings]
        report.body.append(job_table(options["config"], job))
    return report
