"""The books of a run in reports: as statistics and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.engines import Fate
from bridge.report import Table

if TYPE_CHECKING:
    from bridge.engines import Books
    from bridge.report import Report


def statistics_of(books: Books) -> dict[str, Any]:
    """Return the counts of the envelope: rows in and out, each fate, and `books`, the fates by merge point and side.

    Where the engine keeps no books, what only they tell is None.
    """
    told: dict[str, Any] = {fate.value: books.total(fate) for fate in Fate} | {"made": books.made}
    return {
        "rows_in": sum(books.rows_in.values()),
        "rows_out": books.rows_out,
        "inserted": books.inserted,
        **(told if books.are_kept else dict.fromkeys(told)),
        "books": books.lines() if books.are_kept else None,
    }


def books_table(books: Books) -> Table:
    """Return the fates by merge point and side as a table."""
    columns = ("merge_point", "side", *Fate)
    return Table.of_rows(columns, books.lines(), "What became of the rows that came in")


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
