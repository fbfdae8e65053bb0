"""`payload-bridge snapshot`: the merged rows of a real table, printed or as Parquet for readers without its payload."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click
from pyspark.sql import functions as sf

from bridge.cli.hudi_out import hudi_out_of, hudi_out_options, written_output
from bridge.cli.on_error import call_timeout_option, on_error_option, refuse_quarantine
from bridge.cli.options import payload_option, release_option, sample_option
from bridge.cli.out import Shown, out_options, target_of
from bridge.cli.quiet import quiet_session
from bridge.cli.session import session_options
from bridge.cli.table_input import bootstrap_option, check_files, located, strict_option, table_argument
from bridge.cli.verb import Verb, wants_json
from bridge.config import keys
from bridge.engines import QUARANTINE
from bridge.hudi import HudiTable
from bridge.pipeline import set_aside, sets_aside, tell_quarantine
from bridge.redaction import current
from bridge.report import Report, Table, json_rows, limit_of
from bridge.spark import META_COLUMNS, ObservedFrame, observing, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.cli.hudi_out import Run
    from payloads import HudiRelease

_ORDER = (META_COLUMNS[3], META_COLUMNS[2])


@click.command(cls=Verb, short_help="Read the merged rows of a real table.")
@table_argument
@release_option(default=None, show_default="the release that counts as the table's writer")
@payload_option(help="The class that merges, in place of the table's own; one that Hudi does not ship must be named.")
@click.option("--as-of", metavar="INSTANT", help="The rows as of an instant, by its requested time.")
@click.option("--read-optimized", is_flag=True, help="The rows of base files alone, without logs.")
@click.option("--columns", metavar="NAMES", help="What to show, with commas between; without it, every column.")
@click.option("--where", metavar="CONDITION", help="A condition in Spark SQL, on merged rows.")
@bootstrap_option
@strict_option
@on_error_option
@call_timeout_option
@out_options
@hudi_out_options
@sample_option("rows")
@session_options
def snapshot(table: str, release: HudiRelease | None, out: str | None, sample: int | None, **query: Any) -> Report:
    """Read a Hudi table in place, merged by its own payload class or merge mode.

    TABLE is the table's base path, local or a URI. Hudi itself is not needed: the rows are those that the reader of
    --release shows, with meta columns. Engines that can't run the payload read them from --out; with --on-error
    quarantine there are two folders below it, rows and quarantine. --out-table-format hudi makes --out a new table of
    these rows instead, with the key, partition columns and folders, and type of TABLE.
    """
    as_of, read_optimized = query["as_of"], query["read_optimized"]
    if as_of and read_optimized:
        msg = "--as-of reads merged rows; leave out --read-optimized"
        raise click.UsageError(msg, click.get_current_context())
    path = located(table)
    if read_optimized:
        refuse_quarantine(query, "--read-optimized merges nothing")
    target = target_of(out, query)
    as_table = hudi_out_of(target, query)

    given = {name: query[name] for name in ("payload", "bootstrap", "call_timeout")}
    found = check_files(HudiTable(quiet_session(), path, release, **given))
    named = query["columns"]
    columns = None if named is None else [name.strip() for name in named.split(",") if name.strip()]
    if query["on_error"] == "quarantine":
        frame = found.snapshot_outcomes(as_of, where=query["where"])
    else:
        ask = found.read_optimized if read_optimized else functools.partial(found.snapshot, as_of)
        frame = ask(columns=columns, where=query["where"])
    config = found.config
    settings = {"table": table, "release": str(found.release), "read": config.read.why, "as_of": as_of}
    condition = query["where"] and ("a condition that --redact hides" if current().is_active else query["where"])
    settings |= {"columns": columns, "where": condition}
    report = Report("snapshot", "", plan=settings)
    aside = sf.col(QUARANTINE).isNotNull() if sets_aside(frame) else sf.lit(False)
    counted = ObservedFrame(frame, sf.count_if(~aside).alias("rows"), sf.count_if(aside).alias("quarantined"))
    frame = counted.frame
    layout = {name: text for name, text in found.properties.items() if name in keys.LAYOUT}
    shape = None if as_table is None else found.plan(props=layout)
    with observing(quiet_session()), written_output(quiet_session(), target, shape, as_table) as run:
        if sets_aside(frame):
            _split(run, frame, columns)
        else:
            run.write(frame)
    counts = counted.counts()
    rows, quarantined = int(counts["rows"]), int(counts["quarantined"])
    if isinstance(run, Shown):
        _show(report, run.frames["rows" if sets_aside(frame) else ""], rows, sample)
        if quarantined:
            _show_aside(report, run.frames["quarantine"], quarantined, sample)
    report.statistics = {"rows_out": rows} | ({"quarantined": quarantined} if sets_aside(frame) else {})
    where = "" if target is None else f", written to {target.path}"
    moment = f" as of {as_of}" if as_of else ""
    chosen = f" where {condition}" if condition else ""
    report.verdict = f"{table}{moment}{chosen}: {rows} rows, as Hudi {found.release} reads them{where}."
    place = "among the results" if target is None else f"in {target.path}/quarantine"
    tell_quarantine(report, quarantined, all_that_came=not rows, where=place)
    return report


def _split(run: Run, frame: DataFrame, columns: list[str] | None) -> None:
    """Write rows and what is set aside, once both are written together."""
    written = run.aside(frame, "outcomes")
    rows = written.where(sf.col(QUARANTINE).isNull()).drop(QUARANTINE)
    run.write(rows if columns is None else rows.select(*map(quoted, columns)), "rows")
    run.write(set_aside(written), "quarantine")
    run.drop("outcomes")


def _show_aside(report: Report, frame: DataFrame, total: int, sample: int | None) -> None:
    """Add the versions that are set aside to the report; programs tell them by `_pb_reason`."""
    rows = json_rows(frame.limit(min(total, limit_of(sample, whole=wants_json()))))
    report.results += rows
    title = f"quarantine: {total}" if len(rows) == total else f"quarantine: {len(rows)} of {total}"
    report.body.append(Table.of_rows(tuple(frame.columns), rows, title))


def _show(report: Report, frame: DataFrame, total: int, sample: int | None) -> None:
    """Add the written rows to the report."""
    everything = wants_json()
    shown = min(total, limit_of(sample, whole=everything))
    order = [name for name in _ORDER if name in frame.columns] or frame.columns[:1]
    report.results = json_rows(frame.orderBy(*map(quoted, order)).limit(shown))
    if everything and shown < total:
        report.warnings.append(f"results has {shown} of {total} rows (--sample)")
    title = f"rows: {total}" if shown == total else f"rows: {shown} of {total}"
    report.body.append(Table.of_rows(tuple(frame.columns), report.results, title))
