"""merge_into: a batch merged into a real table by a plan's payload, as one commit of Hudi's own writer."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import uuid
from typing import TYPE_CHECKING

from bridge.config import keys
from bridge.errors import EngineError, InputError, PlanError, sentence_of
from bridge.hudi import AlteredTableError, HudiTable, HudiTableError
from bridge.plan import TableType
from bridge.spark import META_COLUMNS, described
from bridge.write.changes import (
    DELETED,
    INSERTED,
    UPDATED,
    as_commit,
    check_columns,
    check_rows,
)
from bridge.write.clock import check_clock
from bridge.write.concurrency import TRIES, RefusedCommitError, check_since, forget_read, is_conflict, is_locked
from bridge.write.frame_merge import merged_in_frames
from bridge.write.hudi_writer import check_writer_is_there, commit
from bridge.write.merge_into_report import MergeIntoReport
from bridge.write.read_instant import ReadInstant
from bridge.write.record_location import buckets_of, check_buckets
from bridge.write.slice_merge import merged_in_slices
from bridge.write.stored_rows import check_slices, of_batch
from bridge.write.target import WriteTarget
from payloads import HudiRelease
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame

    from bridge.hudi import TableQueries
    from bridge.plan import MergePlan
    from bridge.write.changes import Merged


def merge_into(  # noqa: PLR0913 (keyword-only settings of one commit)
    table: HudiTable | str,
    incoming: DataFrame,
    plan: MergePlan,
    *,
    batch_id: str | None = None,
    write_options: Mapping[str, str] | None = None,
    before_commit: Callable[[DataFrame | None], None] | None = None,
) -> MergeIntoReport:
    """Merge a batch into a Hudi table: the plan's payload decides, and Hudi's own writer makes one commit.

    The stored rows of the batch's keys are read, `combine-input` and `upsert` run as in the plan's release, and
    inserted, changed and deleted rows are written as complete rows. The table must be one of Hudi 1.0 or later in mode
    COMMIT_TIME_ORDERING, or one of 0.15 with OverwriteWithLatestAvroPayload and without an ordering field, so that
    readers show the last write. If nothing changes, nothing is written.

    With GLOBAL_SIMPLE or GLOBAL_BLOOM in `write_options` (`hoodie.index.type`) or the table's properties, the stored
    row of a key is looked up in all partitions, as in a plan with `global_index`. A row that the payload keeps moves to
    the partition of the batch, and Hudi's writer deletes the old one in the same commit; with the index's
    `update.partition.path=false` it stays in its old partition. Locks are refused with these indexes.

    Only one writer may run at a time: if another writer's instant is found before the commit, the merge ends; if it is
    found afterwards, the error names both. A completed commit is never rolled back. Several writers must all use Hudi's
    optimistic concurrency control, set in `write_options` (`hoodie.write.concurrency.mode`,
    `hoodie.write.lock.provider` and its settings). Hudi then refuses the commit, under its lock, if another writer has
    committed to one of its partitions since the read, and the batch is merged again, at most five times. A run that
    fails before its commit completes leaves no visible rows. If Hudi's table services fail afterwards (cleaning,
    archiving, compaction, sync), the error names the commit.

    Args:
        table: the table, or its base path.
        incoming: the batch, in the columns of the table; new columns are added to it.
        plan: how versions merge; its key and partition are those of the table. Its table type has no effect.
        batch_id: the id of the batch, any text: if a commit of the table has merged it already, nothing is done. A
            batch without changes leaves no commit and no id.
        write_options: other options of Hudi's own writer, such as hoodie.index.type=SIMPLE.
        before_commit: receives the quarantine of the run (None unless the plan quarantines keys) before the commit
            begins, if no other writer was seen; if it raises, nothing is written. Called again if the batch is merged
            again.

    Raises:
        InputError: the table would merge written rows again, or the batch does not fit it, or Hudi's index would not
            find the rows, or the table stores a key of the batch twice.
        PlanError: the plan has another key than the table, or an option would change what is written.
        EngineError: the session has no Hudi bundle; or the clock of the driver is behind the table's instants; or the
            commit is complete, and what came after it failed.
        ConflictError: another writer committed since the read; the message names its instant. With a lock: in each of
            five attempts.
        AlteredTableError: files of completed commits are missing, or differ from what was written.
        HudiTableError: the table can't be read.
        MergeFailedError, PySparkException: a key can't be merged, or Hudi's writer fails.
    """
    if incoming.isStreaming:
        msg = "the batch is a stream; write it with foreachBatch(bridge.merge_batch(table, plan))"
        raise InputError(msg)
    found = HudiTable(incoming.sparkSession, table, HudiRelease.latest()) if isinstance(table, str) else table
    for _ in range(TRIES - 1 if is_locked(write_options or {}) else 0):
        with contextlib.suppress(RefusedCommitError):
            return _merged(found, incoming, plan, batch_id, write_options or {}, before_commit)
    return _merged(found, incoming, plan, batch_id, write_options or {}, before_commit)


def _merged(  # noqa: PLR0913, PLR0917 (those of merge_into)
    found: HudiTable,
    incoming: DataFrame,
    plan: MergePlan,
    batch: str | None,
    options: Mapping[str, str],
    before_commit: Callable[[DataFrame | None], None] | None,
) -> MergeIntoReport:
    """Merge a batch by what the table has now; errors as in `merge_into`."""
    spark = incoming.sparkSession
    queries = found.queries(looks=False)  # such a table is refused below
    target = WriteTarget(queries)
    target.check_plan(plan)
    run = uuid.uuid4().hex
    written_as = target.options(options, batch, run)
    plan = target.with_index(plan, written_as, options)
    check_columns(incoming)
    columns = list(queries.schema(queries.timeline.latest or "0").by_name)
    check_writer_is_there(spark, queries.properties.version)

    read = ReadInstant(found.path, queries.timeline, is_locked=is_locked(written_as))
    merged_by = None if batch is None else read.instant_of(batch)
    if merged_by is not None:
        return MergeIntoReport(found.path, plan, read.latest, batch=batch, merged_by=merged_by)
    if altered := queries.listings.altered_files():
        raise AlteredTableError.of_files(found.path, altered)
    if read.is_locked:  # a session that takes no class is told before anything is merged
        forget_read(spark)
    rows = dataclasses.replace(plan, table_type=TableType.COPY_ON_WRITE)
    what = f"merge into {found.path}: {plan.payload_name}, Hudi {plan.release}"
    with contextlib.ExitStack() as kept, described(spark, what):
        done = _changes(found, queries, incoming.drop(*META_COLUMNS), rows, written_as, kept)
        check_rows(done)
        counts, aside = done.counts, done.quarantine
        if counts:
            _check_before(found, read)
        if before_commit is not None:
            before_commit(aside)
        report = MergeIntoReport(
            found.path,
            plan,
            read.latest,
            batch=batch,
            inserted=counts.get(INSERTED, 0),
            updated=counts.get(UPDATED, 0),
            deleted=counts.get(DELETED, 0),
            adds_flag=DELETED in counts and IS_DELETED not in columns,
            row_counts=done.row_counts,
            quarantine=aside,
        )
        if counts:
            _check_before(found, read)
            commit_rows = as_commit(done.changed, columns, deletes=DELETED in counts)
            _commit(found, commit_rows, read, run, written_as)
            report = dataclasses.replace(report, instant=read.own_commit(found.queries().timeline, run))
        if aside is not None:
            return dataclasses.replace(report, _kept=kept.pop_all())
        return report


def _changes(  # noqa: PLR0913, PLR0917 (those of a merge, and what is released in the end)
    found: HudiTable,
    queries: TableQueries,
    incoming: DataFrame,
    plan: MergePlan,
    options: Mapping[str, str],
    kept: contextlib.ExitStack,
) -> Merged:
    """Merge a batch, slice by slice where that can be done; `kept` releases what Spark keeps."""
    keep = functools.partial(_kept, kept)
    if queries.timeline.latest is None:
        return merged_in_frames(found, queries, None, keep(incoming), plan, None, keep, kept.callback)
    answer = queries.snapshot()
    buckets = buckets_of(queries, answer, plan, incoming.schema, options)
    if buckets is None:  # the batch is asked for its partitions first, and looked for in them
        incoming = keep(incoming)
        answer = of_batch(found, queries, answer, incoming, plan)
    check_slices(found.path, answer.slices, options[keys.INDEX_TYPE])
    check_buckets(found.spark, queries, answer, options)
    done = merged_in_slices(found, queries, answer, incoming, plan, buckets, keep, kept.callback)
    if done is None:
        incoming = keep(incoming)
        done = merged_in_frames(found, queries, answer, incoming, plan, buckets, keep, kept.callback)
    return done


def merge_batch(
    table: str,
    plan: MergePlan,
    *,
    stream: str | None = None,
    write_options: Mapping[str, str] | None = None,
) -> Callable[[DataFrame, int], None]:
    """Return the function for `foreachBatch` of a structured stream: it merges each micro-batch into a table once.

    A micro-batch that is delivered again, for example after a restart, changes nothing: its commit records the stream's
    name and the batch number.

    Args:
        table: the base path of the table.
        plan: how versions merge; its `on_error` must be `fail`, because a stream has no place for a quarantine. To
            quarantine keys, call `with merge_into(..., before_commit=...): pass` in a function of your own; the end of
            the block releases the rows that Spark keeps for the quarantine.
        stream: a name of the stream that survives restarts; None for the id in its checkpoint.
        write_options: other options of Hudi's own writer.

    Raises:
        PlanError: the plan quarantines keys.
    """
    if plan.on_error != "fail":
        msg = (
            "a stream has nowhere to put a quarantine; in your own foreachBatch, write `with merge_into(..., "
            "before_commit=...): pass`, which releases the rows that Spark keeps"
        )
        raise PlanError(msg)

    def merge(rows: DataFrame, number: int) -> None:
        name = stream or rows.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId")
        if not name:
            msg = "Spark does not report the id of this stream; name it: merge_batch(..., stream=NAME)"
            raise InputError(msg)
        merge_into(table, rows, plan, batch_id=f"{name}/{number}", write_options=write_options)

    return merge


def _check_before(found: HudiTable, read: ReadInstant) -> None:
    """Check that no other writer has been there, and that a commit would come last; errors as in `merge_into`."""
    now = found.queries()
    read.check_before(now.timeline)
    check_clock(found.spark, now)


def _commit(found: HudiTable, rows: DataFrame, read: ReadInstant, run: str, options: Mapping[str, str]) -> None:
    """Let Hudi's writer commit rows, and check since `read` if it has a lock; errors as in `merge_into`."""
    if read.is_locked:
        check_since(rows.sparkSession, read.completed)
    try:
        commit(rows, found.path, options)
    except Exception as error:
        _check_failed(found, read, run, error)
        raise
    finally:
        if read.is_locked:
            forget_read(rows.sparkSession)


def _check_failed(table: HudiTable, read: ReadInstant, run: str, error: Exception) -> None:
    """Check, after Hudi's writer failed, that its commit is not complete.

    Raises:
        EngineError: it is: what came after it failed.
        ConflictError: it is, and another writer was there; or Hudi refused it because of one.
    """
    with contextlib.suppress(HudiTableError, InputError, OSError):  # then the writer's own error counts
        now = table.queries().timeline
        if read.commit_of(now, run) is None:
            if read.is_locked and is_conflict(error):
                msg = f"{table.path}: Hudi refused the commit because another writer's came after {read.latest}"
                raise RefusedCommitError(msg) from error
            return
        own = read.own_commit(now, run)
        msg = (
            f"{table.path}: the commit {own} is complete; what came after it failed: {sentence_of(error)}; "
            "do not merge this batch again"
        )
        raise EngineError(msg) from error


def _kept(stack: contextlib.ExitStack, frame: DataFrame) -> DataFrame:
    """Let Spark keep the rows of a frame until a stack ends."""
    found = frame.persist()
    stack.callback(found.unpersist)
    return found
