"""rehearse: a copy of a table is upgraded by the released bundle itself, and its rows are compared with the predicted.

Source: the procedure upgrade_table (UpgradeOrDowngradeProcedure) of the bundle that runs.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bridge.compare import ReaderResult, compare_readers, compared_with, program_version, reason_of, released
from bridge.compare import run_released as run_bundle
from bridge.config import (
    TABLE_VERSION,
    UpgradeCompaction,
    assumed_writer,
    capabilities,
    change_version,
    read_table,
)
from bridge.errors import PlanError
from bridge.hudi import check_pending
from bridge.migration.rehearsal_report import RehearsalReport
from bridge.migration.steps import VERSION_NAMES, PropertyChange, changes_between, merge_properties
from bridge.migration.table_copy import check_copy, check_unchanged, copy_table, replaced
from bridge.pipeline import KIND, KINDS
from bridge.spark import kept
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from bridge.hudi import HudiTable
    from bridge.migration.table_copy import CopiedTable


class Upgraded(NamedTuple):
    """What a bundle made of a copy.

    Attributes:
        rows: the folder with the rows that it then showed, as Parquet; None where it refused.
        refused: its error, in a line.
        seconds: how long it took, without the start of its process.
    """

    rows: Path | None
    refused: str | None
    seconds: float


def rehearse(table: HudiTable, to: str | HudiRelease, copy: str | Path, *, overwrite: bool = False) -> RehearsalReport:
    """Upgrade a copy of a table with the released bundle of another release, and compare what it then shows.

    The bundle comes from Maven Central or the Ivy cache and runs in a process of its own, on the copy alone; the table
    is only read. No batch is written: the upgrade is that of Hudi's procedure `upgrade_table`, which begins with a
    compaction where the table is merge-on-read. Predicted are the rows that this package's reader of `to` shows of the
    table as it is. The copy stays, unless the rehearsal fails; then an older one that it replaces is there again.

    Args:
        table: a table on this machine, read by the release that writes it until now.
        to: the release that upgrades, 1.1 or later.
        copy: the folder that gets the copy, and keeps it, upgraded.
        overwrite: whether a copy that an earlier rehearsal left there is replaced; never another table.

    Raises:
        PlanError: the release is older than 1.1, the table has its version already, is read by no earlier release, or
            has a pending compaction that the upgrade would leave.
        InputError: the table can't be copied, as `copy_table` says, or was written meanwhile.
        NotRunError: the bundle can't run here.
        HudiTableError, MergeFailedError: the table can't be read by its own release.

    Added in 0.1.0.
    """
    release = HudiRelease.parse(to)
    check_upgrade_to(table, release)
    check_copy(table.path, copy, overwrite=overwrite)
    program_version(released(release), table.spark)
    with tempfile.TemporaryDirectory(prefix="payload-bridge-") as folder, replaced(copy):
        copied = copy_table(table, copy)
        (upgraded,) = upgrade(table.spark, release, [copied.path], Path(folder))
        return judge(table, release, copied, upgraded)


def check_upgrade_to(table: HudiTable, release: HudiRelease) -> None:
    """Refuse an upgrade that is none, or that is not predicted here.

    Raises:
        PlanError: saying why.
    """
    can, version = capabilities(release), int(table.properties[TABLE_VERSION.key])
    if can.upgrade_compaction is not UpgradeCompaction.RUN:
        msg = f"an upgrade to Hudi {release} is not rehearsed; name 1.1 or a later release"
        raise PlanError(msg)
    if version >= can.created_version:
        msg = f"{table.path} has table version {version}, and Hudi {release} upgrades to no later one"
        raise PlanError(msg)
    if table.release >= release:
        writer = assumed_writer(version)
        msg = (
            f"{table.path} is opened as Hudi {table.release} reads it, and an upgrade to {release} begins earlier; "
            f"open it with the release that writes it: HudiTable(spark, path, '{writer}'), --release {writer}"
        )
        raise PlanError(msg)
    check_pending(table, release)


def upgrade(spark: SparkSession, release: HudiRelease, copies: Sequence[Path], folder: Path) -> list[Upgraded]:
    """Upgrade copies of tables in one process of the bundle; the rows that it shows then go below `folder`.

    Raises:
        NotRunError: the bundle can't run here.
    """
    tables = [{"path": str(path), "out": str(folder / str(number))} for number, path in enumerate(copies)]
    task = {"version": VERSION_NAMES[capabilities(release).created_version], "tables": tables}
    coordinate = program_version(released(release), spark)
    script, way_out = Path(__file__).with_name("released_upgrade.py"), "rehearse a table with fewer partitions"
    answers = run_bundle(spark, coordinate, script, task, way_out=way_out)
    return [
        Upgraded(None, f"{reason_of(answer['error'])} (at the {answer['step']})", answer["seconds"])
        if "error" in answer
        else Upgraded(Path(table["out"]), None, answer["seconds"])
        for table, answer in zip(tables, answers, strict=True)
    ]


def judge(table: HudiTable, release: HudiRelease, copied: CopiedTable, upgraded: Upgraded) -> RehearsalReport:
    """Compare the rows before, as predicted, and as the bundle shows them; Spark keeps those that differ.

    Raises:
        HudiTableError, MergeFailedError: the table can't be read by its own release.
        InputError: the table was written since it was copied.
    """
    with contextlib.ExitStack() as closing:
        readers = closing.enter_context(compare_readers(table, [release]))
        (predicted,) = readers.results
        off, deviations = None, None
        if upgraded.rows is not None and predicted.refused is None:
            new = table.read_by(release)
            rows = table.spark.read.parquet(str(upgraded.rows))
            deviations = kept(compared_with(new, new.snapshot(), rows))
            closing.callback(deviations.unpersist)
            counts = {row[0]: row[1] for row in deviations.groupBy(KIND).count().collect()}
            off = ReaderResult(released(release), *(counts.get(kind, 0) for kind in KINDS))
        check_unchanged(table, copied)
        return RehearsalReport(
            readers,
            predicted,
            copied,
            program=program_version(released(release), table.spark),
            refused=upgraded.refused,
            off=off,
            deviations=deviations,
            settings=() if upgraded.refused else _settings_off(table, release, copied.path),
            seconds=upgraded.seconds,
            close=closing.pop_all().close,
        )


def _settings_off(table: HudiTable, release: HudiRelease, copy: Path) -> tuple[PropertyChange, ...]:
    """Return the merge properties of the copy that are not as predicted."""
    predicted = change_version(table.properties, capabilities(release).created_version, release)
    return changes_between(merge_properties(predicted), merge_properties(read_table(copy)))
