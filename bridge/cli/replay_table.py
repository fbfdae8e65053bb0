"""`payload-bridge replay --table`: what a move changes on a real table; each question says what it can prove."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.needs import refuse_foreign, refuse_given
from bridge.cli.rebuilt_input import refuse_table_settings
from bridge.cli.scope import scope_of
from bridge.cli.table_class import class_of
from bridge.cli.table_input import open_table, open_written
from bridge.cli.verb import wants_json, wants_page
from bridge.compare import compare_readers, replay_batches, replay_history, report_upgraded_readers, table_release
from bridge.explain import readers_view, replay_view
from bridge.hudi import HudiTable
from bridge.pipeline import Batches, Scope
from bridge.report import PAGE_KEYS
from bridge.spark import output, read_schema
from payloads import PayloadRef

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame

    from bridge.cli.inputs import BatchSource
    from bridge.report import Report, View
    from bridge.spark import Target

_OF_QUERIES = (
    "is for queries of a real --table; commits to it are merged key by key where the class runs, in Python or Java: "
    "leave it out"
)
_PROOF = (
    "Exact for these batches: the first write finds the table's rows and log entries of their keys, and upgrades the "
    "table. For rows that no batch touches, run replay --table without --batches."
)


def replay_table(  # noqa: PLR0913 (what the verb was given)
    path: str,
    to: str,
    batches: BatchSource | None,
    *,
    sample: int | None,
    out: Target | None,
    keep: bool,
    history: bool,
    **options: Any,
) -> Report:
    """Report what changes on a table: for readers, for the next batches, or over its history; all of it to `out`.

    Raises:
        UsageError: options that do not belong to the question.
    """
    if batches is not None and history:
        msg = "--history replays the table's own commits; leave out --batches, or --history"
        raise click.UsageError(msg, click.get_current_context())
    is_read = batches is None and not history
    if not is_read:
        refuse_given(("engine",), _OF_QUERIES)
    every = (HudiTable.plan, PayloadRef.__init__, Scope.of_paths)
    refuse_table_settings(HudiTable.__init__, replay_batches, Batches.read, *every)
    if history:
        refuse_foreign("is for --batches, not for --history; leave it out", open_written, replay_history, *every)
    elif is_read:
        why = "applies to writes, and without --batches the table is only read; add them, or leave it out"
        refuse_foreign(why, HudiTable.__init__, *every[1:], taken=("to",))
    if not history:
        table_release(to)

    merged = class_of(options)
    if is_read:
        table = open_table(path, options["release"], engine=options["engine"], **merged)
    else:
        table = open_written(path, options["release"], **merged)
    payload = None if is_read else merged["payload"]
    scope = scope_of(table.plan(payload=payload), batches, options)
    writer: dict[str, Any] = {"payload": payload, "props": dict(options["props"])}
    with contextlib.ExitStack() as open_until_told:
        if history:
            replayed = replay_history(table, to, scope=scope, **writer)
            open_until_told.callback(replayed.close)
            _write(replayed.replay.differing, out)
            report = replayed.to_report(sample, whole=wants_json())
            return _with_page(report, lambda limit: replay_view([replayed.replay], limit), sample)
        if batches is not None:
            read = batches.read(table.spark, _struct(options["schema"], table), scope)
            found = open_until_told.enter_context(replay_batches(table, read, to, keep_table_version=keep, **writer))
            _write(found.differing, out)
            report = found.to_report(sample, whole=wants_json())
            report.plan["table"] = path
            report.body.append(_PROOF)
            return _with_page(report, lambda limit: replay_view([found], limit), sample)
        compared = open_until_told.enter_context(compare_readers(table, [to], scope=scope))
        _write(compared.differences(to), out)
        report = report_upgraded_readers(compared, sample, whole=wants_json())
        return _with_page(report, lambda limit: readers_view(compared, limit), sample)


def _with_page(report: Report, view_of: Callable[[int], View], sample: int | None) -> Report:
    """Give a report what its page shows, if there is one."""
    if wants_page():
        report.view = view_of(PAGE_KEYS if sample is None else sample)
        report.statistics["causes"] = {line.id: line.keys for line in report.view.causes}
    return report


def _write(differences: DataFrame | None, out: Target | None) -> None:
    """Write the rows that differ, where a target is named and both sides run."""
    if out is not None and differences is not None:
        with output(differences.sparkSession, out) as run:
            run.write(differences)


def _struct(schema: Path | None, table: HudiTable) -> Any:
    """Return the columns of the batches for Spark: those of the file, else the table's."""
    return table.columns if schema is None else read_schema(schema, table.release)[1]
