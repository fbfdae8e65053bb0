"""Spark itself: the session, what executors need, schemas, and the files that a user names."""

from __future__ import annotations

from bridge.spark import functions
from bridge.spark.access import Access, accesses
from bridge.spark.arrow_batches import fit_batches
from bridge.spark.arrow_tasks import map_in_arrow
from bridge.spark.arrow_types import ArrowColumn, from_arrow_schema, from_arrow_type, to_arrow_schema, to_arrow_type
from bridge.spark.catalog import catalog_location, catalog_tables
from bridge.spark.class_archive import cache_folder
from bridge.spark.cluster import (
    IMPORTS,
    Worker,
    add_module,
    check_java,
    check_workers,
    driver_java,
    has_executors,
    prepare,
    versions,
    workers,
)
from bridge.spark.columns import distinct_keys, from_keys, in_order, is_floating, key_columns, quoted, quoted_name
from bridge.spark.failures import AnalysisException, ParseException, PySparkException
from bridge.spark.java import find_java
from bridge.spark.jobs import RunJobs, Running, described
from bridge.spark.lines import line_of
from bridge.spark.listing import Files, batch_places, files_of, visible
from bridge.spark.observed import ObservedFrame, can_observe, observing
from bridge.spark.output import (
    OutputRun,
    check_target,
    discard,
    is_renamed,
    output,
    output_folder,
    write_file,
    write_texts,
)
from bridge.spark.output_table import TableRun, check_table
from bridge.spark.packed import pack
from bridge.spark.promotion import (
    common_type,
    common_types,
    converts_values,
    promoted,
    promotes_in_array,
    takes_bytes_for_text,
    takes_plain_for_logical,
    widens_decimal,
    with_types,
)
from bridge.spark.schema import (
    META_COLUMNS,
    avro_schema,
    decimal_size,
    is_schema_text,
    only_branch,
    read_schema,
    spark_schema,
    with_meta,
)
from bridge.spark.session import FAILURES, SessionOptions, is_connect, java_has_ended, local_session, session_of
from bridge.spark.session import is_local as is_local_master
from bridge.spark.small_input import in_one_task, is_small, kept
from bridge.spark.staged import staged_folder
from bridge.spark.storage import Place, is_local, local_path, place_of
from bridge.spark.storage_errors import advice_on, storage_errors
from bridge.spark.target import FORMATS as OUTPUT_FORMATS
from bridge.spark.target import Target

__all__ = [
    "FAILURES",
    "IMPORTS",
    "META_COLUMNS",
    "OUTPUT_FORMATS",
    "Access",
    "AnalysisException",
    "ArrowColumn",
    "Files",
    "ObservedFrame",
    "OutputRun",
    "ParseException",
    "Place",
    "PySparkException",
    "RunJobs",
    "Running",
    "SessionOptions",
    "TableRun",
    "Target",
    "Worker",
    "accesses",
    "add_module",
    "advice_on",
    "avro_schema",
    "batch_places",
    "cache_folder",
    "can_observe",
    "catalog_location",
    "catalog_tables",
    "check_java",
    "check_table",
    "check_target",
    "check_workers",
    "common_type",
    "common_types",
    "converts_values",
    "decimal_size",
    "described",
    "discard",
    "distinct_keys",
    "driver_java",
    "files_of",
    "find_java",
    "fit_batches",
    "from_arrow_schema",
    "from_arrow_type",
    "from_keys",
    "functions",
    "has_executors",
    "in_one_task",
    "in_order",
    "is_connect",
    "is_floating",
    "is_local",
    "is_local_master",
    "is_renamed",
    "is_schema_text",
    "is_small",
    "java_has_ended",
    "kept",
    "key_columns",
    "line_of",
    "local_path",
    "local_session",
    "map_in_arrow",
    "observing",
    "only_branch",
    "output",
    "output_folder",
    "pack",
    "place_of",
    "prepare",
    "promoted",
    "promotes_in_array",
    "quoted",
    "quoted_name",
    "read_schema",
    "session_of",
    "spark_schema",
    "staged_folder",
    "storage_errors",
    "takes_bytes_for_text",
    "takes_plain_for_logical",
    "to_arrow_schema",
    "to_arrow_type",
    "versions",
    "visible",
    "widens_decimal",
    "with_meta",
    "with_types",
    "workers",
    "write_file",
    "write_texts",
]
