"""The calls of one release at its merge points, for one record at a time; plain Python, no Spark.

A `RecordMerge` is compiled once from a plan and a schema. The states of a key (stored row, folded log, incoming
version) are carriers that remember which Arrow row holds them, so that a row that wins is never encoded again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.delete_block import read_back
from bridge.errors import PlanError
from bridge.merge_point import MergePoint, SchemaView, calls_of, props_of
from bridge.schema import META_COLUMNS, with_meta
from mergers import AvroRecordMerger, HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieKey
from payloads import NATURAL_ORDER, SENTINEL
from payloads.api import Properties
from payloads.extract import CONSISTENT_TIMESTAMP, field_reader, is_true, raw_converter
from payloads.ordering import same_class

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.plan import MergePlan
    from payloads import AvroSchema, HoodieRecordPayload, Ordering, Record
    from payloads.extract import Reader

    Trace = Callable[[MergePoint, Any, Any, Any], None]

_NO_META = dict.fromkeys(META_COLUMNS)


class Version(HoodieAvroRecord):
    """An incoming version, or the folded log of a key. `source`: where its record stands, None if nowhere."""

    __slots__ = ("source",)

    def __init__(self, key: HoodieKey, payload: HoodieRecordPayload, source: Any = None) -> None:  # one per row: flat
        self.key = key
        self.operation = None
        self.payload = payload
        self.source = source


class StoredRow(HoodieAvroIndexedRecord):
    """A stored or visible row. `source`: where its record stands, None if nowhere."""

    __slots__ = ("source",)

    def __init__(self, key: HoodieKey | None, record: Record | None, schema: AvroSchema, source: Any = None) -> None:
        self.key = key
        self.record = record
        self.schema = schema
        self.operation = None
        self.ordering_value = NATURAL_ORDER
        self.source = source


class _At(NamedTuple):
    """What a merge point hands to the payload."""

    point: MergePoint
    schema: AvroSchema
    props: Properties


class LogRow(NamedTuple):
    """A row of a data block."""

    record: Record
    source: Any


class LogDelete(NamedTuple):
    """An entry of a delete block."""

    ordering: Ordering


class RecordMerge:
    """Merges versions of one record as a release does at each of its merge points.

    Attributes:
        plan: what merges, and how.
        schema: the write schema, without meta columns.
        key_of: reads the identity of a record.
        payload_class: the class that merges.
        insert_props: what it gets where there is no stored row.
        point: the merge point of the last call, for messages.
        trace: called with (merge point, older, newer, result) after each call, where set.
    """

    def __init__(
        self, plan: MergePlan, schema: AvroSchema, *, has_meta: bool = False, trace: Trace | None = None
    ) -> None:
        """Resolve the payload and decide all that depends on plan and schema alone.

        Args:
            plan: what merges, and how.
            schema: the write schema, without meta columns.
            has_meta: whether stored rows carry the meta columns.
            trace: told of every call.

        Raises:
            PlanError: an ordering field is not in the schema.
            PayloadNotFoundError: the release has no such payload.
        """
        if plan.payload is None:
            msg = "a plan without a payload can't merge records"
            raise PlanError(msg)
        self.plan = plan
        self.schema = schema
        self.trace = trace
        self._shape = self._with_meta if has_meta else self._without_meta
        self.point = MergePoint.COMBINE_INPUT
        ordering = plan.ordering[0] if plan.ordering else None
        calls = calls_of(plan.release)
        self._pre_combine = AvroRecordMerger(plan.payload, plan.release, "pre_combine")
        self._combine = AvroRecordMerger(plan.payload, plan.release, "combine")
        schemas = {SchemaView.WRITE: schema, SchemaView.WITH_META: with_meta(schema)}
        at = {
            point: _At(point, schemas[call.schema], Properties(props_of(call.props, plan.props, ordering)))
            for point, call in calls.items()
        }
        self._at_combine_input, self._at_upsert = at[MergePoint.COMBINE_INPUT], at[MergePoint.UPSERT]
        self._at_insert, self._at_log_fold = at[MergePoint.INSERT], at[MergePoint.LOG_FOLD]
        self._at_compact, self._at_snapshot = at[MergePoint.COMPACT], at[MergePoint.SNAPSHOT]
        self.key_of = _key_reader(plan)
        self.payload_class = self._combine.payload_class
        self.insert_props = self._at_insert.props
        self._written_class = self._combine.payload_class.for_schema(self._at_combine_input.schema)
        self._logged_class = self._combine.payload_class.for_schema(self._at_log_fold.schema)
        self._read_ordering = _writer_ordering(schema, ordering, plan)
        self._read_log_ordering = _log_ordering(schema, ordering)

    # -- the incoming batch

    def incoming(self, key: HoodieKey, record: Record | None, source: Any, ordering: Ordering | None = None) -> Version:
        """Build the payload of an incoming row; `ordering` overrides what the ordering field says."""
        self.point = MergePoint.COMBINE_INPUT
        if ordering is None and record is not None:
            ordering = self._read_ordering(record)
        elif ordering is None:
            ordering = NATURAL_ORDER
        # Hudi hands a null ordering value to the constructor, which refuses it.
        return Version(key, self._written_class(record, ordering), source)  # type: ignore[arg-type]

    def combine_input(self, older: Version, newer: Version) -> Version:
        """Deduplicate: combine two versions of one batch, in their order of arrival."""
        return self._fold(self._at_combine_input, older, newer)

    def is_deleted(self, version: Version) -> bool:
        """Whether the writer routes this version as a delete."""
        return version.payload.is_deleted(self.schema, self._at_insert.props)

    # -- copy-on-write

    def insert(self, version: Version) -> StoredRow | None:
        """Return the row to store for a key that has none, or None: a delete, or a version to ignore."""
        return self._insert(self._at_insert, version)

    def _insert(self, at: _At, version: Version) -> StoredRow | None:
        self.point, schema, props = at
        point, payload = at.point, version.payload
        # A snapshot query asks no delete test of a key that only the log has (RecordMergingFileIterator).
        is_delete = point is not MergePoint.SNAPSHOT and payload.is_deleted(schema, props)
        value = None if is_delete else payload.get_insert_value(schema, props)
        row = None
        if value is not None and value is not SENTINEL:
            row = self._row(version, payload.record, value, schema)  # type: ignore[arg-type]
        if self.trace:
            self.trace(point, None, version, row)
        return row

    def upsert(self, base: StoredRow, version: Version) -> StoredRow | None:
        """Merge with the stored row: `base` itself where it stays, another row, or None for a delete."""
        return self._apply(self._at_upsert, base, version)

    # -- merge-on-read

    def log_entry(self, version: Version) -> LogRow | LogDelete | None:
        """Return what the writer appends to the log of a stored key; None for a version to ignore."""
        self.point = MergePoint.INSERT
        ordering = version.payload.get_ordering_value()
        if self.is_deleted(version):
            return LogDelete(read_back(ordering))
        row = self.insert(version)
        return None if row is None else LogRow(row.record or {}, row.source)

    def fold_log(self, folded: Version | None, key: HoodieKey, entry: LogRow | LogDelete) -> Version:
        """Fold the next log entry of a key into what the log reader holds for it (HoodieMergedLogRecordScanner)."""
        self.point = MergePoint.LOG_FOLD
        if isinstance(entry, LogDelete):
            return self._fold_delete(folded, key, entry.ordering)
        record = self._with_meta(entry.record)
        payload = self._logged_class(record, self._read_log_ordering(record))  # type: ignore[arg-type]
        newer = Version(key, payload, entry.source)
        return newer if folded is None else self._fold(self._at_log_fold, folded, newer)

    def snapshot(self, base: StoredRow | None, folded: Version | None) -> StoredRow | None:
        """Return the row that a snapshot query sees, or None."""
        return self._read(self._at_snapshot, base, folded)

    def compact(self, base: StoredRow | None, folded: Version | None) -> StoredRow | None:
        """Return the row that compaction writes to the base file, or None."""
        return self._read(self._at_compact, base, folded)

    def _read(self, at: _At, base: StoredRow | None, folded: Version | None) -> StoredRow | None:
        if folded is None:
            return base
        if base is None:
            return self._insert(at, folded)
        stored = StoredRow(base.key, self._with_meta(base.record or {}), at.schema)
        merged = self._apply(at, stored, folded)
        return base if merged is stored else merged

    def _fold_delete(self, folded: Version | None, key: HoodieKey, ordering: Ordering) -> Version:
        kept = None if folded is None else folded.payload.get_ordering_value()
        if (
            folded is not None
            and kept is not None
            and not ordering.is_default
            and same_class(kept, ordering)
            and kept > ordering
        ):
            result = folded
        else:
            result = Version(key, self._logged_class(None, ordering))
        if self.trace:
            self.trace(MergePoint.LOG_FOLD, folded, LogDelete(ordering), result)
        return result

    # -- the two kinds of merge

    def _fold(self, at: _At, older: Version, newer: Version) -> Version:
        self.point = at.point
        merged: Any = self._pre_combine.merge(older, newer, at.schema, at.props)
        if merged is not older and merged is not newer:
            merged = Version(older.key, merged.payload)  # type: ignore[arg-type]
        if self.trace:
            self.trace(at.point, older, newer, merged)
        return merged  # type: ignore[no-any-return]

    def _apply(self, at: _At, base: StoredRow, version: Version) -> StoredRow | None:
        self.point = at.point
        own = version.payload.record  # before the call: some payloads keep what they made of it
        row: Any = self._combine.merge(base, version, at.schema, at.props)
        if row is not None and row is not base:
            row = self._row(version, own, row.record, at.schema)
        if self.trace:
            self.trace(at.point, base, version, row)
        return row  # type: ignore[no-any-return]

    def _row(self, version: Version, own: Record | None, record: Record, schema: AvroSchema) -> StoredRow:
        """Make the row of a merge result: where it is the version's `own` record it stands there, else nowhere yet."""
        if record is own and version.source is not None:
            return StoredRow(version.key, record, schema, version.source)
        return StoredRow(version.key, self._shape(record), schema)

    @staticmethod
    def _with_meta(record: Record) -> Record:
        return record if META_COLUMNS[0] in record else {**_NO_META, **record}

    @staticmethod
    def _without_meta(record: Record) -> Record:
        if META_COLUMNS[0] not in record:
            return record
        return {name: value for name, value in record.items() if name not in _NO_META}


def _key_reader(plan: MergePlan) -> Callable[[Record], HoodieKey]:
    """Return what reads the identity of a record: several key columns as `name:value` pairs (ComplexKeyGenerator)."""
    key, partition = plan.key, plan.partition
    if len(key) == len(partition) == 1:
        key_column, path_column = key[0], partition[0]
        return lambda record: HoodieKey(str(record[key_column]), str(record[path_column]))

    def read(record: Record) -> HoodieKey:
        text = str(record[key[0]]) if len(key) == 1 else ",".join(f"{name}:{record[name]}" for name in key)
        return HoodieKey(text, "/".join(str(record[name]) for name in partition))

    return read


def _writer_ordering(schema: AvroSchema, ordering: str | None, plan: MergePlan) -> Reader:
    """The writer's reader (strict; logical types converted); arrival order without an ordering field."""
    if ordering is None:
        return lambda _record: NATURAL_ORDER
    if ordering.split(".")[0] not in schema.by_name:
        msg = (
            f"the ordering field {ordering!r} of {plan.payload_name} is not in the data, which has "
            f"{', '.join(schema.by_name)}; name another with --ordering, or none for arrival order"
        )
        raise PlanError(msg)
    return field_reader(schema, ordering, consistent=is_true(plan.props.get(CONSISTENT_TIMESTAMP)), strict=True)


def _log_ordering(schema: AvroSchema, ordering: str | None) -> Reader:
    """The log reader's way until 1.0: a top-level field as it is stored; Integer 0 where there is no such field."""
    field = schema.by_name.get(ordering) if ordering is not None else None
    if field is None:
        return lambda _record: NATURAL_ORDER
    convert = raw_converter(field.schema)

    def read(record: Record) -> Ordering | None:
        value = record[field.name]
        return None if value is None else convert(value)

    return read
