"""`payload-bridge simulate`: batches through all merge points of a release, with the snapshot after each."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bridge import pipeline
from bridge.cli.inputs import BatchSource, batches_option_of
from bridge.cli.on_error import on_error_option
from bridge.cli.options import (
    check_all_paths,
    compaction_options,
    course_of,
    operation_option,
    operations_of,
    plan_of,
    plan_options,
    sample_option,
    table_types_option,
    trust_options,
    with_schema,
)
from bridge.cli.parameters import derived_option
from bridge.cli.rebuilt_input import rebuilt_input
from bridge.cli.scope import scope_of, scope_options
from bridge.cli.table_input import strict_option, table_option
from bridge.cli.terminal import terminal_option
from bridge.cli.verb import Verb, wants_json, wants_page
from bridge.explain import paths_view
from bridge.pipeline import report_simulations
from bridge.plan import TableType
from bridge.report import PAGE_KEYS

if TYPE_CHECKING:
    from bridge.cli.decorators import Options
    from bridge.pipeline import PathsReport
    from bridge.report import Report


@click.command(cls=Verb, short_help="Write batches to a new table and show each snapshot.")
@batches_option_of(required=False)
@table_option
@strict_option
@plan_options
@trust_options
@table_types_option(
    "The type of the table: copy-on-write, merge-on-read, or both. With --all-paths both, unless one is given."
)
@terminal_option(
    "--all-paths",
    is_flag=True,
    help="Try both table types, every compaction point and every way of splitting the rows of a key into batches, "
    "and show the keys whose row depends on them.",
)
@operation_option
@derived_option(pipeline.simulate, "plain_after", type=click.IntRange(min=1))
@compaction_options
@on_error_option
@scope_options
@sample_option("rows of a snapshot, or keys")
def simulate(
    batches: BatchSource | None,
    table: str | None,
    table_types: tuple[TableType, ...],
    sample: int | None,
    *,
    all_paths: bool,
    **options: Any,
) -> Report:
    """Write batches to a new table, and show what a query sees after each.

    No table is created: the batches go through the same merge points as in Hudi. JSON has every snapshot; text shows
    what each commit changed and, with --table-type both, the keys on which the two table types disagree.

    With --all-paths the batches are written in every way instead: both table types, every compaction point, every
    split into commits. The result is the keys whose row depends on that path, with the smallest sequence of versions
    that shows it. The exit code is 1 if there are any.

    With --table the batches are the commits that the files of a real table still hold; the report says how much.
    """
    if table is not None and batches is None:
        return _of_table(table, sample, all_paths=all_paths, options=options)
    if batches is None or table is not None:
        msg = "name --batches, or a --table whose commits are the batches"
        raise click.UsageError(msg, click.get_current_context())
    types = tuple(TableType) if all_paths and _is_default() else table_types
    plan = plan_of(types[0], **options)
    if all_paths:
        check_all_paths(plan)
    compactions = course_of(options, len(batches), types).compact_after
    operations = operations_of(options["operations"], len(batches))

    scope = scope_of(plan, batches, options)
    spark = batches.session()
    plan, struct = with_schema(plan, options["schema"])
    read = batches.read(spark, struct, scope).written_by(operations)
    if all_paths:
        with pipeline.all_paths(read, plan, table_types=types) as found:
            return _paths_report(found, sample)
    with contextlib.ExitStack() as open_until_told:
        parts = [
            open_until_told.enter_context(
                pipeline.simulate(
                    read,
                    dataclasses.replace(plan, table_type=one),
                    plain_after=options["plain_after"],
                    compact_after=compactions if one is TableType.MERGE_ON_READ else (),
                )
            )
            for one in types
        ]
        return report_simulations(parts, sample, whole=wants_json())


def _of_table(table: str, sample: int | None, *, all_paths: bool, options: Options) -> Report:
    """Write the commits that a table still holds to a new table."""
    given = click.get_current_context().get_parameter_source("release") is not ParameterSource.DEFAULT
    found = rebuilt_input(table, options["release"] if given else None, options)
    plan = dataclasses.replace(found.plan, on_error=options["on_error"])
    batches = found.rebuilt.batches
    with contextlib.ExitStack() as open_until_told:
        open_until_told.callback(found.rebuilt.close)
        if all_paths:
            check_all_paths(plan)
            paths = open_until_told.enter_context(pipeline.all_paths(batches, plan))
            report = _paths_report(paths, sample)
        else:
            simulated = pipeline.simulate(batches, plan, compact_after=found.rebuilt.compact_after)
            part = open_until_told.enter_context(simulated)
            report = report_simulations([part], sample, whole=wants_json())
        found.tell(report)
        return report


def _paths_report(found: PathsReport, sample: int | None) -> Report:
    """Return the report of every path; a page has the timelines of its keys, too."""
    report = found.to_report(sample, whole=wants_json())
    if wants_page():
        report.view = paths_view(found, PAGE_KEYS if sample is None else sample)
    return report


def _is_default() -> bool:
    """Whether the command line names no table type."""
    return click.get_current_context().get_parameter_source("table_types") is ParameterSource.DEFAULT
