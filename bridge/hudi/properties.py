"""What `hoodie.properties` says about how to read a table: version, layout of the timeline, keys, partition paths."""

from __future__ import annotations

import dataclasses
import functools
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bridge.config import TableMergeConfig, TableType, capabilities, effective_config, keys, parse_properties
from bridge.hudi.errors import UnreadableTableError
from mergers import PAYLOAD_BASED_MERGE_STRATEGY_UUID, RecordMergeMode
from payloads import HudiRelease
from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from bridge.config import EffectiveMergeConfig
    from bridge.hudi.files import TableFiles

PROPERTIES_FILE = ".hoodie/hoodie.properties"
_BACKUP_FILE = f"{PROPERTIES_FILE}.backup"
_VERSION = keys.TABLE_VERSION.key
_AVRO_GENERATORS = ("SIMPLE", "COMPLEX", "TIMESTAMP", "CUSTOM", "NON_PARTITION", "GLOBAL_DELETE")
_GENERATORS = frozenset(
    {
        *_AVRO_GENERATORS,
        *(f"{name}_AVRO" for name in _AVRO_GENERATORS),
        *("USER_PROVIDED", "AUTO_RECORD", "AUTO_RECORD_AVRO", "HOODIE_TABLE_METADATA"),
        *("SPARK_SQL", "SPARK_SQL_UUID", "SPARK_SQL_MERGE_INTO"),
    }
)
"""KeyGeneratorType."""
_MODES = frozenset({keys.MERGE_MODE.key, keys.PARTIAL_UPDATE_MODE.key})
_LAYOUTS = ("0", "1", "2")
_FIRST_LIKE_TODAY = 6
_FORMATS = ("PARQUET", "ORC")
_TYPES = ("COPY_ON_WRITE", "MERGE_ON_READ")
_SIMPLE = "SIMPLE"
"""What follows a partition field of a custom key generator whose values stay as they are; 0.15 stores no kinds."""


@dataclass(frozen=True)
class TableProperties:
    """The stored properties, and what readers derive from them.

    Attributes:
        stored: all properties.
    """

    stored: Mapping[str, str] = field(repr=False)

    @classmethod
    def read(cls, files: TableFiles) -> Self:
        """Read the properties of a table.

        Raises:
            UnreadableTableError: the folder holds no table, or one of another version or base file format, or its
                properties are not as Hudi wrote them.
        """
        found = cls(stored_properties(files))
        if not found.stored.get(_VERSION):
            msg = (
                f"{files.described(PROPERTIES_FILE)} has no {_VERSION}, as in Hudi 0.5 or older; upgrade the table "
                "with Hudi 0.12 to 0.15, and leave the file as it is"
            )
            raise UnreadableTableError(msg)
        for name in (keys.TABLE_TYPE.key, keys.BASE_FILE_FORMAT, keys.KEYGEN_TYPE, keys.TIMELINE_PATH):
            if found.stored.get(name) == "":
                msg = (
                    f"{files.described(PROPERTIES_FILE)}: {name} is empty, which is not a valid value; restore the file"
                )
                raise UnreadableTableError(msg)
        try:
            keys.TABLE_VERSION.read(found.stored, HudiRelease.latest())
            _ = found.merge
        except PayloadConfigError as error:
            msg = f"{files.described(PROPERTIES_FILE)}: {error}"
            raise UnreadableTableError(msg) from error
        if found.stored.get(keys.TABLE_TYPE.key, _TYPES[0]) not in _TYPES:  # in another spelling
            msg = (
                f"{files.described(PROPERTIES_FILE)}: {keys.TABLE_TYPE.key} is "
                f"{found.stored[keys.TABLE_TYPE.key]!r}, but Hudi knows {' and '.join(_TYPES)}; restore the file"
            )
            raise UnreadableTableError(msg)
        if found._text(keys.BASE_FILE_FORMAT, _FORMATS[0]) not in _FORMATS:
            msg = (
                f"{files.path} has {found.stored[keys.BASE_FILE_FORMAT]} base files, but only "
                f"{' and '.join(_FORMATS)} are supported; read this table with Hudi itself"
            )
            raise UnreadableTableError(msg)
        generator = found._text(keys.KEYGEN_TYPE, _SIMPLE)
        if generator not in _GENERATORS:
            msg = f"{files.described(PROPERTIES_FILE)}: {keys.KEYGEN_TYPE} is {generator!r}; restore the file"
            raise UnreadableTableError(msg)
        if found.stored.get(keys.TIMELINE_LAYOUT, _LAYOUTS[0]) not in _LAYOUTS:
            msg = f"{files.described(PROPERTIES_FILE)}: {found.misfit}; restore the file"
            raise UnreadableTableError(msg)
        return found

    def with_payload(self, name: str) -> Self:
        """Return the properties of a table whose versions merge by a payload class of this Java name."""
        dropped = (keys.MERGE_MODE.key, keys.STRATEGY_ID.key, keys.PARTIAL_UPDATE_MODE.key)
        stored = {key: text for key, text in self.stored.items() if key not in dropped}
        stored[keys.PAYLOAD_CLASS.key] = name
        if self.has_completion_times:
            stored[keys.MERGE_MODE.key] = RecordMergeMode.CUSTOM.value
            stored[keys.STRATEGY_ID.key] = PAYLOAD_BASED_MERGE_STRATEGY_UUID
        return dataclasses.replace(self, stored=stored)

    @functools.cached_property
    def merge(self) -> TableMergeConfig:
        """What the table stores about merging; versions 3 and 5 store what version 6 does.

        Modes that can't be read are left out, since a query that merges nothing asks for none; `config` refuses them.
        """
        stored = {**self.stored, _VERSION: str(max(self.version, _FIRST_LIKE_TODAY))}
        try:
            return TableMergeConfig.from_properties(stored)
        except PayloadConfigError:
            return TableMergeConfig.from_properties({key: stored[key] for key in stored if key not in _MODES})

    def config(self, release: HudiRelease) -> EffectiveMergeConfig:
        """The merge settings of the table in a release that reads it, without options of a writer.

        Raises:
            PayloadConfigError: a stored mode can't be read, or settings contradict each other.
        """
        for entry in (keys.MERGE_MODE, keys.PARTIAL_UPDATE_MODE):
            if self.stored.get(entry.key):
                entry.read(self.stored, release)
        newest = capabilities(release).created_version
        return effective_config(dataclasses.replace(self.merge, version=min(self.merge.version, newest)), None, release)

    @property
    def version(self) -> int:
        """The table version."""
        return int(self.stored[_VERSION])

    @property
    def may_have_logs(self) -> bool:
        """Whether the table is merge-on-read."""
        return self.merge.table_type is TableType.MERGE_ON_READ

    @property
    def has_completion_times(self) -> bool:
        """Whether the timeline has layout 2: completion times, and log files named by their own instant."""
        return capabilities(HudiRelease.latest(), self.version).completion_times

    @property
    def misfit(self) -> str | None:
        """A layout of the timeline that is not that of the table version, by which readers differ; None for none."""
        layout, own = self.stored.get(keys.TIMELINE_LAYOUT), _LAYOUTS[1 + self.has_completion_times]
        if layout in {None, own}:
            return None
        return f"{keys.TIMELINE_LAYOUT} is {layout!r}, and that of table version {self.version} is {own}"

    @property
    def timeline_is_local(self) -> bool:
        """Whether a writer names instants in the time zone of its machine, not in UTC (HoodieTimelineTimeZone)."""
        return self._text(keys.TIMELINE_ZONE, "LOCAL") != "UTC"

    @property
    def timeline_folder(self) -> str:
        """The folder of the active timeline."""
        return f".hoodie/{self._text(keys.TIMELINE_PATH, 'timeline')}" if self.has_completion_times else ".hoodie"

    @property
    def history_folder(self) -> str:
        """The folder of the archived timeline."""
        if self.has_completion_times:
            return f"{self.timeline_folder}/{self._text(keys.TIMELINE_HISTORY_PATH, 'history')}"
        return f".hoodie/{self._text(keys.ARCHIVE_FOLDER, 'archived')}"

    @property
    def key_fields(self) -> tuple[str, ...]:
        """The record key fields; empty where keys are generated."""
        return _names(self.stored.get(keys.RECORD_KEY.key, ""))

    @property
    def partition_fields(self) -> tuple[str, ...]:
        """The partition fields, without the kind that a custom key generator adds to each (`day:TIMESTAMP`).

        A blank belongs to a name, as in HoodieTableConfig.getPartitionFields.
        """
        named = filter(None, self.stored.get(keys.PARTITION_FIELDS, "").split(","))
        return tuple(name.partition(":")[0] for name in named)

    @property
    def paths_are_formatted(self) -> bool:
        """Whether the key generator formats partition values, so that paths do not tell the values."""
        return self.is_timestamp_keyed or self._has_key_generator("Custom")

    @property
    def formats_partitions(self) -> bool:
        """Whether two values of a partition field may be one partition, so that paths alone tell rows apart."""
        kinds = (name.partition(":")[2] for name in _names(self.stored.get(keys.PARTITION_FIELDS, "")))
        is_simple = all(kind.strip().upper() == _SIMPLE for kind in kinds)
        return self.is_timestamp_keyed or (self._has_key_generator("Custom") and not is_simple)

    @property
    def is_timestamp_keyed(self) -> bool:
        """Whether the key generator formats its one partition field as a time."""
        return self._has_key_generator("Timestamp")

    @property
    def derives_key_values(self) -> bool:
        """Whether a key generator of Hudi makes the record keys, so that they are known from the key fields' values."""
        name = self.stored.get(keys.KEYGEN_CLASS, "")
        return self.stored.get(keys.KEYGEN_TYPE, "").upper() != "USER_PROVIDED" and (
            not name or name.startswith("org.apache.hudi.keygen.")
        )

    @property
    def has_meta_fields(self) -> bool:
        """Whether the meta columns hold values."""
        return self._text(keys.POPULATE_META_FIELDS, "true").lower() == "true"

    @property
    def drops_partition_columns(self) -> bool:
        """Whether the partition columns are in the paths alone."""
        return self._text(keys.DROP_PARTITION_COLUMNS, "false").lower() == "true"

    @property
    def bootstrap_source(self) -> str | None:
        """The folder of the files that a metadata-only bootstrap left where they were."""
        return self.stored.get(keys.BOOTSTRAP_BASE_PATH) or None

    def _has_key_generator(self, name: str) -> bool:
        kind = self.stored.get(keys.KEYGEN_TYPE, "").upper()
        java_class = self.stored.get(keys.KEYGEN_CLASS, "").rpartition(".")[2]
        return kind.startswith(name.upper()) or java_class.startswith(name)

    def _text(self, key: str, default: str) -> str:
        return self.stored.get(key) or default


def stored_properties(files: TableFiles) -> Mapping[str, str]:
    """Return the properties of a table, or those of the backup that a writer leaves while it replaces the file.

    Source: ConfigUtils.fetchConfigs, HoodieTableConfig.generateChecksum.

    Raises:
        UnreadableTableError: there are none, or none whose checksum is that of the table's name.
    """
    folder = PROPERTIES_FILE.partition("/")[0]
    present = {f"{folder}/{name}" for name in files.names(folder)}
    paths = [path for path in (PROPERTIES_FILE, _BACKUP_FILE) if path in present]
    if not paths:
        within = files.table_within()
        near = "" if within is None else f", such as {within}"
        msg = f"{files.path} is not a Hudi table: it has no {PROPERTIES_FILE}; name the table's base path{near}"
        raise UnreadableTableError(msg)
    for path in paths:
        try:
            stored = parse_properties(files.read(path).decode("iso-8859-1"))
        except PayloadConfigError as error:
            msg = f"{files.described(path)}: {error}"
            raise UnreadableTableError(msg) from error
        name = f"{stored.get(keys.DATABASE_NAME, '')}.{stored.get(keys.TABLE_NAME)}"
        if keys.TABLE_CHECKSUM not in stored or stored[keys.TABLE_CHECKSUM] == str(zlib.crc32(name.encode())):
            return stored
    msg = (
        f"{files.described(PROPERTIES_FILE)}: {keys.TABLE_CHECKSUM} does not match the table's name, so the file is "
        "damaged and Hudi refuses the table; restore the file"
    )
    raise UnreadableTableError(msg)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
