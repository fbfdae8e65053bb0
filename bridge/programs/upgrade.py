"""Upgrade: a key of a table, in one file group, that several writers write in turn; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import UpgradeCompaction
from bridge.merge import LogDelete, LogRow, StoredRow, logged_row
from bridge.programs.commits import Simulate
from bridge.programs.noted_log import check_block
from bridge.programs.program import Origin
from bridge.programs.staged import Staged

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bridge.merge import Action, Carrier, Outcome, RecordMerge
    from bridge.programs.handover import Handover
    from bridge.programs.program import Arrival, Emit
    from bridge.programs.staged import Stage
    from mergers import HoodieKey


class Upgrade(Staged, Simulate):
    """Commits of several writers on one table. Adds what `Simulate` adds.

    A merge-on-read table that 1.1 or 1.2 upgrades to version 8 or later is compacted first, by the code of the new
    release under the settings and the table version of the old one: 1.2 writes what its own reader showed before. 1.0
    plans this compaction and does not run it; the compaction of the next upgrade passes over what is planned. A
    downgrade is compacted first by the old release. After the last commit of all there is nothing to write: then the
    new release only reads.

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
        super().__init__(merge, commits=commits, log_updates=log_updates, compact_after=compact_after)
        self.begin_with(handover, commits, log_updates=log_updates)
        self._entries: list[StoredRow | LogDelete] = []
        self._without_log = 0  # the last commit after which the file group of the key surely had none
        self._is_planned = False

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table of the first release."""
        super().start(key)
        self._entries = []
        self._without_log, self._is_planned = 0, False

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the table, the visible row and the log entries."""
        yield from super().held()
        yield from (entry for entry in self._entries if isinstance(entry, StoredRow))

    def take_stored(self, arrival: Arrival, emit: Emit) -> None:
        """Take a stored row, or note a log entry: the new release folds the log that the table has."""
        if arrival.origin is not Origin.LOG:
            super().take_stored(arrival, emit)
        elif arrival.is_delete:
            self._entries.append(LogDelete(arrival.ordering))
        else:
            self._entries.append(logged_row(self.key, LogRow(arrival.record or {}, arrival.source)))

    def append_log(self, entry: LogRow | LogDelete) -> None:
        """Note an entry, also as it is: another release merges the same log again."""
        super().append_log(entry)
        if self.passed < len(self.stages):
            self._entries.append(entry if isinstance(entry, LogDelete) else logged_row(self.key, entry))

    def store(self, outcome: Outcome[StoredRow]) -> Action:
        """Put the row of an outcome into the base file; a new one begins a file group."""
        if self.base is None:
            self._without_log = self._commit
        return super().store(outcome)

    def compact(self) -> None:
        """Merge the log into the base file."""
        super().compact()
        self._entries.clear()
        self._is_planned = False

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact, and take the snapshot."""
        super().compact_after(commit, emit)
        self._without_log = commit

    def change_writer(self, stage: Stage) -> None:
        """Hand the base file and the log, which is merged again, to the next writer."""
        old = self.merge
        if stage.compacting is not None:
            self.merge = stage.compacting
            self._merge_log_again(old)
            self.compact()
        self.merge = stage.kept
        self._merge_log_again(old)
        if stage.compacts is UpgradeCompaction.PLANNED:
            self._is_planned = self.base is not None and self._without_log < stage.after
        elif stage.compacts is UpgradeCompaction.RUN and not self._is_planned:
            self.compact()
        self.merge = stage.new
        if stage.compacts is not UpgradeCompaction.NONE:  # else the settings of the table are as they were
            self._merge_log_again(old)
        if self.passed == len(self.stages):
            self._entries.clear()

    def _merge_log_again(self, old: RecordMerge) -> None:
        """Fold the log of the table as the current writer does."""
        self.log = None
        for entry in self._entries:
            if isinstance(entry, LogDelete):
                check_block(entry, old, self.merge)
            same = entry if isinstance(entry, LogDelete) else LogRow(entry.record or {}, entry.source)
            self.log = self.merge.fold_log(self.log, self.key, same)
