"""`payload-bridge diff`: the rows of two tables, or of one table at two instants, by key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.cli.options import sample_option
from bridge.cli.out import out_options, target_of
from bridge.cli.parameters import derived_option
from bridge.cli.quiet import quiet_session
from bridge.cli.table_class import class_of, table_class_options
from bridge.cli.table_input import (
    bootstrap_option,
    check_files,
    engine_option,
    located,
    reader_option,
    strict_option,
    table_argument,
)
from bridge.cli.terminal import terminal_option
from bridge.cli.verb import Verb, wants_json, wants_page
from bridge.compare import diff
from bridge.engines import recompiled_warnings
from bridge.hudi import HudiTable
from bridge.pipeline import read_frame
from bridge.plan import MergePlan
from bridge.report import PAGE_KEYS
from bridge.spark import output, place_of, read_schema

if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame

    from bridge.report import Report
    from payloads import HudiRelease


@click.command("diff", cls=Verb, short_help="Show the rows in which two tables, or two instants, differ.")
@table_argument
@terminal_option(
    "--against",
    metavar="PATH|TABLE",
    help="What to compare with: a Hudi table, or a file or flat folder of rows. Default: TABLE itself, at "
    "--against-as-of.",
)
@derived_option(HudiTable.snapshot, "as_of", metavar="INSTANT", note="For TABLE.")
@terminal_option("--against-as-of", metavar="INSTANT", help="The table of --against as of an instant.")
@derived_option(MergePlan, "schema", note="For files of --against.")
@derived_option(diff, "key", note="Default: those of TABLE.")
@reader_option
@bootstrap_option
@engine_option
@strict_option
@out_options
@sample_option("keys")
@table_class_options
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

    Columns are matched by name, ignoring case. Numbers of different types are compared in a type that holds both;
    other columns must have the same type. The exit code is 1 if a row differs, or if only one of the two has a column.
    --out writes the upserts and deletes that turn TABLE into --against, in the types of TABLE; deletes are marked by
    _hoodie_is_deleted. Both must then have the same columns.
    """
    if against is None and against_as_of is None and as_of is None:
        msg = "there is nothing to compare TABLE with; add --against, or --as-of for an earlier instant"
        raise click.UsageError(msg, click.get_current_context())
    target = target_of(out, options)
    merged: Any = {"engine": options["engine"], **class_of(options)}
    is_table = True if against is None else _is_local_table(against)
    _check(against, schema, against_as_of, is_table=is_table)  # before Spark starts
    path = located(table)
    spark = quiet_session()
    if is_table is None:
        is_table = _is_table(str(against))
        _check(against, schema, against_as_of, is_table=is_table)
    own = check_files(HudiTable(spark, path, release, bootstrap=options["bootstrap"], **merged))
    other: DataFrame
    if against is None or is_table:
        theirs = own if against is None else check_files(HudiTable(spark, located(against), release, **merged))
        other = theirs.snapshot(against_as_of)
    else:
        struct = None if schema is None else read_schema(schema, own.release)[1]
        other = read_frame(spark, against, struct, like=own.columns)
    sides = (_name(table, as_of), _name(against or table, against_as_of))
    with diff(own.snapshot(as_of), other, key or own.identity, sides) as found:
        batch = None if target is None else found.batch
        report = found.to_report(sample, whole=wants_json())
        report.warnings += recompiled_warnings(own.queries().plan)
        read = {"table": path, "as_of": as_of, "against": against or path, "against_as_of": against_as_of}
        report.plan |= {**read, "release": str(own.release)}
        if wants_page():
            report.view = found.to_view(PAGE_KEYS if sample is None else sample)
        if target is not None and batch is not None:
            with output(spark, target) as run:
                run.write(batch)
            report.verdict = f"{report.verdict} The batch that gives {sides[0]} these rows is in {target.path}."
    return report


def _check(against: str | None, schema: str | None, as_of: str | None, *, is_table: bool | None) -> None:
    """Refuse options that are for the other kind of --against; None where it is not known yet.

    Raises:
        UsageError: naming the option.
    """
    msg = None
    if is_table and schema is not None:
        msg = "--schema is for files of --against, but a table has its own schema; leave it out"
    elif is_table is False and as_of is not None:
        msg = f"--against-as-of is for tables, but {against} is not one; leave it out"
    if msg is not None:
        raise click.UsageError(msg, click.get_current_context())


def _is_local_table(text: str) -> bool | None:
    """Return whether a local path has a Hudi table; None for any other text."""
    path = Path(text)
    return (path / ".hoodie").is_dir() if path.exists() else None


def _is_table(text: str) -> bool:
    """Whether a path has a Hudi table; a name of the catalogue does."""
    place = place_of(text, quiet_session())
    return place.below(".hoodie").exists() if place.exists() else True


def _name(path: str, as_of: str | None) -> str:
    return path if as_of is None else f"{path} as of {as_of}"
