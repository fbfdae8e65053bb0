"""`payload-bridge merge`: one merge point, run on files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.hudi_out import hudi_out_of, hudi_out_options, meta_columns_option, written_output
from bridge.cli.needs import refuse_given
from bridge.cli.on_error import on_error_option
from bridge.cli.options import (
    plan_of,
    plan_options,
    sample_option,
    trust_options,
    with_schema,
)
from bridge.cli.out import out_options, target_of
from bridge.cli.parameters import derived_option
from bridge.cli.quiet import quiet_session
from bridge.cli.verb import Verb, wants_json
from bridge.pipeline import check_sides, merge_frames, read_sides
from bridge.plan import MergePlan, TableType

if TYPE_CHECKING:
    from bridge.report import Report


_TYPES = {
    "combine-input": TableType.COPY_ON_WRITE,
    "upsert": TableType.COPY_ON_WRITE,
    "append": TableType.MERGE_ON_READ,
    "compact": TableType.MERGE_ON_READ,
    "snapshot": TableType.MERGE_ON_READ,
}
"""The table types that have the merge points."""
_WHOLE = ("upsert", "compact", "snapshot")
"""The merge points whose result is rows of a table."""


@click.command(cls=Verb, short_help="Run one write or read on files.")
@click.argument("point", type=click.Choice(list(_TYPES)), metavar="POINT")
@derived_option(merge_frames, "stored")
@derived_option(merge_frames, "log")
@derived_option(merge_frames, "incoming")
@out_options
@hudi_out_options
@meta_columns_option
@plan_options
@trust_options
@derived_option(MergePlan, "table_type", default=None, show_default="the one that has this merge point")
@on_error_option
@sample_option("rows of the result")
def merge(point: str, out: str | None, table_type: str | None, sample: int | None, **options: Any) -> Report:
    """Run one write or read on files.

    \b
    POINT          merges                 needs
    combine-input  the rows of a batch    --incoming
    upsert         a batch into the rows  --stored, --incoming
    append         a batch onto a log     --stored, --incoming
    compact        the log into the rows  --stored, --log
    snapshot       the same, for a query  --stored, --log

    append takes an older --log, too. Every POINT takes the other options, except --out-table-format and --meta-columns,
    which are for upsert, compact and snapshot. A failed merge leaves existing output unchanged.

    append writes two folders below --out: stored and log. With --on-error quarantine there is one more folder,
    quarantine, and other points write their rows to the folder rows.

    The rows of upsert, compact and snapshot can also be written as Hudi writes them: as a new table by Hudi itself
    (--out-table-format hudi, --bundle), or as files with its meta columns (--meta-columns).
    """  # noqa: D301 (click takes the backspace as "do not wrap")
    given = {name: options.pop(name) for name in ("stored", "log", "incoming")}
    paths = {name: path for name, path in given.items() if path is not None}
    check_sides(point, paths)
    target = target_of(out, options)
    if target is not None:
        refuse_given(["sample"], "is for rows that are printed, and --out writes all; leave it out")
    how = hudi_out_of(target, options)
    if how is not None and point not in _WHOLE:
        msg = (
            f"{point} doesn't return the rows of a table; --out-table-format and --meta-columns are for "
            f"{', '.join(_WHOLE)}"
        )
        raise click.UsageError(msg, click.get_current_context())
    plan = plan_of(TableType(table_type) if table_type else _TYPES[point], **options)

    spark = quiet_session()
    plan, struct = with_schema(plan, options["schema"])
    with merge_frames(point, plan, **read_sides(spark, paths, struct)) as found:
        if target is None:
            return found.to_report(sample, whole=wants_json())
        with written_output(spark, target, plan, how) as run:
            written = found.write(run, target.path)
        return written.to_report()
