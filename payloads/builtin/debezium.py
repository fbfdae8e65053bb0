"""The Debezium payloads: change rows of MySQL and Postgres, ordered by the position in the database's own log."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from payloads.avro import AvroSchema, Branch, plain_text
from payloads.builtin.base import BaseAvroPayload
from payloads.builtin.markers import MARKERS, marker_kinds, marker_tests
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.builtin.rules import (
    DELETED,
    GREATER_ORDERING,
    NEWER,
    OLDER,
    ORDERED,
    flag_or_text,
    of_batch,
    taken,
)
from payloads.errors import NullOrderingError, OrderingTypeError, SchemaError
from payloads.java import equals_ignore_case, utf16
from payloads.ordering import ordering_text
from payloads.records import MYSQL_SEQUENCE, compare_positions
from payloads.release import by_release
from payloads.rules import (
    IS_DELETED,
    AnyOf,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Effect,
    Error,
    ErrorKind,
    FirstNonMarker,
    How,
    IsEmpty,
    LaterIs,
    MergeRule,
    Point,
    Take,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import Record, Value

CHANGE_OPERATION_FIELD = "_change_operation_type"
DELETE_OPERATION = "d"
POSTGRES_LSN = "_event_lsn"


class AbstractDebeziumAvroPayload(OverwriteWithLatestAvroPayload):
    """A change row of Debezium; `_change_operation_type` = d (any case) or `_hoodie_is_deleted` deletes.

    Within a batch the ordering values given to the constructors decide. Against the stored row a column of the change
    row decides, whatever the ordering properties say; a version without a record deletes unconditionally. Your own
    class for another database defines `should_pick_current_record`.
    """

    __slots__ = ()

    position_field: ClassVar[str]
    position_kind: ClassVar[str]

    #: Whether combine tests `_hoodie_is_deleted` before it compares positions.
    flag_wins: ClassVar[bool] = by_release(True, since={"0.13": False})

    pre_combine = BaseAvroPayload._greater_ordering_wins  # noqa: SLF001
    asks_for_ordering = by_release(False, since={"1.0": True})

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule; None if the operation or position can't be compared as columns."""
        deletes = flag_or_text(schema, CHANGE_OPERATION_FIELD, DELETE_OPERATION)
        if deletes is None or point is Point.BATCH:
            return None if deletes is None else GREATER_ORDERING
        if point is Point.ALONE:
            return taken(deletes)
        field = schema.by_name.get(cls.position_field)
        if field is None or field.schema.non_null.kind != cls.position_kind:
            return None
        first = AnyOf((IsEmpty(NEWER), *([ColumnIs(NEWER, IS_DELETED, value=True)] * (cls.flag_wins and deletes.flag))))
        # A null fails even where the stored position is null, too.
        null = Case(ColumnIs(NEWER, cls.position_field, None), Error(ErrorKind.NULL_ORDERING))
        cases = (ORDERED, Case(first, Effect.DELETE), null, Case(LaterIs(OLDER), Effect.CURRENT), DELETED)
        return MergeRule(cls.later_row(), deletes, cases, Effect.INCOMING)

    @classmethod
    def later_row(cls) -> ByColumn:
        """Return how positions compare with that of the stored row."""
        return ByColumn((cls.position_field,))

    def is_delete_record(self, record: Record) -> bool:
        """Whether the operation is a delete, or `_hoodie_is_deleted` is true; the operation column may be missing."""
        return has_delete_operation(record) or super().is_delete_record(record)

    _java_is_delete_record = is_delete_record

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, or None if it is a delete."""
        if not self.is_extended:
            return None if self.flagged else self.record
        value: Value = super().get_insert_value(schema)
        # Hudi looks at the operation again, which tells where a user's class decided otherwise when it was built.
        return None if value is not None and has_delete_operation(value) else value

    _java_insert = get_insert_value

    @abstractmethod
    def should_pick_current_record(self, current: Record, incoming: Record, schema: AvroSchema) -> bool:
        """Whether the stored row stays (`shouldPickCurrentRecord`)."""

    _java_picks_current = should_pick_current_record

    #: Returns what `keeps_stored` compares for a non-null value of `position_field`.
    position_of: Callable[..., object]
    #: Returns whether the stored row stays, given the two positions.
    keeps_stored: Callable[..., bool]

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return `current` itself if it is later, else the incoming record, None for a later delete.

        Raises:
            SchemaError: a record has no `position_field`.
            NullOrderingError: that field is null in the incoming record; null in `current` gives way.
            OrderingTypeError, PayloadFailedError: see `position_of` and `keeps_stored` of the class.
        """
        record = self._java_read(schema) if self.is_extended else self.record
        if record is None or (self.flag_wins and BaseAvroPayload.is_delete_record(self, record)):
            return None
        return current if self._java_picks_current(current, record, schema) else self._java_insert(schema)

    def keeps_by_position(self, current: Record, incoming: Record, schema: AvroSchema) -> bool:
        """Whether the stored row stays by the two positions; null in `current` gives way.

        Raises:
            SchemaError: a record has no `position_field`.
            NullOrderingError: that field is null in the incoming record.
        """
        field = self.position_field
        self._check_position(incoming)
        if incoming[field] is None:
            msg = (
                f"{type(self).__name__}: {field} can't be null in an incoming record; "
                f"fill it before the write: {incoming}"
            )
            raise NullOrderingError(msg)
        self._check_position(current)
        incoming_position = self.position_of(incoming[field], schema)
        stored = current[field]
        return stored is not None and self.keeps_stored(self.position_of(stored, schema), incoming_position)

    def _check_position(self, record: Record) -> None:
        if self.position_field not in record:
            msg = f"{type(self).__name__}: {SchemaError.from_missing_field(self.position_field, record)}"
            raise SchemaError(msg)


def has_delete_operation(record: Record) -> bool:
    """Whether `_change_operation_type` says that a change row is a delete; the column may be missing."""
    operation = record.get(CHANGE_OPERATION_FIELD)
    return operation is not None and equals_ignore_case(DELETE_OPERATION, plain_text(operation))


class MySqlDebeziumAvroPayload(AbstractDebeziumAvroPayload):
    """A change row of MySQL; `_event_seq` is `<binlog file number>.<position>`, compared as two numbers.

    Until 0.13 it is compared with the stored row as text. On a tie the stored row stays from 0.14 to 1.0; in any other
    release the incoming one replaces it. Within a batch, 1.0 and older compare the ordering values as they are (as
    text, 1.9 is after 1.10), 1.1 and later compare their text like `_event_seq`.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.debezium.MySqlDebeziumAvroPayload"
    position_field = MYSQL_SEQUENCE
    position_kind = "string"

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule; from 1.1 on positions decide in a batch, too."""
        if point is Point.BATCH and cls.pre_combine is MySqlDebeziumAvroPayload._later_sequence_wins:
            return of_batch(ByOrdering(how=How.POSITION))
        return super().rule(point, schema, props)

    @classmethod
    def later_row(cls) -> ByColumn:
        """Return how positions compare with that of the stored row."""
        if cls.keeps_stored is MySqlDebeziumAvroPayload._is_later_text:
            return ByColumn((cls.position_field,), how=How.TEXT)
        return ByColumn((cls.position_field,), tie=NEWER if cls.keeps_from else OLDER, how=How.POSITION)

    should_pick_current_record = AbstractDebeziumAvroPayload.keeps_by_position
    _java_picks_current = AbstractDebeziumAvroPayload.keeps_by_position

    #: The least difference of stored and incoming position with which the stored row stays.
    keeps_from: ClassVar[int] = by_release(0, since={"1.1": 1})

    def position_of(self, value: Value, schema: AvroSchema) -> str:
        """Return the text; its parts are read when they are compared."""
        return plain_text(value)

    def _is_later_text(self, stored: str, incoming: str) -> bool:
        """Whether the stored sequence is greater as text."""
        return utf16(stored, incoming) > 0

    def _is_later_position(self, stored: str, incoming: str) -> bool:
        """Whether the stored sequence is greater, or until 1.0 equal.

        Raises:
            PayloadFailedError: a part that must be compared is missing or no 64-bit number.
        """
        return compare_positions(stored, incoming, type(self).__name__) >= self.keeps_from

    keeps_stored = by_release(_is_later_text, since={"0.14": _is_later_position})

    def _later_sequence_wins(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        self.check_family(older)
        if older.record is None:
            return self
        theirs = older.get_ordering_value() if older.is_extended else older.ordering_value  # type: ignore[attr-defined]
        texts = ordering_text(theirs), ordering_text(self.ordering_value)
        return older if compare_positions(*texts, type(self).__name__) > 0 else self

    pre_combine = by_release(BaseAvroPayload._greater_ordering_wins, since={"1.1": _later_sequence_wins})  # noqa: SLF001


class PostgresDebeziumAvroPayload(AbstractDebeziumAvroPayload):
    """A change row of Postgres; the greater `_event_lsn` wins, ties go to the incoming row.

    A top-level string or bytes value `__debezium_unavailable_value` (TOAST) is filled from the stored row. From 1.1 on
    Hudi writes the filled values into the payload's record, so a second merge finds nothing to fill. Here `record`
    becomes a filled copy, the caller's record is not modified, and the result of such a merge is the payload's `record`
    object.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.debezium.PostgresDebeziumAvroPayload"
    position_field = POSTGRES_LSN
    position_kind = "long"

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule; None if a union of several types may hold the marker."""
        rule = super().rule(point, schema, props)
        marked = {name: kind for name, kind in marker_kinds(schema) if point is Point.STORED}
        if rule is None or any(schema.by_name[name].schema.non_null.kind not in MARKERS for name in marked):
            return None
        columns = {name: FirstNonMarker((Take(NEWER), Take(OLDER)), MARKERS[kind]) for name, kind in marked.items()}
        filled = Effect.EDITED if cls.remembers_filled else Effect.CHANGED
        return dataclasses.replace(rule, columns=columns, otherwise=filled) if columns else rule

    should_pick_current_record = AbstractDebeziumAvroPayload.keeps_by_position
    _java_picks_current = AbstractDebeziumAvroPayload.keeps_by_position

    remembers_filled: ClassVar[bool] = by_release(False, since={"1.1": True})

    def position_of(self, value: Value, schema: AvroSchema) -> int:
        """Return the log sequence number.

        Raises:
            OrderingTypeError: it is not an Avro long.
        """
        return schema.derived(_long_reader)(value)

    def keeps_stored(self, stored: int, incoming: int) -> bool:
        """Whether the stored number is greater."""
        return stored > incoming

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return the later of `current` and the incoming record, with unavailable values taken from `current`.

        Raises:
            SchemaError, NullOrderingError, OrderingTypeError: see `AbstractDebeziumAvroPayload` and `position_of`.
            PayloadFailedError: a union with a string branch holds another type; Hudi casts it to text.
        """
        return self.with_toasted(super().combine_and_get_update_value(current, schema, props), current, schema)

    def with_toasted(
        self, result: Record | Sentinel | None, current: Record, schema: AvroSchema
    ) -> Record | Sentinel | None:
        """Return the result of a merge with unavailable values taken from `current`."""
        if not isinstance(result, dict):
            return result
        missing = [name for name, is_marker in schema.derived(marker_tests) if is_marker(result.get(name))]
        if result is current or not missing:
            return result
        for name in missing:
            if name not in current:
                msg = f"{type(self).__name__}: {SchemaError.from_missing_field(name, current)}"
                raise SchemaError(msg)
        if all(current[name] == result[name] for name in missing):
            return result
        filled = result | {name: current[name] for name in missing}
        if self.remembers_filled:
            self.record = filled
        return filled


def _long_reader(schema: AvroSchema) -> Callable[[Value], int]:
    """Return what casts values of `_event_lsn` to Java's Long."""
    field = schema.by_name.get(POSTGRES_LSN)
    kind = "long" if field is None else field.schema.non_null.kind
    return _as_long if kind in {"long", "union"} else _refuse_kind(kind)


def _as_long(value: object) -> int:
    if isinstance(value, Branch):
        return int(value.value) if value.name == "long" else _refuse_kind(value.name)(value)
    if type(value) is int:
        return value
    return _refuse_kind(type(value).__name__)(value)


def _refuse_kind(kind: str) -> Callable[[Value], int]:
    def refuse(value: Value) -> int:
        msg = (
            f"PostgresDebeziumAvroPayload: {POSTGRES_LSN} must be an Avro long, but {value!r} is {kind}; "
            "make the column a long"
        )
        raise OrderingTypeError(msg)

    return refuse
