"""The commits of a table with a global index that are not all upserts; plain Python.

An upsert or delete finds every file group that has the key, in whatever partition; an insert looks nothing up and adds
one; an SQL update or delete changes the rows that it names where they are; a MERGE INTO matches a key that the index
finds in any partition, and writes its row as an upsert does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import InputError
from bridge.merge import Action, LogDelete, MergePoint, MergePointError, Outcome, StoredRow, key_of_version
from bridge.programs.global_index import GlobalIndexTable
from bridge.programs.merged_source import MergedSource, PartialRow
from bridge.programs.write_operation import WriteOperation
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bridge.merge import Carrier, RecordMerge
    from bridge.programs.file_group import FileGroup
    from bridge.programs.program import Arrival, Emit
    from bridge.programs.write_operation import Operations
    from mergers import HoodieKey


class GlobalOperationTable(GlobalIndexTable):
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
        """Set up a table; the arguments are those of `OperationTable`."""
        super().__init__(merge, commits=commits, log_updates=log_updates, compact_after=compact_after)
        self._operations, self._assigned, self._statements = operations
        has_statements = any(operation.is_statement for operation in self._operations.values())
        self._plain = merge.with_plan(merge.plan.as_plain()) if has_statements else merge
        self._source = MergedSource(self._plain) if self._statements else None
        self._inserts: list[Carrier] = []
        self._changes: list[tuple[FileGroup, Carrier]] = []
        self._is_touched = False

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table."""
        super().start(key)
        self._inserts, self._changes, self._is_touched = [], [], False
        if self._source is not None:
            self._source.clear()

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the table and of the batch."""
        yield from super().held()
        yield from self._inserts
        yield from (version for _, version in self._changes)
        if self._source is not None:
            yield from self._source.held()

    @property
    def _operation(self) -> WriteOperation:
        return self._operations.get(self._commit, WriteOperation.UPSERT)

    def is_written(self, arrival: Arrival) -> bool:
        """Whether a version is a row of its batch: no key that an overwrite removes, and each row of a MERGE once."""
        if arrival.clause is not None:
            return self._statements[self._commit].clauses[arrival.clause].matched
        return arrival.record is not None or not self._operation.replaces

    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of the current commit, as its operation does."""
        operation, self._is_touched = self._operation, True
        if operation is WriteOperation.UPSERT:
            super().fold_input(arrival)
            return
        key = self.key_of(arrival)
        if operation.replaces and arrival.record is None:
            for group in self.groups:
                if group.key.partition_path == key.partition_path:
                    group.drop()
        elif self._source is not None and arrival.clause is not None:
            self._source.take(key, arrival, self._statements[self._commit].clauses[arrival.clause])
        elif operation.inserts:
            self._insert_later(key, arrival)
        elif operation is WriteOperation.DELETE:
            self.input = self.merge.delete(key, arrival.source)
        else:
            self._state(key, arrival)

    def _insert_later(self, key: HoodieKey, arrival: Arrival) -> None:
        """Note a row that is inserted: its ordering value is never read.

        Raises:
            MergePointError: the batch has the key twice in one partition, which would be duplicates in one file.
        """
        if any(key_of_version(version) == key for version in self._inserts):
            msg = (
                f"the batch inserts the key into the partition {key.partition_path} twice, into one file; with a "
                "global index each release updates such rows differently, which is not ported: drop one of them"
            )
            raise MergePointError(MergePoint.INSERT, InputError(msg))
        version: Carrier
        if self._operation is WriteOperation.BULK_INSERT:  # Spark's own rows, which nothing tests for a delete
            version = StoredRow(key, arrival.record, self.merge.schema, arrival.source)
        else:
            version = self.merge.incoming(key, arrival.record, arrival.source, NATURAL_ORDER)
        self._inserts.append(version)

    def _state(self, key: HoodieKey, arrival: Arrival) -> None:
        """Note what an SQL statement makes of the rows that a query sees under a key and partition."""
        given = arrival.record or arrival.identity or {}
        for group in self.groups:
            row = group.seen().version
            if row is None or group.key != key:
                continue
            if self._operation is WriteOperation.SQL_DELETE:
                version = self.merge.delete(key, None)
            else:
                assigned = {name: given[name] for name in self._assigned[self._commit]}
                record = {name: row.record[name] for name in self.merge.schema.by_name} | assigned
                version = self._plain.incoming(key, record, None)
            self._changes.append((group, version))

    def write_commit(self, emit: Emit) -> None:
        """Write the input, and take the snapshot; a compaction takes it otherwise."""
        if not self._is_touched:
            return
        if self._source is not None and self._operation is WriteOperation.SQL_MERGE:
            self._write_source(self._source)
        self.write()
        for group, version in self._changes:
            own, group.merge = group.merge, self._plain
            self.put(group, version)
            group.merge = own
        for version in self._inserts:
            self._add(version)
        self._inserts, self._changes, self._is_touched = [], [], False
        if self._commit not in self._compactions:
            self.query(self._commit, emit)

    def _write_source(self, source: MergedSource) -> None:
        """Write what a MERGE INTO makes of its source: a row as an upsert, a delete where the index finds the key.

        The checks before it let no row through of which only some columns are set.
        """
        own, self.merge = self.merge, source.merge
        for group in self.groups:
            group.merge = source.merge
        found = [group for group in self.groups if group.base is not None and group.is_indexed]
        taken = source.chosen(matched=bool(found))
        if taken and any(self.merge.lookup.merges(taken.version, group.key.partition_path) for group in found):
            found = [group for group in found if group.existing() is not None]  # else the row counts as new
            taken = source.chosen(matched=bool(found))
        version = source.written(found[0].base if found else None)
        if isinstance(version, LogDelete) and self._log_updates:
            for group in found:
                group.append_log(version)
        elif isinstance(version, LogDelete):
            for group in found:
                self.put(group, source.merge.delete(key_of_version(taken.version), None))  # type: ignore[union-attr]
        elif version is not None and not isinstance(version, PartialRow):
            self.input = version
            self.write()
        self.merge = own
        for group in self.groups:
            group.merge = own
        source.clear()

    def _add(self, version: Carrier) -> None:
        group = self.new_group(key_of_version(version), version.record)
        if self._operation is WriteOperation.BULK_INSERT:
            group.store(Outcome(Action.INSERT, version))  # type: ignore[arg-type]  # see `_insert_later`
        else:
            self.put(group, version)
        if group.base is not None:
            self.groups.append(group)
