"""EventTimeAvroPayload: the greatest ordering value wins, and only `_hoodie_is_deleted` marks a delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from payloads.builtin.default import DELETE_FIELD, DefaultHoodieRecordPayload
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.builtin.rules import DELETED, GREATER_ORDERING, NEWER, OLDER, ORDERED, flag, taken
from payloads.release import by_release
from payloads.rules import Against, AllOf, Case, Effect, IsDelete, IsEmpty, IsNatural, LaterIs, MergeRule, Point

if TYPE_CHECKING:
    from payloads.api import Props, Sentinel
    from payloads.avro import AvroSchema, Record
    from payloads.rules import Test


class EventTimeAvroPayload(DefaultHoodieRecordPayload):
    """Like DefaultHoodieRecordPayload, without custom delete fields, event-time metadata and SENTINEL.

    In 0.12 a flagged delete is compared by its ordering field, from 1.1 on every delete by the payload's own ordering
    value; in between a flagged delete always deletes. The inherited `is_deleted` reads a custom delete field, and may
    then disagree with the merge.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.EventTimeAvroPayload"

    #: Whether combine compares the ordering fields before a flagged record deletes the row.
    flag_obeys_ordering: ClassVar[bool] = by_release(True, since={"0.13": False})

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule; None for an insert with a custom delete field, which only `is_deleted` reads."""
        if point is Point.BATCH:
            return GREATER_ORDERING
        if point is Point.ALONE:
            return None if cls.custom_deletes and props.get(DELETE_FIELD) else taken(flag(schema))
        later = cls.later_row(schema, props, Against.COLUMN_OF_DATA if cls.empty_obeys_ordering else Against.COLUMN)
        first: Test = IsEmpty(NEWER) if cls.flag_obeys_ordering else IsDelete(NEWER)
        if cls.empty_obeys_ordering:
            first = AllOf((IsDelete(NEWER), IsNatural(NEWER)))
        cases = (ORDERED, Case(first, Effect.DELETE), Case(LaterIs(OLDER), Effect.CURRENT), DELETED)
        return None if later is None else MergeRule(later, flag(schema), cases, Effect.INCOMING)

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return the incoming record where it wins by the ordering field, None if a delete wins, else `current`.

        Without `props` the incoming record always wins.

        Raises:
            NullOrderingError, OrderingTypeError: see `needs_update`.
        """
        record = self._present(schema) if self.is_extended else self.record
        incoming = None if self.flagged else record
        judged = record if self.flag_obeys_ordering else incoming
        if props is None or (judged is None and not self.empty_obeys_ordering):
            return incoming
        return incoming if self._java_need_updating(current, judged, schema, props) else current

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, or None if it is a delete."""
        return OverwriteWithLatestAvroPayload.get_insert_value(self, schema)
