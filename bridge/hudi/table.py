"""HudiTable: a table on storage, and the answers that its readers give, as lazy DataFrames.

All slices are read by tasks of our own, not by Spark's Parquet source: columns, partition values and meta columns then
follow one set of rules with a log and without. A key lives in one slice of a partition, so nothing is shuffled.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bridge.config import readers_of
from bridge.engines import in_executors
from bridge.hudi.engine_rows import engine_rows
from bridge.hudi.errors import UnreadableTableError, warn_of_altered
from bridge.hudi.queries import LATEST_STATE, Answer, TableQueries
from bridge.hudi.selection import kept_slices
from bridge.hudi.slice_tasks import answer_columns, read_slices, slices_of, versions_of
from bridge.hudi.table_class import ON_FRAMES
from bridge.hudi.table_display import instant_rows, slice_rows, table_html
from bridge.hudi.table_rows import conditions_of, kept_before, known_columns, selected, selected_numbers
from bridge.plan import CALL_TIMEOUT
from bridge.redaction import current
from bridge.spark import map_in_arrow, quoted, spark_schema
from payloads import HudiRelease, PayloadRef
from payloads.arguments import checked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql import types as spark_types

    from bridge.config import EffectiveMergeConfig
    from bridge.hudi.written_files import AlteredFile
    from bridge.plan import MergePlan
    from payloads import HoodieRecordPayload


class HudiTable:
    """A Hudi table, read in place without Hudi's jars.

    Each query reads the current state of the table: the commits that have completed at that moment. The first raises an
    `AlteredTableWarning` if files are missing or have another size; `check_whole` refuses such a table.
    """

    @checked
    def __init__(  # noqa: PLR0913 (what is known of it)
        self,
        spark: SparkSession,
        path: str,
        release: str | HudiRelease | None = None,
        *,
        bootstrap: str | None = None,
        payload: str | type[HoodieRecordPayload] | PayloadRef | None = None,
        call_timeout: int = CALL_TIMEOUT,
        engine: Literal["auto", "native", "jvm", "python"] = "auto",
    ) -> None:
        """Open a table.

        Args:
            spark: the session whose tasks read.
            path: the table's base path, which executors must reach: a local one, or a URI that Arrow can read.
            release: the release that reads; None for the one that counts as the table's writer: 0.13 for table versions
                3 and 5, 0.15 for 6, 1.0 for 8, 1.1 for 9.
            bootstrap: the folder with the source files of a bootstrapped table, if they have moved.
            payload: the class that merges, in place of the table's own class or mode. A class that Hudi does not ship
                must be given, as properties alone load no code; a compiled one, with its jars, runs in the JVMs of the
                executors.
            call_timeout: how many seconds a call of that class may take; 0 for any time.
            engine: the engine that merges snapshots: Python workers (`python`, which `auto` picks), Spark expressions
                (`native`), or the compiled class in the JVM (`jvm`).

        Raises:
            HudiTableError: the path has no Hudi table, or one that is not supported.
            PayloadConfigError: unknown release.
            PayloadNotFoundError: there is no Python class of that name, or no jar has the compiled one.
            PlanError, EngineError, PayloadConstructorError: there is no such engine, or the release can't run the
                compiled class, as `ClassLinkError` where it does not link.
        """
        self.spark = spark
        self._given: dict[str, Any] = {"bootstrap": bootstrap, "payload": payload}
        self._given |= {"call_timeout": call_timeout, "engine": engine}
        in_tasks = functools.partial(in_executors, spark=spark)
        self._open = functools.partial(TableQueries, path, release, **self._given, in_tasks=in_tasks)
        self.path, opened = path, self._open()
        self._numbers = functools.partial(selected_numbers, spark)
        self.release = opened.release
        self._properties = opened.properties
        self._is_looked_at = False

    @property
    def config(self) -> EffectiveMergeConfig:
        """The merge settings that hold for this table in this release, without options of a writer."""
        return self._properties.config(self.release)

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that identify a row: partition and key fields; empty where keys are generated."""
        partition = self._properties.partition_fields
        keys = self._properties.key_fields
        return (*partition, *(name for name in keys if name not in partition)) if keys else ()

    @property
    def jars(self) -> tuple[str, ...]:
        """The paths of the jars with the compiled class that merges, absolute; empty for any other class."""
        return tuple(str(Path(one).absolute()) for one in getattr(self._given["payload"], "jars", ()))

    @property
    def lacks_class(self) -> bool:
        """Whether nothing can be merged: only the properties name the class, or they contradict each other."""
        return self._open().unnamed_class is not None

    @property
    def keys(self) -> tuple[str, ...]:
        """The record key fields; empty where keys are generated."""
        return self._properties.key_fields

    def read_by(self, release: str | HudiRelease) -> HudiTable:
        """Return the table as another release reads it.

        Raises:
            HudiTableError: the release can't read the table's version.
        """
        other = HudiTable(self.spark, self.path, release, **self._given)
        other._is_looked_at = self._is_looked_at
        return other

    def copied_to(self, path: str) -> HudiTable:
        """Return a copy of the table, or of a part of it, as the same release reads it.

        Raises:
            HudiTableError: the path has no Hudi table.
        """
        copy = HudiTable(self.spark, path, self.release, **self._given)
        copy._is_looked_at = True  # a part lacks files on purpose
        return copy

    @property
    def is_merge_on_read(self) -> bool:
        """Whether file slices may have logs."""
        return self._properties.may_have_logs

    @property
    def properties(self) -> dict[str, str]:
        """What the table stores in its `hoodie.properties`."""
        return dict(self._properties.stored)

    @property
    def columns(self) -> spark_types.StructType:
        """The columns of the table as it is now, without meta columns."""
        return spark_schema(self._open().snapshot().query.schema)

    @property
    def has_meta_columns(self) -> bool:
        """Whether the meta columns have values, which name the commit of a row."""
        return self._properties.has_meta_fields

    def plan(
        self,
        release: str | HudiRelease | None = None,
        *,
        payload: str | PayloadRef | None = None,
        props: Mapping[str, str] | None = None,
    ) -> MergePlan:
        """Return how the table's versions merge: by its own settings, key, partition and ordering fields.

        Args:
            release: whose rules; None for the release that reads.
            payload: the class that a writer passes; None for the table's.
            props: other options of a writer.

        Raises:
            PayloadBridgeError: the release can't read the table, or there is no such class.
        """
        opened = self._open() if release is None else self._open().read_by(release)
        schema = opened.snapshot().query.schema
        if payload is None and opened.unnamed_class is not None:
            raise UnreadableTableError(opened.unnamed_class)
        named = PayloadRef(payload) if isinstance(payload, str) else payload or opened.plan.payload
        plan = dataclasses.replace(opened.plan, payload=named, props=dict(props or {}), schema=schema)
        return plan if plan.runs_java else dataclasses.replace(plan, engine="python")

    def _repr_html_(self) -> str:
        return table_html(self.path, self._open)

    @property
    def readers(self) -> tuple[HudiRelease, ...]:
        """The releases that read tables of this version, the oldest first."""
        return readers_of(self._properties.merge)

    @property
    def instants(self) -> DataFrame:
        """The active timeline: requested time, action, state, completion time (table versions 8 and 9)."""
        return instant_rows(self.spark, self._open())

    @property
    def file_slices(self) -> DataFrame:
        """The slices of a snapshot: partition, file id, base instant, base file, log files in order, bytes."""
        return slice_rows(self.spark, self._open())

    def snapshot(
        self,
        as_of: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        where: str | Column | None = None,
        schema_on_read: bool = False,
    ) -> DataFrame:
        """Return the merged rows that a predicate selects.

        The answer equals `snapshot().where(where).select(columns)` for every payload. Conditions of a `where` in SQL on
        partition columns alone skip partitions; `column = literal` and `column IN (literals)` on all record key
        fields, or on `_hoodie_record_key`, skip other keys; everything else acts on merged rows. Of the columns, those
        are read that the answer, the predicate and the merge need.

        Args:
            as_of: an instant, by its requested time: the rows as they were then. None for the latest.
            columns: what the answer shows, in this order; None for all, with meta columns.
            where: a condition in Spark SQL, or a Column, which acts on merged rows alone.
            schema_on_read: whether columns that ALTER TABLE renamed keep the values of older files, as in Hudi with
                `hoodie.schema.on.read.enable=true`; else columns are matched by name.

        Raises:
            HudiTableError: the table can't be read, or not as of that instant, or it has no such column.
            InputError: Spark can't read the predicate.
        """
        return self._frame(self.queries().snapshot(as_of, schema_on_read=schema_on_read), columns, where)

    def snapshot_outcomes(self, as_of: str | None = None, *, where: str | None = None) -> DataFrame:
        """Return the rows of `snapshot`, and all versions of the keys that can't be merged and have no row in it.

        `_pb_quarantine` is null in a row; in a version it has reason, merge_point, side (stored, log), kind (data,
        delete) and the ordering of a delete entry. A `where` chooses rows, and versions only by partition and key.

        Raises:
            HudiTableError, InputError: as in `snapshot`.
        """
        opened = self.queries().snapshot(as_of)
        answer = opened._replace(query=dataclasses.replace(opened.query, quarantines=True))
        return self._frame(answer, None, where)

    def read_optimized(self, *, columns: Sequence[str] | None = None, where: str | Column | None = None) -> DataFrame:
        """Return the rows of base files only; rows that are only in logs are missing.

        Args:
            columns: as for `snapshot`.
            where: as for `snapshot`.

        Raises:
            HudiTableError: the table can't be read, or it has no such column.
            InputError: Spark can't read the predicate.
        """
        return self._frame(self.queries().read_optimized(), columns, where)

    def incremental(
        self,
        begin: str,
        end: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        where: str | Column | None = None,
        form: str = LATEST_STATE,
    ) -> DataFrame:
        """Return the rows that commits after `begin`, up to `end`, wrote.

        Args:
            begin: completion time in table versions 8 and 9, requested time below; 1.0 includes it in version 8.
            end: the last such time; None for the newest.
            columns: as for `snapshot`.
            where: as for `snapshot`.
            form: `latest_state`; Hudi's other one, `cdc`, is refused.

        Raises:
            HudiTableError: the table can't be read so, or it has no such column.
            InputError: Spark can't read the predicate.
        """
        return self._frame(self.queries().incremental(begin, end, form), columns, where)

    def versions(self, as_of: str | None = None, *, all_slices: bool = True) -> DataFrame:
        """Return every version of each key that the files still hold, as stored; one partition a file group.

        The columns are those of the table with meta columns (key and partition path are never null), and
        `_pb_slice`, `_pb_instant` and `_pb_file string` (the slice's instant, that of the base file or log block, the
        file's name), `_pb_block bigint` (the byte where the log block begins), `_pb_position bigint` (which row of the
        file or block), `_pb_seq bigint` (the order within the file group, in which the release merges), `_pb_kind
        string` and `_pb_ordering struct<type:string,value:string>`. A kind is `base` (a row of a base file, which may
        be older than the file: see `_hoodie_commit_time`), `data`, `partial` (the updated columns alone) or `delete`,
        whose row has the key's and partition's columns alone, and whose entry has `_pb_ordering`.

        Blocks that do not count, of commits that never completed or were rolled back, are left out.

        Args:
            as_of: an instant (requested time): as the table was then.
            all_slices: whether older and replaced file slices are read, too; else only those of a snapshot.

        Raises:
            HudiTableError: the table can't be read.
        """
        return versions_of(self.spark, self.queries(), as_of, all_slices=all_slices)

    def queries(self, *, looks: bool = True) -> TableQueries:
        """Return queries that all read the table as it is now; the first call warns of altered files if it `looks`."""
        opened = self._open()
        if looks and not self._is_looked_at:
            self._is_looked_at = True
            warn_of_altered(self.path, opened.listings.altered_files())
        return opened

    def altered_files(self) -> list[AlteredFile]:
        """Return the files of completed commits that are missing, or have another size, by path; no warning follows.

        Raises:
            HudiTableError: a commit can't be read.
        """
        self._is_looked_at = True
        return self._open().listings.altered_files()

    def in_partitions(self, answer: Answer, where: str) -> Answer:
        """Return an answer without the file slices whose partitions a condition in SQL excludes."""
        return Answer(answer.query, kept_slices(answer, conditions_of(where), self._numbers))

    def slices_of(self, answer: Answer) -> DataFrame:
        """Return the file slices of an answer, one a row, for tasks that read them with `slices_in`."""
        return slices_of(self.spark, answer.query, answer.slices)

    def rows_of(self, answer: Answer) -> DataFrame:
        """Return the merged rows of an answer.

        Raises:
            UnreadableTableError: only the table names the class that merges them.
            PlanError: the engine does not merge them.
        """
        if answer.query.unnamed_class is not None and any(found.data_logs for found in answer.slices):
            raise UnreadableTableError(answer.query.unnamed_class)
        columns = answer_columns(answer.query)
        current().learn(columns.jsonValue())
        if answer.query.plan.engine in ON_FRAMES:
            return engine_rows(self.spark, answer)
        return map_in_arrow(self.slices_of(answer), functools.partial(read_slices, answer.query), columns)

    def _frame(
        self, answer: Answer, columns: Sequence[str] | None = None, where: str | Column | None = None
    ) -> DataFrame:
        names = None if columns is None else known_columns(self.path, answer, columns)
        kept = self.rows_of(kept_before(answer, names, where, self._numbers))
        rows = kept if where is None else selected(kept, where)
        return rows if names is None else rows.select(*map(quoted, names))
