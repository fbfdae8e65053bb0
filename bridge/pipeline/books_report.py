"""The books of a run in reports: as statistics and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge.engines import BOOKS, Books, Fate
from bridge.programs import WriteOperation
from bridge.report import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.programs import Operations
    from bridge.report import Report


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


def uncounted(operations: Operations) -> str | None:
    """Return why books lack the rows of some batches; None if they have all."""
    numbers = [number for number, one in operations.by_commit.items() if one is WriteOperation.DELETE_PARTITION]
    if not numbers:
        return None
    batches = f"batch {numbers[0]}" if len(numbers) == 1 else f"batches {', '.join(map(str, sorted(numbers)))}"
    return f"the rows of {batches} (delete_partition) name partitions and no key, so the books have none of them"


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
