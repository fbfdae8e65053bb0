"""Upgrade: a key of a table, in one file group, that several writers write in turn; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge import SKIPPED, LogDelete, LogRow, StoredRow, logged_row
from bridge.programs.commits import Simulate
from bridge.programs.noted_log import NotedLog
from bridge.programs.program import Origin
from bridge.programs.staged import Staged

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from bridge.merge import Action, Carrier, Outcome, RecordMerge
    from bridge.programs.handover import Handover
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey


class Upgrade(Staged, NotedLog, Simulate):
    """Commits of several writers on one table. Adds what `Simulate` adds.

    A merge-on-read table that 1.1 or 1.2 upgrades to version 8 or later is compacted first, by the code of the new
    release under the settings and the table version of the old one: 1.2 writes what its own reader showed before. 1.0
    plans this compaction, and its writer runs it after the first commit, or, if it does not compact inline, never; the
    compaction of the next upgrade passes over what is planned. A downgrade is compacted first by the old release. After
    the last commit of all there is nothing to write: then the new release only reads.

    Which file groups have a log when 1.0 plans is not known from a key alone: it counts those that were there before
    the last commit.

    A compaction that was planned can remove the stored row of a key with a newer row in the log. An index reads base
    files alone, and does not find that row: the next version of the key begins another file group, and a query shows
    both rows. Once a compaction has stored the first, a writer finds both.

    Attributes:
        others: the earlier file groups of the key.
    """

    others: list[NotedLog]

    def __init__(
        self,
        merge: RecordMerge,
        *,
        commits: int,
        log_updates: bool,
        handover: Handover,
        compact_after: Collection[int] = (),
    ) -> None:
        """Set up a table; `merge` has the calls of the first writer, the rest is as in `Simulate`."""
        Simulate.__init__(self, merge, commits=commits, log_updates=log_updates, compact_after=compact_after)
        self.begin_with(handover, commits, log_updates=log_updates)
        self._without_log = 0  # the last commit after which the file group of the key surely had none

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table of the first release."""
        super().start(key)
        self._without_log, self.others = 0, []

    def take_stored(self, arrival: Arrival, emit: Emit) -> None:
        """Take a stored row, or note a log entry: the new release folds the log that the table has."""
        if arrival.origin is not Origin.LOG:
            super().take_stored(arrival, emit)
        elif arrival.is_delete:
            self.entries.append(LogDelete(arrival.ordering))
        else:
            self.entries.append(logged_row(self.key, LogRow(arrival.record or {}, arrival.source)))

    def write_log(self) -> None:
        """Append the input to the log of each file group where the index finds the key, or insert it."""
        found = [one for one in self.others if one.base is not None]
        for one in found:
            one.uncombined, one.input = list(self.uncombined), self.input
            one.write_log()
        if found and self.base is None:
            self.take_input()
            return
        if self.is_lost and self.merge.plan.inserts_to == "base":
            self.others.append(self.leave())
        super().write_log()

    def store(self, outcome: Outcome[StoredRow]) -> Action:
        """Put the row of an outcome into the base file; a new one begins a file group."""
        if self.base is None:
            self._without_log = self._commit
        return super().store(outcome)

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact, and take the snapshot."""
        if commit in self.requested_compactions:
            self._without_log = commit
            for one in self.others:
                one.compact()
        super().compact_after(commit, emit)

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot after `commit`."""
        for one in self.others:
            one.query(commit, emit)
        super().query(commit, emit)

    def visible(self) -> list[StoredRow]:
        """Return the rows that queries see."""
        return [*(row for one in self.others for row in one.visible()), *super().visible()]

    def end_table(self, commit: int, emit: Emit) -> None:
        """Emit what is visible until `commit`."""
        super().end_table(commit, emit)
        for one in self.others:
            one.show(SKIPPED, commit, emit)

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of all file groups."""
        yield from super().held()
        for one in self.others:
            yield from one.held()

    def plan_compaction(self) -> None:
        """Plan a compaction, if the file group has a log."""
        has_log = self.base is not None and self._without_log < self.stages[self.passed - 1].after
        if self.entries or has_log:
            super().plan_compaction()

    def file_groups(self) -> Sequence[NotedLog]:
        """Return the file groups of the key."""
        return [*self.others, self]
