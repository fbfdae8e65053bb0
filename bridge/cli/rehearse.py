"""`payload-bridge rehearse`: the real upgrade of a copy of a table, next to what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.options import release, release_option, sample_option
from bridge.cli.session import session_options
from bridge.cli.table_input import located, open_table, table_argument
from bridge.cli.verb import Verb, wants_json, wants_page
from bridge.cli.writing import OVERWRITE, asks_for
from bridge.errors import InputError
from bridge.migration import check_copy, rehearse, report_rehearsal
from bridge.report import PAGE_KEYS

if TYPE_CHECKING:
    from bridge.report import Report
    from payloads import HudiRelease


@click.command("rehearse", cls=Verb, short_help="Upgrade a copy of a table with Hudi itself, and compare.")
@table_argument
@click.option("--to", type=release, required=True, metavar="R", help="The release that upgrades: 1.1 or later.")
@click.option(
    "--copy",
    required=True,
    metavar="PATH",
    help="The folder on this machine that gets the copy, and keeps it, upgraded.",
)
@release_option(default=None, show_default="the release that counts as the table's writer")
@sample_option("rows")
@session_options
def rehearse_command(
    *, table: str, to: HudiRelease, copy: str, release: HudiRelease | None, sample: int | None
) -> Report:
    """Copy a table, let the released bundle of Hudi upgrade the copy, and compare its rows with those predicted.

    The bundle comes from Maven Central and runs in a process of its own; TABLE itself, a local path, is only read.
    Stop its writers first: a table that is written while it is copied is refused. The exit code is 0 for AS PREDICTED,
    however many rows the upgrade changes, and 1 for NOT AS PREDICTED and REFUSED BY HUDI.
    """
    overwrite = asks_for(OVERWRITE)
    try:
        check_copy(located(table), copy, overwrite=overwrite)
    except InputError as error:
        raise click.UsageError(str(error), click.get_current_context()) from error
    with rehearse(open_table(table, release), to, copy, overwrite=overwrite) as found:
        report = report_rehearsal(found, sample, whole=wants_json())
        if wants_page():
            report.view = found.to_view(PAGE_KEYS if sample is None else sample)
        return report
