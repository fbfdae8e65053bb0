"""FirstValueAvroPayload: like the Default payload, but on a tie the version that came first stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.builtin.default import DefaultHoodieRecordPayload
from payloads.builtin.rules import OLDER, of_batch
from payloads.release import releases
from payloads.rules import ByOrdering, Point

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema
    from payloads.rules import MergeRule


class FirstValueAvroPayload(DefaultHoodieRecordPayload):
    """Keep the version with the greatest ordering value; on a tie the earlier one. Not shipped after 1.0."""

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.FirstValueAvroPayload"
    shipped = releases(since="0.15", until="1.0")

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule of DefaultHoodieRecordPayload, except that on a tie the earlier version stays."""
        return of_batch(ByOrdering(tie=OLDER)) if point is Point.BATCH else super().rule(point, schema, props)

    def tie_wins(self, props: Props) -> bool:
        """Whether an incoming version with the ordering value of the stored row replaces it: never."""
        return False

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Keep the version with the greater ordering value; ties go to `older`, unless it has no record."""
        self.check_family(older)
        return older if older.record is not None and older.ordering_value >= self.ordering_value else self
