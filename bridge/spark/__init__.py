"""Spark itself: the session, what executors need, schemas, and the files that a user names."""

from __future__ import annotations

from bridge.spark.cluster import PACKAGES, Worker, check_workers, has_executors, prepare, versions, workers
from bridge.spark.columns import quoted, quoted_name
from bridge.spark.java import find_java
from bridge.spark.schema import (
    META_COLUMNS,
    avro_schema,
    decimal_size,
    only_branch,
    read_schema,
    spark_schema,
    with_meta,
)
from bridge.spark.session import SessionOptions, is_connect, local_session, session_of
from bridge.spark.small_input import in_one_task, is_small, kept
from bridge.spark.storage import Files, files_of, visible

__all__ = [
    "META_COLUMNS",
    "PACKAGES",
    "Files",
    "SessionOptions",
    "Worker",
    "avro_schema",
    "check_workers",
    "decimal_size",
    "files_of",
    "find_java",
    "has_executors",
    "in_one_task",
    "is_connect",
    "is_small",
    "kept",
    "local_session",
    "only_branch",
    "prepare",
    "quoted",
    "quoted_name",
    "read_schema",
    "session_of",
    "spark_schema",
    "versions",
    "visible",
    "with_meta",
    "workers",
]
