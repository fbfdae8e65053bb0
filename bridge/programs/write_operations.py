"""OperatedBatch: a batch other than an upsert (insert, delete by key, overwrite, SQL statement); plain Python.

An insert looks nothing up, so that a key may have several rows: in file groups of their own, each found by the index
from then on, or in one file. Where Hudi lets an insert update the row of its small file, it does so here. An SQL update
or delete changes the rows that it names where they are.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import capabilities, keys
from bridge.errors import InputError
from bridge.merge import MergePoint, MergePointError, StoredRow, key_of_version
from bridge.programs.merged_source import MergedSource
from bridge.programs.small_files import fills_small_files, updates_by_insert
from bridge.programs.write_operation import WriteOperation
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.merge import Carrier, RecordMerge
    from bridge.programs.file_group import FileGroup
    from bridge.programs.files import Files
    from bridge.programs.program import Arrival
    from bridge.programs.write_operation import Operations
    from mergers import HoodieKey


def _told(merge: RecordMerge, operation: WriteOperation) -> RecordMerge:
    """Return the calls of a writer whose properties name an operation that inserts."""
    if keys.WRITE_OPERATION in merge.plan.props:
        return merge
    plan = merge.plan
    return merge.with_plan(dataclasses.replace(plan, props={**plan.props, keys.WRITE_OPERATION: operation.value}))


class StatementCalls(NamedTuple):
    """The calls of SQL statements.

    Attributes:
        plain: those of a writer that passes neither payload class nor merge mode.
        source: the source of a MERGE INTO; None without such a statement.
    """

    plain: RecordMerge
    source: MergedSource | None

    @classmethod
    def of(cls, merge: RecordMerge, operations: Operations) -> StatementCalls:
        """Return the calls for a writer."""
        has_statements = any(operation.is_statement for operation in operations.by_commit.values())
        plain = merge.with_plan(merge.plan.as_plain()) if has_statements else merge
        return cls(plain, MergedSource(plain) if operations.statements else None)


class OperatedBatch:
    """The versions of a commit other than an upsert, and how they are written."""

    def __init__(self, files: Files, operations: Operations) -> None:
        """Write to `files`."""
        self._files = files
        self._by_commit, self._assigned, self._statements = operations
        self._told = functools.cache(_told)
        self._deleted: Carrier | None = None
        self._inserts: list[Carrier] = []
        self._changes: list[tuple[FileGroup, Carrier]] = []

    def clear(self) -> None:
        """Forget the versions."""
        self._deleted, self._inserts, self._changes = None, [], []

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the versions."""
        if self._deleted is not None:
            yield self._deleted
        yield from self._inserts
        yield from (version for _, version in self._changes)

    def is_written(self, arrival: Arrival) -> bool:
        """Whether a version is a row of its batch: no key that an overwrite removes, and each row of a MERGE once."""
        if arrival.clause is not None:
            return self._statements[arrival.commit].clauses[arrival.clause].matched
        return arrival.record is not None or not self._by_commit[arrival.commit].replaces

    # -- taking versions

    def take(self, arrival: Arrival, merge: RecordMerge, calls: StatementCalls) -> None:
        """Take a version, as its operation does, by the calls of the writer."""
        operation, key = self._by_commit[arrival.commit], self._files.key_of(arrival)
        if operation.replaces and arrival.record is None:
            for group in self._files.groups:
                if group.key == key:
                    group.drop()
        elif calls.source is not None and arrival.clause is not None:
            calls.source.take(key, arrival, self._statements[arrival.commit].clauses[arrival.clause])
        elif operation.inserts:
            self._inserts.append(self._inserted(key, operation, arrival, merge))
        elif operation is WriteOperation.DELETE:
            self._deleted = merge.delete(key, arrival.source)
        else:
            self._change(key, operation, arrival, merge, calls.plain)

    def _inserted(self, key: HoodieKey, operation: WriteOperation, arrival: Arrival, merge: RecordMerge) -> Carrier:
        """Return the version of a row that is inserted; its ordering value is read where a merge mode may update.

        Raises:
            MergePointError: with a global index, the batch has the key twice in one partition.
        """
        plan = merge.plan
        if plan.global_index and any(key_of_version(version) == key for version in self._inserts):
            msg = (
                f"the batch inserts the key into the partition {key.partition_path} twice, into one file; with a "
                "global index each release updates such rows differently, which is not supported: drop one of them"
            )
            raise MergePointError(MergePoint.INSERT, InputError(msg))
        if operation is WriteOperation.BULK_INSERT:  # Spark's own rows, which nothing tests for a delete
            return StoredRow(key, arrival.record, merge.schema, arrival.source)
        by_mode = not capabilities(plan.release).payload_writer and updates_by_insert(plan)
        ordering = arrival.ordering if by_mode and operation is WriteOperation.INSERT else NATURAL_ORDER
        return merge.incoming(key, arrival.record, arrival.source, ordering)

    def _change(
        self, key: HoodieKey, operation: WriteOperation, arrival: Arrival, merge: RecordMerge, plain: RecordMerge
    ) -> None:
        """Note what an SQL update or delete makes of the rows that a query sees under the key."""
        given = arrival.record or arrival.identity or {}
        for group in self._files.groups:
            rows = group.read() if group.key == key else []
            if operation is WriteOperation.SQL_DELETE:
                if rows and all(group is not changed for changed, _ in self._changes):
                    self._changes.append((group, merge.delete(key, None)))
                continue
            assigned = {name: given[name] for name in self._assigned[arrival.commit]}
            for row in rows:
                record = {name: row.record[name] for name in merge.schema.by_name} | assigned
                self._changes.append((group, plain.incoming(key, record, None)))

    # -- writing them

    def write(self, commit: int, merge: RecordMerge, calls: StatementCalls) -> None:
        """Write the versions of a commit."""
        operation, files = self._by_commit[commit], self._files
        if calls.source is not None and operation is WriteOperation.SQL_MERGE:
            is_insert = self._statements[commit].is_insert(calls.source.merge.plan)
            files.write_source(calls.source, is_insert=is_insert)
            calls.source.clear()
        elif self._deleted is not None:
            files.write(merge, [self._deleted])
        elif operation.inserts:
            self._insert(commit, self._told(merge, operation))
        else:
            for group, version in self._changes:
                files.write_at(group, calls.plain, [version])
        self.clear()

    def _insert(self, commit: int, merge: RecordMerge) -> None:
        """Write rows to base files: those of one batch and partition to the same."""
        files, operation, versions = self._files, self._by_commit[commit], self._inserts
        home = files.home() if operation is WriteOperation.INSERT and self._joins(commit, merge) else None
        if operation is WriteOperation.INSERT and versions and updates_by_insert(merge.plan):
            if home is not None:  # of a key that the batch has twice HoodieMergeHandle keeps the last version
                home.write(merge, versions[-1:], to_log=False)
                return
            self._check_twice(commit, merge)
        fresh: dict[HoodieKey, FileGroup] = {}
        for version in versions:
            key = key_of_version(version)
            if (group := home or fresh.get(key)) is None:
                group = fresh[key] = files.new_group(key, version)
            row: Carrier | None = version
            if operation is not WriteOperation.BULK_INSERT:
                row = merge.insert(merge.shuffled(version), is_combined=False).version
            elif files.trace is not None:
                files.trace.stored_as_is(version)  # type: ignore[arg-type]  # see `_inserted`
            if row is not None:
                group.add(row)  # type: ignore[arg-type]  # see `_inserted`
        for group in fresh.values():
            files.keep(group)

    def _joins(self, commit: int, merge: RecordMerge) -> bool:
        """Whether an insert goes to a small file; of a merge-on-read table only while all batches are inserts."""
        before = (self._by_commit.get(number, WriteOperation.UPSERT) for number in range(2, commit))
        return fills_small_files(merge.plan) and (not self._files.log_updates or all(one.inserts for one in before))

    def _check_twice(self, commit: int, merge: RecordMerge) -> None:
        """Refuse a new key that a later insert has twice.

        Raises:
            MergePointError: both rows are stored in a partition without files, else one; which, a key does not tell.
        """
        if len(self._inserts) > 1 and commit > 1:
            msg = (
                f"the batch inserts the new key {len(self._inserts)} times: Hudi {merge.plan.release} stores all of "
                "them in a new file, and the last one in a small file of the partition, which is not known from a "
                f"key alone; drop all but one, or set {keys.DUPLICATE_INSERTS.key}=true or {keys.SMALL_FILE_LIMIT}=0"
            )
            raise MergePointError(MergePoint.INSERT, InputError(msg))
