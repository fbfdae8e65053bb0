"""ReverseOrderHoodieRecordPayload: the least ordering value wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.builtin.default import DefaultHoodieRecordPayload
from payloads.builtin.rules import of_batch
from payloads.release import releases
from payloads.rules import ByOrdering, Point

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema
    from payloads.rules import MergeRule


class ReverseOrderHoodieRecordPayload(DefaultHoodieRecordPayload):
    """Keep the version with the least ordering value; on a tie the incoming one. Shipped from 1.2 on.

    Delete blocks are merged outside the payload, and there the greater value still wins.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.ReverseOrderHoodieRecordPayload"
    shipped = releases(since="1.2")

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule of DefaultHoodieRecordPayload with the order reversed."""
        return of_batch(ByOrdering(reverse=True)) if point is Point.BATCH else super().rule(point, schema, props)

    def incoming_wins(self, order: int, props: Props) -> bool:
        """Whether to update, given `order`: the stored ordering value compared with the incoming one."""
        return super().incoming_wins(-order, props)

    @staticmethod
    def wins_outright(order: int) -> bool:
        """Whether the incoming version wins outright, given how the stored value compares with its own."""
        return order > 0

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Keep the version with the lesser ordering value; ties and empty older versions go to the newer one."""
        self.check_family(older)
        is_empty = older._java_is_empty() if older.is_extended else older.record is None  # type: ignore[attr-defined]  # noqa: SLF001
        return older if not is_empty and older.ordering_value < self.ordering_value else self
