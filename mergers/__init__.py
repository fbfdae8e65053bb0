"""How two versions of a record merge: the merger interface, its records, payloads as mergers, and selection."""

from __future__ import annotations

from mergers.api import (
    COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
    CUSTOM_MERGE_STRATEGY_UUID,
    EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
    PAYLOAD_BASED_MERGE_STRATEGY_UUID,
    HoodieRecordMerger,
    HoodieRecordType,
    OperationMode,
    RecordMergeMode,
)
from mergers.avro import AvroRecordMerger
from mergers.columns import MergesColumns
from mergers.compat import adapt_merger
from mergers.errors import MergerConfigError, MergerNotFoundError, UnsupportedRecordOperationError
from mergers.flink import FlinkAvroMerger, FlinkPayloadMerger, on_flink
from mergers.laws import LawReport, check_laws, law_cases
from mergers.record import (
    FlinkRow,
    HoodieAvroIndexedRecord,
    HoodieAvroRecord,
    HoodieEmptyRecord,
    HoodieFlinkRecord,
    HoodieKey,
    HoodieRecord,
    HoodieSparkRecord,
    MetadataValues,
)
from mergers.registry import MergerRef, resolve_merger
from mergers.selection import MergerConfig, runnable_here, select_merger
from mergers.strategies import (
    BufferedMerger,
    CommitTimeFlinkRecordMerger,
    EventTimeFlinkRecordMerger,
    OverwriteWithLatestMerger,
    PartialUpdateFlinkRecordMerger,
    PartialUpdateMode,
    buffered_merger,
)

__all__ = [
    "COMMIT_TIME_BASED_MERGE_STRATEGY_UUID",
    "CUSTOM_MERGE_STRATEGY_UUID",
    "EVENT_TIME_BASED_MERGE_STRATEGY_UUID",
    "PAYLOAD_BASED_MERGE_STRATEGY_UUID",
    "AvroRecordMerger",
    "BufferedMerger",
    "CommitTimeFlinkRecordMerger",
    "EventTimeFlinkRecordMerger",
    "FlinkAvroMerger",
    "FlinkPayloadMerger",
    "FlinkRow",
    "HoodieAvroIndexedRecord",
    "HoodieAvroRecord",
    "HoodieEmptyRecord",
    "HoodieFlinkRecord",
    "HoodieKey",
    "HoodieRecord",
    "HoodieRecordMerger",
    "HoodieRecordType",
    "HoodieSparkRecord",
    "LawReport",
    "MergerConfig",
    "MergerConfigError",
    "MergerNotFoundError",
    "MergerRef",
    "MergesColumns",
    "MetadataValues",
    "OperationMode",
    "OverwriteWithLatestMerger",
    "PartialUpdateFlinkRecordMerger",
    "PartialUpdateMode",
    "RecordMergeMode",
    "UnsupportedRecordOperationError",
    "adapt_merger",
    "buffered_merger",
    "check_laws",
    "law_cases",
    "on_flink",
    "resolve_merger",
    "runnable_here",
    "select_merger",
]
