"""The books of a run in reports: as statistics and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge.engines import BOOKS, COMMIT, FIRST, LAST, PREFIX, Books, Fate
from bridge.merge import MergePoint
from bridge.pipeline.layout import join_rows
from bridge.report import Table
from bridge.spark import distinct_keys, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.report import Report

_SHOWN = f"{PREFIX}shown"


def statistics_of(books: Books) -> dict[str, Any]:
    """Return the counts of the envelope: rows in and out, each fate, and `books`, the fates by merge point and side."""
    return {
        "rows_in": sum(books.rows_in.values()),
        "rows_out": books.rows_out,
        "inserted": books.inserted,
        **{fate.value: books.total(fate) for fate in Fate},
        "made": books.made,
        "books": books.lines(),
    }


def with_partitions(books: Books, outcomes: DataFrame, named: DataFrame | None, *, are_in: bool = False) -> Books:
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
    partition = [name for name in named.columns if name != COMMIT]
    after = sf.explode(sf.sequence(sf.col(FIRST) + 1, sf.col(LAST) + 1)).alias(COMMIT)
    shown = distinct_keys(outcomes.select(after, *map(quoted, partition)), named.columns)
    shown = shown.withColumn(_SHOWN, sf.lit(True))
    found = join_rows(named, shown, named.columns, "left", or_empty=partition)
    total, deleted = found.agg(sf.count(sf.lit(1)), sf.count(_SHOWN)).collect()[0]
    fates = {Fate.DELETED: deleted, Fate.IGNORED: total - deleted}
    return books.with_incoming(MergePoint.SNAPSHOT.value, fates, are_in=are_in)


def books_table(books: Books, of: str = "") -> Table:
    """Return the fates by merge point and side as a table; `of` names one of several runs."""
    columns = ("merge_point", "side", *Fate)
    title = "What became of the rows that came in"
    return Table.of_rows(columns, books.lines(), f"{title} ({of})" if of else title)


def books_in(outcomes: DataFrame, rows_in: Mapping[str, int]) -> Books:
    """Return the books among outcomes that Spark keeps, one row a task."""
    texts = [row[0] for row in outcomes.where(sf.col(BOOKS).isNotNull()).select(BOOKS).collect()]
    return Books.of_texts(rows_in, texts)


def tell_quarantine(report: Report, aside: int, *, all_that_came: bool, where: str) -> None:
    """Put what was set aside into a report that has its verdict; without success where nothing else came in.

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
        report.success = False
        report.verdict = f"NOTHING MERGED: every row that came in is in quarantine. {report.verdict}"
