"""What a writer calls until 1.0: payload objects are combined, inserted and merged with stored rows.

Source: HoodieWriteHelper, HoodieMergeHandle and HoodieAppendHandle of 0.15.0; the writers of 1.0.2 do the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.errors import PlanError
from bridge.merge.calls import Carried, MergePointError, UserBatch
from bridge.merge.carriers import LogDelete, LogRow, PayloadVersion, ShuffledPayload
from bridge.merge.delete_block import read_back
from bridge.merge.kept_rows import deletes_of
from bridge.merge.ordering_values import batch_rule, carried_in_batch
from bridge.merge.outcome import INSERT, Outcome
from bridge.merge.payload_base import Payloads, check_constructor
from bridge.merge.points import MergePoint, Rule
from bridge.merge.stated_rules import StatedAt, rules_of_payload
from bridge.merge.user_batches import PayloadBatch
from payloads import NATURAL_ORDER, resolve_payload
from payloads.builtin import EmptyHoodieRecordPayload
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, field_reader, is_true
from payloads.rules import Point
from payloads.user import PayloadAdapter

if TYPE_CHECKING:
    from bridge.merge.calls import BatchRule, Listener, SingleRows
    from bridge.merge.carriers import RowShape, StoredRow
    from bridge.merge.stated_rules import StatedRules
    from bridge.plan import MergePlan
    from mergers import HoodieKey
    from payloads import AvroSchema, Ordering, PayloadRef, Record
    from payloads.ordering_fields import Reader


class PayloadWriter(Payloads):
    """What a writer calls: dedup, insert, copy-on-write merge, log entries."""

    def __init__(
        self, payload: PayloadRef, plan: MergePlan, schema: AvroSchema, shape: RowShape, listener: Listener | None
    ) -> None:
        """Bind the writer's calls.

        Raises:
            PlanError: the ordering field is not in the schema.
            PayloadNotFoundError: the release has no such payload.
            PayloadConstructorError: no writer can build it.
        """
        super().__init__(payload, plan, schema, shape, listener)
        check_constructor(self.payload_class)
        self._at_dedup, self._at_insert = self._at[MergePoint.COMBINE_INPUT], self._at[MergePoint.INSERT]
        self._at_upsert = self._at[MergePoint.UPSERT]
        # A row of a log is tested for a delete once until 0.15, and again with its insert in 1.0.
        self._asks_twice = capabilities(plan.release).file_group_reader
        self._written_class = self.payload_class.for_schema(schema)
        self._empty = resolve_payload(EmptyHoodieRecordPayload.java_name, plan.release)
        self._is_consistent = is_true(plan.props.get(CONSISTENT_TIMESTAMP))
        self._read_ordering = self._ordering_reader(plan)

    def incoming(
        self, key: HoodieKey, record: Record | None, source: object, ordering: Ordering | None = None
    ) -> PayloadVersion:
        """Build the payload of an incoming row; `ordering` overrides what the ordering field says."""
        try:
            if ordering is None:
                ordering = NATURAL_ORDER if record is None else self._read_ordering(record)
            # Hudi passes a null ordering value to the constructor, which rejects it.
            return PayloadVersion(key, self._written_class(record, ordering), source)  # type: ignore[arg-type]
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error

    def delete(self, key: HoodieKey, source: object) -> PayloadVersion:
        """Make the version of a key that is deleted without a row: its payload is not the table's."""
        return PayloadVersion(key, self._empty(None), source)

    def combine_input(self, older: PayloadVersion, newer: PayloadVersion) -> PayloadVersion:
        """Combine two versions of one batch, in their order of arrival."""
        return self._fold(self._at_dedup, older, newer)

    @staticmethod
    def fold_uncombined(older: PayloadVersion, newer: PayloadVersion) -> PayloadVersion:  # noqa: ARG004 (as the writers from 1.1 on have it)
        """Return which of two versions of an uncombined batch is merged with the stored row: the map keeps the last."""
        return newer

    def shuffled(self, version: PayloadVersion) -> PayloadVersion:
        """Return a version as the shuffle between the batch and the table hands it on.

        Source: in every release from 0.15.0 to 1.0.2 the records are partitioned anew between the two, with any index,
        and Kryo writes their payloads: transient fields of a compiled class are null from here on.

        Raises:
            MergePointError: Kryo can't write the payload, or read it.
        """
        payload = version.payload
        if not isinstance(payload, ShuffledPayload):
            return version
        try:
            return PayloadVersion(version.key, payload.shuffled(), version.source)  # type: ignore[arg-type]  # has one
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error

    def is_deleted(self, version: PayloadVersion) -> bool:
        """Whether the writer routes this version as a delete."""
        return version.payload.is_deleted(self.schema, self._at_insert.props)

    def insert(self, version: PayloadVersion, *, is_combined: bool = True) -> Outcome[StoredRow]:  # noqa: ARG002 (as from 1.1 on)
        """Store a version of a key that has no row: INSERT, or SKIP for a delete and a version to ignore."""
        return self._insert(self._at_insert, version)

    def upsert(self, base: StoredRow, version: PayloadVersion) -> Outcome[StoredRow]:
        """Merge with the stored row: KEEP, UPDATE or DELETE."""
        return self._apply(self._at_upsert, base, version)

    def log_entry(self, version: PayloadVersion) -> LogRow | LogDelete | None:
        """Return what the writer appends to the log of a stored key; None for a version to ignore."""
        try:
            ordering = version.payload.get_ordering_value()
            entry = LogDelete(read_back(ordering, self.release)) if self.is_deleted(version) else None
        except Exception as error:
            raise MergePointError(MergePoint.INSERT, error) from error
        if entry is None:
            row = self._insert(self._at_insert, version, is_tested=not self._asks_twice).version
            return None if row is None else LogRow(row.record or {}, row.source)
        if self._listener is not None:
            outcome = Outcome(INSERT, entry)
            self._listener.merged(MergePoint.INSERT, Rule.DELETE_TEST, None, version, outcome)
        return entry

    def batch_rule(self) -> BatchRule | None:
        """Return the rule of a built-in class; None without its tests for deletes, or if timestamps are converted."""
        tests = None if self._is_consistent else deletes_of(self._rule(Point.ALONE, self._at_insert), self.schema)
        carried = carried_in_batch(self.ordering, self.schema, self._read_ordering)
        if tests is None or carried is None:
            return None
        return batch_rule(self._rule(Point.BATCH, self._at_dedup), tests, carried)

    def user_batch(self) -> UserBatch | None:
        """Return the calls of a user's class; None for one that gives ordering values itself."""
        written = self._written_class
        if not issubclass(written, PayloadAdapter) or written.gives_ordering():
            return None
        calls = written.user_calls(self.schema, self._at_insert.props)
        if calls is None:
            return None
        batch = PayloadBatch(calls, self._read_ordering, self._at_insert, self._shape, self.release, self._refused)
        is_alike = self._at_dedup[1:] == (*self._at_insert[1:3], self.schema)  # until 0.12 less is passed to it
        combine = batch.combine if is_alike else None
        return UserBatch(batch.survivor, combine, batch.entry, MergePoint.INSERT, Carried(None, NATURAL_ORDER))

    def stated_rules(self) -> StatedRules | None:
        """Return the rules that a user's class states for a batch and for stored rows."""
        dedup, upsert = self._at_dedup, self._at_upsert
        folded = StatedAt(Point.BATCH, dedup.passed or self.schema, dedup.props)
        return rules_of_payload(self.payload_class, folded, StatedAt(Point.STORED, upsert.schema, upsert.props))

    def single_rows(self) -> SingleRows:
        """Return the calls of a copy-on-write merge for keys with one row of the batch."""
        written = self._written_class
        if issubclass(written, ShuffledPayload):
            written = written.as_shuffled()
        return self._single_rows(written, self._read_ordering, MergePoint.COMBINE_INPUT, self._at_upsert)

    def _ordering_reader(self, plan: MergePlan) -> Reader:
        """The writer's reader (strict; logical types converted); arrival order without an ordering field.

        A batch that is not combined gets payloads without ordering values (HoodieCreateRecordUtils).
        """
        if self.ordering is None or not plan.combine_before_upsert:
            return lambda _record: NATURAL_ORDER
        if self.ordering.split(".")[0] not in self.schema.by_name:
            msg = (
                f"the ordering field {self.ordering!r} of {plan.payload_name} is not in the data, which has "
                f"{', '.join(self.schema.by_name)}; name another, or none for arrival order"
            )
            raise PlanError(msg)
        return field_reader(self.schema, self.ordering, consistent=self._is_consistent, strict=True)
