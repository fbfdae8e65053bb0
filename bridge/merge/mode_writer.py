"""What a writer calls from 1.1 on, where it merges by merge mode.

Source: BaseWriteHelper, FileGroupReaderBasedMergeHandle and HoodieAppendHandle of 1.1.1 and 1.2.0. The rules
themselves are `mergers.strategies`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import PlanError
from bridge.merge.answers import action_of, as_stored_row, came_back
from bridge.merge.batch_rules import batch_rule
from bridge.merge.buffered import Buffered, delete_tests, fill_rule, merge_props, mode_rule, source_of
from bridge.merge.calls import MergePointError, SingleRows, UserBatch
from bridge.merge.carriers import LogDelete, LogRow, StoredRow, key_reader
from bridge.merge.delete_block import read_back
from bridge.merge.outcome import INSERT, KEEP, SKIPPED, Outcome, RowSource
from bridge.merge.payload_base import check_constructor
from bridge.merge.points import MergePoint, Rule
from bridge.merge.refused_inserts import refused_inserts
from bridge.merge.user_batches import ModeBatch
from bridge.merge.user_rows import UserRows, calls_of_user
from mergers import HoodieRecordType, RecordMergeMode
from mergers.record import DeleteContext
from payloads import NATURAL_ORDER
from payloads.api import Sentinel
from payloads.builtin import BuiltinPayload, PartialUpdateAvroPayload, flag_tests
from payloads.errors import did_you_mean
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true, list_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from bridge.merge.buffered import Setup
    from bridge.merge.calls import BatchRule, Pair, Single
    from bridge.merge.refused_inserts import RefusedInserts
    from bridge.plan import MergePlan
    from mergers import HoodieKey
    from payloads import HoodieRecordPayload, Ordering, Record
    from payloads.builtin import DeleteTest

_DELETE = "D"
_STORED, _INCOMING = RowSource.STORED, RowSource.INCOMING


class PayloadRow(StoredRow):
    """An incoming row with the payload that was built of it.

    Attributes:
        payload: the payload.
        stays_as_noted: whether what its columns say of a delete stays, though the index has found a row of its key.
    """

    __slots__ = ("payload", "stays_as_noted")
    payload: HoodieRecordPayload
    stays_as_noted: bool


class ModeWriter(Buffered):
    """What a writer calls from 1.1 on."""

    def __init__(self, setup: Setup) -> None:
        """Bind the writer's calls.

        Raises:
            PlanError: an ordering field is not in the schema.
        """
        super().__init__(setup)
        config, plan, schema = setup.config, setup.plan, setup.schema
        for field in config.ordering:
            if field.split(".")[0] not in schema.by_name:
                has = ", ".join(schema.by_name)
                msg = f"the ordering field {field!r} is not in the data, which has {has}"
                msg += did_you_mean(field, schema.by_name)
                raise PlanError(msg)
        props = self._insert_props = merge_props(config, plan)
        self._dedup = self._merger(config.dedup, schema, props, HoodieRecordType.AVRO, "pre_combine")
        self._merge = self._merger(config.merge, schema, props, HoodieRecordType.AVRO, "combine")
        consistent = is_true(plan.props.get(CONSISTENT_TIMESTAMP))
        self._read_ordering = list_reader(schema, config.ordering, consistent=consistent)
        self._by_commit = config.dedup.mode is RecordMergeMode.COMMIT_TIME_ORDERING
        self._deletes = DeleteContext(props, schema, reads_operation=False, release=config.release)
        self._built_class = self._class_to_build()
        # Hudi notes what the columns of a row say and goes by it until the index has found a row of the key: then, and
        # where it notes nothing, it asks the class (HoodieRecord.isDelete; HoodieCreateRecordUtils).
        self._tests_rows = tests_rows(plan, config.ordering)
        self._refused = refused_inserts(plan.release, tests_rows=self._tests_rows)
        self._refused_in_log = refused_inserts(plan.release)
        self._has_ordering = not self._by_commit
        if self._built_class is not None and not plan.combine_before_upsert:
            # Payloads of a batch that is not combined have no ordering value (HoodieCreateRecordUtils).
            self._read_ordering, self._has_ordering = _natural, False
        self._key_of = key_reader(plan)

    def _class_to_build(self) -> type[HoodieRecordPayload] | None:
        """Return the class that the writer builds for each row, to test it for a delete; None if it builds none."""
        if self._plan.payload is None:
            return None
        payload_class = self._observed(self._plan.payload).resolve(self._release)
        check_constructor(payload_class)
        is_built = not issubclass(payload_class, BuiltinPayload) or issubclass(payload_class, PartialUpdateAvroPayload)
        if not is_built:
            return None
        built = payload_class.for_schema(self.schema)
        for_writer = getattr(built, "for_writer", None)  # a compiled class has it
        return built if for_writer is None else for_writer()

    def incoming(
        self, key: HoodieKey, record: Record | None, source: object, ordering: Ordering | None = None
    ) -> StoredRow:
        """Make the buffered record of an incoming row; `ordering` overrides what the ordering fields say."""
        if record is None:
            return StoredRow(key, None, self.schema, source, _DELETE, ordering or NATURAL_ORDER)
        try:
            if ordering is None:
                ordering = NATURAL_ORDER if self._by_commit else self._read_ordering(record)
            if self._built_class is None:
                operation = _DELETE if self._deletes.is_delete(record) else None
                return StoredRow(key, record, self.schema, source, operation, ordering)
            payload = _built(self._built_class, record, ordering)
            is_delete = self._deletes.is_delete(record) if self._tests_rows else self._is_deleted(payload)
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        row = PayloadRow(key, record, self.schema, source, _DELETE if is_delete else None, ordering)
        row.payload, row.stays_as_noted = payload, False
        return row

    def _is_deleted(self, payload: HoodieRecordPayload) -> bool:
        return payload.is_deleted(self.schema, self._insert_props)

    def _payload_of(self, row: StoredRow) -> HoodieRecordPayload:
        if isinstance(row, PayloadRow):
            return row.payload
        return _built(self._built_class, row.record, row.ordering_value)  # type: ignore[arg-type]  # a class is built

    def _found(self, version: StoredRow) -> StoredRow:
        """Return a version whose key has a row: the class says whether it is a delete."""
        if self._built_class is None or not self._tests_rows or version.record is None:
            return version
        if isinstance(version, PayloadRow) and version.stays_as_noted:
            return version
        payload = self._payload_of(version)
        operation = _DELETE if self._is_deleted(payload) else None
        if operation == version.operation:
            return version
        rest = (version.key, version.record, version.schema, version.source, operation, version.ordering_value)
        found = PayloadRow(*rest, version.made_at)
        found.payload, found.stays_as_noted = payload, False
        return found

    def delete(self, key: HoodieKey, source: object) -> StoredRow:
        """Make the version of a key that is deleted without a row."""
        return self.incoming(key, None, source)

    def combine_input(self, older: StoredRow, newer: StoredRow) -> StoredRow:
        """Combine two versions of one batch, in their order of arrival."""
        try:
            merged = self._dedup.delta_merge(newer, older)
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        result = older if merged is None else as_stored_row(merged, newer, older)
        if merged is not None and result.key != newer.key:
            # BaseWriteHelper: what a merge returns gets the key of the newer one, whose partition may be another.
            result = StoredRow(
                newer.key, result.record, result.schema, result.source, result.operation, result.ordering_value
            )
        if self._listener is not None:
            action = KEEP if merged is None else action_of(merged, older)
            self._listener.merged(MergePoint.COMBINE_INPUT, Rule.DELTA, older, newer, Outcome(action, result))
        return result

    def fold_uncombined(self, older: StoredRow, newer: StoredRow) -> StoredRow:
        """Fold two versions of a batch that was not combined, as the merge handle does before the stored row."""
        try:
            merged = self._merge.delta_merge(newer, older)
        except Exception as error:
            raise MergePointError(MergePoint.UPSERT, error) from error
        result = older if merged is None else as_stored_row(merged, newer, older)
        if self._listener is not None:
            action = KEEP if merged is None else action_of(merged, older)
            self._listener.merged(MergePoint.UPSERT, Rule.FINAL, older, newer, Outcome(action, result))
        return result

    @staticmethod
    def shuffled(version: StoredRow) -> StoredRow:
        """Return a version as the shuffle between the batch and the table hands it on: as it is."""
        return version

    def is_deleted(self, version: StoredRow) -> bool:
        """Whether the writer routes this version as a delete."""
        return version.marked_delete

    def insert(self, version: StoredRow, *, is_combined: bool = True) -> Outcome[StoredRow]:
        """Store a version of a key that has no row: INSERT, or SKIP for a delete and a version to ignore."""
        if is_combined:
            return self._insert(version, self._refused)
        try:
            version = self._found(version)
        except Exception as error:
            raise MergePointError(MergePoint.INSERT, error) from error
        return self._insert(version, self._refused_in_log)

    def _insert(self, version: StoredRow, refused: RefusedInserts) -> Outcome[StoredRow]:
        outcome: Outcome[StoredRow] = SKIPPED
        if not version.marked_delete:
            try:
                row = self._inserted(version, refused)
            except Exception as error:
                raise MergePointError(MergePoint.INSERT, error) from error
            outcome = SKIPPED if row is None else Outcome(INSERT, row)
        if self._listener is not None:
            self._listener.merged(MergePoint.INSERT, Rule.DELETE_TEST, None, version, outcome)
        return outcome

    def _inserted(self, version: StoredRow, refused: RefusedInserts) -> StoredRow | None:
        row = version
        if self._built_class is not None:  # whatever merges: the record to write is what its payload gives
            payload = self._payload_of(row)
            own = payload.record
            value = payload.get_insert_value(self.schema, self._insert_props)
            if value is None or isinstance(value, Sentinel):
                refused.check(value, is_declared=payload.can_produce_sentinel())
                return None
            if not came_back(value, own):
                row = StoredRow(version.key, value, self.schema)
        return self._stored(row, MergePoint.INSERT)

    def upsert(self, base: StoredRow, version: StoredRow) -> Outcome[StoredRow]:
        """Merge with the stored row: KEEP, UPDATE or DELETE."""
        try:
            base.ordering_value = self._merge.context.row_ordering(base.record)
            return self._final(self._merge, MergePoint.UPSERT, base, self._found(version))
        except Exception as error:
            raise MergePointError(MergePoint.UPSERT, error) from error

    def log_entry(self, version: StoredRow) -> LogRow | LogDelete | None:
        """Return what the writer appends to the log of a stored key; None for a version to ignore."""
        try:
            version = self._found(version)
        except Exception as error:
            raise MergePointError(MergePoint.INSERT, error) from error
        if not version.marked_delete:
            row = self._insert(version, self._refused_in_log).version
            return None if row is None else LogRow(row.record, row.source)
        try:
            # Delete entries carry the real ordering value in commit-time tables, too.
            ordering = version.ordering_value if version.record is None else self._read_ordering(version.record)
            entry = LogDelete(None if ordering is None else read_back(ordering, self._release))
        except Exception as error:
            raise MergePointError(MergePoint.INSERT, error) from error
        if self._listener is not None:
            outcome = Outcome(INSERT, entry)
            self._listener.merged(MergePoint.INSERT, Rule.DELETE_TEST, None, version, outcome)
        return entry

    def batch_rule(self) -> BatchRule | None:
        """Return the rule of commit or event time; for another mode what becomes of a row alone."""
        tests, fields = self._tests(), () if self._by_commit else self._config.ordering
        if tests is None or len(fields) > 1 or is_true(self._plan.props.get(CONSISTENT_TIMESTAMP)):
            return None
        rule = mode_rule(self._dedup, fields, is_consistent=False)
        reader = _natural if self._by_commit else self._read_ordering
        return batch_rule(
            self.schema, fields[0] if fields else None, reader, tests, None if rule is None else rule.wins
        )

    def _tests(self) -> tuple[DeleteTest, ...] | None:
        """Return the column tests for rows that may be deletes; None where a user's class is asked."""
        if self._built_class is None or (self._tests_rows and issubclass(self._built_class, BuiltinPayload)):
            return delete_tests(self.schema, self._insert_props)
        return flag_tests(self.schema) if issubclass(self._built_class, BuiltinPayload) else None

    def user_batch(self) -> UserBatch | None:
        """Return the calls of a user's class that decides in mode CUSTOM; None without one plain ordering column."""
        calls = None if self._built_class is None else calls_of_user(self._merge, self.schema, self._insert_props)
        fields, consistent = self._config.ordering, is_true(self._plan.props.get(CONSISTENT_TIMESTAMP))
        if calls is None or len(fields) > 1 or consistent or not self._plan.combine_before_upsert:
            return None
        by = batch_rule(self.schema, fields[0] if fields else None, self._read_ordering, (), None)
        if by is None:
            return None
        rest = (self.schema, self._insert_props, self._shape, self._release, self._refused_in_log)
        batch = ModeBatch(calls, self._read_ordering, *rest, self._row_test)
        return UserBatch(batch.survivor, batch.combine, batch.entry, MergePoint.INSERT, by.ordering, by.java_type)

    def single_rows(self) -> SingleRows:
        """Return the calls of a copy-on-write merge for keys with one row of the batch."""
        tests = self._tests()
        is_consistent = is_true(self._plan.props.get(CONSISTENT_TIMESTAMP))
        rule = mode_rule(self._merge, self._config.ordering, is_consistent=is_consistent)
        if rule is not None and rule.field is not None and not self._has_ordering:
            rule = None
        pair: Pair = self._pair
        single: Single = self._single
        calls = None if self._built_class is None else calls_of_user(self._merge, self.schema, self._insert_props)
        if calls is not None:
            rows = UserRows(calls, self._merge, self.schema, self._insert_props, self._shape)
            reader = _natural if self._by_commit else self._read_ordering
            pair, single = rows.written_pair(reader), rows.written_single(reader, self._refused, self._row_test)
        fill = fill_rule(self._merge, self.schema, self._config.ordering, is_consistent=is_consistent)
        if fill is not None and fill.later.field is not None and not self._has_ordering:
            fill = None
        return SingleRows(
            pair, single, MergePoint.UPSERT, MergePoint.INSERT, rule, tests, needs_ordering=False, fill=fill
        )

    @property
    def _row_test(self) -> Callable[[Record], bool] | None:
        """What finds the deletes of a batch by their columns; None where the class is asked."""
        return self._deletes.is_delete if self._tests_rows else None

    def _pair(self, stored: Record, incoming: Record, made: list[Record]) -> RowSource:
        key = self._key_of(incoming)
        base = StoredRow(key, stored, self.schema, _STORED)
        action, row = self.upsert(base, self.incoming(key, incoming, _INCOMING))
        return _STORED if action is KEEP else source_of(row, made)

    def _single(self, incoming: Record, made: list[Record]) -> RowSource:
        _, row = self.insert(self.incoming(self._key_of(incoming), incoming, _INCOMING))
        return source_of(row, made)


def tests_rows(plan: MergePlan, ordering: Collection[str]) -> bool:
    """Whether a writer from 1.1 on finds the deletes of a batch by their columns, and does not ask the class.

    It does so where it builds payloads with ordering values (HoodieCreateRecordUtils).
    """
    return plan.combine_before_upsert and len(ordering) > 0


def _natural(_record: Record) -> Ordering:
    return NATURAL_ORDER


def _built(payload_class: type[HoodieRecordPayload], record: Record, ordering: Ordering | None) -> HoodieRecordPayload:
    return payload_class(record) if ordering is None else payload_class(record, ordering)
