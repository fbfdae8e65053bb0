"""GlobalFiles: the file groups of a key in whatever partition, found by a global index; plain Python, no Spark.

Source: HoodieGlobalSimpleIndex and HoodieIndexUtils, all releases. The index reads only base files, so it still finds a
row that a log has deleted; if no row is left alive, the incoming version counts as new. From 0.14 on it merges a row
that moves with the one that it leaves. A record index (SparkMetadataTableRecordIndex) forgets a key when a log gets a
delete of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.errors import InputError
from bridge.merge import DELETED, LogDelete, LogRow, MergePoint, MergePointError, key_of_version
from bridge.programs.file_group import FileGroup
from bridge.programs.files import Files
from bridge.programs.merged_source import PartialRow
from bridge.programs.program import Origin
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from collections.abc import Collection

    from bridge.merge import Carrier, RecordMerge, StoredRow
    from bridge.programs.merged_source import MergedSource
    from bridge.programs.program import Arrival
    from mergers import HoodieKey
    from payloads import Record


class GlobalFiles(Files):
    """The file groups of a key in all partitions. The index, too, reads logs in its own way."""

    _notes_logs = True

    def __init__(self, merge: RecordMerge, *, log_updates: bool, is_taken_over: bool = False) -> None:
        """Set up a table."""
        super().__init__(merge, log_updates=log_updates, is_taken_over=is_taken_over)
        self._columns: dict[str, Record] = {}
        self._forgets_deletes = merge.plan.has_record_index

    def start(self, key: HoodieKey) -> None:
        """Begin a key; every version has one with its own partition."""
        super().start(key)
        self._columns = {}

    def key_of(self, arrival: Arrival) -> HoodieKey:
        """Return the key of a version, and remember the columns of its partition."""
        return self._key_in(arrival.record or arrival.identity or {})

    def _key_in(self, record: Record) -> HoodieKey:
        key = self.merge.key_of(record)
        if key.partition_path not in self._columns:
            self._columns[key.partition_path] = {name: record[name] for name in self.merge.plan.partition}
        return key

    def new_group(self, key: HoodieKey, version: Carrier) -> FileGroup:
        """Return an empty file group in the partition of `key`.

        Raises:
            MergePointError: a merge names a partition that is not the one of its record.
        """
        path = key.partition_path
        # No version had the partition that a user's merge makes up.
        if path not in self._columns and (named := self._key_in(version.record or {}).partition_path) != path:
            msg = (
                f"the merged row has the partition {path} in _hoodie_partition_path, but its partition columns name "
                f"{named}; set both"
            )
            raise MergePointError(MergePoint.TAG, InputError(msg))
        return FileGroup(self.merge, key, self._row_type, self._columns[path])

    def take_own(self, arrival: Arrival) -> None:
        """Take a stored row or a log entry that the table has before the first commit."""
        key = self.key_of(arrival)
        group = next((group for group in self.groups if group.key == key), None)
        if arrival.origin is Origin.LOG:
            if group is None:
                msg = f"the log has an entry for the partition {key.partition_path}, where no row of the key is stored"
                raise InputError(msg)
            record = arrival.record or {}
            group.first.append_log(LogDelete(arrival.ordering) if arrival.is_delete else LogRow(record, arrival.source))
            self._note_deletes(group)
            return
        if group is None:
            group = FileGroup(self.merge, key, self._row_type, self._columns[key.partition_path])
            group.new_row()
            self.groups.append(group)
        group.first.take_own(arrival)

    def home(self) -> None:
        """Return none: an insert writes a file of its own."""

    @property
    def found(self) -> list[FileGroup]:
        """The file groups in which the index finds the key."""
        return [group for group in self.groups if group.is_indexed and group.is_stored]

    def write(self, merge: RecordMerge, versions: list[Carrier]) -> None:
        """Let the index find the rows of the key, and write the version of the batch."""
        version = merge.shuffled(versions[0])
        found = self.found
        if not capabilities(merge.plan.release).merges_moved_rows:
            self._write_unmerged(found, merge, version)
            return
        if not any(merge.lookup.merges(version, group.key.partition_path) for group in found):
            for group in found:
                self.write_at(group, merge, [version])
            if not found:
                self._insert(merge, version)
            return
        living = [(group, row) for group in found if (row := group.existing(merge)) is not None]
        for group, row in living:
            self._write_found(group, row, merge, version)
        if not living:
            self._insert(merge, version)

    def _write_unmerged(self, found: Collection[FileGroup], merge: RecordMerge, version: Carrier) -> None:
        """Write as until 0.13: the index merges nothing, and a row that moves replaces the one that it leaves.

        Raises:
            MergePointError: the key has base files in several partitions, and the batch moves it.
        """
        path = key_of_version(version).partition_path
        left = [group for group in found if merge.plan.moves_rows and group.key.partition_path != path]
        if left and len(found) > 1:
            msg = (
                f"the key has base files in {', '.join(group.key.partition_path for group in found)}, since only a log "
                f"has the delete of a row that moved, and Hudi {merge.plan.release} takes each for a row to move, "
                "which is not supported; compact the table after each move"
            )
            raise MergePointError(MergePoint.TAG, InputError(msg))
        for group in found:
            if group in left:
                self._leave(group, merge)
            else:
                self.write_at(group, merge, [version])
        if left or not found:
            self._insert(merge, version)

    def _write_found(self, group: FileGroup, row: StoredRow, merge: RecordMerge, version: Carrier) -> None:
        path = group.key.partition_path
        merged = merge.lookup.merged(row, path, version)
        if merged is None:
            self.write_at(group, merge, [version])
        elif (new_path := key_of_version(merged).partition_path) == path:
            self.write_at(group, merge, [merged])
        elif merge.plan.moves_rows:
            self._leave(group, merge)
            self._insert(merge, merged)
        else:
            msg = (
                f"the batch names the partition {new_path} for a row in {path}; "
                f"where a global index does not move rows, Hudi {merge.plan.release} stores such a row of a "
                "merge-on-read table a second time, which is not supported: let it move rows, or correct the partition"
            )
            raise MergePointError(MergePoint.TAG, InputError(msg))

    def _insert(self, merge: RecordMerge, version: Carrier) -> None:
        self.begin(key_of_version(version), merge, [version])

    def _leave(self, group: FileGroup, merge: RecordMerge) -> None:
        """Delete the row that has moved to another partition."""
        if self.log_updates:
            self._append(group, merge, LogDelete(NATURAL_ORDER))
        else:
            group.first.store(DELETED)

    def write_at(self, group: FileGroup, merge: RecordMerge, versions: list[Carrier]) -> None:
        """Merge versions with the row of a file group, or append them to its log."""
        super().write_at(group, merge, versions)
        if self._forgets_deletes:
            self._note_deletes(group)

    def _append(self, group: FileGroup, merge: RecordMerge, entry: LogDelete) -> None:
        group.append(merge, entry)
        self._note_deletes(group)

    def _note_deletes(self, group: FileGroup) -> None:
        if self._forgets_deletes and any(isinstance(entry, LogDelete) for entry in group.entries[-1:]):
            group.is_indexed = False  # whether or not the delete comes too late to delete anything

    def write_source(self, source: MergedSource, *, is_insert: bool) -> None:  # noqa: ARG002 (there is an ordering field)
        """Write what a MERGE INTO makes of its source: a row as an upsert, a delete where the index finds the key.

        The checks before it let no row through of which only some columns are set.
        """
        merge, found = source.merge, self.found
        taken = source.chosen(matched=bool(found))
        if taken and any(merge.lookup.merges(taken.version, group.key.partition_path) for group in found):
            found = [group for group in found if group.existing(merge) is not None]  # else the row counts as new
            taken = source.chosen(matched=bool(found))
        self.tell_chosen(source, matched=bool(found))
        version = source.written(found[0].first.base if found else None)
        if isinstance(version, LogDelete):
            for group in found:
                if self.log_updates:
                    self._append(group, merge, version)
                else:
                    bare = merge.delete(key_of_version(taken.version), None)  # type: ignore[union-attr]
                    self.write_at(group, merge, [bare])
        elif version is not None and not isinstance(version, PartialRow):
            self.write(merge, [version])
