"""rehearse: the released bundle upgrades, and writes, a copy of a table, and its rows are compared with the predicted.

Source: the procedures upgrade_table, downgrade_table (UpgradeOrDowngradeProcedure) and run_compaction
(RunCompactionProcedure) of the bundle that runs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from py4j.protocol import Py4JError

from bridge.compare import ReaderResult, bundle_of, check_compaction, compare_upgraded, compared_with
from bridge.config import TABLE_VERSION, UpgradeCompaction, assumed_writer, capabilities
from bridge.errors import InputError, PlanError, is_refusal, sentence_of
from bridge.hudi import check_whole
from bridge.migration.part_copy import TablePart, part_of
from bridge.migration.rehearsal_bundle import bundle_path, write_bundle
from bridge.migration.rehearsal_predictions import Next, Predictions, check_columns, next_of
from bridge.migration.rehearsal_report import RehearsalOutcome, RehearsalReport, RehearsedStep, as_shown
from bridge.migration.rehearsal_steps import (
    COMPACTION,
    DOWNGRADE,
    WRITE,
    StepResult,
    StepTask,
    compaction_step,
    downgrade_step,
    script_step,
    take_steps,
    upgrade_step,
    write_steps,
    writer_options,
)
from bridge.migration.script import migration_script
from bridge.migration.steps import changes_between, merge_properties
from bridge.migration.table_copy import check_copy, check_unchanged, copy_table, replaced
from bridge.pipeline import KIND, KINDS
from bridge.spark import PySparkException, is_connect, kept
from bridge.write import check_clock
from payloads import HudiRelease, PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.hudi import HudiTable
    from bridge.migration.table_copy import CopiedTable
    from bridge.pipeline import BatchesLike
    from mergers import RecordMergeMode


def rehearse(  # noqa: PLR0913 (keyword-only settings of one rehearsal)
    table: HudiTable,
    to: str | HudiRelease,
    copy: str | Path,
    *,
    overwrite: bool = False,
    mode: str | RecordMergeMode | None = None,
    payload: str | None = None,
    batches: BatchesLike | None = None,
    props: Mapping[str, str] | None = None,
    downgrade: bool = False,
    part: TablePart | None = None,
    bundle: str | Path | None = None,
) -> RehearsalReport:
    """Upgrade a copy of a table with the released bundle of another release, and compare what it then shows.

    The bundle comes from Maven Central or the Ivy cache, or is a platform's own (`bundle`). It runs in its own process,
    only on the copy; the table is only read. Hudi's procedure `upgrade_table` upgrades the copy; from 1.1 on it begins
    with a compaction if the table is merge-on-read. Then come the batches, a compaction if the table is merge-on-read,
    and the downgrade. The prediction is the rows that this package's reader of `to` shows for the table as it is, and
    the result of its writer. The copy is kept, unless the rehearsal fails: then the older copy that it was to replace
    is restored. If the copy is not as predicted, an archive for a bug report, including data files, is written next to
    it.

    Args:
        table: a local table, opened with the release that has written it so far.
        to: the release that upgrades, 1.0 or later.
        copy: the local folder for the copy, which stays there, upgraded.
        overwrite: whether a copy that an earlier rehearsal left there is replaced; never another table.
        mode: COMMIT_TIME_ORDERING or EVENT_TIME_ORDERING, which the migration script sets on the upgraded table; None
            for the mode that the upgrade gives it.
        payload: the Hudi class that the writer of the batches passes; its first write then upgrades the table. None for
            a writer that passes neither class nor mode.
        batches: what is written after the upgrade, each as an upsert.
        props: other options of the writer of the batches.
        downgrade: downgrade the copy to its old version at the end.
        part: the part of the table that is copied and compared; None for all of it.
        bundle: the Spark bundle of Hudi that runs, of the release `to`, such as your platform's own build: the path of
            a jar on this machine, or a Maven coordinate. None for the released one, from Maven Central.

    Raises:
        ParameterError: what comes after the upgrade contradicts itself, or is not predicted on this table.
        PlanError: the release is older than 1.0, the table has its version already, or is read by no earlier
            release; or batches or the downgrade follow an upgrade whose compaction changes or omits rows
            (`check_compaction`).
        InputError: the table can't be copied, as `copy_table` says, or was written meanwhile; a batch can't be read.
        EngineError: the clock is behind the table's instants, so real Hudi's commits would not come last.
        NotRunError: the bundle can't run here.
        AlteredTableError: files of completed commits are missing, or not as they were written.
        HudiTableError, MergeFailedError: the table can't be read by its own release.
    """
    release = HudiRelease.asked(to)
    check_upgrade_to(table, release)
    check_copy(table.path, copy, overwrite=overwrite)
    check_whole(table)
    then = next_of(table, mode, payload, batches, props)
    if (then.batches is not None or downgrade or table.is_merge_on_read) and not is_connect(table.spark):
        check_clock(table.spark, table.queries())  # real Hudi commits to the copy
    program = bundle_of(release, table.spark, bundle)
    archive = bundle_path(Path(copy))
    if archive.exists() and not overwrite:
        msg = f"{archive} already exists; name another place for the copy"
        raise InputError(msg)
    with contextlib.ExitStack() as closing:
        whole = table
        if part is not None:
            table = closing.enter_context(part_of(table, part, Path(copy).absolute().parent))
        predictions = Predictions(table, release, then)
        with tempfile.TemporaryDirectory(prefix="payload-bridge-") as folder, replaced(copy):
            steps = steps_of(table, release, predictions, then, Path(folder), downgrade=downgrade)
            copied = copy_table(table, copy)
            (taken,) = take_steps(table.spark, program, [(copied.path, steps)], Path(folder), table.jars)
            check_unchanged(whole, copied)
            found = judge(table, predictions, copied, taken, program=program, path=whole.path)
            if found.outcome is RehearsalOutcome.NOT_AS_PREDICTED:
                write_bundle(found, Path(folder), archive)
                found = dataclasses.replace(found, bundle=archive)
            elif found.success:
                archive.unlink(missing_ok=True)
        found.resources.push(closing.pop_all())
        return found


def check_upgrade_to(table: HudiTable, release: HudiRelease) -> None:
    """Refuse an upgrade that is none, or that is not predicted here.

    Raises:
        PlanError: saying why.
    """
    can, version = capabilities(release), int(table.properties[TABLE_VERSION.key])
    if can.upgrade_compaction is UpgradeCompaction.NONE:
        msg = f"an upgrade to Hudi {release} can't be rehearsed; name 1.0 or a later release"
        raise PlanError(msg)
    if version >= can.created_version:
        msg = f"{table.path} has table version {version}, and Hudi {release} has no later one to upgrade to"
        raise PlanError(msg)
    if table.release >= release:
        writer = assumed_writer(version)
        msg = (
            f"{table.path} is opened as Hudi {table.release} reads it, but an upgrade to {release} starts from an "
            f"earlier release; open it with the release that writes it, {writer}"
        )
        raise PlanError(msg)


def steps_of(  # noqa: PLR0913 (what decides on the steps)
    table: HudiTable,
    release: HudiRelease,
    predictions: Predictions,
    then: Next,
    folder: Path,
    *,
    downgrade: bool = False,
) -> list[StepTask]:
    """Return the steps of a rehearsal; batches and scripts go below `folder`.

    Raises:
        InputError: a batch can't be read, or does not fit the one before it.
        PlanError: a script can't set the mode; an option or a column of the batches is not one of the table; or
            something follows an upgrade that `check_compaction` refuses.
    """
    if then.batches is not None or downgrade:
        check_compaction(table, release, predictions.properties)
    steps = []
    if predictions.made is not None:
        script = folder / "migration.py"
        script.write_text(migration_script(predictions.made, f"Tried on a copy of {table.path}."), "utf-8")
        steps = [script_step(script)]
    elif then.payload is None:
        steps = [upgrade_step(release)]
    if then.batches is not None:
        options = {**writer_options(table, then.props), **predictions.passed}
        check_columns(table, then.batches)
        steps += write_steps(then.batches.versions(table.plan()), then.batches.names, options, folder)
        steps += [compaction_step()] if table.is_merge_on_read else []
    return [*steps, downgrade_step(int(table.properties[TABLE_VERSION.key]))] if downgrade else steps


def judge(  # noqa: PLR0913 (keyword-only: what the report says beside the rows)
    table: HudiTable,
    predictions: Predictions,
    copied: CopiedTable,
    taken: Sequence[StepResult],
    *,
    program: str,
    path: str | None = None,
) -> RehearsalReport:
    """Compare the rows before, as predicted, and as the bundle shows them; Spark keeps those that differ.

    `program` is the bundle that ran; `path` is the whole table where `table` is a part of it.

    Raises:
        HudiTableError, MergeFailedError: the table can't be read by its own release.
        InputError: the table was written since it was copied.
    """
    release = predictions.release
    with contextlib.ExitStack() as closing:
        readers = closing.enter_context(compare_upgraded(table, release, predictions.properties))
        simulated = closing.enter_context(contextlib.ExitStack())
        simulated.callback(predictions.close)
        (change,) = readers.results
        steps: list[RehearsedStep] = []
        for one in taken:
            step = _Judged(table, predictions, one, sum(each.name.startswith(WRITE) for each in steps)).step(change)
            if step.deviations is not None:
                closing.callback(step.deviations.unpersist)
            steps.append(step)
        simulated.close()
        check_unchanged(table, copied)
        return RehearsalReport(path or table.path, readers, copied, program, tuple(steps), resources=closing.pop_all())


class _Judged(NamedTuple):
    """A step next to its prediction; `written`: how many batches came before it."""

    table: HudiTable
    predictions: Predictions
    taken: StepResult
    written: int

    def step(self, change: ReaderResult) -> RehearsedStep:
        """Return the step with the rows and the properties that are not as predicted."""
        task, taken = self.taken.task, self.taken
        told: dict[str, Any] = {"refused": as_shown(taken.refused), "seconds": taken.seconds}
        if taken.rows is None:
            return RehearsedStep(task.name, expected=as_shown(change.refused) if self.is_first else None, **told)
        real = self.table.spark.read.parquet(str(taken.rows))
        told["settings"] = changes_between(merge_properties(self._properties()), merge_properties(taken.properties))
        if self.is_first and change.refused is not None:
            return RehearsedStep(task.name, expected=as_shown(change.refused), **told)
        deviations = None
        try:
            deviations = kept(compared_with(self.predictions.reader, self._rows(), real))
            counts = {row[0]: row[1] for row in deviations.groupBy(KIND).count().collect()}
        except (PayloadBridgeError, PySparkException, Py4JError) as error:
            if deviations is not None:
                deviations.unpersist()
            if self.is_first or not is_refusal(error):
                raise
            return RehearsedStep(task.name, expected=sentence_of(error), **told)
        off = ReaderResult(self.predictions.reader.release.value, *(counts.get(kind, 0) for kind in KINDS))
        return RehearsedStep(task.name, off=off, deviations=deviations, **told)

    @property
    def is_first(self) -> bool:
        """Whether it is the upgrade alone."""
        return self.taken.task.do not in {WRITE, COMPACTION, DOWNGRADE}

    def _rows(self) -> DataFrame:
        if self.is_first:
            return self.predictions.upgraded()
        do = self.taken.task.do
        if do == WRITE:
            return self.predictions.written(self.written + 1)
        return self.predictions.written(self.written, compacted=self.table.is_merge_on_read)

    def _properties(self) -> Mapping[str, str]:
        is_back = self.taken.task.do == DOWNGRADE
        return self.predictions.downgraded() if is_back else self.predictions.properties
