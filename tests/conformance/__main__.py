"""The command line: python -m tests.conformance vectors|histories DIR, or replay LEFT RIGHT."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tests.conformance import histories as tables
from tests.conformance.history_report import HistoryReport
from tests.conformance.replay_report import ReplayReport
from tests.conformance.vector_report import VectorReport
from tests.conformance.vectors import run, select

if TYPE_CHECKING:
    from collections.abc import Callable

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_DIRECTORY = click.argument("directory", type=_FOLDER)
_RELEASE = click.option("--release", help="Only this release, such as 0.15 or 1.0.2.")
_FAILURES = click.option("--failures", default=10, show_default=True, help="How many failures to print.")
_OUTPUT = click.option("--output", type=click.Choice(["text", "json"]), default="text", show_default=True)


def _common(command: Callable[..., None]) -> Callable[..., None]:
    return _DIRECTORY(_RELEASE(_FAILURES(_OUTPUT(command))))


@click.group(help="Run recorded answers of real Hudi against this project.")
def main() -> None:
    """Group the kinds of recorded answers."""


@main.command(help="Golden vectors: one method call each.")
@_common
@click.option("--class", "payload_class", help="Only this payload class, by its short or full Java name.")
@click.option("--op", help="Only this operation.")
def vectors(  # noqa: PLR0913 (one parameter an option)
    *, directory: Path, release: str | None, payload_class: str | None, op: str | None, failures: int, output: str
) -> None:
    """Run golden vectors; exit 1 where a required one is not met."""
    report = VectorReport(run(vector) for vector in select(directory, release, payload_class, op))
    _finish(report, failures, output)


@main.command(help="Histories: one table and its snapshots each.")
@_common
@click.option("--case", help="Only this case, with or without -cow or -mor.")
@click.option("--engine", default="auto", show_default=True, help="The engine that runs them.")
def histories(  # noqa: PLR0913 (one parameter an option)
    *, directory: Path, release: str | None, case: str | None, engine: str, failures: int, output: str
) -> None:
    """Run histories; exit 1 where a snapshot differs."""
    chosen = list(tables.load(directory, release, case))
    ready = [history for history in chosen if tables.is_supported(history)]
    missing = [history for history in chosen if not tables.is_supported(history)]
    # Only here Spark is needed, and loading it takes seconds.
    from tests.conformance.spark_histories import refusal  # noqa: PLC0415

    reasons = [refusal(history, engine) for history in ready]
    refused = [(history, reason) for history, reason in zip(ready, reasons, strict=True) if reason is not None]
    runs = [history for history, reason in zip(ready, reasons, strict=True) if reason is None]
    _finish(HistoryReport(_run_on_spark(runs, engine), missing, refused), failures, output)


@main.command(help="Replays: the keys on which the tables below LEFT and those below RIGHT differ.")
@click.argument("left", type=_FOLDER)
@click.argument("right", type=_FOLDER)
@click.option("--case", help="Only this case, with or without -cow or -mor.")
@_FAILURES
@_OUTPUT
def replay(*, left: Path, right: Path, case: str | None, failures: int, output: str) -> None:
    """Replay each case from the release of one table to that of the other; exit 1 where other keys are named."""
    # Only here Spark is needed, and starting it takes seconds.
    from bridge.session import local_session  # noqa: PLC0415
    from tests.conformance.replays import answers, questions  # noqa: PLC0415

    asked = list(questions(left, right, case))
    found = []
    if asked:
        spark = local_session(cores=2)
        try:
            found = list(answers(spark, asked))
        finally:
            spark.stop()
    _finish(ReplayReport(found), failures, output)


def _run_on_spark(chosen: list[tables.History], engine: str) -> list[tables.Outcome]:
    if not chosen:
        return []
    # Only here Spark is needed, and starting it takes seconds.
    from bridge.session import local_session  # noqa: PLC0415
    from tests.conformance.spark_histories import run_histories  # noqa: PLC0415

    spark = local_session(cores=2)
    try:
        return list(tables.outcomes(run_histories(spark, chosen, engine), chosen))
    finally:
        spark.stop()


def _finish(report: VectorReport | HistoryReport | ReplayReport, failures: int, output: str) -> None:
    click.echo(json.dumps(report.as_json(), indent=2) if output == "json" else "\n".join(report.as_text(failures)))
    sys.exit(0 if report.succeeded else 1)


if __name__ == "__main__":
    main()
