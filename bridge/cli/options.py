"""The options that verbs share, identical in all of them, and the plan that they make."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.completion import MERGE_MODES
from bridge.cli.decorators import with_options
from bridge.cli.java_options import JAVA_OPTIONS, built_for_of, built_reference, compiled_of, refuse_place
from bridge.cli.job_config import config_option, with_job
from bridge.cli.needs import refuse_foreign, refuse_given
from bridge.cli.on_error import call_timeout_option, refuse_quarantine
from bridge.cli.parameters import derived_option, refused
from bridge.cli.session import bare_session_options
from bridge.cli.terminal import terminal_option
from bridge.compare import replay
from bridge.merge import check_links
from bridge.pipeline import Batches, Course, Scope, all_paths, check_numbers
from bridge.plan import MergePlan, TableType
from bridge.programs import check_plan
from bridge.report import MOST, SAMPLE
from bridge.spark import read_schema
from mergers import MergerRef, RecordMergeMode
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import types as spark_types

    from bridge.cli.decorators import Decorator, F, Options
    from bridge.pipeline import SqlMerge


RELEASES = f"One of {', '.join(map(str, HudiRelease))}; 1.3 is a preview."
"""What help says of a release."""


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


def table_types_option(text: str, default: TableType | None = TableType.COPY_ON_WRITE) -> Callable[[F], F]:
    """Make `--table-type` of cow, mor and both, whose value is a tuple of types; empty without a default."""
    shown: dict[str, Any] = {} if default is None else {"default": default.value, "show_default": True}
    both, words = "both", [one.value for one in TableType]

    def types(_context: click.Context, _option: click.Parameter, given: str | None) -> tuple[TableType, ...]:
        return tuple(TableType) if given == both else () if given is None else (TableType(given),)

    settings = {"type": click.Choice([*words, both]), "callback": types, "help": text, "default": None, **shown}
    return derived_option(all_paths, "table_types", "--table-type", **settings)


def sample_option(what: str) -> Callable[[F], F]:
    """Make `--sample`."""
    text = f"Print at most N {what}. Default: {SAMPLE} in text, {MOST:,} in JSON."
    return terminal_option("--sample", type=click.IntRange(min=0), metavar="N", help=text)


_COMPACTION_OPTIONS = (
    derived_option(replay, "compact_after"),
    derived_option(replay, "compact_every", type=click.IntRange(min=1)),
)
_UPGRADE_OPTIONS = (
    derived_option(replay, "upgrade_after", "--upgrade-after", "--downgrade-after"),
    derived_option(replay, "via"),
    derived_option(replay, "keep_table_version"),
)
operation_option = derived_option(
    Batches.written_by, "operations", "--operation", note="A MERGE INTO is N=sql_merge:FILE.sql."
)
_MERGER = derived_option(MergePlan, "merger", "--merger", "--mode", note=f"The merge modes: {', '.join(MERGE_MODES)}.")
_RELEASE = derived_option(MergePlan, "release", note=RELEASES)
_PLAN_OPTIONS: tuple[Decorator, ...] = (
    derived_option(MergePlan, "payload"),
    _MERGER,
    _RELEASE,
    derived_option(MergePlan, "key", note="Default: those of --config, or of the table."),
    derived_option(MergePlan, "partition"),
    derived_option(MergePlan, "ordering"),
    derived_option(MergePlan, "arrival", metavar="COLUMN"),
    derived_option(MergePlan, "schema"),
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
    derived_option(MergePlan, "trust_sample", type=click.IntRange(min=1)),
)


def trust_options(command: F) -> F:
    """Add `--trust-rule` and `--trust-sample`, of verbs whose engine may run a rule in place of a class."""
    return with_options(command, _TRUST_OPTIONS)


def plan_options(command: F, release: Decorator = _RELEASE) -> F:
    """Add the options that make a plan; `plan_of` reads them."""
    return with_options(command, [release if option is _RELEASE else option for option in _PLAN_OPTIONS])


def left_plan_options(command: F) -> F:
    """Add the options that make the plan of the first of two sides, whose release is that of `--from`.

    Only a real table may say its release itself, so the verb requires `--from` for everything else.
    """
    return plan_options(command, _from_option(note=f"Required, except with --table. {RELEASES}"))


def old_plan_options(command: F) -> F:
    """Add the options that make the plan of a payload class that is to be replaced, whose table may say the rest."""
    text = "The Hudi release of the class. Default: that which wrote the table, else 0.15."
    shared = [_from_option(help=text) if option is _RELEASE else option for option in _PLAN_OPTIONS]
    return with_options(command, [option for option in shared if option is not _MERGER])


def explained_plan_options(command: F) -> F:
    """Add the options that make a plan, or that of the first of two sides, whose release users call `--from`."""
    note = f"With --to: the first one. {RELEASES}"
    return plan_options(command, derived_option(MergePlan, "release", "--release", "--from", note=note))


def _from_option(**settings: Any) -> Decorator:
    return derived_option(MergePlan, "release", "--from", default=None, show_default=False, **settings)


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
    merger, built_for = options["merger"], built_for_of(options)
    if is_mode := merger is not None and merger.upper() in RecordMergeMode.__members__:
        why = f"is for a class that merges, and {merger} needs none; leave it out"
        refuse_given(["implementation"], why)
        refuse_place(options, why)
    fields = (one.name for one in dataclasses.fields(MergePlan) if one.name not in {"schema", "plain"})
    given = {name: options[name] for name in fields if options.get(name) is not None}
    given |= {"props": dict(options["props"]), "table_type": table_type}
    with refused():
        if payload is not None:
            given["payload"] = built_reference(payload, {**java, "built_for": built_for})
        if merger is not None:
            given["merger"] = MergerRef(merger, **({} if is_mode else java))
        plan = MergePlan(**given)
        if plan.payload is not None and not plan.runs_java and not (plan.trust_rule and plan.payload.is_compiled):
            plan.payload.resolve(plan.release)
        elif plan.merger is not None and plan.mode is None and not plan.runs_java:
            plan.merger.resolve()
    runs_port = options["implementation"] is None and plan.engine == "auto" and not plan.runs_java
    if runs_port and "to" not in click.get_current_context().params:
        refuse_given(
            ["jar"], f"is not needed: {plan.payload_name} runs in Python; leave it out, or add --implementation java"
        )
    check_links(plan)
    return plan


def course_of(options: Options, batches: int, types: Sequence[TableType]) -> Course:
    """Return the course that the options of a verb describe, for some batches; errors as in `Course.of`."""
    told = [name for name in inspect.signature(Course.of).parameters if options.get(name) is not None]
    return Course.of(batches, types, **{name: options[name] for name in told})


def check_all_paths(plan: MergePlan) -> None:
    """Refuse what contradicts `--all-paths`.

    Raises:
        UsageError: an option describes one path, or the paths of the plan can't be searched.
    """
    why = "contradicts --all-paths, which tries every compaction and every split of one writer's upserts"
    refuse_foreign(f"{why}; leave it out", all_paths, MergePlan, Scope.of_paths, PayloadRef.__init__, taken=("config",))
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
