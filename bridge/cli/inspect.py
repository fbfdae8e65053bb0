"""`payload-bridge inspect`: the merge settings in effect for a table, where each comes from, and which are risky."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.job_config import job_of, job_table
from bridge.cli.options import release_option
from bridge.cli.table import optional_table, properties_of, writer_of
from bridge.cli.table_input import check_path
from bridge.cli.verb import Verb
from bridge.migration import inspect as inspect_table
from bridge.migration import inspect_tables, report_inspection
from payloads import HudiRelease

if TYPE_CHECKING:
    from pathlib import Path

    from bridge.report import Report


@click.command(cls=Verb, short_help="Show the merge settings in effect for a table, and which are risky.")
@optional_table
@click.option("--root", metavar="PATH", help="Inspect every table below this folder: what a move to --release changes.")
@release_option(default=HudiRelease.latest().value, show_default=True)
@click.option("--jar", metavar="FILE", help="A jar with compiled payload classes.")
@click.option("--package", multiple=True, metavar="COORDINATE", help="Maven coordinates of compiled payload classes.")
def inspect(
    *,
    table: Path | None,
    root: str | None,
    release: HudiRelease,
    jar: str | None,
    package: tuple[str, ...],
    **options: Any,
) -> Report:
    """Show the effective merge configuration of a table, and the source of each setting.

    TABLE is the folder of a Hudi table, PROPERTIES its hoodie.properties, or a properties file with the TBLPROPERTIES
    of a table that does not exist yet. Name the class that the writer passes with --payload: tables of Hudi 0.15 may
    not store it. Warnings go to standard error, the most severe first.

    With --root: a line for each table below a folder, with what the move to --release changes and the next command. A
    table that can't be inspected is a line, too.
    """
    if (table is None) == (root is None):
        msg = "name a TABLE, or all tables below a folder with --root"
        raise click.UsageError(msg, click.get_current_context())
    writer = writer_of(release=release, **options)
    if table is None:
        check_path(str(root))
        return inspect_tables(str(root), release, writer).to_report()
    inspection = inspect_table(properties_of(table, release), writer, release, jar=jar, package=package)
    report = report_inspection(inspection, {"table": str(table), "release": str(release), "writer": writer})
    if options["config"] is not None:
        job = job_of(options["config"], release)
        report.results[0]["config"] = [one._asdict() for one in job.settings]
        report.body.append(job_table(options["config"], job))
    return report
