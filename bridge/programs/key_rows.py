"""KeyRows: the rows of a key in one file group, of which an insert can make duplicates; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.merge import Action, Outcome
from bridge.programs.commits import KeyTimeline

if TYPE_CHECKING:
    from bridge.config import Capabilities
    from bridge.merge import Carrier, RecordMerge, StoredRow
    from mergers import HoodieKey


class KeyRows:
    """The rows of a key in one file group: one, or duplicates; the first has the log.

    Some code merges a version with each row of its key in the base file, some with the first that it meets. Each:
    HoodieMergeHandle, which merges copy-on-write until 1.0, compactions, and the queries of HoodieFileGroupReader. The
    first: RecordMergingFileIterator, FileGroupReaderBasedMergeHandle where it merges a batch, and the queries of
    HoodieFileGroupReader on tables of version 6; there also the compaction of 1.0.
    """

    def __init__(self, merge: RecordMerge, key: HoodieKey) -> None:
        self.merge = merge
        self.key = key
        self.rows: list[KeyTimeline] = []

    @property
    def _can(self) -> Capabilities:
        plan = self.merge.plan
        return capabilities(plan.release, None if plan.table is None else plan.table.version)

    def add(self, row: StoredRow) -> None:
        """Insert a row after those that are there."""
        timeline = self.new_row()
        timeline.start(self.key)
        timeline.store(Outcome(Action.INSERT, row))
        self.rows.append(timeline)

    def new_row(self) -> KeyTimeline:
        """Return a row without versions."""
        return KeyTimeline(self.merge)

    @property
    def stored(self) -> list[KeyTimeline]:
        """The rows of the base file."""
        return [row for row in self.rows if row.base is not None]

    @property
    def logged(self) -> list[KeyTimeline]:
        """The rows that a log alone has, which no index finds."""
        return [row for row in self.rows if row.base is None and row.log is not None]

    @property
    def met(self) -> list[KeyTimeline]:
        """The rows with which a writer merges a version, where it writes a base file."""
        return self.stored if self._can.payload_writer else self.stored[:1]

    def write(self, merge: RecordMerge, version: Carrier, *, log_updates: bool) -> None:
        """Merge a version into the base file, or append it to the log."""
        for row in (self.stored or self.logged)[:1] if log_updates else self.met:
            self.write_row(row, merge, version, log_updates=log_updates)

    def write_row(self, row: KeyTimeline, merge: RecordMerge, version: Carrier, *, log_updates: bool) -> None:
        """Merge a version with a row by the calls of a writer, or append it to the log of the row."""
        own, row.merge, row.input = row.merge, merge, version
        if log_updates:
            row.append_input()
        else:
            row.write_base()
        row.merge = own

    def compact(self) -> None:
        """Merge the log into the base file."""
        stored = self.stored
        if stored and stored[0].log is not None:
            log = stored[0].log
            for row in stored[:1] if self._can.compacts_first_row else stored:
                row.log = log
                row.compact()
        for row in self.logged:
            row.compact()

    def seen(self, row: KeyTimeline) -> Outcome[StoredRow]:
        """Return what a query makes of a row."""
        if row.base is None:
            return row.reader.snapshot(None, row.log)
        log = self.stored[0].log if self._can.file_group_reader and self._can.stored_modes else row.log
        return row.reader.snapshot(row.base, log)

    def visible(self) -> list[StoredRow]:
        """Return the rows that a query sees."""
        rows = (self.seen(row).version for row in (*self.stored, *self.logged))
        return [row for row in rows if row is not None]

    def drop(self) -> None:
        """Forget the rows: another file group replaces this one."""
        for row in self.rows:
            row.base = row.log = None
