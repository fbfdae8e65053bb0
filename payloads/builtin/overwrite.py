"""OverwriteWithLatestAvroPayload: the incoming version replaces the stored one; the default of 0.15."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.avro import NULL_VALUE, default_test
from payloads.builtin.base import BaseAvroPayload
from payloads.builtin.rules import BOTH_ORDERED, GREATER_ORDERING, flag, taken
from payloads.release import by_release
from payloads.rules import MergeRule, Point

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import AvroSchema, Field, Record, Value


class OverwriteWithLatestAvroPayload(BaseAvroPayload, heads_family=True):
    """Overwrite with the incoming version, whatever the ordering values.

    Within a batch 0.15 keeps the greater ordering value; from 1.0 on the later arrival always wins.
    """

    __slots__ = ("judged_field",)

    #: The field whose value `overwrite_field` judges; Java's values tell their types themselves.
    judged_field: Field | None

    java_name = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"

    def _later_arrival_wins(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        self.check_family(older)
        return self

    pre_combine = by_release(BaseAvroPayload._greater_ordering_wins, since={"1.0": _later_arrival_wins})  # noqa: SLF001

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return that the later version stays in a batch, by arrival from 1.0 on, and the incoming one elsewhere."""
        if point is not Point.BATCH:
            return taken(flag(schema))
        by_arrival = cls.pre_combine is OverwriteWithLatestAvroPayload._later_arrival_wins
        return MergeRule(cases=(BOTH_ORDERED,)) if by_arrival else GREATER_ORDERING

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return the insert value: the incoming record, or None if it is a delete; `current` is ignored."""
        return self._java_insert(schema)

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, or None if it is a delete."""
        if self.is_extended:
            return None if self._java_is_empty() or self.flagged else self._java_read(schema)
        return None if self.flagged else self.record

    _java_insert = get_insert_value

    def overwrite_field(self, value: Value, default_value: Value) -> bool:
        """Whether a value is the default, so that the stored one stays (Java: `overwriteField`).

        Args:
            value: that of the incoming record.
            default_value: what `defaultVal()` of the field returns.
        """
        if default_value is NULL_VALUE:
            return value is None
        field: Field | None = getattr(self, "judged_field", None)
        if field is not None and default_value == field.defaultVal():
            return default_test(field)(value)
        return type(value) is type(default_value) and bool(value == default_value)

    _java_overwrite_field = overwrite_field
