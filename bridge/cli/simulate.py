"""`payload-bridge simulate`: batches through all merge points of a release, with the snapshot after each."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bridge import pipeline
from bridge.cli.inputs import BatchSource, batches_option
from bridge.cli.options import (
    compaction_options,
    compactions_of,
    operation_option,
    operations_of,
    plan_of,
    plan_options,
    refuse,
    sample_option,
    with_schema,
)
from bridge.cli.verb import Verb, wants_json
from bridge.pipeline import report_simulations
from bridge.plan import TableType
from bridge.programs import check_plan
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.plan import MergePlan
    from bridge.report import Report


@click.command(cls=Verb, short_help="Write batches to a new table and show each snapshot.")
@batches_option
@plan_options
@click.option(
    "--table-type",
    type=click.Choice(["cow", "mor", "both"]),
    default="cow",
    show_default=True,
    help="The type of the table: copy-on-write, merge-on-read, or both side by side. With --all-paths both, unless one "
    "is given.",
)
@click.option(
    "--all-paths",
    is_flag=True,
    help="Try both table types, every compaction point and every way of splitting the rows of a key into batches, and "
    "show the keys whose row depends on that.",
)
@operation_option
@compaction_options
@sample_option("rows of a snapshot, or keys")
def simulate(batches: BatchSource, table_type: str, sample: int | None, *, all_paths: bool, **options: Any) -> Report:
    """Write batches to a new table, and show what a query sees after each.

    No table is created: the batches go through the same merge points as in Hudi. JSON has every snapshot; text shows
    what each commit changed and, with --table-type both, the keys on which the two table types disagree.

    With --all-paths the batches take every path through both table types instead; the result is the keys whose row
    depends on the path, with the smallest sequence of versions that shows it. The exit code is 1 if there are any.
    """
    types = list(TableType) if table_type == "both" or (all_paths and _is_default()) else [TableType(table_type)]
    plan = plan_of(types[0], **options)
    if all_paths:
        _check_all_paths(plan, options)
    compactions = compactions_of(options["compact_after"], options["compact_every"], len(batches), types)
    operations = operations_of(options["operations"], len(batches))

    spark = batches.session()
    plan, struct = with_schema(plan, options["schema"])
    read = batches.read(spark, struct).written_by(operations)
    if all_paths:
        with pipeline.all_paths(read, plan, table_types=types) as found:
            return found.to_report(sample, whole=wants_json())
    plans = [dataclasses.replace(plan, table_type=one) for one in types]
    with contextlib.ExitStack() as open_until_told:
        parts = [
            open_until_told.enter_context(pipeline.simulate(read, one, compact_after=compactions)) for one in plans
        ]
        return report_simulations(parts, sample, whole=wants_json())


def _check_all_paths(plan: MergePlan, options: Mapping[str, Any]) -> None:
    """Reject options that contradict `--all-paths`.

    Raises:
        UsageError: saying what to leave out.
    """
    if options["operations"]:
        msg = "--all-paths splits upserts into batches; leave out --operation"
        raise click.UsageError(msg)
    if options["compact_after"] or options["compact_every"]:
        msg = "--all-paths tries every compaction point; leave out --compact-after and --compact-every"
        raise click.UsageError(msg)
    try:
        check_plan(plan)
    except PayloadBridgeError as error:
        refuse(error)


def _is_default() -> bool:
    """Whether the command line names no table type."""
    return click.get_current_context().get_parameter_source("table_type") is ParameterSource.DEFAULT
