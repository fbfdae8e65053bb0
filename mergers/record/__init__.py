"""Carriers: a version of a record with its key, as a payload, as plain data, as a column, or as a bare delete."""

from __future__ import annotations

from mergers.record.avro import HoodieAvroRecord
from mergers.record.base import DELETE_OPERATIONS, HoodieKey, HoodieRecord
from mergers.record.empty import HoodieEmptyRecord
from mergers.record.indexed import HoodieAvroIndexedRecord
from mergers.record.metadata import META_COLUMNS, OPERATION_COLUMN, MetadataValues
from mergers.record.spark import HoodieSparkRecord

__all__ = [
    "DELETE_OPERATIONS",
    "META_COLUMNS",
    "OPERATION_COLUMN",
    "HoodieAvroIndexedRecord",
    "HoodieAvroRecord",
    "HoodieEmptyRecord",
    "HoodieKey",
    "HoodieRecord",
    "HoodieSparkRecord",
    "MetadataValues",
]
