"""Merge modes and the rules that need no payload: one module a strategy, its implementations under one UUID."""

from __future__ import annotations

from mergers.strategies.buffered import BufferedMerger, DeleteEntry
from mergers.strategies.commit_time import (
    CommitTimeFlinkRecordMerger,
    CommitTimeMerger,
    CommitTimePartialMerger,
    OverwriteWithLatestMerger,
)
from mergers.strategies.custom import CustomMerger, CustomMergerV1_0
from mergers.strategies.event_time import (
    EventTimeFlinkRecordMerger,
    EventTimeMerger,
    EventTimeMergerV1_0,
    EventTimePartialMerger,
    EventTimeRecordMerger,
)
from mergers.strategies.factory import MODES_WITH_PARTIAL_UPDATES, PartialUpdateMode, buffered_merger
from mergers.strategies.fill_unavailable import MERGE_PROPERTY_PREFIX, UNAVAILABLE_VALUE, FillUnavailable
from mergers.strategies.fill_unchanged import CHANGED_FIELDS, RETAIN_FIELDS, FillUnchanged
from mergers.strategies.ignore_defaults import Fidelity, IgnoreDefaults, missed_defaults
from mergers.strategies.partial_merge import PartialBlockMerger
from mergers.strategies.partial_update import PartialUpdate
from mergers.strategies.partial_update_flink import PartialUpdateFlinkRecordMerger
from mergers.strategies.record_context import LARGEST_MILLIS, RecordContext

__all__ = [
    "CHANGED_FIELDS",
    "LARGEST_MILLIS",
    "MERGE_PROPERTY_PREFIX",
    "MODES_WITH_PARTIAL_UPDATES",
    "RETAIN_FIELDS",
    "UNAVAILABLE_VALUE",
    "BufferedMerger",
    "CommitTimeFlinkRecordMerger",
    "CommitTimeMerger",
    "CommitTimePartialMerger",
    "CustomMerger",
    "CustomMergerV1_0",
    "DeleteEntry",
    "EventTimeFlinkRecordMerger",
    "EventTimeMerger",
    "EventTimeMergerV1_0",
    "EventTimePartialMerger",
    "EventTimeRecordMerger",
    "Fidelity",
    "FillUnavailable",
    "FillUnchanged",
    "IgnoreDefaults",
    "OverwriteWithLatestMerger",
    "PartialBlockMerger",
    "PartialUpdate",
    "PartialUpdateFlinkRecordMerger",
    "PartialUpdateMode",
    "RecordContext",
    "buffered_merger",
    "missed_defaults",
]
