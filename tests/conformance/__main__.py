"""The command line: python -m tests.conformance, or one set: vectors|histories|tables|pin DIR, replay LEFT RIGHT."""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease
from tests.conformance import pinning, pins
from tests.conformance.all_sets import SETS
from tests.conformance.all_sets import checks as checks_of
from tests.conformance.checks import PROCESS, check_histories, check_replays, check_vectors
from tests.conformance.selection import EmptySelectionError
from tests.conformance.sums import Sums
from tests.conformance.table_report import check_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from tests.conformance.history_report import HistoryReport
    from tests.conformance.replay_report import ReplayReport
    from tests.conformance.table_report import TableReport
    from tests.conformance.vector_report import VectorReport

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_DIRECTORY = click.argument("directory", type=_FOLDER)


def _checked(_: click.Context, __: click.Parameter, release: str | None) -> str | None:
    try:
        return None if release is None else HudiRelease.parse(release).value
    except PayloadConfigError as error:
        raise click.BadParameter(str(error)) from error


_RELEASE = click.option("--release", callback=_checked, help="Only this release, such as 0.15 or 1.0.2.")
_FAILURES = click.option("--failures", default=10, show_default=True, help="How many failures to print.")
_OUTPUT = click.option("--output", type=click.Choice(["text", "json"]), default="text", show_default=True)


def _common(command: Callable[..., None]) -> Callable[..., None]:
    return _DIRECTORY(_RELEASE(_FAILURES(_OUTPUT(command))))


class _Verb(click.Command):
    """Ends with 2 where nothing was recorded for what the options say."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except EmptySelectionError as error:
            raise click.UsageError(str(error), ctx) from error


@click.group(
    help="Run recorded answers of real Hudi against this project; without a command, those of the tests, all of them.",
    invoke_without_command=True,
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Group the kinds of recorded answers."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(everything, sets=())


@main.command(
    "all",
    cls=_Verb,
    help="Every set in turn, in this process: folders and archives of any kind.  [default: those of the tests]",
)
@click.argument("sets", nargs=-1, type=click.Path(exists=True, path_type=Path))
@_FAILURES
def everything(*, sets: tuple[Path, ...], failures: int = 10) -> None:
    """Run every set; exit 1 where an answer differs, or none passes.

    What passes, or is known to differ, is not listed.
    """
    total, wrong = Sums(), 0
    with ExitStack() as stack:
        for check in checks_of(stack, sets or SETS):
            began = time.monotonic()
            report = check.run()
            click.echo(f"{check.name}: {report.sums} ({time.monotonic() - began:.0f} s)")
            for line in "\n".join(report.as_text(failures)).splitlines()[:-1]:
                if line.startswith(("none ", "refused")) or not (report.succeeded or line.startswith("ok ")):
                    click.echo(f"  {line}")
            total += report.sums
            wrong += not (report.succeeded and report.sums.passed)
            if not report.sums.passed:
                click.echo("  none passed")
    click.echo(str(total))
    sys.exit(1 if wrong else 0)


@main.command(cls=_Verb, help="Golden vectors: one method call each.")
@_common
@click.option("--class", "payload_class", help="Only this payload class, by its short or full Java name.")
@click.option("--op", help="Only this operation.")
def vectors(  # noqa: PLR0913 (one parameter an option)
    *, directory: Path, release: str | None, payload_class: str | None, op: str | None, failures: int, output: str
) -> None:
    """Run golden vectors; exit 1 where a required one is not met."""
    _finish(check_vectors(directory, release, payload_class, op), failures, output)


@main.command(cls=_Verb, help="Histories: one table and its snapshots each.")
@_common
@click.option("--case", help="Only this case, with or without -cow or -mor.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "native", "python", "jvm", PROCESS]),
    default=PROCESS,
    show_default=True,
    help=f"The engine that runs them on Spark, a job each, about one in a second; {PROCESS} runs them in this process.",
)
def histories(  # noqa: PLR0913 (one parameter an option)
    *, directory: Path, release: str | None, case: str | None, engine: str, failures: int, output: str
) -> None:
    """Run histories; exit 1 where a snapshot differs."""
    with ExitStack() as stack:
        _finish(check_histories(directory, _spark_in(stack), release, case, engine), failures, output)


@main.command(cls=_Verb, help="Tables: file slices, and the rows of each query, with meta columns.")
@_common
@click.option("--case", help="Only the tables in folders of this name.")
@click.option(
    "--engine",
    type=click.Choice(["native", "python", "jvm", PROCESS]),
    default=PROCESS,
    show_default=True,
    help=f"The engine that merges the snapshots on Spark, about one in a second; {PROCESS} asks every question here.",
)
def tables(  # noqa: PLR0913 (one parameter an option)
    *, directory: Path, release: str | None, case: str | None, engine: str, failures: int, output: str
) -> None:
    """Read tables; exit 1 where an answer differs."""
    with ExitStack() as stack:
        by = None if engine == PROCESS else (engine, _spark_in(stack, small=True))
        _finish(check_tables(directory, release, case, by), failures, output)


@main.command(cls=_Verb, help="Replays: the keys on which the tables below LEFT and those below RIGHT differ.")
@click.argument("left", type=_FOLDER)
@click.argument("right", type=_FOLDER)
@click.option("--case", help="Only this case, with or without -cow or -mor.")
@click.option(
    "--engine",
    type=click.Choice(["auto", PROCESS]),
    default=PROCESS,
    show_default=True,
    help=f"auto asks replay on Spark, two jobs a question; {PROCESS} runs both sides in this process.",
)
@_FAILURES
@_OUTPUT
def replay(  # noqa: PLR0913 (one parameter an option)
    *, left: Path, right: Path, case: str | None, engine: str, failures: int, output: str
) -> None:
    """Replay each case from the release of one table to that of the other; exit 1 where other keys are named."""
    with ExitStack() as stack:
        spark = None if engine == PROCESS else _spark_in(stack)
        _finish(check_replays(left, right, spark, case), failures, output)


@main.command(
    cls=_Verb, help=f"Note in DIRECTORY/{pins.FILE} how many answers there are, and which optional ones fail."
)
@_DIRECTORY
@click.option(
    "--left", "lefts", type=_FOLDER, multiple=True, help="Count the replays from the tables below this folder, too."
)
@click.option("--reason", help="Why the optional vectors fail that are not pinned yet.")
@click.option("--allow-drop", is_flag=True, help="Pin also where there are fewer answers than before.")
def pin(*, directory: Path, lefts: tuple[Path, ...], reason: str | None, allow_drop: bool) -> None:
    """Pin a directory; exit 1, and change nothing, where that would hide something."""
    change = pinning.pin(directory, lefts, reason)
    click.echo("\n".join(change.lines) or "nothing changes")
    problems = [*change.failures, *(() if allow_drop else change.drops)]
    if problems:
        lines = "\n".join(f"  {line}" for line in problems)
        click.echo(
            f"\nnot pinned, because of what fails or is gone (--allow-drop pins fewer answers):\n{lines}", err=True
        )
        sys.exit(1)
    pins.write(directory, change.pins)


def _spark_in(stack: ExitStack, *, small: bool = False) -> Callable[[], SparkSession]:
    """Return what starts a session that ends with `stack`; `small` as in `local_session`."""

    def start() -> SparkSession:
        # Only here Spark is needed, and starting it takes seconds.
        from bridge.spark.session import local_session  # noqa: PLC0415

        session = local_session(cores=2, small=small)
        stack.callback(session.stop)
        return session

    return start


def _finish(report: VectorReport | HistoryReport | ReplayReport | TableReport, failures: int, output: str) -> None:
    click.echo(json.dumps(report.as_json(), indent=2) if output == "json" else "\n".join(report.as_text(failures)))
    sys.exit(0 if report.succeeded else 1)


if __name__ == "__main__":
    main()
