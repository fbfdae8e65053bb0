"""The merge points on Spark: a DataFrame in, a DataFrame out, every key independent of the others.

All functions are lazy, but with `trust_rule` a class is called for a sample of the keys at once. `append` gives two
frames of one job: persist or write its inputs first where that matters.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge.engines import (
    ACTION,
    COMMIT,
    KIND,
    MADE,
    NEWER,
    ORDERING,
    QUARANTINE,
    ROW_COUNTS,
    SEQUENCE,
    TO_LOG,
    visible,
)
from bridge.errors import PlanError
from bridge.merge import Action
from bridge.pipeline.layout import data_fields, incoming_side, layout_of, log_side, stored_side
from bridge.pipeline.run import check_that_rows_are_all, job_of, run
from bridge.spark import quoted, with_types

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from bridge.engines import Job
    from bridge.engines.trusted import Evidence
    from bridge.pipeline.layout import Layout
    from bridge.plan import MergePlan


def combine_input(incoming: DataFrame, plan: MergePlan) -> DataFrame:
    """Deduplicate a batch: one row per key, plus `_pb_delete` and `_pb_ordering`.

    A delete without data has null in all columns except the key. With a global index the key alone identifies a row.

    Raises:
        PlanError: the plan does not deduplicate batches.
    """
    return combined_rows(combine_outcomes(incoming, plan, only_rows=True))


def combine_outcomes(
    incoming: DataFrame, plan: MergePlan, *, row_counts: bool = False, only_rows: bool = False
) -> DataFrame:
    """Return what `combine_input` does to each key."""
    if not plan.combine_before_upsert:
        msg = "the plan has combine_before_upsert=False, so there is nothing to combine; write the batch as it is"
        raise PlanError(msg)
    if only_rows:
        check_that_rows_are_all(plan)
    layout = layout_of(plan, incoming)
    return run([incoming_side(incoming, layout, plan)], layout, plan, program="combine_input", row_counts=row_counts)


def combined_rows(outcomes: DataFrame) -> DataFrame:
    """Return the rows of a combined batch."""
    return outcomes.where(sf.col(ACTION).isNotNull()).drop(ACTION, QUARANTINE, ROW_COUNTS, NEWER, MADE)


def upsert(stored: DataFrame, incoming: DataFrame, plan: MergePlan) -> DataFrame:
    """Merge a batch into the stored rows, copy-on-write; return the rows that are stored afterwards.

    Keys must be unique among the stored rows: the Python and Java engines refuse duplicates. The native engine does so
    if it broadcasts the batch; otherwise it merges each duplicate.
    """
    return _upserted(stored, incoming, plan, only_rows=True)


def upsert_outcomes(
    stored: DataFrame,
    incoming: DataFrame,
    plan: MergePlan,
    *,
    row_counts: bool = False,
    evidence: list[Evidence] | None = None,
) -> DataFrame:
    """Return what `upsert` does to each key: the row and `_pb_action`; deleted and dropped keys as bare keys."""
    return _upserted(stored, incoming, plan, only_rows=False, row_counts=row_counts, evidence=evidence)


def _upserted(stored: DataFrame, incoming: DataFrame, plan: MergePlan, **told: Any) -> DataFrame:
    layout = layout_of(plan, incoming, stored)
    sides = [stored_side(stored, layout), incoming_side(incoming, layout, plan)]
    program = "upsert_global_index" if plan.global_index else "upsert"
    return run(sides, layout, plan, program=program, instant=_instant(), **told)


def prepared_upsert(stored: DataFrame, incoming: DataFrame, plan: MergePlan) -> tuple[DataFrame, Job, Layout]:
    """Return a batch as an upsert takes it, its job and its layout, for tasks that read stored rows themselves.

    Args:
        stored: a frame of the columns of the stored rows; none of its rows is read.
        incoming: the batch.
        plan: what merges.
    """
    layout = layout_of(plan, incoming, stored)
    side = incoming_side(incoming, layout, plan)
    return side, job_of([side], layout, plan, program="upsert", row_counts=True), layout


def append(
    stored: DataFrame, log: DataFrame | None, incoming: DataFrame, plan: MergePlan
) -> tuple[DataFrame, DataFrame]:
    """Write a batch to a merge-on-read table; return its stored rows and its log.

    A key with a row in `stored`, even one that the log hides, goes to the log; any other key is inserted into
    `stored`, or goes to the log as well (`inserts_to`). The log has the data columns, `_pb_commit`, `_pb_kind` (data,
    delete), `_pb_seq` and, for delete entries, `_pb_ordering`. `log` is None if nothing was logged yet.
    """
    check_that_rows_are_all(plan)
    return appended(append_outcomes(stored, incoming, plan, log), log)


def appended(outcomes: DataFrame, log: DataFrame | None) -> tuple[DataFrame, DataFrame]:
    """Split the outcomes of `append_outcomes` into the stored rows and the log."""
    logged = (Action.INSERT, Action.UPDATE, Action.DELETE)
    to_log = outcomes.where(sf.col(TO_LOG) & sf.col(ACTION).isin(*map(int, logged)))
    return visible(outcomes.where(~sf.col(TO_LOG))), _log(log, to_log)


def append_outcomes(
    stored: DataFrame, incoming: DataFrame, plan: MergePlan, log: DataFrame | None = None, *, row_counts: bool = False
) -> DataFrame:
    """Return what `append` does: outcomes with `_pb_to_log` and, for delete entries, `_pb_ordering`."""
    layout = layout_of(plan, incoming, stored)
    sides = [stored_side(stored, layout), incoming_side(incoming, layout, plan)]
    if plan.global_index:  # the log, too, decides what a row is now, and so where it goes
        sides += [] if log is None else [log_side(log, layout)]
        return run(sides, layout, plan, program="append_global_index", instant=_instant(), row_counts=row_counts)
    outcomes = run(sides, layout, plan, program="append", instant=_instant(), row_counts=row_counts)
    if plan.inserts_to == "log":
        is_new = sf.col(ACTION) == int(Action.INSERT)  # also of rows that passed as Arrow
        return outcomes.withColumn(TO_LOG, sf.col(TO_LOG) | is_new)
    return outcomes


def compact(stored: DataFrame, log: DataFrame, plan: MergePlan) -> DataFrame:
    """Merge the log into the stored rows; return the rows of the new base files."""
    return read_outcomes(stored, log, plan, program="compact", only_rows=True)


def snapshot(stored: DataFrame, log: DataFrame, plan: MergePlan) -> DataFrame:
    """Merge the log with the stored rows as a query does; return the rows that it sees."""
    return read_outcomes(stored, log, plan, program="snapshot", only_rows=True)


def read_outcomes(stored: DataFrame, log: DataFrame, plan: MergePlan, *, program: str, **told: Any) -> DataFrame:
    """Return what `compact` and `snapshot` (the `program`) do to each key; readers use no index. `told`: see `run`."""
    plan = plan.within_partitions()
    layout = layout_of(plan, log, stored)
    sides = [stored_side(stored, layout), log_side(log, layout)]
    return run(sides, layout, plan, program=program, **told)


def _log(log: DataFrame | None, entries: DataFrame) -> DataFrame:
    deleted = sf.col(ACTION) == int(Action.DELETE)
    data = [quoted(field.name) for field in data_fields(entries)]
    kind = sf.when(deleted, "delete").otherwise("data").alias(KIND)
    sequence = sf.monotonically_increasing_id().alias(SEQUENCE)
    new = entries.select(*data, kind, sequence, ORDERING)
    if log is None:
        return new.select(*data, _first_commit().alias(COMMIT), KIND, SEQUENCE, ORDERING)
    last = log.agg((sf.coalesce(sf.max(COMMIT), sf.lit(0)) + 1).cast("long").alias(COMMIT))
    numbered = new.crossJoin(sf.broadcast(last)).select(*data, COMMIT, KIND, SEQUENCE, ORDERING)
    kinds = {field.name: field.dataType for field in data_fields(entries)}
    return with_types(log, kinds).unionByName(numbered, allowMissingColumns=True)


def _first_commit() -> Column:
    return sf.lit(1).cast("long")


def _instant() -> str:
    """Return the commit time of a write that starts now: yyyyMMddHHmmssSSS in UTC, as Hudi names instants."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d%H%M%S%f")[:17]
