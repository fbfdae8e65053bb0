"""What a user says about output: where it goes, in which format, partitioned how."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FORMATS = ("parquet", "orc", "avro")
"""What output is written as; Avro with Spark's own writer (spark-avro)."""


class Target(NamedTuple):
    """Where output goes, and how.

    Attributes:
        path: a local path, or a URI; or the name of a table.
        format: one of `FORMATS`.
        partition_by: the columns whose values name folders.
        overwrite: whether an output of this name is replaced.
        is_table: whether it is a table of the session's catalogue.
    """

    path: str
    format: str = "parquet"
    partition_by: tuple[str, ...] = ()
    overwrite: bool = False
    is_table: bool = False


def partitions_of(frame: DataFrame, target: Target) -> tuple[str, ...]:
    """Return the columns by which a frame is partitioned.

    Raises:
        InputError: one is missing.
    """
    missing = [column for column in target.partition_by if column not in frame.columns]
    if missing:
        msg = f"--partition-by {','.join(missing)}: the rows have no such column, only {', '.join(frame.columns)}"
        raise InputError(msg)
    return target.partition_by
