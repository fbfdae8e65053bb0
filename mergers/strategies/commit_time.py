"""The commit-time strategy: the later arrival replaces the earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.api import COMMIT_TIME_BASED_MERGE_STRATEGY_UUID, HoodieRecordType

if TYPE_CHECKING:
    from mergers.record import HoodieRecord
    from payloads.api import Props
    from payloads.schema import AvroSchema


class OverwriteWithLatestMerger:
    """Keeps the newer version, also where it is a delete (org.apache.hudi.common.model.OverwriteWithLatestMerger)."""

    record_type: Final = HoodieRecordType.AVRO
    merging_strategy: Final = COMMIT_TIME_BASED_MERGE_STRATEGY_UUID

    def merge(
        self,
        older: HoodieRecord,  # noqa: ARG002 (the merger interface)
        newer: HoodieRecord,
        schema: AvroSchema,  # noqa: ARG002
        props: Props,  # noqa: ARG002
    ) -> HoodieRecord:
        """Return `newer` itself."""
        return newer
