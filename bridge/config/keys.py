"""The table of configuration keys that decide how records merge, on the writer's and on the table's side."""

from __future__ import annotations

from typing import Any, Final

from bridge.config.capabilities import CHOSEN_VERSIONS, TABLE_VERSIONS
from bridge.config.entry import ConfigEntry
from bridge.config.table_type import TableType
from mergers import PartialUpdateMode, RecordMergeMode, strategies
from payloads import builtin
from payloads.errors import did_you_mean
from payloads.ordering_fields import (
    PAYLOAD_ORDERING_FIELD,
    TABLE_ORDERING_FIELDS,
    TABLE_PRECOMBINE_FIELD,
    WRITE_PRECOMBINE_FIELD,
    is_true,
    java_split,
)
from payloads.release import ByRelease, HudiRelease

MERGE_PROPERTY_PREFIX: Final = strategies.MERGE_PROPERTY_PREFIX
"""Table properties with this prefix reach mergers without it; from 1.1 on."""

_V1_0, _V1_1 = HudiRelease.V1_0, HudiRelease.V1_1
_OVERWRITE: Final = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
_OLD_PACKAGE, _PACKAGE = "com.uber.hoodie", "org.apache.hudi"
_TABLE_TYPES: Final = {
    "COPY_ON_WRITE": TableType.COPY_ON_WRITE,
    "MERGE_ON_READ": TableType.MERGE_ON_READ,
    "COW": TableType.COPY_ON_WRITE,
    "MOR": TableType.MERGE_ON_READ,
}


# -- parsers: text to value, ValueError with what is allowed


def _text(text: str) -> str:
    return text


def _class_name(text: str) -> str:
    return text.replace(_OLD_PACKAGE, _PACKAGE)


def _names(text: str) -> tuple[str, ...]:
    return tuple(java_split(text, ","))


def _mode(text: str) -> RecordMergeMode:
    try:
        return RecordMergeMode[text.upper()]
    except KeyError:
        raise ValueError(_choice(mode.name for mode in RecordMergeMode)) from None


def _table_type(text: str) -> TableType:
    try:
        return _TABLE_TYPES[text.upper()]
    except KeyError:
        raise ValueError(_choice(("COPY_ON_WRITE", "MERGE_ON_READ"))) from None


_FIRST_UPGRADE: Final = "first upgrade the table with Hudi 0.12 to 0.15, by a write or with hudi-cli"
_KEYLESS: Final = (
    "Such a table stores no record key, so a write by 0.14 or later that names one is refused (apache/hudi#19723): "
    "upgrade it with 0.12 or 0.13, or with hudi-cli. The upgrade does not store the ordering field either "
    "(apache/hudi#19738): pass it in each write"
)
_OTHER_VERSIONS: Final = {
    "0": f"Hudi 0.5 or older; {_FIRST_UPGRADE}. {_KEYLESS}",
    "1": f"Hudi 0.6 to 0.8; {_FIRST_UPGRADE}. {_KEYLESS}",
    "2": f"Hudi 0.9; {_FIRST_UPGRADE}",
    "4": f"Hudi 0.11; {_FIRST_UPGRADE}",
    "7": "an upgrade to Hudi 1.0 that did not end; finish it with Hudi 1.0",
    "10": "Hudi 1.3; read it with that release",
}
"""What wrote a table version that is not read here, and what to do."""


def _table_version(text: str) -> int:
    if text in map(str, TABLE_VERSIONS):
        return int(text)
    what = f"it is that of {_OTHER_VERSIONS[text]}" if text in _OTHER_VERSIONS else "there is no such table version"
    msg = (
        f"{what} (versions {', '.join(map(str, TABLE_VERSIONS))} are read); leave the file as it is, since an edited "
        "version makes Hudi misread the table"
    )
    raise ValueError(msg)


def _chosen_version(text: str) -> int:
    if text in map(str, CHOSEN_VERSIONS):
        return int(text)
    raise ValueError(_choice(map(str, CHOSEN_VERSIONS)))


def _partial_update_mode(text: str) -> str:
    if text.upper() in PartialUpdateMode.__members__:
        return text.upper()
    raise ValueError(_choice(PartialUpdateMode.__members__))


def _choice(values: Any) -> str:
    return f"write one of {', '.join(values)}"


INLINE_COMPACTION: Final = "hoodie.compact.inline"
"""Whether a writer compacts, and runs pending compactions, after its commit."""
INLINE_COMPACTION_COMMITS: Final = "hoodie.compact.inline.max.delta.commits"
"""After how many delta commits it compacts."""

# -- what the table stores

TABLE_VERSION: Final = ConfigEntry("hoodie.table.version", _table_version)
INITIAL_VERSION: Final = ConfigEntry("hoodie.table.initial.version", _text, since=_V1_0)
TABLE_TYPE: Final = ConfigEntry("hoodie.table.type", _table_type, ByRelease("COPY_ON_WRITE", {}), sql=("type",))
RECORD_KEY: Final = ConfigEntry("hoodie.table.recordkey.fields", _names, sql=("primaryKey",))
ORDERING_FIELDS: Final = ConfigEntry(
    TABLE_ORDERING_FIELDS,
    _names,
    aliases=(TABLE_PRECOMBINE_FIELD,),
    since=_V1_1,
    sql=("orderingFields", "preCombineField"),
)
MERGE_MODE: Final = ConfigEntry("hoodie.record.merge.mode", _mode, since=_V1_0, sql=("recordMergeMode",))
STRATEGY_ID: Final = ConfigEntry(
    "hoodie.record.merge.strategy.id",
    _text,
    aliases=("hoodie.compaction.record.merger.strategy",),
    since=_V1_0,
    sql=("recordMergeStrategyId",),
)
PAYLOAD_CLASS: Final = ConfigEntry(
    "hoodie.compaction.payload.class",
    _class_name,
    ByRelease(_OVERWRITE, {"1.0": None}),
    sql=("payloadClass",),
    deprecated=_V1_0,
    instead=MERGE_MODE.key,
)
LEGACY_PAYLOAD_CLASS: Final = ConfigEntry("hoodie.table.legacy.payload.class", _class_name, since=_V1_1)
PARTIAL_UPDATE_MODE: Final = ConfigEntry("hoodie.table.partial.update.mode", _partial_update_mode, since=_V1_1)

# -- what a writer passes

WRITE_MERGE_MODE: Final = ConfigEntry("hoodie.write.record.merge.mode", _mode, since=_V1_0)
WRITE_STRATEGY_ID: Final = ConfigEntry(
    "hoodie.write.record.merge.strategy.id",
    _text,
    aliases=("hoodie.datasource.write.record.merger.strategy",),
    since=_V1_0,
)
WRITE_PAYLOAD_CLASS: Final = ConfigEntry(
    "hoodie.datasource.write.payload.class",
    _class_name,
    ByRelease(_OVERWRITE, {"1.0": None}),
    deprecated=_V1_0,
    instead=WRITE_MERGE_MODE.key,
)
IMPLEMENTATIONS: Final = ConfigEntry(
    "hoodie.write.record.merge.custom.implementation.classes",
    _names,
    aliases=("hoodie.datasource.write.record.merger.impls",),
    since=_V1_0,
)
WRITE_PRECOMBINE: Final = ConfigEntry(WRITE_PRECOMBINE_FIELD, _names, ByRelease("ts", {"1.0": None}))
PAYLOAD_ORDERING: Final = ConfigEntry(PAYLOAD_ORDERING_FIELD, _text, ByRelease("ts", {"1.0": None}))
EVENT_TIME_FIELD: Final = ConfigEntry(builtin.EVENT_TIME_FIELD, _text, ByRelease("ts", {"1.2": None}))
DELETE_KEY: Final = ConfigEntry(builtin.DELETE_FIELD, _text)
DELETE_MARKER: Final = ConfigEntry(builtin.DELETE_MARKER, _text)
UNAVAILABLE_MARKER: Final = ConfigEntry(strategies.UNAVAILABLE_VALUE, _text, since=_V1_1)
CHANGED_FIELDS: Final = ConfigEntry(strategies.CHANGED_FIELDS, _names, since=HudiRelease.V1_3)
RETAIN_FIELDS: Final = ConfigEntry(strategies.RETAIN_FIELDS, _names, since=HudiRelease.V1_3)
UPDATE_ON_TIE: Final = ConfigEntry(builtin.UPDATE_ON_SAME_ORDERING, is_true, ByRelease("true", {}))
COMBINE_BEFORE_UPSERT: Final = ConfigEntry("hoodie.combine.before.upsert", is_true, ByRelease("true", {}))
WRITE_TABLE_VERSION: Final = ConfigEntry("hoodie.write.table.version", _chosen_version, since=_V1_0)
AUTO_UPGRADE: Final = ConfigEntry("hoodie.write.auto.upgrade", is_true, ByRelease(None, {"1.0": "true"}), since=_V1_0)

# -- further settings, by name: what reads them knows what they mean

TABLE_NAME: Final = "hoodie.table.name"
DATABASE_NAME: Final = "hoodie.database.name"
TABLE_CHECKSUM: Final = "hoodie.table.checksum"
PARTITION_FIELDS: Final = "hoodie.table.partition.fields"
METADATA_PARTITIONS: Final = (
    "hoodie.table.metadata.partitions",
    "hoodie.table.metadata.partitions.inflight",
)
"""By these a reader looks files up in the metadata table, which lists the whole table."""
CREATE_SCHEMA: Final = "hoodie.table.create.schema"
BASE_FILE_FORMAT: Final = "hoodie.table.base.file.format"
KEYGEN_TYPE: Final = "hoodie.table.keygenerator.type"
KEYGEN_CLASS: Final = "hoodie.table.keygenerator.class"
TIMELINE_ZONE: Final = "hoodie.table.timeline.timezone"
TIMELINE_PATH: Final = "hoodie.timeline.path"
TIMELINE_LAYOUT: Final = "hoodie.timeline.layout.version"
TIMELINE_HISTORY_PATH: Final = "hoodie.timeline.history.path"
ARCHIVE_FOLDER: Final = "hoodie.archivelog.folder"
POPULATE_META_FIELDS: Final = "hoodie.populate.meta.fields"
BOOTSTRAP_BASE_PATH: Final = "hoodie.bootstrap.base.path"
DROP_PARTITION_COLUMNS: Final = "hoodie.datasource.write.drop.partition.columns"
COMPLEX_KEY_ENCODING: Final = "hoodie.write.complex.keygen.new.encoding"

WRITE_RECORD_KEY: Final = "hoodie.datasource.write.recordkey.field"
WRITE_PARTITION: Final = "hoodie.datasource.write.partitionpath.field"
WRITE_TABLE_TYPE: Final = "hoodie.datasource.write.table.type"
WRITE_OPERATION: Final = "hoodie.datasource.write.operation"
INSERT_DROPS_KNOWN: Final = "hoodie.datasource.write.insert.drop.duplicates"
INSERT_POLICY: Final = "hoodie.datasource.insert.dup.policy"
WRITE_KEYGEN_CLASS: Final = "hoodie.datasource.write.keygenerator.class"
WRITE_HIVE_STYLE: Final = "hoodie.datasource.write.hive_style_partitioning"
WRITE_URL_ENCODED: Final = "hoodie.datasource.write.partitionpath.urlencode"
LAYOUT: Final = (WRITE_HIVE_STYLE, WRITE_URL_ENCODED)
"""What the folders of partitions are called."""
SYNC: Final = (
    "hoodie.datasource.hive_sync.",
    "hoodie.datasource.meta.sync.",
    "hoodie.datasource.meta_sync.",
    "hoodie.meta.sync.",
)
"""How the names of options begin that register a table in a metastore."""
COMMIT_METADATA_PREFIX: Final = "hoodie.datasource.write.commitmeta.key.prefix"
METADATA_TABLE: Final = "hoodie.metadata.enable"
CONCURRENCY_MODE: Final = "hoodie.write.concurrency.mode"
LOCK_PROVIDER: Final = "hoodie.write.lock.provider"
CONFLICT_STRATEGY: Final = "hoodie.write.lock.conflict.resolution.strategy"
FAILED_WRITES_POLICY: Final = "hoodie.clean.failed.writes.policy"
INDEX_TYPE: Final = "hoodie.index.type"
INDEX_CLASS: Final = "hoodie.index.class"
BUCKET_ENGINE: Final = "hoodie.index.bucket.engine"
BUCKETS: Final = "hoodie.bucket.index.num.buckets"
BUCKET_FIELDS: Final = "hoodie.bucket.index.hash.field"
PARTITION_BUCKETS: Final = "hoodie.bucket.index.partition."
"""How the names of options begin that give partitions other numbers of buckets."""
SIMPLE_INDEX_MOVES: Final = "hoodie.simple.index.update.partition.path"
BLOOM_INDEX_MOVES: Final = "hoodie.bloom.index.update.partition.path"
RECORD_INDEX_MOVES: Final = "hoodie.record.index.update.partition.path"
CLUSTERING: Final = (
    "hoodie.clustering.inline",
    "hoodie.clustering.schedule.inline",
    "hoodie.clustering.async.enabled",
    "hoodie.datasource.clustering.inline.enable",
    "hoodie.datasource.clustering.async.enable",
)
"""The options that have a writer cluster its table."""
CLUSTERS_UNMERGED: Final = ByRelease(first=False, since={"1.2": True})
"""Whether clustering reads file groups without the merge settings of the writer (apache/hudi#18980, #19007)."""
SMALL_FILE_LIMIT: Final = "hoodie.parquet.small.file.limit"
SMALL_FILE_CANDIDATES: Final = "hoodie.merge.small.file.group.candidates.limit"
DUPLICATE_INSERTS: Final = ConfigEntry(
    "hoodie.merge.allow.duplicate.on.inserts", is_true, ByRelease("false", {"0.15": "true"})
)
"""Whether an insert into a file that has its key adds a row, else it updates that one (HUDI-6089)."""

TABLE_ENTRIES: Final[tuple[ConfigEntry[Any], ...]] = (
    TABLE_VERSION,
    INITIAL_VERSION,
    TABLE_TYPE,
    RECORD_KEY,
    ORDERING_FIELDS,
    MERGE_MODE,
    STRATEGY_ID,
    PAYLOAD_CLASS,
    LEGACY_PAYLOAD_CLASS,
    PARTIAL_UPDATE_MODE,
)
"""The keys of a table, in the order in which they are shown."""

WRITER_ENTRIES: Final[tuple[ConfigEntry[Any], ...]] = (
    WRITE_MERGE_MODE,
    WRITE_STRATEGY_ID,
    WRITE_PAYLOAD_CLASS,
    IMPLEMENTATIONS,
    WRITE_PRECOMBINE,
    PAYLOAD_ORDERING,
    EVENT_TIME_FIELD,
    DELETE_KEY,
    DELETE_MARKER,
    UNAVAILABLE_MARKER,
    UPDATE_ON_TIE,
    COMBINE_BEFORE_UPSERT,
    WRITE_TABLE_VERSION,
    AUTO_UPGRADE,
)
"""The keys of a writer, in the order in which they are shown."""


def is_merge_key(key: str) -> bool:
    """Whether a table property decides how records merge, the table version included."""
    return key in MERGE_KEYS or key.startswith(MERGE_PROPERTY_PREFIX)


MERGE_KEYS: Final = frozenset(
    name
    for entry in TABLE_ENTRIES
    if entry not in {INITIAL_VERSION, TABLE_TYPE, RECORD_KEY}
    for name in (entry.key, *entry.aliases)
)
"""The table properties that decide how records merge, besides those that begin with MERGE_PROPERTY_PREFIX."""


def key_hint(key: str) -> str:
    """Return what a writer's option that nothing here reads may be a slip for, in a sentence; else nothing.

    Most options of Hudi say nothing about merging and are fine; one that is spelt almost like one of ours is not.
    """
    known = {name for entry in (*TABLE_ENTRIES, *WRITER_ENTRIES) for name in (entry.key, *entry.aliases)}
    known |= {value for value in globals().values() if isinstance(value, str) and value.startswith("hoodie.")}
    is_known = key in known or any(key.startswith(name) for name in known if name.endswith("."))
    hint = "" if is_known else did_you_mean(key, known, _SLIP)
    return hint and f"{key} has no effect on merging{hint}"


_SLIP: Final = 0.94
