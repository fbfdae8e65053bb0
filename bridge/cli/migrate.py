"""`payload-bridge migrate`: the replacement for a payload class, accepted if a replay gives the same rows."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, Final

import click
from pyspark.sql import SparkSession

from bridge.cli.inputs import BatchSource, batches_option_of
from bridge.cli.job_config import with_job
from bridge.cli.migrate_script import carry_out, check_script_options, script_options, state_in_sql
from bridge.cli.needs import parameters_of, refuse_taken
from bridge.cli.options import (
    compaction_options,
    old_plan_options,
    operation_option,
    operations_of,
    plan_of,
    sample_option,
    table_types_option,
    with_schema,
)
from bridge.cli.out import folder_of
from bridge.cli.parameters import derived_option, refused
from bridge.cli.quiet import quiet_session
from bridge.cli.rebuilt_input import TableInput, holds_rows, rebuilt_of
from bridge.cli.scope import scope_of, scope_options
from bridge.cli.table import properties_of
from bridge.cli.table_input import located
from bridge.cli.terminal import terminal_option
from bridge.cli.verb import Verb, wants_json
from bridge.cli.writing import stop_if_dry
from bridge.compare import next_steps
from bridge.config import TableMergeConfig, assumed_writer_of, keys
from bridge.errors import InputError, PlanError
from bridge.hudi import AlteredTableError, DamagedFileError, HudiTableError, TableProperties
from bridge.migration import TrialSettings, files_of, migrate, migrate_request, tried_types
from bridge.pipeline import Batches, Compactions, Scope
from bridge.report import limit_of
from bridge.spark import read_schema, write_texts
from payloads import HudiRelease, StoredPayloadRef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.plan import MergePlan, TableType
    from bridge.report import Report

_META_KEY = ("_hoodie_record_key",)
_OF_ROWS: Final = (Scope.of_paths, Batches.written_by)
"""What takes the options that say which rows there are, and how they are written."""


@click.command("migrate", cls=Verb, short_help="Recommend a replacement for a payload class, and test it.")
@terminal_option(
    "--table",
    metavar="TABLE|PROPERTIES",
    help="The table to migrate, its name in Spark's catalogue, or its hoodie.properties; supplies payload, key and "
    "ordering. It is not changed.",
)
@batches_option_of(required=False)
@old_plan_options
@derived_option(migrate, "merger")
@derived_option(migrate, "to", metavar="R|MODE|MERGER")
@derived_option(migrate, "upgrade_after")
@derived_option(migrate, "keep_table_version")
@table_types_option(
    "The type of the table: copy-on-write, merge-on-read, or both. Default: that of --table, else cow.", None
)
@derived_option(migrate, "all_paths")
@derived_option(migrate, "accept_differences", note="The keys that differ are listed.")
@derived_option(migrate, "java_class")
@terminal_option(
    "--out",
    metavar="PATH",
    help="Write settings, undo, report and generated mergers to this folder, local or on a storage.",
)
@script_options
@operation_option
@compaction_options
@scope_options
@sample_option("keys that differ")
def migrate_command(  # noqa: PLR0913 (one parameter an option)
    *,
    table: str | None,
    batches: BatchSource | None,
    to: str,
    merger: str | None,
    table_types: tuple[TableType, ...],
    java_class: str | None,
    accept_differences: bool,
    all_paths: bool,
    sample: int | None,
    out: str | None,
    **options: Any,
) -> Report:
    """Recommend merge mode and properties for a payload class; accept them if a replay gives the same rows.

    Tried in this order, until one gives the rows of the payload class in its old release: Hudi's own replacement, if
    the class is deprecated; the merge modes; the partial update modes; any other class unchanged; --merger. For a
    custom class, mergers in Python and Java are generated. Without --batches they are tried on the commits that the
    files of --table still hold, which the report counts; without rows nothing is tried. If no candidate gives the same
    rows, the exit code is 1 and nothing is written, unless --accept-differences is given.
    """
    path = None if table is None else located(table)
    is_tried_on_table = batches is None and path is not None and holds_rows(path)
    if batches is None and not is_tried_on_table:
        refuse_taken("is for rows; add --batches, or leave it out", *_OF_ROWS)
    check_script_options(path, options)
    target = folder_of(out)
    stored = None if path is None else properties_of(path, options["release"] or HudiRelease.latest())
    types = tried_types(stored, table_types)
    options = with_job({**options, "release": options["release"] or _release_of(stored)})
    left = plan_of(types[0], **_completed(options, stored, needs_key=batches is not None or is_tried_on_table))
    held, untried = _held(path, left, options) if is_tried_on_table else (None, "")
    if untried:
        refuse_taken(f"is for commits of the table, which can't be tried: {untried}", *_OF_ROWS, TrialSettings)
    with contextlib.ExitStack() as closing:
        settings: dict[str, Any] = {
            **{name: options[name] for name in parameters_of(migrate) if options.get(name) is not None},
            "merger": merger,
            "java_class": java_class,
            "all_paths": all_paths,
            "accept_differences": accept_differences,
            "sample": limit_of(sample, whole=wants_json()) if accept_differences else sample,
        }
        if held is not None:
            closing.callback(held.rebuilt.close)
            why = "is for --batches; the commits of a --table are as its files hold them"
            refuse_taken(why, Batches.read, Batches.written_by, Compactions)
            settings["compact_after"] = held.rebuilt.compact_after
        given = batches if held is None else held.rebuilt.batches
        commits = None if given is None else len(given)
        with refused():  # before Spark starts
            migrate_request(left, to, commits, types, **settings)
        settings |= {"properties": stored, "table_types": types, "batches": None if held is None else given}
        if batches is not None:
            scope = scope_of(left, batches, options)
            spark = batches.session()
            left, struct = with_schema(left, options["schema"])
            operations = operations_of(options["operations"], len(batches))
            settings["batches"] = batches.read(spark, struct, scope).written_by(operations)
        elif held is None and options["schema"] is not None:
            left = _asked_about(left, options["schema"])
        made = migrate(left, to, **settings)
        report = made.to_report(sample)
        if held is not None:
            held.tell(report)
        carry_out(made, report, path, options)
        state_in_sql(made, report, options["sql"])
    if untried:
        report.warnings.append(f"no candidate was tried: {untried}")
    if report.next and path is not None:
        report.next = next_steps(path, made.to, left.payload, refused_by=left.release)
    report.plan |= {
        "key": None if left.key == _META_KEY else list(left.key),
        "table": table,
    }
    if target is not None and made.is_accepted:
        stop_if_dry()
        files = files_of(made, report)
        write_texts(SparkSession.getActiveSession(), target, files)
        report.body.append(f"Written to {out}: {', '.join(files)}")
    return report


def _asked_about(left: MergePlan, schema: str) -> MergePlan:
    """Return the plan with the schema of a file, by which its class is asked; a compiled one in a session's JVM.

    Raises:
        InputError, SchemaError: the file can't be read or has no schema.
    """
    if left.runs_java:
        quiet_session()
    return dataclasses.replace(left, schema=read_schema(schema, left.release, quiet_session)[0])


def _held(path: str | None, left: MergePlan, options: Mapping[str, object]) -> tuple[TableInput | None, str]:
    """Return the commits that a table still holds, or why they can't be rebuilt."""
    try:
        return rebuilt_of(str(path), left.release, options, left), ""
    except (AlteredTableError, DamagedFileError):
        raise
    except (InputError, PlanError, HudiTableError) as error:
        return None, str(error)


def _completed(options: Mapping[str, object], stored: Mapping[str, str] | None, *, needs_key: bool) -> dict[str, Any]:
    """Return the options of the left plan, with those left out taken from the table.

    Raises:
        UsageError: the payload or the key is missing.
    """
    table = TableMergeConfig.from_properties(stored or {})
    stored_class = table.payload or table.legacy_payload
    by_table = {
        "payload": stored_class and StoredPayloadRef(stored_class),
        "release": _release_of(stored),
        "ordering": table.ordering,
        "key": _names((stored or {}).get(keys.RECORD_KEY.key)) or (None if needs_key else _META_KEY),
        "partition": TableProperties(stored or {}).partition_fields or None,
    }
    found = {name: options[name] or value for name, value in by_table.items()}
    where = "" if stored is None else "; the table does not store it"
    for name, what in (("payload", "the payload class"), ("key", "the record key")):
        if found[name] is None:
            msg = f"name {what} with --{name}{where}"
            raise click.UsageError(msg, click.get_current_context())
    return {**options, **found, "merger": None}


def _release_of(stored: Mapping[str, str] | None) -> HudiRelease:
    """Return the release that has written so far, by the version of the table."""
    if stored is None:
        return HudiRelease.V0_15
    return assumed_writer_of(TableMergeConfig.from_properties(stored))


def _names(text: str | None) -> tuple[str, ...] | None:
    return tuple(name.strip() for name in text.split(",")) if text else None
