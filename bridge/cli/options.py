"""The options that verbs share, identical in all of them, and the plan that they make."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from bridge.cli.built_for import built_for_of
from bridge.cli.completion import payloads_from, releases_from
from bridge.cli.decorators import with_options
from bridge.cli.inputs import InputPath
from bridge.cli.java_options import JAVA_OPTIONS, compiled_of
from bridge.cli.job_config import config_option, with_job
from bridge.cli.on_error import call_timeout_option
from bridge.cli.session import bare_session_options
from bridge.config import key_hint
from bridge.merge import check_links
from bridge.plan import ENGINES, MergePlan, TableType
from bridge.programs import WriteOperation
from bridge.report import MOST, SAMPLE
from bridge.spark import read_schema
from mergers import MergerRef, RecordMergeMode
from payloads import HudiRelease, PayloadRef, StoredPayloadRef
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import types as spark_types

F = TypeVar("F", bound="Callable[..., Any]")

_RELEASES = ", ".join(map(str, HudiRelease))


def names(text: str) -> tuple[str, ...]:
    """Read column names, separated by commas; surrounding spaces are ignored."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found) or len(set(found)) < len(found):
        msg = f"{text!r} has an empty or a repeated name; write a or a,b"
        raise click.BadParameter(msg)
    return found


def numbers(text: str) -> tuple[int, ...]:
    """Read numbers of batches, from 1, separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        msg = f"{text!r}: batches are numbered 1, 2, 3; write N or N,N"
        raise click.BadParameter(msg)
    return tuple(sorted({int(part) for part in parts}))


def prop(text: str) -> tuple[str, str]:
    """Read one property; the first equals sign separates name and value."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        msg = f"{text!r} is not a property; write key=value"
        raise click.BadParameter(msg)
    if hint := key_hint(key.strip()):
        click.echo(f"warning: --prop {key.strip()} decides no merge{hint}", err=True)
    return key.strip(), value


def operation(text: str) -> tuple[int, str]:
    """Read how a batch is written: `3=delete`."""
    number, equals, name = text.partition("=")
    if not equals or not number.strip().isdecimal():
        msg = f"{text!r} does not name a batch and its operation; write N=NAME, such as 3=delete"
        raise click.BadParameter(msg)
    try:
        return int(number), WriteOperation.parse(name).value
    except PayloadBridgeError as error:
        raise click.BadParameter(str(error)) from error


def operations_of(given: Sequence[tuple[int, str]], batches: int) -> dict[int, str]:
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


def release(text: str) -> HudiRelease:
    """Read a release: `0.15`, `0.15.0` and so on."""
    try:
        return HudiRelease.parse(text)
    except PayloadBridgeError as error:
        raise click.BadParameter(str(error)) from error


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


_COMPACTION_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--compact-after",
        type=numbers,
        metavar="N[,N]",
        help="Compact the log of a merge-on-read table after these batches, counted from 1.",
    ),
    click.option(
        "--compact-every",
        type=click.IntRange(min=1),
        metavar="N",
        help="Compact the log of a merge-on-read table after every N batches.",
    ),
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
    "insert_overwrite_table, delete_partition, sql_update or sql_delete; may be repeated. Rows of a delete name keys, "
    "those of sql_update keys and the columns to assign, those of delete_partition partitions.",
)
_RELEASE = release_option(default=HudiRelease.latest().value, show_default=True)
_PLAN_OPTIONS: tuple[Callable[[Any], Any], ...] = (
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
    click.option(
        "--key",
        type=names,
        metavar="a[,b]",
        help="The record key columns. Required, unless --config names them.",
    ),
    click.option("--partition", type=names, metavar="a[,b]", help="The partition columns, part of a row's identity."),
    click.option(
        "--ordering",
        type=names,
        metavar="a[,b]",
        help="The ordering (precombine) columns: the greater value is the later version. Default: order of arrival.",
    ),
    click.option(
        "--arrival",
        metavar="COLUMN",
        help="The column with the order of arrival within a batch. Default: order of file names and rows.",
    ),
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
    click.option(
        "--fidelity",
        type=click.Choice(["hudi", "intended"]),
        default="hudi",
        show_default=True,
        help="How IGNORE_DEFAULTS recognizes a default: as Hudi does (same object) or as intended (by value).",
    ),
    click.option(
        "--engine",
        type=click.Choice(ENGINES),
        default="auto",
        show_default=True,
        help="The engine that runs the merges; auto picks the fastest one that supports the plan.",
    ),
    *JAVA_OPTIONS,
    call_timeout_option,
    bare_session_options,
)


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


def compaction_options(command: F) -> F:
    """Add `--compact-after` and `--compact-every`; `compactions_of` reads them."""
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
            payload=None if payload is None else _reference(payload, {**java, "built_for": built_for}),
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
        )
        if plan.payload is not None and not plan.runs_java:
            plan.payload.resolve(plan.release)
        elif plan.merger is not None and plan.mode is None and not plan.runs_java:
            plan.merger.resolve()
    except PayloadBridgeError as error:
        refuse(error)
    check_links(plan)
    return plan


def _reference(payload: str | StoredPayloadRef, java: Mapping[str, Any]) -> PayloadRef:
    """Return the reference to a class that the command line names, or a table or file, whose names load no code."""
    if isinstance(payload, StoredPayloadRef):
        return StoredPayloadRef(payload.name, **java)
    return PayloadRef(payload, **java)


def compactions_of(
    after: tuple[int, ...] | None, every: int | None, batches: int, types: Sequence[TableType]
) -> tuple[int, ...]:
    """Return the numbers of the batches after which the log is compacted.

    Raises:
        UsageError: both options, a batch that does not exist, or no table with a log.
    """
    message = None
    if after is not None and every is not None:
        message = "--compact-after and --compact-every exclude each other; give one"
    elif (after or every) and TableType.MERGE_ON_READ not in types:
        message = "only merge-on-read tables compact; add --table-type mor or both"
    elif after and after[-1] > batches:
        message = f"--compact-after {after[-1]}: there are {batches} batches"
    if message is not None:
        raise click.UsageError(message, click.get_current_context())
    return after or (tuple(range(every, batches + 1, every)) if every else ())


def refuse(error: PayloadBridgeError) -> NoReturn:
    """Turn an error of this project into one of the command line."""
    raise click.UsageError(str(error), click.get_current_context(silent=True)) from error


def with_schema(plan: MergePlan, schema: str | None) -> tuple[MergePlan, spark_types.StructType | None]:
    """Return the plan with the schema of the file, and its columns for Spark; needs a Spark session.

    Raises:
        InputError, SchemaError: the file can't be read or has no schema.
    """
    if schema is None:
        return plan, None
    avro, struct = read_schema(schema, plan.release)
    return dataclasses.replace(plan, schema=avro), struct
