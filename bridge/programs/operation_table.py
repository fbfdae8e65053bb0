"""The commits of a table that are not all upserts: inserts, deletes by key, overwrites, SQL statements; plain Python.

An insert looks nothing up, so that a key may have several rows: in file groups of their own, each found by the index
from then on, or in one file. Where Hudi lets an insert update the row of its small file, it does so here.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from bridge.config import capabilities, keys
from bridge.errors import InputError
from bridge.merge import SKIPPED, LogDelete, MergePoint, MergePointError, StoredRow
from bridge.programs.commit_loop import CommitLoop
from bridge.programs.key_rows import KeyRows
from bridge.programs.merged_source import MergedSource, PartialRow
from bridge.programs.small_files import fills_small_files, updates_by_insert
from bridge.programs.write_operation import WriteOperation
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from bridge.merge import Carrier, RecordMerge
    from bridge.programs.commits import KeyTimeline
    from bridge.programs.program import Arrival, Emit
    from bridge.programs.sql_merge import MergeClause
    from bridge.programs.write_operation import Operations
    from mergers import HoodieKey


_UPSERT = WriteOperation.UPSERT


def _told(merge: RecordMerge, operation: WriteOperation) -> RecordMerge:
    """Return the calls of a writer whose properties name an operation that inserts; else those of upserts."""
    if not operation.inserts or keys.WRITE_OPERATION in merge.plan.props:
        return merge
    plan = merge.plan
    return merge.with_plan(dataclasses.replace(plan, props={**plan.props, keys.WRITE_OPERATION: operation.value}))


class OperationTable(CommitLoop):
    """Commits in order, each by its own operation. Adds what `Simulate` adds."""

    def __init__(
        self,
        merge: RecordMerge,
        *,
        commits: int,
        log_updates: bool,
        operations: Operations,
        compact_after: Collection[int] = (),
    ) -> None:
        """Set up a table.

        Args:
            merge: the calls of the release.
            commits: how many commits there are; they are numbered from 1.
            log_updates: whether updates go to the log (merge-on-read) or are merged at once (copy-on-write).
            operations: of the commits that are not upserts.
            compact_after: the commits after which the log is compacted.
        """
        super().__init__(commits, compact_after if log_updates else ())
        self.merge = merge
        self._log_updates = log_updates
        self._operations, self._assigned, self._statements = operations
        has_statements = any(operation.is_statement for operation in self._operations.values())
        self.plain = merge.with_plan(merge.plan.as_plain()) if has_statements else merge
        self._source = MergedSource(self.plain) if self._statements else None
        self._told = functools.cache(_told)
        self.slices: list[KeyRows] = []
        self._old: list[KeyRows] = []  # of replaced file groups: what they showed is not reported yet
        self._input: list[tuple[KeyRows | None, Carrier]] = []
        self._is_touched = False

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table."""
        self._key = key
        self.slices, self._old, self._input = [], [], []
        self._is_touched = False
        if self._source is not None:
            self._source.clear()
        self.rewind()

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the table and of the batch."""
        for one in (*self.slices, *self._old):
            for row in one.rows:
                yield from row.held()
        yield from (version for _, version in self._input)
        if self._source is not None:
            yield from self._source.held()

    @property
    def operation(self) -> WriteOperation:
        """The operation of the current commit."""
        return self._operations.get(self._commit, WriteOperation.UPSERT)

    def is_written(self, arrival: Arrival) -> bool:
        """Whether a version is a row of its batch: no key that an overwrite removes, and each row of a MERGE once."""
        if arrival.clause is not None:
            return self._statements[self._commit].clauses[arrival.clause].matched
        return arrival.record is not None or not self.operation.replaces

    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of the current commit, as its operation does."""
        operation, self._is_touched = self.operation, True
        if operation.replaces and arrival.record is None:
            self._replace()
        elif self._source is not None and arrival.clause is not None:
            self._source.take(self._key, arrival, self._statements[self._commit].clauses[arrival.clause])
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
        self._old, self.slices = self._old + self.slices, []

    def _inserted(self, arrival: Arrival) -> Carrier:
        """Return the version of a row that is inserted; its ordering value is read where a merge mode may update."""
        if self.operation is WriteOperation.BULK_INSERT:  # Spark's own rows, which nothing tests for a delete
            return StoredRow(self._key, arrival.record, self.merge.schema, arrival.source)
        plan = self.merge.plan
        by_mode = not capabilities(plan.release).payload_writer and updates_by_insert(plan)
        ordering = arrival.ordering if by_mode and self.operation is WriteOperation.INSERT else NATURAL_ORDER
        return self.merge.incoming(self._key, arrival.record, arrival.source, ordering)

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
        if operation is WriteOperation.SQL_MERGE:
            self._write_source()
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

    def _write_source(self) -> None:
        """Write what a MERGE INTO makes of its source: to the file groups that have the key, or a new one."""
        source: MergedSource = self._source  # type: ignore[assignment]  # a statement has one
        if any(one.logged for one in self.slices):
            msg = "a log alone has a row of the key, for which no MERGE INTO was recorded; compact the table before it"
            raise MergePointError(MergePoint.TAG, InputError(msg))
        found = [one for one in self.slices if one.stored]
        if self._statements[self._commit].is_insert(source.merge.plan):
            found = []
        if (taken := source.chosen(matched=bool(found))) is not None:
            self.took(*taken)
        for one in found:
            for row in one.stored[:1] if self._log_updates else one.met:
                self._write_merged(source, one, row)
        if not found and (version := source.written(None)) is not None:
            self._insert([version])  # type: ignore[list-item]  # a row, since there is nothing to delete or to update
        source.clear()

    def _write_merged(self, source: MergedSource, one: KeyRows, row: KeyTimeline) -> None:
        version, to_log = source.written(row.base), self._log_updates
        if isinstance(version, PartialRow):
            row.append_partial(source.partial, *version)
        elif isinstance(version, LogDelete) and to_log:
            row.append_log(version)
        elif isinstance(version, LogDelete):
            one.write_row(row, source.merge, source.merge.delete(self._key, None), log_updates=False)
        elif version is not None:
            one.write_row(row, source.merge, version, log_updates=to_log)

    def took(self, version: Carrier, clause: MergeClause) -> None:
        """Be told of the row of a source that counts, and of the clause that takes it."""

    def _insert(self, versions: Sequence[Carrier]) -> None:
        """Write rows to a base file: those of one batch to the same."""
        plan, is_insert = self.merge.plan, self.operation is WriteOperation.INSERT
        joins = is_insert and fills_small_files(plan) and (not self._log_updates or self._has_no_logs)
        home = next((one for one in self.slices if one.stored), None) if joins else None
        merge = self._told(self.merge, self.operation)
        if is_insert and len(versions) and updates_by_insert(plan):
            if home is not None:  # of a key that the batch has twice HoodieMergeHandle keeps the last version
                home.write(merge, versions[-1], log_updates=False)
                return
            self._check_twice(versions)
        fresh = home or self.new_slice()
        for version in versions:
            if self.operation is WriteOperation.BULK_INSERT:
                fresh.add(version)  # type: ignore[arg-type]  # see `_inserted`
            elif (
                row := merge.insert(self.merge.shuffled(version), is_combined=not self.operation.inserts).version
            ) is not None:
                fresh.add(row)
        if home is None and fresh.rows:
            self.slices.append(fresh)

    @property
    def _has_no_logs(self) -> bool:
        """Whether no file group of a merge-on-read table has a log, since all batches after the first are inserts."""
        return all(self._operations.get(number, _UPSERT).inserts for number in range(2, self._commit))

    def _check_twice(self, versions: Sequence[Carrier]) -> None:
        """Refuse a new key that a later insert has twice.

        Raises:
            MergePointError: both rows are stored in a partition without files, else one; which, a key does not tell.
        """
        if len(versions) > 1 and self._commit > 1:
            msg = (
                f"the batch inserts the new key {len(versions)} times: Hudi {self.merge.plan.release} stores all of "
                "them in a new file, and the last one in a small file of the partition, which is not known from a "
                f"key alone; drop all but one, or set {keys.DUPLICATE_INSERTS.key}=true or {keys.SMALL_FILE_LIMIT}=0"
            )
            raise MergePointError(MergePoint.INSERT, InputError(msg))

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
        self.slices = [one for one in self.slices if one.stored or one.logged]
