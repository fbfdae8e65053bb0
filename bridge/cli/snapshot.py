"""`payload-bridge snapshot`: the merged rows of a real table, printed or as Parquet for readers without its payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.hudi_out import hudi_out_of, hudi_out_options, written_output
from bridge.cli.needs import refuse_given
from bridge.cli.on_error import on_error_option
from bridge.cli.options import sample_option
from bridge.cli.out import out_options, target_of
from bridge.cli.parameters import derived_option, refuse
from bridge.cli.quiet import quiet_session
from bridge.cli.table_class import class_of, refuse_class, table_class_options
from bridge.cli.table_input import (
    bootstrap_option,
    check_files,
    engine_option,
    located,
    reader_option,
    strict_option,
    table_argument,
)
from bridge.cli.verb import Verb, wants_json
from bridge.config import keys
from bridge.hudi import ON_FRAMES, HudiTable
from bridge.pipeline import check_query, table_snapshot
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from bridge.report import Report
    from payloads import HudiRelease


@click.command(cls=Verb, short_help="Read the merged rows of a real table.")
@table_argument
@reader_option
@derived_option(table_snapshot, "as_of", metavar="INSTANT")
@derived_option(table_snapshot, "read_optimized")
@derived_option(table_snapshot, "columns")
@derived_option(table_snapshot, "where", metavar="CONDITION")
@bootstrap_option
@engine_option
@strict_option
@on_error_option
@out_options
@hudi_out_options
@sample_option("rows")
@table_class_options
def snapshot(table: str, release: HudiRelease | None, out: str | None, sample: int | None, **query: Any) -> Report:
    """Read a Hudi table in place, merged by its own payload class or merge mode.

    TABLE is a base path, local or a URI, or a name in the catalogue. The rows are those that the reader of --release
    shows, with meta columns; Hudi is not needed. Engines that can't run the payload read them from --out; with
    --on-error quarantine there are two folders below it, rows and quarantine. --out-table-format hudi makes --out a new
    table of these rows instead, with the key, partition columns and folders, and type of TABLE.
    """
    path = located(table)
    try:
        by_engine = query["engine"] in ON_FRAMES
        check_query(query["as_of"], query["on_error"], read_optimized=query["read_optimized"], by_engine=by_engine)
    except PayloadBridgeError as error:
        refuse(error)
    if query["read_optimized"] and query["out_table_format"] is None:
        refuse_class(query, "is for a class that merges, and --read-optimized merges nothing; leave it out")
    target = target_of(out, query)
    if target is not None:
        refuse_given(["sample"], "is for rows that are printed, and --out writes all; leave it out")
    as_table = hudi_out_of(target, query)

    merged = {"engine": query["engine"], **class_of(query)}
    opened = check_files(HudiTable(quiet_session(), path, release, bootstrap=query["bootstrap"], **merged))
    asked = {name: query[name] for name in ("as_of", "read_optimized", "columns", "where", "on_error")}
    with table_snapshot(opened, **asked) as found:
        if target is None:
            return found.to_report(sample, whole=wants_json())
        layout = {name: text for name, text in opened.properties.items() if name in keys.LAYOUT}
        shape = None if as_table is None else opened.plan(props=layout)
        with written_output(quiet_session(), target, shape, as_table) as run:
            written = found.write(run, target.path)
        return written.to_report()
