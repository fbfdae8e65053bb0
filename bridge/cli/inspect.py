"""`payload-bridge inspect`: the merge settings in effect for a table, where each comes from, and which are risky."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from bridge.cli.java_options import STORAGE, built_reference, compiled_of
from bridge.cli.job_config import job_of, job_table
from bridge.cli.needs import refuse_foreign, refuse_given
from bridge.cli.on_error import call_timeout_option
from bridge.cli.options import RELEASES
from bridge.cli.parameters import derived_option
from bridge.cli.quiet import quiet_session
from bridge.cli.session import bare_session_options
from bridge.cli.table import optional_table, writer_of
from bridge.cli.table_input import bootstrap_option, located
from bridge.cli.terminal import terminal_option
from bridge.cli.verb import Verb
from bridge.migration import has_files, inspect_catalog, inspect_tables, report_inspection
from bridge.migration import inspect as inspect_table
from bridge.report import REPORTS, STRICT, Severity
from bridge.spark import is_local

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from bridge.cli.decorators import Options
    from bridge.report import Report
    from payloads import HudiRelease


@click.command(cls=Verb, short_help="Show the merge settings in effect for a table, and which are risky.")
@optional_table
@derived_option(inspect_tables, "root", metavar="PATH")
@derived_option(inspect_catalog, "database", "--database", "--catalog")
@derived_option(inspect_tables, "rows", note="For --root and --database.")
@derived_option(inspect_table, "slices")
@derived_option(inspect_table, "release", note=RELEASES)
@derived_option(inspect_table, "jar")
@derived_option(inspect_table, "package", note=STORAGE)
@call_timeout_option
@bootstrap_option
@derived_option(inspect_table, "from_release", "--from")
@terminal_option(
    "--fail-on",
    type=click.Choice([Severity.CHANGED.value, Severity.DAMAGED.value]),
    help="changed: exit with 1 if rows change or are damaged, or a write is refused; damaged: only if rows are "
    "damaged. Exit with 3 if not everything was checked. Default: exit with 0.",
)
@bare_session_options
def inspect(  # noqa: PLR0913 (one parameter an option)
    *,
    table: str | None,
    root: str | None,
    database: str | None,
    rows: bool,
    slices: int | None,
    release: HudiRelease,
    jar: tuple[str, ...],
    package: tuple[str, ...],
    from_release: HudiRelease | None,
    fail_on: str | None,
    **options: Any,
) -> Report:
    """Show the effective merge configuration of a table, the source of each setting, and damage in the table.

    TABLE is the folder of a Hudi table or its name in the catalogue, PROPERTIES its hoodie.properties, or a properties
    file with the TBLPROPERTIES of a table that does not exist yet. Name the class that the writer passes with
    --payload: tables of Hudi 0.15 may not store it. Warnings go to standard error, the most severe first; those about
    rows have a count and the smallest example: rows that other releases show differently, deletes that are shown as
    live rows, ordering values that are null or of another type, planned work, instants that never completed.

    With --root or --database: a line for each table, with what the move to --release changes and the next command,
    graded by the known changes of its class, and with --rows also by the rows that differ and by damage. Tables that
    can't be inspected are listed, too. A folder without tables is an error.
    """
    if sum(one is not None for one in (table, root, database)) != 1:
        msg = "name a TABLE, a folder of tables (--root) or a database (--database)"
        raise click.UsageError(msg, click.get_current_context())
    compiled = compiled_of({"jar": jar, "package": package})
    if table is not None:
        why = "is for --root and --database; the rows of a TABLE are always read"
        refuse_foreign(why, inspect_table, writer_of)
    else:
        why = "is for one TABLE; each of --root and --database is inspected by what it stores itself"
        refuse_foreign(why, inspect_tables, inspect_catalog, writer_of, taken=("package",))
        if compiled["package"]:
            refuse_given(["package"], "is for the compiled classes of one TABLE; leave it out")
    writer = writer_of(release=release, **options)
    if database is not None:
        report = inspect_catalog(quiet_session(), database, release, writer, rows=rows).to_report()
    elif root is not None:
        report = inspect_tables(located(root), release, writer, rows=rows, session=quiet_session).to_report()
    else:
        report = _of_table(str(table), release, from_release, writer, slices, compiled, options)
    report.fails = _FAIL_ON[fail_on]
    return report


_FAIL_ON: Final[Mapping[str | None, AbstractSet[Severity]]] = {
    None: REPORTS,
    Severity.CHANGED.value: STRICT,
    Severity.DAMAGED.value: {Severity.DAMAGED, Severity.NOT_CHECKED},
}
"""What the verb fails on by `--fail-on`: what was not looked at is never taken for unchanged, or sound."""


def _of_table(  # noqa: PLR0913, PLR0917 (what the verb was given)
    table: str,
    release: HudiRelease,
    from_release: HudiRelease | None,
    writer: Mapping[str, str],
    slices: int | None,
    compiled: Options,
    options: Options,
) -> Report:
    path = located(table)
    if not is_local(path):
        quiet_session()  # its settings have the credentials
    inspection = inspect_table(
        path,
        writer,
        release,
        from_release=from_release,
        jar=compiled["jar"],
        package=compiled["package"],
        payload=built_reference(options["payload"], compiled) if options["payload"] and has_files(path) else None,
        slices=slices,
        bootstrap=options["bootstrap"],
        call_timeout=options["call_timeout"],
        session=quiet_session,
    )
    report = report_inspection(inspection, {"table": table, "release": str(release), "writer": writer})
    if options["config"] is not None:
        job = job_of(options["config"], release)
        report.results[0]["config"] = [one._asdict() for one in job.settings]
        report.body.append(job_table(options["config"], job))
    return report
