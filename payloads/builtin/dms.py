"""AWSDmsAvroPayload: change rows of AWS Database Migration Service, with their operation in the column `Op`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.avro import plain_text
from payloads.builtin.base import BaseAvroPayload
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.builtin.rules import (
    DELETED,
    GREATER_ORDERING,
    NEWER,
    ORDERED,
    flag_or_text,
    taken,
)
from payloads.errors import PayloadFailedError, SchemaError
from payloads.java import equals_ignore_case
from payloads.release import by_release
from payloads.rules import (
    IS_DELETED,
    AnyOf,
    Case,
    ColumnIs,
    Effect,
    Error,
    ErrorKind,
    IsDelete,
    IsEmpty,
    MergeRule,
    Point,
)

if TYPE_CHECKING:
    from payloads.api import Props, Sentinel
    from payloads.avro import AvroSchema, Record, Value

DMS_OPERATION_FIELD = "Op"
DELETE_OPERATION = "D"


class AWSDmsAvroPayload(OverwriteWithLatestAvroPayload):
    """Overwrite with the incoming version; `Op` = D (any case) or `_hoodie_is_deleted` deletes.

    Within a batch the greater ordering value wins; the stored row is replaced without a comparison.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.AWSDmsAvroPayload"
    aliases = by_release(("org.apache.hudi.payload.AWSDmsAvroPayload",), since={"1.1": ()})

    pre_combine = BaseAvroPayload._greater_ordering_wins  # noqa: SLF001

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule; None without a column of text for the operation, where each record fails."""
        deletes = flag_or_text(schema, DMS_OPERATION_FIELD, DELETE_OPERATION)
        if deletes is None or deletes.marker is None:
            return None
        if point is Point.BATCH:
            return GREATER_ORDERING
        if point is Point.STORED:
            return taken(deletes)
        failed = Case(IsDelete(NEWER), Error(ErrorKind.FAILED))
        if cls.get_insert_value is AWSDmsAvroPayload._value_unless_flagged:
            flagged = AnyOf((IsEmpty(NEWER), ColumnIs(NEWER, IS_DELETED, value=True)))
            failed = Case(flagged if deletes.flag else IsEmpty(NEWER), Error(ErrorKind.FAILED))
        return MergeRule(deletes=deletes, cases=(ORDERED, failed, DELETED), otherwise=Effect.INCOMING)

    # -- until 0.12: the operation is looked at when a value is needed

    def _needs_no_operation(self, record: Record) -> bool:
        """Whether `_hoodie_is_deleted` is true."""
        return super().is_delete_record(record)

    def _has_no_value(self, schema: AvroSchema, props: Props | None = None) -> bool:
        """Whether there is no insert value.

        Raises:
            SchemaError: the record has no field `Op`.
        """
        return self._value_or_delete(schema, props) is None

    def _value_unless_flagged(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, or None if its operation is a delete.

        Raises:
            SchemaError: the record has no field `Op`.
            PayloadFailedError: there is no record, or `_hoodie_is_deleted` is true; Hudi unwraps the absent record.
        """
        return self._value_or_failure(schema, props) if self.flagged else self._value_or_delete(schema, props)

    def _value_or_delete(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, or None if it is a delete.

        Raises:
            SchemaError: the record has no field `Op`.
        """
        is_delete = self.flagged or self.record is None or self._has_delete_operation(self.record)
        return None if is_delete else self.record

    # -- from 0.13 on: when the payload is built

    def _flags_itself(self, record: Record) -> bool:
        """Whether `Op` is D, or `_hoodie_is_deleted` is true.

        Raises:
            SchemaError: the record has no field `Op`.
        """
        return self._has_delete_operation(record) or super().is_delete_record(record)

    def _has_delete_operation(self, record: Record) -> bool:
        if DMS_OPERATION_FIELD not in record:
            msg = (
                f"{type(self).__name__}: the record has no field {DMS_OPERATION_FIELD!r}, only {', '.join(record)}; "
                "add the operation column of DMS or choose another payload"
            )
            raise SchemaError(msg)
        operation = record[DMS_OPERATION_FIELD]
        return operation is not None and equals_ignore_case(DELETE_OPERATION, plain_text(operation))

    def _value_or_failure(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record.

        Raises:
            PayloadFailedError: the version is a delete; Hudi unwraps the absent record.
        """
        if self.flagged:
            msg = (
                f"{type(self).__name__} has no insert value for a delete (No value present in Option); "
                "Hudi fails here too: drop deletes of unknown keys before they reach this call"
            )
            raise PayloadFailedError(msg)
        if not self.is_extended:
            return self.record
        value: Value = self._java_read(schema)
        return None if self._has_delete_operation(value) else value

    def _updated(self, current: Record, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the incoming record, or None if it is a delete; ordering plays no part."""
        if not self.is_extended:
            return None if self.flagged else self.record
        value: Value = OverwriteWithLatestAvroPayload.get_insert_value(self, schema)
        # Hudi looks at the operation again, which tells where a user's class decided otherwise when it was built.
        return None if value is not None and self._has_delete_operation(value) else value

    is_delete_record = by_release(_needs_no_operation, since={"0.13": _flags_itself})
    _java_is_delete_record = is_delete_record
    is_deleted = by_release(_has_no_value, since={"0.13": BaseAvroPayload.is_deleted})
    get_insert_value = by_release(_value_unless_flagged, since={"0.13": _value_or_failure})
    _java_insert = get_insert_value
    combine_and_get_update_value = by_release(
        lambda self, current, schema, props=None: self._value_or_delete(schema, props),  # noqa: ARG005
        since={"0.13": _updated},
    )
