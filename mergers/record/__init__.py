"""Carriers: a version of a record with its key: a payload, plain data, a column, a row, or a bare delete."""

from __future__ import annotations

from mergers.record.avro import HoodieAvroRecord
from mergers.record.base import (
    DELETE,
    DELETE_OPERATIONS,
    INSERT,
    OPERATIONS,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    HoodieKey,
    HoodieRecord,
)
from mergers.record.context import DeleteContext, greater_ordering_value, is_commit_time_delete, row_ordering_value
from mergers.record.empty import HoodieEmptyRecord
from mergers.record.flink import HoodieFlinkRecord
from mergers.record.flink_rows import FlinkRow
from mergers.record.indexed import HoodieAvroIndexedRecord
from mergers.record.metadata import META_COLUMNS, OPERATION_COLUMN, MetadataValues
from mergers.record.spark import HoodieSparkRecord

__all__ = [
    "DELETE",
    "DELETE_OPERATIONS",
    "INSERT",
    "META_COLUMNS",
    "OPERATIONS",
    "OPERATION_COLUMN",
    "UPDATE_AFTER",
    "UPDATE_BEFORE",
    "DeleteContext",
    "FlinkRow",
    "HoodieAvroIndexedRecord",
    "HoodieAvroRecord",
    "HoodieEmptyRecord",
    "HoodieFlinkRecord",
    "HoodieKey",
    "HoodieRecord",
    "HoodieSparkRecord",
    "MetadataValues",
    "greater_ordering_value",
    "is_commit_time_delete",
    "row_ordering_value",
]
