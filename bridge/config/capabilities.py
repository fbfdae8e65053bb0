"""What each Hudi release can do, and what a table of each version stores: one row a release.

A rule inside a payload class or a merger is a `by_release` table of that class, and what runs at each merge point is in
`bridge.merge.points`. Everything else looks them up here, and no other module of `bridge` compares releases.
"""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, replace
from typing import Final

from payloads.release import HudiRelease

_MODES_SINCE: Final = 8
_SUCCESSORS_SINCE: Final = 9


class UpgradeCompaction(enum.Enum):
    """How an upgrade treats the log of a merge-on-read table."""

    NONE = "leaves it"
    PLANNED = "plans a compaction, which the writer runs after its first commit if it compacts inline"
    RUN = "compacts it"


class LogUnits(enum.Enum):
    """Which unit the timestamps of log blocks have, and those of base files where they are labelled wrongly."""

    OF_TABLE = "that of the table's schema"
    MICROS = "microseconds"
    REPAIRED_LOCAL = "the same, and so local timestamps"
    REPAIRED = "their own, but milliseconds for microseconds where the table's schema says so; base files, too"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """A release, on tables of one version.

    Attributes:
        release: the release.
        bundle: the Maven version of the bundles whose behaviour is ported.
        newest_spark: the newest Spark 3 with a bundle of Scala 2.12.
        on_spark_4: the bundle of Scala 2.13 that ran on Spark 4.0; None where none is known to.
        is_assumed_writer: counts as the writer of tables of the version that it creates, if nothing says who it was;
            one release a version.
        writable_versions: the table versions that it writes, or upgrades in its first write (HoodieTableVersion), the
            oldest first.
        keeps_version: a writer can leave a table at an older version (`hoodie.write.table.version`), else its first
            write upgrades it.
        table_version: the version of the table; that of a new table where none is named.
        mergers: payloads merge behind HoodieRecordMerger, and a merge-on-read table stores its strategy id.
        merge_modes: merges by RecordMergeMode, and tables of its own store one (HoodieTableConfig).
        payload_writer: writers merge with payload objects (HoodieWriteHelper, HoodieMergeHandle), else by merge mode
            (BaseWriteHelper, FileGroupReaderBasedMergeHandle).
        file_group_reader: logs are merged by HoodieFileGroupReader, else by HoodieMergedLogRecordScanner.
        buffered_mergers: a merger class merges BufferedRecords, deletes included, else HoodieRecords
            (HoodieRecordMerger).
        indexed_records: a payload returns its record without a delete rule (HoodieRecordPayload.getIndexedRecord).
        several_ordering_fields: `hoodie.table.ordering.fields` names a list, else
            `hoodie.table.precombine.field` names one column (HoodieTableConfig).
        merge_properties: `hoodie.record.merge.property.*` of a table reaches its mergers (HoodieTableConfig).
        separate_writer_options: creating a table ignores the table's own keys among the options of a DataFrame writer,
            but for ordering fields (HoodieSparkSqlWriter).
        event_time_payload: EventTimeAvroPayload means EVENT_TIME_ORDERING, else CUSTOM (HoodieTableConfig).
        commit_time_payload: a table in COMMIT_TIME_ORDERING without a class has OverwriteWithLatestAvroPayload
            (HoodieTableConfig.getPayloadClass).
        custom_deletes: a payload reads a delete field and marker of the writer's own (DefaultHoodieRecordPayload).
        fails_custom_deletes: the patch release before the ported one, in which a write of marked rows fails; None for
            none (HUDI-6961).
        operation_deletes: readers find deletes by `_hoodie_operation` and by no custom marker, else the reverse
            (DeleteContext).
        commit_time_lookup: a global index that moves no rows merges in COMMIT_TIME_ORDERING too (HoodieIndexUtils).
        merges_moved_rows: a global index merges a row that moves to another partition with the one that it leaves, else
            it stores it as it comes (HoodieIndexUtils.mergeForPartitionUpdatesIfNeeded).
        record_index: the metadata table can have an index of records (HoodieIndex.IndexType.RECORD_INDEX).
        partition_from_path: a merge-on-read query shows partition columns as the path has them, else as the file has
            them (HoodieFileGroupReaderBasedParquetFileFormat).
        lists_by_metadata: readers find files by the metadata table, unless told otherwise
            (HoodieMetadataConfig.DEFAULT_METADATA_ENABLE_FOR_READERS).
        service_schemas: a commit of a table service says the schema of the table, too, else writes alone do
            (TableSchemaResolver.getLatestCommitMetadataWithValidSchema).
        shows_vectors: shows VECTOR columns as arrays, else as bytes (VectorConversionUtils).
        log_units: which unit timestamps in files have (AvroSchemaRepair, from 1.1 on).
        blocks_by_instant: a log's blocks are merged instant by instant, by the first block of each, else as they lie
            (BaseHoodieLogRecordReader.scanInternalV2).
        upgrade_compaction: how an upgrade treats the log of a merge-on-read table
            (UpgradeDowngradeUtils.rollbackFailedWritesAndCompact).
        incremental_scans: an incremental query includes its begin where that is a completion time, reads the whole
            table where files are gone, and scans the logs of older tables with their payload
            (MergeOnReadIncrementalRelationV1, V2).
        timestamp_ntz: writes Spark's TIMESTAMP_NTZ (SchemaConverters).
        spark_conf: Spark SQL reads the keys `spark.hoodie.*` of a Spark conf.
        widens_decimals: a batch may have a decimal of more digits than the table
            (AvroSchemaEvolutionUtils.reconcileSchema).
        reads_bytes_as_text: a batch may have bytes where the table has a text; else the name of a Java
            buffer is stored.
        plain_for_logical: a batch may have a plain number where the table has a date or timestamp, and the reverse, or
            a text where it has a timestamp: the numbers of Avro count.
        promotes_in_arrays: a field of a struct in an array may become wider; else reading the older file fails with a
            ClassCastException.
        converts_values: a batch may have numbers or texts where the table has a decimal, and texts where it has a date,
            that say a value of it.
        keeps_field_order: the fields of a struct keep the order that they have in the table, and new ones follow; else
            they have that of the batch (AvroSchemaEvolutionUtils.reconcileSchema).
        delete_block_utf8: Kryo's registration of Utf8, where a delete block has an ordering value as a Java object;
            None where Avro types wrap it (HoodieDeleteBlock).
        delete_block_dates: an ordering value that is a date can be written to a delete block (HoodieDeleteBlock).
        delete_block_instants: an ordering value that is a timestamp comes back as Instant (HoodieDeleteBlock).
    """

    release: HudiRelease
    bundle: str
    newest_spark: str
    on_spark_4: str | None = None
    is_assumed_writer: bool
    writable_versions: tuple[int, ...]
    keeps_version: bool
    table_version: int = 0
    mergers: bool
    merge_modes: bool
    payload_writer: bool
    file_group_reader: bool
    buffered_mergers: bool
    indexed_records: bool
    several_ordering_fields: bool
    merge_properties: bool
    separate_writer_options: bool
    event_time_payload: bool
    commit_time_payload: bool
    custom_deletes: bool
    operation_deletes: bool
    fails_custom_deletes: str | None = None
    commit_time_lookup: bool
    merges_moved_rows: bool
    record_index: bool
    partition_from_path: bool
    lists_by_metadata: bool
    log_units: LogUnits
    service_schemas: bool
    shows_vectors: bool
    blocks_by_instant: bool
    upgrade_compaction: UpgradeCompaction
    incremental_scans: bool
    timestamp_ntz: bool
    spark_conf: bool
    widens_decimals: bool
    reads_bytes_as_text: bool
    plain_for_logical: bool
    promotes_in_arrays: bool
    converts_values: bool
    keeps_field_order: bool
    delete_block_utf8: int | None
    delete_block_dates: bool
    delete_block_instants: bool

    @property
    def created_version(self) -> int:
        """The table version of a new table, which is the newest that the release writes."""
        return self.writable_versions[-1]

    @property
    def stored_modes(self) -> bool:
        """Whether the table stores merge mode and strategy id, which then comes before the payload class."""
        return self.table_version >= _MODES_SINCE

    @property
    def completion_times(self) -> bool:
        """Whether the timeline has completion times, and log files the instant of their commit (layout 2)."""
        return self.table_version >= _MODES_SINCE

    @property
    def compacts_first_row(self) -> bool:
        """Whether compaction merges a log with only the first of several rows of a key (1.0 on tables of version 6)."""
        return self.file_group_reader and self.payload_writer and not self.stored_modes

    @property
    def payload_successors(self) -> bool:
        """Whether the table stores what succeeds the eight deprecated classes (EightToNineUpgradeHandler)."""
        return self.table_version >= _SUCCESSORS_SINCE

    @property
    def global_merges(self) -> bool:
        """Whether `bridge.merge_into` by a global index has been tried with the table."""
        return self.table_version >= _SUCCESSORS_SINCE

    @property
    def partial_update_modes(self) -> tuple[str, ...]:
        """The partial update modes that a table can have (PartialUpdateMode)."""
        if not self.payload_successors:
            return ()
        return ("FILL_UNCHANGED",) if self.release.is_preview else ("IGNORE_DEFAULTS", "FILL_UNAVAILABLE")


_V0_12 = Capabilities(
    release=HudiRelease.V0_12,
    bundle="0.12.3",
    newest_spark="3.3",
    is_assumed_writer=False,
    writable_versions=(3, 5),
    keeps_version=False,
    mergers=False,
    merge_modes=False,
    payload_writer=True,
    file_group_reader=False,
    buffered_mergers=False,
    indexed_records=False,
    several_ordering_fields=False,
    merge_properties=False,
    separate_writer_options=False,
    event_time_payload=False,
    commit_time_payload=False,
    custom_deletes=False,
    operation_deletes=False,
    commit_time_lookup=True,
    merges_moved_rows=False,
    record_index=False,
    partition_from_path=False,
    lists_by_metadata=False,
    log_units=LogUnits.OF_TABLE,
    service_schemas=False,
    shows_vectors=False,
    blocks_by_instant=False,
    upgrade_compaction=UpgradeCompaction.NONE,
    incremental_scans=False,
    timestamp_ntz=False,
    spark_conf=False,
    widens_decimals=False,
    reads_bytes_as_text=False,
    plain_for_logical=True,
    promotes_in_arrays=True,
    converts_values=True,
    keeps_field_order=False,
    delete_block_utf8=10,
    delete_block_dates=True,
    delete_block_instants=False,
)
_V0_13 = replace(
    _V0_12,
    release=HudiRelease.V0_13,
    bundle="0.13.1",
    is_assumed_writer=True,
    mergers=True,
    delete_block_utf8=27,
)
_V0_14 = replace(
    _V0_13,
    release=HudiRelease.V0_14,
    bundle="0.14.1",
    newest_spark="3.4",
    is_assumed_writer=False,
    writable_versions=(3, 5, 6),
    merges_moved_rows=True,
    custom_deletes=True,
    fails_custom_deletes="0.14.0",
    record_index=True,
    delete_block_utf8=None,
    delete_block_instants=True,
)
_V0_15 = replace(
    _V0_14,
    release=HudiRelease.V0_15,
    bundle="0.15.0",
    newest_spark="3.5",
    is_assumed_writer=True,
    fails_custom_deletes=None,
)
_V1_0 = replace(
    _V0_15,
    release=HudiRelease.V1_0,
    bundle="1.0.2",
    writable_versions=(6, 8),
    keeps_version=True,
    merge_modes=True,
    file_group_reader=True,
    partition_from_path=True,
    lists_by_metadata=True,
    log_units=LogUnits.MICROS,
    upgrade_compaction=UpgradeCompaction.PLANNED,
    incremental_scans=True,
    timestamp_ntz=True,
    delete_block_dates=False,
    delete_block_instants=False,
    keeps_field_order=True,
)
_V1_1 = replace(
    _V1_0,
    release=HudiRelease.V1_1,
    bundle="1.1.1",
    on_spark_4="org.apache.hudi:hudi-spark3.5-bundle_2.13:1.1.1",
    writable_versions=(6, 8, 9),
    payload_writer=False,
    upgrade_compaction=UpgradeCompaction.RUN,
    incremental_scans=False,
    buffered_mergers=True,
    indexed_records=True,
    several_ordering_fields=True,
    merge_properties=True,
    separate_writer_options=True,
    event_time_payload=True,
    commit_time_payload=True,
    operation_deletes=True,
    log_units=LogUnits.REPAIRED,
    promotes_in_arrays=False,
    reads_bytes_as_text=True,
)
_V1_2 = replace(
    _V1_1,
    release=HudiRelease.V1_2,
    bundle="1.2.0",
    on_spark_4=None,
    is_assumed_writer=False,
    commit_time_lookup=False,
    blocks_by_instant=True,
    log_units=LogUnits.REPAIRED_LOCAL,
    service_schemas=True,
    shows_vectors=True,
    spark_conf=True,
    widens_decimals=True,
    plain_for_logical=False,
)

_V1_3 = replace(_V1_2, release=HudiRelease.V1_3, writable_versions=(9,), keeps_version=False)
"""A preview, from sources: what surrounds its merges is that of 1.2, and only what it adds to version 9 is known."""

_ROWS: Final = {row.release: row for row in (_V0_12, _V0_13, _V0_14, _V0_15, _V1_0, _V1_1, _V1_2, _V1_3)}

TABLE_VERSIONS: Final = tuple(sorted({version for row in _ROWS.values() for version in row.writable_versions}))
"""The table versions that the releases create or upgrade, the oldest first; version 3 is that of Hudi 0.10."""
CHOSEN_VERSIONS: Final = tuple(
    sorted({version for row in _ROWS.values() if row.keeps_version for version in row.writable_versions})
)
"""The table versions that a writer can choose, the oldest first."""


@functools.cache
def capabilities(release: HudiRelease, table_version: int | None = None) -> Capabilities:
    """Return what `release` can do on tables of a version, by default the one that it creates."""
    row = _ROWS[release]
    return replace(row, table_version=row.created_version if table_version is None else table_version)


def assumed_writer(table_version: int) -> HudiRelease:
    """Return the release that counts as the writer of a table of a version, one of TABLE_VERSIONS, if nothing says.

    Of a version that no release here creates it is the first one that writes to it.
    """
    rows = (row for row in _ROWS.values() if row.is_assumed_writer and row.created_version >= table_version)
    return next(rows).release
