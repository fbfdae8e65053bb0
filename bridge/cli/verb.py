"""Verb and Verbs: how every command prints its report, reports errors, and sets the exit code."""

from __future__ import annotations

import contextlib
import contextvars
import io
import logging
import os
import re
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from bridge.cli.needs import refuse_without_need
from bridge.cli.parameters import refused
from bridge.cli.run import ended_by_signals, run_of
from bridge.cli.sections import JOBS, write_help
from bridge.cli.standard_output import prints_to_stderr
from bridge.cli.terminal import report_options
from bridge.cli.values import SAID
from bridge.cli.version import origin_of
from bridge.cli.writing import DRY_RUN, OVERWRITE, DryRunEnd, check_later, check_report, may_replace
from bridge.display import escaped
from bridge.errors import AlteredTableWarning, ParameterError, PlanError, sentence_of
from bridge.redaction import Redaction, current, without_credentials
from bridge.report import Report, Severity, error_as_json, write_report
from bridge.spark import PySparkException, cache_folder, is_local, java_has_ended, local_path, place_of
from payloads import ReleaseWarning
from payloads.arguments import unwritten
from payloads.errors import PayloadBridgeError, did_you_mean
from payloads.user import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WRONG_COMMAND, FAILED = 2, 3
"""Exit codes of a verb that has no result: the command line is wrong; data or environment."""

NOTED: Final = "bridge.noted"
"""Warnings of missing or altered files of a table, which come before those of the verb, in the meta of its context."""
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


class Verb(click.Command):
    """A command whose function returns a Report; it has the options `--output` and `--report`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += report_options()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words that are not UTF-8, and two spellings of one option, of which click silently takes the last."""
        for word in args:
            if found := unwritten(word):
                msg = f"{word!a:.80} contains {found}, which Spark and Hudi can't store; remove it"
                raise click.UsageError(msg, ctx)
        given = {word.partition("=")[0] for word in args}
        for one in (found for found in self.params if isinstance(found, click.Option) and not found.multiple):
            if len(spelt := [name for name in one.opts if name in given]) > 1:
                msg = f"{' and '.join(spelt)} are one option; give one"
                raise click.UsageError(msg, ctx)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the verb needs and an example first, then the other options in sections."""
        write_help(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> int:
        """Run the function, print its report, and return the exit code."""
        output, path = ctx.params.pop("output"), ctx.params.pop("report")
        ctx.meta[_FORMS] = {output, Path(path).suffix.lower().lstrip(".") if path else output}
        ctx.meta[OVERWRITE], ctx.meta[DRY_RUN] = ctx.params.pop("overwrite"), ctx.params.pop("dry_run")
        refuse_without_need(ctx)
        _redact(ctx)
        if path is not None and is_local(path):
            may_replace(local_path(path), "--report")
        elif path is not None:
            check_later(lambda spark: check_report(place_of(path, spark)))
        try:
            with refused(ParameterError), prints_to_stderr(), run_of(ctx, quiet=ctx.params.pop("quiet")):
                report: Report = super().invoke(ctx)
        except DryRunEnd:
            report = _dry_report(ctx, path)
        report.warnings = [*dict.fromkeys(_releases.get([])), *report.warnings]
        _report_altered_files(ctx, report)
        colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        text = report.rendered(output, colours=colours)
        if self.name not in _WRITES:
            _check_redacted()
        if path is not None and not ctx.meta[DRY_RUN]:
            place = place_of(path, SparkSession.getActiveSession())
            if place.scheme:
                check_report(place)  # another process may have been faster
            report.origin = origin_of(ctx.find_root().obj or ())
            write_report(report, place)
        if output != "json":
            for warning in (one for one in report.warnings if one not in ctx.meta.get(SAID, ())):
                _warn(warning)
        click.echo(text)
        if unused := sorted(current().unused):
            _warn(f"--redact: nothing in the output has a column {', '.join(unused)}")
        return report.exit_code


def _report_altered_files(context: click.Context, report: Report) -> None:
    """Say in a report that files of a table are missing or altered; `--strict` refuses such a table."""
    if noted := context.meta.get(NOTED, ()):
        report.warnings = [*noted, *report.warnings]
        report.fails = report.fails - {Severity.DAMAGED}
        report.found(Severity.DAMAGED)


def _redact(context: click.Context) -> None:
    """Hide the values of columns until the command line ends.

    Raises:
        UsageError: the verb writes rows as they are, or values name its batches.
    """
    columns = context.params.pop("redact")
    if columns is None:
        return
    if "out_format" in context.params and (context.params.get("out") or context.params.get("out_table")):
        msg = "--out writes rows unredacted; leave out --out or --redact"
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


_IS_PLACE: Final = re.compile(r"(?:PATH|FILE|TABLE)(?![\[(])")
"""What the metavar of an option begins with that names what is read or written; not partitions, nor jars."""


def _dry_report(context: click.Context, page: str | None) -> Report:
    """Say what the verb would read and write."""
    paths = {
        one.opts[0] if isinstance(one, click.Option) else str(one.metavar): str(value)
        for one in context.command.params
        if _IS_PLACE.match(one.metavar or "") and (value := context.params.get(one.name or "")) is not None
    }
    paths |= {} if page is None else {"--report": page}
    settings = " ".join(f"{option} {path}" for option, path in paths.items())
    verdict = f"The options are valid; nothing was run or written{f' ({settings})' if settings else ''}."
    if extent := context.meta.get(EXTENT):
        verdict += f" Estimated input: {extent}."
    return Report(context.command.name or "", verdict, plan={"dry_run": True, **paths})


_releases: contextvars.ContextVar[list[str]] = contextvars.ContextVar("releases")
"""What was said of the releases that a command names."""


@contextlib.contextmanager
def _noting_releases() -> Iterator[None]:
    """Collect what is said of releases, which belongs into the report."""
    said: list[str] = []
    _releases.set(said)
    with warnings.catch_warnings():
        warnings.simplefilter("always", ReleaseWarning)
        warnings.simplefilter("ignore", AlteredTableWarning)  # `check_files` says so in the report
        show = warnings.showwarning

        def note(message: Warning | str, category: type[Warning], *more: Any) -> None:
            if issubclass(category, ReleaseWarning):
                said.append(str(message))
            else:
                show(message, category, *more)

        warnings.showwarning = note  # type: ignore[assignment]
        yield


_LOST_JAVA: Final = (
    "Spark's Java process has ended: it was killed, or there was no memory left; give it more "
    "(--conf spark.driver.memory=8g), and run it again"
)


class Verbs(click.Group):
    """The group. Expected errors end as one sentence on standard error; with `--output json` as an envelope too."""

    command_class = Verb

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click gives it)
        """List the verbs by what they are for."""
        for job, verbs in JOBS.items():
            with formatter.section(job):
                formatter.write_dl([(verb, self.commands[verb].get_short_help_str(limit=100)) for verb in verbs])

    def main(self, args: Sequence[str] | None = None, *more: object, **extra: object) -> NoReturn:
        """Run the command line and exit; exceptions become exit codes."""
        with Redaction().applied(), _noting_releases(), _storage_of_hypothesis(), ended_by_signals():
            self._run(list(sys.argv[1:] if args is None else args), *more, **extra)

    def _run(self, words: list[str], *more: Any, **extra: Any) -> NoReturn:
        # PySpark 4 warns that it does not fully support pandas 3; mapInArrow hands over Arrow, not pandas.
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        # It logs the errors that it raises, some as those of the program.
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        logging.getLogger().addFilter(_not_of_py4j)
        try:
            code = super().main(words, *more, **{**extra, "standalone_mode": False, "obj": words})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(WRONG_COMMAND)
        except click.ClickException as error:
            click.echo(_usage(error), err=True)
            self._fail(words, _message(error), WRONG_COMMAND)
        except click.Abort:
            self._fail(words, _say("stopped before the end; nothing was written"), FAILED)
        except (PayloadBridgeError, PySparkException, Py4JError, OSError) as error:
            self._fail(words, _say(_LOST_JAVA if java_has_ended(error) else sentence_of(error)), FAILED)
        except Exception as error:  # noqa: BLE001 (a bug, which must not look like exit code 1, a difference)
            if java_has_ended(error):
                self._fail(words, _say(_LOST_JAVA), FAILED)
            hidden = current().is_active
            told = "" if hidden else f": {error}"
            lines = traceback.format_tb(error.__traceback__) if hidden else traceback.format_exception(error)
            click.echo(escaped(without_credentials("".join(lines))), err=True)
            self._fail(words, _say(f"unexpected {type(error).__name__}{told}; please report it"), FAILED)
        sys.exit(code)

    def _fail(self, words: list[str], message: str, code: int) -> NoReturn:
        if _asks_for_json(words):
            verb = next((word for word in words if word in self.commands), "")
            click.echo(error_as_json(verb, without_credentials(message)))
        sys.exit(code)


@contextlib.contextmanager
def _storage_of_hypothesis() -> Iterator[None]:
    """Let Hypothesis keep its tables of characters in the cache, or nowhere, but not in the working directory."""
    name = "HYPOTHESIS_STORAGE_DIRECTORY"
    folder = cache_folder()
    own = None if name in os.environ else os.devnull if folder is None else str(folder / "hypothesis")
    if own is not None:
        os.environ[name] = own
    try:
        yield
    finally:
        if own is not None:
            del os.environ[name]


def _message(error: click.ClickException) -> str:
    """Return the sentence of an error; of an option that is missing also what it takes."""
    told = error.format_message()
    option = error.param if isinstance(error, click.MissingParameter) else None
    if not isinstance(option, click.Option) or not option.help:
        return told
    what = option.help.partition(". ")[0].rstrip(".")
    return f"{told.rstrip('.')}; add {option.opts[0]} {option.metavar or 'VALUE'}: {what[:1].lower()}{what[1:]}"


def _usage(error: click.ClickException) -> str:
    """Return what click shows of an error; its sentence is one line, whatever it quotes."""
    shown = io.StringIO()
    error.show(file=shown)
    before = shown.getvalue().partition("Error: ")[0]
    return escaped(f"{before}Error: {one_line(without_credentials(_message(error)))}")


def _not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


def _warn(text: str) -> None:
    click.echo(escaped(one_line(without_credentials(f"warning: {text}"))), err=True)


def _say(text: str) -> str:
    click.echo(escaped(one_line(f"error: {(message := without_credentials(text))}")), err=True)
    return message


def _asks_for_json(words: list[str]) -> bool:
    """Whether the arguments request JSON; they may be too wrong to parse."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return "--output=json" in words or ("--output", "json") in pairs
