"""How a job runs on data: the job, its control columns, and the engines that run it."""

from __future__ import annotations

from bridge.engines.books import LEFT, READ, SIDES, Books, Fate, fates_of
from bridge.engines.books import columns as books_columns
from bridge.engines.commit_fates import CommitFates
from bridge.engines.control_columns import (
    ACTION,
    ADDED_TYPES,
    ARRIVAL,
    BOOKS,
    COMMIT,
    FIRST,
    IS_DELETE,
    KIND,
    LAST,
    MADE,
    NEWER,
    ORDERING,
    ORIGIN,
    PATH,
    PREFIX,
    QUARANTINE,
    SEQUENCE,
    TO_LOG,
    visible,
)
from bridge.engines.engine import Choice, Engine, engine_of, run
from bridge.engines.job import Job
from bridge.engines.jvm import (
    Recompiled,
    bundle_for,
    call_beside,
    check_spark,
    in_driver,
    recompiled,
    recompiled_warnings,
    with_strategy_id,
)
from bridge.engines.native import REFUSALS, ColumnMerges, Refusal, RowVersion, few_bytes, fits_one_task
from bridge.engines.ordering_text import to_text as ordering_text
from bridge.engines.python import RecordReader, RecordWriter, WholeKeys, arrow_schema, starts_of

__all__ = [
    "ACTION",
    "ADDED_TYPES",
    "ARRIVAL",
    "BOOKS",
    "COMMIT",
    "FIRST",
    "IS_DELETE",
    "KIND",
    "LAST",
    "LEFT",
    "MADE",
    "NEWER",
    "ORDERING",
    "ORIGIN",
    "PATH",
    "PREFIX",
    "QUARANTINE",
    "READ",
    "REFUSALS",
    "SEQUENCE",
    "SIDES",
    "TO_LOG",
    "Books",
    "Choice",
    "ColumnMerges",
    "CommitFates",
    "Engine",
    "Fate",
    "Job",
    "Recompiled",
    "RecordReader",
    "RecordWriter",
    "Refusal",
    "RowVersion",
    "WholeKeys",
    "arrow_schema",
    "books_columns",
    "bundle_for",
    "call_beside",
    "check_spark",
    "engine_of",
    "fates_of",
    "few_bytes",
    "fits_one_task",
    "in_driver",
    "ordering_text",
    "recompiled",
    "recompiled_warnings",
    "run",
    "starts_of",
    "visible",
    "with_strategy_id",
]
