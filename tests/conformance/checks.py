"""The checks that the command and the suite share: recorded answers are read, run, and compared with real Hudi's."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from payloads.release import HudiRelease
from tests.conformance import histories as tables
from tests.conformance import pins, selection, vectors
from tests.conformance.history_report import HistoryReport
from tests.conformance.replay_report import ReplayReport
from tests.conformance.vector_report import VectorReport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.conformance.histories import History

    OpenSpark = Callable[[], SparkSession]

PROCESS = "process"
"""The name of the engine that runs histories in this process."""
NATIVE = "native"
"""The name of the engine that runs them commit by commit."""


def check_vectors(
    directory: Path, release: str | None = None, payload_class: str | None = None, op: str | None = None
) -> VectorReport:
    """Run golden vectors.

    Raises:
        EmptySelectionError: there are none.
    """
    chosen = vectors.select(directory, release, payload_class, op)
    wanted = vectors.Selection(None if release is None else HudiRelease.parse(release), payload_class, op)
    return VectorReport(map(vectors.run, chosen), pins.find(directory), wanted)


def check_histories(
    directory: Path, open_spark: OpenSpark, release: str | None = None, case: str | None = None, engine: str = PROCESS
) -> HistoryReport:
    """Run histories by an engine; Spark is opened where that needs it.

    Raises:
        EmptySelectionError: there are none.
    """
    # Only here PySpark is needed, and loading it takes seconds.
    from tests.conformance import in_process, native_histories, spark_histories  # noqa: PLC0415

    found = tables.select(directory, release, case)
    refusal: Callable[[History], str | None] = in_process.refusal
    if engine == NATIVE:
        refusal = native_histories.refusal
    elif engine != PROCESS:
        refusal = functools.partial(spark_histories.refusal, engine=engine)
    refused = [(history, reason) for history in found.histories.values() if (reason := refusal(history)) is not None]
    without = {id(history) for history, _ in refused}
    runs = [history for history in found.histories.values() if id(history) not in without]
    outcomes = list(run_by(engine, runs, open_spark)) if runs else []
    pinned = pins.find(directory)
    report = HistoryReport(outcomes, refused, found.unreadable, is_pinned=pinned is not None)
    if pinned is not None:
        report.compare(pinned, found.counts, lambda label: tables.takes_label(label, release, case))
    return report


def run_by(engine: str, runs: Sequence[History], open_spark: OpenSpark) -> list[tables.Outcome]:
    """Run histories by an engine, and compare them with the recorded snapshots."""
    from tests.conformance import in_process, native_histories, spark_histories  # noqa: PLC0415

    if engine == PROCESS:
        return list(tables.outcomes(in_process.run_histories(runs), runs))
    simulated = native_histories.snapshots if engine == NATIVE else None
    return list(tables.outcomes(spark_histories.run_histories(open_spark(), runs, engine, simulated), runs))


def check_replays(
    left: Path, right: Path, open_spark: OpenSpark | None = None, case: str | None = None
) -> ReplayReport:
    """Put every question about the tables below two folders; without Spark both sides run in this process.

    Raises:
        EmptySelectionError: no two tables make a pair.
    """
    from tests.conformance.replays import answers, pairs  # noqa: PLC0415

    sides = tables.select(left, case=case), tables.select(right, case=case)
    asked = list(pairs(*(side.histories.values() for side in sides)))
    unreadable = [file for side in sides for file in side.unreadable]
    if not asked and not unreadable:
        msg = f"no table below {left} has its pair below {right}: one case, an earlier release on the left"
        raise selection.EmptySelectionError(msg)
    pinned = pins.find(right)
    section = pins.replay_section(left, right)
    is_pinned = pinned is not None and not pinned.prefix and section in pinned.pins.counts
    spark = None if open_spark is None or not asked else open_spark()
    report = ReplayReport(list(answers(spark, asked)), unreadable, pinned if is_pinned else None)
    if pinned is not None and is_pinned and case is None:
        report.compare(pinned, section)
    return report
