"""The steps that a bundle takes on a copy of a table: what it is told, and what it answers."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import functions as sf

from bridge.compare import NotRunError, reason_of, run_released
from bridge.config import WRITE_MERGE_MODE, capabilities, keys, parse_properties, writer_layout
from bridge.engines import ARRIVAL, COMMIT
from bridge.migration.steps import VERSION_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from bridge.hudi import HudiTable
    from payloads import HudiRelease

UPGRADE, SCRIPT, WRITE, COMPACTION, DOWNGRADE = "upgrade", "script", "write", "compaction", "downgrade"
_EVERY_LOG: Final = "hoodie.compact.inline.max.delta.commits=1"


class StepTask(NamedTuple):
    """A step of a rehearsal.

    Attributes:
        do: upgrade, script, write, compaction or downgrade.
        name: what a report calls it.
        needs: what `released_steps` takes for it.
    """

    do: str
    name: str
    needs: Mapping[str, object]


class StepResult(NamedTuple):
    """What a bundle made of a copy in a step.

    Attributes:
        task: the step.
        rows: the folder with the rows that the copy then showed, as Parquet; None where it refused.
        refused: its error, in a line.
        seconds: how long it took, without the start of its process.
        properties: what the copy then stored.
    """

    task: StepTask
    rows: Path | None
    refused: str | None
    seconds: float
    properties: Mapping[str, str] = {}


def upgrade_step(release: HudiRelease) -> StepTask:
    """Return the upgrade by Hudi's procedure, to the newest table version of a release."""
    return StepTask(UPGRADE, UPGRADE, {"version": VERSION_NAMES[capabilities(release).created_version]})


def script_step(script: Path) -> StepTask:
    """Return the upgrade and the merge mode that a script of `migration_script` sets."""
    return StepTask(SCRIPT, UPGRADE, {"script": str(script)})


def compaction_step() -> StepTask:
    """Return a compaction of all logs."""
    return StepTask(COMPACTION, COMPACTION, {"options": _EVERY_LOG})


def downgrade_step(version: int) -> StepTask:
    """Return the way back to the table version of before."""
    return StepTask(DOWNGRADE, f"{DOWNGRADE} to table version {version}", {"version": VERSION_NAMES[version]})


def write_steps(versions: DataFrame, names: Sequence[str], options: Mapping[str, str], folder: Path) -> list[StepTask]:
    """Put the rows of each batch into a folder of its own, in the order of arrival; return the upserts.

    Args:
        versions: what `Batches.versions` returns.
        names: one a batch.
        options: of Hudi's writer.
        folder: where the rows go.
    """
    steps = []
    for number, name in enumerate(names, start=1):
        place = str(folder / f"batch-{number}")
        rows = versions.where(sf.col(COMMIT) == number).drop(COMMIT)
        rows.coalesce(1).sortWithinPartitions(ARRIVAL).write.parquet(place)
        steps.append(StepTask(WRITE, f"write of batch {name}", {"rows": place, "options": dict(options)}))
    return steps


def writer_options(table: HudiTable, given: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a writer of a table: what the table stores, what is given, and no small-file rule.

    Updates go to logs and never to base files, unless `given` has `hoodie.parquet.small.file.limit`. The writer
    compacts nothing: that is a step of its own, and a writer of 1.0 would run the compaction that its upgrade planned.

    Raises:
        PlanError: an option that is given would write something else than what is predicted.
    """
    layout = writer_layout.layout_options(table.properties, table.keys) | {keys.INLINE_COMPACTION: "false"}
    writer_layout.check_given(given, layout, [WRITE_MERGE_MODE.key])
    return {keys.SMALL_FILE_LIMIT: "0", **layout, **given}


def take_steps(
    spark: SparkSession,
    bundle: str,
    copies: Sequence[tuple[Path, Sequence[StepTask]]],
    folder: Path,
    jars: Sequence[str] = (),
) -> list[list[StepResult]]:
    """Take the steps of each copy in one process of the bundle; the rows that it shows after each go below `folder`.

    After a step that Hudi refuses, the others of that copy are left out. `jars` have the classes of the tables;
    `bundle` is what `bundle_of` returns.

    Raises:
        NotRunError: the bundle can't run here.
    """
    tables = [
        {
            "path": str(path),
            "steps": [
                {"do": step.do, **step.needs, "out": str(folder / f"{number}-{at}")} for at, step in enumerate(steps)
            ],
        }
        for number, (path, steps) in enumerate(copies)
    ]
    script, way_out = Path(__file__).with_name("released_steps.py"), "rehearse a part of the table (--partitions)"
    answers = run_released(spark, bundle, script, {"tables": tables}, way_out=way_out, zone=None, jars=jars)
    by_table = {number: list(found) for number, found in itertools.groupby(answers, lambda one: one["table"])}
    if by_table.keys() != {*range(len(copies))}:
        msg = f"the process with {bundle} answered for {len(by_table)} of {len(copies)} tables"
        raise NotRunError(msg)
    return [
        [
            StepResult(step, None, f"{reason_of(answer['error'])} (at the {answer['at']})", answer["seconds"])
            if "error" in answer
            else StepResult(
                step, folder / f"{number}-{at}", None, answer["seconds"], parse_properties(answer["properties"])
            )
            for at, (step, answer) in enumerate(zip(steps, by_table[number], strict=False))
        ]
        for number, (_, steps) in enumerate(copies)
    ]
