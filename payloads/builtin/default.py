"""DefaultHoodieRecordPayload: the greatest ordering value wins, in the batch and against the stored row."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from payloads.api import SENTINEL, Sentinel
from payloads.avro import value_text
from payloads.builtin.base import BaseAvroPayload
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.builtin.rules import (
    DELETED,
    GREATER_ORDERING,
    NEWER,
    OLDER,
    ORDERED,
    by_columns,
    flag,
    taken,
)
from payloads.errors import NullOrderingError, OrderingTypeError, PayloadConfigError
from payloads.ordering import NATURAL_ORDER, compare, ordering_text
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, field_reader, is_true, ordering_fields, ordering_reader
from payloads.release import by_release
from payloads.rules import (
    IS_DELETED,
    Against,
    AllOf,
    ByArrival,
    Case,
    DeleteTests,
    Effect,
    IsDelete,
    IsEmpty,
    IsNatural,
    LaterIs,
    Marker,
    MergeRule,
    Point,
)

if TYPE_CHECKING:
    from payloads.api import Props
    from payloads.avro import AvroSchema, Record
    from payloads.ordering import Ordering
    from payloads.ordering_fields import Reader
    from payloads.rules import Later, Test

DELETE_FIELD = "hoodie.payload.delete.field"
DELETE_MARKER = "hoodie.payload.delete.marker"
EVENT_TIME_FIELD = "hoodie.payload.event.time.field"
UPDATE_ON_SAME_ORDERING = "hoodie.payload.update.on.same.ordering.field"
EVENT_TIME_METADATA = "metadata.event_time.key"


class DefaultHoodieRecordPayload(OverwriteWithLatestAvroPayload):
    """Keep the version with the greatest ordering value; on a tie the incoming one.

    With the stored row, the values of the *ordering field* are compared, not those passed to the constructors. From
    0.14 on a custom delete field (`hoodie.payload.delete.field` and `.marker`) replaces `_hoodie_is_deleted`; this is
    decided once per payload, by the properties of the first call that needs it. In 0.13 a row with `_hoodie_is_deleted`
    always deletes the stored row.
    """

    __slots__ = ("_delete_decided", "_deleted", "_event_time")

    java_name = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
    own_overloads = frozenset({"combine_and_get_update_value", "get_insert_value"})

    pre_combine = BaseAvroPayload._greater_ordering_wins  # noqa: SLF001

    def __init__(self, record: Record | None, ordering_value: Ordering | None = NATURAL_ORDER) -> None:
        super().__init__(record, ordering_value)
        self._delete_decided = False
        self._deleted = False
        self._event_time: str | None = None

    # -- rules that differ between releases and subclasses

    def _tie_wins(self, props: Props) -> bool:
        """Whether an incoming version with the ordering value of the stored row replaces it."""
        return True

    def _tie_wins_by_property(self, props: Props) -> bool:
        return is_true(props.get(UPDATE_ON_SAME_ORDERING, "true"))

    tie_wins = by_release(_tie_wins, since={"1.2": _tie_wins_by_property})

    #: Whether `hoodie.payload.delete.field` counts.
    custom_deletes: ClassVar[bool] = by_release(False, since={"0.14": True})

    #: Whether the delete flag is tested before ordering value and event time.
    deletes_first: ClassVar[bool] = by_release(False, since={"0.13": True, "0.14": False})

    #: What combine returns if the incoming version loses: the stored row itself, or SENTINEL.
    answers_sentinel: ClassVar[bool] = by_release(False, since={"1.2": True})

    #: Whether combine compares ordering values before a payload without a record deletes the row.
    empty_obeys_ordering: ClassVar[bool] = by_release(False, since={"1.1": True})

    def _beats_by_record(self, stored: Ordering | None, read: Reader, incoming: Record | None, props: Props) -> bool:
        value = None if incoming is None else read(incoming)  # read, and cast, whatever is stored
        if any(side is not None and side.java_type == "map" for side in (value, stored)):
            raise OrderingTypeError.from_map()
        if stored is None:
            return True
        if value is None:
            msg = (
                f"{type(self).__name__}: the ordering field of the incoming record is null and the stored row has a "
                f"value; fill the field: {incoming}"
            )
            raise NullOrderingError(msg)
        return self.incoming_wins(compare(stored, value), props)

    def _beats_by_record_or_own(
        self, stored: Ordering | None, read: Reader, incoming: Record | None, props: Props
    ) -> bool:
        if incoming is None and self.ordering_value.is_default:
            return True
        value = None if incoming is None else read(incoming)  # whatever is stored: it can fail
        if self.compares_itself:
            updates_ties = is_true(props.get(UPDATE_ON_SAME_ORDERING, "true"))
            return bool(self._java_compare(stored, self.ordering_value if value is None else value, updates_ties))
        if stored is None:
            return True
        return self.incoming_wins(compare(stored, self.ordering_value if value is None else value), props)

    #: The comparison. The incoming side: until 1.0 the record's field, from 1.1 else the payload's own value.
    beats = by_release(_beats_by_record, since={"1.1": _beats_by_record_or_own})

    tracks_event_time: ClassVar[bool] = by_release(True, since={"1.1": False})

    # -- the ordering test

    def incoming_wins(self, order: int, props: Props) -> bool:
        """Whether to update, given `order`: the stored ordering value compared with the incoming one."""
        return order < 0 or (order == 0 and self.tie_wins(props))

    def needs_update(self, current: Record, incoming: Record | None, schema: AvroSchema, props: Props) -> bool:
        """Whether `incoming` (None: this payload as a delete without data) replaces the stored row `current`.

        Raises:
            NullOrderingError: until 1.0, the incoming field is null and the stored one is not.
            OrderingTypeError: the two values have different Java classes.
        """
        read = ordering_reader(schema, props, self.release)
        if read is None:
            return True
        # The stored value first, as in Hudi: one that can't be read fails even for a delete without ordering.
        wins: bool = self.beats(read(current), read, incoming, props)
        return wins

    _java_need_updating = needs_update

    #: Whether a user's class compares ordering values itself.
    compares_itself: ClassVar[bool] = False

    def need_updating_persisted_record(
        self, current_value: Record, incoming_record: Record | None, props: Props
    ) -> bool:
        """Whether `incoming_record` replaces `current_value` by the ordering field (`needUpdatingPersistedRecord`).

        `incoming_record` is None from 1.1 on for a payload without a record: Java's method takes an Option there.

        Raises:
            NullOrderingError, OrderingTypeError: see `needs_update`.
            PayloadConfigError: no call has passed the schema yet.
        """
        schema = self._java_schema("needUpdatingPersistedRecord")
        return DefaultHoodieRecordPayload.needs_update(self, current_value, incoming_record, schema, props)

    def compare_ordering_val(
        self,
        old_val: Ordering | None,
        new_val: Ordering,
        update_on_same: bool,  # noqa: FBT001 (as in Java)
    ) -> bool:
        """Whether the incoming ordering value wins; a stored null gives way (`compareOrderingVal`, from 1.2 on).

        Raises:
            UnsupportedPayloadOperationError: the release has no such method.
            OrderingTypeError: the two values have different Java classes.
        """
        self._java_check_known("compareOrderingVal", "1.2")
        if old_val is None:
            return True
        order = compare(old_val, new_val)
        return self.wins_outright(order) or (order == 0 and update_on_same)

    _java_compare = compare_ordering_val

    @staticmethod
    def wins_outright(order: int) -> bool:
        """Whether the incoming version wins outright, given how the stored value compares with its own."""
        return order < 0

    # -- the delete test

    def _is_custom_delete(self, record: Record, schema: AvroSchema, props: Props) -> bool:
        field = props.get(DELETE_FIELD) if self.custom_deletes else None
        if not field:
            return self._java_is_delete_record(record) if self.is_extended else record.get(IS_DELETED) is True
        marker = props.get(DELETE_MARKER)
        if not marker:
            msg = f"{DELETE_MARKER} should be configured with {DELETE_FIELD}={field}; set the value that marks a delete"
            raise PayloadConfigError(msg)
        column = schema.by_name.get(field)
        value = None if column is None else record.get(field)
        return column is not None and value is not None and value_text(column.schema, value) == marker

    #: Java's isDeleteRecord(record, properties).
    _java_is_delete_by = _is_custom_delete

    def is_delete_record(self, record: Record, props: Props | None = None) -> bool:
        """Whether the record marks itself as a delete.

        Without `props` by `_hoodie_is_deleted` alone; with them (from 0.14 on) by the custom delete field, where
        there is one.

        Raises:
            PayloadConfigError: a delete field is configured without its marker, or no call has passed the schema yet.
        """
        if props is None:
            return super().is_delete_record(record)
        return DefaultHoodieRecordPayload._is_custom_delete(self, record, self._java_schema("isDeleteRecord"), props)

    def _decide_delete(self, record: Record, schema: AvroSchema, props: Props) -> bool:
        if not self._delete_decided:
            # The mark comes first, as in Hudi: after a failed decision every later call returns "not a delete".
            self._delete_decided = True
            self._deleted = self._java_is_delete_by(record, schema, props)
        return self._deleted

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule; None without a marker of the delete field, or if event times are recorded."""
        if point is Point.BATCH:
            return GREATER_ORDERING
        deletes = cls._deletes(schema, props)
        if deletes is None or point is Point.ALONE:
            return None if deletes is None else taken(deletes)
        notes_time = cls.tracks_event_time and EVENT_TIME_FIELD in props
        return None if notes_time else cls._rule_of_update(schema, props, deletes)

    @classmethod
    def _deletes(cls, schema: AvroSchema, props: Props) -> DeleteTests | None:
        field = props.get(DELETE_FIELD) if cls.custom_deletes else None
        if not field:
            return flag(schema)
        marker = props.get(DELETE_MARKER)
        return DeleteTests(marker=Marker(field, marker) if field in schema.by_name else None) if marker else None

    @classmethod
    def _rule_of_update(cls, schema: AvroSchema, props: Props, deletes: DeleteTests) -> MergeRule | None:
        against = Against.COLUMN_OR_CARRIED if cls.empty_obeys_ordering else Against.COLUMN
        later = cls.later_row(schema, props, against)
        first: Test = IsDelete(NEWER) if cls.deletes_first else IsEmpty(NEWER)
        if cls.empty_obeys_ordering:
            first = AllOf((IsEmpty(NEWER), IsNatural(NEWER)))
        stays = Effect.SENTINEL if cls.answers_sentinel else Effect.CURRENT
        cases = (ORDERED, Case(first, Effect.DELETE), Case(LaterIs(OLDER), stays), DELETED)
        return None if later is None else MergeRule(later, deletes, cases, Effect.INCOMING)

    @classmethod
    def later_row(cls, schema: AvroSchema, props: Props, against: Against) -> Later | None:
        """Return how the ordering fields compare; None for one of a type that has no order."""
        fields = ordering_fields(props, cls.release)
        if fields is None:
            return ByArrival()
        absent = cls(None)
        less, equal, greater = (absent.incoming_wins(order, props) for order in (-1, 0, 1))
        if less is greater:
            return None
        return by_columns(schema, fields, props, against=against, tie=NEWER if equal else OLDER, reverse=greater)

    # -- the payload

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return the incoming record where it wins by the ordering field, None if the version that wins is a delete.

        A losing version gives `current` itself (1.2: SENTINEL). Without `props` the incoming record always wins.

        Raises:
            NullOrderingError, OrderingTypeError: see `needs_update`.
            PayloadConfigError: a delete field is configured without its marker.
        """
        if props is None:
            return super().combine_and_get_update_value(current, schema)
        incoming = self._java_read(schema) if self.is_extended else self.record
        if (incoming is None and not self.empty_obeys_ordering) or (self.flagged and self.deletes_first):
            return None
        if not self._java_need_updating(current, incoming, schema, props):
            return SENTINEL if self.answers_sentinel else current
        if incoming is None:
            return None
        self._note_event_time(incoming, schema, props)
        return None if self._decide_delete(incoming, schema, props) else incoming

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, or None if it is a delete; without `props` a custom delete field is ignored.

        Raises:
            PayloadConfigError: a delete field is configured without its marker.
        """
        if props is None:
            return super().get_insert_value(schema)
        record = self._present(schema) if self.is_extended else self.record
        if record is None or (self.flagged and self.deletes_first):
            return None
        self._note_event_time(record, schema, props)
        return None if self._decide_delete(record, schema, props) else record

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        """Whether this is a delete by the properties of the first call that needs it.

        Raises:
            PayloadConfigError: a delete field is configured without its marker.
        """
        record = self._present(schema) if self.is_extended else self.record
        return record is None or self._decide_delete(record, schema, {} if props is None else props)

    def _present(self, schema: AvroSchema) -> Record | None:
        return None if self._java_is_empty() else self._java_read(schema)

    def can_produce_sentinel(self) -> bool:
        """Whether the class may return SENTINEL: from 1.2 on."""
        return self.answers_sentinel

    def get_metadata(self) -> dict[str, str] | None:
        """Return the event time that the last insert value or winning combine found (until 1.0)."""
        return None if self._event_time is None else {EVENT_TIME_METADATA: self._event_time}

    def _note_event_time(self, record: Record, schema: AvroSchema, props: Props) -> None:
        if not self.tracks_event_time:
            return
        field = props.get(EVENT_TIME_FIELD)
        if field is None:
            self._event_time = None
            return
        value = field_reader(schema, field, consistent=is_true(props.get(CONSISTENT_TIMESTAMP)))(record)
        self._event_time = None if value is None else ordering_text(value)
