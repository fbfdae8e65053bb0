"""Merge configuration: keys, what a table stores, how each release completes and upgrades it, effective settings."""

from __future__ import annotations

from bridge.config.capabilities import (
    CHOSEN_VERSIONS,
    Capabilities,
    LogUnits,
    UpgradeCompaction,
    assumed_writer,
    capabilities,
)
from bridge.config.creation import created_properties, given_settings
from bridge.config.effective import EffectiveMergeConfig, PointRule, effective_config, ordering_of
from bridge.config.entry import ConfigEntry, DeprecatedKeyWarning, first_given
from bridge.config.inference import (
    InferredSettings,
    MergeSettings,
    infer,
    infer_for_creation,
    infer_for_writes,
    mode_of_payload,
    payload_of_mode,
)
from bridge.config.job_settings import (
    JobFormat,
    JobSetting,
    JobSettings,
    read_job_settings,
)
from bridge.config.keys import (
    AUTO_UPGRADE,
    CLUSTERING,
    CLUSTERS_UNMERGED,
    DELETE_KEY,
    DELETE_MARKER,
    IMPLEMENTATIONS,
    MERGE_KEYS,
    MERGE_PROPERTY_PREFIX,
    PAYLOAD_CLASS,
    RECORD_KEY,
    TABLE_NAME,
    TABLE_TYPE,
    TABLE_VERSION,
    UNAVAILABLE_MARKER,
    UPDATE_ON_TIE,
    WRITE_MERGE_MODE,
    WRITE_PARTITION,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITE_RECORD_KEY,
    WRITE_TABLE_VERSION,
    is_merge_key,
    key_hint,
)
from bridge.config.mode_change import TargetMode, change_mode
from bridge.config.properties import format_properties, parse_properties, read_properties
from bridge.config.refusals import MergeConfigError
from bridge.config.sources import DeprecatedKey, Setting, Source, deprecated_keys, settings_of
from bridge.config.sql import created_by_sql, from_sql, literal, to_sql
from bridge.config.stored import TableMergeConfig, read_table
from bridge.config.succession import BUILT_IN_STRATEGIES, DEFAULT, OVERWRITE, SUCCESSORS, implicit_delete_marker
from bridge.config.table_type import TableType
from bridge.config.table_versions import change_version
from bridge.config.unmodelled import option_warnings, unmodelled
from bridge.config.validation import Conflict, check_writer, conflicts_of, partition_columns, unchecked_partition

__all__ = [
    "AUTO_UPGRADE",
    "BUILT_IN_STRATEGIES",
    "CHOSEN_VERSIONS",
    "CLUSTERING",
    "CLUSTERS_UNMERGED",
    "DEFAULT",
    "DELETE_KEY",
    "DELETE_MARKER",
    "IMPLEMENTATIONS",
    "MERGE_KEYS",
    "MERGE_PROPERTY_PREFIX",
    "OVERWRITE",
    "PAYLOAD_CLASS",
    "RECORD_KEY",
    "SUCCESSORS",
    "TABLE_NAME",
    "TABLE_TYPE",
    "TABLE_VERSION",
    "UNAVAILABLE_MARKER",
    "UPDATE_ON_TIE",
    "WRITE_MERGE_MODE",
    "WRITE_PARTITION",
    "WRITE_PAYLOAD_CLASS",
    "WRITE_PRECOMBINE",
    "WRITE_RECORD_KEY",
    "WRITE_TABLE_VERSION",
    "Capabilities",
    "ConfigEntry",
    "Conflict",
    "DeprecatedKey",
    "DeprecatedKeyWarning",
    "EffectiveMergeConfig",
    "InferredSettings",
    "JobFormat",
    "JobSetting",
    "JobSettings",
    "LogUnits",
    "MergeConfigError",
    "MergeSettings",
    "PointRule",
    "Setting",
    "Source",
    "TableMergeConfig",
    "TableType",
    "TargetMode",
    "UpgradeCompaction",
    "assumed_writer",
    "capabilities",
    "change_mode",
    "change_version",
    "check_writer",
    "conflicts_of",
    "created_by_sql",
    "created_properties",
    "deprecated_keys",
    "effective_config",
    "first_given",
    "format_properties",
    "from_sql",
    "given_settings",
    "implicit_delete_marker",
    "infer",
    "infer_for_creation",
    "infer_for_writes",
    "is_merge_key",
    "key_hint",
    "literal",
    "mode_of_payload",
    "option_warnings",
    "ordering_of",
    "parse_properties",
    "partition_columns",
    "payload_of_mode",
    "read_job_settings",
    "read_properties",
    "read_table",
    "settings_of",
    "to_sql",
    "unchecked_partition",
    "unmodelled",
]
