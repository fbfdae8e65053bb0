"""Batches onto a real table: its rows as the stored side, and its log as it is."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.compare.both_sides import compare
from bridge.compare.comparison import Comparison, table_release
from bridge.compare.merging_engine import check_in_tasks
from bridge.compare.upgrade_compaction import check_compaction
from bridge.engines import ARRIVAL, COMMIT, IS_DELETE, KIND, ORDERING, ORIGIN, SEQUENCE
from bridge.errors import PlanError
from bridge.hudi import files_of
from bridge.pipeline import Batches, as_batches, join_rows
from bridge.programs import Origin, is_downgrade
from bridge.spark import META_COLUMNS, distinct_keys, quoted
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.compare.replay_report import ReplayReport
    from bridge.hudi import HudiTable
    from bridge.pipeline import BatchesLike
    from bridge.plan import MergePlan
    from payloads import HudiRelease, PayloadRef

BASE, DELETE, PARTIAL = "base", "delete", "partial"
"""Kinds of versions in `HudiTable.versions`."""


class OntoTable(Batches):
    """Batches together with the versions that a table has of their keys."""

    def __init__(self, batches: Batches, stored: DataFrame) -> None:
        """Take the batches, and the versions of `HudiTable.versions`."""
        self.__dict__.update(batches.__dict__)
        self._stored = stored
        self._batches = batches

    def versions(self, plan: MergePlan) -> DataFrame:
        """Return the versions that the table has of the batches' keys, as commit 0, and the rows of the batches."""
        written = self._batches.versions(plan)
        # Rows of the two arrive in orders of different types.
        kind = written.schema[ARRIVAL].dataType
        in_log, in_batch = sf.col(ARRIVAL).alias("in_log"), sf.col(ARRIVAL).alias("in_batch")
        no_log, no_batch = sf.lit(None).cast("bigint").alias("in_log"), sf.lit(None).cast(kind).alias("in_batch")
        written = written.withColumn(ARRIVAL, sf.struct(no_log, in_batch)).withColumn(
            ORIGIN, sf.lit(int(Origin.INCOMING)).cast("tinyint")
        )
        own = as_versions(self._stored).withColumn(COMMIT, sf.lit(0))
        own = own.withColumn(ARRIVAL, sf.struct(in_log, no_batch))
        is_base = sf.col(KIND) == BASE
        origin = sf.when(is_base, int(Origin.STORED)).otherwise(int(Origin.LOG)).cast("tinyint")
        own = own.withColumn(ORIGIN, origin).drop(KIND)
        keys = distinct_keys(written, plan.identity)
        touched = join_rows(own, keys, plan.identity, "leftsemi", or_empty=plan.partition)
        return written.unionByName(touched, allowMissingColumns=True)


def as_versions(stored: DataFrame, *more: str) -> DataFrame:
    """Return versions of a table as rows of batches: without meta columns, with the marks of deletes."""
    data = [quoted(name) for name in stored.columns if name not in META_COLUMNS and not name.startswith("_pb_")]
    is_delete = (sf.col(KIND) == DELETE).alias(IS_DELETE)
    return stored.select(*data, is_delete, ORDERING, sf.col(SEQUENCE).alias(ARRIVAL), KIND, *more)


def replay_batches(  # noqa: PLR0913 (keyword-only settings of one comparison)
    table: HudiTable,
    batches: BatchesLike,
    to: str | HudiRelease,
    *,
    payload: str | PayloadRef | None = None,
    props: Mapping[str, str] | None = None,
    keep_table_version: bool = False,
    as_of: str | None = None,
) -> ReplayReport:
    """Replay batches onto a real table twice: under its own release, and under another one that upgrades it.

    The stored rows and log entries are the table's own, so the result is exact for these batches; nothing is written.
    The other release upgrades the table in its first write, unless it keeps the table's version. For rows that no batch
    touches, see `replay_readers`.

    Args:
        table: the table, opened with the release that has written it so far.
        batches: the batches to write next.
        to: the other release, which must not be older.
        payload: the class that the writer passes; None for the table's.
        props: other options of the writer.
        keep_table_version: the other release leaves the table at its version.
        as_of: an instant, by its requested time: onto the table as it was then. None for the latest.

    Raises:
        ParameterError: `to` is not a release; or the table was opened for the native engine.
        PlanError: `to` is older, or no upgrade leads to it; a batch has an operation other than upsert; the table
            formats its partition values, the other release finds other files of it, or the compaction in the upgrade
            would change rows or leave some out.
        PayloadBridgeError, PySparkException: merging under the table's own release fails. If only the other side fails,
            it is REFUSED.
        InputError: a batch does not fit the table.
    """
    check_in_tasks(table, "a replay of batches", {"native"})
    written, release = as_batches(batches), table_release(to)
    if written.operations:
        msg = "only upserts are supported for batches onto a real table; leave other operations out"
        raise PlanError(msg)
    if table.queries().properties.formats_partitions:
        msg = (
            f"{table.path} formats its partition values, and writes to such a table are not predicted; leave the "
            "batches out"
        )
        raise PlanError(msg)
    left = table.plan(payload=payload, props=props)
    right = dataclasses.replace(left, table=None, release=release)
    if is_downgrade(left, right):
        msg = f"Hudi {right.release} is older than {left.release}; name a later release"
        raise PlanError(msg)
    _check_files(table, right.release, as_of)
    stored = table.versions(as_of, all_slices=False)
    sides = Comparison(
        left,
        right,
        len(written),
        upgrade_after=0,
        keep_table_version=keep_table_version,
        to=str(to),
        properties=table.properties,
        path=table.path,
    )
    if _upgrades(sides):
        check_compaction(table, right.release)
    return compare(OntoTable(written, stored), sides)


def _check_files(table: HudiTable, release: HudiRelease, as_of: str | None) -> None:
    """Check that another release finds the same files; where it refuses the table, the comparison says so.

    Raises:
        PlanError: it does not.
    """
    opened = table.queries()
    own = files_of(opened.snapshot(as_of).slices)
    try:
        other = files_of(opened.read_by(release).snapshot(as_of).slices)
    except PayloadBridgeError:
        return
    if own != other:
        msg = (
            f"{table.path}: Hudi {release} finds other files than Hudi {table.release}, because only one of them "
            f"reads the metadata table (for example {min(own ^ other)}), so its writes are not predicted; inspect "
            "names the files, and compare-readers shows the rows; repair the metadata table, or leave the batches out"
        )
        raise PlanError(msg)


def _upgrades(sides: Comparison) -> bool:
    """Whether the right side upgrades the table; where its release refuses, the comparison says so."""
    change = None
    with contextlib.suppress(PayloadBridgeError):
        change = sides.handover()
    return change is not None and change.upgraded is not None
