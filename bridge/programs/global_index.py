"""Programs for a global index: a key has one row, in whatever partition, and a batch may move it; plain Python.

Source: HoodieGlobalSimpleIndex and HoodieIndexUtils, all releases. The index reads only base files, so it still finds a
row that a log has deleted; if no row is left alive, the incoming version counts as new. From 0.14 on it merges a row
that moves with the one that it leaves. A record index
(SparkMetadataTableRecordIndex) forgets a key when a log gets a delete of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.errors import InputError
from bridge.merge import (
    DELETED,
    SKIPPED,
    Action,
    LogDelete,
    LogRow,
    MergePoint,
    MergePointError,
    StoredRow,
    key_of_version,
)
from bridge.programs.commit_loop import CommitLoop
from bridge.programs.file_group import FileGroup
from bridge.programs.program import Origin
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bridge.merge import Carrier, RecordMerge
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey
    from payloads import Record


class _FileGroups:
    """The file groups of a key, and what a write does to them."""

    def __init__(self, merge: RecordMerge, *, log_updates: bool) -> None:
        self.merge = merge
        self._log_updates = log_updates
        self.groups: list[FileGroup] = []
        self.input: Carrier | None = None
        self._columns: dict[str, Record] = {}

    def start(self, key: HoodieKey) -> None:  # noqa: ARG002 (every version has a key with its own partition)
        """Begin a key."""
        self.groups, self.input, self._columns = [], None, {}

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of every group, and the input."""
        for group in self.groups:
            yield from group.held()
        if self.input is not None:
            yield self.input

    def key_of(self, arrival: Arrival) -> HoodieKey:
        """Return the key of a version, and remember the columns of its partition."""
        return self._key_in(arrival.record or arrival.identity or {})

    def _key_in(self, record: Record) -> HoodieKey:
        key = self.merge.key_of(record)
        self._columns.setdefault(key.partition_path, {name: record[name] for name in self.merge.plan.partition})
        return key

    def fold_input(self, arrival: Arrival) -> None:
        """Combine an incoming version with those of its batch before it: dedup goes by the record key."""
        key = self.key_of(arrival)
        version = self.merge.incoming(key, arrival.record, arrival.source, arrival.ordering)
        self.input = version if self.input is None else self.merge.combine_input(self.input, version)

    def new_group(self, key: HoodieKey, record: Record | None) -> FileGroup:
        """Return an empty file group in the partition of `key`.

        Raises:
            MergePointError: a merge names a partition that is not the one of its `record`.
        """
        path = key.partition_path
        # No version had the partition that a user's merge makes up.
        if path not in self._columns and (named := self._key_in(record or {}).partition_path) != path:
            msg = (
                f"the merged row has the partition {path} in _hoodie_partition_path, but its partition columns name "
                f"{named}; set both"
            )
            raise MergePointError(MergePoint.TAG, InputError(msg))
        return FileGroup(self.merge, key, self._columns[path])

    def write(self) -> None:
        """Let the index find the rows of the key, and write the input."""
        version, self.input = self.input, None
        if version is None:
            return
        version = self.merge.shuffled(version)
        found = [group for group in self.groups if group.base is not None and group.is_indexed]
        if not capabilities(self.merge.plan.release).merges_moved_rows:
            self._write_unmerged(found, version)
            return
        lookup = self.merge.lookup
        if not any(lookup.merges(version, group.key.partition_path) for group in found):
            for group in found:
                self.put(group, version)
            if not found:
                self._insert(version)
            return
        rows = [(group, group.existing()) for group in found]
        living = [(group, row) for group, row in rows if row is not None]
        for group, row in living:
            self._write_found(group, row, version)
        if not living:
            self._insert(version)

    def _write_unmerged(self, found: Collection[FileGroup], version: Carrier) -> None:
        """Write as until 0.13: the index merges nothing, and a row that moves replaces the one that it leaves.

        Raises:
            MergePointError: the key has base files in several partitions, and the batch moves it.
        """
        path = key_of_version(version).partition_path
        left = [group for group in found if self.merge.plan.moves_rows and group.key.partition_path != path]
        if left and len(found) > 1:
            msg = (
                f"the key has base files in {', '.join(group.key.partition_path for group in found)}, since only a log "
                f"has the delete of a row that moved, and Hudi {self.merge.plan.release} takes each for a row to move, "
                "which is not ported; compact the table after each move"
            )
            raise MergePointError(MergePoint.TAG, InputError(msg))
        for group in found:
            if group not in left:
                self.put(group, version)
            elif self._log_updates:
                group.append_log(LogDelete(NATURAL_ORDER))
            else:
                group.store(DELETED)
        if left or not found:
            self._insert(version)

    def _write_found(self, group: FileGroup, row: StoredRow, version: Carrier) -> None:
        path = group.key.partition_path
        merged = self.merge.lookup.merged(row, path, version)
        if merged is None:
            self.put(group, version)
        elif (new_path := key_of_version(merged).partition_path) == path:
            self.put(group, merged)
        elif self.merge.plan.moves_rows:
            if self._log_updates:
                group.append_log(LogDelete(NATURAL_ORDER))
            else:
                group.store(DELETED)
            self._insert(merged)
        else:
            msg = (
                f"the batch names the partition {new_path} for a row in {path}; "
                f"where a global index does not move rows, Hudi {self.merge.plan.release} stores such a row of a "
                "merge-on-read table a second time, which is not ported: let it move rows, or correct the partition"
            )
            raise MergePointError(MergePoint.TAG, InputError(msg))

    def _insert(self, version: Carrier) -> None:
        group = self.new_group(key_of_version(version), version.record)
        self.put(group, version)
        if group.base is not None:
            self.groups.append(group)

    def put(self, group: FileGroup, version: Carrier) -> None:
        """Write a version to a file group."""
        group.input = version
        if self._log_updates:
            group.write_log()
        else:
            group.write_base()


class GlobalUpsert(_FileGroups):
    """Copy-on-write merge of a batch into the stored rows."""

    def __init__(self, merge: RecordMerge) -> None:
        """Set up a table."""
        super().__init__(merge, log_updates=False)

    def accept(self, arrival: Arrival, emit: Emit) -> None:  # noqa: ARG002
        """Take the stored row or an incoming version."""
        if arrival.origin is Origin.INCOMING:
            self.fold_input(arrival)
        else:
            self._store(arrival)

    def _store(self, arrival: Arrival) -> None:
        key = self.key_of(arrival)
        if any(group.key == key for group in self.groups):
            msg = "the stored side has more than one row for the key; deduplicate it or check the key columns"
            raise InputError(msg)
        group = self.new_group(key, arrival.record)
        group.base = StoredRow(key, arrival.record, self.merge.schema, arrival.source)
        self.groups.append(group)

    def finish(self, emit: Emit) -> None:
        """Emit the row that is stored afterwards, or the bare key of a deleted or dropped one."""
        if len(self.groups) > 1:
            paths = " and ".join(sorted(group.key.partition_path for group in self.groups))  # they come in any order
            msg = f"the key is stored in {paths}, but a global index allows it once; delete all but one"
            raise InputError(msg)
        before = self.groups[0].base if self.groups else None
        if self.input is not None:
            self.write()
        now = next((group for group in self.groups if group.base is not None), None)
        if now is not None:
            stays = before is not None and now.key == before.key and not now.revision
            action = Action.INSERT if before is None else Action.KEEP if stays else Action.UPDATE
            emit(action, now.in_partition(now.base))
        elif before is not None:
            # A bare key has the partition of the stored row, not the one that the batch names.
            emit(Action.DELETE, StoredRow(before.key, None, None, before.source))
        else:
            emit(Action.SKIP, None)


class GlobalAppend(GlobalUpsert):
    """Merge-on-read write; needs the log, too. Adds what `Append` adds."""

    def __init__(self, merge: RecordMerge) -> None:
        """Set up a table."""
        super().__init__(merge)
        self._log_updates = True

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take a stored row, a log entry or an incoming version."""
        if arrival.origin is not Origin.LOG:
            super().accept(arrival, emit)
            return
        key = self.key_of(arrival)
        group = next((group for group in self.groups if group.key == key), None)
        if group is None:
            msg = f"the log has an entry for the partition {key.partition_path}, where no row of the key is stored"
            raise InputError(msg)
        record = arrival.record or {}
        group.append_log(LogDelete(arrival.ordering) if arrival.is_delete else LogRow(record, arrival.source))

    def finish(self, emit: Emit) -> None:
        """Emit the stored rows as they were, and the log entries or the new row that the batch makes."""
        for group in self.groups:
            emit(Action.KEEP, group.base, False, None)
        if self.input is None:
            return
        logged = {id(group): len(group.whole_entries) for group in self.groups}
        self.write()
        written = False
        for group in self.groups:
            for entry in group.whole_entries[logged.get(id(group), 0) :]:
                written = True
                self._emit_entry(group, entry, emit)
            if id(group) not in logged:
                written = True
                self._emit_new(group, emit)
        if not written:
            emit(Action.SKIP, None, True, None)

    def _emit_entry(self, group: FileGroup, entry: StoredRow | LogDelete, emit: Emit) -> None:
        if isinstance(entry, StoredRow):
            emit(Action.UPDATE, group.in_partition(entry), True, None)
            return
        # A bare key lacks the partition, and required columns can't be null.
        base = {**(group.base.record if group.base is not None else {}), **group.columns}
        named, fields = {*self.merge.plan.key, *group.columns}, self.merge.schema.by_name
        kept = {name for name in base if name in named or (name in fields and not fields[name].schema.nullable)}
        entry_row = {name: value if name in kept else None for name, value in base.items()}
        emit(Action.DELETE, StoredRow(group.key, entry_row, self.merge.schema), True, entry.ordering)

    def _emit_new(self, group: FileGroup, emit: Emit) -> None:
        if [other.key for other in self.groups].count(group.key) > 1:
            msg = (
                f"the key comes back to the partition {group.key.partition_path}, whose base file still has a row that "
                "the log has deleted; compact the table first"
            )
            raise MergePointError(MergePoint.INSERT, InputError(msg))
        emit(Action.INSERT, group.in_partition(group.base), False, None)


class GlobalIndexTable(_FileGroups, CommitLoop):
    """Commits in order through all merge points. Adds what `Simulate` adds."""

    def __init__(
        self, merge: RecordMerge, *, commits: int, log_updates: bool, compact_after: Collection[int] = ()
    ) -> None:
        """Set up a table; the arguments are those of `Simulate`."""
        CommitLoop.__init__(self, commits, compact_after if log_updates else ())
        _FileGroups.__init__(self, merge, log_updates=log_updates)

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table."""
        super().start(key)
        self.rewind()

    def write_commit(self, emit: Emit) -> None:
        """Write the input, and take the snapshot; a compaction takes it otherwise."""
        if self.input is not None:
            self.write()
            if self._commit not in self._compactions:
                self.query(self._commit, emit)

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact every file group, and take the snapshot."""
        for group in self.groups:
            group.compact()
        self.query(commit, emit)

    def end_table(self, commit: int, emit: Emit) -> None:
        """Emit what is visible until `commit`."""
        for group in self.groups:
            group.show(SKIPPED, commit, emit)

    def visible(self) -> list[StoredRow]:
        """Return the rows that queries see, one a partition at most."""
        return [row for group in self.groups for row in group.visible()]

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot after `commit`."""
        for group in self.groups:
            group.query(commit, emit)
