"""LongestNameAvroPayload: like the Default payload, but a shorter name does not replace a longer one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.builtin.default import DefaultHoodieRecordPayload

if TYPE_CHECKING:
    from payloads.api import Props, Sentinel
    from payloads.avro import AvroSchema, Record


class LongestNameAvroPayload(DefaultHoodieRecordPayload):
    """Keep the version with the greatest ordering value, and of two names the longer one."""

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.LongestNameAvroPayload"

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return what the Default payload does, with the longer one of both names."""
        merged = super().combine_and_get_update_value(current, schema, props)
        if not isinstance(merged, dict) or self.record is None:
            return merged
        return {**merged, "name": max(current["name"], self.record["name"], key=len)}
