"""Carriers: a version of a record with its key, as a payload, as plain data, as a column, or as a bare delete."""

from __future__ import annotations

from mergers.record.avro import HoodieAvroRecord
from mergers.record.base import DELETE, DELETE_OPERATIONS, OPERATIONS, HoodieKey, HoodieRecord
from mergers.record.context import DeleteContext, greater_ordering_value, is_commit_time_delete, row_ordering_value
from mergers.record.empty import HoodieEmptyRecord
from mergers.record.indexed import HoodieAvroIndexedRecord
from mergers.record.metadata import META_COLUMNS, OPERATION_COLUMN, MetadataValues
from mergers.record.spark import HoodieSparkRecord

__all__ = [
    "DELETE",
    "DELETE_OPERATIONS",
    "META_COLUMNS",
    "OPERATIONS",
    "OPERATION_COLUMN",
    "DeleteContext",
    "HoodieAvroIndexedRecord",
    "HoodieAvroRecord",
    "HoodieEmptyRecord",
    "HoodieKey",
    "HoodieRecord",
    "HoodieSparkRecord",
    "MetadataValues",
    "greater_ordering_value",
    "is_commit_time_delete",
    "row_ordering_value",
]
