"""The options that verbs share, identical in all of them, and the plan that they make."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.built_for import built_for_of, built_reference
from bridge.cli.completion import payloads_from, releases_from
from bridge.cli.decorators import with_options
from bridge.cli.inputs import InputPath, SchemaInput
from bridge.cli.java_options import JAVA_OPTIONS, compiled_of
from bridge.cli.job_config import config_option, with_job
from bridge.cli.needs import refuse_given
from bridge.cli.on_error import call_timeout_option, refuse_quarantine
from bridge.cli.parameters import derived_option, refused
from bridge.cli.session import bare_session_options
from bridge.cli.values import operation, release
from bridge.compare import replay
from bridge.merge import check_links
from bridge.pipeline import Course, SqlMerge, check_numbers
from bridge.plan import MergePlan, TableType
from bridge.programs import check_plan
from bridge.report import MOST, SAMPLE
from bridge.spark import read_schema
from mergers import MergerRef, RecordMergeMode
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import types as spark_types

    from bridge.cli.decorators import Decorator, F, Options


_RELEASES = ", ".join(map(str, HudiRelease))


def operations_of(given: Sequence[tuple[int, str | SqlMerge]], batches: int) -> dict[int, str | SqlMerge]:
    """Return the operations of batches by number.

    Raises:
        UsageError: a batch has two operations.
        ParameterError: a batch does not exist.
    """
    found = dict(given)
    if len(found) < len(given):
        msg = "--operation: a batch has two operations; give it one"
        raise click.UsageError(msg, click.get_current_context())
    check_numbers(found, batches)
    return found


def existing_path(name: str, text: str) -> Callable[[F], F]:
    """Make an option for a file or folder to read."""
    return click.option(name, type=InputPath(), metavar="PATH", help=text)


def schema_option(what: str, default: str = "the files'") -> Callable[[F], F]:
    """Make `--schema`, a file or the schema itself."""
    text = f"{what}: Spark DDL ('id string, ts bigint') or Avro JSON, or a file with either. Default: {default}."
    return click.option("--schema", type=SchemaInput(), metavar="FILE|DDL", help=text)


def payload_option(**settings: Any) -> Callable[[F], F]:
    """Make `--payload`."""
    text = "The payload class: a Hudi class by its full or short Java name, or your own as package.module:Class."
    return click.option("--payload", metavar="NAME", **{"help": text, "shell_complete": payloads_from, **settings})


def release_option(*flags: str, **settings: Any) -> Callable[[F], F]:
    """Make `--release`, or an option of another name that takes a release."""
    told = {"type": release, "metavar": "R", "shell_complete": releases_from}
    text = f"The Hudi release whose rules apply: {_RELEASES}."
    return click.option(*(flags or ("--release",)), **{**told, "help": text, **settings})


def table_type_option(text: str) -> Callable[[F], F]:
    """Make `--table-type`, of cow and mor."""
    return click.option("--table-type", type=click.Choice([one.value for one in TableType]), help=text)


def table_types_option(text: str, default: TableType | None = TableType.COPY_ON_WRITE) -> Callable[[F], F]:
    """Make `--table-type` of cow, mor and both, whose value is a tuple of types; empty without a default."""
    shown: dict[str, Any] = {} if default is None else {"default": default.value, "show_default": True}
    both, words = "both", [one.value for one in TableType]

    def types(_context: click.Context, _option: click.Parameter, given: str | None) -> tuple[TableType, ...]:
        return tuple(TableType) if given == both else () if given is None else (TableType(given),)

    return click.option(
        "--table-type", "table_types", type=click.Choice([*words, both]), callback=types, help=text, **shown
    )


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
    derived_option(replay, "via"),
    derived_option(replay, "keep_table_version"),
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
    schema_option("The schema of the rows"),
    derived_option(MergePlan, "props", "--prop"),
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
    """Add `--trust-rule` and `--trust-sample`, of verbs whose engine may run a rule in place of a class."""
    return with_options(command, _TRUST_OPTIONS)


def plan_options(command: F) -> F:
    """Add the options that make a plan; `plan_of` reads them."""
    return with_options(command, _PLAN_OPTIONS)


def left_plan_options(command: F) -> F:
    """Add the options that make the plan of the first of two sides, whose release is that of `--from`.

    Only a real table may say its release itself, so the verb requires `--from` for everything else.
    """
    text = f"The Hudi release to compare with: {_RELEASES}. Required, except with --table."
    left = release_option("--from", "release", help=text)
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
    if options["mode"]:
        of_class = ["jars", "implementation", *(["package"] if java["package"] else [])]
        refuse_given(of_class, "is for a class that merges, and --mode needs none; leave it out")
    merger, built_for = options["mode"] or options["merger"], built_for_of(options)
    with refused():
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
    runs_port = options["implementation"] is None and plan.engine == "auto" and not plan.runs_java
    if runs_port and "to" not in click.get_current_context().params:
        refuse_given(
            ["jars"], f"is not needed: {plan.payload_name} runs in Python; leave it out, or add --implementation java"
        )
    check_links(plan)
    return plan


_COURSE = ("upgrade_after", "via", "keep_table_version", "plain", "plain_after", "compact_after", "compact_every")


def course_of(options: Options, batches: int, types: Sequence[TableType]) -> Course:
    """Return the course that the options of a verb describe, for some batches; errors as in `Course.of`."""
    return Course.of(batches, types, **{name: options[name] for name in _COURSE if options.get(name) is not None})


ONE_PATH = ("operations", "plain_after", "compact_after", "compact_every", "upgrade_after", "keep_table_version")
"""The options that describe one path of batches through a table."""


def check_all_paths(plan: MergePlan) -> None:
    """Refuse what contradicts `--all-paths`, if the verb that runs has it.

    Raises:
        UsageError: an option describes one path, or the paths of the plan can't be searched.
    """
    if not click.get_current_context().params["all_paths"]:
        return
    why = "contradicts --all-paths, which tries every compaction and every split of one writer's upserts"
    refuse_given(ONE_PATH, f"{why}; leave it out")
    refuse_quarantine({"on_error": plan.on_error}, "with --all-paths a failing path is one of the results")
    with refused():
        check_plan(plan)


def with_schema(plan: MergePlan, schema: str | None) -> tuple[MergePlan, spark_types.StructType | None]:
    """Return the plan with the schema of the file, and its columns for Spark; needs a Spark session.

    Raises:
        InputError, SchemaError: the file can't be read or has no schema.
    """
    if schema is None:
        return plan, None
    avro, struct = read_schema(schema, plan.release)
    return dataclasses.replace(plan, schema=avro), struct
