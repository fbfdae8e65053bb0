"""A table whose commits are not all upserts, and that is upgraded to another release; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.programs.key_rows import KeyRows
from bridge.programs.merged_source import MergedSource
from bridge.programs.noted_log import NotedLog
from bridge.programs.operation_table import OperationTable
from bridge.programs.staged import Staged

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bridge.merge import RecordMerge
    from bridge.programs.commits import KeyTimeline
    from bridge.programs.handover import Handover
    from bridge.programs.staged import Stage
    from bridge.programs.write_operation import Operations
    from mergers import HoodieKey


class _NotedSlice(KeyRows):
    """The rows of a key in one file group, which is upgraded to another release."""

    def __init__(self, merge: RecordMerge, key: HoodieKey) -> None:
        super().__init__(merge, key)
        self._noted: list[NotedLog] = []

    def new_row(self) -> KeyTimeline:
        """Return a row without versions."""
        row = NotedLog(self.merge)
        self._noted.append(row)
        return row

    def merge_log_again(self, merge: RecordMerge) -> None:
        """Fold the log as another writer does, which goes on with it."""
        self.merge = merge
        for row in self._noted:
            row.merge_log_again(merge)

    @property
    def is_planned(self) -> bool:
        """Whether a compaction of the file group is planned."""
        return any(row.is_planned for row in self._noted)

    def plan_compaction(self) -> None:
        """Plan a compaction of the log as it is."""
        for row in self._noted:
            row.plan_compaction()

    def expect_compaction(self) -> None:
        """Go on with a writer that runs what is planned after its first commit."""
        for row in self._noted:
            row.expect_compaction()

    def run_planned(self) -> None:
        """Run the compaction that is planned, if there is one; it can leave a row in the log alone (see `Upgrade`)."""
        held = [(row, later) for row in self._noted if (later := row.hold_back()) is not None]
        if held:
            self.compact()
        for row, later in held:
            row.resume([])
            (self.stored or [row])[0].resume(later)  # type: ignore[attr-defined]  # see `new_row`


class OperationUpgrade(Staged, OperationTable):
    """Commits in order, each by its own operation, of a table that several releases write in turn.

    Adds what `Simulate` adds.
    """

    slices: list[_NotedSlice]  # type: ignore[assignment]  # see `new_slice`

    def __init__(  # noqa: PLR0913 (keyword-only settings of one table)
        self,
        merge: RecordMerge,
        *,
        commits: int,
        log_updates: bool,
        operations: Operations,
        handover: Handover,
        compact_after: Collection[int] = (),
    ) -> None:
        """Set up a table; the arguments are those of `OperationTable` and `Upgrade`."""
        settings = {"commits": commits, "log_updates": log_updates, "operations": operations}
        super().__init__(merge, compact_after=compact_after, **settings)  # type: ignore[arg-type]
        self.begin_with(handover, commits, log_updates=log_updates)
        self._first_plain, self._first_source = self.plain, self._source
        has_statements = any(operation.is_statement for operation in operations.by_commit.values())
        self._plains = [
            stage.new.with_plan(stage.new.plan.as_plain()) if has_statements else stage.new for stage in self.stages
        ]
        self._sources = [MergedSource(plain) if operations.statements else None for plain in self._plains]

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table of the first release."""
        super().start(key)
        self.plain, self._source = self._first_plain, self._first_source

    def new_slice(self) -> KeyRows:
        """Return a file group without rows."""
        return _NotedSlice(self.merge, self._key)

    def file_groups(self) -> Sequence[_NotedSlice]:
        """Return the file groups that have rows of the key."""
        return self.slices

    def change_writer(self, stage: Stage) -> None:
        """Hand all file groups to the next writer, and go on with its SQL statements."""
        super().change_writer(stage)
        self.plain, self._source = self._plains[self.passed - 1], self._sources[self.passed - 1]
