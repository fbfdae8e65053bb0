"""Merging with payload objects: writers until 1.0, and the log scanner of 0.15.

Source: HoodieWriteHelper, HoodieMergeHandle, HoodieAppendHandle, HoodieMergedLogRecordScanner and
RecordMergingFileIterator of 0.15.0; the writers of 1.0.2 do the same.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.carriers import LogDelete, LogRow, StoredRow, Version, with_meta_columns
from bridge.delete_block import read_back
from bridge.errors import PlanError
from bridge.merge_point import LOG_SCANNER, MergePoint, SchemaView, calls_of, props_of
from bridge.schema import with_meta
from mergers import AvroRecordMerger
from payloads import NATURAL_ORDER, SENTINEL, PayloadConstructorError
from payloads.adapter import PairCalls, PayloadAdapter
from payloads.api import Properties
from payloads.builtin.base import BuiltinPayload
from payloads.extract import CONSISTENT_TIMESTAMP, field_reader, is_true, raw_converter
from payloads.ordering import same_class

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bridge.carriers import Progress, RowShape
    from bridge.merge_point import Call
    from bridge.plan import MergePlan
    from mergers import HoodieKey
    from payloads import AvroSchema, HoodieRecordPayload, Ordering, PayloadRef, Record
    from payloads.api import Sentinel
    from payloads.builtin.base import DeleteTest, PairRule
    from payloads.extract import Reader


def check_constructor(payload: type[HoodieRecordPayload]) -> None:
    """Refuse a class of Hudi that no writer can build (HoodieRecordUtils.loadPayload).

    Raises:
        PayloadConstructorError: saying so.
    """
    if issubclass(payload, BuiltinPayload) and not payload.takes_ordering:
        msg = (
            f"{payload.__name__} has no constructor (record, ordering value), so no writer of Hudi can build it for a "
            "table; name another payload with --payload"
        )
        raise PayloadConstructorError(msg)


class _At(NamedTuple):
    """What a merge point hands to the payload."""

    point: MergePoint
    schema: AvroSchema
    props: Properties


class Payloads:
    """The calls of one payload class in one release."""

    def __init__(  # noqa: PLR0913, PLR0917 (what every side of a release is made from, and its calls)
        self,
        payload: PayloadRef,
        plan: MergePlan,
        schema: AvroSchema,
        shape: RowShape,
        progress: Progress,
        calls: Mapping[MergePoint, Call] | None = None,
    ) -> None:
        """Resolve the class and decide all that depends on plan and schema alone; `calls` replace the release's."""
        self.schema = schema
        self.release = plan.release
        self.ordering = plan.ordering[0] if plan.ordering else None
        self._shape = shape
        self._progress = progress
        self._pre_combine = AvroRecordMerger(payload, plan.release, "pre_combine")
        self._combine = AvroRecordMerger(payload, plan.release, "combine")
        self.payload_class = self._combine.payload_class
        schemas = {SchemaView.WRITE: schema, SchemaView.WITH_META: with_meta(schema)}
        self._at = {
            point: _At(point, schemas[call.schema], Properties(props_of(call.props, plan.props, self.ordering)))
            for point, call in (calls or calls_of(plan.release)).items()
        }

    def _fold(self, at: _At, older: Version, newer: Version) -> Version:
        self._progress.point = at.point
        merged: Any = self._pre_combine.merge(older, newer, at.schema, at.props)
        if merged is not older and merged is not newer:
            merged = Version(newer.key, merged.payload)  # type: ignore[arg-type]
        if self._progress.trace:
            self._progress.trace(at.point, older, newer, merged)
        return merged  # type: ignore[no-any-return]

    def _apply(self, at: _At, base: StoredRow, version: Version) -> StoredRow | None:
        self._progress.point = at.point
        own = version.payload.record  # before the call: some payloads keep what they made of it
        row: Any = self._combine.merge(base, version, at.schema, at.props)
        if row is not None and row is not base:
            row = self._row(version, own, row.record, at.schema)
        if self._progress.trace:
            self._progress.trace(at.point, base, version, row)
        return row  # type: ignore[no-any-return]

    def _insert(self, at: _At, version: Version) -> StoredRow | None:
        self._progress.point, schema, props = at
        payload = version.payload
        # A snapshot query asks no delete test of a key that only the log has (RecordMergingFileIterator).
        is_delete = at.point is not MergePoint.SNAPSHOT and payload.is_deleted(schema, props)
        own = payload.record
        value: Any = None if is_delete else payload.get_insert_value(schema, props)
        row = None if value is None or value is SENTINEL else self._row(version, own, value, schema)
        if self._progress.trace:
            self._progress.trace(at.point, None, version, row)
        return row

    def _row(self, version: Version, own: Record | None, record: Record, schema: AvroSchema) -> StoredRow:
        """Make the row of a merge result: where it is the version's `own` record it stands there, else nowhere yet."""
        if record is own and version.source is not None:
            return StoredRow(version.key, record, schema, version.source)
        return StoredRow(version.key, self._shape.stored(record), schema)


class PayloadWriter(Payloads):
    """What a writer calls: dedup, insert, copy-on-write merge, log entries."""

    def __init__(
        self, payload: PayloadRef, plan: MergePlan, schema: AvroSchema, shape: RowShape, progress: Progress
    ) -> None:
        """Bind the writer's calls.

        Raises:
            PlanError: the ordering field is not in the schema.
            PayloadNotFoundError: the release has no such payload.
            PayloadConstructorError: no writer can build it.
        """
        super().__init__(payload, plan, schema, shape, progress)
        check_constructor(self.payload_class)
        self._at_dedup, self._at_insert = self._at[MergePoint.COMBINE_INPUT], self._at[MergePoint.INSERT]
        self._at_upsert = self._at[MergePoint.UPSERT]
        self._written_class = self.payload_class.for_schema(schema)
        self._read_ordering = self._ordering_reader(plan)
        self.upsert_pair = self._pair_merge()
        self.insert_single = self._single_insert()

    def incoming(self, key: HoodieKey, record: Record | None, source: Any, ordering: Ordering | None = None) -> Version:
        """Build the payload of an incoming row; `ordering` overrides what the ordering field says."""
        self._progress.point = MergePoint.COMBINE_INPUT
        if ordering is None:
            ordering = NATURAL_ORDER if record is None else self._read_ordering(record)
        # Hudi hands a null ordering value to the constructor, which refuses it.
        return Version(key, self._written_class(record, ordering), source)  # type: ignore[arg-type]

    def combine_input(self, older: Version, newer: Version) -> Version:
        """Combine two versions of one batch, in their order of arrival."""
        return self._fold(self._at_dedup, older, newer)

    @staticmethod
    def meet(older: Version, newer: Version) -> Version:  # noqa: ARG004 (as the writers from 1.1 on have it)
        """Return what a stored row meets of two versions of a batch that was not combined: the map keeps the last."""
        return newer

    def is_deleted(self, version: Version) -> bool:
        """Whether the writer routes this version as a delete."""
        return version.payload.is_deleted(self.schema, self._at_insert.props)

    def insert(self, version: Version) -> StoredRow | None:
        """Return the row to store for a key that has none, or None: a delete, or a version to ignore."""
        return self._insert(self._at_insert, version)

    def upsert(self, base: StoredRow, version: Version) -> StoredRow | None:
        """Merge with the stored row: `base` itself where it stays, another row, or None for a delete."""
        return self._apply(self._at_upsert, base, version)

    def _pair_merge(self) -> Callable[[Record, Record], Record | None]:
        """Return what does `incoming` and `upsert` where one row of a batch meets the stored one.

        Most merges of a write are of this kind. Nobody looks at their carriers, and making them would take longer than
        the payload does. It gives the stored record itself where it stays, the incoming one itself where it is stored
        as it came, else a new record as it is stored, and None for a delete.
        """
        progress, read_ordering, shaped = self._progress, self._read_ordering, self._shape.stored
        point, schema, props = self._at_upsert
        build, combine = self._pair_calls(schema, props)

        def merge(stored: Record, incoming: Record) -> Record | None:
            progress.point = MergePoint.COMBINE_INPUT
            built = build(incoming, read_ordering(incoming))
            progress.point = point
            merged: Any = combine(built, incoming, stored)
            if merged is None or merged is stored or merged is incoming:
                return merged
            return stored if merged is SENTINEL else shaped(merged)

        return merge

    def _single_insert(self) -> Callable[[Record], Record | None]:
        """Return what does `incoming` and `insert` for a row without other versions; it answers as `_pair_merge`."""
        progress, read_ordering, shaped = self._progress, self._read_ordering, self._shape.stored
        point, schema, props = self._at_insert
        written_class: Any = self._written_class

        def insert(incoming: Record) -> Record | None:
            progress.point = MergePoint.COMBINE_INPUT
            payload = written_class(incoming, read_ordering(incoming))
            progress.point = point
            value: Any = None if payload.is_deleted(schema, props) else payload.get_insert_value(schema, props)
            if value is None or value is SENTINEL:
                return None
            return incoming if value is incoming else shaped(value)

        return insert

    def _pair_calls(self, schema: AvroSchema, props: Properties) -> PairCalls:
        """Return the calls of the class for many pairs; those of a built-in make its payload."""
        written_class: Any = self._written_class
        calls = written_class.pair_calls(schema, props) if issubclass(written_class, PayloadAdapter) else None

        def merge(payload: Any, _incoming: Record, stored: Record) -> Record | Sentinel | None:
            merged: Record | Sentinel | None = payload.combine_and_get_update_value(stored, schema, props)
            return merged

        return calls or PairCalls(written_class, merge)

    def log_entry(self, version: Version) -> LogRow | LogDelete | None:
        """Return what the writer appends to the log of a stored key; None for a version to ignore."""
        self._progress.point = MergePoint.INSERT
        ordering = version.payload.get_ordering_value()
        if self.is_deleted(version):
            return LogDelete(read_back(ordering, self.release))
        row = self.insert(version)
        return None if row is None else LogRow(row.record or {}, row.source)

    def insert_tests(self) -> tuple[DeleteTest, ...] | None:
        """Return the column tests for rows that go in as they are; None where each record has to be asked."""
        if not issubclass(self.payload_class, BuiltinPayload):
            return None
        return self.payload_class.insert_tests(self.schema, self._at_insert.props)

    def pair_rule(self) -> PairRule | None:
        """Return the rule by which the class chooses one of two rows; None where each pair has to be asked."""
        if not issubclass(self.payload_class, BuiltinPayload):
            return None
        return self.payload_class.pair_rule(self._at_upsert.props)

    def _ordering_reader(self, plan: MergePlan) -> Reader:
        """The writer's reader (strict; logical types converted); arrival order without an ordering field.

        A batch that is not combined gets payloads without ordering values (HoodieCreateRecordUtils).
        """
        if self.ordering is None or not plan.combine_before_upsert:
            return lambda _record: NATURAL_ORDER
        if self.ordering.split(".")[0] not in self.schema.by_name:
            msg = (
                f"the ordering field {self.ordering!r} of {plan.payload_name} is not in the data, which has "
                f"{', '.join(self.schema.by_name)}; name another with --ordering, or none for arrival order"
            )
            raise PlanError(msg)
        consistent = is_true(plan.props.get(CONSISTENT_TIMESTAMP))
        return field_reader(self.schema, self.ordering, consistent=consistent, strict=True)


class LogScanner(Payloads):
    """What readers of 0.15 call, and the index of 1.0: log entries are pre-combined, then meet the stored row."""

    def __init__(
        self, payload: PayloadRef, plan: MergePlan, schema: AvroSchema, shape: RowShape, progress: Progress
    ) -> None:
        """Bind the reader's calls."""
        super().__init__(payload, plan, schema, shape, progress, LOG_SCANNER)
        self._at_log_fold = self._at[MergePoint.LOG_FOLD]
        self._logged_class = self.payload_class.for_schema(self._at_log_fold.schema)
        self.ordering_of = self._ordering_reader()

    def fold_log(self, folded: Version | None, key: HoodieKey, entry: LogRow | LogDelete) -> Version:
        """Fold the next log entry of a key into what the scanner holds for it."""
        self._progress.point = MergePoint.LOG_FOLD
        if isinstance(entry, LogDelete):
            return self._fold_delete(folded, key, entry)
        record = with_meta_columns(entry.record)
        payload = self._logged_class(record, self.ordering_of(record))  # type: ignore[arg-type]
        newer = Version(key, payload, entry.source)
        return newer if folded is None else self._fold(self._at_log_fold, folded, newer)

    def read(self, point: MergePoint, base: StoredRow | None, folded: Version | None) -> StoredRow | None:
        """Return the row that a query sees or compaction writes, `base` itself where it stays; None for no row."""
        if folded is None:
            return base
        at = self._at[point]
        # Every read builds its payloads anew: what a payload remembers of this one must not last.
        version = Version(folded.key, copy.deepcopy(folded.payload), folded.source)  # type: ignore[arg-type]
        if base is None:
            return self._insert(at, version)
        stored = StoredRow(base.key, with_meta_columns(base.record), at.schema)
        merged = self._apply(at, stored, version)
        return base if merged is stored else merged

    def _fold_delete(self, folded: Version | None, key: HoodieKey, entry: LogDelete) -> Version:
        """Keep the buffered version iff the entry has an ordering value of the same class that is smaller."""
        ordering = entry.ordering or NATURAL_ORDER
        kept = None if folded is None else folded.payload.get_ordering_value()
        result = folded
        if kept is None or ordering.is_default or not same_class(kept, ordering) or not kept > ordering:
            result = Version(key, self._logged_class(None, ordering))
        if self._progress.trace:
            self._progress.trace(MergePoint.LOG_FOLD, folded, entry, result)
        return result  # type: ignore[return-value]  # without a buffered version it is the delete

    def _ordering_reader(self) -> Reader:
        """The log's way until 0.15: a top-level field as it is stored; Integer 0 where there is no such field."""
        field = self.schema.by_name.get(self.ordering) if self.ordering is not None else None
        if field is None:
            return lambda _record: NATURAL_ORDER
        convert = raw_converter(field.schema)

        def read(record: Record) -> Ordering | None:
            value = record[field.name]
            return None if value is None else convert(value)

        return read
