"""Spark itself: the session, schemas, and the files that a user names."""

from __future__ import annotations

from bridge.spark.columns import quoted, quoted_name
from bridge.spark.schema import (
    META_COLUMNS,
    avro_schema,
    decimal_size,
    only_branch,
    read_schema,
    spark_schema,
    with_meta,
)
from bridge.spark.session import local_session
from bridge.spark.small_input import in_one_task, is_small, kept
from bridge.spark.storage import Files, files_of, visible

__all__ = [
    "META_COLUMNS",
    "Files",
    "avro_schema",
    "decimal_size",
    "files_of",
    "in_one_task",
    "is_small",
    "kept",
    "local_session",
    "only_branch",
    "quoted",
    "quoted_name",
    "read_schema",
    "spark_schema",
    "visible",
    "with_meta",
]
