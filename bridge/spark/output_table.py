"""Output to a table of the session's catalogue: written under another name, and renamed when all is written."""

from __future__ import annotations

import contextlib
import re
import uuid
from typing import TYPE_CHECKING

from bridge.errors import EngineError, InputError
from bridge.spark.target import partitions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from bridge.spark.target import Target

_PARTS = re.compile(r"(?:`(?:[^`]|``)+`|[^.`]+)(?=\.|$)")
_IN_MEMORY = "in-memory"


class TableRun:
    """What one run writes, before the table has its name."""

    def __init__(self, target: Target, staged: str) -> None:
        """Take the name under which the run writes."""
        self._target = target
        self._staged = staged

    def write(self, frame: DataFrame, name: str = "") -> None:
        """Write a frame as the table.

        Raises:
            InputError: a column of `partition_by` is missing; or there are several frames, which have names.
        """
        if name:
            raise self._refusal()
        columns = partitions_of(frame, self._target)
        frame.write.format(self._target.format).partitionBy(*columns).saveAsTable(self._staged)

    def aside(self, _frame: DataFrame, _name: str) -> DataFrame:
        """Refuse what has several results."""
        raise self._refusal()

    def drop(self, _name: str) -> None:
        """Do nothing: there is nothing aside."""

    def _refusal(self) -> InputError:
        msg = f"--out-table {self._target.path} is one table, and there are several results; name a folder with --out"
        return InputError(msg)


def check_table(spark: SparkSession, target: Target, *, ends: bool = False) -> None:
    """Refuse a table that exists; or, if the session `ends` with the verb, a catalogue that ends with it.

    Raises:
        InputError: there is such a table, or its name is none.
        EngineError: the table would be forgotten.
    """
    _beside(target.path, "")
    in_memory = spark.conf.get("spark.sql.catalogImplementation") == _IN_MEMORY and _is_of_session(spark, target)
    if in_memory and (ends or target.partition_by):
        # It keeps the old folders of partitions where a table is renamed.
        what = "ends with the command" if ends else "can't rename a table with partitions"
        msg = (
            f"--out-table {target.path}: the catalogue of this session is in memory, and {what}; add "
            "--conf spark.sql.catalogImplementation=hive, name a table of another catalogue, or write to --out"
        )
        raise EngineError(msg)
    if not target.overwrite and spark.catalog.tableExists(target.path):
        msg = f"--out-table {target.path} already exists; name another table, or replace it with --overwrite"
        raise InputError(msg)


@contextlib.contextmanager
def output_table(spark: SparkSession, target: Target) -> Iterator[TableRun]:
    """Yield a run that becomes the table if the block succeeds, and leaves nothing if it fails.

    Raises:
        InputError: there is a table of this name already, also if another process made it meanwhile.
    """
    check_table(spark, target)
    run = uuid.uuid4().hex[:12]
    staged, old = (_beside(target.path, f"_payload_bridge_{run}{end}") for end in ("", "_old"))
    try:
        yield TableRun(target, staged)
        check_table(spark, target)
        _publish(spark, staged, target.path, old)
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {staged}")


def _publish(spark: SparkSession, staged: str, name: str, old: str) -> None:
    """Give the run its name; the old table keeps it until then."""
    replaces = spark.catalog.tableExists(name)
    if replaces:
        spark.sql(f"ALTER TABLE {name} RENAME TO {old}")
    try:
        spark.sql(f"ALTER TABLE {staged} RENAME TO {name}")
    except BaseException:  # Ctrl-C as well: the old table must not keep the other name
        if replaces and not spark.catalog.tableExists(name):
            spark.sql(f"ALTER TABLE {old} RENAME TO {name}")
        raise
    if replaces:
        spark.sql(f"DROP TABLE {old}")


def _beside(name: str, other: str) -> str:
    """Return the name of another table in the same database.

    Raises:
        InputError: the name is none that Spark takes.
    """
    parts = _PARTS.findall(name)
    if ".".join(parts) != name or not parts:
        msg = f"--out-table {name} is not the name of a table; write DATABASE.TABLE, with odd names in backquotes"
        raise InputError(msg)
    return ".".join([*parts[:-1], other])


def _is_of_session(spark: SparkSession, target: Target) -> bool:
    """Whether the table is in Spark's own catalogue."""
    catalogue = "spark_catalog"
    parts = _PARTS.findall(target.path)
    named = parts[0].strip("`") if len(parts) > 2 else _current(spark)  # noqa: PLR2004 (catalogue, database, table)
    return bool(named == catalogue)


def _current(spark: SparkSession) -> str:
    """Return the current catalogue; PySpark has a function for it from 3.4 on."""
    return str(spark.sql("SELECT current_catalog()").collect()[0][0])
