"""A table whose commits are not all upserts, and that another release takes over; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import UpgradeCompaction
from bridge.merge import LogDelete, LogRow, logged_row
from bridge.programs.commits import KeyTimeline
from bridge.programs.operation_table import KeyRows, OperationTable
from bridge.programs.upgrade import stages_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bridge.merge import Carrier, RecordMerge, StoredRow
    from bridge.programs.handover import Handover
    from bridge.programs.program import Arrival, Emit
    from bridge.programs.upgrade import Stage
    from bridge.programs.write_operation import Operations
    from mergers import HoodieKey


class _NotedRow(KeyTimeline):
    """A row whose log is also noted as it is: another release folds it anew."""

    def __init__(self, merge: RecordMerge) -> None:
        super().__init__(merge)
        self.entries: list[StoredRow | LogDelete] = []

    def append_log(self, entry: LogRow | LogDelete) -> None:
        """Note an entry."""
        super().append_log(entry)
        self.entries.append(entry if isinstance(entry, LogDelete) else logged_row(self.key, entry))

    def compact(self) -> None:
        """Merge the log into the base file."""
        super().compact()
        self.entries.clear()

    def fold_anew(self, merge: RecordMerge) -> None:
        """Fold the log as another release does, which goes on with it."""
        self.merge, self.log = merge, None
        for entry in self.entries:
            same = entry if isinstance(entry, LogDelete) else LogRow(entry.record or {}, entry.source)
            self.log = merge.fold_log(self.log, self.key, same)

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the row and its log."""
        yield from super().held()
        yield from (entry for entry in self.entries if not isinstance(entry, LogDelete))


class _NotedSlice(KeyRows):
    """The rows of a key in one file group, which another release takes over."""

    def __init__(self, merge: RecordMerge, key: HoodieKey) -> None:
        super().__init__(merge, key)
        self._noted: list[_NotedRow] = []

    def new_row(self) -> KeyTimeline:
        """Return a row without versions."""
        row = _NotedRow(self.merge)
        self._noted.append(row)
        return row

    def take_over(self, stage: Stage) -> None:
        """Let another release go on."""
        if stage.compacting is not None:
            self._fold_anew(stage.compacting)
            self.compact()
        self._fold_anew(stage.kept)
        if stage.compacts is UpgradeCompaction.RUN:
            self.compact()
        self._fold_anew(stage.new)

    def _fold_anew(self, merge: RecordMerge) -> None:
        self.merge = merge
        for row in self._noted:
            row.fold_anew(merge)


class OperationUpgrade(OperationTable):
    """Commits in order, each by its own operation, of a table that other releases take over in turn.

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
        one_file: bool = False,
        compact_after: Collection[int] = (),
    ) -> None:
        """Set up a table; the arguments are those of `OperationTable` and `Upgrade`."""
        settings = {"commits": commits, "log_updates": log_updates, "operations": operations, "one_file": one_file}
        super().__init__(merge, compact_after=compact_after, **settings)  # type: ignore[arg-type]
        self._last = commits
        self._first = merge, self.plain
        self._stages = tuple(stages_of(merge, handover, commits, log_updates=log_updates))
        has_statements = any(operation.is_statement for operation in operations.by_commit.values())
        self._plains = [
            stage.new.with_plan(stage.new.plan.as_plain()) if has_statements else stage.new for stage in self._stages
        ]
        self._passed = 0

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table of the first release."""
        super().start(key)
        self._passed = 0
        self.merge, self.plain = self._first

    def new_slice(self) -> KeyRows:
        """Return a file group without rows."""
        return _NotedSlice(self.merge, self._key)

    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of the current commit, as its operation does."""
        merge = self.merge
        if self._passed and arrival.commit == self._stages[self._passed - 1].after + 1:
            self.merge = self._stages[self._passed - 1].upgrading
        super().fold_input(arrival)
        self.merge = merge

    def _end_commit(self, next_commit: int, emit: Emit) -> None:
        for stage in self._stages[self._passed :]:
            if self._commit <= stage.after < next_commit:
                super()._end_commit(stage.after + 1, emit)
                for one in self.slices:
                    one.take_over(stage)
                self.merge, self.plain = stage.new, self._plains[self._passed]
                self._passed += 1
                self.query(stage.after if stage.after == self._last else stage.after + 1, emit)
        super()._end_commit(next_commit, emit)
