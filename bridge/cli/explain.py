"""`payload-bridge explain`: the versions of one row in order, every merge call, and the rule that decided it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bridge.cli.completion import releases_from, targets_from
from bridge.cli.explain_table import explain_table
from bridge.cli.inputs import BatchSource, batches_option_of
from bridge.cli.on_error import on_error_option
from bridge.cli.options import (
    compaction_options,
    compactions_of,
    operation_option,
    operations_of,
    plan_of,
    plan_options,
    refuse,
    release,
    with_schema,
)
from bridge.cli.scope import refuse_scope_of_row, scope_of, scope_options
from bridge.cli.table_input import strict_option, table_option
from bridge.cli.upgrades import check_options, check_upgrades, upgrade_options, via_of
from bridge.cli.verb import Verb
from bridge.compare import Comparison, plan_to
from bridge.explain import check_traceable, explain, explain_comparison
from bridge.pipeline import tell_scope
from bridge.plan import TableType
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from bridge.plan import MergePlan
    from bridge.report import Report
    from payloads import HudiRelease


@click.command("explain", cls=Verb, short_help="Show every merge call of one row, and what decided it.")
@batches_option_of(required=False)
@table_option
@strict_option
@click.option(
    "--row",
    "rows",
    metavar="[COLUMN=]VALUE",
    multiple=True,
    required=True,
    help="The row: the value of the key column, or COLUMN=VALUE for each key and partition column that is needed.",
)
@plan_options
@click.option(
    "--table-type",
    type=click.Choice(["cow", "mor", "both"]),
    default="cow",
    show_default=True,
    help="The type of the table; both: copy-on-write next to merge-on-read.",
)
@click.option(
    "--from",
    "old",
    type=release,
    metavar="R",
    help="Compare with --to: the release of the first side.",
    shell_complete=releases_from,
)
@click.option(
    "--to",
    metavar="R|MODE|NAME",
    help="The other side, as in replay; --table-type is cow or mor then.",
    shell_complete=targets_from,
)
@upgrade_options
@operation_option
@compaction_options
@on_error_option
@scope_options
def explain_command(  # noqa: PLR0913 (one parameter an option)
    *,
    batches: BatchSource | None,
    table: str | None,
    rows: tuple[str, ...],
    table_type: str,
    old: HudiRelease | None,
    to: str | None,
    upgrade_after: int | None,
    via: tuple[tuple[int, HudiRelease, str], ...],
    keep_table_version: bool,
    **options: Any,
) -> Report:
    """Show the versions of one row in order, every merge call that they go through, and what decided each.

    Two sides are shown one after the other, with a mark at the call where they diverge: two releases (--from and --to,
    as in replay) or both table types. The exit code is 1 if their rows differ, or with --on-error quarantine if the
    versions can't be merged; then it shows the calls until the one that failed, and why.

    Of a real --table it shows the versions that the files hold, with file, log block and position, and the row that the
    reader of --from, and that of --to, makes of them.
    """
    if table is not None:
        refuse_scope_of_row()
        given = click.get_current_context().get_parameter_source("release") is not ParameterSource.DEFAULT
        asked = options["release"] if old is None and given else old
        return explain_table(table, rows, asked, to, sets_aside=options["on_error"] == "quarantine")
    if batches is None:
        msg = "name --batches or a --table"
        raise click.UsageError(msg, click.get_current_context())
    types = list(TableType) if table_type == "both" else [TableType(table_type)]
    commits = len(batches)
    after = commits if upgrade_after == -1 else upgrade_after
    _check(old, to, table_type, after)
    check_options(to, after, commits, via, keeps=keep_table_version)
    plan = plan_of(types[0], **options | ({} if old is None else {"release": old}))
    compactions = compactions_of(options["compact_after"], options["compact_every"], commits, types)
    operations = operations_of(options["operations"], commits)
    row = row_of(rows, plan)
    try:
        other = _other(plan, types, to)
        for one in (plan, other or plan):
            check_traceable(one)
    except PayloadBridgeError as error:
        refuse(error)
    if other is not None and after is not None:
        check_upgrades([plan, *(step.plan for step in via_of(via, plan)), other])

    scope = scope_of(plan, batches, options)
    spark = batches.session()
    plan, struct = with_schema(plan, options["schema"])
    read = batches.read(spark, struct, scope).written_by(operations)
    if other is None:
        report = explain(read, plan, row, compact_after=compactions).to_report()
    else:
        other = dataclasses.replace(other, schema=plan.schema)
        steps = via_of(via, plan)
        sides = Comparison(plan, other, commits, after, keep_table_version, compactions, to or "", via=steps)
        report = explain_comparison(read, sides, row).to_report()
    tell_scope(report, read, plan)
    return report


def row_of(texts: tuple[str, ...], plan: MergePlan) -> dict[str, str]:
    """Read `--row`: COLUMN=VALUE, or the value of the only key column.

    Raises:
        UsageError: a value without its column where there are several key columns, or a column given twice.
    """
    row: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in plan.identity:
            if len(plan.key) > 1:
                columns = " and ".join(plan.identity)
                msg = f"--row: the key has several columns; write COLUMN=VALUE with {columns}"
                raise click.UsageError(msg, click.get_current_context())
            name, value = plan.key[0], text
        if name in row:
            msg = f"--row: {name} is given twice; give each column once"
            raise click.UsageError(msg, click.get_current_context())
        row[name] = value
    return row


def _check(old: HudiRelease | None, to: str | None, table_type: str, after: int | None) -> None:
    """Refuse options that contradict each other.

    Raises:
        UsageError: naming the option.
    """
    context = click.get_current_context()
    given, message = context.params, None
    if (old is None) != (to is None):
        message = "--from and --to name the two sides; give both, or --release for one"
    elif old is not None and context.get_parameter_source("release") is not ParameterSource.DEFAULT:
        message = "--release is for one side; omit it with --from and --to"
    elif to is not None and table_type == "both":
        message = "--table-type both makes two sides already; with --from and --to choose cow or mor"
    elif to is None and (after is not None or given["keep_table_version"] or given["via"]):
        message = "--upgrade-after, --via and --keep-table-version are for two releases; add --from and --to"
    if message is not None:
        raise click.UsageError(message, context)


def _other(plan: MergePlan, types: list[TableType], to: str | None) -> MergePlan | None:
    """Return the plan of the second side, if there is one; errors as in `plan_to`."""
    if to is not None:
        return plan_to(plan, to)
    return dataclasses.replace(plan, table_type=types[1]) if len(types) > 1 else None
