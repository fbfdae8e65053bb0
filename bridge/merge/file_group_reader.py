"""What readers and compaction call from 1.0 on: the merge mode folds the log, then merges with the stored row.

Source: HoodieFileGroupReader of 1.0.2, 1.1.1 and 1.2.0. The rules themselves are `mergers.strategies`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.merge.answers import action_of, as_stored_row, came_back
from bridge.merge.buffered import Buffered, delete_tests, kept_by_mode, merge_props, mode_merge, source_of
from bridge.merge.calls import LogRule, MergePointError, SingleRows
from bridge.merge.carriers import LogDelete, LogRow, StoredRow, key_reader, with_meta_columns
from bridge.merge.outcome import INSERT, KEEP, SKIPPED, Outcome, RowSource
from bridge.merge.payload_rows import payload_around
from bridge.merge.points import MergePoint, Rule
from bridge.merge.refused_inserts import refused_reads
from bridge.merge.stated_rules import StatedAt, rules_of_payload
from bridge.merge.user_rows import UserRows, calls_of_user
from bridge.spark import with_meta
from mergers import HoodieRecordType, RecordMergeMode
from mergers.record import OPERATION_COLUMN, DeleteContext
from mergers.strategies import CustomMerger, DeleteEntry
from payloads.api import Properties, Sentinel
from payloads.builtin import BuiltinPayload
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true
from payloads.rules import Point

if TYPE_CHECKING:
    from bridge.merge.buffered import Setup
    from bridge.merge.calls import KeyReader
    from bridge.merge.stated_rules import StatedRules
    from mergers import HoodieKey
    from payloads import Record
    from payloads.rules import MergeRule

_DELETE = "D"


class FileGroupReader(Buffered):
    """What readers and compaction call from 1.0 on; rows are Spark's own, so ordering values have other classes."""

    def __init__(
        self, setup: Setup, rows: HoodieRecordType = HoodieRecordType.SPARK, *, is_writer: bool = True
    ) -> None:
        """Bind the reader's calls; `rows` is AVRO where a writer reads, and `is_writer` is false for a query."""
        super().__init__(setup)
        config, plan, schema = setup.config, setup.plan, setup.schema
        self._is_custom = config.read.mode is RecordMergeMode.CUSTOM
        self._schema = with_meta(schema) if self._is_custom else schema
        by_operation = capabilities(config.release).operation_deletes
        self._props = props = merge_props(config, plan, is_writer=is_writer)
        self._merger_of_mode = merger = self._merger(config.read, self._schema, props, rows, "combine")
        self._asked = merger.payload_class if isinstance(merger, CustomMerger) else None  # from 1.1 on
        if self._asked is not None and issubclass(self._asked, BuiltinPayload):
            self._asked = None  # each gives its record
        self._refused = refused_reads(plan.release)
        # Such a reader looks at its own properties alone: marked rows are in delete blocks by then.
        own = Properties() if by_operation else props
        self._deletes = DeleteContext(own, self._schema, reads_operation=by_operation, release=config.release)
        self._key_of = key_reader(plan, schema)
        self._rule_of_first = Rule.DELETE_TEST if by_operation else Rule.COMPARISON

    def fold_log(self, folded: StoredRow | None, key: HoodieKey, entry: LogRow | LogDelete) -> StoredRow:
        """Fold the next log entry of a key into its folded log."""
        newer: LogDelete | StoredRow
        try:
            if isinstance(entry, LogDelete):
                newer = entry
                merged = self._merger_of_mode.fold(folded, DeleteEntry(key, entry.ordering))
                result = as_stored_row(merged, folded)
            else:
                newer = self._buffered(key, entry.record, entry.source)
                if self._deletes.is_delete(newer.record):
                    newer.operation = _DELETE
                merged = self._merger_of_mode.fold(folded, newer)
                result = as_stored_row(merged, newer, folded)
        except Exception as error:
            raise MergePointError(MergePoint.LOG_FOLD, error) from error
        if self._listener is not None and (folded is not None or isinstance(newer, LogDelete)):
            rule = self._rule_of_first if folded is None else Rule.DELTA
            outcome = Outcome(action_of(merged, folded), result)
            self._listener.merged(MergePoint.LOG_FOLD, rule, folded, newer, outcome)
        return result

    def read(self, point: MergePoint, base: StoredRow | None, folded: StoredRow | None) -> Outcome[StoredRow]:
        """Merge the stored row with the folded log, for a query or a compaction."""
        if folded is None:
            return SKIPPED if base is None else Outcome(KEEP, base)
        try:
            if base is None:
                row = None if folded.marked_delete else self._inserted(folded)
                return SKIPPED if row is None else Outcome(INSERT, self._stored(row, point))
            older = self._buffered(base.key, base.record, base.source)
            outcome = self._final(self._merger_of_mode, point, older, folded)
        except Exception as error:
            raise MergePointError(point, error) from error
        return Outcome(KEEP, base) if outcome.action is KEEP else outcome

    read_once = read

    def _inserted(self, folded: StoredRow) -> StoredRow | None:
        """Return a row that only the log has, as its payload inserts it (UpdateProcessor); None for one to ignore."""
        if self._asked is None:
            return folded
        payload = payload_around(self._asked.for_schema(self._schema), folded)
        own = payload.record
        value = payload.get_insert_value(self._schema, self._props)
        if value is None or isinstance(value, Sentinel):
            self._refused.check(value, is_declared=payload.can_produce_sentinel())
            return None
        return folded if came_back(value, own) else StoredRow(folded.key, value, self._schema)

    def read_rules(self) -> tuple[MergeRule | None, ...]:
        """Return the rules of the mode in a log, for delete entries and with the stored row."""
        return tuple(
            self._merger_of_mode.rule(point, self._schema) for point in (Point.BATCH, Point.ENTRY, Point.STORED)
        )

    def log_rule(self) -> LogRule | None:
        """Return the comparison of commit or event time; None for other modes, and where a row is more than its own."""
        deletes, merger, ordering = delete_tests(self.schema, self._props), self._merger_of_mode, self._config.ordering
        rule = kept_by_mode(merger, self._schema, ordering, is_consistent=self._is_consistent)
        stored = mode_merge(merger, self._schema, ordering, is_consistent=self._is_consistent)
        if deletes is None or rule is None or stored is None or OPERATION_COLUMN in self.schema.by_name:
            return None
        return LogRule(rule, stored, deletes)

    def stated_rules(self, _point: MergePoint) -> StatedRules | None:
        """Return the rule that a user's class states in mode CUSTOM from 1.1 on: for stored rows, in a log, too."""
        at = StatedAt(Point.STORED, self._schema, self._props)
        return rules_of_payload(self._asked, at, at)

    def single_rows(self, point: MergePoint, key_of: KeyReader | None = None) -> SingleRows:
        """Return what `fold_log` and `read` come to for keys with one row in the log."""
        key_of = key_of or self._key_of

        def pair(stored: Record, logged: Record, made: list[Record]) -> RowSource:
            key = key_of(logged)
            base = StoredRow(key, stored, self.schema, RowSource.STORED)
            action, row = self.read(point, base, self.fold_log(None, key, LogRow(logged, RowSource.INCOMING)))
            return RowSource.STORED if action is KEEP else source_of(row, made)

        def single(logged: Record, made: list[Record]) -> RowSource:
            entry = LogRow(logged, RowSource.INCOMING)
            _, row = self.read(point, None, self.fold_log(None, key_of(logged), entry))
            return source_of(row, made)

        tests = None if OPERATION_COLUMN in self.schema.by_name else delete_tests(self.schema, self._props)
        if any(name not in self.schema.by_name for name in self._merger_of_mode.context.ordering_fields):
            tests = None  # reading a nested field fails where its record is null
        calls = calls_of_user(self._merger_of_mode, self._schema, self._props)
        if self._asked is not None:
            tests = None  # each row of the log alone takes a call
        if calls is not None:
            rows = UserRows(calls, self._merger_of_mode, self._schema, self._props, self._shape)
            merge = rows.read_pair(point, self._deletes, pair)
            return SingleRows(merge, single, point, point, None, tests, needs_ordering=False)
        fields, is_consistent = self._config.ordering, self._is_consistent
        stored = mode_merge(self._merger_of_mode, self._schema, fields, is_consistent=is_consistent)
        return SingleRows(pair, single, point, point, stored, tests, needs_ordering=False)

    @property
    def _is_consistent(self) -> bool:
        return is_true(self._plan.props.get(CONSISTENT_TIMESTAMP))

    def _buffered(self, key: HoodieKey | None, record: Record, source: object) -> StoredRow:
        shaped = with_meta_columns(record) if self._is_custom else record
        ordering = self._merger_of_mode.context.row_ordering(shaped)
        return StoredRow(key, shaped, self._schema, source, None, ordering)
