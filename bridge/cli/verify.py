"""`payload-bridge verify`: checks a payload, a merge mode or a merger against the laws of merging."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from bridge.cli.completion import rules_from
from bridge.cli.inputs import batches_option_of
from bridge.cli.java_options import built_reference, java_options
from bridge.cli.job_config import config_option, with_job
from bridge.cli.options import RELEASES
from bridge.cli.parameters import OF_DATA, derived_option, refused
from bridge.cli.quiet import quiet_session
from bridge.cli.session import bare_session_options
from bridge.cli.table_input import table_option
from bridge.cli.terminal import terminal_option
from bridge.cli.verb import FAILED, Verb
from bridge.cli.verify_data import drawn_rows
from bridge.cli.writing import may_replace, stop_if_dry
from bridge.redaction import without_credentials
from bridge.spark import read_schema
from bridge.verify import compiled, gives_columns_alone, pytest_text, spark_text, verify, write
from mergers.laws import RULE_SETS, giving_up_by
from payloads.user import CallGuard

if TYPE_CHECKING:
    from bridge.report import Report
    from bridge.verify import Verification
    from payloads import HudiRelease, PayloadRef

_LAWS = RULE_SETS["all"].laws


class _Verify(Verb):
    """The verb, whose help lists the laws."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Add the laws."""
        with formatter.section("Laws (s: stored row; a, b, c: versions, oldest first)"):
            formatter.write_dl([(law.id, law.equation) for law in _LAWS])
        super().format_epilog(ctx, formatter)


@click.command(cls=_Verify, name="verify")
@click.argument("name", metavar="PAYLOAD|MODE|MERGER", shell_complete=rules_from)
@derived_option(verify, "release", note=RELEASES)
@derived_option(verify, "schema", note="With --batches or --table: that of the rows.")
@derived_option(verify, "key")
@derived_option(verify, "ordering")
@derived_option(verify, "props", "--prop")
@config_option
@derived_option(verify, "laws", note="Their names are below.")
@derived_option(verify, "domains", "--domains", "--domain")
@derived_option(verify, "examples", type=click.IntRange(min=1))
@derived_option(
    verify,
    "exhaustive",
    default=None,
    help="Only enumerate a few values of every column, without random examples.",
)
@derived_option(verify, "seed", type=int)
@batches_option_of(required=False)
@table_option
@derived_option(verify, "call_timeout", type=click.FloatRange(min=0), metavar="SECONDS")
@derived_option(verify, "allow")
@java_options
@bare_session_options
@terminal_option("--emit-test", type=click.Path(path_type=Path), metavar="FILE", help="Write the violations as a test.")
@terminal_option(
    "--emit-spark",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a PySpark script that shows a violation on real Hudi.",
)
def verify_command(emit_test: Path | None, emit_spark: Path | None, **options: Any) -> Report:
    """Check a payload, a merge mode or a merger against the laws of merging.

    A law is `proved` for all rows if the rule of the class decides it, else for the values that the report lists:
    every combination of operands made of them was tried. Random examples only show that there is no counterexample
    among them. For a violated law the smallest counterexample is shown, with both sides of the equation. With
    --batches or --table operands are drawn from your rows, too.

    The exit code is 1 if a law is violated, and 3 if one could not be checked.
    """
    emitted = ((emit_test, pytest_text, "--emit-test"), (emit_spark, spark_text, "--emit-spark"))
    for path, _, option in emitted:
        if path is not None:
            may_replace(path, option)
    verification = _verified(**options)
    for path, text, _ in emitted:
        if path is not None:
            write(text(verification), path)
    return verification.to_report()


def _verified(name: str, release: HudiRelease, schema: str | None, *, allow: Any, **options: Any) -> Verification:
    batches, table = options.pop("batches"), options.pop("table")
    options = with_job({**options, "release": release})
    parsed = None if schema is None else read_schema(schema, release, quiet_session)[0]
    settings: dict[str, Any] = {
        "schema": parsed,
        "key": options["key"] or (() if parsed is not None or batches or table else ("id",)),
        "ordering": options["ordering"],
        "props": dict(options["props"]),
    }
    stop_if_dry()
    drawn = drawn_rows(batches, table, release, parsed, options["seed"])
    settings = settings if drawn is None else drawn.completed(settings)
    reference = built_reference(name, options)
    with refused(but=OF_DATA), CallGuard(name, None) as loading, giving_up_by(_end):
        runs_java = loading.call("loading it", _runs_java, reference, release, options["implementation"])
        if not runs_java and loading.call("loading it", gives_columns_alone, name):
            quiet_session()  # which the check takes
        return verify(
            name,
            release=release,
            **settings,
            subject=compiled(quiet_session(), reference, release, **settings) if runs_java else None,
            laws=options["laws"],
            domains=options["domains"],
            examples=options["examples"],
            exhaustive=options["exhaustive"],
            seed=options["seed"],
            allow=allow or (),
            data=() if drawn is None else drawn.rows,
            call_timeout=options["call_timeout"],
        )


_exit = os._exit  # before a check watches it


def _end(message: str) -> NoReturn:
    """End the process where a class swallows whatever interrupts it."""
    sys.stderr.write(f"error: {without_credentials(message)}\n")
    sys.stderr.flush()
    _exit(FAILED)


def _runs_java(reference: PayloadRef, release: HudiRelease, implementation: str | None) -> bool:
    """Whether to check the compiled class: on request, or because no Python class exists."""
    if implementation is not None:
        return implementation == "java"
    return reference.is_compiled and not reference.has_port(release)
