"""`payload-bridge compare-readers`: which rows of a table other readers show differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.options import sample_option
from bridge.cli.parameters import derived_option
from bridge.cli.table_class import class_of, table_class_options
from bridge.cli.table_input import (
    bootstrap_option,
    engine_option,
    open_table,
    reader_option,
    strict_option,
    table_argument,
)
from bridge.cli.verb import Verb, wants_json
from bridge.compare import BASE_FILES, HUDI_RS, OTHER_ENGINES, compare_readers, reader_of
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from bridge.report import Report
    from payloads import HudiRelease


def reader(text: str) -> str:
    """Read the name of a reader: a release, `base files`, `hudi-rs` or an engine."""
    try:
        return reader_of(text)
    except PayloadBridgeError as error:
        raise click.BadParameter(str(error)) from error


@click.command("compare-readers", cls=Verb, short_help="Show which rows other readers show differently.")
@table_argument
@reader_option
@derived_option(
    compare_readers,
    "readers",
    "--reader",
    type=reader,
    metavar=f"R|{HUDI_RS}|'{BASE_FILES}'|ENGINE",
    multiple=True,
    note=f"Engines: {', '.join(OTHER_ENGINES)}.",
)
@derived_option(compare_readers, "real")
@bootstrap_option
@engine_option
@strict_option
@sample_option("rows a reader")
@table_class_options
def compare_readers_command(  # noqa: PLR0913 (one parameter an option)
    *,
    table: str,
    release: HudiRelease | None,
    readers: tuple[str, ...],
    real: bool,
    bootstrap: str | None,
    engine: str,
    sample: int | None,
    **options: object,
) -> Report:
    """Read a table as every Hudi release does, at one instant, and count the rows that differ.

    The readers of releases follow the rules recorded from real Hudi; with --real the bundles themselves read the
    table, too. hudi-rs runs if its package is installed. For an engine that you name, the report cites its
    documentation; if the engine ignores log files, its rows are compared. The exit code is 1 if a reader shows
    different rows, or can't read the table.
    """
    opened = open_table(table, release, bootstrap=bootstrap, engine=engine, **class_of(options))
    with compare_readers(opened, readers or None, real=real) as found:
        return found.to_report(sample, whole=wants_json())
