"""Verb and Verbs: how every command prints its report, reports errors, and sets the exit code."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from bridge.cli.examples import EXAMPLES
from bridge.cli.writing import DRY_RUN, OVERWRITE, DryRunEnd, check_later, check_report, may_replace
from bridge.errors import sentence_of
from bridge.report import FORMS, Report, error_as_json, write_report
from bridge.spark import is_local, local_path, place_of
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Sequence

DIFFERENT, WRONG_COMMAND, FAILED = 1, 2, 3
"""Exit codes: a difference or violation; the command line is wrong; data or environment."""

_SWITCHES = {
    "--overwrite": "Replace what --report and other options name, if it exists.",
    "--dry-run": "Check options and paths, and stop before anything is merged or written.",
}

OUTPUTS = ("text", "json", "markdown")


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
        for name, text in _SWITCHES.items():
            self.params.append(click.Option([name], is_flag=True, help=text))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Add the examples, one a line, after the rest."""
        super().format_epilog(ctx, formatter)
        if examples := EXAMPLES.get(self.name or ""):
            with formatter.section("Examples"):
                for line in examples:
                    formatter.write(f"{' ' * formatter.current_indent}{line}\n")

    def invoke(self, ctx: click.Context) -> int:
        """Run the function, print its report, and return the exit code."""
        output, path = ctx.params.pop("output"), ctx.params.pop("report")
        ctx.meta[_FORMS] = {output, Path(path).suffix.lower().lstrip(".") if path else output}
        ctx.meta[OVERWRITE], ctx.meta[DRY_RUN] = ctx.params.pop("overwrite"), ctx.params.pop("dry_run")
        if path is not None and is_local(path):
            may_replace(local_path(path), "--report")
        elif path is not None:
            check_later(lambda spark: check_report(place_of(path, spark)))
        try:
            report: Report = super().invoke(ctx)
        except DryRunEnd:
            report = _dry_report(ctx)
        if path is not None and not ctx.meta[DRY_RUN]:
            place = place_of(path, SparkSession.getActiveSession())
            if place.scheme:
                check_report(place)  # another process may have been faster
            write_report(report, place)
        if output != "json":
            for warning in report.warnings:
                click.echo(f"warning: {warning}", err=True)
        click.echo(report.rendered(output, colours=sys.stdout.isatty() and "NO_COLOR" not in os.environ))
        return 0 if report.success else self.failed_code


def _dry_report(context: click.Context) -> Report:
    """Say what the verb would read and write."""
    paths = {
        f"--{option.replace('_', '-')}": str(value)
        for option, value in context.params.items()
        if isinstance(value, Path) or (value is not None and option in {"batches", "out", "table"})
    }
    settings = " ".join(f"{option} {path}" for option, path in paths.items())
    verdict = f"The options are right; nothing was run, and nothing written{f' ({settings})' if settings else ''}."
    return Report(context.command.name or "", verdict, plan={"dry_run": True, **paths})


class Verbs(click.Group):
    """The group. Expected errors end as one sentence on standard error; with `--output json` as an envelope too."""

    command_class = Verb

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> NoReturn:
        """Run the command line and exit; exceptions become exit codes."""
        words = list(sys.argv[1:] if args is None else args)
        # PySpark 4 warns that it does not fully support pandas 3; mapInArrow hands over Arrow, not pandas.
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        try:
            code = super().main(words, *more, **{**extra, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(WRONG_COMMAND)
        except click.ClickException as error:
            error.show()
            self._fail(words, error.format_message(), WRONG_COMMAND)
        except click.Abort:
            self._fail(words, _say("stopped before the end; nothing was written"), FAILED)
        except (PayloadBridgeError, PySparkException, Py4JError, OSError) as error:
            self._fail(words, _say(sentence_of(error)), FAILED)
        except Exception as error:  # noqa: BLE001 (a bug, which must not look like exit code 1, a difference)
            traceback.print_exc()
            self._fail(words, _say(f"unexpected {type(error).__name__}: {error}; please report it"), FAILED)
        sys.exit(code)

    def _fail(self, words: list[str], message: str, code: int) -> NoReturn:
        if _asks_for_json(words):
            verb = next((word for word in words if word in self.commands), "")
            click.echo(error_as_json(verb, message))
        sys.exit(code)


def _say(message: str) -> str:
    click.echo(f"error: {message}", err=True)
    return message


def _asks_for_json(words: list[str]) -> bool:
    """Whether the arguments request JSON; they may be too wrong to parse."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return "--output=json" in words or ("--output", "json") in pairs
