"""A new Hudi table of merged rows, made by Hudi's own writer in one commit."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as sf

from bridge.config import assumed_writer, capabilities, keys
from bridge.errors import EngineError, InputError, PlanError
from bridge.hudi import HudiTable, TableQueries
from bridge.pipeline import data_fields
from bridge.spark import META_COLUMNS, Target, is_renamed, output_folder, place_of, quoted
from bridge.write.changes import check_columns
from bridge.write.hudi_writer import bulk_insert, check_writer_is_there, newest_version
from mergers import RecordMergeMode
from payloads import HudiRelease
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from bridge.plan import MergePlan
    from bridge.spark import OutputRun, Place

_MODE: Final = RecordMergeMode.COMMIT_TIME_ORDERING
_LATEST: Final = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
_MERGING: Final = {
    keys.MERGE_MODE.key,
    keys.WRITE_MERGE_MODE.key,
    keys.WRITE_PAYLOAD_CLASS.key,
    keys.WRITE_STRATEGY_ID.key,
}
_SEVERAL: Final = "a Hudi table holds one result, but there are several; leave out the quarantine"
_NEWEST: Final = HudiRelease.latest()


def write_table(  # noqa: PLR0913 (keyword-only settings of one table)
    rows: DataFrame,
    path: str,
    plan: MergePlan,
    *,
    table_version: int | None = None,
    write_options: Mapping[str, str] | None = None,
    overwrite: bool = False,
) -> HudiTable:
    """Write rows as a new Hudi table, by the writer of the session's bundle, in one `bulk_insert`.

    Every reader shows the rows unchanged. Unless `write_options` name a mode or payload class, the last write wins
    (COMMIT_TIME_ORDERING; in version 6 OverwriteWithLatestAvroPayload, by which the greatest ordering value wins within
    a batch if the plan or an option names an ordering field). Partition paths are `column=value` or encoded if the
    `props` of the plan say so. Meta columns of the rows are replaced by those of the new commit. Rows with the same key
    are all kept.

    Args:
        rows: merged rows, such as those of `upsert` or `HudiTable.snapshot`.
        path: the base path, local or on HDFS; it appears only when the table is complete.
        plan: names the table's key, partition and type.
        table_version: the table version (6, 8 or 9) of the new table; None for the bundle's own.
        write_options: other options of Hudi's own writer.
        overwrite: whether an existing path is replaced.

    Raises:
        InputError: the path exists or is on an object store; the plan names no key; or a row is flagged as deleted.
        PlanError: an option contradicts the plan or the table version, or registers the table before it has its name;
            or Hudi's writer would use a column as ordering field that was not named.
        EngineError: the session has no Hudi bundle, or one that does not write this version; or executors have written
            elsewhere.
        PySparkException, Py4JJavaError: Hudi refuses, or fails.
    """
    spark = rows.sparkSession
    with new_table(
        spark, Target(path, overwrite=overwrite), plan, table_version=table_version, write_options=write_options
    ) as run:
        run.write(rows)
    return HudiTable(spark, path, _NEWEST)


@contextlib.contextmanager
def new_table(
    spark: SparkSession,
    target: Target,
    plan: MergePlan,
    *,
    table_version: int | None = None,
    write_options: Mapping[str, str] | None = None,
) -> Iterator[NewTableRun]:
    """Yield a run whose rows become a table if the block succeeds; errors as in `write_table`."""
    check_place(target, place_of(target.path, spark))
    check_writer_is_there(spark)
    settings = table_options(plan, target.path, newest_version(spark), table_version, write_options or {})
    with output_folder(spark, target) as run:
        yield NewTableRun(run, plan, settings, table_version)


class NewTableRun:
    """The table that one run makes, before it has its name."""

    def __init__(self, run: OutputRun, plan: MergePlan, options: Mapping[str, str], version: int | None) -> None:
        """Take the run whose folder Hudi writes to, and how."""
        self._run = run
        self._plan = plan
        self._options = options
        self._version = version

    def write(self, frame: DataFrame, name: str = "") -> None:
        """Write the rows.

        Raises:
            InputError: they have a name: there are several results; or Hudi would delete or change what is written.
            EngineError: Hudi wrote another table version, or executors elsewhere.
            PlanError: Hudi stored an ordering field that nobody named.
        """
        if name:
            raise InputError(_SEVERAL)
        missing = [column for column in self._plan.identity if column not in frame.columns]
        if missing:
            msg = f"the rows have no {', '.join(missing)}, which identify them in the table; keep these columns"
            raise InputError(msg)
        names = [field.name for field in data_fields(frame) if field.name not in META_COLUMNS]
        rows = frame.select(*map(quoted, names)).persist()  # Hudi's writer reads its rows several times
        try:
            rows.write.format("noop").mode("overwrite").save()
            _check_rows(rows)
            bulk_insert(rows, self._run.place, self._options)
        finally:
            rows.unpersist()
        self._check_written(frame.sparkSession, TableQueries(str(self._run.place)))

    def _check_written(self, spark: SparkSession, written: TableQueries) -> None:
        version = written.properties.version
        if self._version not in {None, version}:
            msg = f"Hudi wrote table version {version}, not {self._version}; name a bundle that writes this version"
            raise EngineError(msg)
        named = {*self._plan.ordering, *_ordering_of(self._options)}
        hidden = [name for name in written.properties.merge.ordering if name not in named]
        if hidden and self._options.get(keys.WRITE_PAYLOAD_CLASS.key) == _LATEST:
            msg = (
                f"Hudi's writer made {', '.join(hidden)} the ordering field, which nobody named, so the last write "
                f"would not win; name it ({keys.WRITE_PRECOMBINE.key}), rename the column, or write another version"
            )
            raise PlanError(msg)
        commits = written.timeline.written(written.timeline.commits)
        files = [Path(self._run.place.path, folder, file) for folder, names in commits.items() for file in names]
        self._run.check_disks(spark, lambda: all(file.is_file() for file in files))

    def aside(self, _frame: DataFrame, _name: str) -> DataFrame:
        """Refuse what several results are made from.

        Raises:
            InputError: always.
        """
        raise InputError(_SEVERAL)

    def drop(self, name: str) -> None:
        """Do nothing: a Hudi table holds no quarantined keys."""


def check_place(target: Target, place: Place) -> None:
    """Refuse a place where a table can't be written under another name first.

    Raises:
        InputError: saying what to name instead.
    """
    if not is_renamed(place):
        msg = (
            f"{target.path}: a new table is renamed into place when it is complete, but an object store can't "
            "rename; name a local folder or one on HDFS, or write the rows there and let Hudi load them"
        )
        raise InputError(msg)


def table_options(
    plan: MergePlan, path: str, newest: int, version: int | None, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the options of Hudi's writer for a new table.

    Args:
        plan: what names key, partition and type.
        path: of the table, whose last part is its name.
        newest: the table version that the session's Hudi writes by itself.
        version: the one that is wanted; None for that.
        given: other options.

    Raises:
        PlanError: an option contradicts the plan or the version.
        InputError: the rows have no key of columns.
        EngineError: the session's Hudi does not write the version.
    """
    if any(name in META_COLUMNS for name in plan.key):
        msg = "the keys of these rows are generated, and a new table would generate others; name key columns"
        raise InputError(msg)
    wanted, own = newest if version is None else version, capabilities(assumed_writer(newest))
    if wanted not in own.writable_versions:
        known = ", ".join(map(str, own.writable_versions))
        msg = f"this session's Hudi writes table version {known}, not {wanted}; start it with another bundle"
        raise EngineError(msg)
    needed = {
        keys.WRITE_TABLE_TYPE: plan.table_type.name,
        keys.WRITE_OPERATION: "bulk_insert",
        keys.WRITE_RECORD_KEY: ",".join(plan.key),
        keys.WRITE_PARTITION: ",".join(plan.partition),
    }
    if version is not None and own.keeps_version:
        needed |= {keys.WRITE_TABLE_VERSION.key: str(wanted), keys.AUTO_UPGRADE.key: "false"}
    for name, text in given.items():
        if name.startswith(keys.SYNC) and text.strip().lower() != "false":
            msg = f"the option {name} would register the table before it is in place; sync it when it is complete"
            raise PlanError(msg)
        if needed.get(name, text) != text:
            msg = f"the option {name}={text} contradicts {needed[name] or 'none'}, which the plan sets; leave it out"
            raise PlanError(msg)
    merging = {}
    if not _MERGING & given.keys():
        has_modes = capabilities(_NEWEST, wanted).stored_modes
        merging = (
            {keys.MERGE_MODE.key: _MODE.value, keys.WRITE_MERGE_MODE.key: _MODE.value}
            if has_modes
            else {keys.WRITE_PAYLOAD_CLASS.key: _LATEST}
        )
    name = path.rstrip("/").rpartition("/")[2]
    layout = {name: plan.props[name] for name in keys.LAYOUT if name in plan.props}
    return {keys.TABLE_NAME: name, **layout, **merging, **needed, **given}


def _ordering_of(options: Mapping[str, str]) -> set[str]:
    named = (options.get(name, "") for name in (keys.WRITE_PRECOMBINE.key, *keys.ORDERING_FIELDS.names(_NEWEST)))
    return {field.strip() for text in named for field in text.split(",")}


def _check_rows(rows: DataFrame) -> None:
    check_columns(rows)
    if IS_DELETED in rows.columns and not rows.where(sf.col(IS_DELETED)).isEmpty():
        msg = f"a row has {IS_DELETED}=true, and Hudi would not write it; rename the column"
        raise InputError(msg)
