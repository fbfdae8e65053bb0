"""The options that verbs share, identical in all of them, and the plan that they make."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NoReturn

import click

from bridge.cli.built_for import built_for_of, built_reference
from bridge.cli.completion import payloads_from, releases_from
from bridge.cli.decorators import with_options
from bridge.cli.inputs import InputPath
from bridge.cli.java_options import JAVA_OPTIONS, compiled_of
from bridge.cli.job_config import config_option, with_job
from bridge.cli.on_error import call_timeout_option
from bridge.cli.parameters import derived_option
from bridge.cli.session import bare_session_options
from bridge.cli.values import operation, prop, release
from bridge.compare import replay
from bridge.errors import ParameterError
from bridge.merge import check_links
from bridge.pipeline import Course, SqlMerge
from bridge.plan import MergePlan, TableType
from bridge.report import MOST, SAMPLE
from bridge.spark import read_schema
from mergers import MergerRef, RecordMergeMode
from payloads import HudiRelease
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import types as spark_types

    from bridge.cli.decorators import Decorator, F, Options


_RELEASES = ", ".join(map(str, HudiRelease))


def operations_of(given: Sequence[tuple[int, str | SqlMerge]], batches: int) -> dict[int, str | SqlMerge]:
    """Return the operations of batches by number.

    Raises:
        UsageError: a batch does not exist, or has two operations.
    """
    found = dict(given)
    message = next((f"--operation {n}: there are {batches} batches" for n in found if not 1 <= n <= batches), None)
    if len(found) < len(given):
        message = "--operation: a batch has two operations; give it one"
    if message is not None:
        raise click.UsageError(message, click.get_current_context())
    return found


def existing_path(name: str, text: str) -> Callable[[F], F]:
    """Make an option for a file or folder to read."""
    return click.option(name, type=InputPath(), metavar="PATH", help=text)


def payload_option(**settings: Any) -> Callable[[F], F]:
    """Make `--payload`."""
    text = "The payload class: a Hudi class by its full or short Java name, or your own as package.module:Class."
    return click.option("--payload", metavar="NAME", **{"help": text, "shell_complete": payloads_from, **settings})


def release_option(**settings: Any) -> Callable[[F], F]:
    """Make `--release`."""
    text = f"The Hudi release whose rules apply: {_RELEASES}."
    return click.option("--release", type=release, metavar="R", help=text, shell_complete=releases_from, **settings)


def sample_option(what: str) -> Callable[[F], F]:
    """Make `--sample`."""
    text = f"Print at most N {what}. Default: {SAMPLE} in text, {MOST:,} in JSON."
    return click.option("--sample", type=click.IntRange(min=0), metavar="N", help=text)


_COMPACTION_OPTIONS = (
    derived_option(replay, "compact_after"),
    derived_option(replay, "compact_every", type=click.IntRange(min=1)),
)
_UPGRADE_OPTIONS = (
    derived_option(replay, "upgrade_after", "--upgrade-after", "--downgrade-after"),
    derived_option(replay, "via", note="May be repeated."),
    derived_option(replay, "keep_table_version"),
)
plain_after_option = click.option(
    "--plain-after",
    type=click.IntRange(min=1),
    metavar="N",
    help="From batch N + 1 on the writer passes neither payload class nor merge mode, as most later writers do.",
)
operation_option = click.option(
    "--operation",
    "operations",
    type=operation,
    multiple=True,
    metavar="N=NAME",
    help="How batch N, from 1, is written, if not by upsert: insert, bulk_insert, delete, insert_overwrite, "
    "insert_overwrite_table, delete_partition, sql_update, sql_delete or sql_merge:FILE.sql; may be repeated. Rows of "
    "a delete name keys, those of sql_update keys and the columns to assign, those of delete_partition partitions; "
    "those of sql_merge are the source of the MERGE INTO statement in the file.",
)
_RELEASE = release_option(default=HudiRelease.latest().value, show_default=True)
_PLAN_OPTIONS: tuple[Decorator, ...] = (
    payload_option(),
    click.option(
        "--mode",
        type=click.Choice([mode.value for mode in RecordMergeMode if mode is not RecordMergeMode.CUSTOM]),
        help="A merge mode of Hudi 1.0 and later, instead of a payload.",
    ),
    click.option(
        "--merger",
        metavar="NAME",
        help="Your own merger, instead of a payload: package.module:Class, or a Java class of --jar or --package.",
    ),
    _RELEASE,
    derived_option(MergePlan, "key", note="Default: those of --config, or of the table."),
    derived_option(MergePlan, "partition"),
    derived_option(MergePlan, "ordering"),
    derived_option(MergePlan, "arrival", metavar="COLUMN"),
    click.option(
        "--schema",
        type=InputPath(),
        metavar="FILE",
        help="The schema of the rows: Avro in FILE.avsc, else Spark DDL (id string, ts bigint). Default: the files'.",
    ),
    click.option(
        "--prop",
        "props",
        type=prop,
        metavar="key=value",
        multiple=True,
        help="An option of the DataFrame writer as Hudi names it, for example hoodie.payload.delete.field=op; may be "
        "repeated. Not a table property: hoodie.record.merge.property.* and hoodie.record.merge.mode have no effect.",
    ),
    config_option,
    derived_option(MergePlan, "fidelity"),
    derived_option(MergePlan, "engine"),
    *JAVA_OPTIONS,
    call_timeout_option,
    bare_session_options,
)


_TRUST_OPTIONS: tuple[Decorator, ...] = (
    derived_option(MergePlan, "trust_rule"),
    derived_option(MergePlan, "trust_sample"),
)


def trust_options(command: F) -> F:
    """Add `--trust-rule` and `--trust-sample`, of the verb whose engine runs a rule in place of a class."""
    return with_options(command, _TRUST_OPTIONS)


def plan_options(command: F) -> F:
    """Add the options that make a plan; `plan_of` reads them."""
    return with_options(command, _PLAN_OPTIONS)


def left_plan_options(command: F) -> F:
    """Add the options that make the plan of the first of two sides, whose release is that of `--from`.

    Only a real table may say its release itself, so the verb requires `--from` for everything else.
    """
    text = f"The Hudi release to compare with: {_RELEASES}. Required, except with --table."
    left = click.option("--from", "release", type=release, metavar="R", help=text, shell_complete=releases_from)
    return with_options(command, [left if option is _RELEASE else option for option in _PLAN_OPTIONS])


def upgrade_options(command: F) -> F:
    """Add `--upgrade-after`, `--via` and `--keep-table-version`; `course_of` reads them."""
    return with_options(command, _UPGRADE_OPTIONS)


def compaction_options(command: F) -> F:
    """Add `--compact-after` and `--compact-every`; `course_of` reads them."""
    return with_options(command, _COMPACTION_OPTIONS)


def plan_of(table_type: TableType, **options: Any) -> MergePlan:
    """Make the plan, and check everything that needs no data; `schema` is left to `with_schema`.

    Raises:
        UsageError: the options contradict each other, or name something that does not exist.
        ClassLinkError: the compiled payload does not link to the release.
    """
    options = with_job(options)
    payload = options["payload"]
    java: dict[str, Any] = compiled_of(options)
    given = [name for name in ("payload", "mode", "merger") if options[name] is not None]
    if len(given) != 1:
        msg = f"give exactly one of --payload, --mode and --merger, not {' and '.join(given) or 'none'}"
        raise click.UsageError(msg)
    merger, built_for = options["mode"] or options["merger"], built_for_of(options)
    try:
        plan = MergePlan(
            payload=None if payload is None else built_reference(payload, {**java, "built_for": built_for}),
            merger=None if merger is None else MergerRef(merger, **({} if options["mode"] else java)),
            release=options["release"],
            table_type=table_type,
            key=options["key"] or (),
            partition=options["partition"] or (),
            ordering=options["ordering"] or (),
            arrival=options["arrival"],
            props=dict(options["props"]),
            fidelity=options["fidelity"],
            engine=options["engine"],
            implementation=options["implementation"],
            on_error=options.get("on_error", "fail"),
            call_timeout=options["call_timeout"],
            **{name: options[name] for name in ("trust_rule", "trust_sample") if name in options},
        )
        if plan.payload is not None and not plan.runs_java and not (plan.trust_rule and plan.payload.is_compiled):
            plan.payload.resolve(plan.release)
        elif plan.merger is not None and plan.mode is None and not plan.runs_java:
            plan.merger.resolve()
    except PayloadBridgeError as error:
        refuse(error)
    check_links(plan)
    return plan


_COURSE = ("upgrade_after", "via", "keep_table_version", "plain", "compact_after", "compact_every")


def course_of(options: Options, batches: int, types: Sequence[TableType]) -> Course:
    """Return the course that the options of a verb describe, for some batches to tables of some types.

    Raises:
        UsageError: they contradict each other, or name a batch that does not exist.
    """
    given = {name: options[name] for name in _COURSE if options.get(name) is not None}
    try:
        return Course.of(batches, types, **given)
    except PayloadBridgeError as error:
        refuse(error)


def refuse(error: PayloadBridgeError) -> NoReturn:
    """Turn an error of this project into one of the command line."""
    text = error.of_options() if isinstance(error, ParameterError) else str(error)
    raise click.UsageError(text, click.get_current_context(silent=True)) from error


def with_schema(plan: MergePlan, schema: str | None) -> tuple[MergePlan, spark_types.StructType | None]:
    """Return the plan with the schema of the file, and its columns for Spark; needs a Spark session.

    Raises:
        InputError, SchemaError: the file can't be read or has no schema.
    """
    if schema is None:
        return plan, None
    avro, struct = read_schema(schema, plan.release)
    return dataclasses.replace(plan, schema=avro), struct
