"""FirstValueAvroPayload: like the Default payload, but on a tie the version that came first stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.builtin.default import DefaultHoodieRecordPayload
from payloads.builtin.overrides import same_rule
from payloads.release import releases

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema


class FirstValueAvroPayload(DefaultHoodieRecordPayload):
    """Keep the version with the greatest ordering value; on a tie the earlier one. Not shipped after 1.0.

    Added in 0.1.0.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.FirstValueAvroPayload"
    shipped = releases(since="0.15", until="1.0")
    insert_tests = same_rule(DefaultHoodieRecordPayload.insert_tests)
    pair_rule = same_rule(DefaultHoodieRecordPayload.pair_rule)

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
