"""The columns `_pb_*` that accompany data: the origin and outcome of a version; their names and types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.merge import Action
from bridge.programs import Extra

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column, DataFrame

PREFIX = "_pb_"

# Of versions.
ORIGIN, COMMIT, ARRIVAL = "_pb_origin", "_pb_commit", "_pb_arrival"
KIND, SEQUENCE = "_pb_kind", "_pb_seq"
CLAUSE = "_pb_clause"  # see `Arrival`
PORT = "_pb_port"  # of the JVM that the worker of a row may call
GROUP = "_pb_group"  # the number of the file slice that a version of a real table is in
# Of outcomes; the first two of versions, too.
IS_DELETE, ORDERING = f"{PREFIX}{Extra.DELETE}", f"{PREFIX}{Extra.ORDERING}"
ACTION, TO_LOG = "_pb_action", f"{PREFIX}{Extra.TO_LOG}"
QUARANTINE, ROW_COUNTS, NEWER, MADE = "_pb_quarantine", "_pb_row_counts", "_pb_newer", "_pb_made"
STATUSES = "_pb_statuses"
FIRST, LAST, PATH = f"{PREFIX}{Extra.FIRST}", f"{PREFIX}{Extra.LAST}", f"{PREFIX}{Extra.PATH}"

_OWN = frozenset(
    {
        *(ORIGIN, COMMIT, ARRIVAL, KIND, SEQUENCE, CLAUSE, PORT, GROUP, IS_DELETE, ORDERING, ACTION, TO_LOG),
        *(QUARANTINE, ROW_COUNTS, NEWER, MADE, STATUSES, FIRST, LAST, PATH),
        # Of the versions of a table, and of rows in quarantine.
        *(f"{PREFIX}{name}" for name in ("slice", "instant", "file", "block", "position", "moment")),
        *(f"{PREFIX}{name}" for name in ("reason", "merge_point", "side")),
    }
)
"""The columns that a frame may have besides data; see `is_own`."""
SOURCE, TARGET = "_pb_source", "_pb_target"
"""The structs in which the expressions of a statement find the rows of the source and of the table."""
_OF_STATEMENT = re.compile(rf"{SOURCE}_\d+")

ADDED_TYPES: dict[str, spark_types.DataType] = {
    ACTION: spark_types.ByteType(),
    IS_DELETE: spark_types.BooleanType(),
    ORDERING: spark_types.StructType().add("type", "string").add("value", "string"),
    TO_LOG: spark_types.BooleanType(),
    GROUP: spark_types.IntegerType(),
    FIRST: spark_types.LongType(),
    LAST: spark_types.LongType(),
    PATH: spark_types.StringType(),
    # Rows with one of these are no outcomes: a version of a key that failed, and what became of the rows of a task.
    QUARANTINE: spark_types.StructType()
    .add("reason", "string")
    .add("merge_point", "string")
    .add("side", "string")
    .add("commit", "long")
    .add("kind", "string")
    .add("ordering", spark_types.StructType().add("type", "string").add("value", "string")),
    ROW_COUNTS: spark_types.StringType(),
    # In place of these texts: how many newer versions the key of an outcome has, and whether a merge made its row.
    NEWER: spark_types.LongType(),
    MADE: spark_types.BooleanType(),
    # Over time: what became of the rows of a key, in one of its outcomes; by the names of `RowStatus`.
    STATUSES: spark_types.StructType()
    .add("kept", "long")
    .add("merged", "long")
    .add("deleted", "long")
    .add("ignored", "long"),
}
"""The types of the columns that outcomes have."""

_VISIBLE = tuple(int(action) for action in (Action.INSERT, Action.UPDATE, Action.KEEP))


def is_own(name: str) -> bool:
    """Whether a frame may have a column besides data; the sources of MERGE INTO end with the number of their batch."""
    return name in _OWN or _OF_STATEMENT.fullmatch(name) is not None


def result_type(fields: Iterable[spark_types.StructField], added: Iterable[str]) -> spark_types.StructType:
    """Return the schema of outcomes: data columns, all nullable, and what is `added`."""
    result = spark_types.StructType()
    for field in fields:
        result.add(field.name, field.dataType)
    for name in added:
        result.add(name, ADDED_TYPES[name])
    return result


def is_visible() -> Column:
    """Whether an outcome leaves a row."""
    return sf.col(ACTION).isin(*_VISIBLE)


def visible(outcomes: DataFrame) -> DataFrame:
    """Return the rows that remain after the outcomes, as plain data."""
    kept = outcomes.where(is_visible())
    return kept.drop(ACTION, TO_LOG, ORDERING, QUARANTINE, ROW_COUNTS, NEWER, MADE)
