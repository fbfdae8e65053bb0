"""The merger interface of RFC-46: what a merger is, record types, merge modes and strategy UUIDs."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from mergers.record import HoodieRecord
    from payloads.api import Props
    from payloads.avro import AvroSchema

EVENT_TIME_BASED_MERGE_STRATEGY_UUID: Final = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"
"""Event time ordering; in 0.15 the only default strategy, which runs the table's payload."""
COMMIT_TIME_BASED_MERGE_STRATEGY_UUID: Final = "ce9acb64-bde0-424c-9b91-f6ebba25356d"
"""Commit time ordering: the later version wins."""
PAYLOAD_BASED_MERGE_STRATEGY_UUID: Final = "00000000-0000-0000-0000-000000000000"
"""Mode CUSTOM with a payload: the table's payload class merges."""
CUSTOM_MERGE_STRATEGY_UUID: Final = "1897ef5f-18bc-4557-939c-9d6a8afd1519"
"""Mode CUSTOM in general (from 1.1 on); a custom merger has its own id."""


class HoodieRecordType(enum.Enum):
    """The in-memory form of an engine's records."""

    AVRO = "AVRO"
    SPARK = "SPARK"
    FLINK = "FLINK"


class RecordMergeMode(enum.Enum):
    """The merge modes of Hudi 1.0 and later."""

    COMMIT_TIME_ORDERING = "COMMIT_TIME_ORDERING"
    EVENT_TIME_ORDERING = "EVENT_TIME_ORDERING"
    CUSTOM = "CUSTOM"


STRATEGY_OF_MODE: Final = {
    RecordMergeMode.COMMIT_TIME_ORDERING: COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
    RecordMergeMode.EVENT_TIME_ORDERING: EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
    RecordMergeMode.CUSTOM: CUSTOM_MERGE_STRATEGY_UUID,
}
"""The strategy id of each merge mode; a custom merger may have a UUID of its own."""


class OperationMode(enum.Enum):
    """Which payload method a merge corresponds to: two incoming versions, or an incoming one and the stored row."""

    PRE_COMBINE = "pre_combine"
    COMBINE = "combine"


@runtime_checkable
class HoodieRecordMerger(Protocol):
    """A binary function on two versions of one record (org.apache.hudi.common.model.HoodieRecordMerger).

    Attributes:
        record_type: the form of the records that `merge` takes.
        merging_strategy: UUID of the rule; implementations of one rule for several engines share it.
    """

    @property
    def record_type(self) -> HoodieRecordType:
        """The form of the records that `merge` takes."""

    @property
    def merging_strategy(self) -> str:
        """UUID of the rule."""

    def merge(
        self,
        older: HoodieRecord,
        newer: HoodieRecord,
        schema: AvroSchema,
        props: Props,
    ) -> HoodieRecord | None:
        """Return the merged version, or None if the record is deleted."""
