"""A batch merged as frames, by any engine: stored rows go to those of the batch, and meet the outcomes again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import types as spark_types

from bridge.pipeline import PointRun
from bridge.spark import META_COLUMNS, observing, spark_schema
from bridge.write.changes import CHANGE, FLAGGED, Merged, changes, check_types, count_changes, without_flag
from bridge.write.stored_rows import stored_rows, telling_doubles

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from bridge.hudi import Answer, HudiTable, TableQueries
    from bridge.plan import MergePlan
    from bridge.write.record_location import Buckets

_FIRST: Final = "0"
"""An instant before all others."""


def merged_in_frames(  # noqa: PLR0913, PLR0917 (the two sides, what merges, and who keeps frames)
    table: HudiTable,
    queries: TableQueries,
    answer: Answer | None,
    incoming: DataFrame,
    plan: MergePlan,
    buckets: Buckets | None,
    keep: Callable[[DataFrame], DataFrame],
    release: Callable[[Callable[[], object]], object],
) -> Merged:
    """Merge a batch with the stored rows of its keys.

    Args:
        table: the table.
        queries: its queries.
        answer: what is read of it; None for an empty table.
        incoming: the batch, without meta columns, kept by Spark.
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
    if answer is None:
        stored = _no_rows(queries, incoming)
    else:
        stored = keep(stored_rows(table, queries, answer, incoming, plan, buckets, release))
    check_types(table.path, stored, incoming)
    point = PointRun("upsert", {"stored": stored, "incoming": incoming}, plan)
    outcomes = keep(point.outcomes) if plan.on_error == "quarantine" else point.outcomes
    with telling_doubles(table.path, plan, lambda: stored), observing(spark):
        changed = keep(changes(outcomes, stored, plan))
        told = count_changes(changed)
        row_counts = point.row_counts(outcomes)
    counts = {row[CHANGE]: row["rows"] for row in told}
    aside = point.split(outcomes).get("quarantine")
    return Merged(changed, counts, row_counts, aside, any(row[FLAGGED] for row in told))


def _no_rows(queries: TableQueries, incoming: DataFrame) -> DataFrame:
    """Return no rows, in the columns that SQL created an empty table with; else in those that the batch gives it."""
    created = [field for field in spark_schema(queries.schema(_FIRST)) if field.name not in META_COLUMNS]
    if not created:
        return incoming.limit(0)
    return without_flag(incoming.sparkSession.createDataFrame([], spark_types.StructType(created)), incoming)
