"""A batch merged slice by slice: the task that reads a file slice merges the rows of the batch that belong there.

Stored rows are read once and are neither shuffled, kept nor compared again; only what changes leaves the tasks.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines import ADDED_TYPES, ARRIVAL, QUARANTINE, ROW_COUNTS, RowCounts
from bridge.errors import RowCountsError, input_error_of
from bridge.hudi import answer_columns
from bridge.pipeline import choice_of, prepared_upsert, quarantine_of
from bridge.programs import EngineName
from bridge.spark import ObservedFrame, PySparkException, map_in_arrow, observing, prepare
from bridge.write.changes import CHANGE, FLAGGED, INSERTED, Merged, check_types, count_changes, without_flag
from bridge.write.record_location import can_locate, located
from bridge.write.slice_tasks import SliceWork, merged_slices
from bridge.write.stored_rows import joined_rows, telling_doubles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql import DataFrame, Row

    from bridge.hudi import Answer, HudiTable, TableQueries
    from bridge.plan import MergePlan
    from bridge.write.record_location import Buckets

_ROWS: Final = "rows"


def merged_in_slices(  # noqa: PLR0913, PLR0917 (the two sides, what merges, and who keeps frames)
    table: HudiTable,
    queries: TableQueries,
    answer: Answer,
    incoming: DataFrame,
    plan: MergePlan,
    buckets: Buckets | None,
    keep: Callable[[DataFrame], DataFrame],
    release: Callable[[Callable[[], object]], object],
) -> Merged | None:
    """Merge a batch into the slices of a table; None where it can't be done so.

    Args:
        table: the table.
        queries: its queries.
        answer: what is read of it, of the partitions of the batch at least.
        incoming: the batch, without meta columns.
        plan: how versions merge.
        buckets: how a bucket index tells the slice of a key; None where keys are looked for.
        keep: lets Spark keep the rows of a frame.
        release: takes what releases the rest, in the end.

    Raises:
        InputError: the batch does not fit the table; or a key is stored twice.
        RowCountsError: rows were lost or doubled.
        MergeFailedError, PySparkException: a key can't be merged.
    """
    spark = incoming.sparkSession
    own = answer_columns(answer.query)
    stored = without_flag(spark.createDataFrame([], own), incoming)
    check_types(table.path, stored, incoming)
    if not _fits(plan, incoming, stored) or not can_locate(incoming.schema, plan, queries, own):
        return None
    came = ObservedFrame(incoming, sf.count(sf.lit(1)).alias(_ROWS))
    side, job, layout = prepared_upsert(stored, came.frame, plan)
    rows, slices = located(side, answer, plan, buckets, ARRIVAL)
    work = SliceWork.of(spark, answer.query, slices, release)
    prepare(spark, plan.payload_name)
    task = functools.partial(merged_slices, work, job)
    task.__name__ = job.label  # type: ignore[attr-defined] # what Spark's plans call the task
    result = spark_types.StructType([*(_nullable(field) for field in layout.fields)]).add(CHANGE, "string")
    for name in (QUARANTINE, ROW_COUNTS):
        if name in job.handed_over:
            result.add(name, ADDED_TYPES[name])
    found = keep(map_in_arrow(rows, task, result))
    try:
        with observing(spark):
            told = count_changes(found, ROW_COUNTS)
    except PySparkException as error:  # of a task, which may have found a key twice in its slice
        if (wrong := input_error_of(error)) is not None:
            raise wrong from error
        raise
    counts, texts = counted(told)
    with telling_doubles(table.path, plan, lambda: joined_rows(table, answer, incoming, plan)):  # or in two slices
        balanced = _row_counts(texts, came, incoming)
    row_counts = dataclasses.replace(balanced, inserted=counts.get(INSERTED, 0))
    aside = quarantine_of(found.drop(CHANGE, ROW_COUNTS)) if QUARANTINE in found.columns else None
    changed = found.where(sf.col(CHANGE).isNotNull()).drop(QUARANTINE, ROW_COUNTS)
    return Merged(changed, counts, row_counts, aside, any(row[FLAGGED] for row in told))


def counted(told: Iterable[Row]) -> tuple[dict[str, int], list[str]]:
    """Return how many rows there are of each change, and the text of the row counts of each task; two may be alike."""
    counts: dict[str, int] = {}
    texts: list[str] = []
    for row in told:
        if row[CHANGE] is not None:
            counts[row[CHANGE]] = counts.get(row[CHANGE], 0) + row[_ROWS]
        elif row[ROW_COUNTS] is not None:
            texts += [row[ROW_COUNTS]] * row[_ROWS]
    return counts, texts


def _nullable(field: spark_types.StructField) -> spark_types.StructField:
    return spark_types.StructField(field.name, field.dataType)


def _fits(plan: MergePlan, incoming: DataFrame, stored: DataFrame) -> bool:
    """Whether tasks in Python may merge, and the stored rows have the types of the batch.

    A row that a global index finds may be in a slice of another partition than those of the batch.
    """
    if plan.global_index:
        return False
    engine = choice_of("upsert", plan, incoming, stored).engine
    of_rows = plan.merger is None or plan.mode is not None  # a merger of columns may know no rows
    if engine is not EngineName.PYTHON and not (engine is EngineName.NATIVE and plan.engine == "auto" and of_rows):
        return False
    kinds = {field.name: field.dataType.simpleString() for field in stored.schema}
    return all(kinds.get(f.name, f.dataType.simpleString()) == f.dataType.simpleString() for f in incoming.schema)


def _row_counts(texts: list[str], came: ObservedFrame, incoming: DataFrame) -> RowCounts:
    """Return the row counts of the run, which balance.

    Raises:
        RowCountsError: they do not.
    """
    found = RowCounts.of_texts({"stored": 0, "incoming": int(came.counts(incoming)[_ROWS])}, texts)
    try:
        found.check()
    except RowCountsError:
        # Spark counts a task twice that it runs again, after an executor was lost: ask the batch itself.
        found = dataclasses.replace(found, rows_in={**found.rows_in, "incoming": incoming.count()})
        found.check()
    return found
