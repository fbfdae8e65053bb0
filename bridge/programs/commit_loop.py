"""CommitLoop: what every program over time does between the commits of a table; plain Python, no Spark."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from bridge.merge import Carrier, StoredRow
    from bridge.programs.program import Arrival, Emit, Origin
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


class VisibleRows(Protocol):
    """A key of a table."""

    def visible(self) -> list[StoredRow]:
        """Return its rows that queries see."""


class CommitLoop(abc.ABC):
    """The commits of a table in order, from 1: one ends where the next begins, and compactions run in between.

    Attributes:
        listener: is told what became of the rows of each key.
    """

    listener: CommitListener | None = None

    def __init__(self, commits: int, compact_after: Collection[int]) -> None:
        self._commits = commits
        self._compactions = sorted(compact_after)
        self._commit = 0

    def rewind(self) -> None:
        """Go back to before the first commit."""
        self._commit = 0

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take a version of the current commit, or end that commit and begin the arrival's."""
        if arrival.commit != self._commit:
            self.end_commit(arrival.commit, emit)
        self.fold_input(arrival)

    def finish(self, emit: Emit) -> None:
        """End the last commits and emit what is visible then."""
        self.end_commit(self._commits + 1, emit)
        self.end_table(self._commits + 1, emit)

    def end_commit(self, next_commit: int, emit: Emit) -> None:
        """Write the input of the current commit, and run the compactions before `next_commit`."""
        written = () if self.listener is None else self.written()
        before = [key.visible() for _, key in written] if written else []
        self.write_commit(emit)
        for commit in self._compactions:
            if self._commit <= commit < next_commit:
                self.compact_after(commit, emit)
        self._commit = next_commit
        if written:
            for (rows, key), seen in zip(written, before, strict=True):
                self.listener.commit(rows, seen, key.visible())  # type: ignore[union-attr]  # there is one if rows are noted

    @abc.abstractmethod
    def written(self) -> Sequence[tuple[int, VisibleRows]]:
        """Return the keys that have rows in the current commit, each with their number."""

    @abc.abstractmethod
    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of the current commit."""

    @abc.abstractmethod
    def write_commit(self, emit: Emit) -> None:
        """Write the input of the current commit, if it has any, and show what is visible then."""

    @abc.abstractmethod
    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact the table after `commit`, and show what is visible then."""

    @abc.abstractmethod
    def end_table(self, commit: int, emit: Emit) -> None:
        """Emit what is visible until `commit`, which is the one after the last."""
