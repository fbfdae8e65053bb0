"""`payload-bridge replay`: the same versions under two configurations, and the keys that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from bridge.cli.inputs import BatchSource, batches_option_of
from bridge.cli.needs import given_option, parameters_of, refuse_foreign
from bridge.cli.on_error import on_error_option, refuse_quarantine
from bridge.cli.options import (
    compaction_options,
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
from bridge.cli.rebuilt_input import refuse_table_settings
from bridge.cli.scope import scope_of, scope_options
from bridge.cli.table_class import class_of
from bridge.cli.table_input import open_table, open_written, strict_option, table_option
from bridge.cli.verb import Verb, wants_json, wants_page
from bridge.compare import ReadersReplay, check_replay, replay
from bridge.explain import causes_view, view_of
from bridge.hudi import HudiTable
from bridge.pipeline import Batches, Scope
from bridge.report import PAGE_KEYS
from bridge.spark import output, read_schema
from payloads import PayloadRef

if TYPE_CHECKING:
    from bridge.cli.decorators import Options
    from bridge.compare import Replay
    from bridge.plan import TableType
    from bridge.report import Report
    from bridge.spark import Target

_OF_QUERIES: Final = (
    "is for queries of a real --table; commits to it are merged key by key where the class runs, in Python or Java: "
    "leave it out"
)
_OF_WRITER: Final = {"payload", "props"}
"""Parameters that are settings of the plan where batches make the table."""


@click.command("replay", cls=Verb, short_help="Merge batches under two configurations and compare.")
@batches_option_of(required=False)
@table_option
@strict_option
@derived_option(replay, "history", needs=("table",))
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
def replay_command(
    *,
    batches: BatchSource | None,
    table: str | None,
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
    context = click.get_current_context()
    names = parameters_of(replay) - _OF_WRITER
    asked = {name: value for name, value in options.items() if name in names and given_option(context, name)}
    source: Any
    if table is not None:
        source, settings = _of_table(table, batches, asked, options)
    elif batches is None or options["release"] is None:
        msg = f"{'--batches' if batches is None else '--from'} is missing; it is required without --table"
        raise click.UsageError(msg, context)
    else:
        source, settings = _of_batches(batches, asked, options)
    with replay(source, **settings) as found:
        report: Report = found.to_report(sample, whole=wants_json())
        if wants_page():
            report.view = view_of(found, PAGE_KEYS if sample is None else sample)
        elif isinstance(found, ReadersReplay):
            report.view = causes_view(found.readers)
        if report.view is not None:
            report.statistics["causes"] = {line.id: line.keys for line in report.view.causes}
            report.body = [*report.view.why, *report.body]
        if target is not None:
            _write(found, target)
        return report


def _of_batches(batches: BatchSource, asked: Options, options: Options) -> tuple[Batches, dict[str, Any]]:
    """Return batches with what `replay` is asked of new tables; errors as in `check_replay`."""
    types: tuple[TableType, ...] = options["table_types"]
    plan = plan_of(types[0], **options)
    settings = {**asked, "table_types": types, "plan": plan}
    operations = operations_of(options["operations"], len(batches))
    with refused():  # before Spark starts
        check_replay(settings, len(batches))
    scope = scope_of(plan, batches, options)
    spark = batches.session()
    settings["plan"], struct = with_schema(plan, options["schema"])
    return batches.read(spark, struct, scope).written_by(operations), settings


def _of_table(
    path: str, batches: BatchSource | None, asked: Options, options: Options
) -> tuple[HudiTable, dict[str, Any]]:
    """Return a table with what `replay` is asked of it; errors as in `check_replay`."""
    is_read = batches is None and not options["history"]
    refuse_quarantine(options, "replay doesn't quarantine keys of a real --table")
    known = (replay, Scope.of_paths, PayloadRef.__init__)
    refuse_table_settings(HudiTable.__init__, Batches.read, *known)
    if not is_read:
        refuse_foreign(_OF_QUERIES, open_written, Batches.read, *known)
    if batches is None:
        refuse_foreign("is for --batches; add them, or leave it out", HudiTable.__init__, *known)
    merged, props = class_of(options), dict(options["props"])
    writer: dict[str, Any] = {"props": props} if is_read else {"props": props, "payload": merged["payload"]}
    with refused():  # before Spark starts
        check_replay({**asked, **writer, "batches": batches}, None)
    if is_read:
        table = open_table(path, options["release"], engine=options["engine"], **merged)
    else:
        table = open_written(path, options["release"], **merged)
    scope = scope_of(table.plan(payload=writer.get("payload")), batches, options)
    if batches is None:
        return table, {**asked, **writer, "scope": scope}
    struct = table.columns if options["schema"] is None else read_schema(options["schema"], table.release)[1]
    return table, {**asked, **writer, "batches": batches.read(table.spark, struct, scope)}


def _write(found: Replay, target: Target) -> None:
    """Write the keys that differ in the end; a refused side has none."""
    keys, aside = found.differing_keys, found.quarantine
    if keys is None:
        return
    with output(keys.sparkSession, target) as run:
        run.write(keys, "" if aside is None else "keys")
        if aside is not None:
            run.write(aside, "quarantine")
