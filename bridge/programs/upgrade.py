"""Upgrade: a key of a table, in one file group, that several writers write in turn; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge import LogDelete, LogRow, StoredRow, logged_row
from bridge.programs.commits import Simulate
from bridge.programs.noted_log import NotedLog, check_found
from bridge.programs.program import Origin
from bridge.programs.staged import Staged

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bridge.merge import Action, Outcome, RecordMerge
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
    """

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
        self._without_log = 0

    def take_stored(self, arrival: Arrival, emit: Emit) -> None:
        """Take a stored row, or note a log entry: the new release folds the log that the table has."""
        if arrival.origin is not Origin.LOG:
            super().take_stored(arrival, emit)
        elif arrival.is_delete:
            self.entries.append(LogDelete(arrival.ordering))
        else:
            self.entries.append(logged_row(self.key, LogRow(arrival.record or {}, arrival.source)))

    def write_log(self) -> None:
        """Append the input to the log, or insert it.

        Raises:
            MergePointError: a compaction left the row in the log alone.
        """
        if self.merge.plan.inserts_to == "base":
            check_found(self)
        super().write_log()

    def store(self, outcome: Outcome[StoredRow]) -> Action:
        """Put the row of an outcome into the base file; a new one begins a file group."""
        if self.base is None:
            self._without_log = self._commit
        return super().store(outcome)

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact, and take the snapshot."""
        super().compact_after(commit, emit)
        if commit in self.requested_compactions:
            self._without_log = commit

    def plan_compaction(self) -> None:
        """Plan a compaction, if the file group has a log."""
        has_log = self.base is not None and self._without_log < self.stages[self.passed - 1].after
        if self.entries or has_log:
            super().plan_compaction()

    def file_groups(self) -> Sequence[Upgrade]:
        """Return the file group of the key: this one."""
        return [self]
