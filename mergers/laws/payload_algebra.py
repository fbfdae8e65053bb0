"""PayloadAlgebra: the operations of a payload class, built in or a user's."""

from __future__ import annotations

import copy
import functools
import json
import pickle
from typing import TYPE_CHECKING, Any

from mergers.laws.algebra import through_bytes
from mergers.laws.constants import constants_of, words_of
from mergers.laws.equality import Observed
from payloads.api import SENTINEL
from payloads.avro import to_logical
from payloads.backports import state_of
from payloads.builtin import (
    BuiltinPayload,
    HoodieJsonPayload,
    MySqlDebeziumAvroPayload,
    ReverseOrderHoodieRecordPayload,
    RewriteAvroPayload,
)
from payloads.errors import OrderingTypeError
from payloads.ordering import Ordering, compare, ordering_text
from payloads.user import PayloadAdapter, RulePayload, adapt, copied, same_record

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mergers.laws.algebra import OpaqueVersion
    from mergers.laws.core import Version
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema, Record
    from payloads.release import HudiRelease


class PayloadAlgebra:
    """A payload class: `pre_combine` merges, `combine_and_get_update_value` and `get_insert_value` act."""

    def __init__(self, payload_class: type[HoodieRecordPayload], schema: AvroSchema, props: Props) -> None:
        self.name = payload_class.__name__
        self.schema = schema
        self.props = props
        self.payload_class: Any = payload_class.for_schema(schema)

    @functools.cached_property
    def constants(self) -> tuple[object, ...]:
        """What the code of a user's class may compare against."""
        return constants_of(self.payload_class.user_class) if issubclass(self.payload_class, PayloadAdapter) else ()

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """The words in the code of a user's class, among them the columns that it names."""
        users = issubclass(self.payload_class, PayloadAdapter)
        return words_of(self.payload_class.user_class) if users else frozenset()

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

    def merge(self, older: OpaqueVersion, newer: OpaqueVersion) -> OpaqueVersion:
        """Return `newer.pre_combine(older)`."""
        return newer.pre_combine(older, self.schema, self.props)

    def act(self, row: Record | None, newer: OpaqueVersion) -> Record | None:
        """Return what is stored after merging with the row: SENTINEL leaves it, None deletes it."""
        if row is None:
            result = newer.get_insert_value(self.schema, self.props)
        else:
            result = newer.combine_and_get_update_value(row, self.schema, self.props)
            # Payloads of users work on a copy of the row; what they do to it would stay unseen.
            if isinstance(newer, PayloadAdapter) and not issubclass(newer.target, RulePayload):
                self._mark_changed(row, newer)
        stored: Record | None = row if result is SENTINEL else result
        return stored

    def _mark_changed(self, row: Record, newer: PayloadAdapter) -> None:
        untouched = to_logical(row, self.schema) if newer.logical_types else row
        given = copied(untouched)
        method = newer.calls["combine_and_get_update_value"]
        method.apply(copy.deepcopy(newer).opened(self.schema), given, self.schema, self.props)
        if not same_record(given, untouched):
            row |= given

    def answer(self, version: OpaqueVersion) -> Observed:
        """Return data, ordering value and delete mark; a user's class shows its data as its insert value."""
        is_delete = bool(version.is_deleted(self.schema, self.props))
        if isinstance(version, BuiltinPayload) and not isinstance(version, HoodieJsonPayload):
            record = version.record
        else:
            record = None if is_delete else version.get_indexed_record(self.schema, self.props)
        return Observed(record, version.get_ordering_value(), is_delete)

    def copy(self, version: OpaqueVersion) -> OpaqueVersion:
        """Copy the payload with all that it knows."""
        return copied_payload(version)

    def key(self, version: OpaqueVersion) -> Hashable:
        """Return the state of the payload, as far as it is known."""
        return payload_key(version)

    def restored(self, version: OpaqueVersion) -> object:
        """Rebuild the payload from its Avro bytes and its ordering value."""
        if isinstance(version, HoodieJsonPayload):
            return copy.copy(version)
        record = version.record
        if isinstance(version, PayloadAdapter):
            record = version.get_indexed_record(self.schema, self.props)
        return self._built(through_bytes(record, self.schema), version.get_ordering_value())

    def order(self, left: Ordering, right: Ordering) -> int:
        """Compare as the class means it: MySQL's positions as numbers, and the other way round for reverse order.

        Until 1.0 the MySQL class itself compares positions as text within a batch; the database does not.
        """
        if issubclass(self.payload_class, MySqlDebeziumAvroPayload):
            return _position(left) - _position(right)
        order = compare(left, right)
        return -order if issubclass(self.payload_class, ReverseOrderHoodieRecordPayload) else order

    def __reduce__(self) -> tuple[object, ...]:
        # A bound class has no importable name.
        bound = self.payload_class
        named = bound.user_class if issubclass(bound, PayloadAdapter) else bound.unbound or bound
        return _payload_algebra, (named, bound.release, self.schema, dict(self.props))


def copied_payload(payload: HoodieRecordPayload) -> Any:
    """Return a copy that shares no mutable state."""
    if not isinstance(payload, BuiltinPayload):
        return copy.deepcopy(payload)
    twin = copy.copy(payload)
    twin.record = None if payload.record is None else copied(payload.record)
    return twin


def payload_key(payload: HoodieRecordPayload) -> Hashable:
    """Return the state of a built-in class as text, that of any other class pickled, None if it can't be.

    An object that lives elsewhere says its state itself.
    """
    if isinstance(payload, BuiltinPayload):
        return type(payload).__name__, repr(state_of(payload))
    if (remote := getattr(type(payload), "state_key", None)) is not None:
        state: Hashable = remote(payload)
        return state
    try:
        return pickle.dumps(payload)
    except Exception:  # noqa: BLE001 (whatever a user's object raises, it can't be identified)
        return None


def _payload_algebra(named: type, release: HudiRelease, schema: AvroSchema, props: Props) -> PayloadAlgebra:
    return PayloadAlgebra(adapt(named, release), schema, props)


def _position(ordering: Ordering) -> int:
    file, _, position = ordering_text(ordering).partition(".")
    try:
        return (int(file) << 64) + int(position)
    except ValueError:
        raise OrderingTypeError.from_types(ordering_text(ordering), "<file>.<position>") from None


def _json_text(record: Record | None, schema: AvroSchema) -> str | None:
    if record is None:
        return None
    return json.dumps({field.name: record[field.name] for field in schema.fields})
