"""Table: a key through the commits of a table, and since when queries see which row of it; plain Python, no Spark.

It is made of parts: the file groups of the key and the index that finds them (`Files`), the operations of the commits
(`OperatedBatch`), and the writers that take the table over (`Stage`).
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from bridge.config import UpgradeCompaction
from bridge.programs.files import Files
from bridge.programs.global_files import GlobalFiles
from bridge.programs.key_state import fold_version
from bridge.programs.program import Origin
from bridge.programs.takeover import planned_compactions, stages_of
from bridge.programs.write_operation import UPSERTS, WriteOperation
from bridge.programs.write_operations import OperatedBatch, StatementCalls

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from bridge.merge import Carrier, RecordMerge, StoredRow
    from bridge.programs.file_group import FileGroup
    from bridge.programs.handover import Handover
    from bridge.programs.listeners import CommitListener, TableTrace
    from bridge.programs.program import Arrival, Emit
    from bridge.programs.takeover import Stage
    from bridge.programs.write_operation import Operations
    from mergers import HoodieKey


class Table:
    """Commits in order, from 1, through all merge points: one ends where the next begins, and compactions run between.

    Adds to an outcome the first and the last commit at which the row is visible.

    Attributes:
        listener: is told what became of the rows of each key.
        merge: the calls of the writer, on the table as it is now.
        files: the file groups of the key.
        trace: is told what no merge call tells.
        counts_removed: whether the listener counts a key that an overwrite removes as a row of its batch.
    """

    listener: CommitListener | None = None
    counts_removed = False

    def __init__(  # noqa: PLR0913 (keyword-only settings of one table)
        self,
        merge: RecordMerge,
        *,
        commits: int,
        log_updates: bool,
        compact_after: Collection[int] = (),
        operations: Operations = UPSERTS,
        handover: Handover | None = None,
    ) -> None:
        """Set up a table.

        Args:
            merge: the calls of the first writer.
            commits: how many commits there are; they are numbered from 1.
            log_updates: whether updates go to the log (merge-on-read) or are merged at once (copy-on-write).
            compact_after: the commits after which the log is compacted.
            operations: of the commits that are not upserts.
            handover: the writers that take the table over.
        """
        self._stages = tuple(stages_of(merge, handover, commits, log_updates=log_updates))
        self._requested = frozenset(compact_after if log_updates else ())
        self._commits, self._commit = commits, 0
        planned = planned_compactions(self._stages) if self._stages else ()  # a path has many tables without any
        self._compactions = sorted(self._requested.union(planned))
        self.merge = self._earliest = self._combining = merge
        self.files = (GlobalFiles if merge.plan.global_index else Files)(
            merge, log_updates=log_updates, is_taken_over=bool(self._stages)
        )
        self._operations = operations.by_commit
        if self._operations:
            self._batch = OperatedBatch(self.files, operations)
            writers = (merge, *(stage.new for stage in self._stages))
            self._statement_calls = [StatementCalls.of(one, operations) for one in writers]
        self._passed = 0
        self._upserts: list[Carrier] = []
        self._rows = 0
        self._own: collections.Counter[Origin] | None = None
        self.trace: TableTrace | None = None

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table of the first writer."""
        self._commit = 0
        self.files.start(key)
        self._upserts, self._rows, self._own = [], 0, None
        if self._operations:
            self._batch.clear()
            for calls in self._statement_calls:
                if calls.source is not None:
                    calls.source.clear()
        if self._stages:
            self._passed = 0
            self.merge = self._combining = self.files.merge = self._earliest
        self.files.trace = self.trace

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the table and of the batch."""
        yield from self.files.held()
        yield from self._upserts
        if self._operations:
            yield from self._batch.held()
            source = self._calls.source
            if source is not None:
                yield from source.held()

    @property
    def _calls(self) -> StatementCalls:
        return self._statement_calls[self._passed]

    @property
    def operation(self) -> WriteOperation:
        """The operation of the current commit."""
        return self._operations.get(self._commit, WriteOperation.UPSERT)

    @property
    def current_commit(self) -> int:
        """The commit whose versions are taken."""
        return self._commit

    @property
    def calling(self) -> RecordMerge:
        """The calls that are made now."""
        if self.operation.is_statement:
            source = self._calls.source if self.operation is WriteOperation.SQL_MERGE else None
            return self._calls.plain if source is None else source.merge
        return self.merge

    # -- taking versions

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take a version of a commit, or one that the table has before the first."""
        if arrival.origin is not Origin.INCOMING:
            self._own = collections.Counter() if self._own is None else self._own
            self._own[arrival.origin] += 1
            self.files.take_own(arrival)
            return
        if arrival.commit != self._commit:
            self.end_commit(arrival.commit, emit)
        self.fold_input(arrival)

    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of the current commit."""
        merge = self._combining
        if arrival.commit in self._operations:
            self._rows += self.counts_removed or self._batch.is_written(arrival)
            self._batch.take(arrival, merge, self._calls)
            return
        self._rows += 1
        key = self.files.key_of(arrival)
        fold_version(merge, self._upserts, merge.incoming(key, arrival.record, arrival.source, arrival.ordering))

    def finish(self, emit: Emit) -> None:
        """End the last commits and emit what is visible then."""
        self.end_commit(self._commits + 1, emit)
        if self._own is not None:
            self._tell_own()
        self.files.end(self._commits + 1, emit)

    # -- what happens between commits

    def end_commit(self, next_commit: int, emit: Emit) -> None:
        """Write the input of the current commit, and let writers take the table over that begin before the next."""
        if self._own is not None and self._commit:
            self._tell_own()
        for stage in self._stages[self._passed :]:
            if self._commit <= stage.after < next_commit:
                self._write_until(stage.after + 1, emit)
                self._hand_over(stage, emit)
        self._write_until(next_commit, emit)
        if self._passed:  # the batch that upgrades is combined in a way of its own
            last = self._stages[self._passed - 1]
            self._combining = last.upgrading if next_commit == last.after + 1 else self.merge

    def _write_until(self, next_commit: int, emit: Emit) -> None:
        """Write the input of the current commit, and run the compactions before `next_commit`."""
        told = self.listener if self._rows else None
        rows, before = self._rows, [] if told is None else self.visible()
        self.write_commit(emit)
        for commit in self._compactions:
            if self._commit <= commit < next_commit:
                self.compact_after(commit, emit)
        self._commit = next_commit
        if told is not None:
            told.commit(rows, before, self.visible())

    def write_commit(self, emit: Emit) -> None:
        """Write the input, and take the snapshot; a compaction takes it otherwise."""
        commit, self._rows = self._commit, 0
        self.files.commit = commit
        if commit in self._operations:
            self._batch.write(commit, self.merge, self._calls)
        elif self._upserts:
            versions, self._upserts = self._upserts, []
            self.files.write(self.merge, versions)
        elif commit or not self.files.groups:
            return
        if commit not in self._compactions:
            self.query(commit or 1, emit)

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Run the compaction that an upgrade has planned, compact if that is asked for, and take the snapshot."""
        if self._stages:
            for group in self.files.groups:
                group.run_planned()
        if commit in self._requested:
            self.files.compact(commit)
        self.query(commit, emit)

    def _hand_over(self, stage: Stage, emit: Emit) -> None:
        """Let the next writer go on with the table; what it sees counts from its first commit on."""
        if self.trace is not None:
            self.trace.hands_over(begins=True)
        self._pass_to(stage, self.files.groups)
        self._passed += 1
        self.query(stage.after if stage.after == self._commits else stage.after + 1, emit)
        if self.trace is not None:
            self.trace.hands_over(begins=False)

    def _pass_to(self, stage: Stage, groups: Sequence[FileGroup]) -> None:
        if stage.compacting is not None:
            self._merge_again(stage.compacting)
            for group in groups:
                group.compact()
        self._merge_again(stage.kept)
        for group in groups:
            if stage.compacts is UpgradeCompaction.PLANNED:
                group.plan_compaction(stage.after)
            elif stage.compacts is UpgradeCompaction.RUN and not group.is_planned:
                group.compact()
        if stage.new is not stage.kept:
            self._merge_again(stage.new)
        if stage.runs_planned:
            for group in groups:
                group.expect_compaction()

    def _merge_again(self, merge: RecordMerge) -> None:
        """Merge all logs by the rules of another writer."""
        self.merge = self.files.merge = merge
        for group in self.files.groups:
            group.merge_log_again(merge)

    # -- what queries see

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot after `commit`."""
        for group in self.files.groups:
            group.query(commit, emit)
        if self.trace is not None:
            self.trace.queried(commit, self.visible())

    def visible(self) -> list[StoredRow]:
        """Return the rows that queries see."""
        return self.files.visible()

    def _tell_own(self) -> None:
        own, self._own = self._own, None
        if own and self.listener is not None:
            self.listener.table(own, self.files.own, self.visible())
