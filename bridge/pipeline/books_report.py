"""The books of a run in reports: as statistics and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.engines import BOOKS, COMMIT, FIRST, LAST, PREFIX, Books, Fate, fates_of
from bridge.merge import MergePoint
from bridge.pipeline.layout import join_rows
from bridge.report import Severity, Table
from bridge.spark import distinct_keys, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.report import Report

_SHOWN = f"{PREFIX}shown"


def statistics_of(books: Books) -> dict[str, object]:
    """Return the counts of the envelope: rows in and out, each fate, and `books`, the fates by merge point and side."""
    return {
        "rows_in": sum(books.rows_in.values()),
        "rows_out": books.rows_out,
        "inserted": books.inserted,
        **{fate.value: books.total(fate) for fate in Fate},
        "made": books.made,
        "books": books.lines(),
    }


class NamedPartitions(NamedTuple):
    """What the rows of delete_partition batches name.

    Attributes:
        rows: the columns of the partition, with the number of the batch in `_pb_commit`.
        commits: the numbers of these batches.
    """

    rows: DataFrame
    commits: tuple[int, ...]


def with_partitions(books: Books, outcomes: DataFrame, named: NamedPartitions | None, *, are_in: bool = False) -> Books:
    """Return the books with the rows of a delete_partition, which name no key.

    Such a row is deleted if the snapshot before its batch shows a row of its partition, and ignored if not.

    Args:
        books: those of the keys.
        outcomes: of a simulation, which Spark keeps.
        named: see `Batches.partitions_named`.
        are_in: whether the rows that came in are counted with these.
    """
    if named is None:
        return books
    columns = named.rows.columns
    partition = [name for name in columns if name != COMMIT]
    commits = sf.array(*map(sf.lit, named.commits))
    after = sf.filter(commits, lambda commit: (commit > sf.col(FIRST)) & (commit <= sf.col(LAST) + 1))
    shown = distinct_keys(outcomes.select(sf.explode(after).alias(COMMIT), *map(quoted, partition)), columns)
    found = join_rows(named.rows, shown.withColumn(_SHOWN, sf.lit(True)), columns, "left", or_empty=partition)
    total, deleted = found.agg(sf.count(sf.lit(1)), sf.count(_SHOWN)).collect()[0]
    fates = {Fate.DELETED: deleted, Fate.IGNORED: total - deleted}
    return books.with_incoming(MergePoint.SNAPSHOT.value, fates, are_in=are_in)


def books_table(books: Books, of: str = "", *, unmerged: str = Fate.QUARANTINED) -> Table:
    """Return the fates by merge point and side as a table.

    Args:
        books: of a run.
        of: the name of one of several runs.
        unmerged: what the rows of keys that can't be merged are called.
    """
    called = {Fate.QUARANTINED.value: unmerged}
    lines = [{called.get(name, name): one for name, one in line.items()} for line in books.lines()]
    title = "Row counts"
    columns = ("merge_point", "side", *(called.get(fate, fate) for fate in Fate))
    return Table.of_rows(columns, lines, f"{title} ({of})" if of else title)


def books_in(outcomes: DataFrame, rows_in: Mapping[str, int]) -> Books:
    """Return the books among outcomes that Spark keeps: one row a task, or in `_pb_fates` one a key."""
    if BOOKS not in outcomes.columns:
        return Books.of_observed(rows_in, outcomes.select(*fates_of(outcomes)).collect()[0].asDict())
    texts = [row[0] for row in outcomes.where(sf.col(BOOKS).isNotNull()).select(BOOKS).collect()]
    return Books.of_texts(rows_in, texts)


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
