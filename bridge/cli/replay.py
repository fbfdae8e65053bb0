"""`payload-bridge replay`: the same batches on two sides, and the keys on which they differ."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import click
from pyspark.sql import functions as sf

from bridge.cli.completion import targets_from
from bridge.cli.inputs import BatchSource, batches_option_of
from bridge.cli.on_error import on_error_option, refuse_quarantine
from bridge.cli.options import (
    compaction_options,
    compactions_of,
    left_plan_options,
    operation_option,
    operations_of,
    plan_of,
    refuse,
    sample_option,
    with_schema,
)
from bridge.cli.out import out_options, target_of
from bridge.cli.replay_table import replay_table
from bridge.cli.scope import scope_of, scope_options
from bridge.cli.table_input import strict_option, table_option
from bridge.cli.upgrades import check_options, check_upgrades, upgrade_options, via_of
from bridge.cli.verb import Verb, wants_json, wants_page
from bridge.compare import Comparison, compare, plan_to, report_replays
from bridge.explain import replay_view
from bridge.pipeline import KIND, LEFT, RIGHT
from bridge.plan import TableType
from bridge.report import PAGE_KEYS
from bridge.spark import output, quoted
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from bridge.compare import ReplayReport
    from bridge.plan import MergePlan
    from bridge.report import Report
    from bridge.spark import Target
    from payloads import HudiRelease


@click.command("replay", cls=Verb, short_help="Merge batches under two configurations and compare.")
@batches_option_of(required=False)
@table_option
@strict_option
@click.option("--history", is_flag=True, help="Replay the commits that the files of --table still hold.")
@left_plan_options
@click.option(
    "--to",
    required=True,
    metavar="R|MODE|NAME",
    shell_complete=targets_from,
    help="The other side: a release; or under 1.2 a merge mode, a payload class, or your own payload or merger as "
    "package.module:Class.",
)
@upgrade_options
@click.option(
    "--plain",
    is_flag=True,
    help="The writer that takes the table over passes neither payload class nor merge mode.",
)
@click.option(
    "--table-type",
    type=click.Choice(["cow", "mor", "both"]),
    default="cow",
    show_default=True,
    help="The type of the table: copy-on-write, merge-on-read, or one replay of each.",
)
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
    upgrade_after: int | None,
    via: tuple[tuple[int, HudiRelease, str], ...],
    plain: bool,
    keep_table_version: bool,
    table_type: str,
    sample: int | None,
    out: str | None,
    **options: Any,
) -> Report:
    """Merge the same batches under two configurations, and show which keys differ, with the smallest example.

    One side is a table of the release --from, the other is set by --to. JSON has every key that differs after the last
    batch; --out gets them with both rows. The exit code is 0 if no key differs after any batch, else 1, also if the new
    release refuses a write that the old one accepts.

    Of a real --table it answers three questions. Alone: which rows change if the release --to reads its files as they
    are. With --batches: what writing them comes to, if --to takes the table over. With --history: what --to would have
    made of the commits that the files still hold.
    """
    target = target_of(out, options)
    if table is not None:
        refuse_quarantine(options, "the keys of a real --table are read as they are")
        return replay_table(
            table, to, batches, sample=sample, out=target, keep=keep_table_version, history=history, **options
        )
    if history:
        msg = "--history is about the commits of a --table; name one"
        raise click.UsageError(msg, click.get_current_context())
    if batches is None or options["release"] is None:
        msg = f"{'--batches' if batches is None else '--from'} is missing; only a --table needs none"
        raise click.UsageError(msg, click.get_current_context())
    types = list(TableType) if table_type == "both" else [TableType(table_type)]
    plan = plan_of(types[0], **options)
    commits = len(batches)
    compactions = compactions_of(options["compact_after"], options["compact_every"], commits, types)
    operations = operations_of(options["operations"], commits)
    after = commits if upgrade_after == -1 else upgrade_after
    check_options(to, after, commits, via, keeps=keep_table_version, plain=plain)
    try:
        right = plan_to(plan, to)
        right = right.as_plain() if plain else right
    except PayloadBridgeError as error:
        refuse(error)
    for one in types if after is not None else ():
        typed = dataclasses.replace(plan, table_type=one)
        check_upgrades([typed, *(step.plan for step in via_of(via, typed)), *_typed(one, right)])

    scope = scope_of(plan, batches, options)
    spark = batches.session()
    plan, struct = with_schema(plan, options["schema"])
    right, _ = with_schema(right, options["schema"])
    read = batches.read(spark, struct, scope).written_by(operations)
    with contextlib.ExitStack() as open_until_told:
        parts = []
        for one in types:
            left, other = _typed(one, plan, right)
            steps = via_of(via, left)
            sides = Comparison(left, other, commits, after, keep_table_version, compactions, to, via=steps)
            parts.append(open_until_told.enter_context(compare(read, sides)))
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


def _typed(one: TableType, *plans: MergePlan) -> tuple[MergePlan, ...]:
    """Return plans for tables of one type."""
    return tuple(dataclasses.replace(plan, table_type=one) for plan in plans)
