"""Who is told what a table does: what became of rows, and what no merge call tells; plain Python, no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bridge.merge import Carrier, StoredRow
    from bridge.programs.program import Origin
    from bridge.programs.sql_merge import MergeClause


class CommitListener(Protocol):
    """Told what became of the rows of a key."""

    def commit(self, rows: int, before: Sequence[StoredRow], after: Sequence[StoredRow]) -> None:
        """Take the number of rows of the key in a commit, and its rows that queries see before and after it."""

    def table(self, rows: Mapping[Origin, int], stored: StoredRow | None, seen: Sequence[StoredRow]) -> None:
        """Take what the table has of the key before the first commit: how many rows, the stored one, what is seen."""

    def failed(self, rows: int) -> None:
        """Take the number of rows of a key that can't be merged, in place of what was told of the key before."""


class TableTrace(Protocol):
    """Told what a table does with a key besides the merge calls, of which a `Listener` is told."""

    def queried(self, commit: int, rows: Sequence[StoredRow]) -> None:
        """Take what a query after `commit` shows; it comes after all calls of the commit."""

    def took(self, version: Carrier, clause: MergeClause) -> None:
        """Take the row of a MERGE INTO that counts, and the clause that takes it, before what is merged of it."""

    def stored_as_is(self, row: StoredRow) -> None:
        """Take a row that a bulk insert stores, for which nothing is called."""

    def hands_over(self, *, begins: bool) -> None:
        """Take that the next writer begins to take the table over, or that it is done."""
