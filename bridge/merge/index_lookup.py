"""What a global index does with a row that it finds: merge it with the incoming version, to know where the result goes.

Source: HoodieIndexUtils of 0.15.0 to 1.2.0 (tagGlobalLocationBackToRecords, mergeForPartitionUpdatesIfNeeded).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from bridge.config import capabilities
from bridge.errors import InputError
from bridge.merge.answers import as_stored_row, came_back
from bridge.merge.buffered import Buffered, merge_props
from bridge.merge.calls import MergePointError
from bridge.merge.carriers import PayloadVersion, StoredRow, key_of_version, key_reader, with_meta_columns
from bridge.merge.file_group_reader import FileGroupReader
from bridge.merge.log_scanner import LogScanner
from bridge.merge.outcome import DELETED, UPDATE, Outcome
from bridge.merge.payload_base import Payloads
from bridge.merge.payload_rows import PayloadRows, written_class
from bridge.merge.points import MergePoint, Rule
from bridge.plan import TableType
from bridge.spark import META_COLUMNS
from mergers import HoodieKey, HoodieRecordType, RecordMergeMode
from payloads.api import Sentinel
from payloads.builtin import BuiltinPayload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bridge.merge.buffered import Setup
    from bridge.merge.calls import Listener
    from bridge.merge.carriers import LogDelete, LogRow, RowShape
    from bridge.plan import MergePlan
    from payloads import AvroSchema, PayloadRef, Record

C = TypeVar("C", PayloadVersion, StoredRow)
_RECORD_KEY, _PARTITION_PATH = META_COLUMNS[2], META_COLUMNS[3]


class PayloadLookup(Payloads):
    """What the index does until 1.0: the payload merges, and the merged record says where it belongs."""

    def __init__(
        self, payload: PayloadRef, plan: MergePlan, schema: AvroSchema, shape: RowShape, listener: Listener | None
    ) -> None:
        """Bind the calls; both releases read the existing rows with the log scanner."""
        super().__init__(payload, plan, schema, shape, listener)
        self._at_tag = self._at[MergePoint.TAG]
        self._scanner = LogScanner(payload, plan, schema, shape, listener)
        self._found_class = self.payload_class.for_schema(self._at_tag.schema)
        self._written_class = self.payload_class.for_schema(schema)
        self._release = plan.release
        self._moves = plan.moves_rows
        self._is_on_read = plan.table_type is TableType.MERGE_ON_READ

    def merges(self, version: PayloadVersion, path: str) -> bool:
        """Whether the index merges `version` with the row that it found in the partition `path`."""
        return self._moves and (self._is_on_read or key_of_version(version).partition_path != path)

    def existing(self, base: StoredRow, entries: Iterable[LogRow | LogDelete]) -> StoredRow | None:
        """Return the current row of a file slice."""
        folded = None
        for entry in entries:
            folded = self._scanner.fold_log(folded, base.key, entry)  # type: ignore[arg-type]
        return self._scanner.read(MergePoint.COMPACT, base, folded).version

    def merged(self, found: StoredRow, path: str, version: PayloadVersion) -> PayloadVersion | None:
        """Return the merged version, its partition in its key; None if the incoming one goes to the old one."""
        try:
            result = self._merged(found, path, version)
        except Exception as error:
            raise MergePointError(MergePoint.TAG, error) from error
        if self._listener is not None:
            self._listener.merged(MergePoint.TAG, Rule.COMBINE, found, version, _tagged(result))
        return result

    def _merged(self, found: StoredRow, path: str, version: PayloadVersion) -> PayloadVersion | None:
        _, schema, props, _ = self._at_tag
        if version.payload.is_deleted(self.schema, props):
            return None
        value = version.payload.get_insert_value(self.schema, props)
        older = self._payload_of(found.record, HoodieKey(key_of_version(version).record_key, path))
        stored = older.payload.get_insert_value(schema, props)
        if value is None or isinstance(value, Sentinel):
            self._refused.check(value, is_declared=False)  # Hudi takes a SENTINEL for a record, and fails
        if stored is None:
            return None
        newer = self._payload_of(value, key_of_version(version))  # type: ignore[arg-type]  # a record
        row = self._combine.merge(StoredRow(older.key, stored, schema), newer, schema, props)  # type: ignore[arg-type]
        if row is None:
            return None
        merged: Record = row.record  # plain data
        record = {name: merged[name] for name in self.schema.by_name}
        self.schema.validate(record)  # a wrong value is this merge's, not that of the insert which follows
        key = HoodieKey(key_of_version(version).record_key, self._path_in(merged))
        return PayloadVersion(key, self._written_class(record, self._scanner.ordering_of(record)))  # type: ignore[arg-type]

    def _path_in(self, merged: Record) -> str:
        path: str | None = merged.get(_PARTITION_PATH)
        if path is None:
            msg = (
                f"the merged row lacks {_PARTITION_PATH}, which Hudi {self._release} needs to find its partition "
                "where a global index moves rows; let the payload change a copy of `current` instead of making a new "
                "row"
            )
            raise InputError(msg)
        return path

    def _payload_of(self, record: Record, key: HoodieKey) -> PayloadVersion:
        named = {**with_meta_columns(record), _RECORD_KEY: key.record_key, _PARTITION_PATH: key.partition_path}
        return PayloadVersion(key, self._found_class(named, self._scanner.ordering_of(named)))  # type: ignore[arg-type]


class ModeLookup(Buffered):
    """What the index does from 1.1 on: the merge mode of the write merges; a log is read as the writer reads it."""

    def __init__(self, setup: Setup, rows: HoodieRecordType = HoodieRecordType.AVRO) -> None:
        """Bind the calls; existing `rows` are Avro records, or Spark's."""
        super().__init__(setup)
        config, plan, schema = setup.config, setup.plan, setup.schema
        props = merge_props(config, plan)
        self._merge = self._merger(config.merge, schema, props, HoodieRecordType.AVRO, "combine")
        built = written_class(plan, self._observed)
        is_users = built is not None and not issubclass(built, BuiltinPayload)
        self._rows = PayloadRows(built, plan, schema, props, tests_rows=True) if is_users else None  # type: ignore[arg-type]
        self._reader = FileGroupReader(setup, rows)
        self._found_schema = schema
        self._key_of = key_reader(plan, schema)
        self._by_commit = config.merge.mode is RecordMergeMode.COMMIT_TIME_ORDERING
        self._moves = plan.moves_rows
        self._leaves_alone = self._by_commit and not capabilities(plan.release).commit_time_lookup
        self._is_on_read = plan.table_type is TableType.MERGE_ON_READ

    def merges(self, version: StoredRow, path: str) -> bool:
        """Whether the index merges `version` with the row that it found in the partition `path`."""
        if not self._moves and (self._leaves_alone or not self._is_on_read):
            return False
        moves = self._moves and key_of_version(version).partition_path != path
        return self._is_on_read or moves or (not self._by_commit and version.marked_delete)

    def existing(self, base: StoredRow, entries: Iterable[LogRow | LogDelete]) -> StoredRow | None:
        """Return the current row of a file slice."""
        folded = None
        for entry in entries:
            folded = self._reader.fold_log(folded, base.key, entry)  # type: ignore[arg-type]
        return self._reader.read(MergePoint.COMPACT, base, folded).version

    def merged(self, found: StoredRow, path: str, version: StoredRow) -> StoredRow | None:  # noqa: ARG002 (as until 1.0)
        """Return the merged version, its partition in its key; None if the incoming one goes to the old one."""
        try:
            ordering = self._merge.context.row_ordering(found.record)
            older = StoredRow(found.key, found.record, self._found_schema, found.source, None, ordering)
            newer = version if self._rows is None else self._rows.indexed(version)
            merged = self._merge.final_merge(older, newer)
            result = None
            if not merged.marked_delete:
                row = as_stored_row(merged, older, newer)
                key = version.key if came_back(row.record, version.record) else self._key_of(row.record)
                result = StoredRow(key, row.record, self.schema, row.source, None, row.ordering_value)
                if self._rows is not None:
                    result = self._rows.moved(result)
        except Exception as error:
            raise MergePointError(MergePoint.TAG, error) from error
        if self._listener is not None:
            self._listener.merged(MergePoint.TAG, Rule.FINAL, found, version, _tagged(result))
        return result


def _tagged(merged: C | None) -> Outcome[C]:
    return DELETED if merged is None else Outcome(UPDATE, merged)
