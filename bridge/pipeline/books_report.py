"""The books of a run in reports: as statistics and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.engines import Fate
from bridge.report import Table

if TYPE_CHECKING:
    from bridge.engines import Books


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
