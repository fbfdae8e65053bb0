"""`payload-bridge replay`: the same batches on two sides, and the keys on which they differ."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import click
from pyspark.sql import functions as sf

from bridge.cli.inputs import BatchSource, batches_option_of
from bridge.cli.on_error import on_error_option, refuse_quarantine
from bridge.cli.options import (
    compaction_options,
    course_of,
    left_plan_options,
    operation_option,
    operations_of,
    plan_of,
    sample_option,
    table_types_option,
    trust_options,
    upgrade_options,
    with_schema,
)
from bridge.cli.out import out_options, target_of
from bridge.cli.parameters import derived_option, refused
from bridge.cli.replay_table import replay_table
from bridge.cli.scope import scope_of, scope_options
from bridge.cli.table_input import strict_option, table_option
from bridge.cli.terminal import terminal_option
from bridge.cli.verb import Verb, wants_json, wants_page
from bridge.compare import compare, comparison_of, replay, report_replays
from bridge.explain import replay_view
from bridge.pipeline import KIND, LEFT, RIGHT
from bridge.report import PAGE_KEYS
from bridge.spark import output, quoted

if TYPE_CHECKING:
    from bridge.compare import Comparison, ReplayReport
    from bridge.pipeline import Course
    from bridge.plan import MergePlan, TableType
    from bridge.report import Report
    from bridge.spark import Target


@click.command("replay", cls=Verb, short_help="Merge batches under two configurations and compare.")
@batches_option_of(required=False)
@table_option
@strict_option
@terminal_option("--history", needs=("table",), is_flag=True, help="Replay the commits that a --table still holds.")
@left_plan_options
@trust_options
@derived_option(replay, "to", required=True)
@upgrade_options
@derived_option(replay, "plain")
@table_types_option("The type of the table: copy-on-write, merge-on-read, or one replay of each.")
@operation_option
@compaction_options
@on_error_option
@scope_options
@sample_option("keys that differ")
@out_options
def replay_command(  # noqa: PLR0913 (one parameter an option)
    *,
    batches: BatchSource | None,
    table: str | None,
    history: bool,
    to: str,
    table_types: tuple[TableType, ...],
    sample: int | None,
    out: str | None,
    **options: Any,
) -> Report:
    """Merge the same batches under two configurations, and show which keys differ, with the smallest example.

    --from sets the release of one table, --to what it is compared with. JSON has every key that differs after the
    last batch; --out writes these keys with both rows. The exit code is 0 if no key differs after any batch, else 1,
    also if the new release refuses a write that the old one accepts.

    For a real --table it answers one of three questions. With neither --batches nor --history: which rows change if
    the release --to reads its files as they are. With --batches: which rows change if these batches are written after
    an upgrade to --to. With --history: what --to would have made of the commits that the files still hold.
    """
    target = target_of(out, options)
    if table is not None:
        refuse_quarantine(options, "replay doesn't quarantine keys of a real --table")
        return replay_table(
            table,
            to,
            batches,
            sample=sample,
            out=target,
            keep=options.pop("keep_table_version"),
            history=history,
            **options,
        )
    if batches is None or options["release"] is None:
        msg = f"{'--batches' if batches is None else '--from'} is missing; it is required without --table"
        raise click.UsageError(msg, click.get_current_context())
    plan = plan_of(table_types[0], **options)
    commits = len(batches)
    course = course_of(options, commits, table_types)
    operations = operations_of(options["operations"], commits)
    with refused():
        _compared(plan, table_types, to, course, commits)

    scope = scope_of(plan, batches, options)
    spark = batches.session()
    plan, struct = with_schema(plan, options["schema"])
    read = batches.read(spark, struct, scope).written_by(operations)
    with contextlib.ExitStack() as open_until_told:
        parts = [
            open_until_told.enter_context(compare(read, sides))
            for sides in _compared(plan, table_types, to, course, commits)
        ]
        report = report_replays(parts, sample, whole=wants_json())
        if wants_page():
            report.view = replay_view(parts, PAGE_KEYS if sample is None else sample)
            report.statistics["causes"] = {line.id: line.keys for line in report.view.causes}
        if target is not None:
            _write_keys(parts, target)
        return report


def _write_keys(parts: list[ReplayReport], target: Target) -> None:
    """Write the keys that differ after the last batch; a refused side has none."""
    columns = (*map(quoted, parts[0].comparison.left.identity), sf.col(KIND).alias("kind"))
    rows = (sf.col(LEFT).alias("left"), sf.col(RIGHT).alias("right"))
    frames = [
        found.select(sf.lit(part.comparison.left.table_type.value).alias("table_type"), *columns, *rows)
        for part in parts
        if (found := part.last_differences) is not None
    ]
    if frames:
        rows_of_all = functools.reduce(lambda left, right: left.unionByName(right), frames)
        aside = [part.quarantine for part in parts if part.quarantine is not None]
        with output(rows_of_all.sparkSession, target) as run:
            run.write(rows_of_all, "keys" if aside else "")
            if aside:
                run.write(functools.reduce(lambda left, right: left.unionByName(right), aside), "quarantine")


def _compared(plan: MergePlan, types: tuple[TableType, ...], to: str, course: Course, commits: int) -> list[Comparison]:
    """Return the comparison for tables of each type; errors as in `comparison_of`."""
    return [comparison_of(dataclasses.replace(plan, table_type=one), to, course, commits) for one in types]
