"""FileGroup: what a global index knows of a key in one partition, its file group there and its log; plain Python.

Source: HoodieGlobalSimpleIndex and HoodieIndexUtils, all releases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.merge import LogDelete, LogRow, Outcome, StoredRow
from bridge.plan import TableType
from bridge.programs.noted_log import NotedLog
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from bridge.merge import RecordMerge
    from bridge.plan import MergePlan
    from bridge.programs.program import Emit
    from mergers import HoodieKey
    from payloads import Record


class FileGroup(NotedLog):
    """A key in one file group of a partition."""

    in_one_partition = False

    def __init__(self, merge: RecordMerge, key: HoodieKey, columns: Record) -> None:
        super().__init__(merge)
        self.start(key)
        self.columns = columns
        self.is_indexed = True

    def append_log(self, entry: LogRow | LogDelete) -> None:
        """Note an entry; the index, too, reads logs in its own way."""
        super().append_log(entry)
        if isinstance(entry, LogDelete) and self.merge.plan.has_record_index:
            self.is_indexed = False  # whether or not the delete comes too late to delete anything

    def existing(self) -> StoredRow | None:
        """Return the row as the index reads it."""
        if self.base is None:
            return None
        entries = (e if isinstance(e, LogDelete) else LogRow(e.record or {}, e.source) for e in self.whole_entries)
        return self.merge.lookup.existing(self.base, entries)

    def seen(self) -> Outcome[StoredRow]:
        """Return what a query makes of the row."""
        return self.merge.snapshot(self.base, self.log)

    def drop(self) -> None:
        """Forget the row: another file group replaces this one."""
        self.base = None
        self.clear_log()

    def in_partition(self, row: StoredRow | None) -> StoredRow | None:
        """Return a row as a query sees it: with the partition columns of its partition, whatever the file has."""
        if row is None or all(row.record[name] == value for name, value in self.columns.items()):
            return row
        # A row that a log brought as it is has meta columns besides.
        schema, found = self.merge.schema, {**row.record, **self.columns}
        record = {name: found[name] for name in schema.by_name}
        return StoredRow(row.key, record, schema, None, None, NATURAL_ORDER, row.made_at)

    def merge_log_again(self, merge: RecordMerge) -> None:
        """Fold the log as another writer does; its query may show other partition columns of the same stored row."""
        if self._visible is not None and _shows_own_columns(merge.plan) != _shows_own_columns(self.merge.plan):
            self._visible = self._visible._replace(revision=None)
        super().merge_log_again(merge)

    def show(self, outcome: Outcome[StoredRow], commit: int, emit: Emit) -> None:
        """Note what is visible; 0.15 shows the columns of the file where the table is merge-on-read."""
        action, row = outcome
        shown = outcome if _shows_own_columns(self.merge.plan) else Outcome(action, self.in_partition(row))
        super().show(shown, commit, emit)


def _shows_own_columns(plan: MergePlan) -> bool:
    """Whether a query shows the partition columns of the file, not those of the path."""
    return plan.table_type is TableType.MERGE_ON_READ and not capabilities(plan.release).partition_from_path
