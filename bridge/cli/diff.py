"""`payload-bridge diff`: the rows of two tables, or of one table at two instants, by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.inputs import InputPath
from bridge.cli.on_error import call_timeout_option
from bridge.cli.options import names, payload_option, release_option, sample_option
from bridge.cli.out import out_options, target_of
from bridge.cli.quiet import quiet_session
from bridge.cli.session import session_options
from bridge.cli.table_input import bootstrap_option, check_files, located, strict_option, table_argument
from bridge.cli.verb import Verb, wants_json, wants_page
from bridge.compare import diff
from bridge.hudi import HudiTable
from bridge.pipeline import read_frame
from bridge.report import PAGE_KEYS, limit_of
from bridge.spark import output, place_of, read_schema

if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame

    from bridge.report import Report
    from payloads import HudiRelease


@click.command("diff", cls=Verb, short_help="Show the rows in which two tables, or two instants, differ.")
@table_argument
@click.option(
    "--against",
    metavar="PATH|TABLE",
    help="The other side: a Hudi table, or a file or flat folder of rows. Default: TABLE itself, at --against-as-of.",
)
@click.option("--as-of", metavar="INSTANT", help="TABLE as of an instant, by its requested time.")
@click.option("--against-as-of", metavar="INSTANT", help="The other side as of an instant, if it is a table.")
@click.option(
    "--schema",
    type=InputPath(),
    metavar="FILE",
    help="The schema of the files of --against: Avro in FILE.avsc, else Spark DDL. Default: the files'.",
)
@click.option("--key", type=names, metavar="a[,b]", help="What identifies a row. Default: partition and key of TABLE.")
@release_option(default=None, show_default="the release that counts as the table's writer")
@payload_option(help="The class that merges, in place of the tables' own; one that Hudi does not ship must be named.")
@call_timeout_option
@bootstrap_option
@strict_option
@out_options
@sample_option("keys")
@session_options
def diff_command(  # noqa: PLR0913 (one parameter an option)
    *,
    table: str,
    against: str | None,
    as_of: str | None,
    against_as_of: str | None,
    schema: str | None,
    key: tuple[str, ...] | None,
    release: HudiRelease | None,
    out: str | None,
    sample: int | None,
    **options: Any,
) -> Report:
    """Compare the rows of TABLE with those of another table, of files, or of TABLE itself at another instant.

    Columns are found by name, in upper or lower case. Numbers of two types are compared in one that holds both;
    other columns must have the same type on both sides. The exit code is 1 if a row differs or one side alone has a
    column. --out writes the batch that gives TABLE the rows of the other side, in the types of TABLE; its deletes have
    _hoodie_is_deleted. It needs the same columns on both sides.
    """
    if against is None and against_as_of is None and as_of is None:
        msg = "TABLE is compared with nothing; add --against, or --as-of for an earlier instant of it"
        raise click.UsageError(msg, click.get_current_context())
    target = target_of(out, options)
    path = located(table)
    spark = quiet_session()
    merged = {name: options[name] for name in ("payload", "call_timeout")}
    own = check_files(HudiTable(spark, path, release, bootstrap=options["bootstrap"], **merged))
    other: DataFrame
    if against is None or _is_table(against):
        if schema is not None:
            msg = "--schema is for files of --against, and a table has its own; leave it out"
            raise click.UsageError(msg, click.get_current_context())
        theirs = own if against is None else check_files(HudiTable(spark, located(against), release, **merged))
        other = theirs.snapshot(against_as_of)
    elif against_as_of is not None:
        msg = f"--against-as-of is for tables, and {against} is none; leave it out"
        raise click.UsageError(msg, click.get_current_context())
    else:
        other = read_frame(spark, against, None if schema is None else read_schema(schema, own.release)[1])
    sides = (_name(table, as_of), _name(against or table, against_as_of))
    with diff(own.snapshot(as_of), other, key or own.identity, sides) as found:
        batch = None if target is None else found.batch
        report = found.to_report(limit_of(sample, whole=wants_json()))
        if wants_page():
            report.view = found.to_view(PAGE_KEYS if sample is None else sample)
        if target is not None and batch is not None:
            with output(spark, target) as run:
                run.write(batch)
            report.verdict = f"{report.verdict} The batch that gives {sides[0]} these rows is in {target.path}."
    return report


def _is_table(text: str) -> bool:
    """Whether a path has a Hudi table; a name of the catalogue does."""
    place = place_of(text, quiet_session())
    return place.below(".hoodie").exists() if place.exists() else True


def _name(path: str, as_of: str | None) -> str:
    return path if as_of is None else f"{path} as of {as_of}"
