"""FirstWriteAvroPayload: the first version of a record stays, whatever follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.api import SENTINEL
from payloads.builtin.base import BaseAvroPayload
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import AvroSchema, Record


class FirstWriteAvroPayload(BaseAvroPayload, heads_family=True):
    """Keep the version that arrived first. Shipped in 1.2 only."""

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.FirstWriteAvroPayload"
    shipped = (HudiRelease.V1_2,)

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Return `older`."""
        self.check_family(older)
        return older

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Leave the stored row as it is."""
        return SENTINEL

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, or None for a delete."""
        return None if self.flagged else self.record
