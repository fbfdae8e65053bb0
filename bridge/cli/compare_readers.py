"""`payload-bridge compare-readers`: which rows of a table other readers show differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.options import release, release_option, sample_option
from bridge.cli.session import session_options
from bridge.cli.table_input import open_table, table_argument
from bridge.cli.verb import Verb, wants_json
from bridge.compare import BASE_FILES, compare_readers, report_readers
from bridge.report import limit_of

if TYPE_CHECKING:
    from bridge.report import Report
    from payloads import HudiRelease


def reader(text: str) -> str:
    """Read the name of a reader: a release, or `base files`."""
    return BASE_FILES if text == BASE_FILES else str(release(text))


@click.command("compare-readers", cls=Verb, short_help="Show which rows other readers show differently.")
@table_argument
@release_option(default=None, show_default="the release that counts as the table's writer")
@click.option(
    "--reader",
    "readers",
    type=reader,
    metavar=f"R|'{BASE_FILES}'",
    multiple=True,
    help="A release to compare with, or the base files alone; may be repeated. Default: all.",
)
@sample_option("rows a reader")
@session_options
def compare_readers_command(
    *, table: str, release: HudiRelease | None, readers: tuple[str, ...], sample: int | None
) -> Report:
    """Read a table as every Hudi release does, at one instant, and count the rows that differ.

    The readers of releases follow the rules recorded from real Hudi; no bundle is run. Engines that read base files
    alone miss what is in logs. The exit code is 1 if a reader shows other rows.
    """
    with compare_readers(open_table(table, release), readers or None) as found:
        return report_readers(found, limit_of(sample, whole=wants_json()))
