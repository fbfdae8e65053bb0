"""The commits of a table that are not all upserts: inserts, deletes by key, overwrites, SQL statements; plain Python.

An insert looks nothing up, so that a key may have several rows: in file groups of their own, each found by the index
from then on, or in one file.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from bridge.config import capabilities, keys
from bridge.merge import SKIPPED, Action, Outcome, StoredRow
from bridge.programs.commit_loop import CommitLoop
from bridge.programs.commits import KeyTimeline
from bridge.programs.write_operation import WriteOperation
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from bridge.config import Capabilities
    from bridge.merge import Carrier, RecordMerge
    from bridge.programs.program import Arrival, Emit
    from bridge.programs.write_operation import Operations
    from mergers import HoodieKey


class KeyRows:
    """The rows of a key in one file group: one, or duplicates; the first has the log.

    Some code merges a version with each row of its key in the base file, some with the first that it meets. Each:
    HoodieMergeHandle, which merges copy-on-write until 1.0, all compactions, and the queries of HoodieFileGroupReader.
    The first: RecordMergingFileIterator, FileGroupReaderBasedMergeHandle where it merges a batch, and the queries of
    HoodieFileGroupReader on tables of version 6.
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

    def write(self, merge: RecordMerge, version: Carrier, *, log_updates: bool) -> None:
        """Merge a version into the base file, or append it to the log."""
        stored = self.stored
        for row in stored if self._can.payload_writer and not log_updates else stored[:1]:
            own, row.merge, row.input = row.merge, merge, version
            if log_updates:
                row.write_log()
            else:
                row.write_base()
            row.merge = own

    def compact(self) -> None:
        """Merge the log into the base file."""
        stored = self.stored
        if stored and stored[0].log is not None:
            log = stored[0].log
            for row in stored:
                row.log = log
                row.compact()

    def seen(self, row: KeyTimeline) -> Outcome[StoredRow]:
        """Return what a query makes of a row."""
        if row.base is None:
            return SKIPPED
        log = self.stored[0].log if self._can.file_group_reader and self._can.stored_modes else row.log
        return self.merge.snapshot(row.base, log)

    def visible(self) -> list[StoredRow]:
        """Return the rows that a query sees."""
        rows = (self.seen(row).version for row in self.stored)
        return [row for row in rows if row is not None]

    def drop(self) -> None:
        """Forget the rows: another file group replaces this one."""
        for row in self.rows:
            row.base = row.log = None


def _told(merge: RecordMerge, operation: WriteOperation) -> RecordMerge:
    """Return the calls of a writer whose properties name an operation that inserts; else those of upserts."""
    if not operation.inserts or keys.WRITE_OPERATION in merge.plan.props:
        return merge
    plan = merge.plan
    return merge.with_plan(dataclasses.replace(plan, props={**plan.props, keys.WRITE_OPERATION: operation.value}))


class OperationTable(CommitLoop):
    """Commits in order, each by its own operation. Adds what `Simulate` adds."""

    def __init__(  # noqa: PLR0913 (keyword-only settings of one table)
        self,
        merge: RecordMerge,
        *,
        commits: int,
        log_updates: bool,
        operations: Operations,
        one_file: bool = False,
        compact_after: Collection[int] = (),
    ) -> None:
        """Set up a table.

        Args:
            merge: the calls of the release.
            commits: how many commits there are; they are numbered from 1.
            log_updates: whether updates go to the log (merge-on-read) or are merged at once (copy-on-write).
            operations: of the commits that are not upserts.
            one_file: whether an insert goes to the file that the partition has, not to a new one.
            compact_after: the commits after which the log is compacted.
        """
        super().__init__(commits, compact_after if log_updates else ())
        self.merge = merge
        self._log_updates = log_updates
        self._operations, self._assigned = operations
        has_statements = any(operation.is_statement for operation in self._operations.values())
        self.plain = merge.with_plan(merge.plan.as_plain()) if has_statements else merge
        self._told = functools.cache(_told)
        self._one_file = one_file
        self.slices: list[KeyRows] = []
        self._old: list[KeyRows] = []  # of replaced file groups: what they showed is not reported yet
        self._input: list[tuple[KeyRows | None, Carrier]] = []
        self._is_touched = False

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table."""
        self._key = key
        self.slices, self._old, self._input = [], [], []
        self._is_touched = False
        self.rewind()

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the table and of the batch."""
        for one in (*self.slices, *self._old):
            for row in one.rows:
                yield from row.held()
        yield from (version for _, version in self._input)

    @property
    def operation(self) -> WriteOperation:
        """The operation of the current commit."""
        return self._operations.get(self._commit, WriteOperation.UPSERT)

    def is_written(self, arrival: Arrival) -> bool:
        """Whether a version is a row of its batch, not a key that an overwrite removes."""
        return arrival.record is not None or not self.operation.replaces

    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of the current commit, as its operation does."""
        operation, self._is_touched = self.operation, True
        if operation.replaces and arrival.record is None:
            self._replace()
        elif operation is WriteOperation.SQL_UPDATE:
            self._update(arrival)
        elif operation.inserts:
            self._input.append((None, self._inserted(arrival)))
        elif operation is WriteOperation.SQL_DELETE:
            self._input = [(one, self.merge.delete(self._key, None)) for one in self.slices if one.visible()]
        elif operation is WriteOperation.DELETE:
            self._input = [(None, self.merge.delete(self._key, arrival.source))]
        else:
            version = self.merge.incoming(self._key, arrival.record, arrival.source, arrival.ordering)
            before = self._input[0][1] if self._input else None
            self._input = [(None, version if before is None else self.merge.combine_input(before, version))]

    def _replace(self) -> None:
        for one in self.slices:
            one.drop()
        self._old += self.slices
        self.slices = []

    def _inserted(self, arrival: Arrival) -> Carrier:
        """Return the version of a row that is inserted: its ordering value is never read."""
        if self.operation is WriteOperation.BULK_INSERT:  # Spark's own rows, which nothing tests for a delete
            return StoredRow(self._key, arrival.record, self.merge.schema, arrival.source)
        return self.merge.incoming(self._key, arrival.record, arrival.source, NATURAL_ORDER)

    def _update(self, arrival: Arrival) -> None:
        """Assign what a statement names to the rows that a query sees, and write them where they are."""
        given = arrival.record or arrival.identity or {}
        assigned = {name: given[name] for name in self._assigned[self._commit]}
        for one in self.slices:
            for row in one.visible():
                record = {name: row.record[name] for name in self.merge.schema.by_name} | assigned
                self._input.append((one, self.plain.incoming(self._key, record, None)))

    def write_commit(self, emit: Emit) -> None:
        """Write the input, and take the snapshot; a compaction takes it otherwise."""
        if not self._is_touched:
            return
        operation, given = self.operation, self._input
        self._is_touched, self._input = False, []
        merge = self.plain if operation.is_statement else self.merge
        if operation.inserts:
            self._insert([version for _, version in given])
        for at, version in () if operation.inserts else given:
            found = [one for one in self.slices if one.stored] if at is None else [at]
            for one in found:
                one.write(merge, version, log_updates=self._log_updates)
            if not found:
                self._insert([version])
        if self._commit not in self._compactions:
            self.query(self._commit, emit)

    def _insert(self, versions: Sequence[Carrier]) -> None:
        """Write rows to a base file: those of one batch to the same."""
        home = next((one for one in self.slices if one.stored), None) if self._one_file else None
        fresh = home or self.new_slice()
        merge = self._told(self.merge, self.operation)
        for version in versions:
            if self.operation is WriteOperation.BULK_INSERT:
                fresh.add(version)  # type: ignore[arg-type]  # see `_inserted`
            elif (
                row := merge.insert(self.merge.shuffled(version), is_combined=not self.operation.inserts).version
            ) is not None:
                fresh.add(row)
        if home is None and fresh.rows:
            self.slices.append(fresh)

    def new_slice(self) -> KeyRows:
        """Return a file group without rows."""
        return KeyRows(self.merge, self._key)

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact every file group, and take the snapshot."""
        for one in self.slices:
            one.compact()
        self.query(commit, emit)

    def end_table(self, commit: int, emit: Emit) -> None:
        """Emit what is visible until `commit`."""
        for one in (*self.slices, *self._old):
            for row in one.rows:
                row.show(SKIPPED, commit, emit)

    def visible(self) -> list[StoredRow]:
        """Return the rows that queries see; until the next query those of replaced file groups, too."""
        return [seen for one in (*self._old, *self.slices) for row in one.rows for seen in row.visible()]

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot after `commit`."""
        for one in (*self._old, *self.slices):
            for row in one.rows:
                row.show(one.seen(row), commit, emit)
        self._old = []
        self.slices = [one for one in self.slices if one.stored]
