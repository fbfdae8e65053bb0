"""`payload-bridge explain`: the versions of one row in order, every merge call, and the rule that decided it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.inputs import BatchSource, batches_option_of
from bridge.cli.needs import given_option
from bridge.cli.on_error import on_error_option
from bridge.cli.options import (
    compaction_options,
    course_of,
    explained_plan_options,
    operation_option,
    operations_of,
    plan_of,
    table_types_option,
    upgrade_options,
    with_schema,
)
from bridge.cli.parameters import derived_option, refused
from bridge.cli.rebuilt_input import refuse_table_settings
from bridge.cli.scope import refuse_scope_of_row, scope_of, scope_options
from bridge.cli.table_class import class_of
from bridge.cli.table_input import open_table, strict_option, table_option
from bridge.cli.verb import Verb
from bridge.compare import comparison_of, table_release
from bridge.explain import check_traceable, explain, explain_comparison
from bridge.pipeline import report_scope
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from bridge.cli.decorators import Options
    from bridge.compare import Comparison
    from bridge.pipeline import Course
    from bridge.plan import MergePlan, TableType
    from bridge.report import Report


@click.command("explain", cls=Verb, short_help="Show every merge call of one row, and what decided it.")
@batches_option_of(required=False)
@table_option
@strict_option
@derived_option(explain, "row", type=str, metavar="[COLUMN=]VALUE", required=True)
@explained_plan_options
@table_types_option("The type of the table; both: copy-on-write next to merge-on-read.")
@derived_option(explain, "to", note="With --to, --table-type must be cow or mor.")
@upgrade_options
@operation_option
@compaction_options
@on_error_option
@scope_options
def explain_command(
    *,
    batches: BatchSource | None,
    table: str | None,
    row: tuple[str, ...],
    table_types: tuple[TableType, ...],
    to: str | None,
    **options: Any,
) -> Report:
    """Show the versions of one row in order, every merge call that they go through, and what decided each.

    Two configurations are shown one after the other, with a mark at the call where they diverge: two releases (--from
    and --to, as in replay) or both table types. The exit code is 1 if their rows differ, or with --on-error
    quarantine if the versions can't be merged; then the calls up to the one that failed are shown, with the error.

    For a real --table it shows the versions that the files hold, with file, log block and position, and the rows that
    the readers of --from and --to return for them; --payload overrides the table's class.
    """
    if table is not None:
        return _of_table(table, row, to, options)
    if batches is None:
        msg = "name --batches or a --table"
        raise click.UsageError(msg, click.get_current_context())
    commits = len(batches)
    _check(to, table_types)
    course = course_of(options, commits, table_types)
    course.check_target(to)
    plan = plan_of(table_types[0], **options)
    operations = operations_of(options["operations"], commits)
    values = row_of(row, plan.key, plan.identity)
    with refused():
        sides = _sides(plan, table_types, to, course, commits)
        for one in (plan,) if sides is None else (sides.left, sides.right):
            check_traceable(one)

    scope = scope_of(plan, batches, options)
    spark = batches.session()
    plan, struct = with_schema(plan, options["schema"])
    read = batches.read(spark, struct, scope).written_by(operations)
    sides = _sides(plan, table_types, to, course, commits)
    if sides is None:
        report = explain(read, plan, values, compact_after=course.compact_after).to_report()
    else:
        report = explain_comparison(read, sides, values).to_report()
    report_scope(report, read, plan)
    return report


def _of_table(path: str, texts: tuple[str, ...], to: str | None, options: Options) -> Report:
    """Explain a row of a real table; errors as in `explain`."""
    refuse_scope_of_row()
    refuse_table_settings(taken=("row", "to", "on_error"))
    with refused():  # before Spark starts
        other = None if to is None else table_release(to)
    table = open_table(path, options["release"] if _names_release() else None, **class_of(options))
    row = row_of(texts, table.keys, table.identity, of_table=True)
    return explain(table, row=row, to=other, on_error=options["on_error"]).to_report()


def row_of(
    texts: tuple[str, ...], key: tuple[str, ...], identity: tuple[str, ...], *, of_table: bool = False
) -> dict[str, str]:
    """Read `--row`: COLUMN=VALUE, or the value of the only key column.

    Rows of a table may be named by other columns, too, which `explain` knows; in batches what is before an equals sign
    belongs to the value, unless it is a column of the identity.

    Raises:
        UsageError: a value without its column where there are several key columns, or a column given twice.
    """
    row: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or (name not in identity and not of_table):
            if len(key) != 1:
                columns = " and ".join(identity) or META_COLUMNS[2]
                msg = f"--row {text}: write COLUMN=VALUE with {columns}"
                raise click.UsageError(msg, click.get_current_context())
            name, value = key[0], text
        if name in row:
            msg = f"--row: {name} is given twice; give each column once"
            raise click.UsageError(msg, click.get_current_context())
        row[name] = value
    return row


def _names_release() -> bool:
    """Whether the command line names a release."""
    return given_option(click.get_current_context(), "release") is not None


def _check(to: str | None, types: tuple[TableType, ...]) -> None:
    """Refuse options that contradict each other.

    Raises:
        UsageError: naming the option.
    """
    message = None
    if to is not None and not _names_release():
        message = "--to is compared with the release of --from; add --from, or leave out --to"
    elif to is not None and len(types) > 1:
        message = "--table-type both compares the two table types; with --to choose cow or mor"
    if message is not None:
        raise click.UsageError(message, click.get_current_context())


def _sides(
    plan: MergePlan, types: tuple[TableType, ...], to: str | None, course: Course, commits: int
) -> Comparison | None:
    """Return the two sides, two releases or both table types; None for one. Errors as in `comparison_of`."""
    if to is not None:
        return comparison_of(plan, to, course, commits)
    if len(types) == 1:
        return None
    return comparison_of(plan, dataclasses.replace(plan, table_type=types[1]), course, commits)
