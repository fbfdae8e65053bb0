"""The operations that the laws speak about, of whatever is judged: a payload class, a merger, or any object like them.

`Algebra` is all that a check needs, so that a class compiled for another engine is judged by giving it one.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol

from mergers.avro import AvroRecordMerger
from mergers.laws.equality import Answer
from mergers.record import HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieEmptyRecord, HoodieKey, HoodieRecord
from mergers.record.base import DELETE
from payloads.adapter import PayloadAdapter
from payloads.api import SENTINEL
from payloads.avro import decode, encode
from payloads.builtin import (
    HoodieJsonPayload,
    MySqlDebeziumAvroPayload,
    ReverseOrderHoodieRecordPayload,
    RewriteAvroPayload,
)
from payloads.builtin.base import BuiltinPayload
from payloads.extract import ordering_reader
from payloads.compat import adapt
from payloads.errors import OrderingTypeError
from payloads.ordering import NATURAL_ORDER, Ordering, compare
from payloads.records import copied, lend, same_record
from payloads.text import ordering_text

if TYPE_CHECKING:
    from mergers.api import HoodieRecordMerger
    from mergers.laws.core import Version
    from payloads.api import HoodieRecordPayload, Props
    from payloads.release import HudiRelease
    from payloads.schema import AvroSchema, Record


class Algebra(Protocol):
    """What is judged. Incoming versions are opaque; a stored row is a record, None where there is none.

    Attributes:
        name: what a report calls it.
        schema: the schema of all records.
    """

    name: str
    schema: AvroSchema

    def incoming(self, version: Version) -> Any:
        """Build an incoming version."""

    def merge(self, older: Any, newer: Any) -> Any:
        """Merge two incoming versions; it may change them."""

    def act(self, row: Record | None, newer: Any) -> Record | None:
        """Apply an incoming version to the stored row, or insert it; None deletes. It may change both."""

    def answer(self, version: Any) -> Answer:
        """Return what can be seen of an incoming or merged version."""

    def copy(self, version: Any) -> Any:
        """Return a copy that shares nothing that can be changed."""

    def key(self, version: Any) -> Hashable:
        """Return what is equal for versions in one state, or None where that can't be told."""

    def restored(self, version: Any) -> Any:
        """Return a version as a log gives it back: what record and ordering value say, nothing else."""

    def order(self, left: Ordering, right: Ordering) -> int:
        """Compare two ordering values: positive where `left` is the later version."""


class PayloadAlgebra:
    """A payload class: `pre_combine` merges, `combine_and_get_update_value` and `get_insert_value` act."""

    def __init__(self, payload_class: type[HoodieRecordPayload], schema: AvroSchema, props: Props) -> None:
        self.name = payload_class.__name__
        self.schema = schema
        self.props = props
        self.payload_class: Any = payload_class.for_schema(schema)

    def incoming(self, version: Version) -> HoodieRecordPayload:
        """Build the payload from a copy of the record, with the constructor that its class has."""
        record = None if version.record is None else copied(version.record)
        return self._built(record, version.ordering)

    def _built(self, record: Record | None, ordering: Ordering | None) -> HoodieRecordPayload:
        if issubclass(self.payload_class, HoodieJsonPayload):
            built: HoodieRecordPayload = self.payload_class(_json_text(record, self.schema))
        elif issubclass(self.payload_class, RewriteAvroPayload):
            built = self.payload_class(record)
        else:
            built = self.payload_class(record, ordering)
        return built

    def merge(self, older: Any, newer: Any) -> Any:
        """Return `newer.pre_combine(older)`."""
        return newer.pre_combine(older, self.schema, self.props)

    def act(self, row: Record | None, newer: Any) -> Record | None:
        """Return what is stored after the payload met the row: SENTINEL leaves it, None deletes it."""
        if row is None:
            result = newer.get_insert_value(self.schema, self.props)
        else:
            result = newer.combine_and_get_update_value(row, self.schema, self.props)
            # Payloads of users work on a copy of the row; what they do to it would stay unseen.
            if isinstance(newer, PayloadAdapter):
                self._mark_changed(row, newer)
        stored: Record | None = row if result is SENTINEL else result
        return stored

    def _mark_changed(self, row: Record, newer: PayloadAdapter) -> None:
        loan = lend(row, self.schema if newer.logical_types else None)
        call = newer.calls["combine_and_get_update_value"]
        call(copy.deepcopy(newer).opened(self.schema), loan.given, self.schema, self.props)
        if not same_record(loan.given, loan.untouched):
            row |= loan.given

    def answer(self, version: Any) -> Answer:
        """Return data, ordering value and delete mark; a user's class shows its data as its insert value."""
        is_delete = bool(version.is_deleted(self.schema, self.props))
        if isinstance(version, BuiltinPayload) and not isinstance(version, HoodieJsonPayload):
            record = version.record
        else:
            record = None if is_delete else version.get_indexed_record(self.schema, self.props)
        return Answer(record, version.get_ordering_value(), is_delete)

    def copy(self, version: Any) -> Any:
        """Copy the payload with all that it knows."""
        if not isinstance(version, BuiltinPayload):
            return copy.deepcopy(version)
        twin = copy.copy(version)
        twin.record = None if version.record is None else copied(version.record)
        return twin

    def key(self, version: Any) -> Hashable:
        """Return the state of a built-in class as text, that of any other class pickled, if it can be."""
        if isinstance(version, BuiltinPayload):
            return type(version).__name__, repr(version.__getstate__())
        try:
            return pickle.dumps(version)
        except Exception:  # noqa: BLE001 (whatever a user's object raises, it can't be told apart)
            return None

    def restored(self, version: Any) -> Any:
        """Rebuild the payload from its Avro bytes and its ordering value."""
        if isinstance(version, HoodieJsonPayload):
            return copy.copy(version)
        record = version.record
        if isinstance(version, PayloadAdapter):
            record = version.get_indexed_record(self.schema, self.props)
        return self._built(_through_bytes(record, self.schema), version.get_ordering_value())


    def order(self, left: Ordering, right: Ordering) -> int:
        """Compare as the class means it: MySQL's positions as numbers, and the other way round for reverse order.

        Until 1.0 the MySQL class itself compares positions as text within a batch; the database does not.
        """
        if issubclass(self.payload_class, MySqlDebeziumAvroPayload):
            return _position(left) - _position(right)
        order = compare(left, right)
        return -order if issubclass(self.payload_class, ReverseOrderHoodieRecordPayload) else order

    def __reduce__(self) -> tuple[Any, ...]:
        # A bound class has no importable name.
        bound = self.payload_class
        named = bound.user_class if issubclass(bound, PayloadAdapter) else bound.unbound or bound
        return _payload_algebra, (named, bound.release, self.schema, dict(self.props))


def _payload_algebra(named: type, release: HudiRelease, schema: AvroSchema, props: Props) -> PayloadAlgebra:
    return PayloadAlgebra(adapt(named, release), schema, props)


def _position(ordering: Ordering) -> int:
    file, _, position = ordering_text(ordering).partition(".")
    try:
        return (int(file) << 64) + int(position)
    except ValueError:
        raise OrderingTypeError.from_types("a binlog position", ordering_text(ordering)) from None


class _Nothing:
    """What is left of a version whose merge returned None: a delete that forgot everything."""

    record = None
    ordering_value = NATURAL_ORDER


_NOTHING = _Nothing()
_KEY = HoodieKey("key", "partition")


class MergerAlgebra:
    """A merger: `merge` both of incoming records and with the stored row.

    Incoming versions are plain data that carries its ordering value, and for an AvroRecordMerger payloads. A delete
    has the operation `D`; one without data is a HoodieEmptyRecord. A merge that returns None leaves a delete that
    forgot its ordering value: whatever follows it stays as it is.
    """

    def __init__(self, merger: HoodieRecordMerger, schema: AvroSchema, props: Props, release: HudiRelease) -> None:
        self.merger = merger
        target = getattr(merger, "target", merger)
        self.name = type(target).__name__
        self.schema = schema
        self.props = props
        self.payload_class: Any = merger.payload_class if isinstance(merger, AvroRecordMerger) else None
        self._release = release
        read = ordering_reader(schema, props, release)
        self._read: Callable[[Record], Ordering | None] = (lambda _record: NATURAL_ORDER) if read is None else read

    def incoming(self, version: Version) -> HoodieRecord:
        """Build the carrier of a version, from a copy of the record."""
        record = None if version.record is None else copied(version.record)
        return self._carrier(record, version.ordering, DELETE if version.is_delete else None)

    def _carrier(self, record: Record | None, ordering: Ordering | None, operation: str | None) -> HoodieRecord:
        if self.payload_class is not None:
            return HoodieAvroRecord(_KEY, self.payload_class(record, ordering), operation)
        if record is None:
            return HoodieEmptyRecord(_KEY, operation, ordering)
        return HoodieAvroIndexedRecord(_KEY, record, self.schema, operation, ordering)

    def merge(self, older: Any, newer: Any) -> Any:
        """Return the merged carrier; what is merged with a forgotten delete stays as it is."""
        if older is _NOTHING or newer is _NOTHING:
            return newer
        result: Any = self.merger.merge(older, newer, self.schema, self.props)
        if result is None:
            return _NOTHING
        if result is older or result is newer:
            return result
        # A merged record is read anew, as a buffered record is: its columns say its ordering value.
        record = result.record
        ordering = getattr(result, "ordering_value", NATURAL_ORDER) if record is None else self._ordering(record)
        return self._carrier(record, ordering, result.operation)

    def _ordering(self, record: Record) -> Ordering:
        value = self._read(record)
        return NATURAL_ORDER if value is None else value

    def act(self, row: Record | None, newer: Any) -> Record | None:
        """Merge with the stored row; where there is none, insert what is no delete."""
        if newer is _NOTHING:
            return None
        merged = newer
        if row is not None:
            stored = HoodieAvroIndexedRecord(_KEY, row, self.schema, None, self._ordering(row))
            merged = self.merger.merge(stored, newer, self.schema, self.props)
            if merged is stored:
                return stored.record  # type: ignore[no-any-return]  # SENTINEL is no stored row
        if merged is None or self._is_delete(merged):
            return None
        record: Record | None = merged.record
        return record

    def _is_delete(self, carrier: Any) -> bool:
        return bool(carrier.marked_delete or carrier.record is None)

    def answer(self, version: Any) -> Answer:
        """Return data, ordering value and delete mark of a carrier."""
        is_delete = version is _NOTHING or self._is_delete(version)
        return Answer(version.record, version.ordering_value, is_delete)

    def copy(self, version: Any) -> Any:
        """Copy a carrier and its data."""
        if version is _NOTHING:
            return version
        if isinstance(version, HoodieAvroRecord):
            return HoodieAvroRecord(version.key, copy.deepcopy(version.payload), version.operation)
        record = None if version.record is None else copied(version.record)
        return self._carrier(record, version.ordering_value, version.operation)

    def key(self, version: Any) -> Hashable:
        """Return the whole state of a carrier as text."""
        if version is _NOTHING:
            return version
        if isinstance(version, HoodieAvroRecord):
            return None
        return version.operation, repr(version.record), repr(version.ordering_value)

    def restored(self, version: Any) -> Any:
        """Rebuild the carrier from the Avro bytes of its data."""
        if version is _NOTHING:
            return version
        return self._carrier(_through_bytes(version.record, self.schema), version.ordering_value, version.operation)

    def order(self, left: Ordering, right: Ordering) -> int:
        """Compare as Java does."""
        return compare(left, right)

    def __reduce__(self) -> tuple[Any, ...]:
        return MergerAlgebra, (self.merger, self.schema, dict(self.props), self._release)


def _through_bytes(record: Record | None, schema: AvroSchema) -> Record | None:
    if record is None:
        return None
    read: Record = decode(schema, encode(schema, record))
    return read



def _json_text(record: Record | None, schema: AvroSchema) -> str | None:
    if record is None:
        return None
    return json.dumps({field.name: record[field.name] for field in schema.fields})
