"""The row counts of a run in reports: as statistics and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.engines import COMMIT, FIRST, LAST, PREFIX, ROW_COUNTS, RowCounts, RowStatus, statuses_of
from bridge.merge import MergePoint
from bridge.pipeline.layout import join_rows
from bridge.report import Severity, Table
from bridge.spark import distinct_keys, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.report import Report

_SHOWN = f"{PREFIX}shown"


def statistics_of(row_counts: RowCounts) -> dict[str, object]:
    """Return the counts of the envelope: rows in and out, each status, and `books`, by merge point and side."""
    return {
        "rows_in": sum(row_counts.rows_in.values()),
        "rows_out": row_counts.rows_out,
        "inserted": row_counts.inserted,
        **{status.value: row_counts.total(status) for status in RowStatus},
        "made": row_counts.made,
        "books": row_counts.lines(),
    }


class NamedPartitions(NamedTuple):
    """What the rows of delete_partition batches name.

    Attributes:
        rows: the columns of the partition, with the number of the batch in `_pb_commit`.
        commits: the numbers of these batches.
    """

    rows: DataFrame
    commits: tuple[int, ...]


def with_partitions(
    row_counts: RowCounts, outcomes: DataFrame, named: NamedPartitions | None, *, are_in: bool = False
) -> RowCounts:
    """Return the row counts with the rows of a delete_partition, which name no key.

    Such a row is deleted if the snapshot before its batch shows a row of its partition, and ignored if not.

    Args:
        row_counts: those of the keys.
        outcomes: of a simulation, which Spark keeps.
        named: see `Batches.partitions_named`.
        are_in: whether the rows that came in are counted with these.
    """
    if named is None:
        return row_counts
    columns = named.rows.columns
    partition = [name for name in columns if name != COMMIT]
    commits = sf.array(*map(sf.lit, named.commits))
    after = sf.filter(commits, lambda commit: (commit > sf.col(FIRST)) & (commit <= sf.col(LAST) + 1))
    shown = distinct_keys(outcomes.select(sf.explode(after).alias(COMMIT), *map(quoted, partition)), columns)
    found = join_rows(named.rows, shown.withColumn(_SHOWN, sf.lit(True)), columns, "left", or_empty=partition)
    total, deleted = found.agg(sf.count(sf.lit(1)), sf.count(_SHOWN)).collect()[0]
    statuses = {RowStatus.DELETED: deleted, RowStatus.IGNORED: total - deleted}
    return row_counts.with_incoming(MergePoint.SNAPSHOT.value, statuses, are_in=are_in)


def row_counts_table(row_counts: RowCounts, of: str = "", *, unmerged: str = RowStatus.QUARANTINED) -> Table:
    """Return the statuses by merge point and side as a table.

    Args:
        row_counts: of a run.
        of: the name of one of several runs.
        unmerged: what the rows of keys that can't be merged are called.
    """
    called = {RowStatus.QUARANTINED.value: unmerged}
    lines = [{called.get(name, name): one for name, one in line.items()} for line in row_counts.lines()]
    title = "Row counts"
    columns = ("merge_point", "side", *(called.get(status, status) for status in RowStatus))
    return Table.of_rows(columns, lines, f"{title} ({of})" if of else title)


def row_counts_in(outcomes: DataFrame, rows_in: Mapping[str, int]) -> RowCounts:
    """Return the row counts among outcomes that Spark keeps: one row a task, or in `_pb_statuses` one a key."""
    if ROW_COUNTS not in outcomes.columns:
        return RowCounts.of_observed(rows_in, outcomes.select(*statuses_of(outcomes)).collect()[0].asDict())
    texts = [row[0] for row in outcomes.where(sf.col(ROW_COUNTS).isNotNull()).select(ROW_COUNTS).collect()]
    return RowCounts.of_texts(rows_in, texts)


def report_quarantine(report: Report, aside: int, *, all_that_came: bool, where: str) -> None:
    """Put the quarantine into a report that has its verdict; without success where nothing else came in.

    Args:
        report: of the run.
        aside: how many rows are in quarantine.
        all_that_came: whether these are all rows that were to be merged.
        where: where the rows are, in half a sentence.
    """
    if not aside:
        return
    rows = "1 row is" if aside == 1 else f"{aside} rows are"
    report.warnings.append(f"{rows} in quarantine, since their keys can't be merged; the reasons are {where}")
    if all_that_came:
        report.found(Severity.REFUSED)
        report.verdict = f"NOTHING MERGED: every input row is in quarantine. {report.verdict}"
