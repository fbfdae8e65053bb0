"""FileGroup: the rows of a key in one file group, and its log; plain Python.

Source: HoodieMergeHandle, RecordMergingFileIterator, FileGroupReaderBasedMergeHandle and HoodieFileGroupReader, all
releases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.merge import Action, LogDelete, LogRow, Outcome, StoredRow
from bridge.plan import TableType
from bridge.programs.merged_source import PartialRow
from bridge.programs.noted_log import NotedLog
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.config import Capabilities
    from bridge.merge import Carrier, RecordMerge
    from bridge.plan import MergePlan
    from bridge.programs.key_timeline import KeyTimeline
    from bridge.programs.merged_source import MergedSource
    from bridge.programs.program import Emit
    from mergers import HoodieKey
    from payloads import Record


class FileGroup:
    """The rows of a key in one file group: one, or duplicates that inserts made; the first has the log.

    Some code merges a version with each row of its key in the base file, some with the first that it meets. Each:
    HoodieMergeHandle, which merges copy-on-write until 1.0, compactions, and the queries of HoodieFileGroupReader. The
    first: RecordMergingFileIterator, FileGroupReaderBasedMergeHandle where it merges a batch, and the queries of
    HoodieFileGroupReader on tables of version 6; there also the compaction of 1.0.

    Attributes:
        rows: the rows; those without a version are gone.
        columns: the partition columns that a query shows, whatever the file has; None to show those of the file.
        is_indexed: whether an index that is told of deletes still has the key.
        without_log: the last commit after which the file group surely had no log.
    """

    def __init__(
        self, merge: RecordMerge, key: HoodieKey, row_type: type[KeyTimeline], columns: Record | None = None
    ) -> None:
        """Set up a file group without rows; `row_type` is `NotedLog` if logs are read again."""
        self.merge = merge
        self.key = key
        self.columns = columns
        self.rows: list[KeyTimeline] = []
        self.is_indexed = True
        self.without_log = 0
        self._row_type = row_type
        self._shows_path = columns is not None and not _shows_own_columns(merge.plan)

    @property
    def _can(self) -> Capabilities:
        plan = self.merge.plan
        return capabilities(plan.release, None if plan.table is None else plan.table.version)

    @property
    def is_stored(self) -> bool:
        """Whether the base file has the key."""
        for row in self.rows:  # noqa: SIM110 (every write asks)
            if row.base is not None:
                return True
        return False

    @property
    def stored(self) -> list[KeyTimeline]:
        """The rows of the base file."""
        return [row for row in self.rows if row.base is not None]

    @property
    def logged(self) -> list[KeyTimeline]:
        """The rows that a log alone has."""
        return [row for row in self.rows if row.base is None and row.log is not None]

    @property
    def is_alive(self) -> bool:
        """Whether it has a row, or queries have seen one that is gone."""
        return any(not (row.base is None and row.log is None and row.visible is None) for row in self.rows)

    @property
    def first(self) -> KeyTimeline:
        """The row that has the log."""
        for row in self.rows:
            if row.base is not None:
                return row
        return self.rows[0]

    def new_row(self) -> KeyTimeline:
        """Add a row without versions."""
        row = self._row_type(self.merge, self.key)
        self.rows.append(row)
        return row

    def add(self, version: StoredRow) -> None:
        """Insert a row after those that are there."""
        self.new_row().store(Outcome(Action.INSERT, version))

    def written(self, *, to_log: bool) -> list[KeyTimeline]:
        """Return the rows with which a writer merges a version."""
        stored = self.stored
        if to_log:
            return (stored or self.logged)[:1]
        return stored if self._can.payload_writer else stored[:1]

    def write(self, merge: RecordMerge, versions: list[Carrier], *, to_log: bool) -> None:
        """Merge the versions of a batch with what the base file has, or append them to the log."""
        for row in self.rows if len(self.rows) == 1 else self.written(to_log=to_log):
            row.write(merge, versions, to_log=to_log)

    def append(self, merge: RecordMerge, entry: LogDelete) -> None:
        """Append a delete to the log."""
        row = self.first
        own, row.merge = row.merge, merge
        row.append_log(entry)
        row.merge = own

    def write_source(self, source: MergedSource, *, to_log: bool) -> None:
        """Write what a MERGE INTO makes of each row that it meets."""
        for row in self.written(to_log=to_log):
            version = source.written(row.base)
            if isinstance(version, PartialRow):
                row.append_partial(source.partial, *version)
            elif isinstance(version, LogDelete) and to_log:
                row.append_log(version)
            elif isinstance(version, LogDelete):
                row.write(source.merge, [source.merge.delete(self.key, None)], to_log=False)
            elif version is not None:
                row.write(source.merge, [version], to_log=to_log)

    def existing(self, merge: RecordMerge) -> StoredRow | None:
        """Return the row as a global index reads it."""
        row = self.first
        if row.base is None:
            return None
        entries = row.whole_entries if isinstance(row, NotedLog) else ()
        read = (one if isinstance(one, LogDelete) else LogRow(one.record or {}, one.source) for one in entries)
        return merge.lookup.existing(row.base, read)

    @property
    def entries(self) -> Sequence[StoredRow | LogDelete]:
        """The entries of the log, but for rows that have some columns alone, which a global index does not meet."""
        row = self.first
        return row.whole_entries if isinstance(row, NotedLog) else ()

    def compact(self) -> None:
        """Merge the log into the base file."""
        if len(self.rows) == 1:
            self.rows[0].compact()
            return
        stored = self.stored
        if stored and stored[0].log is not None:
            log = stored[0].log
            for row in stored[:1] if self._can.compacts_first_row else stored:
                row.log = log
                row.compact()
        for row in self.logged:
            row.compact()

    def seen(self, row: KeyTimeline) -> Outcome[StoredRow]:
        """Return what a query makes of a row, with the partition columns of its file."""
        log = row.log
        if len(self.rows) > 1 and row.base is not None and self._can.file_group_reader and self._can.stored_modes:
            log = self.first.log
        return row.reader.snapshot(row.base, log)

    def read(self) -> list[StoredRow]:
        """Return the rows of a query that an SQL statement makes."""
        rows = (self.seen(row).version for row in (*self.stored, *self.logged))
        return [row for row in rows if row is not None]

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot after `commit`; 0.15 shows the columns of the file where the table is merge-on-read."""
        for row in self.rows:
            outcome = self.seen(row) if len(self.rows) > 1 else row.reader.snapshot(row.base, row.log)
            if self._shows_path:
                outcome = Outcome(outcome.action, self.in_partition(outcome.version))
            row.show(outcome, commit, emit)

    @property
    def visible(self) -> list[StoredRow]:
        """The rows that queries saw last."""
        return [row.visible for row in self.rows if row.visible is not None]

    def in_partition(self, row: StoredRow | None) -> StoredRow | None:
        """Return a row with the partition columns of its partition."""
        columns = self.columns or {}
        if row is None or all(row.record[name] == value for name, value in columns.items()):
            return row
        # A row that a log brought as it is has meta columns besides.
        schema, found = self.merge.schema, {**row.record, **columns}
        record = {name: found[name] for name in schema.by_name}
        return StoredRow(row.key, record, schema, None, None, NATURAL_ORDER, row.made_at)

    def drop(self) -> None:
        """Forget the rows: another file group replaces this one."""
        for row in self.rows:
            row.drop()

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the rows and the log."""
        for row in self.rows:
            yield from row.held()

    # -- another writer takes the table over; the rows are `NotedLog`s

    @property
    def _noted(self) -> list[NotedLog]:
        return [row for row in self.rows if isinstance(row, NotedLog)]

    def merge_log_again(self, merge: RecordMerge) -> None:
        """Merge the log by the rules of another writer, which goes on with it."""
        before, self.merge = self._shows_path, merge
        self._shows_path = self.columns is not None and not _shows_own_columns(merge.plan)
        for row in self._noted:
            if before != self._shows_path:
                row.show_again()
            row.merge_log_again(merge)

    @property
    def is_planned(self) -> bool:
        """Whether a compaction is planned."""
        return any(row.planned is not None for row in self._noted)

    def plan_compaction(self, commit: int) -> None:
        """Plan a compaction of the log as it is, if there was one before the last `commit`.

        Which file groups have a log is not known from a key alone: those that were there before count.
        """
        if any(row.entries for row in self._noted) or (self.is_stored and self.without_log < commit):
            for row in self._noted:
                row.plan_compaction()

    def expect_compaction(self) -> None:
        """Go on with a writer that runs what is planned after its first commit."""
        for row in self._noted:
            row.expect_compaction()

    def run_planned(self) -> None:
        """Run the compaction that is planned, if there is one.

        It can remove the stored row of a key with a newer row in the log, which a log alone has from then on.
        """
        held = [(row, later) for row in self._noted if (later := row.hold_back()) is not None]
        if held:
            self.compact()
        for row, later in held:
            row.resume([])
            first = self.first if self.is_stored else row
            first.resume(later)  # type: ignore[attr-defined]  # a `NotedLog`


def _shows_own_columns(plan: MergePlan) -> bool:
    """Whether a query shows the partition columns of the file, not those of the path."""
    return plan.table_type is TableType.MERGE_ON_READ and not capabilities(plan.release).partition_from_path
