"""The programs of single operations on a table with a global index, whose key has one row in whatever partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import InputError
from bridge.merge import Action, MergePoint, MergePointError, StoredRow
from bridge.programs.global_files import GlobalFiles
from bridge.programs.key_state import fold_version
from bridge.programs.program import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.merge import Carrier, LogDelete, RecordMerge
    from bridge.programs.file_group import FileGroup
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey


class GlobalUpsert:
    """Copy-on-write merge of a batch into the stored rows."""

    _log_updates = False

    def __init__(self, merge: RecordMerge) -> None:
        """Set up a table."""
        self.merge = merge
        self.files = GlobalFiles(merge, log_updates=self._log_updates)
        self.input: list[Carrier] = []

    def start(self, key: HoodieKey) -> None:
        """Begin a key."""
        self.files.start(key)
        self.input = []

    def accept(self, arrival: Arrival, emit: Emit) -> None:  # noqa: ARG002
        """Take a stored row, a log entry or an incoming version."""
        if arrival.origin is not Origin.INCOMING:
            self.files.take_own(arrival)
            return
        version = self.merge.incoming(self.files.key_of(arrival), arrival.record, arrival.source, arrival.ordering)
        fold_version(self.merge, self.input, version)

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of every file group, and the input."""
        yield from self.files.held()
        yield from self.input

    def finish(self, emit: Emit) -> None:
        """Emit the row that is stored afterwards, or the bare key of a deleted or dropped one."""
        groups = self.files.groups
        if len(groups) > 1:
            paths = " and ".join(sorted(group.key.partition_path for group in groups))  # they come in any order
            msg = f"the key is stored in {paths}, but a global index allows it once; delete all but one"
            raise InputError(msg)
        before = groups[0].first.base if groups else None
        if self.input:
            self.files.write(self.merge, self.input)
        now = next((group for group in self.files.groups if group.is_stored), None)
        if now is not None:
            stays = before is not None and now is groups[0] and not now.first.revision
            action = Action.INSERT if before is None else Action.KEEP if stays else Action.UPDATE
            emit(action, now.in_partition(now.first.base))
        elif before is not None:
            # A bare key has the partition of the stored row, not the one that the batch names.
            emit(Action.DELETE, StoredRow(before.key, None, None, before.source))
        else:
            emit(Action.SKIP, None)


class GlobalAppend(GlobalUpsert):
    """Merge-on-read write; needs the log, too. Adds what `Append` adds."""

    _log_updates = True

    def finish(self, emit: Emit) -> None:
        """Emit the stored rows as they were, and the log entries or the new row that the batch makes."""
        for group in self.files.groups:
            emit(Action.KEEP, group.first.base, False, None)
        if not self.input:
            return
        logged = {id(group): len(group.entries) for group in self.files.groups}
        self.files.write(self.merge, self.input)
        written = False
        for group in self.files.groups:
            for entry in group.entries[logged.get(id(group), 0) :]:
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
        base = {**(group.first.base.record if group.first.base is not None else {}), **(group.columns or {})}
        named, fields = {*self.merge.plan.key, *(group.columns or {})}, self.merge.schema.by_name
        kept = {name for name in base if name in named or (name in fields and not fields[name].schema.nullable)}
        entry_row = {name: value if name in kept else None for name, value in base.items()}
        emit(Action.DELETE, StoredRow(group.key, entry_row, self.merge.schema), True, entry.ordering)

    def _emit_new(self, group: FileGroup, emit: Emit) -> None:
        if [other.key for other in self.files.groups].count(group.key) > 1:
            msg = (
                f"the key comes back to the partition {group.key.partition_path}, whose base file still has a row that "
                "the log has deleted; compact the table first"
            )
            raise MergePointError(MergePoint.INSERT, InputError(msg))
        emit(Action.INSERT, group.in_partition(group.first.base), False, None)
