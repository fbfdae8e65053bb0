"""MergerAlgebra: the operations of a merger object."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from mergers.avro import AvroRecordMerger
from mergers.laws.algebra import through_bytes
from mergers.laws.constants import constants_of, words_of
from mergers.laws.equality import Observed
from mergers.laws.payload_algebra import copied_payload, payload_key
from mergers.record import DELETE, HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieEmptyRecord, HoodieKey, HoodieRecord
from payloads.ordering import NATURAL_ORDER, Ordering, compare
from payloads.ordering_fields import ordering_reader
from payloads.user import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from mergers.laws.algebra import OpaqueVersion
    from mergers.laws.core import Version
    from payloads.api import Props
    from payloads.avro import AvroSchema, Record
    from payloads.release import HudiRelease


class _Nothing:
    """What remains of a version whose merge returned None: a delete without ordering value."""

    record = None
    ordering_value = NATURAL_ORDER


_NOTHING = _Nothing()
KEY = HoodieKey("key", "partition")


class MergerAlgebra:
    """A merger: `merge` both of incoming records and with the stored row.

    Incoming versions are plain data that carries its ordering value, and for an AvroRecordMerger payloads. A delete
    has the operation `D`; one without data is a HoodieEmptyRecord. A merge that returns None leaves a delete
    without an ordering value: whatever follows it stays as it is.
    """

    def __init__(self, merger: Any, schema: AvroSchema, props: Props, release: HudiRelease) -> None:
        self.merger = merger
        target = getattr(merger, "target", merger)
        self.name = type(target).__name__
        self.schema = schema
        self.props = props
        self.payload_class: Any = merger.payload_class if isinstance(merger, AvroRecordMerger) else None
        self._release = release
        read = ordering_reader(schema, props, release)
        self._read: Callable[[Record], Ordering | None] = (lambda _record: NATURAL_ORDER) if read is None else read

    @functools.cached_property
    def constants(self) -> tuple[object, ...]:
        """What the code of a user's merger, or of the payload behind it, may compare against."""
        return constants_of(*self._code)

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """The words in the code of a user's merger, or of the payload behind it, among them columns that it names."""
        return words_of(*self._code)

    @property
    def _code(self) -> tuple[object, ...]:
        return getattr(self.merger, "target", self.merger), getattr(self.payload_class, "user_class", None)

    def incoming(self, version: Version) -> HoodieRecord:
        """Build the carrier of a version, from a copy of the record."""
        record = None if version.record is None else copied(version.record)
        return self._carrier(record, version.ordering, DELETE if version.is_delete else None)

    def _carrier(self, record: Record | None, ordering: Ordering | None, operation: str | None) -> HoodieRecord:
        if self.payload_class is not None:
            return HoodieAvroRecord(KEY, self.payload_class(record, ordering), operation)
        if record is None:
            return HoodieEmptyRecord(KEY, operation, ordering)
        return HoodieAvroIndexedRecord(KEY, record, self.schema, operation, ordering)

    def merge(self, older: OpaqueVersion, newer: OpaqueVersion) -> OpaqueVersion:
        """Return the merged carrier; whatever is merged with such a delete stays as it is."""
        if older is _NOTHING or newer is _NOTHING:
            return newer
        result: Any = self.merger.merge(older, newer, self.schema, self.props)
        if result is None:
            return _NOTHING
        if result is older or result is newer:
            return result
        # A merged record is read anew, as a buffered record is: its columns say its ordering value.
        record = result.record
        ordering = getattr(result, "ordering_value", NATURAL_ORDER) if record is None else self.row_ordering(record)
        return self._carrier(record, ordering, result.operation)

    def row_ordering(self, record: Record) -> Ordering:
        """Return the ordering value that the columns of a record say: Integer 0 for none."""
        value = self._read(record)
        return NATURAL_ORDER if value is None else value

    def act(self, row: Record | None, newer: OpaqueVersion) -> Record | None:
        """Merge with the stored row; without one, insert anything but a delete."""
        if newer is _NOTHING:
            return None
        merged = newer
        if row is not None:
            stored = HoodieAvroIndexedRecord(KEY, row, self.schema, None, self.row_ordering(row))
            merged = self.merger.merge(stored, newer, self.schema, self.props)
            if merged is stored:
                return stored.record  # type: ignore[no-any-return]  # SENTINEL is not a stored row
        if merged is None or self._is_delete(merged):
            return None
        record: Record | None = merged.record
        return record

    def _is_delete(self, carrier: OpaqueVersion) -> bool:
        return bool(carrier.marked_delete or carrier.record is None)

    def answer(self, version: OpaqueVersion) -> Observed:
        """Return data, ordering value and delete mark of a carrier."""
        is_delete = version is _NOTHING or self._is_delete(version)
        return Observed(version.record, version.ordering_value, is_delete)

    def copy(self, version: OpaqueVersion) -> OpaqueVersion:
        """Copy a carrier and its data."""
        if version is _NOTHING:
            return version
        if isinstance(version, HoodieAvroRecord):
            return HoodieAvroRecord(version.key, copied_payload(version.payload), version.operation)
        record = None if version.record is None else copied(version.record)
        return self._carrier(record, version.ordering_value, version.operation)

    def key(self, version: OpaqueVersion) -> Hashable:
        """Return the whole state of a carrier as text."""
        if version is _NOTHING:
            return version
        if isinstance(version, HoodieAvroRecord):
            state = payload_key(version.payload)
            return None if state is None else (version.operation, state)
        return version.operation, repr(version.record), repr(version.ordering_value)

    def restored(self, version: OpaqueVersion) -> object:
        """Rebuild the carrier from the Avro bytes of its data."""
        if version is _NOTHING:
            return version
        return self._carrier(through_bytes(version.record, self.schema), version.ordering_value, version.operation)

    def order(self, left: Ordering, right: Ordering) -> int:
        """Compare as Java does."""
        return compare(left, right)

    def __reduce__(self) -> tuple[object, ...]:
        return MergerAlgebra, (self.merger, self.schema, dict(self.props), self._release)
