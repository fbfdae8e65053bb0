"""What a writer calls from 1.1 on, where it merges by merge mode.

Source: BaseWriteHelper, FileGroupReaderBasedMergeHandle and HoodieAppendHandle of 1.1.1 and 1.2.0. The rules
themselves are `mergers.strategies`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import PlanError
from bridge.merge.answers import action_of, as_stored_row, came_back
from bridge.merge.buffered import Buffered, delete_tests, merge_props, mode_merge, source_of
from bridge.merge.calls import MergePointError, SingleRows, UserBatch
from bridge.merge.carriers import LogDelete, LogRow, StoredRow, key_reader
from bridge.merge.delete_block import read_back
from bridge.merge.kept_rows import flag_of
from bridge.merge.ordering_values import batch_rule, carried_in_batch
from bridge.merge.outcome import INSERT, KEEP, SKIPPED, Outcome, RowSource
from bridge.merge.payload_rows import PayloadRows, gives_own_record, indexed_row, written_class
from bridge.merge.points import MergePoint, Rule
from bridge.merge.refused_inserts import indexed_sentinel, refused_inserts
from bridge.merge.stated_rules import StatedAt, rules_of_payload
from bridge.merge.user_batches import ModeBatch
from bridge.merge.user_rows import UserRows, calls_of_user
from mergers import HoodieRecordType, RecordMergeMode
from mergers.record import DeleteContext
from mergers.strategies import CustomMerger
from payloads import NATURAL_ORDER
from payloads.api import Sentinel
from payloads.builtin import BuiltinPayload
from payloads.errors import did_you_mean
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true, list_reader
from payloads.rules import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from bridge.merge.buffered import Setup
    from bridge.merge.calls import BatchRule, Pair, Single
    from bridge.merge.refused_inserts import RefusedInserts
    from bridge.merge.stated_rules import StatedRules
    from bridge.plan import MergePlan
    from mergers import HoodieKey
    from payloads import Ordering, Record
    from payloads.rules import DeleteTests
    from payloads.user import UserCalls

_DELETE = "D"
_STORED, _INCOMING = RowSource.STORED, RowSource.INCOMING


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
        self._built_class = written_class(plan, self._observed)
        # Hudi notes what the columns of a row say and goes by it until the index has found a row of the key: then, and
        # where it notes nothing, it asks the class (HoodieRecord.isDelete; HoodieCreateRecordUtils).
        self._tests_rows = by_row = tests_rows(plan, config.ordering)
        built = self._built_class
        self._rows = None if built is None else PayloadRows(built, plan, schema, props, tests_rows=by_row)
        self._refused = refused_inserts(plan.release, tests_rows=self._tests_rows)
        self._refused_in_log = refused_inserts(plan.release)
        self._has_ordering = not self._by_commit
        if self._built_class is not None and not plan.combine_before_upsert:
            # Payloads of a batch that is not combined have no ordering value (HoodieCreateRecordUtils).
            self._read_ordering, self._has_ordering = _natural, False
        self._key_of = key_reader(plan, schema)

    def incoming(
        self, key: HoodieKey, record: Record | None, source: object, ordering: Ordering | None = None
    ) -> StoredRow:
        """Make the buffered record of an incoming row; `ordering` overrides what the ordering fields say."""
        if record is None:
            return StoredRow(key, None, self.schema, source, _DELETE, ordering or NATURAL_ORDER)
        try:
            if ordering is None:
                ordering = NATURAL_ORDER if self._by_commit else self._read_ordering(record)
            row = StoredRow(key, record, self.schema, source, None, ordering)
            payload_row = None if self._rows is None else self._rows.incoming(row)
            if payload_row is None or self._tests_rows:
                is_delete = self._deletes.is_delete(record)
            else:
                is_delete = self._rows.is_deleted(payload_row.payload)  # type: ignore[union-attr]  # it made the row
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        row = payload_row or row
        row.operation = _DELETE if is_delete else None
        return row

    def _found(self, version: StoredRow) -> StoredRow:
        """Return a version whose key has a row."""
        return version if self._rows is None else self._rows.found(version)

    def _indexed(self, version: StoredRow) -> StoredRow:
        """Return a version as a merge gets it."""
        return version if self._rows is None else self._rows.indexed(version)

    def delete(self, key: HoodieKey, source: object) -> StoredRow:
        """Make the version of a key that is deleted without a row."""
        return self.incoming(key, None, source)

    def combine_input(self, older: StoredRow, newer: StoredRow) -> StoredRow:
        """Combine two versions of one batch, in their order of arrival."""
        try:
            last, first = self._indexed(newer), self._indexed(older)
            merged = self._dedup.delta_merge(last, first)
            result = older if merged is None else as_stored_row(merged, last, first)
            if merged is not None and self._rows is not None:
                result = self._rows.combined(result, newer.key)  # type: ignore[arg-type]  # an incoming row has a key
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
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
            newer, older = self._indexed(newer), self._indexed(older)
            merged = self._merge.delta_merge(newer, older)
        except Exception as error:
            raise MergePointError(MergePoint.UPSERT, error) from error
        result = older if merged is None else as_stored_row(merged, newer, older)
        if self._rows is not None:
            result = indexed_row(result)
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
        try:
            if self._rows is not None:
                version = self._rows.new(version) if is_combined else self._rows.found(version)
        except Exception as error:
            raise MergePointError(MergePoint.INSERT, error) from error
        return self._insert(version, self._refused if is_combined else self._refused_in_log)

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
        if self._rows is not None:  # whatever merges: the record to write is what its payload gives
            payload = self._rows.payload_of(row)
            own = payload.record
            value = self._rows.inserted(payload)
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
            return self._final(self._merge, MergePoint.UPSERT, base, self._indexed(self._found(version)))
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
        carried = carried_in_batch(fields[0] if fields else None, self.schema, self._read_ordering)
        return None if carried is None else batch_rule(self._dedup.rule(Point.BATCH, self.schema), tests, carried)

    def _tests(self) -> DeleteTests | None:
        """Return the column tests for rows that may be deletes; None where a user's class is asked."""
        if self._built_class is None or (self._tests_rows and issubclass(self._built_class, BuiltinPayload)):
            return delete_tests(self.schema, self._insert_props)
        return flag_of(self.schema) if issubclass(self._built_class, BuiltinPayload) else None

    def user_batch(self) -> UserBatch | None:
        """Return the calls of a user's class that decides in mode CUSTOM; None without one plain ordering column."""
        calls = self._user_calls()
        fields, consistent = self._config.ordering, is_true(self._plan.props.get(CONSISTENT_TIMESTAMP))
        if calls is None or len(fields) > 1 or consistent or not self._plan.combine_before_upsert:
            return None
        carried = carried_in_batch(fields[0] if fields else None, self.schema, self._read_ordering)
        if carried is None:
            return None
        rest = (self.schema, self._insert_props, self._shape, self._release, self._refused_in_log)
        batch = ModeBatch(calls, self._read_ordering, *rest, self._row_test)
        combine = batch.combine if gives_own_record(self._built_class) else None  # type: ignore[arg-type]  # it has calls
        return UserBatch(batch.survivor, combine, batch.entry, MergePoint.INSERT, carried)

    def _user_calls(self) -> UserCalls | None:
        if self._rows is None or self._rows.joins_files:
            return None
        return calls_of_user(self._merge, self.schema, self._insert_props)

    def stated_rules(self) -> StatedRules | None:
        """Return the rules that a user's class states in mode CUSTOM, where it is built of rows and merges them."""
        mergers = (self._dedup, self._merge)
        asked = {one.payload_class if isinstance(one, CustomMerger) else None for one in mergers}
        if asked != {self._built_class}:
            return None
        batch, stored = (StatedAt(point, self.schema, self._insert_props) for point in (Point.BATCH, Point.STORED))
        return rules_of_payload(self._built_class, batch, stored)

    def single_rows(self) -> SingleRows:
        """Return the calls of a copy-on-write merge for keys with one row of the batch."""
        tests = self._tests()
        is_consistent = is_true(self._plan.props.get(CONSISTENT_TIMESTAMP))
        stored = mode_merge(self._merge, self.schema, self._config.ordering, is_consistent=is_consistent)
        if stored is not None and not self._has_ordering:
            stored = stored._replace(carried=None)
        pair: Pair = self._pair
        single: Single = self._single
        calls = self._user_calls()
        if calls is not None:
            rows = UserRows(calls, self._merge, self.schema, self._insert_props, self._shape)
            reader = _natural if self._by_commit else self._read_ordering
            sentinel = None if gives_own_record(self._built_class) else indexed_sentinel(self._release)  # type: ignore[arg-type]  # it has calls
            pair, single = (
                rows.written_pair(reader, sentinel),
                rows.written_single(reader, self._refused, self._row_test),
            )
        return SingleRows(pair, single, MergePoint.UPSERT, MergePoint.INSERT, stored, tests, needs_ordering=False)

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
