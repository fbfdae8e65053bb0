"""Verb and Verbs: how every command prints its report, reports errors, and sets the exit code."""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from bridge.cli.examples import EXAMPLES, wrapped
from bridge.cli.printed import printing_aside
from bridge.cli.run import run_of
from bridge.cli.writing import DRY_RUN, OVERWRITE, DryRunEnd, check_later, check_report, may_replace
from bridge.errors import PlanError, sentence_of
from bridge.redaction import ALL, Redaction, current, without_credentials
from bridge.report import FORMS, Report, error_as_json, write_report
from bridge.spark import is_local, local_path, place_of
from payloads.errors import PayloadBridgeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

DIFFERENT, WRONG_COMMAND, FAILED = 1, 2, 3
"""Exit codes: a difference or violation; the command line is wrong; data or environment."""

_SWITCHES = {
    "--overwrite": "Replace what --report and other options name, if it exists.",
    "--quiet": "Say nothing while it runs: a line shows how far long work is, in a log every ten seconds.",
    "--dry-run": "Check options and paths, and stop before anything is merged or written.",
}

OUTPUTS = ("text", "json", "markdown")


NOTED: Final = "bridge.noted"
"""Warnings of what a verb reads, which come before its own, in the meta of its context."""
BATCH_COLUMN = "bridge.batch_column"
"""The column that splits the input into batches, in the meta of the context of a verb."""
EXTENT = "bridge.extent"
"""How much the verb that runs reads, as text, in the meta of its context."""
_FORMS = "bridge.forms"


def wants_json() -> bool:
    """Whether the verb that runs prints or writes JSON: text is abridged, JSON is complete."""
    return "json" in click.get_current_context().meta[_FORMS]


def wants_page() -> bool:
    """Whether the verb that runs writes a page, which shows more than the text."""
    return "html" in click.get_current_context().meta[_FORMS]


def report_file(text: str) -> str:
    """Read the name of a report, whose suffix determines its format; on a storage it is looked for later."""
    path = Path(text)
    if path.suffix.lower() not in FORMS:
        msg = f"{text!r}: the suffix determines the format of the report; name a file that ends in {', '.join(FORMS)}"
        raise click.BadParameter(msg)
    if is_local(text) and ((local := local_path(text)).is_dir() or not local.parent.is_dir()):
        msg = f"{text!r} is a folder, or its folder does not exist; name a file in an existing folder"
        raise click.BadParameter(msg)
    return text


class Verb(click.Command):
    """A command whose function returns a Report; it has the options `--output` and `--report`.

    Attributes:
        failed_code: the exit code of a report without success.
    """

    failed_code = DIFFERENT

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(
            click.Option(
                ["--output"],
                type=click.Choice(OUTPUTS),
                default="text",
                show_default=True,
                help="The format of the output: for people, for programs, or for a document.",
            )
        )
        self.params.append(
            click.Option(
                ["--report"],
                type=report_file,
                metavar="FILE.(html|json|xml|md)",
                help="Also write the result to a file, local or on a storage: a page, the JSON object, JUnit XML, or "
                "Markdown.",
            )
        )
        self.params.append(
            click.Option(
                ["--redact"],
                type=_columns,
                metavar="a[,b]|all",
                help="Hide the values of these columns in reports, traces and messages: a keyed hash stands for each.",
            )
        )
        for name, text in _SWITCHES.items():
            self.params.append(click.Option([name], is_flag=True, help=text))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Add the examples after the rest."""
        super().format_epilog(ctx, formatter)
        if examples := EXAMPLES.get(self.name or ""):
            with formatter.section("Examples"):
                for line in examples:
                    formatter.write(f"{wrapped(line, formatter.width, ' ' * formatter.current_indent)}\n")

    def invoke(self, ctx: click.Context) -> int:
        """Run the function, print its report, and return the exit code."""
        output, path = ctx.params.pop("output"), ctx.params.pop("report")
        ctx.meta[_FORMS] = {output, Path(path).suffix.lower().lstrip(".") if path else output}
        ctx.meta[OVERWRITE], ctx.meta[DRY_RUN] = ctx.params.pop("overwrite"), ctx.params.pop("dry_run")
        _redact(ctx)
        if path is not None and is_local(path):
            may_replace(local_path(path), "--report")
        elif path is not None:
            check_later(lambda spark: check_report(place_of(path, spark)))
        try:
            with printing_aside(), run_of(ctx, quiet=ctx.params.pop("quiet")):
                report: Report = super().invoke(ctx)
        except DryRunEnd:
            report = _dry_report(ctx, path)
        report.warnings = [*ctx.meta.get(NOTED, ()), *report.warnings]
        colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        text = report.rendered(output, colours=colours)
        if self.name not in _WRITES:
            _check_redacted()
        if path is not None and not ctx.meta[DRY_RUN]:
            place = place_of(path, SparkSession.getActiveSession())
            if place.scheme:
                check_report(place)  # another process may have been faster
            write_report(report, place)
        if output != "json":
            for warning in report.warnings:
                click.echo(without_credentials(f"warning: {warning}"), err=True)
        click.echo(text)
        if unmet := sorted(current().unmet):
            click.echo(f"warning: --redact: nothing in the output has a column {', '.join(unmet)}", err=True)
        return self._code(report)

    def _code(self, report: Report) -> int:
        """Return the exit code."""
        if report.is_undecided:
            return FAILED
        return 0 if report.success else self.failed_code


def _columns(text: str) -> tuple[str, ...]:
    """Read the columns of `--redact`."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        msg = f"{text!r} has an empty name; write a, a,b or {ALL}"
        raise click.BadParameter(msg)
    return found


def _redact(context: click.Context) -> None:
    """Hide the values of columns until the command line ends.

    Raises:
        UsageError: the verb writes rows as they are, or values name its batches.
    """
    columns = context.params.pop("redact")
    if columns is None:
        return
    if "out_format" in context.params and (context.params.get("out") or context.params.get("out_table")):
        msg = "--out has rows as they are, which --redact does not change; leave one of them out"
        raise click.UsageError(msg, context)
    named = context.meta.get(BATCH_COLUMN)
    if named is not None and named.lower() in map(str.lower, columns):
        msg = f"--redact {named}: its values are the names of the batches, which are shown; split by another column"
        raise click.UsageError(msg, context)
    Redaction.of(columns).activate()


_WRITES = frozenset({"merge-into", "migrate", "rehearse"})
"""Verbs that may have written, which is told whatever was misspelt."""


def _check_redacted() -> None:
    """Refuse to show anything where a column to hide is not one of the data: its values would be shown.

    Raises:
        PlanError: naming the columns.
    """
    hidden = current()
    if misspelt := sorted(hidden.misspelt):
        near = "".join(did_you_mean(name, hidden.known) for name in misspelt)
        msg = f"--redact {','.join(misspelt)}: the data has no such column, so nothing is shown{near or '; correct it'}"
        raise PlanError(msg)


_PATHS = frozenset({"batches", "incoming", "log", "out", "out_table", "stored", "table"})
"""The options that name what is read and written."""


def _dry_report(context: click.Context, page: str | None) -> Report:
    """Say what the verb would read and write."""
    paths = {
        f"--{option.replace('_', '-')}": str(value)
        for option, value in context.params.items()
        if isinstance(value, Path) or (value is not None and option in _PATHS)
    }
    paths |= {} if page is None else {"--report": page}
    settings = " ".join(f"{option} {path}" for option, path in paths.items())
    verdict = f"The options are right; nothing was run, and nothing written{f' ({settings})' if settings else ''}."
    if extent := context.meta.get(EXTENT):
        verdict += f" It would read {extent}, estimated."
    return Report(context.command.name or "", verdict, plan={"dry_run": True, **paths})


class Verbs(click.Group):
    """The group. Expected errors end as one sentence on standard error; with `--output json` as an envelope too."""

    command_class = Verb

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> NoReturn:
        """Run the command line and exit; exceptions become exit codes."""
        with Redaction().applied():
            self._run(list(sys.argv[1:] if args is None else args), *more, **extra)

    def _run(self, words: list[str], *more: Any, **extra: Any) -> NoReturn:
        # PySpark 4 warns that it does not fully support pandas 3; mapInArrow hands over Arrow, not pandas.
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        try:
            code = super().main(words, *more, **{**extra, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(WRONG_COMMAND)
        except click.ClickException as error:
            shown = io.StringIO()
            error.show(file=shown)
            click.echo(without_credentials(shown.getvalue()), err=True, nl=False)
            self._fail(words, error.format_message(), WRONG_COMMAND)
        except click.Abort:
            self._fail(words, _say("stopped before the end; nothing was written"), FAILED)
        except (PayloadBridgeError, PySparkException, Py4JError, OSError) as error:
            self._fail(words, _say(sentence_of(error)), FAILED)
        except Exception as error:  # noqa: BLE001 (a bug, which must not look like exit code 1, a difference)
            hidden = current().is_active
            told = "" if hidden else f": {error}"
            lines = traceback.format_tb(error.__traceback__) if hidden else traceback.format_exception(error)
            click.echo(without_credentials("".join(lines)), err=True)
            self._fail(words, _say(f"unexpected {type(error).__name__}{told}; please report it"), FAILED)
        sys.exit(code)

    def _fail(self, words: list[str], message: str, code: int) -> NoReturn:
        if _asks_for_json(words):
            verb = next((word for word in words if word in self.commands), "")
            click.echo(error_as_json(verb, message))
        sys.exit(code)


def _say(text: str) -> str:
    message = without_credentials(text)
    click.echo(f"error: {message}", err=True)
    return message


def _asks_for_json(words: list[str]) -> bool:
    """Whether the arguments request JSON; they may be too wrong to parse."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return "--output=json" in words or ("--output", "json") in pairs
