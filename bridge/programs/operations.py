"""The programs of single operations, one a pipeline function: what a batch, a query or a compaction makes of a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge import Action, LogDelete, MergePoint, MergePointError, logged_row
from bridge.programs.key_state import KeyState

if TYPE_CHECKING:
    from bridge.programs.program import Emit


class CombineInput(KeyState):
    """Deduplicate a batch. Adds: whether the survivor is a delete, its ordering value."""

    def finish(self, emit: Emit) -> None:
        """Emit the survivor; a delete without data as a bare key."""
        if self.input:
            survivor = self.input[-1]
            try:
                version = self.merge.shuffled(survivor)
                extras = self.merge.is_deleted(version), version.ordering_value
            except Exception as error:
                raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
            emit(Action.INSERT, self.merge.survivor(survivor), *extras)


class Upsert(KeyState):
    """Copy-on-write merge of a batch into the stored rows."""

    def finish(self, emit: Emit) -> None:
        """Emit the row that is stored afterwards, or the bare key of a deleted or dropped one."""
        action = self.write_base(self.input)
        emit(action, self.base)


class Append(KeyState):
    """Merge-on-read write. Adds: whether the outcome goes to the log, the ordering value of a delete entry."""

    def finish(self, emit: Emit) -> None:
        """Emit the stored row as it was, and the log entries or the new row that the batch makes."""
        if self.base is not None:
            emit(Action.KEEP, self.base, False, None)
        elif self.merge.plan.inserts_to == "base":
            action = self.write_base(self.input)
            emit(action, self.base, False, None)
            return
        new = Action.INSERT if self.base is None else Action.UPDATE
        had_input, entries = bool(self.input), self.log_entries(self.input)
        if had_input and not entries:
            emit(Action.SKIP, None, True, None)
        for entry in entries:
            if isinstance(entry, LogDelete):
                emit(Action.DELETE, None, True, entry.ordering)
            else:
                emit(new, logged_row(self.key, entry, self.merge.schema), True, None)


class Snapshot(KeyState):
    """Query-time merge of stored rows with the log."""

    def finish(self, emit: Emit) -> None:
        """Emit the row that a query sees."""
        emit(*self.merge.snapshot(self.base, self.log))


class Compact(KeyState):
    """Compaction of the log into the stored rows."""

    def finish(self, emit: Emit) -> None:
        """Emit the row of the new base file."""
        emit(*self.merge.compact(self.base, self.log))
